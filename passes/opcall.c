#include "passes/opcall.h"

#include <stdlib.h>

#include "support/arena.h"

const ir_expr *
opcall_unary(const struct opcall *b, enum op_id op, const ir_expr *x)
{
	return ir_new_op_call(b->m, b->loc, op, &x, 1, NULL);
}

const ir_expr *
opcall_binary(const struct opcall *b, enum op_id op, const ir_expr *x,
	      const ir_expr *y)
{
	const ir_expr *args[] = {x, y};

	return ir_new_op_call(b->m, b->loc, op, args, 2, NULL);
}

const ir_expr *
opcall_scalar(const struct opcall *b, struct dtype t, double v)
{
	return ir_new_scalar(b->m, b->loc, t, v);
}

const ir_attrs *
opcall_attrs(const struct opcall *b, enum op_id op, const ir_attrs *src)
{
	const struct attrs_schema *s = ir_op_info(op)->attrs;
	const ir_attrs *a;

	if (!s)
		return NULL;
	if (src && src->schema == s)
		return src;
	a = ir_attrs_defaults(b->m->cx, s);
	for (unsigned i = 0; src && i < src->schema->nfields; i++) {
		const char *name = src->schema->fields[i].name;

		if (attrs_field_index(s, name) >= 0)
			a = ir_attrs_with(b->m->cx, a, name, src->value[i]);
	}
	return a;
}

const ir_expr *
opcall_expand_dims(const struct opcall *b, const ir_expr *x, int64_t axis,
		   int64_t count)
{
	ir_context *cx = b->m->cx;
	const ir_attrs *a;

	if (count == 0)
		return x;
	a = ir_attrs_defaults(cx, attrs_schema(ATTRS_ExpandDims));
	a = ir_attrs_with(cx, a, "axis", ATTR_INT32(axis));
	a = ir_attrs_with(cx, a, "num_newaxis", ATTR_INT32(count));
	return ir_new_op_call(b->m, b->loc, OP_expand_dims, &x, 1, a);
}

const ir_expr *
opcall_reduce(const struct opcall *b, enum op_id op, const ir_expr *x,
	      const int64_t *axes, uint32_t n)
{
	ir_context *cx = b->m->cx;
	const ir_attrs *a = ir_attrs_defaults(cx, ir_op_info(op)->attrs);

	a = ir_attrs_with(cx, a, "axis", ir_attr_int_array(cx, axes, n, 32));
	a = ir_attrs_with(cx, a, "keepdims", ATTR_BOOLEAN(true));
	return ir_new_op_call(b->m, b->loc, op, &x, 1, a);
}

const ir_expr *
opcall_reshape(const struct opcall *b, const ir_expr *x, const int64_t *shape,
	       uint32_t n)
{
	return opcall_unary_ints(b, OP_reshape, x, "newshape", shape, n);
}

const ir_expr *
opcall_bias_at(const struct opcall *b, const ir_expr *bias, uint32_t ndim,
	       int64_t axis)
{
	return opcall_expand_dims(b, bias, 1, (int64_t)ndim - axis - 1);
}

const ir_expr *
opcall_unary_int(const struct opcall *b, enum op_id op, const ir_expr *x,
		 const char *field, int64_t value)
{
	const ir_attrs *a = ir_attrs_defaults(b->m->cx, ir_op_info(op)->attrs);

	a = ir_attrs_with(b->m->cx, a, field, ATTR_INT32(value));
	return ir_new_op_call(b->m, b->loc, op, &x, 1, a);
}

const ir_expr *
opcall_unary_ints(const struct opcall *b, enum op_id op, const ir_expr *x,
		  const char *field, const int64_t *v, uint32_t n)
{
	const ir_attrs *a = ir_attrs_defaults(b->m->cx, ir_op_info(op)->attrs);

	a = ir_attrs_with(b->m->cx, a, field,
			  ir_attr_int_array(b->m->cx, v, n, 32));
	return ir_new_op_call(b->m, b->loc, op, &x, 1, a);
}

