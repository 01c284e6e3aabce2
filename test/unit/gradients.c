/*
 * Every rule of passes/gradient against finite differences.
 *
 * A case is a function of float64 tensors; the gradient of the sum of what it
 * returns, as -first-order-gradient and -gradient give it, the latter of the
 * first tensor, must be what small changes of each element of each argument do.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "parser/parser.h"
#include "passes/manager.h"
#include "te/interp.h"
#include "test/unit/unit.h"

struct grad_case {
	double low, high; /* of elements */
	const char *text; /* parameters and body of main */
};

#define T23 "Tensor[(2, 3), float64]"
#define UNARY(op) "(%x: " T23 ") { " op "(%x) }"
#define BINARY(op) "(%x: " T23 ", %y: Tensor[(3), float64]) { " op "(%x, %y) }"
#define WITH(op, a) "(%x: " T23 ") { " op "(%x, " a ") }"
#define IMAGE "(%x: Tensor[(1, 4, 6, 5), float64]) { "
#define CONV(w, a)                                                        \
	"(%x: Tensor[(2, 4, 6, 5), float64], %w: Tensor[" w ", float64])" \
	" { nn.conv2d(%x, %w, " a ") }"

static const struct grad_case cases[] = {
	{-2, 2, UNARY("abs")},
	{-0.8, 0.8, UNARY("acos")},
	{1.5, 3, UNARY("acosh")},
	{-2, 2, BINARY("add")},
	{-0.8, 0.8, UNARY("asin")},
	{-2, 2, UNARY("asinh")},
	{-2, 2, UNARY("atan")},
	{-0.8, 0.8, UNARY("atanh")},
	{-2, 2, UNARY("copy")},
	{-2, 2, UNARY("cos")},
	{-2, 2, UNARY("cosh")},
	{1, 2, BINARY("divide")},
	{-1, 1, UNARY("erf")},
	{-1, 1, UNARY("exp")},
	{1, 2, UNARY("log")},
	{1, 2, UNARY("log10")},
	{1, 2, UNARY("log2")},
	{-2, 2, BINARY("maximum")},
	{-2, 2, BINARY("minimum")},
	{-2, 2, BINARY("multiply")},
	{-2, 2, UNARY("negative")},
	{0.5, 2, BINARY("power")},
	{0.5, 2, UNARY("rsqrt")},
	{-2, 2, UNARY("sigmoid")},
	{-2, 2, UNARY("sin")},
	{-2, 2, UNARY("sinh")},
	{0.5, 2, UNARY("sqrt")},
	{-2, 2, BINARY("subtract")},
	{-1, 1, UNARY("tan")},
	{-2, 2, UNARY("tanh")},
	{-2, 2, UNARY("nn.relu")},
	{-2, 2, UNARY("zeros_like")},
	{-2, 2, UNARY("ones_like")},
	{-2, 2, WITH("clip", "a_min=-1f, a_max=0.5f")},
	{-2, 2,
	 "(%x: " T23 ") { multiply(cast(cast(%x, dtype=\"float64\"), "
	 "dtype=\"float64\"), %x) }"},
	{-2, 2, "(%x: " T23 ", %y: " T23 ") { cast_like(%x, %y) * %y }"},
	{-2, 2,
	 "(%x: " T23 ") { add(%x, zeros(shape=[2, 3], "
	 "dtype=\"float64\")) * ones(shape=[3], dtype=\"float64\") }"},
	{-2, 2,
	 "(%c: Tensor[(2, 1), bool], %x: " T23
	 ", %y: Tensor[(3), float64]) { where(%c, %x * %x, %y) }"},
	{-2, 2,
	 "(%x: " T23 ", %y: Tensor[(1, 3), float64])"
	 " { collapse_sum_like(%x, %y) * %y }"},
	{-2, 2,
	 "(%x: " T23 ", %s: Tensor[(2), int64]) { "
	 "collapse_sum_to(%x, %s, shape=[1, 3]) }"},
	{-2, 2,
	 "(%x: Tensor[(3), float64]) { add(%x, arange(0f64, 3f64, "
	 "1f64, start=0f64, stop=3f64, step=1f64, dtype=\"float64\")) }"},
	{-2, 2,
	 "(%x: " T23 ", %y: Tensor[(3, 2), float64]) "
	 "{ exp(dyn.reshape(%x, shape_of(%y, dtype=\"int64\"), "
	 "newshape=[])) * %y }"},
	{-2, 2,
	 "(%x: " T23 ") { let %s = shape_of(%x, dtype=\"int64\"); "
	 "add(%x, dyn.zeros(%s, shape=[], dtype=\"float64\")) * "
	 "dyn.ones(%s, shape=[], dtype=\"float64\") }"},

	{-2, 2,
	 "(%x: " T23 ", %y: Tensor[(2, 1), float64]) "
	 "{ let %a = concatenate((%x, %y, %x * %x), axis=1); %a * %a }"},
	{-2, 2, "(%x: " T23 ") { concatenate((exp(%x),), axis=-1) }"},
	{-2, 2,
	 "(%x: " T23 ", %y: " T23 ") "
	 "{ let %a = stack((%x, %y), axis=1); exp(%a) }"},
	{-2, 2, "(%x: " T23 ") { exp(reshape(%x, newshape=[3, 2])) }"},
	{-2, 2,
	 "(%x: " T23 ") { exp(contrib_reverse_reshape(%x, "
	 "newshape=[-1, 2])) }"},
	{-2, 2,
	 "(%x: " T23 ", %y: Tensor[(6), float64]) "
	 "{ exp(reshape_like(%x, %y)) * %y }"},
	{-2, 2,
	 "(%x: " T23 ") { exp(expand_dims(%x, axis=1, "
	 "num_newaxis=2)) }"},
	{-2, 2,
	 "(%x: Tensor[(1, 3, 1), float64]) { exp(squeeze(%x, "
	 "axis=[0])) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64]) { exp(transpose(%x, "
	 "axes=[1, 2, 0])) * transpose(%x, axes=[1, 2, 0]) }"},
	{-2, 2, "(%x: " T23 ") { transpose(exp(%x), axes=None) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64]) "
	 "{ exp(nn.batch_flatten(%x)) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64]) { exp(strided_slice(%x, "
	 "begin=[1, 0], end=[4, 5], strides=[2, 3])) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64]) { exp(strided_slice(%x, "
	 "begin=[-1], end=[-6], strides=[-2], axes=[1])) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64]) { exp(strided_slice(%x, "
	 "begin=[1, 2], end=[2, -1], strides=[1], "
	 "slice_mode=\"size\")) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64], %i: Tensor[(2, 3), int32]) "
	 "{ exp(take(%x, %i, axis=0)) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64], %i: Tensor[(3), int64]) "
	 "{ exp(take(%x, %i, axis=-1, mode=\"wrap\")) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64], %i: Tensor[(3), int64]) "
	 "{ exp(take(%x, %i, mode=\"fast\")) }"},
	{-2, 2,
	 "(%x: Tensor[(4, 5), float64], %i: Tensor[(1, 3), int64]) "
	 "{ exp(gather_nd(%x, %i)) }"},
	{-2, 2,
	 "(%i: Tensor[(3), int32], %a: float64, %b: float64) "
	 "{ exp(one_hot(%i, %a, %b, depth=4, axis=-1, "
	 "dtype=\"float64\")) }"},

	{-2, 2, "(%x: " T23 ") { exp(sum(%x)) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64]) "
	 "{ exp(sum(%x, axis=[1], exclude=True)) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64]) "
	 "{ exp(mean(%x, axis=[-1, 0])) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64]) "
	 "{ exp(mean(%x, axis=[1], keepdims=True)) }"},
	{-2, 2, "(%x: Tensor[(2, 3, 4), float64]) { exp(max(%x, axis=[1])) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3), float64], %m: Tensor[(2, 1), float64]) "
	 "{ variance(%x, %m, axis=[1], unbiased=True) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3), float64]) "
	 "{ variance(%x, mean(%x, axis=[1], keepdims=True), axis=[1]) }"},
	{-2, 2, "(%x: " T23 ") { let %y = nn.softmax(%x, axis=0); %y * %y }"},
	{-2, 2, "(%x: " T23 ") { let %y = nn.log_softmax(%x); %y * %y }"},
	{0.5, 2, "(%x: " T23 ", %y: " T23 ") { nn.cross_entropy(%x, %y) }"},
	{-2, 2,
	 "(%x: " T23 ", %y: " T23 ") { nn.cross_entropy_with_logits(%x, %y) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64], %b: Tensor[(3), float64]) "
	 "{ exp(nn.bias_add(%x, %b)) }"},

	{-2, 2,
	 "(%x: " T23 ", %w: Tensor[(4, 3), float64]) "
	 "{ let %y = nn.dense(%x, %w, units=4); %y * %y }"},
	{-2, 2,
	 "(%x: Tensor[(2, 2, 3), float64], %w: Tensor[(4, 3), float64]) "
	 "{ nn.dense(%x, %w, units=None) }"},
	{-2, 2,
	 "(%x: " T23 ", %w: Tensor[(3, 4), float64]) "
	 "{ nn.matmul(%x, %w, units=None) }"},
	{-2, 2,
	 "(%x: " T23 ", %w: Tensor[(4, 3), float64]) "
	 "{ nn.matmul(%x, %w, units=None, transpose_b=True) }"},
	{-2, 2,
	 "(%x: " T23 ", %w: Tensor[(2, 4), float64]) "
	 "{ nn.matmul(%x, %w, units=None, transpose_a=True) }"},
	{-2, 2,
	 "(%x: " T23 ", %w: Tensor[(4, 2), float64]) { nn.matmul(%x, "
	 "%w, units=None, transpose_a=True, transpose_b=True) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64], %y: Tensor[(1, 5, 4), "
	 "float64]) { nn.batch_matmul(%x, %y, transpose_b=True) }"},
	{-2, 2,
	 "(%x: Tensor[(2, 3, 4), float64], %y: Tensor[(2, 3, 5), "
	 "float64]) { nn.batch_matmul(%x, %y, transpose_a=True) }"},
	{-1, 1, CONV("(3, 4, 3, 2)", "padding=[0, 0, 0, 0]")},
	{-1, 1, CONV("(3, 4, 3, 2)", "strides=[2, 1], padding=[1, 0, 1, 1]")},
	{-1, 1,
	 CONV("(3, 4, 3, 2)", "strides=[2, 2], dilation=[1, 2], "
			      "padding=[1, 1, 2, 0]")},
	{-1, 1, CONV("(6, 2, 3, 3)", "groups=2, padding=[1, 1, 1, 1]")},
	{-1, 1, CONV("(4, 1, 3, 3)", "groups=4, padding=[1, 1, 1, 1]")},
	{-1, 1,
	 "(%x: Tensor[(1, 5, 6, 2), float64], %w: Tensor[(3, 3, 2, 4), "
	 "float64]) { nn.conv2d(%x, %w, padding=[1, 1, 1, 1], "
	 "data_layout=\"NHWC\", kernel_layout=\"HWIO\") }"},
	{-1, 1,
	 IMAGE "nn.max_pool2d(%x, pool_size=[2, 2], strides=[2, 2], "
	       "padding=[0, 0, 0, 0]) }"},
	{-1, 1,
	 IMAGE "nn.max_pool2d(%x, pool_size=[3, 2], strides=[1, 2], "
	       "padding=[1, 0, 1, 1]) }"},
	{-1, 1,
	 IMAGE "exp(nn.avg_pool2d(%x, pool_size=[3, 2], "
	       "strides=[2, 1], padding=[1, 0, 1, 1])) }"},
	{-1, 1,
	 IMAGE "exp(nn.avg_pool2d(%x, pool_size=[2, 2], "
	       "strides=[2, 2], padding=[1, 1, 1, 1], "
	       "count_include_pad=True)) }"},
	{-1, 1, IMAGE "exp(nn.global_avg_pool2d(%x)) }"},

	/* More than one operator. */
	{-2, 2, "(%x: " T23 ") { annotation.checkpoint(exp(%x)) }"},
	{-2, 2,
	 "(%x: " T23 ") { on_device(exp(%x), virtual_device="
	 "VirtualDevice(device_type=1)) }"},
	{-2, 2,
	 "(%x: " T23 ") {"
	 "  let %p = split(%x, indices_or_sections=3, axis=1);"
	 "  let %q = (%p.0, %p.2);"
	 "  exp(concatenate(%q, axis=1)) }"},
	{-2, 2,
	 "(%p: (" T23 ", " T23 "), %x: " T23 ") {"
	 "  let %q = (%p.1, (%p.0 * %x, %x));"
	 "  (%q.1.0 * %q.0, exp(%q.1.1)) }"},
	{-2, 2,
	 "(%x: " T23 ") {"
	 "  let %f = fn (%a: " T23 ") { %a * %a };"
	 "  %f(%f(%x)) + %x }"},
	{-2, 2,
	 "(%x: " T23 ") { where(less_equal(%x, zeros_like(%x)), %x, "
	 "exp(%x)) }"},
	{-2, 2,
	 "(%x: " T23 ") { where(not_equal(%x, zeros_like(%x)), %x, "
	 "exp(%x)) }"},
};

