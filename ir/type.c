#include "ir/type.h"

#include <stdlib.h>
#include <string.h>

#include "ir/context_internal.h"
#include "ir/meta.h"
#include "ir/module.h"
#include "support/hash.h"
#include "support/hashset.h"

/* All interned types. */
struct ir_type_table {
	struct hashset set;
};

struct ir_type_table *
ir_type_table_new(void)
{
	return xcalloc(1, sizeof(struct ir_type_table));
}

void
ir_type_table_free(struct ir_type_table *t)
{
	hashset_free(&t->set);
	free(t);
}

bool
ir_dim_equal(struct ir_dim a, struct ir_dim b)
{
	if (a.kind != b.kind)
		return false;
	if (a.kind == DIM_SYM)
		return a.sym == b.sym;
	return a.kind == DIM_ANY || a.value == b.value;
}

/* Equality of the parts only; operands are interned already. */
static bool
same_parts(const ir_type *const *a, const ir_type *const *b, uint32_t n)
{
	return n == 0 || memcmp(a, b, n * sizeof(*a)) == 0;
}

static bool
same_tensor(const struct ir_tensor_type *a, const struct ir_tensor_type *b)
{
	if (!dtype_equal(a->dtype, b->dtype) || a->ndim != b->ndim)
		return false;
	for (uint32_t i = 0; i < a->ndim; i++)
		if (!ir_dim_equal(a->shape[i], b->shape[i]))
			return false;
	return true;
}

static bool
same_func(const struct ir_func_type *a, const struct ir_func_type *b)
{
	return a->nparams == b->nparams && a->nvars == b->nvars &&
	       a->ret == b->ret &&
	       same_parts(a->params, b->params, a->nparams) &&
	       same_parts(a->vars, b->vars, a->nvars);
}

static bool
same_type(const void *item, const void *key)
{
	const ir_type *a = item, *b = key;

	if (a->kind != b->kind || a->hash != b->hash)
		return false;
	switch ((enum ir_type_kind)a->kind) {
	case TYPE_TENSOR:
		return same_tensor(ir_as_tensor_type(a), ir_as_tensor_type(b));
	case TYPE_TUPLE: {
		const struct ir_tuple_type *x = ir_as_tuple_type(a);
		const struct ir_tuple_type *y = ir_as_tuple_type(b);

		return x->nfields == y->nfields &&
		       same_parts(x->fields, y->fields, x->nfields);
	}
	case TYPE_FUNC:
		return same_func(ir_as_func_type(a), ir_as_func_type(b));
	case TYPE_REF:
		return ir_as_ref_type(a)->value == ir_as_ref_type(b)->value;
	case TYPE_ADT: {
		const struct ir_adt_type *x = ir_as_adt_type(a);
		const struct ir_adt_type *y = ir_as_adt_type(b);

		return x->name == y->name && x->nargs == y->nargs &&
		       same_parts(x->args, y->args, x->nargs);
	}
	case TYPE_VAR:
	case TYPE_HOLE:
		return a == b;
	}
	return false;
}

static uint64_t
mix_ids(uint64_t h, const ir_type *const *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		h = hash_mix(h, parts[i]->id);
	return h;
}

/*
 * Where T belongs in the table: unlike the hash of the type, this one tells
 * type parameters and holes apart.
 */
static uint64_t
slot_hash(const ir_type *t)
{
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TUPLE: {
		const struct ir_tuple_type *x = ir_as_tuple_type(t);

		return mix_ids(x->nfields, x->fields, x->nfields);
	}
	case TYPE_FUNC: {
		const struct ir_func_type *x = ir_as_func_type(t);

		return mix_ids(mix_ids(x->ret->id, x->params, x->nparams),
			       x->vars, x->nvars);
	}
	case TYPE_REF:
		return hash_mix(TYPE_REF, ir_as_ref_type(t)->value->id);
	case TYPE_ADT: {
		const struct ir_adt_type *x = ir_as_adt_type(t);

		return mix_ids(intern_hash(x->name), x->args, x->nargs);
	}
	case TYPE_TENSOR:
	case TYPE_VAR:
	case TYPE_HOLE:
		break;
	}
	return t->hash;
}

/* The interned type like KEY, which is copied if it is new. */
static const ir_type *
intern_type(ir_context *cx, const ir_type *key, size_t size)
{
	const void **place =
		hashset_place(&cx->types->set, slot_hash(key), same_type, key);

	if (!*place) {
		ir_type *copy = arena_copy(&cx->arena, key, size);

		copy->id = cx->next_type_id++;
		*place = copy;
	}
	return *place;
}

