/*
 * tir-vectorize: loops marked "vectorized" become vector expressions.
 *
 * A loop that has no vector form becomes a serial one.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_tir.h"

bool
pass_tir_vectorize(pass_ctx *cx)
{
	return lower_each(cx, tir_vectorize);
}
