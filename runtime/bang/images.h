/*
 * What a task has on the chip, and how it comes there.
 *
 * The whole pages of a memory's section are those of an image: they are
 * mapped to it, and moved away when another image takes its place, so that an
 * image costs the pages that are written. What the section has in pages that
 * belong to other data, too, is copied.
 */
#ifndef BANG_EMU_IMAGES_H
#define BANG_EMU_IMAGES_H

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

/* A machine for each library of kernels, in a process that has several. */
#define BANG_EMU_HIDDEN __attribute__((visibility("hidden")))

namespace bang_emu
{

enum space { GDRAM, NRAM, WRAM, SRAM, HOST };
enum { POISON = 0xff, TRAP_STATUS = 86, BYTES_OF_PAGE = 4096 };

struct image {
	char *pages = nullptr;      /* where they wait */
	std::vector<char> edges;    /* what is copied */
	uint8_t *written = nullptr; /* by byte; NULL: all is poison */
};

inline char *
map_at(char *place, size_t n, int access, int how, int file)
{
	void *at = mmap(place, n, access, MAP_PRIVATE | how, file, 0);

	if (at == MAP_FAILED) {
		perror("bang_emu: mmap");
		_exit(TRAP_STATUS);
	}
	return (char *)at;
}

inline void
move_pages(char *from, char *to, size_t n)
{
	if (mremap(from, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to) ==
	    MAP_FAILED) {
		perror("bang_emu: mremap");
		_exit(TRAP_STATUS);
	}
}

/* A file of N bytes of poison, or more. */
BANG_EMU_HIDDEN inline int
poison_file(size_t n)
{
	static int file = memfd_create("poison", MFD_CLOEXEC);
	static size_t size;
	char some[BYTES_OF_PAGE];

	memset(some, POISON, sizeof(some));
	for (; size < n; size += sizeof(some))
		if (write(file, some, sizeof(some)) != sizeof(some)) {
			perror("bang_emu: poison");
			_exit(TRAP_STATUS);
		}
	return file;
}

struct memory {
	space which;
	char *start;
	size_t size;
	image *loaded;

	bool holds(const void *p) const
	{
		return p >= start && p < start + size;
	}

	uint8_t *shadow(const void *p) const
	{
		return loaded->written + ((const char *)p - start);
	}

	/* Bytes before the first whole page, and in whole pages. */
	size_t before() const
	{
		size_t n = -(uintptr_t)start % BYTES_OF_PAGE;

		return std::min(n, size);
	}

	size_t whole() const
	{
		return (size - before()) / BYTES_OF_PAGE * BYTES_OF_PAGE;
	}

	void fill(image &to)
	{
		to.edges.assign(size - whole(), (char)POISON);
		if (whole())
			map_at(start + before(), whole(),
			       PROT_READ | PROT_WRITE, MAP_FIXED,
			       poison_file(whole()));
	}

	void save(image &to)
	{
		char *behind = start + before() + whole();

		memcpy(to.edges.data(), start, before());
		memcpy(to.edges.data() + before(), behind,
		       (size_t)(start + size - behind));
		if (!whole())
			return;
		to.pages =
			map_at(nullptr, whole(), PROT_NONE, MAP_ANONYMOUS, -1);
		move_pages(start + before(), to.pages, whole());
	}

	/* IM takes the place of the image that is there. */
	void load(image &im)
	{
		bool fresh = !im.written;
		char *behind = start + before() + whole();

		if (loaded == &im)
			return;
		if (fresh)
			im.written = (uint8_t *)map_at(nullptr, size,
						       PROT_READ | PROT_WRITE,
						       MAP_ANONYMOUS, -1);
		if (loaded)
			save(*loaded);
		if (fresh)
			fill(im);
		else if (whole())
			move_pages(im.pages, start + before(), whole());
		memcpy(start, im.edges.data(), before());
		memcpy(behind, im.edges.data() + before(),
		       (size_t)(start + size - behind));
		loaded = &im;
	}

	/* Nobody will want IM again. */
	void drop(image &im)
	{
		if (!im.written)
			return;
		if (loaded == &im)
			loaded = nullptr;
		else if (whole())
			munmap(im.pages, whole());
		munmap(im.written, size);
		im.written = nullptr;
	}
};

} // namespace bang_emu

#endif
