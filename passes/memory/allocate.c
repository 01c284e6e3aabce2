/*
 * Memory for the results of kernels, and calls that write into it
 * (passes/memory/allocate.h).
 */
#include "passes/memory/allocate.h"

#include "ir/rewrite.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "passes/memory/shape_function.h"
#include "passes/opcall.h"

static const struct dtype int64 = {DTYPE_INT, 64, 1};

/* What is known of the results of a kernel. */
struct no_shape {
	struct shape_function *found; /* NULL: there is none */
};

/* ------------------------------------------------------------- building -- */

struct vdevice
allocator_here(const struct allocator *a)
{
	return vec_last(&a->devices);
}

/* Devices are planned here, so that everything says where it is. */
static bool
is_planned(const struct allocator *a)
{
	return allocator_here(a).meta != NULL;
}

static const ir_expr *
placed(struct allocator *a, const ir_expr *e, const struct vdevice *d)
{
	return is_planned(a) ? place_on_device(a->m, e, d) : e;
}

const ir_expr *
allocator_bind(struct allocator *a, const char *name, const ir_expr *value,
	       const struct vdevice *d)
{
	const ir_expr *var =
		ir_new_var(a->m, value->loc, ir_name(a->m->cx, name), NULL);
	struct let_binding b = {ir_as_var(var), placed(a, value, d)};

	vec_push(&a->bindings, b);
	return var;
}

static const ir_expr *
scalar(struct allocator *a, struct loc loc, int64_t n)
{
	return ir_new_scalar_int(a->m, loc, int64, n);
}

static const ir_expr *
shape_constant(struct allocator *a, struct loc loc,
	       const struct ir_tensor_type *t)
{
	int64_t rank = t->ndim;
	ir_tensor *c = ir_tensor_new(int64, &rank, 1);
	const ir_expr *e;

	for (uint32_t i = 0; i < t->ndim; i++)
		ir_tensor_set_int(c, i, t->shape[i].value);
	e = ir_new_constant(a->m, loc, c);
	ir_tensor_unref(c);
	return e;
}

/* The extents of T as an attribute. */
static ir_attr
shape_attr(struct allocator *a, const struct ir_tensor_type *t)
{
	ir_attr *at = ARENA_NEW_ARRAY(a->cx->scratch, t->ndim, ir_attr);

	for (uint32_t i = 0; i < t->ndim; i++) {
		struct ir_dim d = t->shape[i];

		at[i] = (ir_attr){.kind = ATTR_ANY};
		if (d.kind == DIM_SYM)
			at[i] = (ir_attr){.kind = ATTR_META, .meta = d.sym};
		else if (ir_dim_is_const(d))
			at[i] = (ir_attr){.kind = ATTR_INT,
					  .bits = d.kind == DIM_INT ? 32 : 64,
					  .i = d.value};
	}
	return ir_attr_array(a->m->cx, at, t->ndim);
}

static const ir_expr *
op_call(struct allocator *a, struct loc loc, enum op_id op,
	const ir_expr *const *args, uint32_t n, const char *name1,
	ir_attr value1, const char *name2, ir_attr value2)
{
	const ir_attrs *attrs =
		ir_attrs_defaults(a->m->cx, ir_op_info(op)->attrs);

	attrs = ir_attrs_with(a->m->cx, attrs, name1, value1);
	if (name2)
		attrs = ir_attrs_with(a->m->cx, attrs, name2, value2);
	return ir_new_op_call(a->m, loc, op, args, n, attrs);
}

static int64_t
bytes_of(struct dtype t)
{
	return (t.bits * t.lanes + 7) / 8;
}

