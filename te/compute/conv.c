/*
 * Convolutions of one, two and three dimensions, in any layout, grouped and
 * depthwise, transposed, and on quantized values.
 */
#include "te/compute/computes.h"

#include "te/compute/layout.h"
#include "te/compute/qnn.h"

struct conv {
	struct te_call *c;
	struct ir_layout data, kernel, out;
	char letters[4]; /* spatial axes: "HW" */
	int n;           /* how many */
	int64_t stride[3], dilation[3];
	int64_t before[3], after[3];
	int64_t extent[3]; /* of the kernel */
	int64_t groups;
	int64_t in_channels, out_channels;
	struct te_tensor *x, *w;
};

static const char *const default_layouts[][2] = {
	{"NCW", "OIW"},
	{"NCHW", "OIHW"},
	{"NCDHW", "OIDHW"},
};

static int
rank_of(const struct te_call *c)
{
	switch ((int)c->op->id) {
	case OP_nn_conv1d:
	case OP_nn_conv1d_transpose:
		return 1;
	case OP_nn_conv3d:
	case OP_nn_conv3d_transpose:
		return 3;
	default:
		return 2;
	}
}

static bool
spread(struct te_call *c, const char *name, int n, int64_t *out)
{
	int count = te_attr_ints(c, name, out, 3);

	if (count != 1 && count != n)
		return te_error(c, "%s is not known", name);
	for (int k = count; k < n; k++)
		out[k] = out[0];
	return true;
}

/*
 * The channel-blocked operators do not say how the kernel is blocked: behind
 * the four axes stand the input and the output channels of a block.
 */
static void
block_kernel(struct ir_layout *l, const struct te_tensor *w)
{
	l->axis[4] = (struct ir_layout_axis){'i', w->shape[4]};
	l->axis[5] = (struct ir_layout_axis){'o', w->shape[5]};
	l->n = 6;
}

/* As far as is known now; for the rest, the sizes are checked. */
static bool
divides(int64_t groups, int64_t channels)
{
	return te_is_size(channels) || channels % groups == 0;
}

static bool
read_conv(struct conv *v, struct te_call *c)
{
	const char *const *layouts = default_layouts[rank_of(c) - 1];
	const char *data;
	int64_t shape[TE_MAX_RANK];

	*v = (struct conv){.c = c, .x = c->in[0], .w = c->in[1]};
	data = te_attr_string(c, "data_layout");
	if (!te_attr_layout(c, "data_layout", layouts[0], &v->data) ||
	    !te_attr_layout(c, "kernel_layout", layouts[1], &v->kernel) ||
	    !te_attr_layout(c, "out_layout", data, &v->out))
		return false;
	if (v->kernel.n == 4 && v->w->ndim == 6)
		block_kernel(&v->kernel, v->w);
	v->n = te_spatial_letters(&v->data, v->letters);
	if (v->data.n != v->x->ndim || v->kernel.n != v->w->ndim ||
	    v->out.n != te_out_ndim(c, 0) || v->n != rank_of(c))
		return te_error(c, "the layouts do not fit the inputs");
	if (!spread(c, "strides", v->n, v->stride) ||
	    !spread(c, "dilation", v->n, v->dilation) ||
	    !te_attr_padding(c, v->n, v->before, v->after))
		return false;
	if (ir_layout_index(&v->out, 'C') < 0)
		return te_error(c, "the layout of the result has no channels");
	v->groups = te_attr_int(c, "groups", 1);
	v->in_channels = te_extent(v->c, v->x, &v->data, 'C');
	te_out_shape(c, 0, shape);
	v->out_channels = te_dim_mul(c, shape[ir_layout_index(&v->out, 'C')],
				     ir_layout_factor(&v->out, 'C'));
	for (int k = 0; k < v->n; k++)
		v->extent[k] = te_extent(v->c, v->w, &v->kernel, v->letters[k]);
	if (v->groups <= 0 || !divides(v->groups, v->in_channels) ||
	    !divides(v->groups, v->out_channels))
		return te_error(c, "%lld groups do not divide the channels",
				(long long)v->groups);
	return true;
}