/*
 * Keys are built in place on the stack where they are small, which is nearly
 * always, so that looking up an existing type allocates nothing.
 */
enum { SMALL_KEY = 512 };

union key_space {
	ir_type type;
	uint64_t words[SMALL_KEY / 8];
};

static void *
key_new(union key_space *space, size_t size)
{
	if (size > sizeof(*space))
		return xcalloc(1, size);
	memset(space, 0, size);
	return space;
}

static const ir_type *
key_intern(ir_context *cx, union key_space *space, void *key, size_t size)
{
	const ir_type *t = intern_type(cx, key, size);

	if (key != space)
		free(key);
	return t;
}

/* KEY is made of PARTS, too: its flags, depth and size tell. */
static void
add_parts(ir_type *key, const ir_type *const *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const ir_type *p = parts[i];

		key->flags |= p->flags;
		if (key->depth <= p->depth)
			key->depth = p->depth < UINT16_MAX ? p->depth + 1
							   : UINT16_MAX;
		if (__builtin_add_overflow(key->size, p->size + 1,
					   &key->size) ||
		    p->size == UINT32_MAX)
			key->size = UINT32_MAX;
	}
}

static uint64_t
hash_of(uint64_t h, const ir_type *const *parts, uint32_t n)
{
	h = hash_mix(h, n);
	for (uint32_t i = 0; i < n; i++)
		h = hash_mix(h, parts[i]->hash);
	return h;
}

const ir_type *
ir_type_tensor(ir_context *cx, struct dtype dtype, const struct ir_dim *shape,
	       uint32_t ndim)
{
	union key_space space;
	size_t size = sizeof(struct ir_tensor_type) + ndim * sizeof(*shape);
	struct ir_tensor_type *key = key_new(&space, size);
	uint64_t h = hash_mix(TYPE_TENSOR, dtype.code | dtype.bits << 8 |
						   (uint32_t)dtype.lanes << 16);

	key->base.kind = TYPE_TENSOR;
	key->dtype = dtype;
	key->ndim = ndim;
	for (uint32_t i = 0; i < ndim; i++) {
		struct ir_dim d = shape[i];

		if (!ir_dim_is_const(d)) {
			key->base.flags |= TYPE_HAS_ANY;
			d.value = -1;
		}
		if (d.kind != DIM_SYM)
			d.sym = NULL;
		key->shape[i] = d;
		h = hash_mix(h, (uint64_t)d.value * 4 + d.kind);
	}
	key->base.hash = hash_mix(h, ndim);
	return key_intern(cx, &space, key, size);
}

const ir_type *
ir_type_scalar(ir_context *cx, struct dtype dtype)
{
	return ir_type_tensor(cx, dtype, NULL, 0);
}

const ir_type *
ir_type_tuple(ir_context *cx, const ir_type *const *fields, uint32_t n)
{
	union key_space space;
	size_t size = sizeof(struct ir_tuple_type) + n * sizeof(*fields);
	struct ir_tuple_type *key = key_new(&space, size);

	key->base.kind = TYPE_TUPLE;
	add_parts(&key->base, fields, n);
	key->base.hash = hash_of(TYPE_TUPLE, fields, n);
	key->nfields = n;
	if (n)
		memcpy(key->fields, fields, n * sizeof(*fields));
	return key_intern(cx, &space, key, size);
}

const ir_type *
ir_type_func(ir_context *cx, const ir_type *const *params, uint32_t nparams,
	     const ir_type *ret, const ir_type *const *vars, uint32_t nvars)
{
	union key_space space;
	size_t size = sizeof(struct ir_func_type) + nparams * sizeof(*params);
	struct ir_func_type *key = key_new(&space, size);
	uint64_t h = hash_of(TYPE_FUNC, params, nparams);

	key->base.kind = TYPE_FUNC;
	key->base.flags = (nvars ? TYPE_HAS_VAR : 0) | TYPE_HAS_FUNC;
	add_parts(&key->base, params, nparams);
	add_parts(&key->base, &ret, 1);
	key->base.hash = hash_mix(hash_mix(h, ret->hash), nvars);
	key->nparams = nparams;
	key->ret = ret;
	key->nvars = nvars;
	if (nvars)
		key->vars = arena_copy(&cx->arena, vars, nvars * sizeof(*vars));
	if (nparams)
		memcpy(key->params, params, nparams * sizeof(*params));
	return key_intern(cx, &space, key, size);
}

