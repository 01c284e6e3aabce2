/*
 * Convolutions over one, two and three axes, and their transposes.
 *
 * All work on the canonical forms of data (NCHW) and weight (OIHW; IOHW for
 * transposes; with G in front for grouped weights) and convert at the ends.
 */
#include "ir/relations/conv.h"

#include <inttypes.h>
#include <string.h>

static const char *const data_canon[] = {NULL, "NCW", "NCHW", "NCDHW"};
static const char *const weight_canon[2][4] = {
	{NULL, "OIW", "OIHW", "OIDHW"},
	{NULL, "IOW", "IOHW", "IODHW"},
};
static const char *const grouped_canon[2][4] = {
	{NULL, "GOIW", "GOIHW", "GOIDHW"},
	{NULL, "GIOW", "GIOHW", "GIODHW"},
};

/* The layouts, and whether the weight has an axis of groups. */
static bool
read_layouts(struct rel *r, struct conv *c)
{
	const char *data = ir_attrs_string(r->attrs, "data_layout");
	const char *kernel = ir_attrs_string(r->attrs, "kernel_layout");

	c->grouped = c->groups > 1 && strchr(kernel, 'G');
	c->canon = data_canon[c->n];
	c->weight_canon = c->grouped ? grouped_canon[c->transposed][c->n]
				     : weight_canon[c->transposed][c->n];
	return rel_layout_like(r, "data_layout", NULL, c->canon, &c->data) &&
	       rel_layout_like(r, "kernel_layout", NULL, c->weight_canon,
			       &c->kernel) &&
	       rel_layout_like(r, "out_layout", data, c->canon, &c->out);
}

bool
conv_read(struct rel *r, struct conv *c, uint32_t n, bool transposed)
{
	struct rel_ints strides, dilation;
	int64_t before[3], after[3];

	*c = (struct conv){.n = n, .transposed = transposed};
	c->groups = 1;
	if (ir_attrs_get(r->attrs, "groups"))
		c->groups = ir_attrs_int(r->attrs, "groups", 1);
	if (c->groups < 1) {
		rel_error(r,
			  "attribute 'groups' must be positive, but is "
			  "%" PRId64,
			  c->groups);
		return false;
	}
	if (!read_layouts(r, c) || !rel_ints_n(r, "strides", n, 1, &strides) ||
	    !rel_ints_n(r, "dilation", n, 1, &dilation) ||
	    !rel_padding(r, n, before, after) ||
	    !rel_dims(r, "kernel_size", &c->size, &c->has_size) ||
	    !rel_dim(r, "channels", &c->channels, &c->has_channels))
		return false;
	for (uint32_t i = 0; i < n; i++)
		c->window[i] =
			(struct rel_window){before[i] + after[i], strides.at[i],
					    dilation.at[i], false};
	if (!c->has_size || c->size.n == n)
		return true;
	rel_error(r, "attribute 'kernel_size' must have %" PRIu32 " values", n);
	return false;
}

/* DIVIDEND / groups, which must go without a rest. */
bool
conv_per_group(struct rel *r, const struct conv *c, const char *what,
	       struct ir_dim dividend, struct ir_dim *out)
{
	*out = dividend;
	if (c->groups == 1 || dividend.kind == DIM_ANY)
		return true;
	if (dividend.kind == DIM_SYM) {
		*out = rel_ratio(r, dividend, 1, c->groups);
		return true;
	}
	if (dividend.value % c->groups != 0) {
		rel_error_attr(r, "groups",
			       "%" PRId64 " %s can't be divided into %" PRId64
			       " groups",
			       dividend.value, what, c->groups);
		return false;
	}
	*out = ir_dim_div(dividend, c->groups);
	return true;
}

/* One group per input channel, and a weight that says so. */
static bool
is_depthwise(const struct conv *c, const struct rel_shape *data,
	     const struct rel_shape *weight)
{
	return !c->transposed && !c->grouped && !c->no_depthwise &&
	       c->groups > 1 && rel_dim_is(data->at[1], c->groups) &&
	       rel_dim_is(weight->at[0], c->groups);
}

