#ifndef RELAY_SUPPORT_GLOB_H
#define RELAY_SUPPORT_GLOB_H

#include <stdbool.h>

/* Does NAME fit PATTERN, in which '*' is any text and '?' any character? */
bool glob_match(const char *pattern, const char *name);

#endif
