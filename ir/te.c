/*
 * Tensor expressions and schedules: construction and look-up.
 */
#include "ir/te.h"

#include <assert.h>
#include <string.h>

#include "ir/module.h"
#include "ir/type.h"

const char *const te_combiner_names[TE_COMBINER_COUNT] = {
	[TE_SUM] = "sum",
	[TE_PROD] = "prod",
	[TE_MIN] = "min",
	[TE_MAX] = "max",
	[TE_ANY] = "any",
	[TE_ALL] = "all",
	[TE_ARGMIN] = "argmin",
	[TE_ARGMAX] = "argmax",
	[TE_ARGMIN_LAST] = "argmin_last",
	[TE_ARGMAX_LAST] = "argmax_last",
};

const struct te_prim_info te_prim_info[TE_PRIM_COUNT] = {
#define PRIM(id, word, nin, nout, number, string) \
	{word, nin, nout, number, string},
#include "ir/prims.def"
};

int
te_prim_find(const char *word)
{
	for (int i = 0; i < TE_PRIM_COUNT; i++)
		if (!strcmp(te_prim_info[i].word, word))
			return i;
	return -1;
}

te_func *
te_new_func(ir_module *m, const char *name)
{
	te_func *f = ARENA_NEW(&m->arena, te_func);

	f->name = name;
	return f;
}

te_schedule *
te_new_schedule(ir_module *m, const char *name)
{
	te_schedule *s = ARENA_NEW(&m->arena, te_schedule);

	s->name = name;
	return s;
}

/* A name of an operation, and the next number to try behind it. */
struct te_name {
	const char *name; /* interned; NULL: free */
	struct te_op *op; /* NULL: only a stem so far */
	unsigned next;
};

static struct te_name *
name_slot(struct te_name *names, uint32_t n, const char *name)
{
	uint64_t h = ((uintptr_t)name >> 3) * UINT64_C(0x9e3779b97f4a7c15);
	uint32_t i = (uint32_t)(h >> 32) & (n - 1);

	while (names[i].name && names[i].name != name)
		i = (i + 1) & (n - 1);
	return &names[i];
}

struct te_op *
te_find_op(const te_func *f, const char *name)
{
	struct te_op *op = NULL;

	if (f->nnames)
		op = name_slot(f->names, f->nnames, name)->op;
	if (op && op->id < f->nops && f->ops[op->id] == op)
		return op;
	return NULL;
}

/* The slot of NAME, which may be new. There are at most two per operation. */
static struct te_name *
add_name(ir_module *m, te_func *f, const char *name)
{
	struct te_name *slot;

	if (f->nnames < 4 * (f->nops + 2)) {
		uint32_t n = f->nnames ? 4 * f->nnames : 32;
		struct te_name *more =
			ARENA_NEW_ARRAY(&m->arena, n, struct te_name);

		for (uint32_t i = 0; i < f->nnames; i++)
			if (f->names[i].name)
				*name_slot(more, n, f->names[i].name) =
					f->names[i];
		f->names = more;
		f->nnames = n;
	}
	slot = name_slot(f->names, f->nnames, name);
	slot->name = name;
	return slot;
}

/* NAME, or NAME_1, NAME_2, ...: the first that no operation of F has. */
static const char *
unique_name(ir_module *m, te_func *f, const char *name)
{
	struct te_name *stem = add_name(m, f, ir_name(m->cx, name));
	const char *s = stem->name;

	while (te_find_op(f, s))
		s = ir_namef(m->cx, "%s_%u", stem->name, ++stem->next);
	return s;
}

/* Room for one more element of SIZE bytes in an array of the module. */
static void *
grow(ir_module *m, void *at, uint32_t len, uint32_t *cap, size_t size)
{
	void *bigger;

	if (len < *cap)
		return at;
	*cap = *cap ? 2 * *cap : 8;
	bigger = arena_array(&m->arena, *cap, size);
	if (len)
		memcpy(bigger, at, len * size);
	return bigger;
}

