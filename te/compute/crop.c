/*
 * Parts of images: crop_and_resize, and darknet's reorganisation.
 */
#include "te/compute/computes.h"

#include "te/compute/layout.h"

static const struct dtype f32 = {DTYPE_FLOAT, 32, 1};

struct crop {
	struct te_call *c;
	struct te_body *b;
	struct ir_layout layout;
	const tir_expr *box;   /* which box */
	const tir_expr *image; /* the image it is of */
};

/* Coordinate along AXIS (0: y, 1: x) of the output pixel in the image. */
static const tir_expr *
coordinate(const struct crop *p, int axis)
{
	struct te_call *c = p->c;
	int k = ir_layout_index(&p->layout, axis ? 'W' : 'H');
	const tir_expr *size =
		te_sub(c, te_lit_extent(c, f32, c->in[0]->shape[k]),
		       te_lit(c, f32, 1));
	int64_t out = p->b->shape[k], in = c->in[0]->shape[k];
	const tir_expr *low = te_at(c, c->in[1], p->box, te_int(c, axis));
	const tir_expr *high = te_at(c, c->in[1], p->box, te_int(c, axis + 2));
	const tir_expr *step;

	low = te_cast(c, f32, low);
	high = te_cast(c, f32, high);
	if (out <= 1)
		return te_mul(
			c, te_mul(c, te_lit(c, f32, 0.5), te_add(c, low, high)),
			size);
	step = te_is_size(in)
		       ? te_div(c, size, te_lit(c, f32, (double)(out - 1)))
		       : te_lit(c, f32, (double)(in - 1) / (double)(out - 1));
	step = te_mul(c, te_sub(c, high, low), step);
	return te_add(c, te_mul(c, low, size),
		      te_mul(c, te_cast(c, f32, p->b->i[k]), step));
}

static const tir_expr *
pixel(const struct crop *p, const tir_expr *y, const tir_expr *x)
{
	struct te_call *c = p->c;
	const struct te_tensor *t = c->in[0];
	int h = ir_layout_index(&p->layout, 'H');
	int w = ir_layout_index(&p->layout, 'W');
	struct te_letters at = te_letters_of(c, &p->layout, p->b->i);

	at.at['N' - 'A'] = p->image;
	at.at['H' - 'A'] =
		te_max(c, te_min(c, y, te_addi(c, te_int(c, t->shape[h]), -1)),
		       te_int(c, 0));
	at.at['W' - 'A'] =
		te_max(c, te_min(c, x, te_addi(c, te_int(c, t->shape[w]), -1)),
		       te_int(c, 0));
	return te_cast(c, f32, te_get_letters(c, t, &p->layout, &at));
}

static const tir_expr *
lerp(struct te_call *c, const tir_expr *a, const tir_expr *b, const tir_expr *t)
{
	return te_add(c, te_mul(c, a, te_sub(c, te_lit(c, f32, 1), t)),
		      te_mul(c, b, t));
}

static const tir_expr *
bilinear(const struct crop *p, const tir_expr *y, const tir_expr *x)
{
	struct te_call *c = p->c;
	const tir_expr *fy = te_unary(c, INTRIN_FLOOR, y);
	const tir_expr *fx = te_unary(c, INTRIN_FLOOR, x);
	const tir_expr *iy = te_cast(c, c->index, fy);
	const tir_expr *ix = te_cast(c, c->index, fx);
	const tir_expr *iy1 = te_addi(c, iy, 1);
	const tir_expr *ix1 = te_addi(c, ix, 1);
	const tir_expr *tx = te_sub(c, x, fx);

	return lerp(c, lerp(c, pixel(p, iy, ix), pixel(p, iy, ix1), tx),
		    lerp(c, pixel(p, iy1, ix), pixel(p, iy1, ix1), tx),
		    te_sub(c, y, fy));
}

