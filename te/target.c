/*
 * Target descriptions: a table of processors by prefix of their name.
 */
#include "te/target.h"

#include <stddef.h>
#include <string.h>

struct cpu {
	const char *prefix;
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
	{"znver1", 32, 16, false, 5, 2, 32, 512},
	{"znver2", 32, 16, false, 5, 2, 32, 512},
	{"znver3", 32, 16, false, 4, 2, 32, 512},
	{"znver", 64, 32, true, 4, 2, 32, 1024},
	{"haswell", 32, 16, false, 5, 2, 32, 256},
	{"broadwell", 32, 16, false, 5, 2, 32, 256},
	{"skylake-avx512", 64, 32, true, 4, 2, 32, 1024},
	{"skylake", 32, 16, false, 4, 2, 32, 256},
	{"alderlake", 32, 16, false, 4, 2, 48, 1280},
	{"raptorlake", 32, 16, false, 4, 2, 48, 2048},
	{"cascadelake", 64, 32, true, 4, 2, 32, 1024},
	{"cooperlake", 64, 32, true, 4, 2, 32, 1024},
	{"icelake", 64, 32, true, 4, 2, 48, 1280},
	{"tigerlake", 64, 32, true, 4, 2, 48, 1280},
	{"sapphirerapids", 64, 32, true, 4, 2, 48, 2048},
	{"emeraldrapids", 64, 32, true, 4, 2, 48, 2048},
	{"graniterapids", 64, 32, true, 4, 2, 48, 2048},
	{"x86-64-v4", 64, 32, true, 4, 2, 32, 1024},
	{"x86-64-v3", 32, 16, false, 4, 2, 32, 256},
	{"cortex-a5", 16, 32, true, 4, 1, 32, 256},
	{"cortex-a", 16, 32, true, 4, 2, 64, 512},
	{"neoverse", 16, 32, true, 4, 2, 64, 1024},
	{"apple-", 16, 32, true, 4, 4, 128, 4096},
	{"generic-rv", 16, 32, true, 4, 1, 32, 256},
};

static const struct cpu generic = {"", 16, 16, false, 4, 2, 32, 256};
static const struct cpu generic_arm = {"", 16, 32, true, 4, 2, 32, 512};

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
find_cpu(const char *text)
{
	size_t len = 0;
	const char *name = te_target_option(text, "mcpu", &len);
	const char *triple = te_target_option(text, "mtriple", &len);
	const char *attr = te_target_option(text, "mattr", &len);

	for (size_t i = 0; name && i < sizeof(cpus) / sizeof(cpus[0]); i++)
		if (!strncmp(name, cpus[i].prefix, strlen(cpus[i].prefix)))
			return &cpus[i];
	if (triple &&
	    (!strncmp(triple, "aarch64", 7) || !strncmp(triple, "arm64", 5)))
		return &generic_arm;
	if (attr && strstr(attr, "+avx512f"))
		return find_cpu("-mcpu=x86-64-v4");
	if (attr && strstr(attr, "+avx2"))
		return find_cpu("-mcpu=x86-64-v3");
	return &generic;
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
