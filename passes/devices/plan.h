/*
 * Private to plan-devices: the module before the plan is made
 * (prepare_devices), what is known from it (analyze_devices), and the module
 * after (capture_devices).
 */
#ifndef RELAY_PASSES_DEVICES_PLAN_H
#define RELAY_PASSES_DEVICES_PLAN_H

#include "passes/devices/domains.h"

/* DEF is a function that passes may change. */
bool is_plannable(const ir_def *def);

/*
 * FN with annotations where they mean what is expected of them: on_device
 * around what a let binds or a function gives holds for the variable and for
 * the result, too, and of a projection it holds for the projection. What goes
 * into a kernel and what comes out of it may be copied.
 */
const ir_expr *annotate_results(ir_module *m, const ir_expr *fn);

/*
 * Copies of operands that annotations want on two devices at once. False
 * after reporting a contradiction.
 */
bool copy_contested(struct domains *ds, ir_def *const *defs, size_t n);

/* The domains of all values in DEFS, none open. False after reporting. */
bool analyze_devices(struct domains *ds, ir_def *const *defs, size_t n);

/* FN with copies, annotations and devices of parameters as DS says. */
const ir_expr *capture_devices(struct domains *ds, const ir_expr *fn);

#endif
