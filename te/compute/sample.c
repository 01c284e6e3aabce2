/*
 * Sampling between pixels and windows that are no convolution: grids, moved
 * sample points, morphology, correlation, gradients, bit planes.
 */
#include "te/compute/routine.h"

#include <string.h>

#include "te/compute/layout.h"

/* -1 to 1 in N points. */
static const tir_expr *
ramp(struct te_call *c, const tir_expr *i, struct dtype t, int64_t n)
{
	double step = n > 1 ? 2 / (double)(n - 1) : 0;

	return te_add(c, te_mul(c, te_cast(c, t, i), te_lit(c, t, step)),
		      te_lit(c, t, -1));
}

bool
compute_image_affine_grid(struct te_call *c)
{
	const struct te_tensor *m = c->in[0];
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *n = b->i[0], *k = b->i[1], *v;

	v = te_mul(c, te_at(c, m, n, k, te_int(c, 0)),
		   ramp(c, b->i[3], m->dtype, b->shape[3]));
	v = te_add(c, v,
		   te_mul(c, te_at(c, m, n, k, te_int(c, 1)),
			  ramp(c, b->i[2], m->dtype, b->shape[2])));
	return te_output(
		c, 0, te_end(b, te_add(c, v, te_at(c, m, n, k, te_int(c, 2)))));
}

/* The place of S in a list of names; -1. */
static int
name_number(const char *s, const char *const *names, int n)
{
	for (int i = 0; i < n; i++)
		if (strcmp(s, names[i]) == 0)
			return i;
	return -1;
}

bool
compute_image_grid_sample(struct te_call *c)
{
	static const char *const methods[] = {"nearest", "bilinear", "bicubic"};
	static const char *const paddings[] = {"zeros", "border", "reflection"};
	const struct te_tensor *data = c->in[0], *grid = c->in[1];
	const char *layout = te_attr_string(c, "layout");
	int method = name_number(te_attr_string(c, "method"), methods, 3);
	int padding =
		name_number(te_attr_string(c, "padding_mode"), paddings, 3);
	bool deep = data->ndim == 5;
	struct te_extern *x;

	if (strcmp(layout, deep ? "NCDHW" : "NCHW") != 0)
		return te_error(c, "layout \"%s\" is not supported", layout);
	if (method < 0 || padding < 0 || (deep && method == 2))
		return te_error(c, "the method is not known");
	if (!routine_expect(c, 1, data->dtype,
			    (const int64_t[]){data->shape[0], data->ndim - 2,
					      -1, -1, -1},
			    data->ndim))
		return false;
	x = routine_begin(c, "relay_grid_sample");
	routine_inputs(c, x, 2);
	te_extern_int(x, data->shape[0]);
	te_extern_int(x, data->shape[1]);
	if (!deep)
		te_extern_int(x, 1);
	for (uint32_t i = 2; i < data->ndim; i++)
		te_extern_int(x, data->shape[i]);
	if (!deep)
		te_extern_int(x, 1);
	for (uint32_t i = 2; i < grid->ndim; i++)
		te_extern_int(x, grid->shape[i]);
	te_extern_int(x, deep ? 3 : 2);
	te_extern_int(x, method);
	te_extern_int(x, padding);
	te_extern_int(x, te_attr_bool(c, "align_corners"));
	te_extern_int(x, routine_dtype(data->dtype));
	return routine_end(c, x);
}

/* What windows over two axes have. */
struct window {
	int64_t stride[2], dilation[2], before[2], after[2];
};

static bool
read_window(struct te_call *c, const char *dilation, struct window *w)
{
	w->dilation[0] = w->dilation[1] = 1;
	if (te_attr_ints(c, "strides", w->stride, 2) != 2 ||
	    (dilation && te_attr_ints(c, dilation, w->dilation, 2) != 2))
		return te_error(c, "there must be two strides");
	return te_attr_padding(c, 2, w->before, w->after);
}

