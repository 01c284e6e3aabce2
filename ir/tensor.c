#include "ir/tensor.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"

enum { DATA_ALIGN = 64 };

/* The byte size of SHAPE; false if it overflows or a part is negative. */
static bool
byte_size(struct dtype dtype, const int64_t *shape, uint32_t ndim, size_t *out)
{
	size_t n = dtype_size(dtype);

	for (uint32_t i = 0; i < ndim; i++)
		if (shape[i] == 0)
			n = 0;
	for (uint32_t i = 0; i < ndim; i++)
		if (shape[i] < 0 ||
		    __builtin_mul_overflow(n, (size_t)shape[i], &n))
			return false;
	*out = n;
	return n <= (size_t)INT64_MAX / 2;
}

static ir_tensor *
new_header(struct dtype dtype, const int64_t *shape, uint32_t ndim)
{
	ir_tensor *t = xcalloc(1, sizeof(*t) + ndim * sizeof(*shape));
	int64_t *own = (int64_t *)(void *)(t + 1);

	if (ndim)
		memcpy(own, shape, ndim * sizeof(*shape));
	t->dtype = dtype;
	t->ndim = ndim;
	t->shape = own;
	t->refs = 1;
	return t;
}

static void
free_data(void *data, size_t nbytes, void *env)
{
	(void)nbytes;
	(void)env;
	free(data);
}

ir_tensor *
ir_tensor_new(struct dtype dtype, const int64_t *shape, uint32_t ndim)
{
	size_t nbytes;
	size_t room;
	void *data;
	ir_tensor *t;

	if (!byte_size(dtype, shape, ndim, &nbytes))
		return NULL;
	room = (nbytes + DATA_ALIGN - 1) & ~(size_t)(DATA_ALIGN - 1);
	data = aligned_alloc(DATA_ALIGN, room ? room : DATA_ALIGN);
	if (!data)
		return NULL;
	memset(data, 0, room);
	t = new_header(dtype, shape, ndim);
	t->nbytes = nbytes;
	t->data = data;
	t->release = free_data;
	return t;
}

ir_tensor *
ir_tensor_wrap(struct dtype dtype, const int64_t *shape, uint32_t ndim,
	       void *data, void (*release)(void *, size_t, void *), void *env)
{
	size_t nbytes;
	ir_tensor *t;

	if (!byte_size(dtype, shape, ndim, &nbytes))
		return NULL;
	t = new_header(dtype, shape, ndim);
	t->nbytes = nbytes;
	t->data = data;
	t->release = release;
	t->env = env;
	return t;
}

ir_tensor *
ir_tensor_ref(ir_tensor *t)
{
	t->refs++;
	return t;
}

void
ir_tensor_unref(ir_tensor *t)
{
	if (!t || --t->refs > 0)
		return;
	if (t->release)
		t->release(t->data, t->nbytes, t->env);
	free(t);
}

int64_t
ir_tensor_size(const ir_tensor *t)
{
	int64_t n = 1;

	for (uint32_t i = 0; i < t->ndim; i++)
		n *= t->shape[i];
	return n;
}

static const void *
element(const ir_tensor *t, int64_t i)
{
	assert(i >= 0);
	return (const char *)t->data + (size_t)i * dtype_size(t->dtype);
}

int64_t
ir_tensor_get_int(const ir_tensor *t, int64_t i)
{
	const void *p = element(t, i);
	int64_t v = 0;

	if (dtype_is_float(t->dtype))
		return (int64_t)ir_tensor_get_double(t, i);
	memcpy(&v, p, dtype_size(t->dtype));
	if (t->dtype.code == DTYPE_INT && dtype_size(t->dtype) < 8) {
		unsigned shift = 64 - 8 * (unsigned)dtype_size(t->dtype);

		v = (int64_t)((uint64_t)v << shift) >> shift;
	}
	return v;
}

double
ir_tensor_get_double(const ir_tensor *t, int64_t i)
{
	const void *p = element(t, i);
	uint16_t half;
	float f;
	double d;

	if (!dtype_is_float(t->dtype)) {
		if (t->dtype.code == DTYPE_UINT && t->dtype.bits == 64)
			return (double)(uint64_t)ir_tensor_get_int(t, i);
		return (double)ir_tensor_get_int(t, i);
	}
	switch (dtype_size(t->dtype)) {
	case 8:
		memcpy(&d, p, sizeof(d));
		return d;
	case 4:
		memcpy(&f, p, sizeof(f));
		return (double)f;
	case 2:
		memcpy(&half, p, sizeof(half));
		return t->dtype.code == DTYPE_BFLOAT
			       ? (double)bfloat_to_float(half)
			       : (double)half_to_float(half);
	default:
		return 0;
	}
}

void
ir_tensor_set_int(ir_tensor *t, int64_t i, int64_t value)
{
	if (dtype_is_float(t->dtype)) {
		ir_tensor_set_double(t, i, (double)value);
		return;
	}
	if (dtype_is_bool(t->dtype))
		value = value != 0;
	memcpy((void *)(uintptr_t)element(t, i), &value, dtype_size(t->dtype));
}

void
ir_tensor_set_double(ir_tensor *t, int64_t i, double value)
{
	void *p = (void *)(uintptr_t)element(t, i);
	uint16_t half;
	float f = (float)value;

	if (!dtype_is_float(t->dtype)) {
		ir_tensor_set_int(t, i, (int64_t)value);
		return;
	}
	switch (dtype_size(t->dtype)) {
	case 8:
		memcpy(p, &value, sizeof(value));
		break;
	case 4:
		memcpy(p, &f, sizeof(f));
		break;
	case 2:
		half = t->dtype.code == DTYPE_BFLOAT ? float_to_bfloat(f)
						     : double_to_half(value);
		memcpy(p, &half, sizeof(half));
		break;
	default:
		break;
	}
}

bool
ir_tensor_equal(const ir_tensor *a, const ir_tensor *b)
{
	if (a == b)
		return true;
	if (!dtype_equal(a->dtype, b->dtype) || a->ndim != b->ndim ||
	    a->nbytes != b->nbytes)
		return false;
	if (a->ndim &&
	    memcmp(a->shape, b->shape, a->ndim * sizeof(*a->shape)) != 0)
		return false;
	return a->nbytes == 0 || memcmp(a->data, b->data, a->nbytes) == 0;
}
