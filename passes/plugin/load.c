/*
 * Loading plugins. What is loaded stays to the end of the process, since the
 * tables point into it.
 */
#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "passes/plugin/internal.h"
#include "passes/plugin/plugin.h"
#include "runtime/extern.h"
#include "support/arena.h"
#include "support/vec.h"

_Static_assert(sizeof(relay_plugin_routine) == sizeof(struct relay_extern),
	       "routines of plugins are those of the runtime");

static VEC(char *) loaded;

static const relay_api *
the_api(void)
{
	static relay_api api;

	if (api.version)
		return &api;
	plugin_api_types(&api);
	plugin_api_rules(&api);
	plugin_api_passes(&api);
	plugin_api_instruments(&api);
	api.version = RELAY_PLUGIN_VERSION;
	api.size = sizeof(api);
	return &api;
}

static bool
add_routines(const relay_plugin_routine *rows, struct diag *d)
{
	for (; rows && rows->name; rows++) {
		struct relay_extern *r = xcalloc(1, sizeof(*r));

		r->name = rows->name;
		r->nargs = rows->nargs;
		r->call = (int32_t (*)(const union relay_arg *))rows->call;
		r->address = rows->address;
		if (relay_extern_add(r))
			continue;
		diag_error(d, LOC_NONE, "there is a routine '%s' already",
			   rows->name);
		return false;
	}
	return true;
}

static bool
add_all(const relay_plugin *p, struct diag *d)
{
	if (!add_routines(p->routines, d))
		return false;
	for (const relay_plugin_op *op = p->ops; op && op->name; op++)
		if (!plugin_add_op(op, d))
			return false;
	for (const relay_plugin_pass *x = p->passes; x && x->flag; x++)
		if (!plugin_add_pass(x, d))
			return false;
	return true;
}

/* Libraries are files here, not names to search for. */
static void *
open_library(const char *file, struct diag *d)
{
	char path[PATH_MAX];
	void *lib;

	if (!realpath(file, path)) {
		diag_error(d, LOC_NONE, "cannot load plugin '%s': no such file",
			   file);
		return NULL;
	}
	lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib)
		diag_error(d, LOC_NONE, "cannot load plugin '%s': %s", file,
			   dlerror());
	return lib;
}

static const relay_plugin *
ask(void *lib, const char *file, struct diag *d)
{
	const relay_plugin *(*init)(const relay_api *);
	const relay_plugin *p;

	*(void **)&init = dlsym(lib, "relay_plugin_init");
	if (!init) {
		diag_error(d, LOC_NONE,
			   "'%s' is no plugin: it does not define "
			   "relay_plugin_init",
			   file);
		return NULL;
	}
	p = init(the_api());
	if (!p)
		diag_error(d, LOC_NONE,
			   "plugin '%s' does not run with this version of the "
			   "tools",
			   file);
	else if (p->version != RELAY_PLUGIN_VERSION)
		diag_error(d, LOC_NONE,
			   "plugin '%s' was built for version %u of "
			   "relay_plugin.h, these tools have version %u",
			   file, p->version, RELAY_PLUGIN_VERSION);
	else
		return p;
	return NULL;
}

bool
plugin_load(const char *file, struct diag *d)
{
	const relay_plugin *p;
	char *copy;
	void *lib;

	for (size_t i = 0; i < loaded.len; i++)
		if (!strcmp(loaded.at[i], file))
			return true;
	lib = open_library(file, d);
	p = lib ? ask(lib, file, d) : NULL;
	if (!p || !add_all(p, d))
		return false;
	copy = xmalloc(strlen(file) + 1);
	strcpy(copy, file);
	vec_push(&loaded, copy);
	return true;
}

/* What stands behind "--load-plugin" in ARG and maybe NEXT, or NULL. */
static const char *
file_of(const char *arg, const char *next)
{
	static const char *const names[] = {"load-plugin", "load-pass-plugin"};

	while (*arg == '-')
		arg++;
	for (int i = 0; i < 2; i++) {
		size_t n = strlen(names[i]);

		if (strncmp(arg, names[i], n) != 0)
			continue;
		if (arg[n] == '=')
			return arg + n + 1;
		if (!arg[n])
			return next;
	}
	return NULL;
}

bool
plugin_load_arguments(const char *tool, int argc, char **argv)
{
	struct diag d;

	diag_init(&d, tool, NULL);
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const char *file = argv[i][0] == '-'
					   ? file_of(argv[i], argv[i + 1])
					   : NULL;

		if (file && !plugin_load(file, &d))
			return false;
	}
	return true;
}
