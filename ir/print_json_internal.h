/*
 * The metadata section while it is made: nodes and what refers to them.
 */
#ifndef RELAY_IR_PRINT_JSON_INTERNAL_H
#define RELAY_IR_PRINT_JSON_INTERNAL_H

#include "ir/print_internal.h"
#include "support/ptrmap.h"

enum json_ref_kind {
	REF_NULL,
	REF_ROOT, /* map from keys to lists */
	REF_LIST, /* struct print_meta_list */
	REF_EXPR,
	REF_META,
	REF_RECORD,
	REF_DICT,
	REF_DICT_ATTRS, /* the record around a dictionary */
	REF_ATTR,
	REF_TYPE,
	REF_SHAPE, /* of a tensor type */
	REF_DIM,
	REF_TYPES,  /* struct type_list */
	REF_STRING, /* interned */
	REF_VAR_ID, /* the name of a variable */
	REF_DEVICE, /* the device without constraint */
	REF_TOLD,   /* print_told_constant() */
	REF_SPAN,   /* struct ir_span */
	REF_SOURCE, /* the name of a source */
};

/* An object, and where its number belongs. */
struct json_ref {
	enum json_ref_kind kind;
	const void *object;
	uint32_t *slot;
};

/* One "name": "..." of a node: TEXT, or the number of a part. */
struct json_field {
	const char *name;
	const char *text;
	uint32_t number;
};

struct json_node {
	const char *type_key;
	const char *repr; /* or NULL */
	size_t repr_len;
	uint32_t nfields;
	uint32_t nkeys;
	uint32_t ndata;
	struct json_field *fields;
	const char *const *keys;
	uint32_t *data;
};

struct json {
	struct print *p;
	struct buf *out;
	struct arena *arena;
	VEC(struct json_node) nodes;
	VEC(struct json_ref) todo;
	VEC(struct json_ref) parts; /* of the node being made */
	VEC(struct json_field) fields;
	VEC(const ir_tensor *) tensors;
	struct ptrmap shared; /* numbers of objects and tensors */
};

/*
 * Say in N what object R is; fields and parts are collected in J, first the
 * parts of fields, then items.
 */
void print_json_make(struct json *j, struct json_node *n, struct json_ref r);

/* The text of J's nodes and tensors. */
void print_json_text(struct json *j);

#endif
