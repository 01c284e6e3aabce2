/*
 * memory-plan: one storage for all tensors of a block.
 *
 *     let %storage_0 = memory.alloc_storage(24i64, ...);
 *     let %tensor_0 = memory.alloc_tensor(%storage_0, 0i64, ...);
 *     ...
 *     let %storage_1 = memory.alloc_storage(40i64, ...);
 *     let %tensor_1 = memory.alloc_tensor(%storage_1, 0i64, ...);
 *
 * becomes
 *
 *     let %region0 = memory.alloc_storage(128i64, ...);
 *     let %storage_0 = %region0;
 *     let %tensor_0 = memory.alloc_tensor(%region0, 0i64, ...);
 *     ...
 *     let %storage_1 = %region0;
 *     let %tensor_1 = memory.alloc_tensor(%region0, 64i64, ...);
 *
 * for storages of one type, device and alignment whose sizes are constants.
 * A block is the body of a function or a branch: its lets, without what is in
 * their values. Tensors of a region lie side by side; with the option reuse
 * those that do not live at once may lie in the same place.
 *
 * Level: function. Needs: types.
 */
#include "passes/memory_plan.h"

#include "ir/rewrite.h"
#include "passes/devices/vdevice.h"
#include "passes/pass.h"

static const struct dtype int64 = {DTYPE_INT, 64, 1};

/* A storage of constant size in the block at hand. */
struct storage {
	const struct ir_var *var;
	const struct ir_call *call; /* memory.alloc_storage */
	int64_t bytes;
	int64_t align;
	uint32_t at;   /* number of the let */
	uint32_t last; /* the last one that may look at it */
	uint32_t users;
	uint32_t same; /* storages that are looked at together */
	struct region *region;
	int64_t offset;
};

struct region {
	const struct ir_var *var;
	const struct storage *first;
	int64_t bytes;
	uint32_t n;
	struct region *next;
};

struct planner {
	pass_ctx *cx;
	ir_module *m;
	bool reuse;
	unsigned nregions;    /* of the function */
	struct ir_map uses;   /* of nodes, in the function */
	struct ir_map blocks; /* to what they became */
	struct ir_map names;  /* variable -> number of a storage, + 1 */
	VEC(const struct ir_let *) lets;
	VEC(struct storage) storages;
	struct region *regions; /* of the block, the newest first */
};

static const struct ir_call *
as_call_of(const ir_expr *e, enum op_id op)
{
	e = below_on_device(e);
	return ir_is_call_of(e, op) ? ir_as_call(e) : NULL;
}

/* The integer that E is a constant of; false: it is none. */
static bool
as_int(const ir_expr *e, int64_t *out)
{
	const ir_tensor *t = NULL;

	e = below_on_device(e);
	if (e->kind == IR_CONSTANT)
		t = ir_as_constant(e)->data;
	if (!t || ir_tensor_size(t) != 1 || !dtype_is_int(t->dtype))
		return false;
	*out = ir_tensor_get_int(t, 0);
	return true;
}

static struct storage *
storage_of(struct planner *p, const ir_expr *e)
{
	uintptr_t i = (uintptr_t)ir_map_get(&p->names, e);

	return i ? &p->storages.at[i - 1] : NULL;
}

/* ------------------------------------------------------------- looking -- */

static void
find_storage(struct planner *p, uint32_t at)
{
	const struct ir_let *l = p->lets.at[at];
	struct storage s = {.var = l->var, .at = at, .last = at};

	s.call = as_call_of(l->value, OP_memory_alloc_storage);
	if (!s.call || !as_int(s.call->args[0], &s.bytes) ||
	    !as_int(s.call->args[2], &s.align) || s.bytes < 0 || s.align <= 0)
		return;
	s.same = (uint32_t)p->storages.len;
	vec_push(&p->storages, s);
	ir_map_put(&p->names, &l->var->base,
		   (void *)(uintptr_t)p->storages.len);
}

/* Tensors at constant places may move with their storage. */
static void
find_tensor(struct planner *p, const struct ir_let *l)
{
	const struct ir_call *c = as_call_of(l->value, OP_memory_alloc_tensor);
	const struct ir_call *k = as_call_of(l->value, OP_memory_kill);
	struct storage *s;
	int64_t offset;

	if (c && as_int(c->args[1], &offset)) {
		s = storage_of(p, c->args[0]);
		if (s)
			s->users++;
	} else if (k) {
		s = storage_of(p, k->args[0]);
		if (s)
			s->users++;
	}
}

static uint32_t
group_of(struct planner *p, uint32_t i)
{
	while (p->storages.at[i].same != i) {
		p->storages.at[i].same =
			p->storages.at[p->storages.at[i].same].same;
		i = p->storages.at[i].same;
	}
	return i;
}

/* What comes out of VALUE may be in what it mentions. */
static bool
may_share(const ir_expr *value)
{
	return !as_call_of(value, OP_vm_invoke_tvm_op) &&
	       !as_call_of(value, OP_memory_kill);
}

/*
 * Number AT looks at what VALUE mentions; what it gives is bound to VAR, or
 * is the result.
 */
