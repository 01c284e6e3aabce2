/*
 * The evaluator of loops: kernels, their frames, and calls between them.
 */
#include "te/eval.h"

#include <stdlib.h>
#include <string.h>

#include "ir/module.h"
#include "runtime/extern.h"
#include "te/eval_frame.h"

enum { MAX_CALLS = 100, MAX_EXTERN_ARGS = 64 };

struct eval_machine {
	const ir_module *module;
	struct diag *diag;
	struct arena arena;
	struct eval_frame **frames; /* hash table, by function */
	size_t cap;
	size_t n;
	unsigned depth;
};

struct diag *
eval_diag(struct eval_machine *x)
{
	return x->diag;
}

bool
eval_allocate(struct eval_machine *x, struct eval_frame *f,
	      const struct eval_insn *in)
{
	struct eval_memory *m = &f->memory[in->d];
	int64_t n = f->slots[in->a].i;
	size_t bytes;

	if (n < 0 || (uint64_t)n > SIZE_MAX / 2 / in->b) {
		diag_error(x->diag, f->code->func->loc,
			   "kernel '%s': buffer '%s' is too large",
			   f->code->func->name, f->code->buffers[in->d]->name);
		return false;
	}
	bytes = (size_t)n * in->b + 1;
	if (m->owned < bytes) {
		free(m->data);
		m->data = xcalloc(1, bytes);
		m->owned = bytes;
	}
	m->n = n;
	return true;
}

bool
eval_call_extern(struct eval_machine *x, struct eval_frame *f,
		 const struct eval_insn *in)
{
	const struct eval_call *call = &f->code->calls[in->imm.i];
	const struct relay_extern *r = relay_extern_find(call->name);
	union relay_arg args[MAX_EXTERN_ARGS] = {{0}};

	if (!r || r->nargs != call->nargs || call->nargs > MAX_EXTERN_ARGS) {
		diag_error(x->diag, call->loc,
			   "kernel '%s' calls '%s', which is no routine of "
			   "the runtime with %u arguments",
			   f->code->func->name, call->name, call->nargs);
		return false;
	}
	for (uint32_t i = 0; i < call->nargs; i++) {
		const union eval_slot *v = &f->slots[call->args[i]];

		if (call->kinds[i] == EVAL_ARG_HANDLE)
			args[i].p = v->p;
		else if (call->kinds[i] == EVAL_ARG_FLOAT)
			args[i].f = v->f;
		else
			args[i].i = v->i;
	}
	f->slots[in->d].i = r->call(args);
	return true;
}

bool
eval_call_func(struct eval_machine *x, struct eval_frame *f,
	       const struct eval_insn *in)
{
	const struct eval_call *call = &f->code->calls[in->imm.i];
	const ir_def *def = ir_module_find(x->module, call->name);
	struct eval_span *args = xcalloc(call->nargs + 1, sizeof(*args));
	bool ok;

	for (uint32_t i = 0; i < call->nargs; i++) {
		args[i].data = f->slots[call->args[i]].p;
		args[i].nbytes = (size_t)f->slots[call->args[i] + 1].i;
	}
	if (!def || def->kind != DEF_TIR) {
		diag_error(x->diag, call->loc,
			   "'%s' calls '%s', which is no "
			   "kernel of the module",
			   f->code->func->name, call->name);
		ok = false;
	} else {
		ok = eval_run_tir(x, def->tir, args, call->nargs);
	}
	free(args);
	return ok;
}

void
eval_address(struct eval_frame *f, const struct eval_insn *in)
{
	const struct eval_memory *m = &f->memory[in->imm.i];
	int64_t at = f->slots[in->a].i, size = m->n, elem = in->b;
	unsigned lanes = f->code->buffers[in->imm.i]->dtype.lanes;

	if (lanes > 1)
		size /= lanes;
	if (at < 0 || at > size)
		at = size;
	f->slots[in->d].p = m->data + at * elem;
	f->slots[in->d + 1].i = (size - at) * elem;
}

