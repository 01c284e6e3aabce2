/*
 * tir-unroll: loops marked "unroll" become copies of their body.
 *
 * Loops that would become too long stay, as serial ones.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_tir.h"

bool
pass_tir_unroll(pass_ctx *cx)
{
	return lower_each(cx, tir_unroll);
}
