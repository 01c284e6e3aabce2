/*
 * Loops built by hand, run by the evaluator and as machine code: both must
 * say the same, and what C says.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "codegen/llvm/llvm.h"
#include "ir/module.h"
#include "ir/tir.h"
#include "te/eval.h"
#include "test/unit/unit.h"

#include "include/relay_rt.h"

enum { N = 64 };

struct fixture {
	ir_context *cx;
	ir_module *m;
	struct diag diag;
	tir_func *f;
	const tir_expr *i; /* the loop variable */
};

static struct dtype
vec(struct dtype t, unsigned lanes)
{
	t.lanes = (uint16_t)lanes;
	return t;
}

static void
begin(struct fixture *x)
{
	x->cx = ir_context_new();
	x->m = ir_module_new(x->cx);
	diag_init(&x->diag, "kernels", NULL);
	x->f = arena_alloc(&x->m->arena, sizeof(*x->f));
	x->f->name = ir_name(x->cx, "kernel");
	ir_module_add(x->m, x->f->name, DEF_TIR, LOC_NONE)->tir = x->f;
}

static void
end(struct fixture *x)
{
	CHECK(x->diag.errors == 0);
	ir_module_free(x->m);
	ir_context_free(x->cx);
}

static const struct tir_buffer *
param(struct fixture *x, const char *name, struct dtype t, int64_t size)
{
	ir_module *m = x->m;
	tir_func *f = x->f;
	struct tir_param *p =
		arena_array(&m->arena, f->nparams + 1, sizeof(*p));

	if (f->nparams)
		memcpy(p, f->params, f->nparams * sizeof(*p));
	p[f->nparams].var =
		tir_new_var(m, ir_name(x->cx, name), DTYPE(HANDLE, 64));
	p[f->nparams].buffer =
		tir_new_buffer(m, ir_name(x->cx, name), t, size, TIR_GLOBAL);
	f->params = p;
	return p[f->nparams++].buffer;
}

typedef int32_t kernel1(void *a, void *scratch, relay_threads *pool);
typedef int32_t kernel2(void *a, void *b, void *scratch, relay_threads *pool);
typedef int32_t kernel3(void *a, void *b, void *c, void *scratch,
			relay_threads *pool);

/* Run the kernel both ways over copies of the last of its N buffers. */
static void
run_both(struct fixture *x, void *const *data, const size_t *sizes, uint32_t n,
	 void *compiled, int level, relay_threads *pool)
{
	struct llvm_options o = {
		.cpu = "native", .level = level, .verify = true};
	struct eval_machine *e = eval_machine_new(x->m, &x->diag);
	struct eval_span args[4];
	struct llvm_unit *u;
	struct llvm_jit *j;
	void *p;
	int32_t status = -1;

	for (uint32_t i = 0; i < n; i++)
		args[i] = (struct eval_span){data[i], sizes[i]};
	CHECK(eval_run_tir(e, x->f, args, n));
	eval_machine_free(e);
	u = llvm_unit_new(x->m, &o, &x->diag);
	j = u && llvm_unit_optimise(u, &o, &x->diag) ? llvm_jit_new(u, &x->diag)
						     : NULL;
	p = j ? llvm_jit_symbol(j, "kernel", &x->diag) : NULL;
	CHECK(p != NULL);
	if (p && n == 1)
		status = ((kernel1 *)(uintptr_t)p)(compiled, NULL, pool);
	else if (p && n == 2)
		status = ((kernel2 *)(uintptr_t)p)(data[0], compiled, NULL,
						   pool);
	else if (p)
		status = ((kernel3 *)(uintptr_t)p)(data[0], data[1], compiled,
						   NULL, pool);
	CHECK(status == 0);
	llvm_jit_free(j);
	llvm_unit_free(u);
}

static const float inputs[N] = {
	0,     -0.0f, 1,      -1,     0.5f,     -0.5f,     2,       3,
	-2.5f, 0.1f,  1e-3f,  -1e-3f, 1e-20f,   1e-40f,    -1e-40f, 10,
	20,    -20,   50,     -50,    80,       -80,       88,      -87,
	88.8f, 89,    -103,   -104,   -120,     1e10f,     -1e10f,  FLT_MAX,
	1.5f,  2.5f,  3.5f,   -1.5f,  0.7f,     0.6249f,   0.6251f, 0.99f,
	1.01f, 3.9f,  4.1f,   5,      8,        9,         0.3f,    0.2f,
	7,     6,     0.75f,  0.9f,   1.2f,     1.9f,      2.2f,    123.456f,
	1e5f,  0.01f, -0.01f, -0.3f,  INFINITY, -INFINITY, NAN,     FLT_MIN,
};

