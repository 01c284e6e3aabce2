/*
 * aot-lower-main: the network as one function of calls.
 *
 *     %0 = @fused_exp(%x);          @fused_exp(address_of(x[0]),
 *     @fused_add(%0, %y)                 address_of(workspace[0]));
 *                                   @fused_add(address_of(workspace[0]),
 *                                        address_of(y[0]), address_of(out[0]));
 *
 * Values become places: an input, an output, a constant, or an offset in the
 * workspace, where values that do not live at the same time share memory.
 * Tuples vanish. Results are written where the caller wants them; what is a
 * result twice, or an input or constant, is copied at the end.
 *
 * Level: module. Needs: types; main of calls of kernels. Leaves: a primfn.
 */
#include "passes/aot.h"
#include "passes/memory_plan.h"

#include <string.h>

#include "ir/print.h"
#include "ir/tensor.h"
#include "ir/tir.h"

static int64_t
bytes_of(const struct ir_tensor_type *t)
{
	int64_t n = 0;

	ir_shape_size(t, &n);
	return n * (int64_t)dtype_size(t->dtype);
}

static struct place *
new_place(struct aot *a, enum place_kind kind,
	  const struct ir_tensor_type *type, size_t index)
{
	struct place *p = ARENA_NEW(a->arena, struct place);

	p->kind = kind;
	p->type = type;
	p->index = (uint32_t)index;
	p->first = (uint32_t)a->steps.len;
	p->last = p->first;
	return p;
}

typedef VEC(const struct ir_tensor_type *) tensor_type_vec;

/* The tensor types in T, depth first. False if there are others. */
static bool
flatten(struct aot *a, const ir_type *t, struct loc loc, tensor_type_vec *out)
{
	if (t && t->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *tuple = ir_as_tuple_type(t);

		for (uint32_t i = 0; i < tuple->nfields; i++)
			if (!flatten(a, tuple->fields[i], loc, out))
				return false;
		return true;
	}
	if (!t || t->kind != TYPE_TENSOR) {
		pass_error(a->cx, loc,
			   "a value of type %s cannot be laid out in memory",
			   t ? ir_type_text(a->m->cx, t) : "?");
		return false;
	}
	if (!ir_shape_is_static(ir_as_tensor_type(t)))
		a->sizes = true;
	vec_push(out, ir_as_tensor_type(t));
	return true;
}

static struct leaves *
new_leaves(struct aot *a, uint32_t n)
{
	struct leaves *l = ARENA_NEW(a->arena, struct leaves);

	l->n = n;
	l->at = ARENA_NEW_ARRAY(a->arena, n, struct place *);
	return l;
}

static struct leaves *
leaves_of(struct aot *a, const ir_expr *e)
{
	while (e->kind == IR_VAR && ir_map_get(&a->bound, e))
		e = ir_map_get(&a->bound, e);
	while (e->kind == IR_LET)
		e = ir_as_let(e)->body;
	if (e->kind == IR_VAR && ir_map_get(&a->bound, e))
		return leaves_of(a, e);
	return ir_map_get(&a->values, e);
}

static bool
add_constant(struct aot *a, const ir_expr *e)
{
	const ir_tensor *data = ir_as_constant(e)->data;
	tensor_type_vec t = {0};
	struct leaves *l;

	if (!data) {
		pass_error(a->cx, e->loc,
			   "constant meta[relay.Constant][%u] has no value",
			   ir_as_constant(e)->meta_index);
		return false;
	}
	if (!flatten(a, e->type, e->loc, &t))
		return false;
	l = new_leaves(a, 1);
	l->at[0] = new_place(a, PLACE_CONSTANT, t.at[0], a->constant_list.len);
	vec_free(&t);
	vec_push(&a->constant_list, e);
	vec_push(&a->constant_at, a->constant_bytes);
	a->constant_bytes += ((int64_t)data->nbytes + 63) / 64 * 64;
	ir_map_put(&a->values, e, l);
	return true;
}

static bool
add_tuple(struct aot *a, const ir_expr *e)
{
	const struct ir_tuple *t = ir_as_tuple(e);
	struct leaves *l;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->nfields; i++)
		n += leaves_of(a, t->fields[i])->n;
	l = new_leaves(a, n);
	n = 0;
	for (uint32_t i = 0; i < t->nfields; i++) {
		const struct leaves *f = leaves_of(a, t->fields[i]);

		for (uint32_t k = 0; k < f->n; k++)
			l->at[n++] = f->at[k];
	}
	ir_map_put(&a->values, e, l);
	return true;
}

