/*
 * Quantized operators. A scale is float32, a zero point int32; each is a
 * scalar, or a vector along one axis where the operator works per channel.
 */
#include <inttypes.h>
#include <string.h>

#include "ir/relations/conv.h"

static const struct dtype float32 = {DTYPE_FLOAT, 32, 1};
static const struct dtype int32 = {DTYPE_INT, 32, 1};

/* T is one of the comma-separated names in SET. */
static bool
one_of(struct dtype t, const char *set)
{
	char name[DTYPE_TEXT];
	size_t len;

	dtype_text(t, name);
	len = strlen(name);
	for (const char *p = set; p; p = strchr(p, ','), p = p ? p + 1 : p)
		if (strncmp(p, name, len) == 0 &&
		    (p[len] == ',' || p[len] == '\0'))
			return true;
	return false;
}

/* "a,b,c" as "a, b or c". */
static const char *
alternatives(struct rel *r, const char *set)
{
	const char *last = strrchr(set, ','), *text = "";

	for (; last && set < last; set++)
		text = arena_printf(r->scratch, *set == ',' ? "%s%c " : "%s%c",
				    text, *set);
	return last ? arena_printf(r->scratch, "%s or %s", text, last + 1)
		    : set;
}

/* Input I is known and its elements are of a type in SET. */
static enum rel_result
typed(struct rel *r, uint32_t i, const char *set,
      const struct ir_tensor_type **out)
{
	const struct ir_tensor_type *t = rel_tensor(r, i);

	if (!t)
		return rel_wait(r, i);
	if (out)
		*out = t;
	if (one_of(t->dtype, set))
		return REL_DONE;
	return rel_error_at(
		r, i, "the element type of '%s' must be %s, but it is %s",
		rel_input(r, i), alternatives(r, set), rel_show_arg(r, i));
}

/* Attribute "out_dtype" is one of SET. */
static bool
out_dtype(struct rel *r, const char *set)
{
	struct dtype t = ir_attrs_dtype(r->attrs, "out_dtype");

	if (one_of(t, set))
		return true;
	rel_error(r, "attribute 'out_dtype' must be %s, but is \"%s\"",
		  alternatives(r, set), rel_show_dtype(r, t));
	return false;
}

enum role { SCALE, ZERO_POINT };

/* Input I is a scalar; a message calls it by its role. */
static enum rel_result
scalar(struct rel *r, uint32_t i, enum role role)
{
	const struct ir_tensor_type *t = rel_tensor(r, i);

	if (!t)
		return rel_wait(r, i);
	if (t->ndim == 0 &&
	    dtype_equal(t->dtype, role == SCALE ? float32 : int32))
		return REL_DONE;
	return rel_error_at(r, i,
			    "argument %" PRIu32 " must be a scalar %s of type "
			    "%s, but is %s",
			    i + 1, role == SCALE ? "scale" : "zero point",
			    role == SCALE ? "float32" : "int32",
			    rel_show_arg(r, i));
}

/* A scalar, or a vector of N. */
static enum rel_result
per_channel(struct rel *r, uint32_t i, enum role role, struct ir_dim n)
{
	const struct ir_tensor_type *t = rel_tensor(r, i);
	struct dtype want = role == SCALE ? float32 : int32;

	if (!t)
		return rel_wait(r, i);
	if (!dtype_equal(t->dtype, want))
		return rel_error_at(
			r, i,
			"argument %" PRIu32 ", a %s, must be %s, "
			"but is %s",
			i + 1, role == SCALE ? "scale" : "zero point",
			rel_show_dtype(r, want), rel_show_arg(r, i));
	if (t->ndim == 0)
		return REL_DONE;
	return rel_vector(r, i, want, n);
}

/* The same, where a vector of one counts as a scalar. */
static enum rel_result
scalar_or_one(struct rel *r, uint32_t i, enum role role)
{
	return per_channel(r, i, role, DIM(1));
}

/* COUNT pairs of inputs from FIRST, each a scale and a zero point. */
static enum rel_result
scalar_pairs(struct rel *r, uint32_t first, uint32_t count)
{
	enum rel_result ok = REL_DONE;

	for (uint32_t i = 0; i < 2 * count && ok == REL_DONE; i++)
		ok = scalar(r, first + i, i % 2 ? ZERO_POINT : SCALE);
	return ok;
}

