/*
 * tir-storage: temporaries of scope "global" become parameters.
 *
 * The caller plans their memory together with that between kernels.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/lower_tir.h"

bool
pass_tir_storage(pass_ctx *cx)
{
	return lower_each(cx, tir_storage);
}