/* Which tensor each field of T begins with, and their number; or NULL. */
static const uint32_t *
starts_of(struct aot *a, const struct ir_tuple_type *t, struct loc loc)
{
	const uint32_t *known = ptrmap_get(&a->starts, t);
	uint32_t *starts;
	tensor_type_vec all = {0};
	bool ok = true;

	if (known)
		return known;
	starts = ARENA_NEW_ARRAY(a->arena, t->nfields + 1, uint32_t);
	for (uint32_t i = 0; i < t->nfields && ok; i++) {
		ok = flatten(a, t->fields[i], loc, &all);
		starts[i + 1] = (uint32_t)all.len;
	}
	vec_free(&all);
	if (!ok)
		return NULL;
	ptrmap_put(&a->starts, t, starts);
	return starts;
}

static bool
add_projection(struct aot *a, const ir_expr *e)
{
	const struct ir_proj *p = ir_as_proj(e);
	const struct ir_tuple_type *t = ir_as_tuple_type(ir_type_of(p->tuple));
	const struct leaves *all = leaves_of(a, p->tuple);
	const uint32_t *starts = starts_of(a, t, e->loc);
	struct leaves *l;

	if (!starts)
		return false;
	starts += p->index;
	l = new_leaves(a, starts[1] - starts[0]);
	memcpy(l->at, all->at + starts[0], l->n * sizeof(struct place *));
	ir_map_put(&a->values, e, l);
	return true;
}

static bool
is_external(const struct aot *a, const ir_def *def)
{
	return pass_option_bool(a->cx, "externals") &&
	       def->kind == DEF_FUNCTION &&
	       (ir_dict_get(def->fn->attrs, "Compiler") ||
		ir_dict_get(def->fn->attrs, "Extern"));
}

/* The kernel that E calls, or NULL after saying why there is none. */
static const tir_func *
called_kernel(struct aot *a, const ir_expr *e)
{
	const struct ir_call *call = ir_as_call(e);
	const struct ir_global *g;

	if (ir_called_op(e)) {
		pass_error(a->cx, e->loc,
			   "operator '%s' was not lowered; run -lower-te and "
			   "-lower-tir first",
			   ir_called_op(e)->name);
		return NULL;
	}
	if (call->callee->kind != IR_GLOBAL) {
		pass_error(a->cx, e->loc,
			   "a call of a function value cannot "
			   "be compiled yet");
		return NULL;
	}
	g = ir_as_global(call->callee);
	if (!g->def || g->def->kind == DEF_TE) {
		pass_error(a->cx, e->loc,
			   "'@%s' was not lowered; run -lower-tir first",
			   g->name);
		return NULL;
	}
	if (is_external(a, g->def)) {
		const tir_func *f = aot_external(a, g->def);

		if (!f)
			pass_error(
				a->cx, e->loc,
				"external function '@%s' takes or gives more "
				"than arrays of known shapes",
				g->name);
		return f;
	}
	if (g->def->kind != DEF_TIR) {
		pass_error(a->cx, e->loc,
			   "'@%s' is a function, not a kernel; -inline-all "
			   "may help",
			   g->name);
		return NULL;
	}
	return g->def->tir;
}

static void
use(struct aot *a, struct place *p)
{
	p->last = (uint32_t)a->steps.len;
}

/* Memory that kernel K wants for itself as its parameter I. */
static struct place *
temporary(struct aot *a, const tir_func *k, uint32_t i)
{
	const struct tir_buffer *b = k->params[i].buffer;
	struct ir_dim dim = DIM(b && b->size > 0 ? b->size : 0);
	const ir_type *t = ir_type_tensor(
		a->m->cx, b ? b->dtype : DTYPE(UINT, 8), &dim, 1);
	struct place *p =
		new_place(a, PLACE_WORK, ir_as_tensor_type(t), a->work.len);

	p->count = b && b->extent ? b : NULL;
	vec_push(&a->work, p);
	return p;
}

