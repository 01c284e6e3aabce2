/*
 * Tensor expressions and schedules as text; the grammar is in ir/te.h.
 */
#include "ir/print.h"
#include "ir/print_tir.h"

static void
put_params(struct buf *out, const te_func *f, size_t column)
{
	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct te_op *op = f->ops[i];

		if (i) {
			buf_puts(out, ",\n");
			buf_fill(out, ' ', column);
		}
		buf_printf(out, "%%%s: ", op->name);
		te_put_type(out, &op->outputs[0]);
		if (op->is_const)
			buf_puts(out, " const");
		if (op->is_const && op->const_name) {
			buf_putc(out, ' ');
			tir_put_string(out, op->const_name);
		}
	}
}

static void
put_attrs(struct buf *out, const te_func *f)
{
	for (uint32_t i = 0; f->attrs && i < f->attrs->n; i++) {
		buf_puts(out, "  attr ");
		tir_put_string(out, f->attrs->entry[i].key);
		buf_puts(out, " = ");
		tir_put_attr(out, &f->attrs->entry[i].value, NULL);
		buf_puts(out, ";\n");
	}
}

/* Sizes are in scope everywhere, under their own names. */
static void
push_sizes(struct tir_names *names, const te_func *f)
{
	for (uint32_t i = 0; i < f->nsizes; i++)
		tir_names_push(names, f->sizes[i].var);
}

static void
put_sizes(struct buf *out, const te_func *f)
{
	struct tir_names names = {0};

	push_sizes(&names, f);
	for (uint32_t i = 0; i < f->nsizes; i++) {
		if (!f->sizes[i].value)
			continue;
		buf_printf(out, "  size %s = ", f->sizes[i].var->name);
		tir_put_expr(out, &names, f->sizes[i].value);
		buf_puts(out, ";\n");
	}
	for (uint32_t i = 0; i < f->nrequires; i++) {
		const struct te_require *r = &f->
						      requires[
							      i];

		buf_puts(out, "  require ");
		tir_put_expr(out, &names, r->cond);
		buf_puts(out, ", ");
		tir_put_expr(out, &names, r->a);
		buf_puts(out, ", ");
		tir_put_expr(out, &names, r->b);
		buf_puts(out, ", ");
		tir_put_string(out, r->message);
		buf_puts(out, ";\n");
	}
	tir_names_free(&names);
}

static void
put_dtypes(struct buf *out, const struct te_op *op)
{
	char text[DTYPE_TEXT];

	if (op->noutputs > 1)
		buf_putc(out, '(');
	for (uint32_t i = 0; i < op->noutputs; i++)
		buf_printf(out, "%s%s", i ? ", " : "",
			   dtype_text(op->outputs[i].dtype, text));
	if (op->noutputs > 1)
		buf_putc(out, ')');
}

static void
put_compute(struct buf *out, const te_func *f, const struct te_op *op)
{
	struct tir_names names = {0};
	bool fold = op->body[0]->kind == TIR_REDUCE;

	push_sizes(&names, f);
	buf_printf(out, "  compute %s(", op->name);
	te_put_axes(out, &names, op->axes, op->naxes);
	buf_puts(out, "): ");
	put_dtypes(out, op);
	buf_puts(out, " = ");
	if (op->noutputs > 1 && !fold)
		buf_putc(out, '(');
	for (uint32_t i = 0; i < (fold ? 1 : op->noutputs); i++) {
		if (i)
			buf_puts(out, ", ");
		tir_put_expr(out, &names, op->body[i]);
	}
	buf_puts(out, op->noutputs > 1 && !fold ? ");\n" : ";\n");
	tir_names_free(&names);
}

static void
put_extern(struct buf *out, const struct te_op *op)
{
	buf_printf(out, "  extern %s: ", op->name);
	if (op->noutputs != 1)
		buf_putc(out, '(');
	for (uint32_t i = 0; i < op->noutputs; i++) {
		if (i)
			buf_puts(out, ", ");
		te_put_type(out, &op->outputs[i]);
	}
	if (op->noutputs != 1)
		buf_putc(out, ')');
	buf_printf(out, " = %s(", op->symbol);
	for (uint32_t i = 0; i < op->nargs; i++) {
		if (i)
			buf_puts(out, ", ");
		if (op->args[i].tensor)
			te_put_ref(out, op->args[i].tensor);
		else if (op->args[i].scalar->kind == TIR_VAR)
			buf_puts(out, op->args[i].scalar->var->name);
		else
			tir_print_expr(out, op->args[i].scalar);
	}
	buf_puts(out, ");\n");
}

void
te_print_func(struct buf *out, const te_func *f)
{
	size_t start = out->len;

	buf_printf(out, "te @%s(", f->name);
	put_params(out, f, out->len - start);
	buf_puts(out, ") {\n");
	put_attrs(out, f);
	put_sizes(out, f);
	for (uint32_t i = f->nparams; i < f->nops; i++) {
		if (f->ops[i]->kind == TE_COMPUTE)
			put_compute(out, f, f->ops[i]);
		else
			put_extern(out, f->ops[i]);
	}
	buf_puts(out, "  return");
	for (uint32_t i = 0; i < f->noutputs; i++) {
		buf_puts(out, i ? ", " : " ");
		te_put_ref(out, f->outputs[i]);
	}
	buf_puts(out, ";\n}\n");
}

static void
put_names(struct buf *out, const char *const *names, uint32_t n, bool many)
{
	if (many)
		buf_putc(out, '(');
	for (uint32_t i = 0; i < n; i++)
		buf_printf(out, "%s%s", i ? ", " : "", names[i]);
	if (many)
		buf_putc(out, ')');
}

static void
put_prim(struct buf *out, const struct te_prim *p)
{
	const struct te_prim_info *info = &te_prim_info[p->kind];

	buf_puts(out, info->word);
	if (p->nin) {
		buf_putc(out, ' ');
		put_names(out, p->in, p->nin, info->nin != 1);
	}
	if (p->nout) {
		buf_puts(out, " -> ");
		put_names(out, p->out, p->nout, info->nout != 1);
	}
	if (info->number)
		buf_printf(out, " %s %lld", info->number, (long long)p->number);
	if (info->string) {
		buf_printf(out, " %s%s", info->string,
			   *info->string ? " " : "");
		tir_put_string(out, p->string);
	}
	buf_putc(out, ';');
}

/* One line if there is one primitive or they fit; else one line each. */
static void
put_stage(struct buf *out, const struct te_stage *st)
{
	struct buf line = {0};
	bool one_line;

	buf_printf(&line, "  stage %s {", st->name);
	for (uint32_t i = 0; i < st->nprims; i++) {
		buf_putc(&line, ' ');
		put_prim(&line, &st->prims[i]);
	}
	buf_puts(&line, " }\n");
	one_line = line.len <= 80;
	if (one_line) {
		buf_put(out, line.at, line.len);
	} else {
		buf_printf(out, "  stage %s {\n", st->name);
		for (uint32_t i = 0; i < st->nprims; i++) {
			buf_puts(out, "    ");
			put_prim(out, &st->prims[i]);
			buf_putc(out, '\n');
		}
		buf_puts(out, "  }\n");
	}
	buf_free(&line);
}

void
te_print_schedule(struct buf *out, const te_schedule *s)
{
	buf_printf(out, "schedule @%s", s->name);
	if (s->target) {
		buf_puts(out, " for ");
		tir_put_string(out, s->target);
	}
	buf_puts(out, " {\n");
	for (uint32_t i = 0; i < s->nstages; i++)
		put_stage(out, &s->stages[i]);
	buf_puts(out, "}\n");
}
