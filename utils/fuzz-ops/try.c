/*
 * One case: read, typed, evaluated, lowered, compiled, run, compared.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/evaluate.h"
#include "codegen/interface.h"
#include "codegen/runner.h"
#include "ir/compare.h"
#include "ir/infer.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "passes/lower.h"
#include "utils/fuzz-ops/fuzz_ops.h"

enum { MOST_ELEMENTS = 1 << 20 };

/*
 * How far the engines may be apart. They sum in different orders and round
 * different intermediate values; a case with long sums asks for more.
 */
static const struct {
	uint8_t code, bits;
	struct tolerance tolerance;
} tolerances[] = {
	{DTYPE_FLOAT, 64, {1e-9, 1e-10, true}},
	{DTYPE_FLOAT, 32, {1e-4, 1e-5, true}},
	{DTYPE_FLOAT, 16, {1e-2, 1e-3, true}},
	{DTYPE_BFLOAT, 16, {4e-2, 4e-3, true}},
};

struct attempt {
	const struct fuzz_case *c;
	size_t index;
	const struct fuzz_options *o;
	struct buf *out;
	struct arena arena;
	struct diag diag;
	char first[400]; /* first error of the engine at work */
	ir_context *cx;
	ir_module *m;
	struct feed feed;
	ir_tensor **want; /* of the evaluator */
	uint32_t nwant;
	bool sized; /* kernels may not do for unknown shapes */
	ir_tensor **got;
	struct interface x;
};

static void
keep_message(void *env, const struct diag_message *m)
{
	struct attempt *a = env;

	if (m->level == DIAG_ERROR && !a->first[0])
		snprintf(a->first, sizeof(a->first), "%s", m->text);
}

static struct tolerance
tolerance_for(const struct fuzz_case *c, struct dtype t, bool hostile)
{
	struct tolerance tol = {0, 0, true};
	size_t len;
	const char *line = fuzz_line(c, "tolerance", NULL, &len);
	double factor = line ? atof(line) : 1;

	for (size_t i = 0; i < sizeof(tolerances) / sizeof(*tolerances); i++)
		if (tolerances[i].code == t.code &&
		    tolerances[i].bits == t.bits)
			tol = tolerances[i].tolerance;
	/* Some operators compute in float32 whatever comes in. */
	if (hostile && t.code == DTYPE_FLOAT && t.bits == 64)
		tol = (struct tolerance){1e-4, 1e-5, true};
	tol.rtol *= factor;
	tol.atol *= factor;
	return tol;
}

static void
finding(struct attempt *a, const char *what)
{
	buf_printf(a->out, "%s: case %s: %s\n%.*s\n", what, a->c->name,
		   a->first[0] ? a->first : "", (int)a->c->len, a->c->text);
}

/* Elements in T, or more than MOST_ELEMENTS; -1 if they are not known. */
static double
elements_in(const ir_type *t)
{
	double n = 1, sum = 0;

	if (t->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *tuple = ir_as_tuple_type(t);

		for (uint32_t i = 0; i < tuple->nfields; i++)
			sum += fabs(elements_in(tuple->fields[i]));
		return sum;
	}
	if (t->kind != TYPE_TENSOR)
		return 0;
	for (uint32_t i = 0; i < ir_as_tensor_type(t)->ndim; i++) {
		struct ir_dim d = ir_as_tensor_type(t)->shape[i];

		if (ir_dim_is_const(d))
			n *= (double)d.value;
	}
	return n;
}

static bool
too_large(const struct ir_function *main)
{
	double n = elements_in(main->body->type);

	for (uint32_t i = 0; i < main->nparams; i++)
		n += elements_in(main->params[i]->base.type);
	return n > MOST_ELEMENTS;
}

static bool
lower(struct attempt *a)
{
	static const char *const targets[] = {"llvm", "llvm -mcpu=znver3",
					      "llvm -mcpu=x86-64-v4"};
	struct pass_options options = PASS_OPTIONS_DEFAULT;
	struct lower_options how = {.to = LOWER_CALLS};
	struct pass_manager pm;
	bool ok;

	options.target = targets[a->index % 3];
	if (!pass_manager_init(&pm, &a->diag, &options, &a->arena))
		return false;
	ok = lower_module(&pm, a->m, &how);
	pass_manager_end(&pm);
	return ok && interface_of(a->m, &a->x, &a->arena);
}

static void
free_tensors(ir_tensor **t, uint32_t n)
{
	for (uint32_t i = 0; t && i < n; i++)
		ir_tensor_unref(t[i]);
}

