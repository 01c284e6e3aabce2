/*
 * Operators whose results are as long as values say: no kernel of static
 * shape computes them, so they are done here.
 */
#include <stdlib.h>
#include <string.h>

#include "te/interp_internal.h"

static struct interp_value *
new_int32(const int64_t *shape, uint32_t ndim)
{
	return interp_tensor(ir_tensor_new(DTYPE(INT, 32), shape, ndim));
}

/* The coordinates of elements that are not zero, a row for each. */
static struct interp_value *
native_argwhere(const ir_tensor *t)
{
	int64_t size = ir_tensor_size(t), shape[2] = {0, t->ndim};
	struct interp_value *out;
	int64_t row = 0;

	for (int64_t i = 0; i < size; i++)
		shape[0] += ir_tensor_get_double(t, i) != 0;
	out = new_int32(shape, 2);
	for (int64_t i = 0; i < size; i++) {
		int64_t rest = i;

		if (ir_tensor_get_double(t, i) == 0)
			continue;
		for (uint32_t d = t->ndim; d-- > 0;) {
			ir_tensor_set_int(out->tensor, row * t->ndim + d,
					  rest % t->shape[d]);
			rest /= t->shape[d];
		}
		row++;
	}
	return out;
}

/* An element; only one of the numbers is used, the other is 0. */
struct item {
	double f;
	int64_t i;
	int64_t at;
};

/* A value of which there may be several: the first, and how many. */
struct distinct {
	struct item first;
	int64_t count;
	int64_t place; /* in the result */
};

