/* Random numbers by routines of runtime/; transforms of signals as sums. */
#include "te/compute/routine.h"

#include <math.h>

/* How many elements the second result has. */
static int64_t
elements(struct te_call *c)
{
	int64_t shape[TE_MAX_RANK], n = 1;
	uint32_t ndim = te_out_shape(c, 1, shape);

	for (uint32_t i = 0; i < ndim; i++)
		n = te_dim_mul(c, n, shape[i]);
	return n;
}

/* The first input is a key. */
static bool
has_key(struct te_call *c)
{
	return ROUTINE_EXPECT(c, 0, DTYPE(UINT, 64), 10);
}

bool
compute_random_threefry_generate(struct te_call *c)
{
	struct te_extern *x;

	if (!has_key(c))
		return false;
	x = routine_begin(c, "relay_threefry_generate");
	routine_inputs(c, x, 1);
	te_extern_int(x, elements(c));
	return routine_end(c, x);
}

bool
compute_random_threefry_split(struct te_call *c)
{
	struct te_extern *x;

	if (!has_key(c))
		return false;
	x = routine_begin(c, "relay_threefry_split");
	routine_inputs(c, x, 1);
	return routine_end(c, x);
}

/* random.uniform, random.normal */
bool
compute_random_distribution(struct te_call *c)
{
	struct dtype t = te_out_dtype(c, 1);
	struct te_extern *x;

	if (!has_key(c) || !routine_expect(c, 1, t, NULL, 0) ||
	    !routine_expect(c, 2, t, NULL, 0))
		return false;
	x = routine_begin(c, c->op->id == OP_random_uniform ? "relay_uniform"
							    : "relay_normal");
	routine_inputs(c, x, 3);
	te_extern_int(x, elements(c));
	te_extern_int(x, routine_dtype(te_out_dtype(c, 1)));
	return routine_end(c, x);
}

bool
compute_random_multinomial(struct te_call *c)
{
	const struct te_tensor *probs = c->in[1];
	int64_t samples = te_attr_int(c, "num_samples", 1);
	struct te_extern *x;

	if (!has_key(c))
		return false;
	if (samples < 1)
		return te_error(c, "'num_samples' must be positive");
	x = routine_begin(c, "relay_multinomial");
	routine_inputs(c, x, 2);
	te_extern_int(x, te_dim_div(c, elements(c), samples));
	te_extern_int(x, probs->shape[probs->ndim - 1]);
	te_extern_int(x, samples);
	te_extern_int(x, routine_dtype(probs->dtype));
	return routine_end(c, x);
}

/* A / N */
static const tir_expr *
ratio(struct te_call *c, struct dtype t, double a, int64_t n)
{
	static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};

	if (!te_is_size(n))
		return te_lit(c, t, a / (double)n);
	return te_cast(c, t,
		       te_div(c, te_lit(c, f64, a), te_lit_extent(c, f64, n)));
}

/* F(2 pi a b / n), with a b reduced first so that no digits are lost. */
static const tir_expr *
wave(struct te_call *c, enum tir_intrin f, struct dtype t, const tir_expr *a,
     const tir_expr *b, int64_t n)
{
	const double two_pi = 6.28318530717958647692;
	const tir_expr *phase = te_modi(c, te_mul(c, a, b), n);

	return te_unary(
		c, f, te_mul(c, te_cast(c, t, phase), ratio(c, t, two_pi, n)));
}

/* Frames of the signal times a window, as sums of waves. */
bool
compute_stft(struct te_call *c)
{
	const struct te_tensor *x = c->in[0], *window = c->in[1];
	int64_t n = te_attr_int(c, "n_fft", -1);
	int64_t hop = te_attr_int(c, "hop_length", -1);
	int64_t len = te_attr_int(c, "win_length", -1);
	uint32_t k = x->ndim - 1;
	struct te_body *b;
	const tir_expr *w, *index[2], *v, *re, *im;
	struct dtype t = x->dtype;

	len = len < 0 ? n : len;
	if (len < 1 || len > n ||
	    (!te_is_size(window->shape[0]) && window->shape[0] < len))
		return te_error(c, "the window does not fit");
	b = te_begin_out(c, NULL, 0);
	w = te_fold_axis(b, "w", len);
	index[0] = b->i[0];
	index[k] = te_add(c, te_muli(c, b->i[k + 1], hop), w);
	v = te_mul(c, te_cast(c, t, te_at(c, window, w)), te_get(c, x, index));
	if (te_attr_bool(c, "normalized"))
		v = te_mul(c, v, te_lit(c, t, 1 / sqrt((double)n)));
	re = wave(c, INTRIN_COS, t, b->i[k], w, len);
	im = te_sub(c, te_zero(c, t), wave(c, INTRIN_SIN, t, b->i[k], w, len));
	v = te_mul(c, v,
		   te_select(c, te_cmp(c, TIR_EQ, b->i[k + 2], te_int(c, 0)),
			     re, im));
	return te_output(c, 0, te_end_fold(b, TE_SUM, v));
}

/* Along the last axis; the inverse turns the other way and divides by n. */
bool
compute_dft(struct te_call *c)
{
	const struct te_tensor *re = c->in[0], *im = c->in[1];
	bool inverse = te_attr_bool(c, "inverse");
	uint32_t last = re->ndim - 1;
	int64_t n = re->shape[last];
	struct dtype t = re->dtype;
	const tir_expr *index[TE_MAX_RANK], *j, *cosine, *sine, *v;

	if (!te_expect_shape(c, 1, re->shape, re->ndim))
		return false;
	for (uint32_t o = 0; o < 2; o++) {
		struct te_body *b = te_begin_out(c, NULL, o);

		j = te_fold_axis(b, "k", n);
		for (uint32_t k = 0; k < last; k++)
			index[k] = b->i[k];
		index[last] = j;
		cosine = wave(c, INTRIN_COS, t, b->i[last], j, n);
		sine = wave(c, INTRIN_SIN, t, b->i[last], j, n);
		if (inverse)
			sine = te_sub(c, te_zero(c, t), sine);
		v = te_get(c, o ? im : re, index);
		v = te_mul(c, v, cosine);
		sine = te_mul(c, te_get(c, o ? re : im, index), sine);
		v = o ? te_sub(c, v, sine) : te_add(c, v, sine);
		if (inverse)
			v = te_mul(c, v, ratio(c, t, 1, n));
		te_output(c, o, te_end_fold(b, TE_SUM, v));
	}
	return true;
}
