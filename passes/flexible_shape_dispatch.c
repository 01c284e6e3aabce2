/*
 * flexible-shape-dispatch: let main take several extents of one axis.
 *
 *     def @main(%x: Tensor[(10, 3), float32]) { exp(%x) }
 *
 * becomes, with buckets=1,4,
 *
 *     def @main(%x: Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32] {
 *       %0 = take(shape_of(%x), 0);
 *       if (equal(%0, 4)) { @main_4(reshape(%x, newshape=[4, 3])) }
 *       else { if (equal(%0, 1)) { @main_1(reshape(%x, newshape=[1, 3])) }
 *       else { @main_dynamic(%x) } }
 *     }
 *
 * and three functions with the body of main, for these extents and for any.
 * With auto-pad an input is padded to the next bucket first, and what the
 * padding gave is cut off the result.
 *
 * Level: module. Needs: types.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "ir/rewrite.h"
#include "ir/walk.h"
#include "passes/opcall.h"
#include "passes/pass.h"
#include "support/vec.h"

typedef VEC(int64_t) int64_vec;

struct dispatch {
	pass_ctx *cx;
	struct opcall b;
	const struct ir_function *fn; /* main as it was */
	int64_t dim;
	bool pads;
	double pad_value;
	bool affects_output;
	int64_vec buckets;
	int64_vec indices;            /* of the inputs */
	const struct ir_var **params; /* of the new main */
	const ir_expr *extent;        /* of the inputs, at run time */
	VEC(ir_def *) added;          /* functions */
};

/* -------------------------------------------------------------- options -- */

/* Rising numbers of at least LEAST, or just that; false after reporting. */
static bool
read_numbers(pass_ctx *cx, const char *option, int64_t least, int64_vec *out)
{
	const char *text = pass_option(cx, option);
	char *s = (char *)(uintptr_t)text;

	if (!*text) {
		vec_push(out, least);
		return true;
	}
	do {
		const char *start = s;
		long long n = strtoll(s, &s, 10);

		if (s == start || (*s && *s != ',') || n < least ||
		    n > INT32_MAX || (out->len && n <= out->at[out->len - 1])) {
			pass_error(cx, LOC_NONE,
				   "option '%s': rising numbers from %lld on, "
				   "by commas, not '%s'",
				   option, (long long)least, text);
			return false;
		}
		vec_push(out, n);
	} while (*s++ == ',');
	return true;
}

static bool
read_options(struct dispatch *d)
{
	pass_ctx *cx = d->cx;
	const char *value = pass_option(cx, "pad-value");
	char *end;

	d->dim = pass_option_int(cx, "dim");
	d->pads = pass_option_bool(cx, "auto-pad");
	d->affects_output = pass_option_bool(cx, "affects-output");
	d->pad_value = strtod(value, &end);
	if (!*value || *end) {
		pass_error(cx, LOC_NONE,
			   "option 'pad-value': a number, not '%s'", value);
		return false;
	}
	return read_numbers(cx, "buckets", 1, &d->buckets) &&
	       read_numbers(cx, "input-indices", 0, &d->indices);
}

/* ---------------------------------------------------------------- types -- */

static const ir_type *
type_of(const struct ir_var *v)
{
	return v->annotation ? v->annotation : v->base.type;
}

/* T with EXTENT on the axis; it has one. */
static const ir_type *
override(struct dispatch *d, const ir_type *type, struct ir_dim extent)
{
	const struct ir_tensor_type *t = ir_as_tensor_type(type);
	struct ir_dim *shape =
		ARENA_NEW_ARRAY(d->cx->scratch, t->ndim, struct ir_dim);

	memcpy(shape, t->shape, t->ndim * sizeof(*shape));
	shape[d->dim < 0 ? d->dim + t->ndim : d->dim] = extent;
	return ir_type_tensor(d->b.m->cx, t->dtype, shape, t->ndim);
}

static bool
has_axis(struct dispatch *d, const ir_type *type)
{
	int64_t n = type && type->kind == TYPE_TENSOR
			    ? ir_as_tensor_type(type)->ndim
			    : 0;

	return d->dim >= -n && d->dim < n;
}

/* The same of each tensor of a result. */
static bool
all_have_axis(struct dispatch *d, const ir_type *type)
{
	const struct ir_tuple_type *t;

	if (!type || type->kind != TYPE_TUPLE)
		return has_axis(d, type);
	t = ir_as_tuple_type(type);
	for (uint32_t i = 0; i < t->nfields; i++)
		if (!all_have_axis(d, t->fields[i]))
			return false;
	return true;
}

