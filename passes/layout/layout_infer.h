/*
 * Which layouts an operator can work in.
 *
 * A layout is an interned text as in ir/layout.h; NULL is one that nobody
 * knows, "" that of a scalar, and layout_any says that the operator does not
 * care and nothing is to be converted.
 *
 * An operator is asked twice. First, with the layouts that its producers had
 * (NOW is NULL), how it sees its operands and its result. Then, with the
 * layouts NOW at hand after producers were changed, and OLD ones as answered
 * before, which layouts it would work in and with which attributes: if it
 * can, in those at hand.
 */
#ifndef RELAY_PASSES_LAYOUT_LAYOUT_INFER_H
#define RELAY_PASSES_LAYOUT_LAYOUT_INFER_H

#include "ir/layout.h"
#include "ir/module.h"

extern const char layout_any[];

struct layout_query {
	ir_context *cx;
	const struct ir_op *op;
	const ir_attrs *attrs;
	uint32_t n;             /* operands; tuples are flattened */
	const char *const *now; /* NULL when asked first */
	const char *const *old;
	const ir_type *const *types; /* of the operands, in OLD layouts */
};

/* IN has room for all operands, OUT for all results. */
struct layout_answer {
	const char **in;
	const char **out;
	uint32_t nout;
	const ir_attrs *attrs;
};

/* False if it cannot say; then everything stays as it was. */
typedef bool layout_infer_fn(const struct layout_query *q,
			     struct layout_answer *a);

/* The function of OP, or NULL if layouts mean nothing to it. */
layout_infer_fn *layout_infer_of(enum op_id op);

/*
 * F names axes by number. Where these are parts of axes, as the outer C of
 * "NCHW4c" is, another layout has nothing that means the same.
 */
bool layout_infer_names_axes(layout_infer_fn *f);

/* One family each; layout_infer_of picks. */
layout_infer_fn layout_elementwise;
layout_infer_fn layout_broadcast;
layout_infer_fn layout_reduce;
layout_infer_fn layout_arg_reduce;
layout_infer_fn layout_concatenate;
layout_infer_fn layout_split;
layout_infer_fn layout_squeeze;
layout_infer_fn layout_transpose;
layout_infer_fn layout_strided_slice;
layout_infer_fn layout_slice_like;
layout_infer_fn layout_topk;
layout_infer_fn layout_pad;
layout_infer_fn layout_norm;
layout_infer_fn layout_l2_normalize;
layout_infer_fn layout_prelu;
layout_infer_fn layout_requantize;
layout_infer_fn layout_pool;
layout_infer_fn layout_upsampling;
layout_infer_fn layout_resize;
layout_infer_fn layout_conv;
layout_infer_fn layout_dense;
layout_infer_fn layout_fixed;

/* What the families share. NAME may be NULL or layout_any: false then. */
bool layout_read(const char *name, struct ir_layout *out);
const char *layout_name(ir_context *cx, const struct ir_layout *l);
uint32_t layout_num_primal(const struct ir_layout *l);

/* The layout at hand, or the old one when asked first, of operand 0. */
const char *layout_current(const struct layout_query *q);

/* All operands and results: the first N operands FIRST, the rest any. */
void layout_fill(const struct layout_query *q, struct layout_answer *a,
		 uint32_t n, const char *first);

/* Extents of operand I, or NULL if it is no tensor. */
const struct ir_tensor_type *layout_tensor(const struct layout_query *q,
					   uint32_t i);

/* Axis *AXIS of layout OLD, maybe negative, as the whole axis of NOW. */
bool layout_move_axis(const char *old, const char *now, int64_t *axis);

#endif
