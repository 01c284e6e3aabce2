/*
 * Primitive functions to tensor expressions: one call of a compute rule per
 * operator, in post-order.
 */
#include "te/build.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "ir/print.h"
#include "ir/walk.h"
#include "support/ptrmap.h"
#include "te/compute.h"
#include "te/fold.h"
#include "te/sizes.h"

/* What an expression is: tensors, tuples flattened. */
struct value {
	uint32_t n;
	struct te_tensor **t;
	const uint32_t *first; /* of a tuple's fields; made when asked for */
};

struct builder {
	ir_module *m;
	const struct te_build_request *request;
	te_func *f;
	struct diag *diag;
	struct dtype index;
	bool sizes; /* some dimension is not known */
	ir_expr_vec *extra;
	struct ir_map values;   /* node -> struct value */
	struct ir_map bindings; /* let variable -> expression */
	struct ir_map known;    /* variable -> IR_CONSTANT */
	struct arena scratch;
	enum op_pattern pattern; /* of the anchor */
	const ir_op *anchor;
};

static bool
fail(struct builder *b, struct loc loc, const char *text)
{
	diag_error(b->diag, loc, "%s", text);
	return false;
}

static uint32_t
count_tensors(const ir_type *t)
{
	uint32_t n = 0;

	if (t->kind == TYPE_TENSOR)
		return 1;
	if (t->kind != TYPE_TUPLE)
		return 0;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		n += count_tensors(ir_as_tuple_type(t)->fields[i]);
	return n;
}

/* The tensors in T, depth-first, to OUT; false: something else is in it. */
static bool
flatten_type(const ir_type *t, const struct ir_tensor_type **out, uint32_t *n)
{
	if (t->kind == TYPE_TENSOR) {
		out[(*n)++] = ir_as_tensor_type(t);
		return true;
	}
	if (t->kind != TYPE_TUPLE)
		return false;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		if (!flatten_type(ir_as_tuple_type(t)->fields[i], out, n))
			return false;
	return true;
}

/*
 * Report unless T is made of tensors that fit in memory, as far as is known.
 * Where dimensions are not, indices have 64 bits.
 */
static bool
check_type(struct builder *b, const ir_type *t, struct loc loc,
	   const struct ir_tensor_type **out, uint32_t *n)
{
	uint32_t first = *n;

	if (!flatten_type(t, out, n)) {
		diag_error(b->diag, loc,
			   "a value of type %s cannot be part of a kernel",
			   ir_type_text(b->m->cx, t));
		return false;
	}
	for (uint32_t i = first; i < *n; i++) {
		int64_t size;

		if (out[i]->ndim > TE_MAX_RANK)
			return fail(b, loc, "more than 16 dimensions");
		if (!ir_shape_is_static(out[i])) {
			b->sizes = true;
			b->index = DTYPE(INT, 64);
			continue;
		}
		if (!ir_shape_size(out[i], &size) || size > INT64_MAX / 64)
			return fail(b, loc, "the tensor is too large");
		if (size >= 1 << 30)
			b->index = DTYPE(INT, 64);
	}
	return true;
}

static struct te_tensor *
add_param(struct builder *b, const char *name, const struct ir_tensor_type *t)
{
	int64_t shape[TE_MAX_RANK];
	struct te_op *op = te_add_op(b->m, b->f, TE_PARAM, name, 1);

	for (uint32_t i = 0; i < t->ndim; i++) {
		struct te_size *s;

		shape[i] = t->shape[i].value;
		if (ir_dim_is_const(t->shape[i]))
			continue;
		shape[i] = te_add_size(b->m, b->f,
				       ir_namef(b->m->cx, "n%u", b->f->nsizes),
				       NULL);
		s = &b->f->sizes[b->f->nsizes - 1];
		s->param = (int32_t)op->id;
		s->dim = (int32_t)i;
	}
	te_set_output(b->m, op, 0, t->dtype, shape, t->ndim);
	return &op->outputs[0];
}

