/* Resampling of images. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "ir/relations/common.h"

static const char *const canons[] = {"", "NCW", "NCHW", "NCDHW"};

/* Spatial extents become "size". */
static enum rel_result
resize(struct rel *r, uint32_t n)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const ir_attr *roi = ir_attrs_get(r->attrs, "roi");
	struct rel_shape size, s, out;
	struct ir_layout l;
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_dims(r, "size", &size, &given) ||
	    !rel_layout_like(r, "layout", NULL, canons[n], &l) ||
	    !rel_to_canon(r, 0, data, &l, canons[n], &s))
		return REL_FAIL;
	if (size.n != n)
		return rel_error(r,
				 "attribute 'size' must have %" PRIu32
				 " values, but has %" PRIu32,
				 n, size.n);
	if (!roi || roi->kind != ATTR_ARRAY || roi->n != 2 * n)
		return rel_error(r,
				 "attribute 'roi' must have %" PRIu32 " values",
				 2 * n);
	memcpy(s.at + 2, size.at, n * sizeof(*s.at));
	if (!rel_from_canon(r, &s, canons[n], &l, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

enum rel_result
rel_resize1d(struct rel *r)
{
	return resize(r, 1);
}

enum rel_result
rel_resize2d(struct rel *r)
{
	return resize(r, 2);
}

enum rel_result
rel_resize3d(struct rel *r)
{
	return resize(r, 3);
}

/* D times a factor, rounded, halves to even. */
static bool
scaled(struct rel *r, struct ir_dim *d, double factor)
{
	double value;

	if (!(factor > 0) || factor > 1e9) {
		rel_error(r, "a scale must be positive, but is %g", factor);
		return false;
	}
	if (!ir_dim_is_const(*d)) {
		*d = factor == 1.0 ? *d : DIM_UNKNOWN;
		return true;
	}
	value = nearbyint((double)d->value * factor);
	if (value > 9e15) {
		rel_error(r, "extent %" PRId64 " times %g is too large",
			  d->value, factor);
		return false;
	}
	d->value = (int64_t)value;
	return true;
}

static enum rel_result
up_sampling(struct rel *r, uint32_t n, const char *const *scale)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape s, out;
	struct ir_layout l;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_layout_like(r, "layout", NULL, canons[n], &l) ||
	    !rel_to_canon(r, 0, data, &l, canons[n], &s))
		return REL_FAIL;
	for (uint32_t i = 0; i < n; i++)
		if (!scaled(r, &s.at[i + 2],
			    ir_attrs_double(r->attrs, scale[i])))
			return REL_FAIL;
	if (!rel_from_canon(r, &s, canons[n], &l, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_up_sampling(struct rel *r)
{
	static const char *const scale[] = {"scale_h", "scale_w"};

	return up_sampling(r, 2, scale);
}

enum rel_result
rel_up_sampling3d(struct rel *r)
{
	static const char *const scale[] = {"scale_d", "scale_h", "scale_w"};

	return up_sampling(r, 3, scale);
}

enum rel_result
rel_crop_and_resize(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *boxes = rel_tensor(r, 1);
	const struct ir_tensor_type *index = rel_tensor(r, 2);
	struct rel_shape size, s, out;
	struct ir_layout l;
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!boxes)
		return rel_wait(r, 1);
	if (!index)
		return rel_wait(r, 2);
	if (!rel_dims(r, "crop_size", &size, &given) ||
	    !rel_layout_like(r, "layout", NULL, "NCHW", &l) ||
	    !rel_to_canon(r, 0, data, &l, "NCHW", &s) ||
	    !rel_check_rank(r, 1, boxes, 2) || !rel_check_rank(r, 2, index, 1))
		return REL_FAIL;
	if (size.n != 2)
		return rel_error(r, "attribute 'crop_size' must have 2 "
				    "values");
	if (!ir_dim_may_equal(boxes->shape[0], index->shape[0]) ||
	    !ir_dim_may_equal(boxes->shape[1], DIM(4)))
		return rel_error_at(r, 2, "boxes %s don't fit indices %s",
				    rel_show_arg(r, 1), rel_show_arg(r, 2));
	s.at[0] = boxes->shape[0];
	s.at[2] = size.at[0];
	s.at[3] = size.at[1];
	if (!rel_from_canon(r, &s, "NCHW", &l, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

enum rel_result
rel_affine_grid(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape size, out = rel_new_shape(r, 4);
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, data, 3) ||
	    !rel_dims(r, "target_shape", &size, &given))
		return REL_FAIL;
	if (!ir_dim_may_equal(data->shape[1], DIM(2)) ||
	    !ir_dim_may_equal(data->shape[2], DIM(3)))
		return rel_error_at(r, 0,
				    "'data' must hold matrices of 2 x 3, but "
				    "is %s",
				    rel_show_arg(r, 0));
	if (size.n != 2)
		return rel_error(r, "attribute 'target_shape' must have 2 "
				    "values");
	out.at[0] = data->shape[0];
	out.at[1] = DIM(2);
	out.at[2] = size.at[0];
	out.at[3] = size.at[1];
	return rel_finish(r, data->dtype, &out);
}

/* A grid of (N, 2, H, W) or (N, 3, D, H, W). */
enum rel_result
rel_grid_sample(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *grid = rel_tensor(r, 1);
	struct rel_shape s, out;
	struct ir_layout l;
	uint32_t n;

	if (!data)
		return rel_wait(r, 0);
	if (!grid)
		return rel_wait(r, 1);
	if (data->ndim != 4 && data->ndim != 5)
		return rel_error_at(r, 0,
				    "'data' must have rank 4 or 5, but is %s",
				    rel_show_arg(r, 0));
	n = data->ndim - 2;
	if (!rel_check_rank(r, 1, grid, data->ndim) ||
	    !rel_layout_like(r, "layout", NULL, canons[n], &l) ||
	    !rel_to_canon(r, 0, data, &l, canons[n], &s))
		return REL_FAIL;
	if (!ir_dim_may_equal(s.at[0], grid->shape[0]) ||
	    !ir_dim_may_equal(grid->shape[1], DIM(n)))
		return rel_error_at(r, 1, "grid %s does not fit %s",
				    rel_show_arg(r, 1), rel_show_arg(r, 0));
	memcpy(s.at + 2, grid->shape + 2, n * sizeof(*s.at));
	if (!rel_from_canon(r, &s, canons[n], &l, &out))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}
