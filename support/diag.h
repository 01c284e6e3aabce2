/*
 * Diagnostics: "file:line:col: error: message", the line, a caret.
 *
 *     net.relay:3:12: error: unknown operator 'nn.relo'
 *       %0 = nn.relo(%x);
 *            ^~~~~~~
 *     net.relay:3:12: note: did you mean 'nn.relu'?
 *
 * Libraries report through a struct diag and go on or return false; only
 * main() turns the count of errors into an exit status.
 */
#ifndef RELAY_SUPPORT_DIAG_H
#define RELAY_SUPPORT_DIAG_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

#include "support/loc.h"
#include "support/source.h"

enum diag_level { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE, DIAG_REMARK };

/* What a span index in a struct loc stands for. */
struct diag_span {
	const char *name;
	unsigned line;
	unsigned column;
};

/* One finished message, for a handler that wants to keep it. */
struct diag_message {
	enum diag_level level;
	const char *file; /* NULL: no place */
	unsigned line;
	unsigned column;
	unsigned end_column; /* one past the range, on LINE */
	const char *text;    /* without the bracketed suffix */
	const char *pass;    /* flag of the pass, or NULL */
};

struct diag {
	struct source *source; /* borrowed; where locs point to */
	const char *tool;      /* prefix of messages without place */
	const char *pass;      /* set by the pass manager, or NULL */
	FILE *out;             /* stderr */
	bool color;
	bool quiet;  /* count, but print nothing */
	bool werror; /* warnings count as errors */
	bool no_warnings;
	unsigned errors;
	unsigned warnings;
	unsigned max_errors; /* 20; 0 = no limit */
	bool stopped;        /* the limit was reached */
	bool hidden;         /* private: notes follow their error */

	/* Looks a span index up; NULL: there are none. */
	bool (*span_of)(void *env, uint32_t index, struct diag_span *out);
	void *span_env;

	/* Called instead of printing when set (--verify-diagnostics). */
	void (*handler)(void *env, const struct diag_message *m);
	void *handler_env;
};

/* Messages go to stderr; SOURCE may be NULL. */
void diag_init(struct diag *d, const char *tool, struct source *source);

/*
 * Report at LOC, which may be LOC_NONE. FMT is a sentence without capital and
 * full stop. The note belongs to the message before it. After max_errors
 * errors nothing more is printed and d->stopped is set.
 */
void diag_error(struct diag *d, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_warning(struct diag *d, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_note(struct diag *d, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void diag_remark(struct diag *d, struct loc loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* "file:line:column" of LOC to OUT; nothing if that is not known. */
struct buf;
void diag_put_place(struct diag *d, struct loc loc, struct buf *out);
void diag_report(struct diag *d, enum diag_level level, struct loc loc,
		 const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0)));

#endif
