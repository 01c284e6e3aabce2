/*
 * Routines for what loops cannot say: sorting, selection, suppression.
 *
 * Compiled code calls them by name. Parameters are pointers to whole arrays
 * in row-major order, int64_t, double and strings; the result is 0, or a
 * relay_status. The evaluator finds them here with a caller that takes the
 * arguments from an array, and the JIT their address.
 */
#ifndef RELAY_RUNTIME_EXTERN_H
#define RELAY_RUNTIME_EXTERN_H

#include <stdint.h>

union relay_arg {
	int64_t i;
	double f;
	void *p;
};

struct relay_extern {
	const char *name;
	uint32_t nargs;
	int32_t (*call)(const union relay_arg *args);
	void (*address)(void); /* to be cast back */
};

/* The routine called NAME, or NULL. */
const struct relay_extern *relay_extern_find(const char *name);

/* Routine number I, or NULL after the last. */
const struct relay_extern *relay_extern_at(uint32_t i);

/* Let all of this know R, which lives to the end. 0: the name is taken. */
int relay_extern_add(const struct relay_extern *r);

#endif
