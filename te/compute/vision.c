/* Detection: anchors as formulas, the rest by routines of runtime/. */
#include "te/compute/routine.h"

#include <math.h>
#include <string.h>

#include "te/compute/layout.h"

/* Rows of the first input have an element K. */
static bool
is_column(struct te_call *c, int64_t k)
{
	if (k >= 0 && te_is_size(c->in[0]->shape[2]))
		return te_require(c,
				  te_cmp(c, TIR_LT, te_dim(c, k),
					 te_dim(c, c->in[0]->shape[2])),
				  k, c->in[0]->shape[2],
				  "rows have not so many elements");
	if (k >= 0 && k < c->in[0]->shape[2])
		return true;
	return te_error(c, "rows of %lld elements have no element %lld",
			(long long)c->in[0]->shape[2], (long long)k);
}

bool
compute_vision_get_valid_counts(struct te_call *c)
{
	const ir_attr *fixed = ir_attrs_get(c->attrs, "score_threshold");
	bool use_fixed = fixed && fixed->kind == ATTR_FLOAT;
	int64_t score = te_attr_int(c, "score_index", 1);
	int64_t id = te_attr_int(c, "id_index", 0);
	struct te_extern *x;

	if (!is_column(c, score) || (id >= 0 && !is_column(c, id)) ||
	    !routine_expect_value(c, 1))
		return false;
	x = routine_begin(c, "relay_valid_counts");
	routine_inputs(c, x, 2);
	te_extern_double(x, use_fixed ? fixed->f : 0);
	te_extern_int(x, use_fixed);
	routine_shape(x, c->in[0]);
	te_extern_int(x, score);
	te_extern_int(x, id);
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	te_extern_int(x, routine_dtype(c->in[1]->dtype));
	return routine_end(c, x);
}

bool
compute_vision_non_max_suppression(struct te_call *c)
{
	bool indices = te_attr_bool(c, "return_indices");
	int64_t batch = c->in[0]->shape[0], n = c->in[0]->shape[1];
	int64_t start = te_attr_int(c, "coord_start", 2);
	int64_t score = te_attr_int(c, "score_index", 1);
	int64_t id = te_attr_int(c, "id_index", 0);
	struct te_extern *x;

	if (!ROUTINE_EXPECT(c, 1, DTYPE(INT, 32), batch) ||
	    /* Nobody reads the indices unless they are asked for. */
	    (indices && !ROUTINE_EXPECT(c, 2, DTYPE(INT, 32), batch, n)) ||
	    !routine_expect_value(c, 3) || !routine_expect_value(c, 4) ||
	    !is_column(c, start) || !is_column(c, start + 3) ||
	    !is_column(c, score) || (id >= 0 && !is_column(c, id)))
		return false;
	x = routine_begin(c, indices ? "relay_nms_indices" : "relay_nms");
	routine_inputs(c, x, 5);
	routine_shape(x, c->in[0]);
	te_extern_int(x, te_attr_int(c, "top_k", -1) < 1
				 ? -1
				 : te_attr_int(c, "top_k", -1));
	te_extern_int(x, start);
	te_extern_int(x, score);
	te_extern_int(x, id);
	te_extern_int(x, te_attr_bool(c, "force_suppress"));
	if (!indices)
		te_extern_int(x, te_attr_bool(c, "invalid_to_bottom"));
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	te_extern_int(x, routine_dtype(c->in[3]->dtype));
	te_extern_int(x, routine_dtype(c->in[4]->dtype));
	return routine_end(c, x);
}

bool
compute_vision_all_class_nms(struct te_call *c)
{
	bool onnx = strcmp(te_attr_string(c, "output_format"), "onnx") == 0;
	struct te_extern *x;

	for (uint32_t i = 3; i < 5; i++)
		if (!dtype_equal(c->in[i]->dtype, DTYPE(FLOAT, 32)))
			return te_error(c, "the thresholds must be float32");
	if (!ROUTINE_EXPECT(c, 0, c->in[1]->dtype, c->in[1]->shape[0],
			    c->in[1]->shape[2], 4) ||
	    !routine_expect_value(c, 2) || !routine_expect_value(c, 3) ||
	    !routine_expect_value(c, 4))
		return false;
	x = routine_begin(c, onnx ? "relay_all_class_nms"
				  : "relay_all_class_nms_padded");
	routine_inputs(c, x, 5);
	routine_shape(x, c->in[1]);
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	te_extern_int(x, routine_dtype(c->in[2]->dtype));
	return routine_end(c, x);
}

