#include "parser/old.h"

#include <string.h>

struct rename {
	unsigned schema; /* ATTRS_* */
	const char *from;
	const char *to;
};

static const struct rename fields[] = {
	{ATTRS_Resize2D, "bicubic_alpha", "cubic_alpha"},
	{ATTRS_Resize2D, "bicubic_exclude", "cubic_exclude"},
	{ATTRS_OnDevice, "se_scope", "virtual_device"},
	{ATTRS_OnDevice, "is_fixed", "constrain_result"},
	{ATTRS_DeviceCopy, "src_se_scope", "src_virtual_device"},
	{ATTRS_DeviceCopy, "dst_se_scope", "dst_virtual_device"},
};

static const struct rename values[] = {
	{ATTRS_Resize2D, "bilinear", "linear"},
	{ATTRS_Resize2D, "bicubic", "cubic"},
};

static const struct rename optional[] = {
	{ATTRS_Transpose, "axes", NULL},
	{ATTRS_StridedSlice, "axes", NULL},
	{ATTRS_Dequantize, "out_dtype", NULL},
};

enum {
	NFIELDS = sizeof(fields) / sizeof(fields[0]),
	NVALUES = sizeof(values) / sizeof(values[0]),
	NOPTIONAL = sizeof(optional) / sizeof(optional[0]),
};

/* Until 0.7 there was one operator for all sizes of image. */
const ir_op *
old_operator(const char *name)
{
	if (strcmp(name, "image.resize") == 0)
		return ir_op_info(OP_image_resize2d);
	return NULL;
}

const char *
old_field(const struct attrs_schema *s, const char *key)
{
	for (unsigned i = 0; i < NFIELDS; i++) {
		if (fields[i].schema == s->id &&
		    strcmp(fields[i].from, key) == 0)
			return fields[i].to;
	}
	return key;
}

ir_attr
old_value(ir_context *cx, const struct attr_field *f, ir_attr v)
{
	if (strcmp(f->name, "method") != 0)
		return v;
	for (unsigned i = 0; i < NVALUES; i++) {
		const struct attrs_schema *s = attrs_schema(values[i].schema);

		if (f == &s->fields[attrs_field_index(s, f->name)] &&
		    strcmp(values[i].from, v.s) == 0)
			v.s = ir_name(cx, values[i].to);
	}
	return v;
}

bool
old_default(const struct attrs_schema *s, unsigned i, ir_attr *value)
{
	for (unsigned k = 0; k < NOPTIONAL; k++) {
		if (optional[k].schema != s->id ||
		    strcmp(optional[k].from, s->fields[i].name) != 0)
			continue;
		if (s->fields[i].type == ATTR_TYPE_DTYPE)
			*value = ATTR_DT(DTYPE(FLOAT, 32));
		return true;
	}
	return false;
}

/* Take attribute NAME out of those from AT on; its number, or 0. */
static double
take_number(struct parse_ctx *cx, uint32_t at, const char *name)
{
	for (size_t i = at; i < cx->attrs.len; i++) {
		struct attr_item a = cx->attrs.at[i];

		if (!a.key || strcmp(a.key, name) != 0)
			continue;
		for (; i + 1 < cx->attrs.len; i++)
			cx->attrs.at[i] = cx->attrs.at[i + 1];
		cx->attrs.len--;
		return a.value.kind == ATTR_FLOAT ? a.value.f
		       : a.value.kind == ATTR_INT ? (double)a.value.i
						  : 0;
	}
	return 0;
}

/* The value that nn.pad fills in was an attribute until 0.7. */
void
old_arguments(struct parse_ctx *cx, struct loc loc, const ir_op *op,
	      struct arg_list list)
{
	double value;

	if (op->id != OP_nn_pad || cx->exprs.len != 1 || cx->record ||
	    cx->attrs.len == list.attrs)
		return;
	value = take_number(cx, list.attrs, "pad_value");
	vec_push(&cx->exprs,
		 ir_new_scalar(cx->m, loc, DTYPE(FLOAT, 32), value));
}
