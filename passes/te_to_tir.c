/*
 * te-to-tir: the loops that a schedule says.
 *
 * One loop per leaf of each stage, in order, marked as scheduled; "if" where a
 * split does not divide; temporaries allocated where their stage is attached.
 * Buffers are flat, indices simplified: te-bound, te-to-tir and tir-flatten of
 * other designs are one step here.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_tir.h"

bool
pass_te_to_tir(pass_ctx *cx)
{
	return lower_all(cx, te_to_tir);
}
