/*
 * What releases before 0.18 wrote differently, brought to today's form.
 */
#ifndef RELAY_PARSER_OLD_H
#define RELAY_PARSER_OLD_H

#include "parser/context.h"

/* The operator that was once called NAME, or NULL. */
const ir_op *old_operator(const char *name);

/* Today's name of field KEY of S. */
const char *old_field(const struct attrs_schema *s, const char *key);

/* Today's form of string V in field F. */
ir_attr old_value(ir_context *cx, const struct attr_field *f, ir_attr v);

/*
 * Field I of S needed not be written once; *VALUE is set if its default is
 * not null.
 */
bool old_default(const struct attrs_schema *s, unsigned i, ir_attr *value);

/*
 * Inputs of OP that once were attributes: they go from the attributes in LIST
 * to cx->exprs, which holds the arguments of the call.
 */
void old_arguments(struct parse_ctx *cx, struct loc loc, const ir_op *op,
		   struct arg_list list);

#endif
