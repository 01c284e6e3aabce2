#include "support/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/arena.h"

/* Temporary files in being, for a handler that must not leave them. */
enum { max_pending = 16 };
static char *volatile pending[max_pending];

static void
set_pending(char *from, char *to)
{
	for (size_t i = 0; i < max_pending; i++) {
		if (pending[i] == from) {
			pending[i] = to;
			return;
		}
	}
}

void
outfile_remove_pending(void)
{
	for (size_t i = 0; i < max_pending; i++)
		if (pending[i])
			unlink(pending[i]);
}

static void
cannot_open(struct diag *d, const char *path)
{
	diag_error(d, LOC_NONE, "cannot open '%s' for writing: %s", path,
		   strerror(errno));
}

/* A new file beside the target, with the permissions of the old one. */
static bool
open_temp(struct outfile *o, const struct stat *old)
{
	char *link = realpath(o->path, NULL);
	size_t size;

	o->target = link ? link : strdup(o->path);
	size = strlen(o->target) + 32;
	o->temp = xmalloc(size);
	snprintf(o->temp, size, "%s.tmp-%ld", o->target, (long)getpid());
	o->fd = open(o->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (o->fd < 0)
		return false;
	set_pending(NULL, o->temp);
	return !old || fchmod(o->fd, old->st_mode & 07777) == 0;
}

static void
end(struct outfile *o)
{
	if (o->temp)
		set_pending(o->temp, NULL);
	free(o->path);
	free(o->target);
	free(o->temp);
	o->path = o->target = o->temp = NULL;
	o->fd = -1;
}

bool
outfile_open(struct outfile *o, const char *path, struct diag *d)
{
	struct stat st;
	bool exists;
	bool ok;

	*o = (struct outfile){.fd = STDOUT_FILENO, .diag = d};
	if (strcmp(path, "-") == 0) {
		o->path = strdup("<stdout>");
		return true;
	}
	o->path = strdup(path);
	exists = stat(path, &st) == 0;
	if (exists && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		ok = false;
	} else if (exists && access(path, W_OK) != 0) {
		ok = false;
	} else if (exists && !S_ISREG(st.st_mode)) {
		o->fd = open(path, O_WRONLY | O_CLOEXEC);
		ok = o->fd >= 0;
	} else {
		ok = open_temp(o, exists ? &st : NULL);
	}
	if (!ok) {
		cannot_open(d, path);
		end(o);
	}
	return ok;
}

static void
fail(struct outfile *o)
{
	if (errno == EPIPE && o->fd == STDOUT_FILENO) {
		o->closed = true;
		return;
	}
	if (!o->failed)
		diag_error(o->diag, LOC_NONE, "cannot write to '%s': %s",
			   o->path, strerror(errno));
	o->failed = true;
}

void
outfile_put(struct outfile *o, const void *data, size_t len)
{
	const char *p = data;

	while (len && !o->failed && !o->closed) {
		ssize_t n = write(o->fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			fail(o);
			return;
		}
		p += n;
		len -= (size_t)n;
	}
}

bool
outfile_commit(struct outfile *o)
{
	bool ok;

	if (o->fd != STDOUT_FILENO && close(o->fd) != 0)
		fail(o);
	if (o->temp && o->failed)
		unlink(o->temp);
	else if (o->temp && rename(o->temp, o->target) != 0) {
		cannot_open(o->diag, o->path);
		unlink(o->temp);
		o->failed = true;
	}
	ok = !o->failed;
	end(o);
	return ok;
}

void
outfile_discard(struct outfile *o)
{
	if (o->fd != STDOUT_FILENO && o->fd >= 0)
		close(o->fd);
	if (o->temp)
		unlink(o->temp);
	end(o);
}

bool
outfile_write(const char *path, const void *data, size_t len, struct diag *d)
{
	struct outfile o;

	if (!outfile_open(&o, path, d))
		return false;
	outfile_put(&o, data, len);
	return outfile_commit(&o);
}

bool
outfile_make_directory(const char *path, struct diag *d)
{
	char *copy = strdup(path);
	bool ok = true;

	for (char *p = copy + 1; ok && *copy; p++) {
		char c = *p;

		if (c && c != '/')
			continue;
		*p = '\0';
		ok = mkdir(copy, 0777) == 0 || errno == EEXIST;
		*p = c;
		if (!c)
			break;
	}
	if (!ok)
		diag_error(d, LOC_NONE, "cannot make the folder '%s': %s", path,
			   strerror(errno));
	free(copy);
	return ok;
}