/* Tap K of output O along axis A. */
static const tir_expr *
tap(struct te_call *c, const struct window *w, int a, const tir_expr *o,
    const tir_expr *k)
{
	return te_addi(c,
		       te_add(c, te_muli(c, o, w->stride[a]),
			      te_muli(c, k, w->dilation[a])),
		       -w->before[a]);
}

#define AT(letters, c) ((letters).at[(c) - 'A'])

/* The largest sum of a pixel and a weight; padding never wins. */
bool
compute_image_dilation2d(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *weight = c->in[1];
	struct ir_layout data, kernel;
	struct te_letters in, at = {{NULL}};
	struct te_body *b;
	struct window w;
	const tir_expr *inside;

	if (!te_attr_layout(c, "data_layout", "NCHW", &data) ||
	    !te_attr_layout(c, "kernel_layout", "IHW", &kernel) ||
	    !read_window(c, "dilations", &w))
		return false;
	if (!te_require_equal(c, te_extent(c, x, &data, 'C'),
			      te_extent(c, weight, &kernel, 'I'),
			      "the weights do not fit the channels"))
		return false;
	b = te_begin_out(c, NULL, 0);
	in = te_letters_of(c, &data, b->i);
	AT(at, 'I') = AT(in, 'C');
	AT(at, 'H') = te_fold_axis(b, "ky", te_extent(c, weight, &kernel, 'H'));
	AT(at, 'W') = te_fold_axis(b, "kx", te_extent(c, weight, &kernel, 'W'));
	AT(in, 'H') = tap(c, &w, 0, AT(in, 'H'), AT(at, 'H'));
	AT(in, 'W') = tap(c, &w, 1, AT(in, 'W'), AT(at, 'W'));
	inside = te_and(
		c, te_within(c, AT(in, 'H'), 0, te_extent(c, x, &data, 'H')),
		te_within(c, AT(in, 'W'), 0, te_extent(c, x, &data, 'W')));
	return te_output(
		c, 0,
		te_end_fold_where(
			b, TE_MAX,
			te_add(c, te_get_letters(c, x, &data, &in),
			       te_get_letters(c, weight, &kernel, &at)),
			inside));
}

/* X[n, ch, y, x], 0 outside. */
static const tir_expr *
pixel(struct te_call *c, const struct te_tensor *t, const tir_expr *n,
      const tir_expr *ch, const tir_expr *y, const tir_expr *x)
{
	const tir_expr *inside = te_and(c, te_within(c, y, 0, t->shape[2]),
					te_within(c, x, 0, t->shape[3]));

	return te_guard(c, inside, te_at(c, t, n, ch, y, x),
			te_zero(c, t->dtype));
}

/* A pixel at a real place; 0 left of, above, right of, below the image. */
static const tir_expr *
bilinear(struct te_call *c, const struct te_tensor *t, const tir_expr *n,
	 const tir_expr *ch, const tir_expr *y, const tir_expr *x)
{
	struct dtype f = t->dtype;
	const tir_expr *fy = te_unary(c, INTRIN_FLOOR, y);
	const tir_expr *fx = te_unary(c, INTRIN_FLOOR, x);
	const tir_expr *v = te_sub(c, y, fy), *u = te_sub(c, x, fx);
	const tir_expr *y0 = te_cast(c, c->index, fy);
	const tir_expr *x0 = te_cast(c, c->index, fx);
	const tir_expr *y1 = te_addi(c, y0, 1), *x1 = te_addi(c, x0, 1);
	const tir_expr *one = te_lit(c, f, 1), *zero = te_zero(c, f), *sum;
	const tir_expr *inside;

	sum = te_mul(c, te_mul(c, te_sub(c, one, v), te_sub(c, one, u)),
		     pixel(c, t, n, ch, y0, x0));
	sum = te_add(c, sum,
		     te_mul(c, te_mul(c, te_sub(c, one, v), u),
			    pixel(c, t, n, ch, y0, x1)));
	sum = te_add(c, sum,
		     te_mul(c, te_mul(c, v, te_sub(c, one, u)),
			    pixel(c, t, n, ch, y1, x0)));
	sum = te_add(c, sum,
		     te_mul(c, te_mul(c, v, u), pixel(c, t, n, ch, y1, x1)));
	inside = te_and(
		c,
		te_and(c, te_cmp(c, TIR_GE, y, zero),
		       te_cmp(c, TIR_GE, x, zero)),
		te_and(c,
		       te_cmp(c, TIR_LT, y, te_lit_extent(c, f, t->shape[2])),
		       te_cmp(c, TIR_LT, x, te_lit_extent(c, f, t->shape[3]))));
	return te_select(c, inside, sum, zero);
}

