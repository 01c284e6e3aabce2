/*
 * Operators for tuners and for machines of their own: layouts that a search
 * chose, the operators of the Ethos-U processors.
 */
#include <inttypes.h>
#include <string.h>

#include "ir/layout.h"
#include "ir/relations/common.h"

enum rel_result
rel_none(struct rel *r)
{
	return rel_error(r, "it has no type that follows from its inputs");
}

static bool
read_parts(struct rel *r, const char *name, struct ir_parts *out)
{
	const char *s = ir_attrs_string(r->attrs, name);

	if (s && ir_parts_parse(s, out))
		return true;
	rel_error(r,
		  "attribute '%s' must be extents with names, as in "
		  "\"8A4B2A\"",
		  name);
	return false;
}

/* The extent of the axis that PART belongs to. */
static int64_t
whole_extent(const struct ir_parts *l, const struct ir_part *part)
{
	int64_t n = 1;

	for (uint32_t i = 0; i < l->n; i++)
		if (ir_parts_same(&l->part[i], part) &&
		    __builtin_mul_overflow(n, l->part[i].extent, &n))
			return -1;
	return n;
}

/* Both layouts have the same axes with the same extents. */
static bool
same_axes(const struct ir_parts *a, const struct ir_parts *b)
{
	for (uint32_t i = 0; i < a->n; i++) {
		int64_t n = whole_extent(a, &a->part[i]);

		if (n < 0 || whole_extent(b, &a->part[i]) != n)
			return false;
	}
	for (uint32_t i = 0; i < b->n; i++)
		if (whole_extent(a, &b->part[i]) !=
		    whole_extent(b, &b->part[i]))
			return false;
	return true;
}

enum rel_result
rel_auto_scheduler_layout_transform(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct ir_parts from, to;
	struct rel_shape out;
	bool fits;

	if (!data)
		return rel_wait(r, 0);
	if (!read_parts(r, "src_layout", &from) ||
	    !read_parts(r, "dst_layout", &to))
		return REL_FAIL;
	fits = from.n == data->ndim;
	for (uint32_t i = 0; i < from.n && fits; i++)
		fits = ir_dim_may_equal(data->shape[i],
					DIM(from.part[i].extent));
	if (!fits)
		return rel_error_at(r, 0, "%s is not laid out as \"%s\"",
				    rel_show_arg(r, 0),
				    ir_attrs_string(r->attrs, "src_layout"));
	if (!same_axes(&from, &to))
		return rel_error_attr(
			r, "src_layout",
			"layout \"%s\" can't be converted to \"%s\"",
			ir_attrs_string(r->attrs, "src_layout"),
			ir_attrs_string(r->attrs, "dst_layout"));
	out = rel_new_shape(r, to.n);
	for (uint32_t i = 0; i < to.n; i++)
		out.at[i] = DIM(to.part[i].extent);
	return rel_finish(r, data->dtype, &out);
}

/* Feature maps: NHWC, or with channels in bricks of 16, [N, H, C/16, W, 16]. */
enum { BRICK = 16 };

static bool
is_bricked(struct rel *r, const char *attr)
{
	const char *s = ir_attrs_string(r->attrs, attr);

	return s && strcmp(s, "NHCWB16") == 0;
}

/* Input I as N, H, W, C; the channels of bricks are not known from it. */
static enum rel_result
feature_map(struct rel *r, uint32_t i, const char *layout, struct dtype *t,
	    struct ir_dim out[4])
{
	const struct ir_tensor_type *x = rel_tensor(r, i);
	bool bricked = is_bricked(r, layout);

	if (!x)
		return rel_wait(r, i);
	if (!rel_check_rank(r, i, x, bricked ? 5 : 4))
		return REL_FAIL;
	*t = x->dtype;
	out[0] = x->shape[0];
	out[1] = x->shape[1];
	out[2] = x->shape[bricked ? 3 : 2];
	out[3] = bricked ? DIM_UNKNOWN : x->shape[3];
	return REL_DONE;
}

/* The result, N, H, W, C in AT, in the layout that is asked for. */
static enum rel_result
finish_map(struct rel *r, struct dtype t, const struct ir_dim at[4])
{
	bool bricked = is_bricked(r, "ofm_layout");
	struct rel_shape out = rel_new_shape(r, bricked ? 5 : 4);

	memcpy(out.at, at, 4 * sizeof(*at));
	if (bricked) {
		out.at[2] =
			ir_dim_div(ir_dim_add(at[3], DIM(BRICK - 1)), BRICK);
		out.at[3] = at[2];
		out.at[4] = DIM(BRICK);
	}
	return rel_finish(r, t, &out);
}

/* Attribute ATTR, a number of channels, into *OUT if it is given. */
static bool
channels(struct rel *r, const char *attr, struct ir_dim *out)
{
	bool given;

	return rel_dim(r, attr, out, &given);
}

/* A window over height and width. */
static bool
slide(struct rel *r, const char *size, const char *dilation,
      struct ir_dim at[4])
{
	struct rel_ints n, strides, by = {0}, pad;

	if (!rel_ints_n(r, size, 2, 1, &n) ||
	    !rel_ints_n(r, "strides", 2, 1, &strides) ||
	    !rel_ints_n(r, "padding", 4, 0, &pad) ||
	    (dilation && !rel_ints_n(r, dilation, 2, 1, &by)))
		return false;
	for (uint32_t k = 0; k < 2; k++) {
		struct rel_window w = {pad.at[k] + pad.at[k + 2], strides.at[k],
				       dilation ? by.at[k] : 1, false};

		if (!rel_slide(r, at[1 + k], DIM(n.at[k]), &w, &at[1 + k]))
			return false;
	}
	return true;
}

