/*
 * TVM's .params: a list of names, then the arrays.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/npy.h"

#define LIST_MAGIC UINT64_C(0xF7E58D4F05049CB7)
#define ARRAY_MAGIC UINT64_C(0xDD5E40F096B4A13F)

enum { MAX_NDIM = 64 };

struct reader {
	const unsigned char *p;
	size_t left;
	bool bad;
};

static uint64_t
number(struct reader *r, size_t n)
{
	uint64_t v = 0;

	if (r->left < n) {
		r->bad = true;
		return 0;
	}
	for (size_t i = n; i-- > 0;)
		v = v << 8 | r->p[i];
	r->p += n;
	r->left -= n;
	return v;
}

static const unsigned char *
bytes(struct reader *r, uint64_t n)
{
	const unsigned char *p = r->p;

	if (r->left < n) {
		r->bad = true;
		return NULL;
	}
	r->p += n;
	r->left -= n;
	return p;
}

static ir_tensor *
read_array(struct reader *r)
{
	int64_t shape[MAX_NDIM];
	struct dtype t;
	uint64_t ndim, size;
	const unsigned char *data;
	ir_tensor *tensor;

	r->bad |= number(r, 8) != ARRAY_MAGIC;
	number(r, 8);
	number(r, 8);
	ndim = number(r, 4);
	t.code = (uint8_t)number(r, 1);
	t.bits = (uint8_t)number(r, 1);
	t.lanes = (uint16_t)number(r, 2);
	if (r->bad || ndim > MAX_NDIM || t.lanes != 1)
		return NULL;
	for (uint64_t i = 0; i < ndim; i++)
		shape[i] = (int64_t)number(r, 8);
	size = number(r, 8);
	data = bytes(r, size);
	if (r->bad)
		return NULL;
	tensor = ir_tensor_new(t, shape, (uint32_t)ndim);
	if (!tensor || tensor->nbytes != size) {
		ir_tensor_unref(tensor);
		return NULL;
	}
	if (size)
		memcpy(tensor->data, data, size);
	return tensor;
}

/* The names stand first; arrays follow in the same order. */
static bool
read_list(struct reader *r, struct named_tensors *out)
{
	struct reader names;
	uint64_t n;

	r->bad |= number(r, 8) != LIST_MAGIC;
	number(r, 8);
	n = number(r, 8);
	names = *r;
	for (uint64_t i = 0; i < n && !r->bad; i++)
		bytes(r, number(r, 8));
	r->bad |= number(r, 8) != n;
	for (uint64_t i = 0; i < n && !r->bad; i++) {
		uint64_t len = number(&names, 8);
		const unsigned char *name = bytes(&names, len);
		ir_tensor *t = read_array(r);

		if (!t)
			return false;
		named_tensors_add(out, (const char *)name, len, t);
	}
	return !r->bad;
}

bool
params_read(const void *data, size_t len, struct named_tensors *out,
	    const char **why)
{
	struct reader r = {data, len, false};

	if (read_list(&r, out))
		return true;
	*why = "a damaged .params file";
	return false;
}

static void
put(struct buf *out, uint64_t v, int n)
{
	while (n-- > 0) {
		buf_putc(out, (char)(v & 255));
		v >>= 8;
	}
}

void
params_write(struct buf *out, const struct named_tensors *t)
{
	put(out, LIST_MAGIC, 8);
	put(out, 0, 8);
	put(out, t->len, 8);
	for (size_t i = 0; i < t->len; i++) {
		put(out, strlen(t->at[i].name), 8);
		buf_puts(out, t->at[i].name);
	}
	put(out, t->len, 8);
	for (size_t i = 0; i < t->len; i++) {
		const ir_tensor *x = t->at[i].tensor;

		put(out, ARRAY_MAGIC, 8);
		put(out, 0, 8);
		put(out, 1, 4);
		put(out, 0, 4);
		put(out, x->ndim, 4);
		put(out, x->dtype.code, 1);
		put(out, x->dtype.bits, 1);
		put(out, x->dtype.lanes, 2);
		for (uint32_t k = 0; k < x->ndim; k++)
			put(out, (uint64_t)x->shape[k], 8);
		put(out, x->nbytes, 8);
		buf_put(out, x->data, x->nbytes);
	}
}

bool
tensors_read(const void *data, size_t len, struct named_tensors *out,
	     const char **why)
{
	uint64_t magic = LIST_MAGIC;
	ir_tensor *t;

	if (len >= 8 && !memcmp(data, &magic, 8))
		return params_read(data, len, out, why);
	if (len >= 4 && !memcmp(data, "PK", 2))
		return npz_read(data, len, out, why);
	t = npy_read(data, len, why);
	if (t)
		named_tensors_add(out, "", 0, t);
	return t != NULL;
}
