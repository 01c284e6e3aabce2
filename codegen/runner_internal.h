/*
 * What engines are made of: each is a struct that begins with this one.
 */
#ifndef RELAY_CODEGEN_RUNNER_INTERNAL_H
#define RELAY_CODEGEN_RUNNER_INTERNAL_H

#include "codegen/runner.h"

struct runner {
	const struct interface *x;
	struct diag *diag;
	bool (*run)(struct runner *r, ir_tensor *const *in, ir_tensor **out);
	void (*free)(struct runner *r);
};

#endif