bool
compute_vision_multibox_transform_loc(struct te_call *c)
{
	const ir_attr *v = ir_attrs_get(c->attrs, "variances");
	int64_t batch = c->in[0]->shape[0], n = c->in[0]->shape[2];
	struct dtype t = c->in[0]->dtype;
	struct te_extern *x;

	if (!v || v->kind != ATTR_ARRAY || v->n != 4)
		return te_error(c, "there must be four variances");
	if (!ROUTINE_EXPECT(c, 1, t, batch, te_dim_mul(c, n, 4)) ||
	    !ROUTINE_EXPECT(c, 2, t, 1, n, 4))
		return false;
	x = routine_begin(c, "relay_multibox_transform_loc");
	routine_inputs(c, x, 3);
	te_extern_double(x, te_attr_double(c, "threshold"));
	for (int i = 0; i < 4; i++)
		te_extern_double(x, v->elems[i].kind == ATTR_FLOAT
					    ? v->elems[i].f
					    : (double)v->elems[i].i);
	te_extern_int(x, te_attr_bool(c, "clip"));
	te_extern_int(x, te_attr_bool(c, "keep_background"));
	routine_shape(x, c->in[0]);
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	return routine_end(c, x);
}

/* Images in NCHW or NHWC, regions, and the size to pool to. */
static struct te_extern *
begin_regions(struct te_call *c, const char *symbol)
{
	static const int nchw[] = {0, 1, 2, 3}, nhwc[] = {0, 3, 1, 2};
	bool last = strcmp(te_attr_string(c, "layout"), "NHWC") == 0;
	const int *at = last ? nhwc : nchw;
	struct te_extern *x = routine_begin(c, symbol);
	int64_t out[TE_MAX_RANK];

	te_out_shape(c, 0, out);
	routine_inputs(c, x, 2);
	for (int i = 0; i < 4; i++)
		te_extern_int(x, c->in[0]->shape[at[i]]);
	te_extern_int(x, last);
	te_extern_int(x, c->in[1]->shape[0]);
	te_extern_int(x, out[at[2]]);
	te_extern_int(x, out[at[3]]);
	te_extern_double(x, te_attr_double(c, "spatial_scale"));
	return x;
}

/* The layout is one that the routines know, and the regions fit. */
static bool
known_layout(struct te_call *c)
{
	const char *layout = te_attr_string(c, "layout");

	if (strcmp(layout, "NCHW") == 0 || strcmp(layout, "NHWC") == 0)
		return ROUTINE_EXPECT(c, 1, c->in[0]->dtype, -1, 5);
	return te_error(c, "layout \"%s\" is not supported", layout);
}

bool
compute_vision_roi_align(struct te_call *c)
{
	struct te_extern *x;

	if (!known_layout(c))
		return false;
	x = begin_regions(c, "relay_roi_align");
	te_extern_int(x, te_attr_int(c, "sample_ratio", -1));
	te_extern_int(x, strcmp(te_attr_string(c, "mode"), "max") == 0);
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	return routine_end(c, x);
}

bool
compute_vision_roi_pool(struct te_call *c)
{
	struct te_extern *x;

	if (!known_layout(c))
		return false;
	x = begin_regions(c, "relay_roi_pool");
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	return routine_end(c, x);
}

/* Attribute NAME, an array of floats, into OUT; how many. */
static int
floats(struct te_call *c, const char *name, double *out, int max)
{
	const ir_attr *a = ir_attrs_get(c->attrs, name);
	int n = 0;

	for (; a && a->kind == ATTR_ARRAY && n < max && n < (int)a->n; n++)
		out[n] = a->elems[n].kind == ATTR_FLOAT ? a->elems[n].f
							: (double)a->elems[n].i;
	return n;
}