/* What ENGINE makes of the lowered module; NULL after errors. */
static ir_tensor **
run(struct attempt *a, struct runner *engine)
{
	struct interface *x = &a->x;
	ir_tensor **in = ARENA_NEW_ARRAY(&a->arena, x->ninputs, ir_tensor *);
	ir_tensor **out = ARENA_NEW_ARRAY(&a->arena, x->noutputs, ir_tensor *);
	bool ok = engine && x->ninputs == a->feed.given.len;

	/* Where shapes are not known, the run makes them. */
	for (uint32_t i = 0; i < x->noutputs && !x->sized; i++) {
		const struct interface_slot *s = &x->slots[x->ninputs + i];

		out[i] = ir_tensor_new(s->dtype, s->shape, s->ndim);
	}
	for (uint32_t i = 0; i < x->ninputs && ok; i++)
		in[i] = a->feed.given.at[i].tensor;
	ok = ok && runner_run(engine, in, out);
	runner_free(engine);
	if (ok)
		return out;
	free_tensors(out, x->noutputs);
	return NULL;
}

static bool
agree(struct attempt *a, ir_tensor **got, struct buf *why)
{
	bool same = a->nwant == a->x.noutputs;

	for (uint32_t i = 0; i < a->nwant && same; i++) {
		struct tolerance tol =
			tolerance_for(a->c, a->want[i]->dtype, a->o->hostile);

		same = tensors_agree(got[i], a->want[i], &tol, why);
	}
	return same;
}

/* Loops of the compiled module, evaluated: does the schedule err? */
static void
tell_where(struct attempt *a)
{
	struct buf why = {0};
	ir_tensor **third = run(a, runner_interp(a->m, &a->x, &a->diag));

	buf_printf(a->out, "the evaluator on the scheduled loops %s\n",
		   !third                  ? "fails"
		   : agree(a, third, &why) ? "gives what it gives without"
					   : "differs, too");
	free_tensors(third, third ? a->x.noutputs : 0);
	buf_free(&why);
}

static enum fuzz_result
compare(struct attempt *a)
{
	struct buf why = {0};
	enum fuzz_result r = FUZZ_SAME;

	if (!agree(a, a->got, &why)) {
		r = FUZZ_DIFFERS;
		snprintf(a->first, sizeof(a->first), "compiled code:\n%s",
			 why.at ? why.at : "other outputs");
		finding(a, "DIFFERS");
		if (a->o->third)
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
			finding(a, "REFUSED");
		return FUZZ_REFUSED;
	}
	if (evaluated && a->sized)
		return FUZZ_EVALUATED;
	if (!evaluated)
		snprintf(a->first, sizeof(a->first), "%s", why);
	finding(a, evaluated ? "NOT COMPILED" : "NOT EVALUATED");
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
		finding(a, "NOT EVALUATED");
	if (needed)
		return ok ? FUZZ_EVALUATED : FUZZ_REFUSED;
	a->sized = evaluate_has_sizes(main->fn);
	memcpy(why, a->first, sizeof(why));
	a->first[0] = '\0';
	a->diag.errors = 0;
	a->got = lower(a) ? run(a, compile(a)) : NULL;
	return conclude(a, ok, why);
}

static enum fuzz_result
attempt(struct attempt *a, struct source *s)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;
	const ir_def *main = NULL;

	a->m = parse_module(a->cx, s, &a->diag, &o);
	if (a->m && ir_verify_module(a->m, &a->diag) &&
	    ir_infer_module(a->m, &a->diag))
		main = ir_module_find(a->m, ir_name(a->cx, "main"));
	if (!main) {
		if (!a->o->hostile)
			finding(a, "REFUSED");
		return FUZZ_REFUSED;
	}
	if (!too_large(main->fn))
		return engines(a, main);
	lower(a);
	return FUZZ_LARGE;
}

enum fuzz_result
fuzz_try(const struct fuzz_case *c, size_t index, const struct fuzz_options *o,
	 struct buf *out)
{
	struct attempt a = {.c = c, .index = index, .o = o, .out = out};
	enum fuzz_result r;
	struct source s;

	source_init(&s, "case", c->text, c->len);
	diag_init(&a.diag, "fuzz-ops", &s);
	a.diag.handler = keep_message;
	a.diag.handler_env = &a;
	a.diag.no_warnings = true;
	a.diag.max_errors = 0;
	a.cx = ir_context_new();
	r = attempt(&a, &s);
	free_tensors(a.want, a.nwant);
	free(a.want);
	free_tensors(a.got, a.got ? a.x.noutputs : 0);
	feed_free(&a.feed);
	if (a.m)
		ir_module_free(a.m);
	ir_context_free(a.cx);
	source_free(&s);
	arena_free(&a.arena);
	return r;
}
