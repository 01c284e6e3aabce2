/*
 * Fuzzes the passes: text that reads and has types goes through passes that
 * it mentions, as tests do in their command lines, and two that its bytes
 * choose; each from the start and with the defaults of its options. A pass
 * either refuses with an error, or leaves a module that verifies and has
 * types.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "passes/manager.h"
#include "passes/registry.h"
#include "support/hash.h"
#include "utils/fuzz/fuzz.h"

static const struct pass_options defaults = PASS_OPTIONS_DEFAULT;

static void
complain(const struct pass_info *info, ir_module *m, const char *what)
{
	const struct print_options plain = {.types = PRINT_TYPES_NONE};
	struct buf text = {0};

	ir_print_module(&text, m, &plain);
	fprintf(stderr, "-%s: %s\n%s\n", info->flag, what, text.at);
	abort();
}

/* Run INFO over M, which has types. */
static void
run(const struct pass_info *info, ir_module *m, struct source *s)
{
	struct diag d = silent(s);
	struct pass_manager pm;
	struct pass_pipeline p;
	struct arena arena = {0};

	pass_pipeline_init(&p);
	if (pass_manager_init(&pm, &d, &defaults, &arena)) {
		if (pass_pipeline_add(&p, info, info->flag, NULL, &arena, &d) &&
		    pass_manager_run(&pm, &p, m, false)) {
			if (!ir_verify_module(m, &d))
				complain(info, m, "does not verify");
			if (!ir_infer_module(m, &d))
				complain(info, m, "has no types");
		} else if (!d.errors) {
			complain(info, m, "fails without an error");
		}
		pass_manager_end(&pm);
	}
	arena_free(&arena);
}

/* False: the text has no types, whichever the pass. */
static bool
try_pass(const struct pass_info *info, const char *text, size_t size)
{
	ir_context *cx = ir_context_new();
	struct source s;
	struct diag d;
	ir_module *m;
	bool ok;

	source_init(&s, "fuzz", text, size);
	d = silent(&s);
	m = parse_module(cx, &s, &d, NULL);
	ok = m && ir_verify_module(m, &d) && ir_infer_module(m, &d);
	if (ok)
		run(info, m, &s);
	if (m)
		ir_module_free(m);
	source_free(&s);
	ir_context_free(cx);
	return ok;
}

static bool
is_flag_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

/* The next pass that TEXT names as "-FLAG" behind *AT, or NULL. */
static const struct pass_info *
mentioned(const char *text, size_t size, size_t *at)
{
	while (*at < size) {
		const struct pass_info *info;
		size_t start;

		while (*at < size && text[*at] != '-')
			++*at;
		while (*at < size && text[*at] == '-')
			++*at;
		start = *at;
		while (*at < size && is_flag_char(text[*at]))
			++*at;
		info = pass_find(text + start, *at - start);
		if (info)
			return info;
	}
	return NULL;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	uint64_t chosen = hash_bytes(data, size);
	const struct pass_info *info;
	size_t at = 0;

	for (int i = 0; i < 4; i++) {
		info = mentioned(text, size, &at);
		if (!info)
			break;
		if (!try_pass(info, text, size))
			return 0;
	}
	for (int i = 0; i < 2; i++, chosen /= pass_total())
		if (!try_pass(pass_at(chosen % pass_total()), text, size))
			break;
	return 0;
}
