/*
 * Functions that rule files may use by name: tests and values in conditions,
 * builders in replacements. The table is rw_fn.c; those of simplify-expr alone
 * stand in passes/simplify_expr/.
 */
#ifndef RELAY_PASSES_REWRITE_RW_FN_H
#define RELAY_PASSES_REWRITE_RW_FN_H

#include "passes/pass.h"
#include "passes/rewrite/rw.h"

struct interp;

/* What a condition or a replacement is worked out in. */
struct rw_env {
	pass_ctx *cx;
	ir_module *m;
	const struct rw_match *match;
	const ir_expr **built; /* by slot: of the replacement */
	struct interp *interp; /* made when first needed */
	struct diag quiet;
	bool reassoc; /* floats may be reordered */
};

enum rw_fn_kind { RW_TEST, RW_GIVES_VALUE, RW_BUILDS };

/* An argument or a result: by the kind of the parameter. */
union rw_arg {
	const ir_expr *e;
	ir_attr v;
};

/*
 * TEST: the truth. The others: false is "not defined here", and the rule does
 * not apply; else OUT is set. Expressions of arguments have types.
 */
typedef bool rw_native_fn(struct rw_env *env, const union rw_arg *a,
			  union rw_arg *out);

struct rw_fn {
	const char *name;
	enum rw_fn_kind kind;
	/* e: expression, v: value, o: a name, NULL if it is not bound */
	const char *params;
	rw_native_fn *run;
	const char *summary;
};

const struct rw_fn *rw_fn_find(const char *name);

#define FN(id, kind, params, summary) rw_native_fn rw_fn_##id;
#include "passes/rewrite/rw_fns.def"

/* All functions, up to one without name. */
extern const struct rw_fn rw_fns[];

/* rw_build.c: conditions, values and replacements of env->match. */
bool rw_holds(struct rw_env *env, const struct rw_node *condition);
bool rw_value(struct rw_env *env, const struct rw_node *n, ir_attr *out);

/* The replacement; NULL if something in it is not defined. */
const ir_expr *rw_build(struct rw_env *env, const struct rw_node *n);

/* E, made of constants, as one constant; NULL if it can't be evaluated. */
const ir_expr *rw_fold(struct rw_env *env, const ir_expr *e);

/* Give E and new nodes below it types; false if it has none. */
bool rw_infer(struct rw_env *env, const ir_expr *e);

/* E is a tensor of known type: that type; else NULL. */
const struct ir_tensor_type *rw_tensor(const ir_expr *e);

/* The payload of the constant E, or NULL. */
ir_tensor *rw_payload(const ir_expr *e);

#endif
