/*
 * transpose and layout_transform one after the other: simplify-expr makes one
 * of two.
 *
 * Both permute axes, and layout_transform may split an axis into blocks or
 * join it again. A permutation is computed with as such; where axes are split
 * the letters of the layouts are permuted instead.
 */
#include "passes/rewrite/rw_fn.h"

#include <string.h>

#include "ir/layout.h"

enum { MAX_AXES = LAYOUT_MAX_AXES };

struct axes {
	uint32_t n;
	uint32_t at[MAX_AXES]; /* result axis i is this axis of the input */
};

static const ir_attrs *
attrs_of(const ir_expr *e)
{
	return ir_as_call(e)->attrs;
}

static bool
layouts_of(const ir_expr *e, struct ir_layout *src, struct ir_layout *dst)
{
	return ir_layout_parse(ir_attrs_string(attrs_of(e), "src_layout"),
			       src) &&
	       ir_layout_parse(ir_attrs_string(attrs_of(e), "dst_layout"), dst);
}

/* A change of blocks, not of the order of axes alone. */
static bool
changes_blocks(const struct ir_layout *src, const struct ir_layout *dst)
{
	if (src->n != dst->n)
		return true;
	for (uint32_t i = 0; i < src->n; i++) {
		int at = ir_layout_index(dst, src->axis[i].letter);

		if (at < 0 || dst->axis[at].factor != src->axis[i].factor)
			return true;
	}
	return false;
}

static bool
transpose_axes(const ir_expr *e, struct axes *out)
{
	const struct ir_tensor_type *t = rw_tensor(ir_as_call(e)->args[0]);
	const ir_attr *axes = ir_attrs_get(attrs_of(e), "axes");

	if (!t || t->ndim > MAX_AXES)
		return false;
	out->n = t->ndim;
	for (uint32_t i = 0; i < t->ndim; i++) {
		int64_t axis = t->ndim - 1 - i;

		if (axes && axes->kind == ATTR_ARRAY) {
			if (axes->n != t->ndim)
				return false;
			axis = ir_attr_elem_int(axes, i);
			axis += axis < 0 ? t->ndim : 0;
		}
		out->at[i] = (uint32_t)axis;
	}
	return true;
}

/* The permutation that E is; false if it is none. */
static bool
permutation(const ir_expr *e, struct axes *out)
{
	struct ir_layout src, dst;

	if (ir_is_call_of(e, OP_transpose))
		return transpose_axes(e, out);
	if (!ir_is_call_of(e, OP_layout_transform) ||
	    !layouts_of(e, &src, &dst) || changes_blocks(&src, &dst))
		return false;
	out->n = dst.n;
	for (uint32_t i = 0; i < dst.n; i++)
		out->at[i] =
			(uint32_t)ir_layout_index(&src, dst.axis[i].letter);
	return true;
}

static bool
is_identity(const struct axes *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (a->at[i] != i)
			return false;
	return true;
}

static const ir_expr *
new_transpose(struct rw_env *env, const ir_expr *x, const struct axes *a)
{
	ir_context *cx = env->m->cx;
	const ir_attrs *attrs =
		ir_attrs_defaults(cx, ir_op_info(OP_transpose)->attrs);
	int64_t axes[MAX_AXES];

	if (is_identity(a))
		return x;
	for (uint32_t i = 0; i < a->n; i++)
		axes[i] = a->at[i];
	attrs = ir_attrs_with(cx, attrs, "axes",
			      ir_attr_int_array(cx, axes, a->n, 32));
	return ir_new_op_call(env->m, env->match->root->loc, OP_transpose, &x,
			      1, attrs);
}

/* L, with result axis I what axis A[I] was (or, INVERSE, the other way). */
static struct ir_layout
permuted(const struct ir_layout *l, const struct axes *a, bool inverse)
{
	struct ir_layout out = {.n = l->n};

	for (uint32_t i = 0; i < l->n; i++) {
		if (inverse)
			out.axis[a->at[i]] = l->axis[i];
		else
			out.axis[i] = l->axis[a->at[i]];
	}
	return out;
}

static const char *
layout_name(struct rw_env *env, const struct ir_layout *l)
{
	char text[MAX_AXES * 24];
	size_t n = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		if (l->axis[i].factor)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
					      "%lld",
					      (long long)l->axis[i].factor);
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%c",
				      l->axis[i].letter);
	}
	return ir_name_n(env->m->cx, text, n);
}

