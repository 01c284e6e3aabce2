/*
 * Sizes of results of operators on images: windows that slide, pools,
 * resampling, changes of layout. All work on extents by letter (NCHW) and
 * convert at both ends.
 */
#include <string.h>

#include "te/compute/computes.h"
#include "te/compute/layout.h"
#include "te/compute/sizes.h"

bool
sizes_letters(struct te_call *c, uint32_t i, const struct ir_layout *l,
	      struct sizes_letters *out)
{
	const struct te_tensor *t = c->in[i];

	if (t->ndim != l->n)
		return te_error(c, "the layout does not fit input %u", i + 1);
	for (uint32_t k = 0; k < l->n; k++) {
		char letter = l->axis[k].letter;

		if (letter < 'a')
			out->at[letter - 'A'] = te_extent(c, t, l, letter);
		else if (!te_require_equal(c, t->shape[k], l->axis[k].factor,
					   "a block has another extent than "
					   "its layout says"))
			return false;
	}
	return true;
}

bool
sizes_from_letters(struct te_call *c, const struct sizes_letters *s,
		   const struct ir_layout *l, int64_t *out)
{
	if (l->n != te_out_ndim(c, 0))
		return te_error(c, "the layout does not fit the result");
	for (uint32_t k = 0; k < l->n; k++) {
		char letter = l->axis[k].letter;

		out[k] = letter >= 'a'
				 ? l->axis[k].factor
				 : te_dim_div(c, s->at[letter - 'A'],
					      ir_layout_factor(l, letter));
	}
	return true;
}

bool
sizes_slide(struct te_call *c, int64_t n, const struct sizes_window *w,
	    int64_t *out)
{
	const tir_expr *reach = te_addi(
		c, te_muli(c, te_addi(c, te_dim(c, w->size), -1), w->dilation),
		1);
	const tir_expr *room =
		te_sub(c, te_addi(c, te_dim(c, n), w->border), reach);
	const tir_expr *zero = te_dim(c, 0), *fits, *count;
	int64_t up = w->ceil ? w->stride - 1 : 0;

	if (w->stride < 1)
		return te_error(c, "a stride must be positive");
	count = te_divi(c, te_addi(c, room, up), w->stride);
	count = te_addi(c, count, 1);
	fits = te_cmp(c, TIR_GE, room, zero);
	*out = te_dim_of(c, te_select(c, fits, count, zero));
	fits = te_or(c, fits, te_cmp(c, TIR_EQ, te_dim(c, n), zero));
	return te_require(c, fits, n, w->size,
			  "the window is larger than the data") &&
	       te_require(c,
			  te_cmp(c, TIR_GE, te_dim(c, w->size), te_dim(c, 1)),
			  w->size, 1, "the window is empty");
}

int64_t
sizes_number(struct te_call *c, const char *name, int k, int64_t deflt)
{
	int64_t v[6];
	int n = te_attr_ints(c, name, v, 6);

	return n < 1 ? deflt : n == 1 || k >= n ? v[0] : v[k];
}

/* What slides over letter LETTER, spatial axis K of N. */
static bool
slide_letter(struct te_call *c, struct sizes_letters *s, char letter, int k,
	     int n, int64_t size)
{
	int64_t before[3], after[3], *at = &s->at[letter - 'A'];
	const char *dilation =
		ir_attrs_get(c->attrs, "dilations") ? "dilations" : "dilation";
	struct sizes_window w = {
		.size = size,
		.stride = sizes_number(c, "strides", k, 1),
		.dilation = sizes_number(c, dilation, k, 1),
		.ceil = ir_attrs_get(c->attrs, "ceil_mode") &&
			te_attr_bool(c, "ceil_mode"),
	};

	if (!te_attr_padding(c, n, before, after))
		return false;
	w.border = before[k] + after[k];
	return sizes_slide(c, *at, &w, at);
}

