/*
 * relay-llc: from a module at any level to code.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "codegen/bangc/bangc.h"
#include "codegen/interface.h"
#include "codegen/link.h"
#include "codegen/llvm/llvm.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/tensor.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "passes/input.h"
#include "passes/lower.h"
#include "passes/pass_options.h"
#include "passes/target_text.h"
#include "support/outfile.h"
#include "support/tool.h"
#include "te/target.h"

enum emit {
	EMIT_LLVM,
	EMIT_LL,
	EMIT_BC,
	EMIT_ASM,
	EMIT_OBJ,
	EMIT_STATIC,
	EMIT_SHARED,
	EMIT_LIB,
	EMIT_BANG,
	EMIT_TE,
	EMIT_TIR,
	EMIT_HEADER,
	EMIT_NULL,
	EMIT_BANG_PROJECT,
	EMIT_C,
	EMIT_CUDA,
	EMIT_BUNDLE,
};

enum { RUNTIME_FULL, RUNTIME_NONE };
enum { CONSTANTS_EMBED, CONSTANTS_FILE };
enum { API_6, API_4 };
enum { FILETYPE_NOT = -1, FILETYPE_ASM, FILETYPE_OBJ, FILETYPE_NULL };

struct llc_options {
	struct tool_options tool;
	struct pass_options passes;
	const char *output;
	const char *header;
	const char *name;
	const char *level;
	const char *triple;
	const char *cpu;
	const char *features;
	const char *llvm_passes;
	const char *relay_passes;
	const char *linker;
	int emit;
	int filetype;
	int runtime;
	int constants;
	const char *bang_arch;
	int bang_keep;
	int bang_shape; /* enum bangc_shape */
	int bang_api;
	const char *bang_split;
	bool bang_host_fallback;
	bool force;
	bool verify_llvm;
};

#define FIELD(name) offsetof(struct llc_options, name)

static const struct option_def table[] = {
	{"Output", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"emit", OPTION_CHOICE, FIELD(emit),
	 "llvm|ll|bc|asm|obj|static|shared|lib|bang|te|tir|header|null|"
	 "bang-project|c|cuda|bundle",
	 NULL, "what to write (llvm)", 0},
	{"filetype", OPTION_CHOICE, FIELD(filetype), "asm|obj|null", NULL,
	 "same as --emit", OPTION_ALIAS},
	{"o", OPTION_TEXT, FIELD(output), "FILE", NULL,
	 "where to (standard output; objects: beside the input)", 0},
	{"f", OPTION_FLAG, FIELD(force), NULL, NULL,
	 "write binary to a terminal", OPTION_HIDDEN},
	{"emit-header", OPTION_TEXT, FIELD(header), "FILE", NULL,
	 "also write the C header of the network", 0},
	{"interface-name", OPTION_TEXT, FIELD(name), "NAME", NULL,
	 "prefix of its symbols (the input's name)", 0},
	{"runtime", OPTION_CHOICE, FIELD(runtime), "full|none", NULL,
	 "none: no threads, no descriptor, just the function", 0},
	{"constants", OPTION_CHOICE, FIELD(constants), "embed|file", NULL,
	 "where constants go; file: NAME.constants", 0},
	{"linker", OPTION_TEXT, FIELD(linker), "CMD", NULL,
	 "what links --emit=shared (cc)", OPTION_HIDDEN},
	{"Target", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"mtriple", OPTION_TEXT, FIELD(triple), "TRIPLE", NULL,
	 "machine: aarch64, riscv64, x86_64-linux-gnu, ... or help", 0},
	{"mcpu", OPTION_TEXT, FIELD(cpu), "CPU", NULL, "processor, or native",
	 0},
	{"mattr", OPTION_TEXT, FIELD(features), "+A,-B", NULL,
	 "features of the processor", 0},
	{"bang-arch", OPTION_TEXT, FIELD(bang_arch), "ARCH", NULL,
	 "mlu270, mlu290, mlu370 (default) or mlu590", 0},
	{"bang-shape", OPTION_CHOICE, FIELD(bang_shape), "launches|single",
	 NULL, "a kernel per primitive, or one for the network", 0},
	{"bang-keep", OPTION_CHOICE, FIELD(bang_keep), "sram|none", NULL,
	 "single: on one cluster with values in its SRAM, or on all", 0},
	{"bang-api", OPTION_CHOICE, FIELD(bang_api), "6|4", NULL,
	 "version of CNRT", 0},
	{"bang-split", OPTION_TEXT, FIELD(bang_split), "N,..", NULL,
	 "single: at most N calls, code=N, params=N bytes", 0},
	{"bang-host-fallback", OPTION_FLAG, FIELD(bang_host_fallback), NULL,
	 NULL, "let the host do what has no BANG-C", 0},
	{"Effort", OPTION_HEADING, 0, NULL, NULL, NULL, 0},
	{"O", OPTION_TEXT, FIELD(level), "0..3", NULL,
	 "0: as it is, unfused; 2 is the default", OPTION_JOINED},
	{"relay-passes", OPTION_TEXT, FIELD(relay_passes), "PIPE", NULL,
	 "run these passes before lowering", 0},
	{"llvm-passes", OPTION_TEXT, FIELD(llvm_passes), "PIPE", NULL,
	 "run these passes of LLVM instead of the level's", OPTION_HIDDEN},
	{"verify-llvm", OPTION_FLAG, FIELD(verify_llvm), NULL, NULL,
	 "let LLVM check the code (true)", OPTION_HIDDEN},
	PASS_OPTIONS(struct llc_options, passes)
		TOOL_OPTIONS(struct llc_options, tool)};

