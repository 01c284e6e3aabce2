/*
 * Does a match handle every value? The cases that it leaves out are found by
 * splitting on the first column of a matrix of patterns, as compilers of
 * functional languages do: for each constructor that the column names, go on
 * with the rows that accept it and its fields as further columns.
 *
 * A case is kept as the tokens of a pattern in pre-order. The work is bounded:
 * a match that would take longer counts as complete.
 */
#include "ir/infer.h"
#include "ir/infer_internal.h"
#include "support/buf.h"

enum {
	MAX_CASES = 8,     /* reported */
	MAX_WORK = 200000, /* patterns looked at */
	MAX_DEPTH = 1000,  /* of the recursion */
};

/* NULL stands for a pattern that accepts everything. */
typedef const ir_pattern *cell;

struct token {
	const struct ir_ctor *ctor; /* NULL: a tuple, or anything */
	uint32_t n;
	bool any;
};

struct cases {
	VEC(struct token) prefix; /* of the case under consideration */
	struct buf text;          /* of those found */
	unsigned found;
	unsigned depth;
	size_t work;
};

/* A matrix of NROWS by NCOLS cells. */
struct matrix {
	cell *at;
	uint32_t nrows;
	uint32_t ncols;
};

static void
put_tokens(struct buf *out, const struct token *t, size_t n)
{
	VEC(uint32_t) open = {0}; /* fields left, per open bracket */

	for (size_t i = 0; i < n; i++) {
		if (t[i].any)
			buf_putc(out, '_');
		else if (t[i].ctor)
			buf_puts(out, t[i].ctor->name);
		if (!t[i].any && (t[i].n > 0 || !t[i].ctor)) {
			buf_putc(out, '(');
			vec_push(&open, t[i].n + 1);
		}
		while (open.len > 0 && --vec_last(&open) == 0) {
			buf_putc(out, ')');
			(void)vec_pop(&open);
		}
		if (open.len > 0 && vec_last(&open) > 0 && i + 1 < n &&
		    !(t[i].n > 0 && !t[i].any))
			buf_puts(out, ", ");
	}
	vec_free(&open);
}

/* The prefix and REST columns of anything are a case that is left out. */
static void
found_case(struct cases *c, uint32_t rest)
{
	struct token any = {.any = true};
	size_t len = c->prefix.len;

	if (c->found++ >= MAX_CASES)
		return;
	for (uint32_t i = 0; i < rest; i++)
		vec_push(&c->prefix, any);
	if (c->text.len > 0)
		buf_puts(&c->text, ", ");
	put_tokens(&c->text, c->prefix.at, c->prefix.len);
	c->prefix.len = len;
}

static cell
simplify(const ir_pattern *p)
{
	return p->kind == PATTERN_CTOR || p->kind == PATTERN_TUPLE ? p : NULL;
}

/*
 * The rows of M that accept CTOR (NULL: a tuple) in the first column, with
 * its N fields in place of that column.
 */
static struct matrix
specialise(struct cases *c, struct matrix m, const struct ir_ctor *ctor,
	   uint32_t n)
{
	struct matrix out = {.ncols = m.ncols - 1 + n};

	out.at = xmalloc(((size_t)m.nrows * out.ncols + 1) * sizeof(*out.at));
	c->work += (size_t)m.nrows * (out.ncols + 1);
	for (uint32_t i = 0; i < m.nrows; i++) {
		cell *row = m.at + (size_t)i * m.ncols;
		cell *to = out.at + (size_t)out.nrows * out.ncols;
		cell first = row[0];

		if (first && (first->n != n ||
			      (first->kind == PATTERN_CTOR ? first->ctor
							   : NULL) != ctor))
			continue;
		for (uint32_t k = 0; k < n; k++)
			to[k] = first ? simplify(first->sub[k]) : NULL;
		for (uint32_t k = 1; k < m.ncols; k++)
			to[n + k - 1] = row[k];
		out.nrows++;
	}
	return out;
}

static void split(struct cases *c, struct matrix m);

static void
split_on(struct cases *c, struct matrix m, const struct ir_ctor *ctor,
	 uint32_t n, bool any)
{
	struct token t = {.ctor = ctor, .n = n, .any = any};
	struct matrix sub = specialise(c, m, ctor, n);

	vec_push(&c->prefix, t);
	split(c, sub);
	(void)vec_pop(&c->prefix);
	free(sub.at);
}

/* Find the values that no row of M accepts. */
static void
split(struct cases *c, struct matrix m)
{
	cell head = NULL;
	const ir_type_def *adt;

	if (m.nrows == 0) {
		found_case(c, m.ncols);
		return;
	}
	if (m.ncols == 0 || c->work > MAX_WORK || c->depth > MAX_DEPTH)
		return;
	for (uint32_t i = 0; i < m.nrows && !head; i++)
		head = m.at[(size_t)i * m.ncols];
	c->depth++;
	if (!head) {
		split_on(c, m, NULL, 0, true);
	} else if (head->kind == PATTERN_TUPLE) {
		split_on(c, m, NULL, head->n, false);
	} else {
		adt = head->ctor->adt;
		for (uint32_t i = 0; i < adt->nctors; i++)
			split_on(c, m, adt->ctors[i], adt->ctors[i]->nfields,
				 false);
	}
	c->depth--;
}

bool
ir_unmatched_cases(const struct ir_match *m, struct buf *out)
{
	struct cases c = {.found = 0};
	struct matrix top = {.nrows = m->nclauses, .ncols = 1};
	bool any;

	top.at = xmalloc((m->nclauses + 1) * sizeof(*top.at));
	for (uint32_t i = 0; i < m->nclauses; i++)
		top.at[i] = simplify(m->clauses[i].pattern);
	split(&c, top);
	any = c.found > 0 && c.work <= MAX_WORK;
	if (any)
		buf_printf(out, "%s%s", c.text.at,
			   c.found > MAX_CASES ? " and others" : "");
	free(top.at);
	vec_free(&c.prefix);
	buf_free(&c.text);
	return any;
}

void
infer_check_cases(struct infer *in, const struct ir_match *m)
{
	struct buf cases = {0};

	if (ir_unmatched_cases(m, &cases))
		infer_error(in, m->base.loc, "the match does not handle %s",
			    cases.at);
	buf_free(&cases);
}
