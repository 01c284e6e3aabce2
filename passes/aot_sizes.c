/*
 * aot-lower-main where shapes are known at run time only.
 *
 *     assert x has 4 columns;
 *     sizes[3] = sizes[0];                 // what the kernel wants to know
 *     @fused_add_sizes(address_of(x[0]), address_of(sizes[3]), error);
 *     relay_dyn_alloc(error, memory[33], sizes[3] * 4, 4 bytes);
 *     @fused_add(address_of(sizes[3]), address_of(x[0]), memory[33]);
 *
 * Main takes the inputs, the constants, an array of sizes and the memory. The
 * array begins with all dimensions of the inputs, which the caller fills in,
 * and all dimensions of the results; each call of a kernel has its own part
 * behind these. The memory begins with a place for an error; then come slots:
 * one for each result, and one for each value that lives at the same time as
 * others. Slots grow as needed (runtime/dynamic.c).
 */
#include "passes/aot.h"

#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "support/buf.h"

/* Main under construction. */
struct sized {
	struct aot *a;
	ir_module *m;
	tir_func *f;
	const struct tir_buffer *constants;
	const struct tir_buffer *sizes;
	const struct tir_buffer *memory;
	uint32_t nslots;
	const char *place; /* interned: of what comes next */
	bool ok;
};

static const struct dtype i64 = {DTYPE_INT, 64, 1};
static const struct dtype i32 = {DTYPE_INT, 32, 1};

static const tir_expr *
number(struct sized *s, int64_t v)
{
	return tir_int(s->m, i64, v);
}

static const tir_expr *
place_of(struct sized *s, int64_t i)
{
	return tir_int(s->m, i32, i);
}

static const tir_expr *
size_at(struct sized *s, uint32_t i)
{
	return tir_load(s->m, s->sizes, place_of(s, i));
}

static const tir_expr *
dimension(struct sized *s, struct aot_dim d)
{
	return d.index < 0 ? number(s, d.value) : size_at(s, (uint32_t)d.index);
}

static const tir_expr *
slot(struct sized *s, uint32_t i)
{
	return place_of(s, RELAY_ERROR_WORDS + i);
}

static void
add(struct sized *s, tir_stmt *st, struct loc loc)
{
	st->loc = loc;
	tir_seq_add(s->m, s->f->body, st);
}

/* Call a routine of the runtime, the status of which must be 0. */
static void
call_routine(struct sized *s, struct loc loc, const char *name,
	     const tir_expr *const *args, uint32_t n)
{
	tir_stmt *st = tir_new_stmt(s->m, TIR_EVAL);

	st->eval = tir_call_extern(s->m, ir_name(s->m->cx, name), i32, args, n);
	add(s, st, loc);
}

static const tir_expr *
error_place(struct sized *s)
{
	return tir_address_of(s->m, s->memory, place_of(s, 0));
}

static void
set_size(struct sized *s, uint32_t i, const tir_expr *value, struct loc loc)
{
	add(s, tir_store(s->m, s->sizes, place_of(s, i), value), loc);
}

/* A times B, or so much that no memory is enough. */
static const tir_expr *
product(struct sized *s, const tir_expr *a, const tir_expr *b)
{
	const tir_expr *args[] = {a, b};
	int64_t n;

	if (tir_is_const_int(a, 1))
		return b;
	if (tir_is_const_int(b, 1))
		return a;
	if (a->kind == TIR_INT && b->kind == TIR_INT &&
	    !__builtin_mul_overflow(a->i, b->i, &n))
		return number(s, n);
	return tir_call_extern(s->m, ir_name(s->m->cx, "relay_dyn_mul"), i64,
			       args, 2);
}

static const tir_expr *
elements(struct sized *s, const struct place *p)
{
	const tir_expr *n = number(s, 1);

	for (uint32_t d = 0; d < p->type->ndim; d++)
		n = product(s, n, dimension(s, p->dims[d]));
	return n;
}

/* The number of elements E, over the sizes of the kernel that P is for. */
static const tir_expr *
count_at(struct sized *s, const tir_expr *e, const struct place *p)
{
	switch (e->kind) {
	case TIR_INT:
		return number(s, e->i);
	case TIR_LOAD:
		if (e->arg[0]->kind == TIR_INT && e->arg[0]->i >= 0 &&
		    e->arg[0]->i < p->nsizes)
			return size_at(s, p->base + (uint32_t)e->arg[0]->i);
		break;
	case TIR_MUL:
		return product(s, count_at(s, e->arg[0], p),
			       count_at(s, e->arg[1], p));
	default:
		break;
	}
	s->ok = false;
	return number(s, 0);
}

