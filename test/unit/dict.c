/*
 * Dictionaries iterate in the order of TVM's map. The orders below come from a
 * model of its hash table, written apart: chains of what meets, what is moved
 * out of the way, what takes the place of what is removed.
 */
#include <string.h>

#include "ir/attr.h"
#include "ir/module.h"
#include "support/buf.h"
#include "test/unit/unit.h"

static const struct {
	const char *history; /* +KEY: set, -KEY: removed */
	const char *order;
} histories[] = {
	{"+Inline +Inline +hash +global_symbol +hash +kernel_layout "
	 "+global_symbol +global_symbol +kernel_layout -Inline "
	 "+PartitionedFromPattern +Composite",
	 "Composite hash kernel_layout PartitionedFromPattern "
	 "global_symbol"},
	{"+kernel_layout +global_symbol +b +Composite +a +Compiler "
	 "+PartitionedFromPattern +PartitionedFromPattern +b "
	 "+data_layout",
	 "Compiler Composite kernel_layout a b data_layout "
	 "PartitionedFromPattern global_symbol"},
	{"+kernel_layout +PartitionedFromPattern +kernel_layout "
	 "+global_symbol +Primitive +Primitive +hash +Compiler "
	 "-Compiler +x1",
	 "x1 Primitive kernel_layout hash PartitionedFromPattern "
	 "global_symbol"},
	{"+Inline +Compiler +Inline +Composite +hash +global_symbol "
	 "+c +PartitionedFromPattern +PartitionedFromPattern "
	 "+Compiler -Composite +Inline +a",
	 "Compiler Inline hash c a PartitionedFromPattern "
	 "global_symbol"},
	{"+a +Compiler +x2 +Inline +a +Primitive",
	 "Compiler Inline x2 Primitive a"},
	{"+b +Primitive -b +global_symbol +Compiler "
	 "+PartitionedFromPattern +Inline +Compiler +c +Inline "
	 "+Inline +hash +Primitive",
	 "Compiler Primitive hash Inline c PartitionedFromPattern "
	 "global_symbol"},
	{"+Compiler +hash -Compiler +hash +data_layout +b -hash "
	 "+global_symbol +global_symbol +Inline +hash +Primitive "
	 "+hash +global_symbol",
	 "Inline hash Primitive b data_layout global_symbol"},
	{"+a +b +global_symbol +c +global_symbol +Inline -b +c",
	 "global_symbol c Inline a"},
	{"+global_symbol +x1 +Compiler +a +Composite +Inline",
	 "Compiler Composite a Inline x1 global_symbol"},
	{"+Composite +hash +PartitionedFromPattern -Composite +hash "
	 "+Primitive +Composite +PartitionedFromPattern",
	 "Primitive hash Composite PartitionedFromPattern"},
	{"+hash +Primitive +kernel_layout +data_layout "
	 "+PartitionedFromPattern +x3 -kernel_layout +x3 "
	 "+kernel_layout +data_layout +Inline +kernel_layout",
	 "Primitive hash kernel_layout x3 data_layout "
	 "PartitionedFromPattern Inline"},
	{"+c +x2 +Inline +c +a +a +global_symbol",
	 "a c Inline global_symbol x2"},
	{"+c +PartitionedFromPattern +global_symbol +Composite "
	 "+Composite +hash -hash +Primitive +Composite",
	 "c Composite Primitive PartitionedFromPattern global_symbol"},
	{"+Primitive +global_symbol +kernel_layout +a +global_symbol",
	 "a Primitive kernel_layout global_symbol"},
	{"+Compiler +hash +hash +Compiler +Inline +kernel_layout "
	 "+Primitive +kernel_layout +kernel_layout +a -kernel_layout "
	 "+data_layout +hash +x1 +data_layout",
	 "Compiler Inline hash Primitive data_layout x1 a"},
	{"+Compiler +Compiler +global_symbol +a +x1 -Compiler "
	 "+Inline +Primitive +hash",
	 "a Inline hash Primitive x1 global_symbol"},
	{"+Compiler +Primitive +hash +Compiler +c +Inline -c +c "
	 "+data_layout +Inline +global_symbol",
	 "Compiler Primitive hash Inline c data_layout global_symbol"},
	{"+global_symbol +data_layout +Primitive +hash +Compiler "
	 "+kernel_layout +PartitionedFromPattern -global_symbol "
	 "+Compiler +c +x3 +a -PartitionedFromPattern",
	 "Compiler c x3 kernel_layout hash Primitive data_layout a"},
	{"+a +Composite +Compiler +x2 +global_symbol -a "
	 "+PartitionedFromPattern +Compiler +Composite "
	 "+global_symbol",
	 "Compiler Composite x2 PartitionedFromPattern global_symbol"},
	{"+hash +b +Composite +a +Composite +kernel_layout +Inline "
	 "+hash +a +c +global_symbol +PartitionedFromPattern -a +x2 "
	 "+hash",
	 "Composite Inline kernel_layout hash c b "
	 "PartitionedFromPattern global_symbol x2"},
	{"+a +Composite +PartitionedFromPattern "
	 "+PartitionedFromPattern +Primitive -PartitionedFromPattern "
	 "+global_symbol +global_symbol -Composite +Compiler",
	 "Compiler Primitive global_symbol a"},
	{"+global_symbol +global_symbol +Composite +kernel_layout "
	 "-kernel_layout +Composite +b +Inline +Inline +Compiler +x2",
	 "Compiler Composite Inline x2 b global_symbol"},
	{"+hash +Composite +hash +x1 +Primitive +Primitive "
	 "+global_symbol +Composite +Inline -hash +hash +Compiler "
	 "+global_symbol",
	 "Compiler Composite hash Primitive Inline x1 global_symbol"},
	{"+data_layout +b +Primitive +a +kernel_layout "
	 "-kernel_layout +Inline",
	 "Primitive Inline b data_layout a"},
};

static const ir_dict *
play(ir_context *cx, const char *history)
{
	const ir_dict *d = NULL;

	for (const char *s = history; *s;) {
		size_t len = strcspn(s, " ");
		const char *key = ir_name_n(cx, s + 1, len - 1);

		d = *s == '+' ? ir_dict_with(cx, d, key, ATTR_INT32(1))
			      : ir_dict_without(cx, d, key);
		s += len + (s[len] == ' ');
	}
	return d;
}

static bool
has_order(const ir_dict *d, const char *order)
{
	struct buf text = {0};
	bool same;

	for (uint32_t i = 0; i < d->n; i++)
		buf_printf(&text, "%s%s", i ? " " : "", d->entry[i].key);
	same = strcmp(text.at, order) == 0;
	if (!same)
		fprintf(stderr, "%s\n  is not\n%s\n", text.at, order);
	buf_free(&text);
	return same;
}

/* What was written in the order of a dictionary is read in that order. */
static bool
reads_back(ir_context *cx, const ir_dict *d, const char *order)
{
	return has_order(ir_dict_as_written(cx, d->entry, d->n), order);
}

int
main(void)
{
	ir_context *cx = ir_context_new();

	for (size_t i = 0; i < sizeof(histories) / sizeof(*histories); i++) {
		const ir_dict *d = play(cx, histories[i].history);
		const char *key = d->entry[0].key;

		CHECK(has_order(d, histories[i].order));
		CHECK(reads_back(cx, d, histories[i].order));
		d = ir_dict_with(cx, d, key, ATTR_INT32(7));
		CHECK(has_order(d, histories[i].order));
		CHECK(ir_dict_int(d, key, 0) == 7);
	}
	ir_context_free(cx);
	return unit_result();
}
