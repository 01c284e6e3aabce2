/*
 * Names of the network's arrays in the text: those of the Relay parameters,
 * unless they mean something else there.
 */
#include <string.h>

#include "codegen/bangc/internal.h"

/* Words of C++ and BANG-C, and what emitted functions call their own. */
static const char *const taken[] = {
	"alignas",      "alignof",      "and",
	"asm",          "auto",         "bitand",
	"bitor",        "bool",         "break",
	"case",         "catch",        "char",
	"class",        "clusterDim",   "clusterId",
	"clusters",     "all_clusters", "constants",
	"const",        "constexpr",    "const_cast",
	"continue",     "coreDim",      "coreId",
	"decltype",     "default",      "delete",
	"device",       "do",           "done",
	"double",       "dynamic_cast", "else",
	"enum",         "explicit",     "export",
	"extern",       "false",        "float",
	"for",          "friend",       "goto",
	"half",         "if",           "inline",
	"inputs",       "int",          "long",
	"main",         "mutable",      "namespace",
	"new",          "noexcept",     "not",
	"nullptr",      "one_job",      "operator",
	"or",           "outputs",      "packed",
	"private",      "protected",    "public",
	"queue",        "register",     "reinterpret_cast",
	"return",       "short",        "signed",
	"sizeof",       "static",       "static_assert",
	"static_cast",  "status",       "struct",
	"switch",       "taskDim",      "taskDimX",
	"taskDimY",     "taskDimZ",     "taskId",
	"taskIdX",      "taskIdY",      "taskIdZ",
	"tasks",        "template",     "this",
	"thread_local", "throw",        "together",
	"true",         "try",          "typedef",
	"typeid",       "typename",     "union",
	"unsigned",     "using",        "virtual",
	"void",         "volatile",     "wchar_t",
	"while",        "workspace",    "xor",
};

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* Does NAME mean something else, as a word or as a function of N's? */
static bool
is_taken(const struct bang_network *n, const char *name)
{
	for (size_t i = 0; i < sizeof(taken) / sizeof(*taken); i++)
		if (!strcmp(taken[i], name))
			return true;
	for (size_t i = 0; i < n->ncalls; i++)
		if (begins(name, n->calls[i].kernel->name))
			return true;
	return begins(name, n->o->name) || begins(name, "relay_") ||
	       begins(name, "host_") || begins(name, "cnrt") ||
	       begins(name, "__");
}

static bool
is_another(const struct bang_network *n, uint32_t i, const char *name)
{
	for (uint32_t k = 0; k < n->net->ninputs + n->net->noutputs; k++)
		if (k != i && !strcmp(n->net->slots[k].name, name))
			return true;
	return false;
}

const char **
bang_name_slots(const struct bang_network *n)
{
	uint32_t count = n->net->ninputs + n->net->noutputs;
	const char **names = ARENA_NEW_ARRAY(n->arena, count, const char *);

	for (uint32_t i = 0; i < count; i++) {
		names[i] = n->net->slots[i].name;
		if (is_taken(n, names[i]))
			names[i] = arena_printf(n->arena, "arg_%s", names[i]);
		while (names[i] != n->net->slots[i].name &&
		       is_another(n, i, names[i]))
			names[i] = arena_printf(n->arena, "%s_", names[i]);
	}
	return names;
}
