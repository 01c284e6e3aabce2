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

struct loc {
	uint32_t off;                   /* byte offset, or index of a span */
	uint32_t len : 31;              /* 0 with off 0: no place known */
	uint32_t span : 1;
};

#define LOC_NONE ((struct loc){ 0, 0, 0 })

static inline int
loc_is_known(struct loc l)
{
	return l.span || l.off || l.len;
}

#endif
