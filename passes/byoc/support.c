#include "passes/byoc/support.h"

#include <string.h>

#include "passes/rewrite/rw_goal.h"
#include "passes/rewrite/rw_reader.h"

/* A type without a shape stands for tensors of any. */
static void
open_type(struct rw_reader *r, struct rw_node *n)
{
	struct rw_type *t;

	if (!n->type || n->type->tuple || n->type->ndim != 0)
		return;
	t = arena_copy(&r->file->arena, n->type, sizeof(*t));
	t->ndim = -1;
	n->type = t;
}

static void
read_pattern(struct rw_reader *r, struct support_line *line)
{
	struct rw_rule *rule = ARENA_NEW(&r->file->arena, struct rw_rule);
	struct loc loc = r->scan.loc;
	const struct rw_node *p;
	struct rw_node *n;

	vec_clear(&r->slots);
	vec_clear(&r->slot_locs);
	r->part = RW_IN_PATTERN;
	p = rw_read_expr(r);
	if (!p)
		return;
	if ((p->kind != RW_CALL && p->kind != RW_OP) || !p->op) {
		rw_fail(r, loc,
			"expected an operator, a call of one, or the "
			"name of a composite");
		return;
	}
	n = arena_copy(&r->file->arena, p, sizeof(*n));
	open_type(r, n);
	rule->name = p->op->name;
	rule->loc = loc;
	rule->pattern = n;
	rule->file = r->file;
	rule->nslots = (uint32_t)r->slots.len;
	rule->slots = arena_copy(&r->file->arena, r->slots.at,
				 r->slots.len * sizeof(*r->slots.at));
	line->rule = rule;
}

static void
read_target(struct rw_reader *r, struct support *t)
{
	const char *target = r->scan.name;

	if (!rw_expect(r, RW_T_STRING, "the name of a compiler, a string") ||
	    !rw_expect(r, '{', "'{'"))
		return;
	while (r->scan.token != '}' && !r->failed) {
		struct support_line line = {.target = target};

		line.composite = r->scan.name;
		if (!rw_accept(r, RW_T_STRING)) {
			line.composite = NULL;
			read_pattern(r, &line);
		}
		if (r->failed || !rw_expect(r, ';', "';'"))
			return;
		vec_push(&t->lines, line);
	}
	rw_expect(r, '}', "'}'");
}

bool
support_read(struct support *t, ir_context *cx, struct source *s,
	     struct diag *d)
{
	struct rw_reader r = {.file = &t->file, .d = d, .cx = cx};

	t->file.source = s;
	rw_scan_start(&r.scan, cx, s, d);
	while (r.scan.token != RW_T_END && !r.failed) {
		if (rw_accept_word(&r, "target"))
			read_target(&r, t);
		else
			rw_expect(&r, -1, "'target'");
	}
	vec_free(&r.slots);
	vec_free(&r.slot_locs);
	return !r.failed;
}

void
support_free(struct support *t)
{
	rw_file_free(&t->file);
	vec_free(&t->lines);
}

static const char *
composite_of(const ir_expr *e)
{
	const ir_expr *callee = ir_as_call(e)->callee;

	if (callee->kind != IR_FUNCTION)
		return NULL;
	return ir_dict_string(ir_as_function(callee)->attrs, "Composite");
}

static bool
line_fits(const struct rw_rule *rule, const ir_expr *e)
{
	struct rw_match match = {0};
	bool fits;

	if (ir_called_op(e) != rule->pattern->op)
		return false;
	if (rule->pattern->kind == RW_OP)
		return !rule->pattern->type ||
		       rw_fits_type(rule->pattern->type, e->type);
	fits = rw_match_at(&match, rule, e);
	rw_match_free(&match);
	return fits;
}

bool
support_has(const struct support *t, const char *target, const ir_expr *e)
{
	const char *composite = composite_of(e);
	size_t len = strlen(target);

	/* "dnnl.conv2d_relu" is of "dnnl", whatever the table says. */
	if (composite && strncmp(composite, target, len) == 0 &&
	    composite[len] == '.')
		return true;
	for (size_t i = 0; i < t->lines.len; i++) {
		const struct support_line *line = &t->lines.at[i];

		if (line->target != target)
			continue;
		if (line->composite
			    ? composite && !strcmp(composite, line->composite)
			    : line_fits(line->rule, e))
			return true;
	}
	return false;
}
