/*
 * Virtual devices: where a value lies. Each part - kind of device, its number,
 * target, memory scope - may be open, and two devices that do not contradict
 * each other have a join that says what both say.
 */
#ifndef RELAY_PASSES_DEVICES_VDEVICE_H
#define RELAY_PASSES_DEVICES_VDEVICE_H

#include <stdbool.h>

#include "ir/expr.h"
#include "ir/meta.h"
#include "ir/module.h"

enum { VDEVICE_CPU = 1 };

struct vdevice {
	const ir_meta *meta; /* canonical: equal devices, equal pointers;
				NULL: all parts are open */
	int type;            /* DLDeviceType; -1: open */
	int id;              /* -1: open */
	const char *scope;   /* interned; "": open */
	const ir_meta *target;
};

/* The device of an object of the metadata; NULL is all open. */
struct vdevice vdevice_of(ir_context *cx, const ir_meta *meta);
struct vdevice vdevice_of_type(ir_context *cx, int type);

/* D with another memory scope (interned). */
struct vdevice vdevice_in_scope(ir_context *cx, const struct vdevice *d,
				const char *scope);

/* What A and B say; false if they contradict each other. */
bool vdevice_join(ir_context *cx, const struct vdevice *a,
		  const struct vdevice *b, struct vdevice *out);

/* A, its open parts filled from B. */
struct vdevice vdevice_default(ir_context *cx, const struct vdevice *a,
			       const struct vdevice *b);

/* "VirtualDevice(device_type=1, virtual_device_id=0)"; lives in CX. */
const char *vdevice_text(ir_context *cx, const struct vdevice *d);

/* ---------------------------------------------- calls about devices -- */

/* E as on_device or device_copy, or NULL. */
const struct ir_call *as_on_device(const ir_expr *e);
const struct ir_call *as_device_copy(const ir_expr *e);

/* The device in attribute NAME of CALL. */
struct vdevice vdevice_attr(ir_context *cx, const struct ir_call *call,
			    const char *name);

/* on_device binds what is in it, what is around it. */
bool binds_body(const struct ir_call *on_device);
bool binds_result(const struct ir_call *on_device);

/* E below all on_device around it. */
const ir_expr *below_on_device(const ir_expr *e);

/*
 * on_device(E, D, constrain_result=True), of E's type. E itself where it says
 * by itself where it is: variables, functions, operators, all open D.
 */
const ir_expr *place_on_device(ir_module *m, const ir_expr *e,
			       const struct vdevice *d);

/* The same for any E. */
const ir_expr *new_on_device(ir_module *m, const ir_expr *e,
			     const struct vdevice *d);

/* on_device that binds nothing: E may be copied to what is around it. */
const ir_expr *allow_copy(ir_module *m, const ir_expr *e);

/* device_copy of E, of its type. */
const ir_expr *new_device_copy(ir_module *m, const ir_expr *e,
			       const struct vdevice *from,
			       const struct vdevice *to);

#endif