static const tir_expr *
inside(const struct crop *p, int axis, const tir_expr *v)
{
	struct te_call *c = p->c;
	int k = ir_layout_index(&p->layout, axis ? 'W' : 'H');

	return te_and(
		c, te_cmp(c, TIR_GE, v, te_lit(c, f32, 0)),
		te_cmp(c, TIR_LE, v,
		       te_sub(c, te_lit_extent(c, f32, c->in[0]->shape[k]),
			      te_lit(c, f32, 1))));
}

bool
compute_image_crop_and_resize(struct te_call *c)
{
	struct crop p = {.c = c};
	const tir_expr *y;
	const tir_expr *x;
	const tir_expr *v;
	struct dtype t = te_out_dtype(c, 0);
	int n;

	if (!te_attr_layout(c, "layout", "NCHW", &p.layout))
		return false;
	n = ir_layout_index(&p.layout, 'N');
	if (c->in[0]->shape[n] == 0 ||
	    c->in[0]->shape[ir_layout_index(&p.layout, 'H')] == 0 ||
	    c->in[0]->shape[ir_layout_index(&p.layout, 'W')] == 0)
		return te_error(c, "there is nothing to crop from");
	p.b = te_begin_out(c, NULL, 0);
	p.box = p.b->i[ir_layout_index(&p.layout, 'N')];
	p.image = te_cast(c, c->index, te_at(c, c->in[2], p.box));
	p.image = te_max(c, te_int(c, 0),
			 te_min(c, p.image,
				te_addi(c, te_int(c, c->in[0]->shape[n]), -1)));
	y = coordinate(&p, 0);
	x = coordinate(&p, 1);
	if (te_attr_string(c, "method")[0] == 'n')
		v = pixel(&p,
			  te_cast(c, c->index, te_unary(c, INTRIN_ROUND, y)),
			  te_cast(c, c->index, te_unary(c, INTRIN_ROUND, x)));
	else
		v = bilinear(&p, y, x);
	v = te_select(c, te_and(c, inside(&p, 0, y), inside(&p, 1, x)),
		      te_cast(c, t, v),
		      te_lit(c, t, te_attr_double(c, "extrapolation_value")));
	return te_output(c, 0, te_end(p.b, v));
}

/*
 * darknet's reorg: channel k of the stretched image [C / s^2, H * s, W * s]
 * is read with step s, then the whole is seen as [C * s^2, H / s, W / s].
 */
bool
compute_vision_yolo_reorg(struct te_call *c)
{
	const struct te_tensor *x = c->in[0];
	int64_t s = te_attr_int(c, "stride", 1);
	int64_t out_c =
		s > 0 && s < 65536 ? te_dim_div(c, x->shape[1], s * s) : 0;
	int64_t shape[4] = {x->shape[0], x->shape[1], x->shape[2], x->shape[3]};
	int64_t out[TE_MAX_RANK];
	uint32_t ndim = te_out_shape(c, 0, out);
	struct te_body *b;
	const tir_expr *k;
	const tir_expr *part;
	struct te_tensor *t;

	if (out_c == 0)
		return te_error(c, "there are fewer channels than pixels in "
				   "a block");
	b = te_begin(c, NULL, NULL, shape, 4);
	k = b->i[1];
	part = te_divi(c, k, out_c);
	t = te_end(
		b,
		te_get_flat(c, x,
			    te_flatten(c,
				       (const tir_expr *const[]){
					       b->i[0], te_modi(c, k, out_c),
					       te_add(c, te_muli(c, b->i[2], s),
						      te_divi(c, part, s)),
					       te_add(c, te_muli(c, b->i[3], s),
						      te_modi(c, part, s))},
				       (const int64_t[]){
					       x->shape[0], out_c,
					       te_dim_mul(c, x->shape[2], s),
					       te_dim_mul(c, x->shape[3], s)},
				       4)));
	return te_output(c, 0, te_reshape_to(c, t, NULL, out, ndim));
}
