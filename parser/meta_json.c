/*
 * From the metadata section to a JSON document.
 *
 * Long base64 is cut out before: the document has a short mark in their
 * place, and a table says where in the text they stand.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parser/meta_internal.h"
#include "support/buf.h"

/* Shorter strings go through the JSON reader. */
enum { LONG = 48 };

/* The offset of the quote that ends the string whose text starts at OFF. */
static size_t
string_end(const struct source *s, size_t off)
{
	for (;;) {
		const char *quote = memchr(s->text + off, '"', s->len - off);
		size_t end, slashes = 0;

		if (!quote)
			return s->len;
		end = (size_t)(quote - s->text);
		while (end - slashes > off &&
		       s->text[end - slashes - 1] == '\\')
			slashes++;
		if (slashes % 2 == 0)
			return end;
		off = end + 1;
	}
}

static void
put_mark(struct meta_reader *r, struct buf *out, size_t off, size_t len)
{
	struct meta_cut cut = {off, len, out->len};

	buf_printf(out, MARK_JSON "%zu", r->cuts.len);
	vec_push(&r->cuts, cut);
}

static bool
is_base64(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '/' && c <= '9') || c == '+' || c == '=';
}

/*
 * Long and, as far as a look tells, base64: a tensor, in all likelihood. If
 * not, it must at least stand for itself, without escapes.
 */
static bool
is_cut(const char *text, size_t len)
{
	if (len <= LONG)
		return false;
	for (size_t i = 0; i < LONG; i++)
		if (!is_base64((unsigned char)text[i]))
			return false;
	for (size_t i = LONG; i < len; i++)
		if (text[i] < ' ' || text[i] > '~' || text[i] == '\\')
			return false;
	return true;
}

/* Copy the document at OFF to OUT without long base64. */
static void
cut_strings(struct meta_reader *r, size_t off, struct buf *out)
{
	const struct source *s = r->pc->src;

	while (off < s->len) {
		const char *quote = memchr(s->text + off, '"', s->len - off);
		size_t start, end;

		if (!quote)
			break;
		start = (size_t)(quote - s->text) + 1;
		buf_put(out, s->text + off, start - off);
		end = string_end(s, start);
		if (is_cut(s->text + start, end - start))
			put_mark(r, out, start, end - start);
		else
			buf_put(out, s->text + start, end - start);
		off = end;
		if (off < s->len)
			buf_putc(out, s->text[off++]);
	}
	buf_put(out, s->text + off, s->len - off);
}

/* The offset in the text of position AT in the document without strings. */
static size_t
place_of(const struct meta_reader *r, size_t at)
{
	size_t off = r->start + at;

	for (size_t i = 0; i < r->cuts.len && r->cuts.at[i].at < at; i++) {
		char mark[32];
		int n = snprintf(mark, sizeof(mark), MARK_JSON "%zu", i);

		off += r->cuts.at[i].len - (size_t)n;
	}
	return off < r->pc->src->len ? off : r->pc->src->len;
}

static bool
fail(struct meta_reader *r, const char *what)
{
	struct loc loc = {(uint32_t)r->start, 1, 0};

	diag_error(r->pc->d, loc, "metadata: %s", what);
	return false;
}