enum { MAX_ANCHORS = 64 };

static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};

/*
 * Half heights of the anchors at every pixel, and half widths, in heights of
 * the image; how many.
 */
static int
anchor_sizes(struct te_call *c, double (*half)[2])
{
	double sizes[MAX_ANCHORS] = {1}, ratios[MAX_ANCHORS] = {1};
	int ns = floats(c, "sizes", sizes, MAX_ANCHORS / 2);
	int nr = floats(c, "ratios", ratios, MAX_ANCHORS / 2);
	int n = 0;

	for (int i = 0; i < ns; i++, n++) {
		half[n][0] = sizes[i] / 2;
		half[n][1] = sizes[i] / 2;
	}
	for (int i = 1; i < nr; i++, n++) {
		half[n][0] = sizes[0] * sqrt(ratios[i]) / 2;
		half[n][1] = sizes[0] / sqrt(ratios[i]) / 2;
	}
	return n;
}

/* One of N widths times ASPECT, or of N heights (NULL), by K. */
static const tir_expr *
pick(struct te_call *c, const tir_expr *k, struct dtype t, double (*half)[2],
     const tir_expr *aspect, int n)
{
	const tir_expr *v = NULL, *one;

	for (int i = n - 1; i >= 0; i--) {
		one = te_lit(c, f64, half[i][aspect ? 0 : 1]);
		one = te_cast(c, t, aspect ? te_mul(c, one, aspect) : one);
		v = v ? te_select(c, te_cmp(c, TIR_EQ, k, te_int(c, i)), one, v)
		      : one;
	}
	return v;
}

/* (pixel + offset) * step */
static const tir_expr *
center(struct te_call *c, const tir_expr *pixel, struct dtype t, double offset,
       const tir_expr *step)
{
	return te_mul(c, te_add(c, te_cast(c, t, pixel), te_lit(c, t, offset)),
		      te_cast(c, t, step));
}

bool
compute_vision_multibox_prior(struct te_call *c)
{
	int64_t height = c->in[0]->shape[2], width = c->in[0]->shape[3];
	struct te_body *b = te_begin_out(c, NULL, 0);
	struct dtype t = te_out_dtype(c, 0);
	double half[MAX_ANCHORS + 1][2], steps[2] = {-1, -1}, at[2] = {0, 0};
	int n = anchor_sizes(c, half);
	const tir_expr *h = te_lit_extent(c, f64, height);
	const tir_expr *w = te_lit_extent(c, f64, width);
	const tir_expr *one = te_lit(c, f64, 1), *aspect = te_div(c, h, w);
	const tir_expr *k = te_modi(c, b->i[1], n), *v, *step[2];
	const tir_expr *pixel = te_divi(c, b->i[1], n);
	const tir_expr *y = te_divi(c, pixel, width);
	const tir_expr *x = te_modi(c, pixel, width);
	const tir_expr *even, *low;

	if (height == 0 || width == 0)
		return te_output(c, 0, te_end(b, te_zero(c, t)));
	if (n == MAX_ANCHORS)
		return te_error(c, "there are too many sizes or ratios");
	if (floats(c, "steps", steps, 2) != 2 ||
	    floats(c, "offsets", at, 2) != 2)
		return te_error(c, "there must be two steps and offsets");
	step[0] = steps[0] > 0 ? te_lit(c, f64, steps[0]) : te_div(c, one, h);
	step[1] = steps[1] > 0 ? te_lit(c, f64, steps[1]) : te_div(c, one, w);
	even = te_cmp(c, TIR_EQ, te_modi(c, b->i[2], 2), te_int(c, 0));
	low = te_cmp(c, TIR_LT, b->i[2], te_int(c, 2));
	v = te_select(c, even, pick(c, k, t, half, aspect, n),
		      pick(c, k, t, half, NULL, n));
	v = te_select(c, low, te_sub(c, te_zero(c, t), v), v);
	v = te_add(c, v,
		   te_select(c, even, center(c, x, t, at[1], step[1]),
			     center(c, y, t, at[0], step[0])));
	if (te_attr_bool(c, "clip"))
		v = te_max(c, te_zero(c, t), te_min(c, te_lit(c, t, 1), v));
	return te_output(c, 0, te_end(b, v));
}

