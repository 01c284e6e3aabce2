/*
 * Copies between memories, and waiting for them.
 *
 * An asynchronous copy happens at the next sync of its queue and no sooner,
 * so that whatever relies on it earlier reads poison, or is caught by the
 * check for hazards. With BANG_EMU_EAGER=1 copies happen at once: correct
 * code gives the same result.
 */
#ifndef BANG_EMU_COPIES_H
#define BANG_EMU_COPIES_H

#include "races.h"

/* Every direction, in the order of the enumeration. */
#define BANG_EMU_DIRECTIONS(D)                                           \
	D(GDRAM, NRAM) D(NRAM, GDRAM) D(LDRAM, NRAM) D(NRAM, LDRAM)      \
	D(GDRAM, WRAM) D(WRAM, GDRAM) D(LDRAM, WRAM) D(WRAM, LDRAM)      \
	D(NRAM, NRAM) D(NRAM, WRAM) D(WRAM, NRAM) D(GDRAM, SRAM)         \
	D(SRAM, GDRAM) D(LDRAM, SRAM) D(SRAM, LDRAM) D(SRAM, NRAM)       \
	D(NRAM, SRAM) D(SRAM, WRAM) D(WRAM, SRAM) D(GDRAM, GDRAM)        \
	D(GDRAM, LDRAM) D(LDRAM, GDRAM) D(LDRAM, LDRAM) D(SRAM, SRAM)

enum mluMemcpyDirection_t {
#define D(from, to) from##2##to,
	BANG_EMU_DIRECTIONS(D)
#undef D
};

