/*
 * Base64 in pieces, and maps from pointers.
 */
#include "support/base64.h"

#include <string.h>

#include "support/ptrmap.h"
#include "test/unit/unit.h"

/* Encode TEXT in pieces of STEP bytes and compare. */
static bool
encodes(const char *text, size_t step, const char *expected)
{
	struct base64_encoder e = {0};
	struct buf out = {0};
	size_t len = strlen(text);
	bool same;

	for (size_t i = 0; i < len; i += step)
		base64_put(&e, &out, text + i, len - i < step ? len - i : step);
	base64_end(&e, &out);
	same = out.len == strlen(expected) &&
	       memcmp(out.at ? out.at : "", expected, out.len) == 0;
	buf_free(&out);
	return same;
}

static void
test_base64(void)
{
	static const char *const texts[][2] = {
		{"", ""},        {"f", "Zg=="},        {"fo", "Zm8="},
		{"foo", "Zm9v"}, {"foob", "Zm9vYg=="}, {"foobar", "Zm9vYmFy"},
	};
	char back[16];
	size_t size;

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const char *code = texts[i][1];
		size_t len = strlen(texts[i][0]);

		for (size_t step = 1; step < 8; step++)
			CHECK(encodes(texts[i][0], step, code));
		CHECK(base64_text_size(len) == strlen(code));
		CHECK(base64_size(code, strlen(code), &size) && size == len);
		CHECK(base64_decode(back, code, strlen(code)) ==
		      (long long)len);
		CHECK(memcmp(back, texts[i][0], len) == 0);
	}
	CHECK(!base64_size("Zg=", 3, &size));
	CHECK(base64_decode(back, "Zg=", 3) == -1);
	CHECK(base64_decode(back, "Z!==", 4) == -1);
	CHECK(base64_decode(back, "Zg==Zg==", 8) == -1);
	CHECK(base64_decode(back, "====", 4) == -1);
}

static void
test_ptrmap(void)
{
	enum { COUNT = 10000 };
	static char keys[COUNT];
	struct ptrmap m = {0};
	bool is_new;

	CHECK(ptrmap_find(&m, keys) == NULL);
	for (size_t i = 0; i < COUNT; i++) {
		*ptrmap_add(&m, &keys[i], &is_new) = i * 3;
		CHECK(is_new);
	}
	CHECK(m.count == COUNT);
	for (size_t i = 0; i < COUNT; i++) {
		CHECK(*ptrmap_add(&m, &keys[i], &is_new) == i * 3);
		CHECK(!is_new);
	}
	ptrmap_put(&m, &keys[1], &keys[2]);
	CHECK(ptrmap_get(&m, &keys[1]) == &keys[2]);
	CHECK(ptrmap_get(&m, &m) == NULL);
	ptrmap_free(&m);
}

int
main(void)
{
	test_base64();
	test_ptrmap();
	return unit_result();
}
