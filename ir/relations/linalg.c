/* Products of matrices. */
#include <string.h>

#include "ir/relations/common.h"

struct matmul {
	const struct ir_tensor_type *a, *b; /* B may be unknown: NULL */
	struct dtype b_dtype;
	bool transpose_a, transpose_b;
	struct ir_dim inner; /* of A */
	struct rel_shape out;
};

/* The axes of A: rows go to the result, the inner one is summed over. */
static bool
look_at_a(struct rel *r, struct matmul *m)
{
	const ir_attr *ta = ir_attrs_get(r->attrs, "transpose_a");
	const ir_attr *tb = ir_attrs_get(r->attrs, "transpose_b");
	uint32_t n = m->a->ndim;

	m->transpose_a = ta && ta->b;
	m->transpose_b = !tb || tb->b;
	if (n < (m->transpose_a ? 2 : 1)) {
		rel_error_at(r, 0, "'%s' must have rank %d at least, but is %s",
			     rel_input(r, 0), m->transpose_a ? 2 : 1,
			     rel_show_arg(r, 0));
		return false;
	}
	m->out = rel_copy_shape(r, m->a);
	m->inner = m->a->shape[n - 1];
	if (m->transpose_a) {
		m->inner = m->a->shape[n - 2];
		m->out.at[n - 2] = m->a->shape[n - 1];
	}
	m->b_dtype = m->b ? m->b->dtype : m->a->dtype;
	return true;
}

/* B is (UNITS, INNER), or the other way round. */
static enum rel_result
assign_b(struct rel *r, const struct matmul *m, struct ir_dim units,
	 struct ir_dim inner)
{
	struct ir_dim at[2] = {units, inner};
	struct rel_shape s = {2, at};

	if (!m->transpose_b) {
		at[0] = inner;
		at[1] = units;
	}
	return rel_input_shape(r, 1, m->b_dtype, &s);
}

/* Without "units" B tells them. An unknown inner extent is the other's. */
static enum rel_result
units_of_b(struct rel *r, struct matmul *m, struct ir_dim *units)
{
	struct ir_dim inner;

	if (!rel_check_rank(r, 1, m->b, 2))
		return REL_FAIL;
	*units = m->b->shape[m->transpose_b ? 0 : 1];
	inner = m->b->shape[m->transpose_b ? 1 : 0];
	if (!ir_dim_may_equal(inner, m->inner))
		return rel_error_at(r, 1,
				    "the inner extents of %s and %s are %s and "
				    "%s",
				    rel_show_arg(r, 0), rel_show_arg(r, 1),
				    rel_show_dim(r, m->inner),
				    rel_show_dim(r, inner));
	if (inner.kind == DIM_ANY && m->inner.kind != DIM_ANY)
		return assign_b(r, m, *units, m->inner);
	if (m->inner.kind == DIM_ANY && inner.kind != DIM_ANY) {
		struct rel_shape s = rel_copy_shape(r, m->a);

		s.at[s.n - (m->transpose_a ? 2 : 1)] = inner;
		return rel_input_shape(r, 0, m->a->dtype, &s);
	}
	return REL_DONE;
}

/* nn.dense and nn.matmul. */
enum rel_result
rel_matmul(struct rel *r)
{
	struct matmul m = {.a = rel_tensor(r, 0)};
	struct ir_dim units;
	enum rel_result ok;
	bool given;

	if (!m.a)
		return rel_wait(r, 0);
	if (rel_maybe_tensor(r, 1, &m.b) == REL_FAIL ||
	    !rel_dim(r, "units", &units, &given) || !look_at_a(r, &m))
		return REL_FAIL;
	if (!given && !m.b)
		return REL_DEFER;
	ok = given ? assign_b(r, &m, units, m.inner)
		   : units_of_b(r, &m, &units);
	if (ok != REL_DONE)
		return ok;
	m.out.at[m.out.n - 1] = units;
	return rel_finish(r, rel_dtype(r, "out_dtype", m.a->dtype), &m.out);
}

static bool
any_unknown(const struct ir_tensor_type *t)
{
	for (uint32_t i = 0; i < t->ndim; i++)
		if (t->shape[i].kind == DIM_ANY)
			return true;
	return false;
}

