/*
 * Sums of products by the unit for matrices: dense layers, batched matrix
 * products, convolutions.
 *
 * What loops mean is read off their strides: those that only the first factor
 * follows are rows of the result, those that only the second follows are its
 * columns (filters), those that both follow are products of their own. The
 * work is done by functions of the prologue, which cut it into tiles and bring
 * those into the order that the unit takes.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"

/* Smaller ones are not worth the padding to 64 columns. */
enum { LEAST_COLUMNS = 8, LEAST_DEPTH = 4, MOST_WIDTH = 14 };

struct strides {
	int64_t a, b, out;
};

struct product {
	const struct bang_nest *n;
	const tir_expr *a, *b; /* loads */
	bool floats;           /* of 32 bits; else halves, or bytes */
	struct strides at[BANG_MAX_LOOPS];
};

static bool
is_type(struct dtype t, int code, int bits)
{
	return t.code == code && t.bits == bits && t.lanes == 1 &&
	       !dtype_is_bool(t);
}

/* Factors and sum as the unit takes them; *FLOATS: all of 32 bits. */
static bool
types_fit(struct dtype a, struct dtype b, struct dtype sum, bool *floats)
{
	*floats = is_type(a, DTYPE_FLOAT, 32);
	if (!dtype_equal(a, b))
		return false;
	if (is_type(a, DTYPE_INT, 8))
		return is_type(sum, DTYPE_INT, 32);
	if (is_type(a, DTYPE_FLOAT, 16))
		return is_type(sum, DTYPE_FLOAT, 16) ||
		       is_type(sum, DTYPE_FLOAT, 32);
	return *floats && is_type(sum, DTYPE_FLOAT, 32);
}

static bool
is_zero(const tir_expr *e)
{
	return (e->kind == TIR_FLOAT && e->f == 0) ||
	       (e->kind == TIR_INT && e->i == 0);
}

/* The load that E is, or widens. */
static const tir_expr *
factor(const tir_expr *e, struct dtype sum)
{
	if (e->kind == TIR_CAST && dtype_equal(e->dtype, sum))
		e = e->arg[0];
	return e->kind == TIR_LOAD ? e : NULL;
}

static bool
look(struct product *p, const struct bang_nest *n)
{
	const tir_expr *v = n->value;

	*p = (struct product){.n = n};
	if (n->fold != TIR_ADD || v->kind != TIR_MUL || !is_zero(n->init))
		return false;
	p->a = factor(v->arg[0], n->buffer->dtype);
	p->b = factor(v->arg[1], n->buffer->dtype);
	if (!p->a || !p->b ||
	    !types_fit(p->a->dtype, p->b->dtype, n->buffer->dtype, &p->floats))
		return false;
	for (uint32_t i = 0; i < n->nloops; i++) {
		const struct tir_var *x = n->loops[i].var;
		struct strides *s = &p->at[i];

		if (n->loops[i].min != 0 ||
		    !bang_stride(p->a->arg[0], x, &s->a) ||
		    !bang_stride(p->b->arg[0], x, &s->b) ||
		    !bang_stride(n->index, x, &s->out) || s->a < 0 ||
		    s->b < 0 || s->out < 0)
			return false;
	}
	return true;
}

static bool
is_row(const struct product *p, uint32_t i)
{
	return p->at[i].a != 0 && p->at[i].b == 0;
}

static bool
is_column(const struct product *p, uint32_t i)
{
	return p->at[i].a == 0 && p->at[i].b != 0;
}

/* The only column loop; false if there is none, or more. */
static bool
find_column(const struct product *p, uint32_t *column)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->n->nspatial; i++)
		if (is_column(p, i)) {
			*column = i;
			n++;
		}
	return n == 1 && p->n->loops[*column].extent >= LEAST_COLUMNS;
}