/* The extent of the axis that an attribute names; scalars have one. */
static bool
channel_axis(struct rel *r, const char *name, const struct ir_tensor_type *t,
	     struct ir_dim *out)
{
	uint32_t axis;

	*out = DIM(1);
	if (t->ndim == 0)
		return true;
	if (!rel_axis_attr(r, name, t->ndim, &axis))
		return false;
	*out = t->shape[axis];
	return true;
}

/* The vector's extent where it may be a vector of one, too. */
static enum rel_result
channel_pairs(struct rel *r, uint32_t scale, uint32_t zero, struct ir_dim n,
	      struct ir_dim zeros)
{
	const struct ir_tensor_type *t = rel_tensor(r, scale);
	const struct ir_tensor_type *z = rel_tensor(r, zero);
	bool one_s = t && t->ndim == 1 && rel_dim_is(t->shape[0], 1);
	bool one_z = z && z->ndim == 1 && rel_dim_is(z->shape[0], 1);
	enum rel_result ok = per_channel(r, scale, SCALE, one_s ? DIM(1) : n);

	return ok != REL_DONE ? ok
			      : per_channel(r, zero, ZERO_POINT,
					    one_z ? DIM(1) : zeros);
}

static enum rel_result
channel_pair(struct rel *r, uint32_t scale, uint32_t zero, struct ir_dim n)
{
	return channel_pairs(r, scale, zero, n, n);
}

enum rel_result
rel_quantize(struct rel *r)
{
	const struct ir_tensor_type *data;
	enum rel_result ok = typed(r, 0, "float32", &data);
	struct ir_dim n;

	if (ok != REL_DONE)
		return ok;
	if (!channel_axis(r, "axis", data, &n) ||
	    !out_dtype(r, "int8,uint8,int16,uint16,int32"))
		return REL_FAIL;
	ok = per_channel(r, 1, SCALE, n);
	if (ok != REL_DONE ||
	    (ok = per_channel(r, 2, ZERO_POINT, n)) != REL_DONE)
		return ok;
	return rel_assign_tensor(r, ir_attrs_dtype(r->attrs, "out_dtype"),
				 data->shape, data->ndim);
}

enum rel_result
rel_dequantize(struct rel *r)
{
	const struct ir_tensor_type *data;
	enum rel_result ok =
		typed(r, 0, "int8,uint8,int16,uint16,int32", &data);
	struct ir_dim n;

	if (ok != REL_DONE)
		return ok;
	if (!channel_axis(r, "axis", data, &n) ||
	    !out_dtype(r, "float16,float32"))
		return REL_FAIL;
	ok = channel_pair(r, 1, 2, n);
	if (ok != REL_DONE)
		return ok;
	return rel_assign_tensor(r, ir_attrs_dtype(r->attrs, "out_dtype"),
				 data->shape, data->ndim);
}

enum rel_result
rel_requantize(struct rel *r)
{
	const struct ir_tensor_type *data;
	enum rel_result ok = typed(r, 0, "int8,uint8,int16,int32,int64", &data);
	struct ir_dim n;

	if (ok != REL_DONE)
		return ok;
	if (!channel_axis(r, "axis", data, &n) ||
	    !out_dtype(r, "int8,uint8,int16,int32"))
		return REL_FAIL;
	ok = per_channel(r, 1, SCALE, n);
	if (ok != REL_DONE ||
	    (ok = per_channel(r, 2, ZERO_POINT, n)) != REL_DONE ||
	    (ok = scalar_pairs(r, 3, 1)) != REL_DONE)
		return ok;
	return rel_assign_tensor(r, ir_attrs_dtype(r->attrs, "out_dtype"),
				 data->shape, data->ndim);
}

/*
 * How many zero points a weight has: one for each entry of its axis O, which
 * are the input channels where a depthwise weight is laid out as [channel,
 * multiplier]. Scales are those of the result.
 */
static struct ir_dim
weight_rows(const struct conv *c, const struct ir_tensor_type *weight)
{
	int at = ir_layout_index(&c->kernel, 'O');

	if (at < 0 || (uint32_t)at >= weight->ndim ||
	    ir_layout_factor(&c->kernel, 'O') != 1)
		return c->channels;
	return weight->shape[at];
}

