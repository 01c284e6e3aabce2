/*
 * Words of rule files. The scanner holds one token ahead.
 */
#ifndef RELAY_PASSES_REWRITE_RW_SCAN_H
#define RELAY_PASSES_REWRITE_RW_SCAN_H

#include "ir/dtype.h"
#include "ir/module.h"
#include "support/diag.h"
#include "support/source.h"

enum rw_token {
	RW_T_END,
	RW_T_NAME,   /* nn.relu */
	RW_T_SLOT,   /* %x, %0 */
	RW_T_GLOBAL, /* @f */
	RW_T_NUMBER,
	RW_T_STRING,
	RW_T_ARROW, /* => */
	RW_T_EQ,
	RW_T_NE,
	RW_T_LE,
	RW_T_GE,
	RW_T_DOTS, /* .. */
	RW_T_BAD,  /* reported */
		   /* or a character */
};

struct rw_scan {
	ir_context *cx;
	struct source *s;
	struct diag *d;
	size_t at;
	int token;
	struct loc loc;
	struct loc last;  /* of the token before */
	const char *name; /* NAME, SLOT, GLOBAL, STRING: interned */
	bool is_float;    /* NUMBER */
	double number;
	int64_t integer;
	struct dtype dtype; /* NUMBER: of its suffix, or void */
};

void rw_scan_start(struct rw_scan *x, ir_context *cx, struct source *s,
		   struct diag *d);

/* Go on to the next token. */
void rw_scan_next(struct rw_scan *x);

/* The present token as messages call it. */
const char *rw_scan_found(struct rw_scan *x);

#endif
