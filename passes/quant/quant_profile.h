/*
 * Ranges of annotated values, found by running the float network on samples.
 */
#ifndef RELAY_PASSES_QUANT_QUANT_PROFILE_H
#define RELAY_PASSES_QUANT_QUANT_PROFILE_H

#include "passes/quant/quantize.h"

struct quant_profile {
	struct ir_map index; /* simulated_quantize -> place in RANGE, + 1 */
	double *range;
};

/*
 * Run FN, annotated, on the samples that Q names. False after reporting.
 * Weights have no range here.
 */
bool quant_profile(pass_ctx *cx, const struct qconfig *q,
		   const struct ir_function *fn, struct quant_profile *out);
void quant_profile_free(struct quant_profile *p);

/*
 * The threshold that loses least information when N values are rounded to 255
 * steps below it: the least divergence of the histograms (Kullback-Leibler).
 */
double quant_kl_threshold(const float *values, size_t n);

/* The magnitude that all but one in 100,000 of the values stay below. */
double quant_percentile(const float *values, size_t n);

#endif
