/*
 * One module under one pipeline: run, verified, read back, run again with
 * numbers compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "ir/walk.h"
#include "parser/parser.h"
#include "passes/manager.h"
#include "passes/pipeline.h"
#include "te/interp_random.h"
#include "utils/fuzz-passes/fuzz_passes.h"

struct fuzz_subject {
	struct buf text;
	uint64_t seed;
	bool discrete;
};

/* A module read from text, and the messages about it. */
struct reading {
	struct source source;
	struct diag diag;
	ir_context *cx;
	ir_module *m;
	struct buf error; /* the first */
	const char *pass; /* where it happened, or NULL */
	bool wrong;       /* the verifier complained after a pass */
	bool skipped;     /* a remark: not compared */
};

/* Where analyses print to. */
static FILE *nowhere;

static void
keep_message(void *env, const struct diag_message *m)
{
	struct reading *r = env;

	if (m->level == DIAG_REMARK && strstr(m->text, "not validated"))
		r->skipped = true;
	if (m->level != DIAG_ERROR)
		return;
	if (strstr(m->text, "the module is wrong after this pass"))
		r->wrong = true;
	if (r->error.len > 0)
		return;
	buf_puts(&r->error, m->text);
	r->pass = m->pass;
}

static void
reading_init(struct reading *r, const char *text, size_t len)
{
	*r = (struct reading){0};
	source_init(&r->source, "module", text, len);
	diag_init(&r->diag, "fuzz-passes", &r->source);
	r->diag.handler = keep_message;
	r->diag.handler_env = r;
	r->diag.max_errors = 0;
	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (nowhere)
		r->diag.out = nowhere;
	r->cx = ir_context_new();
}

static bool
read_module(struct reading *r)
{
	r->m = parse_module(r->cx, &r->source, &r->diag, NULL);
	return r->m && ir_verify_module(r->m, &r->diag) && r->diag.errors == 0;
}

static void
reading_free(struct reading *r)
{
	if (r->m)
		ir_module_free(r->m);
	if (r->cx)
		ir_context_free(r->cx);
	source_free(&r->source);
	buf_free(&r->error);
}

static void
print(struct buf *out, const ir_module *m, enum print_types types)
{
	struct print_options o = {.types = types};

	out->len = 0;
	ir_print_module(out, m, &o);
}

static bool
same(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && memcmp(a->at, b->at, a->len) == 0;
}

/* Read TEXT into AGAIN, infer, print to OUT; false after an error. */
static bool
print_again(struct reading *again, const struct buf *text,
	    enum print_types types, struct buf *out)
{
	reading_init(again, text->at, text->len);
	if (!read_module(again) || !ir_infer_module(again->m, &again->diag))
		return false;
	print(out, again->m, types);
	return true;
}

/* ------------------------------------------------------------ the module -- */

struct filler {
	ir_module *m;
	uint64_t seed;
};

static void
fill(const ir_expr *e, void *env)
{
	struct filler *f = env;
	struct interp_random random = {.module = f->m, .any = 3};
	struct ir_constant *c;
	const ir_expr *made;

	if (e->kind != IR_CONSTANT || ir_as_constant(e)->data)
		return;
	c = (struct ir_constant *)(uintptr_t)e;
	random.state = f->seed + c->meta_index;
	made = interp_random_expr(&random, e->type);
	if (made && made->kind == IR_CONSTANT)
		c->data = ir_as_constant(made)->data;
}

static void
fill_constants(ir_module *m, uint64_t seed)
{
	struct filler f = {m, seed};

	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->fn)
			ir_walk(&m->defs.at[i]->fn->base, NULL, fill, &f);
}

/* Does what S prints as read back to the same text? */
static bool
is_stable(const struct fuzz_subject *s)
{
	struct buf again = {0};
	struct reading r;
	bool ok;

	ok = print_again(&r, &s->text, PRINT_TYPES_AUTO, &again) &&
	     same(&s->text, &again);
	buf_free(&again);
	reading_free(&r);
	return ok;
}

struct fuzz_subject *
fuzz_subject_new(const struct fuzz_module *m, uint64_t seed, struct buf *why)
{
	struct fuzz_subject *s = xcalloc(1, sizeof(*s));
	struct reading r;
	bool ok;

	s->discrete = m->discrete;
	s->seed = seed * 1000003 + m->number;
	reading_init(&r, m->text, m->len);
	ok = read_module(&r) && ir_infer_module(r.m, &r.diag);
	if (ok) {
		fill_constants(r.m, s->seed * 1009);
		print(&s->text, r.m, PRINT_TYPES_AUTO);
		ok = is_stable(s);
	}
	if (!ok) {
		buf_puts(why, r.error.at ? r.error.at
					 : "does not read back to the same");
		fuzz_subject_free(s);
		s = NULL;
	}
	reading_free(&r);
	return s;
}

void
fuzz_subject_free(struct fuzz_subject *s)
{
	if (!s)
		return;
	buf_free(&s->text);
	free(s);
}

const struct buf *
fuzz_subject_text(const struct fuzz_subject *s)
{
	return &s->text;
}

/* --------------------------------------------------------------- running -- */

/* Passes that may move numbers more than a branch on them bears. */
static const char *const inexact[] = {
	"fast-math",          "to-mixed-precision", "fake-quantization",
	"quantize",           "quantize-realize",   "quantize-annotate",
	"quantize-calibrate",
};

