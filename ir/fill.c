/* Made-up values of tensors. */
#include "ir/fill.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static uint32_t
crc32_of(const char *s)
{
	uint32_t crc = ~0u;

	for (; *s; s++) {
		crc ^= (unsigned char)*s;
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* In [-0.5, 0.5). */
static double
noise(uint32_t i, uint32_t key)
{
	uint32_t h = i * 2654435761u + key;

	h ^= h >> 16;
	h *= 2246822519u;
	h ^= h >> 13;
	return (h >> 8) / 16777216.0 - 0.5;
}

static bool
ends_in(const char *name, const char *end)
{
	size_t n = strlen(name), m = strlen(end);

	return n >= m && !strcasecmp(name + n - m, end);
}

/* The noise is multiplied by *SCALE and shifted by the result. */
static double
shift_and_scale(const ir_tensor *t, const char *name, double *scale)
{
	double fan_in = 1;

	*scale = 1;
	if (ends_in(name, "var")) {
		*scale = 0.5;
		return 1;
	}
	if (ends_in(name, "gamma")) {
		*scale = 0.2;
		return 1;
	}
	if (t->ndim < 2 || !strcmp(name, "data") || !strcmp(name, "x"))
		return 0;
	for (uint32_t i = 1; i < t->ndim; i++)
		fan_in *= (double)t->shape[i];
	*scale = sqrt(12 / fan_in);
	return 0;
}

static void
fill_noise(ir_tensor *t, const char *name, uint32_t key, bool scaled)
{
	bool integer = !dtype_is_float(t->dtype);
	double scale = 1, shift = 0;
	int64_t n = ir_tensor_size(t);

	if (scaled)
		shift = shift_and_scale(t, name, &scale);
	for (int64_t i = 0; i < n; i++) {
		double u = noise((uint32_t)i, key);

		if (dtype_is_bool(t->dtype))
			ir_tensor_set_int(t, i, u >= 0);
		else if (integer)
			ir_tensor_set_int(t, i, (int64_t)floor((u + 0.5) * 10));
		else
			ir_tensor_set_double(t, i, shift + u * scale);
	}
}

static void
fill_number(ir_tensor *t, enum fill_kind how)
{
	int64_t n = ir_tensor_size(t);

	for (int64_t i = 0; i < n; i++) {
		int64_t v = how == FILL_IOTA ? i : how == FILL_ONES;

		if (dtype_is_float(t->dtype))
			ir_tensor_set_double(t, i, (double)v);
		else
			ir_tensor_set_int(t, i, v);
	}
}

void
fill_tensor(ir_tensor *t, enum fill_kind how, const char *name, uint64_t seed)
{
	uint32_t key = crc32_of(name);

	if (how == FILL_HASH)
		fill_noise(t, name, key, true);
	else if (how == FILL_RANDOM)
		fill_noise(
			t, name,
			key ^ (uint32_t)(seed * UINT64_C(0x9e3779b97f4a7c15) >>
					 32),
			false);
	else
		fill_number(t, how);
}
