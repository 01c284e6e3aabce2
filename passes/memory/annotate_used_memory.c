/*
 * annotate-used-memory: how much memory is in use when kernels of main run.
 *
 *     let %f = fn (%p, Primitive=1, used_memory=[32, 48]) { ... };
 *
 * tells for each call of %f, in the order of the text, the bytes of all
 * tensors that live then: what it reads and gives, and what is read later.
 * io_used_memory of main is what its parameters and its result take.
 *
 * Level: module. Needs: types, A-normal form: kernels that are not bound by a
 * let, and calls of others, are not counted.
 */
#include "passes/pass.h"

#include "ir/print.h"
#include "ir/rewrite.h"
#include "passes/devices/vdevice.h"
#include "passes/outline.h"

typedef VEC(int64_t) bytes_vec;

/* A kernel that a let binds, and what is used at its calls, last one first. */
struct kernel {
	bytes_vec used;
};

struct usage {
	pass_ctx *cx;
	ir_module *m;
	struct ir_map kernels; /* variable -> struct kernel */
	struct ir_map bound;   /* literal -> struct kernel */
	VEC(struct kernel *) all;
	struct ir_map live; /* variable -> itself */
	int64_t bytes;      /* of what lives */
	ir_expr_vec log;    /* what was made live, for branches */
	bool skip_dynamic;
	bool skipped;
};

/* Bytes of tensors in T, at LOC; 0 and a message if nobody knows. */
static int64_t
bytes_of(struct usage *u, const ir_type *t, struct loc loc)
{
	const struct ir_tensor_type *tensor;
	int64_t n, sum = 0;

	if (u->skipped || u->cx->failed || !t || t->kind == TYPE_FUNC)
		return 0;
	if (t->kind == TYPE_TUPLE) {
		for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
			sum += bytes_of(u, ir_as_tuple_type(t)->fields[i], loc);
		return sum;
	}
	tensor = t->kind == TYPE_TENSOR ? ir_as_tensor_type(t) : NULL;
	if (tensor && ir_shape_size(tensor, &n))
		return n * ((tensor->dtype.bits * tensor->dtype.lanes + 7) / 8);
	u->skipped = true;
	if (!u->skip_dynamic)
		pass_error(
			u->cx, loc,
			"the size of a value of type %s is known at run time "
			"only",
			ir_type_text(u->m->cx, t));
	return 0;
}

static int64_t
bytes_of_var(struct usage *u, const ir_expr *v)
{
	return bytes_of(u, v->type, v->loc);
}

static bool
is_live(const struct usage *u, const ir_expr *v)
{
	return ir_map_get(&u->live, v) != NULL;
}

static void
make_live(struct usage *u, const ir_expr *v)
{
	if (is_live(u, v))
		return;
	ir_map_put(&u->live, v, v);
	u->bytes += bytes_of_var(u, v);
	vec_push(&u->log, v);
}

static void
end_life(struct usage *u, const ir_expr *v)
{
	if (!is_live(u, v))
		return;
	ir_map_put(&u->live, v, NULL);
	u->bytes -= bytes_of_var(u, v);
}

static void
use(struct usage *u, const ir_expr *e)
{
	ir_expr_vec vars = {0};

	if (e->kind == IR_VAR)
		vec_push(&vars, e);
	else
		ir_free_vars(e, &vars);
	for (size_t i = 0; i < vars.len; i++)
		make_live(u, vars.at[i]);
	vec_free(&vars);
}

static void block(struct usage *u, const ir_expr *e);

/*
 * The branches of E, the last one first; each begins with what lives behind E.
 */
static void
branches(struct usage *u, const ir_expr *e)
{
	ir_expr_vec used = {0};

	for (uint32_t i = ir_num_operands(e); i-- > 1;) {
		size_t mark = u->log.len;

		block(u, ir_operand(e, i));
		while (u->log.len > mark) {
			const ir_expr *v = vec_pop(&u->log);

			if (is_live(u, v))
				vec_push(&used, v);
			end_life(u, v);
		}
	}
	for (size_t i = 0; i < used.len; i++)
		make_live(u, used.at[i]);
	vec_free(&used);
	use(u, ir_operand(e, 0));
}

/* What lives in front of the let L, from what lives behind it. */
static void
let(struct usage *u, const struct ir_let *l)
{
	const ir_expr *value = below_on_device(l->value);
	struct kernel *k = NULL;

	if (value->kind == IR_IF || value->kind == IR_MATCH) {
		branches(u, value);
		end_life(u, &l->var->base);
		return;
	}
	if (value->kind == IR_CALL)
		k = ir_map_get(&u->kernels, ir_as_call(value)->callee);
	use(u, value);
	if (k)
		vec_push(&k->used, u->bytes);
	end_life(u, &l->var->base);
}

