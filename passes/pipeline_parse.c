/*
 * Reading pipelines. The grammar is small enough for a hand-written reader;
 * nesting is bounded, as it recurses over parentheses.
 */
#include <stdlib.h>
#include <string.h>

#include "passes/pipeline.h"
#include "passes/registry.h"
#include "support/vec.h"

enum { max_nesting = 100 };

struct reader {
	const char *text;
	size_t len;
	size_t at;
	struct arena *arena;
	struct diag *diag;
	unsigned nesting;
	bool on_command_line; /* "flag=a;b": '>' ends nothing */
	bool standard;        /* skip passes that are not there */
	unsigned level;       /* STANDARD: of sequential<O> */
};

static struct loc
range(size_t start, size_t end)
{
	return (struct loc){.off = (uint32_t)start,
			    .len = (uint32_t)(end > start ? end - start : 1)};
}

static void
skip_blanks(struct reader *r)
{
	for (; r->at < r->len; r->at++) {
		char c = r->text[r->at];

		if (c == '#')
			while (r->at + 1 < r->len && r->text[r->at + 1] != '\n')
				r->at++;
		else if (c != ' ' && c != '\t' && c != '\n' && c != '\r')
			return;
	}
}

static bool
accept(struct reader *r, char c)
{
	skip_blanks(r);
	if (r->at == r->len || r->text[r->at] != c)
		return false;
	r->at++;
	return true;
}

static bool
expect(struct reader *r, char c, size_t opened)
{
	if (accept(r, c))
		return true;
	diag_error(r->diag, range(r->at, r->at + 1), "expected '%c'", c);
	diag_note(r->diag, range(opened, opened + 1), "to match this");
	return false;
}

static bool
is_name_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

/* Length of the name that begins here. */
static size_t
name_length(struct reader *r)
{
	size_t n = 0;

	skip_blanks(r);
	while (r->at + n < r->len && is_name_char(r->text[r->at + n]))
		n++;
	return n;
}

/* One argument between '<', ';' and '>': its place without blanks around. */
struct argument {
	size_t start;
	size_t key_end;
	size_t value;
	size_t end;
	bool has_value;
};

static bool
ends_argument(const struct reader *r, char c)
{
	return c == ';' || (c == '>' && !r->on_command_line);
}

/* END without the blanks before it. */
static size_t
trim(const struct reader *r, size_t start, size_t end)
{
	while (end > start && r->text[end - 1] == ' ')
		end--;
	return end;
}

static void
read_argument(struct reader *r, struct argument *a)
{
	skip_blanks(r);
	*a = (struct argument){.start = r->at};
	for (; r->at < r->len && !ends_argument(r, r->text[r->at]); r->at++) {
		if (r->text[r->at] == '=' && !a->has_value) {
			a->key_end = trim(r, a->start, r->at);
			a->value = r->at + 1;
			a->has_value = true;
		}
	}
	a->end = trim(r, a->start, r->at);
	if (!a->has_value)
		a->key_end = a->end;
	while (a->value < a->end && r->text[a->value] == ' ')
		a->value++;
}

typedef VEC(struct argument) argument_vec;

/* All arguments, if a '<' stands here; false after an error. */
static bool
read_arguments(struct reader *r, argument_vec *args)
{
	size_t opened = r->at;
	struct argument a;

	if (!accept(r, '<'))
		return true;
	do {
		read_argument(r, &a);
		if (a.end > a.start)
			vec_push(args, a);
	} while (accept(r, ';'));
	return expect(r, '>', opened);
}

static struct pass_step *
new_step(struct arena *a, enum step_kind kind)
{
	struct pass_step *step = ARENA_NEW(a, struct pass_step);

	step->kind = kind;
	return step;
}

static bool
set_options(struct reader *r, struct pass_step *step, const argument_vec *args)
{
	bool ok = true;

	for (size_t i = 0; i < args->len; i++) {
		const struct argument *a = &args->at[i];
		const char *key = arena_strndup(r->arena, r->text + a->start,
						a->key_end - a->start);
		const char *value = NULL;

		if (a->has_value)
			value = arena_strndup(r->arena, r->text + a->value,
					      a->end - a->value);
		ok &= pass_step_set_at(step, key, value,
				       range(a->start, a->end), r->arena,
				       r->diag);
	}
	return ok;
}

/* What a combinator takes between '<' and '>'. */
enum combinator_arg {
	ARG_LEVEL,
	ARG_COUNT,
	ARG_MAX,
	ARG_NAMES,
	ARG_FILE,
	ARG_FORMAT,
	ARG_NONE,
};