/* The other way round: what slid over the result made the data. */
static bool
unslide_letter(struct te_call *c, struct sizes_letters *s, char letter, int k,
	       int n, int64_t size)
{
	int64_t before[3], after[3], *at = &s->at[letter - 'A'], in = *at;
	const tir_expr *e = te_addi(c, te_dim(c, in), -1), *reach;

	if (!te_attr_padding(c, n, before, after))
		return false;
	reach = te_addi(c, te_dim(c, size), -1);
	reach = te_muli(c, reach, sizes_number(c, "dilation", k, 1));
	e = te_muli(c, e, sizes_number(c, "strides", k, 1));
	e = te_addi(c, te_add(c, e, reach),
		    1 - before[k] - after[k] +
			    sizes_number(c, "output_padding", k, 0));
	*at = te_dim_of(c, e);
	return te_require(c, te_cmp(c, TIR_GE, e, te_dim(c, 0)), in, size,
			  "the extent and the window give no valid extent");
}

static const char *const data_layouts[] = {"", "NCW", "NCHW", "NCDHW"};
static const char *const kernel_layouts[] = {"", "OIW", "OIHW", "OIDHW"};

/* A convolution's layouts and sizes, as far as they matter here. */
struct conv {
	struct ir_layout data, out, kernel;
	char letters[4];
	int n;
	uint32_t weight; /* which input it is */
	int64_t size[3];
	int64_t groups, channels;
	struct sizes_letters x, w;
	bool blind; /* the weight has a form of its own */
};

static bool
read_kernel(struct te_call *c, struct conv *v)
{
	const struct te_tensor *w = c->in[v->weight];

	if (!te_attr_layout(c, "kernel_layout", kernel_layouts[v->n],
			    &v->kernel))
		return false;
	if (v->kernel.n == 4 && w->ndim == 6) {
		for (uint32_t k = 4; k < 6; k++) {
			if (te_is_size(w->shape[k]))
				return sizes_refuse(c, "a block of the weight");
			v->kernel.axis[k] = (struct ir_layout_axis){
				k == 4 ? 'i' : 'o', w->shape[k]};
		}
		v->kernel.n = 6;
	}
	if (!sizes_letters(c, v->weight, &v->kernel, &v->w))
		return false;
	for (int k = 0; k < v->n; k++)
		v->size[k] = v->w.at[v->letters[k] - 'A'];
	return true;
}

static bool
read_conv(struct te_call *c, struct conv *v)
{
	const ir_attr *channels = ir_attrs_get(c->attrs, "channels");
	uint32_t ndim = c->in[0]->ndim;

	if (!te_attr_layout(c, "data_layout",
			    data_layouts[ndim < 4   ? 1
					 : ndim > 4 ? 3
						    : 2],
			    &v->data))
		return false;
	v->n = te_spatial_letters(&v->data, v->letters);
	v->out = v->data;
	if (ir_attrs_get(c->attrs, "out_layout") &&
	    !te_attr_layout(c, "out_layout", te_attr_string(c, "data_layout"),
			    &v->out))
		return false;
	v->groups = ir_attrs_get(c->attrs, "groups")
			    ? te_attr_int(c, "groups", 1)
			    : 1;
	if (v->groups < 1)
		return te_error(c, "there are no groups");
	if (!sizes_letters(c, 0, &v->data, &v->x))
		return false;
	for (int k = 0; k < v->n && v->blind; k++)
		v->size[k] = sizes_number(c, "kernel_size", k, 1);
	if (!v->blind && !read_kernel(c, v))
		return false;
	v->channels = channels && channels->kind == ATTR_INT ? channels->i : -1;
	return true;
}

#define AT(s, c) ((s).at[(c) - 'A'])

/*
 * The weight has the channels of one group; one for each channel may hold
 * those of the result in two axes.
 */
