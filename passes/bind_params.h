/*
 * Tensors from files in place of parameters and of constants without data.
 */
#ifndef RELAY_PASSES_BIND_PARAMS_H
#define RELAY_PASSES_BIND_PARAMS_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/diag.h"

/*
 * Read FILE (.params, .npz) and make the parameters of the function ENTRY
 * that are named in it constants; give its tensors "meta[relay.Constant][N]"
 * to the constants of that number that have no data. A warning for tensors
 * that nothing is called like; false after reporting errors.
 */
bool bind_params_file(ir_module *m, const char *entry, const char *file,
		      struct diag *d);

#endif
