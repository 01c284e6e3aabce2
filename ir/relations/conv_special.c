/*
 * Relatives of convolution: weights transformed beforehand, sample points
 * that move, gradients, morphology, bit planes, correlation.
 */
#include "ir/relations/conv.h"

#include <inttypes.h>

/*
 * The weight has a form of its own (Winograd, tiles, channel blocks) and is
 * not looked at; the attributes tell everything.
 */
static enum rel_result
blind_weight(struct rel *r, uint32_t n)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct conv c;
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (!conv_read(r, &c, n, false))
		return REL_FAIL;
	if (!c.has_size || !c.has_channels)
		return rel_error(r, "attributes 'kernel_size' and 'channels' "
				    "must be given");
	if (!conv_shape(r, &c, data, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

enum rel_result
rel_conv2d_winograd(struct rel *r)
{
	return blind_weight(r, 2);
}

enum rel_result
rel_conv2d_gemm(struct rel *r)
{
	return blind_weight(r, 2);
}

enum rel_result
rel_conv3d_winograd(struct rel *r)
{
	return blind_weight(r, 3);
}

/* A tile of SIZE outputs needs SIZE + KERNEL - 1 inputs. */
static struct ir_dim
winograd_tile(struct ir_dim kernel, int64_t size)
{
	return ir_dim_add(kernel, DIM(size - 1));
}

static bool
tile_size(struct rel *r, int64_t *size)
{
	*size = ir_attrs_int(r->attrs, "tile_size", 0);
	if (*size > 0 && *size < INT32_MAX)
		return true;
	rel_error(r, "attribute 'tile_size' must be positive, but is %" PRId64,
		  *size);
	return false;
}

enum rel_result
rel_conv2d_winograd_weight_transform(struct rel *r)
{
	const struct ir_tensor_type *w = rel_tensor(r, 0);
	struct rel_shape out = rel_new_shape(r, 4);
	int64_t size;

	if (!w)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, w, 4) || !tile_size(r, &size))
		return REL_FAIL;
	out.at[0] = winograd_tile(w->shape[2], size);
	out.at[1] = winograd_tile(w->shape[3], size);
	out.at[2] = w->shape[0];
	out.at[3] = w->shape[1];
	return rel_finish(r, w->dtype, &out);
}

/* Depths of 3 to 7 are transformed as well. */
enum rel_result
rel_conv3d_winograd_weight_transform(struct rel *r)
{
	const struct ir_tensor_type *w = rel_tensor(r, 0);
	struct rel_shape out = rel_new_shape(r, 5);
	int64_t size;

	if (!w)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, w, 5) || !tile_size(r, &size))
		return REL_FAIL;
	struct ir_dim depth = w->shape[2];
	bool deep =
		ir_dim_is_const(depth) && depth.value > 2 && depth.value < 8;

	out.at[0] = winograd_tile(deep ? depth : w->shape[3], size);
	out.at[1] = winograd_tile(w->shape[deep ? 3 : 4], size);
	out.at[2] = deep ? winograd_tile(w->shape[4], size) : depth;
	out.at[3] = w->shape[0];
	out.at[4] = w->shape[1];
	return rel_finish(r, w->dtype, &out);
}

enum rel_result
rel_conv2d_winograd_nnpack_weight_transform(struct rel *r)
{
	const struct ir_tensor_type *w = rel_tensor(r, 0);
	struct rel_shape out = rel_new_shape(r, 4);

	if (!w)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, w, 4))
		return REL_FAIL;
	out.at[0] = w->shape[0];
	out.at[1] = w->shape[1];
	out.at[2] = out.at[3] = DIM(8);
	return rel_finish(r, rel_dtype(r, "out_dtype", w->dtype), &out);
}

/* N rounded up to a multiple of BY, in tiles of BY. */
static struct ir_dim
tiles(struct ir_dim n, int64_t by)
{
	return ir_dim_div(ir_dim_add(n, DIM(by - 1)), by);
}

