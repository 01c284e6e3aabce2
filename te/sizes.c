#include "te/sizes.h"

#include <string.h>

#include "te/fold.h"
#include "te/linear.h"
#include "te/plan.h"
#include "te/simplify.h"

int64_t
te_extent_of(ir_module *m, te_func *f, const tir_expr *value)
{
	struct te_simplifier s = {.m = m};

	for (uint32_t i = 0; i < f->nsizes; i++)
		te_set_range(&s, f->sizes[i].var, 0, TE_MAX_SIZE);
	value = te_simplify(&s, value);
	te_simplifier_free(&s);
	if (value->kind == TIR_INT && value->i >= 0)
		return value->i;
	if (value->kind == TIR_VAR)
		return te_size_extent(value->var);
	for (uint32_t i = 0; i < f->nsizes; i++)
		if (f->sizes[i].value &&
		    !te_expr_compare(f->sizes[i].value, value))
			return te_size_extent(f->sizes[i].var);
	return te_add_size(m, f, ir_namef(m->cx, "n%u", f->nsizes), value);
}

int64_t
te_extent_binary(ir_module *m, te_func *f, enum tir_kind k, int64_t a,
		 int64_t b)
{
	struct dtype t = DTYPE(INT, 64);

	return te_extent_of(m, f,
			    te_fold_binary(m, k, te_extent_expr(m, t, a),
					   te_extent_expr(m, t, b)));
}

/* Nothing but copies of dimensions: no function is needed. */
static bool
is_plain(const te_func *f)
{
	for (uint32_t i = 0; i < f->nsizes; i++)
		if (f->sizes[i].value)
			return false;
	return f->nrequires == 0;
}

static ir_attr
bindings(ir_module *m, const te_func *f)
{
	ir_attr *list = ARENA_NEW_ARRAY(&m->arena, f->nsizes, ir_attr);

	for (uint32_t i = 0; i < f->nsizes; i++) {
		const struct te_size *s = &f->sizes[i];
		int64_t at[2] = {s->param, s->dim};

		list[i] = ir_attr_int_array(m->cx, at, s->value ? 0 : 2, 32);
	}
	return ir_attr_array(m->cx, list, f->nsizes);
}

static ir_attr
shapes(ir_module *m, const te_func *f)
{
	ir_attr *list = ARENA_NEW_ARRAY(&m->arena, f->noutputs, ir_attr);

	for (uint32_t i = 0; i < f->noutputs; i++) {
		const struct te_tensor *t = f->outputs[i];
		int64_t *v = ARENA_NEW_ARRAY(&m->arena, t->ndim, int64_t);

		for (uint32_t d = 0; d < t->ndim; d++)
			v[d] = te_is_size(t->shape[d])
				       ? -1 - te_find_size(
						      f,
						      te_size_var(t->shape[d]))
				       : t->shape[d];
		list[i] = ir_attr_int_array(m->cx, v, t->ndim, 64);
	}
	return ir_attr_array(m->cx, list, f->noutputs);
}

const ir_dict *
te_size_attrs(ir_module *m, const te_func *f, const ir_dict *d)
{
	d = ir_dict_with(m->cx, d, ir_name(m->cx, "sizes"), bindings(m, f));
	d = ir_dict_with(m->cx, d, ir_name(m->cx, "shapes"), shapes(m, f));
	if (!is_plain(f))
		d = ir_dict_with(
			m->cx, d, ir_name(m->cx, "check"),
			ATTR_STR(ir_namef(m->cx, "%s_sizes", f->name)));
	return d;
}

/* The function under construction. */
struct sizes {
	ir_module *m;
	const te_func *f;
	tir_func *out;
	const struct tir_buffer *sizes;
	const struct tir_buffer *error;
};

static const struct tir_buffer *
add_param(struct sizes *s, const char *name, struct dtype t, int64_t size)
{
	struct tir_param *p = &s->out->params[s->out->nparams++];

	p->var = tir_new_var(s->m, ir_namef(s->m->cx, "%s_1", name),
			     DTYPE(HANDLE, 64));
	p->buffer = tir_new_buffer(s->m, name, t, size, TIR_GLOBAL);
	return p->buffer;
}

static const tir_expr *
element(struct sizes *s, const struct te_tensor *t, const tir_expr *const *i)
{
	const tir_expr *at = tir_int(s->m, DTYPE(INT, 64), 0);

	for (uint32_t d = 0; d < t->ndim; d++) {
		at = te_fold_binary(
			s->m, TIR_MUL, at,
			te_extent_expr(s->m, at->dtype, t->shape[d]));
		at = te_fold_binary(s->m, TIR_ADD, at,
				    te_fold_cast(s->m, at->dtype, i[d]));
	}
	return at;
}

/* What a formula reads lies in the parameters. */
static const tir_expr *
load_read(const tir_expr *e, void *env)
{
	struct sizes *s = env;
	uint32_t i = e->tensor->op->id;

	return tir_load(s->m, s->out->params[i].buffer,
			element(s, e->tensor, e->arg));
}

