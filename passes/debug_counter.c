#include "passes/debug_counter.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "passes/registry.h"

static bool
read_number(const char **s, unsigned long long *n)
{
	char *end;

	if (**s < '0' || **s > '9')
		return false;
	*n = strtoull(*s, &end, 10);
	*s = end;
	return true;
}

/* "3", "1-3", "5-" */
static bool
read_range(const char **s, struct debug_range *r)
{
	if (!read_number(s, &r->first))
		return false;
	r->last = r->first;
	if (**s != '-')
		return true;
	++*s;
	if (!read_number(s, &r->last))
		r->last = ULLONG_MAX;
	return r->last >= r->first;
}

static bool
read_ranges(struct debug_counter *c, const char *s)
{
	for (;;) {
		struct debug_range r;

		if (!read_range(&s, &r))
			return false;
		vec_push(&c->ranges, r);
		if (!*s)
			return true;
		if (*s++ != ':')
			return false;
	}
}

bool
debug_counter_parse(struct debug_counter *c, const char *text, struct diag *d)
{
	size_t len = strcspn(text, "=");

	*c = (struct debug_counter){.info = pass_find(text, len)};
	if (!c->info) {
		diag_error(d, LOC_NONE,
			   "option '--debug-counter': unknown pass '%.*s'",
			   (int)len, text);
		return false;
	}
	if (text[len] == '=' && read_ranges(c, text + len + 1))
		return true;
	diag_error(d, LOC_NONE,
		   "option '--debug-counter' takes PASS=A-B, as in "
		   "'%s=1-3:5', not '%s'",
		   c->info->flag, text);
	debug_counter_free(c);
	return false;
}

bool
debug_counter_next(struct debug_counter *c)
{
	c->count++;
	for (size_t i = 0; i < c->ranges.len; i++)
		if (c->count >= c->ranges.at[i].first &&
		    c->count <= c->ranges.at[i].last) {
			c->done++;
			return true;
		}
	return false;
}

void
debug_counter_note(const struct debug_counter *c, struct diag *d)
{
	if (c->count)
		diag_note(d, LOC_NONE,
			  "debug counter: %llu of %llu rewrites of '%s'",
			  c->done, c->count, c->info->flag);
	else
		diag_note(d, LOC_NONE,
			  "debug counter: nothing was counted in '%s'",
			  c->info->flag);
}

void
debug_counter_free(struct debug_counter *c)
{
	vec_free(&c->ranges);
}
