/*
 * Default schedules: what is inlined, then a template for each other stage.
 */
#include <stdlib.h>
#include <string.h>

#include "te/schedule.h"
#include "te/schedule/analysis.h"

static te_lookup_fn *record_lookup;
static void *record_env;

void
te_set_record_lookup(te_lookup_fn *lookup, void *env)
{
	record_lookup = lookup;
	record_env = env;
}

te_schedule *
te_default_schedule(ir_module *m, const te_func *f,
		    const struct te_target *target)
{
	te_schedule *s = NULL;
	struct te_info *info;

	if (record_lookup)
		s = record_lookup(m, f, target, record_env);
	if (s)
		return s;
	s = te_new_schedule(m, f->name);
	s->target = ir_name(m->cx, target->text);
	s->loc = f->loc;
	info = te_analyse(f);
	te_choose_inlined(f, info);
	for (uint32_t i = f->nparams; i < f->nops; i++) {
		struct te_stage *st = te_schedule_stage(m, s, f->ops[i]->name);

		if (info[i].inlined)
			te_stage_add(m, st, TE_PRIM_INLINE);
	}
	free(info);
	return s;
}