/* The batch extents of the two sides: equal, or one of them 1. */
static bool
batch_of(struct ir_dim a, struct ir_dim b, struct ir_dim *out)
{
	if (a.kind == DIM_ANY || b.kind == DIM_ANY) {
		*out = DIM_UNKNOWN;
		return true;
	}
	return ir_dim_broadcast(a, b, out);
}

enum rel_result
rel_batch_matmul(struct rel *r)
{
	const struct ir_tensor_type *a = rel_tensor(r, 0);
	const struct ir_tensor_type *b = rel_tensor(r, 1);
	struct rel_shape out = rel_new_shape(r, 3);

	if (!a)
		return rel_wait(r, 0);
	if (!b)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 0, a, 3) || !rel_check_rank(r, 1, b, 3))
		return REL_FAIL;
	bool ta = ir_attrs_bool(r->attrs, "transpose_a");
	bool tb = ir_attrs_bool(r->attrs, "transpose_b");
	bool dynamic = any_unknown(a) || any_unknown(b);

	if (!batch_of(a->shape[0], b->shape[0], &out.at[0]) ||
	    (!dynamic &&
	     !ir_dim_may_equal(a->shape[ta ? 1 : 2], b->shape[tb ? 2 : 1])))
		return rel_error_at(r, 1, "%s and %s can't be multiplied%s%s",
				    rel_show_arg(r, 0), rel_show_arg(r, 1),
				    ta ? ", transpose_a" : "",
				    tb ? ", transpose_b" : "");
	out.at[1] = a->shape[ta ? 2 : 1];
	out.at[2] = b->shape[tb ? 1 : 2];
	return rel_finish(r, rel_dtype(r, "out_dtype", a->dtype), &out);
}

/* Weights in tiles: (units / t, inner, t), or four axes. */
enum rel_result
rel_dense_pack(struct rel *r)
{
	const struct ir_tensor_type *a = rel_tensor(r, 0);
	const struct ir_tensor_type *b = rel_tensor(r, 1);
	struct rel_shape out = rel_new_shape(r, 2);

	if (!a)
		return rel_wait(r, 0);
	if (!b)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 0, a, 2))
		return REL_FAIL;
	if (b->ndim != 3 && b->ndim != 4)
		return rel_error_at(r, 1,
				    "'weight' must have rank 3 or 4, but is %s",
				    rel_show_arg(r, 1));
	out.at[0] = a->shape[0];
	if (!rel_mul(r, b->shape[0], b->shape[2], &out.at[1]))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", a->dtype), &out);
}

/* One side of an einsum: letters, and "..." as '.' among them. */
struct einsum_term {
	const char *at;
	uint32_t n;
	bool dots;
};

enum { EINSUM_LETTERS = 128 };

struct einsum {
	struct ir_dim size[EINSUM_LETTERS];
	uint32_t count[EINSUM_LETTERS]; /* in the inputs */
	bool used[EINSUM_LETTERS];      /* in the output */
	struct rel_shape dots;          /* extents that "..." stands for */
};

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Read a term up to ',' '-' or the end; blanks are skipped by the caller. */
static bool
read_term(const char **p, struct einsum_term *t)
{
	*t = (struct einsum_term){.at = *p};
	for (; **p && **p != ',' && **p != '-'; ++*p) {
		if (is_letter(**p)) {
			t->n++;
			continue;
		}
		if (t->dots || strncmp(*p, "...", 3) != 0)
			return false;
		t->dots = true;
		*p += 2;
	}
	return true;
}

/* Two extents of one letter: equal or 1. */
static bool
meet(struct rel *r, struct ir_dim *have, struct ir_dim d, char letter)
{
	struct ir_dim out;

	if (!ir_dim_broadcast(*have, d, &out)) {
		rel_error_attr(r, "equation",
			       "letter '%c' stands for %s and for %s", letter,
			       rel_show_dim(r, *have), rel_show_dim(r, d));
		return false;
	}
	*have = out;
	return true;
}

