/*
 * Every rule of passes/rewrites on programs made out of its own pattern.
 *
 * A pattern is turned round: what it leaves open becomes parameters, constants
 * and attributes at random, alternatives are drawn. Where that gives a program
 * with a type, the rule is applied, and type and value must stay the same. A
 * rule that no program in so many fits is a failure, too.
 */
#include "passes/rewrite/rw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ir/equal.h"
#include "ir/infer.h"
#include "passes/manager.h"
#include "passes/rewrites/rewrites.h"
#include "te/interp.h"
#include "test/unit/unit.h"

enum { TRIES = 4000, ENOUGH = 25, MAX_PARAMS = 16, MAX_RANK = 4 };

static const struct {
	const char *name;
	const char *text;
	double tolerance;
} files[] = {
	{"canonicalize-ops", rules_canonicalize_ops, 1e-6},
	{"div-to-mul", rules_div_to_mul, 1e-5},
	{"fast-math", rules_fast_math, 1e-4},
	{"simplify-expr", rules_simplify_expr, 1e-4},
};

struct maker {
	ir_module *m;
	ir_context *cx;
	struct diag *d;
	const struct rw_rule *rule;
	uint64_t seed;
	struct dtype dtype;
	uint32_t ndim;
	struct ir_dim shape[MAX_RANK];
	const ir_expr *slots[32];
	const struct ir_var *params[MAX_PARAMS];
	uint32_t nparams;
};

static uint32_t
draw(struct maker *k, uint32_t n)
{
	k->seed ^= k->seed << 13;
	k->seed ^= k->seed >> 7;
	k->seed ^= k->seed << 17;
	return (uint32_t)(k->seed >> 33) % n;
}

static struct dtype
draw_dtype(struct maker *k)
{
	static const struct dtype all[] = {
		{DTYPE_FLOAT, 32, 1}, {DTYPE_FLOAT, 64, 1},
		{DTYPE_FLOAT, 16, 1}, {DTYPE_INT, 8, 1},
		{DTYPE_UINT, 8, 1},   {DTYPE_INT, 16, 1},
		{DTYPE_INT, 32, 1},   {DTYPE_INT, 64, 1},
		{DTYPE_UINT, 1, 1},
	};

	return all[draw(k, sizeof(all) / sizeof(*all))];
}

/* The type that most parts of the program have. */
static void
draw_base(struct maker *k)
{
	static const struct dtype common[] = {
		{DTYPE_FLOAT, 32, 1}, {DTYPE_FLOAT, 32, 1},
		{DTYPE_FLOAT, 64, 1}, {DTYPE_INT, 32, 1},
		{DTYPE_INT, 8, 1},
	};
	static const int64_t image[] = {1, 4, 2, 3};

	k->dtype = draw(k, 4) ? common[draw(k, 5)] : draw_dtype(k);
	k->ndim = draw(k, 2) ? 4 : draw(k, 4);
	for (uint32_t i = 0; i < k->ndim; i++)
		k->shape[i] = DIM(k->ndim == 4 ? image[i] : 1 + draw(k, 3));
}

/* Element I: small numbers, all of whose sums are exact. */
static void
set_element(struct maker *k, ir_tensor *t, int64_t i, bool positive)
{
	int64_t whole = (int64_t)draw(k, 9) - (positive ? -1 : 4);

	if (dtype_is_bool(t->dtype))
		ir_tensor_set_int(t, i, draw(k, 2));
	else if (dtype_is_float(t->dtype))
		ir_tensor_set_double(t, i, (double)whole / 4);
	else if (t->dtype.code == DTYPE_UINT)
		ir_tensor_set_int(t, i, whole < 0 ? 255 : whole);
	else
		ir_tensor_set_int(t, i, whole == -4 ? -128 : whole);
}

