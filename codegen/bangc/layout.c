/*
 * Lines and indentation of emitted code: clang-format's, in the style that
 * device/.clang-format states.
 *
 * Whoever prints code need not care about either. A line is one statement, a
 * brace that opens or closes a block, or the head of a loop or a condition;
 * what is longer than 80 columns is broken behind commas and goes on below
 * what the innermost bracket holds.
 */
#include <ctype.h>
#include <string.h>

#include "codegen/bangc/internal.h"

enum { WIDTH = 80, STEP = 2, GOES_ON = 4, LAST_ALIGNED = 44 };

struct block {
	unsigned hang; /* of the statement that it is the body of */
};

struct layout {
	struct buf *out;
	const char *at;
	struct buf line;   /* the statement so far, spaces made single */
	unsigned depth;    /* of brackets in it */
	unsigned hang;     /* bodies without braces around it */
	VEC(unsigned) ifs; /* what HANG was at conditions that may go on */
	VEC(struct block) blocks;
	bool blank; /* the text has an empty line here */
};

/* ------------------------------------------------------------- wrapping -- */

/* Brackets at the beginning of S that hold the same: 2 of "f(g(a, b));". */
static size_t
outermost(const char *s)
{
	size_t n = 0;

	for (; isalnum((unsigned char)*s) || *s == '_' || *s == '('; s++)
		n += *s == '(';
	return n ? n : 1;
}

/*
 * The bytes from S on, which lies in DEPTH brackets, that stay together: up to
 * a comma in at most MOST of them, or to the end.
 */
static size_t
piece(const char *s, size_t depth, size_t most)
{
	char quote = 0;

	for (size_t i = 0; s[i]; i++) {
		if (quote && s[i] == '\\' && s[i + 1])
			i++;
		else if (quote)
			quote = s[i] == quote ? 0 : quote;
		else if (s[i] == '"' || s[i] == '\'')
			quote = s[i];
		else if (strchr("([{", s[i]))
			depth++;
		else if (strchr(")]}", s[i]))
			depth -= depth > 0;
		else if (s[i] == ',' && s[i + 1] == ' ' && depth &&
			 depth <= most)
			return i + 1;
	}
	return strlen(s);
}

/* Bytes of S to behind its first bracket, or all. */
static size_t
head(const char *s, size_t n)
{
	size_t i = strcspn(s, "(\"");

	return i > 0 && i < n && s[i] == '(' && s[i + 1] != ')' &&
			       (isalnum((unsigned char)s[i - 1]) ||
				s[i - 1] == '_')
		       ? i + 1
		       : n;
}

struct columns {
	size_t at[64]; /* where what a bracket holds begins */
	size_t depth;
};

static void
note_brackets(struct columns *c, const char *s, size_t n, size_t column)
{
	for (size_t i = 0; i < n; i++) {
		if (strchr("([{", s[i]) && c->depth + 1 < 64)
			c->at[++c->depth] = column + i + 1;
		else if (strchr(")]}", s[i]) && c->depth > 0)
			c->depth--;
	}
}

/* TEXT from column INDENT on, in as many lines as it takes. */
static void
put_wrapped(struct buf *out, const char *text, size_t indent)
{
	struct columns c = {0};
	size_t column = indent, first = head(text, strlen(text));
	size_t most = outermost(text);
	bool fits = indent + strlen(text) <= WIDTH;

	buf_fill(out, ' ', indent);
	c.at[0] = indent + GOES_ON;
	if (!fits && column + first > LAST_ALIGNED && text[first]) {
		buf_put(out, text, first);
		text += first;
		column = c.at[++c.depth] = indent + GOES_ON;
		buf_putc(out, '\n');
		buf_fill(out, ' ', column);
		fits = column + strlen(text) <= WIDTH;
	}
	while (*text) {
		size_t n = fits ? strlen(text) : piece(text, c.depth, most);

		if (!fits && column + n > WIDTH && column > c.at[c.depth]) {
			if (out->at[out->len - 1] == ' ')
				out->len--;
			column = c.at[c.depth];
			buf_putc(out, '\n');
			buf_fill(out, ' ', column);
		}
		buf_put(out, text, n);
		note_brackets(&c, text, n, column);
		column += n;
		text += n;
		if (*text == ' ') {
			buf_putc(out, ' ');
			text++;
			column++;
		}
	}
	buf_putc(out, '\n');
}

/* --------------------------------------------------------------- lines -- */

static size_t
indent_of(const struct layout *x)
{
	return STEP * (x->blocks.len + x->hang);
}

static void
put_blank(struct layout *x)
{
	if (x->blank && x->out->len > 1 && x->out->at[x->out->len - 2] != '{')
		buf_putc(x->out, '\n');
	x->blank = false;
}

