/*
 * Base64: standard alphabet, '=' padding, no line breaks.
 */
#ifndef RELAY_SUPPORT_BASE64_H
#define RELAY_SUPPORT_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "support/buf.h"

/* Text for bytes that come in pieces: zeros to start, then put, then end. */
struct base64_encoder {
	unsigned char held[3];
	unsigned nheld;
};

void base64_put(struct base64_encoder *e, struct buf *out, const void *data,
		size_t size);
void base64_end(struct base64_encoder *e, struct buf *out);

/* Bytes of the text that encodes SIZE bytes. */
size_t base64_text_size(size_t size);

/*
 * Bytes that the LEN characters at S stand for; false if LEN is no multiple
 * of four. Does not look at characters but for the padding.
 */
bool base64_size(const char *s, size_t len, size_t *size);

/*
 * Decode the LEN characters at S to OUT, which holds LEN / 4 * 3 bytes;
 * padding gives fewer. A long text may be given in parts of whole groups.
 * Returns the number of bytes, or -1 if LEN is no multiple of four, a
 * character is none of the alphabet, or padding stands before the end.
 */
long long base64_decode(void *out, const char *s, size_t len);

#endif