/* data, weight, zero points of both, scales of both */
enum rel_result
rel_qnn_conv2d(struct rel *r)
{
	const char *types = "int8,uint8,int16";
	const struct ir_tensor_type *data, *weight;
	enum rel_result ok = typed(r, 0, types, &data);
	struct conv c;

	if (ok != REL_DONE || (ok = typed(r, 1, types, &weight)) != REL_DONE ||
	    (ok = scalar(r, 2, ZERO_POINT)) != REL_DONE ||
	    (ok = scalar(r, 4, SCALE)) != REL_DONE)
		return ok;
	if (!out_dtype(r, "int16,int32,int64") || !conv_read(r, &c, 2, false))
		return REL_FAIL;
	c.weight_at = 1;
	ok = conv_weight(r, &c, data);
	if (ok == REL_DONE)
		ok = channel_pairs(r, 5, 3, c.channels,
				   weight_rows(&c, weight));
	return ok == REL_DONE ? conv_relation(r, 2, false) : ok;
}

enum rel_result
rel_qnn_conv2d_transpose(struct rel *r)
{
	const struct ir_tensor_type *data, *weight;
	enum rel_result ok = typed(r, 0, "int8,uint8,int16", &data);
	struct conv c;

	if (ok != REL_DONE ||
	    (ok = typed(r, 1, "int8,uint8", &weight)) != REL_DONE ||
	    (ok = scalar_or_one(r, 2, ZERO_POINT)) != REL_DONE ||
	    (ok = scalar_or_one(r, 4, SCALE)) != REL_DONE)
		return ok;
	if (!out_dtype(r, "int16,int32,int64") || !conv_read(r, &c, 2, true))
		return REL_FAIL;
	c.weight_at = 1;
	ok = conv_weight(r, &c, data);
	if (ok != REL_DONE ||
	    (ok = channel_pair(r, 5, 3, c.channels)) != REL_DONE)
		return ok;
	return conv_relation(r, 2, true);
}

enum rel_result
rel_qnn_dense(struct rel *r)
{
	const struct ir_tensor_type *data, *weight;
	enum rel_result ok = typed(r, 0, "int8,uint8,int16", &data);
	struct ir_dim units;
	bool given;

	if (ok != REL_DONE ||
	    (ok = typed(r, 1, "int8,uint8", &weight)) != REL_DONE ||
	    (ok = scalar(r, 2, ZERO_POINT)) != REL_DONE ||
	    (ok = scalar(r, 4, SCALE)) != REL_DONE)
		return ok;
	if (!out_dtype(r, "int32,int64") || !rel_check_rank(r, 1, weight, 2) ||
	    !rel_dim(r, "units", &units, &given))
		return REL_FAIL;
	if (!given)
		units = weight->shape[0];
	ok = channel_pair(r, 5, 3, units);
	return ok == REL_DONE ? rel_matmul(r) : ok;
}

enum rel_result
rel_qnn_batch_matmul(struct rel *r)
{
	enum rel_result ok = typed(r, 0, "int8,uint8", NULL);

	if (ok != REL_DONE ||
	    (ok = typed(r, 1, "int8,uint8", NULL)) != REL_DONE ||
	    (ok = scalar(r, 2, ZERO_POINT)) != REL_DONE ||
	    (ok = scalar(r, 3, ZERO_POINT)) != REL_DONE ||
	    (ok = scalar(r, 4, SCALE)) != REL_DONE ||
	    (ok = scalar(r, 5, SCALE)) != REL_DONE)
		return ok;
	return out_dtype(r, "int32") ? rel_batch_matmul(r) : REL_FAIL;
}

/* Tiled weights; the result is (rows, units). */
enum rel_result
rel_qnn_dense_pack(struct rel *r)
{
	const struct ir_tensor_type *weight;
	enum rel_result ok = typed(r, 0, "int8,uint8", NULL);

	if (ok != REL_DONE ||
	    (ok = typed(r, 1, "int8,uint8", &weight)) != REL_DONE ||
	    (ok = scalar(r, 2, ZERO_POINT)) != REL_DONE ||
	    (ok = scalar(r, 4, SCALE)) != REL_DONE)
		return ok;
	if (!rel_check_rank(r, 1, weight, 4) || !out_dtype(r, "int32,int64"))
		return REL_FAIL;
	return rel_dense_pack(r);
}

