/*
 * te-build: primitive functions become tensor expressions, without schedules.
 *
 * The first half of lower-te. Formulas are simplified and dead ones dropped.
 *
 * Level: module. Needs: types.
 */
#include "passes/lower_te.h"

bool
pass_te_build(pass_ctx *cx)
{
	bool changed;

	return lower_build(cx, pass_option(cx, "module-name"), false,
			   &changed) &&
	       changed;
}