static void
find_uses(struct planner *p, const ir_expr *value, const struct ir_var *var,
	  uint32_t at)
{
	bool joins = var && may_share(value);
	uint32_t all = UINT32_MAX;
	ir_expr_vec vars = {0};

	if (value->kind == IR_VAR)
		vec_push(&vars, value);
	else
		ir_free_vars(value, &vars);
	for (size_t i = 0; i < vars.len; i++) {
		uintptr_t n = (uintptr_t)ir_map_get(&p->names, vars.at[i]);
		uint32_t g = n ? group_of(p, (uint32_t)n - 1) : UINT32_MAX;

		if (!n)
			continue;
		p->storages.at[g].last = at;
		if (joins && all != UINT32_MAX)
			p->storages.at[g].same = all;
		else
			all = g;
	}
	vec_free(&vars);
	if (joins && all != UINT32_MAX && !ir_map_get(&p->names, &var->base))
		ir_map_put(&p->names, &var->base, (void *)(uintptr_t)(all + 1));
}

static void
find_lifetimes(struct planner *p, const ir_expr *result)
{
	uint32_t n = (uint32_t)p->lets.len;

	for (uint32_t i = 0; i < n; i++)
		find_uses(p, p->lets.at[i]->value, p->lets.at[i]->var, i);
	find_uses(p, result, NULL, n);
	for (uint32_t i = 0; i < p->storages.len; i++)
		p->storages.at[i].last = p->storages.at[group_of(p, i)].last;
}

/* ------------------------------------------------------------- planning -- */

static bool
fits(const struct region *r, const struct storage *s)
{
	return r->first->align == s->align &&
	       r->first->call->attrs == s->call->attrs;
}

static struct region *
region_for(struct planner *p, const struct storage *s)
{
	struct region *r = p->regions;

	while (r && !fits(r, s))
		r = r->next;
	if (r)
		return r;
	r = ARENA_NEW(p->cx->scratch, struct region);
	*r = (struct region){.first = s, .next = p->regions};
	r->var = ir_as_var(ir_new_var(
		p->m, s->var->base.loc,
		ir_namef(p->m->cx, "region%u", p->nregions++), NULL));
	p->regions = r;
	return r;
}

/* Let storages of R that do not live at once share places. */
static void
place(struct planner *p, struct region *r)
{
	struct plan_value *v = xcalloc(r->n, sizeof(*v));
	int64_t align = r->first->align;
	uint32_t n = 0;

	for (size_t i = 0; i < p->storages.len; i++) {
		const struct storage *s = &p->storages.at[i];

		if (s->region == r)
			v[n++] = (struct plan_value){
				.bytes = (s->bytes + align - 1) / align * align,
				.first = s->at,
				.last = s->last,
			};
	}
	r->bytes = memory_plan(v, n, true);
	for (size_t i = p->storages.len; i-- > 0;)
		if (p->storages.at[i].region == r)
			p->storages.at[i].offset = v[--n].offset;
	free(v);
}

static void
plan(struct planner *p)
{
	for (size_t i = 0; i < p->storages.len; i++) {
		struct storage *s = &p->storages.at[i];
		uintptr_t uses = (uintptr_t)ir_map_get(&p->uses, &s->var->base);

		/* Others would not know where it begins. */
		if (uses != s->users || s->bytes > INT64_MAX / 4)
			continue;
		s->region = region_for(p, s);
		s->region->n++;
		s->offset = s->region->bytes;
		s->region->bytes +=
			(s->bytes + s->align - 1) / s->align * s->align;
	}
	/* Its places are multiples of 64 only. */
	for (struct region *r = p->regions; r && p->reuse; r = r->next)
		if (r->first->align <= MEMORY_PLAN_ALIGN &&
		    MEMORY_PLAN_ALIGN % r->first->align == 0)
			place(p, r);
}

/* ------------------------------------------------------------- building -- */

/* OLD, which may be within on_device, with NOW for what is in there. */
static const ir_expr *
wrapped(struct planner *p, const ir_expr *old, const ir_expr *now)
{
	const struct ir_call *c = as_on_device(old);

	if (!c)
		return now;
	return ir_new_call(p->m, old->loc, c->callee, &now, 1, c->attrs);
}

static const ir_expr *
like_constant(struct planner *p, const ir_expr *old, int64_t n)
{
	return wrapped(p, old, ir_new_scalar_int(p->m, old->loc, int64, n));
}

static const ir_expr *
shape_of_bytes(struct planner *p, struct loc loc, int64_t n)
{
	int64_t one = 1;
	ir_tensor *t = ir_tensor_new(int64, &one, 1);
	const ir_expr *e;

	ir_tensor_set_int(t, 0, n);
	e = ir_new_constant(p->m, loc, t);
	ir_tensor_unref(t);
	return e;
}

