/*
 * Taking parts out of tensors, and putting tensors together.
 */
#include "te/compute/computes.h"

#include <stdlib.h>

/* Where axis I begins and how it steps, made positive; see the relation. */
struct slice {
	const tir_expr *begin[TE_MAX_RANK];
	int64_t stride[TE_MAX_RANK];
};

/* An index: one before the start of an empty axis is -1, which is no extent. */
static const tir_expr *
canonical(struct te_call *c, int64_t at, int64_t extent, int64_t stride)
{
	const tir_expr *n = te_dim(c, extent), *i = te_dim(c, at);
	const tir_expr *low = te_dim(c, stride > 0 ? 0 : -1);
	const tir_expr *high = stride > 0 ? n : te_addi(c, n, -1);

	if (at < 0 && !te_is_size(at))
		i = te_add(c, i, n);
	return te_cast(c, c->index, te_min(c, te_max(c, i, low), high));
}

static bool
read_slice(struct te_call *c, struct slice *s)
{
	int64_t begin[TE_MAX_RANK];
	int64_t stride[TE_MAX_RANK];
	int64_t axes[TE_MAX_RANK];
	int nbegin = te_attr_ints(c, "begin", begin, TE_MAX_RANK);
	int nstride = te_attr_ints(c, "strides", stride, TE_MAX_RANK);
	int naxes = te_attr_ints(c, "axes", axes, TE_MAX_RANK);
	bool by_size = te_attr_string(c, "slice_mode")[0] == 's';
	const struct te_tensor *x = c->in[0];

	if (nbegin < 0)
		return te_error(c, "the beginnings are not given");
	for (uint32_t i = 0; i < x->ndim; i++) {
		s->begin[i] = te_int(c, 0);
		s->stride[i] = 1;
	}
	for (int i = 0; i < (naxes > 0 ? naxes : (int)x->ndim); i++) {
		int64_t axis = naxes > 0 ? te_axis_of(axes[i], x->ndim) : i;
		int64_t step = i < nstride && !by_size ? stride[i] : 1;
		int64_t from = i < nbegin ? begin[i]
			       : step > 0 ? 0
					  : x->shape[axis];

		s->stride[axis] = step;
		s->begin[axis] = canonical(c, from, x->shape[axis], step);
	}
	return true;
}

bool
compute_strided_slice(struct te_call *c)
{
	struct slice s;
	struct te_body *b;
	const tir_expr *index[TE_MAX_RANK];

	if (!read_slice(c, &s))
		return false;
	b = te_begin_out(c, NULL, 0);
	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] =
			te_add(c, te_muli(c, b->i[i], s.stride[i]), s.begin[i]);
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

/* The front part along some axes: the box of the output says all. */
bool
compute_slice_like(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);

	return te_output(c, 0, te_end(b, te_get(c, c->in[0], b->i)));
}

/*
 * Inputs one after the other along AXIS. The choice between them is built as
 * a balanced tree, so a hundred inputs nest seven deep.
 */
static const tir_expr *
choose(struct te_call *c, struct te_body *b, uint32_t axis,
       const int64_t *start, uint32_t from, uint32_t to)
{
	uint32_t middle = from + (to - from) / 2;
	const tir_expr *index[TE_MAX_RANK];

	if (to - from == 1) {
		for (uint32_t i = 0; i < b->ndim; i++)
			index[i] = b->i[i];
		index[axis] = te_sub(c, b->i[axis], te_int(c, start[from]));
		return te_get(c, c->in[from], index);
	}
	return te_guard(c,
			te_cmp(c, TIR_LT, b->i[axis], te_int(c, start[middle])),
			choose(c, b, axis, start, from, middle),
			choose(c, b, axis, start, middle, to));
}

bool
compute_concatenate(struct te_call *c)
{
	struct te_body *b;
	uint32_t axis = (uint32_t)te_axis_of(te_attr_int(c, "axis", 0),
					     te_out_ndim(c, 0));
	int64_t *start;
	const tir_expr *v;

	if (c->nin == 0)
		return te_error(c, "there is nothing to concatenate");
	start = ARENA_NEW_ARRAY(&c->m->arena, c->nin + 1, int64_t);
	for (uint32_t i = 0; i < c->nin; i++)
		start[i + 1] = te_dim_add(c, start[i], c->in[i]->shape[axis]);
	b = te_begin_out(c, NULL, 0);
	v = choose(c, b, axis, start, 0, c->nin);
	return te_output(c, 0, te_end(b, v));
}

