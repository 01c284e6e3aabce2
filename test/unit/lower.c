/*
 * Schedules against plain loops: each kernel is lowered without a schedule
 * and with the default ones of several targets, and run by the evaluator on
 * the same numbers.
 *
 *     lower [KERNEL-NUMBER]       shows the loops of one kernel
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "ir/print.h"
#include "parser/parser.h"
#include "support/buf.h"
#include "te/build.h"
#include "te/eval.h"
#include "te/lower.h"
#include "te/schedule.h"

#define T(...) "Tensor[(" #__VA_ARGS__ "), float32]"
#define I8(...) "Tensor[(" #__VA_ARGS__ "), int8]"

/* Bodies of fn (%x, %w, %b). */
static const struct kernel {
	const char *x, *w, *b;
	const char *body;
} kernels[] = {
	{T(3, 5), T(3, 5), T(5), "add(multiply(%x, %w), %b)"},
	{T(1000), T(1000), T(1), "exp(add(%x, %w))"},
	{T(2, 3, 7, 9), T(3, 1, 1), T(1, 9),
	 "nn.relu(add(multiply(%x, %w), %b))"},
	{T(4, 70), T(70), T(1), "sum(add(%x, %w), axis=[1])"},
	{T(4, 70), T(70), T(1), "sum(%x, axis=[0])"},
	{T(3, 5, 7), T(1), T(1), "max(%x)"},
	{T(2, 6, 7, 7), T(1), T(1), "mean(%x, axis=[2, 3])"},
	{T(9, 33), T(17, 33), T(17),
	 "nn.relu(nn.bias_add(nn.dense(%x, %w, units=17), %b))"},
	{T(1, 130), T(70, 130), T(70), "add(nn.dense(%x, %w, units=70), %b)"},
	{T(13, 20), T(20, 37), T(1), "nn.matmul(%x, %w, units=37)"},
	{T(2, 9, 33), T(2, 10, 33), T(1), "nn.batch_matmul(%x, %w, transpose_b=True)"},
	{T(1, 5, 14, 14), T(8, 5, 3, 3), T(8, 1, 1),
	 "nn.relu(add(nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=8, "
	 "kernel_size=[3, 3]), %b))"},
	{T(1, 3, 23, 23), T(7, 3, 5, 5), T(1),
	 "nn.conv2d(%x, %w, strides=[2, 2], padding=[2, 2, 2, 2], "
	 "channels=7, kernel_size=[5, 5])"},
	{T(1, 16, 7, 7), T(9, 16, 1, 1), T(1, 9, 7, 7),
	 "add(nn.conv2d(%x, %w, channels=9, kernel_size=[1, 1]), %b)"},
	{T(1, 6, 12, 20), T(6, 1, 3, 3), T(1),
	 "nn.conv2d(%x, %w, padding=[1, 1, 1, 1], groups=6, channels=6, "
	 "kernel_size=[3, 3])"},
	{T(1, 9, 9, 5), T(3, 3, 5, 18), T(18),
	 "add(nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=18, "
	 "kernel_size=[3, 3], data_layout=\"NHWC\", "
	 "kernel_layout=\"HWIO\"), %b)"},
	{T(1, 4, 21, 21), T(1), T(1),
	 "nn.max_pool2d(%x, pool_size=[3, 3], strides=[2, 2], "
	 "padding=[1, 1, 1, 1])"},
	{T(1, 4, 11, 11), T(1), T(1),
	 "nn.avg_pool2d(%x, pool_size=[3, 3], strides=[2, 2], "
	 "padding=[1, 1, 1, 1], ceil_mode=True)"},
	{T(5, 77), T(1), T(1), "nn.softmax(%x)"},
	{T(2, 8, 3), T(1), T(1), "nn.softmax(%x, axis=1)"},
	{T(5, 6, 7), T(1), T(1), "transpose(%x, axes=[2, 0, 1])"},
	{T(5, 6, 8), T(1), T(1),
	 "nn.relu(reshape(transpose(%x, axes=[1, 0, 2]), "
	 "newshape=[6, 40]))"},
	{T(4, 5, 6), T(4, 9, 6), T(1), "concatenate((%x, %w, %x), axis=1)"},
	{T(4, 50), T(4, 9), T(1), "concatenate((%x, %w, %x), axis=1)"},
	{T(30, 20), T(1), T(1),
	 "strided_slice(%x, begin=[3, 2], end=[29, 19], strides=[2, 3])"},
	{I8(1, 4, 10, 18), I8(6, 4, 3, 3), T(1),
	 "nn.conv2d(%x, %w, padding=[1, 1, 1, 1], channels=6, "
	 "kernel_size=[3, 3], out_dtype=\"int32\")"},
	{T(6, 40), T(40), T(40), "nn.layer_norm(%x, %w, %b)"},
	{T(6, 50), T(1), T(1), "argmax(%x, axis=[1])"},
	{T(4, 6), T(1), T(1), "tanh(sigmoid(multiply(%x, %x)))"},
};

static const char *const targets[] = {
	"llvm",
	"llvm -mcpu=znver3",
	"llvm -mcpu=x86-64-v4",
	"bang",
};

