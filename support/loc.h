/*
 * A place in the text: first byte and number of bytes.
 *
 * Line and column are worked out only when a message is printed. A place that
 * was written in the text as "span=NAME:LINE:COL" is an index into the
 * module's table of spans instead (SPAN set).
 */
#ifndef RELAY_SUPPORT_LOC_H
#define RELAY_SUPPORT_LOC_H

#include <stdint.h>
#include <string.h>

struct loc {
	uint32_t off;      /* byte offset, or index of a span */
	uint32_t len : 31; /* 0 with off 0: no place known */
	uint32_t span : 1;
};

#define LOC_NONE ((struct loc){0, 0, 0})

/*
 * LEN bytes at OFF. Written as one word where that is the layout: a reader
 * makes and copies millions of them.
 */
static inline struct loc
loc_make(uint32_t off, uint32_t len)
{
	struct loc l;

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t bits = off | (uint64_t)(len & 0x7fffffff) << 32;

	memcpy(&l, &bits, sizeof(l));
#else
	l = (struct loc){off, len & 0x7fffffff, 0};
#endif
	return l;
}

static inline int
loc_is_known(struct loc l)
{
	return l.span || l.off || l.len;
}

#endif