/* The canonical weight that kernel_size and channels demand. */
static bool
wanted_weight(struct rel *r, const struct conv *c, const struct rel_shape *data,
	      const struct rel_shape *weight, struct rel_shape *out)
{
	struct ir_dim in = data->at[1], inputs, outputs;
	uint32_t k = c->grouped ? 1 : 0;

	*out = rel_new_shape(r, k + 2 + c->n);
	if (!conv_per_group(r, c, "input channels", in, &inputs) ||
	    !conv_per_group(r, c, "channels", c->channels, &outputs))
		return false;
	if (c->grouped)
		out->at[0] = DIM(c->groups);
	if (c->transposed) {
		out->at[k] = c->grouped ? inputs : in;
		out->at[k + 1] = outputs;
	} else if (weight && is_depthwise(c, data, weight)) {
		out->at[k] = in;
		out->at[k + 1] = outputs;
	} else {
		out->at[k] = c->grouped ? outputs : c->channels;
		out->at[k + 1] = inputs;
	}
	memcpy(out->at + k + 2, c->size.at, c->n * sizeof(*out->at));
	return true;
}

static enum rel_result
assign_weight(struct rel *r, struct conv *c, const struct ir_tensor_type *data,
	      const struct ir_tensor_type *weight)
{
	struct rel_shape in, have, want, laid_out;

	if (!rel_to_canon(r, c->data_at, data, &c->data, c->canon, &in))
		return REL_FAIL;
	if (weight && !rel_to_canon(r, c->weight_at, weight, &c->kernel,
				    c->weight_canon, &have))
		return REL_FAIL;
	if (!weight && c->groups > 1 && !c->transposed && !c->no_depthwise)
		return REL_DEFER;
	if (!wanted_weight(r, c, &in, weight ? &have : NULL, &want) ||
	    !rel_from_canon(r, &want, c->weight_canon, &c->kernel, &laid_out))
		return REL_FAIL;
	return rel_input_shape(r, c->weight_at,
			       weight ? weight->dtype : data->dtype, &laid_out);
}

/* Does the extent that an attribute wants agree with the weight's? */
static bool
agrees(struct rel *r, const struct conv *c, const char *what,
       struct ir_dim want, struct ir_dim have)
{
	if (ir_dim_may_equal(want, have))
		return true;
	rel_error_at(r, c->weight_at, "%s is %s, but the weight %s has %s",
		     what, rel_show_dim(r, want), rel_show_arg(r, c->weight_at),
		     rel_show_dim(r, have));
	return false;
}

static struct ir_dim
times_groups(const struct conv *c, struct ir_dim d)
{
	return c->groups == 1 ? d : ir_dim_mul(d, DIM(c->groups));
}

/* The weight is known and tells channels and size. */
static bool
use_weight(struct rel *r, struct conv *c, const struct rel_shape *data,
	   const struct rel_shape *weight)
{
	uint32_t k = c->grouped ? 1 : 0;
	struct ir_dim o = weight->at[c->transposed ? k + 1 : k];
	struct ir_dim i = weight->at[c->transposed ? k : k + 1];
	struct ir_dim inputs, wanted_i = data->at[1];

	if (!conv_per_group(r, c, "input channels", data->at[1], &inputs))
		return false;
	if (!c->transposed || c->grouped)
		wanted_i = inputs;
	if (c->transposed || c->grouped)
		o = times_groups(c, o);
	for (uint32_t d = 0; c->has_size && d < c->n; d++)
		if (!agrees(r, c, "attribute 'kernel_size'", c->size.at[d],
			    weight->at[k + 2 + d]))
			return false;
	if (c->has_channels &&
	    !agrees(r, c, "attribute 'channels'", c->channels, o))
		return false;
	if (!agrees(r, c,
		    c->groups > 1 ? "the number of input channels in a group"
				  : "the number of input channels",
		    wanted_i, i))
		return false;
	if (!c->has_channels)
		c->channels = o;
	c->size = (struct rel_shape){c->n, weight->at + k + 2};
	return true;
}

