/*
 * Objects of the metadata section that Relay itself has no node for: symbolic
 * dimensions, virtual devices, spans, anything a vendor put there. They are
 * kept as they are, so that they print again.
 *
 * Objects are immutable, live in the context, and equal ones are one pointer
 * (ir_meta_new interns), so "meta[tir.Var][0]" used twice is one object only
 * if the text says so: objects with identity (tir.Var, tir.SizeVar, ...) get
 * a serial number.
 */
#ifndef RELAY_IR_META_H
#define RELAY_IR_META_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/fwd.h"

struct buf;

/* An attribute: a plain string, another object, or a tensor. */
struct ir_meta_field {
	const char *name;      /* interned */
	const char *text;      /* plain value; NULL if an object */
	const ir_meta *object; /* NULL with TEXT NULL: null */
	ir_tensor *tensor;     /* borrowed from the module */
	const ir_type *type;   /* _checked_type_ and the like */
};

struct ir_meta {
	const char *type_key; /* interned: "tir.SizeVar" */
	const char *repr;     /* repr_str, may hold NUL; or NULL */
	uint32_t serial;      /* 0, or identity of its own */
	uint32_t nfields;
	const struct ir_meta_field *fields;
	uint32_t nkeys; /* of a Map with string keys */
	const char *const *keys;
	uint32_t ndata; /* items of an Array or Map */
	const ir_meta *const *data;
};

/* The interned object like *TEMPLATE; arrays are copied. */
const ir_meta *ir_meta_new(ir_context *cx, const ir_meta *template);

/* The plain text or the object of field NAME; NULL if absent. */
const char *ir_meta_text(const ir_meta *m, const char *name);
const ir_meta *ir_meta_object(const ir_meta *m, const char *name);

/* A virtual device; all unconstrained values are NULL for the IR. */
const ir_meta *ir_meta_vdevice(ir_context *cx, int device_type, int device_id,
			       const char *memory_scope);
/* One spelled out by what it says, for prints without metadata. */
void ir_meta_put_device(struct buf *out, const ir_meta *device);
/* The object that TVM has in place of such a NULL. */
const ir_meta *ir_meta_free_device(ir_context *cx);

#endif
