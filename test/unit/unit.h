/*
 * What unit tests share. CHECK reports a condition that does not hold and
 * goes on; unit_result() is what main returns.
 */
#ifndef RELAY_TEST_UNIT_H
#define RELAY_TEST_UNIT_H

#include <stdio.h>

static int unit_failures;

#define CHECK(condition) \
	((condition) ? (void)0 : unit_fail(__FILE__, __LINE__, #condition))

static inline void
unit_fail(const char *file, int line, const char *condition)
{
	fprintf(stderr, "%s:%d: does not hold: %s\n", file, line, condition);
	unit_failures++;
}

static inline int
unit_result(void)
{
	return unit_failures != 0;
}

#endif