namespace bang_emu
{

constexpr space LDRAM = HOST;

inline space
space_from(mluMemcpyDirection_t d)
{
	static const space from[] = {
#define D(from, to) from,
		BANG_EMU_DIRECTIONS(D)
#undef D
	};

	return from[d];
}

inline space
space_to(mluMemcpyDirection_t d)
{
	static const space to[] = {
#define D(from, to) to,
		BANG_EMU_DIRECTIONS(D)
#undef D
	};

	return to[d];
}

inline char *
chunk(const side &s, int64_t k)
{
	return s.base + k / s.count * s.row_step + k % s.count * s.step;
}

inline void
transfer(const copy &c)
{
	for (int64_t k = 0; k < c.dst.count * c.dst.rows; k++) {
		char *dst = chunk(c.dst, k);
		const char *src = chunk(c.src, k);

		if (c.to == GDRAM)
			check_written(c.what, c.from, src, c.size);
		note_access(c.what, c.from, src, c.size, false);
		note_access(c.what, c.to, dst, c.size, true);
		memmove(dst, src, (size_t)c.size);
		if (c.from == GDRAM || c.from == HOST)
			mark_written(c.to, dst, c.size, true);
		else if (c.to != GDRAM && c.to != HOST)
			memmove(memory_of(c.to).shadow(dst),
				memory_of(c.from).shadow(src),
				(size_t)c.size);
	}
}

inline void
drain(task &t, bool io, bool move)
{
	std::vector<copy> kept;

	for (const copy &c : t.pending) {
		if (c.off_chip ? io : move)
			transfer(c);
		else
			kept.push_back(c);
	}
	t.pending = std::move(kept);
}

inline void
check_side(const copy &c, space s, const side &at)
{
	int64_t chunks = at.count * at.rows;

	if (s == HOST)
		return;
	for (int64_t k : {(int64_t)0, at.count - 1, chunks - at.count,
			  chunks - 1})
		check_place(c.what, s, chunk(at, k), c.size);
}

inline void
check_copy_alignment(const copy &c, bool strided)
{
	bool wram = c.to == WRAM || c.from == WRAM;
	int64_t unit = BANG_EMU_ARCH < 300 ? 64 : 16;

	if (wram && !strided && c.size % unit != 0)
		trap(c.what, "copies %lld bytes to or from WRAM; a multiple "
			     "of %lld is needed",
		     (long long)c.size, (long long)unit);
	if (c.to == WRAM && (uintptr_t)c.dst.base % 8 != 0)
		trap(c.what, "address in WRAM is not a multiple of 8");
	if (c.to != NRAM || c.from != NRAM || strided)
		return;
	if ((uintptr_t)c.dst.base % 64 || (uintptr_t)c.src.base % 64)
		trap(c.what, "copies within NRAM between addresses that are "
			     "no multiples of 64");
	if (BANG_EMU_ARCH < 300 && c.size % 128 != 0)
		trap(c.what, "copies %lld bytes within NRAM; a multiple of "
			     "128 is needed",
		     (long long)c.size);
}

/* A copy within one memory reads nothing that it has written. */
inline void
check_apart(const copy &c)
{
	if (c.to != c.from || c.to == HOST)
		return;
	for (int64_t k = 0; k < c.dst.count * c.dst.rows; k++)
		if (side_overlaps(c.src, c.size, chunk(c.dst, k), c.size))
			trap(c.what, "source and destination overlap");
}

/* The whole copy lies where it should; counts it. */
inline void
check_copy(const copy &c, bool strided)
{
	if (c.size <= 0)
		trap(c.what, "copies %lld bytes", (long long)c.size);
	if (c.dst.count * c.dst.rows != c.src.count * c.src.rows)
		trap(c.what, "different numbers of chunks");
	for (const side *s : {&c.dst, &c.src})
		if (s->count < 1 || s->count > 65536 || s->rows < 1 ||
		    s->rows > 65536)
			trap(c.what, "number of segments is not in 0 .. 65535");
	if (c.dst.count > 1 && c.dst.step >= 0 && c.dst.step < c.size)
		trap(c.what, "chunks of the destination overlap");
	if (c.from == WRAM && strided)
		trap(c.what, "strided copies from WRAM are not supported");
	if (c.to == HOST && c.from == HOST && !strided)
		trap(c.what, "this direction is not supported");
	check_side(c, c.to, c.dst);
	check_side(c, c.from, c.src);
	check_apart(c);
	check_copy_alignment(c, strided);
	count.copies++;
	uint64_t bytes = (uint64_t)(c.size * c.dst.count * c.dst.rows);
	count.read += c.from == GDRAM ? bytes : 0;
	count.written += c.to == GDRAM ? bytes : 0;
	count.onchip += c.from != GDRAM && c.to != GDRAM ? bytes : 0;
}

/* P's chunks against what vector instructions may still be writing. */
inline void
check_computed(const copy &c, const side &s)
{
	for (const range &r : self(c.what).computed)
		if (side_overlaps(s, c.size, r.from, r.to - r.from))
			trap(c.what, "copies what a vector instruction may "
				     "still be working on");
}

inline void
copy_now(const copy &c)
{
	for (int64_t k = 0; k < c.dst.count * c.dst.rows; k++) {
		check_settled(c.what, chunk(c.dst, k), c.size, true);
		check_settled(c.what, chunk(c.src, k), c.size, false);
	}
	transfer(c);
}

inline void
copy_later(const copy &c)
{
	check_computed(c, c.dst);
	check_computed(c, c.src);
	if (setting("BANG_EMU_EAGER"))
		transfer(c);
	else
		self(c.what).pending.push_back(c);
}

inline copy
make_copy(const char *what, side dst, side src, int64_t size,
	  mluMemcpyDirection_t d, bool strided)
{
	copy c = {dst, src, size, space_to(d), space_from(d), what, false};

	c.off_chip = c.to == GDRAM || c.from == GDRAM || c.to == HOST ||
		     c.from == HOST;
	(void)self(what);
	check_copy(c, strided);
	return c;
}

inline side
flat(const void *p)
{
	return {(char *)p, 0, 1, 0, 1};
}

inline side
rows(const void *p, int step, int last)
{
	return {(char *)p, step, (int64_t)last + 1, 0, 1};
}

inline side
blocks_of(const void *p, int step0, int last1, int step1, int last2)
{
	return {(char *)p, step0, (int64_t)last1 + 1, step1,
		(int64_t)last2 + 1};
}

} // namespace bang_emu

