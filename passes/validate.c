#include "passes/validate.h"

#include <math.h>
#include <string.h>

#include "passes/manager.h"
#include "passes/validate_run.h"

struct validation {
	struct validate_state *last; /* the newest that could be evaluated */
	/* The first pass since then; NULL: the one before is the last. */
	const struct pass_info *since;
	bool has_last;
};

/* How far floats may move, as a fraction of the largest number around. */
static double
tolerance_of(struct dtype t)
{
	if (t.code == DTYPE_BFLOAT)
		return 0.1;
	if (t.code == DTYPE_E4M3 || t.code == DTYPE_E5M2)
		return 0.5;
	return t.bits == 16 ? 2e-2 : t.bits == 32 ? 5e-4 : 1e-8;
}

/* Passes that trade accuracy for speed may move all numbers this much. */
static const struct {
	const char *flag;
	double tolerance;
} inexact[] = {
	{"fast-math", 0.02},
	{"to-mixed-precision", 0.1},
	{"fake-quantization-to-integer", 0.1},
	{"quantize", 0.5},
	{"quantize-realize", 0.5},
	{"quantize-annotate", 0.5},
	{"quantize-calibrate", 0.5},
};

/* Passes after which @main computes another thing of, perhaps, its old type. */
static const char *const redefining[] = {
	"extract-intermediate-expr", "get-calibrate-module",
	"simplify-fc-transpose",     "dense-to-sparse",
	"conv2d-to-sparse",          "gradient",
	"first-order-gradient",
};

static bool
is_redefining(const struct pass_info *info)
{
	for (size_t i = 0; i < sizeof(redefining) / sizeof(*redefining); i++)
		if (strcmp(redefining[i], info->flag) == 0)
			return true;
	return false;
}

static double
allowance_of(const struct pass_info *info)
{
	for (size_t i = 0; i < sizeof(inexact) / sizeof(*inexact); i++)
		if (strcmp(inexact[i].flag, info->flag) == 0)
			return inexact[i].tolerance;
	return 0;
}

/* ---------------------------------------------------------- comparing -- */

struct comparison {
	const struct pass_info *info;
	struct buf text; /* of the first difference */
};

static double
largest(const ir_tensor *t)
{
	double max = 0;

	for (int64_t i = 0; i < ir_tensor_size(t); i++) {
		double x = fabs(ir_tensor_get_double(t, i));

		if (isfinite(x) && x > max)
			max = x;
	}
	return max;
}

static bool
numbers_agree(double got, double want, double limit)
{
	if (isnan(got) || isnan(want))
		return isnan(got) && isnan(want);
	return got == want || fabs(got - want) <= limit;
}

/* What numbers of GOT may be away from those of WANT. */
static double
limit_of(const struct comparison *c, const ir_tensor *got,
	 const ir_tensor *want)
{
	double fraction = allowance_of(c->info);
	double t;

	if (dtype_is_float(want->dtype) || dtype_is_float(got->dtype)) {
		t = tolerance_of(want->dtype);
		fraction = t > fraction ? t : fraction;
		t = tolerance_of(got->dtype);
		fraction = t > fraction ? t : fraction;
	} else if (fraction == 0 || dtype_is_bool(want->dtype)) {
		return 0;
	}
	return fraction * largest(want) +
	       (dtype_is_float(want->dtype) ? fraction * 1e-3 : 1);
}

static bool
elements_agree(const ir_tensor *got, const ir_tensor *want, int64_t i,
	       double limit)
{
	if (!dtype_is_float(got->dtype) && !dtype_is_float(want->dtype) &&
	    limit == 0)
		return ir_tensor_get_int(got, i) == ir_tensor_get_int(want, i);
	return numbers_agree(ir_tensor_get_double(got, i),
			     ir_tensor_get_double(want, i), limit);
}

static void
put_element(struct buf *out, const ir_tensor *t, int64_t i)
{
	if (dtype_is_float(t->dtype))
		buf_printf(out, "%.9g", ir_tensor_get_double(t, i));
	else
		buf_int(out, ir_tensor_get_int(t, i));
}

/* "[1, 2]" of element I; nothing for a scalar. */
static void
put_index(struct buf *out, const ir_tensor *t, int64_t i)
{
	int64_t stride = ir_tensor_size(t);

	for (uint32_t k = 0; k < t->ndim; k++) {
		stride /= t->shape[k];
		buf_printf(out, "%s%lld", k ? ", " : "[",
			   (long long)(i / stride));
		i %= stride;
	}
	if (t->ndim)
		buf_putc(out, ']');
}

static void
put_output(struct buf *out, const struct validate_leaf *l)
{
	buf_printf(out, "output%s%s", *l->path ? " " : "",
		   *l->path ? l->path + 1 : "");
}

static bool
same_shape(const ir_tensor *a, const ir_tensor *b)
{
	return a->ndim == b->ndim &&
	       (a->ndim == 0 ||
		memcmp(a->shape, b->shape, a->ndim * sizeof(*a->shape)) == 0);
}

