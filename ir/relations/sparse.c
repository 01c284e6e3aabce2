/* Sparse matrices: CSR with vectors, BSR with blocks; lists of places. */
#include <inttypes.h>

#include "ir/relations/common.h"

/* data, indices, indptr of a sparse matrix at inputs FIRST.. */
struct sparse {
	const struct ir_tensor_type *data, *indices, *indptr;
	struct ir_dim rows;
};

static enum rel_result
read_sparse(struct rel *r, uint32_t first, struct sparse *s)
{
	const struct ir_tensor_type *t[3];

	for (uint32_t i = 0; i < 3; i++) {
		t[i] = rel_tensor(r, first + i);
		if (!t[i])
			return rel_wait(r, first + i);
	}
	*s = (struct sparse){t[0], t[1], t[2], DIM_UNKNOWN};
	if (s->data->ndim != 1 && s->data->ndim != 3)
		return rel_error_at(
			r, first, "'%s' must have rank 1 or 3, but is %s",
			rel_input(r, first), rel_show_arg(r, first));
	if (!rel_check_rank(r, first + 1, s->indices, 1) ||
	    !rel_check_rank(r, first + 2, s->indptr, 1))
		return REL_FAIL;
	if (rel_dim_is(s->indptr->shape[0], 0))
		return rel_error_at(r, first + 2, "'%s' must not be empty",
				    rel_input(r, first + 2));
	s->rows = ir_dim_sub(s->indptr->shape[0], DIM(1));
	if (s->data->ndim == 3 &&
	    !rel_mul(r, s->rows, s->data->shape[1], &s->rows))
		return REL_FAIL;
	return REL_DONE;
}

enum rel_result
rel_sparse_dense(struct rel *r)
{
	const struct ir_tensor_type *dense = rel_tensor(r, 0);
	struct rel_shape out = rel_new_shape(r, 2);
	enum rel_result ok;
	struct sparse s;

	if (!dense)
		return rel_wait(r, 0);
	ok = read_sparse(r, 1, &s);
	if (ok != REL_DONE)
		return ok;
	if (!rel_check_rank(r, 0, dense, 2))
		return REL_FAIL;
	bool left = ir_attrs_bool(r->attrs, "sparse_lhs");

	out.at[left ? 0 : 1] = s.rows;
	out.at[left ? 1 : 0] = dense->shape[0];
	return rel_finish(r, dense->dtype, &out);
}

enum rel_result
rel_sparse_transpose(struct rel *r)
{
	const ir_type *fields[3];
	enum rel_result ok;
	struct sparse s;

	ok = read_sparse(r, 0, &s);
	if (ok != REL_DONE)
		return ok;
	fields[0] = &s.data->base;
	fields[1] = &s.indices->base;
	fields[2] = &s.indptr->base;
	return rel_finish_tuple(r, fields, 3);
}

enum rel_result
rel_sparse_add(struct rel *r)
{
	const struct ir_tensor_type *dense = rel_tensor(r, 0);
	enum rel_result ok;
	struct sparse s;

	if (!dense)
		return rel_wait(r, 0);
	ok = read_sparse(r, 1, &s);
	if (ok != REL_DONE)
		return ok;
	if (!rel_check_rank(r, 0, dense, 2) ||
	    !rel_same_dtype(r, 0, dense, 1, s.data))
		return REL_FAIL;
	return rel_assign(r, &dense->base);
}

/* Only the channels change. */
enum rel_result
rel_sparse_conv2d(struct rel *r)
{
	const struct ir_tensor_type *dense = rel_tensor(r, 0);
	struct ir_layout l;
	struct rel_shape out;
	enum rel_result ok;
	struct sparse s;

	if (!dense)
		return rel_wait(r, 0);
	ok = read_sparse(r, 1, &s);
	if (ok != REL_DONE)
		return ok;
	if (!rel_layout_like(r, "layout", NULL, "NCHW", &l) ||
	    !rel_check_rank(r, 0, dense, l.n))
		return REL_FAIL;
	out = rel_copy_shape(r, dense);
	out.at[ir_layout_index(&l, 'C')] = s.rows;
	return rel_finish(r, dense->dtype, &out);
}

enum rel_result
rel_sparse_to_dense(struct rel *r)
{
	const struct ir_tensor_type *indices = rel_tensor(r, 0);
	const struct ir_tensor_type *values = rel_tensor(r, 1);
	struct rel_shape out;
	bool given;

	if (!indices)
		return rel_wait(r, 0);
	if (!values)
		return rel_wait(r, 1);
	if (!rel_dims(r, "output_shape", &out, &given))
		return REL_FAIL;
	if (indices->ndim > 2 || values->ndim > 1)
		return rel_error_at(r, 1, "%s and %s hold no list of places",
				    rel_show_arg(r, 0), rel_show_arg(r, 1));
	return rel_finish(r, values->dtype, &out);
}

enum rel_result
rel_sparse_fill_empty_rows(struct rel *r)
{
	const struct ir_tensor_type *indices = rel_tensor(r, 0);
	const struct ir_tensor_type *shape = rel_tensor(r, 2);
	struct ir_dim at[2] = {DIM_UNKNOWN};
	struct dtype t = DTYPE(INT, 64);
	const ir_type *fields[3];

	if (!indices)
		return rel_wait(r, 0);
	if (!shape)
		return rel_wait(r, 2);
	if (!rel_check_rank(r, 0, indices, 2) ||
	    !rel_check_rank(r, 2, shape, 1))
		return REL_FAIL;
	at[1] = shape->shape[0];
	fields[0] = ir_type_tensor(r->cx, t, at, 2);
	fields[1] = fields[2] = ir_type_tensor(r->cx, t, at, 1);
	return rel_finish_tuple(r, fields, 3);
}

enum rel_result
rel_sparse_reshape(struct rel *r)
{
	const struct ir_tensor_type *t[3];
	struct ir_dim at[2];
	const ir_type *fields[2];

	for (uint32_t i = 0; i < 3; i++) {
		t[i] = rel_tensor(r, i);
		if (!t[i])
			return rel_wait(r, i);
	}
	if (!rel_check_rank(r, 0, t[0], 2) || !rel_check_rank(r, 1, t[1], 1) ||
	    !rel_check_rank(r, 2, t[2], 1))
		return REL_FAIL;
	at[0] = t[0]->shape[0];
	at[1] = t[2]->shape[0];
	fields[0] = ir_type_tensor(r->cx, t[0]->dtype, at, 2);
	fields[1] = rel_vector_type(r, t[2]->dtype, at[1]);
	return rel_finish_tuple(r, fields, 2);
}
