#include "ir/op.h"

#include <pthread.h>
#include <string.h>

#include "ir/relation.h"
#include "support/hash.h"

enum { MANY = OP_MANY_INPUTS };

#define SCHEMA(id) (ATTRS_##id ? &attrs_schemas[ATTRS_##id] : NULL)

static const ir_op table[] = {
#define OP_ROW(id, name, in, attrs, rel, pat, traits, compute, tier, inputs, \
	       summary)                                                      \
	[OP_##id] = {OP_##id,   name,   in,   SCHEMA(attrs), rel,            \
		     PAT_##pat, traits, tier, inputs,        summary},
#include "ir/ops/all.h"
};

const char *
ir_op_pattern_name(enum op_pattern p)
{
	switch (p) {
	case PAT_ELEMWISE:
		return "element-wise";
	case PAT_BROADCAST:
		return "broadcast";
	case PAT_INJECTIVE:
		return "injective";
	case PAT_COMM_REDUCE:
		return "reduction";
	case PAT_OUT_ELEMWISE:
		return "output-fusable";
	case PAT_TUPLE:
		return "tuple";
	case PAT_OPAQUE:
		return "opaque";
	default:
		return "none";
	}
}

/* Index by name: open addressing, filled once, read-only afterwards. */
enum { NSLOTS = 1024 };
_Static_assert(OP_COUNT * 2 < NSLOTS, "the index of operators is too full");
static uint16_t slots[NSLOTS]; /* op_id + 1; 0: free */
static pthread_once_t slots_once = PTHREAD_ONCE_INIT;

static uint16_t *
find_slot(const char *name, size_t len)
{
	for (size_t i = hash_bytes(name, len) % NSLOTS;; i = (i + 1) % NSLOTS) {
		const ir_op *op = slots[i] ? &table[slots[i] - 1] : NULL;

		if (!op || (strncmp(op->name, name, len) == 0 &&
			    op->name[len] == '\0'))
			return &slots[i];
	}
}

static void
fill_slots(void)
{
	for (unsigned i = 0; i < OP_COUNT; i++)
		*find_slot(table[i].name, strlen(table[i].name)) =
			(uint16_t)(i + 1);
}

/* Operators of plugins; number k is OP_UNKNOWN + 1 + k. */
enum { MAX_ADDED = 512 };
static ir_op added[MAX_ADDED];
static unsigned nadded;

const ir_op *
ir_op_info(enum op_id id)
{
	return id < OP_COUNT ? &table[id] : &added[id - OP_UNKNOWN - 1];
}

unsigned
ir_op_limit(void)
{
	return OP_UNKNOWN + 1 + nadded;
}

static const ir_op *
find_added(const char *name, size_t len)
{
	for (unsigned i = 0; i < nadded; i++)
		if (strncmp(added[i].name, name, len) == 0 &&
		    added[i].name[len] == '\0')
			return &added[i];
	return NULL;
}

const ir_op *
ir_op_add(const ir_op *row)
{
	ir_op *op = &added[nadded];

	if (nadded == MAX_ADDED || ir_op_find(row->name, strlen(row->name)))
		return NULL;
	*op = *row;
	op->id = (enum op_id)(OP_UNKNOWN + 1 + nadded++);
	return op;
}

const ir_op *
ir_op_find(const char *name, size_t len)
{
	uint16_t at;

	pthread_once(&slots_once, fill_slots);
	at = *find_slot(name, len);
	return at ? &table[at - 1] : find_added(name, len);
}
