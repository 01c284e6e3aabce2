/*
 * The interface of a compiled network, read off its main.
 */
#include "codegen/interface.h"

#include <ctype.h>
#include <string.h>

#include "ir/module.h"
#include "ir/tensor.h"
#include "ir/type.h"

const char *
interface_identifier(struct arena *a, const char *name)
{
	char *s = arena_printf(
		a, "%s%s", isdigit((unsigned char)name[0]) ? "_" : "", name);

	for (char *p = s; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
	return *s ? s : "_";
}

/* Tensor types in TYPE, depth first. */
static void
flatten(const ir_type *type, struct interface_slot *slots, uint32_t *n,
	uint32_t max, struct arena *a)
{
	const struct ir_tensor_type *t;
	int64_t *shape;
	struct interface_slot *s;

	if (type->kind == TYPE_TUPLE) {
		const struct ir_tuple_type *tuple = ir_as_tuple_type(type);

		for (uint32_t i = 0; i < tuple->nfields; i++)
			flatten(tuple->fields[i], slots, n, max, a);
		return;
	}
	if (type->kind != TYPE_TENSOR || *n >= max) {
		*n = max + 1;
		return;
	}
	t = ir_as_tensor_type(type);
	s = &slots[(*n)++];
	shape = ARENA_NEW_ARRAY(a, t->ndim, int64_t);
	s->dtype = t->dtype;
	s->ndim = t->ndim;
	s->shape = shape;
	s->nbytes = (int64_t)dtype_size(t->dtype);
	for (uint32_t i = 0; i < t->ndim; i++) {
		bool known = ir_dim_is_const(t->shape[i]);

		shape[i] = known ? t->shape[i].value : -1;
		s->nbytes *= known ? shape[i] : 0;
	}
}

/* What slot I is called in the text of main. */
static const char *
label_of(const struct interface *x, uint32_t i, struct arena *a)
{
	const struct tir_param *p;

	if (x->sized && i == x->ninputs)
		return "out";
	if (x->sized && i > x->ninputs)
		return arena_printf(a, "out_%u", i - x->ninputs);
	p = &x->main->params[i + x->sized];
	return p->buffer ? p->buffer->name : p->var->name;
}

static void
name_slots(struct interface *x, struct arena *a)
{
	for (uint32_t i = 0; i < x->ninputs + x->noutputs; i++) {
		const char *label = label_of(x, i, a);
		bool taken = false;

		x->slots[i].label = label;
		x->slots[i].name = interface_identifier(a, label);
		for (uint32_t k = 0; k < i && !taken; k++)
			taken = !strcmp(x->slots[k].name, x->slots[i].name);
		if (taken)
			x->slots[i].name =
				arena_printf(a, "%s_%u", x->slots[i].name, i);
	}
}

static void
read_constants(struct interface *x, struct arena *a)
{
	const ir_attr *list = ir_dict_get(x->main->attrs, "constants");

	if (!list || list->kind != ATTR_ARRAY)
		return;
	x->constants = ARENA_NEW_ARRAY(a, list->n, struct interface_constant);
	for (uint32_t i = 0; i < list->n; i++) {
		struct interface_constant *c = &x->constants[i];

		c->offset = x->constants_bytes;
		if (list->elems[i].kind == ATTR_EXPR &&
		    list->elems[i].expr->kind == IR_CONSTANT)
			c->data = ir_as_constant(list->elems[i].expr)->data;
		if (c->data)
			x->constants_bytes +=
				((int64_t)c->data->nbytes + 63) / 64 * 64;
	}
	x->nconstants = list->n;
}

/* Everything that main reads of its constants is there. */
static bool
is_complete(const struct interface *x)
{
	const struct tir_buffer *b =
		x->main->params[x->main->nparams - 2].buffer;

	for (uint32_t i = 0; i < x->nconstants; i++)
		if (!x->constants[i].data)
			return false;
	return !b || b->size <= x->constants_bytes;
}

static uint32_t
tensors_in(const ir_type *t)
{
	uint32_t n = 0;

	if (t->kind != TYPE_TUPLE)
		return 1;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		n += tensors_in(ir_as_tuple_type(t)->fields[i]);
	return n;
}

static uint32_t
count_tensors(const struct ir_func_type *t)
{
	uint32_t n = tensors_in(t->ret);

	for (uint32_t i = 0; i < t->nparams; i++)
		n += tensors_in(t->params[i]);
	return n;
}

/* The workspace where shapes are known at run time only. */
static bool
read_sizes(struct interface *x)
{
	int64_t slots = ir_dict_int(x->main->attrs, "slots", 0);
	const struct tir_buffer *b = x->main->params[0].buffer;
	int64_t dims = 0;

	for (uint32_t i = 0; i < x->ninputs + x->noutputs; i++)
		dims += x->slots[i].ndim;
	if (x->main->nparams != x->ninputs + 3 || slots < x->noutputs ||
	    slots > UINT32_MAX / 16 || !b || b->size < dims ||
	    b->size > UINT32_MAX / 16)
		return false;
	x->nslots = (uint32_t)slots;
	x->nsizes = (uint32_t)b->size;
	x->workspace_bytes = interface_sizes_at(x) + 8 * (int64_t)x->nsizes;
	return true;
}

bool
interface_of(const ir_module *m, struct interface *out, struct arena *a)
{
	const char *name = ir_name(m->cx, "main");
	const ir_def *def = ir_module_find(m, name);
	const struct ir_func_type *t;
	uint32_t max, n = 0;

	*out = (struct interface){0};
	if (!def || def->kind != DEF_TIR || def->tir->nparams < 2 ||
	    !def->tir->relay_type || def->tir->relay_type->kind != TYPE_FUNC)
		return false;
	out->main = def->tir;
	out->sized = ir_dict_get(def->tir->attrs, "slots") != NULL;
	t = ir_as_func_type(def->tir->relay_type);
	max = out->sized ? count_tensors(t) : def->tir->nparams - 2;
	out->slots = ARENA_NEW_ARRAY(a, max + 1, struct interface_slot);
	for (uint32_t i = 0; i < t->nparams; i++)
		flatten(t->params[i], out->slots, &n, max, a);
	out->ninputs = n;
	flatten(t->ret, out->slots, &n, max, a);
	if (n != max)
		return false;
	out->noutputs = n - out->ninputs;
	if (out->sized && !read_sizes(out))
		return false;
	name_slots(out, a);
	if (!out->sized)
		out->workspace_bytes =
			ir_dict_int(def->tir->attrs, "workspace_bytes", 0);
	read_constants(out, a);
	out->incomplete = !is_complete(out);
	return true;
}
