#include "support/split.h"

#include <stdbool.h>
#include <string.h>

static void
add_part(source_vec *parts, const struct source *s, size_t start, size_t end,
	 unsigned line)
{
	struct source part;

	source_init(&part, s->name, s->text + start, end - start);
	part.first_line = line;
	vec_push(parts, part);
}

static bool
is_mark(const char *line, size_t len, const char *mark)
{
	while (len && (line[len - 1] == ' ' || line[len - 1] == '\t' ||
		       line[len - 1] == '\r'))
		len--;
	return len == strlen(mark) && memcmp(line, mark, len) == 0;
}

void
split_source(const struct source *s, const char *mark, source_vec *parts)
{
	size_t start = 0;
	unsigned first = s->first_line;
	unsigned line = first;

	for (size_t at = 0; at < s->len; line++) {
		const char *text = s->text + at;
		const char *nl = memchr(text, '\n', s->len - at);
		size_t len = nl ? (size_t)(nl - text) : s->len - at;

		if (is_mark(text, len, mark)) {
			add_part(parts, s, start, at, first);
			start = at + len + (nl != NULL);
			first = line + 1;
		}
		at += len + (nl != NULL);
	}
	add_part(parts, s, start, s->len, first);
}