/* Storage of SIZE bytes on D for a tensor of type T and shape SHAPE. */
static const ir_expr *
alloc_storage(struct allocator *a, const char *name,
	      const struct ir_tensor_type *t, const ir_expr *size,
	      const ir_expr *shape, const struct vdevice *d)
{
	int64_t align = bytes_of(t->dtype) > 64 ? bytes_of(t->dtype) : 64;
	const ir_expr *args[] = {size, shape, scalar(a, size->loc, align)};
	ir_attr at = {.kind = ATTR_META,
		      .meta = d->meta ? d->meta : a->host.meta};

	return allocator_bind(a, name,
			      op_call(a, size->loc, OP_memory_alloc_storage,
				      args, 3, "dtype", ATTR_DT(t->dtype),
				      "virtual_device", at),
			      d);
}

static const ir_expr *
alloc_tensor(struct allocator *a, const char *name,
	     const struct ir_tensor_type *t, const ir_expr *storage,
	     const ir_expr *shape, const struct vdevice *d)
{
	struct loc loc = storage->loc;
	const ir_expr *args[] = {storage,
				 placed(a, scalar(a, loc, 0), &a->host), shape};

	return allocator_bind(a, name,
			      op_call(a, loc, OP_memory_alloc_tensor, args, 3,
				      "dtype", ATTR_DT(t->dtype),
				      "assert_shape", shape_attr(a, t)),
			      d);
}

/* Memory for a tensor of the static type T on D; SUFFIX ends the names. */
static const ir_expr *
alloc_static(struct allocator *a, struct loc loc,
	     const struct ir_tensor_type *t, const struct vdevice *d,
	     const char *suffix)
{
	const ir_expr *shape = placed(a, shape_constant(a, loc, t), &a->host);
	const ir_expr *size, *storage;
	int64_t n = 0;

	(void)ir_shape_size(t, &n);
	size = placed(a, scalar(a, loc, n * bytes_of(t->dtype)), &a->host);
	storage = alloc_storage(
		a, arena_printf(a->cx->scratch, "storage_%s", suffix), t, size,
		shape, d);
	return alloc_tensor(a,
			    arena_printf(a->cx->scratch, "tensor_%s", suffix),
			    t, storage, shape, d);
}

/* Run the function F, whose attributes are ATTRS. */
static const ir_expr *
invoke(struct allocator *a, struct loc loc, const ir_expr *f,
       const ir_expr *ins, const ir_expr *outs, const ir_dict *attrs)
{
	const ir_expr *args[] = {f, ins, outs};
	ir_attr dict = {.kind = ATTR_DICT, .dict = attrs};

	return op_call(a, loc, OP_vm_invoke_tvm_op, args, 3, "__dict__", dict,
		       NULL, dict);
}

/* --------------------------------------------------------------- kernels -- */

static bool
is_primitive_def(const ir_def *def)
{
	return def && ((def->kind == DEF_TE && def->te) ||
		       (def->kind == DEF_TIR && def->tir) ||
		       (def->fn && def->fn->body &&
			ir_dict_int(def->fn->attrs, "Primitive", 0)));
}

/*
 * The attributes that calls of K repeat. What is in use at all of its calls
 * would be a list in each of them.
 */
static const ir_dict *
attrs_of(struct allocator *a, const struct kernel_call *k)
{
	const ir_dict *d = ir_map_get(&a->attrs, k->key);

	if (!d) {
		d = k->fn ? k->fn->attrs : k->te ? k->te->attrs : NULL;
		d = ir_dict_without(a->m->cx, d,
				    ir_name(a->m->cx, "used_memory"));
		ir_map_put(&a->attrs, k->key, d);
	}
	return d;
}

/* What CALLEE is, if a kernel. */
static bool
find_kernel(struct allocator *a, const ir_expr *callee, struct kernel_call *k)
{
	const ir_type *t = callee->type;
	const ir_def *def;

	k->callee = k->key = callee;
	if (callee->kind == IR_VAR && ir_map_get(&a->kernels, callee))
		k->key = ir_map_get(&a->kernels, callee);
	if (k->key->kind == IR_GLOBAL) {
		def = ir_as_global(callee)->def;
		if (!is_primitive_def(def))
			return false;
		k->fn = def->fn;
		k->te = def->kind == DEF_TE ? def->te : NULL;
		t = k->te     ? te_func_type(a->m->cx, k->te)
		    : def->fn ? def->fn->base.type
			      : def->tir->relay_type;
	} else if (ir_is_primitive(k->key)) {
		k->fn = ir_as_function(k->key);
		t = k->key->type;
	} else {
		return false;
	}
	if (!t || t->kind != TYPE_FUNC)
		return false;
	k->type = ir_as_func_type(t);
	k->attrs = attrs_of(a, k);
	return true;
}

