/*
 * Private to manifest-alloc: memory for one kernel (allocate.c), and where
 * kernels are called (manifest_alloc.c).
 */
#ifndef RELAY_PASSES_MEMORY_ALLOCATE_H
#define RELAY_PASSES_MEMORY_ALLOCATE_H

#include "passes/devices/vdevice.h"
#include "passes/fresh_names.h"
#include "passes/let_list.h"
#include "passes/pass.h"

/* A call of a kernel. */
struct kernel_call {
	const ir_expr *callee;
	const ir_expr *key; /* the kernel: a literal or a global */
	const struct ir_func_type *type;
	const ir_dict *attrs;
	const struct ir_function *fn; /* or NULL */
	te_func *te;                  /* or NULL */
	const ir_expr *const *args;
	struct loc loc;
	const ir_type *out;
};

struct allocator {
	pass_ctx *cx;
	ir_module *m;
	struct vdevice host;
	struct fresh_names names;
	VEC(struct vdevice) devices; /* around what is looked at */
	struct let_list bindings;
	struct ir_map kernels;    /* variable -> its literal */
	struct ir_map shapes;     /* kernel -> struct no_shape */
	struct ir_map attrs;      /* kernel -> its ir_dict */
	struct ir_map expansions; /* let -> struct expansion */
	struct ir_set clean;      /* nothing to do in it */
	struct ir_set blocks;     /* branches: done on their own */
};

/* The device around what is looked at; open where none are planned. */
struct vdevice allocator_here(const struct allocator *a);

/* A new variable for VALUE, which is on D. */
const ir_expr *allocator_bind(struct allocator *a, const char *name,
			      const ir_expr *value, const struct vdevice *d);

/* E as the call of a kernel; false: it is none. */
bool as_kernel_call(struct allocator *a, const ir_expr *e,
		    struct kernel_call *k);

/*
 * What stands for the call E of the kernel K; E: it stays. What must be bound
 * before it is added to the bindings.
 */
const ir_expr *allocate_for(struct allocator *a, const ir_expr *e,
			    const struct kernel_call *k);

#endif
