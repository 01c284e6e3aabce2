#include "utils/fuzz-passes/fuzz_passes.h"

#include <string.h>

#include "passes/registry.h"
#include "support/glob.h"
#include "support/vec.h"

static const char *const skipped[] = {
#define SKIP(flag) flag,
#define PIPE(text)
#define REFUSES(flag, glob)
#include "utils/fuzz-passes/pipes.def"
#undef SKIP
#undef PIPE
	NULL,
};

static const char *const extra[] = {
#define SKIP(flag)
#define PIPE(text) text,
#include "utils/fuzz-passes/pipes.def"
#undef PIPE
#undef REFUSES
	NULL,
};

static const struct {
	const char *flag;
	const char *glob;
} refusals[] = {
#define PIPE(text)
#define REFUSES(flag, glob) {flag, glob},
#include "utils/fuzz-passes/pipes.def"
	{NULL, NULL},
};

static bool
is_skipped(const char *flag)
{
	for (size_t i = 0; skipped[i]; i++)
		if (strcmp(skipped[i], flag) == 0)
			return true;
	return false;
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
			if (!is_skipped(pass_table[i].flag))
				vec_push(&pipes, pass_table[i].flag);
		for (size_t i = 0; extra[i]; i++)
			vec_push(&pipes, extra[i]);
	}
	p->at = pipes.at;
	p->fixed = pipes.len;
	p->len = pipes.len + chains;
	p->seed = seed;
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
		} while (is_skipped(flag));
		buf_printf(out, "%s%s", k ? "," : "", flag);
	}
}

bool
fuzz_may_refuse(const char *pass, const char *message)
{
	for (size_t i = 0; refusals[i].flag; i++)
		if (strcmp(refusals[i].flag, pass) == 0 &&
		    glob_match(refusals[i].glob, message))
			return true;
	return false;
}
