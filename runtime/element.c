/* Elements of arrays of any type. */
#include "runtime/element.h"

#include <string.h>

enum { INT = 0, UINT = 1, FLOAT = 2, BFLOAT = 4 };

static int
code_of(int64_t dtype)
{
	return (int)(dtype >> 8);
}

static int
bits_of(int64_t dtype)
{
	return (int)(dtype & 255);
}

size_t
element_size(int64_t dtype)
{
	int bytes = (bits_of(dtype) + 7) / 8;
	int code = code_of(dtype);
	bool whole = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8;

	if (code == BFLOAT)
		return bytes == 2 ? 2 : 0;
	if (!whole || code < 0 || code > FLOAT || (code == FLOAT && bytes < 2))
		return 0;
	return (size_t)bytes;
}

bool
element_is_float(int64_t dtype)
{
	return code_of(dtype) == FLOAT || code_of(dtype) == BFLOAT;
}

static float
from_bits(uint32_t u)
{
	float f;

	memcpy(&f, &u, sizeof(f));
	return f;
}

static uint32_t
to_bits(float f)
{
	uint32_t u;

	memcpy(&u, &f, sizeof(u));
	return u;
}

static float
from_half(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16;
	uint32_t exponent = (h >> 10) & 31, mantissa = h & 1023;

	if (exponent == 31)
		return from_bits(sign | 0x7f800000 | mantissa << 13);
	if (exponent)
		return from_bits(sign | (exponent + 112) << 23 |
				 mantissa << 13);
	return (sign ? -1.0f : 1.0f) * (float)mantissa * 0x1p-24f;
}

/* To nearest even. */
static uint16_t
to_half(float f)
{
	uint32_t u = to_bits(f), sign = (u >> 16) & 0x8000;
	uint32_t a = u & 0x7fffffff;

	if (a > 0x7f800000)
		return (uint16_t)(sign | 0x7e00);
	if (a >= 0x477ff000)
		return (uint16_t)(sign | 0x7c00);
	if (a < 0x38800000) {
		float scaled = from_bits(a) + 0.5f;

		return (uint16_t)(sign | (to_bits(scaled) - 0x3f000000));
	}
	return (uint16_t)(sign |
			  ((a + 0xfff + ((a >> 13) & 1)) - 0x38000000) >> 13);
}

static uint16_t
to_bfloat(float f)
{
	uint32_t u = to_bits(f);

	if ((u & 0x7fffffff) > 0x7f800000)
		return (uint16_t)(u >> 16 | 0x40);
	return (uint16_t)((u + 0x7fff + ((u >> 16) & 1)) >> 16);
}

double
element_double(const void *data, int64_t i, int64_t dtype)
{
	if (code_of(dtype) == BFLOAT)
		return from_bits((uint32_t)((const uint16_t *)data)[i] << 16);
	if (code_of(dtype) != FLOAT)
		return (double)element_int(data, i, dtype);
	switch (bits_of(dtype)) {
	case 16:
		return from_half(((const uint16_t *)data)[i]);
	case 32:
		return ((const float *)data)[i];
	default:
		return ((const double *)data)[i];
	}
}

int64_t
element_int(const void *data, int64_t i, int64_t dtype)
{
	bool sign = code_of(dtype) == INT;

	if (element_is_float(dtype))
		return (int64_t)element_double(data, i, dtype);
	switch (element_size(dtype)) {
	case 1:
		return sign ? ((const int8_t *)data)[i]
			    : ((const uint8_t *)data)[i];
	case 2:
		return sign ? ((const int16_t *)data)[i]
			    : ((const uint16_t *)data)[i];
	case 4:
		return sign ? (int64_t)((const int32_t *)data)[i]
			    : (int64_t)((const uint32_t *)data)[i];
	default:
		return ((const int64_t *)data)[i];
	}
}

void
element_put_double(void *data, int64_t i, int64_t dtype, double v)
{
	if (code_of(dtype) == BFLOAT) {
		((uint16_t *)data)[i] = to_bfloat((float)v);
		return;
	}
	if (code_of(dtype) != FLOAT) {
		element_put_int(data, i, dtype, (int64_t)v);
		return;
	}
	switch (bits_of(dtype)) {
	case 16:
		((uint16_t *)data)[i] = to_half((float)v);
		break;
	case 32:
		((float *)data)[i] = (float)v;
		break;
	default:
		((double *)data)[i] = v;
	}
}

void
element_put_int(void *data, int64_t i, int64_t dtype, int64_t v)
{
	if (element_is_float(dtype)) {
		element_put_double(data, i, dtype, (double)v);
		return;
	}
	switch (element_size(dtype)) {
	case 1:
		((uint8_t *)data)[i] = (uint8_t)v;
		break;
	case 2:
		((uint16_t *)data)[i] = (uint16_t)v;
		break;
	case 4:
		((uint32_t *)data)[i] = (uint32_t)v;
		break;
	default:
		((int64_t *)data)[i] = v;
	}
}