static bool
close_to(double got, double want, double ulps)
{
	double unit = fabs(want) * 0x1p-23;

	if (isnan(want))
		return isnan(got);
	if (isinf(want) || want == 0)
		return got == want || (want == 0 && fabs(got) < 1e-44);
	return fabs(got - want) <= ulps * unit + 1e-44;
}

/* out[i] = F(in[i]), LANES at a time. */
static void
try_function(enum tir_intrin f, double (*want)(double), unsigned lanes,
	     double ulps)
{
	struct fixture x;
	struct dtype t = DTYPE(FLOAT, 32), i32 = DTYPE(INT, 32);
	float in[N], out[N] = {0}, compiled[N] = {0};
	void *data[] = {in, out};
	size_t sizes[] = {sizeof(in), sizeof(out)};
	const struct tir_buffer *a, *b;
	const tir_expr *i, *v;
	const struct tir_var *var;

	memcpy(in, inputs, sizeof(in));
	begin(&x);
	a = param(&x, "a", t, N);
	b = param(&x, "b", t, N);
	var = tir_new_var(x.m, ir_name(x.cx, "i"), i32);
	i = tir_var_ref(x.m, var);
	i = tir_binary(x.m, TIR_MUL, i, tir_int(x.m, i32, lanes));
	if (lanes > 1)
		i = tir_ramp(x.m, i, tir_int(x.m, i32, 1), lanes);
	v = tir_load(x.m, a, i);
	v = tir_call(x.m, f, vec(t, lanes), &v, 1);
	x.f->body = tir_for(x.m, var, tir_int(x.m, i32, 0),
			    tir_int(x.m, i32, N / lanes), TIR_SERIAL,
			    tir_store(x.m, b, i, v));
	run_both(&x, data, sizes, 2, compiled, 2, NULL);
	for (int k = 0; k < N; k++) {
		double y = (double)(float)want(in[k]);

		if (!close_to(compiled[k], y, ulps) ||
		    !close_to(out[k], y, 1.01)) {
			fprintf(stderr, "%s(%.9g): %.9g and %.9g, not %.9g\n",
				tir_intrin_info[f].name, (double)in[k],
				(double)compiled[k], (double)out[k], y);
			CHECK(false);
		}
	}
	end(&x);
}

static double
sigmoid(double x)
{
	return 1 / (1 + exp(-x));
}

static double
rsqrt(double x)
{
	return 1 / sqrt(x);
}

static void
test_functions(void)
{
	static const struct {
		enum tir_intrin f;
		double (*want)(double);
		double ulps;
	} rows[] = {
		{INTRIN_EXP, exp, 2},         {INTRIN_LOG, log, 2},
		{INTRIN_TANH, tanh, 2.5},     {INTRIN_ERF, erf, 2.5},
		{INTRIN_SIGMOID, sigmoid, 3}, {INTRIN_SQRT, sqrt, 0},
		{INTRIN_RSQRT, rsqrt, 1.5},   {INTRIN_SIN, sin, 1.5},
		{INTRIN_FLOOR, floor, 0},     {INTRIN_CEIL, ceil, 0},
		{INTRIN_ROUND, round, 0},     {INTRIN_TRUNC, trunc, 0},
		{INTRIN_ABS, fabs, 0},        {INTRIN_NEARBYINT, nearbyint, 0},
		{INTRIN_LOG2, log2, 1.5},     {INTRIN_ATAN, atan, 1.5},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		try_function(rows[i].f, rows[i].want, 1, rows[i].ulps);
		try_function(rows[i].f, rows[i].want, 8, rows[i].ulps);
	}
}

