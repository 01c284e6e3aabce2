/*
 * Random modules, and every pass over each of them.
 *
 * A file of cases is Relay text cut at lines "//: case NUMBER [discrete]".
 * Constants are placeholders: they get random data here. "discrete" says that
 * integers or branches depend on floats, so that passes which may move floats
 * much cannot be compared by numbers.
 */
#ifndef RELAY_FUZZ_PASSES_H
#define RELAY_FUZZ_PASSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support/buf.h"

struct fuzz_module {
	uint64_t number;
	bool discrete;
	const char *text; /* borrowed */
	size_t len;
};

enum fuzz_outcome {
	FUZZ_NONE,
	FUZZ_UNCHANGED,
	FUZZ_CHANGED,    /* compared by numbers where it could be */
	FUZZ_UNCOMPARED, /* changed, and has nothing to evaluate */
	FUZZ_REFUSED,    /* with a message that is documented */
	FUZZ_UNKNOWN,    /* with another */
	FUZZ_INVALID,    /* the module is wrong after a pass */
	FUZZ_NUMBERS,    /* it computes something else */
	FUZZ_TEXT,       /* it does not read back */
	FUZZ_UNSTEADY,   /* the second run gives another text */
	FUZZ_SPOILT,     /* refused, but changed */
	FUZZ_BAD_MODULE, /* what was generated is wrong */
	FUZZ_CRASH,
	FUZZ_HANG,
	FUZZ_OUTCOMES
};

struct fuzz_pipes {
	const char **at;
	size_t len;
	size_t fixed; /* the rest are random chains, made for each module */
	uint64_t seed;
};

/* What runs over every module; ONLY: nothing but this pipeline, or NULL. */
void fuzz_pipes_init(struct fuzz_pipes *p, const char *only, unsigned chains,
		     uint64_t seed);

/* The text of pipeline I for module NUMBER, in OUT. */
void fuzz_pipe_text(const struct fuzz_pipes *p, size_t i, uint64_t number,
		    struct buf *out);

/*
 * Print what there is to run and what is skipped, a line each. False if the
 * tables tell of passes that are not there.
 */
bool fuzz_pipes_list(const struct fuzz_pipes *p);

/* May PASS say MESSAGE instead of doing anything? */
bool fuzz_may_refuse(const char *pass, const char *message);

struct fuzz_subject; /* a module with its data */

/* NULL, with the reason in WHY: what was generated is wrong. */
struct fuzz_subject *fuzz_subject_new(const struct fuzz_module *m,
				      uint64_t seed, struct buf *why);
void fuzz_subject_free(struct fuzz_subject *s); /* accepts NULL */

/* The module as text with its constants, typed. */
const struct buf *fuzz_subject_text(const struct fuzz_subject *s);

/*
 * Run PIPE over the module; WHY says what was found, or refused. *PASS is the
 * flag of the pass that failed, or NULL.
 */
enum fuzz_outcome fuzz_try(struct fuzz_subject *s, const char *pipe,
			   struct buf *why, const char **pass);

#endif