/* The rest of this line of the text, if it is one comment: its length. */
static size_t
comment_behind(const char *s)
{
	size_t spaces = strspn(s, " "), n = strcspn(s + spaces, "\n");
	const char *c = s + spaces;

	if (n < 2 || c[0] != '/' || (c[1] != '/' && c[1] != '*'))
		return 0;
	if (c[1] == '*' && (n < 4 || c[n - 1] != '/' || c[n - 2] != '*'))
		return 0;
	return spaces + n;
}

/* Write the line; a comment behind it in the text stays behind it. */
static void
end_line(struct layout *x)
{
	size_t n = comment_behind(x->at);
	size_t spaces = strspn(x->at, " ");

	while (x->line.len && x->line.at[x->line.len - 1] == ' ')
		x->line.len--;
	if (!x->line.len)
		return;
	put_blank(x);
	put_wrapped(x->out, bang_text(&x->line), indent_of(x));
	if (n) {
		x->out->len--;
		buf_putc(x->out, ' ');
		buf_put(x->out, x->at + spaces, n - spaces);
		buf_putc(x->out, '\n');
		x->at += n;
	}
	x->line.len = 0;
	x->depth = 0;
}

/* Is S the word that W is? */
static bool
is_word(const char *s, const char *w)
{
	size_t n = strlen(w);

	return !strncmp(s, w, n) && !isalnum((unsigned char)s[n]) &&
	       s[n] != '_';
}

static const char *
next_text(const struct layout *x)
{
	return x->at + strspn(x->at, " \n");
}

/* What follows a statement without braces around it. */
static void
end_statement(struct layout *x)
{
	end_line(x);
	if (is_word(next_text(x), "else") && x->ifs.len) {
		x->hang = vec_pop(&x->ifs);
		return;
	}
	x->ifs.len = 0;
	x->hang = x->blocks.len ? x->blocks.at[x->blocks.len - 1].hang : 0;
}

static bool
is_condition(const char *line)
{
	return is_word(line, "if") || !strncmp(line, "else if ", 8) ||
	       !strncmp(line, "} else if ", 10);
}

/* The line is a head: what follows is its body. */
static void
end_head(struct layout *x, bool condition)
{
	end_line(x);
	if (condition)
		vec_push(&x->ifs, x->hang);
	x->hang++;
}

/* Behind a bracket that closes: is the line a head without a block? */
static void
look_for_body(struct layout *x)
{
	const char *line = bang_text(&x->line);
	char next = *next_text(x);

	if (x->depth > 0 || next == '{' || next == ';')
		return;
	if (is_condition(line) || is_word(line, "for") ||
	    is_word(line, "while"))
		end_head(x, is_condition(line));
}

static bool
begins_list(struct layout *x)
{
	size_t n = x->line.len;

	while (n && x->line.at[n - 1] == ' ')
		n--;
	return x->depth > 0 || (n && strchr("=,", x->line.at[n - 1])) ||
	       is_word(bang_text(&x->line), "return");
}

static void
open_block(struct layout *x)
{
	if (x->line.len && x->line.at[x->line.len - 1] != ' ')
		buf_putc(&x->line, ' ');
	buf_putc(&x->line, '{');
	end_line(x);
	vec_push(&x->blocks, (struct block){x->hang});
}

/*
 * A block adds its own step to those of the bodies around it; what hangs in
 * there begins anew from those.
 */
static void
close_block(struct layout *x)
{
	const char *next = next_text(x);

	end_line(x);
	x->blank = false;
	if (x->blocks.len)
		x->hang = vec_pop(&x->blocks).hang;
	buf_putc(&x->line, '}');
	if (is_word(next, "else") || is_word(next, "while") ||
	    (*x->at == ' ' && x->at + 1 == next &&
	     (isalpha((unsigned char)*next) || *next == '_'))) {
		buf_putc(&x->line, ' ');
		x->at = next;
	} else if (*next != ';') {
		end_statement(x);
	} else {
		x->at = next;
	}
}

/* ------------------------------------------------------------ comments -- */

