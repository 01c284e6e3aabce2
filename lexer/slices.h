/*
 * Pieces of text that were read before.
 *
 * Networks repeat themselves: the same tensor types and the same attributes
 * of the same operators stand in them over and over. Such a piece is looked
 * up as a whole and comes as one token. Only pieces without names, references
 * and expressions are kept, so what they mean depends on nothing else.
 */
#ifndef RELAY_LEXER_SLICES_H
#define RELAY_LEXER_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slice {
	const void *owner; /* NULL for a type; else a name */
	const void *value; /* NULL: free */
	uint64_t hash;
	uint32_t off;
	uint32_t len;
};

struct slice_table {
	struct slice *slots;
	size_t nslots; /* zero or a power of two */
	size_t count;
};

struct parse_ctx;

void slices_free(struct slice_table *t);

/*
 * "Tensor" ends at OFF: the type known for the text from there up to and with
 * ']', or NULL. END is where the text ends.
 */
const void *lex_known_type(struct parse_ctx *cx, size_t off, size_t *end);

/* The text [off, end) behind "Tensor" is TYPE. */
void lex_learn_type(struct parse_ctx *cx, size_t off, size_t end,
		    const void *type);

/*
 * The first attribute of a call starts at OFF: the record known for the text
 * from there up to the ')', or NULL, and then the place is remembered for
 * lex_learn_attrs.
 */
const void *lex_known_attrs(struct parse_ctx *cx, size_t off, size_t *end);

/* The attributes that end at END, where a ')' is, made RECORD. */
void lex_learn_attrs(struct parse_ctx *cx, size_t end, const void *record);

#endif