static ir_tensor *
draw_tensor(struct maker *k, struct dtype dtype, const struct ir_dim *shape,
	    uint32_t ndim, bool positive)
{
	int64_t dims[MAX_RANK + 2];
	bool same = draw(k, 2);
	ir_tensor *t;

	for (uint32_t i = 0; i < ndim; i++)
		dims[i] = shape[i].value;
	t = ir_tensor_new(dtype, dims, ndim);
	for (int64_t i = 0; i < ir_tensor_size(t); i++) {
		if (same && i > 0)
			ir_tensor_set_double(t, i, ir_tensor_get_double(t, 0));
		else
			set_element(k, t, i, positive);
	}
	return t;
}

static const ir_expr *
new_constant(struct maker *k, struct dtype dtype, bool scalar, bool positive)
{
	ir_tensor *t =
		draw_tensor(k, dtype, k->shape, scalar ? 0 : k->ndim, positive);
	const ir_expr *e = ir_new_constant(k->m, LOC_NONE, t);

	ir_tensor_unref(t);
	return e;
}

static const ir_expr *
new_param(struct maker *k, struct dtype dtype, const struct ir_dim *shape,
	  uint32_t ndim)
{
	const ir_type *t = ir_type_tensor(k->cx, dtype, shape, ndim);
	const ir_expr *e;

	if (k->nparams == MAX_PARAMS)
		return NULL;
	e = ir_new_var(k->m, LOC_NONE, ir_namef(k->cx, "p%u", k->nparams), t);
	k->params[k->nparams++] = ir_as_var(e);
	return e;
}

/* Anything, for an input called HINT. */
static const ir_expr *
draw_leaf(struct maker *k, const char *hint)
{
	struct dtype dtype = draw(k, 6) ? k->dtype : draw_dtype(k);
	uint32_t skip = draw(k, 6) || k->ndim == 0 ? 0 : draw(k, k->ndim);

	if (strstr(hint, "zero_point"))
		return ir_new_scalar_int(k->m, LOC_NONE, DTYPE(INT, 32), 3);
	if (strstr(hint, "scale"))
		return new_constant(k, DTYPE(FLOAT, 32), true, draw(k, 4));
	if (strcmp(hint, "fill_value") == 0)
		return draw(k, 2) ? new_constant(k, dtype, true, false)
				  : new_param(k, dtype, NULL, 0);
	if (strcmp(hint, "bias") == 0)
		return new_param(k, dtype, k->shape + (k->ndim > 1),
				 k->ndim > 0);
	return new_param(k, dtype, k->shape + skip, k->ndim - skip);
}

static const ir_expr *make(struct maker *k, const struct rw_node *p,
			   const char *hint);

/* The name of input I of OP, in BUF. */
static const char *
input_name(const ir_op *op, uint32_t i, char buf[64])
{
	const char *s = op ? op->inputs : "";

	while (i-- > 0 && *s)
		s += strcspn(s, ",") + (s[strcspn(s, ",")] == ',');
	snprintf(buf, 64, "%.*s", (int)strcspn(s, ","), s);
	return buf;
}

static ir_attr
int_list(struct maker *k, const int64_t *v, uint32_t n)
{
	return ir_attr_int_array(k->cx, v, n, 32);
}

static ir_attr
draw_axes(struct maker *k, uint32_t ndim)
{
	int64_t axes[MAX_RANK + 2];

	for (uint32_t i = 0; i < ndim; i++)
		axes[i] = i;
	for (uint32_t i = ndim; i > 1 && draw(k, 4); i--) {
		uint32_t at = draw(k, i);
		int64_t swap = axes[i - 1];

		axes[i - 1] = axes[at];
		axes[at] = swap;
	}
	return int_list(k, axes, ndim);
}

static ir_attr
draw_layout(struct maker *k, const ir_expr *x, bool source)
{
	static const char *const four[] = {"NCHW", "NHWC", "HWCN"};
	static const char *const five[] = {"NCHW2c", "NCHW4c", "NHWC4c"};
	uint32_t ndim = x->type && x->type->kind == TYPE_TENSOR
				? ir_as_tensor_type(x->type)->ndim
				: 4;

	if (source && ir_is_call_of(x, OP_layout_transform) && draw(k, 8))
		return *ir_attrs_get(ir_as_call(x)->attrs, "dst_layout");
	if (source ? ndim == 5 : draw(k, 2) == 0)
		return ATTR_STR(ir_name(k->cx, five[draw(k, 3)]));
	return ATTR_STR(ir_name(k->cx, four[draw(k, 3)]));
}

