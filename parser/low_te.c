/*
 * Tensor expressions.
 */
#include <string.h>

#include "parser/low.h"
#include "parser/syn.h"

/* The body of a function ends here, and so do its names. */
void
low_reset(struct parse_ctx *cx)
{
	struct low_state *low = &cx->low;

	scope_leave(&low->vars, 0);
	scope_leave(&low->ops, 0);
	scope_leave(&low->buffers, 0);
	low->te = NULL;
	low->schedule = NULL;
	low->tir = NULL;
	low->def = NULL;
	low->naxes = low->sizes = 0;
	low->named = false;
	low->axes.len = low->dtypes.len = low->exprs.len = 0;
	low->xargs.len = low->words.len = low->frames.len = 0;
	low->blocks.len = low->params.len = low->handles.len = 0;
}

void
low_free(struct parse_ctx *cx)
{
	struct low_state *low = &cx->low;

	name_map_free(&low->keywords);
	scope_free(&low->vars);
	scope_free(&low->ops);
	scope_free(&low->buffers);
	vec_free(&low->axes);
	vec_free(&low->dtypes);
	vec_free(&low->exprs);
	vec_free(&low->xargs);
	vec_free(&low->words);
	vec_free(&low->frames);
	vec_free(&low->blocks);
	vec_free(&low->params);
	vec_free(&low->handles);
}

/* A definition of NAME; what is there already is reported. */
static ir_def *
add_def(struct parse_ctx *cx, struct loc loc, const char *name,
	enum ir_def_kind kind)
{
	if (ir_module_find(cx->m, name)) {
		diag_error(cx->d, loc, "'@%s' is defined twice", name);
		diag_note(cx->d, ir_module_find(cx->m, name)->loc,
			  "the first definition is here");
		return NULL;
	}
	return ir_module_add(cx->m, name, kind, loc);
}

void
low_te_open(struct parse_ctx *cx, struct loc loc, const char *name)
{
	cx->low.def = add_def(cx, loc, name, DEF_TE);
	cx->low.te = te_new_func(cx->m, name);
	cx->low.te->loc = loc;
}

void
low_te_end(struct parse_ctx *cx)
{
	struct low_state *low = &cx->low;

	if (low->def)
		low->def->te = low->te;
}

/* Append an operation and make its name known. */
static struct te_op *
add_op(struct parse_ctx *cx, struct loc loc, enum te_op_kind kind,
       const char *name, uint32_t noutputs)
{
	struct te_op *op;

	if (scope_find(&cx->low.ops, name))
		diag_error(cx->d, loc, "there is a tensor '%s' already", name);
	op = te_add_op(cx->m, cx->low.te, kind, name, noutputs);
	op->loc = loc;
	scope_bind(&cx->low.ops, name, op);
	return op;
}

/* Element type and shape of T, which must be static, for output I. */
static void
set_output(struct parse_ctx *cx, struct loc loc, struct te_op *op, uint32_t i,
	   const ir_type *t)
{
	const struct ir_tensor_type *tt;
	int64_t *shape;

	if (t->kind != TYPE_TENSOR ||
	    !ir_shape_is_static(ir_as_tensor_type(t))) {
		diag_error(cx->d, loc,
			   "tensors here must have known dimensions");
		te_set_output(cx->m, op, i, DTYPE(FLOAT, 32), NULL, 0);
		return;
	}
	tt = ir_as_tensor_type(t);
	shape = ARENA_NEW_ARRAY(&cx->m->arena, tt->ndim, int64_t);
	for (uint32_t k = 0; k < tt->ndim; k++)
		shape[k] = tt->shape[k].value;
	te_set_output(cx->m, op, i, tt->dtype, shape, tt->ndim);
}

/* A new size; what is computed has a VALUE. */
static int64_t
new_size(struct parse_ctx *cx, struct loc loc, const char *name,
	 const tir_expr *value)
{
	struct low_state *low = &cx->low;
	int64_t extent = te_add_size(cx->m, low->te, name, value);

	if (low->naxes || scope_mark(&low->vars) != low->sizes)
		diag_error(cx->d, loc, "a size cannot be declared here");
	scope_bind(&low->vars, name, te_size_var(extent));
	low->sizes = (uint32_t)scope_mark(&low->vars);
	return extent;
}

static const struct tir_var *
find_size(struct parse_ctx *cx, const char *name)
{
	const struct tir_var *v = scope_find(&cx->low.vars, name);

	return v && cx->low.te && te_find_size(cx->low.te, v) >= 0 ? v : NULL;
}

/* A dimension of a tensor type: those of parameters declare their sizes. */
void
low_size_dim(struct parse_ctx *cx, struct loc loc, const char *name)
{
	const struct tir_var *v = find_size(cx, name);
	struct ir_dim dim = DIM(1);

	if (v)
		dim.value = te_size_extent(v);
	else if (cx->low.te && cx->low.te->nops == cx->low.te->nparams)
		dim.value = new_size(cx, loc, name, NULL);
	else
		diag_error(cx->d, loc, "a dimension is a number or '?'");
	cx->low.named = true;
	vec_push(&cx->dims, dim);
}

