/*
 * Bindings that a pass collects, to be put around a body later on.
 */
#ifndef RELAY_PASSES_LET_LIST_H
#define RELAY_PASSES_LET_LIST_H

#include "ir/expr.h"
#include "ir/module.h"
#include "passes/fresh_names.h"
#include "support/vec.h"

struct let_binding {
	const struct ir_var *var;
	const ir_expr *value;
};

struct let_list {
	struct let_binding *at;
	size_t len, cap;
};

/* A variable of type TYPE with a new name that is bound to VALUE. */
const ir_expr *let_list_bind(struct let_list *l, ir_module *m,
			     struct fresh_names *names, const ir_expr *value,
			     const ir_type *type);

/* BODY within the bindings from number MARK on, which leave the list. */
const ir_expr *let_list_close(struct let_list *l, ir_module *m, size_t mark,
			      const ir_expr *body);

#endif
