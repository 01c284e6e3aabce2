/*
 * Where an argument of a call stands. Nodes are shared and know where they
 * were made, not where they are used; so when there is something to report,
 * the text of the call is read once more.
 */
#include <string.h>

#include "ir/infer_internal.h"
#include "ir/relation.h"

/* Text from AT on. */
struct cursor {
	const char *text;
	size_t at, len;
};

static bool
starts_with(const struct cursor *c, const char *s)
{
	size_t n = strlen(s);

	return c->len - c->at >= n && memcmp(c->text + c->at, s, n) == 0;
}

static void
skip_to(struct cursor *c, const char *end)
{
	while (c->at < c->len && !starts_with(c, end))
		c->at++;
	c->at = c->at + strlen(end) > c->len ? c->len : c->at + strlen(end);
}

/* Blanks and comments. */
static void
skip_blanks(struct cursor *c)
{
	for (;;) {
		while (c->at < c->len &&
		       strchr(" \t\r\n", c->text[c->at]) != NULL)
			c->at++;
		if (starts_with(c, "/*")) {
			c->at += 2;
			skip_to(c, "*/");
		} else if (starts_with(c, "//")) {
			skip_to(c, "\n");
		} else {
			return;
		}
	}
}

static void
skip_string(struct cursor *c)
{
	for (c->at++; c->at < c->len && c->text[c->at] != '"'; c->at++)
		c->at += c->text[c->at] == '\\';
	c->at = c->at < c->len ? c->at + 1 : c->len;
}

/* One argument; *END is behind its last character that is no blank. */
static void
skip_argument(struct cursor *c, size_t *end)
{
	unsigned depth = 0;

	*end = c->at;
	for (skip_blanks(c); c->at < c->len; skip_blanks(c)) {
		char k = c->text[c->at];

		if (k == '"') {
			skip_string(c);
		} else {
			if (depth == 0 && (k == ',' || k == ')'))
				return;
			depth += k == '(' || k == '[' || k == '{';
			depth -= k == ')' || k == ']' || k == '}';
			c->at++;
		}
		*end = c->at;
	}
}

/* The first argument of the call; false if the text does not show it. */
static bool
find_arguments(const struct rel *r, struct cursor *c)
{
	struct loc loc = r->call->base.loc;
	const struct source *s = r->infer->d->source;
	size_t name = strlen(r->op->name);

	if (!s || loc.span || loc.len <= name || loc.off > s->len ||
	    s->len - loc.off < loc.len ||
	    memcmp(s->text + loc.off, r->op->name, name) != 0)
		return false;
	*c = (struct cursor){s->text, loc.off + name, loc.off + loc.len};
	skip_blanks(c);
	if (!starts_with(c, "("))
		return false;
	c->at++;
	skip_blanks(c);
	return true;
}

/* Over one argument, whose place is *PLACE; false: there is no other. */
static bool
next_argument(struct cursor *c, struct loc *place)
{
	size_t begin = c->at, end;

	skip_argument(c, &end);
	if (begin < end)
		*place = loc_make((uint32_t)begin, (uint32_t)(end - begin));
	if (!starts_with(c, ","))
		return false;
	c->at++;
	skip_blanks(c);
	return true;
}

struct loc
rel_place(const struct rel *r, uint32_t i)
{
	struct loc call = r->call->base.loc, place = call;
	struct cursor c;

	if (!find_arguments(r, &c))
		return call;
	for (; i > 0; i--)
		if (!next_argument(&c, &place))
			return call;
	place = call;
	next_argument(&c, &place);
	return place;
}

struct loc
rel_attr_place(const struct rel *r, const char *name, size_t len)
{
	struct loc call = r->call->base.loc, place = call;
	struct cursor c;
	bool more = find_arguments(r, &c);

	while (more) {
		struct cursor key = c;

		more = next_argument(&c, &place);
		if (key.len - key.at <= len ||
		    memcmp(key.text + key.at, name, len) != 0)
			continue;
		key.at += len;
		skip_blanks(&key);
		if (starts_with(&key, "="))
			return place;
	}
	return call;
}
