/*
 * Borders around the image of a convolution: not stored, but made on the chip
 * where a tile has some.
 */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "codegen/bangc/product.h"

struct walk {
	struct pad *pad;
	struct bang_loop loops[BANG_MAX_LOOPS];
	uint32_t n;
	bool filled, copied;
};

/* A store of one number. */
static bool
add_fill(struct walk *w, const tir_expr *value)
{
	int64_t fill = value->i;

	if (value->kind == TIR_FLOAT) {
		if (value->f != floor(value->f) || fabs(value->f) > 1000 ||
		    signbit(value->f))
			return false;
		fill = (int64_t)value->f;
	}
	if (fill < INT_MIN || fill > INT_MAX ||
	    (w->filled && fill != w->pad->fill))
		return false;
	w->filled = true;
	w->pad->fill = fill;
	return true;
}

static bool
add_copy(struct walk *w, const tir_expr *index, const tir_expr *from)
{
	struct pad *p = w->pad;
	int64_t at;

	if (w->copied || !bang_origin(index, &at) || at != 0 ||
	    !bang_origin(from->arg[0], &p->from_at) ||
	    !dtype_equal(from->dtype, p->buffer->dtype))
		return false;
	w->copied = true;
	p->from = from->buffer;
	for (p->n = 0; p->n < w->n; p->n++) {
		const struct bang_loop *l = &w->loops[p->n];
		struct pad_dim *d = &p->dims[p->n];

		*d = (struct pad_dim){.extent = l->extent, .low = l->min};
		if (!bang_stride(index, l->var, &d->padded) ||
		    !bang_stride(from->arg[0], l->var, &d->from) ||
		    d->padded <= 0 || d->from <= 0 || l->min < 0)
			return false;
	}
	return true;
}

static bool walk(struct walk *w, const tir_stmt *s);

/* Each side of "loop variable < number" has its part of the loop. */
static bool
walk_sides(struct walk *w, const tir_stmt *s)
{
	struct bang_loop whole, *l;
	bool ok = true;
	int64_t at;

	if (!bang_splits(s->if_.cond, w->loops, w->n, &l, &at))
		return false;
	whole = *l;
	l->extent = at - whole.min;
	if (l->extent > 0)
		ok = walk(w, s->if_.then_);
	l->min = at;
	l->extent = whole.min + whole.extent - at;
	if (ok && s->if_.else_ && l->extent > 0)
		ok = walk(w, s->if_.else_);
	*l = whole;
	return ok;
}

/* Nesting is bounded by the rank of the array. */
static bool
walk(struct walk *w, const tir_stmt *s)
{
	bool ok;

	switch (s->kind) {
	case TIR_SEQ:
		for (uint32_t i = 0; i < s->seq.n; i++)
			if (!walk(w, s->seq.at[i]))
				return false;
		return true;
	case TIR_FOR:
		if (w->n == BANG_MAX_LOOPS || s->loop.min->kind != TIR_INT ||
		    s->loop.extent->kind != TIR_INT)
			return false;
		w->loops[w->n++] = (struct bang_loop){
			s->loop.var, s->loop.min->i, s->loop.extent->i};
		ok = walk(w, s->loop.body);
		w->n--;
		return ok;
	case TIR_IF:
		return walk_sides(w, s);
	case TIR_STORE:
		if (s->store.mask || s->store.value->dtype.lanes != 1 ||
		    (w->pad->buffer && w->pad->buffer != s->store.buffer))
			return false;
		w->pad->buffer = s->store.buffer;
		if (s->store.value->kind == TIR_LOAD)
			return add_copy(w, s->store.index, s->store.value);
		return (s->store.value->kind == TIR_INT ||
			s->store.value->kind == TIR_FLOAT) &&
		       add_fill(w, s->store.value);
	default:
		return false;
	}
}

bool
pad_of(const tir_stmt *s, struct pad *out)
{
	struct walk w = {.pad = out};

	*out = (struct pad){0};
	return (s->kind == TIR_FOR || s->kind == TIR_SEQ) && walk(&w, s) &&
	       w.filled && w.copied && out->from != out->buffer;
}

/* The dimension that a stride goes along, and how far; or NULL. */
static const struct pad_dim *
dim_of(const struct pad *pad, int64_t stride, int64_t *steps)
{
	const struct pad_dim *best = NULL;

	for (uint32_t i = 0; i < pad->n; i++) {
		const struct pad_dim *d = &pad->dims[i];

		if (d->padded <= stride && stride % d->padded == 0 &&
		    (!best || d->padded > best->padded))
			best = d;
	}
	*steps = best ? stride / best->padded : 0;
	return best;
}

/* One direction of the window: its loops OUTER and INNER have one dimension. */
static bool
apply_window(const struct pad *pad, const struct product *p, uint32_t outer,
	     uint32_t inner, const struct pad_dim **dim, int64_t *step,
	     int64_t *dilation)
{
	const struct pad_dim *a = NULL, *b = NULL;
	int64_t n;

	*step = *dilation = 1;
	if (outer != UINT32_MAX) {
		a = dim_of(pad, p->at[outer].a, &n);
		*step = n;
	}
	if (inner != UINT32_MAX) {
		b = dim_of(pad, p->at[inner].a, &n);
		*dilation = n;
	}
	*dim = a ? a : b;
	return (outer == UINT32_MAX || a) && (inner == UINT32_MAX || b) &&
	       (!a || !b || a == b);
}

bool
pad_apply(const struct pad *pad, struct product *p, struct conv *c)
{
	const struct conv_loops *l = &c->loops;
	const struct pad_dim *y, *x;
	int64_t reach[BANG_MAX_LOOPS] = {0}, steps;

	if (p->a_at != 0 ||
	    !apply_window(pad, p, l->y, l->ry, &y, &c->sy, &c->dy) ||
	    !apply_window(pad, p, l->x, l->rx, &x, &c->sx, &c->dx) || !x ||
	    x == y)
		return false;
	c->top = y ? y->low : 0;
	c->ih = y ? y->extent : 1;
	c->iy = y ? y->from : 0;
	c->left = x->low;
	c->iw = x->extent;
	c->ix = x->from;
	c->fill = pad->fill;
	for (uint32_t i = 0; i < p->nloops; i++) {
		const struct pad_dim *d;

		if (i == l->y || i == l->ry || i == l->x || i == l->rx ||
		    p->at[i].a == 0)
			continue;
		d = dim_of(pad, p->at[i].a, &steps);
		if (!d || d == x || d == y)
			return false;
		reach[d - pad->dims] += steps * (p->at[i].extent - 1);
		p->at[i].a = d->from * steps;
	}
	for (uint32_t i = 0; i < pad->n; i++)
		if (&pad->dims[i] != x && &pad->dims[i] != y &&
		    (pad->dims[i].low != 0 || reach[i] >= pad->dims[i].extent))
			return false;
	p->a = pad->from;
	p->a = pad->from;
	p->a_at = pad->from_at;
	return true;
}
