/*
 * Types of match: patterns give types to the variables that they bind, and
 * the bodies of the clauses must agree.
 */
#include "ir/infer_internal.h"

/* A pattern that stands against a value of this type. */
struct todo {
	const ir_pattern *pattern;
	const ir_type *type;
};

typedef VEC(struct todo) todo_vec;

/* The sub-patterns of P stand against TYPES; NULL: nobody knows. */
static void
push_sub(struct infer *in, todo_vec *stack, const ir_pattern *p,
	 const ir_type *const *types)
{
	for (uint32_t i = p->n; i-- > 0;) {
		struct todo t = {p->sub[i], types ? types[i] : in->error};

		vec_push(stack, t);
	}
}

static struct loc
place_of(const ir_pattern *p, const struct ir_match *m)
{
	return loc_is_known(p->loc) ? p->loc : m->base.loc;
}

static void
type_ctor_pattern(struct infer *in, todo_vec *stack, struct todo t,
		  const struct ir_match *m)
{
	const struct ir_ctor *c = t.pattern->ctor;
	const struct ir_func_type *f = ir_as_func_type(infer_ctor_type(in, c));

	if (t.pattern->n != f->nparams) {
		infer_error(in, place_of(t.pattern, m),
			    "constructor '%s' has %u field%s, but the pattern "
			    "has %u",
			    c->name, f->nparams, f->nparams == 1 ? "" : "s",
			    t.pattern->n);
		push_sub(in, stack, t.pattern, NULL);
		return;
	}
	f = infer_instantiate(in, f);
	if (!infer_unify(in, t.type, f->ret)) {
		infer_error(in, place_of(t.pattern, m),
			    "a pattern of constructor '%s' matches values of "
			    "type %s, but this value has type %s",
			    c->name, infer_type_text(in, f->ret),
			    infer_type_text(in, t.type));
		infer_poison(in, f->ret);
	}
	push_sub(in, stack, t.pattern, f->params);
}

static void
type_tuple_pattern(struct infer *in, todo_vec *stack, struct todo t,
		   const struct ir_match *m)
{
	const ir_type *head = infer_head(in, t.type);
	uint32_t n = t.pattern->n;
	const ir_type **fields;

	if (head->kind == TYPE_TUPLE && ir_as_tuple_type(head)->nfields == n) {
		push_sub(in, stack, t.pattern, ir_as_tuple_type(head)->fields);
		return;
	}
	fields = xmalloc((n + 1) * sizeof(*fields));
	for (uint32_t i = 0; i < n; i++)
		fields[i] = infer_new_hole(in);
	if (infer_unify(in, head, ir_type_tuple(in->cx, fields, n))) {
		push_sub(in, stack, t.pattern, fields);
	} else {
		infer_error(in, place_of(t.pattern, m),
			    "a pattern of %u field%s does not match a value of "
			    "type %s",
			    n, n == 1 ? "" : "s", infer_type_text(in, head));
		push_sub(in, stack, t.pattern, NULL);
	}
	free(fields);
}

void
infer_patterns(struct infer *in, const struct ir_match *m)
{
	todo_vec stack = {0};

	for (uint32_t i = m->nclauses; i-- > 0;) {
		struct todo t = {m->clauses[i].pattern, m->value->type};

		vec_push(&stack, t);
	}
	while (stack.len > 0) {
		struct todo t = vec_pop(&stack);

		switch (t.pattern->kind) {
		case PATTERN_WILDCARD:
			break;
		case PATTERN_VAR:
			infer_bind_var(in, t.pattern->var, t.type,
				       place_of(t.pattern, m));
			break;
		case PATTERN_CTOR:
			type_ctor_pattern(in, &stack, t, m);
			break;
		case PATTERN_TUPLE:
			type_tuple_pattern(in, &stack, t, m);
			break;
		}
	}
	vec_free(&stack);
}

void
infer_clauses(struct infer *in, const struct ir_match *m)
{
	const ir_type *t = NULL;

	for (uint32_t i = 0; i < m->nclauses; i++) {
		const ir_expr *body = m->clauses[i].body;
		const ir_type *merged =
			t ? infer_unify(in, t, body->type) : body->type;

		if (!merged) {
			infer_error(
				in,
				infer_place(body,
					    place_of(m->clauses[i].pattern, m)),
				"clause %u has type %s, but those before "
				"it have type %s",
				i + 1, infer_type_text(in, body->type),
				infer_type_text(in, t));
			infer_poison(in, body->type);
			continue;
		}
		t = merged;
	}
	infer_set_type(in, &m->base, t ? t : infer_new_hole(in));
	if (m->complete)
		infer_check_cases(in, m);
}