static const ir_expr *
region_value(struct planner *p, const struct region *r)
{
	const struct ir_call *c = r->first->call;
	const ir_expr *let = p->lets.at[r->first->at]->value;
	int64_t size = (int64_t)dtype_size(ir_attrs_dtype(c->attrs, "dtype"));
	const ir_expr *args[] = {
		like_constant(p, c->args[0], r->bytes),
		wrapped(p, c->args[1],
			shape_of_bytes(p, c->base.loc,
				       r->bytes / (size ? size : 1))),
		c->args[2],
	};

	return wrapped(p, let,
		       ir_new_op_call(p->m, c->base.loc,
				      OP_memory_alloc_storage, args, 3,
				      c->attrs));
}

/* The value of the let L with regions in place of storages. */
static const ir_expr *
new_value(struct planner *p, const struct ir_let *l)
{
	const struct ir_call *c = as_call_of(l->value, OP_memory_alloc_tensor);
	struct storage *s = storage_of(p, &l->var->base);
	const ir_expr *args[3];
	int64_t offset = 0;

	if (s && s->var == l->var)
		return s->region ? &s->region->var->base : l->value;
	if (!c)
		return l->value;
	s = storage_of(p, c->args[0]);
	if (!s || !s->region || &s->var->base != c->args[0] ||
	    !as_int(c->args[1], &offset))
		return l->value;
	args[0] = &s->region->var->base;
	args[1] = like_constant(p, c->args[1], offset + s->offset);
	args[2] = c->args[2];
	return wrapped(p, l->value,
		       ir_new_op_call(p->m, c->base.loc, OP_memory_alloc_tensor,
				      args, 3, c->attrs));
}

static const ir_expr *
rebuild(struct planner *p, const ir_expr *result)
{
	const ir_expr *e = result;

	for (size_t i = p->lets.len; i-- > 0;) {
		const struct ir_let *l = p->lets.at[i];
		const ir_expr *operands[] = {new_value(p, l), e};

		e = ir_with_operands(p->m, &l->base, operands, true);
	}
	for (struct region *r = p->regions; r; r = r->next) {
		e = ir_new_let(p->m, r->first->var->base.loc, r->var,
			       region_value(p, r), e);
		pass_count(p->cx, "regions", 1);
	}
	return e;
}

static const ir_expr *
plan_block(struct planner *p, const ir_expr *e)
{
	const ir_expr *block = e, *done = ir_map_get(&p->blocks, e);

	/* Branches may share one. */
	if (done || e->kind != IR_LET)
		return done ? done : e;
	vec_clear(&p->lets);
	vec_clear(&p->storages);
	p->regions = NULL;
	for (; e->kind == IR_LET; e = ir_as_let(e)->body)
		vec_push(&p->lets, ir_as_let(e));
	for (uint32_t i = 0; i < p->lets.len; i++)
		find_storage(p, i);
	for (uint32_t i = 0; i < p->lets.len && p->storages.len; i++)
		find_tensor(p, p->lets.at[i]);
	if (p->reuse && p->storages.len)
		find_lifetimes(p, e);
	plan(p);
	e = p->regions ? rebuild(p, e) : block;
	ir_map_put(&p->blocks, block, e);
	if (p->storages.len) {
		ir_map_free(&p->names);
		p->names = (struct ir_map){0};
	}
	return e;
}

static const ir_expr *
plan_branches(const ir_expr *e, const ir_expr *old, void *env)
{
	struct planner *p = env;
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands =
		ARENA_NEW_ARRAY(p->cx->scratch, n, const ir_expr *);

	(void)old;
	operands[0] = ir_operand(e, 0);
	for (uint32_t i = 1; i < n; i++)
		operands[i] = plan_block(p, ir_operand(e, i));
	return ir_with_operands(p->m, e, operands, true);
}

static const ir_expr *
plan_function(const ir_expr *e, const ir_expr *old, void *env)
{
	struct planner *p = env;
	const struct ir_function *f = ir_as_function(e);

	(void)old;
	if (!f->body)
		return e;
	return &ir_function_with_body(p->m, f, plan_block(p, f->body))->base;
}

static bool
enter(const ir_expr *e, void *env)
{
	(void)env;
	return !ir_is_primitive(e);
}

static void
find_write(const ir_expr *e, void *env)
{
	bool *found = env;

	*found |= e->kind == IR_REF_WRITE;
}

/* What a reference holds lives on, where lets do not show it. */
static bool
writes_references(const struct ir_function *fn)
{
	bool found = false;

	ir_walk(&fn->base, NULL, find_write, &found);
	return found;
}

const struct ir_function *
pass_memory_plan(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	static const struct ir_rules rules = {
		.on = {[IR_FUNCTION] = plan_function,
		       [IR_IF] = plan_branches,
		       [IR_MATCH] = plan_branches},
		.enter = enter,
	};
	struct planner p = {
		.cx = cx,
		.m = cx->module,
	};

	(void)def;
	if (!fn->body)
		return fn;
	p.reuse = pass_option_bool(cx, "reuse") && !writes_references(fn);
	ir_use_counts(&fn->base, &p.uses);
	fn = ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, &p));
	ir_map_free(&p.uses);
	ir_map_free(&p.blocks);
	ir_map_free(&p.names);
	vec_free(&p.lets);
	vec_free(&p.storages);
	return fn;
}