enum { MAX_SIDES = 16 };

/* The anchors of one place: left, top, right, bottom; how many. */
static int
anchors_of(struct te_call *c, double (*at)[4])
{
	double scales[MAX_SIDES], ratios[MAX_SIDES];
	int ns = floats(c, "scales", scales, MAX_SIDES);
	int nr = floats(c, "ratios", ratios, MAX_SIDES);
	double base = (double)te_attr_int(c, "feature_stride", 16);
	double middle = 0.5 * (base - 1);

	for (int k = 0; k < nr * ns; k++) {
		double ratio = ratios[k / ns], scale = scales[k % ns];
		double side = floor(sqrt(floor(base * base / ratio)) + 0.5);
		double w = side * scale, h = floor(side * ratio + 0.5) * scale;

		at[k][0] = middle - 0.5 * (w - 1);
		at[k][1] = middle - 0.5 * (h - 1);
		at[k][2] = middle + 0.5 * (w - 1);
		at[k][3] = middle + 0.5 * (h - 1);
	}
	return nr * ns;
}

bool
compute_vision_proposal(struct te_call *c)
{
	const int64_t *shape = c->in[0]->shape;
	double at[MAX_SIDES * MAX_SIDES][4];
	int64_t n = anchors_of(c, at), size[2] = {n, 4};
	struct dtype t = c->in[0]->dtype;
	struct te_extern *x;

	if (n == 0)
		return te_error(c, "there are no anchors");
	if (!te_require_equal(c, shape[1], 2 * n,
			      "there are not two scores for each anchor") ||
	    !te_require_equal(c, c->in[1]->shape[1], 4 * n,
			      "there are not four deltas for each anchor"))
		return false;
	if (te_attr_int(c, "feature_stride", 16) < 1)
		return te_error(c, "the feature stride must be positive");
	if (!ROUTINE_EXPECT(c, 1, t, shape[0], 4 * n, shape[2], shape[3]) ||
	    !ROUTINE_EXPECT(c, 2, t, shape[0], 3))
		return false;
	x = routine_begin(c, "relay_proposal");
	routine_inputs(c, x, 3);
	te_extern_tensor(
		x, te_table(c, "anchors", DTYPE(FLOAT, 32), at[0], size, 2));
	te_extern_double(x, te_attr_double(c, "threshold"));
	te_extern_int(x, shape[0]);
	te_extern_int(x, n);
	te_extern_int(x, shape[2]);
	te_extern_int(x, shape[3]);
	te_extern_int(x, te_attr_int(c, "feature_stride", 16));
	te_extern_int(x, te_attr_int(c, "rpn_pre_nms_top_n", 6000));
	te_extern_int(x, te_attr_int(c, "rpn_post_nms_top_n", 300));
	te_extern_int(x, te_attr_int(c, "rpn_min_size", 16));
	te_extern_int(x, te_attr_bool(c, "iou_loss"));
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	return routine_end(c, x);
}

bool
compute_vision_regular_nms(struct te_call *c)
{
	int64_t classes = te_attr_int(c, "num_classes", 0);
	struct te_extern *x;

	if (!ROUTINE_EXPECT(c, 0, c->in[1]->dtype, c->in[1]->shape[0],
			    c->in[1]->shape[1], 4))
		return false;
	if (classes < 0 ||
	    (!te_is_size(c->in[1]->shape[2]) && classes > c->in[1]->shape[2]))
		return te_error(c, "there are no scores for %lld classes",
				(long long)classes);
	x = routine_begin(c, "relay_regular_nms");
	routine_inputs(c, x, 2);
	te_extern_double(x, te_attr_double(c, "iou_threshold"));
	te_extern_double(x, te_attr_double(c, "score_threshold"));
	routine_shape(x, c->in[1]);
	te_extern_int(x, classes);
	te_extern_int(x, te_attr_int(c, "max_detections_per_class", 0));
	te_extern_int(x, te_attr_int(c, "max_detections", 0));
	te_extern_int(x, routine_dtype(c->in[0]->dtype));
	return routine_end(c, x);
}
