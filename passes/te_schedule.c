/*
 * te-schedule: tensor expressions without a schedule get the default one.
 *
 * The second half of lower-te. The choice is written down as text between the
 * passes, so it can be edited before lower-tir reads it.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_te.h"

bool
pass_te_schedule(pass_ctx *cx)
{
	const char *target = lower_target(cx);

	return target && lower_schedule(cx, target);
}
