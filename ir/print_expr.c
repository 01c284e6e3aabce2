/*
 * Writing what was planned, from top to bottom.
 *
 * Most lines are calls of named things and are written in one go. Whatever
 * has scopes of its own leaves the rest of its text on a stack of frames.
 *
 * The plan puts the line of a node into the scope in which it is first met.
 * That may be an inner scope of an expression whose own line comes after that
 * of another user: TVM's text then names a %N that is bound further down. Here
 * such a line is written early, before the first line that needs it.
 */
#include "ir/print_internal.h"
#include "ir/walk.h"

enum frame_kind {
	FRAME_LINES, /* the lines of a scope from E on, then ROOT */
	FRAME_EARLY, /* the line of E, if it was not written yet */
	FRAME_CALL,  /* operand I of E and what follows */
	FRAME_ELSE,
	FRAME_CLAUSE, /* clause I of match E */
	FRAME_LET_BODY,
	FRAME_FUNCTION_END,
	FRAME_TEXT,     /* a new line, then TEXT */
	FRAME_END_LINE, /* ";" and a new line belongs to the next one */
};

struct frame {
	enum frame_kind kind;
	uint32_t i;
	unsigned indent;
	bool first; /* LINES, EARLY: no new line before it */
	bool ready; /* LINES, EARLY: what its line needs is written */
	const ir_expr *e;
	union {
		const ir_expr *root;
		const char *text;
	};
};

struct writer {
	struct print *p;
	struct buf *out;
	VEC(struct frame) todo;
	ir_expr_vec surface; /* scratch */
};

static void
push(struct writer *w, struct frame f)
{
	vec_push(&w->todo, f);
}

static void
new_line(struct writer *w, unsigned indent)
{
	buf_drain(w->out);
	buf_putc(w->out, '\n');
	buf_fill(w->out, ' ', indent);
}

static void
push_text(struct writer *w, const char *text, unsigned indent)
{
	push(w, (struct frame){
			.kind = FRAME_TEXT, .text = text, .indent = indent});
}

static void
push_scope(struct writer *w, const struct print_scope *scope,
	   const ir_expr *root, unsigned indent)
{
	push(w, (struct frame){.kind = FRAME_LINES,
			       .e = scope->first,
			       .root = root,
			       .indent = indent});
}

/* The name of a file must not end the comment, or open another one. */
static void
put_file_name(struct buf *out, const char *name)
{
	char last = '\0';

	for (; *name; last = *name++) {
		bool mark = (last == '*' && *name == '/') ||
			    (last == '/' && *name == '*');

		buf_putc(out, mark ? '_' : *name);
	}
}

static void
put_span(struct writer *w, const ir_expr *e)
{
	const struct ir_span *s = &w->p->m->spans.at[e->loc.off];

	buf_puts(w->out, " span=");
	put_file_name(w->out, s->name);
	buf_printf(w->out, ":%u:%u", s->line, s->column);
}

/* The comment that TVM puts behind E. */
static void
put_comment(struct writer *w, const ir_expr *e)
{
	const ir_type *t = print_comment_type(w->p, e);
	bool span = print_comment_span(w->p, e);

	if (!t && !span)
		return;
	buf_puts(w->out, " /*");
	if (t) {
		buf_puts(w->out, " ty=");
		print_type(w->p, t);
	}
	if (span)
		put_span(w, e);
	buf_puts(w->out, " */");
}

static void
put_name(struct writer *w, const ir_expr *var)
{
	const char *name = print_node_of(w->p, var)->name;

	buf_putc(w->out, '%');
	buf_put(w->out, name, intern_len(name));
}

/* A variable where it is bound. */
static void
put_binder(struct writer *w, const struct ir_var *v)
{
	const ir_type *t = print_annotation(w->p, v);

	put_name(w, &v->base);
	if (v->vdevice) {
		buf_puts(w->out, " {virtual_device=");
		print_vdevice(w->p, v->vdevice);
		buf_putc(w->out, '}');
	}
	if (t) {
		buf_puts(w->out, ": ");
		print_type(w->p, t);
	}
	put_comment(w, &v->base);
}

