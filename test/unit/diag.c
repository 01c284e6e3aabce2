/*
 * Diagnostics: carets under tabs and wide characters, long lines, limits;
 * messages as JSON; expected messages; parts of a split file.
 */
#include <stdlib.h>
#include <string.h>

#include "support/diag.h"
#include "support/diag_json.h"
#include "support/expect.h"
#include "support/split.h"
#include "support/utf8.h"
#include "test/unit/unit.h"

/* A diag that writes into memory. */
struct sink {
	struct diag diag;
	struct source source;
	char *text;
	size_t len;
};

static void
sink_open(struct sink *s, const char *text)
{
	source_init(&s->source, "f.relay", text, strlen(text));
	diag_init(&s->diag, "tool", &s->source);
	s->diag.out = open_memstream(&s->text, &s->len);
}

/* True if what was written is WANT; ends the sink. */
static bool
sink_says(struct sink *s, const char *want)
{
	bool same;

	fclose(s->diag.out);
	same = strcmp(s->text, want) == 0;
	if (!same)
		fprintf(stderr, "got:\n%swanted:\n%s", s->text, want);
	free(s->text);
	source_free(&s->source);
	return same;
}

static struct loc
at(size_t off, unsigned len)
{
	return (struct loc){.off = (uint32_t)off, .len = len & 0x7fffffff};
}

static void
test_carets(void)
{
	struct sink s;
	const char *text = "one\n\tx\xc3\xa4\xe6\x97\xa5 bad(1)\nlast";

	sink_open(&s, text);
	diag_error(&s.diag, at(12, 3), "no %s", "good");
	diag_warning(&s.diag, at(8, 3), "wide");
	CHECK(sink_says(&s, "f.relay:2:6: error: no good\n"
			    "\tx\xc3\xa4\xe6\x97\xa5 bad(1)\n"
			    "\t     ^~~\n"
			    "f.relay:2:4: warning: wide\n"
			    "\tx\xc3\xa4\xe6\x97\xa5 bad(1)\n"
			    "\t  ^~\n"));
	sink_open(&s, "ab");
	diag_error(&s.diag, at(2, 0), "end");
	diag_error(&s.diag, LOC_NONE, "nowhere");
	s.diag.pass = "fuse-ops";
	diag_error(&s.diag, LOC_NONE, "in a pass");
	diag_note(&s.diag, at(0, 9), "past the end");
	CHECK(s.diag.errors == 3);
	CHECK(sink_says(&s, "f.relay:1:3: error: end\nab\n  ^\n"
			    "tool: error: nowhere\n"
			    "tool: error: in a pass [-fuse-ops]\n"
			    "f.relay:1:1: note: past the end\nab\n^~\n"));
	sink_open(&s, "a\x01"
		      "b\xff"
		      "c");
	diag_error(&s.diag, at(4, 1), "odd");
	CHECK(sink_says(&s, "f.relay:1:5: error: odd\n"
			    "a\xef\xbf\xbd"
			    "b\xef\xbf\xbd"
			    "c\n    ^\n"));
}

static void
test_long_lines(void)
{
	struct sink s;
	char text[1001];
	char *got;

	memset(text, 'x', 1000);
	text[1000] = '\0';
	sink_open(&s, text);
	diag_error(&s.diag, at(500, 1), "m");
	fclose(s.diag.out);
	got = strchr(s.text, '\n') + 1;
	CHECK(strncmp(got, "...x", 4) == 0);
	CHECK(strchr(got, '\n') - got == 106);
	CHECK(strchr(got, '^') - (strchr(got, '\n') + 1) == 63);
	free(s.text);
	source_free(&s.source);
}