static void
tensors_differ(struct comparison *c, const struct validate_leaf *got,
	       const ir_tensor *want)
{
	int64_t n = ir_tensor_size(want);
	double limit = limit_of(c, got->tensor, want);
	int64_t first = -1;
	int64_t count = 0;

	for (int64_t i = 0; i < n; i++) {
		if (elements_agree(got->tensor, want, i, limit))
			continue;
		if (count++ == 0)
			first = i;
	}
	if (count == 0)
		return;
	put_output(&c->text, got);
	put_index(&c->text, want, first);
	buf_puts(&c->text, " is ");
	put_element(&c->text, got->tensor, first);
	buf_puts(&c->text, ", was ");
	put_element(&c->text, want, first);
	if (n > 1)
		buf_printf(&c->text, " (%lld of %lld elements differ)",
			   (long long)count, (long long)n);
}

static void
put_leaf(struct buf *out, const struct validate_leaf *l)
{
	if (l->tensor) {
		buf_puts(out, "a tensor of shape (");
		for (uint32_t i = 0; i < l->tensor->ndim; i++)
			buf_printf(out, "%s%lld", i ? ", " : "",
				   (long long)l->tensor->shape[i]);
		buf_putc(out, ')');
	} else {
		buf_puts(out, l->word ? l->word : "a tuple");
	}
}

static void
compare_leaves(struct comparison *c, const struct validate_leaf *got,
	       const struct validate_leaf *want)
{
	bool same_word = got->word && want->word
				 ? strcmp(got->word, want->word) == 0
				 : got->word == want->word;

	if (strcmp(got->path, want->path) == 0 && got->tensor && want->tensor &&
	    same_shape(got->tensor, want->tensor)) {
		tensors_differ(c, got, want->tensor);
		return;
	}
	if (!got->tensor && !want->tensor && same_word)
		return;
	put_output(&c->text, got);
	buf_puts(&c->text, " is ");
	put_leaf(&c->text, got);
	buf_puts(&c->text, ", was ");
	put_leaf(&c->text, want);
}

static bool
runs_agree(struct comparison *c, const struct validate_run *got,
	   const struct validate_run *want)
{
	size_t n = got->leaves.len < want->leaves.len ? got->leaves.len
						      : want->leaves.len;

	for (size_t i = 0; i < n && c->text.len == 0; i++)
		compare_leaves(c, &got->leaves.at[i], &want->leaves.at[i]);
	if (c->text.len == 0 && got->leaves.len != want->leaves.len)
		buf_printf(&c->text, "the result has %zu parts, was %zu",
			   got->leaves.len, want->leaves.len);
	return c->text.len == 0;
}

/* ---------------------------------------------------------------- types -- */

static bool similar(const ir_type *a, const ir_type *b, bool any_float);

static bool
all_similar(const ir_type *const *a, const ir_type *const *b, uint32_t n,
	    bool any_float)
{
	for (uint32_t i = 0; i < n; i++)
		if (!similar(a[i], b[i], any_float))
			return false;
	return true;
}

static bool
similar_tensors(const struct ir_tensor_type *a, const struct ir_tensor_type *b,
		bool any_float)
{
	return dtype_equal(a->dtype, b->dtype) ||
	       (any_float && dtype_is_float(a->dtype) &&
		dtype_is_float(b->dtype));
}

/*
 * May values of both types be compared? Shapes are not looked at: dimensions
 * may get known. Type parameters are new in each copy of a module.
 */
static bool
similar(const ir_type *a, const ir_type *b, bool any_float)
{
	if (a == b || a->kind != b->kind)
		return a == b;
	if (a->kind == TYPE_TENSOR)
		return similar_tensors(ir_as_tensor_type(a),
				       ir_as_tensor_type(b), any_float);
	if (a->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *x = ir_as_tuple_type(a);
		const struct ir_tuple_type *y = ir_as_tuple_type(b);

		return x->nfields == y->nfields &&
		       all_similar(x->fields, y->fields, x->nfields, any_float);
	}
	if (a->kind == TYPE_FUNC) {
		const struct ir_func_type *x = ir_as_func_type(a);
		const struct ir_func_type *y = ir_as_func_type(b);

		return x->nparams == y->nparams &&
		       similar(x->ret, y->ret, any_float) &&
		       all_similar(x->params, y->params, x->nparams, false);
	}
	if (a->kind == TYPE_ADT) {
		const struct ir_adt_type *x = ir_as_adt_type(a);
		const struct ir_adt_type *y = ir_as_adt_type(b);

		return x->name == y->name && x->nargs == y->nargs &&
		       all_similar(x->args, y->args, x->nargs, any_float);
	}
	return a->kind == TYPE_VAR;
}

/* -------------------------------------------------------------- telling -- */

