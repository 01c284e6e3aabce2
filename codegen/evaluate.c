#include "codegen/evaluate.h"

#include "ir/walk.h"
#include "te/interp.h"

/* A callee that becomes a kernel. */
static bool
is_kernel(const ir_expr *callee)
{
	const ir_def *def;

	if (callee->kind == IR_OP || ir_is_primitive(callee))
		return true;
	if (callee->kind != IR_GLOBAL)
		return false;
	def = ir_as_global(callee)->def;
	return def &&
	       (def->kind != DEF_FUNCTION || ir_is_primitive(&def->fn->base));
}

/* A callee that inlining may take away. */
static bool
is_plain_function(const ir_expr *callee)
{
	const ir_def *def =
		callee->kind == IR_GLOBAL ? ir_as_global(callee)->def : NULL;

	return def && def->kind == DEF_FUNCTION && def->fn && def->fn->body &&
	       !ir_dict_get(def->fn->attrs, "Compiler");
}

struct look {
	bool inlined; /* as if calls of functions were */
	bool needed;
};

/* Notes when E is nothing that a list of calls can do. */
static bool
look_at(const ir_expr *e, void *env)
{
	struct look *l = env;

	if (ir_is_primitive(e))
		return false;
	switch (e->kind) {
	case IR_IF:
	case IR_MATCH:
	case IR_REF_NEW:
	case IR_REF_READ:
	case IR_REF_WRITE:
	case IR_CTOR:
	case IR_FUNCTION:
		l->needed = true;
		break;
	case IR_CALL:
		l->needed |= !is_kernel(ir_as_call(e)->callee) &&
			     !(l->inlined &&
			       is_plain_function(ir_as_call(e)->callee));
		break;
	default:
		break;
	}
	return !l->needed;
}

/* Sets *ENV when a dimension of E is not known. */
static bool
look_for_sizes(const ir_expr *e, void *env)
{
	bool *any = env;

	if (e->type && e->kind != IR_GLOBAL && e->type->flags & TYPE_HAS_ANY)
		*any = true;
	return !*any;
}

bool
evaluate_has_sizes(const struct ir_function *main)
{
	bool any = false;

	for (uint32_t i = 0; i < main->nparams; i++)
		look_for_sizes(&main->params[i]->base, &any);
	if (main->body)
		ir_walk(main->body, look_for_sizes, NULL, &any);
	return any;
}

bool
evaluate_is_needed(const struct ir_function *main)
{
	struct look l = {0};

	if (main->body)
		ir_walk(main->body, look_at, NULL, &l);
	return l.needed;
}

bool
evaluate_is_needed_inlined(const struct ir_function *fn)
{
	struct look l = {.inlined = true};

	if (fn->body)
		ir_walk(fn->body, look_at, NULL, &l);
	return l.needed;
}

/* The value for parameter P; NULL after reporting. */
static struct interp_value *
input_of(const struct ir_var *p, struct feed *f)
{
	const struct ir_tensor_type *t;
	ir_tensor *data;
	int64_t shape[64];

	if (p->base.type->kind != TYPE_TENSOR) {
		diag_error(f->diag, p->base.loc,
			   "input '%s' is no tensor: it cannot be given",
			   p->name);
		return NULL;
	}
	t = ir_as_tensor_type(p->base.type);
	if (t->ndim > 64) {
		diag_error(f->diag, p->base.loc,
			   "input '%s' has too many dimensions", p->name);
		return NULL;
	}
	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] =
			ir_dim_is_const(t->shape[i]) ? t->shape[i].value : -1;
	data = feed_tensor(f, p->name, t->dtype, shape, t->ndim);
	return data ? interp_tensor(data) : NULL;
}

/* The tensors in V, depth-first. Data may be deep, so no recursion. */
static void
flatten(struct interp_value *v, ir_tensor ***out, uint32_t *n)
{
	VEC(struct interp_value *) todo = {0};
	VEC(ir_tensor *) found = {0};

	vec_push(&todo, v);
	while (todo.len > 0) {
		v = vec_pop(&todo);
		if (v->kind == INTERP_TENSOR)
			vec_push(&found, ir_tensor_ref(v->tensor));
		else if (v->kind == INTERP_TUPLE || v->kind == INTERP_DATA)
			for (uint32_t i = v->n; i-- > 0;)
				vec_push(&todo, v->at[i]);
	}
	vec_free(&todo);
	*out = found.at;
	*n = (uint32_t)found.len;
}

bool
evaluate_main(ir_module *m, const ir_def *main, struct feed *f,
	      ir_tensor ***out, uint32_t *n)
{
	uint32_t nargs = main->fn->nparams, given = 0;
	struct interp_value **args = xcalloc(nargs + 1, sizeof(*args));
	struct interp *x = interp_new(m, f->diag);
	struct interp_value *v = NULL;

	while (given < nargs) {
		args[given] = input_of(main->fn->params[given], f);
		if (!args[given])
			break;
		given++;
	}
	if (given == nargs)
		v = interp_call(x, main, args, nargs);
	if (v)
		flatten(v, out, n);
	interp_unref(v);
	while (given > 0)
		interp_unref(args[--given]);
	free(args);
	interp_free(x);
	return v != NULL;
}
