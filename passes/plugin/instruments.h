/*
 * Instruments of plugins (include/relay_plugin.h), around runs of passes.
 */
#ifndef RELAY_PASSES_PLUGIN_INSTRUMENTS_H
#define RELAY_PASSES_PLUGIN_INSTRUMENTS_H

#include <stdbool.h>

struct pass_info;
struct pass_manager;

/* Around the passes over one module. */
void plugin_instruments_enter(void);
void plugin_instruments_leave(void);

/*
 * May INFO run? One that is REQUIRED may. *FAILED is set if an instrument
 * reported an error.
 */
bool plugin_instruments_before(struct pass_manager *pm,
			       const struct pass_info *info, bool required,
			       bool *failed);

/* False: an instrument reported an error. */
bool plugin_instruments_after(struct pass_manager *pm,
			      const struct pass_info *info, bool changed);

#endif
