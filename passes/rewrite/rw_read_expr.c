/*
 * Expressions of patterns and replacements. Both are written alike; what has
 * a meaning in one of them only is refused in the other.
 */
#include "passes/rewrite/rw_reader.h"

#include <string.h>

#include "support/suggest.h"

static const struct {
	const char *name;
	enum rw_class class;
} classes[] = {
	{"elementwise", RW_ELEMENTWISE},       {"broadcast", RW_BROADCAST},
	{"injective", RW_INJECTIVE},           {"reduction", RW_REDUCTION},
	{"output_fusable", RW_OUTPUT_FUSABLE}, {"opaque", RW_OPAQUE},
};

static unsigned
class_of(const char *name)
{
	for (size_t i = 0; i < sizeof(classes) / sizeof(*classes); i++)
		if (strcmp(name, classes[i].name) == 0)
			return classes[i].class;
	return 0;
}

void *
rw_not_here(struct rw_reader *r, struct loc loc, const char *what)
{
	return rw_fail(r, loc, "%s may stand in a pattern only", what);
}

/* path(FROM, STEP, TO); '(' has been read. */
static const struct rw_node *
read_path(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_PATH, loc);

	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, loc, "'path'");
	rw_read_arguments(r, n);
	if (!r->failed && (n->n != 3 || n->nattrs || n->open))
		return rw_fail(r, loc,
			       "path takes where it starts, a step "
			       "and where it ends");
	return n;
}

static const struct rw_node *
unknown_name(struct rw_reader *r, const char *name, struct loc loc)
{
	struct suggest near;

	suggest_start(&near, name);
	for (int i = 0; i < OP_COUNT; i++)
		suggest_offer(&near, ir_op_info((enum op_id)i)->name);
	return rw_fail(r, loc, "unknown operator '%s'%s", name,
		       suggest_text(&near));
}

/* op?(a): the call or A; '?' has been read. */
static const struct rw_node *
read_optional(struct rw_reader *r, const ir_op *op, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_OPT, loc);

	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, loc, "'?'");
	n->op = op;
	if (!rw_expect(r, '(', "'('") || !rw_read_call(r, n))
		return NULL;
	if (n->n == 0 || n->open)
		return rw_fail(r, loc,
			       "what may be absent needs an input to "
			       "be absent from");
	return n;
}

/* op!(a, b): the operands in this order; '!' has been read. */
static const struct rw_node *
read_ordered(struct rw_reader *r, const ir_op *op, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_CALL, loc);

	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, loc, "'!'");
	n->op = op;
	n->ordered = true;
	return rw_expect(r, '(', "'('") ? rw_read_call(r, n) : NULL;
}

/* A name that is no keyword: an operator, called or not, or a function. */
static const struct rw_node *
read_named(struct rw_reader *r, const char *name, struct loc loc)
{
	const ir_op *op = ir_op_find(name, strlen(name));
	unsigned class = r->part == RW_IN_PATTERN ? class_of(name) : 0;
	struct rw_node *n;

	if (class || (op && r->scan.token == '(')) {
		n = rw_new_node(r, RW_CALL, loc);
		n->op = op;
		n->classes = class;
		if (rw_accept(r, '('))
			return rw_read_call(r, n);
		n->open = true;
		return n;
	}
	if (op && rw_accept(r, '?'))
		return read_optional(r, op, loc);
	if (op && rw_accept(r, '!'))
		return read_ordered(r, op, loc);
	if (op) {
		n = rw_new_node(r, RW_OP, loc);
		n->op = op;
		return n;
	}
	if (r->part == RW_IN_RESULT && rw_accept(r, '('))
		return rw_read_fn(r, name, loc);
	return unknown_name(r, name, loc);
}

/* (a | b), (a), (a, b), (a,), () */
static const struct rw_node *
read_parens(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_TUPLE, loc);
	rw_node_vec sub = {0};
	bool comma = false;

	while (r->scan.token != ')' && !r->failed) {
		const struct rw_node *e = rw_read_expr(r);

		if (e)
			vec_push(&sub, e);
		if (!rw_accept(r, ','))
			break;
		comma = true;
	}
	if (!r->failed)
		rw_expect(r, ')', "',' or ')'");
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	if (r->failed)
		return NULL;
	n->loc = rw_up_to_here(r, loc);
	return n->n == 1 && !comma ? n->sub[0] : n;
}

/* fn (a, b, Key="value") { body }; "fn" has been read. */
static const struct rw_node *
read_function(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_FUNCTION, loc);
	const struct rw_node *body;
	rw_node_vec sub = {0};

	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, loc, "a function");
	if (!rw_expect(r, '(', "'('"))
		return NULL;
	rw_read_arguments(r, n);
	body = r->failed ? NULL : rw_read_block(r);
	if (!body)
		return NULL;
	for (uint32_t i = 0; i < n->n; i++)
		vec_push(&sub, n->sub[i]);
	vec_push(&sub, body);
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	return n;
}

