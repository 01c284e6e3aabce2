/*
 * What follows a sum of products, done to each tile on the chip: a bias, an
 * activation, the sum with a shortcut, requantisation.
 *
 * The function relay_end for a struct of the kernel's own computes it, on a
 * vector of pixels times the 64 filters of a panel. What the step reads beside
 * the sums is one number for all, one for each filter, or lies like the result.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/product.h"

struct ender {
	struct bang_kernel *k;
	struct product *p;
	struct conv *c;
	struct bang_nest n;
	const tir_expr *sums; /* the load of the product's result */
	/* For each loop of the product, the step's loop, and how far. */
	uint32_t loop_of[PRODUCT_MAX_LOOPS];
	int64_t factor[PRODUCT_MAX_LOOPS];
	struct buf members, values;
	unsigned nloads;
	struct bang_buffers named; /* members by their own names */
};

/* A load of the product's result in E; false if two differ. */
static bool
find_sums(struct ender *x, const tir_expr *e)
{
	if (e->kind == TIR_LOAD && e->buffer == x->p->out) {
		if (x->sums && !bang_same(x->sums, e))
			return false;
		x->sums = e;
		return true;
	}
	for (uint32_t i = 0; i < e->n; i++)
		if (!find_sums(x, e->arg[i]))
			return false;
	return true;
}

/* The step's loop that goes where loop I of the product does. */
static bool
map_loop(struct ender *x, uint32_t i)
{
	int64_t s = x->p->at[i].out, best = 0, t;

	for (uint32_t l = 0; l < x->n.nloops; l++) {
		const struct bang_loop *loop = &x->n.loops[l];

		if (!bang_stride(x->sums->arg[0], loop->var, &t))
			return false;
		if (t <= best || t > s || s % t != 0 ||
		    s / t * (x->p->at[i].extent - 1) >= loop->extent)
			continue;
		best = t;
		x->loop_of[i] = l;
		x->factor[i] = s / t;
	}
	return best > 0;
}

/* The step goes over all of the result, and nothing else. */
static bool
map_loops(struct ender *x)
{
	int64_t points = 1, at;

	for (uint32_t l = 0; l < x->n.nloops; l++) {
		points *= x->n.loops[l].extent;
		if (x->n.loops[l].min != 0)
			return false;
	}
	for (uint32_t i = 0; i < x->p->nspatial; i++) {
		if (!map_loop(x, i))
			return false;
		points /= x->p->at[i].extent;
	}
	return points == 1 && bang_origin(x->sums->arg[0], &at) &&
	       at == x->p->out_at;
}

/* How INDEX follows loop I of the product. */
static bool
step_of(const struct ender *x, const tir_expr *index, uint32_t i, int64_t *step)
{
	if (!bang_stride(index, x->n.loops[x->loop_of[i]].var, step))
		return false;
	*step *= x->factor[i];
	return true;
}

/* The result lies where the step writes. */
static bool
move_result(struct ender *x)
{
	struct product *p = x->p;
	struct conv *c = x->c;
	const struct conv_loops *l = &c->loops;

	for (uint32_t i = 0; i < p->nspatial; i++)
		if (!step_of(x, x->n.index, i, &p->at[i].out) ||
		    p->at[i].out <= 0)
			return false;
	c->oc = p->at[l->column].out;
	c->oy = l->y == UINT32_MAX ? 0 : p->at[l->y].out;
	c->ox = l->x == UINT32_MAX ? 1 : p->at[l->x].out;
	return bang_origin(x->n.index, &p->out_at) &&
	       (c->oc == 1 || c->ox == 1);
}

static bool
is_readable(struct dtype t)
{
	if (t.lanes != 1 || dtype_is_bool(t))
		return false;
	return t.code == DTYPE_FLOAT ? t.bits == 32 || t.bits == 16
				     : t.code == DTYPE_INT && t.bits <= 32;
}

/* The member that points to what E loads for the first tile. */
static unsigned
add_member(struct ender *x, const tir_expr *e, int64_t at, const int64_t *steps)
{
	buf_printf(&x->members, "  const %s *q%u;\n",
		   bang_type(e->buffer->dtype), x->nloads);
	if (x->values.len)
		buf_puts(&x->values, ", ");
	product_put_base(&x->values, x->c, x->p, e->buffer->name, at, steps);
	return x->nloads++;
}

/* Does E lie like the result, as far as the tile's loops go? */
static bool
is_alike(const struct ender *x, const int64_t *steps)
{
	const struct conv_loops *l = &x->c->loops;

	return steps[l->column] == x->c->oc &&
	       (l->y == UINT32_MAX || steps[l->y] == x->c->oy) &&
	       (l->x == UINT32_MAX || steps[l->x] == x->c->ox);
}