struct eval_machine *
eval_machine_new(const ir_module *m, struct diag *d)
{
	struct eval_machine *x = xcalloc(1, sizeof(*x));

	x->module = m;
	x->diag = d;
	return x;
}

static void
free_frame(struct eval_frame *f)
{
	for (uint32_t i = 0; f->code && i < f->code->nbuffers; i++)
		if (f->memory[i].owned)
			free(f->memory[i].data);
	free(f->memory);
	free(f->slots);
	free(f);
}

void
eval_machine_free(struct eval_machine *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->cap; i++)
		if (x->frames[i])
			free_frame(x->frames[i]);
	free(x->frames);
	arena_free(&x->arena);
	free(x);
}

/* The place of F's frame in the table. */
static struct eval_frame **
place_of(struct eval_machine *x, const tir_func *f)
{
	size_t i = ((uintptr_t)f >> 4) & (x->cap - 1);

	while (x->frames[i] && x->frames[i]->func != f)
		i = (i + 1) & (x->cap - 1);
	return &x->frames[i];
}

static void
grow(struct eval_machine *x)
{
	struct eval_frame **old = x->frames;
	size_t n = x->cap;

	x->cap = n ? 2 * n : 64;
	x->frames = xcalloc(x->cap, sizeof(*x->frames));
	for (size_t i = 0; i < n; i++)
		if (old[i])
			*place_of(x, old[i]->func) = old[i];
	free(old);
}

/* F ready to run; its code is NULL if it cannot be. */
static struct eval_frame *
frame_of(struct eval_machine *x, const tir_func *f)
{
	struct eval_frame **at;

	if (2 * (x->n + 1) > x->cap)
		grow(x);
	at = place_of(x, f);
	if (!*at) {
		struct eval_frame *fr = xcalloc(1, sizeof(*fr));

		fr->func = f;
		fr->code = eval_compile(f, &x->arena, x->diag);
		if (fr->code) {
			fr->slots = xcalloc(fr->code->nslots + 1,
					    sizeof(*fr->slots));
			fr->memory = xcalloc(fr->code->nbuffers + 1,
					     sizeof(*fr->memory));
		}
		*at = fr;
		x->n++;
	}
	return *at;
}

/* Let the parameters of F be ARGS. */
static bool
bind_args(struct eval_machine *x, struct eval_frame *f,
	  const struct eval_span *args, uint32_t n)
{
	const tir_func *fn = f->func;

	if (n != fn->nparams) {
		diag_error(x->diag, fn->loc,
			   "kernel '%s' takes %u arguments, not %u", fn->name,
			   fn->nparams, n);
		return false;
	}
	for (uint32_t i = 0; i < n; i++) {
		const struct tir_buffer *b = fn->params[i].buffer;
		struct dtype elem = b ? b->dtype : DTYPE(UINT, 8);

		elem.lanes = 1;
		f->slots[2 * i].p = args[i].data;
		f->slots[2 * i + 1].i = (int64_t)args[i].nbytes;
		f->memory[i].data = args[i].data;
		f->memory[i].n = (int64_t)(args[i].nbytes / dtype_size(elem));
		if (b && b->size >= 0 &&
		    f->memory[i].n < b->size * b->dtype.lanes) {
			diag_error(x->diag, fn->loc,
				   "kernel '%s': argument %u is too small",
				   fn->name, i);
			return false;
		}
	}
	return true;
}

bool
eval_run_tir(struct eval_machine *x, const tir_func *f,
	     const struct eval_span *args, uint32_t n)
{
	struct eval_frame *fr = frame_of(x, f);
	bool ok;

	if (!fr->code)
		return false;
	if (fr->busy || x->depth >= MAX_CALLS) {
		diag_error(x->diag, f->loc, "kernel '%s' calls itself",
			   f->name);
		return false;
	}
	if (!bind_args(x, fr, args, n))
		return false;
	fr->busy = true;
	x->depth++;
	ok = eval_execute(x, fr);
	x->depth--;
	fr->busy = false;
	return ok;
}