static bool
add_step(struct aot *a, const ir_expr *e, const tir_func *k,
	 const tensor_type_vec *results)
{
	const struct ir_call *call = ir_as_call(e);
	struct leaves *out = new_leaves(a, (uint32_t)results->len);
	struct step s = {.kernel = k, .loc = e->loc};
	bool sized = ir_dict_get(k->attrs, "sizes") != NULL;
	uint32_t nparams = k->nparams - (sized && k->nparams);

	s.sized = sized;
	s.args = ARENA_NEW_ARRAY(a->arena, nparams, struct place *);
	for (uint32_t i = 0; i < call->nargs; i++) {
		const struct leaves *l = leaves_of(a, call->args[i]);

		for (uint32_t j = 0; j < l->n && s.n < nparams; j++) {
			use(a, l->at[j]);
			s.args[s.n++] = l->at[j];
		}
	}
	s.ninputs = s.n;
	for (uint32_t i = 0; i < results->len && s.n < nparams; i++) {
		struct place *p =
			new_place(a, PLACE_WORK, results->at[i], a->work.len);

		vec_push(&a->work, p);
		out->at[i] = s.args[s.n++] = p;
	}
	s.noutputs = s.n - s.ninputs;
	for (; s.n < nparams; s.n++)
		s.args[s.n] = temporary(a, k, s.n + sized);
	if (s.n != nparams || s.noutputs != results->len) {
		pass_error(a->cx, e->loc,
			   "kernel '@%s' takes %u buffers, the "
			   "call passes %u",
			   k->name, nparams, s.n);
		return false;
	}
	vec_push(&a->steps, s);
	ir_map_put(&a->values, e, out);
	return true;
}

static bool
add_call(struct aot *a, const ir_expr *e)
{
	const tir_func *k = called_kernel(a, e);
	tensor_type_vec results = {0};
	bool ok = k && flatten(a, e->type, e->loc, &results) &&
		  add_step(a, e, k, &results);

	vec_free(&results);
	return ok;
}

static bool
add_input(struct aot *a, const struct ir_var *v)
{
	const ir_type *t = v->base.type ? v->base.type : v->annotation;
	tensor_type_vec types = {0};
	struct leaves *l;

	if (!flatten(a, t, v->base.loc, &types))
		return false;
	l = new_leaves(a, (uint32_t)types.len);
	for (uint32_t i = 0; i < types.len; i++) {
		l->at[i] =
			new_place(a, PLACE_INPUT, types.at[i], a->inputs.len);
		vec_push(&a->inputs, l->at[i]);
	}
	vec_free(&types);
	ir_map_put(&a->values, &v->base, l);
	return true;
}

/* Does E, which is used, lie in memory? What branches or is a function not. */
static bool
is_laid_out(struct aot *a, const ir_expr *e)
{
	if (e->kind == IR_GLOBAL || e->kind == IR_OP || leaves_of(a, e))
		return true;
	if (e->type && e->type->kind == TYPE_FUNC)
		pass_error(a->cx, e->loc,
			   "a value of type %s cannot be laid out in memory",
			   ir_type_text(a->m->cx, e->type));
	else
		pass_error(a->cx, e->loc,
			   "control flow and data types cannot be compiled "
			   "yet; relay-run --engine=interp runs them");
	return false;
}

static bool
operands_are_laid_out(struct aot *a, const ir_expr *e)
{
	uint32_t first = e->kind == IR_CALL ? 1 : 0;
	bool ok = true;

	if (e->kind != IR_CALL && e->kind != IR_TUPLE && e->kind != IR_PROJ)
		return true;
	for (uint32_t i = first; i < ir_num_operands(e) && ok; i++)
		ok = is_laid_out(a, ir_operand(e, i));
	return ok;
}

static bool
add_node(struct aot *a, const ir_expr *e)
{
	if (!operands_are_laid_out(a, e))
		return false;
	switch ((enum ir_kind)e->kind) {
	case IR_CONSTANT:
		return add_constant(a, e);
	case IR_TUPLE:
		return add_tuple(a, e);
	case IR_PROJ:
		return add_projection(a, e);
	case IR_CALL:
		return add_call(a, e);
	case IR_VAR:
		if (ir_map_get(&a->bound, e) || ir_map_get(&a->values, e))
			return true;
		pass_error(a->cx, e->loc, "variable '%%%s' is not bound",
			   ir_as_var(e)->name);
		return false;
	case IR_LET:
	case IR_GLOBAL:
	case IR_OP:
		return true;
	default:
		pass_error(a->cx, e->loc,
			   "control flow and data types cannot be compiled "
			   "yet; relay-run --engine=interp runs them");
		return false;
	}
}

