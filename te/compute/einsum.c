/*
 * einsum: a sum of products over named axes, "ij,jk->ik".
 *
 * "..." stands for any number of broadcast axes in front or between. Without
 * "->" the result has the letters that occur once, in alphabetical order,
 * after the axes of "...".
 */
#include "te/compute/computes.h"
#include "te/compute/sizes.h"

#include <string.h>

/* Axes of "..." are numbered from the back: letters below 'A'. */
enum { NLETTERS = 128, FIRST_DOT = 'A' - TE_MAX_RANK };

struct einsum {
	struct te_call *c;
	unsigned char in[TE_MAX_RANK][TE_MAX_RANK]; /* letters by axis */
	unsigned char out[TE_MAX_RANK];
	uint32_t nout;
	int64_t extent[NLETTERS];
	uint32_t dots; /* most axes that "..." stands for */
};

static uint32_t
count_letters(const char *s, const char *end)
{
	uint32_t n = 0;

	for (; s < end; s++)
		n += *s != ' ' && *s != '.';
	return n;
}

/* Letters of one term into OUT, "..." as DOTS axes; how many. */
static uint32_t
read_term(const char *s, const char *end, uint32_t dots, unsigned char *out)
{
	uint32_t n = 0;

	while (s < end) {
		if (*s == '.') {
			for (uint32_t k = 0; k < dots; k++)
				out[n++] = (unsigned char)(FIRST_DOT +
							   (dots - 1 - k));
			s += 3;
		} else if (*s != ' ') {
			out[n++] = (unsigned char)*s++;
		} else {
			s++;
		}
	}
	return n;
}

static bool
is_well_formed(const char *s, const char *end)
{
	for (; s < end; s++) {
		bool letter =
			(*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z');

		if (*s == '.') {
			if (end - s < 3 || s[1] != '.' || s[2] != '.')
				return false;
			s += 2;
		} else if (!letter && *s != ' ') {
			return false;
		}
	}
	return true;
}

static bool
read_input(struct einsum *e, uint32_t i, const char *s, const char *end)
{
	const struct te_tensor *x = e->c->in[i];
	uint32_t letters = count_letters(s, end);
	bool has_dots = memchr(s, '.', (size_t)(end - s)) != NULL;
	uint32_t dots = has_dots && x->ndim >= letters ? x->ndim - letters : 0;

	if (!is_well_formed(s, end) || letters + dots != x->ndim)
		return te_error(e->c, "the equation does not fit input %u",
				i + 1);
	read_term(s, end, dots, e->in[i]);
	if (dots > e->dots)
		e->dots = dots;
	for (uint32_t k = 0; k < x->ndim; k++) {
		int64_t *extent = &e->extent[e->in[i][k]];

		if (!sizes_broadcast(e->c, *extent, x->shape[k], extent))
			return false;
	}
	return true;
}

/* The letters that occur once, after the axes of "...". */
static void
implicit_output(struct einsum *e)
{
	uint32_t times[NLETTERS] = {0};

	for (uint32_t i = 0; i < e->c->nin; i++)
		for (uint32_t k = 0; k < e->c->in[i]->ndim; k++)
			times[e->in[i][k]]++;
	for (uint32_t k = e->dots; k-- > 0;)
		e->out[e->nout++] = (unsigned char)(FIRST_DOT + k);
	for (int letter = 'A'; letter < NLETTERS; letter++)
		if (times[letter] == 1 && e->nout < TE_MAX_RANK)
			e->out[e->nout++] = (unsigned char)letter;
}

static bool
read_equation(struct einsum *e)
{
	const char *s = te_attr_string(e->c, "equation");
	const char *arrow = strstr(s, "->");
	const char *end = arrow ? arrow : s + strlen(s);

	if (e->c->nin > TE_MAX_RANK)
		return te_error(e->c, "there are too many inputs");
	for (int i = 0; i < NLETTERS; i++)
		e->extent[i] = 1;
	for (uint32_t i = 0; i < e->c->nin; i++) {
		const char *stop = memchr(s, ',', (size_t)(end - s));

		if ((stop == NULL) != (i + 1 == e->c->nin))
			return te_error(e->c,
					"the equation does not have %u terms",
					e->c->nin);
		if (!read_input(e, i, s, stop ? stop : end))
			return false;
		s = stop ? stop + 1 : end;
	}
	if (!arrow)
		implicit_output(e);
	else
		e->nout = read_term(arrow + 2, arrow + strlen(arrow), e->dots,
				    e->out);
	if (e->nout != te_out_ndim(e->c, 0))
		return te_error(e->c, "the equation does not fit the result");
	return true;
}

bool
sizes_einsum(struct te_call *c, int64_t *const *out)
{
	struct einsum e = {.c = c};

	if (!read_equation(&e))
		return false;
	for (uint32_t k = 0; k < e.nout; k++)
		out[0][k] = e.extent[e.out[k]];
	return true;
}

bool
compute_einsum(struct te_call *c)
{
	struct einsum e = {.c = c};
	const tir_expr *at[NLETTERS] = {NULL};
	const tir_expr *product = NULL;
	struct te_body *b;

	if (!read_equation(&e))
		return false;
	b = te_begin_out(c, NULL, 0);
	for (uint32_t k = 0; k < e.nout; k++)
		at[e.out[k]] = b->i[k];
	for (uint32_t i = 0; i < c->nin; i++) {
		const struct te_tensor *x = c->in[i];
		const tir_expr *index[TE_MAX_RANK];
		const tir_expr *v;

		for (uint32_t k = 0; k < x->ndim; k++) {
			unsigned char letter = e.in[i][k];
			char name[2] = {(char)letter, '\0'};

			if (!at[letter])
				at[letter] = te_fold_axis(
					b, letter < 'A' ? "k" : name,
					e.extent[letter]);
			index[k] =
				te_broadcast_index(c, x->shape[k], at[letter]);
		}
		v = te_get(c, x, index);
		product = product ? te_mul(c, product, v) : v;
	}
	return te_output(c, 0,
			 b->nfold ? te_end_fold(b, TE_SUM, product)
				  : te_end(b, product));
}
