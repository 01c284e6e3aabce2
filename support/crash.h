/*
 * What a tool says when it dies of its own fault.
 *
 * The handler prints the version, the command line and what was being done,
 * removes temporary output, writes the reproducer if one was prepared, and
 * lets the signal take its course (exit status 134 or 139).
 */
#ifndef RELAY_SUPPORT_CRASH_H
#define RELAY_SUPPORT_CRASH_H

#include <stddef.h>

/* Handle signals that end a process. ARGV is borrowed for good. */
void crash_install(const char *tool, int argc, char **argv);

/*
 * Say what is being done: "running pass", "fuse-ops", "main"; all borrowed
 * until the next call. NULLs: nothing in particular.
 */
void crash_doing(const char *what, const char *name, const char *function);

/* On a crash write TEXT to PATH (both borrowed); NULL: no longer. */
void crash_reproducer(const char *path, const char *text, size_t len);

/* Take no more than so many bytes: an error that ends with status 1. */
void crash_max_memory(size_t bytes);

/* End the process with status 124 after SECONDS; 0: no longer. */
void crash_timeout(unsigned seconds);

#endif
