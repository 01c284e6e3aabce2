#include "passes/pipeline.h"

#include <string.h>

#include "passes/registry.h"
#include "support/options.h"

/*
 * TVM's standard pipelines. Passes inside sequential run by level, so that the
 * text is the same at every level; what stands behind it runs at all levels.
 * Passes that this build does not have are left out. Types are inferred where
 * they are needed, and kernels are lowered later (docs/lowering.md), so
 * neither is written here. ETA is what only the virtual machine does.
 */
#define PREFIX(ETA)                                                           \
	"remove-unused-functions, to-basic-block-normal-form, qnn-legalize, " \
	"legalize, simplify-inference, " ETA                                  \
	"eliminate-common-subexpr, combine-parallel-conv2d, "                 \
	"combine-parallel-dense, combine-parallel-batch-matmul, "             \
	"fold-constant, backward-fold-scale-axis, forward-fold-scale-axis, "  \
	"fold-constant, simplify-expr, canonicalize-cast, "                   \
	"canonicalize-ops, flatten-atrous-conv, alter-op-layout, "            \
	"simplify-expr-post-alter-op, fast-math, fold-constant"
/* A module that is on one device says so nowhere. */
#define PLAN "plan-devices<no-single-device>"
#define BUILD                                                        \
	"sequential<O>(" PREFIX("") ", split-args, " PLAN ", "       \
				    "fuse-ops), inline, label-ops, " \
				    "annotate-memory-scope"
#define KERNELS "fuse-ops, label-ops, dead-code-elimination"
#define VM                                                                     \
	"sequential<O>(" PREFIX(                                               \
		"eta-expand<expand-constructor>, ") ", " PLAN ", "             \
						    "split-args, fuse-ops, "   \
						    "annotate-memory-scope, "  \
						    "to-a-normal-form, "       \
						    "lambda-lift, "            \
						    "dead-code-elimination, "  \
						    "label-ops, "              \
						    "dead-code-elimination, "  \
						    "inline, "                 \
						    "remove-unused-functions," \
						    " manifest-alloc, "        \
						    "fold-constant, " KERNELS  \
						    ", "                       \
						    "manifest-alloc, " KERNELS \
						    ", "                       \
						    "fold-constant, " KERNELS  \
						    ", manifest-alloc, "       \
						    "fold-constant, "          \
						    "manifest-lifetimes)"

/* docs/single-call.md says why in this order. */
#define SINGLE_CALL                                                     \
	"inline-all, remove-unused-functions, dynamic-to-static, "      \
	"to-graph-normal-form, qnn-legalize, simplify-inference, "      \
	"eliminate-common-subexpr, fold-constant, "                     \
	"backward-fold-scale-axis, forward-fold-scale-axis, "           \
	"fold-constant, simplify-expr, canonicalize-cast, "             \
	"canonicalize-ops, fold-constant, to-basic-block-normal-form, " \
	"fuse-ops, outline-primitives, to-a-normal-form, "              \
	"check-single-call-function"

static const struct {
	const char *name;
	const char *summary;
	const char *text;
} standard[] = {
	{"default", "the same as build", BUILD},
	{"build", "for one function without control flow", BUILD},
	{"vm", "for programs with control flow and closures", VM},
	{"aot", "for one function, every value bound by a let",
	 BUILD ", to-a-normal-form, annotate-used-memory<skip-dynamic>"},
	{"batching-ops", "operators that share an operand as one",
	 "combine-parallel-conv2d, combine-parallel-dense, "
	 "combine-parallel-batch-matmul"},
	{"single-call", "main as one chain of calls of kernels", SINGLE_CALL},
};

void
pass_list_pipelines(struct buf *out)
{
	for (size_t i = 0; i < sizeof(standard) / sizeof(*standard); i++) {
		buf_printf(out, "%s%s<O2>: %s\n  ", i ? "\n" : "",
			   standard[i].name, standard[i].summary);
		options_wrap(out, standard[i].text, 2);
	}
}

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
	case STEP_IF_CHANGED:
		buf_puts(out, "if-changed");
		break;
	case STEP_SAVE:
		buf_printf(out, "save<%s>", step->only);
		return;
	case STEP_PRINT:
	case STEP_PASS:
		buf_puts(out, "print");
		if (step->only)
			buf_printf(out, "<%s>", step->only);
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
