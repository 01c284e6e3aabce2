/*
 * Two tasks at the same bytes of device memory or SRAM, one of them writing,
 * and no barrier between: who comes first is chance.
 *
 * Every byte has marks that say who wrote and who read it since the last
 * barrier of all tasks. Copies make them; scalar code cannot be watched. A
 * block that no kernel writes has no marks. After a barrier of some tasks
 * alone, only what tasks of other clusters do counts.
 */
#ifndef BANG_EMU_RACES_H
#define BANG_EMU_RACES_H

#include "machine.h"

namespace bang_emu
{

enum { PAGE = 4096, NOBODY = 0, MANY = 0xffff };

/* Marks of one block, by byte: index of a task plus one. */
struct marks {
	std::vector<uint16_t> writer, reader;
	std::vector<uint64_t> since; /* by page: marks are of this period */
};

BANG_EMU_HIDDEN inline std::map<const char *, marks> &
marks_of_blocks()
{
	static std::map<const char *, marks> all;

	return all;
}

/* Tasks that a barrier has put in order, as far as is known. */
inline bool
in_order(const task &a, const task &b)
{
	return running->partial && a.group == b.group && a.cluster == b.cluster;
}

inline bool
harmless(uint16_t mark, uint16_t me)
{
	return mark == NOBODY || mark == me ||
	       (mark == MANY ? running->partial
			     : in_order(running->tasks[mark - 1u],
					running->tasks[me - 1u]));
}

[[noreturn]] inline void
race(const char *what, uint16_t mark, bool write, bool wrote)
{
	std::string who = "other tasks";

	if (mark != MANY)
		who = "task " + std::to_string(running->tasks[mark - 1u].id);
	trap(what, "%s what %s %s, without a barrier between",
	     write ? "writes" : "reads", who.c_str(), wrote ? "wrote" : "read");
}

/* Forget on page P what came before the last barrier. */
inline void
open_page(marks &m, size_t p)
{
	size_t from = p * PAGE, to = std::min(from + PAGE, m.writer.size());

	if (m.since[p] == period)
		return;
	m.since[p] = period;
	std::fill(&m.writer[from], &m.writer[0] + to, (uint16_t)NOBODY);
	std::fill(&m.reader[from], &m.reader[0] + to, (uint16_t)NOBODY);
}

inline void
note_bytes(const char *what, marks &m, size_t from, size_t n, bool write)
{
	uint16_t me = (uint16_t)(running->now - running->tasks.data() + 1);

	for (size_t p = from / PAGE; p <= (from + n - 1) / PAGE; p++)
		open_page(m, p);
	for (size_t i = from; i < from + n; i++) {
		uint16_t &w = m.writer[i], &r = m.reader[i];

		if (w != me && !harmless(w, me))
			race(what, w, write, true);
		if (!write) {
			r = r == NOBODY || r == me ? me : (uint16_t)MANY;
			continue;
		}
		if (r != me && !harmless(r, me))
			race(what, r, true, false);
		w = me;
	}
}

inline void
make_marks(marks &m, size_t size)
{
	m.writer.resize(size);
	m.reader.resize(size);
	m.since.resize((size + PAGE - 1) / PAGE);
}

/* Of the block of device memory at START; NULL: nobody has written to it. */
inline marks *
marks_of_block(const char *start, size_t size, bool make)
{
	auto found = marks_of_blocks().find(start);

	if (found != marks_of_blocks().end())
		return &found->second;
	if (!make)
		return nullptr;
	make_marks(marks_of_blocks()[start], size);
	return &marks_of_blocks()[start];
}

/* SRAM of each cluster of the launch. */
BANG_EMU_HIDDEN inline std::map<const image *, marks> &
marks_of_clusters()
{
	static std::map<const image *, marks> all;

	return all;
}

inline marks *
marks_of_sram()
{
	marks &m = marks_of_clusters()[memory_of(SRAM).loaded];

	if (m.writer.empty())
		make_marks(m, memory_of(SRAM).size);
	return &m;
}

inline void
forget_clusters()
{
	marks_of_clusters().clear();
}

/* Task at work reads or writes the N bytes at P of space S. */
inline void
note_access(const char *what, space s, const char *p, int64_t n, bool write)
{
	marks *m = nullptr;
	size_t from = 0;

	if (n <= 0)
		return;
	if (s == SRAM) {
		m = marks_of_sram();
		from = (size_t)(p - memory_of(SRAM).start);
	} else if (s == GDRAM) {
		auto block = --blocks().upper_bound(p);

		m = marks_of_block(block->first, block->second, write);
		from = (size_t)(p - block->first);
	}
	if (m)
		note_bytes(what, *m, from, (size_t)n, write);
}

} // namespace bang_emu

#endif