static bool
kernel_fits(struct te_call *c, const struct conv *v)
{
	int64_t in = AT(v->w, 'I'), rows = AT(v->w, 'O');
	int64_t want = AT(v->x, 'C');
	const tir_expr *ok =
		te_cmp(c, TIR_EQ, te_muli(c, te_dim(c, in), v->groups),
		       te_dim(c, want));
	const tir_expr *deep =
		te_cmp(c, TIR_EQ, te_dim(c, want), te_dim(c, v->groups));
	const tir_expr *all =
		te_cmp(c, TIR_EQ, te_mul(c, te_dim(c, in), te_dim(c, rows)),
		       te_dim(c, v->channels));

	return te_require(c, te_or(c, ok, te_and(c, deep, all)), in, want,
			  "the weight does not fit the channels of the data");
}

static bool
divides(struct te_call *c, int64_t groups, int64_t channels)
{
	return groups == 1 ||
	       te_require(c,
			  te_cmp(c, TIR_EQ,
				 te_modi(c, te_dim(c, channels), groups),
				 te_dim(c, 0)),
			  channels, groups,
			  "the groups do not divide the channels");
}

static bool
conv_sizes(struct te_call *c, int64_t *const *out, struct conv *v,
	   bool transposed)
{
	bool ok;

	if (!read_conv(c, v))
		return false;
	if (v->channels < 0)
		v->channels = te_dim_mul(c, AT(v->w, 'O'),
					 transposed ? v->groups : 1);
	if (!divides(c, v->groups, AT(v->x, 'C')) ||
	    !divides(c, v->groups, v->channels))
		return false;
	if (transposed)
		ok = te_require_equal(c, AT(v->w, 'I'), AT(v->x, 'C'),
				      "the weight does not fit the channels "
				      "of the data") &&
		     te_require_equal(c,
				      te_dim_mul(c, AT(v->w, 'O'), v->groups),
				      v->channels,
				      "the weight does not fit the channels "
				      "of the result");
	else
		ok = v->blind || kernel_fits(c, v);
	AT(v->x, 'C') = v->channels;
	for (int k = 0; k < v->n && ok; k++)
		ok = (transposed ? unslide_letter : slide_letter)(
			c, &v->x, v->letters[k], k, v->n, v->size[k]);
	return ok && sizes_from_letters(c, &v->x, &v->out, out[0]);
}

bool
sizes_conv(struct te_call *c, int64_t *const *out)
{
	struct conv v = {.weight = 1};

	return conv_sizes(c, out, &v, false);
}

bool
sizes_conv_transpose(struct te_call *c, int64_t *const *out)
{
	struct conv v = {.weight = 1};

	return conv_sizes(c, out, &v, true);
}

bool
sizes_blind_conv(struct te_call *c, int64_t *const *out)
{
	struct conv v = {.weight = 1, .blind = true};

	return conv_sizes(c, out, &v, false);
}

/* Two offsets for each tap and group, at each place of the result. */
bool
sizes_deformable_conv(struct te_call *c, int64_t *const *out)
{
	struct conv v = {.weight = 2};
	int64_t n, want[LAYOUT_MAX_AXES];

	if (!conv_sizes(c, out, &v, false))
		return false;
	n = te_dim_mul(c, v.size[0], v.size[1]);
	AT(v.x, 'C') =
		te_dim_mul(c, n, 2 * te_attr_int(c, "deformable_groups", 1));
	return sizes_from_letters(c, &v.x, &v.data, want) &&
	       te_expect_shape(c, 1, want, v.data.n);
}

bool
sizes_bitserial_conv(struct te_call *c, int64_t *const *out)
{
	struct conv v = {.weight = 1, .blind = true};

	return conv_sizes(c, out, &v, false);
}

