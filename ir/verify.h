/*
 * Well-formedness. Finds all faults of a module and reports each at its
 * place: variables used out of scope or bound twice, undefined globals,
 * constructors with the wrong number of fields, operators with the wrong
 * number of inputs, attributes that do not fit their schema, types of names
 * that are not defined.
 */
#ifndef RELAY_IR_VERIFY_H
#define RELAY_IR_VERIFY_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/diag.h"

/* False after reporting at least one error to D. */
bool ir_verify_module(const ir_module *m, struct diag *d);

/* The same for a bare expression; free variables are allowed. */
bool ir_verify_expr(const ir_module *m, const ir_expr *e, struct diag *d);

/* Only the types: names that are defined, with the arguments they take. */
bool ir_verify_types(const ir_module *m, struct diag *d);

#endif
