/*
 * "did you mean 'nn.relu'?": the known name nearest to an unknown one.
 *
 *     struct suggest s;
 *     suggest_start(&s, "nn.relo");
 *     for (each known name)
 *             suggest_offer(&s, name);
 *     suggest_best(&s)        NULL if nothing is near
 *
 * Distance counts inserted, dropped, changed and swapped letters. Case and
 * the difference between '-' and '_' count nothing.
 */
#ifndef RELAY_SUPPORT_SUGGEST_H
#define RELAY_SUPPORT_SUGGEST_H

#include <stddef.h>

struct suggest {
	const char *word; /* borrowed */
	size_t len;
	const char *best;
	unsigned distance; /* of BEST, or the first too far */
};

void suggest_start(struct suggest *s, const char *word);

/* NAME is borrowed. Of names equally near the first one offered wins. */
void suggest_offer(struct suggest *s, const char *name);

const char *suggest_best(const struct suggest *s);

/* "; did you mean 'NAME'?", or "" if nothing is near; static storage. */
const char *suggest_text(const struct suggest *s);

#endif