bool
sizes_dilation(struct te_call *c, int64_t *const *out)
{
	struct ir_layout data, kernel;
	struct sizes_letters x, w;

	if (!te_attr_layout(c, "data_layout", "NCHW", &data) ||
	    !te_attr_layout(c, "kernel_layout", "IHW", &kernel) ||
	    !sizes_letters(c, 0, &data, &x) ||
	    !sizes_letters(c, 1, &kernel, &w) ||
	    !te_require_equal(c, AT(x, 'C'), AT(w, 'I'),
			      "the weights do not fit the channels"))
		return false;
	for (int k = 0; k < 2; k++)
		if (!slide_letter(c, &x, "HW"[k], k, 2, AT(w, "HW"[k])))
			return false;
	return sizes_from_letters(c, &x, &data, out[0]);
}

/* The gradient of a convolution for its weight. */
bool
sizes_backward_weight(struct te_call *c, int64_t *const *out)
{
	struct ir_layout grad, data, weight;
	struct sizes_letters g, d, w;
	int64_t groups = te_attr_int(c, "groups", 1);
	const ir_attr *channels = ir_attrs_get(c->attrs, "channels");

	if (!te_attr_layout(c, "data_layout", "NCHW", &grad) ||
	    !te_attr_layout(c, "kernel_layout", "NCHW", &data) ||
	    !te_attr_layout(c, "out_layout", "OIHW", &weight) ||
	    !sizes_letters(c, 0, &grad, &g) || !sizes_letters(c, 1, &data, &d))
		return false;
	if (groups != 1 && channels && channels->kind == ATTR_INT &&
	    (te_is_size(AT(d, 'C')) || te_is_size(AT(g, 'C'))))
		return sizes_refuse(c, "the channels of a grouped gradient");
	if (!te_require_equal(c, AT(g, 'N'), AT(d, 'N'),
			      "gradient and data differ in the batch") ||
	    !divides(c, groups, AT(d, 'C')) || !divides(c, groups, AT(g, 'C')))
		return false;
	AT(w, 'O') = AT(g, 'C');
	AT(w, 'I') = te_dim_div(c, AT(d, 'C'), groups);
	if (groups > 1 && AT(d, 'C') == groups && AT(g, 'C') == groups &&
	    channels && channels->kind == ATTR_INT)
		AT(w, 'I') = channels->i / groups;
	for (int k = 0; k < 2; k++)
		AT(w, "HW"[k]) = sizes_number(c, "kernel_size", k, 1);
	return sizes_from_letters(c, &w, &weight, out[0]);
}

bool
sizes_correlation(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[0];
	int64_t k = te_attr_int(c, "kernel_size", 1);
	int64_t reach = te_attr_int(c, "max_displacement", 1);
	int64_t step = te_attr_int(c, "stride2", 1), before[2], after[2];
	struct sizes_window w = {
		.size = 2 * (reach + (k - 1) / 2) + 1,
		.stride = te_attr_int(c, "stride1", 1),
		.dilation = 1,
	};

	if (step < 1 || !te_attr_padding(c, 2, before, after))
		return te_error(c, "the strides must be positive");
	out[0][0] = x->shape[0];
	out[0][1] = (2 * (reach / step) + 1) * (2 * (reach / step) + 1);
	for (uint32_t d = 0; d < 2; d++) {
		w.border = before[d] + after[d];
		if (!sizes_slide(c, x->shape[2 + d], &w, &out[0][2 + d]))
			return false;
	}
	return true;
}

/* The extents of images in the layout that the operator names. */
static bool
images(struct te_call *c, struct ir_layout *l, struct sizes_letters *x)
{
	return te_attr_layout(c, "layout", "NCHW", l) &&
	       sizes_letters(c, 0, l, x);
}

bool
sizes_pool(struct te_call *c, int64_t *const *out)
{
	struct ir_layout l;
	struct sizes_letters x;
	char letters[4];
	int n;

	if (!images(c, &l, &x))
		return false;
	n = te_spatial_letters(&l, letters);
	for (int k = 0; k < n; k++)
		if (!slide_letter(c, &x, letters[k], k, n,
				  sizes_number(c, "pool_size", k, 1)))
			return false;
	return sizes_from_letters(c, &x, &l, out[0]);
}

