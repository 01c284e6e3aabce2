#include "support/arena.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#define HAVE_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAVE_ASAN 1
#endif
#endif

#ifdef HAVE_ASAN
#include <sanitizer/asan_interface.h>
#else
#define ASAN_POISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#define ASAN_UNPOISON_MEMORY_REGION(p, n) ((void)(p), (void)(n))
#endif

enum {
	ALIGNMENT = 8,
	FIRST_BLOCK = 4096,
	MAX_BLOCK = 4 << 20,
};

struct arena_block {
	struct arena_block *older;
	size_t size;
	_Alignas(16) char data[];
};

void (*memory_gone)(void);

_Noreturn void
out_of_memory(void)
{
	if (memory_gone)
		memory_gone();
	fputs("relay: out of memory\n", stderr);
	abort();
}

void *
xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *
xcalloc(size_t n, size_t size)
{
	void *p = calloc(n ? n : 1, size ? size : 1);

	if (!p)
		out_of_memory();
	return p;
}

void *
xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		out_of_memory();
	return p;
}

static void
add_block(struct arena *a, size_t need)
{
	size_t size = a->blocks ? a->blocks->size * 2 : FIRST_BLOCK;
	struct arena_block *b;

	if (size > MAX_BLOCK)
		size = MAX_BLOCK;
	if (size < need)
		size = need;
	if (size > SIZE_MAX - sizeof(*b))
		out_of_memory();
	b = xmalloc(sizeof(*b) + size);
	b->older = a->blocks;
	b->size = size;
	a->blocks = b;
	a->next = b->data;
	a->end = b->data + size;
	ASAN_POISON_MEMORY_REGION(b->data, size);
}

void *
arena_alloc(struct arena *a, size_t size)
{
	size_t need;
	void *p;

	if (size > SIZE_MAX - ALIGNMENT)
		out_of_memory();
	need = (size + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (need == 0)
		need = ALIGNMENT;
	if ((size_t)(a->end - a->next) < need)
		add_block(a, need);
	p = a->next;
	a->next += need;
	a->used += need;
	ASAN_UNPOISON_MEMORY_REGION(p, size ? size : 1);
	return memset(p, 0, size);
}

void *
arena_array(struct arena *a, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		out_of_memory();
	return arena_alloc(a, n * size);
}

void *
arena_copy(struct arena *a, const void *data, size_t size)
{
	void *p = arena_alloc(a, size);

	return size ? memcpy(p, data, size) : p;
}

char *
arena_strndup(struct arena *a, const char *s, size_t len)
{
	char *p = arena_alloc(a, len + 1);

	if (len)
		memcpy(p, s, len);
	return p;
}

char *
arena_vprintf(struct arena *a, const char *fmt, va_list ap)
{
	va_list again;
	char *p;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	assert(n >= 0);
	p = arena_alloc(a, (size_t)n + 1);
	vsnprintf(p, (size_t)n + 1, fmt, again);
	va_end(again);
	return p;
}

char *
arena_printf(struct arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;

	va_start(ap, fmt);
	p = arena_vprintf(a, fmt, ap);
	va_end(ap);
	return p;
}

static void
free_blocks(struct arena_block *b)
{
	while (b) {
		struct arena_block *older = b->older;

		ASAN_UNPOISON_MEMORY_REGION(b->data, b->size);
		free(b);
		b = older;
	}
}

void
arena_free(struct arena *a)
{
	free_blocks(a->blocks);
	*a = (struct arena){0};
}

void
arena_reset(struct arena *a)
{
	struct arena_block *newest = a->blocks;

	if (!newest)
		return;
	free_blocks(newest->older);
	newest->older = NULL;
	a->next = newest->data;
	a->end = newest->data + newest->size;
	a->used = 0;
	ASAN_POISON_MEMORY_REGION(newest->data, newest->size);
}
