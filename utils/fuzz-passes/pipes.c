#include "utils/fuzz-passes/fuzz_passes.h"

#include <stdio.h>
#include <string.h>

#include "passes/registry.h"
#include "support/glob.h"
#include "support/vec.h"

static const struct pair {
	const char *flag;
	const char *text;
} skipped[] =
	{
#define SKIP(flag, why) {flag, why},
#define WITH(flag, options)
#define PIPE(text)
#define REFUSES(flag, glob)
#include "utils/fuzz-passes/pipes.def"
#undef SKIP
#undef WITH
		{NULL, NULL},
},
  options[] =
	  {
#define SKIP(flag, why)
#define WITH(flag, options) {flag, options},
#include "utils/fuzz-passes/pipes.def"
#undef WITH
#undef REFUSES
		  {NULL, NULL},
},
  refusals[] = {
#define WITH(flag, options)
#define REFUSES(flag, glob) {flag, glob},
#include "utils/fuzz-passes/pipes.def"
#undef PIPE
#undef REFUSES
	  {NULL, NULL},
};

static const char *const extra[] = {
#define PIPE(text) text,
#define REFUSES(flag, glob)
#include "utils/fuzz-passes/pipes.def"
	NULL,
};

static const char *
find(const struct pair *rows, const char *flag)
{
	for (; rows->flag; rows++)
		if (strcmp(rows->flag, flag) == 0)
			return rows->text;
	return NULL;
}

/* "FLAG", or with the options that it needs. */
static void
put_pass(struct buf *out, const char *flag)
{
	const char *with = find(options, flag);

	buf_puts(out, flag);
	if (with)
		buf_printf(out, "<%s>", with);
}

static const char *
pass_text(const char *flag)
{
	struct buf out = {0};

	put_pass(&out, flag);
	return out.at;
}

void
fuzz_pipes_init(struct fuzz_pipes *p, const char *only, unsigned chains,
		uint64_t seed)
{
	VEC(const char *) pipes = {0};

	if (only) {
		vec_push(&pipes, only);
		chains = 0;
	} else {
		for (size_t i = 0; i < pass_table_len; i++)
			if (!find(skipped, pass_table[i].flag))
				vec_push(&pipes, pass_text(pass_table[i].flag));
		for (size_t i = 0; extra[i]; i++)
			vec_push(&pipes, extra[i]);
	}
	p->at = pipes.at;
	p->fixed = pipes.len;
	p->len = pipes.len + chains;
	p->seed = seed;
}

/* Rows of a table about passes that are not there. */
static unsigned
count_stale(const struct pair *rows)
{
	unsigned n = 0;

	for (; rows->flag; rows++) {
		if (pass_find(rows->flag, strlen(rows->flag)))
			continue;
		printf("%s: unknown pass in pipes.def\n", rows->flag);
		n++;
	}
	return n;
}

bool
fuzz_pipes_list(const struct fuzz_pipes *p)
{
	for (const struct pair *row = skipped; row->flag; row++)
		printf("skipped: %s: %s\n", row->flag, row->text);
	for (size_t i = 0; i < p->fixed; i++)
		printf("%s\n", p->at[i]);
	return count_stale(skipped) + count_stale(options) +
		       count_stale(refusals) ==
	       0;
}

static uint64_t
next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

void
fuzz_pipe_text(const struct fuzz_pipes *p, size_t i, uint64_t number,
	       struct buf *out)
{
	uint64_t state = p->seed * 1000003 + number * 101 + i;
	unsigned n = 2 + next(&state) % 4;

	out->len = 0;
	if (i < p->fixed) {
		buf_puts(out, p->at[i]);
		return;
	}
	for (unsigned k = 0; k < n; k++) {
		const char *flag;

		do {
			flag = pass_table[next(&state) % pass_table_len].flag;
		} while (find(skipped, flag));
		if (k)
			buf_putc(out, ',');
		put_pass(out, flag);
	}
}

bool
fuzz_may_refuse(const char *pass, const char *message)
{
	for (const struct pair *row = refusals; row->flag; row++)
		if (strcmp(row->flag, pass) == 0 &&
		    glob_match(row->text, message))
			return true;
	return false;
}