static void
put_constant(struct writer *w, const ir_expr *e)
{
	const struct ir_constant *c = ir_as_constant(e);

	if (!c->data)
		print_meta_placeholder(w->p, c);
	else if (print_scalar_fits(c->data))
		print_scalar(w->p, c->data);
	else
		print_meta_ref(w->p, e);
	put_comment(w, e);
}

/* E where it has a short text: a name or a number. */
static bool
put_short(struct writer *w, const ir_expr *e)
{
	uint32_t number;

	switch ((enum ir_kind)e->kind) {
	case IR_VAR:
		put_name(w, e);
		return true;
	case IR_CONSTANT:
		put_constant(w, e);
		return true;
	case IR_GLOBAL:
		buf_putc(w->out, '@');
		buf_puts(w->out, ir_as_global(e)->name);
		return true;
	case IR_OP:
		buf_puts(w->out, ir_as_op_ref(e)->op->name);
		return true;
	case IR_CTOR:
		buf_puts(w->out, ir_as_ctor(e)->name);
		return true;
	default:
		number = print_node_of(w->p, e)->number;
		if (!number)
			return false;
		buf_putc(w->out, '%');
		buf_int(w->out, number - 1);
		return true;
	}
}

static void put_node(struct writer *w, const ir_expr *e, unsigned indent);

/* A pattern. They nest as deep as the brackets of the text. */
static void
put_pattern(struct writer *w, const ir_pattern *pat)
{
	switch (pat->kind) {
	case PATTERN_WILDCARD:
		buf_putc(w->out, '_');
		return;
	case PATTERN_VAR:
		put_binder(w, pat->var);
		return;
	case PATTERN_CTOR:
		buf_puts(w->out, pat->ctor->name);
		if (pat->n == 0)
			return;
		break;
	case PATTERN_TUPLE:
		break;
	}
	buf_putc(w->out, '(');
	for (uint32_t i = 0; i < pat->n; i++) {
		if (i)
			buf_puts(w->out, ", ");
		put_pattern(w, pat->sub[i]);
	}
	buf_putc(w->out, ')');
}

/* The parameter list of F, its result type and "{"; the body is left. */
static void
put_head(struct writer *w, const struct ir_function *f, unsigned indent)
{
	struct print_scope *scope = print_node_of(w->p, &f->base)->scope;
	const ir_type *ret = print_ret_type(w->p, f);
	bool comma = false;

	for (uint32_t i = 0; i < f->ntype_params; i++) {
		buf_puts(w->out, i ? ", " : "[");
		buf_puts(w->out, ir_as_type_var(f->type_params[i])->name);
	}
	buf_puts(w->out, f->ntype_params ? "](" : "(");
	for (uint32_t i = 0; i < f->nparams; i++, comma = true) {
		if (comma)
			buf_puts(w->out, ", ");
		put_binder(w, f->params[i]);
	}
	comma = print_dict_attrs(w->p, f->attrs, comma);
	if (f->vdevice) {
		buf_puts(w->out,
			 comma ? ", virtual_device=" : "virtual_device=");
		print_vdevice(w->p, f->vdevice);
	}
	buf_puts(w->out, ") ");
	if (ret) {
		buf_puts(w->out, "-> ");
		print_type(w->p, ret);
		buf_putc(w->out, ' ');
	}
	buf_putc(w->out, '{');
	if (f->body)
		push_scope(w, scope, f->body, indent + 2);
	else
		push_text(w, "", indent + 2);
}

/* Operand I of E as written in its parentheses. */
static const ir_expr *
listed(const ir_expr *e, uint32_t i)
{
	if (e->kind == IR_CALL)
		return ir_as_call(e)->args[i];
	return ir_operand(e, i);
}

/*
 * Operand I of E and all after it; false if an operand was left on the stack
 * with the rest of E below it.
 */
static bool
put_operands(struct writer *w, const ir_expr *e, uint32_t i, unsigned indent)
{
	uint32_t n =
		e->kind == IR_CALL ? ir_as_call(e)->nargs : ir_num_operands(e);

	for (; i < n; i++) {
		const ir_expr *child = listed(e, i);

		if (i)
			buf_puts(w->out, ", ");
		if (put_short(w, child))
			continue;
		push(w, (struct frame){.kind = FRAME_CALL,
				       .e = e,
				       .i = i + 1,
				       .indent = indent});
		put_node(w, child, indent);
		return false;
	}
	return true;
}

