/*
 * Kinds of targets: a table of TVM's, and "bang"; and tags.
 */
#include "passes/target_kind.h"

#include <string.h>

#include "support/options.h"
#include "support/suggest.h"

static const struct target_kind {
	const char *name;
	int device; /* as TVM numbers them; -1: it has no number */
} kinds[] = {
	{"llvm", 1},     {"bang", -1},       {"c", 1},        {"cuda", 2},
	{"nvptx", 2},    {"rocm", 10},       {"opencl", 4},   {"metal", 8},
	{"vulkan", 7},   {"webgpu", 15},     {"hexagon", 14}, {"aocl", 5},
	{"sdaccel", 4},  {"aocl_sw_emu", 5}, {"stackvm", 1},  {"hybrid", 1},
	{"ext_dev", 12}, {"composite", 1},   {"test", 1},     {"ccompiler", 1},
	{"cmsis-nn", 1}, {"ethos-u", 1},     {"cutlass", 2},  {"tensorrt", 2},
	{"mrvl", 1},
};

enum { nkinds = sizeof(kinds) / sizeof(*kinds) };

/* clang-format off */
#define BLOCK(threads, shared) \
	" -max_threads_per_block=" threads \
	" -max_shared_memory_per_block=" shared " -thread_warp_size=32"
#define NVIDIA(arch, registers) \
	" -arch=sm_" arch BLOCK("1024", "49152") \
	" -registers_per_block=" registers
#define HOST(triple, cpu) " -host=\"llvm -mtriple=" triple " -mcpu=" cpu
#define PI \
	"llvm -mcpu=cortex-a72 -mtriple=aarch64-linux-gnu -mattr=+neon " \
	"-num-cores=4"

#define TAG(name, text) {name, text},
#define CUDA(name, arch, registers, more) \
	TAG("nvidia/" name, "cuda -keys=cuda,gpu" NVIDIA(arch, registers) more)
#define JETSON(name, arch, cpu, cores) \
	TAG("nvidia/" name, "cuda" NVIDIA(arch, "65536") \
	    HOST("aarch64-linux-gnu", cpu) " -num-cores=" cores "\"")
#define METAL(name, threads) \
	TAG("apple/" name, "metal" BLOCK(threads, "32768") \
	    HOST("arm64-apple-macos", "apple-latest") "\"")
#define AWS(name, cpu, cores) \
	TAG("aws/cpu/" name, \
	    "llvm -keys=x86,cpu -mcpu=" cpu " -num-cores=" cores)
/* clang-format on */

static const struct target_tag {
	const char *name;
	const char *text;
} tags[] = {
#include "passes/target_tags.def"
};

enum { ntags = sizeof(tags) / sizeof(*tags) };

static const struct target_kind *
find_kind(const char *target)
{
	size_t len = strcspn(target, " ");

	for (size_t i = 0; i < nkinds; i++)
		if (strlen(kinds[i].name) == len &&
		    memcmp(kinds[i].name, target, len) == 0)
			return &kinds[i];
	return NULL;
}

int
target_device_type(const char *target)
{
	const struct target_kind *k = find_kind(target);

	return k ? k->device : -1;
}

const char *
target_tag_text(const char *name)
{
	for (size_t i = 0; i < ntags; i++)
		if (strcmp(tags[i].name, name) == 0)
			return tags[i].text;
	return NULL;
}

bool
target_check_kind(const char *option, const char *kind, struct diag *d)
{
	struct buf all = {0};
	struct suggest s;

	if (find_kind(kind))
		return true;
	suggest_start(&s, kind);
	for (size_t i = 0; i < nkinds; i++) {
		buf_printf(&all, "%s%s", i ? "|" : "", kinds[i].name);
		suggest_offer(&s, kinds[i].name);
	}
	for (size_t i = 0; i < ntags; i++)
		suggest_offer(&s, tags[i].name);
	if (strchr(kind, '/'))
		diag_error(d, LOC_NONE,
			   "option '%s': '%s' is not the tag of a target%s",
			   option, kind, suggest_text(&s));
	else
		diag_error(d, LOC_NONE, "option '%s': '%s' is none of %s%s",
			   option, kind, all.at, suggest_text(&s));
	diag_note(d, LOC_NONE, "relay-opt --help=targets lists kinds and tags");
	buf_free(&all);
	return false;
}

/* How long the beginning of TEXT is that tells the machine. */
static int
length_shown(const char *text)
{
	static const char *const rest[] = {" -max_", " -num-cores",
					   " -mtriple"};
	size_t len = strlen(text);

	for (size_t i = 0; i < sizeof(rest) / sizeof(*rest); i++) {
		const char *end = strstr(text, rest[i]);

		if (end && (size_t)(end - text) < len)
			len = (size_t)(end - text);
	}
	return (int)len;
}

void
target_list(struct buf *out)
{
	struct buf names = {0};

	for (size_t i = 0; i < nkinds; i++)
		buf_printf(&names, "%s%s", i ? ", " : "", kinds[i].name);
	buf_puts(out, "Kinds, with options behind (llvm -mcpu=cascadelake) or "
		      "as JSON\n({\"kind\": \"llvm\", \"mcpu\": "
		      "\"cascadelake\"}):\n\n  ");
	options_wrap(out, names.at, 2);
	buf_puts(out, "\nTags, with what they stand for:\n\n");
	for (size_t i = 0; i < ntags; i++)
		buf_printf(out, "  %-32s %.*s\n", tags[i].name,
			   length_shown(tags[i].text), tags[i].text);
	buf_free(&names);
}
