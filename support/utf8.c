#include "support/utf8.h"

#include <stdint.h>

/* Decode the LEN bytes at S, or UINT32_MAX if they are not one character. */
static uint32_t
decode(const unsigned char *s, size_t len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	uint32_t c;

	if (len == 1)
		return s[0] < 0x80 ? s[0] : UINT32_MAX;
	c = s[0] & (0xffu >> (len + 1));
	for (size_t i = 1; i < len; i++)
		c = c << 6 | (s[i] & 0x3fu);
	if (c < least[len] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return UINT32_MAX;
	return c;
}

size_t
utf8_length(const char *s, size_t left)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t len;

	if (u[0] < 0xc2 || u[0] > 0xf4)
		return 1;
	len = u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
	if (len > left)
		return 1;
	for (size_t i = 1; i < len; i++)
		if ((u[i] & 0xc0) != 0x80)
			return 1;
	return decode(u, len) == UINT32_MAX ? 1 : len;
}

bool
utf8_is_valid(const char *s, size_t len)
{
	return decode((const unsigned char *)s, len) != UINT32_MAX;
}

bool
utf8_is_text(const char *s, size_t len)
{
	size_t n;

	for (size_t i = 0; i < len; i += n) {
		n = utf8_length(s + i, len - i);
		if (s[i] == '\0' || (n == 1 && (unsigned char)s[i] >= 0x80))
			return false;
	}
	return true;
}

size_t
utf8_count(const char *s, size_t len)
{
	size_t n = 0;

	for (size_t at = 0; at < len; n++)
		at += utf8_length(s + at, len - at);
	return n;
}

struct range {
	uint32_t first;
	uint32_t last;
};

static bool
in_ranges(uint32_t c, const struct range *r, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (c >= r[i].first && c <= r[i].last)
			return true;
	return false;
}

unsigned
utf8_width(const char *s, size_t len)
{
	static const struct range zero[] = {
		{0x300, 0x36f},   {0x200b, 0x200f}, {0x20d0, 0x20ff},
		{0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff},
	};
	static const struct range twice[] = {
		{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
		{0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
		{0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
		{0x1f900, 0x1f9ff}, {0x20000, 0x3fffd},
	};
	uint32_t c = decode((const unsigned char *)s, len);

	if (c < 0x300 || c == UINT32_MAX)
		return 1;
	if (in_ranges(c, zero, sizeof(zero) / sizeof(*zero)))
		return 0;
	return in_ranges(c, twice, sizeof(twice) / sizeof(*twice)) ? 2 : 1;
}