bool
as_kernel_call(struct allocator *a, const ir_expr *e, struct kernel_call *k)
{
	const struct ir_call *c = ir_as_call(e);
	const ir_expr *callee = c->callee;
	uint32_t n = c->nargs;

	*k = (struct kernel_call){.args = c->args, .loc = e->loc};
	if (ir_is_call_of(e, OP_call_lowered)) {
		if (n != 2 || c->args[1]->kind != IR_TUPLE)
			return false;
		callee = c->args[0];
		k->args = ir_as_tuple(c->args[1])->fields;
		n = ir_as_tuple(c->args[1])->nfields;
	}
	if (!find_kernel(a, callee, k) || k->type->nparams != n)
		return false;
	k->out = e->type && !(e->type->flags & TYPE_HAS_HOLE) ? e->type
							      : k->type->ret;
	return true;
}

typedef VEC(const struct ir_tensor_type *) type_vec;

/* The tensors in T in order; false: there is something else in it. */
static bool
flatten(const ir_type *t, type_vec *out)
{
	if (t->kind == TYPE_TENSOR) {
		vec_push(out, ir_as_tensor_type(t));
		return true;
	}
	if (t->kind != TYPE_TUPLE)
		return false;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		if (!flatten(ir_as_tuple_type(t)->fields[i], out))
			return false;
	return true;
}

/* A value of type T made of the tensors from *AT on. */
static const ir_expr *
unflatten(struct allocator *a, struct loc loc, const ir_type *t,
	  const ir_expr *const **at)
{
	const struct ir_tuple_type *tuple;
	const ir_expr **fields;

	if (t->kind == TYPE_TENSOR)
		return *(*at)++;
	tuple = ir_as_tuple_type(t);
	fields = ARENA_NEW_ARRAY(a->cx->scratch, tuple->nfields,
				 const ir_expr *);
	for (uint32_t i = 0; i < tuple->nfields; i++)
		fields[i] = unflatten(a, loc, tuple->fields[i], at);
	return ir_new_tuple(a->m, loc, fields, tuple->nfields);
}

/* ------------------------------------------------------- shape functions -- */

static struct shape_function *
shape_function(struct allocator *a, const struct kernel_call *k)
{
	struct no_shape *s = ir_map_get(&a->shapes, k->key);

	if (s)
		return s->found;
	s = ARENA_NEW(a->cx->scratch, struct no_shape);
	if (k->te)
		s->found = shape_function_of_te(a->m, a->cx->scratch, k->te);
	else if (k->fn)
		s->found = shape_function_of_relay(a->m, a->cx->scratch, k->fn);
	ir_map_put(&a->shapes, k->key, s);
	return s->found;
}

/* Tensor number *N of what E, of type T, holds; *N counts down. */
static const ir_expr *
pick(struct allocator *a, const ir_expr *e, const ir_type *t, uint32_t *n)
{
	const struct ir_tuple_type *tuple;
	const ir_expr *found;

	if (t->kind == TYPE_TENSOR)
		return (*n)-- == 0 ? e : NULL;
	tuple = ir_as_tuple_type(t);
	for (uint32_t i = 0; i < tuple->nfields; i++) {
		found = pick(a, ir_new_proj(a->m, e->loc, e, i),
			     tuple->fields[i], n);
		if (found)
			return found;
	}
	return NULL;
}

