/*
 * quantize-realize: compute on integers what simulated_quantize says in floats.
 *
 *     %0 = relay.op.annotation.simulated_quantize(%x, 0.0625f, ..., kind=1);
 *     %1 = relay.op.annotation.simulated_quantize(%w, 0.5f, ..., kind=2);
 *     nn.conv2d(%0, %1)
 *                        becomes
 *     %0 = multiply(%x, 16f); %1 = round(%0);
 *     %2 = clip(%1, a_min=-127f, a_max=127f); %3 = cast(%2, dtype="int8");
 *     ... the weight alike ...
 *     %8 = nn.conv2d(%3, %7, out_dtype="int32");
 *     %9 = cast(%8, dtype="float32"); multiply(%9, 0.03125f)
 *
 * A value is a node and the scale that its integers stand for. Scales change
 * by shifts where the quotient is a power of two, else in fixed point. What
 * has no rule gets floats again.
 *
 * Level: function. Needs: types.
 */
#include <math.h>

#include "passes/quant/affine.h"
#include "passes/quant/qnn_lower.h"
#include "passes/quant/quantize.h"

/* Integers (in the element type DTYPE) times SCALE. */
struct scaled {
	double scale; /* a float32 */
	double limit; /* no integer is larger than this */
	struct dtype dtype;
	const ir_expr *real; /* made when first needed */
};

struct realize {
	pass_ctx *cx;
	ir_module *m;
	const struct qconfig *q;
	struct ir_map scaled; /* new node -> struct scaled */
	struct opcall b;      /* of the call at hand */
};

static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};
static const struct dtype int64 = {DTYPE_INT, 64, 1};

static struct scaled *
scaled_of(const struct realize *r, const ir_expr *e)
{
	return ir_map_get(&r->scaled, e);
}

static const ir_expr *
scaled_value(struct realize *r, const ir_expr *e, double scale,
	     struct dtype dtype, double limit)
{
	struct scaled *s = ARENA_NEW(r->cx->scratch, struct scaled);

	*s = (struct scaled){(double)(float)scale, limit, dtype, NULL};
	ir_map_put(&r->scaled, e, s);
	return e;
}

/* The reals that E stands for. */
static const ir_expr *
finish(const ir_expr *e, void *env)
{
	struct realize *r = env;
	struct scaled *s = scaled_of(r, e);
	struct opcall b = {r->m, e->loc};

	if (!s)
		return e;
	if (!s->real)
		s->real = opcall_binary(&b, OP_multiply,
					dtype_equal(s->dtype, float32)
						? e
						: opcall_cast(&b, e, float32),
					opcall_scalar(&b, float32, s->scale));
	return s->real;
}

static struct qnn_site
site_of(struct realize *r)
{
	return (struct qnn_site){.b = r->b, .scratch = r->cx->scratch};
}

static const ir_expr *
clip(struct realize *r, const ir_expr *e, double low, double high)
{
	struct qnn_site s = site_of(r);

	return qnn_clip(&s, e, low, high);
}

/* E, which S tells about, as T: cut if it does not fit. */
static const ir_expr *
to_dtype(struct realize *r, const ir_expr *e, const struct scaled *s,
	 struct dtype t)
{
	double high = ldexp(1, t.bits - (t.code == DTYPE_INT)) - 1;

	if (dtype_equal(s->dtype, t))
		return e;
	if (t.bits < 32 && s->limit > high)
		e = clip(r, e, t.code == DTYPE_INT ? -high : 0, high);
	return opcall_cast(&r->b, e, t);
}

/* The limit of what was cut to fit T. */
static double
limit_in(const struct scaled *s, struct dtype t)
{
	return fmin(s->limit, ldexp(1, t.bits - (t.code == DTYPE_INT)) - 1);
}

/* The scalar OPERAND of E as a constant integer of DTYPE. */
static const ir_expr *
with_int(struct realize *r, enum op_id op, const ir_expr *e, struct dtype t,
	 int64_t v)
{
	return opcall_binary(&r->b, op, e,
			     ir_new_scalar_int(r->m, r->b.loc, t, v));
}

/* E times FACTOR in fixed point; NULL if that is out of reach. */
static const ir_expr *
times(struct realize *r, const ir_expr *e, double factor)
{
	struct qnn_site s = site_of(r);

	return r->q->to_nearest ? qnn_times_nearest(&s, e, factor)
				: qnn_times(&s, e, factor);
}

/* The whole number that V is, if it is one. */
static bool
is_whole(double v, int64_t *out)
{
	*out = v > -1e9 && v < 1e9 ? (int64_t)v : 0;
	return (double)*out == v;
}