static struct aot_dim *
known_dims(struct aot *a, const struct ir_tensor_type *t)
{
	struct aot_dim *d = ARENA_NEW_ARRAY(a->arena, t->ndim, struct aot_dim);

	for (uint32_t i = 0; i < t->ndim; i++)
		d[i] = (struct aot_dim){t->shape[i].value, -1};
	return d;
}

/* Every dimension of P has a place of its own from *N on. */
static void
own_dims(struct aot *a, struct place *p, uint32_t *n)
{
	p->dims = known_dims(a, p->type);
	for (uint32_t i = 0; i < p->type->ndim; i++)
		if (!ir_dim_is_const(p->type->shape[i]))
			p->dims[i].index = (int32_t)(*n + i);
	*n += p->type->ndim;
}

/* Attribute NAME of K as a list of N lists of integers. */
static const ir_attr *
list_of(const tir_func *k, const char *name, uint32_t n)
{
	const ir_attr *a = ir_dict_get(k->attrs, name);

	if (!a || a->kind != ATTR_ARRAY || a->n < n)
		return NULL;
	for (uint32_t i = 0; i < a->n; i++) {
		if (a->elems[i].kind != ATTR_ARRAY)
			return NULL;
		for (uint32_t j = 0; j < a->elems[i].n; j++)
			if (a->elems[i].elems[j].kind != ATTR_INT)
				return NULL;
	}
	return a;
}

static bool
malformed(struct aot *a, const struct step *st)
{
	pass_error(a->cx, st->loc,
		   "kernel '@%s' does not say how its sizes are found",
		   st->kernel->name);
	return false;
}

/* The dimensions of the results of ST, whose sizes begin at ST->base. */
static bool
result_dims(struct aot *a, struct step *st)
{
	const ir_attr *shapes =
		st->sized ? list_of(st->kernel, "shapes", st->noutputs) : NULL;

	for (uint32_t i = 0; i < st->noutputs; i++) {
		struct place *p = st->args[st->ninputs + i];

		p->dims = known_dims(a, p->type);
		if (!st->sized && !ir_shape_is_static(p->type))
			return malformed(a, st);
		if (!st->sized)
			continue;
		if (!shapes || shapes->elems[i].n != p->type->ndim)
			return malformed(a, st);
		for (uint32_t d = 0; d < p->type->ndim; d++) {
			int64_t v = shapes->elems[i].elems[d].i;

			if (-1 - v >= (int64_t)st->nsizes)
				return malformed(a, st);
			p->dims[d].value = v;
			if (v < 0)
				p->dims[d].index = (int32_t)(st->base - 1 - v);
		}
	}
	for (uint32_t i = st->ninputs + st->noutputs; i < st->n; i++) {
		st->args[i]->dims = known_dims(a, st->args[i]->type);
		st->args[i]->base = st->base;
		st->args[i]->nsizes = st->nsizes;
	}
	return true;
}

/* Where the sizes of all values lie. */
static bool
place_sizes(struct aot *a)
{
	uint32_t n = 0, nresults = 0;

	for (size_t i = 0; i < a->inputs.len; i++)
		own_dims(a, a->inputs.at[i], &n);
	for (size_t i = 0; i < a->outputs.len; i++)
		nresults += a->outputs.at[i]->type->ndim;
	a->nsizes = n + nresults;
	for (size_t i = 0; i < a->steps.len; i++) {
		struct step *st = &a->steps.at[i];
		const ir_attr *sizes =
			st->sized ? list_of(st->kernel, "sizes", 0) : NULL;

		if (st->sized && !sizes)
			return malformed(a, st);
		st->base = a->nsizes;
		st->nsizes = sizes ? sizes->n : 0;
		a->nsizes += st->nsizes;
		for (uint32_t k = 0; k < st->ninputs; k++)
			if (!st->args[k]->dims)
				st->args[k]->dims =
					known_dims(a, st->args[k]->type);
		if (!result_dims(a, st))
			return false;
	}
	for (size_t i = 0; i < a->copies.len; i++) {
		struct copy *c = &a->copies.at[i];

		if (!c->from->dims)
			c->from->dims = known_dims(a, c->from->type);
		c->to->dims = c->from->dims;
	}
	return true;
}

