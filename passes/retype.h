/*
 * Passes that change what types mean, everywhere in a function: each variable
 * becomes one of the new type, and all that binds variables is built anew.
 */
#ifndef RELAY_PASSES_RETYPE_H
#define RELAY_PASSES_RETYPE_H

#include "passes/pass.h"
#include "support/ptrmap.h"

struct retype {
	ir_module *m;
	struct arena *arena;
	void *env;
	/* The new type of a tensor; NULL: stays. */
	const ir_type *(*tensor)(const ir_type *t, void *env);
	/* Of a function F with these new parameters and result; NULL: those. */
	const ir_type *(*func)(const struct ir_func_type *f,
			       const ir_type *const *params, const ir_type *ret,
			       void *env);
	/* Of a type parameter; NULL: stays. */
	const ir_type *(*var)(const ir_type *t, void *env);
	/*
	 * What data types become that hold by definition what the functions
	 * above change: twins called NAME_SUFFIX. NULL: they stay.
	 */
	const char *twin_suffix;
	struct ir_map vars;  /* private: old to new variables */
	struct ptrmap twins; /* private: data types to their twins, or 0 */
};

/* The new type for T; NULL for NULL. */
const ir_type *retype_type(struct retype *r, const ir_type *t);

/* The variable that V became. */
const struct ir_var *retype_var(struct retype *r, const struct ir_var *v);

/* Let, match and function E, whose operands are new, with new binders. */
const ir_expr *retype_let(struct retype *r, const ir_expr *e);
const ir_expr *retype_match(struct retype *r, const ir_expr *e);
struct ir_function_parts retype_parts(struct retype *r,
				      const struct ir_function *f);

/* One parameter more for PARTS, the last; A holds the list. */
void retype_add_param(struct arena *a, struct ir_function_parts *parts,
		      const struct ir_var *v);

/* The constructor of the same place in the twin of its data type. */
const struct ir_ctor *retype_ctor(struct retype *r, const struct ir_ctor *c);

/*
 * The type of F with these parameters, MORE behind them, and this result: what
 * `func` is for passes that give functions one parameter more.
 */
const ir_type *retype_func_with(ir_module *m, struct arena *a,
				const struct ir_func_type *f,
				const ir_type *const *params,
				const ir_type *more, const ir_type *ret);

void retype_free(struct retype *r);

/* T is a tensor, or a tuple of such, at any depth. */
bool type_is_data(const ir_type *t);

/* All fields of C say by type parameters alone what they hold. */
bool ctor_is_generic(const struct ir_ctor *c);
bool pattern_is_generic(const ir_pattern *p);

#endif
