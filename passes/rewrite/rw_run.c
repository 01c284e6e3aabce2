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
#include "passes/rewrite/rw_engine.h"

#include <string.h>

#include "te/interp.h"

/* Applications allowed: this many, and so many for each node. */
enum { FUEL = 10000, FUEL_PER_NODE = 64, MAX_ROUNDS = 100 };

static uintptr_t
uses_of(const struct rw_engine *r, const ir_expr *e)
{
	return (uintptr_t)ir_map_get(&r->uses, e);
}

static void
add_uses(struct rw_engine *r, const ir_expr *e, uintptr_t n)
{
	ir_map_put(&r->uses, e, (const void *)(uses_of(r, e) + n));
}

/* Count the operands of the new nodes of E, which is to replace a node. */
static void
count_new(struct rw_engine *r, const ir_expr *root)
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
refuse(struct rw_engine *r, const struct rw_match *m, const char *why)
{
	struct rw_refusal f = {m->root->loc, m->rule, why};

	if (r->remarks &&
	    (r->refusals.len == 0 || vec_last(&r->refusals).rule != f.rule ||
	     memcmp(&vec_last(&r->refusals).loc, &f.loc, sizeof(f.loc)) != 0))
		vec_push(&r->refusals, f);
	return false;
}

static void
print_refusals(const struct rw_engine *r)
{
	for (size_t i = 0; i < r->refusals.len; i++) {
		const struct rw_refusal *f = &r->refusals.at[i];

		pass_remark(r->cx, f->loc,
			    "rule \"%s\" is not applied here: %s",
			    f->rule->name, f->why);
	}
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
keeps_effects(const struct rw_engine *r, const struct rw_match *m,
	      const ir_expr *e, uint32_t first)
{
	if (!r->effects || !ir_set_has(&r->impure, m->root))
		return true;
	for (size_t i = 0; i < m->inner.len; i++) {
		const ir_expr *user = m->inner.at[i];

		for (uint32_t k = 0; k < ir_num_operands(user); k++) {
			const ir_expr *x = ir_operand(user, k);

			if (ir_set_has(&r->impure, x) && !rw_match_has(m, x) &&
			    !mentions(e, x, first) && !mentions(e, user, first))
				return false;
		}
	}
	return true;
}

void
rw_mark_effects(struct rw_engine *r, const ir_expr *e)
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
	struct rw_engine *r = env;
	const struct rw_rule *rule = m->rule;
	uint32_t first = r->m->next_id;
	const ir_expr *e;

	for (size_t i = 0; r->sweeping && i < m->inner.len; i++)
		if (ir_set_has(&r->taken, m->inner.at[i]))
			return false;
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
remark_applied(struct rw_engine *r, const ir_expr *e,
	       const struct rw_rule *rule)
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

const ir_expr *
rw_try(struct rw_engine *r, const struct rw_rule *rule, const ir_expr *e)
{
	if (!rw_match_at(&r->match, rule, e)) {
		if (r->match.tired) {
			pass_error(r->cx, e->loc,
				   "rule \"%s\" has too many ways to fit here",
				   rule->name);
			r->failed = true;
		}
		return NULL;
	}
	if (!pass_may_rewrite(r->cx))
		return NULL;
	if (++r->applied > r->fuel) {
		pass_error(r->cx, e->loc,
			   "rule \"%s\" is applied again and again: "
			   "the rules come to no end",
			   rule->name);
		r->failed = true;
		return NULL;
	}
	pass_count(r->cx, rule->name, 1);
	remark_applied(r, e, rule);
	return r->made;
}

/* What the first rule that fits makes of E, or NULL. */
static const ir_expr *
apply(struct rw_engine *r, const ir_expr *e)
{
	uint32_t n;
	const struct rw_rule *const *rules = rw_set_at(r->set, e, &n);
	const ir_expr *made = NULL;

	for (uint32_t i = 0; e->type && i < n && !made && !r->failed; i++)
		made = rw_try(r, rules[i], e);
	return made;
}

/* E with its finished operands. */
static const ir_expr *
rebuild(struct rw_engine *r, const ir_expr *e)
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
push(struct rw_engine *r, const ir_expr *e)
{
	struct rw_frame f = {.e = e};

	vec_push(&r->stack, f);
}

/* All operands of the frame at the top are done. */
static void
finish(struct rw_engine *r)
{
	struct rw_frame *top = &vec_last(&r->stack);
	const ir_expr *old = top->e;
	const ir_expr *e;
	const ir_expr *to;

	rw_mark_effects(r, old);
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
step(struct rw_engine *r)
{
	struct rw_frame *top = &vec_last(&r->stack);

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
	struct rw_engine *r = env;

	(void)ir_set_add(&r->original, e);
	r->fuel += FUEL_PER_NODE;
	if (r->effects && r->first_round && !purity_is_pure(&r->set->purity, e))
		(void)ir_set_add(&r->impure, e);
}

void
rw_begin_round(struct rw_engine *r, const ir_expr *root)
{
	r->fuel = FUEL;
	r->applied = 0;
	vec_clear(&r->refusals);
	ir_use_counts(root, &r->uses);
	ir_walk(root, NULL, count_node, r);
	r->first_round = false;
}

void
rw_end_round(struct rw_engine *r)
{
	ir_map_free(&r->memo);
	ir_map_free(&r->uses);
	ir_set_free(&r->original);
}

static const ir_expr *
run_round(struct rw_engine *r, const ir_expr *root)
{
	const ir_expr *out;

	rw_begin_round(r, root);
	push(r, root);
	while (r->stack.len)
		step(r);
	out = ir_map_get(&r->memo, root);
	rw_end_round(r);
	return out;
}

/* Each rule that is for once, unless DONE says that it has been applied. */
static const ir_expr *
run_sweeps(struct rw_engine *r, const ir_expr *e, bool *done)
{
	for (uint32_t i = 0; i < r->set->nonce && !r->failed; i++) {
		if (done[i])
			continue;
		e = rw_sweep(r, r->set->once[i], e);
		done[i] = r->applied > 0;
	}
	return e;
}

/* Rounds until nothing changes. */
static const ir_expr *
run_rounds(struct rw_engine *r, const ir_expr *e)
{
	bool *done = xcalloc(r->set->nonce + 1, sizeof(*done));

	for (int i = 0; i < MAX_ROUNDS && !r->failed; i++) {
		const ir_expr *next = run_sweeps(r, e, done);

		if (!r->failed)
			next = run_round(r, next);
		if (next == e && !r->applied)
			break;
		e = next;
	}
	free(done);
	return e;
}

const ir_expr *
rw_set_run(struct rw_set *s, pass_ctx *cx, const ir_expr *root,
	   const struct rw_options *o)
{
	struct rw_engine r = {
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
	r.first_round = true;
	e = run_rounds(&r, e);
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