/* Slots for values that are no results; those of the dead are used again. */
static void
place_memory(struct sized *s)
{
	struct aot *a = s->a;
	VEC(struct place *) live = {0};
	VEC(uint32_t) unused = {0};

	s->nslots = (uint32_t)a->outputs.len;
	for (size_t i = 0; i < a->work.len; i++) {
		struct place *p = a->work.at[i];
		size_t kept = 0;

		if (p->kind != PLACE_WORK)
			continue;
		for (size_t k = 0; k < live.len; k++) {
			if (live.at[k]->last >= p->first)
				live.at[kept++] = live.at[k];
			else
				vec_push(&unused, live.at[k]->index);
		}
		live.len = kept;
		if (unused.len) {
			p->index = vec_pop(&unused);
		} else {
			p->index = s->nslots++;
		}
		vec_push(&live, p);
	}
	vec_free(&live);
	vec_free(&unused);
}

static void
add_params(struct sized *s)
{
	struct aot *a = s->a;
	size_t n = a->inputs.len + 3, input = 0;
	struct tir_buffer **in =
		ARENA_NEW_ARRAY(a->arena, a->inputs.len, struct tir_buffer *);

	s->f->params = ARENA_NEW_ARRAY(&s->m->arena, n, struct tir_param);
	s->sizes = aot_add_param(a, s->f, "sizes", i64, a->nsizes);
	for (uint32_t i = 0; i < a->fn->nparams; i++) {
		const struct ir_var *v = a->fn->params[i];
		const struct leaves *l = ir_map_get(&a->values, &v->base);

		for (uint32_t k = 0; k < l->n; k++, input++)
			in[input] = aot_add_param(a, s->f, v->name,
						  l->at[k]->type->dtype, -1);
	}
	for (size_t i = 0; i < a->inputs.len; i++) {
		const struct place *p = a->inputs.at[i];
		const tir_expr *count = number(s, 1);

		for (uint32_t d = 0; d < p->type->ndim; d++) {
			const tir_expr *e = dimension(s, p->dims[d]);

			count = tir_is_const_int(count, 1)
					? e
					: tir_binary(s->m, TIR_MUL, count, e);
		}
		if (ir_shape_is_static(p->type))
			ir_shape_size(p->type, &in[i]->size);
		else
			in[i]->extent = count;
	}
	s->constants = aot_add_param(a, s->f, "constants", DTYPE(UINT, 8),
				     a->constant_bytes);
	if (!a->constant_bytes)
		s->f->params[s->f->nparams - 1].buffer = NULL;
	s->memory = aot_add_param(a, s->f, "memory", DTYPE(HANDLE, 64),
				  RELAY_ERROR_WORDS + s->nslots);
}

/* A pointer to the first element of P. */
static const tir_expr *
pointer(struct sized *s, const struct place *p)
{
	const struct tir_buffer *b;
	int64_t at = 0;

	switch (p->kind) {
	case PLACE_INPUT:
		b = s->f->params[1 + p->index].buffer;
		return tir_address_of(s->m, b, place_of(s, 0));
	case PLACE_CONSTANT:
		at = s->a->constant_at.at[p->index];
		return tir_address_of(s->m, s->constants,
				      at > INT32_MAX ? number(s, at)
						     : place_of(s, at));
	case PLACE_OUTPUT:
	case PLACE_WORK:
		break;
	}
	return tir_load(s->m, s->memory, slot(s, p->index));
}

/* What is known of the inputs must be so. */
static void
check_input(struct sized *s, const struct place *p, const char *name,
	    struct loc loc, uint32_t at)
{
	ir_context *cx = s->m->cx;

	for (uint32_t d = 0; d < p->type->ndim; d++) {
		const tir_expr *n = size_at(s, at + d), *want, *args[5];
		bool known = ir_dim_is_const(p->type->shape[d]);

		want = number(s, known ? p->type->shape[d].value : 0);
		args[0] = error_place(s);
		args[1] = tir_binary(s->m, known ? TIR_EQ : TIR_GE, n, want);
		args[1] = tir_cast(s->m, i64, args[1]);
		args[2] = tir_string(
			s->m,
			ir_namef(cx, "dimension %u of input '%s' is %s", d,
				 name, known ? "another" : "negative"));
		args[3] = n;
		args[4] = want;
		call_routine(s, loc, "relay_dyn_check", args, 5);
	}
}

