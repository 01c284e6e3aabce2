/*
 * One module under one pipeline: run, verified, with numbers compared, read
 * back, run again.
 *
 * Most pipelines leave what another left already, or nothing new: states of
 * the module are kept, and each is evaluated and read back once.
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
#include "passes/validate.h"
#include "passes/validate_run.h"
#include "support/ptrmap.h"
#include "te/interp_random.h"
#include "utils/fuzz-passes/fuzz_passes.h"

struct fuzz_subject {
	struct buf text;
	uint64_t seed;
	bool discrete;
	ir_context *cx;    /* of all that is read for it */
	ir_module *master; /* pipelines run over copies of it */
	struct validate_state *state;
	struct validate_cache *cache;
	struct ptrmap read_back; /* states whose text was tried */
};

/* A module, and the messages about it. */
struct reading {
	struct source source;
	struct diag diag;
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
}

static bool
read_module(struct reading *r, ir_context *cx)
{
	r->m = parse_module(cx, &r->source, &r->diag, NULL);
	return r->m && ir_verify_module(r->m, &r->diag) &&
	       r->diag.errors == 0 && ir_infer_module(r->m, &r->diag);
}

static void
reading_free(struct reading *r)
{
	if (r->m)
		ir_module_free(r->m);
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
print_again(struct reading *again, ir_context *cx, const struct buf *text,
	    struct buf *out)
{
	reading_init(again, text->at, text->len);
	if (!read_module(again, cx))
		return false;
	print(out, again->m, PRINT_TYPES_AUTO);
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

/* Read what is generated, and its text as S has it then. */
static bool
read_subject(struct fuzz_subject *s, struct reading *r)
{
	struct buf again = {0};
	struct reading typed = {0};
	bool ok = read_module(r, s->cx);

	if (ok) {
		fill_constants(r->m, s->seed * 1009);
		print(&s->text, r->m, PRINT_TYPES_AUTO);
		ok = print_again(&typed, s->cx, &s->text, &again) &&
		     same(&s->text, &again);
	}
	if (ok) {
		s->master = typed.m;
		typed.m = NULL;
		s->state = validate_state_of(s->cache, s->master);
	}
	reading_free(&typed);
	buf_free(&again);
	return ok;
}

struct fuzz_subject *
fuzz_subject_new(const struct fuzz_module *m, uint64_t seed, struct buf *why)
{
	struct fuzz_subject *s = xcalloc(1, sizeof(*s));
	struct reading r;

	s->discrete = m->discrete;
	s->seed = seed * 1000003 + m->number;
	s->cx = ir_context_new();
	s->cache = validate_cache_new();
	reading_init(&r, m->text, m->len);
	if (!read_subject(s, &r)) {
		buf_puts(why, r.error.at ? r.error.at
					 : "does not read back to the same");
		reading_free(&r);
		fuzz_subject_free(s);
		return NULL;
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
	ptrmap_free(&s->read_back);
	validate_state_unref(s->state);
	validate_cache_free(s->cache);
	if (s->master)
		ir_module_free(s->master);
	ir_context_free(s->cx);
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

/* quantize clips what is larger than its scale for all activations. */
static bool
clips(const char *pipe)
{
	static const char name[] = "quantize";
	const size_t len = sizeof(name) - 1;

	for (const char *at = pipe; (at = strstr(at, name)); at += len)
		if ((at == pipe || at[-1] == ',') && strchr(",<", at[len]))
			return true;
	return false;
}

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

/* Run PIPE over a copy of the module; *AFTER is what it leaves. */
static enum fuzz_outcome
run(struct reading *r, struct fuzz_subject *s, const char *pipe, bool check,
    struct validate_state **after)
{
	struct pass_options o = PASS_OPTIONS_DEFAULT;
	enum fuzz_outcome outcome = FUZZ_CHANGED;
	struct pass_manager pm;
	struct pass_pipeline p;
	struct arena a = {0};
	struct source text;

	reading_init(r, s->text.at, s->text.len);
	r->m = ir_module_copy(s->master);
	o.verify_each = check;
	o.validate_seed = (long long)(s->seed & 0xffffff);
	source_init(&text, NULL, pipe, strlen(pipe));
	pass_pipeline_init(&p);
	if (!pass_manager_init(&pm, &r->diag, &o, &a) ||
	    !pass_pipeline_parse(&p, &text, &a, &r->diag)) {
		outcome = FUZZ_BAD_MODULE;
	} else {
		pm.cache = s->cache;
		pm.state = validate_state_ref(s->state);
		if (check && !clips(pipe) &&
		    !(s->discrete && is_inexact(&pm, &p)))
			o.validate = 2;
		if (!pass_manager_run(&pm, &p, r->m, false))
			outcome = judge_failure(r, &pm);
		if (outcome == FUZZ_CHANGED && o.validate && pm.state)
			*after = validate_state_ref(pm.state);
		else if (outcome == FUZZ_CHANGED || outcome == FUZZ_REFUSED)
			*after = validate_state_of(s->cache, r->m);
		pass_manager_end(&pm);
	}
	source_free(&text);
	arena_free(&a);
	return outcome;
}

/* What the text of STATE says prints as another state; NULL after an error. */
static struct validate_state *
state_again(struct fuzz_subject *s, struct validate_state *state,
	    struct buf *why)
{
	struct validate_state *again = NULL;
	struct reading r;
	ir_module *m;

	reading_init(&r, state->text.at, state->text.len);
	m = validate_read(state, s->cx, &r.diag);
	if (m && ir_verify_module(m, &r.diag))
		again = validate_state_of(s->cache, m);
	else
		buf_puts(why, r.error.at ? r.error.at : "");
	reading_free(&r);
	return again;
}

/* Does M read back without its types? */
static bool
reads_bare(const ir_module *m, struct buf *why)
{
	struct reading r;
	bool ok;

	reading_init(&r, "", 0);
	ok = validate_reads_bare(m, &r.diag);
	if (!ok)
		buf_puts(why, r.error.at ? r.error.at : "");
	reading_free(&r);
	return ok;
}

/* Are there constants in STATE that the module did not have? */
static bool
has_new_constants(const struct fuzz_subject *s,
		  const struct validate_state *state)
{
	struct ptrmap known = {0};
	bool any = false;

	for (size_t i = 0; i < s->master->tensors.len; i++)
		ptrmap_add(&known, s->master->tensors.at[i], NULL);
	for (size_t i = 0; i < state->constants.len; i++)
		any |= !ptrmap_find(&known, state->constants.at[i].tensor);
	ptrmap_free(&known);
	return any;
}

/* Does M read back with the data of its constants in the text? */
static bool
reads_with_data(struct fuzz_subject *s, const ir_module *m,
		struct validate_state *state, struct buf *why)
{
	struct validate_state *again = NULL;
	struct buf text = {0};
	struct reading r;

	print(&text, m, PRINT_TYPES_AUTO);
	reading_init(&r, text.at, text.len);
	if (read_module(&r, s->cx))
		again = validate_state_of(s->cache, r.m);
	if (again != state)
		buf_puts(why, r.error.at ? r.error.at
					 : "prints as another text with data");
	validate_state_unref(again);
	reading_free(&r);
	buf_free(&text);
	return again == state;
}

/*
 * Does M, which STATE describes, read back? Types may go, and a second reading
 * changes nothing. Whether it is the same module is seen when numbers are
 * compared: those come from copies that went through text.
 */
static bool
reads_back(struct fuzz_subject *s, const ir_module *m,
	   struct validate_state *state, struct buf *why)
{
	struct validate_state *first = state_again(s, state, why);
	struct validate_state *second = NULL;
	bool ok = first == state;

	if (first && !ok) {
		second = state_again(s, first, why);
		ok = second == first;
	}
	if (!ok && why->len == 0)
		buf_puts(why, "prints as another text");
	ok = ok && reads_bare(m, why);
	if (ok && has_new_constants(s, state))
		ok = reads_with_data(s, m, first, why);
	validate_state_unref(first);
	validate_state_unref(second);
	return ok;
}

/* PIPE left AFTER and R: is that right, and does it do so again? */
static enum fuzz_outcome
judge_result(struct fuzz_subject *s, const char *pipe, struct reading *r,
	     struct validate_state *after, struct buf *why)
{
	struct validate_state *again = NULL;
	enum fuzz_outcome outcome;
	struct reading second;
	bool is_new;

	ptrmap_add(&s->read_back, after, &is_new);
	if (is_new && !reads_back(s, r->m, after, why))
		return FUZZ_TEXT;
	outcome = run(&second, s, pipe, false, &again);
	if (outcome != FUZZ_CHANGED || again != after)
		outcome = FUZZ_UNSTEADY;
	else if (r->skipped)
		outcome = FUZZ_UNCOMPARED;
	if (second.error.len > 0)
		buf_puts(why, second.error.at);
	validate_state_unref(again);
	reading_free(&second);
	return outcome;
}

enum fuzz_outcome
fuzz_try(struct fuzz_subject *s, const char *pipe, struct buf *why,
	 const char **pass)
{
	struct validate_state *after = NULL;
	enum fuzz_outcome outcome;
	struct reading r;

	outcome = run(&r, s, pipe, true, &after);
	*pass = r.pass;
	if (outcome == FUZZ_CHANGED) {
		outcome = after == s->state
				  ? FUZZ_UNCHANGED
				  : judge_result(s, pipe, &r, after, why);
	} else {
		buf_puts(why, r.error.at ? r.error.at : "");
		if (outcome == FUZZ_REFUSED && strcmp(pipe, r.pass) == 0 &&
		    after != s->state)
			outcome = FUZZ_SPOILT;
	}
	validate_state_unref(after);
	reading_free(&r);
	return outcome;
}