enum rel_result
rel_conv2d_gemm_weight_transform(struct rel *r)
{
	const struct ir_tensor_type *w = rel_tensor(r, 0);
	int64_t tile_n = ir_attrs_int(r->attrs, "tile_N", 0);
	int64_t tile_k = ir_attrs_int(r->attrs, "tile_K", 0);
	struct rel_shape out = rel_new_shape(r, 4);
	struct ir_dim k;
	bool bytes;

	if (!w)
		return rel_wait(r, 0);
	if (!rel_check_rank(r, 0, w, 4))
		return REL_FAIL;
	if (tile_n < 1 || tile_k < 1 || tile_n > INT32_MAX ||
	    tile_k > INT32_MAX)
		return rel_error_attr(r, "tile_N", "tiles must be positive");
	if (!rel_mul(r, w->shape[0], w->shape[1], &k) ||
	    !rel_mul(r, k, w->shape[2], &k))
		return REL_FAIL;
	bytes = w->dtype.bits == 8;
	out.at[0] = tiles(w->shape[3], tile_n);
	out.at[1] = ir_dim_mul(tiles(k, 4 * tile_k), DIM(4));
	out.at[2] = DIM(bytes ? tile_n : tile_k);
	out.at[3] = DIM(bytes ? tile_k : tile_n);
	return rel_finish(r, w->dtype, &out);
}

/* The offsets: two for each tap and deformable group, at each output. */
static enum rel_result
assign_offset(struct rel *r, const struct conv *c,
	      const struct ir_tensor_type *data, const struct rel_shape *out)
{
	int64_t groups = ir_attrs_int(r->attrs, "deformable_groups", 1);
	struct rel_shape canon = rel_new_shape(r, 4), offset, result;
	struct ir_layout nchw;

	ir_layout_parse("NCHW", &nchw);
	if (groups < 1)
		return rel_error(r, "attribute 'deformable_groups' must be "
				    "positive");
	result = rel_new_shape(r, 4);
	if (!ir_layout_convert(&c->out, &nchw, out->at, result.at) ||
	    !rel_mul(r, c->size.at[0], c->size.at[1], &canon.at[1]) ||
	    !rel_mul(r, canon.at[1], DIM(2), &canon.at[1]) ||
	    !rel_mul(r, canon.at[1], DIM(groups), &canon.at[1]))
		return REL_FAIL;
	canon.at[0] = result.at[0];
	canon.at[2] = result.at[2];
	canon.at[3] = result.at[3];
	if (!rel_from_canon(r, &canon, "NCHW", &c->data, &offset))
		return REL_FAIL;
	return rel_input_shape(r, 1, data->dtype, &offset);
}