/* "(%x).1" where "%x.1" is the name of another variable. */
static bool
is_ambiguous(struct writer *w, const struct ir_proj *t)
{
	const char *name;
	bool taken;

	if (!w->p->dotted_names || t->tuple->kind != IR_VAR)
		return false;
	name = print_node_of(w->p, t->tuple)->name;
	w->p->scratch.len = 0;
	buf_put(&w->p->scratch, name, intern_len(name));
	buf_putc(&w->p->scratch, '.');
	buf_int(&w->p->scratch, t->index);
	taken = print_name_taken(w->p, w->p->scratch.at, w->p->scratch.len);
	return taken;
}

/* What follows the last operand of E. */
static void
put_tail(struct writer *w, const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		print_call_attrs(w->p, ir_as_call(e), ir_as_call(e)->nargs);
		buf_putc(w->out, ')');
		break;
	case IR_TUPLE:
		buf_puts(w->out, ir_as_tuple(e)->nfields == 1 ? ",)" : ")");
		break;
	case IR_PROJ:
		if (is_ambiguous(w, ir_as_proj(e)))
			buf_putc(w->out, ')');
		buf_putc(w->out, '.');
		buf_int(w->out, ir_as_proj(e)->index);
		break;
	default:
		buf_putc(w->out, ')');
		break;
	}
	put_comment(w, e);
}

/* Calls, tuples and all else that is a list of operands. */
static void
put_list(struct writer *w, const ir_expr *e, unsigned indent)
{
	const struct ir_call *c;

	switch ((enum ir_kind)e->kind) {
	case IR_CALL:
		c = ir_as_call(e);
		if (!put_short(w, c->callee)) {
			push(w, (struct frame){.kind = FRAME_CALL,
					       .e = e,
					       .i = UINT32_MAX,
					       .indent = indent});
			put_node(w, c->callee, indent);
			return;
		}
		if (c->callee->kind == IR_CTOR &&
		    ir_as_ctor(c->callee)->nfields == 0) {
			put_comment(w, e);
			return;
		}
		buf_putc(w->out, '(');
		break;
	case IR_REF_NEW:
		buf_puts(w->out, "ref(");
		break;
	case IR_REF_READ:
		buf_puts(w->out, "ref_read(");
		break;
	case IR_REF_WRITE:
		buf_puts(w->out, "ref_write(");
		break;
	case IR_PROJ:
		if (is_ambiguous(w, ir_as_proj(e)))
			buf_putc(w->out, '(');
		break;
	default:
		buf_putc(w->out, '(');
		break;
	}
	if (put_operands(w, e, 0, indent))
		put_tail(w, e);
}

/* Go on with a call that was interrupted by a long operand. */
static void
resume_list(struct writer *w, struct frame f)
{
	if (f.i == UINT32_MAX) {
		buf_putc(w->out, '(');
		f.i = 0;
	}
	if (put_operands(w, f.e, f.i, f.indent))
		put_tail(w, f.e);
}

static void
put_if(struct writer *w, const ir_expr *e, unsigned indent)
{
	const struct ir_if *f = ir_as_if(e);
	struct print_scope *scope = print_node_of(w->p, e)->scope;

	buf_puts(w->out, "if (");
	push(w, (struct frame){.kind = FRAME_ELSE, .e = e, .indent = indent});
	push_scope(w, &scope[0], f->then_branch, indent + 2);
	if (put_short(w, f->cond)) {
		buf_puts(w->out, ") {");
		return;
	}
	push_text(w, NULL, 0);
	put_node(w, f->cond, indent);
}

static void
put_else(struct writer *w, const ir_expr *e, unsigned indent)
{
	struct print_scope *scope = print_node_of(w->p, e)->scope;

	new_line(w, indent);
	buf_puts(w->out, "} else {");
	push_text(w, "}", indent);
	push_scope(w, &scope[1], ir_as_if(e)->else_branch, indent + 2);
}