/* Padding and reshaping need to know the other extents. */
static bool
check_input(struct dispatch *d, int64_t index)
{
	const struct ir_tensor_type *t;
	const struct ir_var *v;

	if (index >= d->fn->nparams) {
		pass_error(d->cx, d->fn->base.loc,
			   "option 'input-indices': '@main' has no input %lld",
			   (long long)index);
		return false;
	}
	v = d->fn->params[index];
	if (!has_axis(d, type_of(v))) {
		pass_error(d->cx, v->base.loc, "'%%%s' has no axis %lld",
			   v->name, (long long)d->dim);
		return false;
	}
	t = ir_as_tensor_type(override(d, type_of(v), DIM(1)));
	if (!ir_shape_is_static(t)) {
		pass_error(d->cx, v->base.loc,
			   "'%%%s' has another axis of unknown extent",
			   v->name);
		return false;
	}
	return true;
}

static bool
check(struct dispatch *d)
{
	for (size_t i = 0; i < d->indices.len; i++)
		if (!check_input(d, d->indices.at[i]))
			return false;
	if (d->affects_output && !all_have_axis(d, d->fn->ret_type)) {
		pass_error(d->cx, d->fn->base.loc,
			   "the result of '@main' has no axis %lld; see "
			   "affects-output",
			   (long long)d->dim);
		return false;
	}
	return true;
}

/* ------------------------------------------------------------ functions -- */

/* Parameters like those of main, the inputs with this extent. */
static const struct ir_var **
new_params(struct dispatch *d, struct ir_dim extent)
{
	const struct ir_function *fn = d->fn;
	const struct ir_var **params = ARENA_NEW_ARRAY(
		d->cx->scratch, fn->nparams, const struct ir_var *);
	size_t next = 0;

	for (uint32_t i = 0; i < fn->nparams; i++) {
		const struct ir_var *v = fn->params[i];
		const ir_type *type = type_of(v);

		if (next < d->indices.len && d->indices.at[next] == i) {
			type = override(d, type, extent);
			next++;
		}
		params[i] = ir_as_var(
			ir_new_var(d->b.m, v->base.loc, v->name, type));
	}
	return params;
}

static const ir_type *
override_all(struct dispatch *d, const ir_type *type, struct ir_dim extent)
{
	const struct ir_tuple_type *t;
	const ir_type **fields;

	if (type->kind != TYPE_TUPLE)
		return override(d, type, extent);
	t = ir_as_tuple_type(type);
	fields = ARENA_NEW_ARRAY(d->cx->scratch, t->nfields, const ir_type *);
	for (uint32_t i = 0; i < t->nfields; i++)
		fields[i] = override_all(d, t->fields[i], extent);
	return ir_type_tuple(d->b.m->cx, fields, t->nfields);
}

static const ir_type *
result_type(struct dispatch *d, struct ir_dim extent)
{
	return d->affects_output ? override_all(d, d->fn->ret_type, extent)
				 : d->fn->ret_type;
}

/* A function of the body of main for inputs of this extent. */
static const ir_expr *
specialize(struct dispatch *d, const char *name, struct ir_dim extent)
{
	struct ir_function_parts parts = ir_function_parts(d->fn);
	ir_module *m = d->b.m;
	struct ir_map map = {0};
	const ir_expr *fn;
	ir_def *def;

	parts.params = new_params(d, extent);
	parts.ret_type = result_type(d, extent);
	parts.ret_inferred = false;
	for (uint32_t i = 0; i < parts.nparams; i++)
		ir_map_put(&map, ir_var_expr(d->fn->params[i]),
			   ir_var_expr(parts.params[i]));
	parts.body = ir_refresh_binders(m, ir_substitute(m, parts.body, &map));
	ir_map_free(&map);
	fn = ir_new_function(m, d->fn->base.loc, &parts);
	def = ir_module_add_function(m, ir_module_fresh_name(m, name), fn,
				     d->fn->base.loc);
	vec_push(&d->added, def);
	return &def->global->base;
}

/* ------------------------------------------------------------- dispatch -- */

static const ir_expr *
int_scalar(struct dispatch *d, int64_t value)
{
	return ir_new_scalar_int(d->b.m, d->b.loc, DTYPE(INT, 32), value);
}