struct te_op *
te_add_op(ir_module *m, te_func *f, enum te_op_kind kind, const char *name,
	  uint32_t noutputs)
{
	struct te_op *op = ARENA_NEW(&m->arena, struct te_op);

	op->kind = kind;
	op->name = unique_name(m, f, name);
	add_name(m, f, op->name)->op = op;
	op->id = f->nops;
	op->noutputs = noutputs;
	op->outputs = ARENA_NEW_ARRAY(&m->arena, noutputs, struct te_tensor);
	op->body = ARENA_NEW_ARRAY(&m->arena, noutputs, const tir_expr *);
	for (uint32_t i = 0; i < noutputs; i++) {
		op->outputs[i].op = op;
		op->outputs[i].output = i;
	}
	f->ops = grow(m, f->ops, f->nops, &f->ops_cap, sizeof(*f->ops));
	f->ops[f->nops++] = op;
	if (kind == TE_PARAM) {
		assert(op->id == f->nparams);
		f->nparams++;
	}
	return op;
}

void
te_set_output(ir_module *m, struct te_op *op, uint32_t i, struct dtype dtype,
	      const int64_t *shape, uint32_t ndim)
{
	struct te_tensor *t = &op->outputs[i];

	t->dtype = dtype;
	t->ndim = ndim;
	t->shape = arena_copy(&m->arena, shape, ndim * sizeof(*shape));
}

int64_t
te_add_size(ir_module *m, te_func *f, const char *name, const tir_expr *value)
{
	const char *s = ir_name(m->cx, name);
	struct te_size *size;

	for (uint32_t i = 0, k = 1; i < f->nsizes; i++)
		if (f->sizes[i].var->name == s) {
			s = ir_namef(m->cx, "%s_%u", name, k++);
			i = UINT32_MAX; /* from the start */
		}
	f->sizes =
		grow(m, f->sizes, f->nsizes, &f->sizes_cap, sizeof(*f->sizes));
	size = &f->sizes[f->nsizes++];
	*size = (struct te_size){
		.var = tir_new_var(m, s, DTYPE(INT, 64)),
		.param = -1,
		.dim = -1,
		.value = value,
	};
	return te_size_extent(size->var);
}

void
te_add_require(ir_module *m, te_func *f, const struct te_require *r)
{
	f->
		requires
	= grow(m, f->requires, f->nrequires, &f->requires_cap,
	       sizeof(*f->requires));
	f->
		requires[
			f->nrequires++] = *r;
}

void
te_add_output(ir_module *m, te_func *f, struct te_tensor *t)
{
	f->outputs = grow(m, f->outputs, f->noutputs, &f->outputs_cap,
			  sizeof(*f->outputs));
	f->outputs[f->noutputs++] = t;
}

const tir_expr *
tir_read(ir_module *m, const struct te_tensor *t, const tir_expr *const *index,
	 uint32_t n)
{
	tir_expr *e =
		arena_alloc(&m->arena, sizeof(*e) + n * sizeof(e->arg[0]));

	assert(n == t->ndim);
	e->kind = TIR_READ;
	e->dtype = t->dtype;
	e->n = n;
	e->tensor = t;
	if (n)
		memcpy(e->arg, index, n * sizeof(*index));
	return e;
}

const tir_expr *
te_new_reduce(ir_module *m, const struct te_reduce *r,
	      const tir_expr *const *values, const tir_expr *cond)
{
	uint32_t n = r->nvalues + r->has_cond;
	tir_expr *e =
		arena_alloc(&m->arena, sizeof(*e) + n * sizeof(e->arg[0]));
	struct te_reduce *copy = arena_copy(&m->arena, r, sizeof(*r));

	assert(r->nvalues > 0 && r->has_cond == (cond != NULL));
	copy->axes =
		arena_copy(&m->arena, r->axes, r->naxes * sizeof(*r->axes));
	e->kind = TIR_REDUCE;
	e->dtype = values[0]->dtype;
	e->n = n;
	e->reduce = copy;
	memcpy(e->arg, values, r->nvalues * sizeof(*values));
	if (cond)
		e->arg[r->nvalues] = cond;
	e->depth = tir_depth_over(e->arg, n);
	return e;
}

