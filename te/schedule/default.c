/*
 * Default schedules: what is inlined, then for each other stage the first
 * template of the table that fits.
 */
#include <stdlib.h>
#include <string.h>

#include "te/schedule.h"
#include "te/schedule/template.h"

static const struct te_template {
	const char *name;
	enum te_target_kind target;
	te_template_fn *write;
} templates[] = {
	{"tile", TE_TARGET_CPU, te_template_tile},
	{"rows", TE_TARGET_CPU, te_template_rows},
	{"map", TE_TARGET_CPU, te_template_map},
	{"plain", TE_TARGET_CPU, te_template_plain},
	{"plain", TE_TARGET_BANG, te_template_plain},
};

/* Work below this is done before another thread has woken up. */
static const double worth_threads = 16384;

static te_lookup_fn *record_lookup;
static void *record_env;

void
te_set_record_lookup(te_lookup_fn *lookup, void *env)
{
	record_lookup = lookup;
	record_env = env;
}

struct te_writer
te_begin_stage(struct te_scheduling *c, const struct te_nest *n)
{
	c->done[n->op->id] = true;
	te_schedule_stage(c->m, c->s, n->op->name);
	return (struct te_writer){c->m, c->s, n->op->name};
}

bool
te_worth_threads(const struct te_scheduling *c, const struct te_nest *n)
{
	double cost = c->info[n->op->id].cost + 1;

	return te_iterations(n->op) * cost >= worth_threads;
}

/* ------------------------------------------------------------- readers -- */

/* The reads in one nest are looked at. */
struct reads {
	struct te_scheduling *c;
	const struct te_nest *in;
};

/* E is the element of AXIS in a tensor that has EXTENT of them. */
static bool
is_axis(const tir_expr *e, const struct te_axis *axis, int64_t extent)
{
	if (axis->extent != extent)
		return false;
	return (extent == 1 && tir_is_const_int(e, 0)) ||
	       (e->kind == TIR_VAR && e->var == axis->var);
}

static const tir_expr *
note_read(const tir_expr *e, void *env)
{
	struct reads *r = env;
	const struct te_nest *of = te_plan_nest(&r->c->plan, e->tensor);
	struct te_readers *all;

	if (!of || of == r->in)
		return e;
	all = &r->c->readers[of->op->id];
	all->many |= all->first && all->first != r->in;
	if (!all->first)
		all->first = r->in;
	all->other |= e->n != r->in->naxes;
	for (uint32_t d = 0; d < e->n && !all->other; d++)
		all->other = !is_axis(e->arg[d], &r->in->op->axes[d],
				      e->tensor->shape[d]);
	return e;
}

/* Who reads whom, now that what is inlined is. */
static void
note_readers(struct te_scheduling *c)
{
	c->readers = xcalloc(c->f->nops + 1, sizeof(*c->readers));
	for (size_t i = 0; i < c->plan.nests.len; i++) {
		struct reads r = {.c = c, .in = c->plan.nests.at[i]};
		struct te_substitution s = {.read = note_read, .env = &r};

		if (r.in->attach == TE_AT_INLINE ||
		    r.in->op->kind != TE_COMPUTE)
			continue;
		for (uint32_t k = 0; k < r.in->op->noutputs; k++)
			if (r.in->body[k])
				te_substitute(c->m,
					      te_simplify(&c->plan.ranges,
							  r.in->body[k]),
					      &s);
	}
}

struct te_nest *
te_find_host(struct te_scheduling *c, const struct te_nest *n)
{
	const struct te_readers *all;
	const struct te_nest *in;

	if (c->info[n->op->id].is_output || c->info[n->op->id].read_by_extern)
		return NULL;
	if (!c->readers)
		note_readers(c);
	all = &c->readers[n->op->id];
	in = all->first;
	if (!in || all->many || all->other || te_nest_fold(in) ||
	    in->op->noutputs > 1 || c->done[in->op->id])
		return NULL;
	return te_plan_nest(&c->plan, &in->op->outputs[0]);
}

/* -------------------------------------------------------------- stages -- */

static void
write_stage(struct te_scheduling *c, struct te_nest *n)
{
	if (n->attach == TE_AT_INLINE || c->done[n->op->id])
		return;
	if (n->op->kind == TE_EXTERN) {
		te_begin_stage(c, n);
		return;
	}
	for (size_t i = 0; i < sizeof(templates) / sizeof(templates[0]); i++)
		if (templates[i].target == c->target->kind &&
		    templates[i].write(c, n))
			return;
}

static void
write_inlined(struct te_scheduling *c)
{
	for (uint32_t i = c->f->nparams; i < c->f->nops; i++) {
		struct te_writer w = {c->m, c->s, c->f->ops[i]->name};

		if (c->info[i].inlined)
			te_write(&w, TE_PRIM_INLINE);
	}
}

/* Everything that S attaches has a size that is known. */
static bool
fits(ir_module *m, const te_func *f, const te_schedule *s)
{
	struct te_plan p;
	struct diag quiet;
	bool ok;

	diag_init(&quiet, NULL, NULL);
	quiet.quiet = true;
	ok = te_plan_make(&p, m, f, s, &quiet) && te_bounds(&p);
	te_plan_free(&p);
	return ok;
}

te_schedule *
te_default_schedule(ir_module *m, const te_func *f,
		    const struct te_target *target)
{
	te_schedule *s = NULL;
	struct te_scheduling c = {.m = m, .f = f, .target = target};
	struct diag quiet;

	if (record_lookup)
		s = record_lookup(m, f, target, record_env);
	if (s)
		return s;
	s = te_new_schedule(m, f->name);
	s->target = ir_name(m->cx, target->text);
	s->loc = f->loc;
	c.s = s;
	c.info = te_analyse(f);
	c.done = xcalloc(f->nops + 1, sizeof(*c.done));
	te_choose_inlined(f, c.info);
	write_inlined(&c);
	diag_init(&quiet, NULL, NULL);
	quiet.quiet = true;
	if (te_plan_make(&c.plan, m, f, s, &quiet))
		for (size_t i = 0; i < c.plan.nests.len; i++)
			write_stage(&c, c.plan.nests.at[i]);
	te_plan_free(&c.plan);
	if (f->nsizes && !fits(m, f, s)) {
		s->nstages = 0;
		write_inlined(&c);
	}
	free(c.info);
	free(c.done);
	free(c.readers);
	return s;
}
