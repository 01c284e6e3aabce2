#include "passes/quant/low_casts.h"

struct made_cast {
	struct dtype dtype;
	const ir_expr *e;
	struct made_cast *next;
};

void
low_casts_free(struct low_casts *c)
{
	ir_map_free(&c->made);
}

static void
remember(struct low_casts *c, const ir_expr *from, struct dtype dtype,
	 const ir_expr *to)
{
	struct made_cast *m = ARENA_NEW(c->scratch, struct made_cast);

	*m = (struct made_cast){dtype, to, ir_map_get(&c->made, from)};
	ir_map_put(&c->made, from, m);
}

static const ir_expr *
cast_tensor(struct low_casts *c, const ir_expr *e, struct dtype dtype)
{
	const struct ir_tensor_type *t = ir_as_tensor_type(e->type);
	const ir_attrs *a;
	const ir_expr *out;

	if (!dtype_is_float(t->dtype) || !dtype_is_float(dtype) ||
	    dtype_equal(t->dtype, dtype))
		return e;
	for (const struct made_cast *m = ir_map_get(&c->made, e); m;
	     m = m->next)
		if (dtype_equal(m->dtype, dtype))
			return m->e;
	a = ir_attrs_defaults(c->m->cx, attrs_schema(ATTRS_Cast));
	a = ir_attrs_with(c->m->cx, a, "dtype", ATTR_DT(dtype));
	out = ir_new_op_call(c->m, e->loc, OP_cast, &e, 1, a);
	ir_set_type(out, ir_type_tensor(c->m->cx, dtype, t->shape, t->ndim));
	remember(c, e, dtype, out);
	remember(c, out, t->dtype, e);
	return out;
}

const ir_type *
low_tuple_type(struct low_casts *c, const ir_expr *const *fields, uint32_t n)
{
	const ir_type **types = ARENA_NEW_ARRAY(c->scratch, n, const ir_type *);

	for (uint32_t i = 0; i < n; i++)
		types[i] = fields[i]->type;
	return ir_type_tuple(c->m->cx, types, n);
}

static const ir_expr *
field(struct low_casts *c, const ir_expr *tuple, uint32_t i)
{
	const ir_expr *e = ir_new_proj(c->m, tuple->loc, tuple, i);

	ir_set_type(e, ir_as_tuple_type(tuple->type)->fields[i]);
	return e;
}

/* Recursive over the nesting of tuple types. */
const ir_expr *
low_cast(struct low_casts *c, const ir_expr *e, const ir_type *t,
	 struct dtype dtype)
{
	const struct ir_tuple_type *tuple;
	const ir_expr **fields;
	bool changed = false;

	if (e->type == t || (t && t->kind != e->type->kind))
		return e;
	if (e->type->kind == TYPE_TENSOR)
		return cast_tensor(c, e,
				   t ? ir_as_tensor_type(t)->dtype : dtype);
	if (e->type->kind != TYPE_TUPLE)
		return e;
	tuple = ir_as_tuple_type(e->type);
	if (t && ir_as_tuple_type(t)->nfields != tuple->nfields)
		return e;
	fields = ARENA_NEW_ARRAY(c->scratch, tuple->nfields, const ir_expr *);
	for (uint32_t i = 0; i < tuple->nfields; i++) {
		const ir_expr *f = field(c, e, i);

		fields[i] = low_cast(
			c, f, t ? ir_as_tuple_type(t)->fields[i] : NULL, dtype);
		changed |= fields[i] != f;
	}
	if (!changed)
		return e;
	e = ir_new_tuple(c->m, e->loc, fields, tuple->nfields);
	ir_set_type(e, low_tuple_type(c, fields, tuple->nfields));
	return e;
}

const ir_expr *
low_cast_tail(struct low_casts *c, const ir_expr *e, const ir_type *t)
{
	ir_expr_vec lets = {0};
	const ir_expr *tail = e;
	const ir_expr *out;

	while (tail->kind == IR_LET) {
		vec_push(&lets, tail);
		tail = ir_as_let(tail)->body;
	}
	out = low_cast(c, tail, t, DTYPE_VOID);
	while (out != tail && lets.len > 0) {
		const struct ir_let *let = ir_as_let(lets.at[--lets.len]);
		const ir_expr *body = out;

		out = ir_new_let(c->m, let->base.loc, let->var, let->value,
				 body);
		ir_set_type(out, body->type);
		tail = &let->base;
	}
	vec_free(&lets);
	return out == tail ? e : out;
}
