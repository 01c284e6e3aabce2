/* Random numbers and transforms of signals. */
#include <inttypes.h>

#include "ir/relations/common.h"

/* The state of a generator. */
static const ir_type *
key_type(struct rel *r)
{
	return rel_vector_type(r, DTYPE(UINT, 64), DIM(10));
}

/* The result is the next key and a tensor. */
static enum rel_result
with_key(struct rel *r, struct dtype t, const struct rel_shape *s)
{
	const ir_type *fields[2] = {key_type(r), NULL};

	if (!rel_check_shape(r, s) ||
	    rel_assign_input(r, 0, fields[0]) != REL_DONE)
		return REL_FAIL;
	fields[1] = rel_tensor_type(r, t, s);
	return rel_finish_tuple(r, fields, 2);
}

static bool
out_shape(struct rel *r, struct rel_shape *out)
{
	bool given;

	if (!rel_dims(r, "out_shape", out, &given))
		return false;
	if (!given)
		rel_error(r, "attribute 'out_shape' must be given");
	return given;
}

enum rel_result
rel_threefry_generate(struct rel *r)
{
	struct rel_shape s;

	if (!out_shape(r, &s))
		return REL_FAIL;
	return with_key(r, DTYPE(UINT, 64), &s);
}

enum rel_result
rel_threefry_split(struct rel *r)
{
	const ir_type *fields[2] = {key_type(r), key_type(r)};

	if (rel_assign_input(r, 0, fields[0]) != REL_DONE)
		return REL_FAIL;
	return rel_finish_tuple(r, fields, 2);
}

/* Two parameters, scalars of the result's type. */
static enum rel_result
distribution(struct rel *r)
{
	struct dtype t = ir_attrs_dtype(r->attrs, "out_dtype");
	struct rel_shape s;

	if (t.code != DTYPE_FLOAT || (t.bits != 32 && t.bits != 64))
		return rel_error(r,
				 "attribute 'out_dtype' must be float32 or "
				 "float64, but is \"%s\"",
				 rel_show_dtype(r, t));
	if (!out_shape(r, &s) || rel_scalar(r, 1, t) != REL_DONE ||
	    rel_scalar(r, 2, t) != REL_DONE)
		return REL_FAIL;
	return with_key(r, t, &s);
}

enum rel_result
rel_uniform(struct rel *r)
{
	return distribution(r);
}

enum rel_result
rel_normal(struct rel *r)
{
	return distribution(r);
}

enum rel_result
rel_multinomial(struct rel *r)
{
	const struct ir_tensor_type *probs = rel_tensor(r, 1);
	int64_t n = ir_attrs_int(r->attrs, "num_samples", 1);
	struct rel_shape s;

	if (!probs)
		return rel_wait(r, 1);
	if (probs->ndim == 0 || !dtype_is_float(probs->dtype))
		return rel_error_at(r, 1,
				    "'probs' must be a tensor of floats, but "
				    "is %s",
				    rel_show_arg(r, 1));
	if (n < 1)
		return rel_error(r,
				 "attribute 'num_samples' must be positive, "
				 "but is %" PRId64,
				 n);
	s = rel_copy_shape(r, probs);
	s.at[s.n - 1] = DIM(n);
	return with_key(r, DTYPE(INT, 32), &s);
}

/* [batch,] frequencies, frames, real and imaginary part */
enum rel_result
rel_stft(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	const struct ir_tensor_type *window = rel_tensor(r, 1);
	int64_t n = ir_attrs_int(r->attrs, "n_fft", -1);
	struct rel_window w = {0, ir_attrs_int(r->attrs, "hop_length", -1), 1,
			       false};
	struct rel_shape out;
	uint32_t k = 0;

	if (!data)
		return rel_wait(r, 0);
	if (!window)
		return rel_wait(r, 1);
	if (data->ndim != 1 && data->ndim != 2)
		return rel_error_at(r, 0,
				    "'data' must have rank 1 or 2, but is %s",
				    rel_show_arg(r, 0));
	if (n < 1 || w.stride < 1 || n > INT32_MAX)
		return rel_error(r, "attributes 'n_fft' and 'hop_length' must "
				    "be positive");
	if (!rel_check_rank(r, 1, window, 1))
		return REL_FAIL;
	out = rel_new_shape(r, data->ndim + 2);
	if (data->ndim == 2)
		out.at[k++] = data->shape[0];
	out.at[k++] = DIM(ir_attrs_bool(r->attrs, "onesided") ? n / 2 + 1 : n);
	if (!rel_slide(r, data->shape[data->ndim - 1], DIM(n), &w, &out.at[k]))
		return REL_FAIL;
	out.at[k + 1] = DIM(2);
	return rel_finish(r, data->dtype, &out);
}

enum rel_result
rel_dft(struct rel *r)
{
	const struct ir_tensor_type *re = rel_tensor(r, 0);
	const struct ir_tensor_type *im = rel_tensor(r, 1);
	const ir_type *fields[2];

	if (!re)
		return rel_wait(r, 0);
	if (!im)
		return rel_wait(r, 1);
	fields[0] = &re->base;
	fields[1] = &im->base;
	if (!rel_same_dtype(r, 0, re, 1, im) ||
	    rel_assign_input(r, 1, fields[0]) != REL_DONE)
		return REL_FAIL;
	return rel_finish_tuple(r, fields, 2);
}