static void
put_match(struct writer *w, const ir_expr *e, unsigned indent)
{
	const struct ir_match *m = ir_as_match(e);

	buf_puts(w->out, m->complete ? "match (" : "match? (");
	push(w, (struct frame){.kind = FRAME_CLAUSE, .e = e, .indent = indent});
	if (put_short(w, m->value)) {
		buf_puts(w->out, ") {");
		return;
	}
	push_text(w, NULL, 0);
	put_node(w, m->value, indent);
}

static void
put_clause(struct writer *w, const ir_expr *e, uint32_t i, unsigned indent)
{
	const struct ir_match *m = ir_as_match(e);

	if (m->nclauses == 0)
		new_line(w, indent + 2);
	if (i == m->nclauses) {
		new_line(w, indent);
		buf_putc(w->out, '}');
		return;
	}
	new_line(w, indent + 2);
	put_pattern(w, m->clauses[i].pattern);
	buf_puts(w->out, " => {");
	push(w, (struct frame){.kind = FRAME_CLAUSE,
			       .e = e,
			       .i = i + 1,
			       .indent = indent});
	push_text(w, "},", indent + 2);
	push_scope(w, &print_node_of(w->p, e)->scope[i], m->clauses[i].body,
		   indent + 4);
}

static void
put_let(struct writer *w, const ir_expr *e, unsigned indent)
{
	const struct ir_let *let = ir_as_let(e);

	buf_puts(w->out, "let ");
	put_binder(w, let->var);
	buf_puts(w->out, " = ");
	push(w,
	     (struct frame){.kind = FRAME_LET_BODY, .e = e, .indent = indent});
	if (!put_short(w, let->value))
		put_node(w, let->value, indent);
}

/* E in full, its scopes left on the stack. */
static void
put_node(struct writer *w, const ir_expr *e, unsigned indent)
{
	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		buf_puts(w->out, "fn ");
		push(w, (struct frame){.kind = FRAME_FUNCTION_END,
				       .e = e,
				       .indent = indent});
		put_head(w, ir_as_function(e), indent);
		break;
	case IR_IF:
		put_if(w, e, indent);
		break;
	case IR_MATCH:
		put_match(w, e, indent);
		break;
	case IR_LET:
		put_let(w, e, indent);
		break;
	case IR_HOLE:
		buf_putc(w->out, '_');
		break;
	default:
		put_list(w, e, indent);
		break;
	}
}

/* "%N = ...;" or "free_var %x: T;" */
static void
put_line(struct writer *w, const ir_expr *e, unsigned indent)
{
	if (e->kind == IR_VAR) {
		buf_puts(w->out, "free_var ");
		put_binder(w, ir_as_var(e));
		buf_putc(w->out, ';');
		return;
	}
	buf_putc(w->out, '%');
	buf_int(w->out, print_node_of(w->p, e)->number - 1);
	buf_puts(w->out, " = ");
	push(w, (struct frame){.kind = FRAME_END_LINE});
	if (e->kind == IR_LET) {
		buf_putc(w->out, '(');
		push_text(w, ")", indent);
		indent += 2;
		new_line(w, indent);
	}
	put_node(w, e, indent);
}

/* Operands of E that stand outside of the scopes it opens. */
static uint32_t
num_outer_operands(const ir_expr *e)
{
	switch ((enum ir_kind)e->kind) {
	case IR_FUNCTION:
		return 0;
	case IR_LET:
	case IR_IF:
	case IR_MATCH:
		return 1;
	default:
		return ir_num_operands(e);
	}
}

/* E stands in the text about to be written: its line comes first, if any. */
static void
need(struct writer *w, const ir_expr *e, unsigned indent)
{
	const struct print_node *n = print_node_of(w->p, e);

	if (print_always_inline(e))
		return;
	if (!n->number)
		vec_push(&w->surface, e);
	else if (!n->written)
		push(w, (struct frame){
				.kind = FRAME_EARLY, .e = e, .indent = indent});
}

static void
need_operands(struct writer *w, const ir_expr *e, unsigned indent)
{
	for (uint32_t i = num_outer_operands(e); i > 0; i--)
		need(w, ir_operand(e, i - 1), indent);
}

