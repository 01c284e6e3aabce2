/*
 * Cases as BANG-C on the emulated machine.
 *
 * The compiler of C++ takes far longer than everything else. So the machine's
 * headers and a prologue are compiled once for each architecture, many cases
 * share a file, each in a namespace of its own, and run one by one in processes
 * of their own. A line of a case says which machine it is for and in which
 * shape; its number, in which order tasks run.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codegen/bangc/bangc.h"
#include "codegen/evaluate.h"
#include "codegen/link.h"
#include "support/hash.h"
#include "support/vec.h"
#include "utils/fuzz-ops/attempt.h"

#define FLAGS "-std=c++17 -O0 -w -fPIC -DBANG_EMU_PRECOMPILED"

enum { ARCHES = 4, AT_ONCE = 120, SECONDS = 30, MOST_FAILURES = 8 };

static const struct {
	const char *name;
	int code;
} arches[ARCHES] = {
	{"mlu270", 270},
	{"mlu290", 290},
	{"mlu370", 372},
	{"mlu590", 592},
};

typedef int run_fn(const void *const *inputs, void *const *outputs,
		   const void *constants);

struct pending {
	struct attempt a;
	struct buf text;
	uint8_t *result;
	bool dropped; /* does not compile */
};

struct fuzz_batch {
	const struct fuzz_options *o;
	const char *compiler;
	char folder[64];
	unsigned compiled;
	bool has_head[ARCHES];
	VEC(struct pending *) of[ARCHES];
};

/* Clang takes half the time that g++ does. */
static const char *
find_compiler(void)
{
	if (getenv("CXX"))
		return getenv("CXX");
	return system("command -v clang++-19 >/dev/null") ? "c++"
							  : "clang++-19";
}

struct fuzz_batch *
fuzz_batch_new(const struct fuzz_options *o)
{
	struct fuzz_batch *b = xcalloc(1, sizeof(*b));

	b->o = o;
	b->compiler = find_compiler();
	strcpy(b->folder, "/tmp/fuzz-bang-XXXXXX");
	if (!mkdtemp(b->folder)) {
		perror("mkdtemp");
		_exit(2);
	}
	return b;
}

struct machine {
	unsigned arch;
	enum bangc_shape shape;
	int64_t tile_bytes;
};

static struct machine
machine_of(const struct fuzz_case *c)
{
	struct machine m = {2, BANGC_LAUNCHES, 0};
	char line[64] = "", arch[16] = "", shape[16] = "";
	size_t len;
	const char *given = fuzz_line(c, "machine", NULL, &len);

	if (given)
		snprintf(line, sizeof(line), "%.*s", (int)len, given);
	sscanf(line, "%15s %15s %" SCNd64, arch, shape, &m.tile_bytes);
	for (unsigned i = 0; i < ARCHES; i++)
		if (!strcmp(arch, arches[i].name))
			m.arch = i;
	if (!strcmp(shape, "single"))
		m.shape = BANGC_SINGLE;
	return m;
}

unsigned
fuzz_machine(const struct fuzz_case *c)
{
	return machine_of(c).arch;
}

static uint64_t
bits_of(const struct fuzz_case *c)
{
	return hash_bytes(c->name, strlen(c->name)) >> 8;
}

static void
conclude(struct pending *p, enum fuzz_result r, const char *what)
{
	*p->result = (uint8_t)r;
	if (what)
		attempt_finding(&p->a, what);
	if (p->a.out->len && write(1, p->a.out->at, p->a.out->len) < 0)
		perror("write");
	buf_free(p->a.out);
	free(p->a.out);
	attempt_end(&p->a);
	buf_free(&p->text);
	free(p);
}