/* The place of BUFFER where the loops USED begin, as C. */
static bool
put_base(struct bang_kernel *k, const struct product *p,
	 const struct tir_buffer *buffer, const tir_expr *index,
	 const bool *used)
{
	struct bang_names names = {0};
	struct buf offset = {0};
	bool ok;

	for (uint32_t i = 0; i < p->n->nmerged; i++)
		vec_push(&names, ((struct bang_name){p->n->merged[i], "0"}));
	for (uint32_t i = 0; i < p->n->nloops; i++)
		if (used[i])
			vec_push(&names,
				 ((struct bang_name){p->n->loops[i].var, "0"}));
	ok = bang_put_expr(&offset, index, &names);
	buf_puts(k->out, buffer->name);
	if (strcmp(bang_text(&offset), "0") != 0)
		buf_printf(k->out, " + %s", bang_text(&offset));
	buf_free(&offset);
	vec_free(&names);
	return ok;
}

/* The call of a function, told where its arrays lie unless on the device. */
static void
put_call(struct bang_kernel *k, const struct product *p, const char *name)
{
	buf_printf(k->out, "      done = %s", name);
	if (bang_in_sram(k, p->a->buffer) || bang_in_sram(k, p->b->buffer) ||
	    bang_in_sram(k, p->n->buffer))
		buf_printf(k->out, "<%s, %s, %s>",
			   bang_load_direction(k, p->a->buffer),
			   bang_load_direction(k, p->b->buffer),
			   bang_store_direction(k, p->n->buffer));
	buf_puts(k->out, "(done, ");
}

/* Does B stay the same in all loops that are not USED, and begin at 0? */
static bool
is_whole(const struct product *p, const bool *used)
{
	int64_t at;

	for (uint32_t i = 0; i < p->n->nspatial; i++)
		if (!used[i] && p->at[i].b != 0)
			return false;
	return bang_origin(p->b->arg[0], &at) && at == 0;
}

/* The call of a function on packed weights, up to its other operands. */
static bool
put_panels(struct bang_kernel *k, const struct product *p, const char *name,
	   const bool *used)
{
	bool ok;

	buf_printf(k->out, "      done = %s_panels", name);
	if (bang_in_sram(k, p->a->buffer) || bang_in_sram(k, p->n->buffer))
		buf_printf(k->out, "<%s, %s>",
			   bang_load_direction(k, p->a->buffer),
			   bang_store_direction(k, p->n->buffer));
	buf_puts(k->out, "(done, ");
	ok = put_base(k, p, p->n->buffer, p->n->index, used);
	buf_puts(k->out, ", ");
	ok &= put_base(k, p, p->a->buffer, p->a->arg[0], used);
	buf_printf(k->out, ", %s,\n          ", p->b->buffer->name);
	k->uses_panels = true;
	return ok;
}

/* Loops around the products: every task goes over all of them. */
static void
put_loops(struct bang_kernel *k, const struct product *p, const bool *used)
{
	buf_puts(k->out, "    int done = 0;\n");
	for (uint32_t i = 0; i < p->n->nspatial; i++) {
		const struct bang_loop *l = &p->n->loops[i];

		if (used[i])
			continue;
		buf_printf(k->out,
			   "    for (int %s = 0; %s < %" PRId64 "; %s++)\n",
			   l->var->name, l->var->name, l->extent, l->var->name);
	}
}

static bool
put_bases(struct bang_kernel *k, const struct product *p, const bool *used)
{
	bool ok = put_base(k, p, p->n->buffer, p->n->index, used);

	buf_puts(k->out, ", ");
	ok &= put_base(k, p, p->a->buffer, p->a->arg[0], used);
	buf_puts(k->out, ", ");
	ok &= put_base(k, p, p->b->buffer, p->b->arg[0], used);
	buf_puts(k->out, ",\n          ");
	return ok;
}

/* Bytes of N columns in panels, for one element of their depth. */
static int64_t
panels(int64_t n)
{
	return (n + 63) / 64 * 64 * 4;
}

static int64_t
panel_depth(int64_t k)
{
	return (k + 15) / 16 * 16;
}