enum rel_result
conv_weight(struct rel *r, struct conv *c, const struct ir_tensor_type *data)
{
	const struct ir_tensor_type *weight;
	struct rel_shape in, w;

	if (rel_maybe_tensor(r, c->weight_at, &weight) == REL_FAIL)
		return REL_FAIL;
	if (c->has_size && c->has_channels)
		return assign_weight(r, c, data, weight);
	if (!weight)
		return REL_DEFER;
	if (!rel_to_canon(r, c->data_at, data, &c->data, c->canon, &in) ||
	    !rel_to_canon(r, c->weight_at, weight, &c->kernel, c->weight_canon,
			  &w) ||
	    !use_weight(r, c, &in, &w))
		return REL_FAIL;
	return REL_DONE;
}

/* stride * (in - 1) + dilated size - padding + output padding */
static bool
unslide(struct rel *r, struct ir_dim in, struct ir_dim size,
	const struct rel_window *w, int64_t more, struct ir_dim *out)
{
	int64_t span, room;

	*out = DIM_UNKNOWN;
	if (!ir_dim_is_const(in) || !ir_dim_is_const(size))
		return true;
	if (__builtin_mul_overflow(size.value - 1, w->dilation, &span) ||
	    __builtin_mul_overflow(in.value - 1, w->stride, &room) ||
	    __builtin_add_overflow(room, span, &room) ||
	    __builtin_add_overflow(room, more - w->pad + 1, &room) ||
	    size.value < 1 || room < 0) {
		rel_error(r,
			  "an extent of %" PRId64 " and a window of %" PRId64
			  " give no valid extent",
			  in.value, size.value);
		return false;
	}
	*out = DIM(room);
	if (in.kind == DIM_INT64)
		out->kind = DIM_INT64;
	return true;
}

bool
conv_shape(struct rel *r, const struct conv *c,
	   const struct ir_tensor_type *data, struct rel_shape *out)
{
	struct rel_shape in, canon = rel_new_shape(r, c->n + 2);
	struct rel_ints more = {0};
	bool ok = true;

	if (!rel_to_canon(r, c->data_at, data, &c->data, c->canon, &in))
		return false;
	if (c->transposed && !rel_ints_n(r, "output_padding", c->n, 0, &more))
		return false;
	canon.at[0] = in.at[0];
	canon.at[1] = c->channels;
	for (uint32_t i = 0; i < c->n && ok; i++)
		ok = c->transposed ? unslide(r, in.at[i + 2], c->size.at[i],
					     &c->window[i], more.at[i],
					     &canon.at[i + 2])
				   : rel_slide(r, in.at[i + 2], c->size.at[i],
					       &c->window[i], &canon.at[i + 2]);
	return ok && rel_from_canon(r, &canon, c->canon, &c->out, out);
}

enum rel_result
conv_relation(struct rel *r, uint32_t n, bool transposed)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct conv c;
	struct rel_shape out;
	enum rel_result ok;

	if (!data)
		return rel_wait(r, 0);
	if (!conv_read(r, &c, n, transposed))
		return REL_FAIL;
	c.weight_at = 1;
	ok = conv_weight(r, &c, data);
	if (ok != REL_DONE)
		return ok;
	if (!conv_shape(r, &c, data, &out))
		return REL_FAIL;
	return rel_finish(r, rel_dtype(r, "out_dtype", data->dtype), &out);
}

enum rel_result
rel_conv1d(struct rel *r)
{
	return conv_relation(r, 1, false);
}

enum rel_result
rel_conv2d(struct rel *r)
{
	return conv_relation(r, 2, false);
}

enum rel_result
rel_conv3d(struct rel *r)
{
	return conv_relation(r, 3, false);
}

enum rel_result
rel_conv1d_transpose(struct rel *r)
{
	return conv_relation(r, 1, true);
}

enum rel_result
rel_conv2d_transpose(struct rel *r)
{
	return conv_relation(r, 2, true);
}

enum rel_result
rel_conv3d_transpose(struct rel *r)
{
	return conv_relation(r, 3, true);
}
