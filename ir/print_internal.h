/*
 * The printer's inside. Printing takes two steps.
 *
 * The first (print_plan.c) walks a definition as TVM's printer does and
 * decides everything that depends on order: which node gets which %N and in
 * which scope its line stands, the names of variables, the index of each
 * meta[...]. The second (print_expr.c) writes the text from top to bottom
 * straight into the buffer, so no piece of text is ever copied. Both keep
 * their own stacks: depth of nesting costs heap, not stack.
 */
#ifndef RELAY_IR_PRINT_INTERNAL_H
#define RELAY_IR_PRINT_INTERNAL_H

#include "ir/attr.h"
#include "ir/expr.h"
#include "ir/meta.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/type.h"
#include "support/arena.h"
#include "support/buf.h"
#include "support/intern.h"
#include "support/ptrmap.h"
#include "support/vec.h"

/* The lines of one scope, linked through print_node.next. */
struct print_scope {
	const ir_expr *first;
	const ir_expr *last;
};

enum print_state {
	PRINT_NEW,
	PRINT_RENDERED, /* its operands have their names */
	PRINT_PLACED,   /* has a number, or stands in place */
};

/* What the plan knows of a node; indexed by node id. */
struct print_node {
	const ir_expr *next; /* the line after its own */
	union {
		const char *name;          /* VAR: interned in print.names */
		struct print_scope *scope; /* FUNCTION, IF, MATCH, LET */
	};
	uint32_t uses;        /* edges to it in this definition */
	uint32_t number : 29; /* of its %N plus 1; 0: none */
	uint32_t state : 2;
	uint32_t written : 1; /* its line; kept up to date in p->nested */
};

enum print_meta_kind {
	PRINT_META_EXPR,   /* constant, global, variable */
	PRINT_META_RECORD, /* ir_attrs; identity is the call's */
	PRINT_META_DICT,
	PRINT_META_ATTR, /* a boxed value, a type, ... */
	PRINT_META_TYPE,
	PRINT_META_OBJECT, /* ir_meta */
	PRINT_META_TOLD,   /* print_told_constant() */
};

/* One object that the text calls meta[KEY][index]. */
struct print_meta_item {
	enum print_meta_kind kind;
	const void *object;
};

struct print_meta_list {
	const char *key;
	VEC(struct print_meta_item) items;
};

struct print_meta_place {
	uint32_t list;
	uint32_t index;
};

struct print_name_slot {
	const char *name; /* interned in print.names */
	uint32_t last;    /* suffix given last */
};

struct print_text {
	const char *at;
	uint32_t len;
};

struct print {
	const ir_module *m;
	const struct print_options *o;
	struct buf *out;
	struct arena arena;
	struct interner names;
	struct print_node *nodes;
	uint32_t nnodes;
	uint32_t temps;             /* %N given so far */
	const struct print *model;  /* another print to be aligned with */
	const struct ptrmap *pairs; /* own nodes to those of the model */
	VEC(uint32_t) touched;      /* nodes with uses in this definition */
	bool dotted_names;          /* a printed name holds '.' */
	bool nested;                /* lines of this definition hold scopes */
	uint64_t *hashes;           /* by node id, for stable names */
	struct ptrmap numbers;      /* stable names that are taken */

	struct print_name_slot *name_slots;
	size_t nname_slots;
	size_t nnames;

	VEC(struct print_meta_list) meta;
	struct ptrmap meta_numbers; /* keys to lists, objects to places */
	VEC(struct print_meta_place) meta_places;
	VEC(uint32_t) reserved; /* indices of placeholders, sorted */
	bool mentions_meta;     /* some meta[...] was printed */

	struct print_text *types; /* by type id: text made before */
	uint32_t ntypes;
	struct buf scratch;
	const ir_attrs **defaults; /* by schema id */
	struct ptrmap records;     /* ir_attrs to struct print_text */
	struct ptrmap copies;      /* attributes and place to a call */
};

static inline struct print_node *
print_node_of(struct print *p, const ir_expr *e)
{
	assert(e->id < p->nnodes);
	return &p->nodes[e->id];
}

/* What the model knows of the node that E stands for; NULL: nothing. */
static inline const struct print_node *
print_model_node(const struct print *p, const ir_expr *e)
{
	const ir_expr *other = p->pairs ? ptrmap_get(p->pairs, e) : NULL;

	return other ? &p->model->nodes[other->id] : NULL;
}

/* Never gets a %N of its own. */
static inline bool
print_always_inline(const ir_expr *e)
{
	return e->kind <= IR_CTOR;
}

/* print_plan.c: decide on names and lines of E, the root of SCOPE. */
void print_plan_root(struct print *p, const ir_expr *e,
		     struct print_scope *scope);
void print_plan_def(struct print *p, const struct ir_function *fn);

/* print_stable.c */
void print_stable_prepare(struct print *p, const ir_expr *root);
uint32_t print_stable_number(struct print *p, const ir_expr *e);

/* print_expr.c */
void print_write_root(struct print *p, const ir_expr *e,
		      const struct print_scope *scope);
void print_write_def(struct print *p, const char *name,
		     const struct ir_function *fn);

/* print_name.c: the name of V in the whole print, without '%'. */
const char *print_unique_name(struct print *p, const char *hint);
void print_take_names(struct print *p, const struct print *other);
bool print_name_taken(struct print *p, const char *name, size_t len);

/* What stands after ": " and "-> ", or NULL. */
const ir_type *print_annotation(struct print *p, const struct ir_var *v);
const ir_type *print_ret_type(struct print *p, const struct ir_function *f);

/* The type that E's comment gives, or NULL: no type, or not wanted. */
const ir_type *print_comment_type(struct print *p, const ir_expr *e);
bool print_comment_span(struct print *p, const ir_expr *e);

/* print_type.c */
void print_type(struct print *p, const ir_type *t);
void print_plan_type(struct print *p, const ir_type *t);

/* print_attr.c: ", key=value" of calls and of functions. */
bool print_call_attrs(struct print *p, const struct ir_call *c, bool comma);
bool print_dict_attrs(struct print *p, const ir_dict *d, bool comma);
void print_plan_call_attrs(struct print *p, const struct ir_call *c);
void print_plan_dict(struct print *p, const ir_dict *d);

/* The identity of constant E in attributes, or NULL if it is E's own. */
const void *print_told_constant(const struct print *p, const ir_expr *e);
void print_vdevice(struct print *p, const ir_meta *device);
const ir_attrs *print_defaults(struct print *p, const struct attrs_schema *s);

/* print_meta.c: give ID an index under KEY unless it has one. */
void print_meta_add(struct print *p, const char *key, enum print_meta_kind kind,
		    const void *id, const void *object);
void print_meta_ref(struct print *p, const void *id);
void print_meta_placeholder(struct print *p, const struct ir_constant *c);
void print_meta_section(struct print *p);
const char *print_type_key(const ir_type *t);

/* print_json.c: the objects of p->meta as TVM's JSON. */
void print_json(struct print *p);

/* print_number.c */
bool print_scalar_fits(const ir_tensor *t);
void print_scalar(struct print *p, const ir_tensor *t);
void print_digits(struct buf *out, double value, unsigned bits,
		  enum print_floats how);
void print_string(struct buf *out, const char *s, size_t len);

#endif
