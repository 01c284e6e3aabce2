/*
 * The standard definitions: lists, options, trees, the functions over them,
 * and what gradients need. They have no file; a text that uses one of their
 * names without defining it gets the definition, and what that uses.
 */
#ifndef RELAY_PARSER_PRELUDE_H
#define RELAY_PARSER_PRELUDE_H

#include "parser/context.h"

/*
 * The standard constructor NAME, its type added to the module; NULL if there
 * is none, or the text defines a type of that name itself.
 */
const struct ir_ctor *prelude_ctor(struct parse_ctx *cx, const char *name);

/* The text mentions a data type NAME. */
void prelude_note_type(struct parse_ctx *cx, const char *name);

/* Add what the text mentioned and did not define. */
void prelude_complete(struct parse_ctx *cx);

#endif
