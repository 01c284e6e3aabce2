/*
 * NumPy's files.
 */
#include "ir/npy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/vec.h"

enum { MAX_NDIM = 64 };

void
named_tensors_free(struct named_tensors *t)
{
	for (size_t i = 0; i < t->len; i++) {
		free(t->at[i].name);
		ir_tensor_unref(t->at[i].tensor);
	}
	vec_free(t);
}

void
named_tensors_add(struct named_tensors *t, const char *name, size_t len,
		  ir_tensor *tensor)
{
	struct named_tensor one = {xmalloc(len + 1), tensor};

	memcpy(one.name, name, len);
	one.name[len] = '\0';
	vec_push(t, one);
}

ir_tensor *
named_tensors_find(const struct named_tensors *t, const char *name)
{
	for (size_t i = 0; i < t->len; i++)
		if (!strcmp(t->at[i].name, name))
			return t->at[i].tensor;
	return NULL;
}

static uint32_t
little(const unsigned char *p, int n)
{
	uint32_t v = 0;

	while (n-- > 0)
		v = v << 8 | p[n];
	return v;
}

/* What follows "KEY":" in the header, or NULL. */
static const char *
field(const char *header, const char *key)
{
	const char *at = strstr(header, key);

	at = at ? strchr(at, ':') : NULL;
	return at ? at + 1 + strspn(at + 1, " ") : NULL;
}