static bool
note_let(const ir_expr *e, void *env)
{
	struct aot *a = env;

	if (e->kind == IR_LET)
		ir_map_put(&a->bound, &ir_as_let(e)->var->base,
			   ir_as_let(e)->value);
	return e->kind != IR_FUNCTION && e->kind != IR_IF &&
	       e->kind != IR_MATCH;
}

/* Results are written to the outputs, or copied there. */
static void
take_results(struct aot *a)
{
	const struct leaves *l = leaves_of(a, a->fn->body);

	for (uint32_t i = 0; i < l->n; i++) {
		struct place *p = l->at[i];

		if (p->kind == PLACE_WORK) {
			p->kind = PLACE_OUTPUT;
			p->index = (uint32_t)a->outputs.len;
		} else {
			struct place *out = new_place(a, PLACE_OUTPUT, p->type,
						      a->outputs.len);
			struct copy c = {p, out};

			vec_push(&a->copies, c);
			p = out;
		}
		vec_push(&a->outputs, p);
	}
}

static void
plan(struct aot *a)
{
	struct plan_value *v =
		ARENA_NEW_ARRAY(a->arena, a->work.len, struct plan_value);
	uint32_t n = 0;

	for (size_t i = 0; i < a->work.len; i++) {
		const struct place *p = a->work.at[i];

		if (p->kind != PLACE_WORK)
			continue;
		v[n++] = (struct plan_value){.bytes = bytes_of(p->type),
					     .first = p->first,
					     .last = p->last};
	}
	a->workspace_bytes =
		memory_plan(v, n, pass_option_bool(a->cx, "reuse"));
	pass_count(a->cx, "workspace-bytes", (unsigned)a->workspace_bytes);
	pass_count(a->cx, "live-bytes-peak", (unsigned)memory_plan_peak(v, n));
	n = 0;
	for (size_t i = 0; i < a->work.len; i++)
		if (a->work.at[i]->kind == PLACE_WORK)
			a->work.at[i]->index = n++;
	/* From here on the index is an offset, counted in lines. */
	for (size_t i = 0; i < a->work.len; i++)
		if (a->work.at[i]->kind == PLACE_WORK)
			a->work.at[i]->index =
				(uint32_t)(v[a->work.at[i]->index].offset /
					   MEMORY_PLAN_ALIGN);
}

/* What the code of main refers to. */
struct signature {
	tir_func *f;
	const struct tir_buffer *constants;
	const struct tir_buffer *workspace;
};

/* HINT as a name of the text that no parameter before has. */
static const char *
buffer_name(struct aot *a, const char *hint)
{
	char *s = arena_printf(a->arena, "%s", hint);
	const char *name, *first;
	uintptr_t next;
	bool is_new;

	for (char *p = s; *p; p++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUV"
			    "WXYZ0123456789_",
			    *p))
			*p = '_';
	if (!*s || (*s >= '0' && *s <= '9'))
		s = arena_printf(a->arena, "_%s", s);
	name = first = ir_name(a->m->cx, s);
	next = *ptrmap_add(&a->names, first, &is_new);
	while (!is_new) {
		name = ir_namef(a->m->cx, "%s_%u", s, (unsigned)++next);
		ptrmap_add(&a->names, name, &is_new);
	}
	ptrmap_put(&a->names, first, (void *)next);
	return name;
}

struct tir_buffer *
aot_add_param(struct aot *a, tir_func *f, const char *hint, struct dtype t,
	      int64_t size)
{
	uint32_t n = f->nparams;
	const char *name = buffer_name(a, hint);
	struct tir_buffer *b;

	f->params[n].var = tir_new_var(a->m, ir_namef(a->m->cx, "%s_1", name),
				       DTYPE(HANDLE, 64));
	b = tir_new_buffer(a->m, name, t, size, TIR_GLOBAL);
	f->params[n].buffer = b;
	f->nparams++;
	return b;
}