/* The text of P, which is read, or false: it is not to be compiled. */
static bool
emit(const struct fuzz_batch *b, struct pending *p, const ir_def *main,
     const struct machine *m, const char **what)
{
	struct attempt *a = &p->a;
	char name[64];
	struct bangc_options o = {.name = name,
				  .arch = arches[m->arch].name,
				  .shape = m->shape,
				  .api = 6,
				  .tile_bytes = m->tile_bytes,
				  .host_fallback = b->o->host,
				  .part = true};

	*what = "NOT EVALUATED";
	if (!fuzz_inputs(a->c, main->fn, &a->feed.given) ||
	    !evaluate_main(a->m, main, &a->feed, &a->want, &a->nwant))
		return false;
	*what = "NOT COMPILED";
	snprintf(name, sizeof(name), "case_%zu", a->index);
	buf_printf(&p->text, "\n#line 1 \"case_%zu\"\nnamespace %s {\n",
		   a->index, name);
	if (!attempt_lower(a, "bang") ||
	    !bangc_emit(&p->text, a->m, &a->x, &o, &a->diag))
		return false;
	buf_printf(&p->text, "}\n");
	return true;
}

static void run_all(struct fuzz_batch *b, unsigned arch);

void
fuzz_batch_add(struct fuzz_batch *b, const struct fuzz_case *c, size_t index,
	       uint8_t *result)
{
	struct pending *p = xcalloc(1, sizeof(*p));
	struct machine machine = machine_of(c);
	unsigned arch = machine.arch;
	const char *what = "REFUSED";
	const ir_def *main;

	p->result = result;
	main = attempt_begin(&p->a, c, index, b->o,
			     xcalloc(1, sizeof(struct buf)));
	if (!main || attempt_too_large(main->fn)) {
		conclude(p, main ? FUZZ_LARGE : FUZZ_REFUSED,
			 main ? NULL : what);
	} else if (evaluate_is_needed(main->fn) ||
		   evaluate_has_sizes(main->fn)) {
		conclude(p, FUZZ_EVALUATED, NULL);
	} else if (!emit(b, p, main, &machine, &what)) {
		conclude(p, FUZZ_ONE_FAILS, what);
	} else {
		vec_push(&b->of[arch], p);
		if (b->of[arch].len == AT_ONCE)
			run_all(b, arch);
	}
}

/* ----------------------------------------------------------- compiling -- */

/* Behind the precompiled head: the arrays that it declares. */
static const char arrays[] =
	"#undef BANG_EMU_SPACE\n"
	"#define BANG_EMU_SPACE(name) \\\n"
	"  __attribute__((section(name), aligned(128), used))\n"
	"namespace bang_emu {\n"
	"__nram__ char nram_anchor[ANCHOR];\n"
	"__wram__ char wram_anchor[ANCHOR];\n"
	"__mlu_shared__ char sram_anchor[ANCHOR];\n"
	"}\n"
	"__nram__ char relay_nram[RELAY_NRAM_BYTES];\n"
	"__wram__ char relay_wram[RELAY_WRAM_BYTES];\n"
	"__mlu_shared__ char relay_shared[RELAY_SHARED_BYTES];\n";

static bool
is_clang(const struct fuzz_batch *b)
{
	return strstr(b->compiler, "clang") != NULL;
}

/*
 * What all files for ARCH begin with, compiled. Of Clang, the machine's
 * functions go to an object beside it, so that no other file has them again.
 */
static bool
make_head(struct fuzz_batch *b, unsigned arch)
{
	struct diag quiet = {0};
	struct buf head = {0};
	char path[128], command[1024];
	FILE *f;

	if (b->has_head[arch])
		return true;
	snprintf(path, sizeof(path), "%s/%s.h", b->folder, arches[arch].name);
	f = fopen(path, "w");
	if (!f || !bangc_prologue(&head, arches[arch].name, &quiet))
		return false;
	fwrite(head.at, 1, head.len, f);
	buf_free(&head);
	if (fclose(f) != 0)
		return false;
	snprintf(command, sizeof(command),
		 "%s " FLAGS " -DBANG_EMU_ARCH=%d -I%s %s -x c++-header %s "
		 "-o %s.gch 2>%s/errors",
		 b->compiler, arches[arch].code, b->o->headers,
		 is_clang(b) ? "-fpch-codegen -fpch-instantiate-templates" : "",
		 path, path, b->folder);
	b->has_head[arch] = system(command) == 0;
	if (b->has_head[arch] && is_clang(b)) {
		snprintf(command, sizeof(command),
			 "%s " FLAGS " -DBANG_EMU_ARCH=%d -I%s -c %s.gch -o "
			 "%s.o 2>%s/errors",
			 b->compiler, arches[arch].code, b->o->headers, path,
			 path, b->folder);
		b->has_head[arch] = system(command) == 0;
	}
	return b->has_head[arch];
}

