/*
 * Schedules against plain loops: each kernel is lowered without a schedule
 * and with the default ones of several targets, and run by the evaluator on
 * the same numbers; so is each with dimensions that it is told at run time.
 *
 *     lower [KERNEL-NUMBER]             shows the loops of one kernel
 *     lower fuzz [CASES [SEED]]         tries random schedules instead
 *     lower fuzz-sizes [CASES [SEED]]   and with unknown dimensions
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
#include "te/sizes.h"

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
	{T(2, 9, 33), T(2, 10, 33), T(1),
	 "nn.batch_matmul(%x, %w, transpose_b=True)"},
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

/* F lowered by S gives what PLAIN gave. */
static bool
check_schedule(ir_module *m, const te_func *f, const tir_func *plain,
	       const struct eval_span *want, const te_schedule *s, bool loud,
	       struct diag *d)
{
	tir_func *l = te_lower(m, f, s, d);
	struct eval_machine *x = eval_machine_new(m, d);
	struct eval_span *args;
	bool ok = false;

	if (!l || !tir_verify(m, l, d)) {
		printf("lowering failed\n");
		if (l)
			show(f, s, l);
		eval_machine_free(x);
		return false;
	}
	if (loud)
		show(f, s, l);
	args = make_args(l);
	if (eval_run_tir(x, l, args, l->nparams))
		ok = same(plain, want, args, 3);
	if (!ok)
		show(f, s, l);
	for (uint32_t i = 0; i < l->nparams; i++)
		free(args[i].data);
	free(args);
	eval_machine_free(x);
	return ok;
}

static bool
check_targets(ir_module *m, const te_func *f, const tir_func *plain,
	      const struct eval_span *want, bool loud, struct diag *d)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		struct te_target t = te_target_parse(targets[i]);
		te_schedule *s = te_default_schedule(m, f, &t);

		if (!check_schedule(m, f, plain, want, s, loud, d))
			return false;
	}
	return true;
}

static uint64_t dice = 1;

static uint32_t
roll(uint32_t n)
{
	dice = dice * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (uint32_t)(dice >> 33) % n;
}

/* Loops of the stages written so far. */
struct fuzz_stage {
	const char *name;
	const char *axis[32];
	bool fold[32];
	uint32_t n;
};

static const char **
names_of(ir_module *m, const char *const *names, uint32_t n)
{
	return arena_copy(&m->arena, names, n * sizeof(*names));
}

static void
fuzz_split(ir_module *m, struct te_stage *st, struct fuzz_stage *fs)
{
	uint32_t k = roll(fs->n);
	const char *parts[2] = {
		ir_namef(m->cx, "%s_o%u", fs->axis[k], fs->n),
		ir_namef(m->cx, "%s_i%u", fs->axis[k], fs->n),
	};
	struct te_prim *p = te_stage_add(m, st, TE_PRIM_SPLIT);

	p->in = names_of(m, &fs->axis[k], p->nin = 1);
	p->out = names_of(m, parts, p->nout = 2);
	p->number = 1 + roll(7);
	for (uint32_t i = fs->n++; i > k; i--) {
		fs->axis[i] = fs->axis[i - 1];
		fs->fold[i] = fs->fold[i - 1];
	}
	fs->axis[k] = parts[0];
	fs->axis[k + 1] = parts[1];
}

static void
fuzz_fuse(ir_module *m, struct te_stage *st, struct fuzz_stage *fs)
{
	uint32_t k = roll(fs->n - 1);
	const char *out =
		ir_namef(m->cx, "%s_%s", fs->axis[k], fs->axis[k + 1]);
	struct te_prim *p;

	if (fs->fold[k] != fs->fold[k + 1])
		return;
	p = te_stage_add(m, st, TE_PRIM_FUSE);
	p->in = names_of(m, &fs->axis[k], p->nin = 2);
	p->out = names_of(m, &out, p->nout = 1);
	fs->axis[k] = out;
	for (uint32_t i = k + 1; i + 1 < fs->n; i++) {
		fs->axis[i] = fs->axis[i + 1];
		fs->fold[i] = fs->fold[i + 1];
	}
	fs->n--;
}

static void
fuzz_order(ir_module *m, struct te_stage *st, struct fuzz_stage *fs)
{
	struct te_prim *p = te_stage_add(m, st, TE_PRIM_ORDER);

	for (uint32_t i = fs->n; i-- > 1;) {
		uint32_t k = roll(i + 1);
		const char *name = fs->axis[i];
		bool fold = fs->fold[i];

		fs->axis[i] = fs->axis[k];
		fs->fold[i] = fs->fold[k];
		fs->axis[k] = name;
		fs->fold[k] = fold;
	}
	p->in = names_of(m, fs->axis, p->nin = fs->n);
}