/* Input I, which lies as the attribute LAYOUT says, with axes in this ORDER. */
static const struct te_tensor *
in_order(struct te_call *c, uint32_t i, const char *layout, const char *order)
{
	struct te_letters at = {{NULL}};
	struct ir_layout l;
	struct te_body *b;
	int64_t shape[4];

	if (!te_attr_layout(c, layout, order, &l))
		return NULL;
	if (strcmp(te_attr_string(c, layout), order) == 0)
		return c->in[i];
	for (uint32_t k = 0; k < 4; k++)
		shape[k] = te_extent(c, c->in[i], &l, order[k]);
	b = te_begin(c, "laid_out", "a,b,c,d", shape, 4);
	for (uint32_t k = 0; k < 4; k++)
		AT(at, order[k]) = b->i[k];
	return te_end(b, te_get_letters(c, c->in[i], &l, &at));
}

/* The moved samples of X: [n, channel, ky, kx, y, x]. */
static struct te_tensor *
deformed(struct te_call *c, const struct window *w, const struct te_tensor *x,
	 const struct te_tensor *offset, int64_t kh, int64_t kw)
{
	int64_t groups = te_attr_int(c, "deformable_groups", 1);
	int64_t shape[6] = {x->shape[0], x->shape[1],      kh,
			    kw,          offset->shape[2], offset->shape[3]};
	struct te_body *b = te_begin(c, "deformed", "n,c,ky,kx,y,x", shape, 6);
	const tir_expr *group =
		te_divi(c, b->i[1], te_dim_div(c, x->shape[1], groups));
	const tir_expr *at = te_muli(
		c,
		te_add(c,
		       te_muli(c, te_add(c, te_muli(c, group, kh), b->i[2]),
			       kw),
		       b->i[3]),
		2);
	const tir_expr *place[2];

	for (int a = 0; a < 2; a++) {
		place[a] = tap(c, w, a, b->i[4 + a], b->i[2 + a]);
		place[a] = te_add(c, te_cast(c, x->dtype, place[a]),
				  te_at(c, offset, b->i[0], te_addi(c, at, a),
					b->i[4], b->i[5]));
	}
	return te_end(b, bilinear(c, x, b->i[0], b->i[1], place[0], place[1]));
}

bool
compute_nn_deformable_conv2d(struct te_call *c)
{
	const struct te_tensor *data = in_order(c, 0, "data_layout", "NCHW");
	const struct te_tensor *offset = in_order(c, 1, "data_layout", "NCHW");
	const struct te_tensor *weight =
		in_order(c, 2, "kernel_layout", "OIHW");
	bool given = *te_attr_string(c, "out_layout") != 0;
	int64_t groups = te_attr_int(c, "groups", 1);
	const tir_expr *i, *y, *x, *in;
	struct te_tensor *samples;
	struct dtype t = te_out_dtype(c, 0);
	struct te_letters o;
	struct ir_layout l;
	struct te_body *b;
	struct window w;

	if (!data || !offset || !weight ||
	    !te_attr_layout(c, given ? "out_layout" : "data_layout", "NCHW",
			    &l) ||
	    !read_window(c, "dilation", &w))
		return false;
	samples = deformed(c, &w, data, offset, weight->shape[2],
			   weight->shape[3]);
	b = te_begin_out(c, NULL, 0);
	o = te_letters_of(c, &l, b->i);
	i = te_fold_axis(b, "i", weight->shape[1]);
	y = te_fold_axis(b, "ky", weight->shape[2]);
	x = te_fold_axis(b, "kx", weight->shape[3]);
	in = te_divi(c, AT(o, 'C'), te_dim_div(c, weight->shape[0], groups));
	in = te_muli(c, in, weight->shape[1]);
	in = te_at(c, samples, AT(o, 'N'), te_add(c, in, i), y, x, AT(o, 'H'),
		   AT(o, 'W'));
	return te_output(c, 0,
			 te_end_fold(b, TE_SUM,
				     te_mul(c, te_cast(c, t, in),
					    te_cast(c, t,
						    te_at(c, weight, AT(o, 'C'),
							  i, y, x)))));
}

