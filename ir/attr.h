/*
 * Attributes: values, records of calls, dictionaries of functions.
 *
 * A record (struct ir_attrs) is made for a schema of ir/attrs.def, holds one
 * value per field in the order of the schema, and is interned: equal records
 * of one context are one pointer. A dictionary (struct ir_dict) keeps the
 * order in which TVM's map iterates.
 */
#ifndef RELAY_IR_ATTR_H
#define RELAY_IR_ATTR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/dtype.h"
#include "ir/fwd.h"

enum ir_attr_kind {
	ATTR_NULL,  /* None */
	ATTR_INT,   /* bits: 16, 32, 64 (IntImm); 32 for plain fields */
	ATTR_FLOAT, /* bits: 16, 32, 64; a plain double field is 64 */
	ATTR_BOOL,
	ATTR_STRING, /* interned */
	ATTR_DTYPE,
	ATTR_ARRAY,
	ATTR_DICT, /* map with string keys */
	ATTR_ANY,  /* ? as a dimension */
	ATTR_EXPR, /* a Relay expression: constant, global variable, ... */
	ATTR_TYPE,
	ATTR_RECORD, /* a nested record */
	ATTR_META,   /* any other object of the metadata section */
};

struct ir_attr {
	uint8_t kind;
	uint8_t bits;
	/* INT, FLOAT, BOOL: a runtime.Box* of metadata; DICT: DictAttrs */
	bool boxed;
	uint32_t n; /* ARRAY: number of elements */
	union {
		int64_t i;
		double f;
		bool b;
		const char *s;
		struct dtype dtype;
		const ir_attr *elems;
		const ir_dict *dict;
		const ir_expr *expr;
		const ir_type *type;
		const ir_attrs *record;
		const ir_meta *meta;
	};
};

#define ATTR_INT32(x) ((ir_attr){.kind = ATTR_INT, .bits = 32, .i = (x)})
#define ATTR_BOOLEAN(x) ((ir_attr){.kind = ATTR_BOOL, .b = (x)})
#define ATTR_DOUBLE(x) ((ir_attr){.kind = ATTR_FLOAT, .bits = 64, .f = (x)})
#define ATTR_STR(x) ((ir_attr){.kind = ATTR_STRING, .s = (x)})
#define ATTR_DT(x) ((ir_attr){.kind = ATTR_DTYPE, .dtype = (x)})
#define ATTR_NONE ((ir_attr){.kind = ATTR_NULL})

/* What the field of a schema may hold. */
enum attr_type {
	ATTR_TYPE_INT, /* C int: prints without width */
	ATTR_TYPE_INT64,
	ATTR_TYPE_FLOAT, /* C double */
	ATTR_TYPE_BOOL,
	ATTR_TYPE_STRING,
	ATTR_TYPE_DTYPE,
	ATTR_TYPE_EXPR, /* an index: integer object, ?, symbolic */
	ATTR_TYPE_EXPRS,
	ATTR_TYPE_EXPRSS,
	ATTR_TYPE_INTS, /* array of integer objects */
	ATTR_TYPE_INTSS,
	ATTR_TYPE_FLOATS,
	ATTR_TYPE_INT_OR_INTS,
	ATTR_TYPE_RELAY, /* a Relay expression */
	ATTR_TYPE_VDEVICE,
	ATTR_TYPE_MAP,
	ATTR_TYPE_OBJECT,
};

enum attr_need { ATTR_DEFAULT, ATTR_REQUIRED, ATTR_NULLABLE };

struct attr_field {
	const char *name;
	enum attr_type type;
	enum attr_need need;
	const char *default_text;
};

struct attrs_schema {
	const char *key; /* "relay.attrs.Conv2DAttrs" */
	unsigned id;     /* ATTRS_* */
	unsigned nfields;
	const struct attr_field *fields;
};

enum attrs_id {
	ATTRS_NONE,
#define ATTRS(id, key) ATTRS_##id,
#define FIELD(name, type, need, deflt)
#define ATTRS_END
#include "ir/attrs.def"
	ATTRS_COUNT
};

/* All schemas by id; that of ATTRS_NONE is empty. */
extern const struct attrs_schema attrs_schemas[ATTRS_COUNT];

/* NULL for ATTRS_NONE. */
const struct attrs_schema *attrs_schema(enum attrs_id id);
const struct attrs_schema *attrs_schema_find(const char *key);

/*
 * Let attrs_schema_find know S, whose id is ATTRS_COUNT and which lives to the
 * end of the process. False: the key is taken, or there are too many.
 */
