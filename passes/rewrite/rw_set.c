/*
 * Rules by what can stand at the root of their patterns, so that a node is
 * compared with few of them.
 */
#include "passes/rewrite/rw_set.h"

#include <stdlib.h>
#include <string.h>

/* What a root can be: an operator's call, or a node of another kind. */
enum { SLOTS = OP_COUNT + 1 + IR_KIND_COUNT };

/* Operators of plugins share a slot. */
static uint32_t
slot_of_op(const ir_op *op)
{
	return op->id < OP_COUNT ? op->id : OP_COUNT;
}

static uint32_t
slot_of_kind(enum ir_kind kind)
{
	return OP_COUNT + 1 + kind;
}

static void
mark_all(bool *at)
{
	memset(at, true, SLOTS);
}

static void
mark_class(bool *at, unsigned classes)
{
	(void)classes;
	memset(at, true, OP_COUNT + 1);
}

/* Set AT for all that can match P. */
static void
mark(bool *at, const struct rw_rule *r, const struct rw_node *p)
{
	switch (p->kind) {
	case RW_CALL:
		if (p->op)
			at[slot_of_op(p->op)] = true;
		else if (p->classes)
			mark_class(at, p->classes);
		else
			at[slot_of_kind(IR_CALL)] = true;
		if (p->callee)
			memset(at, true, OP_COUNT + 1);
		return;
	case RW_OPT:
		at[slot_of_op(p->op)] = true;
		mark(at, r, p->sub[0]);
		return;
	case RW_ALT:
		for (uint32_t i = 0; i < p->n; i++)
			mark(at, r, p->sub[i]);
		return;
	case RW_PATH:
		mark(at, r, p->sub[2]);
		return;
	case RW_SLOT:
		if (r->slots[p->slot].def)
			mark(at, r, r->slots[p->slot].def);
		else
			mark_all(at);
		return;
	case RW_CONST:
	case RW_NUMBER:
		at[slot_of_kind(IR_CONSTANT)] = true;
		return;
	case RW_VAR:
		at[slot_of_kind(IR_VAR)] = true;
		return;
	case RW_GLOBAL:
		at[slot_of_kind(IR_GLOBAL)] = true;
		return;
	case RW_ANY_TUPLE:
	case RW_TUPLE:
		at[slot_of_kind(IR_TUPLE)] = true;
		return;
	case RW_PROJ:
		at[slot_of_kind(IR_PROJ)] = true;
		return;
	case RW_FUNCTION:
		at[slot_of_kind(IR_FUNCTION)] = true;
		return;
	case RW_IF:
		at[slot_of_kind(IR_IF)] = true;
		return;
	case RW_LET:
		at[slot_of_kind(IR_LET)] = true;
		return;
	default:
		mark_all(at);
	}
}

struct rw_set *
rw_set_new(const struct rw_file *f,
	   bool (*wanted)(const struct rw_rule *r, void *env), void *env)
{
	struct rw_set *s = xcalloc(1, sizeof(*s));
	bool *at = xcalloc(f->rules.len + 1, SLOTS);
	VEC(const struct rw_rule *) list = {0};
	VEC(const struct rw_rule *) once = {0};

	s->start = xcalloc(SLOTS + 1, sizeof(*s->start));
	for (size_t i = 0; i < f->rules.len; i++) {
		const struct rw_rule *r = f->rules.at[i];

		if (!r->result || (wanted && !wanted(r, env)))
			continue;
		if (r->once)
			vec_push(&once, r);
		else
			mark(at + i * SLOTS, r, r->pattern);
	}
	for (uint32_t k = 0; k < SLOTS; k++) {
		s->start[k] = (uint32_t)list.len;
		for (size_t i = 0; i < f->rules.len; i++)
			if (at[i * SLOTS + k])
				vec_push(&list, f->rules.at[i]);
	}
	s->start[SLOTS] = (uint32_t)list.len;
	s->list = list.at;
	s->once = once.at;
	s->nonce = (uint32_t)once.len;
	free(at);
	return s;
}

void
rw_set_free(struct rw_set *s)
{
	if (!s)
		return;
	if (s->effects)
		purity_free(&s->purity);
	free(s->start);
	free(s->list);
	free(s->once);
	free(s);
}

bool
rw_set_has_effects(struct rw_set *s, const ir_module *m)
{
	if (!s->looked) {
		s->looked = true;
		s->effects = !purity_no_effects(m);
		if (s->effects)
			purity_compute(&s->purity, m);
	}
	return s->effects;
}

const struct rw_rule *const *
rw_set_at(const struct rw_set *s, const ir_expr *e, uint32_t *n)
{
	const ir_op *op = ir_called_op(e);
	uint32_t k = op ? slot_of_op(op) : slot_of_kind((enum ir_kind)e->kind);

	*n = s->start[k + 1] - s->start[k];
	return s->list + s->start[k];
}
