/*
 * Convolutions by Winograd's way: tiles of TILE outputs from TILE + R - 1
 * inputs with as many products, where R is the extent of the kernel.
 *
 * Along one axis, y = A'((G g) * (B'd)) for matrices that follow from the
 * values of polynomials at TILE + R - 2 points and at infinity (Toom and
 * Cook): row i of G holds the powers of point a_i over prod(a_i - a_k), row
 * i of A its powers, column i of B the coefficients of prod(x - a_k), k != i.
 * Axes are transformed one after the other.
 */
#include "te/compute/computes.h"

#include "te/compute/layout.h"

enum { MAX_TILE = 16 };

/* In three dimensions depths from 3 to 7 are transformed, too. */
enum { MIN_DEPTH = 3, MAX_DEPTH = 7 };

struct matrices {
	int64_t tile, kernel, n; /* n = tile + kernel - 1 */
	double a[MAX_TILE][MAX_TILE];
	double b[MAX_TILE][MAX_TILE];
	double g[MAX_TILE][MAX_TILE];
};

/* Points that keep the numbers small, for N of them. */
static void
choose_points(int64_t n, double *a)
{
	static const double few[] = {0, -1, 1, 0.5, -2, -0.5};
	static const double many[] = {0, -1,   1,  0.5,  -0.5,  2,   -2,  -0.25,
				      4, 0.25, -4, 0.75, -0.75, 1.5, -1.5};

	for (int64_t i = 0; i < n; i++)
		a[i] = n > 6 ? many[i] : few[i];
}

/* The coefficients of prod(x - a[k]), k != SKIP; [0] is the constant. */
static void
expand(const double *a, int64_t n, int64_t skip, double *coef)
{
	int64_t degree = 0;

	coef[0] = 1;
	for (int64_t k = 0; k < n; k++) {
		if (k == skip)
			continue;
		coef[++degree] = 0;
		for (int64_t i = degree; i > 0; i--)
			coef[i] = coef[i - 1] - a[k] * coef[i];
		coef[0] *= -a[k];
	}
}

static void
put_powers(double (*m)[MAX_TILE], const double *a, int64_t rows, int64_t cols)
{
	for (int64_t i = 0; i < rows; i++) {
		double v = 1;

		for (int64_t j = 0; j < cols; j++, v *= a[i])
			m[i][j] = i == rows - 1 ? j == cols - 1 : v;
	}
}

/* The matrices for one axis; false if they get too large. */
static bool
make_matrices(struct te_call *c, int64_t tile, int64_t kernel,
	      struct matrices *w)
{
	double a[MAX_TILE] = {0}, coef[MAX_TILE + 1];
	int64_t n = tile + kernel - 1;

	if (tile < 1 || kernel < 1 || n > MAX_TILE - 1)
		return te_error(c,
				"tiles of %lld for kernels of %lld are "
				"not supported",
				(long long)tile, (long long)kernel);
	*w = (struct matrices){.tile = tile, .kernel = kernel, .n = n};
	choose_points(n - 1, a);
	put_powers(w->a, a, n, tile);
	put_powers(w->g, a, n, kernel);
	for (int64_t i = 0; i < n - 1; i++) {
		double f = 1, sign;

		for (int64_t k = 0; k < n - 1; k++)
			f *= k == i ? 1 : a[i] - a[k];
		sign = i == 0 && f < 0 ? -1 : 1;
		for (int64_t j = 0; j < kernel; j++)
			w->g[i][j] /= sign * f;
		expand(a, n - 1, i, coef);
		for (int64_t j = 0; j < n - 1; j++)
			w->b[j][i] = sign * coef[j];
	}
	expand(a, n - 1, -1, coef);
	for (int64_t j = 0; j < n; j++)
		w->b[j][n - 1] = coef[j];
	return true;
}

/* A matrix as a tensor of constants. */
static struct te_tensor *
constant(struct te_call *c, const char *name, struct dtype t,
	 double (*m)[MAX_TILE], int64_t rows, int64_t cols)
{
	int64_t shape[2] = {rows, cols};
	double v[MAX_TILE * MAX_TILE];

	for (int64_t k = 0; k < rows * cols; k++)
		v[k] = m[k / cols][k % cols];
	return te_table(c, name, t, v, shape, 2);
}

/* Two or three transformed axes and what they need. */
struct winograd {
	struct te_call *c;
	int n;                /* transformed axes */
	int first;            /* of these, among the spatial ones */
	struct matrices m[3]; /* by transformed axis */
	int64_t before[3], out[3];
};

