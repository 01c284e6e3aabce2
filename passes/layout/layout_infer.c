/*
 * The table of operators that layouts mean something to, and what the
 * families of them share.
 */
#include "passes/layout/layout_infer.h"

#include <stdio.h>

const char layout_any[] = "*";

bool
layout_read(const char *name, struct ir_layout *out)
{
	return name && name != layout_any && ir_layout_parse(name, out);
}

const char *
layout_name(ir_context *cx, const struct ir_layout *l)
{
	char text[LAYOUT_MAX_AXES * 12 + 1];
	size_t n = 0;

	text[0] = 0;
	for (uint32_t i = 0; i < l->n; i++) {
		if (l->axis[i].factor)
			n += (size_t)snprintf(text + n, sizeof(text) - n, "%d",
					      (int)l->axis[i].factor);
		text[n++] = l->axis[i].letter;
		text[n] = 0;
	}
	return ir_name(cx, text);
}

uint32_t
layout_num_primal(const struct ir_layout *l)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < l->n; i++)
		n += l->axis[i].factor == 0;
	return n;
}

const char *
layout_current(const struct layout_query *q)
{
	return q->now ? q->now[0] : q->old[0];
}

void
layout_fill(const struct layout_query *q, struct layout_answer *a, uint32_t n,
	    const char *first)
{
	for (uint32_t i = 0; i < q->n; i++)
		a->in[i] = i < n ? first : layout_any;
	for (uint32_t i = 0; i < a->nout; i++)
		a->out[i] = first;
}

const struct ir_tensor_type *
layout_tensor(const struct layout_query *q, uint32_t i)
{
	const ir_type *t = q->types[i];

	return t && t->kind == TYPE_TENSOR ? ir_as_tensor_type(t) : NULL;
}

bool
layout_move_axis(const char *old, const char *now, int64_t *axis)
{
	struct ir_layout from;
	struct ir_layout to;
	char letter;
	int at;

	if (!layout_read(old, &from) || !layout_read(now, &to))
		return false;
	if (*axis < 0)
		*axis += from.n;
	if (*axis < 0 || *axis >= from.n)
		return false;
	letter = from.axis[*axis].letter;
	at = ir_layout_index(&to, letter);
	if (from.axis[*axis].factor || at < 0 ||
	    ir_layout_factor(&to, letter) != 1)
		return false;
	*axis = at;
	return true;
}

bool
layout_infer_names_axes(layout_infer_fn *f)
{
	static layout_infer_fn *const fns[] = {
		layout_reduce,        layout_arg_reduce, layout_concatenate,
		layout_split,         layout_squeeze,    layout_transpose,
		layout_strided_slice, layout_slice_like, layout_topk,
		layout_pad,           layout_norm,       layout_l2_normalize,
		layout_requantize,
	};

	for (size_t i = 0; i < sizeof(fns) / sizeof(*fns); i++)
		if (fns[i] == f)
			return true;
	return false;
}

layout_infer_fn *
layout_infer_of(enum op_id op)
{
	switch (op) {
#define ROW(id, fn)   \
	case OP_##id: \
		return layout_##fn;
#include "passes/layout/layout_infer.def"
	default:
		return NULL;
	}
}
