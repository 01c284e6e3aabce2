/*
 * The metadata section: one JSON document behind the text.
 *
 * It is read when the first reference asks for it, or at the end. Strings
 * that are long (tensors) never enter the JSON reader: they are decoded
 * straight from the text.
 */
#ifndef RELAY_PARSER_META_H
#define RELAY_PARSER_META_H

#include <stdbool.h>
#include <stddef.h>

#include "parser/context.h"

/* The document at OFFSET of the text; NULL after a report. */
struct meta_reader *meta_open(struct parse_ctx *cx, size_t offset);
void meta_close(struct meta_reader *r); /* accepts NULL */

/* There are objects of kind KEY. */
bool meta_has_list(struct meta_reader *r, const char *key);

/*
 * What meta[KEY][INDEX] is, as a value of an attribute: ATTR_EXPR for an
 * expression, ATTR_TYPE for a type, ATTR_RECORD, ATTR_META for the rest.
 * False after a report at LOC.
 */
bool meta_value(struct meta_reader *r, struct loc loc, struct meta_ref ref,
		ir_attr *out);

/* Where the metadata section of the text starts, or its length. */
size_t meta_find(const struct parse_ctx *cx);

#endif
