/*
 * Rewrite rules read from text (docs/rewrites.md): patterns over expressions,
 * replacements, conditions.
 *
 *     rewrite "rsqrt" { divide(%a, sqrt(%x)) } => { multiply(%a, rsqrt(%x)) }
 *
 * A file becomes a list of rules; a rule is a few trees of one kind of node.
 * What text cannot say is a function by name (rw_fn.h). rw_match_at looks for
 * a pattern at one node; rw_set_run (rw_run.h) applies rules until none fits.
 */
#ifndef RELAY_PASSES_REWRITE_RW_H
#define RELAY_PASSES_REWRITE_RW_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/walk.h"
#include "support/arena.h"
#include "support/diag.h"
#include "support/vec.h"

enum rw_kind {
	/* in patterns */
	RW_ANY,       /* *: any expression */
	RW_CONST,     /* a constant */
	RW_VAR,       /* a variable; of this NAME, if there is one */
	RW_ANY_TUPLE, /* a tuple of any fields */
	RW_ALT,       /* (a | b): the first that leads to a match */
	RW_OPT,       /* op?(a): the call, or A alone */
	RW_PATH,      /* path(from, step, to) */
	RW_FUNCTION,  /* fn (a, b) { body }: sub = params, then body */
	RW_IF,        /* sub = condition and branches */
	RW_LET,       /* sub = variable, value, body */
	RW_AGAIN,     /* %x in the definition of %x: that, at another node */
	RW_REST,      /* the inputs of a call from INDEX on; made by matching */

	/* in patterns and replacements */
	RW_SLOT,   /* %x */
	RW_NUMBER, /* a scalar constant of this value */
	RW_CALL,   /* op(..) or callee(..); sub = arguments */
	RW_OP,     /* an operator as a value */
	RW_GLOBAL, /* @NAME */
	RW_TUPLE,
	RW_PROJ, /* sub[0].INDEX; index -1: any */

	/* in replacements and conditions */
	RW_FN, /* one of the functions by name */

	/* values: of attributes, in conditions */
	RW_VALUE,
	RW_LIST, /* sub = elements */
	RW_ATTR, /* %x.name */

	/* conditions */
	RW_NOT,
	RW_AND,
	RW_OR,
	RW_COMPARE, /* sub = both sides; INDEX: enum rw_compare */
};

enum rw_compare { RW_EQ, RW_NE, RW_LT, RW_LE, RW_GT, RW_GE };

/* A call of any operator that fuses in this way: elementwise(..). */
enum rw_class {
	RW_ELEMENTWISE = 1,
	RW_BROADCAST = 2,
	RW_INJECTIVE = 4,
	RW_REDUCTION = 8,
	RW_OUTPUT_FUSABLE = 16,
	RW_OPAQUE = 32,
};

/* A type to compare with. NDIM -1: of any shape; DIM -1: any extent. */
struct rw_type {
	bool any_dtype;
	struct dtype dtype;
	int32_t ndim;
	const int64_t *dims;
	bool tuple; /* of NFIELDS types */
	uint32_t nfields;
	const struct rw_type *const *fields;
};

struct rw_attr {
	const char *name; /* interned */
	struct loc loc;
	const struct rw_node *value; /* in patterns RW_ALT: one of several */
};

struct rw_node {
	enum rw_kind kind;
	struct loc loc;
	const struct rw_type *type; /* what E must have, or NULL */
	uint32_t n;
	const struct rw_node *const *sub;
	const ir_op *op;              /* CALL, OPT, OP */
	unsigned classes;             /* CALL: of rw_class, instead of OP */
	const struct rw_node *callee; /* CALL without OP */
	bool open;                    /* CALL: more arguments may follow */
	bool ordered;                 /* CALL: do not swap operands */
	uint32_t nattrs;
	const struct rw_attr *attrs; /* CALL, OPT, FUNCTION */
	uint32_t slot;               /* SLOT, ATTR */
	const char *name;            /* ATTR, VAR, GLOBAL; interned */
	const struct rw_fn *fn;
	ir_attr value;      /* VALUE, NUMBER */
	struct dtype dtype; /* NUMBER: void is any */
	int64_t index;
};

/* A name of a rule. */
struct rw_slot {
	const char *name;          /* interned, without '%' */
	const struct rw_node *def; /* what it stands for; NULL: anything */
	bool in_result;            /* made by the replacement */
	bool bound;                /* the pattern mentions it */
};

struct rw_rule {
	const char *name; /* interned */
	struct loc loc;
	const struct rw_node *pattern;
	const struct rw_node *result; /* NULL: "pattern", not "rewrite" */
	const struct rw_node *when;   /* NULL: always */
	bool shared;                  /* inner nodes may have other users */
	bool once;                    /* over all of the function, once */
	uint32_t nslots;
	const struct rw_slot *slots;
	const struct rw_file *file;
};

struct rw_file {
	struct source *source; /* borrowed */
	struct arena arena;
	VEC(const struct rw_rule *) rules;
};

/*
 * Read S into F (zeros). Names and operators are those of CX. False after
 * reporting to D, whose source must be S; what was right is in F all the
 * same. Free F in any case.
 */
bool rw_read(struct rw_file *f, ir_context *cx, struct source *s,
	     struct diag *d);
void rw_file_free(struct rw_file *f);

/* The slot of R called NAME, or -1. */
int rw_slot_index(const struct rw_rule *r, const char *name);

/* P, which has no parts, fits E: where the pattern ends. */
struct rw_leaf {
	const struct rw_node *p;
	const ir_expr *e;
};

/* A match in the making, or made; free with rw_match_free. */
struct rw_match {
	const struct rw_rule *rule;
	const ir_expr *root;
	const ir_expr **slots;      /* NULL: not bound */
	VEC(const ir_expr *) inner; /* nodes that the pattern spells out */
	VEC(struct rw_leaf)
	leaves; /* the others, in the order of the pattern */
	/* Says whether a complete match will do; NULL: any does. */
	bool (*accept)(struct rw_match *m, void *env);
	void *env;
	struct arena scratch;
	VEC(uint32_t) trail; /* slots in the order of binding */
	uint32_t cap;        /* of slots */
	uint32_t steps;      /* goals so far */
	uint32_t again;      /* definitions within themselves, at present */
	bool tired;          /* there were too many goals: nothing fits */
};

/*
 * Does the pattern of R fit at E? Alternatives and the two orders of operands
 * of commutative operators are tried until m->accept is content. Takes time
 * by the size of the pattern, whatever hangs below E. A pattern with more
 * possibilities than can be tried fits nowhere; m->tired tells.
 */
bool rw_match_at(struct rw_match *m, const struct rw_rule *r, const ir_expr *e);
void rw_match_free(struct rw_match *m);

/* E is an inner node. */
bool rw_match_has(const struct rw_match *m, const ir_expr *e);

/*
 * No inner node but the root is used by anything outside of the match: USES
 * has the number of times each node is an operand.
 */
bool rw_match_is_private(const struct rw_match *m, const struct ir_map *uses);

/* An attribute of a call, of an operator or of something else; or NULL. */
const ir_attr *rw_call_attr(const struct ir_call *c, const char *name);

/* Does the value A of an attribute equal the value V of a rule file? */
bool rw_value_equal(const ir_attr *a, const ir_attr *v);

#endif
