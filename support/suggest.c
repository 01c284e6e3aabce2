#include "support/suggest.h"

#include <stdio.h>
#include <string.h>

enum { max_word = 80 };

static unsigned char
folded(char c)
{
	if (c == '_')
		return '-';
	if (c >= 'A' && c <= 'Z')
		return (unsigned char)(c - 'A' + 'a');
	return (unsigned char)c;
}

static unsigned
min(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/*
 * Optimal string alignment: rows of the table of distances between prefixes,
 * the last three of which are kept.
 */
static unsigned
distance(const char *a, size_t na, const char *b, size_t nb)
{
	unsigned rows[3][max_word + 1];
	unsigned *before = rows[0];
	unsigned *last = rows[1];
	unsigned *row = rows[2];

	for (size_t j = 0; j <= nb; j++)
		last[j] = (unsigned)j;
	for (size_t i = 1; i <= na; i++) {
		unsigned *oldest = before;

		row[0] = (unsigned)i;
		for (size_t j = 1; j <= nb; j++) {
			unsigned char x = folded(a[i - 1]);
			unsigned char y = folded(b[j - 1]);

			row[j] = min(min(last[j], row[j - 1]) + 1,
				     last[j - 1] + (x != y));
			if (i > 1 && j > 1 && x == folded(b[j - 2]) &&
			    y == folded(a[i - 2]))
				row[j] = min(row[j], before[j - 2] + 1);
		}
		before = last;
		last = row;
		row = oldest;
	}
	return last[nb];
}

void
suggest_start(struct suggest *s, const char *word)
{
	*s = (struct suggest){.word = word, .len = strlen(word)};
	s->distance = (unsigned)(s->len + 2) / 3 + 1;
	if (s->distance > s->len)
		s->distance = (unsigned)s->len;
	if (s->len > max_word)
		s->distance = 0;
}

void
suggest_offer(struct suggest *s, const char *name)
{
	size_t len = strlen(name);
	size_t apart = len > s->len ? len - s->len : s->len - len;
	unsigned d;

	if (apart >= s->distance || len > max_word)
		return;
	d = distance(s->word, s->len, name, len);
	if (d < s->distance) {
		s->distance = d;
		s->best = name;
	}
}

const char *
suggest_best(const struct suggest *s)
{
	return s->best;
}

const char *
suggest_text(const struct suggest *s)
{
	static char text[max_word + 32];

	if (!s->best)
		return "";
	snprintf(text, sizeof(text), "; did you mean '%s'?", s->best);
	return text;
}
