/*
 * The steps that all ways to try a case have in common.
 */
#include "utils/fuzz-ops/attempt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/compare.h"
#include "ir/expr.h"
#include "ir/infer.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "passes/lower.h"

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

static void
keep_message(void *env, const struct diag_message *m)
{
	struct attempt *a = env;

	if (m->level == DIAG_ERROR && !a->first[0])
		snprintf(a->first, sizeof(a->first), "%s", m->text);
}

static struct tolerance
tolerance_for(const struct attempt *a, struct dtype t)
{
	struct tolerance tol = {0, 0, true};
	size_t len;
	const char *line = fuzz_line(a->c, "tolerance", NULL, &len);
	double factor = line ? atof(line) : 1;

	for (size_t i = 0; i < sizeof(tolerances) / sizeof(*tolerances); i++)
		if (tolerances[i].code == t.code &&
		    tolerances[i].bits == t.bits)
			tol = tolerances[i].tolerance;
	/* Some operators compute in float32 whatever comes in. */
	if (a->o->hostile && t.code == DTYPE_FLOAT && t.bits == 64)
		tol = (struct tolerance){1e-4, 1e-5, true};
	/* The functions of an MLU have a few bits less. */
	if (a->o->bang)
		factor *= t.bits == 16 ? 2 : 4;
	tol.rtol *= factor;
	tol.atol *= factor;
	return tol;
}

void
attempt_finding(struct attempt *a, const char *what)
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

bool
attempt_too_large(const struct ir_function *main)
{
	double n = elements_in(main->body->type);

	for (uint32_t i = 0; i < main->nparams; i++)
		n += elements_in(main->params[i]->base.type);
	return n > MOST_ELEMENTS;
}

bool
attempt_agree(struct attempt *a, ir_tensor **got, struct buf *why)
{
	bool same = a->nwant == a->x.noutputs;

	for (uint32_t i = 0; i < a->nwant && same; i++) {
		struct tolerance tol = tolerance_for(a, a->want[i]->dtype);

		same = tensors_agree(got[i], a->want[i], &tol, why);
	}
	return same;
}

bool
attempt_lower(struct attempt *a, const char *target)
{
	struct pass_options options = PASS_OPTIONS_DEFAULT;
	struct lower_options how = {.to = LOWER_CALLS};
	struct pass_manager pm;
	bool ok;

	options.target = target;
	if (!pass_manager_init(&pm, &a->diag, &options, &a->arena))
		return false;
	ok = lower_module(&pm, a->m, &how);
	pass_manager_end(&pm);
	return ok && interface_of(a->m, &a->x, &a->arena);
}

ir_tensor **
attempt_inputs(struct attempt *a)
{
	ir_tensor **in = ARENA_NEW_ARRAY(&a->arena, a->x.ninputs, ir_tensor *);

	for (uint32_t i = 0; i < a->x.ninputs; i++)
		in[i] = a->feed.given.at[i].tensor;
	return in;
}

ir_tensor **
attempt_outputs(struct attempt *a)
{
	ir_tensor **out =
		ARENA_NEW_ARRAY(&a->arena, a->x.noutputs, ir_tensor *);

	for (uint32_t i = 0; i < a->x.noutputs; i++) {
		const struct interface_slot *s = &a->x.slots[a->x.ninputs + i];

		out[i] = ir_tensor_new(s->dtype, s->shape, s->ndim);
	}
	return out;
}

const ir_def *
attempt_begin(struct attempt *a, const struct fuzz_case *c, size_t index,
	      const struct fuzz_options *o, struct buf *out)
{
	struct parse_options parse = PARSE_OPTIONS_DEFAULT;

	*a = (struct attempt){.c = c, .index = index, .o = o, .out = out};
	source_init(&a->source, "case", c->text, c->len);
	diag_init(&a->diag, "fuzz-ops", &a->source);
	a->diag.handler = keep_message;
	a->diag.handler_env = a;
	a->diag.no_warnings = true;
	a->diag.max_errors = 0;
	a->feed.diag = &a->diag;
	a->cx = ir_context_new();
	a->m = parse_module(a->cx, &a->source, &a->diag, &parse);
	if (a->m && ir_verify_module(a->m, &a->diag) &&
	    ir_infer_module(a->m, &a->diag))
		return ir_module_find(a->m, ir_name(a->cx, "main"));
	return NULL;
}

void
attempt_free(ir_tensor **t, uint32_t n)
{
	for (uint32_t i = 0; t && i < n; i++)
		ir_tensor_unref(t[i]);
}

void
attempt_end(struct attempt *a)
{
	attempt_free(a->want, a->nwant);
	free(a->want);
	attempt_free(a->got, a->got ? a->x.noutputs : 0);
	feed_free(&a->feed);
	if (a->m)
		ir_module_free(a->m);
	ir_context_free(a->cx);
	source_free(&a->source);
	arena_free(&a->arena);
}
