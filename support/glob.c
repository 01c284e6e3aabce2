#include "support/glob.h"

#include <stddef.h>

/* On a mismatch the last '*' takes one character more: no recursion. */
bool
glob_match(const char *pattern, const char *name)
{
	const char *star = NULL;
	const char *from = NULL;

	while (*name) {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == '?' || *pattern == *name) {
			pattern++;
			name++;
		} else if (star) {
			pattern = star + 1;
			name = ++from;
		} else {
			return false;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}
