/*
 * Sizes of results of operators in which most axes must be known: a batch
 * is what may vary, and for windows that slide the axes that they slide over.
 */
#include <string.h>

#include "te/compute/computes.h"
#include "te/compute/layout.h"
#include "te/compute/sizes.h"

/* Everything but the data is of known shape. */
static bool
others_known(struct te_call *c)
{
	for (uint32_t i = 1; i < c->nin; i++)
		for (uint32_t d = 0; d < c->in[i]->ndim; d++)
			if (te_is_size(c->in[i]->shape[d]))
				return sizes_refuse(c, "the weights' shape");
	return true;
}

/* Entry K of attribute NAME, which holds one number or one per axis. */
static int64_t
number(struct te_call *c, const char *name, int k)
{
	int64_t v[6];
	int n = te_attr_ints(c, name, v, 6);

	return n < 1 ? 1 : n == 1 ? v[0] : v[k];
}

/* Places of a window of REACH along an axis of N elements and its border. */
static bool
slide(struct te_call *c, int64_t n, int64_t border, int64_t reach,
      int64_t stride, int64_t *out)
{
	int64_t all = te_dim_add(c, n, border);

	*out = te_dim_add(c, te_dim_div(c, te_dim_sub(c, all, reach), stride),
			  1);
	if (!te_is_size(n))
		return true;
	return te_require(c,
			  te_cmp(c, TIR_GE, te_dim(c, all), te_dim(c, reach)),
			  n, reach, "the window is larger than the data");
}

/* The layout of the data, from whichever attribute says it. */
static bool
layouts_of(struct te_call *c, struct ir_layout *in, struct ir_layout *out)
{
	const char *name = ir_attrs_get(c->attrs, "data_layout") ? "data_layout"
								 : "layout";
	const char *result = "";

	if (ir_attrs_get(c->attrs, "out_layout"))
		result = te_attr_string(c, "out_layout");
	if (!te_attr_layout(c, name, "NCHW", in))
		return false;
	*out = *in;
	if (*result && !ir_layout_parse(result, out))
		return te_error(c, "'%s' is no layout", result);
	return (in->n == c->in[0]->ndim && out->n == te_out_ndim(c, 0)) ||
	       te_error(c, "the layout does not fit the data");
}

struct window {
	struct te_call *c;
	struct ir_layout in, out;
	int64_t size[3];
	char letters[4];
	int n;
};

static bool
read_window(struct window *w, struct te_call *c)
{
	bool conv = te_compute_rule(c->op->id) == compute_nn_conv;
	*w = (struct window){.c = c};
	if (!layouts_of(c, &w->in, &w->out))
		return false;
	w->n = te_spatial_letters(&w->in, w->letters);
	if (conv) {
		struct ir_layout k;

		if (!te_attr_layout(c, "kernel_layout", "OIHW", &k))
			return false;
		for (int i = 0; i < w->n; i++)
			w->size[i] = te_extent(c->in[1], &k, w->letters[i]);
		return true;
	}
	for (int i = 0; i < w->n; i++)
		w->size[i] = number(c, "pool_size", i);
	return true;
}

/* Axis D of the output, which is letter I of those that the window slides. */
static bool
slide_axis(const struct window *w, int i, int64_t *out)
{
	struct te_call *c = w->c;
	int from = ir_layout_index(&w->in, w->letters[i]);
	int to = ir_layout_index(&w->out, w->letters[i]);
	int64_t before[3], after[3];

	if (!te_is_size(c->in[0]->shape[from]))
		return true;
	if (to < 0 || ir_layout_factor(&w->in, w->letters[i]) != 1 ||
	    (ir_attrs_get(c->attrs, "ceil_mode") &&
	     te_attr_bool(c, "ceil_mode")))
		return sizes_refuse(c, "a spatial axis");
	return te_attr_padding(c, w->n, before, after) &&
	       slide(c, c->in[0]->shape[from], before[i] + after[i],
		     (w->size[i] - 1) * number(c, "dilation", i) + 1,
		     number(c, "strides", i), &out[to]);
}

/* The result with what its type knows; where it does not, -1. */
static void
known_shape(struct te_call *c, int64_t *out)
{
	for (uint32_t d = 0; d < te_out_ndim(c, 0); d++) {
		struct ir_dim t = c->out_type[0]->shape[d];

		out[d] = ir_dim_is_const(t) ? t.value : -1;
	}
}

static bool
is_global(const struct te_call *c)
{
	return c->op->id == OP_nn_global_avg_pool2d ||
	       c->op->id == OP_nn_global_max_pool2d;
}

bool
sizes_images(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	te_compute_fn *rule = te_compute_rule(c->op->id);
	bool slides = rule == compute_nn_conv || rule == compute_nn_max_pool ||
		      rule == compute_nn_avg_pool;
	struct ir_layout from, to;
	struct window w;
	int batch, place;

	if (!others_known(c) || !layouts_of(c, &from, &to))
		return false;
	known_shape(c, out[0]);
	batch = ir_layout_index(&from, 'N');
	place = ir_layout_index(&to, 'N');
	if (batch >= 0 && place >= 0)
		out[0][place] = x->shape[batch];
	if (slides) {
		if (!read_window(&w, c))
			return false;
		for (int i = 0; i < w.n; i++)
			if (!slide_axis(&w, i, out[0]))
				return false;
	}
	for (uint32_t d = 0; d < x->ndim; d++) {
		char l = from.axis[d].letter;
		bool spatial = l == 'D' || l == 'H' || l == 'W';

		if (te_is_size(x->shape[d]) && (int)d != batch &&
		    !(spatial && (slides || is_global(c))))
			return sizes_refuse(c, "all axes but the batch");
	}
	for (uint32_t d = 0; d < te_out_ndim(c, 0); d++)
		if (!te_is_size(out[0][d]) && out[0][d] < 0)
			return sizes_refuse(c, "an axis of the result");
	return true;
}

bool
sizes_layout_transform(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	struct ir_layout from, to;

	if (!ir_layout_parse(te_attr_string(c, "src_layout"), &from) ||
	    !ir_layout_parse(te_attr_string(c, "dst_layout"), &to) ||
	    from.n != x->ndim || to.n != te_out_ndim(c, 0))
		return te_error(c, "the layouts do not fit the data");
	known_shape(c, out[0]);
	for (uint32_t d = 0; d < from.n; d++) {
		char l = from.axis[d].letter;
		int k = ir_layout_index(&to, l);

		if (!te_is_size(x->shape[d]))
			continue;
		if (k < 0 || l >= 'a' || ir_layout_factor(&from, l) != 1 ||
		    ir_layout_factor(&to, l) != 1)
			return sizes_refuse(c, "an axis that is cut in blocks");
		out[0][k] = x->shape[d];
	}
	for (uint32_t d = 0; d < to.n; d++)
		if (!te_is_size(out[0][d]) && out[0][d] < 0)
			return sizes_refuse(c, "an axis of the result");
	return true;
}

bool
sizes_adv_index(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	uint32_t n = c->nin - 1, ndim = te_out_ndim(c, 0) + n - x->ndim;

	for (uint32_t d = 0; d < ndim; d++)
		out[0][d] = 1;
	for (uint32_t i = 1; i <= n; i++) {
		const struct te_tensor *t = c->in[i];
		int64_t *to = out[0] + (ndim - t->ndim);

		for (uint32_t d = 0; d < t->ndim; d++)
			if (!sizes_broadcast(c, to[d], t->shape[d], &to[d]))
				return false;
	}
	for (uint32_t d = n; d < x->ndim; d++)
		out[0][ndim + d - n] = x->shape[d];
	return true;
}