static void
fuzz_mark(ir_module *m, struct te_stage *st, struct fuzz_stage *fs)
{
	static const enum te_prim_kind kinds[] = {
		TE_PRIM_VECTORIZE,
		TE_PRIM_UNROLL,
		TE_PRIM_PARALLEL,
	};
	uint32_t k = roll(fs->n);
	struct te_prim *p = te_stage_add(
		m, st, fs->fold[k] ? TE_PRIM_UNROLL : kinds[roll(3)]);

	p->in = names_of(m, &fs->axis[k], p->nin = 1);
}

/* Any stage, consumers first, so that others can be attached to them. */
static te_schedule *
fuzz_schedule(ir_module *m, const te_func *f)
{
	te_schedule *s = te_new_schedule(m, f->name);
	struct fuzz_stage *all = xcalloc(f->nops + 1, sizeof(*all));

	for (uint32_t i = f->nops; i-- > f->nparams;) {
		const struct te_op *op = f->ops[i];
		struct te_stage *st = te_schedule_stage(m, s, op->name);
		const tir_expr *e = op->body[0];
		struct fuzz_stage *fs = &all[i];
		uint32_t to = i + 1 + roll(f->nops - i);

		fs->name = op->name;
		for (uint32_t k = 0; k < op->naxes; k++)
			fs->axis[fs->n++] = op->axes[k].var->name;
		for (uint32_t k = 0;
		     e->kind == TIR_REDUCE && k < e->reduce->naxes; k++) {
			fs->fold[fs->n] = true;
			fs->axis[fs->n++] = e->reduce->axes[k].var->name;
		}
		if (roll(4) == 0 && e->kind != TIR_REDUCE && to < f->nops) {
			te_stage_add(m, st, TE_PRIM_INLINE);
			continue;
		}
		for (uint32_t k = roll(7); k > 0 && fs->n; k--) {
			uint32_t what = roll(5);

			if (what < 2 && fs->n < 20)
				fuzz_split(m, st, fs);
			else if (what == 2 && fs->n > 1)
				fuzz_fuse(m, st, fs);
			else if (what == 3)
				fuzz_order(m, st, fs);
			else if (what == 4)
				fuzz_mark(m, st, fs);
		}
		if (roll(2) && to < f->nops && all[to].n) {
			const char *at[2] = {
				all[to].name,
				all[to].axis[roll(all[to].n)],
			};
			struct te_prim *p = te_stage_add(m, st, TE_PRIM_AT);

			p->in = names_of(m, at, p->nin = 2);
		}
	}
	free(all);
	return s;
}

/* Random schedules; those that are refused do not count. */
static bool
check_random(ir_module *m, const te_func *f, const tir_func *plain,
	     const struct eval_span *want, long *cases, struct diag *d)
{
	for (int i = 0; i < 20; i++) {
		te_schedule *s = fuzz_schedule(m, f);
		struct diag quiet;

		diag_init(&quiet, NULL, NULL);
		quiet.quiet = true;
		if (!te_to_tir(m, f, s, &quiet))
			continue;
		if (!check_schedule(m, f, plain, want, s, false, d))
			return false;
		--*cases;
	}
	return true;
}

/* Which dimensions of the inputs are not known; X_: of the first alone. */
enum unknown {
	UNKNOWN_ALL,
	UNKNOWN_FIRST,
	UNKNOWN_LAST,
	UNKNOWN_X_FIRST,
	UNKNOWN_X_TAIL, /* behind the first two */
	UNKNOWN_COUNT
};

static bool
is_unknown(enum unknown u, int d, bool last)
{
	switch (u) {
	case UNKNOWN_ALL:
		return true;
	case UNKNOWN_FIRST:
	case UNKNOWN_X_FIRST:
		return d == 0;
	case UNKNOWN_LAST:
		return last;
	case UNKNOWN_X_TAIL:
		return d >= 2;
	case UNKNOWN_COUNT:
		break;
	}
	return false;
}

/* TYPE without its dimensions of kind U. */
static void
put_unknown(struct buf *out, const char *type, enum unknown u)
{
	const char *close = strchr(type, ')');
	int d = 0;

	while (*type) {
		bool digit = type < close && *type >= '0' && *type <= '9';
		size_t n = digit ? strspn(type, "0123456789") : 1;

		if (digit && is_unknown(u, d, type + n == close))
			buf_putc(out, '?');
		else
			buf_put(out, type, n);
		d += digit;
		type += n;
	}
}

