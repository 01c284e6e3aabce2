#include "passes/registry.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "support/diag_json.h"
#include "support/options.h"

/*
 * Options of all passes in one array: an empty row where a pass begins, then
 * its options. ROW_x is where pass x begins.
 */
#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

enum option_row {
#define PASS(kind, id, flag, ...) ROW_##id,
#define OPT(...) JOIN(ROW_AT_LINE_, __LINE__),
#include "passes/passes.def"
	ROW_COUNT
};

static const struct pass_option option_rows[ROW_COUNT + 1] = {
#define PASS(kind, id, flag, ...) {NULL, NULL, NULL},
#define OPT(name, deflt, summary) {name, deflt, summary},
#include "passes/passes.def"
};

#define RUN_function(id) .kind = PASS_FUNCTION, .run_function = pass_##id
#define RUN_module(id) .kind = PASS_MODULE, .run_module = pass_##id
#define RUN_analysis(id) .kind = PASS_ANALYSIS, .run_module = pass_##id

const struct pass_info pass_table[] = {
#define PASS(how, id, flag_, name_, level, needs_, required_, summary_) \
	{.flag = flag_,                                                 \
	 .name = name_,                                                 \
	 .opt_level = level,                                            \
	 .needs = PASS_NEEDS_##needs_,                                  \
	 .required = required_,                                         \
	 .summary = summary_,                                           \
	 .options = option_rows + ROW_##id + 1,                         \
	 RUN_##how(id)},
#define OPT(...)
#include "passes/passes.def"
};

const size_t pass_table_len = sizeof(pass_table) / sizeof(*pass_table);

/* Passes of plugins. */
enum { MAX_ADDED = 256 };
static const struct pass_info *added[MAX_ADDED];
static size_t nadded;

const struct pass_info *
pass_at(size_t i)
{
	if (i < pass_table_len)
		return &pass_table[i];
	return i - pass_table_len < nadded ? added[i - pass_table_len] : NULL;
}

size_t
pass_number(const struct pass_info *info)
{
	size_t i = 0;

	if (info >= pass_table && info < pass_table + pass_table_len)
		return (size_t)(info - pass_table);
	while (added[i] != info)
		i++;
	return pass_table_len + i;
}

size_t
pass_total(void)
{
	return pass_table_len + nadded;
}

bool
pass_add(const struct pass_info *info)
{
	if (nadded == MAX_ADDED || pass_find(info->flag, strlen(info->flag)) ||
	    pass_find(info->name, strlen(info->name)))
		return false;
	added[nadded++] = info;
	return true;
}

/* Names beside flags and TVM's constructors; the first ones are offered. */
static const struct {
	const char *name;
	const char *flag;
} aliases[] = {
	{"dce", "dead-code-elimination"},
	{"cse", "eliminate-common-subexpr"},
	{"InlineGlobals", "inline"},
	{"PartialEval", "partial-evaluate"},
	{"AnnotateTargetFunc", "annotate-target"},
	{"LowerTensorExpr", "lower-te"},
	{"AOTLowerMain", "aot-lower-main"},
	{"qnn.Legalize", "qnn-legalize"},
	{"OutlineCompilerFunctionsWithExistingGlobalSymbols",
	 "outline-compiler-functions"},
};

enum { noffered = 2, naliases = sizeof(aliases) / sizeof(*aliases) };

/* Letters and digits of both names are the same but for case. */
static bool
same(const char *a, size_t len, const char *b)
{
	const char *end = a + len;

	for (;;) {
		while (a < end && (*a == '-' || *a == '_' || *a == '.'))
			a++;
		while (*b == '-' || *b == '_' || *b == '.')
			b++;
		if (a == end || !*b)
			return a == end && !*b;
		if (tolower((unsigned char)*a++) !=
		    tolower((unsigned char)*b++))
			return false;
	}
}

static const struct pass_info *
find_in_table(const char *name, size_t len)
{
	for (size_t i = 0; i < pass_total(); i++)
		if (same(name, len, pass_at(i)->flag) ||
		    same(name, len, pass_at(i)->name))
			return pass_at(i);
	return NULL;
}

const struct pass_info *
pass_find(const char *name, size_t len)
{
	const struct pass_info *info = find_in_table(name, len);

	for (size_t i = 0; !info && i < naliases; i++)
		if (same(name, len, aliases[i].name))
			info = find_in_table(aliases[i].flag,
					     strlen(aliases[i].flag));
	return info;
}

int
pass_option_index(const struct pass_info *info, const char *name, size_t len)
{
	for (int i = 0; info->options[i].name; i++)
		if (same(name, len, info->options[i].name))
			return i;
	return -1;
}

const char *
pass_flag(size_t i)
{
	if (i < pass_total())
		return pass_at(i)->flag;
	i -= pass_total();
	return i < noffered ? aliases[i].name : NULL;
}

void
pass_suggest(struct suggest *s)
{
	bool as_tvm = isupper((unsigned char)*s->word);

	for (size_t i = 0; i < pass_total(); i++)
		suggest_offer(s, as_tvm ? pass_at(i)->name : pass_at(i)->flag);
	for (size_t i = 0; i < noffered; i++)
		suggest_offer(s, aliases[i].name);
}

static void
put_options(struct buf *out, const struct pass_info *info)
{
	for (const struct pass_option *o = info->options; o->name; o++) {
		size_t start = out->len;

		buf_printf(out, "      %s=%s", o->name, o->default_text);
		if (out->len - start < 33)
			buf_fill(out, ' ', 33 - (out->len - start));
		buf_puts(out, "- ");
		options_wrap(out, o->summary, 35);
	}
}

static const char *
kind_name(const struct pass_info *info)
{
	static const char *const names[] = {
		[PASS_FUNCTION] = "function",
		[PASS_MODULE] = "module",
		[PASS_ANALYSIS] = "analysis",
	};

	return names[info->kind];
}

static void
list_kind(struct buf *out, enum pass_kind kind, const char *title)
{
	buf_printf(out, "%s\n\n", title);
	for (size_t i = 0; i < pass_total(); i++) {
		const struct pass_info *info = pass_at(i);

		if (info->kind != kind)
			continue;
		buf_printf(out, "  %s (%s, level %d)\n      ", info->flag,
			   info->name, info->opt_level);
		options_wrap(out, info->summary, 6);
		put_options(out, info);
	}
}

void
pass_list(struct buf *out)
{
	list_kind(out, PASS_MODULE, "Module passes:");
	buf_putc(out, '\n');
	list_kind(out, PASS_FUNCTION, "Function passes:");
	buf_putc(out, '\n');
	list_kind(out, PASS_ANALYSIS, "Analyses:");
}

static void
put_key(struct buf *out, const char *key, const char *value)
{
	buf_printf(out, "\"%s\": ", key);
	json_put_string(out, value);
}

static void
put_options_json(struct buf *out, const struct pass_info *info)
{
	buf_puts(out, ",\n   \"options\": [");
	for (const struct pass_option *o = info->options; o->name; o++) {
		buf_puts(out, o == info->options ? "\n    {" : ",\n    {");
		put_key(out, "name", o->name);
		buf_puts(out, ", ");
		put_key(out, "default", o->default_text);
		buf_puts(out, ", ");
		put_key(out, "summary", o->summary);
		buf_putc(out, '}');
	}
	buf_puts(out, "]}");
}

void
pass_list_json(struct buf *out)
{
	buf_puts(out, "[");
	for (size_t i = 0; i < pass_total(); i++) {
		const struct pass_info *info = pass_at(i);

		buf_puts(out, i ? ",\n  {" : "\n  {");
		put_key(out, "flag", info->flag);
		buf_puts(out, ", ");
		put_key(out, "name", info->name);
		buf_puts(out, ", ");
		put_key(out, "kind", kind_name(info));
		buf_printf(out, ", \"level\": %d,\n   ", info->opt_level);
		put_key(out, "required", info->required);
		buf_puts(out, ", ");
		put_key(out, "summary", info->summary);
		put_options_json(out, info);
	}
	buf_puts(out, "\n]\n");
}

void
pass_describe(struct buf *out, const struct pass_info *info)
{
	buf_printf(out, "%s: ", info->flag);
	options_wrap(out, info->summary, strlen(info->flag) + 2);
	buf_printf(out,
		   "\n  TVM's name  %s\n  kind        %s\n"
		   "  level       %d\n",
		   info->name, kind_name(info), info->opt_level);
	if (*info->required)
		buf_printf(out, "  requires    %s\n", info->required);
	if (info->options->name) {
		buf_puts(out, "\n  Options, with their defaults:\n\n");
		put_options(out, info);
	}
}
