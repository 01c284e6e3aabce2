/*
 * Messages are composed in one buffer and written at once, so that lines of
 * several processes on one terminal do not mix.
 */
#include "support/diag.h"

#include <string.h>

#include "support/buf.h"
#include "support/utf8.h"

/* Columns of a source line that are shown; longer lines are cut. */
enum { line_width = 100, lead = 60 };

static const char *const level_text[] = {
	[DIAG_ERROR] = "error",
	[DIAG_WARNING] = "warning",
	[DIAG_NOTE] = "note",
	[DIAG_REMARK] = "remark",
};

static const char *const level_color[] = {
	[DIAG_ERROR] = "\033[0;1;31m",
	[DIAG_WARNING] = "\033[0;1;35m",
	[DIAG_NOTE] = "\033[0;1;36m",
	[DIAG_REMARK] = "\033[0;1;34m",
};

/* Where a message points to, looked up. */
struct place {
	const char *file; /* NULL: nowhere */
	unsigned line;
	unsigned column;  /* in code points */
	const char *text; /* the line, or NULL */
	size_t len;
	size_t start; /* bytes of TEXT before the range */
	size_t end;   /* and before its end */
};

void
diag_init(struct diag *d, const char *tool, struct source *source)
{
	*d = (struct diag){.source = source,
			   .tool = tool,
			   .out = stderr,
			   .max_errors = 20};
}

static void
find_in_source(struct source *s, struct loc loc, struct place *p)
{
	size_t off = loc.off < s->len ? loc.off : s->len;
	unsigned bytes;

	source_position(s, off, &p->line, &bytes);
	p->file = s->name;
	p->text = source_line(s, p->line - s->first_line + 1, &p->len);
	p->start = bytes - 1 < p->len ? bytes - 1 : p->len;
	p->end = p->start + (loc.len ? loc.len : 1);
	if (p->end > p->len)
		p->end = p->len;
	p->column = (unsigned)utf8_count(p->text, p->start) + 1;
}

static void
find_place(struct diag *d, struct loc loc, struct place *p)
{
	struct diag_span span;

	*p = (struct place){0};
	if (loc.span) {
		if (!d->span_of || !d->span_of(d->span_env, loc.off, &span))
			return;
		p->file = span.name;
		p->line = span.line;
		p->column = span.column;
	} else if (loc_is_known(loc) && d->source) {
		find_in_source(d->source, loc, p);
	}
}

void
diag_put_place(struct diag *d, struct loc loc, struct buf *out)
{
	struct place p;

	find_place(d, loc, &p);
	if (p.file)
		buf_printf(out, "%s:%u:%u", p.file, p.line, p.column);
}

/*
 * One character of the source line as it is shown: control characters and
 * broken UTF-8 must not reach the terminal.
 */
static void
put_char(struct buf *out, const char *s, size_t n)
{
	unsigned char c = (unsigned char)*s;

	if (c == '\t')
		buf_putc(out, '\t');
	else if (c < ' ' || c == 0x7f || (n == 1 && c >= 0x80))
		buf_puts(out, "\xef\xbf\xbd");
	else
		buf_put(out, s, n);
}

/* Where to begin so that the caret is at most LEAD columns from there. */
static size_t
window_start(const struct place *p)
{
	size_t at = p->start;
	size_t n;

	if (p->len <= line_width)
		return 0;
	for (n = 0; at > 0 && n < lead; n++) {
		at--;
		while (at > 0 && ((unsigned char)p->text[at] & 0xc0) == 0x80 &&
		       p->start - at < 4 * lead)
			at--;
	}
	return at;
}

static void
put_caret(struct buf *marks, unsigned width)
{
	buf_putc(marks, '^');
	buf_fill(marks, '~', width > 1 ? width - 1 : 0);
}

static void
put_source_line(struct buf *out, struct buf *marks, const struct place *p)
{
	size_t at = window_start(p);
	size_t columns = 0;
	bool cut = at > 0;

	if (cut) {
		buf_puts(out, "...");
		buf_puts(marks, "   ");
	}
	while (at < p->len && columns < line_width) {
		size_t n = utf8_length(p->text + at, p->len - at);
		unsigned width = utf8_width(p->text + at, n);

		put_char(out, p->text + at, n);
		if (at + n <= p->start && p->text[at] == '\t')
			buf_putc(marks, '\t');
		else if (at + n <= p->start)
			buf_fill(marks, ' ', width);
		else if (at <= p->start)
			put_caret(marks, width);
		else if (at < p->end)
			buf_fill(marks, '~', width);
		columns += width;
		at += n;
	}
	if (p->start >= p->len)
		buf_putc(marks, '^');
	if (at < p->len)
		buf_puts(out, "...");
}