static const ir_expr *
kernel_input(struct allocator *a, const struct kernel_call *k, uint32_t n)
{
	const ir_expr *e = NULL;

	for (uint32_t i = 0; i < k->type->nparams && !e; i++)
		e = pick(a, k->args[i], k->type->params[i], &n);
	return e;
}

/* What the shape function wants to know, on the host. */
static const ir_expr *
shape_input(struct allocator *a, const struct kernel_call *k,
	    const struct shape_input *in, uint32_t i)
{
	const char *name = arena_printf(a->cx->scratch, "in_shape_%u", i);
	const ir_expr *e = kernel_input(a, k, in->tensor);
	ir_attr dtype = ATTR_DT(int64);
	struct vdevice d = allocator_here(a);

	if (!in->is_data)
		e = op_call(a, k->loc, OP_vm_shape_of, &e, 1, "dtype", dtype,
			    NULL, dtype);
	else if (d.meta && d.meta != a->host.meta)
		e = new_device_copy(a->m, place_on_device(a->m, e, &d), &d,
				    &a->host);
	return allocator_bind(a, name, e, &a->host);
}

/* Invoke S for K; the shapes of its results are in OUT. */
static void
invoke_shape_function(struct allocator *a, const struct kernel_call *k,
		      const struct shape_function *s, const ir_expr **out)
{
	const ir_expr **ins =
		ARENA_NEW_ARRAY(a->cx->scratch, s->ninputs, const ir_expr *);
	const struct ir_function *f = ir_as_function(s->fn);

	for (uint32_t i = 0; i < s->ninputs; i++)
		ins[i] = shape_input(a, k, &s->inputs[i], i);
	for (uint32_t i = 0; i < s->nresults; i++) {
		struct ir_dim rank = DIM((int64_t)s->ranks[i]);

		out[i] = alloc_static(
			a, k->loc,
			ir_as_tensor_type(
				ir_type_tensor(a->m->cx, int64, &rank, 1)),
			&a->host,
			arena_printf(a->cx->scratch, "out_shape_%u", i));
	}
	(void)allocator_bind(
		a, "shape_func",
		invoke(a, k->loc, ir_refresh_binders(a->m, s->fn),
		       ir_new_tuple(a->m, k->loc, ins, s->ninputs),
		       ir_new_tuple(a->m, k->loc, out, s->nresults), f->attrs),
		&a->host);
}

/* prod(SHAPE) * ((bits + 7) / 8) */
static const ir_expr *
dynamic_size(struct allocator *a, struct loc loc, const ir_expr *shape,
	     struct dtype t)
{
	struct opcall b = {a->m, loc};
	const ir_expr *elements = ir_new_op_call(
		a->m, loc, OP_prod, &shape, 1,
		ir_attrs_defaults(a->m->cx, ir_op_info(OP_prod)->attrs));
	const ir_expr *bits =
		opcall_binary(&b, OP_add, scalar(a, loc, t.bits * t.lanes),
			      scalar(a, loc, 7));

	return opcall_binary(
		&b, OP_multiply, elements,
		opcall_binary(&b, OP_divide, bits, scalar(a, loc, 8)));
}

/* Memory for results of types TYPES, as S says. */
static void
alloc_dynamic(struct allocator *a, const struct kernel_call *k,
	      const struct shape_function *s, const type_vec *types,
	      const ir_expr **out)
{
	const ir_expr **shapes =
		ARENA_NEW_ARRAY(a->cx->scratch, s->nresults, const ir_expr *);
	struct vdevice d = allocator_here(a);
	struct arena *tmp = a->cx->scratch;

	invoke_shape_function(a, k, s, shapes);
	for (uint32_t i = 0; i < s->nresults; i++) {
		const ir_expr *size =
			dynamic_size(a, k->loc, shapes[i], types->at[i]->dtype);

		out[i] = alloc_storage(a, arena_printf(tmp, "storage_%u", i),
				       types->at[i], placed(a, size, &a->host),
				       shapes[i], &d);
	}
	for (uint32_t i = 0; i < s->nresults; i++)
		out[i] = alloc_tensor(a, arena_printf(tmp, "out_%u", i),
				      types->at[i], out[i], shapes[i], &d);
}

