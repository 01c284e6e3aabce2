/*
 * Resizing images of one to three spatial axes, in any layout.
 *
 * Along each axis an output pixel has a coordinate in the input, and taps
 * around it with weights: one (nearest_neighbor), two (linear) or four
 * (cubic). Pixels are read as float32 (float64 as it is); the last axis is
 * interpolated first.
 */
#include "te/compute/computes.h"

#include <string.h>

#include "te/compute/layout.h"
#include "te/compute/sizes.h"

enum { MAX_TAPS = 4 };

struct resize {
	struct te_call *c;
	struct te_tensor *x;
	int n; /* spatial axes */
	int axis[3];
	const char *method; /* "nearest_neighbor", ... */
	const char *mode;   /* of coordinates */
	const char *rounding;
	double alpha; /* of cubic */
	bool exclude_outside;
	const tir_expr *roi[6]; /* float64 */
	double extrapolation;
};

struct taps {
	int n;
	const tir_expr *index[MAX_TAPS];
	const tir_expr *weight[MAX_TAPS]; /* NULL: 1 */
};

/* What pixels and coordinates are computed in. */
static struct dtype
real(const struct te_call *c)
{
	bool wide = dtype_equal(c->in[0]->dtype, DTYPE(FLOAT, 64));

	return wide ? DTYPE(FLOAT, 64) : DTYPE(FLOAT, 32);
}

static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};

static const tir_expr *
num(struct te_call *c, double v)
{
	return te_lit(c, real(c), v);
}

/* V, a float64, rounded once. */
static const tir_expr *
rounded(struct te_call *c, const tir_expr *v)
{
	return te_cast(c, real(c), v);
}

/* N - 1 as a float64. */
static const tir_expr *
last(struct te_call *c, int64_t n)
{
	return te_sub(c, te_lit_extent(c, f64, n), te_lit(c, f64, 1));
}