static const struct combinator {
	const char *name;
	enum step_kind kind;
	enum combinator_arg arg;
	bool has_inner;
} combinators[] = {
	{"sequential", STEP_SEQUENTIAL, ARG_LEVEL, true},
	{"default", STEP_SEQUENTIAL, ARG_LEVEL, false},
	{"build", STEP_SEQUENTIAL, ARG_LEVEL, false},
	{"vm", STEP_SEQUENTIAL, ARG_LEVEL, false},
	{"aot", STEP_SEQUENTIAL, ARG_LEVEL, false},
	{"batching-ops", STEP_SEQUENTIAL, ARG_LEVEL, false},
	{"single-call", STEP_SEQUENTIAL, ARG_LEVEL, false},
	{"repeat", STEP_REPEAT, ARG_COUNT, true},
	{"fixpoint", STEP_FIXPOINT, ARG_MAX, true},
	{"function", STEP_FUNCTION, ARG_NAMES, true},
	{"if-changed", STEP_IF_CHANGED, ARG_NONE, true},
	{"print", STEP_PRINT, ARG_FORMAT, false},
	{"save", STEP_SAVE, ARG_FILE, false},
};

enum { ncombinators = sizeof(combinators) / sizeof(*combinators) };

static const struct combinator *
find_combinator(const char *name, size_t len)
{
	for (size_t i = 0; i < ncombinators; i++)
		if (strlen(combinators[i].name) == len &&
		    memcmp(combinators[i].name, name, len) == 0)
			return &combinators[i];
	return NULL;
}

static bool
read_number(const char *s, unsigned *number)
{
	char *end;
	unsigned long n = strtoul(s, &end, 10);

	if (*s < '0' || *s > '9' || *end || n > 1000000)
		return false;
	*number = (unsigned)n;
	return true;
}

/* The argument of combinator C, or its default. */
static bool
set_argument(struct reader *r, const struct combinator *c,
	     struct pass_step *step, const argument_vec *args, struct loc loc)
{
	const struct argument *a = args->len ? &args->at[0] : NULL;
	const char *text = "";

	step->number = c->arg == ARG_LEVEL ? 2 : 10;
	step->only = c->arg == ARG_FORMAT ? NULL : "*";
	if (a) {
		loc = range(a->start, a->end);
		text = arena_strndup(r->arena, r->text + a->start,
				     a->end - a->start);
	}
	if (args->len > 1 || (a && c->arg == ARG_NONE)) {
		diag_error(r->diag, loc, "'%s' takes %s", c->name,
			   c->arg == ARG_NONE ? "no argument" : "one argument");
		return false;
	}
	if (c->arg == ARG_FILE && !*text) {
		diag_error(r->diag, loc, "'%s' takes the name of a file",
			   c->name);
		return false;
	}
	if (c->arg == ARG_FORMAT && a && strcmp(text, "dot") != 0 &&
	    strcmp(text, "text") != 0) {
		diag_error(r->diag, loc, "'%s' takes dot, text, or nothing",
			   c->name);
		return false;
	}
	if (c->arg == ARG_LEVEL && a) {
		if (r->standard && strcmp(text, "O") == 0) {
			step->number = r->level;
			return true;
		}
		if (*text == 'O' && read_number(text + 1, &step->number) &&
		    step->number <= 4)
			return true;
		diag_error(r->diag, loc, "'%s' takes a level, O0 to O4",
			   c->name);
		return false;
	}
	if (c->arg == ARG_MAX && strncmp(text, "max=", 4) == 0)
		text += 4;
	if (c->arg == ARG_COUNT || (c->arg == ARG_MAX && a)) {
		if (read_number(text, &step->number))
			return true;
		diag_error(r->diag, loc, "'%s' takes a number", c->name);
		return false;
	}
	if ((c->arg == ARG_NAMES || c->arg == ARG_FILE ||
	     c->arg == ARG_FORMAT) &&
	    a)
		step->only = text;
	return true;
}

static bool read_pipe(struct reader *r, struct pass_step **end);

/* A standard pipeline; its steps take its place. */
static bool
is_standard(const struct combinator *c)
{
	return c->kind == STEP_SEQUENTIAL && !c->has_inner;
}

/* The inner pipe of a standard pipeline comes from its own text. */
static bool
read_standard(struct reader *r, const struct combinator *c,
	      struct pass_step *step)
{
	const char *text = pass_standard_pipeline(c->name, strlen(c->name));
	struct reader inner = {.text = text,
			       .len = strlen(text),
			       .arena = r->arena,
			       .diag = r->diag,
			       .standard = true,
			       .level = step->number};

	return read_pipe(&inner, &step->inner);
}

static bool
read_inner(struct reader *r, const struct combinator *c, struct pass_step *step,
	   struct loc loc)
{
	size_t opened = r->at;
	bool ok;

	if (!c->has_inner)
		return !is_standard(c) || read_standard(r, c, step);
	if (!accept(r, '(')) {
		diag_error(r->diag, loc, "'%s' needs passes in parentheses",
			   c->name);
		return false;
	}
	if (accept(r, ')'))
		return true;
	if (r->nesting == max_nesting) {
		diag_error(r->diag, loc, "parentheses nest too deep");
		return false;
	}
	r->nesting++;
	ok = read_pipe(r, &step->inner) && expect(r, ')', opened);
	r->nesting--;
	return ok;
}

