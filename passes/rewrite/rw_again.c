/*
 * Definitions that mention themselves:
 *
 *     %chain = cast(%chain | nn.dense(*, *));
 *
 * Each mention inside is the definition once more, at a node of its own. For
 * a match to have an end there must be another choice, and each round must
 * take at least one node.
 */
#include "passes/rewrite/rw_reader.h"

/* Parts that are matched at the node where P is. */
static bool
is_here(const struct rw_node *p, uint32_t i)
{
	return p->kind == RW_ALT || (p->kind == RW_OPT && i == 0);
}

/* P can lead back to the definition without taking a node. */
static bool
takes_nothing(const struct rw_node *p, uint32_t at)
{
	if (p->kind == RW_AGAIN)
		return p->slot == at;
	if (p->kind == RW_PATH)
		return takes_nothing(p->sub[2], at);
	for (uint32_t i = 0; i < p->n; i++)
		if (is_here(p, i) && takes_nothing(p->sub[i], at))
			return true;
	return false;
}

/* P cannot match without the definition. */
static bool
needs_itself(const struct rw_node *p, uint32_t at)
{
	if (p->kind == RW_AGAIN)
		return p->slot == at;
	if (p->kind == RW_ALT) {
		for (uint32_t i = 0; i < p->n; i++)
			if (!needs_itself(p->sub[i], at))
				return false;
		return true;
	}
	for (uint32_t i = 0; i < (p->kind == RW_OPT ? 1 : p->n); i++)
		if (needs_itself(p->sub[i], at))
			return true;
	return p->callee && needs_itself(p->callee, at);
}

bool
rw_check_again(const struct rw_node *def, uint32_t at)
{
	return !takes_nothing(def, at) && !needs_itself(def, at);
}