/* An 8-bit type, and 16 and 32 bits if WIDE. */
static bool
known_type(struct rel *r, uint32_t i, struct dtype t, bool wide)
{
	bool ok = dtype_equal(t, DTYPE(INT, 8)) ||
		  dtype_equal(t, DTYPE(UINT, 8)) ||
		  (wide && (dtype_equal(t, DTYPE(INT, 16)) ||
			    dtype_equal(t, DTYPE(INT, 32))));

	if (!ok)
		rel_error_at(r, i, "'%s' must hold integers of %s, but is %s",
			     rel_input(r, i),
			     wide ? "8, 16 or 32 bits" : "8 bits",
			     rel_show_arg(r, i));
	return ok;
}

/* Scales and biases come packed, 10 bytes for each channel. */
enum { SCALE_BYTES = 10 };

enum rel_result
rel_ethosu_conv2d(struct rel *r)
{
	const struct ir_tensor_type *w = rel_tensor(r, 1);
	const char *upscale = ir_attrs_string(r->attrs, "upscale");
	struct ir_dim at[4], shape[4];
	struct rel_shape weight = {4, shape}, scale;
	struct rel_ints size;
	struct dtype t;
	enum rel_result ok = feature_map(r, 0, "ifm_layout", &t, at);

	if (ok != REL_DONE)
		return ok;
	if (!w)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, w, 4) || !known_type(r, 0, t, false) ||
	    !known_type(r, 1, w->dtype, false) ||
	    !rel_ints_n(r, "kernel_shape", 2, 1, &size))
		return REL_FAIL;
	if (upscale && strcmp(upscale, "NONE") != 0)
		for (int k = 1; k < 3; k++)
			at[k] = ir_dim_mul(at[k], DIM(2));
	at[3] = w->shape[0];
	if (!channels(r, "ofm_channels", &at[3]) ||
	    !slide(r, "kernel_shape", "dilation", at))
		return REL_FAIL;
	shape[0] = at[3];
	shape[1] = DIM(size.at[0]);
	shape[2] = DIM(size.at[1]);
	shape[3] = w->shape[3];
	if (rel_input_shape(r, 1, w->dtype, &weight) != REL_DONE)
		return REL_FAIL;
	scale = rel_new_shape(r, 2);
	scale.at[0] = at[3];
	scale.at[1] = DIM(SCALE_BYTES);
	if (rel_input_shape(r, 2, DTYPE(UINT, 8), &scale) != REL_DONE)
		return REL_FAIL;
	return finish_map(r, t, at);
}

enum rel_result
rel_ethosu_pooling(struct rel *r)
{
	const char *name = ir_attrs_string(r->attrs, "ofm_dtype");
	struct ir_dim at[4];
	struct dtype t, out;
	enum rel_result ok = feature_map(r, 0, "ifm_layout", &t, at);

	if (ok != REL_DONE)
		return ok;
	if (!known_type(r, 0, t, true) ||
	    !channels(r, "ofm_channels", &at[3]) ||
	    !slide(r, "pool_shape", NULL, at))
		return REL_FAIL;
	if (!name || !dtype_parse(name, strlen(name), &out))
		return rel_error(r, "attribute 'ofm_dtype' must be a type");
	return finish_map(r, out, at);
}

enum rel_result
rel_ethosu_unary(struct rel *r)
{
	struct ir_dim at[4];
	struct dtype t;
	enum rel_result ok;

	if (r->op->id == OP_contrib_ethosu_identity) {
		const struct ir_tensor_type *x = rel_tensor(r, 0);

		if (!x)
			return rel_wait(r, 0);
		return known_type(r, 0, x->dtype, true)
			       ? rel_assign(r, &x->base)
			       : REL_FAIL;
	}
	ok = feature_map(r, 0, "ifm_layout", &t, at);
	if (ok != REL_DONE)
		return ok;
	if (!known_type(r, 0, t, true) || !channels(r, "ofm_channels", &at[3]))
		return REL_FAIL;
	return finish_map(r, t, at);
}

enum rel_result
rel_ethosu_binary(struct rel *r)
{
	const char *name = ir_attrs_string(r->attrs, "ofm_dtype");
	struct ir_dim a[4], b[4];
	struct dtype t, u, out;
	enum rel_result ok = feature_map(r, 0, "ifm_layout", &t, a);

	if (ok != REL_DONE)
		return ok;
	ok = feature_map(r, 1, "ifm2_layout", &u, b);
	if (ok != REL_DONE)
		return ok;
	if (!dtype_equal(t, u))
		return rel_error_at(
			r, 1,
			"'ifm' and 'ifm2' must have one element type, "
			"but are %s and %s",
			rel_show_arg(r, 0), rel_show_arg(r, 1));
	if (!known_type(r, 0, t, true) || !channels(r, "ifm_channels", &a[3]) ||
	    !channels(r, "ifm2_channels", &b[3]))
		return REL_FAIL;
	for (int k = 0; k < 4; k++)
		if (!ir_dim_broadcast(a[k], b[k], &a[k]))
			return rel_error_at(r, 1,
					    "%s and %s can't be broadcast "
					    "together",
					    rel_show_arg(r, 0),
					    rel_show_arg(r, 1));
	if (!name || !dtype_parse(name, strlen(name), &out))
		return rel_error(r, "attribute 'ofm_dtype' must be a type");
	return finish_map(r, out, a);
}
