#include "support/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/arena.h"
#include "support/vec.h"

static const size_t max_len = UINT32_MAX - 1;

/* Pipes cannot be mapped: read them to their end. */
static bool
read_all(int fd, struct source *s, const char **error)
{
	VEC(char) text = {0};

	for (;;) {
		ssize_t n;

		if (text.cap - text.len < 65536)
			vec_reserve(&text, text.cap ? text.cap * 2 : 65536);
		n = read(fd, text.at + text.len, text.cap - text.len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			s->text = text.at;
			s->len = text.len;
			s->map = text.at;
			*error = strerror(errno);
			return n == 0;
		}
		text.len += (size_t)n;
		if (text.len > max_len) {
			free(text.at);
			*error = "the file is larger than 4 GB";
			return false;
		}
	}
}

static bool
map_file(int fd, size_t len, struct source *s)
{
	void *map = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fd, 0);

	if (map == MAP_FAILED)
		return false;
	s->map = map;
	s->map_len = len;
	s->text = map;
	s->len = len;
	return true;
}

bool
source_open(struct source *s, const char *path, const char **error)
{
	struct stat st;
	bool is_stdin = strcmp(path, "-") == 0;
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY);
	bool ok = false;

	*s = (struct source){.name = is_stdin ? "<stdin>" : path,
			     .first_line = 1};
	if (fd < 0 || fstat(fd, &st) != 0) {
		*error = strerror(errno);
	} else if (S_ISDIR(st.st_mode)) {
		*error = strerror(EISDIR);
	} else if (S_ISREG(st.st_mode) && (uint64_t)st.st_size > max_len) {
		*error = "the file is larger than 4 GB";
	} else if (!is_stdin && S_ISREG(st.st_mode) && st.st_size > 0) {
		ok = map_file(fd, (size_t)st.st_size, s) ||
		     read_all(fd, s, error);
	} else {
		ok = read_all(fd, s, error);
	}
	if (!is_stdin && fd >= 0)
		close(fd);
	if (!ok)
		source_free(s);
	return ok;
}

void
source_init(struct source *s, const char *name, const char *text, size_t len)
{
	*s = (struct source){
		.name = name, .text = text, .len = len, .first_line = 1};
}

void
source_free(struct source *s)
{
	if (s->map_len)
		munmap(s->map, s->map_len);
	else
		free(s->map);
	free(s->line_start);
	s->text = NULL;
	s->map = NULL;
	s->line_start = NULL;
	s->len = s->map_len = s->nlines = 0;
}

static void
index_lines(struct source *s)
{
	VEC(uint32_t) starts = {0};
	const char *p = s->text;
	const char *end = s->text + s->len;

	if (s->line_start)
		return;
	vec_push(&starts, 0);
	while (p < end && (p = memchr(p, '\n', (size_t)(end - p)))) {
		p++;
		vec_push(&starts, (uint32_t)(p - s->text));
	}
	s->line_start = starts.at;
	s->nlines = starts.len;
}

void
source_position(struct source *s, size_t offset, unsigned *line,
		unsigned *column)
{
	size_t low = 0;
	size_t high;

	index_lines(s);
	high = s->nlines;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (s->line_start[middle] <= offset)
			low = middle;
		else
			high = middle;
	}
	*line = (unsigned)low + s->first_line;
	*column = (unsigned)(offset - s->line_start[low]) + 1;
}

const char *
source_line(struct source *s, unsigned line, size_t *len)
{
	size_t start;
	size_t end;

	index_lines(s);
	if (line < 1 || line > s->nlines) {
		*len = 0;
		return "";
	}
	start = s->line_start[line - 1];
	end = line < s->nlines ? s->line_start[line] - 1 : s->len;
	if (end > start && s->text[end - 1] == '\r')
		end--;
	*len = end - start;
	return s->text + start;
}
