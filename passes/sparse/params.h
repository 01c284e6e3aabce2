/*
 * Replacing parameters of a function by others: what a weight becomes when it
 * is kept in another form.
 *
 * New parameters stand where the old one stood, which stays before them while
 * something else reads it.
 */
#ifndef RELAY_PASSES_SPARSE_PARAMS_H
#define RELAY_PASSES_SPARSE_PARAMS_H

#include "passes/pass.h"

/* One weight that the user named. */
struct named_weight {
	const char *name; /* without '%' */
	uint32_t nsizes;
	const int64_t *sizes;
};

struct params {
	pass_ctx *cx;
	const struct ir_function *fn;
	VEC(struct named_weight) named;
	struct ir_map made; /* parameter -> struct new_params */
};

struct new_params {
	uint32_t n;
	const ir_expr *at[3];
};

/*
 * Begin with FN. Option NAMES lists weights, by commas; option SIZES (may be
 * NULL) has SIZES_EACH numbers for each of them. False after reporting.
 */
bool params_init(struct params *p, pass_ctx *cx, const struct ir_function *fn,
		 const char *names, const char *sizes, uint32_t sizes_each);

/* What the user said of E; NULL if it is no parameter that is named. */
const struct named_weight *params_named(const struct params *p,
					const ir_expr *e);

/*
 * The parameters that stand for E, %w: %w.SUFFIX of these types. Made when
 * first asked for.
 */
const struct new_params *params_replace(struct params *p, const ir_expr *e,
					const char *const *suffixes,
					const ir_type *const *types,
					uint32_t n);

/* The three parts of a sparse matrix of floats with these five extents. */
const struct new_params *params_sparse(struct params *p, const ir_expr *e,
				       const int64_t sizes[5]);

/* The function with BODY and the new parameters; frees P. */
const struct ir_function *params_finish(struct params *p, const ir_expr *body);

#endif