/* stack: each input is one slice of the new axis. */
static const tir_expr *
choose_field(struct te_call *c, struct te_body *b, uint32_t axis,
	     const tir_expr *const *index, uint32_t from, uint32_t to)
{
	uint32_t middle = from + (to - from) / 2;

	if (to - from == 1)
		return te_get(c, c->in[from], index);
	return te_guard(c, te_cmp(c, TIR_LT, b->i[axis], te_int(c, middle)),
			choose_field(c, b, axis, index, from, middle),
			choose_field(c, b, axis, index, middle, to));
}

bool
compute_stack(struct te_call *c)
{
	uint32_t axis = (uint32_t)te_axis_of(te_attr_int(c, "axis", 0),
					     te_out_ndim(c, 0));
	const tir_expr *index[TE_MAX_RANK];
	struct te_body *b;

	if (c->nin == 0)
		return te_error(c, "there is nothing to stack");
	b = te_begin_out(c, NULL, 0);
	for (uint32_t i = 0, k = 0; i < b->ndim; i++)
		if (i != axis)
			index[k++] = b->i[i];
	return te_output(c, 0,
			 te_end(b, choose_field(c, b, axis, index, 0, c->nin)));
}

bool
compute_split(struct te_call *c)
{
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), c->in[0]->ndim);
	int64_t start = 0;

	for (uint32_t k = 0; k < c->nout; k++) {
		struct te_body *b = te_begin_out(c, NULL, k);
		const tir_expr *index[TE_MAX_RANK];

		for (uint32_t i = 0; i < b->ndim; i++)
			index[i] = b->i[i];
		index[axis] = te_addi(c, b->i[axis], start);
		start = te_dim_add(c, start, b->shape[axis]);
		te_output(c, k, te_end(b, te_get(c, c->in[0], index)));
	}
	return true;
}

bool
compute_tile(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const struct te_tensor *x = c->in[0];
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t i = 0; i < x->ndim; i++)
		index[i] = te_modi(c, b->i[b->ndim - x->ndim + i],
				   x->shape[i] ? x->shape[i] : 1);
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

bool
compute_repeat(struct te_call *c)
{
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), c->in[0]->ndim);
	int64_t repeats = te_attr_int(c, "repeats", 1);
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	index[axis] = te_divi(c, b->i[axis], repeats);
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

bool
compute_reverse(struct te_call *c)
{
	uint32_t axis =
		(uint32_t)te_axis_of(te_attr_int(c, "axis", 0), c->in[0]->ndim);
	struct te_body *b = te_begin_out(c, NULL, 0);
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	index[axis] = te_sub(c, te_addi(c, te_int(c, b->shape[axis]), -1),
			     b->i[axis]);
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

/* Along seq_axis, the first LENGTH elements of each batch turn round. */
bool
compute_reverse_sequence(struct te_call *c)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	uint32_t seq =
		(uint32_t)te_axis_of(te_attr_int(c, "seq_axis", 1), b->ndim);
	uint32_t batch =
		(uint32_t)te_axis_of(te_attr_int(c, "batch_axis", 0), b->ndim);
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *len =
		te_cast(c, c->index, te_at(c, c->in[1], b->i[batch]));
	const tir_expr *back;

	len = te_min(c, len, te_int(c, b->shape[seq]));
	back = te_addi(c, te_sub(c, len, b->i[seq]), -1);
	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	index[seq] = te_select(c, te_cmp(c, TIR_LT, b->i[seq], len), back,
			       b->i[seq]);
	return te_output(c, 0, te_end(b, te_get(c, c->in[0], index)));
}

/* pad_width as lists of BEFORE and AFTER; false after reporting. */
static bool
read_pad_width(struct te_call *c, int64_t *before, int64_t *after)
{
	const ir_attr *w = ir_attrs_get(c->attrs, "pad_width");
	uint32_t ndim = c->in[0]->ndim;

	if (!w || w->kind != ATTR_ARRAY || w->n != ndim)
		return te_error(c, "pad_width is not one pair per axis");
	for (uint32_t i = 0; i < ndim; i++) {
		if (w->elems[i].kind != ATTR_ARRAY || w->elems[i].n != 2 ||
		    w->elems[i].elems[0].kind != ATTR_INT ||
		    w->elems[i].elems[1].kind != ATTR_INT)
			return te_error(c, "pad_width is not known");
		before[i] = w->elems[i].elems[0].i;
		after[i] = w->elems[i].elems[1].i;
	}
	return true;
}

