/*
 * Default schedules, as data: which stages are inlined, tiled, vectorized.
 */
#ifndef RELAY_TE_SCHEDULE_H
#define RELAY_TE_SCHEDULE_H

#include "ir/module.h"
#include "ir/te.h"
#include "te/target.h"

/*
 * A schedule for F on TARGET. The kind of each operation (element-wise, fold
 * along rows, contraction) picks a template from a table; a record found by
 * LOOKUP wins over it.
 */
te_schedule *te_default_schedule(ir_module *m, const te_func *f,
				 const struct te_target *target);

/*
 * Where tuning records come in: asked first, by function and target; NULL
 * means that there is none. Set once, before anything is scheduled.
 */
typedef te_schedule *te_lookup_fn(ir_module *m, const te_func *f,
				  const struct te_target *target, void *env);
void te_set_record_lookup(te_lookup_fn *lookup, void *env);

#endif