/* B could be packed: columns by loop C. */
static void
offer_matrix(struct bang_kernel *k, const struct product *p, uint32_t c)
{
	const struct bang_loop *depth = &p->n->loops[p->n->nspatial];
	struct bang_weights w = {.pack = "relay_pack_matrix",
				 .rest = arena_printf(k->arena,
						      "%" PRId64 ", %" PRId64
						      ", %" PRId64 ", %" PRId64,
						      p->n->loops[c].extent,
						      depth->extent, p->at[c].b,
						      p->at[p->n->nspatial].b),
				 .bytes = panels(p->n->loops[c].extent) *
					  panel_depth(depth->extent)};

	bang_add_weights(k, p->b->buffer, &w);
}

/* One loop folded over, rows and columns: a product of matrices. */
static bool
put_matmul(struct bang_kernel *k, const struct bang_nest *given)
{
	struct bang_nest n = *given;
	bool used[BANG_MAX_LOOPS] = {0};
	struct strides none = {1, 0, 1}, row, column, depth;
	uint32_t r = UINT32_MAX, c;
	struct product p;

	bang_merge_loops(&n);
	if (n.nloops != n.nspatial + 1 || !look(&p, &n) || !find_column(&p, &c))
		return false;
	for (uint32_t i = 0; i < n.nspatial; i++)
		if (is_row(&p, i) &&
		    (r == UINT32_MAX || n.loops[i].extent >= n.loops[r].extent))
			r = i;
	row = r == UINT32_MAX ? none : p.at[r];
	column = p.at[c];
	depth = p.at[n.nspatial];
	if (n.loops[n.nspatial].extent < LEAST_DEPTH ||
	    (depth.a != 1 && row.a != 1) || (depth.b != 1 && column.b != 1) ||
	    (column.out != 1 && row.out != 1))
		return false;
	used[c] = used[n.nspatial] = true;
	if (r != UINT32_MAX)
		used[r] = true;
	put_loops(k, &p, used);
	if (bang_is_packed(k, p.b->buffer)) {
		bool ok = put_panels(k, &p, "relay_matmul", used);

		buf_printf(k->out,
			   "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
			   ", %" PRId64 ", %" PRId64 ", %" PRId64 ");\n",
			   r == UINT32_MAX ? 1 : n.loops[r].extent,
			   n.loops[c].extent, n.loops[n.nspatial].extent, row.a,
			   depth.a, row.out, column.out);
		return ok;
	}
	if (p.floats && is_whole(&p, used))
		offer_matrix(k, &p, c);
	put_call(k, &p, p.floats ? "relay_matmul" : "relay_product");
	if (!put_bases(k, &p, used))
		return false;
	buf_printf(k->out,
		   "%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
		   ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
		   ", %" PRId64 ");\n",
		   r == UINT32_MAX ? 1 : n.loops[r].extent, n.loops[c].extent,
		   n.loops[n.nspatial].extent, row.a, depth.a, column.b,
		   depth.b, row.out, column.out);
	k->uses_matmul |= p.floats;
	return true;
}

/* What the loops of a convolution are: indices, UINT32_MAX for none. */
struct conv {
	uint32_t column, y, x;
	uint32_t rc, ry, rx;
	int64_t step; /* elements between pixels of a row */
};

/* Y and X: the last two row loops. */
static bool
find_rows(const struct product *p, struct conv *c)
{
	c->y = c->x = UINT32_MAX;
	for (uint32_t i = 0; i < p->n->nspatial; i++)
		if (is_row(p, i)) {
			c->y = c->x;
			c->x = i;
		}
	return c->x != UINT32_MAX;
}

/* Folded loops, in the order channel, row, column, some of them missing. */
static bool
find_folds(const struct product *p, struct conv *c)
{
	const struct bang_nest *n = p->n;
	uint32_t first = n->nspatial, count = n->nloops - first;

	c->rc = c->ry = c->rx = UINT32_MAX;
	if (count < 1 || count > 3)
		return false;
	for (uint32_t i = first; i < n->nloops; i++)
		if (p->at[i].a == 0 || p->at[i].b == 0)
			return false;
	c->rc = first;
	if (count == 3)
		c->ry = first + 1;
	if (count >= 2)
		c->rx = n->nloops - 1;
	return true;
}

