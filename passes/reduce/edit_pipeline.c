/*
 * Edits of pipelines. Parentheses nest a hundred deep at most, so recursion
 * will do.
 */
#include "passes/reduce/reduce.h"

static void
drop_in(struct reduce_edit *x, struct pass_step **link)
{
	while (*link) {
		if (reduce_site(x)) {
			*link = (*link)->next;
			continue;
		}
		drop_in(x, &(*link)->inner);
		link = &(*link)->next;
	}
}

void
reduce_drop_steps(struct reduce_edit *x)
{
	drop_in(x, &x->pipeline->first);
}

/* What is in the parentheses takes the place of the combinator. */
static void
unwrap_in(struct reduce_edit *x, struct pass_step **link)
{
	while (*link) {
		struct pass_step *step = *link;
		struct pass_step **end = &step->inner;

		unwrap_in(x, &step->inner);
		if (step->kind == STEP_PASS || step->kind == STEP_PRINT ||
		    !reduce_site(x)) {
			link = &step->next;
			continue;
		}
		while (*end)
			end = &(*end)->next;
		*end = step->next;
		*link = step->inner;
		while (*link != step->next)
			link = &(*link)->next;
	}
}

void
reduce_unwrap_steps(struct reduce_edit *x)
{
	unwrap_in(x, &x->pipeline->first);
}

static void
drop_options_in(struct reduce_edit *x, struct pass_step *step)
{
	for (; step; step = step->next) {
		if (step->kind != STEP_PASS) {
			drop_options_in(x, step->inner);
			continue;
		}
		for (size_t i = 0; step->info->options[i].name; i++)
			if (step->values[i] && reduce_site(x))
				step->values[i] = NULL;
	}
}

void
reduce_drop_options(struct reduce_edit *x)
{
	drop_options_in(x, x->pipeline->first);
}
