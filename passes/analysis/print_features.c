/*
 * print-features: which kinds of expressions a function is made of.
 *
 *     // @main: Var, Constant, Function, Op, Call, Graph
 *
 * Beside the kinds of nodes, Graph is sharing (something that is no atom is
 * used twice) and LetRec a let whose value mentions its variable. Passes that
 * handle only some programs say which features they know.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

enum feature {
	FEATURE_GRAPH = IR_KIND_COUNT,
	FEATURE_LET_REC,
	FEATURE_COUNT,
};

/* As TVM numbers them. */
static const struct {
	int feature;
	const char *name;
} features[] = {
	{IR_VAR, "Var"},
	{IR_GLOBAL, "GlobalVar"},
	{IR_CONSTANT, "Constant"},
	{IR_TUPLE, "Tuple"},
	{IR_PROJ, "TupleGetItem"},
	{IR_FUNCTION, "Function"},
	{IR_OP, "Op"},
	{IR_CALL, "Call"},
	{IR_LET, "Let"},
	{IR_IF, "If"},
	{IR_REF_NEW, "RefCreate"},
	{IR_REF_READ, "RefRead"},
	{IR_REF_WRITE, "RefWrite"},
	{IR_CTOR, "Constructor"},
	{IR_MATCH, "Match"},
	{FEATURE_GRAPH, "Graph"},
	{FEATURE_LET_REC, "LetRec"},
};

struct detector {
	bool has[FEATURE_COUNT];
	struct ir_set seen;
	struct ir_set used;     /* as an operand, once at least */
	struct ir_map open;     /* variable: its let's value is looked at */
	struct ir_map value_of; /* node -> the let that it is the value of */
};

static bool
is_atom(const ir_expr *e)
{
	return e->kind <= IR_CTOR && e->kind != IR_CONSTANT;
}

static bool
enter(const ir_expr *e, void *env)
{
	struct detector *d = env;

	ir_set_add(&d->seen, e);
	d->has[e->kind] = true;
	if (e->kind == IR_VAR && ir_map_get(&d->open, e))
		d->has[FEATURE_LET_REC] = true;
	if (e->kind == IR_LET && !ir_set_has(&d->seen, ir_as_let(e)->value)) {
		ir_map_put(&d->open, &ir_as_let(e)->var->base, e);
		ir_map_put(&d->value_of, ir_as_let(e)->value, e);
	}
	return true;
}

static void
leave(const ir_expr *e, void *env)
{
	struct detector *d = env;
	const ir_expr *let = ir_map_get(&d->value_of, e);

	if (let)
		ir_map_put(&d->open, &ir_as_let(let)->var->base, NULL);
	for (uint32_t i = 0; i < ir_num_operands(e); i++) {
		const ir_expr *x = ir_operand(e, i);

		if (!is_atom(x) && !ir_set_add(&d->used, x))
			d->has[FEATURE_GRAPH] = true;
	}
}

static const char *
features_of(struct report *r, const struct ir_function *fn)
{
	struct detector d = {.has = {0}};
	struct buf out = {0};
	const char *text;

	ir_walk(&fn->base, enter, leave, &d);
	for (size_t i = 0; i < sizeof(features) / sizeof(*features); i++) {
		if (!d.has[features[i].feature])
			continue;
		if (out.len)
			buf_puts(&out, ", ");
		buf_puts(&out, features[i].name);
	}
	text = arena_strndup(r->cx->scratch, out.at, out.len);
	buf_free(&out);
	ir_set_free(&d.seen);
	ir_set_free(&d.used);
	ir_map_free(&d.open);
	ir_map_free(&d.value_of);
	return text;
}

bool
pass_print_features(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d; d++)
		report_line(&r, 0, "@%s: %s", (*d)->name,
			    features_of(&r, (*d)->fn));
	report_end(&r);
	return false;
}