static const ir_expr *
new_layout_transform(struct rw_env *env, const ir_expr *x,
		     const struct ir_layout *src, const struct ir_layout *dst)
{
	ir_context *cx = env->m->cx;
	const ir_attrs *attrs =
		ir_attrs_defaults(cx, ir_op_info(OP_layout_transform)->attrs);

	attrs = ir_attrs_with(cx, attrs, "src_layout",
			      ATTR_STR(layout_name(env, src)));
	attrs = ir_attrs_with(cx, attrs, "dst_layout",
			      ATTR_STR(layout_name(env, dst)));
	return ir_new_op_call(env->m, env->match->root->loc,
			      OP_layout_transform, &x, 1, attrs);
}

static bool
same_layout(const struct ir_layout *a, const struct ir_layout *b)
{
	if (a->n != b->n)
		return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (a->axis[i].letter != b->axis[i].letter ||
		    a->axis[i].factor != b->axis[i].factor)
			return false;
	return true;
}

/*
 * Splitting an axis that the blocks do not divide pads it; then the way there
 * and back is not the identity, and only equal element counts tell.
 */
static bool
same_size(const ir_expr *a, const ir_expr *b)
{
	const struct ir_tensor_type *t = rw_tensor(a);
	const struct ir_tensor_type *u = rw_tensor(b);
	int64_t n, m;

	return t && u && ir_shape_size(t, &n) && ir_shape_size(u, &m) && n == m;
}

/* Both are layout_transforms, and the second begins where the first ends. */
static const ir_expr *
join_transforms(struct rw_env *env, const ir_expr *outer, const ir_expr *inner)
{
	struct ir_layout src, middle, from, dst;
	const ir_expr *x = ir_as_call(inner)->args[0];

	if (!layouts_of(inner, &src, &middle) ||
	    !layouts_of(outer, &from, &dst) || !same_layout(&middle, &from) ||
	    !ir_layout_convertible(&src, &dst) || !same_size(x, inner) ||
	    !same_size(inner, outer))
		return NULL;
	return same_layout(&src, &dst)
		       ? x
		       : new_layout_transform(env, x, &src, &dst);
}

/* One permutes, the other changes blocks. */
static const ir_expr *
join_mixed(struct rw_env *env, const ir_expr *outer, const ir_expr *inner)
{
	struct ir_layout src, dst;
	struct axes a;
	const ir_expr *x = ir_as_call(inner)->args[0];

	if (permutation(inner, &a)) {
		if (!ir_is_call_of(outer, OP_layout_transform) ||
		    !layouts_of(outer, &src, &dst) || a.n != src.n)
			return NULL;
		src = permuted(&src, &a, true);
	} else {
		if (!permutation(outer, &a) || !layouts_of(inner, &src, &dst) ||
		    a.n != dst.n)
			return NULL;
		dst = permuted(&dst, &a, false);
	}
	return new_layout_transform(env, x, &src, &dst);
}

bool
rw_fn_merge_layouts(struct rw_env *env, const union rw_arg *arg,
		    union rw_arg *out)
{
	const ir_expr *outer = arg[0].e, *inner = arg[1].e;
	struct axes a, b, both;

	if (permutation(outer, &a) && permutation(inner, &b)) {
		if (a.n != b.n)
			return false;
		both.n = a.n;
		for (uint32_t i = 0; i < a.n; i++)
			both.at[i] = b.at[a.at[i]];
		out->e = new_transpose(env, ir_as_call(inner)->args[0], &both);
	} else if (ir_is_call_of(outer, OP_layout_transform) &&
		   ir_is_call_of(inner, OP_layout_transform)) {
		out->e = join_transforms(env, outer, inner);
		if (!out->e)
			out->e = join_mixed(env, outer, inner);
	} else {
		out->e = join_mixed(env, outer, inner);
	}
	return out->e != NULL;
}

bool
rw_fn_is_identity_layout(struct rw_env *env, const union rw_arg *arg,
			 union rw_arg *out)
{
	struct axes a;

	(void)env;
	(void)out;
	return permutation(arg[0].e, &a) && is_identity(&a);
}
