/*
 * inline-all: inline=all=true by another name. Leaves one function that holds
 * all calls of a network, unless there is recursion. See passes/inline.c.
 *
 * Level: module. Needs: types. Keeps: types of nodes.
 */
#include "passes/inline.h"

bool
pass_inline_all(pass_ctx *cx)
{
	return inline_functions(cx, true);
}
