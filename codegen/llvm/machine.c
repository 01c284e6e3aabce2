/*
 * Machines: targets, processors and features by name. LLVM tells about names it
 * does not know on the standard error and goes on, or ends the process; so a
 * child tries what a user asks for, before anything depends on it.
 */
#include "codegen/llvm/internal.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <llvm-c/Target.h>

static void
init_x86(void)
{
	LLVMInitializeX86TargetInfo();
	LLVMInitializeX86Target();
	LLVMInitializeX86TargetMC();
	LLVMInitializeX86AsmPrinter();
	LLVMInitializeX86AsmParser();
}

static void
init_aarch64(void)
{
	LLVMInitializeAArch64TargetInfo();
	LLVMInitializeAArch64Target();
	LLVMInitializeAArch64TargetMC();
	LLVMInitializeAArch64AsmPrinter();
	LLVMInitializeAArch64AsmParser();
}

static void
init_riscv(void)
{
	LLVMInitializeRISCVTargetInfo();
	LLVMInitializeRISCVTarget();
	LLVMInitializeRISCVTargetMC();
	LLVMInitializeRISCVAsmPrinter();
	LLVMInitializeRISCVAsmParser();
}

static const struct {
	const char *name;
	void (*init)(void);
} targets[] = {
	{"x86_64", init_x86},    {"x86-64", init_x86},
	{"amd64", init_x86},     {"aarch64", init_aarch64},
	{"arm64", init_aarch64}, {"riscv64", init_riscv},
};

const char *
llvm_target_names(void)
{
	return "x86_64 aarch64 riscv64 bang";
}

const char *
llvm_host_cpu(void)
{
	static char name[64];
	char *cpu = LLVMGetHostCPUName();

	strncpy(name, cpu, sizeof(name) - 1);
	LLVMDisposeMessage(cpu);
	return name;
}

/* "aarch64" alone means Linux on it. */
static char *
full_triple(const char *triple)
{
	char *given, *normal;

	if (!triple)
		return LLVMGetDefaultTargetTriple();
	if (strchr(triple, '-') && strcmp(triple, "x86-64"))
		return LLVMNormalizeTargetTriple(triple);
	if (!strcmp(triple, "x86-64") || !strcmp(triple, "amd64"))
		triple = "x86_64";
	if (!strcmp(triple, "arm64"))
		triple = "aarch64";
	given = xmalloc(strlen(triple) + 32);
	strcpy(given, triple);
	strcat(given, "-unknown-linux-gnu");
	normal = LLVMNormalizeTargetTriple(given);
	free(given);
	return normal;
}

static bool
init_target(const char *triple, struct diag *d)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		if (!strncmp(triple, targets[i].name,
			     strlen(targets[i].name))) {
			targets[i].init();
			return true;
		}
	diag_error(d, LOC_NONE, "unknown target '%s'", triple);
	diag_note(d, LOC_NONE, "targets are %s", llvm_target_names());
	return false;
}

static bool
is_host(const char *triple)
{
	char *host = LLVMGetDefaultTargetTriple();
	size_t n = strcspn(host, "-");
	bool same = !strncmp(host, triple, n) && triple[n] == '-';

	LLVMDisposeMessage(host);
	return same;
}

static char *
copy(const char *s)
{
	char *c = xmalloc(strlen(s) + 1);

	return strcpy(c, s);
}

/* Given features after those of the CPU, so that they win. */
static char *
join(char *first, const char *second)
{
	size_t n = strlen(first);
	char *s;

	if (!second || !*second)
		return first;
	s = xmalloc(n + strlen(second) + 2);
	strcpy(s, first);
	strcat(s, n ? "," : "");
	strcat(s, second);
	free(first);
	return s;
}

/* What every machine that runs Linux has, where the generic one lacks it. */
static const char *
usual_features(const char *triple)
{
	return strncmp(triple, "riscv64", 7) ? "" : "+m,+a,+f,+d,+c";
}

static bool
choose_cpu(struct llvm_unit *u, const struct llvm_options *o, struct diag *d)
{
	char *features;

	if (!o->cpu || strcmp(o->cpu, "native")) {
		u->cpu = copy(o->cpu ? o->cpu : "");
		u->features =
			join(copy(usual_features(u->triple)), o->features);
		return true;
	}
	if (!is_host(u->triple)) {
		diag_error(d, LOC_NONE, "cpu 'native' is not of target '%s'",
			   u->triple);
		return false;
	}
	u->cpu = copy(llvm_host_cpu());
	features = LLVMGetHostCPUFeatures();
	u->features = join(copy(features), o->features);
	LLVMDisposeMessage(features);
	return true;
}

static LLVMCodeGenOptLevel
codegen_level(int level)
{
	static const LLVMCodeGenOptLevel levels[] = {
		LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
		LLVMCodeGenLevelDefault, LLVMCodeGenLevelAggressive};

	return levels[level < 0 ? 0 : level > 3 ? 3 : level];
}