/* The extent of X on the axis, at run time. */
static const ir_expr *
extent_of(struct dispatch *d, const ir_expr *x, uint32_t ndim)
{
	ir_context *cx = d->b.m->cx;
	const ir_attrs *a = opcall_attrs(&d->b, OP_shape_of, NULL);
	const ir_expr *args[2];

	a = ir_attrs_with(cx, a, "dtype", ATTR_DT(DTYPE(INT, 32)));
	args[0] = ir_new_op_call(d->b.m, d->b.loc, OP_shape_of, &x, 1, a);
	args[1] = int_scalar(d, d->dim < 0 ? d->dim + ndim : d->dim);
	return ir_new_op_call(d->b.m, d->b.loc, OP_take, args, 2,
			      opcall_attrs(&d->b, OP_take, NULL));
}

/* Zeros but for the padding behind the axis, up to BUCKET. */
static const ir_expr *
pad_widths(struct dispatch *d, int64_t bucket, uint32_t ndim)
{
	ir_module *m = d->b.m;
	const ir_attrs *a = opcall_attrs(&d->b, OP_scatter_nd, NULL);
	int64_t two = 2, shape[] = {ndim, 2};
	ir_tensor *zeros = ir_tensor_new(DTYPE(INT, 32), shape, 2);
	ir_tensor *place = ir_tensor_new(DTYPE(INT, 32), &two, 1);
	const ir_expr *args[3];

	ir_tensor_set_int(place, 0, d->dim < 0 ? d->dim + ndim : d->dim);
	ir_tensor_set_int(place, 1, 1);
	vec_push(&m->tensors, zeros);
	vec_push(&m->tensors, place);
	args[0] = ir_new_constant(m, d->b.loc, zeros);
	args[1] = ir_new_constant(m, d->b.loc, place);
	args[2] = opcall_binary(&d->b, OP_subtract, int_scalar(d, bucket),
				d->extent);
	return ir_new_op_call(m, d->b.loc, OP_scatter_nd, args, 3, a);
}

/* X padded to bucket I, if that is the next one. */
static const ir_expr *
pad(struct dispatch *d, const ir_expr *x, const struct ir_tensor_type *t,
    size_t i)
{
	int64_t bucket = d->buckets.at[i];
	const ir_expr *args[] = {x, pad_widths(d, bucket, t->ndim),
				 opcall_scalar(&d->b, t->dtype, d->pad_value)};
	const ir_expr *padded =
		ir_new_op_call(d->b.m, d->b.loc, OP_dyn_nn_pad, args, 3,
			       opcall_attrs(&d->b, OP_dyn_nn_pad, NULL));
	const ir_expr *fits = opcall_binary(&d->b, OP_less_equal, d->extent,
					    int_scalar(d, bucket));

	if (i)
		fits = opcall_binary(
			&d->b, OP_logical_and, fits,
			opcall_binary(&d->b, OP_greater, d->extent,
				      int_scalar(d, d->buckets.at[i - 1])));
	return ir_new_if(d->b.m, d->b.loc, fits, padded, x);
}

/* The numbers of the rows that the inputs had. */
static const ir_expr *
row_numbers(struct dispatch *d)
{
	const ir_expr *range[] = {int_scalar(d, 0), d->extent,
				  int_scalar(d, 1)};
	const ir_attrs *a = opcall_attrs(&d->b, OP_arange, NULL);

	a = ir_attrs_with(d->b.m->cx, a, "dtype", ATTR_DT(DTYPE(INT, 32)));
	return ir_new_op_call(d->b.m, d->b.loc, OP_arange, range, 3, a);
}

/* These ROWS of each tensor of RESULT, which has this type. */
static const ir_expr *
cut(struct dispatch *d, const ir_expr *result, const ir_type *type,
    const ir_expr *rows)
{
	const ir_expr *args[] = {result, rows};
	const struct ir_tuple_type *t;
	const ir_expr **fields;

	if (type->kind != TYPE_TUPLE)
		return ir_new_op_call(
			d->b.m, d->b.loc, OP_take, args, 2,
			ir_attrs_with(d->b.m->cx,
				      opcall_attrs(&d->b, OP_take, NULL),
				      "axis", ATTR_INT32(d->dim)));
	t = ir_as_tuple_type(type);
	fields = ARENA_NEW_ARRAY(d->cx->scratch, t->nfields, const ir_expr *);
	for (uint32_t i = 0; i < t->nfields; i++)
		fields[i] = cut(d, ir_new_proj(d->b.m, d->b.loc, result, i),
				t->fields[i], rows);
	return ir_new_tuple(d->b.m, d->b.loc, fields, t->nfields);
}

