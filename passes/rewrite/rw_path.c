/*
 * Patterns of paths. path(FROM, STEP, TO) fits E if TO does, and every way up
 * from E leads over nodes that fit STEP to one node, which fits FROM. Constants
 * and variables beside the way do not count, but no node of it may have
 * nothing else. Names are bound by FROM and TO; STEP is a test.
 */
#include "passes/rewrite/rw_goal.h"

/* Nodes that a path may pass: keeps the time at one node bounded. */
enum { MAX_PATH = 64 };

struct path {
	const struct rw_node *from, *step;
	const ir_expr *found;
	VEC(const ir_expr *) seen;
};

static bool
fits_alone(struct rw_match *m, const struct rw_node *p, const ir_expr *e)
{
	struct rw_mark mark = rw_mark_here(m);
	bool (*accept)(struct rw_match *, void *) = m->accept;
	struct rw_goal g = {p, e, NULL};
	bool ok;

	m->accept = NULL;
	ok = rw_solve(m, &g);
	m->accept = accept;
	rw_undo(m, mark);
	return ok;
}

static bool
saw(struct path *p, const ir_expr *e)
{
	for (size_t i = 0; i < p->seen.len; i++)
		if (p->seen.at[i] == e)
			return true;
	vec_push(&p->seen, e);
	return false;
}

/* Put what E takes on the list of nodes to look at. */
static bool
follow_up(struct rw_match *m, struct path *path, const ir_expr *e)
{
	bool leads_on = false;

	/* What is called is no way up. */
	for (uint32_t i = e->kind == IR_CALL; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (x == path->found ||
		    (!path->found && fits_alone(m, path->from, x))) {
			path->found = x;
			leads_on = true;
			continue;
		}
		if (x->kind == IR_CONSTANT || x->kind == IR_VAR)
			continue;
		leads_on = true;
		if (!fits_alone(m, path->step, x))
			return false;
		(void)saw(path, x);
		if (path->seen.len > MAX_PATH)
			return false;
	}
	return leads_on;
}

bool
rw_solve_path(struct rw_match *m, const struct rw_node *p, const ir_expr *e,
	      const struct rw_goal *next)
{
	struct path path = {.from = p->sub[0], .step = p->sub[1]};
	struct rw_goal to, from;
	bool ok = follow_up(m, &path, e);

	for (size_t i = 0; ok && i < path.seen.len; i++)
		ok = follow_up(m, &path, path.seen.at[i]);
	ok = ok && path.found;
	for (size_t i = 0; ok && i < path.seen.len; i++)
		vec_push(&m->inner, path.seen.at[i]);
	vec_free(&path.seen);
	if (!ok)
		return false;
	from = (struct rw_goal){p->sub[0], path.found, next};
	to = (struct rw_goal){p->sub[2], e, &from};
	return rw_solve(m, &to);
}
