/*
 * Operators that read by indices, and operators that make them.
 */
#include "te/compute/computes.h"

#include <string.h>

/* I in a type that holds N, too. */
static const tir_expr *
wide_index(struct te_call *c, const tir_expr *i, int64_t n)
{
	int bits = i->dtype.bits - (i->dtype.code == DTYPE_INT);

	if (te_is_size(n) ? bits >= 31 : bits >= 62 || n >> bits == 0)
		return i;
	return te_cast(c, DTYPE(INT, 64), i);
}

static const tir_expr *
clipped_index(struct te_call *c, const tir_expr *i, int64_t n)
{
	i = wide_index(c, i, n);
	return te_max(
		c, te_min(c, i, te_lit_int(c, i->dtype, te_dim_sub(c, n, 1))),
		te_zero(c, i->dtype));
}

/* MODE of take: clip (anything else is clip, too), wrap, fast. */
static const tir_expr *
limited_index(struct te_call *c, const tir_expr *i, int64_t n, const char *mode)
{
	i = wide_index(c, i, n);
	if (strcmp(mode, "wrap") == 0)
		return te_mod(c, i, te_lit_int(c, i->dtype, n ? n : 1));
	if (strcmp(mode, "fast") == 0)
		return i;
	return clipped_index(c, i, n);
}

/* There are elements to read where there are indices to read at. */
static bool
can_read(struct te_call *c, int64_t n)
{
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, shape);

	const tir_expr *ok = te_cmp(c, TIR_GT, te_dim(c, n), te_dim(c, 0));

	for (uint32_t i = 0; i < ndim; i++)
		ok = te_or(
			c, ok,
			te_cmp(c, TIR_EQ, te_dim(c, shape[i]), te_dim(c, 0)));
	return te_require(c, ok, n, 1, "there is nothing to read from");
}

/*
 * out[a.., k.., z..] = x[a.., indices[k..], z..]; the first batch_dims axes
 * are common to data and indices. Without an axis the data is flat.
 */
bool
compute_take(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	const struct te_tensor *at = c->in[1];
	const ir_attr *axis_attr = ir_attrs_get(c->attrs, "axis");
	const char *mode = te_attr_string(c, "mode");
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *i;
	int64_t batch = te_attr_int(c, "batch_dims", 0);
	int64_t axis;
	int64_t size = 1;

	if (!axis_attr || axis_attr->kind == ATTR_NULL) {
		for (uint32_t k = 0; k < x->ndim; k++)
			size = te_dim_mul(c, size, x->shape[k]);
		if (!can_read(c, size))
			return false;
		i = limited_index(c, te_get(c, at, b->i), size, mode);
		return te_output(c, 0, te_end(b, te_get_flat(c, x, i)));
	}
	axis = te_axis_of(axis_attr->i, x->ndim);
	if (!can_read(c, x->shape[axis]))
		return false;
	if (batch < 0)
		batch += at->ndim;
	for (int64_t k = 0; k < at->ndim; k++)
		index[k] = b->i[k < batch ? k : axis + k - batch];
	i = limited_index(c, te_get(c, at, index), x->shape[axis], mode);
	for (int64_t k = 0; k < x->ndim; k++)
		index[k] = k < axis    ? b->i[k]
			   : k == axis ? te_cast(c, c->index, i)
				       : b->i[k - 1 + at->ndim - batch];
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

/* out[i..] = x[i.. with indices[i..] on the axis]. */
bool
compute_gather(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), b->ndim);
	const tir_expr *index[TE_MAX_RANK];

	if (!can_read(c, c->in[0]->shape[axis]))
		return false;
	for (uint32_t k = 0; k < b->ndim; k++)
		index[k] = b->i[k];
	index[axis] = clipped_index(c, te_get(c, c->in[1], b->i),
				    c->in[0]->shape[axis]);
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