/* (gradient, data): the data's shape, and the gradient's is that of the pool. */
bool
sizes_pool_grad(struct te_call *c, int64_t *const *out)
{
	const struct te_tensor *x = c->in[1];
	int64_t pooled[TE_MAX_RANK];
	struct sizes_letters s;
	struct ir_layout l;

	if (!te_attr_layout(c, "layout", "NCHW", &l) ||
	    !sizes_letters(c, 1, &l, &s))
		return false;
	for (int k = 0; k < 2; k++)
		if (!slide_letter(c, &s, "HW"[k], k, 2,
				  sizes_number(c, "pool_size", k, 1)))
			return false;
	sizes_copy(out[0], x);
	return sizes_from_letters(c, &s, &l, pooled) &&
	       te_expect_shape(c, 0, pooled, x->ndim);
}

/* Sizes of an attribute win over the extents of the data. */
static bool
to_size(struct te_call *c, int64_t *out, const char *name)
{
	struct ir_layout l;
	struct sizes_letters x;
	char letters[4];
	int64_t size[3];
	int n, given = te_attr_ints(c, name, size, 3);

	if (!images(c, &l, &x))
		return false;
	n = te_spatial_letters(&l, letters);
	for (int k = 0; k < n && given > 0; k++)
		AT(x, letters[k]) = size[given == 1 ? 0 : k];
	return sizes_from_letters(c, &x, &l, out);
}

static bool
to_one(struct te_call *c, int64_t *out)
{
	struct ir_layout l;
	struct sizes_letters x;

	if (!images(c, &l, &x))
		return false;
	AT(x, 'H') = AT(x, 'W') = 1;
	return sizes_from_letters(c, &x, &l, out);
}

bool
sizes_adaptive_pool(struct te_call *c, int64_t *const *out)
{
	if (c->op->id == OP_nn_global_avg_pool2d ||
	    c->op->id == OP_nn_global_max_pool2d)
		return to_one(c, out[0]);
	return to_size(c, out[0], "output_size");
}

/* Sizes that are the values of input 1. */
static bool
size_of_input(struct te_call *c, int64_t *out)
{
	struct ir_layout l;
	struct sizes_letters x;

	if (!images(c, &l, &x))
		return false;
	for (int k = 0; k < 2; k++) {
		const tir_expr *v;

		if (!sizes_read(c, 1, k, &v))
			return false;
		AT(x, "HW"[k]) = te_dim_of(c, v);
	}
	return sizes_from_letters(c, &x, &l, out);
}

bool
sizes_resize(struct te_call *c, int64_t *const *out)
{
	return c->op->id == OP_dyn_image_resize2d ? size_of_input(c, out[0])
						  : to_size(c, out[0], "size");
}

/* N times the real FACTOR, rounded, halves to even. */
static int64_t
scaled(struct te_call *c, int64_t n, const tir_expr *factor)
{
	static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};
	const tir_expr *v = te_mul(c, te_cast(c, f64, te_dim(c, n)), factor);
	const tir_expr *low = te_unary(c, INTRIN_FLOOR, v);
	const tir_expr *rest = te_sub(c, v, low), *half = te_lit(c, f64, 0.5);
	const tir_expr *whole = te_cast(c, DTYPE(INT, 64), low);
	const tir_expr *odd =
		te_cmp(c, TIR_EQ, te_modi(c, whole, 2), te_dim(c, 1));
	const tir_expr *up =
		te_or(c, te_cmp(c, TIR_GT, rest, half),
		      te_and(c, te_cmp(c, TIR_EQ, rest, half), odd));

	return te_dim_of(c, te_select(c, up, te_addi(c, whole, 1), whole));
}