/* One side of an element-wise operator; the axis matters for vectors only. */
static enum rel_result
side(struct rel *r, uint32_t i, uint32_t scale, const char *axis)
{
	const struct ir_tensor_type *t = rel_tensor(r, i);
	const struct ir_tensor_type *s = rel_tensor(r, scale);
	const struct ir_tensor_type *z = rel_tensor(r, scale + 1);
	struct ir_dim n = DIM(1);
	uint32_t at = 0;

	if (!t)
		return rel_wait(r, i);
	if (!s)
		return rel_wait(r, scale);
	if (!z)
		return rel_wait(r, scale + 1);
	if ((s->ndim || z->ndim) && t->ndim > 1 &&
	    !rel_axis_attr(r, axis, t->ndim, &at))
		return REL_FAIL;
	if (t->ndim)
		n = t->shape[at];
	return channel_pair(r, scale, scale + 1, n);
}

/* qnn.add, qnn.subtract, qnn.mul */
enum rel_result
rel_qnn_broadcast(struct rel *r)
{
	enum rel_result ok = side(r, 0, 2, "lhs_axis");

	if (ok != REL_DONE || (ok = side(r, 1, 4, "rhs_axis")) != REL_DONE ||
	    (ok = scalar_pairs(r, 6, 1)) != REL_DONE)
		return ok;
	return rel_broadcast(r);
}

/* Tuples of scalars, one for each tensor. */
static enum rel_result
scalar_tuple(struct rel *r, uint32_t i, enum role role, uint32_t n)
{
	const struct ir_tuple_type *t = rel_tuple(r, i);
	struct dtype want = role == SCALE ? float32 : int32;

	if (!t)
		return rel_wait(r, i);
	if (t->nfields != n)
		return rel_error_at(r, i,
				    "'%s' must have %" PRIu32
				    " fields, but has %" PRIu32,
				    rel_input(r, i), n, t->nfields);
	for (uint32_t k = 0; k < n; k++) {
		const struct ir_tensor_type *f =
			ir_as_tensor_type(t->fields[k]);

		if (f->ndim || !dtype_equal(f->dtype, want))
			return rel_error_at(r, i,
					    "'%s' must hold scalars of type "
					    "%s, but is %s",
					    rel_input(r, i),
					    rel_show_dtype(r, want),
					    rel_show_arg(r, i));
	}
	return REL_DONE;
}

enum rel_result
rel_qnn_concatenate(struct rel *r)
{
	const struct ir_tuple_type *data = rel_tuple(r, 0);
	enum rel_result ok;

	if (!data)
		return rel_wait(r, 0);
	ok = scalar_tuple(r, 1, SCALE, data->nfields);
	if (ok != REL_DONE ||
	    (ok = scalar_tuple(r, 2, ZERO_POINT, data->nfields)) != REL_DONE ||
	    (ok = scalar_pairs(r, 3, 1)) != REL_DONE)
		return ok;
	return rel_concatenate(r);
}

/* The result is like the data, whose elements are of a type in SET. */
static enum rel_result
like_data(struct rel *r, const char *set)
{
	const struct ir_tensor_type *data;
	enum rel_result ok = typed(r, 0, set, &data);

	if (ok != REL_DONE || (ok = scalar_pairs(r, 1, 2)) != REL_DONE)
		return ok;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_qnn_elementwise_unary_func(struct rel *r)
{
	return like_data(r, "int8,uint8");
}

enum rel_result
rel_qnn_leaky_relu(struct rel *r)
{
	return like_data(r, "int8,uint8");
}

enum rel_result
rel_qnn_softmax(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	uint32_t axis;

	if (data && !rel_axis_attr(r, "axis", data->ndim, &axis))
		return REL_FAIL;
	return like_data(r, "int8");
}

enum rel_result
rel_qnn_avg_pool2d(struct rel *r)
{
	enum rel_result ok = typed(r, 0, "int8,uint8", NULL);

	if (ok != REL_DONE || (ok = scalar_pairs(r, 1, 2)) != REL_DONE)
		return ok;
	return rel_pool2d(r);
}

/* Simulated in floats: a code of the type, scales and zero points. */
static enum rel_result
simulated(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);

	for (uint32_t i = 0; i < r->nargs; i++)
		if (!rel_tensor(r, i))
			return rel_wait(r, i);
	if (!dtype_is_float(data->dtype))
		return rel_error_at(r, 0, "'data' must be floats, but is %s",
				    rel_show_arg(r, 0));
	if (rel_scalar(r, 1, int32) != REL_DONE)
		return REL_FAIL;
	return rel_assign(r, &data->base);
}

enum rel_result
rel_simulated_quantize(struct rel *r)
{
	return simulated(r);
}

enum rel_result
rel_simulated_dequantize(struct rel *r)
{
	return simulated(r);
}
