/*
 * Random numbers: a counter-based generator (Threefry) whose state is ten
 * words: a key of four, a path of two, a counter of two, and a bit that says
 * how long the path is. A state can be split in two that never meet again.
 */
#include <math.h>
#include <string.h>

#include "include/relay_rt.h"
#include "runtime/element.h"
#include "runtime/routines.h"

enum { KEY = 0, PATH = 4, COUNTER = 6, POSITION = 8, WORDS = 10 };

static uint64_t
rotate(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static void
mix(uint64_t *a, uint64_t *b, int by)
{
	uint64_t x = *a + *b;

	*b = (x + *b) ^ rotate(*b, by);
	*a = x;
}

/* Four words from KEY and the four of BLOCK. */
static void
hash(const uint64_t *key, const uint64_t *block, uint64_t *out)
{
	static const int by[8][2] = {{14, 16}, {52, 57}, {23, 40}, {5, 37},
				     {25, 33}, {46, 12}, {58, 22}, {32, 32}};
	uint64_t k[5], x[4], spare;

	memcpy(k, key, 4 * sizeof(*k));
	memcpy(x, block, sizeof(x));
	k[4] = UINT64_C(0x1bd11bdaa9fc1a22) ^ k[0] ^ k[1] ^ k[2] ^ k[3];
	for (int round = 0; round < 20; round++) {
		if (round % 4 == 0) {
			for (int j = 0; j < 4; j++)
				x[j] += k[(round / 4 + j) % 5];
			x[3] += (uint64_t)(round / 4);
		}
		mix(&x[0], &x[1], by[round % 8][0]);
		mix(&x[2], &x[3], by[round % 8][1]);
		spare = x[1];
		x[1] = x[3];
		x[3] = spare;
	}
	memcpy(out, x, sizeof(x));
}

/* Block number I behind the state. */
static void
block_at(const uint64_t *state, uint64_t i, uint64_t *out)
{
	uint64_t block[4];

	for (int j = 0; j < 4; j++)
		block[j] = state[PATH + j] + i;
	hash(state, block, out);
}

/* The state with a fresh key and nothing else. */
static void
renew(uint64_t *state)
{
	uint64_t key[4];

	block_at(state, 0, key);
	memset(state, 0, WORDS * sizeof(*state));
	memcpy(state, key, sizeof(key));
}

/* Where the numbers come from: whole blocks, then one for the rest. */
struct stream {
	uint64_t state[WORDS];
	uint64_t block[4];
	int64_t n, at;
};

static void
start(struct stream *s, const uint64_t *state, int64_t n)
{
	memcpy(s->state, state, sizeof(s->state));
	s->n = n;
	s->at = 0;
	if (s->state[COUNTER + 1] > UINT64_MAX - (uint64_t)n - 4) {
		renew(s->state);
		s->state[POSITION] = UINT64_C(1) << 63;
	}
}

static uint64_t
next(struct stream *s)
{
	int64_t whole = s->n / 4 * 4;

	if (s->at == whole && whole < s->n)
		s->state[COUNTER + 1] += (uint64_t)whole;
	if (s->at % 4 == 0)
		block_at(s->state, s->at < whole ? (uint64_t)(s->at / 4) : 0,
			 s->block);
	return s->block[s->at++ % 4];
}

/* The state behind the numbers that were taken. */
static void
finish(struct stream *s, uint64_t *out)
{
	s->state[COUNTER + 1] += (uint64_t)(s->n % 4 ? 4 : s->n);
	memcpy(out, s->state, sizeof(s->state));
}

int32_t
relay_threefry_generate(uint64_t *out_state, uint64_t *out,
			const uint64_t *state, int64_t n)
{
	struct stream s;

	start(&s, state, n);
	for (int64_t i = 0; i < n; i++)
		out[i] = next(&s);
	finish(&s, out_state);
	return RELAY_OK;
}

int32_t
relay_threefry_split(uint64_t *left, uint64_t *right, const uint64_t *state)
{
	uint64_t s[WORDS], *bit = s + POSITION;

	memcpy(s, state, sizeof(s));
	if (bit[0] == 0 && bit[1] <= 1) {
		renew(s);
		bit[0] = UINT64_C(1) << 63;
	}
	memcpy(right, s, sizeof(s));
	right[PATH] |= bit[0];
	right[PATH + 1] |= bit[1];
	bit[1] = bit[1] >> 1 | bit[0] << 63;
	bit[0] >>= 1;
	memcpy(left, s, sizeof(s));
	memcpy(right + POSITION, bit, 2 * sizeof(*bit));
	return RELAY_OK;
}

/* A number in [0, 1) with as many bits as the type has. */
static double
unit(uint64_t word, bool is_double)
{
	if (is_double)
		return (double)(word >> 12) * 0x1p-52;
	return (double)((uint32_t)word >> 9) * 0x1p-23;
}

int32_t
relay_uniform(uint64_t *out_state, void *out, const uint64_t *state,
	      const void *low, const void *high, int64_t n, int64_t dtype)
{
	double from = element_double(low, 0, dtype);
	double to = element_double(high, 0, dtype);
	bool is_double = element_size(dtype) == 8;
	struct stream s;

	start(&s, state, n);
	for (int64_t i = 0; i < n; i++) {
		double u = unit(next(&s), is_double);

		element_put_double(out, i, dtype,
				   is_double ? u * (to - from) + from
					     : (float)u * (float)(to - from) +
						       (float)from);
	}
	finish(&s, out_state);
	return RELAY_OK;
}

/* Box and Muller: the first half of the stream with the second. */
int32_t
relay_normal(uint64_t *out_state, void *out, const uint64_t *state,
	     const void *mean, const void *scale, int64_t n, int64_t dtype)
{
	const double pi = 3.14159265358979323846;
	bool is_double = element_size(dtype) == 8;
	struct stream s;

	start(&s, state, 2 * n);
	for (int64_t i = 0; i < n; i++)
		element_put_double(out, i, dtype, unit(next(&s), is_double));
	for (int64_t i = 0; i < n; i++) {
		double u = 1 - element_double(out, i, dtype);
		double v = unit(next(&s), is_double);

		element_put_double(
			out, i, dtype,
			sqrt(-2 * log(u)) * sin(2 * pi * v) *
					element_double(scale, 0, dtype) +
				element_double(mean, 0, dtype));
	}
	finish(&s, out_state);
	return RELAY_OK;
}

/* The first of N classes whose summed weight is above U of the whole. */
static int32_t
draw(const void *weights, int64_t base, int64_t n, int64_t dtype, float u)
{
	float total = 0, sum = 0;

	for (int64_t i = 0; i < n; i++)
		total += fmaxf(0,
			       (float)element_double(weights, base + i, dtype));
	for (int64_t i = 0; i < n; i++) {
		sum += fmaxf(0,
			     (float)element_double(weights, base + i, dtype)) /
		       total;
		if (sum > u)
			return (int32_t)i;
	}
	return 0;
}

int32_t
relay_multinomial(uint64_t *out_state, int32_t *out, const uint64_t *state,
		  const void *weights, int64_t rows, int64_t n, int64_t samples,
		  int64_t dtype)
{
	struct stream s;

	if (!element_size(dtype))
		return RELAY_E_DTYPE;
	start(&s, state, rows * samples);
	for (int64_t i = 0; i < rows * samples; i++)
		out[i] = draw(weights, i / samples * n, n, dtype,
			      (float)unit(next(&s), false));
	finish(&s, out_state);
	return RELAY_OK;
}
