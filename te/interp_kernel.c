/*
 * Operators of the evaluator: a call becomes a kernel for the types of its
 * arguments, which is kept for the next call like it. Where the type of the
 * result depends on values (arange, dyn.reshape), the arguments become
 * constants of a kernel of its own.
 */
#include "te/interp_internal.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "ir/infer.h"
#include "ir/print.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "support/hash.h"
#include "te/build.h"
#include "te/eval.h"
#include "te/interp_static.h"
#include "te/lower.h"

struct kernel {
	const ir_op *op;   /* NULL: a definition */
	const ir_def *def; /* or NULL */
	const ir_attrs *attrs;
	uint32_t nargs;
	const ir_type **types; /* of the arguments */
	const ir_expr **fixed; /* arguments that are part of the kernel */
	const ir_type *out;
	tir_func *func;
	ir_tensor **extra; /* constants, passed behind the arguments */
	uint32_t nextra;
};

struct interp_kernels {
	struct kernel **slots;
	size_t nslots;
	size_t count;
};

void
interp_kernels_free(struct interp *x)
{
	if (x->kernels)
		free(x->kernels->slots);
	free(x->kernels);
}

/* Extents as wide as DECLARED writes them: the indices of argmax follow. */
static const ir_type *
tensor_type(struct interp *x, const ir_tensor *t, const ir_type *declared)
{
	const struct ir_tensor_type *d = NULL;
	struct ir_dim *shape =
		ARENA_NEW_ARRAY(&x->scratch, t->ndim, struct ir_dim);

	if (declared && declared->kind == TYPE_TENSOR)
		d = ir_as_tensor_type(declared);
	for (uint32_t i = 0; i < t->ndim; i++) {
		shape[i] = DIM(t->shape[i]);
		if (d && i < d->ndim && d->shape[i].kind == DIM_INT64)
			shape[i].kind = DIM_INT64;
	}
	return ir_type_tensor(x->m->cx, t->dtype, shape, t->ndim);
}

/* The type of V, DECLARED or NULL in text; NULL if not made of tensors. */
static const ir_type *
type_of(struct interp *x, const struct interp_value *v, const ir_type *declared)
{
	const struct ir_tuple_type *d = NULL;
	const ir_type **fields;

	if (v->kind == INTERP_TENSOR)
		return tensor_type(x, v->tensor, declared);
	if (v->kind != INTERP_TUPLE)
		return NULL;
	if (declared && declared->kind == TYPE_TUPLE)
		d = ir_as_tuple_type(declared);
	fields = ARENA_NEW_ARRAY(&x->scratch, v->n, const ir_type *);
	for (uint32_t i = 0; i < v->n; i++) {
		fields[i] = type_of(x, v->at[i],
				    d && i < d->nfields ? d->fields[i] : NULL);
		if (!fields[i])
			return NULL;
	}
	return ir_type_tuple(x->m->cx, fields, v->n);
}

static uint64_t
key_hash(const struct kernel *k)
{
	uint64_t h = hash_mix(k->op ? k->op->id : k->def->global->base.id,
			      k->attrs ? k->attrs->hash : 0);

	for (uint32_t i = 0; i < k->nargs; i++)
		h = hash_mix(h,
			     k->fixed[i] ? k->fixed[i]->id : k->types[i]->id);
	return h;
}

static bool
same_key(const struct kernel *a, const struct kernel *b)
{
	if (a->op != b->op || a->def != b->def || a->attrs != b->attrs ||
	    a->nargs != b->nargs)
		return false;
	for (uint32_t i = 0; i < a->nargs; i++)
		if (a->types[i] != b->types[i] || a->fixed[i] != b->fixed[i])
			return false;
	return true;
}

static struct kernel **
find_slot(struct interp_kernels *ks, const struct kernel *key)
{
	size_t mask = ks->nslots - 1;

	for (size_t i = key_hash(key) & mask;; i = (i + 1) & mask)
		if (!ks->slots[i] || same_key(ks->slots[i], key))
			return &ks->slots[i];
}

static void
grow(struct interp_kernels *ks)
{
	struct interp_kernels bigger = *ks;

	bigger.nslots = ks->nslots ? ks->nslots * 2 : 64;
	bigger.slots = xcalloc(bigger.nslots, sizeof(struct kernel *));
	for (size_t i = 0; i < ks->nslots; i++)
		if (ks->slots[i])
			*find_slot(&bigger, ks->slots[i]) = ks->slots[i];
	free(ks->slots);
	*ks = bigger;
}

