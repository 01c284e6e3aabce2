#include "te/compute/layout.h"

static char
primal_of(char letter)
{
	return letter >= 'a' ? (char)(letter - 'a' + 'A') : letter;
}

/* How much one step along axis K of L is, along its primal axis. */
static int64_t
part_stride(const struct ir_layout *l, uint32_t k)
{
	char letter = l->axis[k].letter;

	return letter < 'a' ? ir_layout_factor(l, letter)
			    : ir_layout_stride(l, k + 1, letter);
}

const tir_expr *
te_layout_part(struct te_call *c, const struct ir_layout *l, uint32_t k,
	       const tir_expr *p)
{
	int64_t stride = part_stride(l, k);

	if (stride != 1)
		p = te_divi(c, p, stride);
	if (l->axis[k].letter < 'a')
		return p;
	return te_modi(c, p, l->axis[k].factor);
}

struct te_letters
te_letters_of(struct te_call *c, const struct ir_layout *l,
	      const tir_expr *const *i)
{
	struct te_letters out = {{NULL}};

	for (uint32_t k = 0; k < l->n; k++) {
		char letter = l->axis[k].letter;
		char primal = primal_of(letter);
		const tir_expr *part = i[k];
		const tir_expr **sum = &out.at[primal - 'A'];

		if (!part) {
			te_error(c, "the layout has too many axes");
			part = te_int(c, 0);
		}
		part = te_muli(c, part, part_stride(l, k));
		*sum = *sum ? te_add(c, *sum, part) : part;
	}
	return out;
}

bool
te_fits_layout(const struct te_tensor *t, const struct ir_layout *l)
{
	if (t->ndim != l->n)
		return false;
	for (uint32_t k = 0; k < l->n; k++)
		if (l->axis[k].letter >= 'a' && !te_is_size(t->shape[k]) &&
		    t->shape[k] != l->axis[k].factor)
			return false;
	return true;
}

const tir_expr *
te_get_letters(struct te_call *c, const struct te_tensor *t,
	       const struct ir_layout *l, const struct te_letters *at)
{
	const tir_expr *index[TE_MAX_RANK];

	if (!te_fits_layout(t, l)) {
		te_error(c, "an input does not fit its layout");
		return te_zero(c, t->dtype);
	}
	for (uint32_t k = 0; k < l->n; k++) {
		const tir_expr *p = at->at[primal_of(l->axis[k].letter) - 'A'];

		index[k] = te_layout_part(c, l, k, p ? p : te_int(c, 0));
	}
	return te_get(c, t, index);
}

int64_t
te_extent(struct te_call *c, const struct te_tensor *t,
	  const struct ir_layout *l, char primal)
{
	int k = ir_layout_index(l, primal);

	return k < 0 ? 1
		     : te_dim_mul(c, t->shape[k], ir_layout_factor(l, primal));
}

bool
te_attr_layout(struct te_call *c, const char *name, const char *deflt,
	       struct ir_layout *out)
{
	const char *text = te_attr_string(c, name);

	if (text[0] == '\0')
		text = deflt;
	if (!ir_layout_parse(text, out))
		return te_error(c, "'%s' is no layout", text);
	return true;
}

int
te_spatial_letters(const struct ir_layout *l, char out[4])
{
	static const char all[] = "DHW";
	int n = 0;

	for (int k = 0; all[k]; k++)
		if (ir_layout_index(l, all[k]) >= 0)
			out[n++] = all[k];
	out[n] = '\0';
	return n;
}

bool
te_attr_padding(struct te_call *c, int n, int64_t *before, int64_t *after)
{
	int64_t p[6];
	int count = te_attr_ints(c, "padding", p, 6);

	if (count != 1 && count != n && count != 2 * n)
		return te_error(c, "the padding is not known");
	for (int k = 0; k < n; k++) {
		before[k] = p[count == 1 ? 0 : k];
		after[k] = p[count == 1 ? 0 : count == n ? k : n + k];
	}
	return true;
}