static int
by_value(const void *a, const void *b)
{
	const struct item *x = a, *y = b;

	if (x->f != y->f)
		return x->f < y->f ? -1 : 1;
	if (x->i != y->i)
		return x->i < y->i ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

static int
by_place(const void *a, const void *b)
{
	const struct distinct *x = *(struct distinct *const *)a;
	const struct distinct *y = *(struct distinct *const *)b;

	return x->first.at < y->first.at ? -1 : x->first.at > y->first.at;
}

static struct item *
sorted_items(const ir_tensor *t, int64_t n)
{
	struct item *items = xcalloc((size_t)n + 1, sizeof(*items));

	for (int64_t k = 0; k < n; k++) {
		if (dtype_is_float(t->dtype))
			items[k].f = ir_tensor_get_double(t, k);
		else
			items[k].i = ir_tensor_get_int(t, k);
		items[k].at = k;
	}
	qsort(items, (size_t)n, sizeof(*items), by_value);
	return items;
}

/*
 * The distinct values among the sorted ITEMS, in order of value; GROUP says
 * for each element which of them it is.
 */
static int64_t
find_distinct(const struct item *items, int64_t n, struct distinct *d,
	      int64_t *group)
{
	int64_t m = 0;

	for (int64_t k = 0; k < n; k++) {
		if (k == 0 || items[k].f != items[k - 1].f ||
		    items[k].i != items[k - 1].i) {
			d[m] = (struct distinct){items[k], 0, m};
			m++;
		}
		d[m - 1].count++;
		group[items[k].at] = m - 1;
	}
	return m;
}

/* Number the values as they first appear instead. */
static void
number_by_appearance(struct distinct *d, int64_t m)
{
	struct distinct **order = xcalloc((size_t)m + 1, sizeof(*order));

	for (int64_t k = 0; k < m; k++)
		order[k] = &d[k];
	qsort(order, (size_t)m, sizeof(*order), by_place);
	for (int64_t k = 0; k < m; k++)
		order[k]->place = k;
	free(order);
}

static void
copy_element(ir_tensor *to, int64_t i, const ir_tensor *from, int64_t k)
{
	size_t size = dtype_size(to->dtype);

	memcpy((char *)to->data + (size_t)i * size,
	       (const char *)from->data + (size_t)k * size, size);
}

/*
 * (values, indices of first occurrences, inverse, number of values[, counts]).
 * All but the number are as long as T; what is past the number is 0, for
 * indices the length.
 */
static struct interp_value *
native_unique(const ir_tensor *t, bool sorted, bool counts)
{
	int64_t n = t->shape[0], one = 1;
	struct item *items = sorted_items(t, n);
	struct distinct *d = xcalloc((size_t)n + 1, sizeof(*d));
	int64_t *group = xcalloc((size_t)n + 1, sizeof(*group));
	int64_t m = find_distinct(items, n, d, group);
	struct interp_value *out =
		interp_new_value(INTERP_TUPLE, counts ? 5 : 4);

	if (!sorted)
		number_by_appearance(d, m);
	out->at[0] = interp_tensor(ir_tensor_new(t->dtype, &n, 1));
	out->at[1] = new_int32(&n, 1);
	out->at[2] = new_int32(&n, 1);
	out->at[3] = new_int32(&one, 1);
	if (counts)
		out->at[4] = new_int32(&n, 1);
	for (int64_t k = m; k < n; k++)
		ir_tensor_set_int(out->at[1]->tensor, k, n);
	for (int64_t k = 0; k < m; k++) {
		copy_element(out->at[0]->tensor, d[k].place, t, d[k].first.at);
		ir_tensor_set_int(out->at[1]->tensor, d[k].place,
				  d[k].first.at);
		if (counts)
			ir_tensor_set_int(out->at[4]->tensor, d[k].place,
					  d[k].count);
	}
	for (int64_t k = 0; k < n; k++)
		ir_tensor_set_int(out->at[2]->tensor, k, d[group[k]].place);
	ir_tensor_set_int(out->at[3]->tensor, 0, m);
	free(items);
	free(d);
	free(group);
	return out;
}

static struct interp_value *
new_int64(int64_t n, int64_t width)
{
	int64_t shape[2] = {n, width};

	return interp_tensor(
		ir_tensor_new(DTYPE(INT, 64), shape, width < 0 ? 1 : 2));
}

/* What sparse_fill_empty_rows has written so far. */
struct rows {
	ir_tensor *places, *values;
	int64_t rank, at;
};

static void
put_entry(struct rows *out, const ir_tensor *places, int64_t k, int64_t value)
{
	for (int64_t d = 0; d < out->rank; d++)
		ir_tensor_set_int(out->places, out->at * out->rank + d,
				  ir_tensor_get_int(places, k * out->rank + d));
	ir_tensor_set_int(out->values, out->at++, value);
}

static void
put_empty_row(struct rows *out, int64_t row, int64_t value)
{
	for (int64_t d = 0; d < out->rank; d++)
		ir_tensor_set_int(out->places, out->at * out->rank + d,
				  d == 0 ? row : 0);
	ir_tensor_set_int(out->values, out->at++, value);
}

/* Which of N rows some place is in; their number. */
static int64_t
mark_rows(const ir_tensor *places, int64_t n, char *used)
{
	int64_t rank = places->shape[1], count = 0;

	for (int64_t i = 0; i < places->shape[0] && rank > 0; i++) {
		int64_t row = ir_tensor_get_int(places, i * rank);

		if (row < 0 || row >= n || used[row])
			continue;
		used[row] = 1;
		count++;
	}
	return count;
}

/*
 * A list of places and values, sorted by row, with an entry at the start of
 * each row that has none; and which rows these are.
 */
static struct interp_value *
native_fill_rows(const ir_tensor *places, const ir_tensor *values,
		 const ir_tensor *shape, const ir_tensor *value)
{
	int64_t n = places->shape[0], rank = places->shape[1], k = 0;
	int64_t rows = ir_tensor_size(shape) ? ir_tensor_get_int(shape, 0) : 0;
	struct interp_value *out = interp_new_value(INTERP_TUPLE, 3);
	int64_t fill = ir_tensor_size(value) ? ir_tensor_get_int(value, 0) : 0;
	struct rows to;
	char *used;
	int64_t total;

	rows = rows > 0 ? rows : 0;
	used = xcalloc((size_t)rows + 1, 1);
	total = n + rows - mark_rows(places, rows, used);
	out->at[0] = new_int64(total, rank);
	out->at[1] = new_int64(total, -1);
	out->at[2] = new_int64(rows, -1);
	to = (struct rows){out->at[0]->tensor, out->at[1]->tensor, rank, 0};
	for (int64_t r = 0; r < rows; r++) {
		ir_tensor_set_int(out->at[2]->tensor, r, !used[r]);
		if (!used[r])
			put_empty_row(&to, r, fill);
		for (; k < n && rank > 0 &&
		       ir_tensor_get_int(places, k * rank) <= r;
		     k++)
			put_entry(&to, places, k, ir_tensor_get_int(values, k));
	}
	for (; k < n; k++)
		put_entry(&to, places, k, ir_tensor_get_int(values, k));
	free(used);
	return out;
}

struct interp_value *
interp_native(const struct ir_call *call, const ir_op *op,
	      struct interp_value *const *args)
{
	if (op->id == OP_argwhere)
		return native_argwhere(args[0]->tensor);
	if (op->id == OP_unique && args[0]->tensor->ndim == 1)
		return native_unique(
			args[0]->tensor, ir_attrs_bool(call->attrs, "sorted"),
			ir_attrs_bool(call->attrs, "return_counts"));
	if (op->id == OP_sparse_fill_empty_rows)
		return native_fill_rows(args[0]->tensor, args[1]->tensor,
					args[2]->tensor, args[3]->tensor);
	return NULL;
}