static void
block(struct usage *u, const ir_expr *e)
{
	VEC(const struct ir_let *) lets = {0};

	for (; e->kind == IR_LET; e = ir_as_let(e)->body)
		vec_push(&lets, ir_as_let(e));
	if (e->kind == IR_IF || e->kind == IR_MATCH)
		branches(u, e);
	else
		use(u, e);
	while (lets.len)
		let(u, vec_pop(&lets));
	vec_free(&lets);
}

static void
find_kernel(const ir_expr *e, void *env)
{
	struct usage *u = env;
	const struct ir_let *l;
	struct kernel *k;

	if (e->kind != IR_LET)
		return;
	l = ir_as_let(e);
	if (!ir_is_primitive(below_on_device(l->value)))
		return;
	k = ARENA_NEW(u->cx->scratch, struct kernel);
	ir_map_put(&u->kernels, &l->var->base, k);
	ir_map_put(&u->bound, below_on_device(l->value), k);
	vec_push(&u->all, k);
}

static ir_attr
bytes_attr(int64_t n)
{
	return (ir_attr){
		.kind = ATTR_INT, .bits = n <= INT32_MAX ? 32 : 64, .i = n};
}

static const ir_expr *
annotate(const ir_expr *e, const ir_expr *old, void *env)
{
	struct usage *u = env;
	const struct kernel *k = ir_map_get(&u->bound, old);
	struct ir_function_parts parts = ir_function_parts(ir_as_function(e));
	const ir_expr *now;
	ir_attr *list;
	size_t n;

	if (!k)
		return e;
	n = k->used.len;
	list = ARENA_NEW_ARRAY(u->cx->scratch, n, ir_attr);
	for (size_t i = 0; i < n; i++)
		list[i] = bytes_attr(k->used.at[n - 1 - i]);
	parts.attrs = ir_dict_with(u->m->cx, parts.attrs,
				   ir_name(u->m->cx, "used_memory"),
				   ir_attr_array(u->m->cx, list, (uint32_t)n));
	now = ir_new_function(u->m, e->loc, &parts);
	ir_set_type(now, old->type);
	return now;
}

/* Parameters and result of F. */
static int64_t
bytes_of_io(struct usage *u, const struct ir_function *f)
{
	int64_t n = bytes_of(u, f->body->type, f->body->loc);

	for (uint32_t i = 0; i < f->nparams; i++)
		n += bytes_of_var(u, &f->params[i]->base);
	return n;
}

static const struct ir_function *
annotate_main(struct usage *u, const struct ir_function *f, int64_t io)
{
	static const struct ir_rules rules = {.on = {[IR_FUNCTION] = annotate}};
	const ir_expr *e = ir_rewrite(u->m, &f->base, &rules, u);
	struct ir_function_parts parts = ir_function_parts(ir_as_function(e));
	const ir_expr *now;

	parts.attrs = ir_dict_with(u->m->cx, parts.attrs,
				   ir_name(u->m->cx, "io_used_memory"),
				   bytes_attr(io));
	now = ir_new_function(u->m, e->loc, &parts);
	ir_set_type(now, e->type);
	return ir_as_function(now);
}

bool
pass_annotate_used_memory(pass_ctx *cx)
{
	struct usage u = {
		.cx = cx,
		.m = cx->module,
		.skip_dynamic = pass_option_bool(cx, "skip-dynamic"),
	};
	ir_def *main = ir_module_find(u.m, ir_name(u.m->cx, "main"));
	bool changed = false;
	int64_t io;

	if (!main || main->kind != DEF_FUNCTION || !main->fn->body)
		return false;
	io = bytes_of_io(&u, main->fn);
	ir_walk(&main->fn->base, NULL, find_kernel, &u);
	if (!u.skipped)
		block(&u, main->fn->body);
	if (!u.skipped && !cx->failed) {
		main->fn = annotate_main(&u, main->fn, io);
		cx->keeps_types = changed = true;
	} else if (!cx->failed) {
		pass_remark_missed(cx, main->loc,
				   "sizes are known at run time only");
	}
	for (size_t i = 0; i < u.all.len; i++)
		vec_free(&u.all.at[i]->used);
	vec_free(&u.all);
	vec_free(&u.log);
	ir_map_free(&u.kernels);
	ir_map_free(&u.bound);
	ir_map_free(&u.live);
	return changed;
}
