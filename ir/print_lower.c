/*
 * Stand-ins for the printers of the levels below, for as long as a program is
 * linked without them.
 */
#include "ir/print.h"

__attribute__((weak)) void
te_print_func(struct buf *out, const te_func *f)
{
	(void)out;
	(void)f;
}

__attribute__((weak)) void
te_print_schedule(struct buf *out, const te_schedule *s)
{
	(void)out;
	(void)s;
}

__attribute__((weak)) void
tir_print_func(struct buf *out, const tir_func *f)
{
	(void)out;
	(void)f;
}