enum { NCASES = sizeof(cases) / sizeof(cases[0]) };

/* What only -gradient takes: control flow, closures, data, references. */
static const struct grad_case programs[] = {
	{-2, 2, "(%x: " T23 ", %c: bool) { if (%c) { exp(%x) } else { %x } }"},
	{0.5, 2,
	 "(%x: float64) {"
	 "  let %loop = fn (%i: int32, %y: float64) -> float64 {"
	 "    if (%i == 0) { %y } else { %loop(%i - 1, %y * %x) }"
	 "  };"
	 "  %loop(4, %x)"
	 "}"},
	{-2, 2,
	 "(%x: float64, %y: float64) {"
	 "  let %f = fn (%a: float64) -> float64 { %a * %y };"
	 "  let %g = if (%x > 0f64) { %f } else {"
	 "    fn (%a: float64) -> float64 { exp(%a) } };"
	 "  %g(%f(%x))"
	 "}"},
	{-2, 2,
	 "(%x: float64, %y: float64) {"
	 "  let %r = ref(%x);"
	 "  ref_write(%r, ref_read(%r) * %y);"
	 "  ref_write(%r, ref_read(%r) * ref_read(%r));"
	 "  ref_read(%r)"
	 "}"},
	{-2, 2,
	 "(%x: float64, %y: float64) {"
	 "  let %l = Cons(%x, Cons(%y, Cons(%x * %y, Nil)));"
	 "  @foldl(fn (%a: float64, %b: float64) -> float64 {"
	 "    %a * %b + %a }, %x, %l)"
	 "}"},
	{-2, 2,
	 "(%x: float64) { @power(%x, 3) }"
	 " def @power(%x: float64, %n: int32) -> float64 {"
	 "   if (%n == 0) { 1f64 } else { %x * @power(%x, %n - 1) } }"},
};