/*
 * The kernel has the channels of one group; a depthwise one may hold those of
 * the result in two axes.
 */
static bool
kernel_fits(const struct conv *v)
{
	int64_t in = te_extent(v->c, v->w, &v->kernel, 'I');
	int64_t out = te_extent(v->c, v->w, &v->kernel, 'O');

	if (te_is_size(v->in_channels) || te_is_size(in) || te_is_size(out) ||
	    te_is_size(v->out_channels) || in * v->groups == v->in_channels ||
	    (v->groups == v->in_channels && in * out == v->out_channels))
		return true;
	return te_error(v->c, "the kernel has %lld input channels, not %lld",
			(long long)in, (long long)(v->in_channels / v->groups));
}

/* Quantized operands lose their zero points first, so that padding is 0. */
static void
drop_zero_points(struct conv *v)
{
	enum op_id op = v->c->op->id;
	char out = op == OP_qnn_conv2d ? 'O' : 'I';
	int axis = ir_layout_index(&v->kernel, out);

	if (op != OP_qnn_conv2d && op != OP_qnn_conv2d_transpose)
		return;
	v->x = te_without_zero(v->c, v->x, 2, 0);
	v->w = te_without_zero(v->c, v->w, 3, axis < 0 ? 0 : (uint32_t)axis);
}

/* X with zeros around its spatial axes. */
static struct te_tensor *
padded(struct conv *v, struct te_tensor *x, const int64_t *before,
       const int64_t *after)
{
	int64_t front[TE_MAX_RANK] = {0};
	int64_t back[TE_MAX_RANK] = {0};

	for (int k = 0; k < v->n; k++) {
		int axis = ir_layout_index(&v->data, v->letters[k]);

		front[axis] = before[k];
		back[axis] = after[k];
	}
	return te_pad_with(v->c, x, "pad_temp", front, back,
			   te_zero(v->c, x->dtype));
}

/* Which of the two it is, only the run knows. */
static void
unknown_channels(struct conv *v, struct te_letters *w, const tir_expr *oc,
		 const tir_expr *ic)
{
	struct te_call *c = v->c;
	const tir_expr *rows = te_int(c, te_extent(c, v->w, &v->kernel, 'O'));
	const tir_expr *in = te_int(c, v->in_channels);
	const tir_expr *out = te_int(c, v->out_channels);
	const tir_expr *multiplier =
		te_div(c, out, te_max(c, in, te_int(c, 1)));
	const tir_expr *deep =
		te_and(c, te_cmp(c, TIR_EQ, in, te_int(c, v->groups)),
		       te_and(c, te_cmp(c, TIR_EQ, rows, in),
			      te_cmp(c, TIR_NE, rows, out)));

	multiplier = te_max(c, multiplier, te_int(c, 1));
	w->at['O' - 'A'] = te_select(c, deep, te_div(c, oc, multiplier), oc);
	w->at['I' - 'A'] = te_select(c, deep, te_mod(c, oc, multiplier), ic);
}

/*
 * The kernel's element for output channel OC and channel IC within a group.
 * Depthwise kernels may be laid out as [channel, multiplier].
 */
static void
kernel_channels(struct conv *v, struct te_letters *w, const tir_expr *oc,
		const tir_expr *ic)
{
	int64_t rows = te_extent(v->c, v->w, &v->kernel, 'O');
	int64_t multiplier;

	if (v->groups > 1 && (te_is_size(rows) || te_is_size(v->out_channels) ||
			      te_is_size(v->in_channels))) {
		unknown_channels(v, w, oc, ic);
		return;
	}
	multiplier = v->groups > 1 && v->in_channels
			     ? v->out_channels / v->in_channels
			     : 0;
	if (rows != v->out_channels && v->groups == v->in_channels &&
	    rows == v->in_channels && multiplier > 0) {
		w->at['O' - 'A'] = te_divi(v->c, oc, multiplier);
		w->at['I' - 'A'] = te_modi(v->c, oc, multiplier);
		return;
	}
	w->at['O' - 'A'] = oc;
	w->at['I' - 'A'] = ic;
}

