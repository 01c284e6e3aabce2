/*
 * Tables of what external compilers support, read from text:
 *
 *     target "dnnl" {
 *       nn.conv2d(*, const, data_layout="NCHW"): float32;
 *       nn.relu;
 *       "dnnl.conv2d_bias_relu";
 *     }
 *
 * A line is a pattern of one call (docs/rewrites.md), an operator alone for
 * any call of it, either with a type of the result, or the name of a
 * composite. What fits a line is supported.
 */
#ifndef RELAY_PASSES_BYOC_SUPPORT_H
#define RELAY_PASSES_BYOC_SUPPORT_H

#include "passes/rewrite/rw.h"

struct support_line {
	const char *target;         /* interned */
	const char *composite;      /* interned, or NULL */
	const struct rw_rule *rule; /* or NULL */
};

struct support {
	struct rw_file file;
	VEC(struct support_line) lines;
};

/* Read S into T (zeros); false after reporting. Free T in any case. */
bool support_read(struct support *t, ir_context *cx, struct source *s,
		  struct diag *d);
void support_free(struct support *t);

/* Does TARGET (interned) take E, a typed call of an operator or composite? */
bool support_has(const struct support *t, const char *target, const ir_expr *e);

#endif
