#include "passes/input.h"

#include "ir/equal.h"
#include "ir/expr.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/walk.h"
#include "parser/parser.h"
#include "support/expect.h"
#include "support/split.h"

/* A function over the free variables of E, which are then bound. */
static const ir_expr *
close_over_free_vars(ir_module *m, const ir_expr *e)
{
	ir_expr_vec free_vars = {0};
	VEC(const struct ir_var *) params = {0};
	struct ir_function_parts parts = {.body = e};
	const ir_expr *fn;

	ir_free_vars(e, &free_vars);
	for (size_t i = 0; i < free_vars.len; i++) {
		ir_expr *var = (ir_expr *)(uintptr_t)free_vars.at[i];

		var->flags &= (uint8_t)~IR_FREE_VAR;
		vec_push(&params, ir_as_var(var));
	}
	parts.params = params.at;
	parts.nparams = (uint32_t)params.len;
	fn = ir_new_function(m, e->loc, &parts);
	vec_free(&free_vars);
	vec_free(&params);
	return fn;
}

bool
input_wrap_expr(ir_module *m, const ir_expr *e, struct diag *d)
{
	const char *name = ir_name(m->cx, "main");
	const ir_def *old = ir_module_find(m, name);

	if (old) {
		diag_error(d, old->loc,
			   "the expression becomes '@main', which "
			   "is defined already");
		return false;
	}
	if (e->kind != IR_FUNCTION)
		e = close_over_free_vars(m, e);
	ir_module_add_function(m, name, e, e->loc);
	return true;
}

static bool
read_again(const ir_module *m, struct source *s, struct diag *d)
{
	struct ir_equal_options options = {0};
	struct ir_difference first = {0};
	struct parse_options o = {.allow_unknown_ops = true};
	ir_module *again = parse_module(m->cx, s, d, &o);
	bool same;

	if (!again)
		return false;
	same = ir_module_equal(m, again, &options, &first);
	if (!same)
		diag_error(d, first.b ? first.b->loc : LOC_NONE,
			   "the printed module reads back differently: %s",
			   first.what ? first.what : "structure");
	ir_module_free(again);
	return same;
}

bool
input_check_roundtrip(const ir_module *m, struct diag *d)
{
	struct print_options print = {.types = PRINT_TYPES_AUTO};
	struct source *before = d->source;
	struct buf text = {0};
	struct source s;
	bool ok;

	ir_print_module(&text, m, &print);
	source_init(&s, "<printed>", text.at, text.len);
	d->source = &s;
	ok = read_again(m, &s, d);
	d->source = before;
	source_free(&s);
	buf_free(&text);
	return ok;
}

static bool
find_span(void *env, uint32_t index, struct diag_span *out)
{
	const ir_module *m = env;

	if (index >= m->spans.len)
		return false;
	out->name = m->spans.at[index].name;
	out->line = m->spans.at[index].line;
	out->column = m->spans.at[index].column;
	return true;
}

void
input_use_spans(const ir_module *m, struct diag *d)
{
	d->span_of = m ? find_span : NULL;
	d->span_env = (void *)(uintptr_t)m;
}

typedef bool process_fn(void *env, struct source *s, struct buf *out);

/* Messages are compared with what the part expects, output is dropped. */
static void
process_expecting(struct source *s, process_fn *process, void *env,
		  struct diag *d)
{
	struct diag saved = *d;
	struct expect expect;
	struct buf out = {0};

	d->source = s;
	if (expect_read(&expect, s, d)) {
		d->handler = expect_take;
		d->handler_env = &expect;
		d->max_errors = 0;
		process(env, s, &out);
		*d = saved;
		d->source = s;
		expect_finish(&expect, d);
	}
	d->source = NULL;
	expect_free(&expect);
	buf_free(&out);
}

void
input_process(struct source *s, const struct input_mode *mode,
	      process_fn *process, void *env, struct diag *d, struct buf *out)
{
	source_vec parts = {0};

	if (mode->mark)
		split_source(s, mode->mark, &parts);
	for (size_t i = 0; i < (mode->mark ? parts.len : 1); i++) {
		struct source *part = mode->mark ? &parts.at[i] : s;

		if (i)
			buf_printf(out, "%s\n",
				   mode->output_mark ? mode->output_mark
						     : mode->mark);
		if (mode->verify_diagnostics)
			process_expecting(part, process, env, d);
		else
			process(env, part, out);
	}
	for (size_t i = 0; i < parts.len; i++)
		source_free(&parts.at[i]);
	vec_free(&parts);
}
