/*
 * The engine: innermost rewriting with a memo.
 *
 * A node is rebuilt from its finished operands and shown to the rules of its
 * root. What a rule makes takes the node's place and is worked on in turn: the
 * new nodes in it first, and then the rules again. Each finished node is
 * remembered, so a shared node is worked on once.
 *
 * How many users a node has is counted before a round and kept up while nodes
 * are replaced, but users that vanish are not taken off; so rounds follow
 * until one changes nothing.
 */
#include "passes/rewrite/rw_set.h"

#include <string.h>

#include "passes/rewrite/rw_fn.h"
#include "te/interp.h"

/* Applications allowed: this many, and so many for each node. */
enum { FUEL = 10000, FUEL_PER_NODE = 64, MAX_ROUNDS = 100 };

/* E is worked on; at the end, REPLACED (if set) says what stands for it. */
struct frame {
	const ir_expr *e;
	const ir_expr *replaced;
	uint32_t next;
};

/* A rule that fits at LOC, but may not be applied. */
struct refusal {
	struct loc loc;
	const struct rw_rule *rule;
	const char *why;
};

struct run {
	pass_ctx *cx;
	ir_module *m;
	struct rw_set *set;
	bool effects; /* IMPURE tells of which nodes */
	struct rw_env env;
	struct rw_match match;
	struct ir_map memo;
	struct ir_map uses;
	struct ir_set impure;   /* nodes that have effects, or may */
	struct ir_set original; /* nodes counted before the round */
	VEC(struct frame) stack;
	VEC(const ir_expr *) operands;
	VEC(const ir_expr *) built; /* slots of the replacement */
	const ir_expr *made;        /* by accept */
	bool remarks;
	VEC(struct refusal) refusals; /* of this round */
	struct loc remarked;          /* the last remark's place */
	unsigned again;               /* how often it was there */
	uint64_t applied;
	uint64_t fuel;
	bool first_round; /* all nodes are those of the module */
	bool failed;
};

static uintptr_t
uses_of(const struct run *r, const ir_expr *e)
{
	return (uintptr_t)ir_map_get(&r->uses, e);
}

static void
add_uses(struct run *r, const ir_expr *e, uintptr_t n)
{
	ir_map_put(&r->uses, e, (const void *)(uses_of(r, e) + n));
}

/* Count the operands of the new nodes of E, which is to replace a node. */
static void
count_new(struct run *r, const ir_expr *root)
{
	VEC(const ir_expr *) todo = {0};

	vec_push(&todo, root);
	while (todo.len) {
		const ir_expr *e = vec_pop(&todo);

		if (!ir_set_add(&r->original, e))
			continue;
		for (uint32_t i = 0; i < ir_num_operands(e); i++) {
			add_uses(r, ir_operand(e, i), 1);
			vec_push(&todo, ir_operand(e, i));
		}
	}
	vec_free(&todo);
}

/* Remember why a rule that fits is not applied; always false. */
static bool
refuse(struct run *r, const struct rw_match *m, const char *why)
{
	struct refusal f = {m->root->loc, m->rule, why};

	if (r->remarks &&
	    (r->refusals.len == 0 || vec_last(&r->refusals).rule != f.rule ||
	     memcmp(&vec_last(&r->refusals).loc, &f.loc, sizeof(f.loc)) != 0))
		vec_push(&r->refusals, f);
	return false;
}

static void
print_refusals(const struct run *r)
{
	for (size_t i = 0; i < r->refusals.len; i++) {
		const struct refusal *f = &r->refusals.at[i];

		pass_remark(r->cx, f->loc,
			    "rule \"%s\" is not applied here: %s",
			    f->rule->name, f->why);
	}
}

static bool
is_inner(const struct rw_match *m, const ir_expr *e)
{
	for (size_t i = 0; i < m->inner.len; i++)
		if (m->inner.at[i] == e)
			return true;
	return false;
}

