/*
 * Syntax errors: what was expected, what was found.
 */
#include <string.h>

#include "parser/syn.h"
#include "support/buf.h"

enum { SHOWN = 40 };

/* What stands at LOC, cut if it is long. */
static void
put_found(struct buf *b, const struct parse_ctx *cx, struct loc loc,
	  const char *name)
{
	const char *s = cx->src->text + loc.off;
	size_t len = loc.len > SHOWN ? SHOWN : loc.len;

	if (loc.off + loc.len > cx->src->len || len == 0 ||
	    strncmp(name, "the ", 4) == 0 || memchr(s, '\n', len)) {
		buf_puts(b, name);
		return;
	}
	buf_printf(b, "'%.*s%s'", (int)len, s, loc.len > SHOWN ? "..." : "");
}

void
syn_syntax_error(struct parse_ctx *cx, struct loc loc, const char *found,
		 const char *const *expected, unsigned nexpected)
{
	struct buf b = {0};

	cx->tainted = true;
	if (nexpected > 0)
		buf_puts(&b, "expected ");
	for (unsigned i = 0; i < nexpected; i++) {
		if (i > 0)
			buf_puts(&b, i + 1 < nexpected ? ", " : " or ");
		buf_puts(&b, expected[i]);
	}
	buf_puts(&b, nexpected ? ", found " : "unexpected ");
	put_found(&b, cx, loc, found);
	diag_error(cx->d, loc, "%s", b.at);
	buf_free(&b);
	if (cx->lex.text_kind == TEXT_MODULE && cx->ndefs == 0 &&
	    cx->frames.len == 0)
		diag_note(cx->d, LOC_NONE,
			  "a module is a list of definitions; --expr reads "
			  "a bare expression");
}