static bool
read_tiles(struct winograd *w, int spatial, const int64_t *kernel)
{
	int64_t tile = te_attr_int(w->c, "tile_size", 0);
	bool flat = spatial == 3 &&
		    (kernel[0] < MIN_DEPTH || kernel[0] > MAX_DEPTH);

	w->first = flat ? 1 : 0;
	w->n = spatial - w->first;
	for (int k = 0; k < w->n; k++)
		if (!make_matrices(w->c, tile, kernel[w->first + k], &w->m[k]))
			return false;
	return true;
}

/* sum(r...; matrix[i0, r0] * matrix[i1, r1] * ... * w), for weights. */
static bool
transform_weight(struct te_call *c, int spatial)
{
	static const char *const names[] = {"r0", "r1", "r2"};
	struct winograd w = {.c = c};
	struct te_tensor *g[3];
	struct te_body *b;
	const tir_expr *at[5], *v = NULL;
	const struct te_tensor *x = c->in[0];

	if (!read_tiles(&w, spatial, &x->shape[2]))
		return false;
	for (int k = 0; k < w.n; k++)
		g[k] = constant(c, "G", x->dtype, w.m[k].g, w.m[k].n,
				w.m[k].kernel);
	b = te_begin_out(c, NULL, 0);
	at[0] = b->i[spatial];
	at[1] = b->i[spatial + 1];
	if (w.first)
		at[2] = b->i[2];
	for (int k = 0; k < w.n; k++) {
		const tir_expr *r = te_fold_axis(b, names[k], w.m[k].kernel);
		const tir_expr *f = te_at(c, g[k], b->i[k], r);

		at[2 + w.first + k] = r;
		v = v ? te_mul(c, v, f) : f;
	}
	return te_output(
		c, 0, te_end_fold(b, TE_SUM, te_mul(c, te_get(c, x, at), v)));
}

bool
compute_nn_winograd_weight(struct te_call *c)
{
	return transform_weight(c, (int)c->in[0]->ndim - 2);
}

/*
 * The transform of 6 x 6 tiles for kernels of 3 x 3 that the library NNPACK
 * uses: points 0, 1, -1, 2, -2, 1/2, -1/2 in this order, scaled its own way.
 */
bool
compute_nn_winograd_nnpack_weight(struct te_call *c)
{
	static double g[8][MAX_TILE] = {
		{1, 0, 0},
		{-2 / 9.0, -2 / 9.0, -2 / 9.0},
		{-2 / 9.0, 2 / 9.0, -2 / 9.0},
		{1 / 90.0, 2 / 90.0, 4 / 90.0},
		{1 / 90.0, -2 / 90.0, 4 / 90.0},
		{4 / 180.0, 2 / 180.0, 1 / 180.0},
		{4 / 180.0, -2 / 180.0, 1 / 180.0},
		{0, 0, 1},
	};
	const struct te_tensor *x = c->in[0];
	struct dtype t = te_out_dtype(c, 0);
	struct te_tensor *m;
	struct te_body *b;
	const tir_expr *ry, *rx, *v;

	if (!te_expect_shape(c, 0, (const int64_t[]){-1, -1, 3, 3}, 4))
		return false;
	m = constant(c, "G", t, g, 8, 3);
	b = te_begin_out(c, NULL, 0);
	ry = te_fold_axis(b, "ry", 3);
	rx = te_fold_axis(b, "rx", 3);
	v = te_cast(c, t, te_at(c, x, b->i[0], b->i[1], ry, rx));
	v = te_mul(
		c, v,
		te_mul(c, te_at(c, m, b->i[2], ry), te_at(c, m, b->i[3], rx)));
	return te_output(c, 0, te_end_fold(b, TE_SUM, v));
}

/* Tiles along transformed axis K. */
static int64_t
tiles(const struct winograd *w, int k)
{
	int64_t tile = w->m[k].tile;

	return te_dim_div(
		w->c, te_dim_add(w->c, w->out[w->first + k], tile - 1), tile);
}

