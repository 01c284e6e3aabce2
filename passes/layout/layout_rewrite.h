/*
 * Changing the layouts that operators work in, with as few transforms as
 * possible: a result is left in its new layout for as long as its users can
 * work with it, and is brought back where one cannot.
 */
#ifndef RELAY_PASSES_LAYOUT_LAYOUT_REWRITE_H
#define RELAY_PASSES_LAYOUT_LAYOUT_REWRITE_H

#include "passes/pass.h"

struct layout_choice {
	enum op_id op;
	const ir_attrs *attrs;
};

/*
 * Which layouts CALL shall have, as another operator or other attributes in
 * *C, which holds those it has. False: it stays as it is.
 */
typedef bool layout_choose_fn(pass_ctx *cx, const struct ir_call *call,
			      struct layout_choice *c, void *env);

const struct ir_function *layout_rewrite(pass_ctx *cx,
					 const struct ir_function *fn,
					 layout_choose_fn *choose, void *env);

#endif
