/*
 * Every beginning of a text, in a block of just its size: texts are not
 * zero-terminated, and no reader may look beyond the end. That is for builds
 * with sanitizers to see; here, at least nothing hangs or crashes.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/module.h"
#include "parser/parser.h"
#include "test/unit/unit.h"

static const char text[] =
	"#[version = \"0.0.5\"]\n"
	"type T[A] { C(A), N } /* a /* b */ c */\n"
	"def @f[A](%x {virtual_device=VirtualDevice(device_type=1, "
	"virtual_device_id=0, target=Target(id=1, keys={'cpu'}), "
	"memory_scope='global')}: Tensor[(2, ?), float32], %y: T[A], "
	"Primitive=1, name=\"a\\\"b\") -> Tensor[(2, ?), float32] {\n"
	"  let %z: int64 = 12i64; // a comment\n"
	"  %0 = add(%x, -1.5e-3f) /* ty=Tensor[(2, ?), float32] */;\n"
	"  if (True) { %0 } else { match? (%y) { C(_) => meta[relay.Constant]"
	"[0], N => (%0, 0x1p3f64).0 } }\n"
	"}\n"
	"te @g(%x: Tensor[(4), float32]) {\n"
	"  attr \"k\" = \"v\";\n"
	"  compute a(i: 4): float32 = %x[i] + 1f32;\n"
	"  return a;\n"
	"}\n"
	"schedule @g for \"llvm -mcpu=native\" { stage a { vectorize i; } }\n"
	"#[metadata]\n"
	"{\"root\": 1, \"nodes\": [{\"type_key\": \"\"}], \"attrs\": {}}";

int
main(void)
{
	for (size_t n = 0; n < sizeof(text); n++) {
		ir_context *cx = ir_context_new();
		char *copy = malloc(n ? n : 1);
		struct source s;
		struct diag d;
		ir_module *m;

		memcpy(copy, text, n);
		source_init(&s, "prefix", copy, n);
		diag_init(&d, "prefixes", &s);
		d.quiet = true;
		m = parse_module(cx, &s, &d, NULL);
		CHECK(m || d.errors);
		if (m)
			ir_module_free(m);
		source_free(&s);
		ir_context_free(cx);
		free(copy);
	}
	return unit_result();
}
