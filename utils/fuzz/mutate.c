/*
 * Mutates Relay text so that much of it still reads: a word takes the place
 * of another word of its class, which stands elsewhere in the text or in a
 * list. One time in ten the bytes are mutated as the fuzzer does.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ir/op.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most,
			       unsigned seed);

enum class { NUMBER, LOCAL, CALLEE, DTYPE, WORD, CLASSES };

enum { MAX_WORDS = 4096 };

struct word {
	enum class is;
	size_t at;
	size_t len;
};

static const char *const numbers[] = {
	"0",  "1",   "2",    "3",     "4",          "5",
	"7",  "8",   "16",   "17",    "-1",         "-2",
	"64", "255", "1000", "65536", "2147483647", "4294967296",
};

static const char *const dtypes[] = {
	"float32", "float16", "float64", "bfloat16", "int8", "uint8",
	"int16",   "int32",   "int64",   "uint64",   "bool", "int4",
};

static bool
is_word(uint8_t c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '.';
}

static bool
is_dtype(const uint8_t *s, size_t len)
{
	for (size_t i = 0; i < sizeof(dtypes) / sizeof(*dtypes); i++)
		if (strlen(dtypes[i]) == len && memcmp(dtypes[i], s, len) == 0)
			return true;
	return false;
}

static enum class class_of(const uint8_t *s, size_t size, size_t at,
			   size_t len) {
	if (s[at] >= '0' && s[at] <= '9') return at && s[at - 1] == '%'
		? LOCAL
		: NUMBER;
	if (at && s[at - 1] == '%') return LOCAL;
	if (is_dtype(s + at, len)) return DTYPE;
	return at + len < size && s[at + len] == '(' ? CALLEE : WORD;
}

/* The words of the text; comments are no part of it. */
static size_t
find_words(const uint8_t *s, size_t size, struct word *out)
{
	size_t n = 0;

	for (size_t i = 0; i < size && n < MAX_WORDS;) {
		size_t at = i;

		if (s[i] == '/' && i + 1 < size && s[i + 1] == '/') {
			while (i < size && s[i] != '\n')
				i++;
			continue;
		}
		while (i < size && is_word(s[i]))
			i++;
		if (i == at) {
			i++;
			continue;
		}
		out[n++] = (struct word){class_of(s, size, at, i - at), at,
					 i - at};
	}
	return n;
}

/* Put LEN bytes at TEXT in the place of W; the new size. */
static size_t
replace(uint8_t *data, size_t size, size_t most, const struct word *w,
	const char *text, size_t len)
{
	size_t rest = size - w->at - w->len;

	if (size - w->len + len > most)
		return size;
	memmove(data + w->at + len, data + w->at + w->len, rest);
	memcpy(data + w->at, text, len);
	return size - w->len + len;
}

/* A word for the class from a list, or NULL. */
static const char *
from_list(enum class is, unsigned random)
{
	if (is == NUMBER)
		return numbers[random % (sizeof(numbers) / sizeof(*numbers))];
	if (is == DTYPE)
		return dtypes[random % (sizeof(dtypes) / sizeof(*dtypes))];
	if (is == CALLEE)
		return ir_op_info((enum op_id)(random % OP_UNKNOWN))->name;
	return NULL;
}

size_t
LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
	static struct word words[MAX_WORDS];
	size_t n = seed % 10 ? find_words(data, size, words) : 0;
	const struct word *to, *from = NULL;
	const char *listed;
	char copy[256];

	if (n == 0)
		return LLVMFuzzerMutate(data, size, most);
	srand(seed);
	to = &words[(size_t)rand() % n];
	listed = rand() % 2 ? from_list(to->is, (unsigned)rand()) : NULL;
	if (listed)
		return replace(data, size, most, to, listed, strlen(listed));
	for (int i = 0; i < 64 && !from; i++) {
		from = &words[(size_t)rand() % n];
		if (from->is != to->is || from->len > sizeof(copy))
			from = NULL;
	}
	if (!from)
		return LLVMFuzzerMutate(data, size, most);
	memcpy(copy, data + from->at, from->len);
	return replace(data, size, most, to, copy, from->len);
}