static struct kernel **
kernel_slot(struct interp *x, const struct kernel *key)
{
	if (!x->kernels)
		x->kernels = xcalloc(1, sizeof(*x->kernels));
	if (x->kernels->count * 2 >= x->kernels->nslots)
		grow(x->kernels);
	return find_slot(x->kernels, key);
}

/* V as an expression of constants. */
static const ir_expr *
constant_of(struct interp *x, const struct interp_value *v)
{
	const ir_expr **fields;
	const ir_expr *e;

	if (v->kind == INTERP_TENSOR)
		return ir_new_constant(x->m, LOC_NONE, v->tensor);
	fields = xmalloc((v->n + 1) * sizeof(*fields));
	for (uint32_t i = 0; i < v->n; i++)
		fields[i] = constant_of(x, v->at[i]);
	e = ir_new_tuple(x->m, LOC_NONE, fields, v->n);
	free(fields);
	return e;
}

/* CALL with its arguments replaced, as the body of a function, typed. */
static const struct ir_function *
wrap(struct interp *x, const struct ir_call *call, const ir_expr *const *args,
     const struct ir_var *const *params, uint32_t nparams)
{
	struct ir_function_parts parts = {
		.params = params,
		.nparams = nparams,
		.body = ir_new_call(x->m, call->base.loc, call->callee, args,
				    call->nargs, call->attrs),
	};
	const ir_expr *f = ir_new_function(x->m, call->base.loc, &parts);

	return ir_infer_expr(x->m, f, x->d) ? ir_as_function(f) : NULL;
}

/* The loops of FN into K. */
static bool
build(struct interp *x, const struct ir_function *fn, struct kernel *k)
{
	struct te_build_request r = {
		.name = ir_namef(x->m->cx, "%s", k->op->name),
		.fn = fn,
	};
	ir_expr_vec extra = {0};
	te_func *f = te_build(x->m, &r, &extra, x->d);

	if (f) {
		te_canon(x->m, f);
		k->func = te_lower(x->m, f, NULL, x->d);
	}
	k->out = fn->body->type;
	k->nextra = (uint32_t)extra.len;
	k->extra = ARENA_NEW_ARRAY(&x->arena, extra.len, ir_tensor *);
	for (size_t i = 0; i < extra.len; i++)
		k->extra[i] = ir_as_constant(extra.at[i])->data;
	vec_free(&extra);
	return f && k->func;
}

/* A kernel that serves all arguments of the types in K. */
static const struct ir_function *
wrap_general(struct interp *x, const struct ir_call *call,
	     const struct kernel *k)
{
	const ir_expr **args = xmalloc((k->nargs + 1) * sizeof(*args));
	const struct ir_var **params =
		xmalloc((k->nargs + 1) * sizeof(*params));
	const struct ir_function *f;
	uint32_t n = 0;

	for (uint32_t i = 0; i < k->nargs; i++) {
		args[i] = k->fixed[i];
		if (args[i])
			continue;
		args[i] = ir_new_var(x->m, call->base.loc,
				     ir_namef(x->m->cx, "p%u", i), k->types[i]);
		params[n++] = ir_as_var(args[i]);
	}
	f = wrap(x, call, args, params, n);
	free(args);
	free(params);
	return f;
}

/* A kernel for these very values. */
static const struct ir_function *
wrap_values(struct interp *x, const struct ir_call *call,
	    struct interp_value *const *values)
{
	const ir_expr **args = xmalloc((call->nargs + 1) * sizeof(*args));
	const struct ir_function *f;

	for (uint32_t i = 0; i < call->nargs; i++)
		args[i] = constant_of(x, values[i]);
	f = wrap(x, call, args, NULL, 0);
	if (f && f->body->type->flags & TYPE_HAS_ANY) {
		const ir_expr *e =
			interp_static_call(x->m, ir_as_call(f->body));

		if (e)
			f = wrap(x, ir_as_call(e), ir_as_call(e)->args, NULL,
				 0);
	}
	free(args);
	return f;
}

static bool
no_memory(struct interp *x, struct loc loc, const ir_type *t)
{
	diag_error(x->d, loc, "not enough memory for a value of type %s",
		   ir_type_text(x->m->cx, t));
	return false;
}

/* Memory for the results, in order; false after reporting. */
static bool
make_outputs(struct interp *x, struct loc loc, const ir_type *t,
	     struct interp_value **out)
{
	const struct ir_tensor_type *tensor;
	ir_tensor *data;
	const struct ir_tuple_type *tuple;
	int64_t shape[64];

