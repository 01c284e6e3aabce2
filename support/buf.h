/*
 * Growing text, for printers.
 */
#ifndef RELAY_SUPPORT_BUF_H
#define RELAY_SUPPORT_BUF_H

#include <stdarg.h>
#include <stddef.h>

/* A buffer of zeros is empty. AT is zero-terminated once anything was put. */
struct buf {
	char *at;
	size_t len;
	size_t cap;
};

void buf_free(struct buf *b);
void buf_reserve(struct buf *b, size_t more);
void buf_put(struct buf *b, const char *s, size_t len);
void buf_puts(struct buf *b, const char *s);
void buf_putc(struct buf *b, char c);
void buf_fill(struct buf *b, char c, size_t n);         /* C, N times */
void buf_int(struct buf *b, long long value);           /* decimal */
void buf_printf(struct buf *b, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void buf_vprintf(struct buf *b, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#endif