/* E over the array of sizes and the parameters. */
static const tir_expr *
over_array(struct sizes *s, const tir_expr *e)
{
	uint32_t n = s->f->nsizes;
	struct te_substitution sub = {.n = n, .env = s};

	sub.var = xmalloc((n + 1) * sizeof(*sub.var));
	sub.value = xmalloc((n + 1) * sizeof(*sub.value));
	for (uint32_t i = 0; i < n; i++) {
		sub.var[i] = s->f->sizes[i].var;
		sub.value[i] = tir_load(s->m, s->sizes,
					tir_int(s->m, DTYPE(INT, 32), i));
	}
	sub.read = load_read;
	e = te_substitute(s->m, e, &sub);
	/* Indices of reads hold sizes anew. */
	sub.read = NULL;
	e = te_substitute(s->m, e, &sub);
	free(sub.var);
	free(sub.value);
	return e;
}

/* What the extern routine of a size reads is passed as a whole. */
static const tir_expr *
with_addresses(struct sizes *s, const tir_expr *e)
{
	const tir_expr **args;

	if (e->kind == TIR_CAST)
		return tir_cast(s->m, e->dtype, with_addresses(s, e->arg[0]));
	if (e->kind != TIR_CALL_EXTERN)
		return e;
	args = ARENA_NEW_ARRAY(&s->m->arena, e->n, const tir_expr *);
	for (uint32_t i = 0; i < e->n; i++) {
		const tir_expr *a = e->arg[i];

		args[i] = a->kind == TIR_LOAD && a->buffer != s->sizes
				  ? tir_address_of(s->m, a->buffer, a->arg[0])
				  : a;
	}
	return tir_call_extern(s->m, e->s, e->dtype, args, e->n);
}

static tir_stmt *
check(struct sizes *s, const tir_expr *cond, const char *message,
      const tir_expr *a, const tir_expr *b)
{
	ir_module *m = s->m;
	const tir_expr *args[5];
	tir_stmt *st = tir_new_stmt(m, TIR_EVAL);

	args[0] = tir_address_of(m, s->error, tir_int(m, DTYPE(INT, 32), 0));
	args[1] = te_fold_cast(m, DTYPE(INT, 64), cond);
	args[2] = tir_string(m, ir_name(m->cx, message));
	args[3] = a;
	args[4] = b;
	st->eval = tir_call_extern(m, ir_name(m->cx, "relay_dyn_check"),
				   DTYPE(INT, 32), args, 5);
	return st;
}

static void
require(struct sizes *s, const struct te_require *r)
{
	tir_stmt *st = check(s, over_array(s, r->cond), r->message,
			     over_array(s, r->a), over_array(s, r->b));

	st->loc = r->loc;
	tir_seq_add(s->m, s->out->body, st);
}

static void
compute(struct sizes *s, uint32_t i)
{
	const tir_expr *at = tir_int(s->m, DTYPE(INT, 32), i);
	const tir_expr *v = over_array(s, s->f->sizes[i].value);

	tir_seq_add(s->m, s->out->body,
		    tir_store(s->m, s->sizes, at, with_addresses(s, v)));
}

/* Size I is none that arithmetic made by wrapping around. */
static void
check_range(struct sizes *s, uint32_t i)
{
	struct dtype t = DTYPE(INT, 64);
	const tir_expr *v =
		tir_load(s->m, s->sizes, tir_int(s->m, DTYPE(INT, 32), i));
	const tir_expr *zero = tir_int(s->m, t, 0);

	tir_seq_add(s->m, s->out->body,
		    check(s, tir_binary(s->m, TIR_GE, v, zero),
			  "a dimension of the result is negative", v, zero));
}

static void
add_params(struct sizes *s)
{
	const te_func *f = s->f;

	s->out->params =
		ARENA_NEW_ARRAY(&s->m->arena, f->nparams + 2, struct tir_param);
	for (uint32_t i = 0; i < f->nparams; i++)
		add_param(s, f->ops[i]->name, f->ops[i]->outputs[0].dtype, -1);
	s->sizes = add_param(
		s,
		te_find_op(f, ir_name(s->m->cx, "sizes")) ? "sizes_" : "sizes",
		DTYPE(INT, 64), f->nsizes);
	s->error = add_param(
		s,
		te_find_op(f, ir_name(s->m->cx, "error")) ? "error_" : "error",
		DTYPE(UINT, 8), -1);
}

tir_func *
te_lower_sizes(ir_module *m, const te_func *f)
{
	struct sizes s = {.m = m, .f = f};
	tir_stmt *ret = tir_new_stmt(m, TIR_RETURN);

	if (is_plain(f))
		return NULL;
	s.out = ARENA_NEW(&m->arena, tir_func);
	s.out->name = ir_namef(m->cx, "%s_sizes", f->name);
	s.out->loc = f->loc;
	s.out->body = tir_seq(m);
	add_params(&s);
	for (uint32_t i = 0; i < f->nsizes; i++)
		if (f->sizes[i].value)
			compute(&s, i);
	for (uint32_t i = 0; i < f->nrequires; i++)
		require(&s, &f->requires[i]);
	for (uint32_t i = 0; i < f->nsizes; i++)
		if (f->sizes[i].value)
			check_range(&s, i);
	ret->ret = tir_int(m, DTYPE(INT, 32), 0);
	tir_seq_add(m, s.out->body, ret);
	return s.out;
}