static void
report_unknown_pass(struct reader *r, size_t start, size_t len)
{
	const char *name = arena_strndup(r->arena, r->text + start, len);
	struct suggest s;

	suggest_start(&s, name);
	pass_suggest(&s);
	for (size_t i = 0; i < ncombinators; i++)
		suggest_offer(&s, combinators[i].name);
	diag_error(r->diag, range(start, start + len), "unknown pass '%s'%s",
		   name, suggest_text(&s));
}

/* After the name at START: arguments, inner pipe. NULL after an error. */
static struct pass_step *
read_rest(struct reader *r, size_t start, size_t len, argument_vec *args)
{
	const char *name = r->text + start;
	struct loc loc = range(start, start + len);
	const struct combinator *c = find_combinator(name, len);
	const struct pass_info *info = c ? NULL : pass_find(name, len);
	struct pass_step *step;

	if (!c && !info) {
		report_unknown_pass(r, start, len);
		return NULL;
	}
	if (!read_arguments(r, args))
		return NULL;
	if (info) {
		step = pass_step_new(r->arena, info);
		return set_options(r, step, args) ? step : NULL;
	}
	step = new_step(r->arena, c->kind);
	if (!set_argument(r, c, step, args, loc) ||
	    !read_inner(r, c, step, loc))
		return NULL;
	return is_standard(c) ? step->inner : step;
}

static struct pass_step *
read_item(struct reader *r)
{
	size_t len = name_length(r);
	size_t start = r->at;
	argument_vec args = {0};
	struct pass_step *step;

	if (len == 0) {
		diag_error(r->diag, range(start, start + 1),
			   "expected the name of a pass");
		return NULL;
	}
	r->at += len;
	step = read_rest(r, start, len, &args);
	vec_free(&args);
	return step;
}

/* In a standard pipeline: pass over a name that no pass has. */
static bool
skip_missing(struct reader *r)
{
	size_t len = name_length(r);
	const char *name = r->text + r->at;

	if (pass_find(name, len) || find_combinator(name, len))
		return false;
	r->at += len;
	return true;
}

static bool
read_pipe(struct reader *r, struct pass_step **end)
{
	do {
		struct pass_step *step;

		if (r->standard && skip_missing(r))
			continue;
		step = read_item(r);
		if (!step)
			return false;
		*end = step;
		while (*end)
			end = &(*end)->next;
	} while (accept(r, ','));
	return true;
}

void
pass_pipeline_init(struct pass_pipeline *p)
{
	p->first = NULL;
	p->end = &p->first;
}

static void
append(struct pass_pipeline *p, struct pass_step *steps)
{
	*p->end = steps;
	while (*p->end)
		p->end = &(*p->end)->next;
}

/* Read with messages that point into S. */
static bool
read_source(struct pass_pipeline *p, struct reader *r, struct source *s)
{
	struct source *before = r->diag->source;
	struct pass_step *steps = NULL;
	bool ok;

	r->text = s->text;
	r->len = s->len;
	r->diag->source = s;
	skip_blanks(r);
	ok = r->at == r->len || read_pipe(r, &steps);
	if (ok && r->at < r->len) {
		diag_error(r->diag, range(r->at, r->at + 1),
			   "expected ',' between passes");
		ok = false;
	}
	r->diag->source = before;
	if (ok)
		append(p, steps);
	return ok;
}

bool
pass_pipeline_parse(struct pass_pipeline *p, struct source *s, struct arena *a,
		    struct diag *d)
{
	struct reader r = {.arena = a, .diag = d};

	return read_source(p, &r, s);
}

bool
pass_pipeline_add(struct pass_pipeline *p, const struct pass_info *info,
		  const char *flag, const char *text, struct arena *a,
		  struct diag *d)
{
	struct pass_step *step = pass_step_new(a, info);
	argument_vec args = {0};
	struct source *before = d->source;
	struct source source;
	struct reader r = {.arena = a, .diag = d, .on_command_line = true};
	bool ok;

	r.text = arena_printf(a, "--%s=%s", flag, text ? text : "");
	r.len = strlen(r.text);
	r.at = strlen(flag) + 3;
	source_init(&source, NULL, r.text, r.len);
	d->source = &source;
	do {
		struct argument arg;

		read_argument(&r, &arg);
		if (arg.end > arg.start)
			vec_push(&args, arg);
	} while (accept(&r, ';'));
	ok = set_options(&r, step, &args);
	d->source = before;
	source_free(&source);
	vec_free(&args);
	append(p, step);
	return ok;
}

struct pass_step *
pass_pipeline_last(const struct pass_pipeline *p)
{
	struct pass_step *step = p->first;

	while (step && step->next)
		step = step->next;
	return step;
}