static void
test_limits(void)
{
	struct sink s;

	sink_open(&s, "");
	s.diag.max_errors = 1;
	s.diag.werror = true;
	diag_warning(&s.diag, LOC_NONE, "one");
	diag_note(&s.diag, LOC_NONE, "of one");
	diag_error(&s.diag, LOC_NONE, "two");
	diag_note(&s.diag, LOC_NONE, "of two");
	CHECK(s.diag.errors == 2 && s.diag.stopped);
	CHECK(sink_says(&s, "tool: error: one\ntool: note: of one\n"
			    "tool: note: too many errors; see --max-errors\n"));
	sink_open(&s, "");
	s.diag.no_warnings = true;
	diag_warning(&s.diag, LOC_NONE, "one");
	diag_note(&s.diag, LOC_NONE, "of one");
	CHECK(sink_says(&s, ""));
}

static void
test_json(void)
{
	struct sink s;

	sink_open(&s, "ab\ncd");
	diag_use_json(&s.diag);
	diag_error(&s.diag, at(4, 1), "a \"b\"\n\x01");
	CHECK(sink_says(&s, "{\"severity\": \"error\", \"file\": \"f.relay\", "
			    "\"line\": 2, \"column\": 2, \"endLine\": 2, "
			    "\"endColumn\": 3, \"message\": "
			    "\"a \\\"b\\\"\\u000a\\u0001\"}\n"));
}

static void
test_utf8(void)
{
	CHECK(utf8_length("\xc3\xa4", 2) == 2);
	CHECK(utf8_length("\xc3", 1) == 1);
	CHECK(utf8_length("\xed\xa0\x80", 3) == 1);
	CHECK(utf8_length("\xc0\x80", 2) == 1);
	CHECK(utf8_length("\xf4\x90\x80\x80", 4) == 1);
	CHECK(utf8_is_valid("\xf0\x9f\x98\x80", 4));
	CHECK(utf8_width("\xf0\x9f\x98\x80", 4) == 2);
	CHECK(utf8_width("\xcc\x81", 2) == 0);
	CHECK(utf8_count("a\xc3\xa4\xff", 4) == 3);
}

static void
test_expect(void)
{
	struct sink s;
	struct expect e;
	struct diag seen;

	sink_open(&s, "// expected-error@+1 {{bad}}\nx\n"
		      "y // expected-warning-re {{w[0-9]+}}\n"
		      "// expected-note@unknown {{n}}\n");
	diag_init(&seen, "tool", &s.source);
	CHECK(expect_read(&e, &s.source, &s.diag));
	CHECK(e.wanted.len == 3);
	seen.handler = expect_take;
	seen.handler_env = &e;
	diag_error(&seen, at(29, 1), "a bad thing");
	diag_note(&seen, at(29, 1), "more");
	diag_note(&seen, LOC_NONE, "n");
	CHECK(!expect_finish(&e, &s.diag));
	expect_free(&e);
	CHECK(sink_says(
		&s, "f.relay:2:1: error: unexpected note: more\nx\n^\n"
		    "f.relay:3:6: error: expected warning \"w[0-9]+\" was not "
		    "produced\ny // expected-warning-re {{w[0-9]+}}\n"
		    "     ^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"));
	sink_open(&s, "// expected-nothing {{x}}\n");
	CHECK(!expect_read(&e, &s.source, &s.diag));
	expect_free(&e);
	fclose(s.diag.out);
	free(s.text);
	source_free(&s.source);
}

static void
test_split(void)
{
	struct source s;
	source_vec parts = {0};
	const char *text = "a\n// -----  \nb\nc\n// -----\n";

	source_init(&s, "f", text, strlen(text));
	split_source(&s, "// -----", &parts);
	CHECK(parts.len == 3);
	CHECK(parts.at[0].len == 2 && parts.at[0].first_line == 1);
	CHECK(parts.at[1].len == 4 && parts.at[1].first_line == 3);
	CHECK(parts.at[2].len == 0 && parts.at[2].first_line == 6);
	vec_free(&parts);
}

int
main(void)
{
	test_carets();
	test_long_lines();
	test_limits();
	test_json();
	test_utf8();
	test_expect();
	test_split();
	return unit_result();
}