static bool
parse_descr(const char *s, struct dtype *out)
{
	unsigned size = (unsigned)(s[2] - '0');
	char order = s[0];

	if (order == '>' && size > 1)
		return false;
	switch (s[1]) {
	case 'b':
		*out = DTYPE_BOOL;
		return size == 1;
	case 'i':
	case 'u':
		*out = s[1] == 'i' ? DTYPE(INT, 0) : DTYPE(UINT, 0);
		break;
	case 'f':
		*out = DTYPE(FLOAT, 0);
		break;
	default:
		return false;
	}
	out->bits = (uint8_t)(8 * size);
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static bool
parse_shape(const char *s, int64_t *shape, uint32_t *ndim)
{
	*ndim = 0;
	for (s++; *s && *s != ')'; s++) {
		char *end;
		long long n;

		s += strspn(s, " ");
		if (*s == ')')
			return true;
		n = strtoll(s, &end, 10);
		if (end == s || n < 0 || *ndim == MAX_NDIM)
			return false;
		shape[(*ndim)++] = n;
		s = end + strspn(end, "L ");
		if (*s == ')')
			return true;
		if (*s != ',')
			return false;
	}
	return *s == ')';
}

/* DATA, whose first axis runs fastest, as OUT, whose last one does. */
static void
copy_columns(ir_tensor *out, const char *data)
{
	size_t size = dtype_size(out->dtype);
	int64_t n = ir_tensor_size(out);

	for (int64_t i = 0; i < n; i++) {
		int64_t rest = i, at = 0;

		for (uint32_t d = 0; d < out->ndim; d++) {
			int64_t stride = 1;

			for (uint32_t k = d + 1; k < out->ndim; k++)
				stride *= out->shape[k];
			at += rest % out->shape[d] * stride;
			rest /= out->shape[d];
		}
		memcpy((char *)out->data + (size_t)at * size,
		       data + (size_t)i * size, size);
	}
}

static ir_tensor *
read_body(const char *header, const char *data, size_t len, const char **why)
{
	const char *descr = field(header, "'descr'");
	const char *order = field(header, "'fortran_order'");
	const char *shape = field(header, "'shape'");
	int64_t dims[MAX_NDIM];
	struct dtype t;
	uint32_t ndim;
	ir_tensor *r;

	if (!descr || !order || !shape || *descr != '\'' || *shape != '(' ||
	    !parse_shape(shape, dims, &ndim)) {
		*why = "a .npy file with a damaged header";
		return NULL;
	}
	if (strlen(descr) < 5 || !parse_descr(descr + 1, &t)) {
		*why = "of an element type that is not supported";
		return NULL;
	}
	r = ir_tensor_new(t, dims, ndim);
	if (!r || r->nbytes > len) {
		*why = r ? "cut short: its shape wants more elements"
			 : "too large for the memory";
		ir_tensor_unref(r);
		return NULL;
	}
	if (*order == 'T' && ndim > 1)
		copy_columns(r, data);
	else if (r->nbytes)
		memcpy(r->data, data, r->nbytes);
	return r;
}

ir_tensor *
npy_read(const void *data, size_t len, const char **why)
{
	const unsigned char *p = data;
	size_t start, n;
	char *header;
	ir_tensor *t;

	if (len < 12 || memcmp(p, "\x93NUMPY", 6) != 0) {
		*why = "no .npy file";
		return NULL;
	}
	start = p[6] == 1 ? 10 : 12;
	n = little(p + 8, p[6] == 1 ? 2 : 4);
	if (n > len - start) {
		*why = "a .npy file that ends in its header";
		return NULL;
	}
	header = xmalloc(n + 1);
	memcpy(header, p + start, n);
	header[n] = '\0';
	t = read_body(header, (const char *)data + start + n, len - start - n,
		      why);
	free(header);
	return t;
}

static void
put_descr(struct buf *out, struct dtype t)
{
	size_t size = dtype_size(t);
	char kind = 'u';

	if (dtype_is_bool(t))
		kind = 'b';
	else if (t.code == DTYPE_INT)
		kind = 'i';
	else if (t.code == DTYPE_FLOAT)
		kind = 'f';
	buf_printf(out, "%c%c%zu", size == 1 ? '|' : '<', kind, size);
}

void
npy_write(struct buf *out, const ir_tensor *t)
{
	struct buf h = {0};

	buf_puts(&h, "{'descr': '");
	put_descr(&h, t->dtype);
	buf_puts(&h, "', 'fortran_order': False, 'shape': (");
	for (uint32_t i = 0; i < t->ndim; i++)
		buf_printf(&h, "%" PRId64 "%s", t->shape[i],
			   i + 1 < t->ndim ? ", "
			   : t->ndim == 1  ? ","
					   : "");
	buf_puts(&h, "), }");
	buf_fill(&h, ' ', 63 - (h.len + 10) % 64);
	buf_putc(&h, '\n');
	buf_put(out, "\x93NUMPY\x01\x00", 8);
	buf_putc(out, (char)(h.len & 255));
	buf_putc(out, (char)(h.len >> 8));
	buf_put(out, h.at, h.len);
	buf_put(out, t->data, t->nbytes);
	buf_free(&h);
}

static void
unref(void *data, size_t nbytes, void *env)
{
	(void)data;
	(void)nbytes;
	ir_tensor_unref(env);
}

ir_tensor *
npy_as(ir_tensor *t, struct dtype want)
{
	ir_tensor_ref(t);
	if (want.code != DTYPE_BFLOAT ||
	    !dtype_equal(t->dtype, DTYPE(UINT, 16)))
		return t;
	return ir_tensor_wrap(want, t->shape, t->ndim, t->data, unref, t);
}

/* One member of an archive, whose local header is at P. */
static bool
npz_member(const unsigned char *p, size_t len, const unsigned char *central,
	   struct named_tensors *out, const char **why)
{
	size_t size = little(central + 24, 4), at, n = little(central + 28, 2);
	const char *name = (const char *)central + 46;
	ir_tensor *t;

	if (little(central + 10, 2) != 0) {
		*why = "a compressed .npz file; numpy.savez writes plain ones";
		return false;
	}
	at = 30 + (size_t)little(p + 26, 2) + little(p + 28, 2);
	if (at > len || size > len - at) {
		*why = "a damaged .npz file";
		return false;
	}
	t = npy_read(p + at, size, why);
	if (!t)
		return false;
	if (n > 4 && !memcmp(name + n - 4, ".npy", 4))
		n -= 4;
	named_tensors_add(out, name, n, t);
	return true;
}

bool
npz_read(const void *data, size_t len, struct named_tensors *out,
	 const char **why)
{
	const unsigned char *p = data;
	size_t end, at, count;

	*why = "a damaged .npz file";
	if (len < 22)
		return false;
	for (end = len - 22; memcmp(p + end, "PK\5\6", 4); end--)
		if (!end || len - end > 65600)
			return false;
	count = little(p + end + 10, 2);
	at = little(p + end + 16, 4);
	while (count-- > 0) {
		size_t local;

		if (at > len || len - at < 46 || memcmp(p + at, "PK\1\2", 4))
			return false;
		local = little(p + at + 42, 4);
		if (local > len || len - local < 30 ||
		    little(p + at + 28, 2) > len - at - 46)
			return false;
		if (!npz_member(p + local, len - local, p + at, out, why))
			return false;
		at += 46 + (size_t)little(p + at + 28, 2) +
		      little(p + at + 30, 2) + little(p + at + 32, 2);
	}
	return true;
}

static void
put_little(struct buf *out, uint64_t v, int n)
{
	while (n-- > 0) {
		buf_putc(out, (char)(v & 255));
		v >>= 8;
	}
}

static uint32_t
crc32_of(const char *p, size_t n)
{
	uint32_t crc = ~0u;

	for (size_t i = 0; i < n; i++) {
		crc ^= (unsigned char)p[i];
		for (int bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
	}
	return ~crc;
}

/* What the local header and the directory have in common. */
static void
put_member(struct buf *out, uint32_t crc, size_t size, size_t name_len)
{
	put_little(out, 20, 2);
	put_little(out, 0, 4);
	put_little(out, 0x00210000, 4);
	put_little(out, crc, 4);
	put_little(out, size, 4);
	put_little(out, size, 4);
	put_little(out, name_len, 2);
	put_little(out, 0, 2);
}

void
npz_write(struct buf *out, const struct named_tensors *t)
{
	struct buf dir = {0};
	size_t start = out->len, end;

	for (size_t i = 0; i < t->len; i++) {
		struct buf body = {0};
		size_t n = strlen(t->at[i].name) + 4, at = out->len - start;
		uint32_t crc;

		npy_write(&body, t->at[i].tensor);
		crc = crc32_of(body.at, body.len);
		buf_put(out, "PK\3\4", 4);
		put_member(out, crc, body.len, n);
		buf_printf(out, "%s.npy", t->at[i].name);
		buf_put(out, body.at, body.len);
		buf_put(&dir, "PK\1\2\24\0", 6);
		put_member(&dir, crc, body.len, n);
		put_little(&dir, 0, 2);
		put_little(&dir, 0, 4);
		put_little(&dir, 0, 4);
		put_little(&dir, at, 4);
		buf_printf(&dir, "%s.npy", t->at[i].name);
		buf_free(&body);
	}
	end = out->len - start;
	buf_put(out, dir.at, dir.len);
	buf_put(out, "PK\5\6\0\0\0\0", 8);
	put_little(out, t->len, 2);
	put_little(out, t->len, 2);
	put_little(out, dir.len, 4);
	put_little(out, end, 4);
	put_little(out, 0, 2);
	buf_free(&dir);
}
