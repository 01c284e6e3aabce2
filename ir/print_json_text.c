/*
 * The text of the metadata section, with TVM's line breaks. Payloads of
 * tensors are encoded straight into the output.
 */
#include <string.h>

#include "ir/print_json_internal.h"
#include "support/base64.h"

/* Other control characters need an escape that TVM does not write. */
static void
put_json_string(struct buf *out, const char *s, size_t len)
{
	static const char from[] = "\"\\\t\r\n";
	static const char to[] = "\"\\trn";

	buf_putc(out, '"');
	for (size_t i = 0; i < len; i++) {
		const char *at = s[i] ? strchr(from, s[i]) : NULL;

		if (at) {
			buf_putc(out, '\\');
			buf_putc(out, to[at - from]);
		} else if ((unsigned char)s[i] < ' ') {
			buf_printf(out, "\\u%04x", (unsigned)s[i]);
		} else {
			buf_putc(out, s[i]);
		}
	}
	buf_putc(out, '"');
}

static bool
is_printable(const char *s, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (s[i] < 0x20 || s[i] > 0x7e)
			return false;
	return true;
}

static void
put_word(unsigned char *to, uint64_t value, int nbytes)
{
	for (int i = 0; i < nbytes; i++)
		to[i] = (unsigned char)(value >> (8 * i));
}

/* ", " and a new line between the members of a node. */
static void
put_member(struct buf *out, const char *name)
{
	buf_puts(out, ", \n      \"");
	buf_puts(out, name);
	buf_puts(out, "\": ");
}

static void
put_repr(struct buf *out, const struct json_node *n)
{
	struct base64_encoder e = {0};
	unsigned char size[8];

	if (is_printable(n->repr, n->repr_len)) {
		put_member(out, "repr_str");
		put_json_string(out, n->repr, n->repr_len);
		return;
	}
	put_member(out, "repr_b64");
	put_word(size, n->repr_len, 8);
	buf_putc(out, '"');
	base64_put(&e, out, size, sizeof(size));
	base64_put(&e, out, n->repr, n->repr_len);
	base64_end(&e, out);
	buf_putc(out, '"');
}

static int
compare_fields(const void *a, const void *b)
{
	return strcmp(((const struct json_field *)a)->name,
		      ((const struct json_field *)b)->name);
}

static void
put_fields(struct buf *out, struct json_node *n)
{
	bool one = n->nfields == 1;

	qsort(n->fields, n->nfields, sizeof(*n->fields), compare_fields);
	put_member(out, "attrs");
	buf_putc(out, '{');
	for (uint32_t i = 0; i < n->nfields; i++) {
		const struct json_field *f = &n->fields[i];

		if (!one)
			buf_puts(out, i ? ", \n        " : "\n        ");
		put_json_string(out, f->name, strlen(f->name));
		buf_puts(out, ": ");
		if (f->text) {
			put_json_string(out, f->text, strlen(f->text));
		} else {
			buf_putc(out, '"');
			buf_int(out, f->number);
			buf_putc(out, '"');
		}
	}
	buf_puts(out, one ? "}" : "\n      }");
}

static void
put_keys(struct buf *out, const struct json_node *n)
{
	put_member(out, "keys");
	buf_putc(out, '[');
	for (uint32_t i = 0; i < n->nkeys; i++) {
		buf_puts(out, i ? ", \n        " : "\n        ");
		put_json_string(out, n->keys[i], intern_len(n->keys[i]));
	}
	buf_puts(out, "\n      ]");
}

static void
put_data(struct buf *out, const struct json_node *n)
{
	bool one_line = n->ndata <= 10;

	put_member(out, "data");
	buf_putc(out, '[');
	for (uint32_t i = 0; i < n->ndata; i++) {
		if (i)
			buf_puts(out, ", ");
		if (!one_line)
			buf_puts(out, "\n        ");
		buf_int(out, n->data[i]);
	}
	buf_puts(out, one_line ? "]" : "\n      ]");
}

static void
put_node(struct buf *out, struct json_node *n)
{
	buf_puts(out, "\n    {\n      \"type_key\": ");
	put_json_string(out, n->type_key, strlen(n->type_key));
	if (n->repr && n->repr_len)
		put_repr(out, n);
	if (n->nfields)
		put_fields(out, n);
	if (n->nkeys)
		put_keys(out, n);
	if (n->ndata)
		put_data(out, n);
	buf_puts(out, "\n    }");
}

/* T as TVM writes it in files, as base64. */
static void
put_tensor(struct buf *out, const ir_tensor *t)
{
	struct base64_encoder e = {0};
	unsigned char head[32] = {0};
	unsigned char word[8];

	put_word(head, UINT64_C(0xDD5E40F096B4A13F), 8);
	put_word(head + 16, 1, 4);
	put_word(head + 24, t->ndim, 4);
	head[28] = t->dtype.code;
	head[29] = t->dtype.bits;
	put_word(head + 30, t->dtype.lanes, 2);
	base64_put(&e, out, head, sizeof(head));
	for (uint32_t i = 0; i < t->ndim; i++) {
		put_word(word, (uint64_t)t->shape[i], 8);
		base64_put(&e, out, word, sizeof(word));
	}
	put_word(word, t->nbytes / (t->dtype.lanes ? t->dtype.lanes : 1), 8);
	base64_put(&e, out, word, sizeof(word));
	for (size_t at = 0; at < t->nbytes; at += BUF_DRAIN_SIZE) {
		size_t left = t->nbytes - at;

		buf_drain(out);
		base64_put(&e, out, (const char *)t->data + at,
			   left < BUF_DRAIN_SIZE ? left : BUF_DRAIN_SIZE);
	}
	base64_end(&e, out);
}

static void
put_tensors(struct json *j)
{
	struct buf *out = j->out;

	buf_puts(out, "\n  ], \n  \"b64ndarrays\": [");
	for (size_t i = 0; i < j->tensors.len; i++) {
		buf_puts(out, i ? ", \n    \"" : "\n    \"");
		put_tensor(out, j->tensors.at[i]);
		buf_putc(out, '"');
	}
	buf_puts(out, j->tensors.len ? "\n  ], \n" : "], \n");
}

void
print_json_text(struct json *j)
{
	buf_puts(j->out, "{\n  \"root\": 1, \n  \"nodes\": [");
	for (size_t i = 0; i < j->nodes.len; i++) {
		if (i)
			buf_puts(j->out, ", ");
		buf_drain(j->out);
		put_node(j->out, &j->nodes.at[i]);
	}
	put_tensors(j);
	buf_puts(j->out, "  \"attrs\": {\"tvm_version\": \"0.18.0\"}\n}");
}
