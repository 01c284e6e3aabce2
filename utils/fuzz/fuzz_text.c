/*
 * Fuzzes the reader of Relay text. Whatever the bytes are, reading ends with
 * a module or with errors; a module that verifies prints, the text reads back
 * to an equal module, and printing that gives the same bytes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ir/equal.h"
#include "ir/infer.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/verify.h"
#include "parser/parser.h"
#include "utils/fuzz/fuzz.h"

static const struct print_options plain = {
	.types = PRINT_TYPES_NONE,
};
static const struct ir_equal_options exactly;

static void
complain(const char *what, const struct buf *first, const struct buf *second)
{
	fprintf(stderr, "%s\n--- first\n%s\n--- second\n%s\n", what,
		first->at ? first->at : "", second->at ? second->at : "");
	abort();
}

/*
 * From five attributes on, TVM's maps iterate in an order that depends on the
 * order of insertion where hashes collide.
 */
static bool
has_many_attributes(const struct buf *text)
{
	unsigned n = 0;

	for (size_t i = 0; i < text->len; i++) {
		if (text->at[i] == '\n')
			n = 0;
		else if (text->at[i] == '=' && ++n > 4)
			return true;
	}
	return false;
}

/* Read TEXT, which was printed from M, again: it must say the same. */
static void
read_back(ir_context *cx, ir_module *m, const struct buf *text)
{
	struct source s;
	struct diag d;
	struct buf again = {0};
	ir_module *copy;

	source_init(&s, "printed", text->at, text->len);
	d = silent(&s);
	copy = parse_module(cx, &s, &d, NULL);
	if (!copy)
		complain("the printed text does not read", text, &again);
	ir_print_module(&again, copy, &plain);
	if (again.len != text->len ||
	    (memcmp(again.at, text->at, text->len) != 0 &&
	     !has_many_attributes(text)))
		complain("the text changes when printed again", text, &again);
	if (!ir_module_equal(m, copy, &exactly, NULL))
		complain("the module read back is another", text, &again);
	buf_free(&again);
	ir_module_free(copy);
	source_free(&s);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ir_context *cx = ir_context_new();
	struct source s;
	struct diag d;
	struct buf text = {0};
	ir_module *m;

	source_init(&s, "fuzz", (const char *)data, size);
	d = silent(&s);
	m = parse_module(cx, &s, &d, NULL);
	if (!m && !d.errors)
		complain("no module and no error", &text, &text);
	if (m && ir_verify_module(m, &d)) {
		ir_print_module(&text, m, &plain);
		read_back(cx, m, &text);
		ir_infer_module(m, &d);
	}
	buf_free(&text);
	if (m)
		ir_module_free(m);
	source_free(&s);
	ir_context_free(cx);
	return 0;
}