void
low_size_axis(struct parse_ctx *cx, struct loc loc, const char *name,
	      const char *size)
{
	const struct tir_var *v = find_size(cx, size);
	struct te_axis axis = {NULL, 1};

	if (v)
		axis.extent = te_size_extent(v);
	else
		diag_error(cx->d, loc, "there is no size '%s'", size);
	axis.var = tir_new_var(cx->m, name, DTYPE(INT, 64));
	scope_bind(&cx->low.vars, name, axis.var);
	vec_push(&cx->low.axes, axis);
}

void
low_size(struct parse_ctx *cx, struct loc loc, const char *name,
	 const tir_expr *value)
{
	if (value == low_poison())
		return;
	if (!dtype_equal(value->dtype, DTYPE(INT, 64)))
		diag_error(cx->d, loc, "a size is an int64");
	else if (scope_find(&cx->low.vars, name))
		diag_error(cx->d, loc, "there is a size '%s' already", name);
	else
		new_size(cx, loc, name, value);
}

void
low_require(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
	    const tir_expr *a, const tir_expr *b, const char *message)
{
	struct te_require r = {cond, a, b, message, loc};

	if (cond == low_poison() || a == low_poison() || b == low_poison())
		return;
	if (!dtype_is_bool(cond->dtype) ||
	    !dtype_equal(a->dtype, DTYPE(INT, 64)) ||
	    !dtype_equal(b->dtype, DTYPE(INT, 64)))
		diag_error(cx->d, loc,
			   "a condition and two numbers of type int64 are "
			   "required");
	else
		te_add_require(cx->m, cx->low.te, &r);
}

/* Parameter I brings the sizes of its type that none before has. */
static void
bind_sizes(te_func *f, uint32_t i)
{
	const struct te_tensor *t = &f->ops[i]->outputs[0];

	for (uint32_t d = 0; d < t->ndim; d++) {
		struct te_size *s;

		if (!te_is_size(t->shape[d]))
			continue;
		s = &f->sizes[te_find_size(f, te_size_var(t->shape[d]))];
		if (s->param >= 0 || s->value)
			continue;
		s->param = (int32_t)i;
		s->dim = (int32_t)d;
	}
}

void
low_param(struct parse_ctx *cx, struct loc loc, const char *name,
	  const ir_type *type, bool is_const, const char *const_name)
{
	struct te_op *op = add_op(cx, loc, TE_PARAM, name, 1);

	set_output(cx, loc, op, 0, type);
	bind_sizes(cx->low.te, op->id);
	op->is_const = is_const;
	op->const_name = const_name;
}

void
low_type_value(struct parse_ctx *cx, const ir_type *t)
{
	ir_attr v = {.kind = ATTR_TYPE, .type = t};

	if (!t)
		v = ATTR_NONE;
	syn_value(cx, v);
}

/* An attribute of a te or primfn: the value is on its stack. */
void
low_attr(struct parse_ctx *cx, struct loc loc, const char *key)
{
	ir_attr v = vec_pop(&cx->values);
	const ir_dict **attrs;

	if (strcmp(key, "relay.type") == 0 && v.kind == ATTR_TYPE) {
		if (cx->low.te)
			cx->low.te->relay_type = v.type;
		if (cx->low.tir)
			cx->low.tir->relay_type = v.type;
		if (!cx->low.te)
			return;
	}
	attrs = cx->low.te ? &cx->low.te->attrs : &cx->low.tir->attrs;
	if (ir_dict_get(*attrs, key))
		diag_error(cx->d, loc, "attribute '%s' is given twice", key);
	*attrs = ir_dict_with(cx->cx, *attrs, key, v);
}

void
low_axis(struct parse_ctx *cx, struct loc loc, const char *name,
	 const struct number *extent)
{
	struct te_axis axis = {NULL, 1};
	struct dtype t = DTYPE(INT, 32);
	unsigned width = 32;

	if (extent->kind != NUM_INT || extent->negative || extent->is_unsigned)
		diag_error(cx->d, loc, "the extent of an axis is a number");
	else
		syn_integer(cx, loc, extent, &axis.extent, &width);
	t.bits = (uint8_t)width;
	axis.var = tir_new_var(cx->m, name, t);
	scope_bind(&cx->low.vars, name, axis.var);
	vec_push(&cx->low.axes, axis);
}

void
low_dtype(struct parse_ctx *cx, const char *name)
{
	vec_push(&cx->low.dtypes, low_dtype_of(name));
}

