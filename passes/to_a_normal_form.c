/*
 * to-a-normal-form: bind every intermediate value by let.
 *
 *     add(exp(%x), 1f)    becomes    let %x_0 = exp(%x);
 *                                    let %x_1 = 1f;
 *                                    let %x_2 = add(%x_0, %x_1);
 *                                    %x_2
 *
 * A value used in several scopes is bound in the innermost one around them
 * all. Nested lets become one chain. Primitive functions are not entered.
 *
 * Level: module. Needs: nothing. Keeps: types, but of calls.
 */
#include "passes/normal_form.h"

bool
pass_to_a_normal_form(pass_ctx *cx)
{
	return normal_form_module(cx, A_NORMAL_FORM);
}