enum { NPROGRAMS = sizeof(programs) / sizeof(programs[0]) };

/* Numbers between 0 and 1, the same in every run. */
static double
next_number(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return (*state >> 8) / 16777216.0;
}

static ir_module *
read_case(ir_context *cx, const char *text, struct diag *d)
{
	char *whole = NULL;
	size_t len;
	FILE *f = open_memstream(&whole, &len);
	struct source s;
	ir_module *m;

	fprintf(f, "#[version = \"0.0.5\"]\ndef @main%s\n", text);
	fclose(f);
	source_init(&s, "case", whole, len);
	m = parse_module(cx, &s, d, NULL);
	source_free(&s);
	free(whole);
	return m;
}

static bool
run_passes(ir_module *m, const char *text, struct diag *d)
{
	static const struct pass_options options = PASS_OPTIONS_DEFAULT;
	struct pass_pipeline p;
	struct pass_manager pm;
	struct arena arena = {0};
	struct source s;
	bool ok;

	pass_pipeline_init(&p);
	source_init(&s, NULL, text, strlen(text));
	ok = pass_pipeline_parse(&p, &s, &arena, d) &&
	     pass_manager_init(&pm, d, &options, &arena) &&
	     pass_manager_run(&pm, &p, m, false);
	pass_manager_end(&pm);
	source_free(&s);
	arena_free(&arena);
	return ok;
}