static ir_attr
draw_shape(struct maker *k)
{
	int64_t dims[MAX_RANK];

	for (uint32_t i = 0; i < k->ndim; i++)
		dims[i] = k->shape[i].value;
	return int_list(k, dims, k->ndim);
}

static ir_attr
draw_newshape(struct maker *k)
{
	int64_t dims[MAX_RANK + 1] = {-1};

	if (draw(k, 2) || k->ndim == 0)
		return int_list(k, dims, 1);
	for (uint32_t i = 0; i < k->ndim; i++)
		dims[i] = k->shape[k->ndim - 1 - i].value;
	return int_list(k, dims, k->ndim);
}

/* A value for the attribute NAME of a call whose first input is X. */
static bool
draw_attr(struct maker *k, const char *name, const ir_expr *x, ir_attr *v)
{
	static const double ranges[][2] = {
		{0, 255},  {-128, 127}, {-1.5, 1.5},
		{0, 1000}, {-1, 3},     {-2147483648.0, 2147483647.0},
	};
	static uint32_t range;
	uint32_t ndim = x && x->type && x->type->kind == TYPE_TENSOR
				? ir_as_tensor_type(x->type)->ndim
				: k->ndim;

	if (strcmp(name, "dtype") == 0)
		*v = ATTR_DT(draw(k, 2) ? k->dtype : draw_dtype(k));
	else if (strcmp(name, "out_dtype") == 0)
		*v = ATTR_DT(DTYPE(FLOAT, 32));
	else if (strcmp(name, "a_min") == 0)
		*v = ATTR_DOUBLE(ranges[range = draw(k, 6)][0]);
	else if (strcmp(name, "a_max") == 0)
		*v = ATTR_DOUBLE(ranges[range][1]);
	else if (strcmp(name, "axes") == 0 && draw(k, 4))
		*v = draw_axes(k, ndim);
	else if (strcmp(name, "newshape") == 0)
		*v = draw_newshape(k);
	else if (strcmp(name, "shape") == 0)
		*v = draw_shape(k);
	else if (strcmp(name, "src_layout") == 0 && x)
		*v = draw_layout(k, x, true);
	else if (strcmp(name, "dst_layout") == 0 && x)
		*v = draw_layout(k, x, false);
	else
		return false;
	return true;
}

static const ir_attrs *
draw_attrs(struct maker *k, const struct rw_node *p, const ir_op *op,
	   const ir_expr *x)
{
	const struct attrs_schema *s = op->attrs;
	ir_attr values[32];
	const char *why;

	if (!s || s->nfields > 32)
		return NULL;
	for (unsigned i = 0; i < s->nfields; i++) {
		values[i] = ir_attrs_default(k->cx, s, i);
		if (!draw_attr(k, s->fields[i].name, x, &values[i]))
			continue;
		if (!ir_attr_convert(k->cx, &s->fields[i], &values[i], &why))
			return NULL;
	}
	for (uint32_t i = 0; i < p->nattrs; i++) {
		const struct rw_node *v = p->attrs[i].value;

		while (v->kind == RW_ALT)
			v = v->sub[draw(k, v->n)];
		if (v->kind == RW_VALUE)
			values[attrs_field_index(s, p->attrs[i].name)] =
				v->value;
	}
	return ir_attrs_new(k->cx, s, values);
}