/* Coordinate M of point y.. is indices[M, y..]. */
bool
compute_gather_nd(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	const struct te_tensor *at = c->in[1];
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t batch = te_attr_int(c, "batch_dims", 0);
	int64_t m = at->shape[0];
	const tir_expr *point[TE_MAX_RANK];
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t k = 1; k < at->ndim; k++)
		point[k] = b->i[k - 1];
	for (int64_t k = 0; k < x->ndim; k++) {
		if (k < batch) {
			index[k] = b->i[k];
		} else if (k < batch + m) {
			if (!can_read(c, x->shape[k]))
				return false;
			point[0] = te_int(c, k - batch);
			index[k] = clipped_index(c, te_get(c, at, point),
						 x->shape[k]);
		} else {
			index[k] = b->i[at->ndim - 1 + k - batch - m];
		}
	}
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

bool
compute_one_hot(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	struct dtype t = te_out_dtype(c, 0);
	const struct te_tensor *at = c->in[0];
	int64_t axis = te_attr_int(c, "axis", -1);
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *hot;

	if (axis < 0)
		axis += b->ndim;
	for (int64_t k = 0, i = 0; k < b->ndim; k++)
		if (k != axis)
			index[i++] = b->i[k];
	hot = te_get(c, at, index);
	return te_output(
		c, 0,
		te_end(b, te_select(c,
				    te_cmp(c, TIR_EQ, hot,
					   te_cast(c, hot->dtype, b->i[axis])),
				    te_cast(c, t, te_get0(c, c->in[1])),
				    te_cast(c, t, te_get0(c, c->in[2])))));
}

bool
compute_arange(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	struct dtype t = te_out_dtype(c, 0);
	const tir_expr *start = te_get0(c, c->in[0]);
	const tir_expr *step = te_get0(c, c->in[2]);
	const tir_expr *i = te_cast(c, step->dtype, b->i[0]);

	return te_output(
		c, 0,
		te_end(b, te_cast(c, t,
				  te_add(c, te_cast(c, step->dtype, start),
					 te_mul(c, step, i)))));
}

/* Elements behind the valid length of their sequence become a value. */
bool
compute_sequence_mask(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t axis = te_attr_int(c, "axis", 0);
	const tir_expr *x = te_get(c, c->in[0], b->i);
	const tir_expr *len = te_at(c, c->in[1], b->i[axis == 0 ? 1 : 0]);
	const tir_expr *t = te_cast(c, len->dtype, b->i[axis == 0 ? 0 : 1]);

	return te_output(
		c, 0,
		te_end(b, te_select(c, te_cmp(c, TIR_GE, t, len),
				    te_lit(c, x->dtype,
					   te_attr_double(c, "mask_value")),
				    x)));
}

/* Triangles: row + k <= col stays (upper), or row + k >= col (lower). */
bool
compute_trilu(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *x = te_get(c, c->in[0], b->i);
	const tir_expr *k = te_cast(c, c->index, te_get0(c, c->in[1]));
	enum tir_kind keeps = te_attr_bool(c, "upper") ? TIR_LE : TIR_GE;
	const tir_expr *row;

	if (b->ndim < 2)
		return te_error(c, "a matrix has rank 2 or more");
	row = te_add(c, b->i[b->ndim - 2], k);
	return te_output(
		c, 0,
		te_end(b, te_select(c, te_cmp(c, keeps, row, b->i[b->ndim - 1]),
				    x, te_zero(c, x->dtype))));
}

/* The extents are known: shape_of, vm.shape_of. */
bool
compute_shape_of(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	struct dtype t = te_out_dtype(c, 0);
	const tir_expr *v = te_zero(c, t);

	for (uint32_t k = c->in[0]->ndim; k-- > 0;)
		v = te_select(c, te_cmp(c, TIR_EQ, b->i[0], te_int(c, k)),
			      te_lit_int(c, t, c->in[0]->shape[k]), v);
	return te_output(c, 0, te_end(b, v));
}

bool
compute_ndarray_size(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	int64_t size = 1;

	for (uint32_t k = 0; k < c->in[0]->ndim; k++)
		size = te_dim_mul(c, size, c->in[0]->shape[k]);
	return te_output(c, 0,
			 te_end(b, te_lit_int(c, te_out_dtype(c, 0), size)));
}