/* The factor of spatial axis K: an attribute, or a value. */
static bool
factor_at(struct te_call *c, int k, char letter, const tir_expr **out)
{
	static const struct dtype f64 = {DTYPE_FLOAT, 64, 1};
	const char *name = letter == 'D'   ? "scale_d"
			   : letter == 'H' ? "scale_h"
					   : "scale_w";

	if (c->op->id == OP_nn_upsampling || c->op->id == OP_nn_upsampling3d) {
		*out = tir_float(c->m, f64, te_attr_double(c, name));
		return true;
	}
	if (!sizes_read(c, (uint32_t)k + 1, 0, out))
		return false;
	*out = te_cast(c, f64, *out);
	return te_require(c, te_cmp(c, TIR_GT, *out, te_zero(c, f64)), k, k,
			  "a scale must be positive");
}

bool
sizes_upsampling(struct te_call *c, int64_t *const *out)
{
	struct ir_layout l;
	struct sizes_letters x;
	char letters[4];
	int n;

	if (!images(c, &l, &x))
		return false;
	n = te_spatial_letters(&l, letters);
	for (int k = 0; k < n; k++) {
		const tir_expr *f;

		if (!factor_at(c, k, letters[k], &f))
			return false;
		AT(x, letters[k]) = scaled(c, AT(x, letters[k]), f);
	}
	return sizes_from_letters(c, &x, &l, out[0]);
}

bool
sizes_space_to_depth(struct te_call *c, int64_t *const *out)
{
	int64_t b = te_attr_int(c, "block_size", 1);
	struct ir_layout l;
	struct sizes_letters x;

	if (b < 1 || b > INT32_MAX)
		return te_error(c, "the block must be positive");
	if (!images(c, &l, &x))
		return false;
	if (c->op->id == OP_nn_depth_to_space) {
		AT(x, 'C') = te_dim_div(c, AT(x, 'C'), b * b);
		AT(x, 'H') = te_dim_mul(c, AT(x, 'H'), b);
		AT(x, 'W') = te_dim_mul(c, AT(x, 'W'), b);
	} else {
		AT(x, 'C') = te_dim_mul(c, AT(x, 'C'), b * b);
		AT(x, 'H') = te_dim_div(c, AT(x, 'H'), b);
		AT(x, 'W') = te_dim_div(c, AT(x, 'W'), b);
	}
	return sizes_from_letters(c, &x, &l, out[0]);
}

bool
sizes_layout_transform(struct te_call *c, int64_t *const *out)
{
	struct ir_layout from, to;
	struct sizes_letters x;

	if (!ir_layout_parse(te_attr_string(c, "src_layout"), &from) ||
	    !ir_layout_parse(te_attr_string(c, "dst_layout"), &to))
		return te_error(c, "the layouts do not fit the data");
	return sizes_letters(c, 0, &from, &x) &&
	       sizes_from_letters(c, &x, &to, out[0]);
}

/* Boxes, cut out of images and brought to one size. */
bool
sizes_crops(struct te_call *c, int64_t *const *out)
{
	struct ir_layout l;
	struct sizes_letters x;

	if (!images(c, &l, &x))
		return false;
	AT(x, 'N') = c->in[1]->shape[0];
	for (int k = 0; k < 2; k++)
		AT(x, "HW"[k]) = sizes_number(c, "crop_size", k, 1);
	return te_require_equal(c, c->in[1]->shape[0], c->in[2]->shape[0],
				"there are not as many indices as boxes") &&
	       te_require_equal(c, c->in[1]->shape[1], 4,
				"a box has another number of corners") &&
	       sizes_from_letters(c, &x, &l, out[0]);
}

/* Regions come from the second input, channels from the first. */
bool
sizes_regions(struct te_call *c, int64_t *const *out)
{
	struct ir_layout l;
	struct sizes_letters x;

	if (!images(c, &l, &x))
		return false;
	AT(x, 'N') = c->in[1]->shape[0];
	for (int k = 0; k < 2; k++)
		AT(x, "HW"[k]) = sizes_number(c, "pooled_size", k, 1);
	return sizes_from_letters(c, &x, &l, out[0]);
}
