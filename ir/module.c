#include "ir/module.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "ir/context_internal.h"
#include "ir/meta.h"
#include "ir/walk.h"
#include "support/ptrmap.h"

/* Names to pointers; names are interned, so they compare by address. */
struct ir_table {
	struct ptrmap map;
};

static void *
table_get(const struct ir_table *t, const char *name)
{
	uintptr_t *value = ptrmap_find(&t->map, name);

	return value ? (void *)*value : NULL;
}

static void
table_put(struct ir_table *t, const char *name, const void *value)
{
	ptrmap_put(&t->map, name, value);
}

static void
table_free(struct ir_table *t)
{
	ptrmap_free(&t->map);
	free(t);
}

ir_context *
ir_context_new(void)
{
	ir_context *cx = xcalloc(1, sizeof(*cx));

	interner_init(&cx->names, &cx->arena);
	cx->types = ir_type_table_new();
	cx->attrs = ir_attrs_table_new();
	cx->metas = ir_meta_table_new();
	return cx;
}

void
ir_context_free(ir_context *cx)
{
	if (!cx)
		return;
	ir_type_table_free(cx->types);
	ir_attrs_table_free(cx->attrs);
	ir_meta_table_free(cx->metas);
	interner_free(&cx->names);
	arena_free(&cx->arena);
	free(cx);
}

const char *
ir_name(ir_context *cx, const char *s)
{
	return intern_str(&cx->names, s);
}

const char *
ir_name_n(ir_context *cx, const char *s, size_t len)
{
	return intern(&cx->names, s, len);
}

const char *
ir_namef(ir_context *cx, const char *fmt, ...)
{
	struct arena scratch = {0};
	const char *name;
	va_list ap;

	va_start(ap, fmt);
	name = ir_name(cx, arena_vprintf(&scratch, fmt, ap));
	va_end(ap);
	arena_free(&scratch);
	return name;
}

ir_module *
ir_module_new(ir_context *cx)
{
	ir_module *m = xcalloc(1, sizeof(*m));

	m->cx = cx;
	m->op_nodes =
		ARENA_NEW_ARRAY(&m->arena, ir_op_limit(), const ir_expr *);
	m->global_index = xcalloc(1, sizeof(*m->global_index));
	m->type_index = xcalloc(1, sizeof(*m->type_index));
	m->ctor_index = xcalloc(1, sizeof(*m->ctor_index));
	return m;
}

void
ir_module_free(ir_module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->tensors.len; i++)
		ir_tensor_unref(m->tensors.at[i]);
	vec_free(&m->defs);
	vec_free(&m->types);
	vec_free(&m->globals);
	vec_free(&m->tensors);
	vec_free(&m->spans);
	vec_free(&m->unknown_op_nodes);
	table_free(m->global_index);
	table_free(m->type_index);
	table_free(m->ctor_index);
	arena_free(&m->arena);
	free(m);
}

const struct ir_global *
ir_module_find_global(const ir_module *m, const char *name)
{
	return table_get(m->global_index, name);
}

const struct ir_global *
ir_module_global(ir_module *m, const char *name)
{
	struct ir_global *g = table_get(m->global_index, name);

	if (!g) {
		g = ARENA_NEW(&m->arena, struct ir_global);
		g->base.kind = IR_GLOBAL;
		g->base.id = m->next_id++;
		g->name = name;
		vec_push(&m->globals, g);
		table_put(m->global_index, name, g);
	}
	return g;
}

ir_def *
ir_module_find(const ir_module *m, const char *name)
{
	const struct ir_global *g = ir_module_find_global(m, name);

	return g ? g->def : NULL;
}

ir_def *
ir_module_add(ir_module *m, const char *name, enum ir_def_kind kind,
	      struct loc loc)
{
	const struct ir_global *g = ir_module_global(m, name);
	ir_def *def = ARENA_NEW(&m->arena, ir_def);

	assert(!g->def);
	def->name = name;
	def->kind = kind;
	def->loc = loc;
	def->global = g;
	((struct ir_global *)(uintptr_t)g)->def = def;
	vec_push(&m->defs, def);
	return def;
}

ir_def *
ir_module_add_function(ir_module *m, const char *name, const ir_expr *fn,
		       struct loc loc)
{
	ir_def *def = ir_module_add(m, name, DEF_FUNCTION, loc);