	if (t->kind == TYPE_TUPLE) {
		tuple = ir_as_tuple_type(t);
		*out = interp_new_value(INTERP_TUPLE, tuple->nfields);
		for (uint32_t i = 0; i < tuple->nfields; i++)
			if (!make_outputs(x, loc, tuple->fields[i],
					  &(*out)->at[i]))
				return false;
		return true;
	}
	tensor = ir_as_tensor_type(t);
	assert(tensor->ndim <= 64);
	for (uint32_t i = 0; i < tensor->ndim; i++)
		shape[i] = tensor->shape[i].value;
	data = ir_tensor_new(tensor->dtype, shape, tensor->ndim);
	*out = data ? interp_tensor(data) : NULL;
	return data || no_memory(x, loc, t);
}

typedef VEC(struct eval_span) span_vec;

static void
add_tensor(span_vec *spans, const ir_tensor *t)
{
	struct eval_span s = {t->data, t->nbytes};

	vec_push(spans, s);
}

static void
add_spans(span_vec *spans, const struct interp_value *v)
{
	if (v->kind == INTERP_TENSOR) {
		add_tensor(spans, v->tensor);
		return;
	}
	for (uint32_t i = 0; i < v->n; i++)
		add_spans(spans, v->at[i]);
}

/* Temporaries of K come last; the first is number FIRST. */
/* An arena has no way to say that there is no memory. */
static bool
can_allocate(size_t n)
{
	void *volatile p = malloc(n + (n >> 8) + 4096);

	free(p);
	return p != NULL;
}

static bool
add_temporaries(struct interp *x, const struct kernel *k, struct loc loc,
		span_vec *spans)
{
	for (uint32_t i = (uint32_t)spans->len; i < k->func->nparams; i++) {
		const struct tir_buffer *b = k->func->params[i].buffer;
		size_t n = (size_t)b->size * dtype_size(b->dtype);
		struct eval_span s = {NULL, n};

		if (!can_allocate(n)) {
			diag_error(x->d, loc,
				   "not enough memory for %" PRId64
				   " intermediate values of %zu bytes",
				   b->size, dtype_size(b->dtype));
			return false;
		}
		s.data = arena_alloc(&x->scratch, n);
		vec_push(spans, s);
	}
	return true;
}

static struct interp_value *
run_kernel(struct interp *x, const struct kernel *k, struct loc loc,
	   struct interp_value *const *args, uint32_t nargs)
{
	struct interp_value *out = NULL;
	span_vec spans = {0};
	bool ok;

	for (uint32_t i = 0; i < nargs; i++)
		if (!k->fixed || !k->fixed[i])
			add_spans(&spans, args[i]);
	for (uint32_t i = 0; i < k->nextra; i++)
		add_tensor(&spans, k->extra[i]);
	ok = make_outputs(x, loc, k->out, &out);
	if (ok) {
		add_spans(&spans, out);
		ok = add_temporaries(x, k, loc, &spans) &&
		     eval_run_tir(x->machine, k->func, spans.at,
				  (uint32_t)spans.len);
	}
	vec_free(&spans);
	if (ok)
		return out;
	interp_unref(out);
	return NULL;
}

/* The kernel for K's key, made if it is new; NULL after reporting. */
static struct kernel *
get_kernel(struct interp *x, const struct ir_call *call, struct kernel *key,
	   bool *by_value)
{
	struct kernel **slot = kernel_slot(x, key);
	const struct ir_function *f;
	struct kernel *k;

	if (*slot)
		return *slot;
	f = wrap_general(x, call, key);
	if (!f)
		return NULL;
	*by_value = f->body->type->flags & TYPE_HAS_ANY;
	if (*by_value || !build(x, f, key))
		return NULL;
	k = arena_copy(&x->arena, key, sizeof(*key));
	k->types = arena_copy(&x->arena, key->types,
			      key->nargs * sizeof(*key->types));
	k->fixed = arena_copy(&x->arena, key->fixed,
			      key->nargs * sizeof(*key->fixed));
	*slot = k;
	x->kernels->count++;
	return k;
}

static struct interp_value *
run_by_value(struct interp *x, const struct ir_call *call, struct kernel *k,
	     struct interp_value *const *args)
{
	const struct ir_function *f = wrap_values(x, call, args);

	if (!f)
		return NULL;
	if (f->body->type->flags & TYPE_HAS_ANY) {
		diag_error(x->d, call->base.loc,
			   "the evaluator does not know operator '%s' with "
			   "shapes that depend on values",
			   k->op->name);
		return NULL;
	}
	k->op = ir_called_op(f->body);
	return build(x, f, k) ? run_kernel(x, k, call->base.loc, NULL, 0)
			      : NULL;
}

