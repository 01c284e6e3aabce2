/*
 * change-batch: another batch size for inputs.
 *
 *     def @main(%data: Tensor[(1, 3), float32]) { nn.relu(%data) }
 *
 * becomes, with data=data and batch-size=8, one of Tensor[(8, 3), float32].
 * The types of all that depends on the inputs are found anew, that of the
 * result too, whatever was written there. A body that itself says how large a
 * batch is (newshape=[1, 64]) has no types any more: an error.
 *
 * Level: function. Needs: types, for parameters without an annotation.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/rewrite.h"
#include "ir/walk.h"
#include "passes/pass.h"
#include "support/ptrmap.h"
#include "support/vec.h"

struct input {
	const char *name; /* interned */
	int64_t axis;
	bool found;
};

/* What one run of the pass is asked for. */
struct batch {
	VEC(struct input) inputs;
	struct ptrmap by_name; /* place in INPUTS + 1 */
	int64_t size;
};

static void
free_batch(void *state)
{
	struct batch *b = state;

	vec_free(&b->inputs);
	ptrmap_free(&b->by_name);
	free(b);
}

/* "NAME" or "NAME=AXIS"; false after reporting. */
static bool
read_input(pass_ctx *cx, struct batch *b, const char *text, size_t len)
{
	const char *item = arena_strndup(cx->scratch, text, len);
	const char *name = item + (*item == '%');
	size_t n = strcspn(name, "=");
	const char *axis = name[n] ? name + n + 1 : "0";
	struct input in = {
		.name = ir_namef(cx->module->cx, "%.*s", (int)n, name)};
	uintptr_t *place;
	bool is_new;
	char *end;

	in.axis = strtol(axis, &end, 10);
	if (n == 0 || !*axis || *end) {
		pass_error(cx, LOC_NONE,
			   "option 'data': NAME or NAME=AXIS, not '%s'", item);
		return false;
	}
	place = ptrmap_add(&b->by_name, in.name, &is_new);
	if (!is_new) {
		pass_error(cx, LOC_NONE, "option 'data': '%s' is named twice",
			   in.name);
		return false;
	}
	vec_push(&b->inputs, in);
	*place = b->inputs.len;
	return true;
}

static bool
read_options(pass_ctx *cx, struct batch *b)
{
	const char *list = pass_option(cx, "data");

	b->size = pass_option_int(cx, "batch-size");
	if (b->size < 1 || b->size > INT32_MAX) {
		pass_error(cx, LOC_NONE,
			   "option 'batch-size': a positive number, not '%s'",
			   pass_option(cx, "batch-size"));
		return false;
	}
	if (!*list)
		pass_error(cx, LOC_NONE,
			   "option 'data' is missing: the names of inputs");
	while (*list) {
		size_t len = strcspn(list, ",");

		if (!read_input(cx, b, list, len))
			return false;
		list += len + (list[len] == ',');
	}
	return b->inputs.len > 0;
}

static struct input *
input_of(struct batch *b, const struct ir_var *v)
{
	uintptr_t *place = ptrmap_find(&b->by_name, v->name);

	return place ? &b->inputs.at[*place - 1] : NULL;
}

/* Each input must be a parameter somewhere. */
static void
find_inputs(pass_ctx *cx, struct batch *b)
{
	const ir_module *m = cx->module;

	for (size_t i = 0; i < m->defs.len; i++) {
		const struct ir_function *fn = m->defs.at[i]->fn;

		for (uint32_t j = 0; fn && j < fn->nparams; j++) {
			struct input *in = input_of(b, fn->params[j]);

			if (in)
				in->found = true;
		}
	}
	for (size_t i = 0; i < b->inputs.len; i++)
		if (!b->inputs.at[i].found)
			pass_error(cx, LOC_NONE,
				   "option 'data': no parameter is called '%s'",
				   b->inputs.at[i].name);
}

static struct batch *
batch_of_run(pass_ctx *cx)
{
	struct batch *b = cx->state;

	if (!b) {
		b = xcalloc(1, sizeof(*b));
		cx->state = b;
		cx->free_state = free_batch;
		if (read_options(cx, b))
			find_inputs(cx, b);
	}
	return b;
}

/* The type of V with another batch; NULL after reporting. */
static const ir_type *
batch_type(pass_ctx *cx, const struct batch *b, const struct ir_var *v,
	   const struct input *in)
{
	const ir_type *type = v->annotation ? v->annotation : v->base.type;
	const struct ir_tensor_type *t;
	struct ir_dim *shape;
	int64_t axis = in->axis;

	if (!type || type->kind != TYPE_TENSOR) {
		pass_error(cx, v->base.loc, "'%%%s' is no tensor", v->name);
		return NULL;
	}
	t = ir_as_tensor_type(type);
	axis += axis < 0 ? t->ndim : 0;
	if (axis < 0 || axis >= t->ndim) {
		pass_error(cx, v->base.loc, "'%%%s' has no axis %lld", v->name,
			   (long long)in->axis);
		return NULL;
	}
	shape = ARENA_NEW_ARRAY(cx->scratch, t->ndim, struct ir_dim);
	memcpy(shape, t->shape, t->ndim * sizeof(*shape));
	shape[axis] = DIM(b->size);
	return ir_type_tensor(cx->module->cx, t->dtype, shape, t->ndim);
}

/* FN with the parameters PARAMS instead of those in MAP. */
static const struct ir_function *
with_params(ir_module *m, const struct ir_function *fn,
	    const struct ir_var **params, const struct ir_map *map)
{
	struct ir_function_parts parts = ir_function_parts(fn);

	parts.params = params;
	parts.body = ir_refresh_binders(m, ir_substitute(m, parts.body, map));
	parts.ret_type = NULL;
	return ir_as_function(ir_new_function(m, fn->base.loc, &parts));
}

const struct ir_function *
pass_change_batch(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct batch *b = batch_of_run(cx);
	ir_module *m = cx->module;
	const struct ir_var **params;
	struct ir_map map = {0};
	bool changed = false;

	(void)def;
	params = ARENA_NEW_ARRAY(cx->scratch, fn->nparams,
				 const struct ir_var *);
	for (uint32_t i = 0; i < fn->nparams && !cx->failed; i++) {
		const struct ir_var *v = fn->params[i];
		const struct input *in = input_of(b, v);
		const ir_type *type = in ? batch_type(cx, b, v, in) : NULL;

		params[i] = v;
		if (!type ||
		    (v->annotation && ir_type_equal(type, v->annotation)))
			continue;
		params[i] =
			ir_as_var(ir_new_var(m, v->base.loc, v->name, type));
		ir_map_put(&map, ir_var_expr(v), ir_var_expr(params[i]));
		changed = true;
	}
	if (changed && !cx->failed)
		fn = with_params(m, fn, params, &map);
	ir_map_free(&map);
	return fn;
}
