/*
 * BANG-C: kernels as text for Cambricon's compiler.
 *
 * This version knows element-wise and injective kernels; any other is an
 * error that says so.
 */
#ifndef RELAY_CODEGEN_BANGC_BANGC_H
#define RELAY_CODEGEN_BANGC_BANGC_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/buf.h"
#include "support/diag.h"

/* All kernels of M, which are loops. False after reporting to D. */
bool bangc_emit(struct buf *out, const ir_module *m, struct diag *d);

#endif
