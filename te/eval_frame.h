/*
 * A kernel being executed. Private to te/eval_*.c.
 */
#ifndef RELAY_TE_EVAL_FRAME_H
#define RELAY_TE_EVAL_FRAME_H

#include <stddef.h>

#include "te/eval_code.h"

struct eval_machine;

/* A buffer in use: N scalar elements. */
struct eval_memory {
	char *data;
	int64_t n;
	size_t owned; /* bytes allocated for it; 0: a parameter */
};

struct eval_frame {
	const tir_func *func;
	struct eval_code *code; /* NULL: cannot be run */
	union eval_slot *slots;
	struct eval_memory *memory;
	bool busy;
};

struct diag *eval_diag(struct eval_machine *x);

/* Run the code of F from its first instruction. False after an error. */
bool eval_execute(struct eval_machine *x, struct eval_frame *f);

/* Instructions that need the machine; false after an error. */
bool eval_allocate(struct eval_machine *x, struct eval_frame *f,
		   const struct eval_insn *in);
bool eval_call_extern(struct eval_machine *x, struct eval_frame *f,
		      const struct eval_insn *in);
bool eval_call_func(struct eval_machine *x, struct eval_frame *f,
		    const struct eval_insn *in);
void eval_address(struct eval_frame *f, const struct eval_insn *in);

#endif
