/*
 * Calls of routines that have a twin in device/routines.mlu. Arrays lie in
 * device memory; the functions share out the work.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codegen/bangc/internal.h"

/* What a routine writes comes first. Some are the host's alone. */
static const struct routine {
	const char *name;
	uint32_t outputs;
	bool on_device;
} routines[] = {
	{"relay_all_class_nms", 2, true},
	{"relay_all_class_nms_padded", 3, true},
	{"relay_argsort", 1, true},
	{"relay_argwhere", 1, false},
	{"relay_grid_sample", 1, true},
	{"relay_max_pool2d_grad", 1, false},
	{"relay_multibox_transform_loc", 2, true},
	{"relay_multinomial", 2, false},
	{"relay_nms", 1, true},
	{"relay_nms_indices", 2, true},
	{"relay_normal", 2, false},
	{"relay_proposal", 1, false},
	{"relay_regular_nms", 4, false},
	{"relay_roi_align", 1, true},
	{"relay_roi_pool", 1, false},
	{"relay_scan", 1, true},
	{"relay_scatter_elements", 1, true},
	{"relay_scatter_nd", 1, true},
	{"relay_sort", 1, true},
	{"relay_sparse_add", 1, false},
	{"relay_sparse_conv2d", 1, false},
	{"relay_sparse_dense", 1, false},
	{"relay_sparse_to_dense", 1, false},
	{"relay_sparse_transpose", 3, false},
	{"relay_threefry_generate", 2, false},
	{"relay_threefry_split", 2, false},
	{"relay_topk", 2, true},
	{"relay_topk_indices", 1, true},
	{"relay_topk_values", 1, true},
	{"relay_uniform", 2, false},
	{"relay_unique", 4, false},
	{"relay_unique_counts", 5, false},
	{"relay_valid_counts", 3, true},
};

static const struct routine *
find(const tir_expr *call)
{
	for (size_t i = 0; i < sizeof(routines) / sizeof(*routines); i++)
		if (!strcmp(routines[i].name, call->s))
			return &routines[i];
	return NULL;
}

const tir_expr *
bang_call_of(const tir_stmt *s)
{
	const tir_expr *e = s->kind == TIR_ASSERT ? s->assert_.cond : NULL;

	return e && e->kind == TIR_EQ && e->arg[0]->kind == TIR_CALL_EXTERN
		       ? e->arg[0]
		       : NULL;
}

void
bang_collect_call(const tir_expr *call, struct bang_buffers *read,
		  struct bang_buffers *written)
{
	const struct routine *r = find(call);

	for (uint32_t i = 0; i < call->n; i++) {
		const tir_expr *a = call->arg[i];

		if (a->kind != TIR_ADDRESS_OF)
			continue;
		if (!r || i < r->outputs)
			bang_add_buffer(written, a->buffer);
		if (!r || i >= r->outputs)
			bang_add_buffer(read, a->buffer);
	}
}

/* Numbers of the host are wider than those of the device. */
static bool
put_argument(struct buf *out, const tir_expr *a)
{
	char text[40];

	if (a->kind == TIR_FLOAT && isfinite(a->f)) {
		snprintf(text, sizeof(text), "%.9g", a->f);
		buf_printf(out, "%s%sf", text, strpbrk(text, ".e") ? "" : ".0");
		return true;
	}
	if (a->kind == TIR_INT) {
		buf_printf(out, "%" PRId64, a->i);
		return true;
	}
	if (a->kind == TIR_FLOAT) {
		buf_puts(out, isnan(a->f) ? "NAN"
			      : a->f < 0  ? "-INFINITY"
					  : "INFINITY");
		return true;
	}
	if (a->kind == TIR_ADDRESS_OF && a->buffer->scope == TIR_GLOBAL &&
	    bang_type(a->buffer->dtype)) {
		buf_puts(out, a->buffer->name);
		if (a->arg[0]->kind == TIR_INT && a->arg[0]->i == 0)
			return true;
		buf_puts(out, " + ");
		return bang_put_expr(out, a->arg[0], NULL);
	}
	return a->kind != TIR_ADDRESS_OF && bang_put_expr(out, a, NULL);
}

bool
bang_put_routine(struct bang_kernel *k, const tir_stmt *s)
{
	const tir_expr *call = bang_call_of(s);
	size_t mark = k->out->len;
	bool ok = true;

	if (!call || k->alone || !find(call) || !find(call)->on_device)
		return false;
	buf_printf(k->out, "    %s(", call->s);
	for (uint32_t i = 0; ok && i < call->n; i++) {
		buf_puts(k->out, i ? ", " : "");
		ok = put_argument(k->out, call->arg[i]);
	}
	buf_puts(k->out, ");\n");
	if (!ok)
		k->out->len = mark;
	return ok;
}