static int64_t
extent(const struct product *p, uint32_t i)
{
	return i == UINT32_MAX ? 1 : p->n->loops[i].extent;
}

static struct strides
strides(const struct product *p, uint32_t i)
{
	return i == UINT32_MAX ? (struct strides){0, 0, 0} : p->at[i];
}

/* Pixels of a row lie next to each other, or their channels do. */
static bool
find_step(const struct product *p, struct conv *c)
{
	int64_t x = strides(p, c->x).a, rx = strides(p, c->rx).a;
	bool channels_last = strides(p, c->rc).a == 1;

	c->step = c->rx != UINT32_MAX ? rx : channels_last ? x : 1;
	if (!channels_last && c->step != 1)
		return false;
	return x % c->step == 0 &&
	       (strides(p, c->x).out == 1 || strides(p, c->column).out == 1) &&
	       extent(p, c->rx) <= MOST_WIDTH;
}

/* A struct relay_conv. */
static const char *
conv_text(struct bang_kernel *k, const struct product *p, const struct conv *c)
{
	return arena_printf(
		k->arena,
		"{%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
		", %" PRId64 ", %" PRId64 ",\n           "
		"%" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64 ",\n"
		"           %" PRId64 ", %" PRId64 ", %" PRId64 ", %" PRId64
		",\n           %" PRId64 ", %" PRId64 ", %" PRId64 "}",
		extent(p, c->column), extent(p, c->y), extent(p, c->x),
		extent(p, c->rc), extent(p, c->ry), extent(p, c->rx),
		strides(p, c->x).a / c->step, strides(p, c->rc).a,
		strides(p, c->y).a, strides(p, c->ry).a, c->step,
		strides(p, c->column).b, strides(p, c->rc).b,
		strides(p, c->ry).b, strides(p, c->rx).b,
		strides(p, c->column).out, strides(p, c->y).out,
		strides(p, c->x).out);
}

static void
offer_filters(struct bang_kernel *k, const struct product *p,
	      const struct conv *c, const char *rest)
{
	struct bang_weights w = {.pack = "relay_pack_filters",
				 .rest = rest,
				 .bytes = panels(extent(p, c->column)) *
					  panel_depth(extent(p, c->rc)) *
					  extent(p, c->ry) * extent(p, c->rx)};

	bang_add_weights(k, p->b->buffer, &w);
}

static bool
put_conv(struct bang_kernel *k, const struct bang_nest *n)
{
	bool used[BANG_MAX_LOOPS] = {0};
	const char *rest;
	struct product p;
	struct conv c;

	if (!look(&p, n) || !p.floats || !find_column(&p, &c.column) ||
	    !find_rows(&p, &c) || !find_folds(&p, &c) || !find_step(&p, &c) ||
	    extent(&p, c.rc) * extent(&p, c.ry) * extent(&p, c.rx) <
		    LEAST_DEPTH)
		return false;
	used[c.column] = used[c.x] = used[c.rc] = true;
	if (c.y != UINT32_MAX)
		used[c.y] = true;
	if (c.ry != UINT32_MAX)
		used[c.ry] = true;
	if (c.rx != UINT32_MAX)
		used[c.rx] = true;
	put_loops(k, &p, used);
	rest = conv_text(k, &p, &c);
	if (bang_is_packed(k, p.b->buffer)) {
		bool ok = put_panels(k, &p, "relay_conv2d", used);

		buf_printf(k->out, "%s);\n", rest);
		return ok;
	}
	if (is_whole(&p, used))
		offer_filters(k, &p, &c, rest);
	put_call(k, &p, "relay_conv2d");
	if (!put_bases(k, &p, used))
		return false;
	buf_printf(k->out, "%s);\n", rest);
	k->uses_conv = true;
	return true;
}

bool
bang_put_matmul(struct bang_kernel *k, const struct bang_nest *n)
{
	size_t mark = k->out->len;

	if (!k->arch->float_conv || k->alone)
		return false;
	if (put_matmul(k, n))
		return true;
	k->out->len = mark;
	if (put_conv(k, n))
		return true;
	k->out->len = mark;
	return false;
}