/* A line of N bytes, which is broken behind commas where it is too long. */
static void
put_note_line(struct buf *out, const char *s, size_t n)
{
	size_t indent = strspn(s, " "), start = out->len, at = 0;
	bool comment = !strncmp(s, "// ", 3);
	unsigned depth = 0;

	buf_puts(out, comment ? "" : "// ");
	while (at < n) {
		size_t k = at;

		for (; k < n && !(s[k] == ',' && depth <= 1) &&
		       !(k > at && !strncmp(s + k, " -> ", 4));
		     k++) {
			depth += strchr("([", s[k]) != NULL;
			depth -= strchr(")]", s[k]) && depth > 0;
		}
		k += k < n && s[k] == ',';
		if (at && out->len - start + (k - at) > WIDTH) {
			buf_puts(out, "\n// ");
			start = out->len - 3;
			buf_fill(out, ' ', indent + GOES_ON);
			at += s[at] == ' ';
		}
		buf_put(out, s + at, k - at);
		at = k;
	}
	buf_putc(out, '\n');
}

void
bang_put_note(struct buf *out, const char *text)
{
	for (size_t n; *text; text += n + (text[n] == '\n')) {
		n = strcspn(text, "\n");
		put_note_line(out, text, n);
	}
}

/* ------------------------------------------------------------- the text -- */

/* A line for the preprocessor, as it stands. */
static void
take_directive(struct layout *x)
{
	put_blank(x);
	for (bool more = true; more && *x->at;) {
		size_t n = strcspn(x->at, "\n");

		more = n && x->at[n - 1] == '\\';
		buf_put(x->out, x->at, n);
		buf_putc(x->out, '\n');
		x->at += n + (more && x->at[n]);
	}
}

/* Between statements: each line of it below the other. */
static void
take_comment(struct layout *x)
{
	bool one_line = x->at[1] == '/', more = true;
	size_t indent = indent_of(x);

	put_blank(x);
	while (more && *x->at) {
		size_t n = strcspn(x->at, "\n");
		const char *end = strstr(x->at, "*/");

		more = !one_line && (!end || end >= x->at + n);
		if (!one_line && !more)
			n = (size_t)(end - x->at) + 2;
		buf_fill(x->out, ' ', indent + (*x->at == '*'));
		buf_put(x->out, x->at, n);
		buf_putc(x->out, '\n');
		x->at += n;
		x->at += more ? 1 + strspn(x->at + 1, " ") : 0;
	}
}

static void
take_literal(struct layout *x)
{
	char quote = *x->at;

	buf_putc(&x->line, *x->at++);
	while (*x->at && *x->at != quote) {
		if (*x->at == '\\' && x->at[1])
			buf_putc(&x->line, *x->at++);
		buf_putc(&x->line, *x->at++);
	}
	if (*x->at)
		buf_putc(&x->line, *x->at++);
}

static void
take_space(struct layout *x)
{
	const char *end = next_text(x), *first = strchr(x->at, '\n');
	struct buf *l = &x->line;

	if (!l->len)
		x->blank |= first && first < end && first[1] == '\n';
	else if (!strchr("([ ", l->at[l->len - 1]) && !strchr(")]", *end))
		buf_putc(l, ' ');
	x->at = end;
}

static void
take_other(struct layout *x)
{
	struct buf *l = &x->line;
	char c = *x->at++;
	const char *line;

	buf_putc(l, c);
	line = bang_text(l);
	if (c == '>' && !strncmp(line, "template <", 10))
		end_line(x);
	if (c == 'e' && (!strcmp(line, "else") || !strcmp(line, "} else")) &&
	    !isalnum((unsigned char)*x->at) && *next_text(x) != '{' &&
	    !is_word(next_text(x), "if"))
		end_head(x, false);
}

static void
take_bracket(struct layout *x)
{
	char c = *x->at++;

	if (c == '{' && !begins_list(x)) {
		open_block(x);
		return;
	}
	if (c == '}' && x->depth == 0) {
		close_block(x);
		return;
	}
	buf_putc(&x->line, c);
	if (strchr("([{", c)) {
		x->depth++;
	} else {
		x->depth -= x->depth > 0;
		look_for_body(x);
	}
}

void
bang_layout(struct buf *out, const char *text)
{
	struct layout x = {.out = out, .at = text};

	while (*x.at) {
		bool start = x.line.len == 0;

		if (*x.at == ' ' || *x.at == '\n') {
			take_space(&x);
		} else if (start && *x.at == '#') {
			take_directive(&x);
		} else if (start && x.at[0] == '/' &&
			   (x.at[1] == '*' || x.at[1] == '/')) {
			take_comment(&x);
		} else if (*x.at == '"' || *x.at == '\'') {
			take_literal(&x);
		} else if (strchr("()[]{}", *x.at)) {
			take_bracket(&x);
		} else if (*x.at == ';' && x.depth == 0) {
			buf_putc(&x.line, *x.at++);
			end_statement(&x);
		} else {
			take_other(&x);
		}
	}
	end_line(&x);
	buf_free(&x.line);
	vec_free(&x.ifs);
	vec_free(&x.blocks);
}