static struct interp_value *
random_value(const ir_type *t, const struct grad_case *c, uint32_t *state)
{
	const struct ir_tensor_type *tt;
	struct interp_value *fields[8];
	int64_t shape[8];
	ir_tensor *out;

	if (t->kind == TYPE_TUPLE) {
		uint32_t n = ir_as_tuple_type(t)->nfields;

		for (uint32_t i = 0; i < n; i++)
			fields[i] = random_value(ir_as_tuple_type(t)->fields[i],
						 c, state);
		return interp_tuple(fields, n);
	}
	tt = ir_as_tensor_type(t);
	for (uint32_t i = 0; i < tt->ndim; i++)
		shape[i] = tt->shape[i].value;
	out = ir_tensor_new(tt->dtype, shape, tt->ndim);
	for (int64_t i = 0; i < ir_tensor_size(out); i++) {
		double r = next_number(state);

		if (dtype_equal(tt->dtype, DTYPE(FLOAT, 64)))
			ir_tensor_set_double(out, i,
					     c->low + r * (c->high - c->low));
		else
			ir_tensor_set_int(out, i, (int64_t)(r * 3) % 3);
	}
	return interp_tensor(out);
}

static double
sum_of(const struct interp_value *v)
{
	double sum = 0;

	if (v->kind == INTERP_TUPLE)
		for (uint32_t i = 0; i < v->n; i++)
			sum += sum_of(v->at[i]);
	else
		for (int64_t i = 0; i < ir_tensor_size(v->tensor); i++)
			sum += ir_tensor_get_double(v->tensor, i);
	return sum;
}