static int64_t
elements_of(const struct ir_tensor_type *t)
{
	int64_t n = 0;

	ir_shape_size(t, &n);
	return n;
}

static void
add_params(struct aot *a, struct signature *s)
{
	size_t n = a->inputs.len + a->outputs.len + 2, input = 0;

	s->f->params = ARENA_NEW_ARRAY(&a->m->arena, n, struct tir_param);
	for (uint32_t i = 0; i < a->fn->nparams; i++) {
		const struct ir_var *v = a->fn->params[i];
		const struct leaves *l = ir_map_get(&a->values, &v->base);

		for (uint32_t k = 0; k < l->n; k++, input++)
			aot_add_param(a, s->f, v->name, l->at[k]->type->dtype,
				      elements_of(l->at[k]->type));
	}
	for (size_t i = 0; i < a->outputs.len; i++)
		aot_add_param(a, s->f, "out", a->outputs.at[i]->type->dtype,
			      elements_of(a->outputs.at[i]->type));
	s->constants = aot_add_param(a, s->f, "constants", DTYPE(UINT, 8),
				     a->constant_bytes);
	if (!a->constant_bytes)
		s->f->params[s->f->nparams - 1].buffer = NULL;
	aot_add_param(a, s->f, "workspace", DTYPE(UINT, 8), a->workspace_bytes)
		->align = MEMORY_PLAN_ALIGN;
	s->workspace = s->f->params[s->f->nparams - 1].buffer;
}

/* The buffer behind P and the element where it begins. */
static const struct tir_buffer *
buffer_of(struct aot *a, const struct signature *s, const struct place *p,
	  int64_t *at)
{
	*at = 0;
	switch (p->kind) {
	case PLACE_INPUT:
		return s->f->params[p->index].buffer;
	case PLACE_OUTPUT:
		return s->f->params[a->inputs.len + p->index].buffer;
	case PLACE_CONSTANT:
		*at = a->constant_at.at[p->index];
		return s->constants;
	case PLACE_WORK:
		break;
	}
	*at = (int64_t)p->index * MEMORY_PLAN_ALIGN;
	return s->workspace;
}

static const tir_expr *
address(struct aot *a, const struct signature *s, const struct place *p)
{
	int64_t at;
	const struct tir_buffer *b = buffer_of(a, s, p, &at);
	struct dtype t = at > INT32_MAX ? DTYPE(INT, 64) : DTYPE(INT, 32);

	return tir_address_of(a->m, b, tir_int(a->m, t, at));
}

static tir_stmt *
call_stmt(struct aot *a, const struct signature *s, const struct step *step)
{
	tir_stmt *c = tir_new_stmt(a->m, TIR_CALL_FUNC);

	c->loc = step->loc;
	c->call.func = step->kernel->name;
	c->call.n = step->n;
	c->call.args = ARENA_NEW_ARRAY(&a->m->arena, step->n, const tir_expr *);
	for (uint32_t i = 0; i < step->n; i++)
		c->call.args[i] = address(a, s, step->args[i]);
	return c;
}

/* Constants lie among bytes: their copy goes through a view. */
static tir_stmt *
copy_stmt(struct aot *a, const struct signature *s, const struct copy *c)
{
	const tir_expr *args[3];
	tir_stmt *e = tir_new_stmt(a->m, TIR_EVAL);

	args[0] = address(a, s, c->to);
	args[1] = address(a, s, c->from);
	args[2] = tir_int(a->m, DTYPE(INT, 64), bytes_of(c->to->type));
	e->eval = tir_call_extern(a->m, ir_name(a->m->cx, "memcpy"),
				  DTYPE(HANDLE, 64), args, 3);
	return e;
}

const ir_dict *
aot_constants(struct aot *a, const ir_dict *d)
{
	ir_context *cx = a->m->cx;
	ir_attr *list =
		ARENA_NEW_ARRAY(a->arena, a->constant_list.len, ir_attr);

	for (size_t i = 0; i < a->constant_list.len; i++)
		list[i] = (ir_attr){.kind = ATTR_EXPR,
				    .expr = a->constant_list.at[i]};
	if (a->constant_list.len)
		d = ir_dict_with(cx, d, ir_name(cx, "constants"),
				 ir_attr_array(cx, list,
					       (uint32_t)a->constant_list.len));
	return d;
}