/* So many stages are looked through, more are looked up. */
enum { FEW_STAGES = 16 };

/* The slot of the stage NAME, or the free one where it would be. */
static uint32_t *
stage_slot(const te_schedule *s, const char *name)
{
	uint32_t i = (uint32_t)intern_hash(name) & (s->nslots - 1);

	while (s->slots[i] && s->stages[s->slots[i] - 1].name != name)
		i = (i + 1) & (s->nslots - 1);
	return &s->slots[i];
}

struct te_stage *
te_schedule_find(const te_schedule *s, const char *name)
{
	uint32_t at;

	if (s->nstages > FEW_STAGES) {
		at = *stage_slot(s, name);
		return at ? &s->stages[at - 1] : NULL;
	}
	for (uint32_t i = s->nstages; i-- > 0;)
		if (s->stages[i].name == name)
			return &s->stages[i];
	return NULL;
}

/* The last stage is new. */
static void
index_stage(ir_module *m, te_schedule *s)
{
	uint32_t first = s->nstages - 1;

	if (s->nstages <= FEW_STAGES)
		return;
	if (s->nstages == FEW_STAGES + 1 || s->nstages > s->nslots / 2) {
		s->nslots = FEW_STAGES;
		while (s->nslots < s->nstages * 4)
			s->nslots *= 2;
		s->slots = ARENA_NEW_ARRAY(&m->arena, s->nslots, uint32_t);
		first = 0;
	}
	for (uint32_t i = first; i < s->nstages; i++)
		*stage_slot(s, s->stages[i].name) = i + 1;
}

struct te_stage *
te_schedule_stage(ir_module *m, te_schedule *s, const char *name)
{
	struct te_stage *st = te_schedule_find(s, name);

	if (st)
		return st;
	s->stages = grow(m, s->stages, s->nstages, &s->stages_cap,
			 sizeof(*s->stages));
	st = &s->stages[s->nstages++];
	*st = (struct te_stage){.name = name};
	index_stage(m, s);
	return st;
}

struct te_prim *
te_stage_add(ir_module *m, struct te_stage *st, enum te_prim_kind kind)
{
	struct te_prim *p;

	st->prims = grow(m, st->prims, st->nprims, &st->prims_cap,
			 sizeof(*st->prims));
	p = &st->prims[st->nprims++];
	*p = (struct te_prim){.kind = kind};
	return p;
}

static const ir_type *
tensor_type(ir_context *cx, const struct te_tensor *t)
{
	struct ir_dim *dims = xmalloc((t->ndim + 1) * sizeof(*dims));
	const ir_type *type;

	for (uint32_t i = 0; i < t->ndim; i++)
		dims[i] = te_is_size(t->shape[i]) ? DIM_UNKNOWN
						  : DIM(t->shape[i]);
	type = ir_type_tensor(cx, t->dtype, dims, t->ndim);
	free(dims);
	return type;
}

const ir_type *
te_func_flat_type(ir_context *cx, const te_func *f)
{
	const ir_type **t =
		xmalloc((f->nparams + f->noutputs + 1) * sizeof(*t));
	const ir_type **out = t + f->nparams;
	const ir_type *ret;

	for (uint32_t i = 0; i < f->nparams; i++)
		t[i] = tensor_type(cx, &f->ops[i]->outputs[0]);
	for (uint32_t i = 0; i < f->noutputs; i++)
		out[i] = tensor_type(cx, f->outputs[i]);
	ret = f->noutputs == 1 ? out[0] : ir_type_tuple(cx, out, f->noutputs);
	ret = ir_type_func(cx, t, f->nparams, ret, NULL, 0);
	free(t);
	return ret;
}

const ir_type *
te_func_type(ir_context *cx, te_func *f)
{
	if (!f->relay_type)
		f->relay_type = te_func_flat_type(cx, f);
	return f->relay_type;
}