static unsigned
load(struct bang_vectors *v, const tir_expr *e)
{
	struct ender *x = v->loads_from;
	const struct conv_loops *l = &x->c->loops;
	const char *way = bang_load_direction(v->k, e->buffer);
	const char *cast =
		bang_class_of(e->dtype) == BANG_INTS ? "(int32_t *)" : "";
	int64_t steps[PRODUCT_MAX_LOOPS], at;
	unsigned d, member;
	bool level;

	if (e->buffer == x->p->out)
		return 0;
	d = bang_new_vector(v);
	v->at[d] = e;
	v->ok &= is_readable(e->dtype) && bang_origin(e->arg[0], &at);
	for (uint32_t i = 0; v->ok && i < x->p->nspatial; i++)
		v->ok &= step_of(x, e->arg[0], i, &steps[i]) && steps[i] >= 0;
	if (!v->ok)
		return d;
	level = (l->y == UINT32_MAX || steps[l->y] == 0) &&
		(l->x == UINT32_MAX || steps[l->x] == 0);
	member = add_member(x, e, at, steps);
	if (level && steps[l->column] == 0) {
		buf_printf(
			&v->code,
			"  __bang_write_value(x%u, count, (%s)end.q%u[0]);\n",
			d, bang_word(e->dtype), member);
	} else if (level) {
		buf_printf(&v->code,
			   "  relay_load_columns<%s>(%sx%u, end.q%u, %" PRId64
			   ", c, tile, panel);\n",
			   way, cast, d, member, steps[l->column]);
	} else if (is_alike(x, steps)) {
		unsigned t = x->c->oc == 1 ? d : bang_new_vector(v);

		buf_printf(&v->code,
			   "  relay_load_tile<%s>(%sx%u, %sx%u, end.q%u, c, "
			   "tile, panel);\n",
			   way, cast, d, cast, t, member);
	} else {
		v->ok = false;
	}
	return d;
}

/* Arrays that numbers are read from, by their own names. */
static void
put_named(struct ender *x, const tir_expr *e, const char *code)
{
	if (e->kind == TIR_LOAD && e->buffer != x->p->out &&
	    !bang_has(&x->named, e->buffer) &&
	    bang_text_mentions(code, e->buffer->name)) {
		bang_add_buffer(&x->named, e->buffer);
		buf_printf(&x->members, "  const %s *%s;\n",
			   bang_type(e->buffer->dtype), e->buffer->name);
		buf_printf(&x->values, "%s%s", x->values.len ? ", " : "",
			   e->buffer->name);
	}
	for (uint32_t i = 0; i < e->n; i++)
		put_named(x, e->arg[i], code);
}

static void
put_function(struct ender *x, const struct bang_vectors *v, unsigned result,
	     const char *type, const char *code)
{
	struct buf *out = x->k->helpers;

	put_named(x, x->n.value, code);
	buf_printf(out,
		   "\n/* What follows a product of %s, on a tile. */\n"
		   "struct %s {\n%s};\n\n"
		   "__mlu_func__ float *relay_end(const struct %s &end, "
		   "float *to, float *x0, float *room, "
		   "const struct relay_conv &c, const struct relay_cut &cut, "
		   "const struct relay_tile &tile, int panel) {\n"
		   "  const int real = tile.rows * tile.wide * 64;\n"
		   "  const int count = relay_lines(real);\n",
		   x->k->name, type, bang_text(&x->members), type);
	for (size_t i = 0; i < x->named.len; i++)
		buf_printf(out, "  const %s *%s = end.%s;\n",
			   bang_type(x->named.at[i]->dtype),
			   x->named.at[i]->name, x->named.at[i]->name);
	for (unsigned i = 1; i < v->n; i++)
		if (i == result && x->c->oc == 1)
			buf_printf(out, "  float *x%u = to;\n", i);
		else
			buf_printf(out,
				   "  float *x%u = room + %u * cut.vector;\n",
				   i, i - 1);
	buf_printf(out, "%s  return x%u;\n}\n", code, result);
}

static bool
put(struct ender *x, struct end *out)
{
	struct bang_places places = {.whole = true, .nunits = x->n.nloops};
	struct bang_vectors v;
	unsigned result;
	bool ok;

	bang_vectors_init(&v, x->k, &x->n, NULL);
	v.indent = "  ";
	v.load = load;
	v.loads_from = x;
	for (uint32_t i = 0; i < x->n.nloops; i++)
		places.units[i] = x->n.loops[i].var;
	v.names.places = &places;
	(void)bang_new_vector(&v);
	result = bang_vector_of(&v, x->n.value);
	ok = v.ok;
	if (ok) {
		out->type = arena_printf(x->k->arena, "%s_end_%u", x->k->name,
					 x->k->nsteps);
		put_function(x, &v, result, out->type, bang_text(&v.code));
		out->values =
			arena_printf(x->k->arena, "%s", bang_text(&x->values));
		out->vectors = v.n - 1;
		x->k->scalar_ops +=
			v.scalar * bang_points(&x->n, 0, x->n.nloops);
	}
	bang_vectors_free(&v);
	return ok;
}

static bool
plan(struct ender *x)
{
	if (map_loops(x))
		return true;
	bang_merge_loops(&x->n);
	return map_loops(x);
}

bool
end_of(struct bang_kernel *k, struct product *p, struct conv *c,
       const struct bang_nest *n, struct end *out)
{
	struct ender x = {.k = k, .p = p, .c = c, .n = *n};
	bool ok;

	if (n->reduce || !is_readable(n->buffer->dtype) ||
	    !find_sums(&x, n->value) || !x.sums)
		return false;
	ok = plan(&x) && move_result(&x) && put(&x, out);
	buf_free(&x.members);
	buf_free(&x.values);
	bang_buffers_free(&x.named);
	return ok;
}
