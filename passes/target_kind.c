/*
 * Kinds of targets: a table of TVM's, and "bang".
 */
#include "passes/target_kind.h"

#include <string.h>

#include "support/buf.h"
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

static size_t
kind_length(const char *target)
{
	return strcspn(target, " \t\n");
}

static const struct target_kind *
find_kind(const char *target)
{
	size_t len = kind_length(target);

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

bool
target_check(const char *option, const char *target, struct diag *d)
{
	struct buf name = {0}, all = {0};
	struct suggest s;

	if (find_kind(target))
		return true;
	buf_put(&name, target, kind_length(target));
	buf_putc(&name, '\0');
	suggest_start(&s, name.at);
	for (size_t i = 0; i < nkinds; i++) {
		buf_printf(&all, "%s%s", i ? "|" : "", kinds[i].name);
		suggest_offer(&s, kinds[i].name);
	}
	diag_error(d, LOC_NONE, "option '%s': '%s' is none of %s%s", option,
		   name.at, all.at, suggest_text(&s));
	buf_free(&name);
	buf_free(&all);
	return false;
}
