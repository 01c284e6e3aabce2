/*
 * One case: read, typed, evaluated, lowered, compiled, run, compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/evaluate.h"
#include "codegen/runner.h"
#include "ir/module.h"
#include "utils/fuzz-ops/attempt.h"

static bool
lower(struct attempt *a)
{
	static const char *const targets[] = {"llvm", "llvm -mcpu=znver3",
					      "llvm -mcpu=x86-64-v4"};

	return attempt_lower(a, targets[a->index % 3]);
}

/* What ENGINE makes of the lowered module; NULL after errors. */
static ir_tensor **
run(struct attempt *a, struct runner *engine)
{
	struct interface *x = &a->x;
	/* Where shapes are not known, the run makes them. */
	ir_tensor **out =
		x->sized ? ARENA_NEW_ARRAY(&a->arena, x->noutputs, ir_tensor *)
			 : attempt_outputs(a);
	bool ok = engine && x->ninputs == a->feed.given.len &&
		  runner_run(engine, attempt_inputs(a), out);

	runner_free(engine);
	if (ok)
		return out;
	attempt_free(out, x->noutputs);
	return NULL;
}

/* Loops of the compiled module, evaluated: does the schedule err? */
static void
tell_where(struct attempt *a)
{
	struct buf why = {0};
	ir_tensor **third = run(a, runner_interp(a->m, &a->x, &a->diag));

	buf_printf(a->out, "the evaluator on the scheduled loops %s\n",
		   !third ? "fails"
		   : attempt_agree(a, third, &why)
			   ? "gives what it gives without"
			   : "differs, too");
	attempt_free(third, third ? a->x.noutputs : 0);
	buf_free(&why);
}

static enum fuzz_result
compare(struct attempt *a)
{
	struct buf why = {0};
	enum fuzz_result r = FUZZ_SAME;

	if (!attempt_agree(a, a->got, &why)) {
		r = FUZZ_DIFFERS;
		snprintf(a->first, sizeof(a->first), "compiled code:\n%s",
			 why.at ? why.at : "other outputs");
		attempt_finding(a, "DIFFERS");
		if (a->o->third && !a->x.sized)
			tell_where(a);
	}
	buf_free(&why);
	return r;
}

static struct runner *
compile(struct attempt *a)
{
	struct llvm_options o = {
		.cpu = "native",
		.level = a->index % 8 ? 1 : 2,
	};

	return runner_jit(a->m, &a->x, &o, 1, &a->diag);
}

/* An error that only one engine has; with neither, they are compared. */
static enum fuzz_result
conclude(struct attempt *a, bool evaluated, const char *why)
{
	if (evaluated && a->got)
		return compare(a);
	if (!evaluated && !a->got) {
		if (!a->o->hostile)
			attempt_finding(a, "REFUSED");
		return FUZZ_REFUSED;
	}
	if (evaluated && a->sized) {
		attempt_finding(a, "NOT COMPILED");
		return FUZZ_UNCOMPILED;
	}
	if (!evaluated)
		snprintf(a->first, sizeof(a->first), "%s", why);
	attempt_finding(a, evaluated ? "NOT COMPILED" : "NOT EVALUATED");
	return FUZZ_ONE_FAILS;
}

static enum fuzz_result
engines(struct attempt *a, const ir_def *main)
{
	bool needed = evaluate_is_needed(main->fn), ok;
	char why[sizeof(a->first)];

	a->feed.diag = &a->diag;
	if (!fuzz_inputs(a->c, main->fn, &a->feed.given))
		return FUZZ_REFUSED;
	ok = evaluate_main(a->m, main, &a->feed, &a->want, &a->nwant);
	if (needed && !ok && !a->o->hostile)
		attempt_finding(a, "NOT EVALUATED");
	if (needed)
		return ok ? FUZZ_EVALUATED : FUZZ_REFUSED;
	a->sized = evaluate_has_sizes(main->fn);
	memcpy(why, a->first, sizeof(why));
	a->first[0] = '\0';
	a->diag.errors = 0;
	a->got = lower(a) ? run(a, compile(a)) : NULL;
	return conclude(a, ok, why);
}

enum fuzz_result
fuzz_try(const struct fuzz_case *c, size_t index, const struct fuzz_options *o,
	 struct buf *out)
{
	struct attempt a;
	const ir_def *main = attempt_begin(&a, c, index, o, out);
	enum fuzz_result r = FUZZ_REFUSED;

	if (!main) {
		if (!o->hostile)
			attempt_finding(&a, "REFUSED");
	} else if (!attempt_too_large(main->fn)) {
		r = engines(&a, main);
	} else {
		lower(&a);
		r = FUZZ_LARGE;
	}
	attempt_end(&a);
	return r;
}
