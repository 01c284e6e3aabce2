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
	bool read_by_fold;
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

/*
 * How the reads of one nest move with its roots (data axes, then fold axes):
 * element index = constant + sum of coef * root, as far as it is linear.
 */
struct te_access {
	uint32_t nroots;
	uint32_t nreads;
	int64_t *coef;      /* [read * nroots + root] */
	bool *odd;          /* by root: some read is not linear */
	bool *guarded;      /* by root: used other than to read */
	unsigned narrowest; /* bytes of the smallest element */
	unsigned widest;    /* and of the largest, result too */
};

/*
 * The access of N, whose formulas have been inlined. Free with
 * te_access_free.
 */
void te_access_of(struct te_plan *p, const struct te_nest *n,
		  struct te_access *out);
void te_access_free(struct te_access *a);

static inline int64_t
te_coef(const struct te_access *a, uint32_t read, uint32_t root)
{
	return a->coef[read * a->nroots + root];
}

/* The largest coefficient of ROOT by absolute value; -1: not linear. */
int64_t te_stride(const struct te_access *a, uint32_t root);

/* Roots I and I + 1 of N may run as one loop without changing any index. */
bool te_can_fuse(const struct te_access *a, const struct te_nest *n,
		 uint32_t i);

/*
 * Rows and vectors of a register tile: MR rows of NV vectors each, for EA
 * rows of EJ elements, so that all accumulators stay in registers and the
 * multipliers are kept busy.
 */
struct te_tile {
	int64_t rows;
	int64_t vectors;
};
struct te_tile te_choose_tile(const struct te_target *t, int64_t ea, int64_t ej,
			      unsigned lanes);

#endif
