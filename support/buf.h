/*
 * Growing text, for printers.
 */
#ifndef RELAY_SUPPORT_BUF_H
#define RELAY_SUPPORT_BUF_H

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/*
 * A buffer of zeros is empty. AT is zero-terminated once anything was put.
 *
 * With a DRAIN long text need not stand in memory at once: where a printer
 * calls buf_drain, what has gathered goes there and the buffer is empty again.
 */
struct buf {
	char *at;
	size_t len;
	size_t cap;
	void (*drain)(void *env, const char *text, size_t len);
	void *env;
};

enum { BUF_DRAIN_SIZE = 1 << 16 };

void buf_free(struct buf *b);
void buf_grow(struct buf *b, size_t more);

/* Append what is left of F. */
void buf_read(struct buf *b, FILE *f);

/* Make room for MORE bytes. */
static inline void
buf_reserve(struct buf *b, size_t more)
{
	if (b->cap - b->len <= more)
		buf_grow(b, more);
}

static inline void
buf_put(struct buf *b, const char *s, size_t len)
{
	buf_reserve(b, len);
	if (len)
		memcpy(b->at + b->len, s, len);
	b->len += len;
	b->at[b->len] = '\0';
}

static inline void
buf_puts(struct buf *b, const char *s)
{
	buf_put(b, s, strlen(s));
}

static inline void
buf_putc(struct buf *b, char c)
{
	buf_reserve(b, 1);
	b->at[b->len++] = c;
	b->at[b->len] = '\0';
}

/* No place in B may be remembered beyond this. */
static inline void
buf_drain(struct buf *b)
{
	if (b->drain && b->len >= BUF_DRAIN_SIZE) {
		b->drain(b->env, b->at, b->len);
		b->len = 0;
	}
}

void buf_fill(struct buf *b, char c, size_t n); /* C, N times */
void buf_int(struct buf *b, long long value);   /* decimal */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
