/*
 * Matching values against patterns. Neither needs the stack of C: a pattern
 * may nest as deep as the text.
 */
#include "ir/walk.h"
#include "te/interp_internal.h"

/* A pattern and the value that it stands against. */
struct attempt {
	const ir_pattern *pattern;
	struct interp_value *value;
};

struct matcher {
	VEC(struct attempt) todo;
	VEC(struct interp_value *) bound; /* in the order of ir_pattern_vars */
};

static void
add_attempts(struct matcher *m, const ir_pattern *p, struct interp_value *v)
{
	for (uint32_t i = p->n; i-- > 0;) {
		struct attempt a = {p->sub[i], v->at[i]};

		vec_push(&m->todo, a);
	}
}

/* Does V fit P? Then m->bound holds the values of its variables. */
static bool
matches(struct matcher *m, const ir_pattern *p, struct interp_value *v)
{
	struct attempt a = {p, v};

	vec_clear(&m->todo);
	vec_clear(&m->bound);
	vec_push(&m->todo, a);
	while (m->todo.len > 0) {
		a = vec_pop(&m->todo);
		switch (a.pattern->kind) {
		case PATTERN_WILDCARD:
			break;
		case PATTERN_VAR:
			vec_push(&m->bound, a.value);
			break;
		case PATTERN_CTOR:
			if (a.value->ctor != a.pattern->ctor)
				return false;
			add_attempts(m, a.pattern, a.value);
			break;
		case PATTERN_TUPLE:
			add_attempts(m, a.pattern, a.value);
			break;
		}
	}
	return true;
}

static void
count_var(const struct ir_var *v, void *env)
{
	(void)v;
	++*(uint32_t *)env;
}

uint32_t
interp_select_clause(struct interp *x, const struct interp_cell *c)
{
	const struct ir_match *m = ir_as_match(c->node);
	struct matcher mm = {.todo = {0}};
	uint32_t var = 1 + m->nclauses;
	uint32_t i;

	for (i = 0; i < m->nclauses; i++) {
		const ir_pattern *p = m->clauses[i].pattern;

		if (matches(&mm, p, interp_value_of(x, c->ops[0]))) {
			for (size_t k = 0; k < mm.bound.len; k++) {
				uint32_t cell = c->ops[var + k];

				interp_set_value(x, cell,
						 interp_ref(mm.bound.at[k]));
				interp_used(x, cell);
			}
			break;
		}
		ir_pattern_vars(p, count_var, &var);
	}
	vec_free(&mm.todo);
	vec_free(&mm.bound);
	return i;
}
