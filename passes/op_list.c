#include "passes/op_list.h"

#include <string.h>

#include "ir/op.h"
#include "ir/relation.h"
#include "support/diag_json.h"
#include "support/options.h"
#include "te/compute.h"

static const struct {
	unsigned trait;
	const char *name;
} traits[] = {
	{OP_TRAIT_STATEFUL, "stateful"},
	{OP_TRAIT_NON_COMPUTATIONAL, "non-computational"},
	{OP_TRAIT_RESHAPE, "reshape"},
	{OP_TRAIT_UNREGISTERED, "attributes-by-key"},
	{OP_TRAIT_MISMATCH, "attributes-of-another-key"},
};

static const char *
type_name(enum attr_type t)
{
	static const char *const names[] = {
		[ATTR_TYPE_INT] = "int",
		[ATTR_TYPE_INT64] = "int64",
		[ATTR_TYPE_FLOAT] = "float",
		[ATTR_TYPE_BOOL] = "bool",
		[ATTR_TYPE_STRING] = "string",
		[ATTR_TYPE_DTYPE] = "dtype",
		[ATTR_TYPE_EXPR] = "extent",
		[ATTR_TYPE_EXPRS] = "extent[]",
		[ATTR_TYPE_EXPRSS] = "extent[][]",
		[ATTR_TYPE_INTS] = "int[]",
		[ATTR_TYPE_INTSS] = "int[][]",
		[ATTR_TYPE_FLOATS] = "float[]",
		[ATTR_TYPE_INT_OR_INTS] = "int or int[]",
		[ATTR_TYPE_RELAY] = "expression",
		[ATTR_TYPE_VDEVICE] = "device",
		[ATTR_TYPE_MAP] = "map",
		[ATTR_TYPE_OBJECT] = "object",
	};

	return names[t];
}

/* The default of F as it would stand in a text. */
static void
put_default(struct buf *out, const struct attr_field *f)
{
	const char *s = f->default_text;

	if (f->type == ATTR_TYPE_STRING && strcmp(s, "null") != 0)
		buf_printf(out, "\"%s\"", s);
	else if (strcmp(s, "null") == 0)
		buf_puts(out, "None");
	else if (strcmp(s, "void") == 0)
		buf_puts(out, "\"\"");
	else if (f->type == ATTR_TYPE_BOOL)
		buf_puts(out, strcmp(s, "true") == 0 ? "True" : "False");
	else if (f->type == ATTR_TYPE_DTYPE)
		buf_printf(out, "\"%s\"", s);
	else
		for (; *s; s++)
			buf_printf(out, *s == ',' ? ", " : "%c", *s);
}

/* How its values come about. */
static const char *
compute_name(const ir_op *op)
{
	if (te_compute_rule(op->id))
		return op->traits & OP_TRAIT_ROUTINE ? "routine" : "formula";
	return op->traits & OP_TRAIT_BY_VALUE   ? "by-value"
	       : op->traits & OP_TRAIT_NO_VALUE ? "computes-nothing"
						: "missing";
}

static bool
has_type(const ir_op *op)
{
	return op->relation && op->relation != rel_none &&
	       op->relation != rel_missing;
}

/* Shapes, not values, say how large the result is. */
static bool
has_sizes(const ir_op *op)
{
	return !(op->traits & OP_TRAIT_BY_VALUE) &&
	       strncmp(op->name, "dyn.", 4) != 0;
}

static bool
has_bangc(const ir_op *op)
{
	switch (op->id) {
	case OP_argsort:
	case OP_cumprod:
	case OP_cumsum:
	case OP_image_grid_sample:
	case OP_scatter_elements:
	case OP_scatter_nd:
	case OP_sort:
	case OP_topk:
	case OP_vision_all_class_non_max_suppression:
	case OP_vision_get_valid_counts:
	case OP_vision_multibox_transform_loc:
	case OP_vision_non_max_suppression:
	case OP_vision_roi_align:
		return true; /* routines of the device, too */
	default:
		return te_compute_rule(op->id) && has_sizes(op) &&
		       !(op->traits & OP_TRAIT_ROUTINE);
	}
}

static bool
has_gradient(const ir_op *op)
{
	switch (op->id) {
#define GRADIENT(op, rule) case OP_##op:
#include "passes/gradient/rules.def"
		return true;
	default:
		return false;
	}
}

static void
put_inputs(struct buf *out, const ir_op *op)
{
	if (op->ninputs == OP_MANY_INPUTS)
		buf_puts(out, "...");
	else
		buf_puts(out, op->inputs);
}