struct check {
	struct interp *interp;
	const ir_def *def;
	struct interp_value *args[8];
	uint32_t n;
	bool first; /* -gradient: of a tuple, the first counts */
};

static double
sum_that_counts(const struct check *k, const struct interp_value *v)
{
	while (k->first && v->kind == INTERP_TUPLE && v->n)
		v = v->at[0];
	return sum_of(v);
}

static double
objective(const struct check *k)
{
	struct interp_value *v = interp_call(k->interp, k->def, k->args, k->n);
	double sum = v ? sum_that_counts(k, v) : NAN;

	interp_unref(v);
	return sum;
}

/* Each element of X against the element of GRAD. */
static bool
compare(struct check *k, const struct interp_value *x,
	const struct interp_value *grad)
{
	const double h = 1e-5;

	if (x->kind == INTERP_TUPLE) {
		for (uint32_t i = 0; i < x->n; i++)
			if (!compare(k, x->at[i], grad->at[i]))
				return false;
		return true;
	}
	if (!dtype_equal(x->tensor->dtype, DTYPE(FLOAT, 64)))
		return true;
	if (ir_tensor_size(x->tensor) != ir_tensor_size(grad->tensor))
		return false;
	for (int64_t i = 0; i < ir_tensor_size(x->tensor); i++) {
		double at = ir_tensor_get_double(x->tensor, i);
		double got = ir_tensor_get_double(grad->tensor, i);
		double want;

		ir_tensor_set_double(x->tensor, i, at + h);
		want = objective(k);
		ir_tensor_set_double(x->tensor, i, at - h);
		want = (want - objective(k)) / (2 * h);
		ir_tensor_set_double(x->tensor, i, at);
		if (!(fabs(got - want) <= 1e-5 * (1 + fabs(want)))) {
			fprintf(stderr, "element %lld: %g, wanted %g\n",
				(long long)i, got, want);
			return false;
		}
	}
	return true;
}