/* out[i] = a[i] K b[i] over pairs of small numbers, in type T. */
static void
try_binary(enum tir_kind k, struct dtype t, const int64_t *want)
{
	struct fixture x;
	struct dtype i32 = DTYPE(INT, 32), i64 = DTYPE(INT, 64);
	int64_t a[16], b[16], out[16] = {0}, compiled[16] = {0};
	void *data[] = {a, b, out};
	size_t sizes[] = {sizeof(a), sizeof(b), sizeof(out)};
	const struct tir_buffer *p, *q, *r;
	const tir_expr *i, *u, *v;
	const struct tir_var *var;

	for (int n = 0; n < 16; n++) {
		static const int64_t left[] = {-7, 7, -128, 0};
		static const int64_t right[] = {3, -3, -1, 0};

		a[n] = left[n / 4];
		b[n] = right[n % 4];
	}
	begin(&x);
	p = param(&x, "a", i64, 16);
	q = param(&x, "b", i64, 16);
	r = param(&x, "c", i64, 16);
	var = tir_new_var(x.m, ir_name(x.cx, "i"), i32);
	i = tir_var_ref(x.m, var);
	u = tir_cast(x.m, t, tir_load(x.m, p, i));
	v = tir_cast(x.m, t, tir_load(x.m, q, i));
	u = tir_cast(x.m, i64, tir_binary(x.m, k, u, v));
	x.f->body =
		tir_for(x.m, var, tir_int(x.m, i32, 0), tir_int(x.m, i32, 16),
			TIR_SERIAL, tir_store(x.m, r, i, u));
	run_both(&x, data, sizes, 3, compiled, 1, NULL);
	for (int n = 0; n < 16; n++) {
		CHECK(out[n] == compiled[n]);
		CHECK(out[n] == want[n]);
	}
	end(&x);
}

static void
test_division(void)
{
	static const int64_t div8[] = {-3,  2,  7,    -7,   2, -3, -7, 7,
				       -43, 42, -128, -128, 0, 0,  0,  0};
	static const int64_t mod8[] = {2, -1, 0, 0, 1, -2, 0, 0,
				       1, -2, 0, 0, 0, 0,  0, 0};
	static const int64_t tdiv8[] = {-2,  2,  7,    -7,   2, -2, -7, 7,
					-42, 42, -128, -128, 0, 0,  0,  0};
	static const int64_t add8[] = {-4,   -10, -8,  -7,   10, 4,  6,  7,
				       -125, 125, 127, -128, 3,  -3, -1, 0};
	static const int64_t ult[] = {0, 1, 1, 0, 0, 1, 1, 0,
				      0, 1, 1, 0, 1, 1, 1, 0};

	try_binary(TIR_DIV, DTYPE(INT, 8), div8);
	try_binary(TIR_MOD, DTYPE(INT, 8), mod8);
	try_binary(TIR_TRUNCDIV, DTYPE(INT, 8), tdiv8);
	try_binary(TIR_ADD, DTYPE(INT, 8), add8);
	try_binary(TIR_LT, DTYPE(UINT, 16), ult);
}

/* Half: every finite value times 1.5, as C's arithmetic rounds it. */
static void
test_half(const char *features)
{
	struct fixture x;
	struct dtype h = DTYPE(FLOAT, 16), i32 = DTYPE(INT, 32);
	enum { ALL = 65536 };
	uint16_t *in = xcalloc(ALL, 2), *out = xcalloc(ALL, 2);
	uint16_t *compiled = xcalloc(ALL, 2);
	void *data[] = {in, out};
	size_t sizes[] = {2 * ALL, 2 * ALL};
	const struct tir_buffer *a, *b;
	const tir_expr *i, *v;
	const struct tir_var *var;

	(void)features;
	for (int k = 0; k < ALL; k++)
		in[k] = (uint16_t)k;
	begin(&x);
	a = param(&x, "a", h, ALL);
	b = param(&x, "b", h, ALL);
	var = tir_new_var(x.m, ir_name(x.cx, "i"), i32);
	i = tir_binary(x.m, TIR_MUL, tir_var_ref(x.m, var),
		       tir_int(x.m, i32, 8));
	i = tir_ramp(x.m, i, tir_int(x.m, i32, 1), 8);
	v = tir_binary(x.m, TIR_MUL, tir_load(x.m, a, i),
		       tir_broadcast(x.m, tir_float(x.m, h, 1.5), 8));
	x.f->body = tir_for(x.m, var, tir_int(x.m, i32, 0),
			    tir_int(x.m, i32, ALL / 8), TIR_SERIAL,
			    tir_store(x.m, b, i, v));
	run_both(&x, data, sizes, 2, compiled, 2, NULL);
	for (int k = 0; k < ALL; k++) {
		uint16_t y = float_to_half(half_to_float(in[k]) * 1.5f);
		bool nan = (y & 0x7fff) > 0x7c00;

		if (nan)
			CHECK((out[k] & 0x7fff) > 0x7c00 &&
			      (compiled[k] & 0x7fff) > 0x7c00);
		else
			CHECK(out[k] == y && compiled[k] == y);
	}
	free(in);
	free(out);
	free(compiled);
	end(&x);
}

