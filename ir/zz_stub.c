/*
 * Stands in for the verifier and the comparison until they are there.
 */
#include "ir/equal.h"
#include "ir/verify.h"

bool
ir_verify_module(const ir_module *m, struct diag *d)
{
	(void)m;
	(void)d;
	return true;
}

bool
ir_verify_expr(const ir_module *m, const ir_expr *e, struct diag *d)
{
	(void)m;
	(void)e;
	(void)d;
	return true;
}

bool
ir_module_equal(const ir_module *a, const ir_module *b,
		const struct ir_equal_options *o, struct ir_difference *first)
{
	(void)a;
	(void)b;
	(void)o;
	(void)first;
	return true;
}

bool
ir_equal(ir_context *cx, const ir_expr *a, const ir_expr *b,
	 const struct ir_equal_options *o, struct ir_difference *first)
{
	(void)cx;
	(void)o;
	(void)first;
	return a == b;
}

uint64_t
ir_hash(const ir_expr *e)
{
	(void)e;
	return 0;
}
