/*
 * Plugins: shared libraries that bring operators and passes
 * (include/relay_plugin.h).
 */
#ifndef RELAY_PASSES_PLUGIN_PLUGIN_H
#define RELAY_PASSES_PLUGIN_PLUGIN_H

#include <stdbool.h>

#include "support/diag.h"
#include "support/options.h"

/*
 * Load the plugin FILE and add what it brings, before anything else uses the
 * tables. A file that is loaded already is good. False after reporting.
 */
bool plugin_load(const char *file, struct diag *d);

/*
 * Load what --load-plugin among the arguments names, so that options which
 * are passes of plugins are known when the others are read. False after
 * reporting as TOOL.
 */
bool plugin_load_arguments(const char *tool, int argc, char **argv);

#endif