/* ------------------------------------------------------------ converting -- */

/*
 * Is the result of FN its first parameter in another shape? What is marked so
 * may hand on another one: the group of a reshape that nothing reads.
 */
static bool
reshapes_first(const struct ir_function *fn)
{
	const ir_expr *e = fn->body;

	while (e->kind == IR_CALL && ir_called_op(e) &&
	       ir_called_op(e)->traits & OP_TRAIT_RESHAPE)
		e = ir_as_call(e)->args[0];
	return e == &fn->params[0]->base;
}

static bool
is_reshape(const struct allocator *a, const struct kernel_call *k)
{
	return ir_dict_int(k->attrs, ir_name(a->m->cx, "relay.reshape_only"),
			   0) &&
	       k->type->nparams > 0 && k->type->nparams <= 2 &&
	       k->type->params[0]->kind == TYPE_TENSOR &&
	       k->out->kind == TYPE_TENSOR &&
	       (k->fn ? reshapes_first(k->fn) : k->type->nparams == 1);
}

static const ir_expr *
convert_reshape(struct allocator *a, const struct kernel_call *k,
		const struct shape_function *s)
{
	const struct ir_tensor_type *t = ir_as_tensor_type(k->out);
	const ir_expr *args[2] = {k->args[0], NULL};
	ir_attr shape = shape_attr(a, t);

	if (s)
		invoke_shape_function(a, k, s, &args[1]);
	else
		args[1] = placed(a, shape_constant(a, k->loc, t), &a->host);
	return op_call(a, k->loc, OP_vm_reshape_tensor, args, 2, "newshape",
		       shape, NULL, shape);
}

static const ir_expr *
convert_results(struct allocator *a, const struct kernel_call *k,
		const struct shape_function *s, const type_vec *types)
{
	uint32_t n = (uint32_t)types->len;
	const ir_expr **outs =
		ARENA_NEW_ARRAY(a->cx->scratch, n, const ir_expr *);
	const ir_expr *const *at = outs;
	struct vdevice d = allocator_here(a);
	struct let_binding b;
	const ir_expr *into;

	if (s)
		alloc_dynamic(a, k, s, types, outs);
	for (uint32_t i = 0; i < n && !s; i++)
		outs[i] = alloc_static(a, k->loc, types->at[i], &d,
				       arena_printf(a->cx->scratch, "%u", i));
	into = k->out->kind == TYPE_TUPLE ? unflatten(a, k->loc, k->out, &at)
					  : ir_new_tuple(a->m, k->loc, outs, n);
	b.value = placed(
		a,
		invoke(a, k->loc, k->callee,
		       ir_new_tuple(a->m, k->loc, k->args, k->type->nparams),
		       into, k->attrs),
		&d);
	b.var = ir_as_var(
		ir_new_var(a->m, k->loc, fresh_name(&a->names), NULL));
	vec_push(&a->bindings, b);
	at = outs;
	return unflatten(a, k->loc, k->out, &at);
}

const ir_expr *
allocate_for(struct allocator *a, const ir_expr *e, const struct kernel_call *k)
{
	bool dynamic = k->out->flags & TYPE_HAS_ANY;
	struct shape_function *s = NULL;
	type_vec types = {0};
	const ir_expr *now = e;
	bool ok = flatten(k->out, &types);

	if (ok && dynamic) {
		s = shape_function(a, k);
		ok = s && s->nresults == types.len;
		if (!ok)
			pass_remark_missed(a->cx, e->loc,
					   "this stays a call: what it gives "
					   "is as large as its values say");
	}
	if (ok && is_reshape(a, k))
		now = convert_reshape(a, k, s);
	else if (ok)
		now = convert_results(a, k, s, &types);
	if (now != e)
		pass_count(a->cx, "kernels with memory", 1);
	vec_free(&types);
	return now;
}
