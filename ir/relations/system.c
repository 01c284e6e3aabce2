/* Memory, the virtual machine, calls of lowered functions, annotations. */
#include "ir/relations/common.h"

static const struct dtype int64 = {DTYPE_INT, 64, 1};

static const ir_type *
storage_type(struct rel *r)
{
	return ir_type_adt(r->cx, ir_name(r->cx, "Storage"), NULL, 0);
}

enum rel_result
rel_alloc_storage(struct rel *r)
{
	if (!rel_tensor(r, 1))
		return rel_wait(r, 1);
	if (rel_scalar(r, 0, int64) != REL_DONE ||
	    rel_scalar(r, 2, int64) != REL_DONE)
		return REL_FAIL;
	return rel_assign(r, storage_type(r));
}

/* The extents that a constant vector holds. */
static bool
shape_of_constant(struct rel *r, const ir_expr *e, struct rel_shape *out)
{
	const ir_tensor *data = NULL;

	if (e->kind == IR_CONSTANT)
		data = ir_as_constant(e)->data;
	if (!data || data->ndim > 1 || !dtype_is_int(data->dtype)) {
		rel_error(r, "attribute 'const_shape' must be a constant "
			     "vector of integers");
		return false;
	}
	*out = rel_new_shape(r, (uint32_t)ir_tensor_size(data));
	for (uint32_t i = 0; i < out->n; i++)
		out->at[i] = DIM(ir_tensor_get_int(data, i));
	return true;
}

enum rel_result
rel_alloc_tensor(struct rel *r)
{
	const ir_attr *shape = ir_attrs_get(r->attrs, "const_shape");
	struct rel_shape out;
	const struct ir_tensor_type *offset = rel_tensor(r, 1);
	bool given;

	if (!offset)
		return rel_wait(r, 1);
	if (!rel_check_rank(r, 1, offset, 0) ||
	    rel_assign_input(r, 0, storage_type(r)) != REL_DONE)
		return REL_FAIL;
	if (shape->kind == ATTR_EXPR) {
		if (!shape_of_constant(r, shape->expr, &out))
			return REL_FAIL;
	} else {
		if (!rel_dims(r, "assert_shape", &out, &given))
			return REL_FAIL;
		if (!given)
			return rel_error(r, "attribute 'const_shape' or "
					    "'assert_shape' must be given");
	}
	return rel_finish(r, ir_attrs_dtype(r->attrs, "dtype"), &out);
}

enum rel_result
rel_kill(struct rel *r)
{
	return rel_finish_tuple(r, NULL, 0);
}

/* A function, known as such. */
static enum rel_result
function(struct rel *r, const struct ir_func_type **out)
{
	const ir_type *t = r->args[0];

	if (t->kind == TYPE_HOLE)
		return REL_DEFER;
	if (t->kind != TYPE_FUNC)
		return rel_error_at(r, 0, "'%s' must be a function, but is %s",
				    rel_input(r, 0), rel_show_arg(r, 0));
	*out = ir_as_func_type(t);
	return REL_DONE;
}

/* Inputs as a tuple fit the parameters; outputs are a tuple of the result. */
enum rel_result
rel_invoke_tvm_op(struct rel *r)
{
	const struct ir_func_type *f;
	enum rel_result ok = function(r, &f);
	const ir_type *out;

	if (ok != REL_DONE)
		return ok;
	out = f->ret;
	if (out->kind != TYPE_TUPLE)
		out = ir_type_tuple(r->cx, &out, 1);
	if (rel_assign_input(r, 1,
			     ir_type_tuple(r->cx, f->params, f->nparams)) !=
		    REL_DONE ||
	    rel_assign_input(r, 2, out) != REL_DONE)
		return REL_FAIL;
	return rel_finish_tuple(r, NULL, 0);
}

enum rel_result
rel_call_lowered(struct rel *r)
{
	const struct ir_func_type *f;
	enum rel_result ok = function(r, &f);

	if (ok != REL_DONE)
		return ok;
	if (rel_assign_input(r, 1,
			     ir_type_tuple(r->cx, f->params, f->nparams)) !=
	    REL_DONE)
		return REL_FAIL;
	return rel_assign(r, f->ret);
}

enum rel_result
rel_reshape_tensor(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);
	struct rel_shape out;
	bool given;

	if (!data)
		return rel_wait(r, 0);
	if (!rel_dims(r, "newshape", &out, &given))
		return REL_FAIL;
	return rel_finish(r, data->dtype, &out);
}

/* Quantization as it is simulated in floats: three scalars beside the data. */
enum rel_result
rel_relay_simulated_quantize(struct rel *r)
{
	const struct ir_tensor_type *data = rel_tensor(r, 0);

	if (!data)
		return rel_wait(r, 0);
	for (uint32_t i = 1; i < r->nargs; i++)
		if (rel_scalar(r, i, DTYPE(FLOAT, 32)) != REL_DONE)
			return REL_FAIL;
	return rel_assign(r, &data->base);
}
