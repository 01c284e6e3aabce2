/*
 * Printing whole modules and bare expressions.
 */
#include "ir/print.h"

#include <stdlib.h>
#include <string.h>

#include "ir/print_internal.h"
#include "ir/print_tir.h"
#include "ir/te.h"
#include "ir/tir.h"
#include "ir/walk.h"

const ir_type *
print_annotation(struct print *p, const struct ir_var *v)
{
	if (p->o->types == PRINT_TYPES_NONE &&
	    (v->base.flags & IR_ANNOTATION_INFERRED))
		return NULL;
	return v->annotation;
}

const ir_type *
print_ret_type(struct print *p, const struct ir_function *f)
{
	if (p->o->types == PRINT_TYPES_NONE &&
	    (f->base.flags & IR_ANNOTATION_INFERRED))
		return NULL;
	return f->ret_type;
}

static bool
has_comment(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_CONSTANT:
	case IR_CALL:
	case IR_VAR:
	case IR_FUNCTION:
	case IR_TUPLE:
	case IR_PROJ:
		return true;
	default:
		return false;
	}
}

/* A constant without data keeps its comment: nothing else tells its type. */
const ir_type *
print_comment_type(struct print *p, const ir_expr *e)
{
	if (!e->type || !has_comment(e))
		return NULL;
	if (p->o->types == PRINT_TYPES_NONE &&
	    (e->kind != IR_CONSTANT || ir_as_constant(e)->data))
		return NULL;
	return e->type;
}

bool
print_comment_span(struct print *p, const ir_expr *e)
{
	return p->o->spans && e->loc.span && has_comment(e);
}

static void
reserve_index(const ir_expr *e, void *env)
{
	struct print *p = env;

	if (e->kind == IR_CONSTANT && !ir_as_constant(e)->data)
		vec_push(&p->reserved, ir_as_constant(e)->meta_index);
}

