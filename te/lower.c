/*
 * Lowering: plan, bounds, loops, and then the steps on loops.
 */
#include "te/lower.h"

#include "te/plan.h"
#include "te/sizes.h"

static struct tir_param
param_for(ir_module *m, const struct tir_buffer *b)
{
	const char *name = ir_namef(m->cx, "%s_1", b->name);

	return (struct tir_param){
		tir_new_var(m, name, DTYPE(HANDLE, 64)),
		b,
	};
}

/* Buffers of the PARAMs of F, and of its sizes. */
static void
make_params(struct te_plan *p)
{
	const char *name = ir_name(p->m->cx, "sizes");

	if (p->f->nsizes)
		p->sizes = tir_new_buffer(
			p->m, te_find_op(p->f, name) ? "sizes_" : name,
			DTYPE(INT, 64), p->f->nsizes, TIR_GLOBAL);
	p->params = ARENA_NEW_ARRAY(&p->m->arena, p->f->nparams,
				    const struct tir_buffer *);
	for (uint32_t i = 0; i < p->f->nparams; i++) {
		const struct te_op *op = p->f->ops[i];
		const struct te_tensor *t = &op->outputs[0];
		int64_t size;
		const tir_expr *count = te_count(p, t->shape, t->ndim, &size);
		struct tir_buffer *b =
			tir_new_buffer(p->m, op->name, t->dtype,
				       count ? -1 : size, TIR_GLOBAL);

		b->extent = count;
		p->params[i] = b;
	}
}

static const ir_dict *
make_attrs(ir_module *m, const te_func *f, const te_schedule *s)
{
	static const char *const kept[] = {"relay.text", "relay.op"};
	const ir_dict *d =
		ir_dict_with(m->cx, NULL, ir_name(m->cx, "tir.noalias"),
			     (ir_attr){.kind = ATTR_BOOL, .b = true});

	if (s && s->target)
		d = ir_dict_with(m->cx, d, ir_name(m->cx, "target"),
				 ATTR_STR(s->target));
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const ir_attr *a = ir_dict_get(f->attrs, kept[i]);

		if (a)
			d = ir_dict_with(m->cx, d, ir_name(m->cx, kept[i]), *a);
	}
	return d;
}

/* Does the Relay type of F know what F knows? */
static bool
says_all(const te_func *f)
{
	return f->relay_type &&
	       (f->nsizes > 0 || !(f->relay_type->flags & TYPE_HAS_ANY));
}

static tir_func *
make_func(struct te_plan *p, const te_schedule *s)
{
	tir_func *f = ARENA_NEW(&p->m->arena, tir_func);
	uint32_t n = 0;

	make_params(p);
	f->name = p->f->name;
	f->loc = p->f->loc;
	f->relay_type = says_all(p->f) ? p->f->relay_type
				       : te_func_flat_type(p->m->cx, p->f);
	f->attrs = make_attrs(p->m, p->f, s);
	if (p->f->nsizes)
		f->attrs = te_size_attrs(p->m, p->f, f->attrs);
	f->body = te_emit(p);
	f->nparams = p->f->nparams + p->f->noutputs + (p->sizes != NULL);
	f->params = ARENA_NEW_ARRAY(&p->m->arena, f->nparams, struct tir_param);
	if (p->sizes)
		f->params[n++] = param_for(p->m, p->sizes);
	for (uint32_t i = 0; i < p->f->nparams; i++)
		f->params[n++] = param_for(p->m, p->params[i]);
	for (uint32_t i = 0; i < p->f->noutputs; i++) {
		const struct te_tensor *t = p->f->outputs[i];

		f->params[n++] =
			param_for(p->m, te_plan_nest(p, t)->buffers[t->output]);
	}
	return f;
}

tir_func *
te_to_tir(ir_module *m, const te_func *f, const te_schedule *s, struct diag *d)
{
	struct te_plan p;
	tir_func *out = NULL;

	if (te_plan_make(&p, m, f, s, d) && te_bounds(&p))
		out = make_func(&p, s);
	te_plan_free(&p);
	return out;
}

tir_func *
te_lower(ir_module *m, const te_func *f, const te_schedule *s, struct diag *d)
{
	tir_func *out = te_to_tir(m, f, s, d);

	if (!out)
		return NULL;
	tir_partition(m, out);
	tir_unroll(m, out);
	tir_partition(m, out);
	tir_vectorize(m, out);
	tir_storage(m, out);
	return out;
}