/* All texts that were not dropped, into PATH. */
static bool
write_source(struct fuzz_batch *b, unsigned arch, const char *path)
{
	FILE *f = fopen(path, "w");

	if (!f)
		return false;
	fputs(arrays, f);
	for (size_t i = 0; i < b->of[arch].len; i++) {
		const struct pending *p = b->of[arch].at[i];

		if (!p->dropped)
			fwrite(p->text.at, 1, p->text.len, f);
	}
	return fclose(f) == 0;
}

static int
compile(struct fuzz_batch *b, unsigned arch)
{
	char command[8192], runtime[4096], object[128] = "";
	bool links = b->o->host && link_runtime(runtime, sizeof(runtime));

	if (is_clang(b))
		snprintf(object, sizeof(object), "%s/%s.h.o", b->folder,
			 arches[arch].name);
	snprintf(command, sizeof(command),
		 "%s " FLAGS " -shared -DBANG_EMU_ARCH=%d -I%s -include "
		 "%s/%s.h -x c++ %s/%u.mlu -x none %s %s -o %s/%u.so "
		 "2>%s/errors",
		 b->compiler, arches[arch].code, b->o->headers, b->folder,
		 arches[arch].name, b->folder, b->compiled, object,
		 links ? runtime : "", b->folder, b->compiled, b->folder);
	return system(command);
}

/* Drop the cases that the compiler's messages name; are there any? */
static bool
drop_wrong(struct fuzz_batch *b, unsigned arch)
{
	char path[128], line[1024];
	bool any = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/errors", b->folder);
	f = fopen(path, "r");
	while (f && fgets(line, sizeof(line), f)) {
		size_t n = 0, index = (size_t)-1;

		if (strstr(line, "error") &&
		    (sscanf(line, "case_%zu:", &index) == 1 ||
		     sscanf(line, "/tmp/case_%zu:", &index) == 1))
			for (; n < b->of[arch].len; n++) {
				struct pending *p = b->of[arch].at[n];

				if (p->a.index != index || p->dropped)
					continue;
				p->dropped = any = true;
				snprintf(p->a.first, sizeof(p->a.first),
					 "%.300s", line);
			}
	}
	if (f)
		fclose(f);
	return any;
}

/* The library of what compiles, or NULL. */
static void *
build(struct fuzz_batch *b, unsigned arch)
{
	char path[128];

	b->compiled++;
	for (int tries = 0; tries < MOST_FAILURES && make_head(b, arch);
	     tries++) {
		snprintf(path, sizeof(path), "%s/%u.mlu", b->folder,
			 b->compiled);
		if (!write_source(b, arch, path))
			return NULL;
		if (compile(b, arch) == 0) {
			snprintf(path, sizeof(path), "%s/%u.so", b->folder,
				 b->compiled);
			return dlopen(path, RTLD_NOW | RTLD_LOCAL);
		}
		if (!drop_wrong(b, arch))
			break;
	}
	snprintf(path, sizeof(path), "cat %s/errors", b->folder);
	if (system(path))
		perror("cat");
	return NULL;
}

/* ------------------------------------------------------------- running -- */

static char *
constants_of(const struct interface *x)
{
	char *all = xcalloc(1, (size_t)x->constants_bytes + 1);

	for (uint32_t i = 0; i < x->nconstants; i++)
		if (x->constants[i].data)
			memcpy(all + x->constants[i].offset,
			       x->constants[i].data->data,
			       x->constants[i].data->nbytes);
	return all;
}

