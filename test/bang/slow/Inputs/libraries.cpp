/*
 * Runs kernels of two libraries in one process, in turn; with a third
 * argument, the second reads at the end what only the first ever loaded.
 */
#include <dlfcn.h>
#include <stdio.h>

typedef int run_fn(float *host, int stays);

int main(int argc, char **argv) {
	run_fn *run[2];
	float host[64];

	for (int i = 0; i < 2; i++) {
		void *lib = argc > 2 ? dlopen(argv[1 + i], RTLD_NOW) : NULL;

		run[i] = lib ? (run_fn *)dlsym(lib, "run") : NULL;
		if (!run[i]) {
			fprintf(stderr, "no library: %s\n", dlerror());
			return 2;
		}
	}
	for (int i = 0; i < 64; i++) host[i] = (float)i;
	for (int turn = 0; turn < 4; turn++)
		if (run[turn % 2](host, 0)) return 1;
	for (int i = 0; i < 64; i++)
		if (host[i] != 16.0f * (float)i) return 1;
	if (argc > 3 && run[1](host, 1)) return 1;
	printf("libraries: done\n");
	return 0;
}