/* Operators that hand on what they get, whatever it is. */
static bool
is_identity(const ir_op *op)
{
	switch (op->id) {
	case OP_on_device:
	case OP_device_copy:
	case OP_debug:
	case OP_annotation_bitpack_end:
	case OP_annotation_bitpack_start:
	case OP_annotation_cast_hint:
	case OP_annotation_checkpoint:
	case OP_annotation_compiler_begin:
	case OP_annotation_compiler_end:
	case OP_annotation_stop_fusion:
	case OP_annotation_with_funcid:
		return true;
	default:
		return false;
	}
}

/* A scalar constant, or a tuple of them. */
static bool
is_scalar_constant(const ir_expr *e)
{
	const struct ir_tuple *t;

	if (e->kind == IR_CONSTANT)
		return ir_as_constant(e)->data &&
		       ir_as_constant(e)->data->ndim == 0;
	if (e->kind != IR_TUPLE)
		return false;
	t = ir_as_tuple(e);
	for (uint32_t i = 0; i < t->nfields; i++)
		if (!is_scalar_constant(t->fields[i]))
			return false;
	return true;
}

/*
 * Scales of quantized operators that are constants: their ratios are rounded
 * once, as in compiled code, and some rules must know them.
 */
static const ir_expr *
fixed_argument(const struct ir_call *call, const ir_op *op, uint32_t i)
{
	return i > 0 && !strncmp(op->name, "qnn.", 4) &&
			       is_scalar_constant(call->args[i])
		       ? call->args[i]
		       : NULL;
}

static struct interp_value *
run_operator(struct interp *x, const struct ir_call *call, const ir_op *op,
	     struct interp_value *const *args)
{
	struct kernel key = {
		.op = op,
		.attrs = call->attrs,
		.nargs = call->nargs,
	};
	struct kernel *k;
	bool by_value = false;

	key.types = ARENA_NEW_ARRAY(&x->scratch, call->nargs, const ir_type *);
	key.fixed = ARENA_NEW_ARRAY(&x->scratch, call->nargs, const ir_expr *);
	for (uint32_t i = 0; i < call->nargs; i++) {
		key.fixed[i] = fixed_argument(call, op, i);
		key.types[i] = type_of(x, args[i], call->args[i]->type);
		if (key.types[i])
			continue;
		diag_error(x->d, call->base.loc,
			   "operator '%s' is applied to what is no tensor",
			   op->name);
		return NULL;
	}
	k = get_kernel(x, call, &key, &by_value);
	if (by_value)
		return run_by_value(x, call, &key, args);
	return k ? run_kernel(x, k, call->base.loc, args, call->nargs) : NULL;
}

struct interp_value *
interp_operator(struct interp *x, const struct ir_call *call,
		struct interp_value *const *args)
{
	const ir_op *op = ir_as_op_ref(call->callee)->op;
	struct interp_value *v;

	if (is_identity(op))
		return interp_ref(args[0]);
	if (interp_is_vm_op(op))
		return interp_vm_op(x, call, op, args);
	v = interp_native(call, op, args);
	if (!v)
		v = run_operator(x, call, op, args);
	if (x->scratch.used)
		arena_reset(&x->scratch);
	return v;
}

/* The loops of DEF and the type of what they leave; false after reporting. */
static bool
load_kernel(struct interp *x, const ir_def *def, struct kernel *k)
{
	const ir_type *t;

	if (def->kind == DEF_TE) {
		t = te_func_type(x->m->cx, def->te);
		k->func = te_lower(x->m, def->te, def->schedule, x->d);
	} else {
		t = def->tir->relay_type;
		k->func = def->tir;
	}
	if (!t || t->kind != TYPE_FUNC || t->flags & TYPE_HAS_ANY) {
		diag_error(x->d, def->loc, "'@%s' has no Relay type",
			   def->name);
		return false;
	}
	k->out = ir_as_func_type(t)->ret;
	return k->func != NULL;
}

struct interp_value *
interp_lowered(struct interp *x, const ir_def *def,
	       struct interp_value *const *args, uint32_t n, struct loc loc)
{
	struct kernel key = {.def = def};
	struct kernel **slot = kernel_slot(x, &key);
	struct interp_value *v;

	if (!*slot) {
		if (!load_kernel(x, def, &key))
			return NULL;
		*slot = arena_copy(&x->arena, &key, sizeof(key));
		x->kernels->count++;
	}
	for (uint32_t i = 0; i < n; i++) {
		if (type_of(x, args[i], NULL))
			continue;
		diag_error(x->d, loc, "'@%s' is applied to what is no tensor",
			   def->name);
		return NULL;
	}
	v = run_kernel(x, *slot, loc, args, n);
	if (x->scratch.used)
		arena_reset(&x->scratch);
	return v;
}
