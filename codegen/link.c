/*
 * Archives are written here; shared libraries are the system linker's work.
 */
#include "codegen/link.h"

#include <elf.h>
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/arena.h"

extern char **environ;

/* Names of global definitions, each ended by a zero byte. */
struct symbols {
	struct buf names;
	uint32_t n;
};

static bool
read_symbols(const struct buf *object, struct symbols *out)
{
	const char *base = object->at;
	Elf64_Ehdr head;
	Elf64_Shdr section;

	if (object->len < sizeof(head))
		return false;
	memcpy(&head, base, sizeof(head));
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (unsigned i = 0; i < head.e_shnum; i++) {
		Elf64_Shdr strings;
		uint64_t count;

		memcpy(&section, base + head.e_shoff + i * sizeof(section),
		       sizeof(section));
		if (section.sh_type != SHT_SYMTAB)
			continue;
		memcpy(&strings,
		       base + head.e_shoff + section.sh_link * sizeof(section),
		       sizeof(strings));
		count = section.sh_size / sizeof(Elf64_Sym);
		for (uint64_t k = 0; k < count; k++) {
			Elf64_Sym sym;
			const char *name;

			memcpy(&sym, base + section.sh_offset + k * sizeof(sym),
			       sizeof(sym));
			name = base + strings.sh_offset + sym.st_name;
			if (ELF64_ST_BIND(sym.st_info) != STB_GLOBAL ||
			    sym.st_shndx == SHN_UNDEF)
				continue;
			buf_put(&out->names, name, strlen(name) + 1);
			out->n++;
		}
	}
	return true;
}

static void
put_member(struct buf *out, const char *name, size_t size)
{
	buf_printf(out, "%-16s%-12d%-6d%-6d%-8o%-10zu`\n", name, 0, 0, 0, 0644,
		   size);
}

static void
put_big(struct buf *out, uint32_t v)
{
	for (int shift = 24; shift >= 0; shift -= 8)
		buf_putc(out, (char)(v >> shift & 255));
}

bool
link_archive(struct buf *out, const char *name, struct diag *d)
{
	struct symbols s = {0};
	struct buf a = {0};
	size_t index, pad;
	char member[16];

	if (!read_symbols(out, &s)) {
		diag_error(d, LOC_NONE,
			   "the object is no 64-bit ELF file and "
			   "cannot be archived");
		return false;
	}
	index = 4 + 4 * (size_t)s.n + s.names.len;
	pad = index & 1;
	buf_puts(&a, "!<arch>\n");
	put_member(&a, "/", index + pad);
	put_big(&a, s.n);
	for (uint32_t i = 0; i < s.n; i++)
		put_big(&a, (uint32_t)(8 + 60 + index + pad));
	buf_put(&a, s.names.at, s.names.len);
	buf_fill(&a, '\0', pad);
	snprintf(member, sizeof(member), "%.11s.o/", name);
	put_member(&a, member, out->len);
	buf_put(&a, out->at, out->len);
	buf_fill(&a, '\n', out->len & 1);
	buf_free(&s.names);
	buf_free(out);
	*out = a;
	return true;
}

const char *
link_runtime(char *path, size_t size)
{
	static const char *const places[] = {
		"/../librelayrt.a", "/librelayrt.a", "/../lib/librelayrt.a"};
	ssize_t n = readlink("/proc/self/exe", path, size - 64);
	char *slash;

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		strcpy(slash, places[i]);
		if (!access(path, R_OK))
			return path;
	}
	return NULL;
}

bool
link_run(char *const *argv, struct diag *d)
{
	pid_t pid;
	int error = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);
	int status = 0;

	if (error) {
		diag_error(d, LOC_NONE, "cannot run '%s': %s", argv[0],
			   strerror(error));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	diag_error(d, LOC_NONE, "'%s' failed", argv[0]);
	return false;
}

static bool
write_all(int fd, const struct buf *b)
{
	size_t done = 0;

	while (done < b->len) {
		ssize_t n = write(fd, b->at + done, b->len - done);

		if (n < 0 && errno != EINTR)
			return false;
		done += n > 0 ? (size_t)n : 0;
	}
	return true;
}

/* OBJECT in a file of its own, whose name is put in NAME. */
static bool
write_temporary(const struct buf *object, char *name, struct diag *d)
{
	int fd = mkstemps(name, 2);
	bool ok = fd >= 0 && write_all(fd, object);

	if (!ok)
		diag_error(d, LOC_NONE, "cannot write '%s': %s", name,
			   strerror(errno));
	if (fd >= 0)
		close(fd);
	return ok;
}

bool
link_shared(const struct buf *object, const char *path, const char *linker,
	    struct diag *d)
{
	char name[] = "/tmp/relay-XXXXXX.o", runtime[4096];
	const char *rt = link_runtime(runtime, sizeof(runtime));
	struct arena a = {0};
	char *temp = arena_printf(&a, "%s.tmp-%d", path, (int)getpid());
	char *argv[] = {arena_printf(&a, "%s", linker),
			"-shared",
			"-o",
			temp,
			name,
			"-Wl,--exclude-libs,ALL",
			"-Wl,-z,noexecstack",
			rt ? runtime : "-lm",
			"-lm",
			NULL};
	bool ok = write_temporary(object, name, d) && link_run(argv, d);

	if (ok && rename(temp, path)) {
		diag_error(d, LOC_NONE, "cannot open '%s' for writing: %s",
			   path, strerror(errno));
		ok = false;
	}
	if (!ok)
		unlink(temp);
	unlink(name);
	arena_free(&a);
	return ok;
}
