/*
 * What scanner, grammar and builders share while one text is read.
 * Private to lexer/ and parser/.
 */
#ifndef RELAY_PARSER_CONTEXT_H
#define RELAY_PARSER_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/meta.h"
#include "ir/module.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "lexer/slices.h"
#include "parser/parser.h"
#include "parser/scope.h"
#include "support/vec.h"

/* A number as written. A sign before it belongs to it. */
enum number_kind { NUM_INT, NUM_FLOAT };

struct number {
	union {
		uint64_t magnitude; /* INT */
		double value;       /* FLOAT, without sign */
	};
	uint8_t kind;
	uint8_t width; /* 0: none was written */
	bool negative;
	bool is_unsigned; /* INT, in loops: 1u8 */
	bool is_bfloat;   /* FLOAT, in loops: 1bf16 */
	bool overflow;    /* INT: more than 64 bits */
};

/* meta[KEY][INDEX] */
struct meta_ref {
	const char *key; /* interned */
	uint32_t index;
};

/* The items of a call's parentheses lie on the stacks from here on. */
struct arg_list {
	uint32_t args;
	uint32_t attrs;
};

/* A statement of a block: where stacks stood before it. */
struct block_mark {
	uint32_t lets;
	uint32_t scope;
};

/* An argument; or, without EXPR, a string by position (version 0.6). */
struct arg_item {
	const ir_expr *expr;
	struct loc loc;
	const char *name;
};

/* KEY = VALUE; KEY is NULL for a value by position (version 0.6). */
struct attr_item {
	const char *key;
	ir_attr value;
	struct loc key_loc;
	struct loc value_loc;
};

/* A binding that waits for the end of its block. */
struct let_item {
	const struct ir_var *var;
	const ir_expr *value;
	struct loc loc;
};

/* A function whose end was not read yet. */
struct fn_frame {
	uint32_t scope;
	uint32_t type_scope;
	uint32_t params;
	uint32_t attrs;
	uint32_t type_params;
	uint32_t ntype_params;
	uint32_t first_id; /* node ids below are older */
	struct loc loc;
};

/* The items of vector V from I on; an empty vector has no address to add to */
#define items_from(v, i) ((v)->at ? (v)->at + (i) : NULL)

enum bracket_kind {
	BRACKET_PLAIN,
	BRACKET_PARAMS, /* of a function: names are bound */
	BRACKET_PATTERN,
	BRACKET_ARM_PATTERN, /* of a match, left of the arrow */
	BRACKET_ARM_BODY,    /* right of it */
};

struct open_bracket {
	const char *callee; /* the name before a '(', or NULL */
	uint32_t off;
	char opener;
	uint8_t kind; /* enum bracket_kind */
	bool keyed;   /* attributes have begun */
};

enum text_kind { TEXT_MODULE, TEXT_EXPR, TEXT_TYPE };

/* The scanner's part. */
struct lex_state {
	enum text_kind text_kind;
	size_t read_pos; /* what flex has not been given yet */
	size_t off;      /* end of the last token */
	size_t behind;   /* bytes before OFF that flex has not gone over */
	int start_token; /* sent before the first, or 0 */
	int prev;        /* last token sent */
	int held;        /* read, to be sent after a ';' */
	struct loc held_loc;
	_Alignas(8) char held_value[8];
	uint32_t skip_depth; /* brackets around a lost statement */
	uint32_t closing;    /* braces to be closed for it */
	bool old;            /* header of version 0.0.4 or older */
	bool ended;          /* nothing more comes */
	bool params_next;    /* the next '(' opens parameters */

	VEC(struct open_bracket) open;
	VEC(uint32_t) matches; /* depths at which arms will open */
	const char *prev_name; /* of the last token, if a NAME */
	struct slice_table slices;
	struct slice pending;     /* attributes that may be learnt */
	struct number numbers[8]; /* the last ones, a ring */
	struct meta_ref metas[8];
	unsigned nnumbers;
	unsigned nmetas;
	bool globals_known;      /* all names behind "def @" interned */
	struct name_map globals; /* those names */
};