static const tir_expr *
data_channel(struct conv *v, const tir_expr *oc, const tir_expr *ic)
{
	int64_t per_group = te_dim_div(v->c, v->in_channels, v->groups);
	const tir_expr *group;

	if (v->groups == 1)
		return ic;
	group = te_divi(v->c, oc, te_dim_div(v->c, v->out_channels, v->groups));
	return te_add(v->c, te_muli(v->c, group, per_group), ic);
}

bool
compute_nn_conv(struct te_call *c)
{
	static const char *const fold_names[] = {"ry", "rx", "rz"};
	struct conv v;
	struct te_tensor *x;
	struct te_body *b;
	struct te_letters out, data, w = {{NULL}};
	struct dtype t = te_out_dtype(c, 0);
	const tir_expr *ic;
	const tir_expr *oc;

	if (!read_conv(&v, c) || !kernel_fits(&v))
		return false;
	drop_zero_points(&v);
	x = padded(&v, v.x, v.before, v.after);
	b = te_begin_out(c, NULL, 0);
	out = te_letters_of(c, &v.out, b->i);
	oc = out.at['C' - 'A'];
	ic = te_fold_axis(b, "rc", te_dim_div(c, v.in_channels, v.groups));
	data = out;
	for (int k = 0; k < v.n; k++) {
		int letter = v.letters[k] - 'A';
		const tir_expr *r = te_fold_axis(b, fold_names[k], v.extent[k]);

		w.at[letter] = r;
		data.at[letter] =
			te_add(c, te_muli(c, out.at[letter], v.stride[k]),
			       te_muli(c, r, v.dilation[k]));
	}
	data.at['C' - 'A'] = data_channel(&v, oc, ic);
	kernel_channels(&v, &w, oc, ic);
	return te_output(
		c, 0,
		te_end_fold(
			b, TE_SUM,
			te_mul(c,
			       te_cast(c, t,
				       te_get_letters(c, x, &v.data, &data)),
			       te_cast(c, t,
				       te_get_letters(c, v.w, &v.kernel,
						      &w)))));
}

/* N elements with STRIDE - 1 others between each two. */
static int64_t
spread_extent(struct te_call *c, int64_t n, int64_t stride)
{
	const tir_expr *e = te_muli(c, te_addi(c, te_dim(c, n), -1), stride);

	if (stride == 1)
		return n;
	if (!te_is_size(n))
		return (n - 1) * stride + 1;
	return te_dim_of(c, te_max(c, te_addi(c, e, 1), te_dim(c, 0)));
}

/* X with STRIDE - 1 zeros between its elements along spatial axes. */
static struct te_tensor *
dilated(struct conv *v)
{
	struct te_call *c = v->c;
	int64_t shape[TE_MAX_RANK];
	const tir_expr *index[TE_MAX_RANK];
	const tir_expr *hit = NULL;
	struct te_body *b;
	bool any = false;

	for (uint32_t i = 0; i < v->x->ndim; i++)
		shape[i] = v->x->shape[i];
	for (int k = 0; k < v->n; k++) {
		int axis = ir_layout_index(&v->data, v->letters[k]);

		shape[axis] = spread_extent(c, shape[axis], v->stride[k]);
		any |= v->stride[k] > 1;
	}
	if (!any)
		return v->x;
	b = te_begin(c, "data_dilate", NULL, shape, v->x->ndim);
	for (uint32_t i = 0; i < b->ndim; i++)
		index[i] = b->i[i];
	for (int k = 0; k < v->n; k++) {
		int axis = ir_layout_index(&v->data, v->letters[k]);
		const tir_expr *ok;

		if (v->stride[k] == 1)
			continue;
		ok = te_cmp(c, TIR_EQ, te_modi(c, b->i[axis], v->stride[k]),
			    te_int(c, 0));
		hit = hit ? te_and(c, hit, ok) : ok;
		index[axis] = te_divi(c, b->i[axis], v->stride[k]);
	}
	return te_end(b, te_guard(c, hit, te_get(c, v->x, index),
				  te_zero(c, v->x->dtype)));
}