/* Index I into an axis of N elements with the border mirrored. */
static const tir_expr *
mirrored(struct te_call *c, const tir_expr *i, int64_t n, bool repeat_edge)
{
	const tir_expr *zero = te_int(c, 0);
	const tir_expr *low = te_addi(c, te_sub(c, zero, i), -repeat_edge);
	const tir_expr *high = te_sub(
		c, te_addi(c, te_muli(c, te_int(c, n), 2), repeat_edge - 2), i);

	i = te_select(c, te_cmp(c, TIR_LT, i, zero), low, i);
	return te_select(c, te_cmp(c, TIR_GE, i, te_int(c, n)), high, i);
}

/* The same for an extent N that only the run knows. */
static bool
long_enough(struct te_call *c, int64_t n, int64_t width, const char *mode)
{
	int64_t least = mode[0] == 'e' ? 1 : width + (mode[0] != 'S');

	return width <= 0 ||
	       te_require(c, te_cmp(c, TIR_GE, te_dim(c, n), te_dim(c, least)),
			  n, width, "an axis is too short for its padding");
}

/* What is put around comes from the data, and a mirror reaches once. */
static bool
can_pad(struct te_call *c, const int64_t *before, const int64_t *after,
	const char *mode)
{
	for (uint32_t k = 0; k < c->in[0]->ndim; k++) {
		int64_t n = c->in[0]->shape[k], most = n;

		if (te_is_size(n)) {
			if (!long_enough(c, n, before[k], mode) ||
			    !long_enough(c, n, after[k], mode))
				return false;
			continue;
		}
		if (mode[0] == 'e')
			most = n > 0 ? INT64_MAX : 0;
		else if (mode[0] != 'S')
			most = n > 0 ? n - 1 : 0;
		if (before[k] > most || after[k] > most)
			return te_error(c,
					"an axis of %lld elements is too "
					"short for its padding",
					(long long)n);
	}
	return true;
}

static bool
pad_by_index(struct te_call *c, const int64_t *before, const char *mode)
{
	struct te_body *b = te_begin_out(c, NULL, 0);
	const struct te_tensor *x = c->in[0];
	const tir_expr *index[TE_MAX_RANK];

	for (uint32_t k = 0; k < b->ndim; k++) {
		const tir_expr *i = te_addi(c, b->i[k], -before[k]);

		if (mode[0] == 'e') /* edge */
			index[k] = te_max(
				c,
				te_min(c, i,
				       te_addi(c, te_int(c, x->shape[k]), -1)),
				te_int(c, 0));
		else
			index[k] = mirrored(c, i, x->shape[k], mode[0] == 'S');
	}
	return te_output(c, 0, te_end(b, te_get(c, x, index)));
}

bool
compute_nn_pad(struct te_call *c)
{
	int64_t before[TE_MAX_RANK];
	int64_t after[TE_MAX_RANK];
	const char *mode = te_attr_string(c, "pad_mode");
	const struct te_tensor *x = c->in[0];
	const tir_expr *value;

	if (!read_pad_width(c, before, after))
		return false;
	if (!strcmp(mode, "edge") || !strcmp(mode, "reflect"))
		return can_pad(c, before, after, mode) &&
		       pad_by_index(c, before, mode);
	if (strcmp(mode, "constant") != 0)
		return te_error(c, "there is no mode '%s'", mode);
	value = c->nin > 1 ? te_cast(c, x->dtype, te_get0(c, c->in[1]))
			   : te_zero(c, x->dtype);
	return te_output(c, 0,
			 te_pad_with(c, c->in[0], NULL, before, after, value));
}

bool
compute_nn_mirror_pad(struct te_call *c)
{
	int64_t before[TE_MAX_RANK];
	int64_t after[TE_MAX_RANK];
	const char *mode = te_attr_string(c, "mode");

	if (!read_pad_width(c, before, after))
		return false;
	return can_pad(c, before, after, mode) && pad_by_index(c, before, mode);
}