static bool
constant(struct realize *r, const ir_expr *e, double *out)
{
	const ir_tensor *d = affine_data(e);

	if (!d || ir_tensor_size(d) != 1) {
		pass_error(r->cx, r->b.loc,
			   "a scale is not set; quantize-calibrate does that");
		return false;
	}
	*out = ir_tensor_get_double(d, 0);
	return true;
}

/* Floats to integers of SCALE, still in float32. */
static const ir_expr *
from_real(struct realize *r, const ir_expr *e, double scale, double low,
	  double high)
{
	float by = 1.0f / (float)scale;

	e = opcall_binary(&r->b, OP_multiply, e,
			  opcall_scalar(&r->b, float32, (double)by));
	e = clip(r, opcall_unary(&r->b, OP_round, e), low, high);
	return scaled_value(r, e, scale, float32, fmax(-low, high));
}

/* Shift right by N bits, rounding if asked for, or left by -N. */
static const ir_expr *
shift(struct realize *r, const ir_expr *e, int64_t n)
{
	struct dtype t = r->q->activation;

	if (n < 0)
		return with_int(r, OP_left_shift, e, t, -n);
	if (r->q->round_shift)
		e = with_int(r, OP_add, e, t, INT64_C(1) << (n - 1));
	return with_int(r, OP_right_shift, e, t, n);
}

static const ir_expr *
realize_quantize(struct realize *r, const struct ir_call *c)
{
	struct scaled *s = scaled_of(r, c->args[0]);
	const ir_expr *e = c->args[0];
	double scale;
	double low;
	double high;
	int64_t n;

	if (!constant(r, c->args[1], &scale) ||
	    !constant(r, c->args[2], &low) || !constant(r, c->args[3], &high))
		return NULL;
	if (ir_attrs_int(c->attrs, "kind", 0) == QUANT_NONE || scale <= 0)
		return NULL;
	if (!s)
		return from_real(r, e, scale, low, high);
	if (s->scale == scale)
		return scaled_value(r, clip(r, e, low, high), scale, s->dtype,
				    fmax(-low, high));
	if (is_whole((double)log2f((float)scale / (float)s->scale), &n) &&
	    n != 0 && n < 31 && n > -31) {
		e = to_dtype(r, e, s, r->q->activation);
		e = clip(r, shift(r, e, n), low, high);
		return scaled_value(r, e, scale, r->q->activation,
				    fmax(-low, high));
	}
	e = opcall_cast(&r->b, e, int64);
	e = times(r, e, s->scale / scale);
	if (!e)
		return NULL;
	e = opcall_cast(&r->b, clip(r, e, low, high), r->q->activation);
	return scaled_value(r, e, scale, r->q->activation, fmax(-low, high));
}

/* Convolutions, dense layers, matrix products: small times small is wide. */
static const ir_expr *
realize_linear(struct realize *r, const struct ir_call *c)
{
	struct scaled *x = scaled_of(r, c->args[0]);
	struct scaled *w = scaled_of(r, c->args[1]);
	const ir_expr *args[2];
	const ir_attrs *a;
	float scale;

	if (!x || !w)
		return NULL;
	args[0] = to_dtype(r, c->args[0], x, r->q->input);
	args[1] = to_dtype(r, c->args[1], w, r->q->weight);
	a = ir_attrs_with(r->m->cx, c->attrs, "out_dtype",
			  ATTR_DT(r->q->activation));
	scale = (float)x->scale * (float)w->scale;
	return scaled_value(
		r, ir_new_call(r->m, c->base.loc, c->callee, args, 2, a),
		(double)scale, r->q->activation, INFINITY);
}

static const ir_expr *
realize_multiply(struct realize *r, const struct ir_call *c)
{
	struct scaled *x = scaled_of(r, c->args[0]);
	struct scaled *y = scaled_of(r, c->args[1]);
	struct dtype t = r->q->activation;
	const ir_expr *e;
	float scale;

	if (!x || !y)
		return NULL;
	e = opcall_binary(&r->b, OP_multiply, to_dtype(r, c->args[0], x, t),
			  to_dtype(r, c->args[1], y, t));
	scale = (float)x->scale * (float)y->scale;
	return scaled_value(r, e, (double)scale, t, x->limit * y->limit);
}

/* E of scale FROM as integers of scale TO, which is not larger. */
static const ir_expr *
to_scale(struct realize *r, const ir_expr *e, double from, double to,
	 struct dtype t)
{
	float factor = (float)from / (float)to;
	int64_t n;

