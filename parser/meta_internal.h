/*
 * Inside of the metadata reader.
 */
#ifndef RELAY_PARSER_META_INTERNAL_H
#define RELAY_PARSER_META_INTERNAL_H

#include <jansson.h>

#include "parser/meta.h"

/* A mark "\1N" in the document stands for long string N. */
#define MARK "\1"
#define MARK_JSON "\\u0001"

struct meta_cut {
	size_t off; /* where it stands in the text */
	size_t len;
	size_t at; /* where its mark stands */
};

enum meta_state { META_NEW, META_BUSY, META_DONE, META_FAILED };

struct meta_memo {
	enum meta_state state;
	ir_attr value;
};

/* The same node kept as it is. */
struct meta_object_memo {
	const ir_meta *object;
	bool busy;
};

struct meta_reader {
	struct parse_ctx *pc;
	size_t start; /* of the document in the text */
	json_t *doc;
	json_t *nodes; /* all borrowed from DOC */
	json_t *tensors;
	json_t *keys;
	json_t *lists;
	size_t nnodes;
	size_t ntensors;
	struct meta_memo *values; /* by node */
	struct meta_object_memo *objects;
	ir_tensor **decoded; /* by tensor */
	unsigned depth;
	size_t at;      /* the node being made */
	struct loc loc; /* of the reference followed now */
	VEC(struct meta_cut) cuts;
	VEC(ir_attr) stack;
};

/* The text of STRING, long ones taken from the source; LOC is its place. */
const char *meta_text(const struct meta_reader *r, const json_t *string,
		      size_t *len, struct loc *loc);

/* The same, interned; the empty name if STRING is none. */
const char *meta_word(const struct meta_reader *r, const json_t *string);

/* Tensor number I of the document, borrowed; NULL after a report. */
ir_tensor *meta_tensor(struct meta_reader *r, size_t i);

/* The tensor that base64 text STRING holds; a reference for the caller. */
ir_tensor *meta_decode(struct meta_reader *r, const json_t *string);

/*
 * Node INDEX as a value. False after a report; what is cyclic, too deep or
 * not there is an error.
 */
bool meta_node(struct meta_reader *r, size_t index, ir_attr *out);

/*
 * The index of a node that field NAME of NODE holds; 0 (null) if there is no
 * such field. False if it holds something else.
 */
bool meta_index(struct meta_reader *r, const json_t *node, const char *name,
		size_t *index);

/* The plain text of field NAME, or NULL. */
const char *meta_field_text(const json_t *node, const char *name);

/* The name in field NAME: a string node, or (version 0.6) the text itself. */
const char *meta_name(struct meta_reader *r, const json_t *node,
		      const char *name);

/* Report at the reference that is followed; returns false. */
bool meta_fail(struct meta_reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* meta_type.c: a node of a type; meta_record.c: of a record. */
bool meta_type(struct meta_reader *r, const json_t *node, const char *key,
	       ir_attr *out);
bool meta_is_type(const char *key);
bool meta_record(struct meta_reader *r, const json_t *node, const char *key,
		 ir_attr *out);

/* Node INDEX as it is, whatever it is. */
bool meta_object(struct meta_reader *r, size_t index, ir_attr *out);

#endif
