/*
 * Arena, interned names, vectors, buffers, sources, suggestions.
 */
#include <string.h>

#include "support/arena.h"
#include "support/buf.h"
#include "support/hash.h"
#include "support/hashset.h"
#include "support/intern.h"
#include "support/source.h"
#include "support/suggest.h"
#include "support/vec.h"
#include "test/unit/unit.h"

static void
test_arena(void)
{
	struct arena a = {0};
	char *first = arena_alloc(&a, 3);
	char *big;

	CHECK(((uintptr_t)first & 7) == 0);
	CHECK(arena_alloc(&a, 0) != NULL);
	big = arena_alloc(&a, 10 * 1000 * 1000);
	CHECK(big[0] == 0 && big[10 * 1000 * 1000 - 1] == 0);
	memset(big, 'x', 10 * 1000 * 1000);
	CHECK(first[0] == 0 && first[2] == 0);
	CHECK(strcmp(arena_printf(&a, "%s-%d", "n", 7), "n-7") == 0);
	CHECK(strcmp(arena_strndup(&a, "abcdef", 3), "abc") == 0);
	arena_reset(&a);
	for (int i = 0; i < 1000; i++) {
		char *p = arena_alloc(&a, 100);

		CHECK(p[0] == 0 && p[99] == 0);
		memset(p, 1, 100);
	}
	arena_free(&a);
	CHECK(a.blocks == NULL);
}

static void
test_intern(void)
{
	struct arena a = {0};
	struct interner in;
	const char *names[5000];
	char text[32];

	interner_init(&in, &a);
	CHECK(intern_find(&in, "x0", 2) == NULL);
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "x%d", i);
		names[i] = intern_str(&in, text);
	}
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof text, "x%d", i);
		CHECK(intern(&in, text, strlen(text)) == names[i]);
		CHECK(intern_len(names[i]) == strlen(text));
	}
	CHECK(in.count == 5000);
	CHECK(intern(&in, "a\0b", 3) != intern_str(&in, "a"));
	CHECK(intern_len(intern(&in, "a\0b", 3)) == 3);
	interner_free(&in);
	arena_free(&a);
}

static void
test_vec(void)
{
	VEC(int) v = {0};

	for (int i = 0; i < 1000; i++)
		vec_push(&v, i * i);
	CHECK(v.len == 1000 && v.at[999] == 999 * 999);
	CHECK(vec_pop(&v) == 999 * 999);
	CHECK(vec_last(&v) == 998 * 998);
	vec_clear(&v);
	CHECK(v.len == 0 && v.cap >= 1000);
	vec_free(&v);
	CHECK(v.at == NULL && v.cap == 0);
}

static void
test_buf(void)
{
	struct buf b = {0};

	buf_puts(&b, "x = ");
	buf_int(&b, -9223372036854775807LL - 1);
	buf_putc(&b, ';');
	CHECK(strcmp(b.at, "x = -9223372036854775808;") == 0);
	b.len = 0;
	for (int i = 0; i < 3000; i++)
		buf_printf(&b, "%d,", i % 10);
	CHECK(b.len == 6000 && b.at[b.len] == 0);
	CHECK(memcmp(b.at + 5990, "5,6,7,8,9,", 10) == 0);
	buf_fill(&b, ' ', 3);
	CHECK(b.len == 6003);
	buf_free(&b);
}

static void
test_source(void)
{
	struct source s;
	unsigned line, column;
	size_t len;
	const char *text;

	source_init(&s, "f", "one\ntwo\r\n\nlast", 14);
	source_position(&s, 0, &line, &column);
	CHECK(line == 1 && column == 1);
	source_position(&s, 4, &line, &column);
	CHECK(line == 2 && column == 1);
	source_position(&s, 13, &line, &column);
	CHECK(line == 4 && column == 4);
	text = source_line(&s, 1, &len);
	CHECK(len == 3 && memcmp(text, "one", 3) == 0);
	text = source_line(&s, 4, &len);
	CHECK(len == 4 && memcmp(text, "last", 4) == 0);
	source_free(&s);
}

static void
test_suggest(void)
{
	struct suggest s;

	suggest_start(&s, "nn.relo");
	suggest_offer(&s, "nn.softmax");
	suggest_offer(&s, "nn.relu");
	suggest_offer(&s, "nn.prelu");
	CHECK(suggest_best(&s) && strcmp(suggest_best(&s), "nn.relu") == 0);
	CHECK(strcmp(suggest_text(&s), "; did you mean 'nn.relu'?") == 0);
	suggest_start(&s, "completely-else");
	suggest_offer(&s, "nn.relu");
	CHECK(suggest_best(&s) == NULL);
	CHECK(strcmp(suggest_text(&s), "") == 0);
}

/* Hashes are part of what is stored: the numbers must never change. */
static void
test_hash(void)
{
	CHECK(hash_bytes("relay", 5) == hash_bytes("relay", 5));
	CHECK(hash_bytes("", 0) != hash_bytes("\0", 1));
	CHECK(hash_mix(1, 2) != hash_mix(2, 1));
}

struct tens {
	int n;
};

/* Numbers are the same if their tens are. */
static bool
same_tens(const void *item, const void *key)
{
	const struct tens *a = item, *b = key;

	return a->n / 10 == b->n / 10;
}

/* One of each is kept, also among those with one hash, and when it grows. */
static void
test_hashset(void)
{
	static struct tens all[5000];
	struct hashset s = {0};

	for (int i = 0; i < 5000; i++) {
		const void **place;

		all[i].n = i;
		place = hashset_place(&s, (uint64_t)(i / 10 % 7), same_tens,
				      &all[i]);
		CHECK(i % 10 == 0 ? *place == NULL
				  : *place == &all[i - i % 10]);
		*place = &all[i - i % 10];
	}
	CHECK(s.count == 500);
	for (int i = 0; i < 5000; i++)
		CHECK(*hashset_place(&s, (uint64_t)(i / 10 % 7), same_tens,
				     &all[i]) == &all[i - i % 10]);
	CHECK(s.count == 500);
	hashset_free(&s);
	CHECK(s.slots == NULL && s.count == 0);
}

int
main(void)
{
	test_arena();
	test_intern();
	test_vec();
	test_buf();
	test_source();
	test_suggest();
	test_hash();
	test_hashset();
	return unit_result();
}