/* X is E, or an operand of E or of a node below it made since FIRST. */
static bool
mentions(const ir_expr *e, const ir_expr *x, uint32_t first)
{
	ir_expr_vec todo = {0};
	bool found = false;

	vec_push(&todo, e);
	while (todo.len && !found) {
		const ir_expr *at = vec_pop(&todo);

		found = at == x;
		for (uint32_t i = 0; at->id >= first && i < ir_num_operands(at);
		     i++)
			vec_push(&todo, ir_operand(at, i));
	}
	vec_free(&todo);
	return found;
}

/* All that has effects in the match is in E, made since FIRST, as well. */
static bool
keeps_effects(const struct run *r, const struct rw_match *m, const ir_expr *e,
	      uint32_t first)
{
	if (!r->effects || !ir_set_has(&r->impure, m->root))
		return true;
	for (size_t i = 0; i < m->inner.len; i++) {
		const ir_expr *user = m->inner.at[i];

		for (uint32_t k = 0; k < ir_num_operands(user); k++) {
			const ir_expr *x = ir_operand(user, k);

			if (ir_set_has(&r->impure, x) && !is_inner(m, x) &&
			    !mentions(e, x, first))
				return false;
		}
	}
	return true;
}

/* A node that a rule made has effects if one of its operands has. */
static void
mark_effects(struct run *r, const ir_expr *e)
{
	if (!r->effects || e->kind == IR_FUNCTION ||
	    ir_set_has(&r->set->purity.known, e))
		return;
	for (uint32_t i = 0; i < ir_num_operands(e); i++)
		if (ir_set_has(&r->impure, ir_operand(e, i)))
			(void)ir_set_add(&r->impure, e);
}

/* The pattern fits: do the users, the condition and the type, too? */
static bool
accept(struct rw_match *m, void *env)
{
	struct run *r = env;
	const struct rw_rule *rule = m->rule;
	uint32_t first = r->m->next_id;
	const ir_expr *e;

	if (!rule->shared && !rw_match_is_private(m, &r->uses))
		return refuse(r, m, "a node inside the match has other users");
	vec_reserve(&r->built, rule->nslots);
	if (rule->nslots)
		memset(r->built.at, 0, rule->nslots * sizeof(*r->built.at));
	r->env.match = m;
	r->env.built = r->built.at;
	if (rule->when && !rw_holds(&r->env, rule->when))
		return false;
	e = rw_build(&r->env, rule->result);
	if (!e || e == m->root)
		return false;
	if (!keeps_effects(r, m, e, first))
		return refuse(r, m, "it would drop what has effects");
	if (!rw_infer(&r->env, e) || !ir_type_equal(e->type, m->root->type))
		return refuse(r, m, "its replacement has another type");
	r->made = e;
	return true;
}

/* Rules that come to no end would remark on one place for ever. */
static void
remark_applied(struct run *r, const ir_expr *e, const struct rw_rule *rule)
{
	enum { MOST = 20 };

	if (r->remarked.off != e->loc.off || r->remarked.span != e->loc.span) {
		r->remarked = e->loc;
		r->again = 0;
	}
	if (r->again++ < MOST)
		pass_remark(r->cx, e->loc, "rule \"%s\" is applied",
			    rule->name);
}

/* What the first rule that fits makes of E, or NULL. */
static const ir_expr *
apply(struct run *r, const ir_expr *e)
{
	uint32_t n;
	const struct rw_rule *const *rules = rw_set_at(r->set, e, &n);

	if (!e->type)
		return NULL;
	for (uint32_t i = 0; i < n && !r->failed; i++) {
		if (!rw_match_at(&r->match, rules[i], e))
			continue;
		if (!pass_may_rewrite(r->cx))
			return NULL;
		if (++r->applied > r->fuel) {
			pass_error(r->cx, e->loc,
				   "rule \"%s\" is applied again and again: "
				   "the rules come to no end",
				   rules[i]->name);
			r->failed = true;
			return NULL;
		}
		pass_count(r->cx, rules[i]->name, 1);
		remark_applied(r, e, rules[i]);
		return r->made;
	}
	return NULL;
}

