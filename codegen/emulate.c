/*
 * The engine "bang-emu": kernels as BANG-C, compiled against the headers of
 * runtime/bang and run by a process of its own, which the emulated machine
 * may stop.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/link.h"
#include "codegen/runner_internal.h"
#include "support/outfile.h"

typedef int run_fn(const void *const *inputs, void *const *outputs,
		   const void *constants);

struct emulated {
	struct runner base;
	struct arena arena;
	char *folder; /* of temporary files */
	char *source;
	char *library;
	void *handle;
	run_fn *run;
	char *constants;
};

/* The headers, beside the tools where they are installed or were built. */
static const char *
find_headers(struct arena *a)
{
	static const char *const places[] = {"../share/relay/bang",
					     "../../runtime/bang",
					     "../../../runtime/bang"};
	char path[4096], *slash;
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	if (n <= 0)
		return NULL;
	path[n] = '\0';
	slash = strrchr(path, '/');
	*slash = '\0';
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		char *folder = arena_printf(a, "%s/%s", path, places[i]);

		if (!access(arena_printf(a, "%s/bang_emu.h", folder), R_OK))
			return folder;
	}
	return NULL;
}

static int
arch_code(const char *arch)
{
	int n = atoi(arch + strcspn(arch, "0123456789"));

	return n == 370 ? 372 : n == 590 ? 592 : n;
}

static bool
build(struct emulated *e, const char *text, const struct bangc_options *o)
{
	char runtime[4096];
	const char *rt = *o->uses_runtime
				 ? link_runtime(runtime, sizeof(runtime))
				 : NULL;
	const char *headers = find_headers(&e->arena);
	struct diag *d = e->base.diag;
	const char *compiler = getenv("CXX");
	char *argv[] = {
		arena_printf(&e->arena, "%s", compiler ? compiler : "c++"),
		"-std=c++17",
		"-O2",
		"-w",
		"-shared",
		"-fPIC",
		arena_printf(&e->arena, "-DBANG_EMU_ARCH=%d",
			     arch_code(o->arch)),
		arena_printf(&e->arena, "-I%s", headers ? headers : "."),
		"-x",
		"c++",
		e->source,
		"-o",
		e->library,
		"-Wl,--exclude-libs,ALL",
		"-x",
		"none",
		rt ? runtime : "-lm",
		"-lm",
		NULL};

	if (!headers) {
		diag_error(d, LOC_NONE,
			   "the headers of the emulated MLU are not there "
			   "(runtime/bang)");
		return false;
	}
	return outfile_write(e->source, text, strlen(text), d) &&
	       link_run(argv, d);
}

static bool
load(struct emulated *e, const struct bangc_options *o)
{
	void *symbol;

	e->handle = dlopen(e->library, RTLD_NOW | RTLD_LOCAL);
	if (!e->handle) {
		const char *why = dlerror();
		const char *missing = strstr(why, "undefined symbol: ");

		if (missing)
			diag_error(e->base.diag, LOC_NONE,
				   "the host's part calls '%s', which nothing "
				   "defines here",
				   strchr(missing, ':') + 2);
		else
			diag_error(e->base.diag, LOC_NONE,
				   "cannot load '%s': %s", e->library, why);
		return false;
	}
	symbol = dlsym(e->handle, arena_printf(&e->arena, "%s_run", o->name));
	memcpy(&e->run, &symbol, sizeof(symbol));
	return symbol != NULL;
}

/* In a child: the outputs lie in memory that both share. */
static bool
run_child(struct emulated *e, const void *const *in, void *const *out)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0)
		_exit(e->run(in, out, e->constants) ? 1 : 0);
	if (pid < 0) {
		diag_error(e->base.diag, LOC_NONE, "cannot fork: %s",
			   strerror(errno));
		return false;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return true;
	diag_error(e->base.diag, LOC_NONE,
		   WIFSIGNALED(status) ? "the kernels crashed (signal %d)"
				       : "the emulated MLU stopped the "
					 "kernels (status %d)",
		   WIFSIGNALED(status) ? WTERMSIG(status)
				       : WEXITSTATUS(status));
	return false;
}

static bool
emulated_run(struct runner *r, ir_tensor *const *in, ir_tensor **out)
{
	struct emulated *e = (struct emulated *)r;
	uint32_t nin = r->x->ninputs, nout = r->x->noutputs;
	const void **from = xcalloc(nin + 1, sizeof(*from));
	void **to = xcalloc(nout + 1, sizeof(*to));
	size_t all = 1, at = 0;
	char *shared;
	bool ok;

	for (uint32_t i = 0; i < nout; i++)
		all += (out[i]->nbytes + 63) / 64 * 64;
	shared = mmap(NULL, all, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ok = shared != MAP_FAILED;
	if (!ok)
		diag_error(r->diag, LOC_NONE, "out of memory");
	for (uint32_t i = 0; i < nin; i++)
		from[i] = in[i]->data;
	for (uint32_t i = 0; ok && i < nout; i++) {
		to[i] = shared + at;
		at += (out[i]->nbytes + 63) / 64 * 64;
	}
	ok = ok && run_child(e, from, to);
	for (uint32_t i = 0; ok && i < nout; i++)
		memcpy(out[i]->data, to[i], out[i]->nbytes);
	if (shared != MAP_FAILED)
		munmap(shared, all);
	free(from);
	free(to);
	return ok;
}

static void
emulated_free(struct runner *r)
{
	struct emulated *e = (struct emulated *)r;

	if (e->handle)
		dlclose(e->handle);
	if (e->folder) {
		unlink(e->source);
		unlink(e->library);
		rmdir(e->folder);
	}
	free(e->constants);
	arena_free(&e->arena);
	free(e);
}

static void
fill_constants(struct emulated *e, const struct interface *x)
{
	e->constants = xcalloc(1, (size_t)x->constants_bytes + 1);
	for (uint32_t i = 0; i < x->nconstants; i++)
		if (x->constants[i].data)
			memcpy(e->constants + x->constants[i].offset,
			       x->constants[i].data->data,
			       x->constants[i].data->nbytes);
}

struct runner *
runner_bang(const ir_module *m, const struct interface *x,
	    const struct bangc_options *o, struct diag *d)
{
	struct emulated *e = xcalloc(1, sizeof(*e));
	const char *tmp = getenv("TMPDIR");
	struct buf text = {0};
	struct bangc_options own = *o;
	bool ok, uses_runtime = false;

	own.uses_runtime = &uses_runtime;
	e->base = (struct runner){x, d, emulated_run, emulated_free};
	ok = bangc_emit(&text, m, x, &own, d);
	if (ok) {
		e->folder = mkdtemp(arena_printf(&e->arena, "%s/relay-XXXXXX",
						 tmp ? tmp : "/tmp"));
		e->source = arena_printf(&e->arena, "%s/net.mlu", e->folder);
		e->library = arena_printf(&e->arena, "%s/net.so", e->folder);
		ok = e->folder != NULL;
	}
	if (ok) {
		fill_constants(e, x);
		ok = build(e, text.at, &own) && load(e, o);
	}
	buf_free(&text);
	if (ok)
		return &e->base;
	emulated_free(&e->base);
	return NULL;
}
