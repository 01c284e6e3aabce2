/*
 * Programs of one operator each, run by the evaluator and as machine code.
 *
 * A file of cases is Relay text cut at lines "//: case NAME". Lines "//: in"
 * say what the inputs are made of:
 *
 *     //: case 17 add
 *     //: in x uniform -2 2
 *     //: in y values 0 1 0.5
 *     //: tolerance 10
 *     //: shape x 3                            where the type says ?
 *     //: machine mlu270 single 32768          of BANG-C: bytes for tiles
 *     #[version = "0.0.5"]
 *     def @main(%x: Tensor[(3), float32], %y: Tensor[(3), float32]) {
 *       add(%x, %y)
 *     }
 */
#ifndef RELAY_FUZZ_OPS_H
#define RELAY_FUZZ_OPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ir/npy.h"
#include "ir/module.h"
#include "support/buf.h"

struct fuzz_case {
	const char *name; /* "17 add", zero-terminated */
	const char *op;   /* the end of it */
	const char *text; /* with its comments; borrowed */
	size_t len;
	unsigned line;
};

enum fuzz_result {
	FUZZ_NONE,
	FUZZ_SAME,       /* both engines agree */
	FUZZ_EVALUATED,  /* nothing to compare with: the evaluator alone */
	FUZZ_UNCOMPILED, /* as before, but for unknown shapes */
	FUZZ_REFUSED,    /* an error, from both */
	FUZZ_LARGE,      /* lowered, but too large to run */
	FUZZ_DIFFERS,
	FUZZ_ONE_FAILS, /* an error from one engine only */
	FUZZ_CRASH,
	FUZZ_HANG,
	FUZZ_RESULTS
};

struct fuzz_options {
	bool hostile;        /* errors are expected */
	bool unknown;        /* some shapes are */
	bool third;          /* say where a difference comes from */
	bool bang;           /* as BANG-C on the emulated machine */
	const char *headers; /* the folder of that machine */
	bool host; /* which leaves to the host what it has no code for */
};

/* Cases that are compiled together, for one kind of MLU. */
struct fuzz_batch;

/* The kind of MLU that C is for, from 0. */
unsigned fuzz_machine(const struct fuzz_case *c);

struct fuzz_batch *fuzz_batch_new(const struct fuzz_options *o);

/*
 * Take case number INDEX, copied where needed; RESULTS and a finding, which
 * goes to standard output, may come as late as fuzz_batch_end.
 */
void fuzz_batch_add(struct fuzz_batch *b, const struct fuzz_case *c,
		    size_t index, uint8_t *results);
void fuzz_batch_end(struct fuzz_batch *b);

/* Run case number INDEX; OUT gets a finding as text. */
enum fuzz_result fuzz_try(const struct fuzz_case *c, size_t index,
			  const struct fuzz_options *o, struct buf *out);

/*
 * Add tensors for the parameters of MAIN, typed, with known extents. False:
 * a parameter is no tensor.
 */
bool fuzz_inputs(const struct fuzz_case *c, const struct ir_function *main,
		 struct named_tensors *out);

/* The word behind "//: KEY" in C, or NULL; *LEN gets the rest of its line. */
const char *fuzz_line(const struct fuzz_case *c, const char *key,
		      const char *name, size_t *len);

#endif
