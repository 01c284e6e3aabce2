/*
 * Copies of a run of steps on rows: blocks of units between device memory and
 * the chip, and what is there before the first.
 */
#include <inttypes.h>

#include "codegen/bangc/rows.h"

const char *
rows_raw_type(const struct rows_array *a)
{
	return dtype_is_bool(a->buffer->dtype) ? "int8_t"
					       : bang_type(a->buffer->dtype);
}

void
rows_put_widen(struct buf *out, const struct rows_array *a, const char *rows,
	       const char *raw, const char *n)
{
	if (dtype_is_bool(a->buffer->dtype))
		buf_printf(out, "__bang_int82float(%s, %s, %s, 0);\n", rows,
			   raw, n);
	else
		buf_printf(out, "relay_widen(%s%s, %s, %s);\n",
			   bang_class_of(a->buffer->dtype) == BANG_INTS
				   ? "(int32_t *)"
				   : "",
			   rows, raw, n);
}

void
rows_put_narrow(struct buf *out, const struct rows_array *a, const char *rows,
		const char *raw, const char *n)
{
	if (dtype_is_bool(a->buffer->dtype))
		buf_printf(out, "__bang_float2int8_rn(%s, %s, %s, 0);\n", raw,
			   rows, n);
	else
		buf_printf(out, "relay_narrow(%s, %s, %s);\n", raw, rows, n);
}

static const char *
copy_name(const struct rows_coder *x)
{
	return x->r->overlapped ? "__memcpy_async" : "__memcpy";
}

/* "A + first * step + low" */
static void
put_device_place(struct buf *out, const struct rows_array *a)
{
	buf_puts(out, a->buffer->name);
	if (a->step == 1)
		buf_puts(out, " + first");
	else if (a->step != 0)
		buf_printf(out, " + first * %" PRId64, a->step);
	if (a->low)
		buf_printf(out, a->low < 0 ? " - %" PRId64 : " + %" PRId64,
			   a->low < 0 ? -a->low : a->low);
}

/* A block's rows between device memory and the chip. */
static void
put_block_copy(struct rows_coder *x, struct buf *out,
	       const struct rows_array *a, bool load)
{
	const char *rows = rows_raw_name(x, a, false);
	const char *way = load ? bang_load_direction(x->k, a->buffer)
			       : bang_store_direction(x->k, a->buffer);
	struct buf device = {0};

	put_device_place(&device, a);
	buf_printf(out, "        %s(%s, %s, ", copy_name(x),
		   load ? rows : bang_text(&device),
		   load ? bang_text(&device) : rows);
	if (a->pitch == a->span && a->step == a->span)
		buf_printf(out, "units * %" PRId64 ", %s);\n",
			   a->bytes * a->span, way);
	else
		buf_printf(out,
			   "%" PRId64 ", %s, %" PRId64 ", %" PRId64
			   ", units - 1);\n",
			   a->bytes * a->span, way,
			   a->bytes * (load ? a->pitch : a->step),
			   a->bytes * (load ? a->step : a->pitch));
	buf_free(&device);
}

/* Units that don't follow each other evenly, one by one. */
static void
put_unit_copies(struct rows_coder *x, struct buf *out,
		const struct rows_array *a)
{
	struct buf code = {0};

	buf_printf(&code, "          %s(%s, %s", copy_name(x),
		   rows_raw_name(x, a, true), a->buffer->name);
	for (uint32_t i = 0; i < x->r->depth; i++)
		if (a->strides[i])
			buf_printf(&code, " + unit_%u * %" PRId64, i,
				   a->strides[i]);
	buf_printf(&code, " + %" PRId64 ", %" PRId64 ", %s);\n", a->low,
		   a->bytes * a->span, bang_load_direction(x->k, a->buffer));
	rows_put_each_unit(x, out, bang_text(&code));
	buf_free(&code);
}

