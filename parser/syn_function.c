/*
 * Functions: parameters, attributes, and what is in scope in them.
 */
#include <string.h>

#include "parser/syn.h"
#include "support/ptrmap.h"

uint32_t
syn_no_names(struct parse_ctx *cx)
{
	return (uint32_t)cx->types.len;
}

/* A type parameter, in scope from here on. */
uint32_t
syn_name(struct parse_ctx *cx, const char *name)
{
	const ir_type *var = ir_type_new_var(cx->cx, name);

	scope_bind(&cx->type_vars, name, var);
	vec_push(&cx->types, var);
	return (uint32_t)cx->types.len - 1;
}

static void
open_frame(struct parse_ctx *cx, struct loc loc)
{
	struct fn_frame f = {
		.scope = (uint32_t)scope_mark(&cx->locals),
		.type_scope = (uint32_t)scope_mark(&cx->type_vars),
		.params = (uint32_t)cx->params.len,
		.attrs = (uint32_t)cx->attrs.len,
		.type_params = (uint32_t)cx->types.len,
		.first_id = cx->m->next_id,
		.loc = loc,
	};

	vec_push(&cx->frames, f);
}

void
syn_close_frame(struct parse_ctx *cx)
{
	struct fn_frame f = vec_pop(&cx->frames);

	scope_leave(&cx->locals, f.scope);
	scope_leave(&cx->type_vars, f.type_scope);
	cx->params.len = f.params;
	cx->attrs.len = f.attrs;
	cx->types.len = f.type_params;
}

void
syn_fn_open(struct parse_ctx *cx, struct loc loc)
{
	open_frame(cx, loc);
}

void
syn_def_open(struct parse_ctx *cx, struct loc loc, const char *name)
{
	open_frame(cx, loc);
	if (ir_module_find(cx->m, name)) {
		diag_error(cx->d, loc, "'@%s' is defined twice", name);
		diag_note(cx->d, ir_module_find(cx->m, name)->loc,
			  "the first definition is here");
		return;
	}
	cx->def = ir_module_add(cx->m, name, DEF_FUNCTION,
				cx->no_locs ? LOC_NONE : loc);
}

/* The names stay on the stack of types until the frame is closed. */
void
syn_type_params(struct parse_ctx *cx, uint32_t names)
{
	vec_last(&cx->frames).ntype_params = count_items(names, cx->types.len);
}

static struct ir_var *
new_param(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
	  const char *name, const ir_type *annotation)
{
	const struct ir_var *old = scope_find(&cx->locals, name);
	const struct ir_var *var;

	if (old && old->base.id >= vec_last(&cx->frames).first_id)
		diag_error(cx->d, loc, "there are two parameters '%%%s'", name);
	loc = syn_binder_loc(cx, loc, annot_loc);
	var = ir_as_var(ir_new_var(cx->m, loc, name, annotation));
	scope_bind(&cx->locals, name, var);
	vec_push(&cx->params, var);
	return (struct ir_var *)(uintptr_t)var;
}

void
syn_param(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
	  const char *name, const ir_type *annotation)
{
	new_param(cx, loc, annot_loc, name, annotation);
}

static bool
is_device(const char *key)
{
	return strcmp(key, "virtual_device") == 0 ||
	       strcmp(key, "se_scope") == 0;
}

/* The device that attribute A names; NULL also for an unconstrained one. */
static const ir_meta *
device_of(struct parse_ctx *cx, const struct attr_item *a)
{
	if (a->value.kind == ATTR_META)
		return a->value.meta;
	if (a->value.kind != ATTR_NULL)
		diag_error(cx->d, a->value_loc, "'%s' must be a virtual device",
			   a->key);
	return NULL;
}

/* Other attributes in the braces mean nothing, as in TVM. */
const ir_meta *
syn_take_device(struct parse_ctx *cx, uint32_t at)
{
	const ir_meta *device = NULL;

	for (size_t i = at; i < cx->attrs.len; i++) {
		if (is_device(cx->attrs.at[i].key))
			device = device_of(cx, &cx->attrs.at[i]);
	}
	cx->attrs.len = at;
	return device;
}

void
syn_device_param(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
		 const char *name, uint32_t attrs, const ir_type *annotation)
{
	struct ir_var *var = new_param(cx, loc, annot_loc, name, annotation);

	var->vdevice = syn_take_device(cx, attrs);
}

/* Attributes of the function being closed; its device goes to PARTS. */
static const ir_dict *
function_attrs(struct parse_ctx *cx, uint32_t at,
	       struct ir_function_parts *parts)
{
	size_t first = cx->entries.len;
	struct ptrmap given = {0};
	const ir_dict *d;

	for (size_t i = at; i < cx->attrs.len; i++) {
		const struct attr_item *a = &cx->attrs.at[i];
		struct ir_dict_entry e = {a->key, a->value};
		bool is_new = true;

		if (is_device(a->key)) {
			parts->vdevice = device_of(cx, a);
			continue;
		}
		ptrmap_add(&given, a->key, &is_new);
		if (is_new)
			vec_push(&cx->entries, e);
		else
			diag_error(cx->d, a->key_loc,
				   "attribute '%s' is given twice", a->key);
	}
	ptrmap_free(&given);
	d = ir_dict_as_written(cx->cx, cx->entries.at + first,
			       (uint32_t)(cx->entries.len - first));
	cx->entries.len = first;
	return d;
}

const ir_expr *
syn_function(struct parse_ctx *cx, struct loc loc, const ir_type *result,
	     const ir_expr *body)
{
	const struct fn_frame *f = &vec_last(&cx->frames);
	struct ir_function_parts parts = {
		.params = items_from(&cx->params, f->params),
		.nparams = (uint32_t)cx->params.len - f->params,
		.type_params = items_from(&cx->types, f->type_params),
		.ntype_params = f->ntype_params,
		.ret_type = result,
		.body = body,
	};
	const ir_expr *e;

	parts.attrs = function_attrs(cx, f->attrs, &parts);
	e = ir_new_function(cx->m, syn_loc(cx, loc), &parts);
	syn_close_frame(cx);
	return e;
}

void
syn_def(struct parse_ctx *cx, struct loc loc, const ir_type *result,
	const ir_expr *body)
{
	const ir_expr *fn = syn_function(cx, loc, result, body);

	if (cx->def)
		cx->def->fn = ir_as_function(fn);
}