static struct value *
new_value(struct builder *b, uint32_t n)
{
	struct value *v = ARENA_NEW(&b->scratch, struct value);

	v->n = n;
	v->t = ARENA_NEW_ARRAY(&b->scratch, n, struct te_tensor *);
	return v;
}

static bool
build_param(struct builder *b, uint32_t i)
{
	const struct ir_var *p = b->request->fn->params[i];
	const ir_type *type = p->base.type ? p->base.type : p->annotation;
	const ir_expr *bound = NULL;
	const struct ir_tensor_type **types;
	struct value *v;
	uint32_t n = 0;

	assert(type);
	v = new_value(b, count_tensors(type));
	types = ARENA_NEW_ARRAY(&b->scratch, v->n,
				const struct ir_tensor_type *);
	if (!check_type(b, type, p->base.loc, types, &n))
		return false;
	if (b->request->bound)
		bound = b->request->bound[i];
	for (uint32_t k = 0; k < n; k++) {
		const char *name = p->name;

		if (type->kind == TYPE_TUPLE)
			name = ir_namef(b->m->cx, "%s_%u", p->name, k);
		v->t[k] = add_param(b, name, types[k]);
		v->t[k]->op->loc = p->base.loc;
		v->t[k]->op->is_const =
			b->request->constant && b->request->constant[i];
	}
	ir_map_put(&b->values, ir_var_expr(p), v);
	if (bound)
		ir_map_put(&b->known, ir_var_expr(p), bound);
	return true;
}

static bool
is_scalar_constant(const ir_expr *e)
{
	const ir_tensor *data = ir_as_constant(e)->data;

	return data && data->ndim == 0;
}

/* Parameters come first: FN's own, then one per tensor constant. */
static bool
build_params(struct builder *b, const ir_expr_vec *nodes)
{
	for (uint32_t i = 0; i < b->request->fn->nparams; i++)
		if (!build_param(b, i))
			return false;
	for (size_t i = 0; i < nodes->len; i++) {
		const ir_expr *e = nodes->at[i];
		const struct ir_tensor_type *t;
		struct value *v;
		uint32_t n = 0;

		if (e->kind == IR_LET)
			ir_map_put(&b->bindings, ir_var_expr(ir_as_let(e)->var),
				   ir_as_let(e)->value);
		if (e->kind != IR_CONSTANT || is_scalar_constant(e))
			continue;
		if (!check_type(b, ir_type_of(e), e->loc, &t, &n))
			return false;
		v = new_value(b, 1);
		v->t[0] = add_param(b, "c", t);
		v->t[0]->op->is_const = true;
		ir_map_put(&b->values, e, v);
		vec_push(b->extra, e);
	}
	return true;
}

/* A compute without axes that is a literal. */
static struct value *
build_scalar(struct builder *b, const ir_expr *e)
{
	const ir_tensor *data = ir_as_constant(e)->data;
	struct dtype t = data->dtype;
	struct te_op *op = te_add_op(b->m, b->f, TE_COMPUTE, "scalar", 1);
	struct value *v = new_value(b, 1);

	te_set_output(b->m, op, 0, t, NULL, 0);
	if (dtype_is_float(t))
		op->body[0] = tir_float(b->m, t, ir_tensor_get_double(data, 0));
	else
		op->body[0] = tir_int(b->m, t,
				      te_wrap(t, ir_tensor_get_int(data, 0)));
	v->t[0] = &op->outputs[0];
	return v;
}

static struct value *
build_tuple(struct builder *b, const ir_expr *e)
{
	const struct ir_tuple *tuple = ir_as_tuple(e);
	struct value *v;
	uint32_t n = 0;

	for (uint32_t i = 0; i < tuple->nfields; i++) {
		v = ir_map_get(&b->values, tuple->fields[i]);
		n += v->n;
	}
	v = new_value(b, n);
	n = 0;
	for (uint32_t i = 0; i < tuple->nfields; i++) {
		struct value *field = ir_map_get(&b->values, tuple->fields[i]);

		memcpy(v->t + n, field->t, field->n * sizeof(*v->t));
		n += field->n;
	}
	return v;
}