/* A step that copies, done as a load. */
static void
put_copy_step(struct rows_coder *x, struct buf *out, const struct bang_nest *n)
{
	struct bang_nest in = rows_inner(x->r, n);
	const tir_expr *from = n->value;
	struct bang_names names = {0};
	struct buf code = {0}, source = {0}, target = {0};
	const char *way = bang_load_direction(x->k, from->buffer);
	uint32_t inner = in.nloops;
	int64_t size = rows_array_of(x->r, n->buffer)->bytes;
	int64_t to_step = 0, from_step = 0, bytes = size, rows = 1;
	int64_t to[2] = {0, 0}, step[2] = {0, 0};

	for (uint32_t i = 0; i < 2 && i < in.nloops; i++) {
		const struct tir_var *v = in.loops[in.nloops - 1 - i].var;

		x->ok &= bang_stride(in.index, v, &to[i]) &&
			 bang_stride(from->arg[0], v, &step[i]);
	}
	if (inner && to[0] == 1 && step[0] == 1)
		bytes = size * in.loops[--inner].extent;
	if (inner && bytes > size && to[1] * size >= bytes && step[1] > 0) {
		rows = in.loops[--inner].extent;
		to_step = size * to[1];
		from_step = size * step[1];
	}
	rows_add_names(x, &names, n, false, true);
	for (uint32_t i = inner; i < in.nloops; i++)
		vec_push(&names, ((struct bang_name){
					 in.loops[i].var,
					 arena_printf(x->k->arena, "%" PRId64,
						      in.loops[i].min)}));
	x->ok &= bang_put_place(&target, in.buffer, in.index, &names);
	x->ok &= bang_put_expr(&source, from->arg[0], &names);
	bang_put_loops(&code, &in, 0, inner);
	buf_printf(&code, "          %s(%s, %s + %s, %" PRId64 ", %s",
		   copy_name(x), bang_text(&target), from->buffer->name,
		   bang_text(&source), bytes, way);
	if (rows > 1)
		buf_printf(&code, ", %" PRId64 ", %" PRId64 ", %" PRId64,
			   to_step, from_step, rows - 1);
	buf_puts(&code, ");\n");
	rows_put_each_unit(x, out, bang_text(&code));
	vec_free(&names);
	buf_free(&code);
	buf_free(&source);
	buf_free(&target);
}

void
rows_put_loads(struct rows_coder *x, struct buf *out)
{
	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];

		if (a->kind != ROWS_IN || a->fill)
			continue;
		if (a->step < 0)
			put_unit_copies(x, out, a);
		else
			put_block_copy(x, out, a, true);
	}
	for (unsigned i = 0; i < x->r->nsteps; i++)
		if (x->r->steps[i].copies)
			put_copy_step(x, out, &x->r->steps[i].nest);
}

void
rows_put_stores(struct rows_coder *x, struct buf *out)
{
	for (unsigned i = 0; i < x->r->narrays; i++)
		if (x->r->arrays[i].kind == ROWS_OUT)
			put_block_copy(x, out, &x->r->arrays[i], false);
}

/* "(half *)((float *)relay_nram + 640)": where A's elements are copied. */
static const char *
raw_place(const struct rows_coder *x, const struct rows_array *a)
{
	return arena_printf(x->k->arena,
			    "(%s *)((float *)relay_nram + %" PRId64 ")",
			    rows_raw_type(a), a->raw);
}

static void
put_border(struct rows_coder *x, struct buf *out, const struct rows_array *a)
{
	if (rows_is_raw(a))
		buf_printf(out, "    __bang_write_value(%s, %" PRId64 ", (%s)(",
			   raw_place(x, a),
			   a->raw_places * rows_raw_size(x->r, a) * 4 /
				   a->bytes,
			   rows_raw_type(a));
	else
		buf_printf(out,
			   "    __bang_write_value((float *)relay_nram + "
			   "%" PRId64 ", %" PRId64 ", (%s)(",
			   a->at, a->places * rows_place_size(x->r, a),
			   bang_word(a->buffer->dtype));
	x->ok &= bang_put_expr(out, a->fill, NULL);
	buf_puts(out, "));\n");
}

/* A, which all units share. */
static void
put_shared(struct rows_coder *x, struct buf *out, const struct rows_array *a)
{
	const char *all = rows_place_name(x, a, false);
	const char *to = rows_is_raw(a) ? raw_place(x, a) : all;

	buf_printf(out,
		   "    float *%s = (float *)relay_nram + %" PRId64
		   ";\n    __memcpy(%s, %s + %" PRId64 ", %" PRId64 ", %s);\n",
		   all, a->at, to, a->buffer->name, a->low, a->bytes * a->span,
		   bang_load_direction(x->k, a->buffer));
	if (rows_is_raw(a)) {
		buf_puts(out, "    ");
		rows_put_widen(out, a, all, to,
			       arena_printf(x->k->arena, "%" PRId64,
					    rows_place_size(x->r, a)));
	}
}

/* Before the blocks: what all units share, and borders that stay. */
void
rows_put_beginning(struct rows_coder *x, struct buf *out)
{
	for (unsigned i = 0; i < x->r->narrays; i++) {
		const struct rows_array *a = &x->r->arrays[i];

		if (a->fill)
			put_border(x, out, a);
		if (a->kind == ROWS_SHARED)
			put_shared(x, out, a);
	}
}
