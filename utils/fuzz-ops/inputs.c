/*
 * Values for the inputs of a case, from the lines that describe them:
 *
 *     uniform LOW HIGH        reals in between; integers with both ends
 *     special LOW HIGH        the same, with NaN, infinities, zeros, extremes
 *     sorted LOW HIGH         ascending along the last axis
 *     distinct LOW HIGH       no value twice along the whole, in any order
 *     permutation             0, 1, ... in any order
 *     values V...             these, again and again
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/expr.h"
#include "support/hash.h"
#include "utils/fuzz-ops/fuzz_ops.h"

struct stream {
	uint64_t state;
};

static uint64_t
next_bits(struct stream *s)
{
	uint64_t z = s->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* In [0, 1). */
static double
next_unit(struct stream *s)
{
	return (double)(next_bits(s) >> 11) * 0x1p-53;
}

const char *
fuzz_line(const struct fuzz_case *c, const char *key, const char *name,
	  size_t *len)
{
	char want[96];
	size_t n = (size_t)snprintf(want, sizeof(want), "//: %s%s%s ", key,
				    name ? " " : "", name ? name : "");
	const char *end = c->text + c->len;

	for (const char *p = c->text; p < end;) {
		const char *eol = memchr(p, '\n', (size_t)(end - p));

		eol = eol ? eol : end;
		if ((size_t)(eol - p) >= n && !memcmp(p, want, n)) {
			*len = (size_t)(eol - p) - n;
			return p + n;
		}
		p = eol + 1;
	}
	return NULL;
}

static void
set(ir_tensor *t, int64_t i, double v)
{
	if (dtype_is_float(t->dtype))
		ir_tensor_set_double(t, i, v);
	else if (dtype_is_bool(t->dtype))
		ir_tensor_set_int(t, i, v != 0);
	else if (v >= 9223372036854775808.0)
		ir_tensor_set_int(t, i, (int64_t)(uint64_t)v);
	else
		ir_tensor_set_int(t, i, (int64_t)v);
}

static double
draw(struct stream *s, const ir_tensor *t, double low, double high)
{
	if (dtype_is_float(t->dtype))
		return low + (high - low) * next_unit(s);
	if (dtype_is_bool(t->dtype))
		return (double)(next_bits(s) & 1);
	return floor(low) + floor((high - low + 1) * next_unit(s));
}

static const double specials[] = {
	NAN,  INFINITY, -INFINITY,    0.0,           -0.0,  1.0,   -1.0,
	0.5,  -0.5,     1.5,          2.5,           1e30,  -1e30, 1e-30,
	1e10, -1e10,    2147483648.0, -2147483649.0, 255.5, 3.0,
};

/* An extreme integer of T's type. */
static int64_t
extreme(struct stream *s, struct dtype t)
{
	int64_t all = t.bits >= 64 ? -1 : (int64_t)((1ULL << t.bits) - 1);
	int64_t top = (int64_t)((1ULL << (t.bits - 1)) - 1);

	switch (next_bits(s) % 5) {
	case 0:
		return 0;
	case 1:
		return t.code == DTYPE_UINT ? all : top;
	case 2:
		return t.code == DTYPE_UINT ? 0 : -top - 1;
	case 3:
		return t.code == DTYPE_UINT ? all - 1 : -1;
	default:
		return 1;
	}
}

static void
fill_special(struct stream *s, ir_tensor *t, double low, double high)
{
	int64_t n = ir_tensor_size(t);
	size_t count = sizeof(specials) / sizeof(*specials);

	for (int64_t i = 0; i < n; i++) {
		if (next_bits(s) % 4)
			set(t, i, draw(s, t, low, high));
		else if (dtype_is_float(t->dtype))
			set(t, i, specials[next_bits(s) % count]);
		else if (dtype_is_bool(t->dtype))
			set(t, i, 1);
		else
			ir_tensor_set_int(t, i, extreme(s, t->dtype));
	}
}