/* c[i, j] = sum(k; a[i, k] * b[k, j]), rows in parallel, columns vectors. */
static void
test_matmul(relay_threads *pool)
{
	enum { M = 24, K = 17, L = 8 };
	struct fixture x;
	struct dtype t = DTYPE(FLOAT, 32), i32 = DTYPE(INT, 32);
	float a[M * K], b[K * L], c[M * L], compiled[M * L];
	void *data[] = {a, b, c};
	size_t sizes[] = {sizeof(a), sizeof(b), sizeof(c)};
	const struct tir_buffer *p, *q, *r;
	const struct tir_var *vi, *vk;
	const tir_expr *i, *k, *at, *v, *one;
	tir_stmt *body;
	ir_module *m;

	for (int n = 0; n < M * K; n++)
		a[n] = (float)(n % 7) - 3;
	for (int n = 0; n < K * L; n++)
		b[n] = (float)(n % 5) - 2;
	begin(&x);
	m = x.m;
	p = param(&x, "a", t, M * K);
	q = param(&x, "b", t, K * L);
	r = param(&x, "c", t, M * L);
	vi = tir_new_var(m, ir_name(x.cx, "i"), i32);
	vk = tir_new_var(m, ir_name(x.cx, "k"), i32);
	i = tir_var_ref(m, vi);
	k = tir_var_ref(m, vk);
	one = tir_int(m, i32, 1);
	at = tir_ramp(m, tir_binary(m, TIR_MUL, i, tir_int(m, i32, L)), one, L);
	v = tir_load(m, p,
		     tir_binary(m, TIR_ADD,
				tir_binary(m, TIR_MUL, i, tir_int(m, i32, K)),
				k));
	v = tir_binary(
		m, TIR_MUL, tir_broadcast(m, v, L),
		tir_load(m, q,
			 tir_ramp(m,
				  tir_binary(m, TIR_MUL, k, tir_int(m, i32, L)),
				  one, L)));
	v = tir_binary(m, TIR_ADD, tir_load(m, r, at), v);
	body = tir_seq(m);
	tir_seq_add(
		m, body,
		tir_store(m, r, at, tir_broadcast(m, tir_float(m, t, 0), L)));
	tir_seq_add(m, body,
		    tir_for(m, vk, tir_int(m, i32, 0), tir_int(m, i32, K),
			    TIR_SERIAL, tir_store(m, r, at, v)));
	x.f->body = tir_for(m, vi, tir_int(m, i32, 0), tir_int(m, i32, M),
			    TIR_PARALLEL, body);
	run_both(&x, data, sizes, 3, compiled, 2, pool);
	for (int n = 0; n < M * L; n++) {
		float want = 0;

		for (int s = 0; s < K; s++)
			want += a[n / L * K + s] * b[s * L + n % L];
		CHECK(c[n] == want && compiled[n] == want);
	}
	end(&x);
}