static const ir_expr *
make_call(struct maker *k, const struct rw_node *p)
{
	static const enum op_id binary[] = {
		OP_add,     OP_subtract, OP_multiply, OP_divide,
		OP_maximum, OP_minimum,  OP_less,
	};
	const ir_op *op = p->op ? p->op : ir_op_info(binary[draw(k, 7)]);
	const ir_expr *args[8] = {NULL};
	uint32_t n = op->ninputs < 0 ? p->n : (uint32_t)op->ninputs;
	char name[64];

	if (n > 8 || n < p->n || (!p->op && !p->classes))
		return NULL;
	for (uint32_t i = 0; i < n; i++) {
		input_name(op, i, name);
		args[i] = i < p->n ? make(k, p->sub[i], name)
				   : draw_leaf(k, name);
		if (!args[i] || !ir_infer_expr(k->m, args[i], k->d))
			return NULL;
	}
	if (n == 2 && p->n == 2 && !p->ordered && draw(k, 2) &&
	    (op->id == OP_add || op->id == OP_multiply)) {
		const ir_expr *swap = args[0];

		args[0] = args[1];
		args[1] = swap;
	}
	return ir_new_op_call(k->m, LOC_NONE, op->id, args, n,
			      draw_attrs(k, p, op, args[0]));
}

static const ir_expr *
make_number(struct maker *k, const struct rw_node *p)
{
	struct dtype t = dtype_is_void(p->dtype) ? k->dtype : p->dtype;

	return ir_new_scalar(k->m, LOC_NONE, t,
			     p->value.kind == ATTR_INT ? (double)p->value.i
						       : p->value.f);
}

/* An expression that P should fit, for an input called HINT; or NULL. */
static const ir_expr *
make(struct maker *k, const struct rw_node *p, const char *hint)
{
	const struct rw_slot *slot;
	const ir_expr *e;

	switch (p->kind) {
	case RW_ANY:
		return draw_leaf(k, hint);
	case RW_CONST:
		return strstr(hint, "scale")
			       ? draw_leaf(k, hint)
			       : new_constant(k, k->dtype, draw(k, 2), false);
	case RW_NUMBER:
		return make_number(k, p);
	case RW_SLOT:
		slot = &k->rule->slots[p->slot];
		if (!k->slots[p->slot])
			k->slots[p->slot] = slot->def ? make(k, slot->def, hint)
						      : draw_leaf(k, hint);
		return k->slots[p->slot];
	case RW_ALT:
		return make(k, p->sub[draw(k, p->n)], hint);
	case RW_OPT:
		return draw(k, 2) ? make_call(k, p) : make(k, p->sub[0], hint);
	case RW_CALL:
		return make_call(k, p);
	case RW_PROJ:
		e = make(k, p->sub[0], hint);
		return e ? ir_new_proj(k->m, LOC_NONE, e,
				       p->index < 0 ? 0 : (uint32_t)p->index)
			 : NULL;
	default:
		return NULL;
	}
}

/* A module with @main made for RULE from SEED; NULL if it has no type. */
static ir_module *
make_module(struct maker *k, ir_context *cx, const struct rw_rule *rule,
	    uint64_t seed, struct diag *d)
{
	struct ir_function_parts parts = {0};
	const char *name = ir_name(cx, "main");

	*k = (struct maker){.m = ir_module_new(cx),
			    .cx = cx,
			    .d = d,
			    .rule = rule,
			    .seed = seed * 2654435761 + 1};
	for (int i = 0; i < 8; i++)
		(void)draw(k, 2);
	draw_base(k);
	parts.body = make(k, rule->pattern, "");
	parts.params = k->params;
	parts.nparams = k->nparams;
	if (parts.body) {
		ir_module_add_function(k->m, name,
				       ir_new_function(k->m, LOC_NONE, &parts),
				       LOC_NONE);
		if (ir_infer_module(k->m, d))
			return k->m;
	}
	ir_module_free(k->m);
	return NULL;
}

static struct interp_value *
run_main(const struct maker *k, ir_module *m)
{
	struct interp *x = interp_new(m, k->d);
	const ir_def *def = ir_module_find(m, ir_name(k->cx, "main"));
	struct interp_value *args[MAX_PARAMS];
	struct interp_value *out;
	struct maker values = *k;

	for (uint32_t i = 0; i < def->fn->nparams; i++) {
		const struct ir_tensor_type *t =
			ir_as_tensor_type(def->fn->params[i]->annotation);

		args[i] = interp_tensor(draw_tensor(&values, t->dtype, t->shape,
						    t->ndim, false));
	}
	out = interp_call(x, def, args, def->fn->nparams);
	for (uint32_t i = 0; i < def->fn->nparams; i++)
		interp_unref(args[i]);
	interp_free(x);
	return out;
}

