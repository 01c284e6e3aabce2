/*
 * Steps on all kernels of a module.
 */
#ifndef RELAY_PASSES_LOWER_TIR_H
#define RELAY_PASSES_LOWER_TIR_H

#include <stdbool.h>

#include "passes/pass.h"
#include "te/lower.h"

/* Each TE definition becomes what LOWER makes of it. True: there was one. */
bool lower_all(pass_ctx *cx,
	       tir_func *(*lower)(ir_module *, const te_func *,
				  const te_schedule *, struct diag *));

/* STEP on each TIR definition. True: there was one. */
bool lower_each(pass_ctx *cx, void (*step)(ir_module *, tir_func *));

#endif