/* The data with its borders, channels first, so far that tiles fit. */
static struct te_tensor *
padded_data(struct winograd *w, const struct ir_layout *l, int spatial,
	    const char *letters, int64_t kernel0)
{
	struct te_call *c = w->c;
	const struct te_tensor *x = c->in[0];
	int64_t shape[5];
	const tir_expr *inside = NULL;
	struct te_letters at = {{NULL}};
	struct te_body *b;
	const tir_expr *v;

	shape[0] = te_extent(c, x, l, 'N');
	shape[1] = te_extent(c, x, l, 'C');
	for (int k = 0; k < w->first; k++)
		shape[2 + k] = te_dim_add(c, w->out[k], kernel0 - 1);
	for (int k = 0; k < w->n; k++) {
		const struct matrices *m = &w->m[k];
		int64_t n = tiles(w, k);

		shape[2 + w->first + k] =
			te_dim_add(c, te_dim_mul(c, n, m->tile), m->kernel - 1);
	}
	b = te_begin(c, "data_pad", NULL, shape, (uint32_t)spatial + 2);
	at.at['N' - 'A'] = b->i[0];
	at.at['C' - 'A'] = b->i[1];
	for (int k = 0; k < spatial; k++) {
		const tir_expr *p = te_addi(c, b->i[2 + k], -w->before[k]);
		const tir_expr *ok =
			te_within(c, p, 0, te_extent(c, x, l, letters[k]));

		at.at[letters[k] - 'A'] = p;
		inside = inside ? te_and(c, inside, ok) : ok;
	}
	v = te_cast(c, te_out_dtype(c, 0), te_get_letters(c, x, l, &at));
	return te_end(b, te_guard(c, inside, v, te_zero(c, v->dtype)));
}

/* Axes of the tensors between: places in a tile, channel, batch, tiles. */
static uint32_t
tile_shape(const struct winograd *w, int64_t channels, int64_t batch,
	   int64_t depth, int64_t *shape)
{
	uint32_t n = 0;

	for (int k = 0; k < w->n; k++)
		shape[n++] = w->m[k].n;
	shape[n++] = channels;
	shape[n++] = batch;
	if (w->first)
		shape[n++] = depth;
	for (int k = 0; k < w->n; k++)
		shape[n++] = tiles(w, k);
	return n;
}

/* B'd along each axis. */
static struct te_tensor *
transform_data(struct winograd *w, const struct te_tensor *x)
{
	static const char *const names[] = {"r0", "r1", "r2"};
	struct te_call *c = w->c;
	int64_t shape[TE_MAX_RANK];
	uint32_t rank =
		tile_shape(w, x->shape[1], x->shape[0], x->shape[2], shape);
	struct te_tensor *m[3];
	struct te_body *b;
	const tir_expr *at[5], *v = NULL;

	for (int k = 0; k < w->n; k++)
		m[k] = constant(c, "B", x->dtype, w->m[k].b, w->m[k].n,
				w->m[k].n);
	b = te_begin(c, "data_pack", NULL, shape, rank);
	at[0] = b->i[w->n + 1];
	at[1] = b->i[w->n];
	if (w->first)
		at[2] = b->i[w->n + 2];
	for (int k = 0; k < w->n; k++) {
		const tir_expr *r = te_fold_axis(b, names[k], w->m[k].n);
		const tir_expr *f = te_at(c, m[k], r, b->i[k]);
		const tir_expr *tile = b->i[w->n + 2 + w->first + k];

		at[2 + w->first + k] =
			te_add(c, te_muli(c, tile, w->m[k].tile), r);
		v = v ? te_mul(c, v, f) : f;
	}
	return te_end_fold(b, TE_SUM, te_mul(c, te_get(c, x, at), v));
}

/* Products of transformed weights and data, summed over input channels. */
static struct te_tensor *
multiply(struct winograd *w, const struct te_tensor *x, int64_t batch,
	 int64_t channels, int64_t kernel0)
{
	struct te_call *c = w->c;
	const struct te_tensor *u = c->in[1];
	int64_t shape[TE_MAX_RANK];
	uint32_t rank = tile_shape(w, channels, batch, w->out[0], shape);
	struct te_body *b = te_begin(c, "bgemm", NULL, shape, rank);
	const tir_expr *ic = te_fold_axis(b, "rc", x->shape[w->n]);
	const tir_expr *at[TE_MAX_RANK], *wat[5];
	int k = w->n;

	for (uint32_t i = 0; i < rank; i++)
		at[i] = b->i[i];
	for (int i = 0; i < w->n; i++)
		wat[i] = b->i[i];
	at[w->n] = ic;
	if (w->first) {
		wat[k] = te_fold_axis(b, "rz", kernel0);
		at[w->n + 2] = te_add(c, at[w->n + 2], wat[k++]);
	}
	wat[k] = b->i[w->n];
	wat[k + 1] = ic;
	return te_end_fold(b, TE_SUM,
			   te_mul(c, te_cast(c, x->dtype, te_get(c, u, wat)),
				  te_get(c, x, at)));
}

