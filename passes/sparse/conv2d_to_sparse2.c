/*
 * conv2d-to-sparse2: convolutions whose constant weights are mostly zeros.
 *
 * The weight is cut into blocks of blocksize, output channels by elements of
 * their kernels. If the
 * share of blocks that hold zeros only is at least sparsity-threshold, the
 * others become constants of an nn.sparse_conv2d, with their columns and
 * where rows begin.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/sparse/conv.h"

struct converter {
	pass_ctx *cx;
	struct sparse_conv conv;
	int64_t block[2]; /* output channels, elements of kernels */
	double threshold;
};

/* A weight as a matrix of output channels by elements of their kernels. */
struct matrix {
	const ir_tensor *t;
	int64_t rows;
	int64_t cols;
	int64_t row_step;
	int64_t col_step;
};

static struct matrix
matrix_of(const ir_tensor *t, bool channels_last)
{
	struct matrix m = {.t = t};

	if (channels_last) {
		m.cols = t->shape[0] * t->shape[1] * t->shape[2];
		m.rows = t->shape[3];
		m.col_step = m.rows;
		m.row_step = 1;
	} else {
		m.rows = t->shape[0];
		m.cols = t->shape[1] * t->shape[2] * t->shape[3];
		m.col_step = 1;
		m.row_step = m.cols;
	}
	return m;
}

static double
element(const struct matrix *m, int64_t row, int64_t col)
{
	return ir_tensor_get_double(m->t,
				    row * m->row_step + col * m->col_step);
}

static bool
is_zero_block(const struct converter *v, const struct matrix *m, int64_t r,
	      int64_t c)
{
	for (int64_t i = 0; i < v->block[0]; i++)
		for (int64_t k = 0; k < v->block[1]; k++)
			if (element(m, r * v->block[0] + i,
				    c * v->block[1] + k) != 0)
				return false;
	return true;
}

static int64_t
count_blocks(const struct converter *v, const struct matrix *m)
{
	int64_t n = 0;

	for (int64_t r = 0; r < m->rows / v->block[0]; r++)
		for (int64_t c = 0; c < m->cols / v->block[1]; c++)
			n += !is_zero_block(v, m, r, c);
	return n;
}

static void
copy_block(const struct converter *v, const struct matrix *m, int64_t r,
	   int64_t c, ir_tensor *data, int64_t n)
{
	int64_t at = n * v->block[0] * v->block[1];

	for (int64_t i = 0; i < v->block[0]; i++)
		for (int64_t k = 0; k < v->block[1]; k++)
			ir_tensor_set_double(data, at++,
					     element(m, r * v->block[0] + i,
						     c * v->block[1] + k));
}

/* The N blocks of M that are not zero, as three constants. */
static void
make_parts(const struct converter *v, const struct matrix *m, int64_t n,
	   struct loc loc, const ir_expr *parts[3])
{
	int64_t rows = m->rows / v->block[0];
	int64_t shape[] = {n, v->block[0], v->block[1]};
	int64_t starts = rows + 1;
	ir_tensor *t[] = {
		ir_tensor_new(DTYPE(FLOAT, 32), shape, 3),
		ir_tensor_new(DTYPE(INT, 32), &n, 1),
		ir_tensor_new(DTYPE(INT, 32), &starts, 1),
	};
	int64_t at = 0;

	for (int64_t r = 0; r < rows; r++) {
		for (int64_t c = 0; c < m->cols / v->block[1]; c++) {
			if (is_zero_block(v, m, r, c))
				continue;
			copy_block(v, m, r, c, t[0], at);
			ir_tensor_set_int(t[1], at++, c);
		}
		ir_tensor_set_int(t[2], r + 1, at);
	}
	for (uint32_t i = 0; i < 3; i++) {
		parts[i] = ir_new_constant(v->cx->module, loc, t[i]);
		ir_tensor_unref(t[i]);
	}
}

static bool
has_float_data(const ir_expr *e)
{
	return e->kind == IR_CONSTANT && ir_as_constant(e)->data &&
	       dtype_equal(ir_as_constant(e)->data->dtype, DTYPE(FLOAT, 32));
}

static const ir_expr *
rewrite_call(const ir_expr *e, const ir_expr *old, void *env)
{
	struct converter *v = env;
	const struct ir_call *call = ir_as_call(e);
	const ir_expr *parts[3];
	struct matrix m;
	int64_t blocks;
	int64_t n;

	if (!sparse_conv_fits(ir_as_call(old), &v->conv) ||
	    !has_float_data(call->args[1]))
		return e;
	m = matrix_of(ir_as_constant(call->args[1])->data,
		      strcmp(v->conv.layout, "NHWC") == 0);
	if (m.rows == 0 || m.cols == 0 || m.rows % v->block[0] ||
	    m.cols % v->block[1])
		return e;
	blocks = m.rows / v->block[0] * (m.cols / v->block[1]);
	n = count_blocks(v, &m);
	if ((double)(blocks - n) / (double)blocks < v->threshold)
		return e;
	make_parts(v, &m, n, e->loc, parts);
	pass_count(v->cx, "convolutions made sparse", 1);
	return sparse_conv_call(v->cx->module, e->loc, call->args[0], parts,
				&v->conv);
}

static const struct ir_rules rules = {
	.on = {[IR_CALL] = rewrite_call},
	.counted = true,
};

/* "16,1": two positive numbers. */
static bool
read_block(struct converter *v, struct loc loc)
{
	const char *text = pass_option(v->cx, "blocksize");
	char *end;

	v->block[0] = strtoll(text, &end, 10);
	v->block[1] = *end == ',' ? strtoll(end + 1, &end, 10) : 0;
	if (*end || v->block[0] <= 0 || v->block[1] <= 0) {
		pass_error(v->cx, loc,
			   "option 'blocksize': two numbers, not '%s'", text);
		return false;
	}
	return true;
}

static bool
read_threshold(struct converter *v, struct loc loc)
{
	const char *text = pass_option(v->cx, "sparsity-threshold");
	char *end;

	v->threshold = strtod(text, &end);
	if (*text && !*end && v->threshold >= 0 && v->threshold <= 1)
		return true;
	pass_error(v->cx, loc,
		   "option 'sparsity-threshold': a number from 0 to 1, not "
		   "'%s'",
		   text);
	return false;
}

const struct ir_function *
pass_conv2d_to_sparse2(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct converter v = {.cx = cx};

	(void)def;
	if (!read_threshold(&v, fn->base.loc) ||
	    !sparse_conv_options(cx, fn->base.loc, &v.conv) ||
	    !read_block(&v, fn->base.loc))
		return fn;
	return ir_as_function(ir_rewrite(cx->module, &fn->base, &rules, &v));
}
