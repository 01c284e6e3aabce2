/*
 * On which device is each value? Unification of device domains.
 *
 *     D ::= a virtual device, parts of which may be open
 *         | fn (D, ..., D) -> D
 *
 * A value that is no function has a device; one that is has those of its
 * parameters and of its result. Tuples, references and data have one device
 * for all that is in them, functions included.
 */
#ifndef RELAY_PASSES_DEVICES_DOMAINS_H
#define RELAY_PASSES_DEVICES_DOMAINS_H

#include "ir/walk.h"
#include "passes/devices/vdevice.h"
#include "passes/pass.h"

struct domain {
	struct domain *same; /* another of its class; NULL: it stands for it */
	struct vdevice device; /* if N is 0 */
	uint32_t n;            /* parameters and result of a function; or 0 */
	struct domain *at[];
};

struct undo {
	struct domain *d;
	struct domain *same;
	struct vdevice device;
};

struct domains {
	pass_ctx *cx;
	ir_module *m;
	struct arena *arena;
	struct vdevice open;
	struct vdevice preferred; /* where nothing else says */
	struct vdevice host;
	struct domain *on_host;
	struct ir_map of;      /* expression -> domain */
	struct ir_map callees; /* call -> what it calls, for this call */
	struct ir_map bound;   /* variable -> kernel that a let binds to it */
	bool trying;           /* changes go to LOG */
	VEC(struct undo) log;
};

void domains_init(struct domains *ds, pass_ctx *cx,
		  const struct vdevice *preferred);
void domains_free(struct domains *ds);

/* The domain of E; that of a parameter or field of its type while unknown. */
struct domain *domain_of(struct domains *ds, const ir_expr *e);

/*
 * The domain of what CALL calls. Operators, constructors and kernels are for
 * any device, and each call of them has a domain of its own; some wish their
 * operands on the host.
 */
struct domain *domain_of_callee(struct domains *ds, const struct ir_call *call);

/* E names a kernel below Relay; those run wherever they are called. */
bool is_lowered_kernel(const ir_expr *e);

/*
 * The kernel, still in Relay, that a call of CALLEE runs; or NULL. What lets
 * bind in functions must have been noted.
 */
void domains_note_kernels(struct domains *ds, const ir_expr *fn);
const struct ir_function *kernel_called(struct domains *ds,
					const ir_expr *callee);

/* The copy that all of F is, or NULL; F has devices at its parameters. */
const struct ir_call *kernel_as_copy(const struct ir_function *f);
bool kernel_says_devices(const struct ir_function *f);

/* A new one for values of type T, the result of which is on D. */
struct domain *domain_new(struct domains *ds, const ir_type *t,
			  const struct vdevice *d);

/* The one that stands for D's class. */
struct domain *domain_find(struct domains *ds, struct domain *d);

/* Make A and B the same. False: they contradict each other. */
bool domain_unify(struct domains *ds, struct domain *a, struct domain *b);

/* The same, or nothing at all. */
bool domain_try(struct domains *ds, struct domain *a, struct domain *b);

/* Fill what is open in D, from the result on: from TO, then from the result. */
void domain_default(struct domains *ds, struct domain *d,
		    const struct vdevice *to);

/* The device of D or, of a function, of what it gives in the end. */
struct vdevice domain_device(struct domains *ds, struct domain *d);

/* The same for E, looking through an on_device around it. */
struct vdevice device_of_expr(struct domains *ds, const ir_expr *e);

#endif