bool attrs_schema_add(const struct attrs_schema *s);

/* Index of a field, or -1. */
int attrs_field_index(const struct attrs_schema *s, const char *name);

/*
 * TVM keeps field I as an object of its own although its kind is plain: in
 * the metadata its value is the number of a node.
 */
bool attrs_field_is_object(const struct attrs_schema *s, unsigned i);

struct ir_attrs {
	const struct attrs_schema *schema;
	uint64_t hash;
	uint32_t n; /* == schema->nfields */
	ir_attr value[];
};

/* The interned record with these values, one per field of S; copied. */
const ir_attrs *ir_attrs_new(ir_context *cx, const struct attrs_schema *s,
			     const ir_attr *values);

/* The default of field I (ATTR_NULL where it has none). */
ir_attr ir_attrs_default(ir_context *cx, const struct attrs_schema *s,
			 unsigned i);

/* The record of S with all defaults. */
const ir_attrs *ir_attrs_defaults(ir_context *cx, const struct attrs_schema *s);

/* A with the field NAME set to VALUE. The field must exist. */
const ir_attrs *ir_attrs_with(ir_context *cx, const ir_attrs *a,
			      const char *name, ir_attr value);

/*
 * Does V fit field F? Converts in place as TVM does (int to double, 0/1 to
 * bool, string to dtype, null to void). False: *WHY says what was wanted.
 */
bool ir_attr_convert(ir_context *cx, const struct attr_field *f, ir_attr *v,
		     const char **why);

/* NULL when A is NULL or its schema has no such field. */
const ir_attr *ir_attrs_get(const ir_attrs *a, const char *name);

/*
 * Typed reading; the field must exist and hold that kind. A null integer is
 * given as DEFLT. Integers of any width.
 */
int64_t ir_attrs_int(const ir_attrs *a, const char *name, int64_t deflt);
double ir_attrs_double(const ir_attrs *a, const char *name);
bool ir_attrs_bool(const ir_attrs *a, const char *name);
const char *ir_attrs_string(const ir_attrs *a, const char *name);
struct dtype ir_attrs_dtype(const ir_attrs *a, const char *name);

/* Array element I as an integer (must be INT). */
int64_t ir_attr_elem_int(const ir_attr *array, uint32_t i);

/* Equality by value; expressions, types and records by pointer. */
bool ir_attr_equal(const ir_attr *a, const ir_attr *b);
uint64_t ir_attr_hash(const ir_attr *a);

/* Copies that live in the context. */
ir_attr ir_attr_array(ir_context *cx, const ir_attr *elems, uint32_t n);
ir_attr ir_attr_int_array(ir_context *cx, const int64_t *elems, uint32_t n,
			  unsigned bits);

struct ir_dict_entry {
	const char *key; /* interned */
	ir_attr value;
};

struct ir_dict_place {
	int32_t slot;
	int32_t next; /* slot of the next in the chain; negative: none */
};

/*
 * Immutable map from names to values. Up to four entries keep the order of
 * insertion; from five on the order is that of TVM's hash table, which is
 * simulated (reproducible). NULL is the empty dictionary.
 */
struct ir_dict {
	uint32_t n;
	uint32_t nslots;                   /* 0: small, insertion order */
	const struct ir_dict_place *place; /* of each entry in the table */
	struct ir_dict_entry entry[];      /* in order of iteration */
};

const ir_attr *ir_dict_get(const ir_dict *d, const char *key);
int64_t ir_dict_int(const ir_dict *d, const char *key, int64_t deflt);
const char *ir_dict_string(const ir_dict *d, const char *key); /* or NULL */

/*
 * D with KEY, interned here, set (replacing keeps the place), or without it:
 * then the last that met it in the table takes its place.
 */
const ir_dict *ir_dict_with(ir_context *cx, const ir_dict *d, const char *key,
			    ir_attr value);
const ir_dict *ir_dict_without(ir_context *cx, const ir_dict *d,
			       const char *key);

/* All entries at once, as a literal map is built. Later keys win. */
const ir_dict *ir_dict_new(ir_context *cx, const struct ir_dict_entry *e,
			   uint32_t n);

/*
 * The different keys of E[0..N), set one by one. Entries that meet in the hash
 * table come out in another order than they were set in: where an order is
 * found that gives that of E, it is taken, so that a printed dictionary is
 * read as it was.
 */
const ir_dict *ir_dict_as_written(ir_context *cx, const struct ir_dict_entry *e,
				  uint32_t n);

#endif