enum rel_result
rel_deformable_conv2d(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct conv c;
	struct rel_shape out;
	enum rel_result ok;

	if (!data)
		return rel_wait(r, 0);
	if (!conv_read(r, &c, 2, false))
		return REL_FAIL;
	c.weight_at = 2;
	c.no_depthwise = true;
	ok = conv_weight(r, &c, data);
	if (ok != REL_DONE)
		return ok;
	if (!conv_shape(r, &c, data, &out) ||
	    assign_offset(r, &c, data, &out) != REL_DONE)
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

/*
 * The gradient for the weight: "data_layout" is that of the gradient,
 * "kernel_layout" that of the data, "out_layout" that of the result.
 */
enum rel_result
rel_conv2d_backward_weight(struct rel *r)
{
	const struct ir_tensor_type *grad = rel_tensor(r, 0);
	const struct ir_tensor_type *data = rel_tensor(r, 1);
	struct ir_layout grad_layout, data_layout, out_layout;
	struct rel_shape g, d, w = rel_new_shape(r, 4), out;
	struct rel_ints size;
	struct ir_dim channels;
	struct conv c = {.groups = ir_attrs_int(r->attrs, "groups", 1)};
	bool given;

	if (!grad)
		return rel_wait(r, 0);
	if (!data)
		return rel_wait(r, 1);
	if (c.groups < 1)
		return rel_error(r, "attribute 'groups' must be positive");
	if (!rel_layout_like(r, "data_layout", NULL, "NCHW", &grad_layout) ||
	    !rel_layout_like(r, "kernel_layout", NULL, "NCHW", &data_layout) ||
	    !rel_layout_like(r, "out_layout", "OIHW", "OIHW", &out_layout) ||
	    !rel_to_canon(r, 0, grad, &grad_layout, "NCHW", &g) ||
	    !rel_to_canon(r, 1, data, &data_layout, "NCHW", &d) ||
	    !rel_ints_n(r, "kernel_size", 2, 1, &size) ||
	    !rel_dim(r, "channels", &channels, &given))
		return REL_FAIL;
	bool depthwise =
		rel_dim_is(d.at[1], c.groups) && rel_dim_is(g.at[1], c.groups);

	if (!conv_per_group(r, &c, "input channels",
			    depthwise && given ? channels : d.at[1], &w.at[1]))
		return REL_FAIL;
	w.at[0] = g.at[1];
	w.at[2] = DIM(size.at[0]);
	w.at[3] = DIM(size.at[1]);
	if (!rel_from_canon(r, &w, "OIHW", &out_layout, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", grad->dtype), &out);
}

enum rel_result
rel_dilation2d(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *weight = rel_tensor(r, 1);
	struct ir_layout layout, kernel;
	struct rel_shape in, w, canon = rel_new_shape(r, 4), out;
	struct rel_ints strides, dilations;
	int64_t before[2], after[2];

	if (!data)
		return rel_wait(r, 0);
	if (!weight)
		return rel_wait(r, 1);
	if (!rel_layout_like(r, "data_layout", NULL, "NCHW", &layout) ||
	    !rel_layout_like(r, "kernel_layout", NULL, "IHW", &kernel) ||
	    !rel_to_canon(r, 0, data, &layout, "NCHW", &in) ||
	    !rel_to_canon(r, 1, weight, &kernel, "IHW", &w) ||
	    !rel_ints_n(r, "strides", 2, 1, &strides) ||
	    !rel_ints_n(r, "dilations", 2, 1, &dilations) ||
	    !rel_padding(r, 2, before, after))
		return REL_FAIL;
	if (!ir_dim_may_equal(in.at[1], w.at[0]))
		return rel_error_at(r, 1, "%s and %s have different channels",
				    rel_show_arg(r, 0), rel_show_arg(r, 1));
	canon.at[0] = in.at[0];
	canon.at[1] = w.at[0];
	for (uint32_t i = 0; i < 2; i++) {
		struct rel_window win = {before[i] + after[i], strides.at[i],
					 dilations.at[i], false};

		if (!rel_slide(r, in.at[i + 2], w.at[i + 1], &win,
			       &canon.at[i + 2]))
			return REL_FAIL;
	}
	if (!rel_from_canon(r, &canon, "NCHW", &layout, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

/* (N, displacements, positions): positions whose window stays inside. */
enum rel_result
rel_correlation(struct rel *r)
{
	const struct ir_tensor_type *a = rel_tensor(r, 0);
	const struct ir_tensor_type *b = rel_tensor(r, 1);
	int64_t k = ir_attrs_int(r->attrs, "kernel_size", 1);
	int64_t reach = ir_attrs_int(r->attrs, "max_displacement", 1);
	int64_t stride1 = ir_attrs_int(r->attrs, "stride1", 1);
	int64_t stride2 = ir_attrs_int(r->attrs, "stride2", 1);
	struct rel_shape canon = rel_new_shape(r, 4), in, out;
	struct ir_layout layout;
	int64_t before[2], after[2];

	if (!a)
		return rel_wait(r, 0);
	if (!b)
		return rel_wait(r, 1);
	if (k < 1 || reach < 0 || stride1 < 1 || stride2 < 1 || k > INT32_MAX ||
	    reach > INT32_MAX)
		return rel_error(r, "kernel, displacement and strides must be "
				    "positive");
	if (!rel_same_dtype(r, 0, a, 1, b) ||
	    !rel_layout_like(r, "layout", NULL, "NCHW", &layout) ||
	    !rel_to_canon(r, 0, a, &layout, "NCHW", &in) ||
	    !rel_check_rank(r, 1, b, a->ndim) ||
	    !rel_padding(r, 2, before, after))
		return REL_FAIL;
	int64_t side = 2 * (reach / stride2) + 1;
	int64_t border = 2 * (reach + (k - 1) / 2);

	canon.at[0] = in.at[0];
	if (!rel_mul(r, DIM(side), DIM(side), &canon.at[1]))
		return REL_FAIL;
	for (uint32_t i = 0; i < 2; i++) {
		struct rel_window w = {before[i] + after[i], stride1, 1, false};

		if (!rel_slide(r, in.at[i + 2], DIM(border + 1), &w,
			       &canon.at[i + 2]))
			return REL_FAIL;
	}
	if (!rel_from_canon(r, &canon, "NCHW", &layout, &out))
		return REL_FAIL;
	return rel_finish(r, a->dtype, &out);
}

enum rel_result
rel_binary_conv2d(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape canon = rel_new_shape(r, 4), in, size, out;
	struct rel_ints strides;
	struct ir_layout layout;
	int64_t before[2], after[2];
	bool has_size, has_channels;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_layout_like(r, "data_layout", NULL, "NCHW", &layout) ||
	    !rel_to_canon(r, 0, data, &layout, "NCHW", &in) ||
	    !rel_ints_n(r, "strides", 2, 1, &strides) ||
	    !rel_padding(r, 2, before, after) ||
	    !rel_dims(r, "kernel_size", &size, &has_size) ||
	    !rel_dim(r, "channels", &canon.at[1], &has_channels))
		return REL_FAIL;
	if (!has_size || size.n != 2 || !has_channels)
		return rel_error(r, "attributes 'kernel_size' and 'channels' "
				    "must be given");
	canon.at[0] = in.at[0];
	for (uint32_t i = 0; i < 2; i++) {
		struct rel_window w = {before[i] + after[i], strides.at[i], 1,
				       false};

		if (!rel_slide(r, in.at[i + 2], size.at[i], &w,
			       &canon.at[i + 2]))
			return REL_FAIL;
	}
	if (!rel_from_canon(r, &canon, "NCHW", &layout, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

enum rel_result
rel_binary_dense(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	struct ir_dim units;
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_dim(r, "units", &units, &given))
		return REL_FAIL;
	if (!given || data->ndim == 0)
		return rel_error_at(r, 0,
				    "%s and the attribute 'units' don't fit",
				    rel_show_arg(r, 0));
	out = rel_copy_shape(r, data);
	out.at[out.n - 1] = units;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

/* One axis shrinks by the bits of a word, one of the bit planes is added. */
enum rel_result
rel_bit_pack(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	int64_t bits = ir_attrs_int(r->attrs, "bits", 1);
	int64_t pack = ir_attrs_int(r->attrs, "pack_axis", 1);
	int64_t plane = ir_attrs_int(r->attrs, "bit_axis", -1);
	struct dtype word = ir_attrs_dtype(r->attrs, "pack_type");
	struct rel_shape out;

	if (!data)
		return rel_wait(r, 0);
	if (dtype_is_void(word) || bits < 1)
		return rel_error(r, "attributes 'bits' and 'pack_type' must be "
				    "given");
	if (pack < 0 || pack >= data->ndim || plane > data->ndim)
		return rel_error_at(r, 0,
				    "axes %" PRId64 " and %" PRId64
				    " are out of range for %s",
				    pack, plane, rel_show_arg(r, 0));
	out = rel_new_shape(r, data->ndim + 1);
	out.n = 0;
	for (uint32_t i = 0; i <= data->ndim; i++) {
		if ((int64_t)i == plane)
			out.at[out.n++] = DIM(bits);
		if (i < data->ndim)
			out.at[out.n++] =
				(int64_t)i == pack
					? ir_dim_div(data->shape[i], word.bits)
					: data->shape[i];
	}
	return rel_finish(r, word, &out);
}