const ir_expr *
opcall_cast(const struct opcall *b, const ir_expr *x, struct dtype t)
{
	const ir_attrs *a =
		ir_attrs_defaults(b->m->cx, attrs_schema(ATTRS_Cast));

	a = ir_attrs_with(b->m->cx, a, "dtype", ATTR_DT(t));
	return ir_new_op_call(b->m, b->loc, OP_cast, &x, 1, a);
}

const ir_expr *
opcall_join(const struct opcall *b, enum op_id op, const ir_expr *const *xs,
	    uint32_t n, int64_t axis)
{
	return opcall_unary_int(b, op, ir_new_tuple(b->m, b->loc, xs, n),
				"axis", axis);
}

const ir_expr *
opcall_split(const struct opcall *b, const ir_expr *x, int64_t sections,
	     int64_t axis)
{
	ir_context *cx = b->m->cx;
	const ir_attrs *a = ir_attrs_defaults(cx, attrs_schema(ATTRS_Split));
	ir_attr n = ATTR_INT32(sections);

	n.boxed = true;
	a = ir_attrs_with(cx, a, "indices_or_sections", n);
	a = ir_attrs_with(cx, a, "axis", ATTR_INT32(axis));
	return ir_new_op_call(b->m, b->loc, OP_split, &x, 1, a);
}

const ir_expr *
opcall_squeeze(const struct opcall *b, const ir_expr *x, int64_t axis)
{
	return opcall_unary_ints(b, OP_squeeze, x, "axis", &axis, 1);
}

const ir_expr *
opcall_slice(const struct opcall *b, const ir_expr *x, const int64_t *begin,
	     const int64_t *size, uint32_t n)
{
	ir_context *cx = b->m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, attrs_schema(ATTRS_StridedSlice));
	int64_t *ones = xcalloc(n, sizeof(*ones));

	for (uint32_t i = 0; i < n; i++)
		ones[i] = 1;
	a = ir_attrs_with(cx, a, "begin", ir_attr_int_array(cx, begin, n, 32));
	a = ir_attrs_with(cx, a, "end", ir_attr_int_array(cx, size, n, 32));
	a = ir_attrs_with(cx, a, "strides", ir_attr_int_array(cx, ones, n, 32));
	a = ir_attrs_with(cx, a, "slice_mode", ATTR_STR(ir_name(cx, "size")));
	free(ones);
	return ir_new_op_call(b->m, b->loc, OP_strided_slice, &x, 1, a);
}

const ir_expr *
opcall_head(const struct opcall *b, const ir_expr *x, const int64_t *end,
	    uint32_t n, bool by_size)
{
	ir_context *cx = b->m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, attrs_schema(ATTRS_StridedSlice));
	int64_t *begin = xcalloc(n, sizeof(*begin)), one = 1;

	a = ir_attrs_with(cx, a, "begin", ir_attr_int_array(cx, begin, n, 32));
	a = ir_attrs_with(cx, a, "end", ir_attr_int_array(cx, end, n, 32));
	a = ir_attrs_with(cx, a, "strides", ir_attr_int_array(cx, &one, 1, 32));
	if (by_size)
		a = ir_attrs_with(cx, a, "slice_mode",
				  ATTR_STR(ir_name(cx, "size")));
	free(begin);
	return ir_new_op_call(b->m, b->loc, OP_strided_slice, &x, 1, a);
}

const ir_expr *
opcall_layout_transform(const struct opcall *b, const ir_expr *x,
			const char *from, const char *to)
{
	ir_context *cx = b->m->cx;
	const ir_attrs *a =
		ir_attrs_defaults(cx, attrs_schema(ATTRS_LayoutTransform));

	a = ir_attrs_with(cx, a, "src_layout", ATTR_STR(ir_name(cx, from)));
	a = ir_attrs_with(cx, a, "dst_layout", ATTR_STR(ir_name(cx, to)));
	return ir_new_op_call(b->m, b->loc, OP_layout_transform, &x, 1, a);
}