/* The array as [outer, n, inner] around AXIS. */
struct lines {
	int64_t outer;
	int64_t n;
	int64_t inner;
};

static struct lines
lines_along(struct te_call *c, const struct te_tensor *x, int64_t axis)
{
	struct lines l = {1, 1, 1};

	for (int64_t k = 0; k < x->ndim; k++) {
		if (k < axis)
			l.outer = te_dim_mul(c, l.outer, x->shape[k]);
		else if (k == axis)
			l.n = x->shape[k];
		else
			l.inner = te_dim_mul(c, l.inner, x->shape[k]);
	}
	return l;
}

/* What the routines of runtime/ take for an element type. */
static int64_t
dtype_number(struct dtype t)
{
	return 256 * t.code + t.bits;
}

static void
put_lines(struct te_extern *x, struct lines l)
{
	te_extern_int(x, l.outer);
	te_extern_int(x, l.n);
	te_extern_int(x, l.inner);
}

static void
put_output(struct te_call *c, struct te_extern *x, uint32_t i)
{
	int64_t shape[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, i, shape);

	te_extern_output(x, te_out_dtype(c, i), shape, ndim);
}

/* cumsum, cumprod. */
bool
compute_scan(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	const ir_attr *axis = ir_attrs_get(c->attrs, "axis");
	struct lines l = {1, 1, 1};
	struct te_extern *call;
	struct te_tensor *out[1];

	if (axis && axis->kind == ATTR_INT)
		l = lines_along(c, x, te_axis_of(axis->i, x->ndim));
	else
		for (uint32_t k = 0; k < x->ndim; k++)
			l.n = te_dim_mul(c, l.n, x->shape[k]);
	call = te_extern_begin(c, NULL, "relay_scan");
	put_output(c, call, 0);
	te_extern_tensor(call, c->in[0]);
	put_lines(call, l);
	te_extern_int(call, c->op->id == OP_cumprod);
	te_extern_int(call, te_attr_bool(c, "exclusive"));
	te_extern_int(call, dtype_number(x->dtype));
	te_extern_int(call, dtype_number(te_out_dtype(c, 0)));
	te_extern_end(call, out);
	return te_output(c, 0, out[0]);
}

/* sort, argsort. */
bool
compute_sort(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	bool places = c->op->id == OP_argsort;
	struct te_extern *call = te_extern_begin(
		c, NULL, places ? "relay_argsort" : "relay_sort");
	struct te_tensor *out[1];

	put_output(c, call, 0);
	te_extern_tensor(call, c->in[0]);
	put_lines(call, lines_along(c, x, axis));
	te_extern_int(call, te_attr_bool(c, "is_ascend"));
	te_extern_int(call, dtype_number(x->dtype));
	if (places)
		te_extern_int(call, dtype_number(te_out_dtype(c, 0)));
	te_extern_end(call, out);
	return te_output(c, 0, out[0]);
}

/* The best k along an axis: values, places, or both. */
bool
compute_topk(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	int64_t axis = te_axis_of(te_attr_int(c, "axis", -1), x->ndim);
	const char *what = te_attr_string(c, "ret_type");
	bool values = strcmp(what, "indices") != 0;
	bool indices = strcmp(what, "values") != 0;
	struct te_extern *call =
		te_extern_begin(c, NULL,
				!indices  ? "relay_topk_values"
				: !values ? "relay_topk_indices"
					  : "relay_topk");
	struct te_tensor *out[2];
	int64_t shape[TE_MAX_RANK];

	for (uint32_t i = 0; i < c->nout; i++)
		put_output(c, call, i);
	te_extern_tensor(call, c->in[0]);
	put_lines(call, lines_along(c, x, axis));
	te_out_shape(c, 0, shape);
	te_extern_int(call, shape[axis]);
	te_extern_int(call, te_attr_bool(c, "is_ascend"));
	te_extern_int(call, dtype_number(x->dtype));
	if (indices)
		te_extern_int(call, dtype_number(te_out_dtype(c, c->nout - 1)));
	te_extern_end(call, out);
	for (uint32_t i = 0; i < c->nout; i++)
		te_output(c, i, out[i]);
	return true;
}
