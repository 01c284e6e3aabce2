#include "passes/devices/vdevice.h"

#include <stdlib.h>
#include <string.h>

#include "support/buf.h"

/* ---------------------------------------------------------------- parts -- */

static int
number(const ir_meta *meta, const char *field)
{
	const char *text = ir_meta_text(meta, field);

	return text ? atoi(text) : -1;
}

/* The object with the parts of D. */
static const ir_meta *
meta_of(ir_context *cx, const struct vdevice *d)
{
	const ir_meta scope = {
		.type_key = ir_name(cx, "runtime.String"),
		.repr = d->scope,
	};
	const struct ir_meta_field fields[] = {
		{.name = ir_name(cx, "device_type_int"),
		 .text = ir_namef(cx, "%d", d->type)},
		{.name = ir_name(cx, "memory_scope"),
		 .object = ir_meta_new(cx, &scope)},
		{.name = ir_name(cx, "target"), .object = d->target},
		{.name = ir_name(cx, "virtual_device_id"),
		 .text = ir_namef(cx, "%d", d->id)},
	};
	const ir_meta device = {
		.type_key = ir_name(cx, "VirtualDevice"),
		.nfields = sizeof(fields) / sizeof(fields[0]),
		.fields = fields,
	};

	if (d->target)
		return ir_meta_new(cx, &device);
	return ir_meta_vdevice(cx, d->type, d->id, d->scope);
}

static struct vdevice
canonical(ir_context *cx, int type, int id, const char *scope,
	  const ir_meta *target)
{
	struct vdevice d = {.type = type > 0 ? type : -1,
			    .id = id >= 0 ? id : -1,
			    .scope = scope,
			    .target = target};

	d.meta = meta_of(cx, &d);
	return d;
}

struct vdevice
vdevice_of(ir_context *cx, const ir_meta *meta)
{
	const ir_meta *scope;

	if (!meta)
		return canonical(cx, -1, -1, ir_name(cx, ""), NULL);
	scope = ir_meta_object(meta, "memory_scope");
	return canonical(cx, number(meta, "device_type_int"),
			 number(meta, "virtual_device_id"),
			 ir_name(cx, scope && scope->repr ? scope->repr : ""),
			 ir_meta_object(meta, "target"));
}

struct vdevice
vdevice_of_type(ir_context *cx, int type)
{
	return canonical(cx, type, 0, ir_name(cx, ""), NULL);
}

struct vdevice
vdevice_in_scope(ir_context *cx, const struct vdevice *d, const char *scope)
{
	return canonical(cx, d->type, d->id, scope, d->target);
}

static bool
same_parts(const struct vdevice *a, const struct vdevice *b)
{
	return a->type == b->type && a->id == b->id && a->scope == b->scope &&
	       a->target == b->target;
}

bool
vdevice_join(ir_context *cx, const struct vdevice *a, const struct vdevice *b,
	     struct vdevice *out)
{
	if (a->meta == b->meta || !b->meta) {
		*out = *a;
		return true;
	}
	if (!a->meta) {
		*out = *b;
		return true;
	}
	if ((a->type > 0 && b->type > 0 && a->type != b->type) ||
	    (a->id >= 0 && b->id >= 0 && a->id != b->id) ||
	    (*a->scope && *b->scope && a->scope != b->scope) ||
	    (a->target && b->target && a->target != b->target))
		return false;
	*out = vdevice_default(cx, a, b);
	return true;
}

struct vdevice
vdevice_default(ir_context *cx, const struct vdevice *a,
		const struct vdevice *b)
{
	struct vdevice d = *a;

	if (a->meta == b->meta || !b->meta)
		return *a;
	if (d.type <= 0)
		d.type = b->type;
	if (d.id < 0)
		d.id = b->id;
	if (!*d.scope)
		d.scope = b->scope;
	/* A target is for one kind of device. */
	if (!d.target && d.type == b->type)
		d.target = b->target;
	if (same_parts(&d, a))
		return *a;
	if (same_parts(&d, b))
		return *b;
	return canonical(cx, d.type, d.id, d.scope, d.target);
}

