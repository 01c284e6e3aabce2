/*
 * UTF-8, as far as messages and the lexer need it.
 */
#ifndef RELAY_SUPPORT_UTF8_H
#define RELAY_SUPPORT_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the character at S (LEFT >= 1 bytes follow); 1 if it is broken. */
size_t utf8_length(const char *s, size_t left);

/* Is the character of LEN bytes at S, found by utf8_length, well-formed? */
bool utf8_is_valid(const char *s, size_t len);

/* Are all LEN bytes well-formed characters, NUL not among them? */
bool utf8_is_text(const char *s, size_t len);

/* Characters in LEN bytes; a broken byte counts as one. */
size_t utf8_count(const char *s, size_t len);

/* Columns of a terminal that the character of LEN bytes at S takes: 0 to 2. */
unsigned utf8_width(const char *s, size_t len);

#endif