/* Back from tiles to pixels. */
static bool
transform_back(struct winograd *w, const struct te_tensor *x,
	       const struct ir_layout *l, const char *letters)
{
	static const char *const names[] = {"r0", "r1", "r2"};
	struct te_call *c = w->c;
	struct te_tensor *m[3];
	struct te_letters out;
	struct te_body *b;
	const tir_expr *at[TE_MAX_RANK], *v = NULL;

	for (int k = 0; k < w->n; k++)
		m[k] = constant(c, "A", x->dtype, w->m[k].a, w->m[k].n,
				w->m[k].tile);
	b = te_begin_out(c, NULL, 0);
	out = te_letters_of(c, l, b->i);
	at[w->n] = out.at['C' - 'A'];
	at[w->n + 1] = out.at['N' - 'A'];
	if (w->first)
		at[w->n + 2] = out.at[letters[0] - 'A'];
	for (int k = 0; k < w->n; k++) {
		const tir_expr *p = out.at[letters[w->first + k] - 'A'];
		const tir_expr *r = te_fold_axis(b, names[k], w->m[k].n);
		const tir_expr *f =
			te_at(c, m[k], r, te_modi(c, p, w->m[k].tile));

		at[k] = r;
		at[w->n + 2 + w->first + k] = te_divi(c, p, w->m[k].tile);
		v = v ? te_mul(c, v, f) : f;
	}
	return te_output(
		c, 0, te_end_fold(b, TE_SUM, te_mul(c, te_get(c, x, at), v)));
}

/* All entries of attribute NAME are 1. */
static bool
all_ones(struct te_call *c, const char *name)
{
	int64_t v[3];
	int n = te_attr_ints(c, name, v, 3);

	for (int k = 0; k < n; k++)
		if (v[k] != 1)
			n = 0;
	return n > 0;
}

/* The weight must have the extents that the tiles ask for. */
static bool
weight_fits(const struct winograd *w, int spatial, int64_t kernel0, int64_t out,
	    int64_t in)
{
	int64_t want[TE_MAX_RANK];

	for (int k = 0; k < w->n; k++)
		want[k] = w->m[k].n;
	if (w->first)
		want[w->n] = kernel0;
	want[spatial] = out;
	want[spatial + 1] = in;
	return te_expect_shape(w->c, 1, want, (uint32_t)spatial + 2);
}

bool
compute_nn_winograd(struct te_call *c)
{
	struct winograd w = {.c = c};
	struct ir_layout data, out;
	const char *layout = te_attr_string(c, "data_layout");
	int64_t kernel[3], after[3], channels, shape[TE_MAX_RANK];
	struct te_tensor *x;
	char letters[4];
	int spatial;

	if (!te_attr_layout(c, "data_layout", "NCHW", &data) ||
	    !te_attr_layout(c, "out_layout", layout, &out))
		return false;
	spatial = te_spatial_letters(&data, letters);
	if (!all_ones(c, "strides") || !all_ones(c, "dilation") ||
	    te_attr_int(c, "groups", 1) != 1)
		return te_error(c, "strides, dilation and groups must be 1");
	if (te_attr_ints(c, "kernel_size", kernel, 3) != spatial ||
	    data.n != c->in[0]->ndim || out.n != te_out_ndim(c, 0))
		return te_error(c, "the layouts do not fit the inputs");
	if (!te_attr_padding(c, spatial, w.before, after))
		return false;
	te_out_shape(c, 0, shape);
	for (int k = 0; k < spatial; k++)
		w.out[k] = shape[ir_layout_index(&out, letters[k])];
	channels = te_dim_mul(c, shape[ir_layout_index(&out, 'C')],
			      ir_layout_factor(&out, 'C'));
	if (!read_tiles(&w, spatial, kernel))
		return false;
	if (!weight_fits(&w, spatial, kernel[0], channels,
			 te_extent(c, c->in[0], &data, 'C')))
		return false;
	x = padded_data(&w, &data, spatial, letters, kernel[0]);
	return transform_back(&w,
			      multiply(&w, transform_data(&w, x), x->shape[0],
				       channels, kernel[0]),
			      &out, letters);
}
