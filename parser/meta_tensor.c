/*
 * Tensors of the metadata: base64 of a small header and the elements.
 */
#include <string.h>

#include "parser/meta_internal.h"
#include "support/base64.h"

enum { HEAD = 32, MOST_DIMS = 64 };

/* Bytes [from, from + n) of the decoded text; N is small. */
static bool
decode_part(const char *s, size_t len, size_t from, void *out, size_t n)
{
	unsigned char buf[(MOST_DIMS + 6) * 8];
	size_t group = from / 3 * 4;
	size_t chars = (from % 3 + n + 2) / 3 * 4;
	long long got;

	if (group > len || chars > len - group || chars / 4 * 3 > sizeof(buf))
		return false;
	got = base64_decode(buf, s + group, chars);
	if (got < 0 || (size_t)got < from % 3 + n)
		return false;
	memcpy(out, buf + from % 3, n);
	return true;
}

/* The same for the payload: whole groups go straight to OUT. */
static bool
decode_payload(const char *s, size_t len, size_t from, unsigned char *out,
	       size_t n)
{
	size_t head = (3 - from % 3) % 3;
	size_t body;

	if (head > n)
		head = n;
	if (head && !decode_part(s, len, from, out, head))
		return false;
	body = (n - head) / 3;
	if (body && base64_decode(out + head, s + (from + head) / 3 * 4,
				  body * 4) != (long long)body * 3)
		return false;
	n -= head + body * 3;
	return n == 0 || decode_part(s, len, from + head + body * 3,
				     out + head + body * 3, n);
}

static uint64_t
little(const unsigned char *p, unsigned n)
{
	uint64_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

static bool
valid_dtype(struct dtype t)
{
	static const uint8_t bits[] = {1, 2, 4, 8, 16, 32, 64};

	if (t.lanes != 1 || t.code == DTYPE_HANDLE || t.code == 5 ||
	    t.code > DTYPE_E5M2)
		return false;
	return memchr(bits, t.bits, sizeof(bits)) != NULL;
}

static ir_tensor *
fail(struct meta_reader *r, struct loc loc, const char *what)
{
	diag_error(r->pc->d, loc, "constant: %s", what);
	return NULL;
}

/* Bytes of T that stand for truth values become 0 and 1. */
static void
clean_bools(ir_tensor *t)
{
	unsigned char *p = t->data;

	if (!dtype_is_bool(t->dtype))
		return;
	for (size_t i = 0; i < t->nbytes; i++)
		p[i] = p[i] != 0;
}

/* What is wrong with the numbers of a header; NULL if nothing is. */
static const char *
check_size(const int64_t *shape, size_t ndim, struct dtype dtype,
	   uint64_t nbytes, size_t have)
{
	size_t size = dtype_size(dtype);

	for (size_t i = 0; i < ndim; i++) {
		if (shape[i] < 0 ||
		    __builtin_mul_overflow(size, (size_t)shape[i], &size))
			return "its size overflows";
	}
	if (size != nbytes)
		return "shape and number of bytes disagree";
	if (nbytes != have)
		return "the text is not as long as it says";
	return NULL;
}

static ir_tensor *
decode_text(struct meta_reader *r, struct loc loc, const char *s, size_t len)
{
	unsigned char head[HEAD], dims[MOST_DIMS * 8 + 8];
	int64_t shape[MOST_DIMS];
	struct dtype dtype;
	const char *wrong;
	size_t ndim, size, start;
	ir_tensor *t;

	if (!base64_size(s, len, &size) || !decode_part(s, len, 0, head, HEAD))
		return fail(r, loc, "this is no base64 text of a tensor");
	ndim = little(head + 24, 4);
	if (little(head, 8) != UINT64_C(0xDD5E40F096B4A13F))
		return fail(r, loc, "this is no tensor: it starts otherwise");
	dtype.code = head[28];
	dtype.bits = head[29];
	dtype.lanes = (uint16_t)little(head + 30, 2);
	if (ndim > MOST_DIMS || !valid_dtype(dtype))
		return fail(r, loc, "rank or element type make no sense");
	start = HEAD + 8 * ndim + 8;
	if (size < start || !decode_part(s, len, HEAD, dims, start - HEAD))
		return fail(r, loc, "the text ends too early");
	for (size_t i = 0; i < ndim; i++)
		shape[i] = (int64_t)little(dims + 8 * i, 8);
	wrong = check_size(shape, ndim, dtype, little(dims + 8 * ndim, 8),
			   size - start);
	if (wrong)
		return fail(r, loc, wrong);
	t = ir_tensor_new(dtype, shape, (uint32_t)ndim);
	if (t && decode_payload(s, len, start, t->data, t->nbytes)) {
		clean_bools(t);
		return t;
	}
	ir_tensor_unref(t);
	return fail(r, loc, "a character is none of base64");
}

ir_tensor *
meta_decode(struct meta_reader *r, const json_t *string)
{
	struct loc loc;
	size_t len;
	const char *s;

	if (!json_is_string(string))
		return fail(r, r->loc, "it is no string");
	s = meta_text(r, string, &len, &loc);
	while (len > 0 && strchr(" \t\r\n", s[len - 1]))
		len--;
	return decode_text(r, loc, s, len);
}

ir_tensor *
meta_tensor(struct meta_reader *r, size_t i)
{
	if (i >= r->ntensors)
		return fail(r, r->loc, "its tensor is not in 'b64ndarrays'");
	if (!r->decoded[i])
		r->decoded[i] = meta_decode(r, json_array_get(r->tensors, i));
	return r->decoded[i];
}