const char *
vdevice_text(ir_context *cx, const struct vdevice *d)
{
	struct buf text = {0};
	const char *name;

	if (!d->meta)
		return "VirtualDevice(?)";
	ir_meta_put_device(&text, d->meta);
	name = ir_name_n(cx, text.at, text.len);
	buf_free(&text);
	return name;
}

/* ---------------------------------------------------------------- calls -- */

static const struct ir_call *
call_of(const ir_expr *e, enum op_id op)
{
	const struct ir_call *c;

	if (!ir_is_call_of(e, op))
		return NULL;
	c = ir_as_call(e);
	return c->nargs == 1 && c->attrs ? c : NULL;
}

const struct ir_call *
as_on_device(const ir_expr *e)
{
	return call_of(e, OP_on_device);
}

const struct ir_call *
as_device_copy(const ir_expr *e)
{
	return call_of(e, OP_device_copy);
}

struct vdevice
vdevice_attr(ir_context *cx, const struct ir_call *call, const char *name)
{
	const ir_attr *a = ir_attrs_get(call->attrs, name);

	return vdevice_of(cx, a && a->kind == ATTR_META ? a->meta : NULL);
}

bool
binds_body(const struct ir_call *on_device)
{
	return ir_attrs_bool(on_device->attrs, "constrain_body");
}

bool
binds_result(const struct ir_call *on_device)
{
	return ir_attrs_bool(on_device->attrs, "constrain_result");
}

const ir_expr *
below_on_device(const ir_expr *e)
{
	const struct ir_call *c;

	while ((c = as_on_device(e)))
		e = c->args[0];
	return e;
}

static ir_attr
device_attr(const struct vdevice *d)
{
	if (!d->meta)
		return ATTR_NONE;
	return (ir_attr){.kind = ATTR_META, .meta = d->meta};
}

/* A call of OP on E with two attributes set, of E's type. */
static const ir_expr *
new_call(ir_module *m, enum op_id op, const ir_expr *e, const char *name1,
	 ir_attr value1, const char *name2, ir_attr value2)
{
	const ir_attrs *attrs = ir_attrs_defaults(m->cx, ir_op_info(op)->attrs);
	const ir_expr *call;

	attrs = ir_attrs_with(m->cx, attrs, name1, value1);
	attrs = ir_attrs_with(m->cx, attrs, name2, value2);
	call = ir_new_op_call(m, e->loc, op, &e, 1, attrs);
	ir_set_type(call, e->type);
	return call;
}

const ir_expr *
new_on_device(ir_module *m, const ir_expr *e, const struct vdevice *d)
{
	return new_call(m, OP_on_device, e, "virtual_device", device_attr(d),
			"constrain_result", ATTR_BOOLEAN(true));
}

const ir_expr *
allow_copy(ir_module *m, const ir_expr *e)
{
	return new_call(m, OP_on_device, e, "constrain_body",
			ATTR_BOOLEAN(false), "constrain_result",
			ATTR_BOOLEAN(false));
}

const ir_expr *
place_on_device(ir_module *m, const ir_expr *e, const struct vdevice *d)
{
	switch (e->kind) {
	case IR_OP:
	case IR_CTOR:
	case IR_GLOBAL:
	case IR_VAR:
	case IR_FUNCTION:
		return e;
	default:
		return d->meta ? new_on_device(m, below_on_device(e), d) : e;
	}
}

const ir_expr *
new_device_copy(ir_module *m, const ir_expr *e, const struct vdevice *from,
		const struct vdevice *to)
{
	return new_call(m, OP_device_copy, e, "src_virtual_device",
			device_attr(from), "dst_virtual_device",
			device_attr(to));
}