static int
compare_index(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Note the indices of constants without data in ROOT. */
static void
reserve(struct print *p, const ir_expr *root)
{
	if (!p->m->has_placeholders || !root)
		return;
	ir_walk(root, NULL, reserve_index, p);
	if (p->reserved.len)
		qsort(p->reserved.at, p->reserved.len, sizeof(*p->reserved.at),
		      compare_index);
}

static void
start(struct print *p, struct buf *out, const ir_module *m,
      const struct print_options *o)
{
	*p = (struct print){.m = m, .o = o, .out = out};
	interner_init(&p->names, &p->arena);
	p->nnodes = m->next_id;
	p->nodes = xcalloc(p->nnodes ? p->nnodes : 1, sizeof(*p->nodes));
	if (!o->no_header)
		buf_puts(out, "#[version = \"0.0.5\"]\n");
}

static void
finish(struct print *p)
{
	for (size_t i = 0; i < p->meta.len; i++)
		vec_free(&p->meta.at[i].items);
	vec_free(&p->meta);
	vec_free(&p->touched);
	vec_free(&p->reserved);
	buf_free(&p->scratch);
	interner_free(&p->names);
	ptrmap_free(&p->numbers);
	free(p->hashes);
	free(p->types);
	ptrmap_free(&p->meta_numbers);
	ptrmap_free(&p->records);
	ptrmap_free(&p->copies);
	vec_free(&p->meta_places);
	free(p->name_slots);
	free(p->nodes);
	arena_free(&p->arena);
}

static bool
is_wanted(const struct print_options *o, const char *name)
{
	if (!o->only)
		return true;
	for (size_t i = 0; o->only[i]; i++)
		if (strcmp(o->only[i], name) == 0)
			return true;
	return false;
}

static void
put_ctor(struct print *p, const struct ir_ctor *c)
{
	buf_puts(p->out, "\n  ");
	buf_puts(p->out, c->name);
	for (uint32_t i = 0; i < c->nfields; i++) {
		buf_puts(p->out, i ? ", " : "(");
		print_plan_type(p, c->fields[i]);
		print_type(p, c->fields[i]);
	}
	buf_puts(p->out, c->nfields ? ")," : ",");
}

static void
put_type_def(struct print *p, const ir_type_def *t)
{
	buf_puts(p->out, t->is_extern ? "extern type " : "type ");
	buf_puts(p->out, t->name);
	for (uint32_t i = 0; i < t->nparams; i++) {
		buf_puts(p->out, i ? ", " : "[");
		buf_puts(p->out, ir_as_type_var(t->params[i])->name);
	}
	if (t->nparams)
		buf_putc(p->out, ']');
	if (!t->is_extern) {
		buf_puts(p->out, " {");
		for (uint32_t i = 0; i < t->nctors; i++)
			put_ctor(p, t->ctors[i]);
		if (t->nctors == 0)
			buf_puts(p->out, "\n  ");
		buf_puts(p->out, "\n}");
	}
	buf_putc(p->out, '\n');
}

static int
compare_types(const void *a, const void *b)
{
	const ir_type_def *const *x = a;
	const ir_type_def *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

/* All data types by name; returns how many stand there now. */
static unsigned
put_type_defs(struct print *p)
{
	size_t n = p->m->types.len;
	ir_type_def **sorted;

	if (n == 0 || p->o->only)
		return 0;
	sorted = xmalloc(n * sizeof(ir_type_def *));
	memcpy(sorted, p->m->types.at, n * sizeof(ir_type_def *));
	qsort(sorted, n, sizeof(ir_type_def *), compare_types);
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_putc(p->out, '\n');
		put_type_def(p, sorted[i]);
	}
	free(sorted);
	return (unsigned)n;
}

static void
put_constant(const ir_expr *e, void *env)
{
	struct print *p = env;

	if (e->kind == IR_CONSTANT && !ir_as_constant(e)->data)
		print_meta_placeholder(p, ir_as_constant(e));
	else
		print_meta_ref(p, e);
}

/* Loops; main's list of constants goes to the metadata section. */
static void
print_loops(struct print *p, const tir_func *f)
{
	const struct tir_meta meta = {put_constant, p};
	const ir_attr *list = ir_dict_get(f->attrs, "constants");

	for (uint32_t i = 0; list && list->kind == ATTR_ARRAY && i < list->n;
	     i++) {
		const ir_attr *a = &list->elems[i];

		if (a->kind == ATTR_EXPR && a->expr->kind == IR_CONSTANT &&
		    ir_as_constant(a->expr)->data)
			print_meta_add(p, "relay.Constant", PRINT_META_EXPR,
				       a->expr, a->expr);
	}
	tir_print_func_with(p->out, f, &meta);
}

static void
put_def(struct print *p, const ir_def *d)
{
	switch (d->kind) {
	case DEF_FUNCTION:
		print_plan_def(p, d->fn);
		print_write_def(p, d->name, d->fn);
		break;
	case DEF_TE:
		te_print_func(p->out, d->te);
		if (d->schedule) {
			buf_putc(p->out, '\n');
			te_print_schedule(p->out, d->schedule);
		}
		break;
	case DEF_TIR:
		print_loops(p, d->tir);
		break;
	case DEF_RAW:
		buf_put(p->out, d->raw, d->raw_len);
		buf_putc(p->out, '\n');
		break;
	}
}

static void
put_module(struct print *p)
{
	ir_def **defs = ir_module_sorted(p->m);
	unsigned count;

	for (size_t i = 0; i < p->m->defs.len; i++)
		if (defs[i]->kind == DEF_FUNCTION)
			reserve(p, &defs[i]->fn->base);
	count = put_type_defs(p);
	for (size_t i = 0; i < p->m->defs.len; i++) {
		if (!is_wanted(p->o, defs[i]->name))
			continue;
		if (count++)
			buf_putc(p->out, '\n');
		put_def(p, defs[i]);
	}
	print_meta_section(p);
	free(defs);
}

void
ir_print_module(struct buf *out, const ir_module *m,
		const struct print_options *o)
{
	struct print p;

	start(&p, out, m, o);
	put_module(&p);
	finish(&p);
}

void
ir_print_aligned(struct buf *out_a, const ir_module *a, struct buf *out_b,
		 const ir_module *b, const struct ptrmap *pairs,
		 const struct print_options *o)
{
	struct print p;
	struct print q;

	start(&p, out_a, a, o);
	put_module(&p);
	start(&q, out_b, b, o);
	q.model = &p;
	q.pairs = pairs;
	q.temps = p.temps;
	print_take_names(&q, &p);
	put_module(&q);
	finish(&q);
	finish(&p);
}

void
ir_print_expr(struct buf *out, const ir_module *m, const ir_expr *e,
	      const struct print_options *o)
{
	struct print_scope scope = {0};
	struct print p;

	start(&p, out, m, o);
	reserve(&p, e);
	print_plan_root(&p, e, &scope);
	print_write_root(&p, e, &scope);
	print_meta_section(&p);
	finish(&p);
}

struct labels {
	struct print print;
	const ir_def *def;
	struct buf name;
	struct buf detail;
	ir_label_fn *put;
	void *env;
};

static void
put_label(const ir_expr *e, void *env)
{
	struct labels *l = env;
	const struct print_node *n = print_node_of(&l->print, e);

	buf_puts(&l->name, "");
	buf_puts(&l->detail, "");
	l->name.len = 0;
	l->detail.len = 0;
	l->name.at[0] = l->detail.at[0] = '\0';
	if (e->kind == IR_VAR)
		buf_printf(&l->name, "%%%s",
			   n->name ? n->name : ir_as_var(e)->name);
	else if (n->number && !print_always_inline(e))
		buf_printf(&l->name, "%%%u", n->number - 1u);
	l->print.out = &l->detail;
	if (e->kind == IR_CALL)
		print_call_attrs(&l->print, ir_as_call(e), false);
	else if (e->kind == IR_CONSTANT && ir_as_constant(e)->data &&
		 print_scalar_fits(ir_as_constant(e)->data))
		print_scalar(&l->print, ir_as_constant(e)->data);
	l->put(l->env, l->def, e, l->name.at, l->detail.at);
}

void
ir_print_labels(const ir_module *m, const struct print_options *o,
		ir_label_fn *put, void *env)
{
	struct labels l = {.put = put, .env = env};
	ir_def **defs = ir_module_sorted(m);

	start(&l.print, &l.detail, m, o);
	for (size_t i = 0; i < m->defs.len; i++) {
		if (defs[i]->kind != DEF_FUNCTION)
			continue;
		l.def = defs[i];
		l.print.out = &l.detail;
		print_plan_def(&l.print, l.def->fn);
		ir_walk(&l.def->fn->base, NULL, put_label, &l);
	}
	finish(&l.print);
	free(defs);
	buf_free(&l.name);
	buf_free(&l.detail);
}