static uint64_t seed = 1;

static double
next_number(void)
{
	seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (double)(int)((seed >> 40) % 17) - 8;
}

/* Memory behind the parameters of F; the inputs get the same numbers. */
static struct eval_span *
make_args(const tir_func *f)
{
	struct eval_span *args = xcalloc(f->nparams, sizeof(*args));

	seed = 7;
	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct tir_buffer *b = f->params[i].buffer;
		ir_tensor t = {.dtype = b->dtype};

		args[i].nbytes = (size_t)b->size * dtype_size(b->dtype);
		args[i].data = xcalloc(1, args[i].nbytes + 1);
		t.data = args[i].data;
		for (int64_t k = 0; i < 3 && k < b->size; k++)
			ir_tensor_set_double(&t, k,
					     dtype_is_float(b->dtype)
						     ? next_number() / 8
						     : next_number());
	}
	return args;
}

static bool
same(const tir_func *f, const struct eval_span *a, const struct eval_span *b,
     uint32_t i)
{
	struct dtype t = f->params[i].buffer->dtype;
	ir_tensor x = {.dtype = t, .data = a[i].data};
	ir_tensor y = {.dtype = t, .data = b[i].data};

	for (int64_t k = 0; k < f->params[i].buffer->size; k++) {
		double u = ir_tensor_get_double(&x, k);
		double v = ir_tensor_get_double(&y, k);

		if (fabs(u - v) <= 1e-4 + 1e-4 * fabs(u))
			continue;
		printf("element %lld: %g became %g\n", (long long)k, u, v);
		return false;
	}
	return true;
}

static void
show(const te_func *f, const te_schedule *s, const tir_func *l)
{
	struct buf out = {0};

	te_print_func(&out, f);
	if (s)
		te_print_schedule(&out, s);
	tir_print_func(&out, l);
	fputs(out.at, stdout);
	buf_free(&out);
}

static bool
check_target(ir_module *m, const te_func *f, const tir_func *plain,
	     const struct eval_span *want, const char *text, bool loud,
	     struct diag *d)
{
	struct te_target target = te_target_parse(text);
	te_schedule *s = te_default_schedule(m, f, &target);
	tir_func *l = te_lower(m, f, s, d);
	struct eval_machine *x = eval_machine_new(m, d);
	struct eval_span *args;
	bool ok = false;

	if (!l || !tir_verify(m, l, d)) {
		printf("lowering for '%s' failed\n", text);
		if (l)
			show(f, s, l);
		return false;
	}
	if (loud)
		show(f, s, l);
	args = make_args(l);
	if (eval_run_tir(x, l, args, l->nparams))
		ok = same(plain, want, args, 3);
	if (!ok) {
		printf("target '%s'\n", text);
		show(f, s, l);
	}
	for (uint32_t i = 0; i < l->nparams; i++)
		free(args[i].data);
	free(args);
	eval_machine_free(x);
	return ok;
}

static bool
check(const struct kernel *k, bool loud)
{
	ir_context *cx = ir_context_new();
	struct buf text = {0};
	struct source src;
	struct diag d;
	ir_module *m;
	struct te_build_request r = {0};
	ir_expr_vec extra = {0};
	te_func *f = NULL;
	bool ok = false;

	buf_printf(&text,
		   "#[version = \"0.0.5\"]\ndef @k(%%x: %s, %%w: %s, %%b: %s, "
		   "Primitive=1) { %s }\n",
		   k->x, k->w, k->b, k->body);
	source_init(&src, "kernel", text.at, text.len);
	diag_init(&d, "lower", &src);
	m = parse_module(cx, &src, &d, NULL);
	if (m && ir_infer_module(m, &d)) {
		r.name = ir_name(cx, "k");
		r.fn = ir_module_find(m, r.name)->fn;
		f = te_build(m, &r, &extra, &d);
	}
	if (f) {
		tir_func *plain = te_lower(m, f, NULL, &d);
		struct eval_machine *x = eval_machine_new(m, &d);
		struct eval_span *want = make_args(plain);

		ok = eval_run_tir(x, plain, want, plain->nparams);
		for (size_t i = 0; i < 4 && ok; i++)
			ok = check_target(m, f, plain, want, targets[i], loud,
					  &d);
		for (uint32_t i = 0; i < plain->nparams; i++)
			free(want[i].data);
		free(want);
		eval_machine_free(x);
	}
	if (!ok)
		printf("kernel: %s\n", k->body);
	vec_free(&extra);
	if (m)
		ir_module_free(m);
	source_free(&src);
	ir_context_free(cx);
	buf_free(&text);
	return ok;
}

int
main(int argc, char **argv)
{
	size_t n = sizeof(kernels) / sizeof(kernels[0]);
	int bad = 0;

	if (argc > 1)
		return !check(&kernels[strtoul(argv[1], NULL, 10) % n], true);
	for (size_t i = 0; i < n; i++) {
		if (check(&kernels[i], false))
			continue;
		printf("FAILED: %zu\n", i);
		bad++;
	}
	return bad != 0;
}
