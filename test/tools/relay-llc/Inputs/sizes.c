/* Runs sizes.relay through its header with several shapes, one of them bad. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net.h"

static void
run(void *arena, int64_t rows, int64_t other)
{
	static const float x[] = {1, 0, 0, 2, 3, 0};
	static const float y[] = {0, 0, 5, 0, 0, 6};
	struct net_io io = {
		.x = x, .x_shape = {rows, 2}, .y = y, .y_shape = {other, 2}};
	int status;

#ifdef NO_POOL
	status = net_run(0, arena, &io);
#else
	status = net_run(0, arena, &io, 0);
#endif
	if (status) {
		printf("%d %s\n", status, relay_dyn_error(arena));
		return;
	}
	printf("%d x %d:", (int)io.out_shape[0], (int)io.out_shape[1]);
	for (int i = 0; i < io.out_shape[0] * io.out_shape[1]; i++)
		printf(" %g", (double)io.out[i]);
	printf("; %d x %d:", (int)io.out_1_shape[0], (int)io.out_1_shape[1]);
	for (int i = 0; i < io.out_1_shape[0] * io.out_1_shape[1]; i++)
		printf(" %d", (int)io.out_1[i]);
	printf("\n");
}

int
main(void)
{
	void *arena = aligned_alloc(NET_ARENA_ALIGN,
				    (NET_ARENA_BYTES + 127) / 64 * 64);

	memset(arena, 0, NET_ARENA_BYTES);
	run(arena, 1, 1);
	run(arena, 3, 3);
	run(arena, 3, 2);
	run(arena, 1, 2);
	run(arena, 0, 1);
	relay_dyn_free(arena, NET_SLOTS);
	free(arena);
	return 0;
}