/*
 * Lines that F's text needs and that were not written yet go onto the stack,
 * those of E's operands or, for a root, E's own; false if there are none.
 */
static bool
push_missing(struct writer *w, const ir_expr *e, struct frame model)
{
	size_t before = w->todo.len;

	if (model.kind == FRAME_LINES && !model.e)
		need(w, e, model.indent);
	else
		need_operands(w, e, model.indent);
	while (w->surface.len)
		need_operands(w, vec_pop(&w->surface), model.indent);
	if (w->todo.len == before)
		return false;
	vec_last(&w->todo).first = model.first;
	return true;
}

/* True if F has to wait for lines that are now on the stack above it. */
static bool
must_wait(struct writer *w, struct frame f, const ir_expr *e)
{
	struct frame again = f;

	if (!w->p->nested || f.ready || e->kind == IR_VAR)
		return false;
	again.ready = true;
	again.first = false;
	push(w, again);
	if (push_missing(w, e, f))
		return true;
	(void)vec_pop(&w->todo);
	return false;
}

/* The next line of a scope, or its root. */
static void
put_next(struct writer *w, struct frame f)
{
	const ir_expr *e = f.e;
	struct print_node *n = e ? print_node_of(w->p, e) : NULL;

	if (e && w->p->nested && n->written && e->kind != IR_VAR) {
		f.e = n->next;
		f.ready = false;
		push(w, f);
		return;
	}
	if (must_wait(w, f, e ? e : f.root))
		return;
	if (!f.first)
		new_line(w, f.indent);
	if (!e) {
		if (!put_short(w, f.root))
			put_node(w, f.root, f.indent);
		return;
	}
	n->written = true;
	f.e = n->next;
	f.first = f.ready = false;
	push(w, f);
	put_line(w, e, f.indent);
}

static void
put_early(struct writer *w, struct frame f)
{
	struct print_node *n = print_node_of(w->p, f.e);

	if (n->written || must_wait(w, f, f.e))
		return;
	if (!f.first)
		new_line(w, f.indent);
	n->written = true;
	put_line(w, f.e, f.indent);
}

static void
take_frame(struct writer *w, struct frame f)
{
	switch (f.kind) {
	case FRAME_LINES:
		put_next(w, f);
		break;
	case FRAME_EARLY:
		put_early(w, f);
		break;
	case FRAME_CALL:
		resume_list(w, f);
		break;
	case FRAME_ELSE:
		put_else(w, f.e, f.indent);
		break;
	case FRAME_CLAUSE:
		put_clause(w, f.e, f.i, f.indent);
		break;
	case FRAME_LET_BODY:
		buf_putc(w->out, ';');
		push_scope(w, print_node_of(w->p, f.e)->scope,
			   ir_as_let(f.e)->body, f.indent);
		break;
	case FRAME_FUNCTION_END:
		new_line(w, f.indent);
		buf_putc(w->out, '}');
		put_comment(w, f.e);
		break;
	case FRAME_TEXT:
		if (f.text)
			new_line(w, f.indent);
		buf_puts(w->out, f.text ? f.text : ") {");
		break;
	case FRAME_END_LINE:
		buf_putc(w->out, ';');
		break;
	}
}

static void
run(struct writer *w)
{
	while (w->todo.len)
		take_frame(w, vec_pop(&w->todo));
	vec_free(&w->todo);
	vec_free(&w->surface);
}

void
print_write_root(struct print *p, const ir_expr *e,
		 const struct print_scope *scope)
{
	struct writer w = {.p = p, .out = p->out};

	push(&w, (struct frame){.kind = FRAME_LINES,
				.e = scope->first,
				.root = e,
				.first = true});
	run(&w);
}

void
print_write_def(struct print *p, const char *name, const struct ir_function *fn)
{
	struct writer w = {.p = p, .out = p->out};

	buf_puts(p->out, "def @");
	buf_puts(p->out, name);
	push_text(&w, "}", 0);
	put_head(&w, fn, 0);
	run(&w);
	buf_putc(p->out, '\n');
}
