/*
 * Arena: memory that is given back all at once.
 *
 * Everything that lives as long as its owner (a context, a module, one run of
 * a pass) is taken from an arena; nobody frees single objects. Blocks grow
 * geometrically, so the number of calls to malloc is logarithmic. Memory is
 * aligned to 8 bytes and zeroed. Running out of memory ends the process.
 */
#ifndef RELAY_SUPPORT_ARENA_H
#define RELAY_SUPPORT_ARENA_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

struct arena_block;

struct arena {
	struct arena_block *blocks; /* newest first */
	char *next;                 /* first free byte of the newest */
	char *end;
	size_t used; /* bytes handed out, for statistics */
};

/* An arena of zeros is an empty arena: no initialiser is needed. */
void arena_free(struct arena *a);

/* Empty A but keep its largest block; poisons the memory under ASan. */
void arena_reset(struct arena *a);

/* SIZE zeroed bytes. Never NULL, not even for SIZE 0. */
void *arena_alloc(struct arena *a, size_t size);

/* N elements of SIZE bytes; an overflowing product ends the process. */
void *arena_array(struct arena *a, size_t n, size_t size);

/* Copies that live in A. */
void *arena_copy(struct arena *a, const void *data, size_t size);
char *arena_strndup(struct arena *a, const char *s, size_t len);
char *arena_printf(struct arena *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
char *arena_vprintf(struct arena *a, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_NEW_ARRAY(a, n, type) \
	((type *)arena_array((a), (n), sizeof(type)))

/* malloc and realloc that end the process instead of returning NULL. */
void *xmalloc(size_t size);
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t size);

#endif