/* Where the tensors of each field of a tuple V of type T begin. */
static const uint32_t *
first_of_fields(struct builder *b, struct value *v,
		const struct ir_tuple_type *t)
{
	uint32_t *first;
	uint32_t n = 0;

	if (v->first)
		return v->first;
	first = ARENA_NEW_ARRAY(&b->scratch, t->nfields, uint32_t);
	for (uint32_t i = 0; i < t->nfields; i++) {
		first[i] = n;
		n += count_tensors(t->fields[i]);
	}
	return v->first = first;
}

static struct value *
build_proj(struct builder *b, const ir_expr *e)
{
	const struct ir_proj *p = ir_as_proj(e);
	const struct ir_tuple_type *t = ir_as_tuple_type(ir_type_of(p->tuple));
	struct value *all = ir_map_get(&b->values, p->tuple);
	struct value *v = new_value(b, count_tensors(t->fields[p->index]));
	const uint32_t *first = first_of_fields(b, all, t);

	memcpy(v->t, all->t + first[p->index], v->n * sizeof(*v->t));
	return v;
}

/* The constant that E is, directly or by a parameter, or NULL. */
static const ir_tensor *
known_value(struct builder *b, const ir_expr *e)
{
	const ir_expr *k = e;

	while (k && k->kind == IR_VAR) {
		const ir_expr *next = ir_map_get(&b->known, k);

		k = next ? next : ir_map_get(&b->bindings, k);
	}
	return k && k->kind == IR_CONSTANT ? ir_as_constant(k)->data : NULL;
}

/* Inputs of CALL, tuples flattened, into C. */
static void
gather_inputs(struct builder *b, const struct ir_call *call, struct te_call *c)
{
	struct te_tensor **in;
	const ir_tensor **constant;
	uint32_t *first;
	uint32_t n = 0;

	for (uint32_t i = 0; i < call->nargs; i++) {
		struct value *v = ir_map_get(&b->values, call->args[i]);

		n += v->n;
	}
	in = ARENA_NEW_ARRAY(&b->scratch, n, struct te_tensor *);
	constant = ARENA_NEW_ARRAY(&b->scratch, n, const ir_tensor *);
	first = ARENA_NEW_ARRAY(&b->scratch, call->nargs + 1, uint32_t);
	n = 0;
	for (uint32_t i = 0; i < call->nargs; i++) {
		const ir_expr *a = call->args[i];
		struct value *v = ir_map_get(&b->values, a);

		first[i] = n;
		for (uint32_t k = 0; k < v->n; k++) {
			if (a->kind == IR_TUPLE &&
			    ir_as_tuple(a)->nfields == v->n)
				constant[n + k] = known_value(
					b, ir_as_tuple(a)->fields[k]);
			else if (v->n == 1)
				constant[n + k] = known_value(b, a);
			in[n + k] = v->t[k];
		}
		n += v->n;
	}
	first[call->nargs] = n;
	c->nin = n;
	c->in = in;
	c->constant = constant;
	c->nargs = call->nargs;
	c->first = first;
}

/* The rule gave what the type says. */
static bool
check_outputs(struct builder *b, struct te_call *c)
{
	for (uint32_t i = 0; i < c->nout; i++) {
		const struct ir_tensor_type *t = c->out_type[i];
		const struct te_tensor *o = c->out[i];
		bool same = o && o->ndim == t->ndim &&
			    dtype_equal(o->dtype, t->dtype);

		for (uint32_t d = 0; same && d < t->ndim; d++)
			same = o->shape[d] == (c->out_shape
						       ? c->out_shape[i][d]
						       : t->shape[d].value);
		if (same)
			continue;
		diag_error(b->diag, c->loc,
			   "the compute rule of '%s' disagrees with its type "
			   "about result %u",
			   c->op->name, i);
		return false;
	}
	return true;
}

static bool
has_size(const struct te_tensor *t)
{
	for (uint32_t d = 0; d < t->ndim; d++)
		if (te_is_size(t->shape[d]))
			return true;
	return false;
}

