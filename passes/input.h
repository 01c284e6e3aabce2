/*
 * From a source to a module that passes can run on.
 */
#ifndef RELAY_PASSES_INPUT_H
#define RELAY_PASSES_INPUT_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/arena.h"
#include "support/diag.h"

/*
 * Make E the definition @main of M: a function as it is, anything else over
 * its free variables. False after reporting that M has a main already.
 */
bool input_wrap_expr(ir_module *m, const ir_expr *e, struct diag *d);

/*
 * Print M, read it again and compare; false after reporting where the two
 * differ. Messages about the printed text point into it.
 */
bool input_check_roundtrip(const ir_module *m, struct diag *d);

/* Let D find the places that the text of M gave as spans. */
void input_use_spans(const ir_module *m, struct diag *d);

#endif
