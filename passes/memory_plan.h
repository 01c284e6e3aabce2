/*
 * Offsets in one block of memory for values that live for a while.
 */
#ifndef RELAY_PASSES_MEMORY_PLAN_H
#define RELAY_PASSES_MEMORY_PLAN_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_PLAN_ALIGN = 64 };

/* Lives from step FIRST to step LAST, both included. */
struct plan_value {
	int64_t bytes;
	uint32_t first;
	uint32_t last;
	int64_t offset; /* the result, aligned */
};

/*
 * Place N values so that no two that live at the same step overlap; without
 * REUSE none overlap at all. Returns the size of the block. The largest come
 * first, each at the lowest place that is free; past a few thousand values
 * they come in order of time instead, and where hundreds live at once in any
 * place that fits, which takes no quadratic time.
 */
int64_t memory_plan(struct plan_value *values, uint32_t n, bool reuse);

/* Bytes that live at the fullest step: no plan needs less. */
int64_t memory_plan_peak(const struct plan_value *values, uint32_t n);

#endif