/*
 * Where the kernel's extent is not known, no border is put around X: the
 * place in AT is brought to X itself, and the condition says whether it is
 * there.
 */
static const tir_expr *
unpadded(struct conv *v, int k, const struct te_tensor *x,
	 struct te_letters *at, const tir_expr *cond)
{
	struct te_call *c = v->c;
	const tir_expr **i = &at->at[v->letters[k] - 'A'], *reach, *ok;

	reach = te_muli(c, te_addi(c, te_int(c, v->extent[k]), -1),
			v->dilation[k]);
	*i = te_sub(c, *i, te_addi(c, reach, -v->before[k]));
	ok = te_within(c, *i, 0,
		       x->shape[ir_layout_index(&v->data, v->letters[k])]);
	return cond ? te_and(c, cond, ok) : ok;
}

/*
 * Transposed: zeros between the elements, a border of what the kernel
 * reaches beyond the padding, then a convolution with the kernel turned
 * round. The kernel is [in, out / groups, ...].
 */
bool
compute_nn_conv_transpose(struct te_call *c)
{
	static const char *const fold_names[] = {"ry", "rx", "rz"};
	struct conv v;
	struct te_tensor *x;
	struct te_body *b;
	struct te_letters out, data, w = {{NULL}};
	struct dtype t = te_out_dtype(c, 0);
	int64_t extra[3] = {0};
	int64_t before[3], after[3];
	int64_t per_group;
	const tir_expr *ic;
	const tir_expr *oc;
	const tir_expr *inside = NULL;
	bool known = true;

	if (!read_conv(&v, c) || !spread(c, "output_padding", v.n, extra))
		return false;
	for (int k = 0; k < v.n; k++)
		known = known && !te_is_size(v.extent[k]);
	for (int k = 0; k < v.n && known; k++) {
		int64_t reach = (v.extent[k] - 1) * v.dilation[k];

		before[k] = reach - v.before[k];
		after[k] = reach - v.after[k] + extra[k];
	}
	drop_zero_points(&v);
	x = dilated(&v);
	if (known)
		x = padded(&v, x, before, after);
	b = te_begin_out(c, NULL, 0);
	out = te_letters_of(c, &v.out, b->i);
	oc = out.at['C' - 'A'];
	per_group = te_dim_div(c, v.out_channels, v.groups);
	ic = te_fold_axis(b, "rc", te_dim_div(c, v.in_channels, v.groups));
	data = out;
	for (int k = 0; k < v.n; k++) {
		int letter = v.letters[k] - 'A';
		const tir_expr *r = te_fold_axis(b, fold_names[k], v.extent[k]);

		w.at[letter] =
			te_sub(c, te_addi(c, te_int(c, v.extent[k]), -1), r);
		data.at[letter] =
			te_add(c, out.at[letter], te_muli(c, r, v.dilation[k]));
		if (!known)
			inside = unpadded(&v, k, x, &data, inside);
	}
	data.at['C' - 'A'] = data_channel(&v, oc, ic);
	w.at['I' - 'A'] = data.at['C' - 'A'];
	w.at['O' - 'A'] = v.groups == 1 ? oc : te_modi(c, oc, per_group);
	return te_output(
		c, 0,
		te_end_fold_where(
			b, TE_SUM,
			te_mul(c,
			       te_cast(c, t,
				       te_get_letters(c, x, &v.data, &data)),
			       te_cast(c, t,
				       te_get_letters(c, v.w, &v.kernel, &w))),
			inside));
}
