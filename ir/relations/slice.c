/* Slices, windows, padding: extents that shrink and grow. */
#include <inttypes.h>
#include <string.h>

#include "ir/relations/common.h"

/* One axis of strided_slice. */
struct cut {
	int64_t begin, end, stride;
};

/* I counted from the start, limited to [LOW, HIGH]. */
static int64_t
canonical(int64_t i, int64_t extent, int64_t low, int64_t high)
{
	if (i < 0)
		i = i < -extent ? -1 : i + extent;
	return i < low ? low : i > high ? high : i;
}

/* The length of a cut through EXTENT. */
static bool
cut_length(struct rel *r, const struct cut *c, uint32_t axis, int64_t extent,
	   int64_t *out)
{
	bool up = c->stride > 0;
	int64_t low = up ? 0 : -1, high = up ? extent : extent - 1;
	int64_t b = canonical(c->begin, extent, low, high);
	int64_t e = canonical(c->end, extent, low, high);
	uint64_t step = up ? (uint64_t)c->stride : -(uint64_t)c->stride;
	uint64_t span = (uint64_t)(up ? e - b : b - e);

	if (up ? e < b : b < e) {
		rel_error(
			r,
			"begin %" PRId64 ", end %" PRId64 ", stride "
			"%" PRId64 " are not valid for axis %" PRIu32 " of %s",
			c->begin, c->end, c->stride, axis, rel_show_arg(r, 0));
		return false;
	}
	*out = (int64_t)(span / step + (span % step != 0));
	return true;
}

struct slice {
	struct rel_ints begin, end, strides, axes;
	bool by_size; /* slice_mode: "end" holds lengths */
};

static bool
read_slice(struct rel *r, struct slice *s)
{
	const char *mode = ir_attrs_string(r->attrs, "slice_mode");

	if (!rel_ints(r, "begin", &s->begin) || !rel_ints(r, "end", &s->end) ||
	    !rel_ints(r, "strides", &s->strides) ||
	    !rel_ints(r, "axes", &s->axes))
		return false;
	s->by_size = strcmp(mode, "size") == 0;
	if (!s->by_size && strcmp(mode, "end") != 0) {
		rel_error(r,
			  "attribute 'slice_mode' must be \"end\" or "
			  "\"size\", but is \"%s\"",
			  mode);
		return false;
	}
	if (!s->begin.given || !s->end.given) {
		rel_error(r, "attributes 'begin' and 'end' must be given");
		return false;
	}
	return true;
}

/* Entry I of the lists, with what is missing filled in. */
static struct cut
cut_at(const struct slice *s, uint32_t i)
{
	struct cut c = {0, INT64_MAX, 1};

	if (!s->by_size && i < s->strides.n)
		c.stride = s->strides.at[i];
	if (i < s->begin.n)
		c.begin = s->begin.at[i];
	else if (c.stride < 0)
		c.begin = INT64_MAX;
	if (i >= s->end.n)
		c.end = c.stride < 0 ? 0 : INT64_MAX;
	else if (!s->by_size)
		c.end = s->end.at[i];
	else if (s->end.at[i] < 0 ||
		 __builtin_add_overflow(c.begin, s->end.at[i], &c.end) ||
		 (c.begin < 0 && c.end >= 0))
		c.end = INT64_MAX;
	return c;
}

/* Axis AXIS of the result, cut by entry I. */
static bool
cut_axis(struct rel *r, const struct slice *s, uint32_t i, uint32_t axis,
	 struct rel_shape *out)
{
	struct cut c = cut_at(s, i);
	int64_t n;

	if (c.stride == 0) {
		rel_error_attr(r, "strides", "a stride must not be 0");
		return false;
	}
	if (!ir_dim_is_const(out->at[axis])) {
		out->at[axis] = DIM_UNKNOWN;
		return true;
	}
	if (!cut_length(r, &c, axis, out->at[axis].value, &n))
		return false;
	out->at[axis].value = n;
	return true;
}

/* With "axes": one entry of each list for one axis. */
static bool
cut_listed(struct rel *r, const struct slice *s, struct rel_shape *out)
{
	uint32_t axis;
	bool *seen = ARENA_NEW_ARRAY(r->scratch, out->n, bool);

	if (s->begin.n != s->axes.n || s->end.n != s->axes.n ||
	    (s->strides.given && s->strides.n != s->axes.n)) {
		rel_error(r, "attributes 'begin', 'end', 'strides' and 'axes' "
			     "must have one length");
		return false;
	}
	for (uint32_t i = 0; i < s->axes.n; i++) {
		if (!rel_axis(r, "axis", s->axes.at[i], out->n, &axis))
			return false;
		if (seen[axis]) {
			rel_error_attr(r, "axes",
				       "axis %" PRId64 " stands twice",
				       s->axes.at[i]);
			return false;
		}
		seen[axis] = true;
		if (!cut_axis(r, s, i, axis, out))
			return false;
	}
	return true;
}

static bool
cut_leading(struct rel *r, const struct slice *s, struct rel_shape *out)
{
	if (s->begin.n > out->n || s->end.n > out->n || s->strides.n > out->n) {
		rel_error_at(r, 0, "there are more cuts than axes in %s",
			     rel_show_arg(r, 0));
		return false;
	}
	for (uint32_t i = 0; i < out->n; i++)
		if (!cut_axis(r, s, i, i, out))
			return false;
	return true;
}

