/*
 * conv2d-to-sparse: convolutions with weights that are sparse.
 *
 *     nn.conv2d(%x, %w, data_layout="NHWC", kernel_layout="HWIO")
 *                        becomes
 *     nn.sparse_conv2d(%x, %w.data, %w.indices, %w.indptr)
 *
 * for the parameters that weight-name lists, as dense-to-sparse does; rows are
 * output channels, columns elements of the kernel in the order of its layout.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/padding.h"
#include "passes/sparse/conv.h"
#include "passes/sparse/params.h"

static bool
all_are(const ir_attr *list, int64_t value)
{
	if (list->kind != ATTR_ARRAY)
		return false;
	for (uint32_t i = 0; i < list->n; i++)
		if (list->elems[i].kind != ATTR_INT ||
		    list->elems[i].i != value)
			return false;
	return true;
}

/* The extents of the kernel in W, whose layout begins or ends with HW. */
static bool
is_of_size(const struct ir_tensor_type *w, int64_t size, bool channels_last)
{
	uint32_t at = channels_last ? 0 : 2;

	return w->ndim == 4 && ir_shape_is_static(w) &&
	       w->shape[at].value == size && w->shape[at + 1].value == size;
}

bool
sparse_conv_fits(const struct ir_call *call, const struct sparse_conv *o)
{
	const char *layout = o->layout;
	bool last = strcmp(layout, "NHWC") == 0;
	const ir_attrs *a = call->attrs;
	const char *out;

	if (!ir_is_call_of(&call->base, OP_nn_conv2d) ||
	    call->args[1]->type->kind != TYPE_TENSOR)
		return false;
	out = ir_attrs_string(a, "out_layout");
	return strcmp(ir_attrs_string(a, "data_layout"), layout) == 0 &&
	       strcmp(ir_attrs_string(a, "kernel_layout"),
		      last ? "HWIO" : "OIHW") == 0 &&
	       (!*out || strcmp(out, layout) == 0) &&
	       ir_attrs_int(a, "groups", 1) == 1 &&
	       all_are(ir_attrs_get(a, "strides"), 1) &&
	       all_are(ir_attrs_get(a, "dilation"), 1) &&
	       all_are(ir_attrs_get(a, "padding"), o->kernel / 2) &&
	       is_of_size(ir_as_tensor_type(call->args[1]->type), o->kernel,
			  last);
}

const ir_expr *
sparse_conv_call(ir_module *m, struct loc loc, const ir_expr *data,
		 const ir_expr *const *parts, const struct sparse_conv *o)
{
	int64_t size[] = {o->kernel, o->kernel};

	const ir_expr *args[] = {data, parts[0], parts[1], parts[2]};
	const ir_attrs *a =
		ir_attrs_defaults(m->cx, attrs_schema(ATTRS_SparseConv2D));

	a = ir_attrs_with(m->cx, a, "layout",
			  ATTR_STR(ir_name(m->cx, o->layout)));
	a = ir_attrs_with(m->cx, a, "kernel_size",
			  ir_attr_int_array(m->cx, size, 2, 32));
	return ir_new_op_call(m, loc, OP_nn_sparse_conv2d, args, 4, a);
}

bool
sparse_conv_options(pass_ctx *cx, struct loc loc, struct sparse_conv *o)
{
	o->layout = pass_option(cx, "layout");
	o->kernel = pass_option_int(cx, "kernel-size");
	if (strcmp(o->layout, "NHWC") != 0 && strcmp(o->layout, "NCHW") != 0) {
		pass_error(cx, loc, "option 'layout': NHWC or NCHW, not '%s'",
			   o->layout);
		return false;
	}
	if (o->kernel != 1 && o->kernel != 3) {
		pass_error(cx, loc, "option 'kernel-size': 1 or 3, not %lld",
			   (long long)o->kernel);
		return false;
	}
	return true;
}

struct converter {
	struct params params;
	struct sparse_conv conv;
};

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct converter *v = env;
	const struct ir_call *call = ir_as_call(e);
	const struct named_weight *w;

	(void)old;
	if (!ir_is_call_of(e, OP_nn_conv2d) ||
	    !(w = params_named(&v->params, call->args[1])) ||
	    !sparse_conv_fits(call, &v->conv))
		return e;
	return sparse_conv_call(
		v->params.cx->module, e->loc, call->args[0],
		params_sparse(&v->params, call->args[1], w->sizes)->at,
		&v->conv);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
};

const struct ir_function *
pass_conv2d_to_sparse(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct converter v;

	(void)def;
	if (!sparse_conv_options(cx, fn->base.loc, &v.conv) ||
	    !params_init(&v.params, cx, fn, "weight-name", "weight-shape", 5))
		return fn;
	return params_finish(&v.params,
			     ir_rewrite(cx->module, fn->body, &rules, &v));
}
