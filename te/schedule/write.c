/*
 * Writing primitives into a schedule.
 */
#include "te/schedule/write.h"

static struct te_prim *
add(struct te_writer *w, enum te_prim_kind kind, uint32_t nin, uint32_t nout)
{
	struct te_stage *st = te_schedule_stage(w->m, w->s, w->stage);
	struct te_prim *p = te_stage_add(w->m, st, kind);

	p->loc = w->s->loc;
	p->nin = nin;
	p->nout = nout;
	p->in = ARENA_NEW_ARRAY(&w->m->arena, nin, const char *);
	p->out = ARENA_NEW_ARRAY(&w->m->arena, nout, const char *);
	return p;
}

const char *
te_suffixed(ir_module *m, const char *name, const char *suffix)
{
	return ir_namef(m->cx, "%s%s", name, suffix);
}

void
te_write(struct te_writer *w, enum te_prim_kind kind)
{
	add(w, kind, 0, 0);
}

void
te_write_mark(struct te_writer *w, enum te_prim_kind kind, const char *axis)
{
	add(w, kind, 1, 0)->in[0] = axis;
}

void
te_write_split(struct te_writer *w, const char *axis, const char *outer,
	       const char *inner, int64_t factor)
{
	struct te_prim *p = add(w, TE_PRIM_SPLIT, 1, 2);

	p->in[0] = axis;
	p->out[0] = outer;
	p->out[1] = inner;
	p->number = factor;
}

void
te_write_fuse(struct te_writer *w, const char *const *axes, uint32_t n,
	      const char *out)
{
	struct te_prim *p = add(w, TE_PRIM_FUSE, n, 1);

	for (uint32_t i = 0; i < n; i++)
		p->in[i] = axes[i];
	p->out[0] = out;
}

void
te_write_order(struct te_writer *w, const char *const *axes, uint32_t n)
{
	struct te_prim *p = add(w, TE_PRIM_ORDER, n, 0);

	for (uint32_t i = 0; i < n; i++)
		p->in[i] = axes[i];
}

void
te_write_at(struct te_writer *w, const char *stage, const char *axis)
{
	struct te_prim *p = add(w, TE_PRIM_AT, 2, 0);

	p->in[0] = stage;
	p->in[1] = axis;
}

void
te_write_scope(struct te_writer *w, const char *scope)
{
	add(w, TE_PRIM_SCOPE, 0, 0)->string = ir_name(w->m->cx, scope);
}

void
te_write_cache(struct te_writer *w, const char *out, const char *scope)
{
	struct te_prim *p = add(w, TE_PRIM_CACHE_WRITE, 0, 1);

	p->out[0] = out;
	p->string = ir_name(w->m->cx, scope);
}

void
te_write_rfactor(struct te_writer *w, const char *axis, const char *out)
{
	struct te_prim *p = add(w, TE_PRIM_RFACTOR, 1, 1);

	p->in[0] = axis;
	p->out[0] = out;
}