static bool
is_near(const ir_tensor *a, const ir_tensor *b, double tolerance)
{
	if (!dtype_equal(a->dtype, b->dtype) ||
	    ir_tensor_size(a) != ir_tensor_size(b))
		return false;
	if (a->dtype.bits == 16)
		tolerance = 0.02;
	for (int64_t i = 0; i < ir_tensor_size(a); i++) {
		double x = ir_tensor_get_double(a, i);
		double y = ir_tensor_get_double(b, i);
		double allowed = dtype_is_float(a->dtype)
					 ? tolerance * (1 + fabs(x))
					 : 0;

		if (x != y && !(isnan(x) && isnan(y)) &&
		    !(fabs(x - y) <= allowed))
			return false;
	}
	return true;
}

static bool
apply(ir_module *m, const char *path, const char *rule, struct diag *d)
{
	static const struct pass_options options = PASS_OPTIONS_DEFAULT;
	struct pass_pipeline p;
	struct pass_manager pm;
	struct arena arena = {0};
	struct source s;
	const char *text =
		arena_printf(&arena, "rewrite<rules=%s;only=%s>", path, rule);
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

/* The rule on one program; true if it was applied there. */
static bool
try_one(const struct rw_rule *rule, uint64_t seed, size_t file,
	const char *path)
{
	ir_context *cx = ir_context_new();
	struct diag quiet;
	struct maker k;
	ir_module *before, *after = NULL;
	struct interp_value *a = NULL, *b = NULL;
	bool applied = false;

	diag_init(&quiet, "rewrites", NULL);
	quiet.quiet = true;
	before = make_module(&k, cx, rule, seed, &quiet);
	if (before)
		after = make_module(&k, cx, rule, seed, &quiet);
	if (after && apply(after, path, rule->name, &quiet) &&
	    !ir_module_equal(before, after, NULL, NULL)) {
		applied = true;
		CHECK(ir_module_find(before, ir_name(cx, "main"))
			      ->fn->base.type ==
		      ir_module_find(after, ir_name(cx, "main"))
			      ->fn->base.type);
		a = run_main(&k, before);
		b = run_main(&k, after);
		if (a && (!b || !is_near(a->tensor, b->tensor,
					 files[file].tolerance))) {
			fprintf(stderr,
				"rule \"%s\", program %llu: another "
				"value\n",
				rule->name, (unsigned long long)seed);
			unit_failures++;
		}
	}
	interp_unref(a);
	interp_unref(b);
	ir_module_free(after);
	ir_module_free(before);
	ir_context_free(cx);
	return applied;
}

static void
try_file(size_t file)
{
	ir_context *cx = ir_context_new();
	struct rw_file rules = {0};
	struct source s;
	struct diag d;
	char path[] = "/tmp/rewrites-XXXXXX";
	int fd = mkstemp(path);
	size_t len = strlen(files[file].text);

	CHECK(fd >= 0 && write(fd, files[file].text, len) == (ssize_t)len);
	close(fd);
	source_init(&s, files[file].name, files[file].text, len);
	diag_init(&d, "rewrites", &s);
	CHECK(rw_read(&rules, cx, &s, &d));
	for (size_t i = 0; i < rules.rules.len; i++) {
		unsigned applied = 0;

		for (uint64_t seed = 1; seed < TRIES && applied < ENOUGH;
		     seed++)
			applied += try_one(rules.rules.at[i], seed, file, path);
		if (applied == 0) {
			fprintf(stderr, "rule \"%s\": no program fits\n",
				rules.rules.at[i]->name);
			unit_failures++;
		}
	}
	unlink(path);
	rw_file_free(&rules);
	source_free(&s);
	ir_context_free(cx);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		try_file(i);
	return unit_result();
}
