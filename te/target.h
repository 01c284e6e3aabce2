/*
 * What schedules need to know of the machine.
 */
#ifndef RELAY_TE_TARGET_H
#define RELAY_TE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/dtype.h"

enum te_target_kind { TE_TARGET_CPU, TE_TARGET_BANG };

struct te_target {
	const char *text; /* as written: "llvm -mcpu=znver3" */
	enum te_target_kind kind;
	unsigned vector_bytes;  /* of one register */
	unsigned registers;     /* vector registers */
	bool broadcast_operand; /* FMA takes a scalar from memory */
	unsigned fma_latency;   /* cycles */
	unsigned fma_ports;
	int64_t l1_bytes;
	int64_t l2_bytes;
	bool int8_pairs; /* x86 that multiplies unsigned with signed bytes */
	bool int8_wide;  /* so in vectors of 64 bytes, or in tiles */
};

/*
 * The target that TEXT describes: a kind ("llvm", "bang") and options
 * -mcpu=, -mattr=, -mtriple=, of which only the part that matters here is
 * looked at. Unknown processors get what their architecture always has.
 * TEXT is borrowed; NULL is "llvm". The result is a value.
 */
struct te_target te_target_parse(const char *text);

/* The value of option "-KEY=" in TEXT and its length, or NULL. */
const char *te_target_option(const char *text, const char *key, size_t *len);

/* Elements of type T in one vector register; at least 1. */
unsigned te_target_lanes(const struct te_target *t, struct dtype type);

#endif