/* Look at the outer parts of the document. */
static bool
open_document(struct meta_reader *r)
{
	json_t *root = json_object_get(r->doc, "root");
	json_t *node;
	size_t n;

	r->nodes = json_object_get(r->doc, "nodes");
	r->tensors = json_object_get(r->doc, "b64ndarrays");
	if (!json_is_array(r->nodes))
		return fail(r, "there is no list of nodes");
	n = json_array_size(r->nodes);
	if (!json_is_integer(root) || json_integer_value(root) < 0 ||
	    (size_t)json_integer_value(root) >= n)
		return fail(r, "'root' is no index of a node");
	if (r->tensors && !json_is_array(r->tensors))
		return fail(r, "'b64ndarrays' is no list");
	node = json_array_get(r->nodes, (size_t)json_integer_value(root));
	r->keys = json_object_get(node, "keys");
	r->lists = json_object_get(node, "data");
	if ((r->keys || r->lists) &&
	    (!json_is_array(r->keys) || !json_is_array(r->lists) ||
	     json_array_size(r->keys) != json_array_size(r->lists)))
		return fail(r, "the root is no map of lists");
	r->ntensors = json_array_size(r->tensors);
	r->nnodes = n;
	r->values = xcalloc(n ? n : 1, sizeof(*r->values));
	r->objects = xcalloc(n ? n : 1, sizeof(*r->objects));
	r->decoded =
		xcalloc(r->ntensors ? r->ntensors : 1, sizeof(*r->decoded));
	return true;
}

struct meta_reader *
meta_open(struct parse_ctx *cx, size_t offset)
{
	struct meta_reader *r = xcalloc(1, sizeof(*r));
	struct buf text = {0};
	json_error_t e;

	r->pc = cx;
	r->start = offset;
	cut_strings(r, offset, &text);
	r->doc = json_loadb(text.at ? text.at : "", text.len, 0, &e);
	buf_free(&text);
	if (!r->doc) {
		size_t at = place_of(r, (size_t)e.position);
		struct loc loc = {(uint32_t)(at > 0 ? at - 1 : 0), 1, 0};

		diag_error(cx->d, loc, "metadata: %s", e.text);
	} else if (open_document(r)) {
		return r;
	}
	meta_close(r);
	return NULL;
}

void
meta_close(struct meta_reader *r)
{
	if (!r)
		return;
	for (size_t i = 0; i < r->ntensors && r->decoded; i++)
		ir_tensor_unref(r->decoded[i]);
	free(r->decoded);
	free(r->values);
	free(r->objects);
	vec_free(&r->cuts);
	vec_free(&r->stack);
	json_decref(r->doc);
	free(r);
}

const char *
meta_text(const struct meta_reader *r, const json_t *string, size_t *len,
	  struct loc *loc)
{
	const char *s = json_string_value(string);
	size_t cut;

	*len = json_string_length(string);
	*loc = (struct loc){(uint32_t)r->start, 1, 0};
	if (*len < 2 || s[0] != MARK[0])
		return s;
	cut = strtoul(s + 1, NULL, 10);
	if (cut >= r->cuts.len)
		return s;
	*len = r->cuts.at[cut].len;
	*loc = (struct loc){(uint32_t)r->cuts.at[cut].off, 1, 0};
	return r->pc->src->text + r->cuts.at[cut].off;
}

const char *
meta_word(const struct meta_reader *r, const json_t *string)
{
	struct loc loc;
	size_t len;
	const char *s;

	if (!json_is_string(string))
		return ir_name(r->pc->cx, "");
	s = meta_text(r, string, &len, &loc);
	return ir_name_n(r->pc->cx, s, len);
}

/* The section starts at a line of its own, and an object follows it. */
static bool
is_section(const struct source *s, size_t at, size_t end)
{
	while (at > 0 && (s->text[at - 1] == ' ' || s->text[at - 1] == '\t'))
		at--;
	if (at > 0 && s->text[at - 1] != '\n')
		return false;
	while (end < s->len && strchr(" \t\r\n", s->text[end]) && s->text[end])
		end++;
	return end < s->len && s->text[end] == '{';
}

size_t
meta_find(const struct parse_ctx *cx)
{
	static const char *const marks[] = {"#[metadata]", "METADATA:"};
	const struct source *s = cx->src;

	for (size_t i = 0; i < 2; i++) {
		size_t len = strlen(marks[i]), at = 0;
		const char *found;

		while ((found = memmem(s->text + at, s->len - at, marks[i],
				       len)) != NULL) {
			at = (size_t)(found - s->text);
			if (is_section(s, at, at + len))
				return at + len;
			at += len;
		}
	}
	return s->len;
}
