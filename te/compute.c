/*
 * Building the computes of a kernel: bodies, outputs, extern calls.
 */
#include "te/compute.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "te/fold.h"

struct te_extern {
	struct te_call *call;
	const char *name;
	const char *symbol;
	uint32_t nout;
	struct te_tensor out[TE_MAX_RANK];
	uint32_t nargs;
	uint32_t cap;
	struct te_extern_arg *args;
};

/* "T_" and the last part of the operator's name. */
static const char *
default_name(struct te_call *c)
{
	const char *dot = strrchr(c->op->name, '.');

	return ir_namef(c->m->cx, "T_%s", dot ? dot + 1 : c->op->name);
}

static bool
name_taken(const struct te_body *b, uint32_t naxes, const char *name)
{
	for (uint32_t i = 0; i < naxes; i++)
		if (b->i[i]->var->name == name)
			return true;
	for (uint32_t i = 0; i < b->nfold; i++)
		if (b->fold[i].var->name == name)
			return true;
	return false;
}

/* A variable of the index type that has a name of its own in B. */
static const struct tir_var *
new_axis(struct te_body *b, uint32_t naxes, const char *name)
{
	ir_module *m = b->call->m;
	const char *s = name;

	for (unsigned i = 1; name_taken(b, naxes, s); i++)
		s = ir_namef(m->cx, "%s_%u", name, i);
	return tir_new_var(m, s, b->call->index);
}

/* The name of axis I: from the list AXES, or made up. */
static const char *
axis_name(struct te_call *c, const char *axes, uint32_t i, uint32_t ndim)
{
	const char *s = axes;

	for (uint32_t k = 0; s && k < i; k++) {
		s = strchr(s, ',');
		if (s)
			s++;
	}
	if (s)
		return ir_name_n(c->m->cx, s, strcspn(s, ","));
	if (ndim <= 2)
		return ir_name(c->m->cx, i ? "j" : "i");
	return ir_namef(c->m->cx, "i%u", i);
}

static void
note_axis(struct te_call *c, const struct tir_var *v, int64_t extent)
{
	struct te_axis *more;

	if (!te_is_size(extent))
		return;
	more = ARENA_NEW_ARRAY(&c->m->arena, c->naxes + 1, struct te_axis);
	if (c->naxes)
		memcpy(more, c->axes, c->naxes * sizeof(*more));
	more[c->naxes++] = (struct te_axis){v, extent};
	c->axes = more;
}

struct te_body *
te_begin_many(struct te_call *c, const char *name, const char *axes,
	      const int64_t *shape, uint32_t ndim, uint32_t noutputs)
{
	struct te_body *b = ARENA_NEW(&c->m->arena, struct te_body);

	assert(ndim <= TE_MAX_RANK);
	b->call = c;
	b->name = name ? name : default_name(c);
	b->noutputs = noutputs;
	b->ndim = ndim;
	b->shape = arena_copy(&c->m->arena, shape, ndim * sizeof(*shape));
	for (uint32_t i = 0; i < ndim; i++) {
		const char *s = axis_name(c, axes, i, ndim);

		b->i[i] = tir_var_ref(c->m, new_axis(b, i, s));
		note_axis(c, b->i[i]->var, shape[i]);
	}
	return b;
}

struct te_body *
te_begin(struct te_call *c, const char *name, const char *axes,
	 const int64_t *shape, uint32_t ndim)
{
	return te_begin_many(c, name, axes, shape, ndim, 1);
}

struct te_body *
te_begin_out(struct te_call *c, const char *name, uint32_t i)
{
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, i, shape);

	return te_begin(c, name, NULL, shape, ndim);
}

struct te_body *
te_begin_like(struct te_call *c, const char *name, const struct te_tensor *t)
{
	return te_begin(c, name, NULL, t->shape, t->ndim);
}

const tir_expr *
te_fold_axis(struct te_body *b, const char *name, int64_t extent)
{
	const struct tir_var *v;

	assert(b->nfold < TE_MAX_RANK);
	v = new_axis(b, b->ndim, ir_name(b->call->m->cx, name));
	b->fold[b->nfold++] = (struct te_axis){v, extent};
	note_axis(b->call, v, extent);
	return tir_var_ref(b->call->m, v);
}

/* The operation of B, without formulas. */
static struct te_op *
make_op(struct te_body *b, const tir_expr *const *values)
{
	struct te_call *c = b->call;
	struct te_op *op =
		te_add_op(c->m, c->func, TE_COMPUTE, b->name, b->noutputs);

	op->loc = c->loc;
	op->naxes = b->ndim;
	op->axes = ARENA_NEW_ARRAY(&c->m->arena, b->ndim, struct te_axis);
	for (uint32_t i = 0; i < b->ndim; i++) {
		op->axes[i].var = b->i[i]->var;
		op->axes[i].extent = b->shape[i];
	}
	for (uint32_t k = 0; k < b->noutputs; k++)
		te_set_output(c->m, op, k, values[k]->dtype, b->shape, b->ndim);
	return op;
}

void
te_end_many(struct te_body *b, const tir_expr *const *values,
	    struct te_tensor **out)
{
	struct te_op *op = make_op(b, values);

