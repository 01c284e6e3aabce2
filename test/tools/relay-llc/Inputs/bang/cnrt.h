/* A launch runs all tasks one after the other. */
struct cnrtDim3_t {
	unsigned x, y, z;
};
typedef int cnrtQueue_t;
enum { cnrtFuncTypeUnion1 };
#define LAUNCH(kernel, dim, type, queue, ...)                          \
	do {                                                           \
		taskDim = (int)(dim.x * dim.y);                        \
		for (taskId = 0; taskId < taskDim; taskId++)           \
			kernel(__VA_ARGS__);                           \
		(void)(type);                                          \
		(void)(queue);                                         \
	} while (0)