/* b[i] = i odd ? a[i - 1] : 0, with a guard; LANES at a time. */
static void
test_guard(unsigned lanes)
{
	struct fixture x;
	struct dtype t = DTYPE(INT, 32), v = vec(t, lanes);
	int32_t a[N], b[N], compiled[N];
	void *data[] = {a, b};
	size_t sizes[] = {sizeof(a), sizeof(b)};
	const struct tir_buffer *p, *q;
	const tir_expr *i, *one, *odd, *e;
	const struct tir_var *var;
	ir_module *m;

	for (int k = 0; k < N; k++)
		a[k] = k + 100;
	begin(&x);
	m = x.m;
	p = param(&x, "a", t, N);
	q = param(&x, "b", t, N);
	var = tir_new_var(m, ir_name(x.cx, "i"), t);
	i = tir_binary(m, TIR_MUL, tir_var_ref(m, var), tir_int(m, t, lanes));
	one = tir_int(m, t, 1);
	if (lanes > 1) {
		i = tir_ramp(m, i, one, lanes);
		one = tir_broadcast(m, one, lanes);
	}
	e = lanes > 1 ? tir_broadcast(m, tir_int(m, t, 2), lanes)
		      : tir_int(m, t, 2);
	odd = tir_binary(m, TIR_EQ, tir_binary(m, TIR_MOD, i, e), one);
	e = tir_load(m, p, tir_binary(m, TIR_SUB, i, one));
	e = tir_guard(m, odd, e, tir_binary(m, TIR_SUB, one, one));
	CHECK(dtype_equal(e->dtype, v));
	x.f->body = tir_for(m, var, tir_int(m, t, 0), tir_int(m, t, N / lanes),
			    TIR_SERIAL, tir_store(m, q, i, e));
	run_both(&x, data, sizes, 2, compiled, 2, NULL);
	for (int k = 0; k < N; k++) {
		int32_t want = k % 2 ? a[k - 1] : 0;

		CHECK(b[k] == want && compiled[k] == want);
	}
	end(&x);
}

/* NaN from either side; a constant operand takes a shorter way. */
static void
test_max(void)
{
	struct fixture x;
	struct dtype t = DTYPE(FLOAT, 32), i32 = DTYPE(INT, 32);
	float a[4] = {NAN, 1, NAN, 3}, b[4] = {2, NAN, NAN, -4};
	float c[8], compiled[8];
	static const float want[8] = {NAN, NAN, NAN, 3, NAN, 1, NAN, 3};
	void *data[] = {a, b, c};
	size_t sizes[] = {sizeof(a), sizeof(b), sizeof(c)};
	const struct tir_buffer *p, *q, *r;
	const struct tir_var *var;
	const tir_expr *i, *zero, *four;
	tir_stmt *body;
	ir_module *m;

	begin(&x);
	m = x.m;
	p = param(&x, "a", t, 4);
	q = param(&x, "b", t, 4);
	r = param(&x, "c", t, 8);
	var = tir_new_var(m, ir_name(x.cx, "i"), i32);
	i = tir_var_ref(m, var);
	zero = tir_float(m, t, 0);
	four = tir_int(m, i32, 4);
	body = tir_seq(m);
	tir_seq_add(m, body,
		    tir_store(m, r, i,
			      tir_binary(m, TIR_MAX, tir_load(m, p, i),
					 tir_load(m, q, i))));
	tir_seq_add(m, body,
		    tir_store(m, r, tir_binary(m, TIR_ADD, i, four),
			      tir_binary(m, TIR_MAX, tir_load(m, p, i), zero)));
	x.f->body =
		tir_for(m, var, tir_int(m, i32, 0), four, TIR_UNROLLED, body);
	run_both(&x, data, sizes, 3, compiled, 2, NULL);
	for (int k = 0; k < 8; k++) {
		CHECK(close_to(c[k], want[k], 0));
		CHECK(close_to(compiled[k], want[k], 0));
	}
	end(&x);
}

/* The evaluator does not leave a buffer. */
static void
test_bounds(void)
{
	struct fixture x;
	struct dtype i32 = DTYPE(INT, 32);
	int32_t a[4] = {0};
	struct eval_span args[] = {{a, sizeof(a)}};
	struct eval_machine *e;
	const struct tir_buffer *p;

	begin(&x);
	x.diag.quiet = true;
	p = param(&x, "a", i32, 4);
	x.f->body =
		tir_store(x.m, p, tir_int(x.m, i32, 4), tir_int(x.m, i32, 1));
	e = eval_machine_new(x.m, &x.diag);
	CHECK(!eval_run_tir(e, x.f, args, 1));
	CHECK(x.diag.errors == 1);
	x.diag.errors = 0;
	eval_machine_free(e);
	end(&x);
}

int
main(void)
{
	relay_threads *pool = relay_threads_new(3);

	test_functions();
	test_division();
	test_half(NULL);
	test_matmul(NULL);
	test_matmul(pool);
	test_guard(1);
	test_guard(8);
	test_max();
	test_bounds();
	relay_threads_free(pool);
	return unit_result();
}
