/* What other passes use of dead-code-elimination. */
#ifndef RELAY_PASSES_DEAD_CODE_ELIMINATION_H
#define RELAY_PASSES_DEAD_CODE_ELIMINATION_H

#include "passes/pass.h"
#include "passes/purity.h"

/* FN without the lets that are pure and read by nobody. */
const struct ir_function *drop_dead_lets(pass_ctx *cx,
					 const struct purity *purity,
					 const struct ir_function *fn);

#endif