/* if (c) { a } else { b }; "if" has been read. */
static const struct rw_node *
read_if(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_IF, loc);
	rw_node_vec sub = {0};
	const struct rw_node *part[3] = {NULL};

	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, loc, "'if'");
	if (rw_expect(r, '(', "'('") && (part[0] = rw_read_expr(r)) &&
	    rw_expect(r, ')', "')'") && (part[1] = rw_read_block(r))) {
		if (rw_accept_word(r, "else"))
			part[2] = rw_read_block(r);
		else
			rw_fail(r, r->scan.loc, "expected 'else'");
	}
	for (int i = 0; i < 3; i++)
		vec_push(&sub, part[i]);
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	return r->failed ? NULL : n;
}

/* var, or var("x"); var(%x) is a call of a variable. */
static const struct rw_node *
read_var(struct rw_reader *r, struct rw_node *n)
{
	struct rw_scan before = r->scan;

	if (!rw_accept(r, '('))
		return n;
	if (r->scan.token != RW_T_STRING) {
		r->scan = before;
		return n;
	}
	n->name = r->scan.name;
	rw_scan_next(&r->scan);
	return rw_expect(r, ')', "')'") ? n : NULL;
}

static const struct rw_node *
read_word(struct rw_reader *r)
{
	static const struct {
		const char *word;
		enum rw_kind kind;
	} words[] = {
		{"const", RW_CONST},
		{"var", RW_VAR},
		{"tuple", RW_ANY_TUPLE},
	};
	const char *name = r->scan.name;
	struct loc loc = r->scan.loc;
	struct rw_node *n;

	rw_scan_next(&r->scan);
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(name, words[i].word) != 0)
			continue;
		if (r->part != RW_IN_PATTERN)
			return rw_not_here(r, loc, "a kind of expression");
		n = rw_new_node(r, words[i].kind, loc);
		return n->kind == RW_VAR ? read_var(r, n) : n;
	}
	if (strcmp(name, "fn") == 0)
		return read_function(r, loc);
	if (strcmp(name, "if") == 0)
		return read_if(r, loc);
	if (strcmp(name, "path") == 0 && rw_accept(r, '('))
		return read_path(r, loc);
	if (strcmp(name, "True") == 0 || strcmp(name, "False") == 0) {
		n = rw_new_node(r, RW_NUMBER, loc);
		n->value = ATTR_INT32(*name == 'T');
		n->dtype = DTYPE_BOOL;
		return n;
	}
	return read_named(r, name, loc);
}

static const struct rw_node *
read_number(struct rw_reader *r)
{
	struct rw_node *n = rw_new_node(r, RW_NUMBER, r->scan.loc);

	n->dtype = r->scan.dtype;
	n->value = r->scan.is_float ? ATTR_DOUBLE(r->scan.number)
				    : ATTR_INT32(r->scan.integer);
	if (r->part == RW_IN_RESULT && dtype_is_void(n->dtype))
		n->dtype = r->scan.is_float ? DTYPE(FLOAT, 32) : DTYPE(INT, 32);
	rw_scan_next(&r->scan);
	return n;
}

/* %x; in the definition of %x itself, that definition once more. */
static const struct rw_node *
read_slot(struct rw_reader *r)
{
	struct rw_node *n = rw_new_node(r, RW_SLOT, r->scan.loc);

	n->slot = rw_slot_of(r, r->scan.name, n->loc);
	for (size_t i = 0; i < r->defining.len; i++)
		if (r->defining.at[i] == n->slot)
			n->kind = RW_AGAIN;
	if (r->part == RW_IN_PATTERN && n->kind == RW_SLOT)
		r->slots.at[n->slot].bound = true;
	rw_scan_next(&r->scan);
	return n;
}

static const struct rw_node *
read_primary(struct rw_reader *r)
{
	struct loc loc = r->scan.loc;
	struct rw_node *n;

	switch (r->scan.token) {
	case '*':
		rw_scan_next(&r->scan);
		if (r->part != RW_IN_PATTERN)
			return rw_not_here(r, loc, "'*'");
		return rw_new_node(r, RW_ANY, loc);
	case RW_T_SLOT:
		return read_slot(r);
	case RW_T_GLOBAL:
		n = rw_new_node(r, RW_GLOBAL, loc);
		n->name = r->scan.name;
		rw_scan_next(&r->scan);
		return n;
	case RW_T_NUMBER:
		return read_number(r);
	case RW_T_NAME:
		return read_word(r);
	case '(':
		rw_scan_next(&r->scan);
		return read_parens(r, loc);
	default:
		if (r->scan.token == RW_T_BAD)
			r->failed = true;
		return rw_fail(r, loc, "expected an expression, found %s",
			       rw_scan_found(&r->scan));
	}
}

