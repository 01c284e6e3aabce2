#include "lexer/slices.h"

#include <stdlib.h>
#include <string.h>

#include "lexer/lex.h"
#include "support/hash.h"

/* Longer pieces are hardly ever repeated. */
enum { MOST_TYPE = 120, MOST_ATTRS = 400, FIRST_SLOTS = 256 };

/* A hash of this process only: no output depends on it. */
static uint64_t
hash_text(const char *s, size_t len, const void *owner)
{
	uint64_t h = (uint64_t)(uintptr_t)owner ^ len, word;

	for (; len >= 8; s += 8, len -= 8) {
		memcpy(&word, s, 8);
		h = (h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		h ^= h >> 29;
	}
	word = 0;
	memcpy(&word, s, len);
	h = (h ^ word) * UINT64_C(0xd6e8feb86659fd93);
	return h ^ h >> 32;
}

static struct slice *
probe(const struct slice_table *t, const char *text, const struct slice *key)
{
	size_t i = key->hash & (t->nslots - 1);

	for (;; i = (i + 1) & (t->nslots - 1)) {
		struct slice *s = &t->slots[i];

		if (!s->value ||
		    (s->hash == key->hash && s->len == key->len &&
		     s->owner == key->owner &&
		     memcmp(text + s->off, text + key->off, s->len) == 0))
			return s;
	}
}

static const void *
find(const struct parse_ctx *cx, struct slice *key)
{
	const struct slice_table *t = &cx->lex.slices;
	const char *text = cx->src->text;

	key->hash = hash_text(text + key->off, key->len, key->owner);
	return t->nslots ? probe(t, text, key)->value : NULL;
}

static void
grow(struct slice_table *t, const char *text)
{
	struct slice_table old = *t;

	t->nslots = old.nslots ? old.nslots * 2 : FIRST_SLOTS;
	t->slots = xcalloc(t->nslots, sizeof(*t->slots));
	for (size_t i = 0; i < old.nslots; i++) {
		if (old.slots[i].value)
			*probe(t, text, &old.slots[i]) = old.slots[i];
	}
	free(old.slots);
}

static void
learn(struct parse_ctx *cx, const struct slice *s)
{
	struct slice_table *t = &cx->lex.slices;
	struct slice *slot;

	if (t->count * 2 >= t->nslots)
		grow(t, cx->src->text);
	slot = probe(t, cx->src->text, s);
	t->count += slot->value == NULL;
	*slot = *s;
}

void
slices_free(struct slice_table *t)
{
	free(t->slots);
}

/* The piece of text from OFF to its first ']' is short and has no "meta[". */
static bool
is_plain_type(const struct parse_ctx *cx, size_t off, size_t *end)
{
	const struct source *s = cx->src;
	size_t most = s->len - off;
	const char *stop;

	if (most > MOST_TYPE)
		most = MOST_TYPE;
	if (most < 2 || s->text[off] != '[')
		return false;
	stop = memchr(s->text + off + 1, ']', most - 1);
	if (!stop ||
	    memchr(s->text + off + 1, '[', (size_t)(stop - s->text) - off - 1))
		return false;
	*end = (size_t)(stop - s->text) + 1;
	return true;
}

const void *
lex_known_type(struct parse_ctx *cx, size_t off, size_t *end)
{
	struct slice key = {.off = (uint32_t)off};

	if (!is_plain_type(cx, off, end))
		return NULL;
	key.len = (uint32_t)(*end - off);
	return find(cx, &key);
}

void
lex_learn_type(struct parse_ctx *cx, size_t off, size_t end, const void *type)
{
	struct slice key = {.off = (uint32_t)off};
	size_t stop;

	if (!is_plain_type(cx, off, &stop) || stop != end)
		return;
	key.len = (uint32_t)(end - off);
	find(cx, &key);
	key.value = type;
	learn(cx, &key);
}

/* What a character says about attributes; most say nothing. */
enum attrs_char {
	ATTRS_PLAIN,
	ATTRS_OTHER,
	ATTRS_QUOTE,
	ATTRS_END,
	ATTRS_LIST
};

static const uint8_t attrs_chars[256] = {
	['\0'] = ATTRS_OTHER, ['%'] = ATTRS_OTHER, ['@'] = ATTRS_OTHER,
	['{'] = ATTRS_OTHER,  ['}'] = ATTRS_OTHER, ['('] = ATTRS_OTHER,
	['\''] = ATTRS_OTHER, ['/'] = ATTRS_OTHER, ['#'] = ATTRS_OTHER,
	['\\'] = ATTRS_OTHER, ['^'] = ATTRS_OTHER, ['<'] = ATTRS_OTHER,
	['>'] = ATTRS_OTHER,  ['?'] = ATTRS_OTHER, [';'] = ATTRS_OTHER,
	[':'] = ATTRS_OTHER,  ['!'] = ATTRS_OTHER, ['"'] = ATTRS_QUOTE,
	[')'] = ATTRS_END,    ['['] = ATTRS_LIST,
};

/* The '"' that closes the string opened at OFF; END if none is near. */
static size_t
string_end(const char *text, size_t off, size_t end)
{
	while (++off < end && text[off] != '"') {
		if (text[off] == '\\')
			return end;
	}
	return off;
}

/* Where attributes at OFF end with ')'; 0 if they hold more than literals. */
static size_t
attrs_end(const struct source *s, size_t off)
{
	size_t most = s->len - off > MOST_ATTRS ? off + MOST_ATTRS : s->len;

	for (size_t i = off; i < most; i++) {
		unsigned char c = (unsigned char)s->text[i];

		switch ((enum attrs_char)attrs_chars[c]) {
		case ATTRS_PLAIN:
			if (c >= 0x80)
				return 0;
			break;
		case ATTRS_QUOTE:
			i = string_end(s->text, i, most);
			break;
		case ATTRS_END:
			return i;
		case ATTRS_LIST:
			if (i < 4 || memcmp(s->text + i - 4, "meta", 4) != 0)
				break;
			return 0;
		case ATTRS_OTHER:
			return 0;
		}
	}
	return 0;
}

const void *
lex_known_attrs(struct parse_ctx *cx, size_t off, size_t *end)
{
	struct lex_state *lex = &cx->lex;
	struct slice key = {.off = (uint32_t)off};

	if (lex->open.len == 0 || vec_last(&lex->open).keyed)
		return NULL;
	vec_last(&lex->open).keyed = true;
	lex->pending.len = 0;
	if (lex->prev != ',' && lex->prev != '(')
		return NULL;
	key.owner = vec_last(&lex->open).callee;
	if (!key.owner)
		return NULL;
	*end = attrs_end(cx->src, off);
	if (*end == 0)
		return NULL;
	key.len = (uint32_t)(*end - off);
	key.value = find(cx, &key);
	lex->pending = key;
	return key.value;
}

void
lex_learn_attrs(struct parse_ctx *cx, size_t end, const void *record)
{
	struct slice *p = &cx->lex.pending;

	if (p->len == 0 || p->off + p->len != end || p->value)
		return;
	p->value = record;
	learn(cx, p);
	p->len = 0;
}