struct llc {
	struct llc_options o;
	struct tool tool;
	struct pass_manager manager;
	struct llvm_options llvm;
	struct bangc_limits most; /* --bang-split */
	const char *input;
	ir_context *cx;
	ir_module *m;
};

static struct diag *
diag_of(struct llc *x)
{
	return &x->tool.diag;
}

static void
begin(struct llc *x, const char *what)
{
	timing_begin(&x->manager.instrument.timing, what);
}

static void
end(struct llc *x)
{
	timing_end(&x->manager.instrument.timing);
}

/* The input's name without folder and suffix. */
static const char *
stem(struct llc *x)
{
	const char *slash = strrchr(x->input, '/');
	char *s;

	if (!strcmp(x->input, "-"))
		return "model";
	s = arena_printf(&x->tool.arena, "%s", slash ? slash + 1 : x->input);
	if (strrchr(s, '.') && strrchr(s, '.') != s)
		*strrchr(s, '.') = '\0';
	return *s ? s : "model";
}

static bool
is_binary(int emit)
{
	return emit == EMIT_BC || emit == EMIT_OBJ || emit == EMIT_STATIC ||
	       emit == EMIT_SHARED;
}

static bool
check_level(struct llc *x)
{
	const char *level = x->o.level ? x->o.level : "2";

	if (strlen(level) == 1 && *level >= '0' && *level <= '3') {
		x->llvm.level = *level - '0';
		return true;
	}
	diag_error(diag_of(x), LOC_NONE, "option '-O': '%s' is none of 0..3",
		   level);
	return false;
}

static bool
check_emit(struct llc *x)
{
	static const int of_filetype[] = {EMIT_ASM, EMIT_OBJ, EMIT_NULL};

	if (x->o.filetype != FILETYPE_NOT)
		x->o.emit = of_filetype[x->o.filetype];
	if (x->o.emit == EMIT_LL)
		x->o.emit = EMIT_LLVM;
	if (x->o.emit == EMIT_LIB)
		x->o.emit = EMIT_SHARED;
	if (x->o.emit >= EMIT_C) {
		diag_error(diag_of(x), LOC_NONE,
			   "this version cannot emit C, CUDA or bundles");
		return false;
	}
	return true;
}

/* Where the output goes: said, beside the input, or to the standard output. */
static bool
check_output(struct llc *x)
{
	static const char *const suffix[] = {[EMIT_BC] = ".bc",
					     [EMIT_OBJ] = ".o",
					     [EMIT_STATIC] = ".a",
					     [EMIT_SHARED] = ".so"};
	int emit = x->o.emit;

	if (!x->o.output && is_binary(emit) && strcmp(x->input, "-") != 0)
		x->o.output = arena_printf(&x->tool.arena, "%s%s", stem(x),
					   suffix[emit]);
	if (!x->o.output)
		x->o.output = "-";
	if (!is_binary(emit) || strcmp(x->o.output, "-") != 0 || x->o.force ||
	    !isatty(1))
		return true;
	diag_error(diag_of(x), LOC_NONE,
		   "this is binary; use -o FILE, or -f for the terminal");
	return false;
}

static bool
is_bang(const struct llc *x)
{
	return x->o.emit == EMIT_BANG || x->o.emit == EMIT_BANG_PROJECT;
}