	if (from == to)
		return e;
	if (is_whole((double)log2f(factor), &n) && n > 0 && n < 31)
		return with_int(r, OP_left_shift, e, t, n);
	if (is_whole((double)factor, &n))
		return with_int(r, OP_multiply, e, t, n);
	e = times(r, e, (double)factor);
	return e ? opcall_cast(&r->b, e, t) : NULL;
}

/* An input stays small behind a stop of fusion. */
static const ir_expr *
stopped_input(struct realize *r, const ir_expr *e, const struct scaled *s,
	      const ir_expr *old, struct dtype t)
{
	if (!ir_is_call_of(old, OP_relay_op_annotation_simulated_quantize) ||
	    ir_attrs_int(ir_as_call(old)->attrs, "kind", 0) != QUANT_INPUT)
		return e;
	e = to_dtype(r, e, s, r->q->input);
	e = opcall_unary(&r->b, OP_annotation_stop_fusion, e);
	return opcall_cast(&r->b, e, t);
}

/* ARGS, all scaled, with element type T and scale TO; false: out of reach. */
static bool
unify(struct realize *r, const ir_expr **args, const ir_expr *const *old,
      uint32_t n, struct dtype t, double to)
{
	for (uint32_t i = 0; i < n; i++) {
		struct scaled *s = scaled_of(r, args[i]);
		const ir_expr *e = args[i];

		e = dtype_equal(s->dtype, t) ? stopped_input(r, e, s, old[i], t)
					     : opcall_cast(&r->b, e, t);
		args[i] = to_scale(r, e, s->scale, to, t);
		if (!args[i])
			return false;
	}
	return true;
}

static const ir_expr *
realize_add(struct realize *r, const struct ir_call *c,
	    const struct ir_call *old)
{
	struct scaled *s[2] = {scaled_of(r, c->args[0]),
			       scaled_of(r, c->args[1])};
	const ir_expr *args[2] = {c->args[0], c->args[1]};
	struct dtype t = r->q->activation;
	double to;

	if (!s[0] || !s[1])
		return NULL;
	to = fmin(s[0]->scale, s[1]->scale);
	if (!unify(r, args, old->args, 2, t, to))
		return NULL;
	for (int i = 0; i < 2; i++)
		if (dtype_equal(s[i]->dtype, float32))
			args[i] = opcall_unary(&r->b, OP_annotation_stop_fusion,
					       args[i]);
	return scaled_value(r, opcall_binary(&r->b, OP_add, args[0], args[1]),
			    to, t,
			    s[0]->limit * s[0]->scale / to +
				    s[1]->limit * s[1]->scale / to);
}

/* All fields in the finest of their scales. */
static const ir_expr *
realize_concatenate(struct realize *r, const struct ir_call *c,
		    const struct ir_call *old)
{
	const struct ir_tuple *t;
	const ir_expr **fields;
	const ir_expr *e;
	double to = INFINITY;
	double limit = 0;
	struct dtype dtype = r->q->input;

	if (c->args[0]->kind != IR_TUPLE || old->args[0]->kind != IR_TUPLE)
		return NULL;
	t = ir_as_tuple(c->args[0]);
	fields = ARENA_NEW_ARRAY(r->cx->scratch, t->nfields, const ir_expr *);
	for (uint32_t i = 0; i < t->nfields; i++) {
		struct scaled *s = scaled_of(r, t->fields[i]);

		if (!s)
			return NULL;
		fields[i] = t->fields[i];
		to = fmin(to, s->scale);
		if (!dtype_equal(s->dtype, r->q->input))
			dtype = r->q->activation;
	}
	for (uint32_t i = 0; i < t->nfields; i++) {
		const struct scaled *s = scaled_of(r, fields[i]);

		if (s->scale != to)
			dtype = r->q->activation;
		limit = fmax(limit, s->limit * s->scale / to);
	}
	if (t->nfields == 0 ||
	    !unify(r, fields, ir_as_tuple(old->args[0])->fields, t->nfields,
		   dtype, to))
		return NULL;
	e = ir_new_tuple(r->m, t->base.loc, fields, t->nfields);
	e = affine_call(&r->b, OP_concatenate, &e, 1, c->attrs);
	return scaled_value(r, e, to, dtype, limit);
}

/* The same operator on the integers in TYPE; NULL: as they are. */
static const ir_expr *
realize_same(struct realize *r, const struct ir_call *c,
	     const struct dtype *type)
{
	struct scaled *s = scaled_of(r, c->args[0]);
	struct dtype t;
	const ir_expr *e;

	if (!s || c->nargs != 1)
		return NULL;
	t = type ? *type : s->dtype;
	e = to_dtype(r, c->args[0], s, t);
	return scaled_value(
		r, ir_new_call(r->m, c->base.loc, c->callee, &e, 1, c->attrs),
		s->scale, t, limit_in(s, t));
}