	assert(b->nfold == 0);
	for (uint32_t k = 0; k < b->noutputs; k++) {
		op->body[k] = values[k];
		out[k] = &op->outputs[k];
	}
}

void
te_end_fold_many(struct te_body *b, enum te_combiner how,
		 const tir_expr *const *values, const tir_expr *cond,
		 struct te_tensor **out)
{
	struct te_op *op = make_op(b, values);
	struct te_reduce r = {
		.combiner = how,
		.naxes = b->nfold,
		.axes = b->fold,
		.nvalues = b->noutputs,
		.has_cond = cond != NULL,
	};

	op->body[0] = te_new_reduce(b->call->m, &r, values, cond);
	for (uint32_t k = 0; k < b->noutputs; k++)
		out[k] = &op->outputs[k];
}

struct te_tensor *
te_end(struct te_body *b, const tir_expr *value)
{
	struct te_tensor *t;

	te_end_many(b, &value, &t);
	return t;
}

struct te_tensor *
te_end_fold(struct te_body *b, enum te_combiner how, const tir_expr *value)
{
	return te_end_fold_where(b, how, value, NULL);
}

/* bfloat16 is too narrow to sum in: fold floats, and round once. */
static struct te_tensor *
fold_wide(struct te_body *b, enum te_combiner how, const tir_expr *value,
	  const tir_expr *cond)
{
	struct te_call *c = b->call;
	struct dtype narrow = value->dtype;
	struct te_tensor *t;

	value = te_cast(c, DTYPE(FLOAT, 32), value);
	te_end_fold_many(b, how, &value, cond, &t);
	b = te_begin_like(c, NULL, t);
	return te_end(b, te_cast(c, narrow, te_get(c, t, b->i)));
}

struct te_tensor *
te_end_fold_where(struct te_body *b, enum te_combiner how,
		  const tir_expr *value, const tir_expr *cond)
{
	struct te_tensor *t;

	if (value->dtype.code == DTYPE_BFLOAT &&
	    (how == TE_SUM || how == TE_PROD))
		return fold_wide(b, how, value, cond);
	te_end_fold_many(b, how, &value, cond, &t);
	return t;
}

struct te_extern *
te_extern_begin(struct te_call *c, const char *name, const char *symbol)
{
	struct te_extern *x = ARENA_NEW(&c->m->arena, struct te_extern);

	x->call = c;
	x->name = name ? name : default_name(c);
	x->symbol = ir_name(c->m->cx, symbol);
	return x;
}

void
te_extern_output(struct te_extern *x, struct dtype t, const int64_t *shape,
		 uint32_t ndim)
{
	struct te_tensor *o = &x->out[x->nout++];

	assert(x->nout <= TE_MAX_RANK);
	o->dtype = t;
	o->ndim = ndim;
	o->shape = arena_copy(&x->call->m->arena, shape, ndim * sizeof(*shape));
}

static void
add_arg(struct te_extern *x, struct te_tensor *t, const tir_expr *scalar)
{
	struct arena *a = &x->call->m->arena;

	if (x->nargs == x->cap) {
		struct te_extern_arg *old = x->args;

		x->cap = x->cap ? 2 * x->cap : 8;
		x->args = ARENA_NEW_ARRAY(a, x->cap, struct te_extern_arg);
		if (old)
			memcpy(x->args, old, x->nargs * sizeof(*old));
	}
	x->args[x->nargs++] = (struct te_extern_arg){t, scalar};
}

void
te_extern_tensor(struct te_extern *x, struct te_tensor *t)
{
	add_arg(x, t, NULL);
}

void
te_extern_int(struct te_extern *x, int64_t value)
{
	add_arg(x, NULL, te_extent_expr(x->call->m, DTYPE(INT, 64), value));
}

void
te_extern_double(struct te_extern *x, double value)
{
	add_arg(x, NULL, tir_float(x->call->m, DTYPE(FLOAT, 64), value));
}

void
te_extern_string(struct te_extern *x, const char *s)
{
	add_arg(x, NULL, tir_string(x->call->m, ir_name(x->call->m->cx, s)));
}

void
te_extern_end(struct te_extern *x, struct te_tensor **out)
{
	struct te_call *c = x->call;
	struct te_op *op =
		te_add_op(c->m, c->func, TE_EXTERN, x->name, x->nout);

	op->loc = c->loc;
	op->symbol = x->symbol;
	op->from = c->op->name;
	op->nargs = x->nargs;
	op->args = x->args;
	for (uint32_t k = 0; k < x->nout; k++) {
		te_set_output(c->m, op, k, x->out[k].dtype, x->out[k].shape,
			      x->out[k].ndim);
		out[k] = &op->outputs[k];
	}
}

bool
te_output(struct te_call *c, uint32_t i, struct te_tensor *t)
{
	assert(i < c->nout && t);
	c->out[i] = t;
	return true;
}

bool
te_error(struct te_call *c, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!c->failed)
		diag_error(c->diag, c->loc, "%s: %s", c->op->name, text);
	c->failed = true;
	return false;
}