/* Errors from here on are at LOC. */
static void
set_place(struct sized *s, struct loc loc)
{
	const tir_expr *args[2];
	struct buf text = {0};
	const char *place;

	diag_put_place(s->a->cx->diag, loc, &text);
	place = text.len ? ir_name(s->m->cx, text.at) : s->place;
	if (place != s->place) {
		args[0] = error_place(s);
		args[1] = tir_string(s->m, place);
		call_routine(s, loc, "relay_dyn_place", args, 2);
	}
	s->place = place;
	buf_free(&text);
}

static void
check_inputs(struct sized *s)
{
	const struct aot *a = s->a;
	uint32_t at = 0, input = 0;

	for (uint32_t i = 0; i < a->fn->nparams; i++) {
		const struct ir_var *v = a->fn->params[i];
		const struct leaves *l = ir_map_get(&a->values, &v->base);

		set_place(s, v->base.loc);
		for (uint32_t k = 0; k < l->n; k++, input++) {
			check_input(s, l->at[k], v->name, v->base.loc, at);
			at += l->at[k]->type->ndim;
		}
	}
}

/*
 * Where to say that a check of ST failed: at the operator that wants it, if
 * its kernel is called but once, else at the call.
 */
static struct loc
place_of_checks(struct sized *s, const struct step *st, const char *check)
{
	const ir_def *def = ir_module_find(s->m, ir_name(s->m->cx, check));
	const tir_stmt *body =
		def && def->kind == DEF_TIR ? def->tir->body : NULL;
	uint32_t calls = 0;

	for (size_t i = 0; i < s->a->steps.len; i++)
		calls += s->a->steps.at[i].kernel == st->kernel;
	for (uint32_t i = 0;
	     calls == 1 && body && body->kind == TIR_SEQ && i < body->seq.n;
	     i++)
		if (body->seq.at[i]->kind == TIR_EVAL &&
		    loc_is_known(body->seq.at[i]->loc))
			return body->seq.at[i]->loc;
	return st->loc;
}

/* Fill in the sizes of parameters, then have the rest checked and computed. */
static bool
find_sizes(struct sized *s, const struct step *st)
{
	const ir_attr *sizes = list_of(st->kernel, "sizes", 0);
	const ir_attr *check = ir_dict_get(st->kernel->attrs, "check");
	tir_stmt *c;

	for (uint32_t i = 0; i < sizes->n; i++) {
		const ir_attr *b = &sizes->elems[i];
		const struct place *p;

		if (b->n == 0)
			continue;
		if (b->n != 2 || b->elems[0].i < 0 ||
		    b->elems[0].i >= st->ninputs || b->elems[1].i < 0)
			return malformed(s->a, st);
		p = st->args[b->elems[0].i];
		if (b->elems[1].i >= p->type->ndim)
			return malformed(s->a, st);
		set_size(s, st->base + i, dimension(s, p->dims[b->elems[1].i]),
			 st->loc);
	}
	if (!check || check->kind != ATTR_STRING)
		return true;
	set_place(s, place_of_checks(s, st, check->s));
	c = tir_new_stmt(s->m, TIR_CALL_FUNC);
	c->call.func = check->s;
	c->call.n = st->ninputs + 2;
	c->call.args =
		ARENA_NEW_ARRAY(&s->m->arena, c->call.n, const tir_expr *);
	for (uint32_t i = 0; i < st->ninputs; i++)
		c->call.args[i] = pointer(s, st->args[i]);
	c->call.args[st->ninputs] =
		tir_address_of(s->m, s->sizes, place_of(s, st->base));
	c->call.args[st->ninputs + 1] = error_place(s);
	add(s, c, st->loc);
	return true;
}

static void
allocate(struct sized *s, const struct place *p, struct loc loc)
{
	const tir_expr *args[4];

	set_place(s, loc);
	args[0] = error_place(s);
	args[1] = tir_address_of(s->m, s->memory, slot(s, p->index));
	args[2] = p->count ? count_at(s, p->count->extent, p) : elements(s, p);
	args[3] = number(s, (int64_t)dtype_size(p->type->dtype));
	call_routine(s, loc, "relay_dyn_alloc", args, 4);
}

/* P has elements; NULL if that is known. */
static const tir_expr *
is_there(struct sized *s, const struct place *p)
{
	const tir_expr *all = NULL, *some;

	for (uint32_t d = 0; d < p->type->ndim; d++) {
		if (p->dims[d].index < 0)
			continue;
		some = tir_binary(s->m, TIR_NE, dimension(s, p->dims[d]),
				  number(s, 0));
		all = all ? tir_binary(s->m, TIR_AND, all, some) : some;
	}
	return all;
}

