/*
 * One pass of a pipeline and its options.
 */
#include "passes/pipeline.h"

#include <stdlib.h>
#include <string.h>

#include "passes/registry.h"

static bool
is_bool_text(const char *s)
{
	return strcmp(s, "true") == 0 || strcmp(s, "false") == 0;
}

static bool
is_int_text(const char *s)
{
	char *end;

	(void)!strtol(s, &end, 10);
	return *s && !*end;
}

/* VALUE as pass_option_bool and _int read it; the default tells the type. */
static const char *
check_value(const struct pass_option *o, const char *value, const char **want)
{
	if (is_bool_text(o->default_text)) {
		*want = "true or false";
		if (strcmp(value, "1") == 0)
			return "true";
		if (strcmp(value, "0") == 0)
			return "false";
		return is_bool_text(value) ? value : NULL;
	}
	*want = "an integer";
	if (is_int_text(o->default_text) && !is_int_text(value))
		return NULL;
	return value;
}

static void
report_unknown_option(const struct pass_info *info, const char *key,
		      struct loc loc, struct diag *d)
{
	struct suggest s;

	suggest_start(&s, key);
	for (const struct pass_option *o = info->options; o->name; o++)
		suggest_offer(&s, o->name);
	if (info->options->name)
		diag_error(d, loc, "pass '%s' has no option '%s'%s", info->flag,
			   key, suggest_text(&s));
	else
		diag_error(d, loc, "pass '%s' has no options", info->flag);
}

bool
pass_step_set_at(struct pass_step *step, const char *key, const char *value,
		 struct loc loc, struct arena *a, struct diag *d)
{
	const struct pass_info *info = step->info;
	int i = pass_option_index(info, key, strlen(key));
	const char *want;
	const char *known;

	if (i < 0 && !value && strncmp(key, "no-", 3) == 0) {
		i = pass_option_index(info, key + 3, strlen(key + 3));
		value = "false";
	}
	if (i < 0 && !value && info->options[0].name &&
	    !*info->options[0].default_text && strpbrk(key, "./")) {
		i = 0;
		value = key;
	}
	if (i < 0) {
		report_unknown_option(info, key, loc, d);
		return false;
	}
	known = check_value(&info->options[i], value ? value : "true", &want);
	if (!known) {
		diag_error(d, loc, "option '%s' of pass '%s' takes %s%s%s%s",
			   info->options[i].name, info->flag, want,
			   value ? ", not '" : "", value ? value : "",
			   value ? "'" : "");
		return false;
	}
	step->values[i] = arena_strndup(a, known, strlen(known));
	return true;
}

struct pass_step *
pass_step_new(struct arena *a, const struct pass_info *info)
{
	struct pass_step *step = ARENA_NEW(a, struct pass_step);
	size_t n = 0;

	while (info->options[n].name)
		n++;
	step->kind = STEP_PASS;
	step->info = info;
	step->values = ARENA_NEW_ARRAY(a, n, const char *);
	return step;
}

bool
pass_step_set(struct pass_step *step, const char *key, const char *value,
	      struct arena *a, struct diag *d)
{
	return pass_step_set_at(step, key, value, LOC_NONE, a, d);
}
