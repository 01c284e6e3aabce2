/*
 * Types.
 */
#include <string.h>

#include "parser/prelude.h"
#include "parser/syn.h"

/* Types inside of types must be written out: holes are for annotations. */
uint32_t
syn_type_item(struct parse_ctx *cx, struct loc loc, const ir_type *t)
{
	(void)loc;
	if (!t)
		t = ir_type_new_hole(cx->cx, UINT32_MAX);
	vec_push(&cx->types, t);
	return (uint32_t)cx->types.len - 1;
}

const ir_type *
syn_named_type(struct parse_ctx *cx, struct loc loc, const char *name)
{
	const ir_type *t = scope_find(&cx->type_vars, name);
	struct dtype dtype;

	if (t)
		return t;
	if (dtype_parse(name, intern_len(name), &dtype))
		return ir_type_scalar(cx->cx, dtype);
	return syn_adt(cx, loc, name, NO_ITEMS);
}

const ir_type *
syn_adt(struct parse_ctx *cx, struct loc loc, const char *name, uint32_t args)
{
	uint32_t n = count_items(args, cx->types.len);
	size_t first = cx->types.len - n;
	const ir_type *t;

	(void)loc;
	prelude_note_type(cx, name);
	t = ir_type_adt(cx->cx, name, n ? cx->types.at + first : NULL, n);
	cx->types.len = first;
	return t;
}

const ir_type *
syn_tensor_type(struct parse_ctx *cx, struct loc loc, struct loc dtype_loc,
		uint32_t dims, const char *dtype)
{
	uint32_t n = count_items(dims, cx->dims.len);
	size_t first = cx->dims.len - n;
	const ir_type *t;
	struct dtype dt;
	int64_t size;

	if (!dtype_parse(dtype, intern_len(dtype), &dt)) {
		diag_error(cx->d, dtype_loc, "unknown element type '%s'",
			   dtype);
		dt = DTYPE(FLOAT, 32);
	}
	t = ir_type_tensor(cx->cx, dt, n ? cx->dims.at + first : NULL, n);
	if (cx->low.named)
		cx->low.named = false; /* another name elsewhere */
	else if (ir_shape_is_static(ir_as_tensor_type(t)) &&
		 (!ir_shape_size(ir_as_tensor_type(t), &size) ||
		  size > INT64_MAX / 64))
		diag_error(cx->d, loc, "the size of this tensor overflows");
	else if (!(t->flags & TYPE_HAS_ANY) && cx->d->errors == 0)
		lex_learn_type(cx, loc.off + (sizeof("Tensor") - 1),
			       loc.off + loc.len, t);
	cx->dims.len = first;
	return t;
}

const ir_type *
syn_tuple_type(struct parse_ctx *cx, uint32_t fields)
{
	uint32_t n = count_items(fields, cx->types.len);
	size_t first = cx->types.len - n;
	const ir_type *t;

	t = ir_type_tuple(cx->cx, n ? cx->types.at + first : NULL, n);
	cx->types.len = first;
	return t;
}

/* "(T)": a tuple of one field, but in version 0.6 just T. */
const ir_type *
syn_paren_type(struct parse_ctx *cx, uint32_t fields)
{
	if (cx->lex.old && cx->types.len - fields == 1)
		return vec_pop(&cx->types);
	return syn_tuple_type(cx, fields);
}

const ir_type *
syn_fn_type(struct parse_ctx *cx, uint32_t params, const ir_type *ret)
{
	const struct fn_frame *f = &vec_last(&cx->frames);
	uint32_t n = count_items(params, cx->types.len);
	size_t first = cx->types.len - n;
	const ir_type *t;

	if (!ret)
		ret = ir_type_new_hole(cx->cx, UINT32_MAX);
	t = ir_type_func(cx->cx, n ? cx->types.at + first : NULL, n, ret,
			 f->ntype_params ? cx->types.at + f->type_params : NULL,
			 f->ntype_params);
	syn_close_frame(cx);
	return t;
}

const ir_type *
syn_ref_type(struct parse_ctx *cx, const ir_type *value)
{
	if (!value)
		value = ir_type_new_hole(cx->cx, UINT32_MAX);
	return ir_type_ref(cx->cx, value);
}

uint32_t
syn_last_dim(const struct parse_ctx *cx)
{
	return (uint32_t)cx->dims.len - 1;
}

void
syn_dim(struct parse_ctx *cx, struct loc loc, const struct number *n)
{
	struct ir_dim dim = DIM(0);
	unsigned width;

	if (syn_integer(cx, loc, n, &dim.value, &width) && width == 64)
		dim.kind = DIM_INT64;
	vec_push(&cx->dims, dim);
}

void
syn_any_dim(struct parse_ctx *cx)
{
	vec_push(&cx->dims, DIM_UNKNOWN);
}