/*
 * CALL, if there is anything to compute: a kernel may run long over an
 * extent without bounds next to one of 0.
 */
static tir_stmt *
unless_empty(struct sized *s, const struct step *st, tir_stmt *call)
{
	const tir_expr *any = NULL;
	tir_stmt *branch;

	for (uint32_t i = st->ninputs; i < st->ninputs + st->noutputs; i++) {
		const tir_expr *there = is_there(s, st->args[i]);

		if (!there)
			return call;
		any = any ? tir_binary(s->m, TIR_OR, any, there) : there;
	}
	branch = tir_new_stmt(s->m, TIR_IF);
	branch->if_.cond = any;
	branch->if_.then_ = tir_seq(s->m);
	call->loc = st->loc;
	tir_seq_add(s->m, branch->if_.then_, call);
	return branch;
}

static bool
call_kernel(struct sized *s, const struct step *st)
{
	tir_stmt *c;
	uint32_t k = 0;

	if (st->sized && !find_sizes(s, st))
		return false;
	for (uint32_t i = st->ninputs; i < st->n; i++)
		allocate(s, st->args[i], st->loc);
	c = tir_new_stmt(s->m, TIR_CALL_FUNC);
	c->call.func = st->kernel->name;
	c->call.n = st->n + st->sized;
	c->call.args =
		ARENA_NEW_ARRAY(&s->m->arena, c->call.n, const tir_expr *);
	if (st->sized)
		c->call.args[k++] =
			tir_address_of(s->m, s->sizes, place_of(s, st->base));
	for (uint32_t i = 0; i < st->n; i++)
		c->call.args[k++] = pointer(s, st->args[i]);
	add(s, unless_empty(s, st, c), st->loc);
	return true;
}

static void
copy(struct sized *s, const struct copy *c)
{
	const tir_expr *args[3];
	tir_stmt *e = tir_new_stmt(s->m, TIR_EVAL);

	allocate(s, c->to, s->a->def->loc);
	args[0] = pointer(s, c->to);
	args[1] = pointer(s, c->from);
	args[2] = product(s, elements(s, c->to),
			  number(s, (int64_t)dtype_size(c->to->type->dtype)));
	e->eval = tir_call_extern(s->m, ir_name(s->m->cx, "memcpy"),
				  DTYPE(HANDLE, 64), args, 3);
	add(s, e, LOC_NONE);
}

/* The dimensions of the results behind those of the inputs. */
static void
give_shapes(struct sized *s)
{
	const struct aot *a = s->a;
	uint32_t n = 0;

	for (size_t i = 0; i < a->inputs.len; i++)
		n += a->inputs.at[i]->type->ndim;
	for (size_t i = 0; i < a->outputs.len; i++) {
		const struct place *p = a->outputs.at[i];

		for (uint32_t d = 0; d < p->type->ndim; d++)
			set_size(s, n++, dimension(s, p->dims[d]), LOC_NONE);
	}
}

static const ir_dict *
attributes(struct sized *s)
{
	ir_context *cx = s->m->cx;
	const ir_dict *d = ir_dict_with(cx, NULL, ir_name(cx, "slots"),
					ATTR_INT32(s->nslots));

	return aot_constants(s->a, d);
}

bool
aot_write_sized(struct aot *a)
{
	struct sized s = {.a = a, .m = a->m, .ok = true};
	tir_stmt *ret = tir_new_stmt(a->m, TIR_RETURN);

	if (!place_sizes(a))
		return false;
	place_memory(&s);
	s.f = ARENA_NEW(&a->m->arena, tir_func);
	s.f->name = a->def->name;
	s.f->loc = a->def->loc;
	s.f->relay_type = ir_type_of(&a->fn->base);
	s.f->attrs = attributes(&s);
	s.f->body = tir_seq(a->m);
	add_params(&s);
	check_inputs(&s);
	for (size_t i = 0; i < a->steps.len; i++)
		if (!call_kernel(&s, &a->steps.at[i]))
			return false;
	for (size_t i = 0; i < a->copies.len; i++)
		copy(&s, &a->copies.at[i]);
	give_shapes(&s);
	ret->ret = tir_int(a->m, i32, 0);
	tir_seq_add(a->m, s.f->body, ret);
	if (!s.ok) {
		pass_error(a->cx, a->def->loc,
			   "the size of a kernel's memory is not known");
		return false;
	}
	a->def->kind = DEF_TIR;
	a->def->tir = s.f;
	a->def->fn = NULL;
	return true;
}