/* What schedules should know: "llvm -mtriple=.. -mcpu=..". */
static const char *
target_text(struct llc *x)
{
	const struct llvm_options *o = &x->llvm;
	const char *cpu =
		o->cpu && !strcmp(o->cpu, "native") ? llvm_host_cpu() : o->cpu;
	char *s = "llvm";

	if (is_bang(x))
		return "bang";
	if (o->triple)
		s = arena_printf(&x->tool.arena, "%s -mtriple=%s", s,
				 o->triple);
	if (cpu)
		s = arena_printf(&x->tool.arena, "%s -mcpu=%s", s, cpu);
	if (o->features)
		s = arena_printf(&x->tool.arena, "%s -mattr=%s", s,
				 o->features);
	return s;
}

/* The value of "-KEY=" in the target, or NULL. */
static const char *
from_target(struct llc *x, const char *key)
{
	size_t len;
	const char *at = te_target_option(x->o.passes.target, key, &len);

	return at ? arena_strndup(&x->tool.arena, at, len) : NULL;
}

/* --target may say more of the processor, but not another kind of code. */
static bool
read_target(struct llc *x)
{
	struct arena *a = &x->tool.arena;
	const char *target =
		target_read("--target", x->o.passes.target, a, diag_of(x));
	const char *kind;

	if (!target)
		return false;
	x->o.passes.target = target;
	kind = arena_strndup(a, target, strcspn(target, " "));
	if (!strcmp(kind, "llvm") || (is_bang(x) && !strcmp(kind, "bang")))
		return true;
	diag_error(diag_of(x), LOC_NONE,
		   "option '--target': '%s' is not what '--emit' is for, %s",
		   kind, is_bang(x) ? "bang" : "llvm");
	return false;
}

static void
set_target(struct llc *x)
{
	struct llvm_options *o = &x->llvm;

	o->triple = x->o.triple ? x->o.triple : from_target(x, "mtriple");
	o->cpu = x->o.cpu ? x->o.cpu : from_target(x, "mcpu");
	o->features = x->o.features ? x->o.features : from_target(x, "mattr");
	o->passes = x->o.llvm_passes;
	o->no_runtime = x->o.runtime == RUNTIME_NONE;
	o->constants_in_file = x->o.constants == CONSTANTS_FILE;
	o->shared = x->o.emit == EMIT_SHARED;
	o->verify = x->o.verify_llvm;
	o->name = interface_identifier(&x->tool.arena,
				       x->o.name ? x->o.name : stem(x));
	x->o.passes.target = target_text(x);
}

/* Before anything is read: is the machine one that there is? */
static bool
check_target(struct llc *x)
{
	if (is_bang(x))
		return bangc_has_arch(x->o.bang_arch, diag_of(x)) &&
		       bangc_limits_parse(&x->most, x->o.bang_split,
					  x->o.bang_shape, diag_of(x));
	return x->o.emit == EMIT_TE || x->o.emit == EMIT_TIR ||
	       llvm_has_target(&x->llvm, diag_of(x));
}

static bool
write_file(struct llc *x, const char *path, struct buf *text)
{
	bool ok = outfile_write(path, text->at ? text->at : "", text->len,
				diag_of(x));

	buf_free(text);
	return ok;
}

static bool
write_header(struct llc *x, const struct interface *net, size_t arena_bytes,
	     const char *path)
{
	struct buf text = {0};

	interface_header(&text, net, x->llvm.name, (int64_t)arena_bytes,
			 x->llvm.no_runtime);
	return write_file(x, path, &text);
}

static bool
write_constants(struct llc *x, const struct interface *net, const char *path)
{
	struct buf data = {0};

	for (uint32_t i = 0; i < net->nconstants; i++) {
		const struct interface_constant *c = &net->constants[i];

		buf_fill(&data, '\0', (size_t)c->offset - data.len);
		if (c->data)
			buf_put(&data, c->data->data, c->data->nbytes);
	}
	buf_fill(&data, '\0', (size_t)net->constants_bytes - data.len);
	return write_file(x, path, &data);
}

static const char *
constants_path(struct llc *x)
{
	return arena_printf(&x->tool.arena, "%s.constants",
			    strcmp(x->o.output, "-") != 0 ? x->o.output
							  : x->llvm.name);
}