static int
by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void
fill_sorted(struct stream *s, ir_tensor *t, double low, double high)
{
	int64_t n = ir_tensor_size(t);
	int64_t row = t->ndim ? t->shape[t->ndim - 1] : 1;
	double *v = xcalloc((size_t)row + 1, sizeof(*v));

	for (int64_t i = 0; i < n; i += row) {
		for (int64_t k = 0; k < row; k++)
			v[k] = draw(s, t, low, high);
		qsort(v, (size_t)row, sizeof(*v), by_value);
		for (int64_t k = 0; k < row; k++)
			set(t, i + k, v[k]);
	}
	free(v);
}

/* LOW, LOW + STEP, ... in random order. */
static void
fill_shuffled(struct stream *s, ir_tensor *t, double low, double step)
{
	int64_t n = ir_tensor_size(t);
	double *v = xcalloc((size_t)n + 1, sizeof(*v));

	for (int64_t i = 0; i < n; i++)
		v[i] = low + step * (double)i;
	for (int64_t i = n - 1; i > 0; i--) {
		int64_t k = (int64_t)(next_bits(s) % (uint64_t)(i + 1));
		double x = v[i];

		v[i] = v[k];
		v[k] = x;
	}
	for (int64_t i = 0; i < n; i++)
		set(t, i, v[i]);
	free(v);
}

static void
fill_values(ir_tensor *t, const char *line)
{
	int64_t n = ir_tensor_size(t);
	const char *p = line;

	for (int64_t i = 0; i < n; i++) {
		char *end;
		double v = strtod(p, &end);

		if (end == p) {
			p = line;
			v = strtod(p, &end);
			if (end == p)
				return;
		}
		set(t, i, v);
		p = end;
	}
}

static void
fill(ir_tensor *t, const char *line, struct stream *s)
{
	double low = 0, high = 1;
	char how[32] = "";
	int read = 0;

	sscanf(line, "%31s%n", how, &read);
	sscanf(line + read, "%lf %lf", &low, &high);
	if (!strcmp(how, "special"))
		fill_special(s, t, low, high);
	else if (!strcmp(how, "sorted"))
		fill_sorted(s, t, low, high);
	else if (!strcmp(how, "distinct"))
		fill_shuffled(s, t, low,
			      (high - low) / (double)(ir_tensor_size(t) + 1));
	else if (!strcmp(how, "permutation"))
		fill_shuffled(s, t, 0, 1);
	else if (!strcmp(how, "values"))
		fill_values(t, line + read);
	else
		for (int64_t i = 0; i < ir_tensor_size(t); i++)
			set(t, i, draw(s, t, low, high));
}

/* The extents of P: what its type says, or the line for it. */
static void
read_shape(const struct fuzz_case *c, const struct ir_var *p, int64_t *shape)
{
	const struct ir_tensor_type *type = ir_as_tensor_type(p->base.type);
	char line[1024] = "", *at = line;
	size_t len;
	const char *given = fuzz_line(c, "shape", p->name, &len);

	if (given)
		snprintf(line, sizeof(line), "%.*s", (int)len, given);
	for (uint32_t d = 0; d < type->ndim; d++)
		shape[d] = given ? strtoll(at, &at, 10) : type->shape[d].value;
}

bool
fuzz_inputs(const struct fuzz_case *c, const struct ir_function *main,
	    struct named_tensors *out)
{
	for (uint32_t i = 0; i < main->nparams; i++) {
		const struct ir_var *p = main->params[i];
		const struct ir_tensor_type *type;
		struct stream s = {hash_bytes(c->name, strlen(c->name)) + i};
		int64_t shape[64];
		char line[4096];
		const char *how;
		ir_tensor *t;
		size_t len;

		if (p->base.type->kind != TYPE_TENSOR)
			return false;
		type = ir_as_tensor_type(p->base.type);
		if (type->ndim > 64)
			return false;
		read_shape(c, p, shape);
		t = ir_tensor_new(type->dtype, shape, type->ndim);
		if (!t)
			return false;
		how = fuzz_line(c, "in", p->name, &len);
		snprintf(line, sizeof(line), "%.*s", how ? (int)len : 0,
			 how ? how : "");
		fill(t, line, &s);
		named_tensors_add(out, p->name, strlen(p->name), t);
	}
	return true;
}
