#include "passes/let_list.h"

const ir_expr *
let_list_bind(struct let_list *l, ir_module *m, struct fresh_names *names,
	      const ir_expr *value, const ir_type *type)
{
	const ir_expr *var = ir_new_var(m, value->loc, fresh_name(names), NULL);

	ir_set_type(var, type);
	vec_push(l, ((struct let_binding){ir_as_var(var), value}));
	return var;
}

const ir_expr *
let_list_close(struct let_list *l, ir_module *m, size_t mark,
	       const ir_expr *body)
{
	while (l->len > mark) {
		struct let_binding b = vec_pop(l);

		body = ir_new_let(m, b.value->loc, b.var, b.value, body);
	}
	return body;
}
