#include "passes/context.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "passes/registry.h"

enum config_type { CONFIG_BOOL, CONFIG_INT, CONFIG_TEXT };

static const struct config_key {
	const char *key;
	enum config_type type;
	const char *pass;
	const char *option;
} keys[] = {
#define CONFIG(key, type, pass, option) {key, CONFIG_##type, pass, option},
#include "passes/config.def"
};

enum { nkeys = sizeof(keys) / sizeof(*keys) };

void
pass_context_init(struct pass_context *cx, struct arena *a)
{
	*cx = (struct pass_context){.opt_level = 2};
	cx->config = ARENA_NEW_ARRAY(a, nkeys, const char *);
}

/* A set of passes that holds what OLD holds and the passes called NAMES. */
static bool
add_names(const bool **set, const struct option_list *names, struct arena *a,
	  struct diag *d)
{
	bool *now = ARENA_NEW_ARRAY(a, pass_total(), bool);
	bool ok = true;

	if (*set)
		memcpy(now, *set, pass_total() * sizeof(*now));
	for (size_t i = 0; i < names->len; i++) {
		const char *name = names->at[i];
		const struct pass_info *info = pass_find(name, strlen(name));
		struct suggest s;

		if (info) {
			now[pass_number(info)] = true;
			continue;
		}
		suggest_start(&s, name);
		pass_suggest(&s);
		diag_error(d, LOC_NONE, "unknown pass '%s'%s", name,
			   suggest_text(&s));
		ok = false;
	}
	*set = now;
	return ok;
}

bool
pass_context_require(struct pass_context *cx, const struct option_list *names,
		     struct arena *a, struct diag *d)
{
	return add_names(&cx->required, names, a, d);
}

bool
pass_context_disable(struct pass_context *cx, const struct option_list *names,
		     struct arena *a, struct diag *d)
{
	return add_names(&cx->disabled, names, a, d);
}

static int
find_key(const char *key, size_t len)
{
	for (int i = 0; i < nkeys; i++)
		if (strlen(keys[i].key) == len &&
		    memcmp(keys[i].key, key, len) == 0)
			return i;
	return -1;
}

/* VALUE as passes read it, or NULL if it is not of the type of the key. */
static const char *
convert(const struct config_key *key, const char *value)
{
	char *end;

	switch (key->type) {
	case CONFIG_BOOL:
		if (strcasecmp(value, "true") == 0 || strcmp(value, "1") == 0)
			return "true";
		if (strcasecmp(value, "false") == 0 || strcmp(value, "0") == 0)
			return "false";
		return NULL;
	case CONFIG_INT:
		(void)!strtol(value, &end, 10);
		return *value && !*end ? value : NULL;
	case CONFIG_TEXT:
		break;
	}
	return value;
}

static void
report_unknown_key(const char *setting, size_t len, struct arena *a,
		   struct diag *d)
{
	const char *key = arena_strndup(a, setting, len);
	struct suggest s;

	suggest_start(&s, key);
	for (int i = 0; i < nkeys; i++)
		suggest_offer(&s, keys[i].key);
	diag_error(d, LOC_NONE, "unknown configuration key '%s'%s", key,
		   suggest_text(&s));
}

bool
pass_context_configure(struct pass_context *cx, const char *setting,
		       struct arena *a, struct diag *d)
{
	static const char *const type[] = {"true or false", "an integer",
					   "text"};
	size_t len = strcspn(setting, "=");
	int i = find_key(setting, len);
	const char *value;

	if (setting[len] != '=') {
		diag_error(d, LOC_NONE,
			   "option '--pass-config' needs KEY=VALUE, not '%s'",
			   setting);
		return false;
	}
	if (i < 0 && strncmp(setting, "relay.", 6) != 0 &&
	    memchr(setting, '.', len))
		return true;
	if (i < 0) {
		report_unknown_key(setting, len, a, d);
		return false;
	}
	value = convert(&keys[i], setting + len + 1);
	if (!value) {
		diag_error(d, LOC_NONE,
			   "configuration key '%s' takes %s, not '%s'",
			   keys[i].key, type[keys[i].type], setting + len + 1);
		return false;
	}
	cx->config[i] = value;
	return true;
}

const char *
pass_context_get(const struct pass_context *cx, const char *key)
{
	int i = find_key(key, strlen(key));

	return i < 0 || !cx->config ? NULL : cx->config[i];
}

const char *
pass_context_option(const struct pass_context *cx, const struct pass_info *info,
		    const char *option)
{
	for (int i = 0; i < nkeys && cx->config; i++)
		if (cx->config[i] && strcmp(keys[i].pass, info->flag) == 0 &&
		    strcmp(keys[i].option, option) == 0)
			return cx->config[i];
	return NULL;
}

bool
pass_context_requires(const struct pass_context *cx,
		      const struct pass_info *info)
{
	return cx->required && cx->required[pass_number(info)];
}

bool
pass_context_enables(const struct pass_context *cx,
		     const struct pass_info *info)
{
	size_t i = pass_number(info);

	if (cx->disabled && cx->disabled[i])
		return false;
	if (cx->required && cx->required[i])
		return true;
	return cx->opt_level >= info->opt_level;
}