/* The shapes of the results of C, if a dimension around it is not known. */
static bool
find_sizes(struct builder *b, struct te_call *c)
{
	bool any = false;
	int64_t **shape;

	for (uint32_t i = 0; i < c->nin; i++)
		any = any || has_size(c->in[i]);
	for (uint32_t i = 0; i < c->nout; i++)
		any = any || !ir_shape_is_static(c->out_type[i]);
	if (!any)
		return true;
	shape = ARENA_NEW_ARRAY(&b->scratch, c->nout, int64_t *);
	for (uint32_t i = 0; i < c->nout; i++)
		shape[i] = ARENA_NEW_ARRAY(&b->scratch, TE_MAX_RANK, int64_t);
	if (!te_output_sizes(c, shape))
		return false;
	c->out_shape = shape;
	return true;
}

static void
note_anchor(struct builder *b, const ir_op *op)
{
	if (b->anchor && op->pattern < b->pattern)
		return;
	b->anchor = op;
	b->pattern = op->pattern;
}

static struct value *
build_call(struct builder *b, const ir_expr *e)
{
	const struct ir_call *call = ir_as_call(e);
	const ir_op *op = ir_called_op(e);
	struct te_call c = {.m = b->m, .func = b->f, .diag = b->diag};
	te_compute_fn *rule;
	const struct ir_tensor_type **types;
	struct value *v;

	if (!op) {
		fail(b, e->loc, "a kernel may call operators only");
		return NULL;
	}
	rule = te_compute_rule(op->id);
	if (!rule) {
		diag_error(b->diag, e->loc,
			   "operator '%s' cannot be compiled yet", op->name);
		return NULL;
	}
	v = new_value(b, count_tensors(ir_type_of(e)));
	types = ARENA_NEW_ARRAY(&b->scratch, v->n,
				const struct ir_tensor_type *);
	c.nout = 0;
	if (!check_type(b, ir_type_of(e), e->loc, types, &c.nout))
		return NULL;
	c.loc = e->loc;
	c.op = op;
	c.attrs = call->attrs;
	if (!c.attrs && op->attrs)
		c.attrs = ir_attrs_defaults(b->m->cx, op->attrs);
	c.index = b->index;
	c.out_type = types;
	c.out = v->t;
	gather_inputs(b, call, &c);
	if (b->sizes && !find_sizes(b, &c))
		return NULL;
	if (!rule(&c) || c.failed || !check_outputs(b, &c))
		return NULL;
	note_anchor(b, op);
	return v;
}

/* The value of one node whose operands have theirs; NULL after an error. */
static struct value *
build_node(struct builder *b, const ir_expr *e)
{
	switch (e->kind) {
	case IR_CONSTANT:
		return build_scalar(b, e);
	case IR_VAR:
		if (ir_map_get(&b->bindings, e))
			return ir_map_get(&b->values,
					  ir_map_get(&b->bindings, e));
		fail(b, e->loc, "a kernel may not use outer variables");
		return NULL;
	case IR_TUPLE:
		return build_tuple(b, e);
	case IR_PROJ:
		return build_proj(b, e);
	case IR_CALL:
		return build_call(b, e);
	case IR_LET:
		return ir_map_get(&b->values, ir_as_let(e)->body);
	default:
		fail(b, e->loc,
		     "a kernel may hold operator calls, tuples and "
		     "lets only");
		return NULL;
	}
}

/* A tensor of its own that equals T: results may not be shared. */
static struct te_tensor *
copy_of(struct builder *b, const struct te_tensor *t)
{
	struct te_op *op = te_add_op(b->m, b->f, TE_COMPUTE, "T_copy", 1);
	const tir_expr *at[TE_MAX_RANK];

	te_set_output(b->m, op, 0, t->dtype, t->shape, t->ndim);
	op->naxes = t->ndim;
	op->axes = ARENA_NEW_ARRAY(&b->m->arena, t->ndim, struct te_axis);
	for (uint32_t i = 0; i < t->ndim; i++) {
		const char *name = ir_namef(b->m->cx, "i%u", i);

		op->axes[i].var = tir_new_var(b->m, name, b->index);
		op->axes[i].extent = t->shape[i];
		at[i] = tir_var_ref(b->m, op->axes[i].var);
	}
	op->body[0] = tir_read(b->m, t, t->ndim ? at : NULL, t->ndim);
	return &op->outputs[0];
}

