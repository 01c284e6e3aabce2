#include "ir/expr.h"

#include <string.h>

#include "ir/module.h"

/* A new node of SIZE bytes with the fields that all nodes have. */
static void *
new_node(ir_module *m, enum ir_kind kind, struct loc loc, size_t size)
{
	ir_expr *e = arena_alloc(&m->arena, size);

	e->kind = (uint8_t)kind;
	e->id = m->next_id++;
	e->loc = loc;
	m->types_valid = false;
	return e;
}

#define NEW_NODE(m, KIND, name, loc, nops)                   \
	((struct ir_##name *)new_node((m), IR_##KIND, (loc), \
				      sizeof(struct ir_##name) + (nops)))

static size_t
bytes_of(uint32_t n)
{
	return n * sizeof(const ir_expr *);
}

const ir_expr *
ir_new_var(ir_module *m, struct loc loc, const char *name,
	   const ir_type *annotation)
{
	struct ir_var *v = NEW_NODE(m, VAR, var, loc, 0);

	v->name = name;
	v->annotation = annotation;
	return &v->base;
}

const ir_expr *
ir_new_constant(ir_module *m, struct loc loc, ir_tensor *data)
{
	struct ir_constant *c = NEW_NODE(m, CONSTANT, constant, loc, 0);

	assert(data);
	vec_push(&m->tensors, ir_tensor_ref(data));
	c->data = data;
	return &c->base;
}

const ir_expr *
ir_new_placeholder(ir_module *m, struct loc loc, uint32_t meta_index,
		   const ir_type *type)
{
	struct ir_constant *c = NEW_NODE(m, CONSTANT, constant, loc, 0);

	c->meta_index = meta_index;
	c->base.type = type;
	m->has_placeholders = true;
	return &c->base;
}

const ir_expr *
ir_new_tuple(ir_module *m, struct loc loc, const ir_expr *const *fields,
	     uint32_t n)
{
	struct ir_tuple *t = NEW_NODE(m, TUPLE, tuple, loc, bytes_of(n));

	t->nfields = n;
	if (n)
		memcpy(t->fields, fields, bytes_of(n));
	return &t->base;
}

const ir_expr *
ir_new_proj(ir_module *m, struct loc loc, const ir_expr *tuple, uint32_t index)
{
	struct ir_proj *p = NEW_NODE(m, PROJ, proj, loc, 0);

	p->tuple = tuple;
	p->index = index;
	return &p->base;
}

const ir_expr *
ir_new_call(ir_module *m, struct loc loc, const ir_expr *callee,
	    const ir_expr *const *args, uint32_t n, const ir_attrs *attrs)
{
	struct ir_call *c = NEW_NODE(m, CALL, call, loc, bytes_of(n));

	c->callee = callee;
	c->attrs = attrs;
	c->nargs = n;
	if (n)
		memcpy(c->args, args, bytes_of(n));
	return &c->base;
}

const ir_expr *
ir_new_op_call(ir_module *m, struct loc loc, enum op_id op,
	       const ir_expr *const *args, uint32_t n, const ir_attrs *attrs)
{
	const ir_op *info = ir_op_info(op);

	assert(info->ninputs == OP_MANY_INPUTS || (uint32_t)info->ninputs == n);
	if (!attrs && info->attrs && !(info->traits & OP_TRAIT_UNREGISTERED))
		attrs = ir_attrs_defaults(m->cx, info->attrs);
	return ir_new_call(m, loc, ir_op_node(m, info), args, n, attrs);
}

const ir_expr *
ir_new_let(ir_module *m, struct loc loc, const struct ir_var *var,
	   const ir_expr *value, const ir_expr *body)
{
	struct ir_let *l = NEW_NODE(m, LET, let, loc, 0);

	l->var = var;
	l->value = value;
	l->body = body;
	return &l->base;
}

const ir_expr *
ir_new_if(ir_module *m, struct loc loc, const ir_expr *cond,
	  const ir_expr *then_branch, const ir_expr *else_branch)
{
	struct ir_if *i = NEW_NODE(m, IF, if, loc, 0);

	i->cond = cond;
	i->then_branch = then_branch;
	i->else_branch = else_branch;
	return &i->base;
}

const ir_expr *
ir_new_match(ir_module *m, struct loc loc, const ir_expr *value,
	     const struct ir_clause *clauses, uint32_t n, bool complete)
{
	struct ir_match *x =
		NEW_NODE(m, MATCH, match, loc, n * sizeof(*clauses));

	x->value = value;
	x->complete = complete;
	x->nclauses = n;
	if (n)
		memcpy(x->clauses, clauses, n * sizeof(*clauses));
	return &x->base;
}

const ir_expr *
ir_new_ref_new(ir_module *m, struct loc loc, const ir_expr *value)
{
	struct ir_ref_new *r = NEW_NODE(m, REF_NEW, ref_new, loc, 0);

	r->value = value;
	return &r->base;
}

const ir_expr *
ir_new_ref_read(ir_module *m, struct loc loc, const ir_expr *ref)
{
	struct ir_ref_read *r = NEW_NODE(m, REF_READ, ref_read, loc, 0);

	r->ref = ref;
	return &r->base;
}

const ir_expr *
ir_new_ref_write(ir_module *m, struct loc loc, const ir_expr *ref,
		 const ir_expr *value)
{
	struct ir_ref_write *r = NEW_NODE(m, REF_WRITE, ref_write, loc, 0);

	r->ref = ref;
	r->value = value;
	return &r->base;
}

const ir_expr *
ir_new_hole(ir_module *m, struct loc loc)
{
	return &NEW_NODE(m, HOLE, hole, loc, 0)->base;
}

const ir_expr *
ir_new_function(ir_module *m, struct loc loc, const struct ir_function_parts *p)
{
	struct ir_function *f = NEW_NODE(m, FUNCTION, function, loc, 0);

	f->params = arena_copy(&m->arena, p->params,
			       p->nparams * sizeof(*p->params));
	f->nparams = p->nparams;
	f->type_params = arena_copy(&m->arena, p->type_params,
				    p->ntype_params * sizeof(*p->type_params));
	f->ntype_params = p->ntype_params;
	f->ret_type = p->ret_type;
	if (p->ret_inferred)
		f->base.flags |= IR_ANNOTATION_INFERRED;
	f->body = p->body;
	f->attrs = p->attrs;
	f->vdevice = p->vdevice;
	return &f->base;
}

struct ir_function_parts
ir_function_parts(const struct ir_function *f)
{
	return (struct ir_function_parts){
		.params = f->params,
		.nparams = f->nparams,
		.type_params = f->type_params,
		.ntype_params = f->ntype_params,
		.ret_type = f->ret_type,
		.ret_inferred = f->base.flags & IR_ANNOTATION_INFERRED,
		.body = f->body,
		.attrs = f->attrs,
		.vdevice = f->vdevice,
	};
}

static const ir_expr *
new_op_node(ir_module *m, const ir_op *op)
{
	struct ir_op_ref *r = NEW_NODE(m, OP, op_ref, LOC_NONE, 0);

	r->op = op;
	return &r->base;
}

static const ir_expr *
unknown_op_node(ir_module *m, const ir_op *op)
{
	for (size_t i = 0; i < m->unknown_op_nodes.len; i++) {
		const ir_expr *e = m->unknown_op_nodes.at[i];

		if (strcmp(ir_as_op_ref(e)->op->name, op->name) == 0)
			return e;
	}
	vec_push(&m->unknown_op_nodes, new_op_node(m, op));
	return vec_last(&m->unknown_op_nodes);
}

const ir_expr *
ir_op_node(ir_module *m, const ir_op *op)
{
	if (op->id == OP_UNKNOWN)
		return unknown_op_node(m, op);
	if (!m->op_nodes[op->id]) {
		bool valid = m->types_valid;

		m->op_nodes[op->id] = new_op_node(m, op);
		m->types_valid = valid;
	}
	return m->op_nodes[op->id];
}

const ir_expr *
ir_new_scalar(ir_module *m, struct loc loc, struct dtype dtype, double value)
{
	ir_tensor *t = ir_tensor_new(dtype, NULL, 0);
	const ir_expr *e;

	ir_tensor_set_double(t, 0, value);
	e = ir_new_constant(m, loc, t);
	ir_tensor_unref(t);
	return e;
}

const ir_expr *
ir_new_scalar_int(ir_module *m, struct loc loc, struct dtype dtype,
		  int64_t value)
{
	ir_tensor *t = ir_tensor_new(dtype, NULL, 0);
	const ir_expr *e;

	ir_tensor_set_int(t, 0, value);
	e = ir_new_constant(m, loc, t);
	ir_tensor_unref(t);
	return e;
}

const ir_op *
ir_called_op(const ir_expr *e)
{
	const ir_expr *callee;

	if (e->kind != IR_CALL)
		return NULL;
	callee = ir_as_call(e)->callee;
	return callee->kind == IR_OP ? ir_as_op_ref(callee)->op : NULL;
}

bool
ir_is_call_of(const ir_expr *e, enum op_id id)
{
	const ir_op *op = ir_called_op(e);

	return op && op->id == id;
}

bool
ir_is_primitive(const ir_expr *e)
{
	return e->kind == IR_FUNCTION &&
	       ir_dict_int(ir_as_function(e)->attrs, "Primitive", 0) != 0;
}