/* Gradients (data_layout) against data (kernel_layout), for out_layout. */
bool
compute_nn_conv2d_backward_weight(struct te_call *c)
{
	const struct te_tensor *grad = c->in[0], *x = c->in[1];
	struct ir_layout gl, dl, wl;
	struct te_letters w, g = {{NULL}}, d = {{NULL}};
	struct dtype t = te_out_dtype(c, 0);
	int64_t groups = te_attr_int(c, "groups", 1), inputs, outputs;
	const tir_expr *inside;
	struct window win;
	struct te_body *b;

	if (!te_attr_layout(c, "data_layout", "NCHW", &gl) ||
	    !te_attr_layout(c, "kernel_layout", "NCHW", &dl) ||
	    !te_attr_layout(c, "out_layout", "OIHW", &wl) ||
	    !read_window(c, "dilation", &win))
		return false;
	outputs = te_extent(c, grad, &gl, 'C');
	if (grad->ndim != gl.n || x->ndim != dl.n || groups < 1 ||
	    (!te_is_size(outputs) && outputs < groups))
		return te_error(c, "gradient and data do not go together");
	if (!te_require_equal(c, te_extent(c, grad, &gl, 'N'),
			      te_extent(c, x, &dl, 'N'),
			      "gradient and data do not go together"))
		return false;
	b = te_begin_out(c, NULL, 0);
	w = te_letters_of(c, &wl, b->i);
	inputs = te_dim_div(c, te_extent(c, x, &dl, 'C'), groups);
	outputs = te_dim_div(c, outputs, groups);
	AT(g, 'N') = te_fold_axis(b, "n", te_extent(c, grad, &gl, 'N'));
	AT(g, 'H') = te_fold_axis(b, "y", te_extent(c, grad, &gl, 'H'));
	AT(g, 'W') = te_fold_axis(b, "x", te_extent(c, grad, &gl, 'W'));
	AT(g, 'C') = AT(w, 'O');
	AT(d, 'N') = AT(g, 'N');
	AT(d, 'C') =
		te_add(c, te_muli(c, te_divi(c, AT(w, 'O'), outputs), inputs),
		       AT(w, 'I'));
	AT(d, 'H') = tap(c, &win, 0, AT(g, 'H'), AT(w, 'H'));
	AT(d, 'W') = tap(c, &win, 1, AT(g, 'W'), AT(w, 'W'));
	inside = te_and(c,
			te_within(c, AT(d, 'H'), 0, te_extent(c, x, &dl, 'H')),
			te_within(c, AT(d, 'W'), 0, te_extent(c, x, &dl, 'W')));
	return te_output(
		c, 0,
		te_end_fold_where(
			b, TE_SUM,
			te_mul(c,
			       te_cast(c, t, te_get_letters(c, grad, &gl, &g)),
			       te_cast(c, t, te_get_letters(c, x, &dl, &d))),
			inside));
}