static bool
is(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

static int64_t
in_size(const struct resize *r, int k)
{
	return r->x->shape[r->axis[k]];
}

static int64_t
out_size(const struct resize *r, int k)
{
	int64_t shape[TE_MAX_RANK];

	te_out_shape(r->c, 0, shape);
	return shape[r->axis[k]];
}

/* Of tf_crop_and_resize: the place of X between both ends of the region. */
static const tir_expr *
cropped(const struct resize *r, int k, const tir_expr *x)
{
	struct te_call *c = r->c;
	const tir_expr *in = last(c, in_size(r, k));
	const tir_expr *size = te_sub(c, r->roi[r->n + k], r->roi[k]);
	const tir_expr *step =
		te_div(c, te_mul(c, size, in), last(c, out_size(r, k)));

	return te_add(c, rounded(c, te_mul(c, r->roi[k], in)),
		      te_mul(c, x, rounded(c, step)));
}

static const tir_expr *
middle(const struct resize *r, int k)
{
	struct te_call *c = r->c;
	const tir_expr *sum = te_add(c, r->roi[k], r->roi[r->n + k]);

	sum = te_mul(c, te_lit(c, f64, 0.5), sum);
	return rounded(c, te_mul(c, sum, last(c, in_size(r, k))));
}

/* The place in the input that output index O of axis K stands for. */
static const tir_expr *
coordinate(const struct resize *r, int k, const tir_expr *o)
{
	struct te_call *c = r->c;
	int64_t in = in_size(r, k), out = out_size(r, k);
	const tir_expr *x = te_cast(c, real(c), o);
	const tir_expr *scale = te_div(c, te_lit_extent(c, real(c), in),
				       te_lit_extent(c, real(c), out));
	const tir_expr *many = te_cmp(c, TIR_GT, te_dim(c, out), te_dim(c, 1));
	const tir_expr *step = te_div(c, last(c, in), last(c, out));

	if (is(r->mode, "half_pixel") || is(r->mode, "pytorch_half_pixel")) {
		x = te_sub(c, te_mul(c, te_add(c, x, num(c, 0.5)), scale),
			   num(c, 0.5));
		return is(r->mode, "half_pixel")
			       ? x
			       : te_select(c, many, x, num(c, 0));
	}
	if (is(r->mode, "tf_half_pixel_for_nn"))
		return te_mul(c, te_add(c, x, num(c, 0.5)), scale);
	if (is(r->mode, "align_corners"))
		return te_mul(c, x,
			      te_select(c, many, rounded(c, step), num(c, 0)));
	if (is(r->mode, "tf_crop_and_resize"))
		return te_select(c, many, cropped(r, k, x), middle(r, k));
	return te_mul(c, x, scale); /* asymmetric */
}

static const tir_expr *
clamped(const struct resize *r, int k, const tir_expr *i)
{
	struct te_call *c = r->c;

	return te_max(c, te_min(c, i, te_addi(c, te_int(c, in_size(r, k)), -1)),
		      te_int(c, 0));
}

static const tir_expr *
floored(struct te_call *c, const tir_expr *x)
{
	return te_cast(c, c->index, te_unary(c, INTRIN_FLOOR, x));
}

static const tir_expr *
nearest(const struct resize *r, const tir_expr *x)
{
	struct te_call *c = r->c;
	const char *how = r->rounding;

	if (how[0] == '\0')
		how = is(r->mode, "align_corners") ? "round" : "floor";
	if (is(how, "round"))
		x = te_unary(c, INTRIN_ROUND, x);
	else if (is(how, "round_prefer_floor"))
		x = te_unary(c, INTRIN_CEIL, te_sub(c, x, num(c, 0.5)));
	else if (is(how, "round_prefer_ceil"))
		x = te_unary(c, INTRIN_FLOOR, te_add(c, x, num(c, 0.5)));
	else if (is(how, "ceil"))
		x = te_unary(c, INTRIN_CEIL, te_sub(c, x, num(c, 1e-5)));
	else
		x = te_unary(c, INTRIN_FLOOR, te_add(c, x, num(c, 1e-5)));
	return te_cast(c, c->index, x);
}

static void
nearest_tap(const struct resize *r, int k, const tir_expr *o, struct taps *t)
{
	struct te_call *c = r->c;
	int64_t in = in_size(r, k);
	int64_t out = out_size(r, k);
	const tir_expr *times, *even;

	t->n = 1;
	t->weight[0] = NULL;
	if (!is(r->mode, "asymmetric") || r->n != 2 || in == 0) {
		t->index[0] = clamped(r, k, nearest(r, coordinate(r, k, o)));
		return;
	}
	/* A whole number of pixels for each goes without rounding. */
	times = te_max(c, te_div(c, te_int(c, out), te_int(c, in)),
		       te_int(c, 1));
	even = te_cmp(c, TIR_EQ, te_mul(c, times, te_int(c, in)),
		      te_int(c, out));
	if (even->kind == TIR_INT && !even->i)
		t->index[0] = clamped(r, k, nearest(r, coordinate(r, k, o)));
	else if (even->kind == TIR_INT)
		t->index[0] = te_div(c, o, times);
	else
		t->index[0] = te_select(
			c, even, te_div(c, o, times),
			clamped(r, k, nearest(r, coordinate(r, k, o))));
}

static void
linear_taps(const struct resize *r, int k, const tir_expr *o, struct taps *t)
{
	struct te_call *c = r->c;
	const tir_expr *x = coordinate(r, k, o);
	const tir_expr *i = floored(c, x);
	const tir_expr *f = te_sub(c, x, te_unary(c, INTRIN_FLOOR, x));

	t->n = 2;
	t->index[0] = clamped(r, k, i);
	t->index[1] = clamped(r, k, te_addi(c, i, 1));
	t->weight[0] = te_sub(c, num(c, 1), f);
	t->weight[1] = f;
}

/* ((p * f + q) * f + s) * f + u. */
static const tir_expr *
cubic_poly(struct te_call *c, const tir_expr *f, double p, double q, double s,
	   double u)
{
	const tir_expr *y = te_add(c, te_mul(c, num(c, p), f), num(c, q));

	y = te_add(c, te_mul(c, y, f), num(c, s));
	return te_add(c, te_mul(c, y, f), num(c, u));
}

/* Weights of taps outside become 0, and the rest is scaled to a sum of 1. */
static void
exclude_outside(const struct resize *r, int k, const tir_expr *i,
		struct taps *t)
{
	struct te_call *c = r->c;
	const tir_expr *sum = NULL;

	for (int j = 0; j < 4; j++) {
		const tir_expr *at = te_addi(c, i, j - 1);

		t->weight[j] = te_select(c, te_within(c, at, 0, in_size(r, k)),
					 t->weight[j], num(c, 0));
		sum = sum ? te_add(c, sum, t->weight[j]) : t->weight[j];
	}
	for (int j = 0; j < 4; j++)
		t->weight[j] = te_div(c, t->weight[j], sum);
}

static void
cubic_taps(const struct resize *r, int k, const tir_expr *o, struct taps *t)
{
	struct te_call *c = r->c;
	double a = r->alpha;
	const tir_expr *x = coordinate(r, k, o);
	const tir_expr *i = floored(c, x);
	const tir_expr *f = te_sub(c, x, te_unary(c, INTRIN_FLOOR, x));

	t->n = 4;
	t->weight[0] = cubic_poly(c, f, a, -2 * a, a, 0);
	t->weight[1] = cubic_poly(c, f, a + 2, -(a + 3), 0, 1);
	t->weight[2] = cubic_poly(c, f, -(a + 2), 2 * a + 3, -a, 0);
	t->weight[3] = cubic_poly(c, f, -a, a, 0, 0);
	if (r->exclude_outside)
		exclude_outside(r, k, i, t);
	for (int j = 0; j < 4; j++)
		t->index[j] = clamped(r, k, te_addi(c, i, j - 1));
}

static void
taps_of(const struct resize *r, int k, const tir_expr *o, struct taps *t)
{
	if (is(r->method, "nearest_neighbor"))
		nearest_tap(r, k, o, t);
	else if (is(r->method, "cubic") || is(r->method, "bicubic"))
		cubic_taps(r, k, o, t);
	else
		linear_taps(r, k, o, t);
}

/* The weighted sum over the taps of axes K and up. */
static const tir_expr *
interpolate(const struct resize *r, const struct taps *t, int k,
	    const tir_expr **index)
{
	struct te_call *c = r->c;
	const tir_expr *sum = NULL;

	if (k == r->n)
		return te_cast(c, real(c), te_get(c, r->x, index));
	for (int j = 0; j < t[k].n; j++) {
		const tir_expr *v;

		index[r->axis[k]] = t[k].index[j];
		v = interpolate(r, t, k + 1, index);
		if (t[k].weight[j])
			v = te_mul(c, v, t[k].weight[j]);
		sum = sum ? te_add(c, sum, v) : v;
	}
	return sum;
}

/* False where a coordinate of tf_crop_and_resize is outside of the image. */
static const tir_expr *
inside(const struct resize *r, const struct te_body *b)
{
	struct te_call *c = r->c;
	const tir_expr *all = NULL;

	for (int k = 0; k < r->n; k++) {
		const tir_expr *x = coordinate(r, k, b->i[r->axis[k]]);
		const tir_expr *ok =
			te_and(c, te_cmp(c, TIR_GE, x, num(c, 0)),
			       te_cmp(c, TIR_LE, x,
				      rounded(c, last(c, in_size(r, k)))));

		all = all ? te_and(c, all, ok) : ok;
	}
	return all;
}

static bool
resize(const struct resize *r)
{
	struct te_call *c = r->c;
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];
	struct taps t[3];
	const tir_expr *v;

	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	for (int k = 0; k < r->n; k++)
		taps_of(r, k, b->i[r->axis[k]], &t[k]);
	if (is(r->method, "nearest_neighbor")) {
		for (int k = 0; k < r->n; k++)
			index[r->axis[k]] = t[k].index[0];
		v = te_get(c, r->x, index);
	} else {
		v = interpolate(r, t, 0, index);
	}
	v = te_cast(c, te_out_dtype(c, 0), v);
	if (is(r->mode, "tf_crop_and_resize"))
		v = te_select(c, inside(r, b), v,
			      te_lit(c, v->dtype, r->extrapolation));
	return te_output(c, 0, te_end(b, v));
}