static bool
write_code(struct llc *x, struct llvm_unit *u)
{
	static const enum llvm_kind kinds[] = {
		[EMIT_LLVM] = LLVM_TEXT,     [EMIT_BC] = LLVM_BITCODE,
		[EMIT_ASM] = LLVM_ASSEMBLY,  [EMIT_OBJ] = LLVM_OBJECT,
		[EMIT_STATIC] = LLVM_OBJECT, [EMIT_SHARED] = LLVM_OBJECT};
	enum llvm_kind kind =
		x->o.emit == EMIT_NULL ? LLVM_OBJECT : kinds[x->o.emit];
	struct buf out = {0};
	bool ok;

	begin(x, "LLVM code generation");
	ok = llvm_unit_emit(u, kind, &out, diag_of(x));
	end(x);
	if (ok && x->o.emit == EMIT_STATIC)
		ok = link_archive(&out, x->llvm.name, diag_of(x));
	if (ok && x->o.emit == EMIT_SHARED) {
		ok = link_shared(&out, x->o.output,
				 x->o.linker ? x->o.linker : "cc", diag_of(x));
		buf_free(&out);
		return ok;
	}
	if (ok && x->o.emit != EMIT_NULL)
		return write_file(x, x->o.output, &out);
	buf_free(&out);
	return ok;
}

static bool
generate(struct llc *x)
{
	struct interface net = {0};
	bool network = interface_of(x->m, &net, &x->tool.arena), ok;
	struct llvm_unit *u;

	if (!network && (x->o.header || x->o.emit == EMIT_HEADER)) {
		diag_error(diag_of(x), LOC_NONE,
			   "without '@main' there is no header to write");
		return false;
	}
	if (net.incomplete) {
		diag_error(diag_of(x), LOC_NONE,
			   "a constant of '@main' has no value");
		return false;
	}
	begin(x, "LLVM IR");
	u = llvm_unit_new(x->m, &x->llvm, diag_of(x));
	end(x);
	if (!u)
		return false;
	begin(x, "LLVM passes");
	ok = llvm_unit_optimise(u, &x->llvm, diag_of(x));
	end(x);
	if (ok && x->o.emit == EMIT_HEADER)
		ok = write_header(x, &net, llvm_unit_arena_bytes(u),
				  x->o.output);
	else if (ok)
		ok = write_code(x, u);
	if (ok && x->o.header)
		ok = write_header(x, &net, llvm_unit_arena_bytes(u),
				  x->o.header);
	if (ok && x->llvm.constants_in_file && net.constants_bytes)
		ok = write_constants(x, &net, constants_path(x));
	llvm_unit_free(u);
	return ok;
}

static bool
print_module(struct llc *x)
{
	struct print_options p = {.types = PRINT_TYPES_NONE};
	struct buf text = {0};

	ir_print_module(&text, x->m, &p);
	return write_file(x, x->o.output, &text);
}

/* NAME in the folder that is the output. */
static const char *
in_folder(struct llc *x, const char *end)
{
	return arena_printf(&x->tool.arena, "%s/%s%s", x->o.output,
			    *end == '.' ? x->llvm.name : "", end);
}

/* Kernels, a main program, a Makefile and the constants, in a folder. */
static bool
write_bang_project(struct llc *x, struct buf *text, const struct interface *net,
		   const struct bangc_options *o)
{
	struct buf program = {0}, makefile = {0};
	bool ok;

	if (mkdir(x->o.output, 0777) && errno != EEXIST) {
		diag_error(diag_of(x), LOC_NONE, "cannot make folder '%s': %s",
			   x->o.output, strerror(errno));
		return false;
	}
	bangc_project_main(&program, net, o);
	bangc_project_makefile(&makefile, o);
	ok = write_file(x, in_folder(x, ".mlu"), text);
	ok &= write_file(x, in_folder(x, "main.cpp"), &program);
	ok &= write_file(x, in_folder(x, "Makefile"), &makefile);
	if (net->constants_bytes)
		ok &= write_constants(x, net, in_folder(x, ".constants"));
	return ok;
}

static bool
write_bang(struct llc *x, struct buf *text, const struct interface *net,
	   const struct bangc_options *o)
{
	if (x->o.emit == EMIT_BANG_PROJECT)
		return write_bang_project(x, text, net, o);
	if (net && net->constants_bytes && !strcmp(x->o.output, "-"))
		diag_warning(diag_of(x), LOC_NONE,
			     "the network's constants are not in this text; "
			     "-o FILE writes them to FILE.constants");
	else if (net && net->constants_bytes &&
		 !write_constants(x, net, constants_path(x)))
		return false;
	return write_file(x, x->o.output, text);
}