enum rel_result
rel_strided_slice(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	struct slice s;

	if (!data)
		return rel_wait(r, 0);
	if (data->ndim == 0)
		return rel_error_at(r, 0, "'data' must not be a scalar");
	out = rel_copy_shape(r, data);
	if (!read_slice(r, &s) || !(s.axes.given ? cut_listed(r, &s, &out)
						 : cut_leading(r, &s, &out)))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_strided_set(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *t;

	if (!data)
		return rel_wait(r, 0);
	for (uint32_t i = 2; i < r->nargs; i++) {
		t = rel_tensor(r, i);
		if (!t)
			return rel_wait(r, i);
		if (!rel_check_rank(r, i, t, 1))
			return REL_FAIL;
	}
	return rel_assign(r, &data->base);
}

/* One axis of slice_like: the target must not be longer. */
static bool
cut_like(struct rel *r, struct ir_dim *d, struct ir_dim like, uint32_t axis)
{
	if (ir_dim_is_const(*d) && ir_dim_is_const(like) &&
	    like.value > d->value) {
		rel_error_at(r, 1,
			     "axis %" PRIu32
			     " of %s is shorter than that of %s",
			     axis, rel_show_arg(r, 0), rel_show_arg(r, 1));
		return false;
	}
	*d = like;
	return true;
}

enum rel_result
rel_slice_like(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *like = rel_tensor(r, 1);
	struct rel_ints axes;
	struct rel_shape out;
	uint32_t axis;

	if (!data)
		return rel_wait(r, 0);
	if (!like)
		return rel_wait(r, 1);
	if (!rel_ints(r, "axes", &axes))
		return REL_FAIL;
	if (axes.given && axes.n == 0)
		return rel_error(r, "attribute 'axes' must not be empty");
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; !axes.given && i < out.n && i < like->ndim; i++)
		if (!cut_like(r, &out.at[i], like->shape[i], i))
			return REL_FAIL;
	for (uint32_t i = 0; i < axes.n; i++) {
		if (!rel_axis(r, "axis", axes.at[i], data->ndim, &axis))
			return REL_FAIL;
		if (axis >= like->ndim)
			return rel_error_at(r, 1, "%s has no axis %" PRIu32,
					    rel_show_arg(r, 1), axis);
		if (!cut_like(r, &out.at[axis], like->shape[axis], axis))
			return REL_FAIL;
	}
	return rel_finish(r, data->dtype, &out);
}

/* in[:axis], positions of the window, its shape. */
enum rel_result
rel_sliding_window(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_ints shape, strides;
	struct rel_shape out;
	uint32_t axis, n;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	n = data->ndim - axis;
	if (!rel_ints_n(r, "window_shape", n, 1, &shape) ||
	    !rel_ints_n(r, "strides", n, 1, &strides))
		return REL_FAIL;
	out = rel_new_shape(r, data->ndim + n);
	memcpy(out.at, data->shape, axis * sizeof(*out.at));
	for (uint32_t i = 0; i < n; i++) {
		struct rel_window w = {0, strides.at[i], 1, false};

		if (!rel_slide(r, data->shape[axis + i], DIM(shape.at[i]), &w,
			       &out.at[axis + i]))
			return REL_FAIL;
		out.at[data->ndim + i] = DIM(shape.at[i]);
	}
	return rel_finish(r, data->dtype, &out);
}

bool
rel_pairs(struct rel *r, const char *name, uint32_t n, int64_t least,
	  int64_t (*out)[2])
{
	const ir_attr *a = ir_attrs_get(r->attrs, name);

	if (!a || a->kind != ATTR_ARRAY || a->n != n) {
		rel_error(r, "attribute '%s' must have %" PRIu32 " pairs", name,
			  n);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		const ir_attr *p = &a->elems[i];

		if (p->kind != ATTR_ARRAY || p->n != 2 ||
		    p->elems[0].kind != ATTR_INT ||
		    p->elems[1].kind != ATTR_INT) {
			rel_error(r,
				  "attribute '%s' must hold pairs of "
				  "integers",
				  name);
			return false;
		}
		for (uint32_t k = 0; k < 2; k++) {
			out[i][k] = p->elems[k].i;
			if (out[i][k] >= least && out[i][k] <= INT32_MAX)
				continue;
			rel_error(r,
				  "attribute '%s' has %" PRId64
				  ", which is out of range",
				  name, out[i][k]);
			return false;
		}
	}
	return true;
}

/* Every axis grows by its two widths. */
static enum rel_result
pad(struct rel *r, int64_t least)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t(*width)[2];
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	width = arena_array(r->scratch, data->ndim, sizeof(*width));
	if (!rel_pairs(r, "pad_width", data->ndim, least, width))
		return REL_FAIL;
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < out.n; i++)
		out.at[i] =
			ir_dim_add(out.at[i], DIM(width[i][0] + width[i][1]));
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_pad(struct rel *r)
{
	return pad(r, INT32_MIN);
}

enum rel_result
rel_mirror_pad(struct rel *r)
{
	return pad(r, 0);
}

enum rel_result
rel_dilate(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_ints strides;
	struct rel_shape out;
	struct ir_dim d;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_ints_n(r, "strides", data->ndim, 1, &strides))
		return REL_FAIL;
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < out.n; i++) {
		if (rel_dim_is(out.at[i], 0))
			continue;
		d = ir_dim_sub(out.at[i], DIM(1));
		if (!rel_mul(r, d, DIM(strides.at[i]), &d))
			return REL_FAIL;
		out.at[i] = ir_dim_add(d, DIM(1));
	}
	return rel_finish(r, data->dtype, &out);
}