/* No record has more fields. */
enum { MAX_FIELDS = 64 };

/* What stands in the words of a primitive of a schedule. */
enum low_word_kind { LOW_NAME, LOW_ARROW, LOW_NUMBER, LOW_STRING };

struct low_word {
	enum low_word_kind kind;
	const char *name; /* NAME, STRING */
	int64_t number;
};

/* A loop or let whose body was not read yet. */
struct low_frame {
	const struct tir_var *var;
	const struct tir_buffer *buffer;
	const tir_expr *first;  /* min of a loop, value of a let */
	const tir_expr *second; /* extent */
	enum tir_for_kind kind;
	uint32_t scope;
	struct loc loc;
};

/* The part for tensor expressions and loops. */
struct low_state {
	struct name_map keywords; /* interned word -> token */
	bool active;              /* in the text of these levels */
	struct scope vars;        /* -> tir_var */
	struct scope ops;         /* -> te_op */
	struct scope buffers;     /* -> tir_buffer */
	te_func *te;
	te_schedule *schedule;
	tir_func *tir;
	ir_def *def;
	const char *stage; /* name of the one being read */
	const char *compute;
	struct loc compute_loc;
	uint32_t naxes; /* of the compute being read */
	uint32_t sizes; /* mark in VARS: sizes stand before */
	bool named;     /* a size stands in the type being read */
	struct te_reduce fold;
	VEC(struct te_axis) axes;
	VEC(struct dtype) dtypes;
	VEC(const tir_expr *) exprs;
	VEC(struct te_extern_arg) xargs;
	VEC(struct low_word) words;
	VEC(struct low_frame) frames;
	VEC(tir_stmt *) blocks;
	VEC(struct tir_param) params;
	VEC(const char *) handles; /* names of PARAMS */
};

struct meta_reader; /* parser/meta.h */

struct parse_ctx {
	ir_module *m;
	ir_context *cx;
	struct source *src;
	struct diag *d;
	struct parse_options o;
	void *scanner;
	struct lex_state lex;
	struct low_state low;

	struct scope locals;
	struct scope type_vars;
	struct name_map free_vars;
	struct name_map ops;          /* name -> node of an operator */
	struct name_map placeholders; /* index + 1 -> constant */
	struct name_map unknown_ops;
	struct name_map dangling; /* "KEY INDEX" -> object */
	unsigned std_types;       /* standard types mentioned: bits */
	uint32_t nserials;        /* objects with identity so far */
	struct graph_table graph;

	VEC(struct arg_item) args;
	VEC(struct attr_item) attrs;
	VEC(struct let_item) lets;
	VEC(const struct ir_var *) params;
	VEC(const ir_type *) types;
	VEC(struct ir_dim) dims;
	VEC(const ir_pattern *) patterns;
	VEC(struct ir_clause) clauses;
	VEC(ir_attr) values;
	VEC(struct ir_dict_entry) entries;
	VEC(struct fn_frame) frames;
	VEC(const ir_expr *) exprs; /* scratch for one call */
	VEC(ir_attr) fields;        /* scratch for one record */

	const ir_attrs *record; /* given as last argument of a call */
	ir_def *def;            /* those being read, or NULL */
	ir_type_def *type_def;
	const char *type_name;
	struct loc type_loc;
	bool type_extern;
	uint32_t ndefs;
	const ir_expr *result; /* of a bare expression */
	const ir_type *result_type;
	struct meta_reader *meta;
	bool meta_tried;
	bool no_metadata; /* the text has no such section */
	bool has_spans;   /* "span=" occurs in the text */
	bool no_locs;     /* the standard definitions */
	bool tainted;     /* a syntax error in this definition */
	bool warned_placeholder;
};

#endif
