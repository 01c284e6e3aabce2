/*
 * Contexts and modules.
 *
 * A context owns what is interned: names, types, attribute records. Modules
 * of one context can be compared with each other. A module owns definitions
 * and the arena of their nodes. The tables of a module are mutable; the nodes
 * in it are not.
 */
#ifndef RELAY_IR_MODULE_H
#define RELAY_IR_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/fwd.h"
#include "ir/tensor.h"
#include "support/arena.h"
#include "support/intern.h"
#include "support/vec.h"

struct ir_context {
	struct arena arena;
	struct interner names;
	struct ir_type_table *types;  /* private to ir/type.c */
	struct ir_attrs_table *attrs; /* private to ir/attr.c */
	struct ir_meta_table *metas;  /* private to ir/meta.c */
	uint32_t next_type_id;
	uint32_t next_type_var;
};

ir_context *ir_context_new(void);
void ir_context_free(ir_context *cx);

/* Interned copy of S. */
const char *ir_name(ir_context *cx, const char *s);
const char *ir_name_n(ir_context *cx, const char *s, size_t len);
const char *ir_namef(ir_context *cx, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

enum ir_def_kind {
	DEF_FUNCTION, /* Relay: fn */
	DEF_TE,       /* tensor expressions: te, and schedule if any */
	DEF_TIR,      /* loops: tir */
	DEF_RAW,      /* TVM's "@f = primfn(...)" kept as text: raw */
};

struct ir_def {
	const char *name; /* interned, without '@' */
	enum ir_def_kind kind;
	struct loc loc;
	const struct ir_global *global;
	const struct ir_function *fn; /* FUNCTION */
	te_func *te;
	te_schedule *schedule;
	tir_func *tir;
	const char *raw; /* from '@' to the last '}' */
	size_t raw_len;
};

struct ir_type_def {
	const char *name; /* interned */
	struct loc loc;
	bool is_extern;
	uint32_t nparams;
	const ir_type *const *params; /* TYPE_VAR */
	uint32_t nctors;
	const struct ir_ctor *const *ctors;
};

/* A place given as text: "span=NAME:LINE:COLUMN". */
struct ir_span {
	const char *name; /* interned */
	unsigned line;
	unsigned column;
	unsigned end_line;
	unsigned end_column;
};

struct ir_module {
	ir_context *cx; /* borrowed */
	struct arena arena;
	uint32_t next_id;     /* nodes made so far */
	uint32_t next_tir_id; /* variables and buffers of TIR */

	VEC(ir_def *) defs; /* in order of definition */
	VEC(ir_type_def *) types;
	VEC(const struct ir_global *) globals; /* defined or only mentioned */
	VEC(ir_tensor *) tensors;  /* references held for constants */
	VEC(struct ir_span) spans; /* what a loc with SPAN points to */
	const ir_expr **op_nodes;  /* by op_id, made on demand */
	VEC(const ir_expr *) unknown_op_nodes;
	struct ir_table *global_index; /* private: name -> global */
	struct ir_table *type_index;   /* name -> type definition */
	struct ir_table *ctor_index;   /* name -> constructor */
	bool types_valid;              /* every node in reach has its type */
	bool has_placeholders;         /* constants without data */
	/* Asked before each rewrite of counted rules; NULL: all may happen. */
	bool (*permits)(void *env);
	void *permits_env;
};

ir_module *ir_module_new(ir_context *cx);
void ir_module_free(ir_module *m);

/* Exchange the contents of two modules of one context. */
void ir_module_swap(ir_module *a, ir_module *b);

/* The global called NAME (interned), made on first mention. */
const struct ir_global *ir_module_global(ir_module *m, const char *name);

/* The same without making it: NULL if nobody mentioned NAME. */
const struct ir_global *ir_module_find_global(const ir_module *m,
					      const char *name);

/* The definition of NAME or NULL. */
ir_def *ir_module_find(const ir_module *m, const char *name);

/*
 * Add a definition of NAME, which must not have one. Fill in what KIND needs
 * afterwards.
 */
ir_def *ir_module_add(ir_module *m, const char *name, enum ir_def_kind kind,
		      struct loc loc);
ir_def *ir_module_add_function(ir_module *m, const char *name,
			       const ir_expr *fn, struct loc loc);
void ir_module_remove(ir_module *m, ir_def *def);

/* Remove the definitions of GLOBALS, as many as there are in linear time. */
struct ir_set;
void ir_module_remove_all(ir_module *m, const struct ir_set *globals);

/* A name like HINT, HINT_1, HINT_2 that no definition has; interned. */
const char *ir_module_fresh_name(const ir_module *m, const char *hint);

/* Definitions sorted by name, as they print; the caller frees with free(). */
ir_def **ir_module_sorted(const ir_module *m);

ir_type_def *ir_module_find_type(const ir_module *m, const char *name);
const struct ir_ctor *ir_module_find_ctor(const ir_module *m, const char *name);

/*
 * Add a data type; constructors follow with ir_module_add_ctor, which returns
 * NULL if a constructor of that name is there already.
 */
ir_type_def *ir_module_add_type(ir_module *m, const char *name,
				const ir_type *const *params, uint32_t n,
				struct loc loc);
const struct ir_ctor *ir_module_add_ctor(ir_module *m, ir_type_def *def,
					 const char *name,
					 const ir_type *const *fields,
					 uint32_t n, struct loc loc);

/* Take back all data types but the first N; nothing may mention them. */
void ir_module_drop_types(ir_module *m, size_t n);

/* The place that stands for a span written in the text. */
struct loc ir_module_add_span(ir_module *m, const char *name, unsigned line,
			      unsigned column);

/*
 * Copy what is live into a fresh arena; node ids are dense again. Every
 * pointer to a node or definition of M is stale afterwards. A module with
 * tensor expressions, loops or unknown operators is left as it is.
 */
void ir_module_compact(ir_module *m);

/*
 * Another module of the same context that holds the same, with nodes and
 * definitions of its own; tensors are shared. NULL where compaction would
 * leave M as it is.
 */
ir_module *ir_module_copy(const ir_module *m);

#endif
