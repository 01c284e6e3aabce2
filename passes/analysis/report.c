#include "passes/analysis/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "passes/manager.h"
#include "support/glob.h"

void
report_line(struct report *r, unsigned depth, const char *fmt, ...)
{
	va_list ap;

	buf_puts(&r->text, "// ");
	buf_fill(&r->text, ' ', (size_t)depth * 2);
	va_start(ap, fmt);
	buf_vprintf(&r->text, fmt, ap);
	va_end(ap);
	buf_putc(&r->text, '\n');
}

static void
keep_name(void *env, const ir_def *def, const ir_expr *e, const char *name,
	  const char *detail)
{
	struct report *r = env;

	(void)def;
	(void)detail;
	if (*name)
		ir_map_put(&r->names, e, ir_name(r->cx->module->cx, name));
}

const char *
report_name(struct report *r, const ir_expr *e)
{
	const char *name;

	if (!r->named)
		ir_print_labels(r->cx->module, &r->cx->manager->print,
				keep_name, r);
	r->named = true;
	name = ir_map_get(&r->names, e);
	if (!name && e->kind == IR_VAR)
		name = ir_namef(r->cx->module->cx, "%%%s", ir_as_var(e)->name);
	return name;
}

static const char *
callee_word(struct report *r, const ir_expr *callee)
{
	switch ((enum ir_kind)callee->kind) {
	case IR_OP:
		return ir_as_op_ref(callee)->op->name;
	case IR_FUNCTION:
		return "fn";
	case IR_VAR:
	case IR_GLOBAL:
	case IR_CTOR:
		return report_word(r, callee);
	default:
		return "call";
	}
}

const char *
report_word(struct report *r, const ir_expr *e)
{
	static const char *const words[] = {
		[IR_CONSTANT] = "constant", [IR_TUPLE] = "tuple",
		[IR_PROJ] = "projection",   [IR_FUNCTION] = "fn",
		[IR_LET] = "let",           [IR_IF] = "if",
		[IR_MATCH] = "match",       [IR_REF_NEW] = "ref",
		[IR_REF_READ] = "ref_read", [IR_REF_WRITE] = "ref_write",
		[IR_HOLE] = "hole",
	};

	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		return report_name(r, e);
	case IR_GLOBAL:
		return arena_printf(r->cx->scratch, "@%s",
				    ir_as_global(e)->name);
	case IR_OP:
		return ir_as_op_ref(e)->op->name;
	case IR_CTOR:
		return ir_as_ctor(e)->name;
	case IR_CALL:
		return arena_printf(r->cx->scratch, "%s(..)",
				    callee_word(r, ir_as_call(e)->callee));
	default:
		return words[e->kind];
	}
}

void
report_end(struct report *r)
{
	const struct pass_info *info = r->cx->info;

	if (r->text.len == 0)
		report_line(r, 0, "nothing");
	pass_print(r->cx,
		   arena_printf(r->cx->scratch, "%s (-%s)", info->name,
				info->flag),
		   &r->text);
	buf_free(&r->text);
	ir_map_free(&r->names);
}

ir_def **
report_functions(pass_ctx *cx)
{
	const char *only = cx->manager->only;
	ir_def **sorted = ir_module_sorted(cx->module);
	ir_def **out = ARENA_NEW_ARRAY(cx->scratch, cx->module->defs.len + 1,
				       ir_def *);
	size_t n = 0;

	for (size_t i = 0; i < cx->module->defs.len; i++)
		if (sorted[i]->kind == DEF_FUNCTION && sorted[i]->fn->body &&
		    (!only || glob_match(only, sorted[i]->name)))
			out[n++] = sorted[i];
	free(sorted);
	return out;
}

struct op_count {
	const char *name;
	unsigned n;
};

struct op_counts {
	VEC(struct op_count) at;
	struct ir_map of; /* operator node -> place + 1 */
};

static void
count_op(const ir_expr *e, void *env)
{
	struct op_counts *c = env;
	uintptr_t at;

	if (!ir_called_op(e))
		return;
	at = (uintptr_t)ir_map_get(&c->of, ir_as_call(e)->callee);
	if (at == 0) {
		vec_push(&c->at, ((struct op_count){ir_called_op(e)->name, 0}));
		at = c->at.len;
		ir_map_put(&c->of, ir_as_call(e)->callee, (void *)at);
	}
	c->at.at[at - 1].n++;
}

static int
by_name(const void *a, const void *b)
{
	return strcmp(((const struct op_count *)a)->name,
		      ((const struct op_count *)b)->name);
}

void
report_operators(struct report *r, unsigned depth, const ir_expr *root)
{
	struct op_counts c = {.of = {0}};

	ir_walk(root, NULL, count_op, &c);
	if (c.at.len)
		qsort(c.at.at, c.at.len, sizeof(*c.at.at), by_name);
	for (size_t i = 0; i < c.at.len; i++)
		report_line(r, depth, "%s: %u", c.at.at[i].name, c.at.at[i].n);
	vec_free(&c.at);
	ir_map_free(&c.of);
}
