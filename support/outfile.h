/*
 * Output files that appear whole or not at all.
 *
 *     struct outfile o;
 *     if (!outfile_open(&o, path, diag))
 *             return false;
 *     outfile_put(&o, text, len);
 *     return outfile_commit(&o);          (or outfile_discard(&o))
 *
 * What is put goes to PATH.tmp-PID beside PATH, and commit renames it. "-" is
 * the standard output; devices and pipes are written directly. A reader that
 * closed its end of the standard output is no error: the rest is dropped.
 */
#ifndef RELAY_SUPPORT_OUTFILE_H
#define RELAY_SUPPORT_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "support/diag.h"

struct outfile {
	char *path;   /* as shown */
	char *target; /* what is replaced; links followed */
	char *temp;   /* NULL: written directly */
	int fd;
	bool failed;       /* reported; commit will fail */
	bool closed;       /* the reader went away */
	struct diag *diag; /* borrowed */
};

/* False after reporting why PATH cannot be written. */
bool outfile_open(struct outfile *o, const char *path, struct diag *d);

/* Errors are reported once and remembered for commit. */
void outfile_put(struct outfile *o, const void *data, size_t len);

/* True if all that was put has reached the file. Ends O in any case. */
bool outfile_commit(struct outfile *o);
void outfile_discard(struct outfile *o);

/* Open, put and commit in one. */
bool outfile_write(const char *path, const void *data, size_t len,
		   struct diag *d);

/* Make the folder PATH and those above it; false after reporting. */
bool outfile_make_directory(const char *path, struct diag *d);

/* Remove temporary files that are open; fit for signal handlers. */
void outfile_remove_pending(void);

#endif
