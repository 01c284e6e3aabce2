#include "passes/reproducer.h"

#include <limits.h>
#include <string.h>

#include "passes/pass_options.h"
#include "passes/plugin/plugin.h"

static const char prefix[] = "// relay-opt: ";
static const char passes[] = "--passes='";

static const struct option_def table[] = {
	{"passes", OPTION_TEXT, offsetof(struct reproducer, passes), "PIPE",
	 NULL, "", 0},
	{"no-infer", OPTION_FLAG, offsetof(struct reproducer, no_infer), NULL,
	 NULL, "", 0},
	{"allow-unknown-ops", OPTION_FLAG,
	 offsetof(struct reproducer, allow_unknown_ops), NULL, NULL, "", 0},
	PASS_OPTIONS(struct reproducer, options)};

static const struct reproducer defaults = {.options = PASS_OPTIONS_DEFAULT};

bool
reproducer_has_line(const struct source *s)
{
	size_t n = sizeof(prefix) - 1;
	size_t m = sizeof(passes) - 1;

	return s->len >= n + m && memcmp(s->text, prefix, n) == 0 &&
	       memcmp(s->text + n, passes, m) == 0;
}

/* -------------------------------------------------------------- writing -- */

/* TEXT in quotes that options_split takes away. */
static void
put_quoted(struct buf *out, const char *text)
{
	buf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			buf_puts(out, "'\\''");
		else
			buf_putc(out, *text == '\n' ? ' ' : *text);
	}
	buf_putc(out, '\'');
}

static void
put_option(struct buf *out, const char *name, const char *value)
{
	buf_printf(out, " --%s=", name);
	put_quoted(out, value);
}

static void
put_each(struct buf *out, const char *name, const struct option_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		put_option(out, name, list->at[i]);
}

void
reproducer_print_options(struct buf *out, const struct reproducer *r)
{
	const struct pass_options *o = &r->options;

	if (r->no_infer)
		buf_puts(out, " --no-infer");
	if (r->allow_unknown_ops)
		buf_puts(out, " --allow-unknown-ops");
	put_each(out, "load-plugin", &o->plugins);
	if (o->opt_level != defaults.options.opt_level)
		buf_printf(out, " --opt-level=%lld", o->opt_level);
	if (strcmp(o->target, defaults.options.target) != 0)
		put_option(out, "target", o->target);
	put_each(out, "pass-config", &o->config);
	put_each(out, "required-pass", &o->required);
	put_each(out, "disable-pass", &o->disabled);
	put_each(out, "debug-counter", &o->debug_counters);
	if (o->verify_each)
		buf_puts(out, " --verify-each");
	if (o->validate)
		buf_printf(out, " --validate-each=%lld", o->validate);
	if (o->validate_seed)
		buf_printf(out, " --validate-seed=%lld", o->validate_seed);
}

/* What is left of the ranges of C behind the rewrites that it has counted. */
static void
put_counter(struct buf *out, const struct debug_counter *c)
{
	const char *before = "=";

	buf_printf(out, "%s", c->info->flag);
	for (size_t i = 0; i < c->ranges.len; i++) {
		const struct debug_range *r = &c->ranges.at[i];
		unsigned long long first = r->first, last = r->last;

		if (last <= c->count)
			continue;
		first = first > c->count ? first - c->count : 1;
		buf_printf(out, "%s%llu-", before, first);
		if (last != ULLONG_MAX)
			buf_printf(out, "%llu", last - c->count);
		before = ":";
	}
	if (*before == '=')
		buf_puts(out, "=0");
}

/* The counters of STEP alone, and from here on. */
static void
keep_counters(struct pass_options *o, const struct pass_manager *pm,
	      const struct pass_step *step, struct arena *a)
{
	o->debug_counters = (struct option_list){0};
	for (size_t i = 0; i < pm->instrument.counters.len; i++) {
		const struct debug_counter *c = &pm->instrument.counters.at[i];
		struct buf text = {0};

		if (c->info != step->info)
			continue;
		put_counter(&text, c);
		option_list_add(&o->debug_counters,
				arena_strndup(a, text.at, text.len), a);
		buf_free(&text);
	}
}

void
reproducer_print(struct buf *out, const struct pass_manager *pm,
		 const struct pass_step *step)
{
	struct pass_step alone = *step;
	struct pass_step within = {
		.kind = STEP_FUNCTION, .inner = &alone, .only = pm->only};
	struct pass_pipeline pipeline = {.first = pm->only ? &within : &alone};
	struct reproducer r = {.no_infer = pm->no_infer,
			       .allow_unknown_ops = pm->allow_unknown_ops,
			       .options = *pm->options};
	struct buf text = {0};
	struct arena a = {0};

	alone.next = NULL;
	r.options.opt_level = pm->context.opt_level;
	keep_counters(&r.options, pm, step, &a);
	pass_pipeline_print(&text, &pipeline, NULL);
	buf_putc(&text, '\0');
	buf_printf(out, "%s--passes=", prefix);
	put_quoted(out, text.at);
	reproducer_print_options(out, &r);
	buf_putc(out, '\n');
	buf_free(&text);
	arena_free(&a);
}

/* -------------------------------------------------------------- reading -- */

static bool
read_options(const char *line, size_t len, struct reproducer *r,
	     struct arena *a, struct diag *d)
{
	struct option_list words = {0}, operands = {0};

	r->set = (struct option_set){
		.tool = "relay-opt",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	r->set.given = ARENA_NEW_ARRAY(a, r->set.count, bool);
	options_split(line, len, &words, a);
	if (!options_parse(&r->set, words.len, words.at, r, &operands, a, d))
		return false;
	if (operands.len == 0)
		return true;
	diag_error(d, LOC_NONE, "unexpected '%s'", operands.at[0]);
	return false;
}

static bool
load_plugins(const struct option_list *files, struct diag *d)
{
	for (size_t i = 0; i < files->len; i++)
		if (!plugin_load(files->at[i], d))
			return false;
	return true;
}

static bool
read_passes(const char *text, struct pass_pipeline *p, struct arena *a,
	    struct diag *d)
{
	struct source s;
	bool ok;

	source_init(&s, NULL, text, strlen(text));
	ok = pass_pipeline_parse(p, &s, a, d);
	source_free(&s);
	return ok;
}

bool
reproducer_read(struct source *s, struct reproducer *r, struct pass_pipeline *p,
		struct arena *a, struct diag *d)
{
	struct source *before = d->source;
	size_t len;
	const char *line = source_line(s, 1, &len);
	bool ok = reproducer_has_line(s);

	*r = defaults;
	d->source = s;
	if (!ok) {
		diag_error(d, (struct loc){.off = 0, .len = 1},
			   "expected a first line \"%s%s..'\"", prefix, passes);
	} else if (!read_options(line + sizeof(prefix) - 1,
				 len - (sizeof(prefix) - 1), r, a, d)) {
		diag_note(d, (struct loc){.off = 0, .len = (uint32_t)len},
			  "in this line");
		ok = false;
	} else {
		ok = load_plugins(&r->options.plugins, d) &&
		     (!p || read_passes(r->passes, p, a, d));
	}
	d->source = before;
	return ok;
}
