/*
 * Command lines, help, output files, differences of texts, globs.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/glob.h"
#include "support/linediff.h"
#include "support/options.h"
#include "support/outfile.h"
#include "test/unit/unit.h"

struct values {
	bool flag;
	bool on;
	const char *text;
	const char *maybe;
	long long number;
	int choice;
	struct option_list list;
	struct option_list each;
	const char *level;
};

#define FIELD(name) offsetof(struct values, name)

static const struct option_def table[] = {
	{"Things", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"flag", OPTION_FLAG, FIELD(flag), NULL, NULL, "a flag", 0},
	{"on", OPTION_FLAG, FIELD(on), NULL, NULL, "on", OPTION_HIDDEN},
	{"text", OPTION_TEXT, FIELD(text), "T", NULL, "a text", 0},
	{"maybe", OPTION_TEXT, FIELD(maybe), "M", "bare", "or not", 0},
	{"number", OPTION_NUMBER, FIELD(number), "N", NULL, "a number", 0},
	{"choice", OPTION_CHOICE, FIELD(choice), "a|bc|d", NULL, "one", 0},
	{"list", OPTION_LIST, FIELD(list), "L", NULL, "some", 0},
	{"each-one", OPTION_EACH, FIELD(each), "E", NULL, "some", 0},
	{"o", OPTION_TEXT, FIELD(text), "T", NULL, "same", OPTION_ALIAS},
	{"O", OPTION_TEXT, FIELD(level), "0..4", NULL, "l", OPTION_JOINED},
};

static const char *
other_name(size_t i)
{
	return i == 0 ? "fuse-ops" : NULL;
}

static bool
take_other(void *env, const char *name, const char *value)
{
	const char **seen = env;

	if (strcmp(name, "fuse-ops") != 0)
		return false;
	*seen = value ? value : "none";
	return true;
}

struct parsed {
	struct values v;
	struct option_list operands;
	const char *other;
	char *errors;
	bool ok;
	struct arena arena;
};

static void
parse(struct parsed *p, const char *line)
{
	struct option_others others = {take_other, other_name, &p->other};
	struct option_set set = {
		.tool = "tool",
		.overview = "do it",
		.usage = "[options]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
		.others = &others,
	};
	struct option_list words = {0};
	struct diag d;
	size_t len;

	memset(p, 0, sizeof(*p));
	p->v.on = true;
	diag_init(&d, "tool", NULL);
	d.out = open_memstream(&p->errors, &len);
	options_split(line, strlen(line), &words, &p->arena);
	p->ok = options_parse(&set, words.len, words.at, &p->v, &p->operands,
			      &p->arena, &d);
	fclose(d.out);
}

static void
done(struct parsed *p)
{
	free(p->errors);
	arena_free(&p->arena);
}

static void
test_values(void)
{
	struct parsed p;

	parse(&p, "-flag --no-on --text=x -text 'y z' in --maybe "
		  "--number 12 --choice=bc --list=a,b,,c --list d "
		  "--each-one=1,2 --each_one=3 -O3 --fuse-ops=k=1 -- -o");
	CHECK(p.ok && p.v.flag && !p.v.on);
	CHECK(strcmp(p.v.text, "y z") == 0);
	CHECK(strcmp(p.v.maybe, "bare") == 0);
	CHECK(p.v.number == 12 && p.v.choice == 1);
	CHECK(p.v.list.len == 4 && strcmp(p.v.list.at[3], "d") == 0);
	CHECK(p.v.each.len == 2 && strcmp(p.v.each.at[0], "1,2") == 0);
	CHECK(strcmp(p.v.level, "3") == 0);
	CHECK(strcmp(p.other, "k=1") == 0);
	CHECK(p.operands.len == 2 && strcmp(p.operands.at[1], "-o") == 0);
	done(&p);
	parse(&p, "--flag --flag=0 --maybe=x -o - -");
	CHECK(p.ok && !p.v.flag && strcmp(p.v.maybe, "x") == 0);
	CHECK(strcmp(p.v.text, "-") == 0);
	CHECK(p.operands.len == 1);
	done(&p);
}

static bool
fails_with(const char *line, const char *errors)
{
	struct parsed p;
	bool same;

	parse(&p, line);
	same = !p.ok && strcmp(p.errors, errors) == 0;
	if (!same)
		fprintf(stderr, "%s: %s", line, p.errors);
	done(&p);
	return same;
}

static void
test_errors(void)
{
	CHECK(fails_with("--flagg -fuse-op --zzzzzzz",
			 "tool: error: unknown option '--flagg'; did you mean "
			 "'--flag'?\n"
			 "tool: error: unknown option '--fuse-op'; did you "
			 "mean '--fuse-ops'?\n"
			 "tool: error: unknown option '--zzzzzzz'\n"
			 "tool: note: try 'tool --help'\n"));
	CHECK(fails_with("--text",
			 "tool: error: option '--text' needs a value\n"));
	CHECK(fails_with("--number=1x", "tool: error: option '--number' needs "
					"a number, not '1x'\n"));
	CHECK(fails_with("--number=-1", "tool: error: option '--number': -1 is "
					"out of range\n"));
	CHECK(fails_with("--choice=b", "tool: error: option '--choice': 'b' is "
				       "none of a|bc|d\n"));
	CHECK(fails_with("--flag=maybe", "tool: error: option '--flag' is true "
					 "or false, not 'maybe'\n"));
}

static void
test_response_file(void)
{
	char path[] = "/tmp/relay-unit-XXXXXX";
	int fd = mkstemp(path);
	char line[64];
	struct parsed p;

	CHECK(write(fd, "--flag\n  \"a b\" \\'c\n", 19) == 19);
	close(fd);
	snprintf(line, sizeof(line), "@%s @/no/such/file", path);
	parse(&p, line);
	CHECK(p.ok && p.v.flag && p.operands.len == 3);
	CHECK(strcmp(p.operands.at[0], "a b") == 0);
	CHECK(strcmp(p.operands.at[1], "'c") == 0);
	CHECK(strcmp(p.operands.at[2], "@/no/such/file") == 0);
	done(&p);
	unlink(path);
}

static void
test_help(void)
{
	struct option_set set = {
		.tool = "tool",
		.overview = "do it",
		.usage = "[options]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	struct buf out = {0};

	options_help(&out, &set, false);
	CHECK(strstr(out.at, "OVERVIEW: do it\n\nUSAGE: tool [options]\n"));
	CHECK(strstr(out.at, "\nThings:\n"));
	CHECK(strstr(out.at, "  --maybe[=M]                  - or not\n"));
	CHECK(strstr(out.at, "  -O<0..4> "));
	CHECK(!strstr(out.at, "--on") && !strstr(out.at, "-o "));
	out.len = 0;
	options_help(&out, &set, true);
	CHECK(strstr(out.at, "--on "));
	buf_free(&out);
	CHECK(!options_completion(&out, &set, "tcsh"));
}

static bool
file_holds(const char *path, const char *text)
{
	char got[64] = {0};
	FILE *f = fopen(path, "r");

	if (!f)
		return false;
	(void)!fread(got, 1, sizeof(got) - 1, f);
	fclose(f);
	return strcmp(got, text) == 0;
}

static void
test_outfile(void)
{
	char dir[] = "/tmp/relay-unit-XXXXXX";
	char path[64];
	struct outfile o;
	struct stat st;
	struct diag d;

	diag_init(&d, "tool", NULL);
	d.quiet = true;
	CHECK(mkdtemp(dir) != NULL);
	snprintf(path, sizeof(path), "%s/out", dir);
	CHECK(outfile_write(path, "one", 3, &d) && file_holds(path, "one"));
	CHECK(chmod(path, 0600) == 0);
	CHECK(outfile_open(&o, path, &d));
	outfile_put(&o, "two", 3);
	CHECK(file_holds(path, "one"));
	outfile_discard(&o);
	CHECK(file_holds(path, "one"));
	CHECK(outfile_write(path, "two", 3, &d) && file_holds(path, "two"));
	CHECK(stat(path, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK(d.errors == 0);
	CHECK(!outfile_write("/no/such/folder/x", "x", 1, &d));
	CHECK(!outfile_write(dir, "x", 1, &d));
	CHECK(!outfile_write("/dev/full", "x", 1, &d));
	CHECK(d.errors == 3);
	unlink(path);
	CHECK(rmdir(dir) == 0);
}

static bool
diff_is(const char *a, const char *b, const char *want)
{
	struct buf out = {0};
	bool same;

	linediff(&out, a, strlen(a), b, strlen(b));
	same = strcmp(out.at ? out.at : "", want) == 0;
	if (!same)
		fprintf(stderr, "got:\n%s", out.at ? out.at : "");
	buf_free(&out);
	return same;
}

static void
test_linediff(void)
{
	CHECK(diff_is("a\nb\n", "a\nb\n", ""));
	CHECK(diff_is("", "a\n", "@@ -0,0 +1,1 @@\n+a\n"));
	CHECK(diff_is("a\n", "", "@@ -1,1 +0,0 @@\n-a\n"));
	CHECK(diff_is("1\n2\n3\n4\n5\n6\n", "1\n2\n3\n4\nx\n6\n",
		      "@@ -2,5 +2,5 @@\n 2\n 3\n 4\n-5\n+x\n 6\n"));
	CHECK(diff_is("a\nb\nc\n", "b\nc\nd\n",
		      "@@ -1,3 +1,3 @@\n-a\n b\n c\n+d\n"));
	CHECK(diff_is("x\n1\n2\n3\n4\n5\n6\n7\ny\n", "1\n2\n3\n4\n5\n6\n7\n",
		      "@@ -1,4 +1,3 @@\n-x\n 1\n 2\n 3\n"
		      "@@ -6,4 +5,3 @@\n 5\n 6\n 7\n-y\n"));
}

static void
test_glob(void)
{
	CHECK(glob_match("main", "main") && !glob_match("main", "main2"));
	CHECK(glob_match("*", "") && glob_match("f*_?", "fused_a"));
	CHECK(glob_match("*ab*ab", "xabyabab") && !glob_match("*ab", "aba"));
	CHECK(!glob_match("?", "") && !glob_match("", "a"));
}

int
main(void)
{
	test_values();
	test_errors();
	test_response_file();
	test_help();
	test_outfile();
	test_linediff();
	test_glob();
	return unit_result();
}