static bool
gradients_agree(const struct grad_case *c, const char *pass)
{
	ir_context *cx = ir_context_new();
	const char *main_name = ir_name(cx, "main");
	struct interp_value *both = NULL;
	struct interp *interp = NULL;
	ir_module *m, *mg;
	struct diag d;
	struct check k = {.first = strncmp(pass, "gradient", 8) == 0};
	uint32_t state = 7;
	bool ok;

	diag_init(&d, "gradients", NULL);
	m = read_case(cx, c->text, &d);
	mg = read_case(cx, c->text, &d);
	ok = m && mg && ir_infer_module(m, &d) && run_passes(mg, pass, &d) &&
	     ir_infer_module(mg, &d);
	if (ok) {
		k.interp = interp_new(m, &d);
		k.def = ir_module_find(m, main_name);
		k.n = k.def->fn->nparams;
		for (uint32_t i = 0; i < k.n; i++)
			k.args[i] = random_value(
				k.def->fn->params[i]->annotation, c, &state);
		interp = interp_new(mg, &d);
		both = interp_call(interp, ir_module_find(mg, main_name),
				   k.args, k.n);
		ok = both && fabs(sum_that_counts(&k, both->at[0]) -
				  objective(&k)) < 1e-9;
		for (uint32_t i = 0; ok && i < k.n; i++)
			ok = compare(&k, k.args[i], both->at[1]->at[i]);
		for (uint32_t i = 0; i < k.n; i++)
			interp_unref(k.args[i]);
		interp_unref(both);
	}
	if (!ok)
		fprintf(stderr, "-%s of %s\n", pass, c->text);
	interp_free(k.interp);
	interp_free(interp);
	ir_module_free(m);
	ir_module_free(mg);
	ir_context_free(cx);
	return ok;
}

static void
test_numbers(void)
{
	for (size_t i = 0; i < NCASES; i++) {
		CHECK(gradients_agree(&cases[i], "first-order-gradient"));
		CHECK(gradients_agree(&cases[i], "gradient"));
	}
	for (size_t i = 0; i < NPROGRAMS; i++) {
		CHECK(gradients_agree(&programs[i], "gradient"));
		CHECK(gradients_agree(&programs[i],
				      "gradient,partial-evaluate,infer-type,"
				      "dead-code-elimination"));
	}
}

/* An operator with a rule that no case calls. */
static bool
is_tried(enum op_id op)
{
	const char *name = ir_op_info(op)->name;
	size_t len = strlen(name);

	for (size_t i = 0; i < NCASES; i++)
		for (const char *at = strstr(cases[i].text, name); at;
		     at = strstr(at + 1, name))
			if (at[len] == '(')
				return true;
	fprintf(stderr, "no case for %s\n", name);
	return false;
}

static void
test_all_rules(void)
{
#define GRADIENT(op, rule) CHECK(is_tried(OP_##op));
#include "passes/gradient/rules.def"
}

int
main(void)
{
	test_numbers();
	test_all_rules();
	return unit_result();
}
