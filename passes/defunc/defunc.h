/*
 * Private to passes/defunc: functions as data.
 *
 * For each type of function values there is a data type with a constructor for
 * each function that becomes such a value, and a function that applies it.
 * Both are found by the type of the function in terms of the new types.
 */
#ifndef RELAY_PASSES_DEFUNC_DEFUNC_H
#define RELAY_PASSES_DEFUNC_DEFUNC_H

#include "passes/pass.h"
#include "passes/retype.h"
#include "support/ptrmap.h"
#include "support/vec.h"

/* One type of function values. */
struct encoding {
	const struct ir_func_type *type; /* in new types */
	const ir_type *data;
	ir_type_def *adt;
	const struct ir_global *apply;
	const ir_expr *self; /* parameters of apply */
	const ir_expr **params;
	VEC(struct ir_clause) clauses;
	struct ir_map of_value; /* global, constructor -> its own */
};

/* A definition, for type arguments in place of its type parameters. */
struct instance {
	ir_def *def;
	const ir_type *const *args; /* as in the text; NULL: it has none */
	const struct ir_global *global;
	const struct ir_function *now;
};

struct defunc {
	pass_ctx *cx;
	ir_module *m;
	struct retype types;
	VEC(struct encoding *) encodings;
	struct ptrmap encoding_of;      /* by type, and by data */
	struct ir_map special;          /* globals that need instances */
	VEC(struct instance) instances; /* those made are in front */
	size_t at;                      /* the one at hand */
	struct ptrmap known;            /* name and arguments -> global */
	struct ir_set values;           /* literals that are more than called */
	struct ir_set spliced;          /* literals whose body was used */
	struct ir_map self_of;          /* literal -> variable of its let */
};

/* Literals with type parameters become one without for each use. */
void defunc_copy_literals(struct defunc *d);

/* The new type of T, which may mention type parameters of the instance. */
const ir_type *defunc_type(struct defunc *d, const ir_type *t);

/* T with the type arguments of the instance, otherwise as it was. */
const ir_type *defunc_old_type(struct defunc *d, const ir_type *t);

/* The encoding of function type T, a type of the text. */
struct encoding *defunc_encoding(struct defunc *d, const ir_type *t);

/* The data that stands for literal NOW, whose parts are new; OLD before. */
const ir_expr *defunc_literal(struct defunc *d, const ir_expr *now,
			      const ir_expr *old);

/*
 * The data that stands for a definition, a constructor or a closed literal that
 * stays as it is, as a value of type T.
 */
const ir_expr *defunc_value(struct defunc *d, const ir_expr *value,
			    const ir_type *t);

/* The global to call instead of DEF, used as a function of type T. */
const struct ir_global *defunc_instance(struct defunc *d, ir_def *def,
					struct loc loc,
					const ir_type *const *params,
					uint32_t n, const ir_type *ret);

/* What CALL passes, for its type arguments: types of the text. */
const ir_type **defunc_param_types(struct defunc *d,
				   const struct ir_call *call);

/* The apply functions, once all clauses are known; false after reporting. */
bool defunc_finish_encodings(struct defunc *d);

void defunc_free_encodings(struct defunc *d);

/* "Tensor[(2), float32]" as a part of a name. */
const char *defunc_mangle(struct defunc *d, const char *prefix,
			  const ir_type *t);

/* A global called like HINT that nothing mentions. */
const struct ir_global *defunc_new_global(struct defunc *d, const char *hint);

#endif