/* In a child; what it says on standard error goes to the file ERRORS. */
static void
run_child(struct fuzz_batch *b, struct pending *p, run_fn *run,
	  void *const *out)
{
	struct attempt *a = &p->a;
	ir_tensor **in = attempt_inputs(a);
	const void **from = xcalloc(a->x.ninputs + 1, sizeof(*from));
	uint64_t bits = bits_of(a->c);
	struct rlimit limit = {SECONDS, SECONDS};
	char text[128];
	int f;

	snprintf(text, sizeof(text), "%s/errors", b->folder);
	f = open(text, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (f < 0 || dup2(f, 2) < 0)
		_exit(3);
	snprintf(text, sizeof(text), "%d", (int)(bits % 1000));
	setenv("BANG_EMU_SEED", text, 1);
	setenv("BANG_EMU_EAGER", bits % 5 ? "0" : "1", 1);
	setenv("BANG_EMU_CLUSTERS", bits % 3 ? "1" : "4", 1);
	for (uint32_t i = 0; i < a->x.ninputs; i++)
		from[i] = in[i]->data;
	setrlimit(RLIMIT_CPU, &limit);
	_exit(run(from, out, constants_of(&a->x)) ? 1 : 0);
}

static void
read_error(struct fuzz_batch *b, struct pending *p, int status)
{
	char path[128];
	size_t n;
	FILE *f;

	snprintf(path, sizeof(path), "%s/errors", b->folder);
	f = fopen(path, "r");
	n = f ? fread(p->a.first, 1, sizeof(p->a.first) - 1, f) : 0;
	p->a.first[n] = '\0';
	if (f)
		fclose(f);
	if (n == 0)
		snprintf(p->a.first, sizeof(p->a.first), "status %d", status);
}

static enum fuzz_result
compare(struct pending *p, const char **what)
{
	struct buf why = {0};
	enum fuzz_result r = FUZZ_SAME;

	if (!attempt_agree(&p->a, p->a.got, &why)) {
		*what = "DIFFERS";
		r = FUZZ_DIFFERS;
		snprintf(p->a.first, sizeof(p->a.first), "BANG-C:\n%s",
			 why.at ? why.at : "other outputs");
	}
	buf_free(&why);
	return r;
}

static enum fuzz_result
run_one(struct fuzz_batch *b, struct pending *p, run_fn *run, const char **what)
{
	struct attempt *a = &p->a;
	void **out = ARENA_NEW_ARRAY(&a->arena, a->x.noutputs, void *);
	size_t all = 1, at = 0;
	int status = 0;
	char *shared;
	pid_t pid;

	a->got = attempt_outputs(a);
	for (uint32_t i = 0; i < a->x.noutputs; i++)
		all += (a->got[i]->nbytes + 63) / 64 * 64;
	shared = mmap(NULL, all, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (uint32_t i = 0; i < a->x.noutputs; i++) {
		out[i] = shared + at;
		at += (a->got[i]->nbytes + 63) / 64 * 64;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_child(b, p, run, out);
	waitpid(pid, &status, 0);
	for (uint32_t i = 0; i < a->x.noutputs; i++)
		memcpy(a->got[i]->data, out[i], a->got[i]->nbytes);
	munmap(shared, all);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return compare(p, what);
	read_error(b, p, status);
	*what = "STOPPED";
	return WIFSIGNALED(status) ? FUZZ_CRASH : FUZZ_DIFFERS;
}

static void
run_all(struct fuzz_batch *b, unsigned arch)
{
	void *library = b->of[arch].len ? build(b, arch) : NULL;

	for (size_t i = 0; i < b->of[arch].len; i++) {
		struct pending *p = b->of[arch].at[i];
		enum fuzz_result r = FUZZ_ONE_FAILS;
		const char *what = "NOT COMPILED";
		char name[64];
		void *symbol;
		run_fn *run;

		snprintf(name, sizeof(name), "case_%zu_run", p->a.index);
		symbol = library && !p->dropped ? dlsym(library, name) : NULL;
		memcpy(&run, &symbol, sizeof(symbol));
		if (symbol) {
			what = NULL;
			r = run_one(b, p, run, &what);
		}
		conclude(p, r, what);
	}
	b->of[arch].len = 0;
	if (library)
		dlclose(library);
}

void
fuzz_batch_end(struct fuzz_batch *b)
{
	char command[128];

	for (unsigned i = 0; i < ARCHES; i++) {
		run_all(b, i);
		vec_free(&b->of[i]);
	}
	snprintf(command, sizeof(command), "rm -rf %s", b->folder);
	if (!getenv("FUZZ_BANG_KEEP") && system(command))
		perror("rm");
	free(b);
}
