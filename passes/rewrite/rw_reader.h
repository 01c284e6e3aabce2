/*
 * The state of reading one rule file; private to rw_read*.c.
 */
#ifndef RELAY_PASSES_REWRITE_RW_READER_H
#define RELAY_PASSES_REWRITE_RW_READER_H

#include "passes/rewrite/rw.h"
#include "passes/rewrite/rw_scan.h"
#include "support/ptrmap.h"

enum rw_part { RW_IN_PATTERN, RW_IN_RESULT, RW_IN_CONDITION };

/* Matching recurses over patterns, so these bound it. */
enum { RW_MAX_NESTING = 200, RW_MAX_NODES = 2000 };

typedef VEC(const struct rw_node *) rw_node_vec;

struct rw_reader {
	struct rw_scan scan;
	struct rw_file *file;
	struct diag *d;
	ir_context *cx;
	enum rw_part part;
	unsigned depth;
	unsigned nodes;         /* of the present rule */
	bool failed;            /* an error in the present rule */
	struct ptrmap names;    /* of the rules so far */
	VEC(uint32_t) defining; /* slots whose definitions are being read */
	VEC(struct rw_slot) slots;
	VEC(struct loc) slot_locs;
};

/* Report at LOC; always NULL. */
void *rw_fail(struct rw_reader *r, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The present token is TOKEN: take it. Else report WHAT as expected. */
bool rw_expect(struct rw_reader *r, int token, const char *what);
bool rw_accept(struct rw_reader *r, int token);
bool rw_at_word(const struct rw_reader *r, const char *word);
bool rw_accept_word(struct rw_reader *r, const char *word);

struct rw_node *rw_new_node(struct rw_reader *r, enum rw_kind kind,
			    struct loc loc);
void rw_set_sub(struct rw_reader *r, struct rw_node *n, const rw_node_vec *v);

/* The slot of %NAME, made if there is none. */
uint32_t rw_slot_of(struct rw_reader *r, const char *name, struct loc loc);

/* From here on nodes may be nested one deeper; false, reported, if not. */
bool rw_enter(struct rw_reader *r);
void rw_leave(struct rw_reader *r);

/*
 * rw_again.c: the definition DEF of the slot AT mentions itself only where
 * there is another choice, and below an operator.
 */
bool rw_check_again(const struct rw_node *def, uint32_t at);

/* rw_read_expr.c: an expression of a pattern or of a replacement. */
const struct rw_node *rw_read_expr(struct rw_reader *r);

/* "{ %a = ..; .. result }" */
const struct rw_node *rw_read_block(struct rw_reader *r);

/* Report that WHAT stands outside of a pattern; NULL. */
void *rw_not_here(struct rw_reader *r, struct loc loc, const char *what);

/* rw_read_call.c; '(' has been read. Fill in CALL up to ')'. */
void rw_read_arguments(struct rw_reader *r, struct rw_node *call);

/* The same, and compare with what the operator takes. */
const struct rw_node *rw_read_call(struct rw_reader *r, struct rw_node *call);

/* From the start of FROM to the end of the last token. */
struct loc rw_up_to_here(const struct rw_reader *r, struct loc from);

/* rw_read_value.c */
const struct rw_node *rw_read_condition(struct rw_reader *r);
const struct rw_node *rw_read_value(struct rw_reader *r);

/* The value, or alternatives, of an attribute in a pattern. */
const struct rw_node *rw_read_alternatives(struct rw_reader *r);
const struct rw_type *rw_read_type(struct rw_reader *r);

/* NAME( has been read: the arguments of the function and ')'. */
const struct rw_node *rw_read_fn(struct rw_reader *r, const char *name,
				 struct loc loc);

#endif
