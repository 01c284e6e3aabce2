/*
 * Loops to BANG-C.
 */
#include "codegen/bangc/bangc.h"

#include "ir/module.h"
#include "ir/tir.h"

bool
bangc_emit(struct buf *out, const ir_module *m, struct diag *d)
{
	buf_puts(out, "#include <bang.h>\n#include <cnrt.h>\n");
	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];

		if (def->kind != DEF_TIR)
			continue;
		diag_error(d, def->loc,
			   "kernel '@%s' is neither element-wise nor "
			   "injective; this version has no BANG-C for it",
			   def->name);
		return false;
	}
	return true;
}