const ir_type *
ir_type_ref(ir_context *cx, const ir_type *value)
{
	struct ir_ref_type key;

	memset(&key, 0, sizeof(key));
	key.base.kind = TYPE_REF;
	add_parts(&key.base, &value, 1);
	key.base.hash = hash_of(TYPE_REF, &value, 1);
	key.value = value;
	return intern_type(cx, &key.base, sizeof(key));
}

const ir_type *
ir_type_adt(ir_context *cx, const char *name, const ir_type *const *args,
	    uint32_t n)
{
	union key_space space;
	size_t size = sizeof(struct ir_adt_type) + n * sizeof(*args);
	struct ir_adt_type *key = key_new(&space, size);

	key->base.kind = TYPE_ADT;
	add_parts(&key->base, args, n);
	key->base.hash =
		hash_of(hash_mix(TYPE_ADT, intern_hash(name)), args, n);
	key->name = name;
	key->nargs = n;
	if (n)
		memcpy(key->args, args, n * sizeof(*args));
	return key_intern(cx, &space, key, size);
}

const ir_type *
ir_type_new_var(ir_context *cx, const char *name)
{
	struct ir_type_var *v = ARENA_NEW(&cx->arena, struct ir_type_var);

	v->base.kind = TYPE_VAR;
	v->base.flags = TYPE_HAS_VAR;
	v->base.id = cx->next_type_id++;
	v->base.hash = hash_mix(TYPE_VAR, 0);
	v->name = name;
	return &v->base;
}

const ir_type *
ir_type_new_hole(ir_context *cx, uint32_t index)
{
	struct ir_type_hole *h = ARENA_NEW(&cx->arena, struct ir_type_hole);

	h->base.kind = TYPE_HOLE;
	h->base.flags = TYPE_HAS_HOLE;
	h->base.id = cx->next_type_id++;
	h->base.hash = hash_mix(TYPE_HOLE, h->base.id);
	h->index = index;
	return &h->base;
}

/* Pairs of bound type parameters, innermost last. */
struct var_pairs {
	VEC(const ir_type *) a;
	VEC(const ir_type *) b;
};

static bool equal_under(const ir_type *a, const ir_type *b,
			struct var_pairs *p);

static bool
equal_parts(const ir_type *const *a, const ir_type *const *b, uint32_t n,
	    struct var_pairs *p)
{
	for (uint32_t i = 0; i < n; i++)
		if (!equal_under(a[i], b[i], p))
			return false;
	return true;
}

static bool
equal_funcs(const struct ir_func_type *a, const struct ir_func_type *b,
	    struct var_pairs *p)
{
	size_t mark = p->a.len;
	bool equal;

	if (a->nparams != b->nparams || a->nvars != b->nvars)
		return false;
	for (uint32_t i = 0; i < a->nvars; i++) {
		vec_push(&p->a, a->vars[i]);
		vec_push(&p->b, b->vars[i]);
	}
	equal = equal_parts(a->params, b->params, a->nparams, p) &&
		equal_under(a->ret, b->ret, p);
	p->a.len = p->b.len = mark;
	return equal;
}

static bool
equal_vars(const ir_type *a, const ir_type *b, const struct var_pairs *p)
{
	for (size_t i = p->a.len; i-- > 0;)
		if (p->a.at[i] == a || p->b.at[i] == b)
			return p->a.at[i] == a && p->b.at[i] == b;
	return a == b;
}

static bool
equal_under(const ir_type *a, const ir_type *b, struct var_pairs *p)
{
	if (a == b && !(a->flags & TYPE_HAS_VAR))
		return true;
	if (a->kind != b->kind || a->hash != b->hash)
		return false;
	switch ((enum ir_type_kind)a->kind) {
	case TYPE_TUPLE:
		return ir_as_tuple_type(a)->nfields ==
			       ir_as_tuple_type(b)->nfields &&
		       equal_parts(ir_as_tuple_type(a)->fields,
				   ir_as_tuple_type(b)->fields,
				   ir_as_tuple_type(a)->nfields, p);
	case TYPE_FUNC:
		return equal_funcs(ir_as_func_type(a), ir_as_func_type(b), p);
	case TYPE_REF:
		return equal_under(ir_as_ref_type(a)->value,
				   ir_as_ref_type(b)->value, p);
	case TYPE_ADT:
		return ir_as_adt_type(a)->name == ir_as_adt_type(b)->name &&
		       ir_as_adt_type(a)->nargs == ir_as_adt_type(b)->nargs &&
		       equal_parts(ir_as_adt_type(a)->args,
				   ir_as_adt_type(b)->args,
				   ir_as_adt_type(a)->nargs, p);
	case TYPE_VAR:
		return equal_vars(a, b, p);
	case TYPE_TENSOR:
	case TYPE_HOLE:
		return a == b;
	}
	return false;
}