static const ir_expr *
as_static(struct dispatch *d, const ir_expr *x, const struct ir_tensor_type *t)
{
	int64_t *shape = ARENA_NEW_ARRAY(d->cx->scratch, t->ndim, int64_t);

	for (uint32_t i = 0; i < t->ndim; i++)
		shape[i] = t->shape[i].value;
	return opcall_reshape(&d->b, x, shape, t->ndim);
}

static const ir_expr **
arguments(struct dispatch *d)
{
	const ir_expr **args = ARENA_NEW_ARRAY(d->cx->scratch, d->fn->nparams,
					       const ir_expr *);

	for (uint32_t i = 0; i < d->fn->nparams; i++)
		args[i] = ir_var_expr(d->params[i]);
	return args;
}

/* What bucket I does if it is the one, or OTHER. */
static const ir_expr *
add_bucket(struct dispatch *d, size_t i, const ir_expr *other)
{
	int64_t bucket = d->buckets.at[i];
	ir_context *cx = d->b.m->cx;
	const ir_expr **args = arguments(d);
	const ir_expr *extent = d->extent;
	const ir_expr *fn = specialize(
		d, ir_namef(cx, "main_%lld", (long long)bucket), DIM(bucket));
	const ir_expr *call;

	for (size_t k = 0; k < d->indices.len; k++) {
		int64_t at = d->indices.at[k];
		const struct ir_tensor_type *t = ir_as_tensor_type(
			override(d, type_of(d->fn->params[at]), DIM(bucket)));
		const ir_expr *x = args[at];

		if (d->pads)
			x = pad(d, x, t, i);
		if (d->pads && k == 0)
			extent = extent_of(d, x, t->ndim);
		args[at] = as_static(d, x, t);
	}
	call = ir_new_call(d->b.m, d->b.loc, fn, args, d->fn->nparams, NULL);
	if (d->pads && d->affects_output)
		call = cut(d, call, d->fn->ret_type, row_numbers(d));
	return ir_new_if(
		d->b.m, d->b.loc,
		opcall_binary(&d->b, OP_equal, extent, int_scalar(d, bucket)),
		call, other);
}

static const ir_expr *
dispatch(struct dispatch *d)
{
	int64_t first = d->indices.at[0];
	const ir_expr *e = specialize(d, "main_dynamic", DIM_UNKNOWN);
	struct ir_function_parts parts = ir_function_parts(d->fn);

	d->params = new_params(d, DIM_UNKNOWN);
	d->extent = extent_of(
		d, ir_var_expr(d->params[first]),
		ir_as_tensor_type(type_of(d->fn->params[first]))->ndim);
	e = ir_new_call(d->b.m, d->b.loc, e, arguments(d), d->fn->nparams,
			NULL);
	for (size_t i = 0; i < d->buckets.len; i++)
		e = add_bucket(d, i, e);
	parts.params = d->params;
	parts.ret_type = result_type(d, DIM_UNKNOWN);
	parts.ret_inferred = false;
	parts.body = e;
	return ir_new_function(d->b.m, d->fn->base.loc, &parts);
}

/* Find all types; if they do not fit, take everything back. */
static bool
infer(struct dispatch *d, ir_def *def)
{
	ir_module *m = d->b.m;

	m->types_valid = false;
	d->cx->keeps_types = ir_infer_module(m, d->cx->diag);
	if (d->cx->keeps_types)
		return true;
	def->fn = d->fn;
	for (size_t i = 0; i < d->added.len; i++)
		ir_module_remove(m, d->added.at[i]);
	d->cx->failed = true;
	return false;
}

bool
pass_flexible_shape_dispatch(pass_ctx *cx)
{
	ir_module *m = cx->module;
	struct dispatch d = {.cx = cx, .b = {.m = m}};
	ir_def *def = ir_module_find(m, ir_name(m->cx, "main"));
	bool ok = false;

	if (!def || def->kind != DEF_FUNCTION || !def->fn->body) {
		pass_error(cx, LOC_NONE, "there is no function '@main'");
	} else {
		d.fn = def->fn;
		d.b.loc = def->fn->body->loc;
		ok = read_options(&d) && check(&d);
	}
	if (ok) {
		def->fn = ir_as_function(dispatch(&d));
		ok = infer(&d, def);
	}
	vec_free(&d.buckets);
	vec_free(&d.indices);
	vec_free(&d.added);
	return ok;
}