static const ir_expr *
realize_clip(struct realize *r, const struct ir_call *c)
{
	struct scaled *s = scaled_of(r, c->args[0]);

	if (!s)
		return NULL;
	return scaled_value(r,
			    clip(r, c->args[0],
				 ir_attrs_double(c->attrs, "a_min") / s->scale,
				 ir_attrs_double(c->attrs, "a_max") / s->scale),
			    s->scale, s->dtype, s->limit);
}

static const ir_expr *
realize_cast_hint(struct realize *r, const struct ir_call *c)
{
	struct scaled *s = scaled_of(r, c->args[0]);
	struct dtype t = ir_attrs_dtype(c->attrs, "dtype");
	const ir_expr *e;

	if (!s)
		return NULL;
	e = to_dtype(r, c->args[0], s, t);
	return scaled_value(r, e, s->scale, t, limit_in(s, t));
}

static const ir_expr *
realize_op(struct realize *r, const struct ir_call *c,
	   const struct ir_call *old)
{
	switch (ir_called_op(&c->base)->id) {
	case OP_relay_op_annotation_simulated_quantize:
		return realize_quantize(r, c);
	case OP_nn_conv1d:
	case OP_nn_conv2d:
	case OP_nn_dense:
	case OP_nn_batch_matmul:
		return realize_linear(r, c);
	case OP_multiply:
		return realize_multiply(r, c);
	case OP_add:
		return realize_add(r, c, old);
	case OP_concatenate:
		return realize_concatenate(r, c, old);
	case OP_clip:
		return realize_clip(r, c);
	case OP_annotation_cast_hint:
		return realize_cast_hint(r, c);
	case OP_nn_max_pool1d:
	case OP_nn_max_pool2d:
		return realize_same(r, c, &r->q->input);
	case OP_nn_avg_pool2d:
	case OP_nn_global_avg_pool2d:
		return realize_same(r, c, &r->q->activation);
	case OP_annotation_stop_fusion:
	case OP_nn_batch_flatten:
	case OP_nn_relu:
	case OP_reshape:
	case OP_strided_slice:
	case OP_transpose:
		return realize_same(r, c, NULL);
	default:
		return NULL;
	}
}

/* Fields of a tuple that a call reads, as reals. */
static const ir_expr *
finish_argument(const ir_expr *e, void *env)
{
	struct realize *r = env;

	if (e->kind == IR_TUPLE)
		return quant_finish_operands(r->m, e, finish, r);
	return finish(e, env);
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct realize *r = env;
	const ir_expr *out = NULL;

	r->b = (struct opcall){r->m, e->loc};
	if (r->cx->failed)
		return e;
	if (ir_called_op(e))
		out = realize_op(r, ir_as_call(e), ir_as_call(old));
	if (out) {
		pass_count(r->cx, "calls on integers", 1);
		return out;
	}
	return quant_finish_operands(r->m, e, finish_argument, r);
}

static const ir_expr *
finish_tuple(const ir_expr *e, void *env)
{
	return e->kind == IR_TUPLE ? finish_argument(e, env) : e;
}

/* Who reads the fields finishes them; those of tuples in it nobody can. */
static const ir_expr *
keep_tuple(const ir_expr *e, const ir_expr *old, void *env)
{
	struct realize *r = env;

	(void)old;
	return quant_finish_operands(r->m, e, finish_tuple, r);
}

static const ir_expr *
rewrite_other(const ir_expr *e, const ir_expr *old, void *env)
{
	struct realize *r = env;

	(void)old;
	if (e->kind == IR_PROJ && ir_as_proj(e)->tuple->kind == IR_TUPLE)
		return ir_as_tuple(ir_as_proj(e)->tuple)
			->fields[ir_as_proj(e)->index];
	return quant_finish_operands(r->m, e, finish_argument, r);
}

const struct ir_function *
quant_realize(pass_ctx *cx, const struct qconfig *q,
	      const struct ir_function *fn)
{
	struct realize r = {.cx = cx, .m = cx->module, .q = q};
	struct ir_rules rules = quant_rules(rewrite_call, rewrite_other);
	const ir_expr *out;

	rules.on[IR_TUPLE] = keep_tuple;
	out = ir_rewrite(r.m, &fn->base, &rules, &r);
	ir_map_free(&r.scaled);
	return cx->failed ? fn : ir_as_function(out);
}

const struct ir_function *
pass_quantize_realize(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	(void)def;
	return quant_run(cx, fn, quant_realize);
}