static void
add_outputs(struct builder *b, const struct value *v)
{
	struct ptrmap outputs = {0};

	for (uint32_t i = 0; i < v->n; i++) {
		struct te_tensor *t = v->t[i];
		bool is_new;

		ptrmap_add(&outputs, t, &is_new);
		if (!is_new || t->op->kind == TE_PARAM)
			t = copy_of(b, t);
		te_add_output(b->m, b->f, t);
	}
	ptrmap_free(&outputs);
}

/* attr "anchor", and the Relay type unless it follows from the rest. */
static void
add_attrs(struct builder *b)
{
	ir_context *cx = b->m->cx;
	te_func *f = b->f;

	if (b->anchor)
		f->attrs = ir_dict_with(cx, f->attrs, ir_name(cx, "anchor"),
					ATTR_STR(ir_name(cx, b->anchor->name)));
	if (f->relay_type != te_func_flat_type(cx, f))
		f->attrs = ir_dict_with(
			cx, f->attrs, ir_name(cx, "relay.type"),
			(ir_attr){.kind = ATTR_TYPE, .type = f->relay_type});
}

/* fn of FN with the types of EXTRA appended to its parameters. */
static const ir_type *
callers_type(struct builder *b)
{
	const struct ir_function *fn = b->request->fn;
	uint32_t n = fn->nparams;
	const ir_type **t = ARENA_NEW_ARRAY(&b->scratch, n + b->extra->len,
					    const ir_type *);

	for (uint32_t i = 0; i < n; i++)
		t[i] = fn->params[i]->base.type ? fn->params[i]->base.type
						: fn->params[i]->annotation;
	for (size_t i = 0; i < b->extra->len; i++)
		t[n++] = ir_type_of(b->extra->at[i]);
	return ir_type_func(b->m->cx, t, n, ir_type_of(fn->body), NULL, 0);
}

/* The types of all nodes decide how wide an index is. */
static bool
choose_index(struct builder *b, const ir_expr_vec *nodes)
{
	b->index = DTYPE(INT, 32);
	for (size_t i = 0; i < nodes->len; i++) {
		const ir_expr *e = nodes->at[i];
		const struct ir_tensor_type *t;
		uint32_t n = 0;

		if (e->type && e->type->kind == TYPE_TENSOR &&
		    !check_type(b, e->type, e->loc, &t, &n))
			return false;
	}
	return true;
}

static bool
build_all(struct builder *b)
{
	const ir_expr *body = b->request->fn->body;
	ir_expr_vec nodes = {0};
	bool ok;

	ir_postorder(body, &nodes);
	ok = choose_index(b, &nodes) && build_params(b, &nodes);
	for (size_t i = 0; ok && i < nodes.len; i++) {
		const ir_expr *e = nodes.at[i];
		struct value *v;

		if (e->kind == IR_OP || ir_map_get(&b->values, e))
			continue;
		v = build_node(b, e);
		if (v)
			ir_map_put(&b->values, e, v);
		else
			ok = false;
	}
	vec_free(&nodes);
	if (ok) {
		add_outputs(b, ir_map_get(&b->values, body));
		b->f->relay_type = callers_type(b);
		add_attrs(b);
		te_canon(b->m, b->f);
	}
	return ok;
}

te_func *
te_build(ir_module *m, const struct te_build_request *r, ir_expr_vec *extra,
	 struct diag *d)
{
	struct builder b = {
		.m = m,
		.request = r,
		.f = te_new_func(m, r->name),
		.diag = d,
		.extra = extra,
	};
	bool ok = build_all(&b);

	ir_map_free(&b.values);
	ir_map_free(&b.bindings);
	ir_map_free(&b.known);
	arena_free(&b.scratch);
	b.f->loc = loc_is_known(r->fn->base.loc) ? r->fn->base.loc
						 : r->fn->body->loc;
	return ok ? b.f : NULL;
}
