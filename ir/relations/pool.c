/* Pooling: sliding, global and adaptive; gradients. */
#include <inttypes.h>
#include <string.h>

#include "ir/relations/common.h"

static const char *const spatial[] = {"", "W", "HW", "DHW"};

/*
 * The axes of N spatial letters in the layout, none of which may be split.
 * The data must have the rank of the layout.
 */
static bool
find_axes(struct rel *r, uint32_t n, const struct ir_tensor_type *data,
	  uint32_t *at)
{
	struct ir_layout l;

	if (!rel_layout(r, "layout", NULL, &l))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		char letter = spatial[n][i];
		int k = ir_layout_index(&l, letter);

		if (k < 0 || ir_layout_factor(&l, letter) != 1) {
			rel_error_attr(
				r, "layout",
				"layout \"%s\" must have an axis %c that is "
				"not split",
				ir_attrs_string(r->attrs, "layout"), letter);
			return false;
		}
		at[i] = (uint32_t)k;
	}
	return rel_check_rank(r, 0, data, l.n);
}

bool
rel_pool_shape(struct rel *r, uint32_t n, const struct ir_tensor_type *data,
	       struct rel_shape *out)
{
	struct rel_ints size, strides, dilation;
	int64_t before[3], after[3];
	uint32_t at[3];

	if (!find_axes(r, n, data, at) ||
	    !rel_ints_n(r, "pool_size", n, 1, &size) ||
	    !rel_ints_n(r, "strides", n, 1, &strides) ||
	    !rel_ints_n(r, "dilation", n, 1, &dilation) ||
	    !rel_padding(r, n, before, after))
		return false;
	*out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < n; i++) {
		struct rel_window w = {before[i] + after[i], strides.at[i],
				       dilation.at[i],
				       ir_attrs_bool(r->attrs, "ceil_mode")};

		if (!rel_slide(r, data->shape[at[i]], DIM(size.at[i]), &w,
			       &out->at[at[i]]))
			return false;
	}
	return true;
}

static enum rel_result
pool(struct rel *r, uint32_t n)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_pool_shape(r, n, data, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_pool1d(struct rel *r)
{
	return pool(r, 1);
}

enum rel_result
rel_pool2d(struct rel *r)
{
	return pool(r, 2);
}

enum rel_result
rel_pool3d(struct rel *r)
{
	return pool(r, 3);
}

enum rel_result
rel_global_pool2d(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	uint32_t at[2];

	if (!data)
		return rel_wait(r, 0);
	if (!find_axes(r, 2, data, at))
		return REL_FAIL;
	out = rel_copy_shape(r, data);
	out.at[at[0]] = out.at[at[1]] = DIM(1);
	return rel_finish(r, data->dtype, &out);
}

/* No sizes: as before; one: for all axes; else one for each. */
static enum rel_result
adaptive_pool(struct rel *r, uint32_t n)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out, size;
	uint32_t at[3];
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!find_axes(r, n, data, at) ||
	    !rel_dims(r, "output_size", &size, &given))
		return REL_FAIL;
	if (size.n > 1 && size.n != n)
		return rel_error(r,
				 "attribute 'output_size' must have at most "
				 "%" PRIu32 " values, but has %" PRIu32,
				 n, size.n);
	out = rel_copy_shape(r, data);
	for (uint32_t i = 0; i < n && size.n; i++) {
		struct ir_dim d = size.at[size.n == 1 ? 0 : i];

		if (rel_dim_is(d, 0))
			return rel_error_attr(
				r, "output_size",
				"an output size must be positive");
		out.at[at[i]] = d;
	}
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_adaptive_pool1d(struct rel *r)
{
	return adaptive_pool(r, 1);
}

enum rel_result
rel_adaptive_pool2d(struct rel *r)
{
	return adaptive_pool(r, 2);
}

enum rel_result
rel_adaptive_pool3d(struct rel *r)
{
	return adaptive_pool(r, 3);
}

/* Called with (gradient of the result, data); the data's type comes back. */
enum rel_result
rel_pool2d_grad(struct rel *r)
{
	const struct ir_tensor_type *grad = rel_tensor(r, 0);
	const struct ir_tensor_type *data = rel_tensor(r, 1);
	struct rel_shape out;
	bool fits;

	if (!data)
		return rel_wait(r, 1);
	if (!rel_pool_shape(r, 2, data, &out))
		return REL_FAIL;
	if (!grad)
		return rel_wait(r, 0);
	fits = grad->ndim == out.n;
	for (uint32_t i = 0; fits && i < out.n; i++)
		fits = ir_dim_may_equal(grad->shape[i], out.at[i]);
	if (!fits)
		return rel_error_at(r, 0,
				    "the gradient is %s, but the result for "
				    "%s has the shape %s",
				    rel_show_arg(r, 0), rel_show_arg(r, 1),
				    rel_show_shape(r, out.at, out.n));
	return rel_assign(r, &data->base);
}
