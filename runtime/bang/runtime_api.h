/*
 * The host's side: CNRT 6, and the names of CNRT 4 beside it.
 *
 * Device memory begins as poison and has red zones before and behind it,
 * which every kernel's end looks at: scalar stores cannot be watched.
 */
#ifndef BANG_EMU_RUNTIME_API_H
#define BANG_EMU_RUNTIME_API_H

#include "races.h"

enum cnrtRet_t {
	cnrtSuccess = 0,
	CNRT_RET_SUCCESS = 0,
	cnrtErrorArgsInvalid = 100001,
	cnrtErrorNoMem = 100100,
};

struct cnrtDim3_t {
	unsigned x, y, z;
};

enum cnrtFunctionType_t {
	cnrtFuncTypeBlock = 1,
	cnrtFuncTypeUnion1 = 4,
	cnrtFuncTypeUnion2 = 8,
	cnrtFuncTypeUnion4 = 16,
	cnrtFuncTypeUnion8 = 32,
	cnrtFuncTypeUnion16 = 64,
	CNRT_FUNC_TYPE_BLOCK = 1,
	CNRT_FUNC_TYPE_UNION1 = 4,
	CNRT_FUNC_TYPE_UNION2 = 8,
	CNRT_FUNC_TYPE_UNION4 = 16,
	CNRT_FUNC_TYPE_UNION8 = 32,
};

enum cnrtMemTransDir_t {
	cnrtMemcpyHostToDev,
	cnrtMemcpyDevToDev,
	cnrtMemcpyDevToHost,
	cnrtMemcpyHostToHost,
	CNRT_MEM_TRANS_DIR_HOST2DEV = cnrtMemcpyHostToDev,
	CNRT_MEM_TRANS_DIR_DEV2DEV = cnrtMemcpyDevToDev,
	CNRT_MEM_TRANS_DIR_DEV2HOST = cnrtMemcpyDevToHost,
};

enum cnrtDeviceAttr_t {
	cnrtAttrClusterCount,
	cnrtAttrMcorePerCluster,
};

struct bang_emu_queue;
typedef bang_emu_queue *cnrtQueue_t;
typedef int cnrtDev_t;

inline void
bang_emu_check(cnrtRet_t status, const char *call)
{
	if (status == cnrtSuccess)
		return;
	fprintf(stderr, "bang_emu: %s failed\n", call);
	exit(1);
}

#define CNRT_CHECK(call) bang_emu_check(call, #call)

/* Clusters that the device has: BANG_EMU_CLUSTERS, or 4. */
inline int
bang_emu_clusters()
{
	long n = bang_emu::setting("BANG_EMU_CLUSTERS");

	return n > 0 && n <= bang_emu::CLUSTERS ? (int)n : 4;
}

inline cnrtRet_t
cnrtSetDevice(int device)
{
	return device == 0 ? cnrtSuccess : cnrtErrorArgsInvalid;
}

inline cnrtRet_t
cnrtGetDevice(int *device)
{
	*device = 0;
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtDeviceGetAttribute(int *value, cnrtDeviceAttr_t what, int device)
{
	if (device != 0)
		return cnrtErrorArgsInvalid;
	*value = what == cnrtAttrClusterCount ? bang_emu_clusters()
					      : bang_emu::CORES;
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtQueueCreate(cnrtQueue_t *queue)
{
	*queue = nullptr;
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtQueueSync(cnrtQueue_t)
{
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtQueueDestroy(cnrtQueue_t)
{
	long stats = bang_emu::setting("BANG_EMU_STATS");

	if (stats)
		bang_emu::print_all_counters(stats > 1);
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtMalloc(void **p, size_t n)
{
	size_t whole = n + 2 * (size_t)bang_emu::REDZONE;
	char *block = (char *)aligned_alloc(bang_emu::REDZONE,
					    (whole + bang_emu::REDZONE - 1) /
						    bang_emu::REDZONE *
						    bang_emu::REDZONE);

	if (!block)
		return cnrtErrorNoMem;
	memset(block, bang_emu::POISON, whole);
	*p = block + bang_emu::REDZONE;
	bang_emu::blocks()[(char *)*p] = n;
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtFree(void *p)
{
	auto block = bang_emu::blocks().find((char *)p);

	if (block == bang_emu::blocks().end())
		bang_emu::trap("cnrtFree", "not a block of device memory");
	bang_emu::check_redzones("cnrtFree");
	bang_emu::blocks().erase(block);
	bang_emu::marks_of_blocks().erase((char *)p);
	free((char *)p - bang_emu::REDZONE);
	return cnrtSuccess;
}

/* Tasks have no say on the host: places are checked by their blocks only. */
inline void
bang_emu_check_device(const char *what, const void *p, size_t n)
{
	if (n > 0)
		bang_emu::check_place(what, bang_emu::GDRAM, p, (int64_t)n);
}

inline cnrtRet_t
cnrtMemset(void *p, int value, size_t n)
{
	bang_emu_check_device("cnrtMemset", p, n);
	memset(p, value, n);
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtMemcpy(void *dst, void *src, size_t n, cnrtMemTransDir_t dir)
{
	if (dir == cnrtMemcpyHostToDev || dir == cnrtMemcpyDevToDev)
		bang_emu_check_device("cnrtMemcpy", dst, n);
	if (dir == cnrtMemcpyDevToHost || dir == cnrtMemcpyDevToDev)
		bang_emu_check_device("cnrtMemcpy", src, n);
	memmove(dst, src, n);
	return cnrtSuccess;
}

/* ------------------------------------------------------------- CNRT 4 -- */

inline cnrtRet_t
cnrtInit(unsigned)
{
	return cnrtSuccess;
}

inline cnrtRet_t
cnrtGetDeviceHandle(cnrtDev_t *device, int ordinal)
{
	*device = ordinal;
	return cnrtSetDevice(ordinal);
}

inline cnrtRet_t
cnrtSetCurrentDevice(cnrtDev_t device)
{
	return cnrtSetDevice(device);
}

inline cnrtRet_t
cnrtCreateQueue(cnrtQueue_t *queue)
{
	return cnrtQueueCreate(queue);
}

inline cnrtRet_t
cnrtSyncQueue(cnrtQueue_t queue)
{
	return cnrtQueueSync(queue);
}

inline cnrtRet_t
cnrtDestroyQueue(cnrtQueue_t queue)
{
	return cnrtQueueDestroy(queue);
}

#endif
