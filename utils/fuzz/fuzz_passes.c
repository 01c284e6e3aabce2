/*
 * Fuzzes the passes: text that reads and has types goes through a pass that
 * its bytes choose, with the defaults of its options. The pass either refuses
 * with an error, or leaves a module that verifies and has types.
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct pass_options defaults;

static struct diag
silent(struct source *s)
{
	static FILE *nowhere;
	struct diag d;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	diag_init(&d, "fuzz", s);
	d.out = nowhere;
	return d;
}

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
		if (pass_pipeline_add(&p, info, info->flag, NULL, &arena,
				      &d) &&
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t pass = hash_bytes(data, size) % pass_total();
	ir_context *cx = ir_context_new();
	struct source s;
	struct diag d;
	ir_module *m;

	source_init(&s, "fuzz", (const char *)data, size);
	d = silent(&s);
	m = parse_module(cx, &s, &d, NULL);
	if (m && ir_verify_module(m, &d) && ir_infer_module(m, &d))
		run(pass_at(pass), m, &s);
	if (m)
		ir_module_free(m);
	source_free(&s);
	ir_context_free(cx);
	return 0;
}
