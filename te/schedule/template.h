/*
 * Templates: ways to schedule one stage that is not inlined. Private to
 * te/schedule/.
 */
#ifndef RELAY_TE_SCHEDULE_TEMPLATE_H
#define RELAY_TE_SCHEDULE_TEMPLATE_H

#include <stdbool.h>

#include "te/plan.h"
#include "te/schedule/analysis.h"
#include "te/schedule/write.h"
#include "te/target.h"

/* Axes that templates handle, with room for the parts of some. */
enum { TE_TILE_NAMES = 24 };

/* A function being scheduled. */
/* The nests that read one. */
struct te_readers {
	const struct te_nest *first;
	bool many;
	bool other; /* some read is not element by element */
};

struct te_scheduling {
	ir_module *m;
	const te_func *f;
	const struct te_target *target;
	te_schedule *s;
	struct te_info *info;       /* by id of operation */
	struct te_plan plan;        /* with the inlined stages inlined */
	bool *done;                 /* by id: has its stage */
	struct te_readers *readers; /* by id; made when asked for */
};

/*
 * Write the stage of N, and of what is computed with it. False, and nothing
 * written, if the template does not fit.
 */
typedef bool te_template_fn(struct te_scheduling *c, struct te_nest *n);

te_template_fn te_template_tile;  /* registers hold a tile of folds */
te_template_fn te_template_rows;  /* vectors run along the fold */
te_template_fn te_template_map;   /* no fold: vectors of results */
te_template_fn te_template_plain; /* serial loops; always fits */

/*
 * The only reader of N, if it is no fold, reads N element by element, and
 * has no stage yet: N can be computed inside of its loops. Else NULL.
 */
struct te_nest *te_find_host(struct te_scheduling *c, const struct te_nest *n);

/* The stage of N is about to be written. */
struct te_writer te_begin_stage(struct te_scheduling *c,
				const struct te_nest *n);

/* Enough work in N for more than one thread. */
bool te_worth_threads(const struct te_scheduling *c, const struct te_nest *n);

#endif
