#include "support/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"

void
buf_free(struct buf *b)
{
	free(b->at);
	*b = (struct buf){0};
}

void
buf_grow(struct buf *b, size_t more)
{
	size_t need = b->len + more + 1;
	size_t cap = b->cap ? b->cap : 64;

	while (cap < need)
		cap *= 2;
	b->at = xrealloc(b->at, cap);
	b->cap = cap;
}

void
buf_fill(struct buf *b, char c, size_t n)
{
	buf_reserve(b, n);
	memset(b->at + b->len, c, n);
	b->len += n;
	b->at[b->len] = '\0';
}

void
buf_int(struct buf *b, long long value)
{
	char digits[24];
	size_t at = sizeof(digits);
	unsigned long long rest = (unsigned long long)value;

	if (value < 0)
		rest = 0 - rest;
	do {
		digits[--at] = (char)('0' + rest % 10);
		rest /= 10;
	} while (rest);
	if (value < 0)
		digits[--at] = '-';
	buf_put(b, digits + at, sizeof(digits) - at);
}

void
buf_vprintf(struct buf *b, const char *fmt, va_list ap)
{
	va_list again;
	int n;

	va_copy(again, ap);
	n = vsnprintf(NULL, 0, fmt, ap);
	if (n > 0) {
		buf_reserve(b, (size_t)n);
		vsnprintf(b->at + b->len, (size_t)n + 1, fmt, again);
		b->len += (size_t)n;
	}
	va_end(again);
}

void
buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	buf_vprintf(b, fmt, ap);
	va_end(ap);
}

void
buf_read(struct buf *b, FILE *f)
{
	char chunk[65536];
	size_t n;

	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_put(b, chunk, n);
}