static bool
is_inexact(struct pass_manager *pm, const struct pass_pipeline *p)
{
	struct buf text = {0};
	bool found = false;

	pass_pipeline_print(&text, p, &pm->context);
	buf_putc(&text, '\0');
	for (size_t i = 0; i < sizeof(inexact) / sizeof(*inexact); i++)
		found |= strstr(text.at, inexact[i]) != NULL;
	buf_free(&text);
	return found;
}

static enum fuzz_outcome
judge_failure(struct reading *r, struct pass_manager *pm)
{
	if (pm->results_differ)
		return FUZZ_NUMBERS;
	if (r->wrong || !r->pass || strcmp(r->pass, "infer-type") == 0)
		return FUZZ_INVALID;
	return fuzz_may_refuse(r->pass, r->error.at) ? FUZZ_REFUSED
						     : FUZZ_UNKNOWN;
}

/* Run PIPE; OUT gets the module, typed as it is. */
static enum fuzz_outcome
run(struct reading *r, struct fuzz_subject *s, const char *pipe, bool validate,
    struct buf *out)
{
	struct pass_options o = PASS_OPTIONS_DEFAULT;
	enum fuzz_outcome outcome = FUZZ_CHANGED;
	struct pass_manager pm;
	struct pass_pipeline p;
	struct arena a = {0};
	struct source text;

	o.verify_each = true;
	o.validate_seed = (long long)(s->seed & 0xffffff);
	source_init(&text, NULL, pipe, strlen(pipe));
	pass_pipeline_init(&p);
	if (!pass_manager_init(&pm, &r->diag, &o, &a) ||
	    !pass_pipeline_parse(&p, &text, &a, &r->diag)) {
		outcome = FUZZ_BAD_MODULE;
	} else {
		if (validate && !(s->discrete && is_inexact(&pm, &p)))
			o.validate = 2;
		if (!pass_manager_run(&pm, &p, r->m, false))
			outcome = judge_failure(r, &pm);
		pass_manager_end(&pm);
		print(out, r->m, PRINT_TYPES_AUTO);
	}
	source_free(&text);
	arena_free(&a);
	return outcome;
}

/*
 * Does the module of R, which printed as TEXT, read back? Types may go, and a
 * second reading changes nothing. Whether it is the same module is seen when
 * numbers are compared: those come from copies that went through text.
 */
static bool
reads_back(struct reading *r, const struct buf *text, struct buf *why)
{
	struct buf bare = {0}, first = {0}, second = {0};
	struct reading a = {0}, b = {0}, c = {0};
	bool ok;

	print(&bare, r->m, PRINT_TYPES_NONE);
	ok = print_again(&a, text, PRINT_TYPES_AUTO, &first) &&
	     print_again(&b, &first, PRINT_TYPES_AUTO, &second) &&
	     same(&first, &second);
	first.len = 0;
	ok = ok && print_again(&c, &bare, PRINT_TYPES_NONE, &first);
	if (!ok)
		buf_puts(why, a.error.len   ? a.error.at
			      : b.error.len ? b.error.at
			      : c.error.len ? c.error.at
					    : "prints as another text");
	buf_free(&bare);
	buf_free(&first);
	buf_free(&second);
	reading_free(&a);
	reading_free(&b);
	reading_free(&c);
	return ok;
}

static enum fuzz_outcome
run_again(struct fuzz_subject *s, const char *pipe, const struct buf *first,
	  struct buf *why, const char **pass)
{
	enum fuzz_outcome outcome;
	struct buf second = {0};
	struct reading r;

	reading_init(&r, s->text.at, s->text.len);
	outcome = read_module(&r) ? run(&r, s, pipe, true, &second)
				  : FUZZ_BAD_MODULE;
	if (r.error.len > 0)
		buf_puts(why, r.error.at);
	*pass = r.pass;
	if (outcome == FUZZ_CHANGED && !same(first, &second))
		outcome = FUZZ_UNSTEADY;
	if (outcome == FUZZ_CHANGED && r.skipped)
		outcome = FUZZ_UNCOMPARED;
	buf_free(&second);
	reading_free(&r);
	return outcome;
}

enum fuzz_outcome
fuzz_try(struct fuzz_subject *s, const char *pipe, struct buf *why,
	 const char **pass)
{
	enum fuzz_outcome outcome;
	struct buf text = {0};
	struct reading r;

	reading_init(&r, s->text.at, s->text.len);
	outcome = read_module(&r) ? run(&r, s, pipe, false, &text)
				  : FUZZ_BAD_MODULE;
	*pass = r.pass;
	if (outcome == FUZZ_CHANGED) {
		if (same(&text, &s->text))
			outcome = FUZZ_UNCHANGED;
		else if (!reads_back(&r, &text, why))
			outcome = FUZZ_TEXT;
		else
			outcome = run_again(s, pipe, &text, why, pass);
	} else {
		buf_puts(why, r.error.at ? r.error.at : "");
		if (outcome == FUZZ_REFUSED && strcmp(pipe, r.pass) == 0 &&
		    !same(&text, &s->text))
			outcome = FUZZ_SPOILT;
	}
	buf_free(&text);
	reading_free(&r);
	return outcome;
}
