/*
 * What the parts of passes/plugin share: the functions that plugins are
 * given. Handles are the structs of the library under other names.
 */
#ifndef RELAY_PASSES_PLUGIN_INTERNAL_H
#define RELAY_PASSES_PLUGIN_INTERNAL_H

#include "include/relay_plugin.h"
#include "ir/attr.h"
#include "passes/pass.h"
#include "te/compute.h"

/* Set the functions of one kind in API. */
void plugin_api_types(relay_api *api);
void plugin_api_rules(relay_api *api);
void plugin_api_passes(relay_api *api);
void plugin_api_instruments(relay_api *api);

/* Between the element types of both sides. */
static inline relay_type
plugin_type(struct dtype t)
{
	return (relay_type){t.code, t.bits};
}

static inline struct dtype
plugin_dtype(relay_type t)
{
	return (struct dtype){t.code, t.bits, 1};
}

/* Add one row; false after reporting. */
bool plugin_add_op(const relay_plugin_op *row, struct diag *d);
bool plugin_add_pass(const relay_plugin_pass *row, struct diag *d);

#endif
