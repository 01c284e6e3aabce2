/*
 * Functions of other compilers as kernels that call them.
 *
 *     @region(%x)      with Compiler and global_symbol="region_0"
 *
 * is a call of a kernel that has one statement:
 *
 *     assert(call_extern(int32, "region_0", address_of(p0[0]),
 *         address_of(p1[0])) == 0, "region_0 failed");
 *
 * Whoever compiles the region defines a C function of that name, which takes
 * arrays, inputs first, and returns 0 if all went well.
 */
#include "passes/aot.h"

typedef VEC(struct tir_param) param_vec;

/* Parameters for the tensors in T, depth first; false if it has others. */
static bool
add_params(struct aot *a, param_vec *out, const ir_type *t)
{
	struct tir_param p;
	const char *name;
	int64_t size;

	if (t && t->kind == TYPE_TUPLE) {
		for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
			if (!add_params(a, out, ir_as_tuple_type(t)->fields[i]))
				return false;
		return true;
	}
	if (!t || t->kind != TYPE_TENSOR ||
	    !ir_shape_is_static(ir_as_tensor_type(t)))
		return false;
	ir_shape_size(ir_as_tensor_type(t), &size);
	name = ir_namef(a->m->cx, "p%u", (unsigned)out->len);
	p.buffer = tir_new_buffer(a->m, name, ir_as_tensor_type(t)->dtype, size,
				  TIR_GLOBAL);
	p.var = tir_new_var(a->m, ir_namef(a->m->cx, "%s_1", name),
			    DTYPE(HANDLE, 64));
	vec_push(out, p);
	return true;
}

static tir_stmt *
call(struct aot *a, const tir_func *f, const char *symbol)
{
	const tir_expr **args =
		ARENA_NEW_ARRAY(a->arena, f->nparams, const tir_expr *);
	tir_stmt *s = tir_new_stmt(a->m, TIR_ASSERT);
	struct dtype t = DTYPE(INT, 32);

	for (uint32_t i = 0; i < f->nparams; i++)
		args[i] = tir_address_of(a->m, f->params[i].buffer,
					 tir_int(a->m, t, 0));
	s->loc = f->loc;
	s->assert_.cond =
		tir_binary(a->m, TIR_EQ,
			   tir_call_extern(a->m, ir_name(a->m->cx, symbol), t,
					   args, f->nparams),
			   tir_int(a->m, t, 0));
	s->assert_.message = ir_namef(a->m->cx, "%s failed", symbol);
	return s;
}

static tir_func *
new_kernel(struct aot *a, const ir_def *def, const param_vec *params)
{
	const char *symbol = ir_dict_string(def->fn->attrs, "global_symbol");
	tir_func *f = ARENA_NEW(&a->m->arena, tir_func);
	tir_stmt *ret = tir_new_stmt(a->m, TIR_RETURN);

	*f = (tir_func){.name = def->name,
			.nparams = (uint32_t)params->len,
			.relay_type = ir_type_of(&def->fn->base),
			.loc = def->loc};
	f->params =
		ARENA_NEW_ARRAY(&a->m->arena, params->len, struct tir_param);
	for (size_t i = 0; i < params->len; i++)
		f->params[i] = params->at[i];
	ret->ret = tir_int(a->m, DTYPE(INT, 32), 0);
	f->body = tir_seq(a->m);
	tir_seq_add(a->m, f->body, call(a, f, symbol ? symbol : def->name));
	tir_seq_add(a->m, f->body, ret);
	return f;
}

const tir_func *
aot_external(struct aot *a, ir_def *def)
{
	const ir_type *t = ir_type_of(&def->fn->base);
	param_vec params = {0};
	tir_func *f;
	bool ok = t && t->kind == TYPE_FUNC;

	for (size_t i = 0; i < a->externals.len; i++)
		if (a->externals.at[i].def == def)
			return a->externals.at[i].kernel;
	for (uint32_t i = 0; ok && i < ir_as_func_type(t)->nparams; i++)
		ok = add_params(a, &params, ir_as_func_type(t)->params[i]);
	ok = ok && add_params(a, &params, ir_as_func_type(t)->ret);
	f = ok ? new_kernel(a, def, &params) : NULL;
	vec_free(&params);
	if (f)
		vec_push(&a->externals, ((struct external){def, f}));
	return f;
}

void
aot_write_externals(struct aot *a)
{
	for (size_t i = 0; i < a->externals.len; i++) {
		struct external *x = &a->externals.at[i];

		x->def->kind = DEF_TIR;
		x->def->tir = x->kernel;
		x->def->fn = NULL;
	}
}