static void
put_line_and_caret(struct buf *out, const struct diag *d, const struct place *p)
{
	struct buf marks = {0};

	put_source_line(out, &marks, p);
	buf_putc(out, '\n');
	if (d->color)
		buf_puts(out, "\033[0;1;32m");
	buf_put(out, marks.at, marks.len);
	if (d->color)
		buf_puts(out, "\033[0m");
	buf_putc(out, '\n');
	buf_free(&marks);
}

static void
put_message(struct buf *out, const struct diag *d, enum diag_level level,
	    const struct place *p, const char *text)
{
	const char *bold = d->color ? "\033[1m" : "";
	const char *plain = d->color ? "\033[0m" : "";

	buf_puts(out, bold);
	if (p->file)
		buf_printf(out, "%s:%u:%u: ", p->file, p->line, p->column);
	else
		buf_printf(out, "%s: ", d->tool);
	buf_printf(out, "%s%s: %s", d->color ? level_color[level] : "",
		   level_text[level], plain);
	buf_puts(out, level == DIAG_NOTE ? "" : bold);
	buf_puts(out, text);
	if (d->pass && level != DIAG_NOTE)
		buf_printf(out, " [-%s]", d->pass);
	buf_puts(out, plain);
	buf_putc(out, '\n');
	if (p->text)
		put_line_and_caret(out, d, p);
}

static void
emit(struct diag *d, enum diag_level level, const struct place *p,
     const char *text)
{
	struct buf out = {0};

	if (d->handler) {
		struct diag_message m = {
			.level = level,
			.file = p->file,
			.line = p->line,
			.column = p->column,
			.text = text,
			.pass = d->pass,
		};
		m.end_column = p->column;
		if (p->text)
			m.end_column += (unsigned)utf8_count(p->text + p->start,
							     p->end - p->start);
		d->handler(d->handler_env, &m);
		return;
	}
	put_message(&out, d, level, p, text);
	fwrite(out.at, 1, out.len, d->out);
	buf_free(&out);
}

/* Say once that there are more errors than are shown. */
static void
stop(struct diag *d)
{
	struct place nowhere = {0};

	if (d->stopped)
		return;
	d->stopped = true;
	if (!d->quiet && !d->handler)
		emit(d, DIAG_NOTE, &nowhere,
		     "too many errors; see --max-errors");
}

/* Count a message; false if it is not to be shown. */
static bool
count(struct diag *d, enum diag_level level)
{
	if (level == DIAG_WARNING) {
		if (d->no_warnings)
			return false;
		d->warnings++;
	}
	if (level == DIAG_ERROR) {
		d->errors++;
		if (d->max_errors && d->errors > d->max_errors)
			stop(d);
	}
	return !d->stopped;
}

void
diag_report(struct diag *d, enum diag_level level, struct loc loc,
	    const char *fmt, va_list ap)
{
	struct place place;
	struct buf text = {0};

	if (level == DIAG_WARNING && d->werror && !d->no_warnings)
		level = DIAG_ERROR;
	if (level != DIAG_NOTE)
		d->hidden = !count(d, level);
	if (d->hidden || d->stopped || d->quiet)
		return;
	find_place(d, loc, &place);
	buf_vprintf(&text, fmt, ap);
	emit(d, level, &place, text.at ? text.at : "");
	buf_free(&text);
}

#define REPORT(level)                                  \
	do {                                           \
		va_list ap;                            \
                                                       \
		va_start(ap, fmt);                     \
		diag_report(d, (level), loc, fmt, ap); \
		va_end(ap);                            \
	} while (0)

void
diag_error(struct diag *d, struct loc loc, const char *fmt, ...)
{
	REPORT(DIAG_ERROR);
}

void
diag_warning(struct diag *d, struct loc loc, const char *fmt, ...)
{
	REPORT(DIAG_WARNING);
}

void
diag_note(struct diag *d, struct loc loc, const char *fmt, ...)
{
	REPORT(DIAG_NOTE);
}

void
diag_remark(struct diag *d, struct loc loc, const char *fmt, ...)
{
	REPORT(DIAG_REMARK);
}
