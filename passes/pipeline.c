#include "passes/pipeline.h"

#include <string.h>

#include "passes/registry.h"

/*
 * TVM's standard pipelines. Passes in them run by level, so that the text is
 * the same at every level; passes that this build does not have are left out.
 */
#define PREFIX                                                                \
	"remove-unused-functions, to-basic-block-normal-form, qnn-legalize, " \
	"legalize, simplify-inference, eliminate-common-subexpr, "            \
	"combine-parallel-conv2d, combine-parallel-dense, "                   \
	"combine-parallel-batch-matmul, fold-constant, fold-scale-axis, "     \
	"simplify-expr, canonicalize-cast, canonicalize-ops, "                \
	"flatten-atrous-conv, alter-op-layout, simplify-expr-post-alter-op, " \
	"fast-math, fold-constant"
#define FUSED PREFIX ", split-args, plan-devices, fuse-ops"
#define ONE_FUNCTION FUSED ", inline, label-ops, annotate-memory-scope"
#define MEMORY "manifest-alloc, fold-constant"
#define VM                                                               \
	FUSED ", to-a-normal-form, lambda-lift, dead-code-elimination, " \
	      "label-ops, inline, remove-unused-functions, " MEMORY      \
	      ", " MEMORY ", manifest-lifetimes"

static const struct {
	const char *name;
	const char *text;
} standard[] = {
	{"default", ONE_FUNCTION},
	{"build", ONE_FUNCTION},
	{"vm", VM},
	{"aot", ONE_FUNCTION ", to-a-normal-form"},
};

const char *
pass_standard_pipeline(const char *name, size_t len)
{
	for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++)
		if (strlen(standard[i].name) == len &&
		    memcmp(standard[i].name, name, len) == 0)
			return standard[i].text;
	return NULL;
}

static void
print_pass(struct buf *out, const struct pass_step *step)
{
	char before = '<';

	buf_puts(out, step->info->flag);
	for (size_t i = 0; step->info->options[i].name; i++) {
		if (!step->values[i])
			continue;
		buf_printf(out, "%c%s=%s", before, step->info->options[i].name,
			   step->values[i]);
		before = ';';
	}
	if (before == ';')
		buf_putc(out, '>');
}

static void print_pipe(struct buf *out, const struct pass_step *step,
		       const struct pass_context *cx, bool filter);

/* "name<arg>(inner)"; passes by level are those that CX enables. */
static void
print_combinator(struct buf *out, const struct pass_step *step,
		 const struct pass_context *cx, bool filter)
{
	struct pass_context inner = cx ? *cx : (struct pass_context){0};

	switch (step->kind) {
	case STEP_SEQUENTIAL:
		buf_printf(out, "sequential<O%u>", step->number);
		inner.opt_level = (int)step->number;
		filter = cx != NULL;
		break;
	case STEP_REPEAT:
		buf_printf(out, "repeat<%u>", step->number);
		break;
	case STEP_FIXPOINT:
		buf_printf(out, "fixpoint<max=%u>", step->number);
		break;
	case STEP_FUNCTION:
		buf_printf(out, "function<%s>", step->only);
		break;
	case STEP_PRINT:
	case STEP_PASS:
		buf_puts(out, "print");
		return;
	}
	buf_putc(out, '(');
	print_pipe(out, step->inner, cx ? &inner : NULL, filter);
	buf_putc(out, ')');
}

static void
print_pipe(struct buf *out, const struct pass_step *step,
	   const struct pass_context *cx, bool filter)
{
	const char *comma = "";

	for (; step; step = step->next) {
		bool is_pass = step->kind == STEP_PASS;

		if (is_pass && filter && !pass_context_enables(cx, step->info))
			continue;
		buf_puts(out, comma);
		comma = ",";
		if (is_pass)
			print_pass(out, step);
		else
			print_combinator(out, step, cx, filter);
	}
}

void
pass_pipeline_print(struct buf *out, const struct pass_pipeline *p,
		    const struct pass_context *cx)
{
	print_pipe(out, p->first, cx, false);
}