/* What may follow an expression: (..), .0, .*, : type */
static const struct rw_node *
read_postfix(struct rw_reader *r, const struct rw_node *e)
{
	struct rw_node *n;

	while (!r->failed) {
		if (rw_accept(r, '(')) {
			n = rw_new_node(r, RW_CALL, e->loc);
			n->callee = e;
			e = rw_read_call(r, n);
		} else if (rw_accept(r, '.')) {
			n = rw_new_node(r, RW_PROJ, e->loc);
			n->sub = arena_copy(&r->file->arena, &e, sizeof(e));
			n->n = 1;
			n->index = r->scan.token == '*' ? -1 : r->scan.integer;
			if (r->scan.token != '*' &&
			    (r->scan.token != RW_T_NUMBER || n->index < 0))
				return rw_fail(r, r->scan.loc,
					       "expected a field number or "
					       "'*'");
			rw_scan_next(&r->scan);
			e = n;
		} else {
			return e;
		}
		if (!e)
			return NULL;
	}
	return NULL;
}

static const struct rw_node *
read_typed(struct rw_reader *r)
{
	const struct rw_node *e = read_primary(r);
	struct rw_node *n;

	e = e ? read_postfix(r, e) : NULL;
	if (!e || r->scan.token != ':')
		return e;
	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, r->scan.loc, "a type");
	rw_scan_next(&r->scan);
	n = arena_copy(&r->file->arena, e, sizeof(*e));
	n->type = rw_read_type(r);
	return n->type ? n : NULL;
}

const struct rw_node *
rw_read_expr(struct rw_reader *r)
{
	const struct rw_node *e;
	struct loc loc = r->scan.loc;
	struct rw_node *alt;
	rw_node_vec sub = {0};

	if (!rw_enter(r))
		return NULL;
	e = read_typed(r);
	if (e && r->scan.token == '|') {
		if (r->part != RW_IN_PATTERN)
			return rw_not_here(r, r->scan.loc, "'|'");
		vec_push(&sub, e);
		while (e && rw_accept(r, '|')) {
			e = read_typed(r);
			vec_push(&sub, e);
		}
		alt = rw_new_node(r, RW_ALT, loc);
		rw_set_sub(r, alt, &sub);
		e = e ? alt : NULL;
		vec_free(&sub);
	}
	rw_leave(r);
	return e;
}

/* %name = expression; the name and '=' have been read. */
static bool
read_binding(struct rw_reader *r, const char *name, struct loc loc)
{
	uint32_t at;
	size_t known = r->slots.len;
	const struct rw_node *def;

	at = rw_slot_of(r, name, loc);
	if (at < known && (r->part == RW_IN_RESULT || r->slots.at[at].bound ||
			   r->slots.at[at].def)) {
		rw_fail(r, loc, "'%%%s' has a meaning already", name);
		return false;
	}
	r->slots.at[at].in_result = r->part == RW_IN_RESULT;
	vec_push(&r->defining, at);
	def = rw_read_expr(r);
	(void)vec_pop(&r->defining);
	if (!def || !rw_expect(r, ';', "';'"))
		return false;
	if (!rw_check_again(def, at)) {
		rw_fail(r, loc, "'%%%s' is made of itself", name);
		return false;
	}
	r->slots.at[at].def = def;
	return true;
}

/* let %v = value; body -- "let" has been read. */
static const struct rw_node *
read_let(struct rw_reader *r, struct loc loc)
{
	struct rw_node *n = rw_new_node(r, RW_LET, loc);
	const struct rw_node *part[3] = {NULL};
	rw_node_vec sub = {0};

	if (r->part != RW_IN_PATTERN)
		return rw_not_here(r, loc, "'let'");
	if (r->failed)
		return NULL;
	if ((part[0] = rw_read_expr(r)) && rw_expect(r, '=', "'='") &&
	    (part[1] = rw_read_expr(r)) && rw_expect(r, ';', "';'"))
		part[2] = rw_at_word(r, "let")
				  ? (rw_scan_next(&r->scan), read_let(r, loc))
				  : rw_read_expr(r);
	for (int i = 0; i < 3; i++)
		vec_push(&sub, part[i]);
	rw_set_sub(r, n, &sub);
	vec_free(&sub);
	return part[2] ? n : NULL;
}

const struct rw_node *
rw_read_block(struct rw_reader *r)
{
	const struct rw_node *e;

	if (!rw_expect(r, '{', "'{'"))
		return NULL;
	while (r->scan.token == RW_T_SLOT) {
		struct rw_scan before = r->scan;

		rw_scan_next(&r->scan);
		if (!rw_accept(r, '=')) {
			r->scan = before;
			break;
		}
		if (!read_binding(r, before.name, before.loc))
			return NULL;
	}
	if (rw_at_word(r, "let")) {
		struct loc loc = r->scan.loc;

		rw_scan_next(&r->scan);
		e = read_let(r, loc);
	} else {
		e = rw_read_expr(r);
	}
	if (!e)
		return NULL;
	(void)rw_accept(r, ';');
	return rw_expect(r, '}', "'}'") ? e : NULL;
}