static const struct validate_function *
find(const struct validate_state *s, const char *name)
{
	for (size_t i = 0; i < s->functions.len; i++)
		if (s->functions.at[i].name == name)
			return &s->functions.at[i];
	return NULL;
}

static bool
all_failed(const struct validate_function *f)
{
	for (size_t i = 0; i < f->runs.len; i++)
		if (!f->runs.at[i].error)
			return false;
	return true;
}

static struct loc
place_of(const struct pass_manager *pm, const char *name)
{
	const ir_def *def = ir_module_find(pm->module, name);

	return def ? def->loc : LOC_NONE;
}

static void
remark_failed(struct pass_manager *pm, const struct validate_function *f)
{
	diag_remark(pm->diag, place_of(pm, f->name),
		    "'@%s' is not validated: %s", f->name, f->runs.at[0].error);
}

/* Is there anything in S that ran? */
static bool
can_run(const struct validate_state *s)
{
	for (size_t i = 0; i < s->functions.len; i++)
		if (!all_failed(&s->functions.at[i]))
			return true;
	return s->functions.len == 0 && !s->error;
}

static void
report(struct pass_manager *pm, const struct validate_function *f, unsigned run,
       struct comparison *c)
{
	const struct pass_info *since = pm->validation->since;

	pm->results_differ = true;
	diag_error(pm->diag, place_of(pm, f->name),
		   "'@%s' computes something else after this pass: %s", f->name,
		   c->text.at);
	if (since)
		diag_note(pm->diag, LOC_NONE,
			  "or after an earlier one, from '-%s' on, that left "
			  "nothing to evaluate",
			  since->flag);
	diag_note(pm->diag, LOC_NONE,
		  "run %u of %lld with --validate-seed=%lld", run + 1,
		  pm->options->validate, pm->options->validate_seed);
}

static bool
compare_functions(struct pass_manager *pm, const struct pass_info *info,
		  const struct validate_function *now,
		  const struct validate_function *before)
{
	struct comparison c = {.info = info};
	bool ok = true;

	if (is_redefining(info) || !now->type || !before->type ||
	    !similar(now->type, before->type, true)) {
		diag_remark(pm->diag, place_of(pm, now->name),
			    "'@%s' is not validated: this pass changes %s",
			    now->name,
			    is_redefining(info) ? "what it computes"
						: "its type");
		return true;
	}
	for (size_t i = 0; i < now->runs.len && ok; i++) {
		if (now->runs.at[i].error || before->runs.at[i].error)
			continue;
		ok = runs_agree(&c, &now->runs.at[i], &before->runs.at[i]);
		if (!ok)
			report(pm, now, (unsigned)i, &c);
	}
	if (ok && all_failed(now) && !all_failed(before))
		remark_failed(pm, now);
	buf_free(&c.text);
	return ok;
}

void
validate_prepare(struct pass_manager *pm, struct validate_state *now)
{
	validate_evaluate(now, pm->module->cx, (unsigned)pm->options->validate,
			  (uint64_t)pm->options->validate_seed);
}

void
validate_start(struct pass_manager *pm, struct validate_state *now)
{
	struct validation *v = xcalloc(1, sizeof(*v));

	validate_free(pm->validation);
	pm->validation = v;
	v->last = validate_state_ref(now);
	validate_prepare(pm, now);
	v->has_last = can_run(v->last);
	if (v->last->error)
		diag_remark(pm->diag, LOC_NONE,
			    "the module is not validated: %s", v->last->error);
	for (size_t i = 0; i < v->last->functions.len; i++)
		if (all_failed(&v->last->functions.at[i]))
			remark_failed(pm, &v->last->functions.at[i]);
}

static bool
compare_states(struct pass_manager *pm, const struct pass_info *info,
	       const struct validate_state *now,
	       const struct validate_state *before)
{
	bool ok = true;

	for (size_t i = 0; i < now->functions.len && ok; i++) {
		const struct validate_function *f = &now->functions.at[i];
		const struct validate_function *old = find(before, f->name);

		if (old)
			ok = compare_functions(pm, info, f, old);
	}
	return ok;
}

bool
validate_after(struct pass_manager *pm, const struct pass_info *info,
	       struct validate_state *now)
{
	struct validation *v = pm->validation;
	bool ok;

	if (validate_same_state(now, v->last))
		return true;
	validate_prepare(pm, now);
	if (now->error && v->has_last && !v->since)
		diag_remark(pm->diag, LOC_NONE,
			    "not validated from here on: %s", now->error);
	ok = compare_states(pm, info, now, v->last);
	if (ok && v->has_last && !can_run(now)) {
		v->since = v->since ? v->since : info;
		return true;
	}
	validate_state_unref(v->last);
	v->last = validate_state_ref(now);
	v->has_last = can_run(now);
	v->since = NULL;
	return ok;
}

void
validate_free(struct validation *v)
{
	if (!v)
		return;
	validate_state_unref(v->last);
	free(v);
}
