/*
 * Target descriptions: a table of processors by prefix of their name.
 */
#include "te/target.h"

#include <stddef.h>
#include <string.h>

/* What of x86 products of bytes need. */
enum simd { SIMD_OTHER, SIMD_SSE42, SIMD_AVX512BW };

struct cpu {
	const char *prefix;
	enum simd simd;
	unsigned vector_bytes;
	unsigned registers;
	bool broadcast_operand;
	unsigned fma_latency;
	unsigned fma_ports;
	int64_t l1_kb;
	int64_t l2_kb;
};

/* The first prefix that fits wins. */
static const struct cpu cpus[] = {
	{"znver1", SIMD_SSE42, 32, 16, false, 5, 2, 32, 512},
	{"znver2", SIMD_SSE42, 32, 16, false, 5, 2, 32, 512},
	{"znver3", SIMD_SSE42, 32, 16, false, 4, 2, 32, 512},
	{"znver", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 1024},
	{"haswell", SIMD_SSE42, 32, 16, false, 5, 2, 32, 256},
	{"broadwell", SIMD_SSE42, 32, 16, false, 5, 2, 32, 256},
	{"skylake-avx512", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 1024},
	{"skylake", SIMD_SSE42, 32, 16, false, 4, 2, 32, 256},
	{"alderlake", SIMD_SSE42, 32, 16, false, 4, 2, 48, 1280},
	{"raptorlake", SIMD_SSE42, 32, 16, false, 4, 2, 48, 2048},
	{"cascadelake", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 1024},
	{"cooperlake", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 1024},
	{"icelake", SIMD_AVX512BW, 64, 32, true, 4, 2, 48, 1280},
	{"tigerlake", SIMD_AVX512BW, 64, 32, true, 4, 2, 48, 1280},
	{"sapphirerapids", SIMD_AVX512BW, 64, 32, true, 4, 2, 48, 2048},
	{"emeraldrapids", SIMD_AVX512BW, 64, 32, true, 4, 2, 48, 2048},
	{"graniterapids", SIMD_AVX512BW, 64, 32, true, 4, 2, 48, 2048},
	{"skx", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 1024},
	{"cannonlake", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 256},
	{"rocketlake", SIMD_AVX512BW, 64, 32, true, 4, 2, 48, 512},
	{"knl", SIMD_SSE42, 64, 32, true, 6, 2, 32, 512},
	{"knm", SIMD_SSE42, 64, 32, true, 6, 2, 32, 512},
	{"core-avx2", SIMD_SSE42, 32, 16, false, 5, 2, 32, 256},
	{"meteorlake", SIMD_SSE42, 32, 16, false, 4, 2, 48, 2048},
	{"arrowlake", SIMD_SSE42, 32, 16, false, 4, 2, 48, 2048},
	{"lunarlake", SIMD_SSE42, 32, 16, false, 4, 2, 48, 2048},
	{"pantherlake", SIMD_SSE42, 32, 16, false, 4, 2, 48, 2048},
	{"gracemont", SIMD_SSE42, 32, 16, false, 4, 2, 32, 2048},
	{"sierraforest", SIMD_SSE42, 32, 16, false, 4, 2, 32, 2048},
	{"grandridge", SIMD_SSE42, 32, 16, false, 4, 2, 32, 2048},
	{"clearwaterforest", SIMD_SSE42, 32, 16, false, 4, 2, 32, 2048},
	{"x86-64-v4", SIMD_AVX512BW, 64, 32, true, 4, 2, 32, 1024},
	{"x86-64-v3", SIMD_SSE42, 32, 16, false, 4, 2, 32, 256},
	{"cortex-a5", SIMD_OTHER, 16, 32, true, 4, 1, 32, 256},
	{"cortex-a", SIMD_OTHER, 16, 32, true, 4, 2, 64, 512},
	{"neoverse", SIMD_OTHER, 16, 32, true, 4, 2, 64, 1024},
	{"apple-", SIMD_OTHER, 16, 32, true, 4, 4, 128, 4096},
	{"generic-rv", SIMD_OTHER, 16, 32, true, 4, 1, 32, 256},
	{"nehalem", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"corei7", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"westmere", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"sandybridge", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"ivybridge", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"core-avx-i", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"silvermont", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"slm", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"goldmont", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"tremont", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"x86-64-v2", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"bdver", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
	{"btver2", SIMD_SSE42, 16, 16, false, 4, 2, 32, 256},
};

static const struct cpu generic = {"", SIMD_OTHER, 16, 16, false,
				   4,  2,          32, 256};
static const struct cpu generic_arm = {"", SIMD_OTHER, 16, 32, true,
				       4,  2,          32, 512};

/* Where the word at S ends; blanks in quotes do not end it. */
static const char *
word_end(const char *s)
{
	char quote = 0;

	for (; *s && (quote || *s != ' '); s++) {
		if (*s == '\\' && quote != '\'' && s[1])
			s++;
		else if (quote && *s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
	}
	return s;
}

const char *
te_target_option(const char *text, const char *key, size_t *len)
{
	size_t n = strlen(key);

	while (*text) {
		const char *end = word_end(text);

		if (*text == '-' && strncmp(text + 1, key, n) == 0 &&
		    text[1 + n] == '=') {
			*len = (size_t)(end - text) - n - 2;
			return text + n + 2;
		}
		text = end + strspn(end, " ");
	}
	return NULL;
}

static const struct cpu *
find_named(const char *text)
{
	size_t len = 0;
	const char *name = te_target_option(text, "mcpu", &len);

	for (size_t i = 0; name && i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (!strncmp(name, cpus[i].prefix, strlen(cpus[i].prefix)))
			return &cpus[i];
	return NULL;
}

static const struct cpu *
find_cpu(const char *text)
{
	size_t len = 0;
	const struct cpu *named = find_named(text);
	const char *triple = te_target_option(text, "mtriple", &len);
	const char *attr = te_target_option(text, "mattr", &len);

	if (named)
		return named;
	if (triple &&
	    (!strncmp(triple, "aarch64", 7) || !strncmp(triple, "arm64", 5)))
		return &generic_arm;
	if (attr && strstr(attr, "+avx512f"))
		return find_cpu("-mcpu=x86-64-v4");
	if (attr && strstr(attr, "+avx2"))
		return find_cpu("-mcpu=x86-64-v3");
	return &generic;
}

/*
 * Does the list of -mattr in TEXT, the last word on FEATURE, switch it on (1) or
 * off (-1)? What begins with FEATURE brings it along if it is switched on.
 */
static int
attribute(const char *text, const char *feature)
{
	size_t len = 0, n = strlen(feature);
	const char *s = te_target_option(text, "mattr", &len);
	const char *end = s ? s + len : NULL;
	int found = 0;

	while (s && s < end) {
		size_t word = strcspn(s, ", \"'");
		bool on = *s == '+';

		if (s + word > end)
			word = (size_t)(end - s);
		if (word > n && strncmp(s + 1, feature, n) == 0 &&
		    (on || word == n + 1))
			found = on ? 1 : -1;
		s += word + 1;
	}
	return found;
}

/* FEATURE is there: -mattr decides, else the processor. */
static bool
has(const char *text, bool by_cpu, const char *feature)
{
	int said = attribute(text, feature);

	return said ? said > 0 : by_cpu;
}

/* Other instructions of x86 that are looked at bring SSE 4.2 along. */
static void
find_int8(struct te_target *t)
{
	size_t len;
	const struct cpu *c = find_named(t->text);
	enum simd simd = c ? c->simd : SIMD_OTHER;
	const char *triple = te_target_option(t->text, "mtriple", &len);
	bool avx512, x86 = !triple || !strncmp(triple, "x86_64", 6);

	if (!x86 || strncmp(t->text, "llvm", 4) != 0)
		return;
	avx512 = has(t->text, simd == SIMD_AVX512BW, "avx512bw") &&
		 attribute(t->text, "avx512f") >= 0;
	t->int8_pairs = avx512 || attribute(t->text, "avx") > 0 ||
			has(t->text, simd != SIMD_OTHER, "sse4.2");
	t->int8_wide = avx512 || attribute(t->text, "amx-int8") > 0;
}

struct te_target
te_target_parse(const char *text)
{
	const struct cpu *c = find_cpu(text ? text : "llvm");
	struct te_target t = {
		.text = text ? text : "llvm",
		.kind = TE_TARGET_CPU,
		.vector_bytes = c->vector_bytes,
		.registers = c->registers,
		.broadcast_operand = c->broadcast_operand,
		.fma_latency = c->fma_latency,
		.fma_ports = c->fma_ports,
		.l1_bytes = c->l1_kb * 1024,
		.l2_bytes = c->l2_kb * 1024,
	};

	if (!strncmp(t.text, "bang", 4))
		t.kind = TE_TARGET_BANG;
	find_int8(&t);
	return t;
}

unsigned
te_target_lanes(const struct te_target *t, struct dtype type)
{
	size_t size = dtype_size(type);

	return size && size < t->vector_bytes
		       ? (unsigned)(t->vector_bytes / size)
		       : 1;
}
