/*
 * Operators of the virtual machine: memory, and calls that write their
 * results into it. A storage is a vector of bytes; a tensor in it shares them
 * and keeps it alive. Only vm.invoke_tvm_op changes a tensor that is there.
 */
#include "te/interp_internal.h"

#include <string.h>

enum { MAX_DEPTH = 200, MAX_NDIM = 64 };

static const int64_t max_bytes = INT64_C(1) << 40;

static struct interp_value *fail(struct interp *x, const struct ir_call *call,
				 const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static struct interp_value *
fail(struct interp *x, const struct ir_call *call, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	diag_report(x->d, DIAG_ERROR, call->base.loc, fmt, ap);
	va_end(ap);
	return NULL;
}

static struct interp_value *
alloc_storage(struct interp *x, const struct ir_call *call,
	      struct interp_value *const *args)
{
	int64_t n = ir_tensor_get_int(args[0]->tensor, 0);
	ir_tensor *t = NULL;

	if (n >= 0 && n <= max_bytes)
		t = ir_tensor_new(DTYPE(UINT, 8), &n, 1);
	return t ? interp_tensor(t)
		 : fail(x, call, "there is no storage of %lld bytes",
			(long long)n);
}

static void
release_owner(void *data, size_t nbytes, void *env)
{
	(void)data;
	(void)nbytes;
	ir_tensor_unref(env);
}

/* A tensor over the bytes of OWNER from OFFSET on; NULL: they do not suffice.
 */
static ir_tensor *
view(ir_tensor *owner, int64_t offset, struct dtype dtype,
     const ir_tensor *extents)
{
	int64_t shape[MAX_NDIM];
	uint32_t n = (uint32_t)ir_tensor_size(extents);
	ir_tensor *t;

	if (n > MAX_NDIM || offset < 0 || (uint64_t)offset > owner->nbytes)
		return NULL;
	for (uint32_t i = 0; i < n; i++)
		shape[i] = ir_tensor_get_int(extents, i);
	t = ir_tensor_wrap(dtype, shape, n, (char *)owner->data + offset, NULL,
			   NULL);
	if (!t || t->nbytes > owner->nbytes - (size_t)offset) {
		ir_tensor_unref(t);
		return NULL;
	}
	t->release = release_owner;
	t->env = ir_tensor_ref(owner);
	return t;
}

static struct interp_value *
alloc_tensor(struct interp *x, const struct ir_call *call,
	     struct interp_value *const *args)
{
	int64_t offset = ir_tensor_get_int(args[1]->tensor, 0);
	ir_tensor *storage = args[0]->tensor;
	ir_tensor *t =
		view(storage, offset, ir_attrs_dtype(call->attrs, "dtype"),
		     args[2]->tensor);

	return t ? interp_tensor(t)
		 : fail(x, call,
			"the tensor at offset %lld is not within its storage "
			"of %zu bytes",
			(long long)offset, storage->nbytes);
}

/* Is T of the shape that TYPE announces, as far as it does? */
static bool
has_type(const ir_tensor *t, const ir_type *type)
{
	const struct ir_tensor_type *tt;

	if (!type || type->kind != TYPE_TENSOR)
		return true;
	tt = ir_as_tensor_type(type);
	if (tt->ndim != t->ndim)
		return false;
	for (uint32_t i = 0; i < t->ndim; i++)
		if (ir_dim_is_const(tt->shape[i]) &&
		    tt->shape[i].value != t->shape[i])
			return false;
	return true;
}

static struct interp_value *
reshape_tensor(struct interp *x, const struct ir_call *call,
	       struct interp_value *const *args)
{
	ir_tensor *from = args[0]->tensor;
	ir_tensor *t = view(from, 0, from->dtype, args[1]->tensor);

	if (t && t->nbytes == from->nbytes && has_type(t, call->base.type))
		return interp_tensor(t);
	ir_tensor_unref(t);
	return fail(x, call, "the new shape does not hold as many elements");
}

typedef VEC(ir_tensor *) tensor_vec;

static void
flatten(const struct interp_value *v, tensor_vec *out)
{
	if (v->kind == INTERP_TENSOR)
		vec_push(out, v->tensor);
	else if (v->kind == INTERP_TUPLE)
		for (uint32_t i = 0; i < v->n; i++)
			flatten(v->at[i], out);
}

static bool
same_form(const ir_tensor *a, const ir_tensor *b)
{
	return dtype_equal(a->dtype, b->dtype) && a->ndim == b->ndim &&
	       (a->ndim == 0 ||
		memcmp(a->shape, b->shape, a->ndim * sizeof(*a->shape)) == 0);
}

/* The tensors in FROM to those in TO; false: they differ in form. */
static bool
copy_all(const struct interp_value *from, const struct interp_value *to)
{
	tensor_vec a = {0}, b = {0};
	bool ok;

	flatten(from, &a);
	flatten(to, &b);
	ok = a.len == b.len;
	for (size_t i = 0; i < a.len && ok; i++)
		ok = same_form(a.at[i], b.at[i]);
	for (size_t i = 0; i < a.len && ok; i++)
		memmove(b.at[i]->data, a.at[i]->data, a.at[i]->nbytes);
	vec_free(&a);
	vec_free(&b);
	return ok;
}

/* What the function args[0] gives for the tuple args[1]. */
static struct interp_value *
call_function(struct interp *x, const struct ir_call *call,
	      struct interp_value *const *args)
{
	struct interp_value *v;

	if (x->depth == MAX_DEPTH)
		return fail(x, call, "calls of kernels are nested too deep");
	x->depth++;
	v = interp_apply(x, args[0], args[1]->at, args[1]->n, call->base.loc);
	x->depth--;
	return v;
}

static struct interp_value *
invoke(struct interp *x, const struct ir_call *call,
       struct interp_value *const *args)
{
	struct interp_value *v = call_function(x, call, args);
	bool ok;

	if (!v)
		return NULL;
	ok = copy_all(v, args[2]);
	interp_unref(v);
	return ok ? interp_new_value(INTERP_TUPLE, 0)
		  : fail(x, call,
			 "the outputs do not have the shapes of the results");
}

bool
interp_is_vm_op(const ir_op *op)
{
	switch (op->id) {
	case OP_memory_alloc_storage:
	case OP_memory_alloc_tensor:
	case OP_memory_kill:
	case OP_vm_reshape_tensor:
	case OP_vm_invoke_tvm_op:
	case OP_call_lowered:
		return true;
	default:
		return false;
	}
}

struct interp_value *
interp_vm_op(struct interp *x, const struct ir_call *call, const ir_op *op,
	     struct interp_value *const *args)
{
	switch (op->id) {
	case OP_memory_alloc_storage:
		return alloc_storage(x, call, args);
	case OP_memory_alloc_tensor:
		return alloc_tensor(x, call, args);
	case OP_vm_reshape_tensor:
		return reshape_tensor(x, call, args);
	case OP_vm_invoke_tvm_op:
		return invoke(x, call, args);
	case OP_call_lowered:
		return call_function(x, call, args);
	default:
		return interp_new_value(INTERP_TUPLE, 0);
	}
}
