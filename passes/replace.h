/*
 * Replacing nodes of a graph by others that may mention nodes to replace.
 */
#ifndef RELAY_PASSES_REPLACE_H
#define RELAY_PASSES_REPLACE_H

#include "ir/module.h"
#include "ir/walk.h"

/*
 * ROOT with each node that WITH maps replaced, in replacements too; there
 * must be no cycle among them. Types of nodes are kept: a replacement has the
 * type of what it replaces.
 */
const ir_expr *replace_nodes(ir_module *m, const ir_expr *root,
			     const struct ir_map *with);

#endif
