#include "passes/partial_value.h"

#include "ir/tensor.h"

void
partial_env_put(struct partial_env *env, const struct ir_var *v,
		struct partial_value *value)
{
	ir_map_put(&env->vars, &v->base, value);
}

struct partial_value *
partial_env_get(const struct partial_env *env, const ir_expr *v)
{
	for (; env; env = env->parent) {
		struct partial_value *x = ir_map_get(&env->vars, v);

		if (x)
			return x;
	}
	return NULL;
}

static const ir_type *
map_type_var(const ir_type *t, void *env)
{
	const struct partial_env *e = env;

	for (; e; e = e->parent)
		for (const struct partial_types *b = e->types; b; b = b->next)
			if (b->var == t)
				return b->type;
	return t;
}

const ir_type *
partial_type(ir_module *m, const struct partial_env *env, const ir_type *t)
{
	if (!t || !(t->flags & TYPE_HAS_VAR))
		return t;
	return ir_type_substitute(m->cx, t, map_type_var,
				  (void *)(uintptr_t)env);
}

static void
bind_type(struct arena *a, const ir_type *var, const ir_type *type,
	  const struct partial_types **out)
{
	struct partial_types *b;

	for (const struct partial_types *x = *out; x; x = x->next)
		if (x->var == var)
			return;
	b = ARENA_NEW(a, struct partial_types);
	*b = (struct partial_types){var, type, *out};
	*out = b;
}

/* A search for the type parameters of F. */
struct bound_vars {
	const struct ir_func_type *f;
	bool found;
};

static void
match_all(ir_context *cx, struct arena *a, const ir_type *const *formal,
	  const ir_type *const *actual, uint32_t n,
	  const struct partial_types **out)
{
	for (uint32_t i = 0; i < n; i++)
		partial_types_match(cx, a, formal[i], actual[i], out);
}

static const ir_type *
note_bound(const ir_type *t, void *env)
{
	struct bound_vars *b = env;

	for (uint32_t i = 0; i < b->f->nvars; i++)
		b->found |= b->f->vars[i] == t;
	return t;
}

/* Does T, a part of F, mention a type parameter of F itself? */
static bool
mentions_own(ir_context *cx, const struct ir_func_type *f, const ir_type *t)
{
	struct bound_vars b = {f, false};

	if (f->nvars)
		(void)ir_type_substitute(cx, t, note_bound, &b);
	return b.found;
}

/* What a polymorphic function does not say by itself, others must. */
static void
match_func(ir_context *cx, struct arena *a, const struct ir_func_type *f,
	   const struct ir_func_type *x, const struct partial_types **out)
{
	if (f->nparams != x->nparams)
		return;
	for (uint32_t i = 0; i < f->nparams; i++)
		if (!mentions_own(cx, x, x->params[i]))
			partial_types_match(cx, a, f->params[i], x->params[i],
					    out);
	if (!mentions_own(cx, x, x->ret))
		partial_types_match(cx, a, f->ret, x->ret, out);
}

void
partial_types_match(ir_context *cx, struct arena *a, const ir_type *formal,
		    const ir_type *actual, const struct partial_types **out)
{
	if (!formal || !actual || !(formal->flags & TYPE_HAS_VAR))
		return;
	if (formal->kind == TYPE_VAR) {
		bind_type(a, formal, actual, out);
		return;
	}
	if (formal->kind != actual->kind)
		return;
	if (formal->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *f = ir_as_tuple_type(formal);
		const struct ir_tuple_type *x = ir_as_tuple_type(actual);

		if (f->nfields == x->nfields)
			match_all(cx, a, f->fields, x->fields, f->nfields, out);
	} else if (formal->kind == TYPE_FUNC) {
		const struct ir_func_type *f = ir_as_func_type(formal);
		const struct ir_func_type *x = ir_as_func_type(actual);

		match_func(cx, a, f, x, out);
	} else if (formal->kind == TYPE_REF) {
		partial_types_match(cx, a, ir_as_ref_type(formal)->value,
				    ir_as_ref_type(actual)->value, out);
	} else if (formal->kind == TYPE_ADT) {
		const struct ir_adt_type *f = ir_as_adt_type(formal);
		const struct ir_adt_type *x = ir_as_adt_type(actual);

		if (f->nargs == x->nargs)
			match_all(cx, a, f->args, x->args, f->nargs, out);
	}
}

void
partial_store_push(struct partial_store *s)
{
	vec_push(&s->frames, ((struct partial_frame){.trusts_below = true}));
}

void
partial_store_pop(struct partial_store *s)
{
	struct partial_frame f = vec_pop(&s->frames);

	ir_map_free(&f.values);
}

void
partial_store_forget(struct partial_store *s)
{
	struct partial_frame *f = &vec_last(&s->frames);

	ir_map_free(&f->values);
	f->values = (struct ir_map){0};
	f->trusts_below = false;
}

void
partial_store_put(struct partial_store *s, const ir_expr *ref,
		  struct partial_value *value)
{
	ir_map_put(&vec_last(&s->frames).values, ref, value);
}

struct partial_value *
partial_store_get(const struct partial_store *s, const ir_expr *ref)
{
	for (size_t i = s->frames.len; i-- > 0;) {
		const struct partial_frame *f = &s->frames.at[i];
		struct partial_value *v = ir_map_get(&f->values, ref);

		if (v || !f->trusts_below)
			return v;
	}
	return NULL;
}

/* The number that V is, if it is a scalar that can count down; else -1. */
static int64_t
countdown(const struct partial_value *v)
{
	struct dtype t;
	int64_t n;

	if (v->kind != PARTIAL_TENSOR || v->tensor->ndim != 0)
		return -1;
	t = v->tensor->dtype;
	if (!dtype_equal(t, DTYPE(INT, 32)) && !dtype_equal(t, DTYPE(INT, 64)))
		return -1;
	n = ir_tensor_get_int(v->tensor, 0);
	return n >= 0 ? n : -1;
}

const struct partial_fuel *
partial_fuel_burn(struct arena *a, const struct partial_fuel *has,
		  struct partial_value *const *args, uint32_t n)
{
	struct partial_fuel *left =
		arena_alloc(a, sizeof(*left) + n * sizeof(left->args[0]));
	bool progress = !has;

	left->n = n;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t time = args[i]->time;
		int64_t value = countdown(args[i]);

		if (has && has->args[i].time <= time)
			time = has->args[i].time;
		else
			progress = true;
		if (has && (has->args[i].value <= value ||
			    has->args[i].value < 0 || value < 0))
			value = has->args[i].value;
		else if (value >= 0)
			progress = true;
		left->args[i].time = time;
		left->args[i].value = value;
	}
	return progress ? left : NULL;
}
