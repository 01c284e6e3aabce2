#include "support/base64.h"

#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
			       "abcdefghijklmnopqrstuvwxyz0123456789+/";

size_t
base64_text_size(size_t size)
{
	return (size + 2) / 3 * 4;
}

static char *
encode_group(char *to, const unsigned char *from)
{
	to[0] = alphabet[from[0] >> 2];
	to[1] = alphabet[(from[0] & 3) << 4 | from[1] >> 4];
	to[2] = alphabet[(from[1] & 15) << 2 | from[2] >> 6];
	to[3] = alphabet[from[2] & 63];
	return to + 4;
}

void
base64_put(struct base64_encoder *e, struct buf *out, const void *data,
	   size_t size)
{
	const unsigned char *from = data;
	const unsigned char *end = from + size;
	char *to;

	buf_reserve(out, base64_text_size(size) + 4);
	to = out->at + out->len;
	while (e->nheld && from < end) {
		e->held[e->nheld++] = *from++;
		if (e->nheld == 3) {
			to = encode_group(to, e->held);
			e->nheld = 0;
		}
	}
	for (; end - from >= 3; from += 3)
		to = encode_group(to, from);
	while (from < end)
		e->held[e->nheld++] = *from++;
	*to = '\0';
	out->len = (size_t)(to - out->at);
}

void
base64_end(struct base64_encoder *e, struct buf *out)
{
	char group[4];

	if (e->nheld) {
		for (unsigned i = e->nheld; i < 3; i++)
			e->held[i] = 0;
		encode_group(group, e->held);
		memset(group + e->nheld + 1, '=', 3 - e->nheld);
		buf_put(out, group, 4);
	}
	e->nheld = 0;
}

bool
base64_size(const char *s, size_t len, size_t *size)
{
	if (len % 4)
		return false;
	*size = len / 4 * 3;
	for (int i = 1; i <= 2 && len && s[len - (size_t)i] == '='; i++)
		--*size;
	return true;
}

/* The six bits of C; 64 for '=', 255 for anything else. */
static unsigned
value_of(unsigned char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	if (c == '/')
		return 63;
	return c == '=' ? 64 : 255;
}

static void
fill_table(unsigned char table[256])
{
	for (unsigned c = 0; c < 256; c++)
		table[c] = (unsigned char)value_of((unsigned char)c);
}

/* The last group, which may be padded. */
static long long
decode_last(unsigned char *to, const unsigned char v[4])
{
	if (v[0] > 63 || v[1] > 63 || v[2] > 64 || v[3] > 64 ||
	    (v[2] == 64 && v[3] != 64))
		return -1;
	to[0] = (unsigned char)(v[0] << 2 | v[1] >> 4);
	if (v[2] == 64)
		return 1;
	to[1] = (unsigned char)(v[1] << 4 | v[2] >> 2);
	if (v[3] == 64)
		return 2;
	to[2] = (unsigned char)(v[2] << 6 | v[3]);
	return 3;
}

long long
base64_decode(void *out, const char *s, size_t len)
{
	unsigned char table[256];
	unsigned char *to = out;
	unsigned char v[4];
	long long last = 0;

	fill_table(table);
	if (len % 4)
		return -1;
	for (; len >= 4; s += 4, len -= 4) {
		for (int i = 0; i < 4; i++)
			v[i] = table[(unsigned char)s[i]];
		if (len == 4 || (v[0] | v[1] | v[2] | v[3]) > 63) {
			if (len != 4)
				return -1;
			last = decode_last(to, v);
			break;
		}
		to[0] = (unsigned char)(v[0] << 2 | v[1] >> 4);
		to[1] = (unsigned char)(v[1] << 4 | v[2] >> 2);
		to[2] = (unsigned char)(v[2] << 6 | v[3]);
		to += 3;
	}
	return last < 0 ? -1 : to - (unsigned char *)out + last;
}