/* E with its finished operands. */
static const ir_expr *
rebuild(struct run *r, const ir_expr *e)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr *to;

	if (n == 0)
		return e;
	vec_reserve(&r->operands, n);
	for (uint32_t i = 0; i < n; i++)
		r->operands.at[i] = ir_map_get(&r->memo, ir_operand(e, i));
	to = ir_with_operands(r->m, e, r->operands.at, true);
	if (to != e) {
		(void)ir_set_add(&r->original, to);
		add_uses(r, to, uses_of(r, e));
		if (r->effects && ir_set_has(&r->impure, e))
			(void)ir_set_add(&r->impure, to);
	}
	return to;
}

static void
push(struct run *r, const ir_expr *e)
{
	struct frame f = {.e = e};

	vec_push(&r->stack, f);
}

/* All operands of the frame at the top are done. */
static void
finish(struct run *r)
{
	struct frame *top = &vec_last(&r->stack);
	const ir_expr *old = top->e;
	const ir_expr *e;
	const ir_expr *to;

	mark_effects(r, old);
	e = rebuild(r, old);
	to = apply(r, e);
	if (to) {
		count_new(r, to);
		add_uses(r, to, uses_of(r, e));
		top->replaced = to;
		if (!ir_map_get(&r->memo, to))
			push(r, to);
		return;
	}
	(void)vec_pop(&r->stack);
	ir_map_put(&r->memo, old, e);
	ir_map_put(&r->memo, e, e);
}

static void
step(struct run *r)
{
	struct frame *top = &vec_last(&r->stack);

	if (top->replaced) {
		const ir_expr *old = top->e;
		const ir_expr *to = ir_map_get(&r->memo, top->replaced);

		(void)vec_pop(&r->stack);
		ir_map_put(&r->memo, old, to);
		return;
	}
	while (top->next < ir_num_operands(top->e)) {
		const ir_expr *e = ir_operand(top->e, top->next++);

		if (!ir_map_get(&r->memo, e)) {
			push(r, e);
			return;
		}
	}
	finish(r);
}

static void
count_node(const ir_expr *e, void *env)
{
	struct run *r = env;

	(void)ir_set_add(&r->original, e);
	r->fuel += FUEL_PER_NODE;
	if (r->effects && r->first_round && !purity_is_pure(&r->set->purity, e))
		(void)ir_set_add(&r->impure, e);
}

static const ir_expr *
run_round(struct run *r, const ir_expr *root)
{
	const ir_expr *out;

	r->fuel = FUEL;
	r->applied = 0;
	vec_clear(&r->refusals);
	ir_use_counts(root, &r->uses);
	ir_walk(root, NULL, count_node, r);
	push(r, root);
	while (r->stack.len)
		step(r);
	out = ir_map_get(&r->memo, root);
	ir_map_free(&r->memo);
	ir_map_free(&r->uses);
	ir_set_free(&r->original);
	return out;
}

const ir_expr *
rw_set_run(struct rw_set *s, pass_ctx *cx, const ir_expr *root,
	   const struct rw_options *o)
{
	struct run r = {
		.cx = cx,
		.m = cx->module,
		.set = s,
		.env = {.cx = cx, .m = cx->module, .reassoc = o->reassoc},
		.match = {.accept = accept},
	};
	const ir_expr *e = root;

	r.match.env = &r;
	diag_init(&r.env.quiet, "rewrite", NULL);
	r.env.quiet.quiet = true;
	r.remarks = pass_wants_remarks(cx);
	r.effects = rw_set_has_effects(s, cx->module);
	for (int i = 0; i < MAX_ROUNDS && !r.failed; i++) {
		const ir_expr *next;

		r.first_round = i == 0;
		next = run_round(&r, e);

		if (!r.applied)
			break;
		e = next;
	}
	print_refusals(&r);
	interp_free(r.env.interp);
	vec_free(&r.refusals);
	rw_match_free(&r.match);
	ir_set_free(&r.impure);
	vec_free(&r.stack);
	vec_free(&r.operands);
	vec_free(&r.built);
	return r.failed ? root : e;
}