static LLVMTargetMachineRef
machine_of(LLVMTargetRef t, const struct llvm_unit *u,
	   const struct llvm_options *o)
{
	LLVMTargetMachineOptionsRef options = LLVMCreateTargetMachineOptions();
	LLVMTargetMachineRef tm;

	LLVMTargetMachineOptionsSetCPU(options, u->cpu);
	LLVMTargetMachineOptionsSetFeatures(options, u->features);
	LLVMTargetMachineOptionsSetCodeGenOptLevel(options,
						   codegen_level(o->level));
	LLVMTargetMachineOptionsSetRelocMode(options, LLVMRelocPIC);
	if (!strncmp(u->triple, "riscv64", 7))
		LLVMTargetMachineOptionsSetABI(options, "lp64d");
	tm = LLVMCreateTargetMachineWithOptions(t, u->triple, options);
	LLVMDisposeTargetMachineOptions(options);
	return tm;
}

static bool
find_target(const struct llvm_unit *u, LLVMTargetRef *t, struct diag *d)
{
	char *error = NULL;

	if (!LLVMGetTargetFromTriple(u->triple, t, &error))
		return true;
	diag_error(d, LOC_NONE, "%s", error);
	LLVMDisposeMessage(error);
	return false;
}

bool
lgen_machine(struct llvm_unit *u, const struct llvm_options *o, struct diag *d)
{
	LLVMTargetRef t;

	u->triple = full_triple(o->triple);
	if (!init_target(u->triple, d) || !choose_cpu(u, o, d) ||
	    !find_target(u, &t, d))
		return false;
	u->tm = machine_of(t, u, o);
	if (!u->tm)
		diag_error(d, LOC_NONE, "no machine for target '%s'",
			   u->triple);
	return u->tm != NULL;
}

/* ----------------------------------------------------------- the child -- */

/* Code for a function that does nothing, which makes LLVM use the machine. */
static int
emit_nothing(LLVMTargetMachineRef tm)
{
	LLVMModuleRef mod = LLVMModuleCreateWithName("probe");
	LLVMBuilderRef b = LLVMCreateBuilder();
	LLVMTypeRef type = LLVMFunctionType(LLVMVoidType(), NULL, 0, false);
	LLVMValueRef fn = LLVMAddFunction(mod, "probe", type);
	LLVMMemoryBufferRef mem;
	char *error;

	LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlock(fn, ""));
	LLVMBuildRetVoid(b);
	return LLVMTargetMachineEmitToMemoryBuffer(tm, mod, LLVMObjectFile,
						   &error, &mem);
}

static void
try_machine(LLVMTargetRef t, const struct llvm_unit *u,
	    const struct llvm_options *o, int err)
{
	LLVMTargetMachineRef tm;

	signal(SIGABRT, SIG_DFL);
	dup2(err, 2);
	tm = machine_of(t, u, o);
	_exit(!tm || emit_nothing(tm));
}

static void
read_all(int fd, struct buf *out)
{
	char piece[4096];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0 ||
	       (n < 0 && errno == EINTR))
		if (n > 0)
			buf_put(out, piece, (size_t)n);
	buf_putc(out, '\0');
}

/* What LLVM said first, without what it means to do about it. */
static void
report(struct buf *said, struct diag *d)
{
	static const char fatal[] = "LLVM ERROR: ";
	char *text = said->at, *doing;

	text[strcspn(text, "\n")] = '\0';
	if (!strncmp(text, fatal, strlen(fatal)))
		text += strlen(fatal);
	doing = strstr(text, " (ignoring ");
	if (doing)
		*doing = '\0';
	diag_error(d, LOC_NONE, "LLVM: %s",
		   *text ? text : "there is no such machine");
}

static bool
child_agrees(LLVMTargetRef t, const struct llvm_unit *u,
	     const struct llvm_options *o, struct diag *d)
{
	struct buf said = {0};
	int ends[2], status = 0;
	bool ok = true;
	pid_t child;

	if (pipe(ends))
		return true;
	child = fork();
	if (child == 0)
		try_machine(t, u, o, ends[1]);
	close(ends[1]);
	if (child > 0) {
		read_all(ends[0], &said);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
		ok = status == 0 && !strstr(said.at, "(ignoring ");
		if (!ok)
			report(&said, d);
	}
	close(ends[0]);
	buf_free(&said);
	return ok;
}

bool
llvm_has_target(const struct llvm_options *o, struct diag *d)
{
	struct llvm_unit u = {.triple = full_triple(o->triple)};
	LLVMTargetRef t;
	bool ok = init_target(u.triple, d) && choose_cpu(&u, o, d) &&
		  find_target(&u, &t, d) &&
		  ((!o->cpu && !o->features && !o->triple) ||
		   child_agrees(t, &u, o, d));

	LLVMDisposeMessage(u.triple);
	free(u.cpu);
	free(u.features);
	return ok;
}