static bool
find_axes(struct resize *r, struct te_call *c)
{
	struct ir_layout l;
	char letters[4];

	*r = (struct resize){.c = c, .x = c->in[0], .alpha = -0.5};
	if (!te_attr_layout(c, "layout", "NCHW", &l))
		return false;
	if (l.n != r->x->ndim)
		return te_error(c, "the layout does not fit the data");
	r->n = te_spatial_letters(&l, letters);
	for (int k = 0; k < r->n; k++) {
		const tir_expr *some;

		r->axis[k] = ir_layout_index(&l, letters[k]);
		some = te_or(c,
			     te_cmp(c, TIR_NE, te_dim(c, in_size(r, k)),
				    te_dim(c, 0)),
			     te_cmp(c, TIR_EQ, te_dim(c, out_size(r, k)),
				    te_dim(c, 0)));
		if (!te_require(c, some, in_size(r, k), out_size(r, k),
				"an empty image has no pixels"))
			return false;
	}
	return true;
}

/* The region to take: an attribute, or the values of an input. */
static bool
read_roi(struct resize *r)
{
	struct te_call *c = r->c;
	const ir_attr *roi = ir_attrs_get(c->attrs, "roi");
	bool given =
		roi && roi->kind == ATTR_ARRAY && roi->n == 2 * (uint32_t)r->n;
	bool values = c->op->id == OP_dyn_image_resize2d &&
		      is(r->mode, "tf_crop_and_resize");

	for (uint32_t i = 0; i < 2 * (uint32_t)r->n; i++) {
		const ir_attr *a = given ? &roi->elems[i] : NULL;

		r->roi[i] = te_lit(c, f64,
				   !a                      ? 0
				   : a->kind == ATTR_FLOAT ? a->f
							   : (double)a->i);
		if (values && !sizes_read(c, 2, i, &r->roi[i]))
			return false;
		r->roi[i] = te_cast(c, f64, r->roi[i]);
	}
	return true;
}

/* image.resize1d, image.resize2d, image.resize3d, dyn.image.resize2d. */
bool
compute_image_resize(struct te_call *c)
{
	struct resize r;

	if (!find_axes(&r, c))
		return false;
	r.method = te_attr_string(c, "method");
	r.mode = te_attr_string(c, "coordinate_transformation_mode");
	r.rounding = te_attr_string(c, "rounding_method");
	r.alpha = te_attr_double(c, "cubic_alpha");
	r.exclude_outside = te_attr_int(c, "cubic_exclude", 0) != 0;
	r.extrapolation = te_attr_double(c, "extrapolation_value");
	return read_roi(&r) && resize(&r);
}

/* nn.upsampling, nn.upsampling3d. */
bool
compute_nn_upsampling(struct te_call *c)
{
	struct resize r;

	if (!find_axes(&r, c))
		return false;
	r.method = te_attr_string(c, "method");
	if (c->op->id == OP_nn_upsampling || c->op->id == OP_dyn_nn_upsampling)
		r.mode = te_attr_bool(c, "align_corners") ? "align_corners"
							  : "asymmetric";
	else
		r.mode = te_attr_string(c, "coordinate_transformation_mode");
	r.rounding = "";
	return resize(&r);
}
