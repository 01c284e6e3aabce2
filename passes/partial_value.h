/*
 * What partial-evaluate knows at compile time: values, environments, the
 * contents of references, and the fuel that bounds unfolding.
 *
 * Every value has an atom that stands for it in the program that is left. A
 * static part, where there is one, says more. All of it lives in the scratch
 * arena of the pass, but for the tables of environments and stores.
 */
#ifndef RELAY_PASSES_PARTIAL_VALUE_H
#define RELAY_PASSES_PARTIAL_VALUE_H

#include <stdbool.h>
#include <stdint.h>

#include "passes/pass.h"

enum partial_kind {
	PARTIAL_UNKNOWN,
	PARTIAL_TENSOR,
	PARTIAL_TUPLE,
	PARTIAL_DATA, /* a constructor and its fields */
	PARTIAL_REF,  /* told apart by its atom */
	PARTIAL_CLOSURE,
	PARTIAL_BUILTIN, /* an operator or a constructor */
};

struct partial_env;

struct partial_value {
	enum partial_kind kind;
	uint64_t time; /* of creation */
	const ir_expr *atom;
	uint32_t n; /* TUPLE, DATA */
	struct partial_value *const *fields;
	union {
		ir_tensor *tensor;          /* TENSOR */
		const struct ir_ctor *ctor; /* DATA */
		const ir_expr *builtin;     /* BUILTIN */
		struct {
			const struct ir_function *fn;
			struct partial_env *env;   /* around FN */
			const struct ir_var *self; /* its own name */
		} closure;
	};
};

/* Type parameters of a function that is unfolded. */
struct partial_types {
	const ir_type *var;
	const ir_type *type;
	const struct partial_types *next;
};

/* One activation of a function; PARENT is that of the function around it. */
struct partial_env {
	struct partial_env *parent;
	struct partial_env *all; /* list of all, to free them */
	struct ir_map vars;      /* variable -> value */
	const struct partial_types *types;
};

void partial_env_put(struct partial_env *env, const struct ir_var *v,
		     struct partial_value *value);
struct partial_value *partial_env_get(const struct partial_env *env,
				      const ir_expr *v);

/* T (or NULL) with the type parameters of unfolded functions replaced. */
const ir_type *partial_type(ir_module *m, const struct partial_env *env,
			    const ir_type *t);

/*
 * Bind the type variables in FORMAL that make it ACTUAL, in front of *OUT.
 * Either may be NULL.
 */
void partial_types_match(ir_context *cx, struct arena *a, const ir_type *formal,
			 const ir_type *actual,
			 const struct partial_types **out);

/*
 * Contents of references: a stack of frames. A frame that does not trust the
 * ones below hides them; leaving a frame forgets what it knew.
 */
struct partial_frame {
	struct ir_map values; /* atom of the reference -> value */
	bool trusts_below;
};

struct partial_store {
	VEC(struct partial_frame) frames;
};

void partial_store_push(struct partial_store *s);
void partial_store_pop(struct partial_store *s);
void partial_store_forget(struct partial_store *s); /* all contents */
void partial_store_put(struct partial_store *s, const ir_expr *ref,
		       struct partial_value *value);
struct partial_value *partial_store_get(const struct partial_store *s,
					const ir_expr *ref);

/* Of each argument of a call: when it was made, and its value if small. */
struct partial_fuel {
	uint32_t n;
	struct {
		uint64_t time;
		int64_t value; /* -1: not known */
	} args[];
};

/*
 * The fuel left when a function that has HAS (NULL: any amount) is called
 * with ARGS; NULL if no argument is older or smaller than ever before.
 */
const struct partial_fuel *partial_fuel_burn(struct arena *a,
					     const struct partial_fuel *has,
					     struct partial_value *const *args,
					     uint32_t n);

#endif
