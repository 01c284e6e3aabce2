#include "support/diag_json.h"

#include <string.h>

#include "support/utf8.h"

void
json_put_string(struct buf *out, const char *s)
{
	size_t len = strlen(s);

	buf_putc(out, '"');
	for (size_t at = 0; at < len;) {
		size_t n = utf8_length(s + at, len - at);
		unsigned char c = (unsigned char)s[at];

		if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c < ' ')
			buf_printf(out, "\\u%04x", c);
		else if (!utf8_is_valid(s + at, n))
			buf_puts(out, "\\ufffd");
		else
			buf_put(out, s + at, n);
		at += n;
	}
	buf_putc(out, '"');
}

static void
put_json(void *env, const struct diag_message *m)
{
	static const char *const level[] = {"error", "warning", "note",
					    "remark"};
	struct diag *d = env;
	struct buf out = {0};

	buf_printf(&out, "{\"severity\": \"%s\"", level[m->level]);
	if (m->file) {
		buf_puts(&out, ", \"file\": ");
		json_put_string(&out, m->file);
		buf_printf(&out,
			   ", \"line\": %u, \"column\": %u, \"endLine\": %u, "
			   "\"endColumn\": %u",
			   m->line, m->column, m->line, m->end_column);
	}
	if (m->pass) {
		buf_puts(&out, ", \"pass\": ");
		json_put_string(&out, m->pass);
	}
	buf_puts(&out, ", \"message\": ");
	json_put_string(&out, m->text);
	buf_puts(&out, "}\n");
	fwrite(out.at, 1, out.len, d->out);
	buf_free(&out);
}

void
diag_use_json(struct diag *d)
{
	d->handler = put_json;
	d->handler_env = d;
}