bool
ir_type_equal(const ir_type *a, const ir_type *b)
{
	struct var_pairs p = {0};
	bool equal;

	if (a == b)
		return true;
	if (!a || !b)
		return false;
	equal = equal_under(a, b, &p);
	vec_free(&p.a);
	vec_free(&p.b);
	return equal;
}

struct substitution {
	ir_context *cx;
	const ir_type *(*map)(const ir_type *t, void *env);
	void *env;
};

static const ir_type *substitute(struct substitution *s, const ir_type *t);

/* New fields in OUT (room for N); true if one differs. */
static bool
substitute_parts(struct substitution *s, const ir_type *const *parts,
		 uint32_t n, const ir_type **out)
{
	bool changed = false;

	for (uint32_t i = 0; i < n; i++) {
		out[i] = substitute(s, parts[i]);
		changed |= out[i] != parts[i];
	}
	return changed;
}

static const ir_type *
substitute_func(struct substitution *s, const struct ir_func_type *f)
{
	const ir_type **params = xcalloc(f->nparams, sizeof(*params));
	const ir_type *ret = substitute(s, f->ret);
	bool changed = substitute_parts(s, f->params, f->nparams, params);
	const ir_type *t = &f->base;

	if (changed || ret != f->ret)
		t = ir_type_func(s->cx, params, f->nparams, ret, f->vars,
				 f->nvars);
	free(params);
	return t;
}

static const ir_type *
substitute_tuple(struct substitution *s, const struct ir_tuple_type *tuple)
{
	const ir_type **fields = xcalloc(tuple->nfields, sizeof(*fields));
	const ir_type *t = &tuple->base;

	if (substitute_parts(s, tuple->fields, tuple->nfields, fields))
		t = ir_type_tuple(s->cx, fields, tuple->nfields);
	free(fields);
	return t;
}

static const ir_type *
substitute_adt(struct substitution *s, const struct ir_adt_type *adt)
{
	const ir_type **args = xcalloc(adt->nargs, sizeof(*args));
	const ir_type *t = &adt->base;

	if (substitute_parts(s, adt->args, adt->nargs, args))
		t = ir_type_adt(s->cx, adt->name, args, adt->nargs);
	free(args);
	return t;
}

static const ir_type *
substitute(struct substitution *s, const ir_type *t)
{
	if (!(t->flags & (TYPE_HAS_VAR | TYPE_HAS_HOLE)))
		return t;
	switch ((enum ir_type_kind)t->kind) {
	case TYPE_TENSOR:
		return t;
	case TYPE_TUPLE:
		return substitute_tuple(s, ir_as_tuple_type(t));
	case TYPE_FUNC:
		return substitute_func(s, ir_as_func_type(t));
	case TYPE_REF: {
		const ir_type *old = ir_as_ref_type(t)->value;
		const ir_type *value = substitute(s, old);

		return value == old ? t : ir_type_ref(s->cx, value);
	}
	case TYPE_ADT:
		return substitute_adt(s, ir_as_adt_type(t));
	case TYPE_VAR:
	case TYPE_HOLE:
		return s->map(t, s->env);
	}
	return t;
}

const ir_type *
ir_type_substitute(ir_context *cx, const ir_type *t,
		   const ir_type *(*map)(const ir_type *t, void *env),
		   void *env)
{
	struct substitution s = {cx, map, env};

	return substitute(&s, t);
}

bool
ir_shape_is_static(const struct ir_tensor_type *t)
{
	return !(t->base.flags & TYPE_HAS_ANY);
}

bool
ir_shape_size(const struct ir_tensor_type *t, int64_t *size)
{
	int64_t n = 1;

	for (uint32_t i = 0; i < t->ndim; i++) {
		if (!ir_dim_is_const(t->shape[i]) ||
		    __builtin_mul_overflow(n, t->shape[i].value, &n))
			return false;
	}
	*size = n;
	return n >= 0;
}
