/*
 * manifest-lifetimes: say where values are used for the last time.
 *
 *     let %y = add(%x, %x);          let %y = add(%x, %x);
 *     let %z = exp(%y);    becomes   let %x_0 = memory.kill(%x);
 *     %z                             let %z = exp(%y);
 *                                    let %x_1 = memory.kill(%y);
 *                                    %z
 *
 * A variable that a binding uses and nothing after it is killed behind that
 * binding; one that only some arms of a conditional or match use, in those.
 * Other names of a variable are replaced by it first. Bodies of closures are
 * left alone: what they capture may be needed again.
 *
 * Functions should be in A-normal form: what is not bound is not killed, and
 * what several places share stays as it is.
 *
 * Level: function. Needs: types.
 */
#include "passes/fresh_names.h"
#include "passes/pass.h"

struct block {
	size_t lets;         /* of the chain; on the stack of lets */
	const ir_expr *body; /* what follows, finished */
	const ir_expr *fork; /* whose arms are worked on, or NULL */
	bool is_tail;        /* FORK is the end of the chain */
	uint32_t arm;        /* operand of FORK */
	size_t arms;         /* on the stack of finished arms */
	size_t mark;         /* of the log, before the arm */
	size_t kept;         /* of what earlier arms used */
};

struct lifetimes {
	pass_ctx *cx;
	ir_module *m;
	struct fresh_names *names;
	struct ir_map live; /* variable -> non-null */
	struct ir_map uses; /* node -> how often it is an operand */
	ir_expr_vec log;    /* variables made live */
	ir_expr_vec kept;
	ir_expr_vec arms;
	ir_expr_vec operands;
	VEC(const struct ir_let *) lets;
	VEC(struct block) blocks;
};

static bool
is_live(const struct lifetimes *l, const ir_expr *v)
{
	return ir_map_get(&l->live, v) != NULL;
}

static void
make_live(struct lifetimes *l, const ir_expr *v)
{
	if (is_live(l, v))
		return;
	ir_map_put(&l->live, v, v);
	vec_push(&l->log, v);
}

/* memory.kill of V in front of BODY, at the place LOC of its last use. */
static const ir_expr *
kill(struct lifetimes *l, const ir_expr *v, struct loc loc, const ir_expr *body)
{
	const ir_expr *var = ir_new_var(l->m, loc, fresh_name(l->names), NULL);

	pass_count(l->cx, "kills", 1);
	return ir_new_let(
		l->m, loc, ir_as_var(var),
		ir_new_op_call(l->m, loc, OP_memory_kill, &v, 1, NULL), body);
}

/*
 * What E uses, but SELF, becomes live; what was not is killed in front of
 * BODY, if there is one.
 */
static const ir_expr *
use(struct lifetimes *l, const ir_expr *e, const struct ir_var *self,
    struct loc loc, const ir_expr *body)
{
	ir_expr_vec vars = {0};

	if (e->kind == IR_VAR)
		vec_push(&vars, e);
	else
		ir_free_vars(e, &vars);
	for (size_t i = vars.len; body && i-- > 0;)
		if (!is_live(l, vars.at[i]) && vars.at[i] != &self->base)
			body = kill(l, vars.at[i], loc, body);
	for (size_t i = 0; i < vars.len; i++)
		if (!self || vars.at[i] != &self->base)
			make_live(l, vars.at[i]);
	vec_free(&vars);
	return body;
}

/* Does no more than one place use E? What is made of it goes there alone. */
static bool
is_own(const struct lifetimes *l, const ir_expr *e)
{
	return (uintptr_t)ir_map_get(&l->uses, e) <= 1;
}

static bool
is_fork(const struct lifetimes *l, const ir_expr *e)
{
	return (e->kind == IR_IF || e->kind == IR_MATCH) && is_own(l, e);
}

/* Begin with the arms of FORK, the last thing or the value of a let. */
static void
open_fork(struct lifetimes *l, const ir_expr *fork, bool is_tail)
{
	struct block *b = &vec_last(&l->blocks);

	b->fork = fork;
	b->is_tail = is_tail;
	b->arm = 0;
	b->arms = l->arms.len;
	b->kept = l->kept.len;
}

static void
open_block(struct lifetimes *l, const ir_expr *e)
{
	struct block b = {.lets = l->lets.len};

	for (; e->kind == IR_LET && is_own(l, e); e = ir_as_let(e)->body)
		vec_push(&l->lets, ir_as_let(e));
	vec_push(&l->blocks, b);
	if (is_fork(l, e)) {
		open_fork(l, e, true);
		return;
	}
	use(l, e, NULL, e->loc, NULL);
	vec_last(&l->blocks).body = e;
}

