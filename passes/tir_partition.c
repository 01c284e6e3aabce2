/*
 * tir-partition: split loops where a guard changes its value.
 *
 * Afterwards most loops need no guard; parallel loops choose between the cases
 * inside. Everything is simplified with the ranges of the pieces, so that
 * running it on any loops simplifies them.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_tir.h"

bool
pass_tir_partition(pass_ctx *cx)
{
	return lower_each(cx, tir_partition);
}