/* Sizes and strides are in bytes; numbers of segments are one less. */

inline void
__memcpy(void *dst, const void *src, int size, mluMemcpyDirection_t d)
{
	using namespace bang_emu;
	copy_now(make_copy("__memcpy", flat(dst), flat(src), size, d, false));
}

inline void
__memcpy(void *dst, const void *src, int size, mluMemcpyDirection_t d,
	 int dst_stride, int src_stride, int segnum)
{
	using namespace bang_emu;
	copy_now(make_copy("__memcpy", rows(dst, dst_stride, segnum),
			   rows(src, src_stride, segnum), size, d, true));
}

inline void
__memcpy_async(void *dst, const void *src, int size, mluMemcpyDirection_t d)
{
	using namespace bang_emu;
	copy_later(make_copy("__memcpy_async", flat(dst), flat(src), size, d,
			     false));
}

inline void
__memcpy_async(void *dst, const void *src, int size, mluMemcpyDirection_t d,
	       int dst_stride, int src_stride, int segnum)
{
	using namespace bang_emu;
	copy_later(make_copy("__memcpy_async", rows(dst, dst_stride, segnum),
			     rows(src, src_stride, segnum), size, d, true));
}

#if BANG_EMU_ARCH >= 300
inline void
__memcpy(void *dst, const void *src, int size, mluMemcpyDirection_t d,
	 int dst_stride0, int dst_segnum1, int dst_stride1, int dst_segnum2,
	 int src_stride0, int src_segnum1, int src_stride1, int src_segnum2)
{
	using namespace bang_emu;
	copy_now(make_copy("__memcpy",
			   blocks_of(dst, dst_stride0, dst_segnum1,
				     dst_stride1, dst_segnum2),
			   blocks_of(src, src_stride0, src_segnum1,
				     src_stride1, src_segnum2),
			   size, d, true));
}

inline void
__memcpy_async(void *dst, const void *src, int size, mluMemcpyDirection_t d,
	       int dst_stride0, int dst_segnum1, int dst_stride1,
	       int dst_segnum2, int src_stride0, int src_segnum1,
	       int src_stride1, int src_segnum2)
{
	using namespace bang_emu;
	copy_later(make_copy("__memcpy_async",
			     blocks_of(dst, dst_stride0, dst_segnum1,
				       dst_stride1, dst_segnum2),
			     blocks_of(src, src_stride0, src_segnum1,
				       src_stride1, src_segnum2),
			     size, d, true));
}
#endif

inline void
bang_emu_sync(const char *what, bool io, bool move, bool compute)
{
	bang_emu::task &t = bang_emu::self(what);

	bang_emu::drain(t, io, move);
	if (compute)
		t.computed.clear();
}

#define BANG_EMU_SYNC(name, io, move, compute)        \
	inline void name()                            \
	{                                             \
		bang_emu_sync(#name, io, move, compute); \
	}
BANG_EMU_SYNC(__sync, true, true, true)
BANG_EMU_SYNC(__sync_io, true, false, false)
BANG_EMU_SYNC(__sync_move, false, true, false)
BANG_EMU_SYNC(__sync_compute, false, false, true)
BANG_EMU_SYNC(__sync_io_move_compute, true, true, true)

#define BANG_EMU_BARRIER(name, kind)                         \
	inline void name()                                   \
	{                                                    \
		bang_emu::wait_at(#name, bang_emu::kind);    \
	}
BANG_EMU_BARRIER(__sync_all, ALL)
BANG_EMU_BARRIER(__sync_all_ipu, ALL_IPU)
BANG_EMU_BARRIER(__sync_cluster, CLUSTER)
BANG_EMU_BARRIER(__sync_all_ipu_within_cluster, CLUSTER_IPU)

#endif