/* An arm is done: put what it alone used aside. */
static void
close_arm(struct lifetimes *l, struct block *b)
{
	while (l->log.len > b->mark) {
		const ir_expr *v = vec_pop(&l->log);

		if (!is_live(l, v))
			continue;
		ir_map_put(&l->live, v, NULL);
		vec_push(&l->kept, v);
	}
}

static void
bind(struct lifetimes *l, struct block *b, const ir_expr *value,
     const ir_expr *uses)
{
	const struct ir_let *let = vec_pop(&l->lets);
	const ir_expr *body = use(l, uses, let->var, let->value->loc, b->body);

	b->body = ir_new_let(l->m, let->base.loc, let->var, value, body);
	ir_map_put(&l->live, &let->var->base, NULL);
}

/* All arms are done. */
static void
close_fork(struct lifetimes *l, struct block *b)
{
	const ir_expr *fork = b->fork;
	const ir_expr *now;

	while (l->kept.len > b->kept)
		make_live(l, vec_pop(&l->kept));
	vec_clear(&l->operands);
	vec_push(&l->operands, ir_operand(fork, 0));
	for (size_t i = b->arms; i < l->arms.len; i++)
		vec_push(&l->operands, l->arms.at[i]);
	l->arms.len = b->arms;
	now = ir_with_operands(l->m, fork, l->operands.at, false);
	b->fork = NULL;
	if (b->is_tail) {
		use(l, ir_operand(fork, 0), NULL, fork->loc, NULL);
		b->body = now;
	} else {
		bind(l, b, now, ir_operand(fork, 0));
	}
}

static void
step(struct lifetimes *l)
{
	struct block *b = &vec_last(&l->blocks);
	const struct ir_let *let;

	if (b->fork && ++b->arm < ir_num_operands(b->fork)) {
		b->mark = l->log.len;
		open_block(l, ir_operand(b->fork, b->arm));
		return;
	}
	if (b->fork) {
		close_fork(l, b);
		return;
	}
	if (l->lets.len > b->lets) {
		let = vec_last(&l->lets);
		/* What follows does not need the variable before it is. */
		ir_map_put(&l->live, &let->var->base, NULL);
		if (is_fork(l, let->value))
			open_fork(l, let->value, false);
		else
			bind(l, b, let->value, let->value);
		return;
	}
	vec_push(&l->arms, b->body);
	(void)vec_pop(&l->blocks);
	if (l->blocks.len)
		close_arm(l, &vec_last(&l->blocks));
}

struct aliases {
	struct ir_map of; /* variable -> the one it names */
};

static void
note_alias(const struct ir_let *let, const ir_expr *value, void *env)
{
	struct aliases *a = env;

	if (value->kind == IR_VAR)
		ir_map_put(&a->of, &let->var->base, value);
}

static const ir_expr *
replace_alias(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	return ir_map_get(&((struct aliases *)env)->of, e);
}

static const ir_expr *
drop_alias(const ir_expr *e, const ir_expr *old, void *env)
{
	struct aliases *a = env;

	if (!ir_map_get(&a->of, &ir_as_let(old)->var->base))
		return e;
	return ir_as_let(e)->body;
}

static const struct ir_rules alias_rules = {
	.on = {[IR_VAR] = replace_alias, [IR_LET] = drop_alias},
	.bound = note_alias,
};

const struct ir_function *
pass_manifest_lifetimes(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct lifetimes l = {.cx = cx, .m = cx->module};
	struct aliases aliases = {{0}};
	const ir_expr *body;

	(void)def;
	if (!fn->body || ir_is_primitive(&fn->base))
		return fn;
	body = ir_rewrite(cx->module, fn->body, &alias_rules, &aliases);
	l.names = fresh_names_of_run(cx, "x_");
	ir_use_counts(body, &l.uses);
	open_block(&l, body);
	while (l.blocks.len)
		step(&l);
	body = l.arms.at[0];
	ir_map_free(&aliases.of);
	ir_map_free(&l.live);
	ir_map_free(&l.uses);
	vec_free(&l.log);
	vec_free(&l.kept);
	vec_free(&l.arms);
	vec_free(&l.operands);
	vec_free(&l.lets);
	vec_free(&l.blocks);
	return ir_function_with_body(cx->module, fn, body);
}
