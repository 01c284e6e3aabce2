/*
 * tir-storage: temporaries of scope "global" become parameters, so that the
 * caller plans their memory with everything else.
 */
#include <string.h>

#include "te/lower.h"
#include "te/tir_rewrite.h"

struct storage {
	ir_module *m;
	VEC(const struct tir_buffer *) buffers;
};

static tir_stmt *
lift(struct tir_rewriter *r, const tir_stmt *s)
{
	struct storage *st = r->env;

	/* What stands inside of a loop belongs to one iteration. */
	if (s->kind == TIR_FOR || s->kind == TIR_WHILE)
		return tir_rewrite(&(struct tir_rewriter){.m = r->m}, s);
	if (s->kind != TIR_ALLOC || s->alloc.buffer->scope != TIR_GLOBAL)
		return NULL;
	vec_push(&st->buffers, s->alloc.buffer);
	return tir_rewrite(r, s->alloc.body);
}

void
tir_storage(ir_module *m, tir_func *f)
{
	struct storage st = {.m = m};
	struct tir_rewriter r = {.m = m, .stmt = lift, .env = &st};
	struct tir_param *params;
	uint32_t n = f->nparams;

	f->body = tir_rewrite(&r, f->body);
	params = ARENA_NEW_ARRAY(&m->arena, n + st.buffers.len,
				 struct tir_param);
	if (n)
		memcpy(params, f->params, n * sizeof(*params));
	for (size_t i = 0; i < st.buffers.len; i++) {
		const struct tir_buffer *b = st.buffers.at[i];
		const char *name = ir_namef(m->cx, "%s_1", b->name);

		params[n].var = tir_new_var(m, name, DTYPE(HANDLE, 64));
		params[n++].buffer = b;
	}
	f->params = params;
	f->nparams = n;
	vec_free(&st.buffers);
}
