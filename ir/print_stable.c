/*
 * --stable-names: numbers of graph values that depend on what a value is, not
 * on where it stands, so that a change shows in few lines of a difference.
 *
 * Every node gets a hash of its kind, its contents and its operands, users
 * last; a value's number is eight digits of it. Unlike ir_hash the names of
 * variables count, for they stand in the text.
 */
#include <string.h>

#include "ir/print_internal.h"
#include "ir/walk.h"
#include "support/hash.h"

enum { FIRST = 10000000, COUNT = 90000000 };

static uint64_t
constant_hash(const struct ir_constant *c)
{
	if (!c->data)
		return c->meta_index;
	return hash_mix(c->data->ndim,
			hash_bytes(c->data->data, c->data->nbytes));
}

static uint64_t
function_hash(const struct ir_function *f)
{
	uint64_t h = f->nparams;

	for (uint32_t i = 0; i < f->nparams; i++)
		h = hash_mix(h, intern_hash(f->params[i]->name));
	if (f->attrs)
		h = hash_mix(h, ir_attr_hash(&(ir_attr){.kind = ATTR_DICT,
							.dict = f->attrs}));
	return h;
}

/* What E holds besides its operands. */
static uint64_t
own_hash(const ir_expr *e)
{
	const char *name;

	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		return intern_hash(ir_as_var(e)->name);
	case IR_GLOBAL:
		return intern_hash(ir_as_global(e)->name);
	case IR_CONSTANT:
		return constant_hash(ir_as_constant(e));
	case IR_OP:
		name = ir_as_op_ref(e)->op->name;
		return hash_bytes(name, strlen(name));
	case IR_CTOR:
		return intern_hash(ir_as_ctor(e)->name);
	case IR_PROJ:
		return ir_as_proj(e)->index;
	case IR_CALL:
		return ir_as_call(e)->attrs ? ir_as_call(e)->attrs->hash : 0;
	case IR_FUNCTION:
		return function_hash(ir_as_function(e));
	case IR_LET:
		return intern_hash(ir_as_let(e)->var->name);
	default:
		return 0;
	}
}

/* Hashes for all nodes of ROOT. */
void
print_stable_prepare(struct print *p, const ir_expr *root)
{
	ir_expr_vec order = {0};

	if (!p->hashes)
		p->hashes = xcalloc(p->nnodes + 1, sizeof(*p->hashes));
	ir_postorder(root, &order);
	for (size_t i = 0; i < order.len; i++) {
		const ir_expr *e = order.at[i];
		uint64_t h = hash_mix(e->kind, own_hash(e));

		for (uint32_t k = 0; k < ir_num_operands(e); k++)
			h = hash_mix(h, p->hashes[ir_operand(e, k)->id]);
		p->hashes[e->id] = h;
	}
	vec_free(&order);
}

/* The number of E plus 1; of two values with one hash the later moves on. */
uint32_t
print_stable_number(struct print *p, const ir_expr *e)
{
	uint32_t n = (uint32_t)(p->hashes[e->id] % COUNT);
	bool is_new = false;

	for (; !is_new; n = (n + 1) % COUNT)
		ptrmap_add(&p->numbers, (const void *)(uintptr_t)(n + 1),
			   &is_new);
	return FIRST + (n + COUNT - 1) % COUNT + 1;
}
