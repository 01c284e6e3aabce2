/*
 * The text that a tool reads, and positions in it.
 */
#ifndef RELAY_SUPPORT_SOURCE_H
#define RELAY_SUPPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source {
	const char *name; /* as printed: "net.relay", "<stdin>" */
	const char *text; /* not zero-terminated */
	size_t len;
	unsigned first_line;  /* 1, but for a part of a split file */
	uint32_t *line_start; /* built on first use */
	size_t nlines;
	void *map; /* what source_free gives back */
	size_t map_len;
};

/*
 * Read the file PATH ("-" is the standard input), mapping it if possible.
 * False after setting *ERROR to a message with static life. Files of 4 GB and
 * more are refused: a struct loc could not point into them.
 */
bool source_open(struct source *s, const char *path, const char **error);

/* A source over TEXT, which is borrowed until source_free. */
void source_init(struct source *s, const char *name, const char *text,
		 size_t len);
void source_free(struct source *s);

/* Line and column (bytes) of OFFSET, both counted from 1. */
void source_position(struct source *s, size_t offset, unsigned *line,
		     unsigned *column);

/* Text of LINE (1 is the first of this source) without its end of line. */
const char *source_line(struct source *s, unsigned line, size_t *len);

#endif