/* The extents that the letters of T have in an input. */
static bool
match_term(struct rel *r, struct einsum *e, const struct einsum_term *t,
	   const struct ir_tensor_type *in)
{
	uint32_t k = 0, ndots = in->ndim - t->n;
	struct rel_shape s, out;

	if (in->ndim < t->n || (!t->dots && ndots)) {
		rel_error_attr(r, "equation",
			       "a term of %u letters does not fit %s", t->n,
			       rel_show(r, &in->base));
		return false;
	}
	for (const char *p = t->at; *p && *p != ',' && *p != '-'; p++) {
		unsigned char c = (unsigned char)*p;

		if (c == '.') {
			s = (struct rel_shape){
				ndots,
				(struct ir_dim *)(uintptr_t)(in->shape + k)};
			if (!rel_broadcast_shapes(r, &e->dots, &s, &out))
				return false;
			e->dots = out;
			k += ndots;
			p += 2;
			continue;
		}
		if (!e->count[c]++)
			e->size[c] = in->shape[k];
		else if (!meet(r, &e->size[c], in->shape[k], *p))
			return false;
		k++;
	}
	return true;
}

/* The output without "->": what occurs once, in alphabetical order. */
static void
implicit_output(const struct einsum *e, struct rel_shape *out)
{
	for (uint32_t i = 0; i < e->dots.n; i++)
		out->at[out->n++] = e->dots.at[i];
	for (unsigned c = 0; c < EINSUM_LETTERS; c++)
		if (e->count[c] == 1)
			out->at[out->n++] = e->size[c];
}

static bool
explicit_output(struct rel *r, struct einsum *e, const char *p,
		struct rel_shape *out)
{
	for (; *p; p++) {
		unsigned char c = (unsigned char)*p;

		if (strncmp(p, "...", 3) == 0 && !e->used['.']) {
			e->used['.'] = true;
			for (uint32_t i = 0; i < e->dots.n; i++)
				out->at[out->n++] = e->dots.at[i];
			p += 2;
			continue;
		}
		if (!is_letter(*p) || !e->count[c] || e->used[c]) {
			rel_error_attr(r, "equation",
				       "the output of the equation has an "
				       "unexpected '%c'",
				       *p);
			return false;
		}
		e->used[c] = true;
		out->at[out->n++] = e->size[c];
	}
	return true;
}

/* The equation without blanks. */
static const char *
squeeze_blanks(struct rel *r, const char *s)
{
	char *out = arena_strndup(r->scratch, s, strlen(s));
	char *q = out;

	for (; *s; s++)
		if (*s != ' ')
			*q++ = *s;
	*q = '\0';
	return out;
}

static bool
match_inputs(struct rel *r, struct einsum *e, const struct ir_tuple_type *in,
	     const char **p)
{
	struct einsum_term term;

	for (uint32_t i = 0; i < in->nfields; i++) {
		if (i && *(*p)++ != ',')
			break;
		if (!read_term(p, &term))
			break;
		if (!match_term(r, e, &term, ir_as_tensor_type(in->fields[i])))
			return false;
		if (i + 1 == in->nfields && (!**p || **p == '-'))
			return true;
	}
	rel_error_attr(r, "equation", "equation \"%s\" does not fit %u inputs",
		       ir_attrs_string(r->attrs, "equation"), in->nfields);
	return false;
}

enum rel_result
rel_einsum(struct rel *r)
{
	const struct ir_tuple_type *in = rel_tuple(r, 0);
	struct einsum *e = ARENA_NEW(r->scratch, struct einsum);
	const char *p =
		squeeze_blanks(r, ir_attrs_string(r->attrs, "equation"));
	struct rel_shape out;
	struct dtype t;

	if (!in)
		return rel_wait(r, 0);
	if (!rel_tuple_dtype(r, 0, in, &t) || !match_inputs(r, e, in, &p))
		return REL_FAIL;
	out = rel_new_shape(r, e->dots.n + EINSUM_LETTERS);
	out.n = 0;
	if (!*p)
		implicit_output(e, &out);
	else if (p[1] != '>')
		return rel_error_attr(r, "equation",
				      "the equation has a '-' without '>'");
	else if (!explicit_output(r, e, p + 2, &out))
		return REL_FAIL;
	return rel_finish(r, t, &out);
}
