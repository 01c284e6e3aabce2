/*
 * Myers' greedy algorithm: the shortest way through the edit graph, found by
 * the farthest point on each diagonal after 0, 1, 2, ... edits. Texts that
 * differ in more than MAX_EDITS lines are shown as replaced in the middle.
 */
#include "support/linediff.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/arena.h"
#include "support/vec.h"

enum { max_edits = 2000, context = 3 };

struct line {
	const char *text;
	size_t len;
};

typedef VEC(struct line) line_vec;

static void
split(line_vec *lines, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));
		struct line l = {text, (size_t)((nl ? nl : end) - text)};

		vec_push(lines, l);
		text += l.len + 1;
	}
}

static bool
same(const struct line *a, const struct line *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

/* What was done to get from A to B: a line kept, dropped or added. */
struct edit {
	char sign; /* ' ', '-', '+' */
	size_t a;  /* lines of A and B before it */
	size_t b;
};

typedef VEC(struct edit) edit_vec;

static void
push(edit_vec *edits, char sign, size_t a, size_t b)
{
	struct edit e = {sign, a, b};

	vec_push(edits, e);
}

/*
 * Farthest points by number of edits D: row D holds those of the diagonals
 * -D, -D + 2, ..., D.
 */
struct rows {
	size_t **at;
	int n;
	struct arena arena;
};

/* The farthest X on diagonal K after D edits, before matching lines. */
static size_t
step(const struct rows *r, int d, int k)
{
	const size_t *last;

	if (d == 0)
		return 0;
	last = r->at[d - 1];
	if (k == -d)
		return last[0];
	if (k == d)
		return last[d - 1] + 1;
	if (last[(k + d) / 2] > last[(k + d) / 2 - 1])
		return last[(k + d) / 2];
	return last[(k + d) / 2 - 1] + 1;
}

/* The number of edits from A to B, or -1 if there are too many. */
static int
search(struct rows *r, const line_vec *a, const line_vec *b)
{
	for (int d = 0; d <= max_edits; d++) {
		size_t *row = ARENA_NEW_ARRAY(&r->arena, (size_t)d + 1, size_t);

		r->at[d] = row;
		for (int k = -d; k <= d; k += 2) {
			size_t x = step(r, d, k);
			size_t y = (size_t)((intptr_t)x - k);

			while (x < a->len && y < b->len &&
			       same(&a->at[x], &b->at[y])) {
				x++;
				y++;
			}
			row[(k + d) / 2] = x;
			if (x >= a->len && y >= b->len)
				return d;
		}
	}
	return -1;
}

/* Was the last of D edits on diagonal K an added line of B? */
static bool
came_from_above(const struct rows *r, int d, int k)
{
	const size_t *last = r->at[d - 1];

	if (k == -d)
		return true;
	if (k == d)
		return false;
	return last[(k + d) / 2] > last[(k + d) / 2 - 1];
}

/* Walk back from the end; edits come out in reverse. */
static void
trace(const struct rows *r, int d, size_t x, size_t y, edit_vec *edits)
{
	for (; d >= 0; d--) {
		int k = (int)((intptr_t)x - (intptr_t)y);
		size_t start = step(r, d, k);

		while (x > start) {
			x--;
			y--;
			push(edits, ' ', x, y);
		}
		if (d == 0)
			return;
		if (came_from_above(r, d, k)) {
			y--;
			push(edits, '+', x, y);
		} else {
			x--;
			push(edits, '-', x, y);
		}
	}
}

static void
replace_all(const line_vec *a, const line_vec *b, edit_vec *edits)
{
	for (size_t i = 0; i < a->len; i++)
		push(edits, '-', i, 0);
	for (size_t i = 0; i < b->len; i++)
		push(edits, '+', a->len, i);
}

static void
reverse(edit_vec *edits)
{
	for (size_t i = 0, j = edits->len; i + 1 < j; i++) {
		struct edit e = edits->at[i];

		edits->at[i] = edits->at[--j];
		edits->at[j] = e;
	}
}

static void
put_hunk(struct buf *out, const line_vec *a, const line_vec *b,
	 const struct edit *e, size_t n, size_t width)
{
	size_t na = 0;
	size_t nb = 0;

	(void)width;
	for (size_t i = 0; i < n; i++) {
		na += e[i].sign != '+';
		nb += e[i].sign != '-';
	}
	buf_printf(out, "@@ -%zu,%zu +%zu,%zu @@\n", e->a + (na > 0), na,
		   e->b + (nb > 0), nb);
	for (size_t i = 0; i < n; i++) {
		const struct line *l =
			e[i].sign == '+' ? &b->at[e[i].b] : &a->at[e[i].a];

		buf_putc(out, e[i].sign);
		buf_put(out, l->text, l->len);
		buf_putc(out, '\n');
	}
}

typedef void put_fn(struct buf *out, const line_vec *a, const line_vec *b,
		    const struct edit *e, size_t n, size_t width);

/* Changes closer than two contexts share a hunk. */
static void
put_hunks(struct buf *out, const line_vec *a, const line_vec *b,
	  const edit_vec *edits, put_fn *put, size_t width)
{
	for (size_t i = 0; i < edits->len;) {
		size_t start = i;
		size_t last;

		if (edits->at[i].sign == ' ') {
			i++;
			continue;
		}
		for (last = i; i < edits->len && i <= last + 2 * context; i++)
			if (edits->at[i].sign != ' ')
				last = i;
		start = start > context ? start - context : 0;
		i = last + 1 + context;
		if (i > edits->len)
			i = edits->len;
		put(out, a, b, edits->at + start, i - start, width);
	}
}

/* The shortest way from A to B. */
static void
find_edits(const line_vec *a, const line_vec *b, edit_vec *edits)
{
	struct rows rows = {0};
	int d;

	rows.at = ARENA_NEW_ARRAY(&rows.arena, max_edits + 1, size_t *);
	d = search(&rows, a, b);
	if (d < 0) {
		replace_all(a, b, edits);
	} else {
		trace(&rows, d, a->len, b->len, edits);
		reverse(edits);
	}
	arena_free(&rows.arena);
}

void
linediff(struct buf *out, const char *a, size_t alen, const char *b,
	 size_t blen)
{
	line_vec la = {0};
	line_vec lb = {0};
	edit_vec edits = {0};

	split(&la, a, alen);
	split(&lb, b, blen);
	find_edits(&la, &lb, &edits);
	put_hunks(out, &la, &lb, &edits, put_hunk, 0);
	vec_free(&la);
	vec_free(&lb);
	vec_free(&edits);
}

/* ---------------------------------------------------------- two columns -- */

/* How many bytes of L fit into WIDTH, no character cut in two. */
static size_t
fitting(const struct line *l, size_t width)
{
	size_t n = l->len < width ? l->len : width;

	while (n > 1 && n < l->len &&
	       ((unsigned char)l->text[n] & 0xc0) == 0x80)
		n--;
	return n;
}

/* Characters in the first N bytes of L. */
static size_t
columns(const struct line *l, size_t n)
{
	size_t count = 0;

	for (size_t i = 0; i < n; i++)
		count += ((unsigned char)l->text[i] & 0xc0) != 0x80;
	return count;
}

/* One pair of lines; either may be missing (no text). */
static void
put_pair(struct buf *out, struct line a, char mark, struct line b, size_t width)
{
	do {
		size_t na = fitting(&a, width);
		size_t nb = fitting(&b, width);

		buf_put(out, a.text, na);
		if (nb > 0 || mark != ' ') {
			buf_fill(out, ' ', width - columns(&a, na));
			buf_printf(out, " %c", mark);
		}
		if (nb > 0) {
			buf_putc(out, ' ');
			buf_put(out, b.text, nb);
		}
		buf_putc(out, '\n');
		a = (struct line){a.text + na, a.len - na};
		b = (struct line){b.text + nb, b.len - nb};
	} while (a.len > 0 || b.len > 0);
}

/* The edits E in two columns: of a run of changes, line faces line. */
static void
put_side(struct buf *out, const line_vec *a, const line_vec *b,
	 const struct edit *e, size_t n, size_t width)
{
	const struct line none = {"", 0};

	for (size_t i = 0; i < n;) {
		size_t minus = 0;
		size_t plus = 0;

		if (e[i].sign == ' ') {
			put_pair(out, a->at[e[i].a], ' ', b->at[e[i].b], width);
			i++;
			continue;
		}
		for (; i < n && e[i].sign != ' '; i++) {
			minus += e[i].sign == '-';
			plus += e[i].sign == '+';
		}
		for (size_t k = 0; k < minus || k < plus; k++) {
			size_t x = e[i - 1].a + (e[i - 1].sign == '-') - minus;
			size_t y = e[i - 1].b + (e[i - 1].sign == '+') - plus;

			put_pair(out, k < minus ? a->at[x + k] : none,
				 k >= plus    ? '<'
				 : k >= minus ? '>'
					      : '|',
				 k < plus ? b->at[y + k] : none, width);
		}
	}
}

/* A hunk behind a line that says where it is. */
static void
put_side_hunk(struct buf *out, const line_vec *a, const line_vec *b,
	      const struct edit *e, size_t n, size_t width)
{
	buf_printf(out, "@@ -%zu +%zu @@\n", e->a + 1, e->b + 1);
	put_side(out, a, b, e, n, width);
}

void
linediff_side(struct buf *out, const char *a, size_t alen, const char *b,
	      size_t blen, size_t width, bool whole)
{
	line_vec la = {0};
	line_vec lb = {0};
	edit_vec edits = {0};

	split(&la, a, alen);
	split(&lb, b, blen);
	find_edits(&la, &lb, &edits);
	if (whole)
		put_side(out, &la, &lb, edits.at, edits.len, width);
	else
		put_hunks(out, &la, &lb, &edits, put_side_hunk, width);
	vec_free(&la);
	vec_free(&lb);
	vec_free(&edits);
}
