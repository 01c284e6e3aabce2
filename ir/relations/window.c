/* Layouts, padding and sliding windows, shared by convolution and pooling. */
#include <inttypes.h>

#include "ir/relations/common.h"

bool
rel_layout(struct rel *r, const char *name, const char *replace,
	   struct ir_layout *out)
{
	const char *text = ir_attrs_string(r->attrs, name);

	if (!*text && replace)
		text = replace;
	if (ir_layout_parse(text, out) && out->n)
		return true;
	rel_error(r, "attribute '%s' is no layout: \"%s\"", name, text);
	return false;
}

bool
rel_layout_like(struct rel *r, const char *name, const char *replace,
		const char *canon, struct ir_layout *out)
{
	struct ir_layout to;
	bool ok = ir_layout_parse(canon, &to);

	if (!rel_layout(r, name, replace, out))
		return false;
	if (ok && ir_layout_convertible(out, &to))
		return true;
	rel_error_attr(r, name,
		       "layout \"%s\" ('%s') can't be converted to \"%s\"",
		       *ir_attrs_string(r->attrs, name)
			       ? ir_attrs_string(r->attrs, name)
			       : replace,
		       name, canon);
	return false;
}

bool
rel_to_canon(struct rel *r, uint32_t i, const struct ir_tensor_type *t,
	     const struct ir_layout *l, const char *canon,
	     struct rel_shape *out)
{
	struct ir_layout to;

	ir_layout_parse(canon, &to);
	if (!rel_check_rank(r, i, t, l->n))
		return false;
	*out = rel_new_shape(r, to.n);
	if (ir_layout_convert(l, &to, t->shape, out->at))
		return true;
	rel_error_at(r, i, "'%s' is too large: %s", rel_input(r, i),
		     rel_show(r, &t->base));
	return false;
}

bool
rel_from_canon(struct rel *r, const struct rel_shape *s, const char *canon,
	       const struct ir_layout *l, struct rel_shape *out)
{
	struct ir_layout from;

	ir_layout_parse(canon, &from);
	*out = rel_new_shape(r, l->n);
	if (ir_layout_convert(&from, l, s->at, out->at))
		return true;
	rel_error(r, "a tensor of shape %s is too large",
		  rel_show_shape(r, s->at, s->n));
	return false;
}

bool
rel_padding(struct rel *r, uint32_t n, int64_t *before, int64_t *after)
{
	struct rel_ints pad;

	if (!rel_ints(r, "padding", &pad))
		return false;
	if (pad.n != 1 && pad.n != n && pad.n != 2 * n) {
		rel_error(r,
			  "attribute 'padding' must have 1, %" PRIu32
			  " or %" PRIu32 " values, but has %" PRIu32,
			  n, 2 * n, pad.n);
		return false;
	}
	for (uint32_t i = 0; i < pad.n; i++)
		if (pad.at[i] < INT32_MIN || pad.at[i] > INT32_MAX) {
			rel_error_attr(r, "padding",
				       "padding of %" PRId64 " is out of range",
				       pad.at[i]);
			return false;
		}
	for (uint32_t i = 0; i < n; i++) {
		before[i] = pad.at[pad.n == 1 ? 0 : i];
		after[i] = pad.n == 2 * n ? pad.at[n + i] : before[i];
	}
	return true;
}

bool
rel_slide(struct rel *r, struct ir_dim in, struct ir_dim size,
	  const struct rel_window *w, struct ir_dim *out)
{
	int64_t span, room;

	*out = DIM_UNKNOWN;
	if (in.kind == DIM_SYM && rel_dim_is(size, 1) && w->stride == 1 &&
	    w->pad == 0)
		*out = in;
	if (!ir_dim_is_const(in) || !ir_dim_is_const(size))
		return true;
	if (__builtin_mul_overflow(size.value - 1, w->dilation, &span) ||
	    __builtin_add_overflow(in.value, w->pad, &room) ||
	    __builtin_sub_overflow(room, span + 1, &room)) {
		rel_error(r, "a window of %" PRId64 " is too large",
			  size.value);
		return false;
	}
	if (size.value < 1 || (room < 0 && in.value != 0)) {
		rel_error(r,
			  "a window of %" PRId64 " does not fit into %" PRId64
			  " with padding %" PRId64,
			  span + 1, in.value, w->pad);
		return false;
	}
	if (room < 0)
		return *out = DIM(0), true;
	*out = DIM(room / w->stride + 1);
	if (w->ceil && room % w->stride != 0)
		out->value++;
	if (in.kind == DIM_INT64)
		out->kind = DIM_INT64;
	return true;
}