static bool
emit_bang(struct llc *x)
{
	bool uses_runtime = false;
	struct bangc_options o = {.name = x->llvm.name,
				  .arch = x->o.bang_arch,
				  .shape = x->o.bang_shape,
				  .all_clusters = x->o.bang_keep != 0,
				  .api = x->o.bang_api == API_4 ? 4 : 6,
				  .host_fallback = x->o.bang_host_fallback,
				  .uses_runtime = &uses_runtime,
				  .most = x->most,
				  .remarks = instrument_lists_name(
					  &x->o.passes.remarks, "bang-c")};
	struct interface net = {0};
	bool network = interface_of(x->m, &net, &x->tool.arena);
	struct buf text = {0};

	if (net.incomplete)
		diag_error(diag_of(x), LOC_NONE,
			   "a constant of '@main' has no value");
	else if (x->o.emit == EMIT_BANG_PROJECT &&
		 (!network || !strcmp(x->o.output, "-")))
		diag_error(diag_of(x), LOC_NONE,
			   network ? "a project is a folder: use -o DIR"
				   : "without '@main' there is no project");
	else if (bangc_emit(&text, x->m, network ? &net : NULL, &o, diag_of(x)))
		return write_bang(x, &text, network ? &net : NULL, &o);
	buf_free(&text);
	return false;
}

static bool
compile(struct llc *x)
{
	struct lower_options o = {.before = x->o.relay_passes,
				  .unfused = x->llvm.level == 0,
				  .externals = x->o.bang_host_fallback,
				  .to = LOWER_CALLS};

	if (!ir_verify_module(x->m, diag_of(x)))
		return false;
	if (x->o.emit == EMIT_TE)
		o.to = LOWER_TE;
	if (x->o.emit == EMIT_TIR)
		o.to = LOWER_TIR;
	if (!lower_module(&x->manager, x->m, &o))
		return false;
	if (x->o.emit == EMIT_TE || x->o.emit == EMIT_TIR)
		return print_module(x);
	return is_bang(x) ? emit_bang(x) : generate(x);
}

static bool
process(struct llc *x, struct source *s)
{
	struct parse_options o = PARSE_OPTIONS_DEFAULT;
	bool ok = false;

	diag_of(x)->source = s;
	x->cx = ir_context_new();
	begin(x, "reading");
	x->m = parse_module(x->cx, s, diag_of(x), &o);
	end(x);
	if (x->m) {
		input_use_spans(x->m, diag_of(x));
		ok = compile(x);
		input_use_spans(NULL, diag_of(x));
		ir_module_free(x->m);
	}
	ir_context_free(x->cx);
	diag_of(x)->source = NULL;
	return ok;
}

static void
run(struct llc *x)
{
	struct source s;
	const char *reason;

	if (x->o.triple && !strcmp(x->o.triple, "help")) {
		printf("%s\n", llvm_target_names());
		return;
	}
	x->input = tool_input(&x->tool);
	if (!x->input || !check_emit(x) || !check_level(x) || !check_output(x))
		return;
	if (!read_target(x))
		return;
	set_target(x);
	if (!check_target(x))
		return;
	if (!pass_manager_init(&x->manager, diag_of(x), &x->o.passes,
			       &x->tool.arena))
		return;
	if (!source_open(&s, x->input, &reason)) {
		diag_error(diag_of(x), LOC_NONE, "cannot read '%s': %s",
			   x->input, reason);
		return;
	}
	process(x, &s);
	if (!pass_manager_end(&x->manager) && !diag_of(x)->errors)
		x->tool.status = 1;
	source_free(&s);
}

int
main(int argc, char **argv)
{
	static struct llc x = {.o = {.passes = PASS_OPTIONS_DEFAULT,
				     .filetype = FILETYPE_NOT,
				     .bang_arch = "mlu370",
				     .verify_llvm = true}};

	x.tool.set = (struct option_set){
		.tool = "relay-llc",
		.overview = "compile a Relay module to machine code",
		.usage = "[options] [file]",
		.table = table,
		.count = sizeof(table) / sizeof(*table),
	};
	x.tool.targets = llvm_target_names();
	if (tool_start(&x.tool, argc, argv, &x.o, &x.o.tool))
		run(&x);
	return tool_end(&x.tool);
}
