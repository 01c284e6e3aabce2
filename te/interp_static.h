/*
 * Calls whose result has a shape that depends on constants, as calls that
 * say so: dyn.* operators as their static counterparts, arange with constant
 * attributes.
 */
#ifndef RELAY_TE_INTERP_STATIC_H
#define RELAY_TE_INTERP_STATIC_H

#include "ir/expr.h"
#include "ir/module.h"

/*
 * The static call that does what C does; NULL if C is no such operator, or
 * the inputs that decide are no constants. It has no type yet.
 */
const ir_expr *interp_static_call(ir_module *m, const struct ir_call *c);

#endif
