/*
 * The network as a list of steps over places in memory: what aot-lower-main
 * reads off a module, and what it is written as. Private to passes/aot_*.c.
 */
#ifndef RELAY_PASSES_AOT_H
#define RELAY_PASSES_AOT_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/module.h"
#include "ir/tir.h"
#include "ir/walk.h"
#include "passes/pass.h"
#include "support/ptrmap.h"
#include "support/vec.h"

enum place_kind { PLACE_INPUT, PLACE_OUTPUT, PLACE_CONSTANT, PLACE_WORK };

/* Where a tensor lies. */
struct place {
	enum place_kind kind;
	uint32_t index;
	const struct ir_tensor_type *type;
	uint32_t first; /* steps during which it is needed */
	uint32_t last;
	struct aot_dim *dims; /* with A->sizes: as many as the type has */
	const struct tir_buffer *count; /* a temporary's, whose size varies */
	uint32_t base; /* and where the sizes of its kernel lie */
	uint32_t nsizes;
};

/* A dimension: a number, or where it lies in main's array of sizes. */
struct aot_dim {
	int64_t value;
	int32_t index; /* or -1 */
};

/* The tensors of a value, depth first. */
struct leaves {
	uint32_t n;
	struct place **at;
};

struct step {
	const tir_func *kernel;
	struct loc loc;
	uint32_t n;
	struct place **args; /* inputs, outputs, temporaries */
	/* A kernel that takes sizes: they are the first parameter. */
	bool sized;
	uint32_t ninputs, noutputs; /* of N */
	uint32_t base;              /* of its sizes in main's array */
	uint32_t nsizes;
};

struct copy {
	struct place *from;
	struct place *to;
};

/* A function of another compiler's, and the kernel that calls it. */
struct external {
	ir_def *def;
	tir_func *kernel;
};

struct aot {
	pass_ctx *cx;
	ir_module *m;
	struct arena *arena;
	ir_def *def;
	const struct ir_function *fn;
	struct ir_map values;    /* node -> struct leaves */
	struct ir_map bound;     /* let variable -> its value */
	struct ir_map constants; /* constant -> struct leaves */
	struct ptrmap starts;    /* tuple type -> where its fields begin */
	struct ptrmap names; /* of parameters -> number for the next like it */
	VEC(struct place *) inputs;
	VEC(struct place *) outputs;
	VEC(struct place *) work;
	VEC(const ir_expr *) constant_list;
	VEC(int64_t) constant_at;
	VEC(struct step) steps;
	VEC(struct copy) copies;
	VEC(struct external) externals;
	ir_expr_vec nodes; /* of main, operands first */
	int64_t constant_bytes;
	int64_t workspace_bytes;
	bool sizes;      /* some shapes are known at run time only */
	uint32_t nsizes; /* in main's array */
};

/* A buffer called HINT, or like it, as the next parameter of F. */
struct tir_buffer *aot_add_param(struct aot *a, tir_func *f, const char *hint,
				 struct dtype t, int64_t size);

/* The attribute that lists the constants, added to D. */
const ir_dict *aot_constants(struct aot *a, const ir_dict *d);

/*
 * Shapes are known at run time only (A->sizes): the body of main and its
 * parameters. See passes/aot_sizes.c.
 */
bool aot_write_sized(struct aot *a);

/*
 * aot_external.c: a kernel that calls the function of DEF, which some other
 * compiler gives a body; NULL if its types are not those of arrays. It takes
 * the place of the function when all else went well.
 */
const tir_func *aot_external(struct aot *a, ir_def *def);
void aot_write_externals(struct aot *a);

#endif