static void
put_attributes(struct buf *out, const struct attrs_schema *s)
{
	buf_printf(out, "  attributes %s\n", s->key);
	for (unsigned i = 0; i < s->nfields; i++) {
		const struct attr_field *f = &s->fields[i];

		buf_printf(out, "    %s: %s", f->name, type_name(f->type));
		if (f->need == ATTR_DEFAULT) {
			buf_puts(out, " = ");
			put_default(out, f);
		} else {
			buf_puts(out, f->need == ATTR_REQUIRED
					      ? ", required"
					      : ", required, or None");
		}
		buf_putc(out, '\n');
	}
}

void
op_list(struct buf *out)
{
	for (unsigned i = 0; i < ir_op_limit(); i++) {
		const ir_op *op =
			i == OP_UNKNOWN ? NULL : ir_op_info((enum op_id)i);

		if (!op)
			continue;
		buf_printf(out, "%s(", op->name);
		put_inputs(out, op);
		buf_puts(out, ")\n    ");
		options_wrap(out, op->summary, 4);
		buf_printf(out,
			   "  type %s, compute %s, gradient %s, BANG-C %s\n",
			   has_type(op) ? "yes" : "no", compute_name(op),
			   has_gradient(op) ? "yes" : "no",
			   has_bangc(op) ? "yes" : "no");
		buf_printf(out, "  pattern %s, tier %u",
			   ir_op_pattern_name(op->pattern), op->tier);
		for (size_t k = 0; k < sizeof(traits) / sizeof(*traits); k++)
			if (op->traits & traits[k].trait)
				buf_printf(out, ", %s", traits[k].name);
		buf_putc(out, '\n');
		if (op->attrs)
			put_attributes(out, op->attrs);
	}
}

static void
put_key(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, "\"%s\": ", key);
	json_put_string(out, value);
}

static void
put_flag(struct buf *out, const char *key, bool value)
{
	buf_printf(out, ", \"%s\": %s", key, value ? "true" : "false");
}

static void
put_inputs_json(struct buf *out, const ir_op *op)
{
	const char *s = op->ninputs == OP_MANY_INPUTS ? "" : op->inputs;

	buf_puts(out, ",\n   \"inputs\": [");
	while (*s) {
		size_t n = strcspn(s, ",");

		buf_printf(out, "\"%.*s\"", (int)n, s);
		s += n;
		if (*s)
			buf_puts(out, ", ");
		s += *s == ',';
	}
	buf_puts(out, "]");
	put_flag(out, "variadic", op->ninputs == OP_MANY_INPUTS);
}

static void
put_attributes_json(struct buf *out, const struct attrs_schema *s)
{
	buf_puts(out, ",\n   ");
	put_key(out, "attrs_type_key", s->key);
	buf_puts(out, ", \"attributes\": [");
	for (unsigned i = 0; i < s->nfields; i++) {
		const struct attr_field *f = &s->fields[i];
		struct buf text = {0};

		buf_puts(out, i ? ",\n    {" : "\n    {");
		put_key(out, "name", f->name);
		buf_puts(out, ", ");
		put_key(out, "type", type_name(f->type));
		if (f->need == ATTR_DEFAULT) {
			put_default(&text, f);
			buf_putc(&text, '\0');
			buf_puts(out, ", ");
			put_key(out, "default", text.at);
		}
		put_flag(out, "required", f->need != ATTR_DEFAULT);
		buf_putc(out, '}');
		buf_free(&text);
	}
	buf_putc(out, ']');
}

static void
put_traits_json(struct buf *out, const ir_op *op)
{
	bool first = true;

	buf_puts(out, ", \"traits\": [");
	for (size_t k = 0; k < sizeof(traits) / sizeof(*traits); k++) {
		if (!(op->traits & traits[k].trait))
			continue;
		buf_printf(out, "%s\"%s\"", first ? "" : ", ", traits[k].name);
		first = false;
	}
	buf_putc(out, ']');
}

void
op_list_json(struct buf *out)
{
	buf_puts(out, "[");
	for (unsigned i = 0; i < ir_op_limit(); i++) {
		const ir_op *op =
			i == OP_UNKNOWN ? NULL : ir_op_info((enum op_id)i);

		if (!op)
			continue;
		buf_puts(out, i ? ",\n  {" : "\n  {");
		put_key(out, "name", op->name);
		put_inputs_json(out, op);
		buf_puts(out, ",\n   ");
		put_key(out, "pattern", ir_op_pattern_name(op->pattern));
		buf_printf(out, ", \"tier\": %u", op->tier);
		put_traits_json(out, op);
		buf_puts(out, ",\n   ");
		put_key(out, "compute", compute_name(op));
		put_flag(out, "type", has_type(op));
		put_flag(out, "gradient", has_gradient(op));
		put_flag(out, "bangc", has_bangc(op));
		if (op->attrs)
			put_attributes_json(out, op->attrs);
		buf_puts(out, ",\n   ");
		put_key(out, "summary", op->summary);
		buf_putc(out, '}');
	}
	buf_puts(out, "\n]\n");
}