/* The module of kernel K with the types X, W, B. */
static ir_module *
parse_kernel(ir_context *cx, struct source *src, struct buf *text,
	     const struct kernel *k, const char *x, const char *w,
	     const char *b, struct diag *d)
{
	ir_module *m;

	buf_printf(text,
		   "#[version = \"0.0.5\"]\ndef @k(%%x: %s, %%w: %s, %%b: %s, "
		   "Primitive=1) { %s }\n",
		   x, w, b, k->body);
	source_init(src, "kernel", text->at, text->len);
	diag_init(d, "lower", src);
	m = parse_module(cx, src, d, NULL);
	return m && ir_infer_module(m, d) ? m : NULL;
}

/* The number that E, over the array of sizes, stands for. */
static int64_t
value_of(const tir_expr *e, const int64_t *sizes)
{
	if (e->kind == TIR_INT)
		return e->i;
	if (e->kind == TIR_LOAD)
		return sizes[e->arg[0]->i];
	return value_of(e->arg[0], sizes) * value_of(e->arg[1], sizes);
}

static int64_t
elements_of(const struct tir_buffer *b, const int64_t *sizes)
{
	return b->extent ? value_of(b->extent, sizes) : b->size;
}

/* The sizes of F for inputs of the shapes that KNOWN has. */
static bool
find_sizes(ir_module *m, const te_func *f, const te_func *known,
	   const struct eval_span *in, int64_t *sizes, struct diag *d)
{
	tir_func *check = te_lower_sizes(m, f);
	struct eval_machine *x;
	struct eval_span *args;
	char error[512] = {0};
	bool ok;

	for (uint32_t i = 0; i < f->nsizes; i++)
		if (f->sizes[i].param >= 0)
			sizes[i] = known->ops[f->sizes[i].param]
					   ->outputs[0]
					   .shape[f->sizes[i].dim];
	if (!check)
		return true;
	args = xcalloc(check->nparams, sizeof(*args));
	memcpy(args, in, f->nparams * sizeof(*args));
	args[f->nparams].data = sizes;
	args[f->nparams].nbytes = f->nsizes * sizeof(*sizes);
	args[f->nparams + 1].data = error;
	args[f->nparams + 1].nbytes = sizeof(error);
	x = eval_machine_new(m, d);
	ok = tir_verify(m, check, d) &&
	     eval_run_tir(x, check, args, check->nparams);
	eval_machine_free(x);
	free(args);
	return ok;
}

/* F with SIZES, lowered by S, gives what PLAIN gave. */
static bool
run_sized(ir_module *m, const te_func *f, const te_schedule *s,
	  const tir_func *plain, const struct eval_span *want, int64_t *sizes,
	  struct diag *d)
{
	tir_func *l = te_lower(m, f, s, d);
	struct eval_machine *x = eval_machine_new(m, d);
	struct eval_span *args = l ? xcalloc(l->nparams, sizeof(*args)) : NULL;
	bool ok = l && tir_verify(m, l, d);

	if (ok) {
		args[0].data = sizes;
		args[0].nbytes = f->nsizes * sizeof(*sizes);
		memcpy(args + 1, want, f->nparams * sizeof(*args));
	}
	for (uint32_t i = f->nparams + 1; ok && i < l->nparams; i++) {
		const struct tir_buffer *b = l->params[i].buffer;
		int64_t n = elements_of(b, sizes);

		if (i == f->nparams + 1)
			ok = n == plain->params[f->nparams].buffer->size;
		args[i].nbytes = (size_t)n * dtype_size(b->dtype);
		args[i].data = xcalloc(1, args[i].nbytes + 1);
	}
	ok = ok && eval_run_tir(x, l, args, l->nparams) &&
	     same(plain, want, args + 1, f->nparams);
	if (!ok && l)
		show(f, s, l);
	for (uint32_t i = f->nparams + 1; l && i < l->nparams; i++)
		free(args[i].data);
	free(args);
	eval_machine_free(x);
	return ok;
}

/* Schedules of F, whose sizes are found. */
static bool
try_sized(ir_module *m, const te_func *f, const tir_func *plain,
	  const struct eval_span *want, int64_t *sizes, long *cases,
	  struct diag *d)
{
	size_t n = sizeof(targets) / sizeof(targets[0]);

