#include "ir/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *
base_name(uint8_t code)
{
	switch (code) {
	case DTYPE_INT:
		return "int";
	case DTYPE_UINT:
		return "uint";
	case DTYPE_FLOAT:
		return "float";
	case DTYPE_BFLOAT:
		return "bfloat";
	default:
		return NULL;
	}
}

/*
 * Names of custom types, by code - DTYPE_CUSTOM. There are at most 126 and
 * programs use one or two, so a fixed table that only grows is enough.
 */
static char custom_names[256 - DTYPE_CUSTOM][32];

static bool
custom_code(const char *name, size_t len, uint8_t *code)
{
	if (len == 0 || len >= sizeof(custom_names[0]))
		return false;
	for (unsigned i = 0; i < 256 - DTYPE_CUSTOM; i++) {
		if (!custom_names[i][0])
			memcpy(custom_names[i], name, len);
		if (strlen(custom_names[i]) == len &&
		    memcmp(custom_names[i], name, len) == 0) {
			*code = (uint8_t)(DTYPE_CUSTOM + i);
			return true;
		}
	}
	return false;
}

const char *
dtype_text(struct dtype t, char out[DTYPE_TEXT])
{
	int n;

	if (dtype_is_void(t)) {
		out[0] = '\0';
		return out;
	}
	if (t.code == DTYPE_UINT && t.bits == 1 && t.lanes == 1)
		n = snprintf(out, DTYPE_TEXT, "bool");
	else if (t.code == DTYPE_HANDLE)
		n = snprintf(out, DTYPE_TEXT, "handle");
	else if (t.code == DTYPE_E4M3)
		n = snprintf(out, DTYPE_TEXT, "e4m3_float8");
	else if (t.code == DTYPE_E5M2)
		n = snprintf(out, DTYPE_TEXT, "e5m2_float8");
	else if (t.code >= DTYPE_CUSTOM)
		n = snprintf(out, DTYPE_TEXT, "custom[%s]%u",
			     custom_names[t.code - DTYPE_CUSTOM], t.bits);
	else
		n = snprintf(out, DTYPE_TEXT, "%s%u", base_name(t.code),
			     t.bits);
	if (t.lanes != 1)
		snprintf(out + n, (size_t)(DTYPE_TEXT - n), "x%u", t.lanes);
	return out;
}

/* Take PREFIX off the front of S. */
static bool
eat(const char **s, const char *end, const char *prefix)
{
	size_t n = strlen(prefix);

	if ((size_t)(end - *s) < n || memcmp(*s, prefix, n) != 0)
		return false;
	*s += n;
	return true;
}

static bool
eat_number(const char **s, const char *end, unsigned max, unsigned *out)
{
	const char *start = *s;
	unsigned value = 0;

	while (*s < end && **s >= '0' && **s <= '9') {
		value = value * 10 + (unsigned)(**s - '0');
		if (value > max)
			return false;
		(*s)++;
	}
	*out = value;
	return *s > start;
}

static bool
eat_lanes(const char *s, const char *end, struct dtype *t)
{
	unsigned lanes = 1;

	if (eat(&s, end, "x") && !eat_number(&s, end, UINT16_MAX, &lanes))
		return false;
	t->lanes = (uint16_t)lanes;
	return s == end && lanes > 0;
}

static bool
parse_custom(const char *s, const char *end, struct dtype *out)
{
	const char *close = memchr(s, ']', (size_t)(end - s));
	unsigned bits;

	if (!close || !custom_code(s, (size_t)(close - s), &out->code))
		return false;
	s = close + 1;
	if (!eat_number(&s, end, 255, &bits) || bits == 0)
		return false;
	out->bits = (uint8_t)bits;
	return eat_lanes(s, end, out);
}

bool
dtype_parse(const char *s, size_t len, struct dtype *out)
{
	static const struct {
		const char *name;
		struct dtype type;
		bool sized; /* a width may follow */
	} names[] = {
		{"bool", {DTYPE_UINT, 1, 1}, false},
		{"bfloat16", {DTYPE_BFLOAT, 16, 1}, false},
		{"e4m3_float8", {DTYPE_E4M3, 8, 1}, false},
		{"e5m2_float8", {DTYPE_E5M2, 8, 1}, false},
		{"handle", {DTYPE_HANDLE, 64, 1}, false},
		{"int", {DTYPE_INT, 32, 1}, true},
		{"uint", {DTYPE_UINT, 32, 1}, true},
		{"float", {DTYPE_FLOAT, 32, 1}, true},
	};
	const char *end = s + len;

	if (len == 0 || (len == 4 && memcmp(s, "void", 4) == 0)) {
		*out = DTYPE_VOID;
		return true;
	}
	if (eat(&s, end, "custom["))
		return parse_custom(s, end, out);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		unsigned bits = 0;

		if (!eat(&s, end, names[i].name))
			continue;
		*out = names[i].type;
		if (names[i].sized && s < end && *s >= '0' && *s <= '9') {
			if (!eat_number(&s, end, 255, &bits) || bits == 0)
				return false;
			out->bits = (uint8_t)bits;
		}
		return eat_lanes(s, end, out);
	}
	return false;
}

static uint32_t
float_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static float
bits_float(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

float
half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t exponent = (h >> 10) & 31;
	uint32_t fraction = h & 0x3ff;

	if (exponent == 31)
		return bits_float(sign | 0x7f800000 | fraction << 13);
	if (exponent == 0) {
		float f = ldexpf((float)fraction, -24);

		return sign ? -f : f;
	}
	return bits_float(sign | (exponent + 112) << 23 | fraction << 13);
}

uint16_t
double_to_half(double d)
{
	uint64_t u;
	uint16_t sign;
	double a;
	double scaled;
	int e;
	unsigned bits;

	memcpy(&u, &d, sizeof(u));
	sign = (uint16_t)((u >> 48) & 0x8000);
	a = fabs(d);
	if (isnan(d))
		return (uint16_t)(sign | 0x7e00);
	if (a >= 65520.0)
		return (uint16_t)(sign | 0x7c00);
	if (a < 0x1p-14) {
		/* subnormal: a whole number of steps of 2^-24 */
		return (uint16_t)(sign | (unsigned)nearbyint(ldexp(a, 24)));
	}
	frexp(a, &e);
	scaled = nearbyint(ldexp(a, 11 - e)); /* 1024 .. 2048 */
	bits = (unsigned)(e + 14) << 10;
	return (uint16_t)(sign | (bits + ((unsigned)scaled - 1024)));
}

uint16_t
float_to_half(float f)
{
	return double_to_half((double)f);
}

float
bfloat_to_float(uint16_t b)
{
	return bits_float((uint32_t)b << 16);
}

uint16_t
float_to_bfloat(float f)
{
	uint32_t u = float_bits(f);

	if (isnan(f))
		return (uint16_t)(u >> 16 | 0x40);
	return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}
