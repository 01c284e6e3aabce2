/* Runs net.relay through its header: x is all 1, w[i, j] is i - 1. */
#include <stdio.h>
#include <stdlib.h>

#include "net.h"

int
main(void)
{
	static float x[6], w[12], y[8], sums[2];
	void *arena = aligned_alloc(NET_ARENA_ALIGN,
				    (NET_ARENA_BYTES + 127) / 64 * 64);
	struct net_io io = {x, w, y, sums};

	for (int i = 0; i < 6; i++)
		x[i] = 1;
	for (int i = 0; i < 12; i++)
		w[i] = (float)(i / 3 - 1);
#ifdef NO_POOL
	if (net_run(0, arena, &io))
#else
	if (net_run(0, arena, &io, 0))
#endif
		return 1;
	for (int i = 0; i < 8; i++)
		printf("%g ", (double)y[i]);
	printf("\n%g %g\n", (double)sums[0], (double)sums[1]);
	free(arena);
	return sizeof(x) != NET_X_BYTES;
}
