#include "support/expect.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

static const char *const level_names[] = {"error", "warning", "note", "remark"};

/* A directive being read: the rest of the text after "expected-". */
struct cursor {
	const char *p;
	const char *end;
};

static bool
accept(struct cursor *c, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(c->end - c->p) < len || memcmp(c->p, word, len) != 0)
		return false;
	c->p += len;
	return true;
}

static bool
read_level(struct cursor *c, enum diag_level *level)
{
	for (unsigned i = 0; i < 4; i++) {
		if (accept(c, level_names[i])) {
			*level = (enum diag_level)i;
			return true;
		}
	}
	return false;
}

static unsigned
read_number(struct cursor *c)
{
	unsigned n = 0;

	while (c->p < c->end && *c->p >= '0' && *c->p <= '9' && n < 1000000)
		n = n * 10 + (unsigned)(*c->p++ - '0');
	return n;
}

static void
read_line(struct cursor *c, unsigned *line)
{
	if (accept(c, "@+"))
		*line += read_number(c);
	else if (accept(c, "@-"))
		*line -= read_number(c);
	else if (accept(c, "@above"))
		*line -= 1;
	else if (accept(c, "@below"))
		*line += 1;
	else if (accept(c, "@unknown"))
		*line = 0;
}

static const char *
find(const char *p, const char *end, const char *word)
{
	return memmem(p, (size_t)(end - p), word, strlen(word));
}

/* The directive after "expected-" at C; false if it is none. */
static bool
read_directive(struct expect *e, struct cursor *c, unsigned line,
	       struct expectation *x)
{
	const char *close;

	*x = (struct expectation){.line = line};
	if (!read_level(c, &x->level))
		return false;
	x->is_regex = accept(c, "-re");
	read_line(c, &x->line);
	while (accept(c, " "))
		;
	if (!accept(c, "{{"))
		return false;
	close = find(c->p, c->end, "}}");
	if (!close)
		return false;
	x->text = arena_strndup(&e->arena, c->p, (size_t)(close - c->p));
	c->p = close + 2;
	return true;
}

bool
expect_read(struct expect *e, struct source *s, struct diag *d)
{
	bool ok = true;

	*e = (struct expect){0};
	for (unsigned i = 1;; i++) {
		size_t len;
		const char *text = source_line(s, i, &len);
		struct cursor c = {text, text + len};

		if (i > s->nlines)
			return ok;
		c.p = find(c.p, c.end, "//");
		while (c.p && (c.p = find(c.p, c.end, "expected-"))) {
			const char *start = c.p;
			struct expectation x;

			c.p += strlen("expected-");
			ok &= read_directive(e, &c, i + s->first_line - 1, &x);
			x.loc.off = (uint32_t)(start - s->text);
			x.loc.len = (uint32_t)(c.p - start) & 0x7fffffff;
			if (x.text)
				vec_push(&e->wanted, x);
			else
				diag_error(d, x.loc,
					   "expected expected-error, -warning, "
					   "-note or -remark and {{text}}");
		}
	}
}

static bool
text_fits(const struct expectation *x, const char *text)
{
	regex_t re;
	bool fits;

	if (!x->is_regex)
		return strstr(text, x->text) != NULL;
	if (regcomp(&re, x->text, REG_EXTENDED | REG_NOSUB) != 0)
		return false;
	fits = regexec(&re, text, 0, NULL, 0) == 0;
	regfree(&re);
	return fits;
}

void
expect_take(void *env, const struct diag_message *m)
{
	struct expect *e = env;
	struct unexpected other = {
		.level = m->level, .line = m->line, .column = m->column};

	for (size_t i = 0; i < e->wanted.len; i++) {
		struct expectation *x = &e->wanted.at[i];

		if (!x->met && x->level == m->level && x->line == m->line &&
		    text_fits(x, m->text)) {
			x->met = true;
			return;
		}
	}
	other.text = arena_strndup(&e->arena, m->text, strlen(m->text));
	if (m->file)
		other.file = arena_strndup(&e->arena, m->file, strlen(m->file));
	vec_push(&e->others, other);
}

/* The place of a message, as a loc of the source it came from. */
static struct loc
place(struct source *s, const struct unexpected *u)
{
	struct loc loc = LOC_NONE;
	size_t len;
	const char *line;

	if (!u->file || u->line < s->first_line)
		return loc;
	line = source_line(s, u->line - s->first_line + 1, &len);
	if (len < u->column - 1)
		return loc;
	loc.off = (uint32_t)(line - s->text) + u->column - 1;
	loc.len = 1;
	return loc;
}

bool
expect_finish(struct expect *e, struct diag *d)
{
	bool ok = e->others.len == 0;

	for (size_t i = 0; i < e->others.len; i++) {
		const struct unexpected *u = &e->others.at[i];

		diag_error(d, place(d->source, u), "unexpected %s: %s",
			   level_names[u->level], u->text);
	}
	for (size_t i = 0; i < e->wanted.len; i++) {
		const struct expectation *x = &e->wanted.at[i];

		if (x->met)
			continue;
		diag_error(d, x->loc, "expected %s \"%s\" was not produced",
			   level_names[x->level], x->text);
		ok = false;
	}
	return ok;
}

void
expect_free(struct expect *e)
{
	vec_free(&e->wanted);
	vec_free(&e->others);
	arena_free(&e->arena);
}
