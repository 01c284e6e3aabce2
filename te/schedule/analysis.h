/*
 * What a schedule wants to know about a function: costs, readers, and how
 * reads move with each axis. Private to te/schedule/.
 */
#ifndef RELAY_TE_SCHEDULE_ANALYSIS_H
#define RELAY_TE_SCHEDULE_ANALYSIS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/te.h"
#include "te/plan.h"
#include "te/schedule.h"

struct te_info {
	double cost;    /* of one element, inlined parts too */
	double uses;    /* how often an element is read */
	uint32_t reads; /* occurrences in formulas */
	uint32_t size;  /* nodes, inlined parts too */
	bool is_output;
	bool read_by_extern;
	bool has_guard;
	bool inlined;
};

/* One per operation of F; free with free(). */
struct te_info *te_analyse(const te_func *f);

/*
 * Which operations are to be inlined, on the basis of costs; sets
 * info[].inlined and the costs that follow from it.
 */
void te_choose_inlined(const te_func *f, struct te_info *info);

/* Iterations of OP's loops, those of a fold included. */
double te_iterations(const struct te_op *op);

/* How the reads of one nest move, by iterator: roots of the nest. */
enum te_move {
	TE_MOVE_NONE = 1,   /* some read does not move */
	TE_MOVE_UNIT = 2,   /* some read moves by 1 */
	TE_MOVE_STRIDE = 4, /* some read moves further */
	TE_MOVE_ODD = 8,    /* not by a constant */
	TE_MOVE_GUARD = 16, /* a condition depends on it */
};

struct te_access {
	uint32_t nroots;
	unsigned *moves; /* by root */
	bool *fusable;   /* root i and i + 1 as one loop */
};

/*
 * Access pattern of N, whose formulas have been inlined (te_plan_make with
 * the inline primitives). Free with te_access_free.
 */
void te_access_of(const struct te_plan *p, const struct te_nest *n,
		  struct te_access *out);
void te_access_free(struct te_access *a);

#endif