	for (int i = 0; cases && i < 20; i++) {
		te_schedule *s = fuzz_schedule(m, f);
		struct diag quiet;

		diag_init(&quiet, NULL, NULL);
		quiet.quiet = true;
		if (!te_to_tir(m, f, s, &quiet))
			continue;
		if (!run_sized(m, f, s, plain, want, sizes, d))
			return false;
		--*cases;
	}
	for (size_t i = 0; !cases && i <= n; i++) {
		struct te_target t = te_target_parse(targets[i % n]);
		te_schedule *s = i < n ? te_default_schedule(m, f, &t) : NULL;

		if (!run_sized(m, f, s, plain, want, sizes, d))
			return false;
	}
	return true;
}

/* K with dimensions that are not known gives what PLAIN, of KNOWN, gave. */
static bool
check_sized(const struct kernel *k, enum unknown u, const te_func *known,
	    const tir_func *plain, const struct eval_span *want, long *cases)
{
	ir_context *cx = ir_context_new();
	struct buf text = {0}, types[3] = {{0}};
	struct source src;
	struct diag d;
	ir_module *m;
	ir_expr_vec extra = {0};
	struct te_build_request r = {0};
	te_func *f = NULL;
	bool ok = true;

	put_unknown(&types[0], k->x, u);
	put_unknown(&types[1], k->w, u < UNKNOWN_X_FIRST ? u : UNKNOWN_COUNT);
	put_unknown(&types[2], k->b, u < UNKNOWN_X_FIRST ? u : UNKNOWN_COUNT);
	m = parse_kernel(cx, &src, &text, k, types[0].at, types[1].at,
			 types[2].at, &d);
	if (m) {
		r.name = ir_name(cx, "k");
		r.fn = ir_module_find(m, r.name)->fn;
		d.quiet = true;
		f = te_build(m, &r, &extra, &d);
		d.quiet = false;
	}
	if (f && f->nsizes) {
		int64_t *sizes = xcalloc(f->nsizes, sizeof(*sizes));

		ok = find_sizes(m, f, known, want, sizes, &d) &&
		     try_sized(m, f, plain, want, sizes, cases, &d);
		free(sizes);
	}
	if (!ok)
		printf("kernel: %s\nof: %s\n", k->body, text.at);
	vec_free(&extra);
	if (m)
		ir_module_free(m);
	source_free(&src);
	ir_context_free(cx);
	buf_free(&text);
	for (int i = 0; i < 3; i++)
		buf_free(&types[i]);
	return ok;
}

static bool
check_sizes(const struct kernel *k, const te_func *f, const tir_func *plain,
	    const struct eval_span *want, long *cases)
{
	for (int u = 0; u < UNKNOWN_COUNT; u++)
		if (!check_sized(k, (enum unknown)u, f, plain, want, cases))
			return false;
	return true;
}

/* What is tried on a kernel. */
enum trial { TRY_DEFAULT, TRY_SHOW, TRY_RANDOM, TRY_RANDOM_SIZES };

static bool
check(const struct kernel *k, enum trial what, long *cases)
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

	m = parse_kernel(cx, &src, &text, k, k->x, k->w, k->b, &d);
	if (m) {
		r.name = ir_name(cx, "k");
		r.fn = ir_module_find(m, r.name)->fn;
		f = te_build(m, &r, &extra, &d);
	}
	if (f) {
		tir_func *plain = te_lower(m, f, NULL, &d);
		struct eval_machine *x = eval_machine_new(m, &d);
		struct eval_span *want = make_args(plain);

		ok = eval_run_tir(x, plain, want, plain->nparams);
		if (ok && what == TRY_RANDOM)
			ok = check_random(m, f, plain, want, cases, &d);
		else if (ok && what != TRY_RANDOM_SIZES)
			ok = check_targets(m, f, plain, want, what == TRY_SHOW,
					   &d);
		if (ok && what != TRY_RANDOM)
			ok = check_sizes(k, f, plain, want, cases);
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

	if (argc > 1 && !strncmp(argv[1], "fuzz", 4)) {
		enum trial what =
			strcmp(argv[1], "fuzz") ? TRY_RANDOM_SIZES : TRY_RANDOM;
		long cases = argc > 2 ? strtol(argv[2], NULL, 10) : 1000;

		dice = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
		while (cases > 0)
			if (!check(&kernels[roll((uint32_t)n)], what, &cases))
				return 1;
		return 0;
	}
	if (argc > 1)
		return !check(&kernels[strtoul(argv[1], NULL, 10) % n],
			      TRY_SHOW, NULL);
	for (size_t i = 0; i < n; i++) {
		if (check(&kernels[i], TRY_DEFAULT, NULL))
			continue;
		printf("FAILED: %zu\n", i);
		bad++;
	}
	return bad != 0;
}
