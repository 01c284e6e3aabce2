/*
 * collage-partition: choose between external compilers by what kernels cost.
 *
 * The choice rests on costs that are measured on the device, for each way in
 * which a part of the network could be given to a compiler. This tool measures
 * nothing, so the pass only says so; merge-composite, annotate-target and
 * merge-compiler-regions choose by the order in which compilers are listed.
 *
 * Level: module. Needs: nothing.
 */
#include "passes/pass.h"

bool
pass_collage_partition(pass_ctx *cx)
{
	pass_error(cx, LOC_NONE,
		   "partitions are chosen by measured costs, and nothing is "
		   "measured here; see -merge-composite and -annotate-target");
	return false;
}
