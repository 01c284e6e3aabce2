/*
 * From scheduled tensor expressions to loops.
 *
 * The steps can be run one by one (the passes te-to-tir, tir-*) or all at
 * once (te_lower). Each leaves a function that the evaluator can run and that
 * can be printed.
 */
#ifndef RELAY_TE_LOWER_H
#define RELAY_TE_LOWER_H

#include <stdbool.h>

#include "ir/module.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "support/diag.h"

/*
 * The loops of F by schedule S, all the way. S may be NULL: every operation
 * as plain serial loops. F is not changed. NULL after reporting to D, at the
 * line of the schedule, what cannot be done.
 *
 * Parameters: a handle for each PARAM, one for each output, and one for each
 * temporary that is as large as a tensor: scratch memory of the caller, which
 * need not be initialised. Buffers are row-major and flat.
 */
tir_func *te_lower(ir_module *m, const te_func *f, const te_schedule *s,
		   struct diag *d);

/*
 * The first step: loops with guards where splits do not divide, temporaries
 * as allocations where they are attached, loop kinds as marked.
 */
tir_func *te_to_tir(ir_module *m, const te_func *f, const te_schedule *s,
		    struct diag *d);

/* Split loops so that guards are decided, and simplify everything. */
void tir_partition(ir_module *m, tir_func *f);

/* Loops marked VECTORIZED become vector expressions, or serial loops. */
void tir_vectorize(ir_module *m, tir_func *f);

/* Loops marked UNROLLED become sequences. */
void tir_unroll(ir_module *m, tir_func *f);

/* Allocations of scope "global" become parameters, behind the outputs. */
void tir_storage(ir_module *m, tir_func *f);

/*
 * Form: variables and buffers are defined where used, types agree, indices
 * with a known range are within their buffer. False after reporting to D.
 */
bool tir_verify(const ir_module *m, const tir_func *f, struct diag *d);

#endif