static void
write_main(struct aot *a)
{
	tir_func *f = ARENA_NEW(&a->m->arena, tir_func);
	struct signature s = {.f = f};
	tir_stmt *ret = tir_new_stmt(a->m, TIR_RETURN);

	f->name = a->def->name;
	f->loc = a->def->loc;
	f->relay_type = ir_type_of(&a->fn->base);
	f->attrs = ir_dict_with(a->m->cx, NULL,
				ir_name(a->m->cx, "workspace_bytes"),
				ATTR_INT32(a->workspace_bytes));
	f->attrs = aot_constants(a, f->attrs);
	f->body = tir_seq(a->m);
	add_params(a, &s);
	for (size_t i = 0; i < a->steps.len; i++)
		tir_seq_add(a->m, f->body, call_stmt(a, &s, &a->steps.at[i]));
	for (size_t i = 0; i < a->copies.len; i++)
		tir_seq_add(a->m, f->body, copy_stmt(a, &s, &a->copies.at[i]));
	ret->ret = tir_int(a->m, DTYPE(INT, 32), 0);
	tir_seq_add(a->m, f->body, ret);
	a->def->kind = DEF_TIR;
	a->def->tir = f;
	a->def->fn = NULL;
}

static void
note_node(const ir_expr *e, void *env)
{
	struct aot *a = env;

	vec_push(&a->nodes, e);
}

static bool
read_main(struct aot *a)
{
	bool ok = true;

	for (uint32_t i = 0; i < a->fn->nparams && ok; i++)
		ok = add_input(a, a->fn->params[i]);
	if (!ok)
		return false;
	ir_walk(a->fn->body, note_let, note_node, a);
	for (size_t i = 0; i < a->nodes.len && ok; i++)
		ok = add_node(a, a->nodes.at[i]);
	return ok && is_laid_out(a, a->fn->body);
}

/* A literal that is called where it stands: its body over the arguments. */
static const ir_expr *
inline_literal(const ir_expr *e, const ir_expr *old, void *env)
{
	const struct ir_call *call = ir_as_call(e);
	const struct ir_function *fn;
	struct ir_map map = {0};
	const ir_expr *body;

	(void)old;
	if (call->callee->kind != IR_FUNCTION || ir_is_primitive(call->callee))
		return NULL;
	fn = ir_as_function(call->callee);
	if (!fn->body || fn->nparams != call->nargs)
		return NULL;
	for (uint32_t i = 0; i < fn->nparams; i++)
		ir_map_put(&map, &fn->params[i]->base, call->args[i]);
	body = ir_substitute(env, fn->body, &map);
	ir_map_free(&map);
	return body;
}

/* FN without calls of literals, as fuse-ops leaves around tuples. */
static const struct ir_function *
without_literals(ir_module *m, const struct ir_function *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = inline_literal}};

	return ir_function_with_body(m, fn, ir_rewrite(m, fn->body, &rules, m));
}

bool
pass_aot_lower_main(pass_ctx *cx)
{
	struct aot a = {.cx = cx, .m = cx->module, .arena = cx->scratch};
	bool ok;

	a.def = ir_module_find(a.m, ir_name(a.m->cx, "main"));
	if (!a.def) {
		pass_error(cx, LOC_NONE, "the module has no '@main'");
		return false;
	}
	if (a.def->kind != DEF_FUNCTION)
		return false;
	a.fn = without_literals(a.m, a.def->fn);
	ok = read_main(&a);
	if (ok)
		take_results(&a);
	if (ok)
		aot_write_externals(&a);
	if (ok && a.sizes) {
		ok = aot_write_sized(&a);
	} else if (ok) {
		plan(&a);
		write_main(&a);
	}
	ir_map_free(&a.values);
	ptrmap_free(&a.names);
	ptrmap_free(&a.starts);
	ir_map_free(&a.bound);
	vec_free(&a.inputs);
	vec_free(&a.outputs);
	vec_free(&a.work);
	vec_free(&a.constant_list);
	vec_free(&a.constant_at);
	vec_free(&a.steps);
	vec_free(&a.copies);
	vec_free(&a.externals);
	vec_free(&a.nodes);
	return ok;
}