void
low_compute_open(struct parse_ctx *cx, struct loc loc, const char *name)
{
	cx->low.compute = name;
	cx->low.compute_loc = loc;
	cx->low.naxes = (uint32_t)cx->low.axes.len;
}

/* The formulas are as many, and of such types, as the outputs. */
static bool
formulas_fit(struct parse_ctx *cx)
{
	const struct low_state *low = &cx->low;
	const tir_expr *first = low->exprs.len ? low->exprs.at[0] : NULL;
	bool fold = first && first->kind == TIR_REDUCE && low->exprs.len == 1;
	uint32_t have =
		fold ? first->reduce->nvalues : (uint32_t)low->exprs.len;

	for (size_t i = 0; i < low->exprs.len; i++) {
		if (low->exprs.at[i] == low_poison())
			return false;
	}
	if (have != low->dtypes.len) {
		diag_error(cx->d, low->compute_loc,
			   "there are %u formulas for %zu types", have,
			   low->dtypes.len);
		return false;
	}
	for (uint32_t i = 0; i < have; i++) {
		const tir_expr *e = fold ? first->arg[i] : low->exprs.at[i];

		if (dtype_equal(e->dtype, low->dtypes.at[i]) &&
		    e->kind != TIR_REDUCE)
			continue;
		diag_error(cx->d, low->compute_loc,
			   "formula %u has another type than its tensor", i);
		return false;
	}
	return true;
}

void
low_compute_end(struct parse_ctx *cx)
{
	struct low_state *low = &cx->low;
	uint32_t n = (uint32_t)low->dtypes.len;
	int64_t *shape = ARENA_NEW_ARRAY(&cx->m->arena, low->naxes, int64_t);
	bool fits = formulas_fit(cx);
	struct te_op *op = add_op(cx, low->compute_loc, TE_COMPUTE,
				  low->compute, n ? n : 1);

	for (uint32_t i = 0; i < low->naxes; i++)
		shape[i] = low->axes.at[i].extent;
	for (uint32_t i = 0; i < n; i++)
		te_set_output(cx->m, op, i, low->dtypes.at[i], shape,
			      low->naxes);
	op->naxes = low->naxes;
	op->axes = arena_copy(&cx->m->arena, low->axes.at,
			      low->naxes * sizeof(*op->axes));
	for (size_t i = 0; fits && i < low->exprs.len; i++)
		op->body[i] = low->exprs.at[i];
	low->axes.len = low->dtypes.len = low->exprs.len = 0;
	low->naxes = 0;
	scope_leave(&low->vars, low->sizes);
}

void
low_extern(struct parse_ctx *cx, struct loc loc, const char *name,
	   const char *symbol)
{
	struct low_state *low = &cx->low;
	uint32_t n = (uint32_t)cx->types.len;
	struct te_op *op = add_op(cx, loc, TE_EXTERN, name, n);

	for (uint32_t i = 0; i < n; i++)
		set_output(cx, loc, op, i, cx->types.at[i]);
	op->symbol = symbol;
	op->nargs = (uint32_t)low->xargs.len;
	op->args = arena_copy(&cx->m->arena, low->xargs.at,
			      low->xargs.len * sizeof(*op->args));
	low->xargs.len = 0;
	cx->types.len = 0;
}

struct te_tensor *
low_ref(struct parse_ctx *cx, struct loc loc, const char *name, uint64_t output)
{
	struct te_op *op =
		(struct te_op *)(uintptr_t)scope_find(&cx->low.ops, name);

	if (!op) {
		diag_error(cx->d, loc, "tensor '%s' is not defined yet", name);
		return NULL;
	}
	if (output < op->noutputs)
		return &op->outputs[output];
	diag_error(cx->d, loc, "'%s' has no output %llu", name,
		   (unsigned long long)output);
	return NULL;
}

/* An argument of an extern routine that is a name: a tensor or a size. */
void
low_name_arg(struct parse_ctx *cx, struct loc loc, const char *name,
	     uint64_t output)
{
	struct te_extern_arg a = {NULL, NULL};
	const struct tir_var *v = find_size(cx, name);

	if (v && !scope_find(&cx->low.ops, name))
		a.scalar = tir_var_ref(cx->m, v);
	else
		a.tensor = low_ref(cx, loc, name, output);
	vec_push(&cx->low.xargs, a);
}

/* Integers go to C functions as int64_t. */
void
low_scalar_arg(struct parse_ctx *cx, const tir_expr *e)
{
	struct te_extern_arg a = {NULL, e};

	if (e->kind == TIR_INT && dtype_equal(e->dtype, DTYPE(INT, 32)))
		a.scalar = tir_int(cx->m, DTYPE(INT, 32), e->i);
	vec_push(&cx->low.xargs, a);
}

void
low_output(struct parse_ctx *cx, struct loc loc, struct te_tensor *t)
{
	(void)loc;
	if (t)
		te_add_output(cx->m, cx->low.te, t);
}
