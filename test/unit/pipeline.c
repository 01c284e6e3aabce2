/*
 * Names of passes, pipelines and their errors, the context.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/command_line.h"
#include "passes/context.h"
#include "passes/pipeline.h"
#include "passes/registry.h"
#include "test/unit/unit.h"

static bool
finds(const char *name, const char *flag)
{
	const struct pass_info *info = pass_find(name, strlen(name));

	return info ? strcmp(info->flag, flag) == 0 : strcmp(flag, "") == 0;
}

static void
test_names(void)
{
	CHECK(finds("fuse-ops", "fuse-ops") && finds("FuseOps", "fuse-ops"));
	CHECK(finds("fuse_ops", "fuse-ops") && finds("FUSEOPS", "fuse-ops"));
	CHECK(finds("dce", "dead-code-elimination"));
	CHECK(finds("InlineGlobals", "inline"));
	CHECK(finds("fuse", "") && finds("", ""));
}

/* The text of pipeline TEXT, or its errors. */
static bool
reads_as(const char *text, const struct pass_context *cx, const char *want)
{
	struct pass_pipeline p;
	struct arena arena = {0};
	struct buf out = {0};
	struct source s;
	struct diag d;
	char *errors = NULL;
	size_t len;
	const char *got;
	bool same;

	pass_pipeline_init(&p);
	source_init(&s, NULL, text, strlen(text));
	diag_init(&d, "tool", NULL);
	d.out = open_memstream(&errors, &len);
	if (pass_pipeline_parse(&p, &s, &arena, &d))
		pass_pipeline_print(&out, &p, cx);
	fclose(d.out);
	got = len ? errors : out.at ? out.at : "";
	same = strcmp(got, want) == 0;
	if (!same)
		fprintf(stderr, "%s\ngot: %s\nwanted: %s\n", text, got, want);
	free(errors);
	buf_free(&out);
	source_free(&s);
	arena_free(&arena);
	return same;
}

static void
test_pipelines(void)
{
	CHECK(reads_as("", NULL, ""));
	CHECK(reads_as(" FuseOps <max_depth = 8 ; link-params>,\n# c,\nInline ",
		       NULL, "fuse-ops<max-depth=8;link-params=true>,inline"));
	CHECK(reads_as("inline<no-all;keep-globals=1>", NULL,
		       "inline<all=false;keep-globals=true>"));
	CHECK(reads_as("repeat<2>(fixpoint(dce),function<f*>(fuse-ops))", NULL,
		       "repeat<2>(fixpoint<max=10>(dead-code-elimination),"
		       "function<f*>(fuse-ops))"));
	CHECK(reads_as("sequential<O1>(fuse-ops),print", NULL,
		       "sequential<O1>(fuse-ops),print"));
}

static void
test_pipeline_errors(void)
{
	CHECK(reads_as("fuse-ops,inlin", NULL,
		       "tool: error: unknown pass 'inlin'; did you mean "
		       "'inline'?\nfuse-ops,inlin\n         ^~~~~\n"));
	CHECK(reads_as("FuseOp", NULL,
		       "tool: error: unknown pass 'FuseOp'; did you mean "
		       "'FuseOps'?\nFuseOp\n^~~~~~\n"));
	CHECK(reads_as("inline,", NULL,
		       "tool: error: expected the name of a pass\n"
		       "inline,\n       ^\n"));
	CHECK(reads_as("inline)", NULL,
		       "tool: error: expected ',' between passes\n"
		       "inline)\n      ^\n"));
	CHECK(reads_as("repeat<2>(inline", NULL,
		       "tool: error: expected ')'\nrepeat<2>(inline\n"
		       "                ^\ntool: note: to match this\n"
		       "repeat<2>(inline\n         ^\n"));
	CHECK(reads_as("repeat(inline)", NULL,
		       "tool: error: 'repeat' takes a number\n"
		       "repeat(inline)\n^~~~~~\n"));
	CHECK(reads_as("default<O9>", NULL,
		       "tool: error: 'default' takes a level, O0 to O4\n"
		       "default<O9>\n        ^~\n"));
	CHECK(reads_as("fuse-ops<max-dept=1>", NULL,
		       "tool: error: pass 'fuse-ops' has no option "
		       "'max-dept'; did you mean 'max-depth'?\n"
		       "fuse-ops<max-dept=1>\n         ^~~~~~~~~~\n"));
	CHECK(reads_as("fuse-ops<max-depth=x>", NULL,
		       "tool: error: option 'max-depth' of pass 'fuse-ops' "
		       "takes an integer, not 'x'\n"
		       "fuse-ops<max-depth=x>\n         ^~~~~~~~~~~\n"));
	CHECK(reads_as("to-a-normal-form<x>", NULL,
		       "tool: error: pass 'to-a-normal-form' has no options\n"
		       "to-a-normal-form<x>\n                 ^\n"));
}

static void
test_context(void)
{
	struct arena a = {0};
	struct pass_context cx;
	struct option_list names = {0};
	struct diag d;

	diag_init(&d, "tool", NULL);
	d.quiet = true;
	pass_context_init(&cx, &a);
	CHECK(reads_as("sequential<O0>(inline,fuse-ops)", &cx,
		       "sequential<O0>(fuse-ops)"));
	option_list_add(&names, "Inline", &a);
	CHECK(pass_context_require(&cx, &names, &a, &d));
	CHECK(reads_as("sequential<O0>(inline,fuse-ops)", &cx,
		       "sequential<O0>(inline,fuse-ops)"));
	CHECK(pass_context_disable(&cx, &names, &a, &d));
	CHECK(reads_as("inline,sequential<O0>(inline,fuse-ops)", &cx,
		       "inline,sequential<O0>(fuse-ops)"));
	CHECK(pass_context_configure(&cx, "relay.FuseOps.max_depth=7", &a, &d));
	CHECK(strcmp(pass_context_get(&cx, "relay.FuseOps.max_depth"), "7") ==
	      0);
	CHECK(pass_context_configure(&cx, "tir.anything=1", &a, &d));
	CHECK(d.errors == 0);
	CHECK(!pass_context_configure(&cx, "relay.FuseOps.max_dept=7", &a, &d));
	CHECK(!pass_context_configure(&cx, "relay.FuseOps.max_depth=x", &a,
				      &d));
	CHECK(!pass_context_configure(&cx, "relay.FuseOps.max_depth", &a, &d));
	CHECK(d.errors == 3);
	arena_free(&a);
}

/* No pass is called like an option of the manager's own, or another pass. */
static void
test_names_differ(void)
{
	for (size_t i = 0; i < pass_table_len; i++) {
		const struct pass_info *p = &pass_table[i];

		CHECK(pass_find(p->flag, strlen(p->flag)) == p);
		CHECK(pass_find(p->name, strlen(p->name)) == p);
	}
}

int
main(void)
{
	test_names();
	test_pipelines();
	test_pipeline_errors();
	test_context();
	test_names_differ();
	return unit_result();
}
