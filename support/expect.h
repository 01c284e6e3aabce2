/*
 * Expected diagnostics: tests of messages, written beside what causes them.
 *
 *     // expected-error@+1 {{unknown operator 'nn.relo'}}
 *     nn.relo(%x)
 *
 * A directive names the kind of a message (error, warning, note, remark), a
 * line (@+1, @-2, @above, @below; its own without '@'; @unknown for messages
 * without place) and a part of the text, or with "-re" a regular expression.
 * Each directive takes one message.
 */
#ifndef RELAY_SUPPORT_EXPECT_H
#define RELAY_SUPPORT_EXPECT_H

#include <stdbool.h>

#include "support/arena.h"
#include "support/diag.h"
#include "support/source.h"
#include "support/vec.h"

struct expectation {
	enum diag_level level;
	unsigned line; /* 0: no place */
	const char *text;
	bool is_regex;
	bool met;
	struct loc loc;
};

/* A message that no directive has taken. */
struct unexpected {
	enum diag_level level;
	const char *file;
	unsigned line;
	unsigned column;
	const char *text;
};

struct expect {
	VEC(struct expectation) wanted;
	VEC(struct unexpected) others;
	struct arena arena;
};

/* Read the directives of S; false after reporting broken ones to D. */
bool expect_read(struct expect *e, struct source *s, struct diag *d);

/* A handler for struct diag, whose environment is the struct expect. */
void expect_take(void *env, const struct diag_message *m);

/*
 * Report to D (with S as its source) what came unexpectedly and what did not
 * come. True if all is as expected.
 */
bool expect_finish(struct expect *e, struct diag *d);
void expect_free(struct expect *e);

#endif