/* Mean product, or distance, of two patches, for all displacements. */
bool
compute_nn_correlation(struct te_call *c)
{
	const struct te_tensor *p = c->in[0], *q = c->in[1];
	int64_t k = te_attr_int(c, "kernel_size", 1);
	int64_t reach = te_attr_int(c, "max_displacement", 1);
	int64_t s1 = te_attr_int(c, "stride1", 1);
	int64_t s2 = te_attr_int(c, "stride2", 1), r = s2 ? reach / s2 : 0;
	int64_t before[2], after[2];
	const tir_expr *at[2], *moved[2], *fold[2], *ch, *a, *v;
	struct te_body *b;

	if (strcmp(te_attr_string(c, "layout"), "NCHW") != 0)
		return te_error(c, "only NCHW is supported");
	if (s1 < 1 || s2 < 1 || k < 1 || reach < 0)
		return te_error(c, "strides and sizes must be positive");
	if (!te_attr_padding(c, 2, before, after) ||
	    !te_expect_shape(c, 1, p->shape, 4))
		return false;
	b = te_begin_out(c, NULL, 0);
	ch = te_fold_axis(b, "c", p->shape[1]);
	fold[0] = te_fold_axis(b, "ky", k);
	fold[1] = te_fold_axis(b, "kx", k);
	for (int d = 0; d < 2; d++) {
		const tir_expr *by = d ? te_modi(c, b->i[1], 2 * r + 1)
				       : te_divi(c, b->i[1], 2 * r + 1);

		at[d] = te_addi(c,
				te_add(c, te_muli(c, b->i[2 + d], s1), fold[d]),
				reach - before[d]);
		moved[d] = te_add(c, at[d], te_muli(c, te_addi(c, by, -r), s2));
	}
	a = pixel(c, p, b->i[0], ch, at[0], at[1]);
	v = pixel(c, q, b->i[0], ch, moved[0], moved[1]);
	v = te_attr_bool(c, "is_multiply")
		    ? te_mul(c, a, v)
		    : te_unary(c, INTRIN_ABS, te_sub(c, a, v));
	if (te_is_size(p->shape[1]))
		v = te_div(c, v,
			   te_lit_extent(c, v->dtype,
					 te_dim_mul(c, p->shape[1], k * k)));
	else
		v = te_mul(
			c, v,
			te_lit(c, v->dtype, 1 / (double)(k * k * p->shape[1])));
	return te_output(c, 0, te_end_fold(b, TE_SUM, v));
}

/* Called with (gradient of the result, data): the first maximum gets all. */
bool
compute_nn_max_pool2d_grad(struct te_call *c)
{
	const struct te_tensor *grad = c->in[0], *x = c->in[1];
	bool last = strcmp(te_attr_string(c, "layout"), "NHWC") == 0;
	uint32_t h = last ? 1 : 2;
	int64_t size[2], like[4];
	struct window w;
	struct te_extern *e;

	if (!last && strcmp(te_attr_string(c, "layout"), "NCHW") != 0)
		return te_error(c, "only NCHW and NHWC are supported");
	if (te_attr_ints(c, "pool_size", size, 2) != 2)
		return te_error(c, "there must be two sizes");
	if (!read_window(c, "dilation", &w))
		return false;
	for (uint32_t i = 0; i < 4; i++)
		like[i] = i == h || i == h + 1 ? -1 : x->shape[i];
	if (!routine_expect(c, 0, x->dtype, like, 4))
		return false;
	e = routine_begin(c, "relay_max_pool2d_grad");
	routine_inputs(c, e, 2);
	te_extern_int(e, last ? x->shape[0]
			      : te_dim_mul(c, x->shape[0], x->shape[1]));
	te_extern_int(e, x->shape[h]);
	te_extern_int(e, x->shape[h + 1]);
	te_extern_int(e, last ? x->shape[3] : 1);
	te_extern_int(e, grad->shape[h]);
	te_extern_int(e, grad->shape[h + 1]);
	for (int i = 0; i < 2; i++)
		te_extern_int(e, size[i]);
	for (int i = 0; i < 2; i++)
		te_extern_int(e, w.stride[i]);
	for (int i = 0; i < 2; i++)
		te_extern_int(e, w.dilation[i]);
	for (int i = 0; i < 2; i++)
		te_extern_int(e, w.before[i]);
	te_extern_int(e, routine_dtype(x->dtype));
	return routine_end(c, e);
}