	def->fn = ir_as_function(fn);
	return def;
}

void
ir_module_remove_all(ir_module *m, const struct ir_set *globals)
{
	size_t to = 0;

	for (size_t i = 0; i < m->defs.len; i++) {
		ir_def *def = m->defs.at[i];
		struct ir_global *g =
			(struct ir_global *)(uintptr_t)def->global;

		if (!ir_set_has(globals, &g->base)) {
			m->defs.at[to++] = def;
			continue;
		}
		g->def = NULL;
		g->base.type = NULL;
	}
	m->defs.len = to;
}

void
ir_module_remove(ir_module *m, ir_def *def)
{
	struct ir_set one = {0};

	ir_set_add(&one, &def->global->base);
	ir_module_remove_all(m, &one);
	ir_set_free(&one);
}

const char *
ir_module_fresh_name(const ir_module *m, const char *hint)
{
	const char *name = ir_name(m->cx, hint);

	for (unsigned i = 1; ir_module_find(m, name); i++)
		name = ir_namef(m->cx, "%s_%u", hint, i);
	return name;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp((*(ir_def *const *)a)->name, (*(ir_def *const *)b)->name);
}

ir_def **
ir_module_sorted(const ir_module *m)
{
	ir_def **sorted = xcalloc(m->defs.len, sizeof(ir_def *));

	if (m->defs.len)
		memcpy(sorted, m->defs.at, m->defs.len * sizeof(ir_def *));
	qsort(sorted, m->defs.len, sizeof(ir_def *), by_name);
	return sorted;
}

ir_type_def *
ir_module_find_type(const ir_module *m, const char *name)
{
	return table_get(m->type_index, name);
}

const struct ir_ctor *
ir_module_find_ctor(const ir_module *m, const char *name)
{
	return table_get(m->ctor_index, name);
}

ir_type_def *
ir_module_add_type(ir_module *m, const char *name, const ir_type *const *params,
		   uint32_t n, struct loc loc)
{
	ir_type_def *def = ARENA_NEW(&m->arena, ir_type_def);

	assert(!ir_module_find_type(m, name));
	def->name = name;
	def->loc = loc;
	def->nparams = n;
	def->params = arena_copy(&m->arena, params, n * sizeof(*params));
	vec_push(&m->types, def);
	table_put(m->type_index, name, def);
	return def;
}

void
ir_module_drop_types(ir_module *m, size_t n)
{
	while (m->types.len > n) {
		const ir_type_def *def = vec_pop(&m->types);

		table_put(m->type_index, def->name, NULL);
		for (uint32_t i = 0; i < def->nctors; i++)
			table_put(m->ctor_index, def->ctors[i]->name, NULL);
	}
}

const struct ir_ctor *
ir_module_add_ctor(ir_module *m, ir_type_def *def, const char *name,
		   const ir_type *const *fields, uint32_t n, struct loc loc)
{
	const struct ir_ctor **ctors;
	struct ir_ctor *c;

	if (ir_module_find_ctor(m, name))
		return NULL;
	c = ARENA_NEW(&m->arena, struct ir_ctor);
	c->base.kind = IR_CTOR;
	c->base.id = m->next_id++;
	c->base.loc = loc;
	c->name = name;
	c->adt = def;
	c->tag = def->nctors;
	c->nfields = n;
	c->fields = arena_copy(&m->arena, fields, n * sizeof(*fields));
	table_put(m->ctor_index, name, c);

	/* Data types have few constructors: grow by powers of two. */
	ctors = (const struct ir_ctor **)(uintptr_t)def->ctors;
	if ((def->nctors & (def->nctors - 1)) == 0) {
		size_t cap = def->nctors ? def->nctors * 2 : 1;
		const struct ir_ctor **more =
			ARENA_NEW_ARRAY(&m->arena, cap, const struct ir_ctor *);

		if (def->nctors)
			memcpy(more, ctors, def->nctors * sizeof(*ctors));
		ctors = more;
	}
	ctors[def->nctors++] = c;
	def->ctors = ctors;
	return c;
}

struct loc
ir_module_add_span(ir_module *m, const char *name, unsigned line,
		   unsigned column)
{
	struct ir_span s = {name, line, column, line, column};

	vec_push(&m->spans, s);
	return (struct loc){.off = (uint32_t)(m->spans.len - 1), .span = 1};
}
