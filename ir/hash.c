/*
 * The structural hash: what a walk of the graph meets, mixed in order.
 *
 * Variables count by the order in which they are bound or met, nodes met
 * again by the order in which they were first met, so names do not matter
 * and sharing does. Constants count by value wherever they are used.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/equal.h"
#include "ir/expr.h"
#include "ir/module.h"
#include "ir/print.h"
#include "support/buf.h"
#include "support/hash.h"
#include "support/ptrmap.h"
#include "support/vec.h"

struct hasher {
	uint64_t h;
	struct ptrmap numbers; /* of variables and nodes */
	struct ptrmap tensors; /* hashes made before */
	VEC(const ir_expr *) todo;
};

static void
mix(struct hasher *s, uint64_t x)
{
	s->h = hash_mix(s->h, x);
}

static void
mix_text(struct hasher *s, const char *text)
{
	mix(s, hash_bytes(text, strlen(text)));
}

static void
mix_type(struct hasher *s, const ir_type *t)
{
	mix(s, t ? t->hash : 0);
}

/* False if KEY was met before; mixes its number in either case. */
static bool
mix_number(struct hasher *s, const void *key)
{
	bool is_new;
	uintptr_t *number = ptrmap_add(&s->numbers, key, &is_new);

	if (is_new)
		*number = s->numbers.count;
	mix(s, *number);
	return is_new;
}

static uint64_t
word_at(const unsigned char *p, size_t n)
{
	uint64_t w = 0;

	for (size_t i = 0; i < n; i++)
		w |= (uint64_t)p[i] << (8 * i);
	return w;
}

static uint64_t
tensor_hash(const ir_tensor *t)
{
	uint64_t h = t->dtype.code | t->dtype.bits << 8 |
		     (uint64_t)t->dtype.lanes << 16;
	const unsigned char *p = t->data;
	size_t i = 0;

	for (uint32_t d = 0; d < t->ndim; d++)
		h = hash_mix(h, (uint64_t)t->shape[d]);
	for (; i + 8 <= t->nbytes; i += 8)
		h = hash_mix(h, word_at(p + i, 8));
	return hash_mix(h, word_at(p + i, t->nbytes - i));
}

static void
mix_constant(struct hasher *s, const struct ir_constant *c)
{
	bool is_new;
	uintptr_t *known;

	if (!c->data) {
		mix(s, c->meta_index);
		return;
	}
	known = ptrmap_add(&s->tensors, c->data, &is_new);
	if (is_new)
		*known = (uintptr_t)tensor_hash(c->data);
	mix(s, (uint32_t)*known);
}

static void
mix_binder(struct hasher *s, const struct ir_var *v)
{
	mix_number(s, v);
	mix_type(s, v->annotation);
}

static void
mix_pattern_var(const struct ir_var *v, void *env)
{
	mix_binder(env, v);
}

static void
mix_pattern(struct hasher *s, const ir_pattern *p)
{
	mix(s, p->kind * 64 + p->n);
	if (p->kind == PATTERN_VAR)
		mix_pattern_var(p->var, s);
	if (p->kind == PATTERN_CTOR)
		mix_text(s, p->ctor->name);
	for (uint32_t i = 0; i < p->n; i++)
		mix_pattern(s, p->sub[i]);
}

static void
mix_function(struct hasher *s, const struct ir_function *f)
{
	mix(s, f->nparams);
	mix(s, f->ntype_params);
	for (uint32_t i = 0; i < f->nparams; i++)
		mix_binder(s, f->params[i]);
	mix_type(s, f->ret_type);
	if (f->attrs && f->attrs->n)
		mix(s, ir_attr_hash(&(ir_attr){.kind = ATTR_DICT,
					       .dict = f->attrs}));
}

/* What E is, but for its operands. */
static void
mix_inside(struct hasher *s, const ir_expr *e)
{
	const struct ir_match *m;

	switch ((enum ir_kind)e->kind) {
	case IR_PROJ:
		mix(s, ir_as_proj(e)->index);
		break;
	case IR_CALL:
		mix(s, ir_as_call(e)->attrs ? ir_as_call(e)->attrs->hash : 1);
		break;
	case IR_FUNCTION:
		mix_function(s, ir_as_function(e));
		break;
	case IR_LET:
		mix_binder(s, ir_as_let(e)->var);
		break;
	case IR_MATCH:
		m = ir_as_match(e);
		mix(s, m->complete);
		for (uint32_t i = 0; i < m->nclauses; i++)
			mix_pattern(s, m->clauses[i].pattern);
		break;
	default:
		break;
	}
}

static void
mix_leaf(struct hasher *s, const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		mix_number(s, e);
		break;
	case IR_CONSTANT:
		mix_constant(s, ir_as_constant(e));
		break;
	case IR_GLOBAL:
		mix_text(s, ir_as_global(e)->name);
		break;
	case IR_OP:
		mix_text(s, ir_as_op_ref(e)->op->name);
		break;
	default:
		mix_text(s, ir_as_ctor(e)->name);
		break;
	}
}

static void
mix_expr(struct hasher *s, const ir_expr *root)
{
	vec_push(&s->todo, root);
	while (s->todo.len) {
		const ir_expr *e = vec_pop(&s->todo);
		uint32_t n;

		mix(s, e->kind);
		if (e->kind <= IR_CTOR) {
			mix_leaf(s, e);
			continue;
		}
		if (!mix_number(s, e))
			continue;
		n = ir_num_operands(e);
		mix(s, n);
		mix_inside(s, e);
		for (uint32_t i = n; i > 0; i--)
			vec_push(&s->todo, ir_operand(e, i - 1));
	}
}

static uint64_t
finish(struct hasher *s)
{
	ptrmap_free(&s->numbers);
	ptrmap_free(&s->tensors);
	vec_free(&s->todo);
	return s->h;
}

uint64_t
ir_hash(const ir_expr *e)
{
	struct hasher s = {0};

	mix_expr(&s, e);
	return finish(&s);
}

static void
mix_def(struct hasher *s, const ir_def *d)
{
	struct buf text = {0};

	mix_text(s, d->name);
	mix(s, d->kind);
	if (d->kind == DEF_FUNCTION) {
		mix_expr(s, &d->fn->base);
		return;
	}
	if (d->kind == DEF_RAW)
		buf_put(&text, d->raw, d->raw_len);
	else if (d->kind == DEF_TIR)
		tir_print_func(&text, d->tir);
	else
		te_print_func(&text, d->te);
	if (d->schedule)
		te_print_schedule(&text, d->schedule);
	mix(s, hash_bytes(text.at, text.len));
	buf_free(&text);
}

/* Order does not count: the hashes of data types are added up. */
static uint64_t
type_defs_hash(const ir_module *m)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < m->types.len; i++) {
		const ir_type_def *t = m->types.at[i];
		struct hasher s = {0};

		mix_text(&s, t->name);
		mix(&s, t->nparams);
		for (uint32_t c = 0; c < t->nctors; c++) {
			mix_text(&s, t->ctors[c]->name);
			for (uint32_t f = 0; f < t->ctors[c]->nfields; f++)
				mix_type(&s, t->ctors[c]->fields[f]);
		}
		sum += finish(&s);
	}
	return sum;
}

uint64_t
ir_module_hash(const ir_module *m)
{
	ir_def **defs = ir_module_sorted(m);
	struct hasher s = {.h = type_defs_hash(m)};

	for (size_t i = 0; i < m->defs.len; i++)
		mix_def(&s, defs[i]);
	free(defs);
	return finish(&s);
}
