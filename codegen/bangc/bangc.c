/*
 * Loops to BANG-C: one entry kernel and one launcher per primitive.
 */
#include "codegen/bangc/bangc.h"

#include "codegen/bangc/internal.h"
#include "ir/module.h"

/* Helpers that the kernels use. NaN wins in minima and maxima. */
static const char prologue[] =
	"#include <bang.h>\n"
	"#include <cnrt.h>\n"
	"\n"
	"#ifndef LAUNCH\n"
	"#define LAUNCH(kernel, dim, type, queue, ...) \\\n"
	"\tkernel<<<(dim), (type), (queue)>>>(__VA_ARGS__)\n"
	"#endif\n"
	"#define RELAY_NRAM_BYTES (320 * 1024)\n"
	"#define relay_slot(i) ((float *)relay_nram + (i) * tile)\n"
	"\n"
	"__nram__ char relay_nram[RELAY_NRAM_BYTES];\n"
	"\n"
	"__mlu_func__ int relay_min(int a, int b) { return a < b ? a : b; }\n"
	"__mlu_func__ int relay_max(int a, int b) { return a > b ? a : b; }\n"
	"__mlu_func__ int relay_lines(int n) { return (n + 31) / 32 * 32; }\n"
	"__mlu_func__ int relay_floordiv(int a, int b) {\n"
	"\tint q = a / b;\n"
	"\treturn q - (a % b != 0 && (a < 0) != (b < 0));\n"
	"}\n"
	"__mlu_func__ int relay_floormod(int a, int b) {\n"
	"\treturn a - relay_floordiv(a, b) * b;\n"
	"}\n"
	"__mlu_func__ float relay_floormodf(float a, float b) {\n"
	"\treturn a - floorf(a / b) * b;\n"
	"}\n"
	"__mlu_func__ float relay_minf(float a, float b) {\n"
	"\treturn a < b || a != a ? a : b;\n"
	"}\n"
	"__mlu_func__ float relay_maxf(float a, float b) {\n"
	"\treturn a > b || a != a ? a : b;\n"
	"}\n"
	"__mlu_func__ float relay_sigmoid(float x) {\n"
	"\treturn 1.0f / (1.0f + expf(-x));\n"
	"}\n"
	"__mlu_func__ void relay_exp(float *d, float *a, int n) {\n"
	"\t__bang_mul_scalar(d, a, 1.44269504f, n);\n"
	"\t__bang_pow2(d, d, n);\n"
	"}\n"
	"__mlu_func__ void relay_log(float *d, float *a, int n) {\n"
	"\t__bang_log2(d, a, n);\n"
	"\t__bang_mul_scalar(d, d, 0.69314718f, n);\n"
	"}\n"
	"__mlu_func__ void relay_sigmoid_vector(float *d, float *a, int n) {\n"
	"\t__bang_mul_scalar(d, a, -1.44269504f, n);\n"
	"\t__bang_pow2(d, d, n);\n"
	"\t__bang_add_scalar(d, d, 1.0f, n);\n"
	"\t__bang_recip(d, d, n);\n"
	"}\n"
	"__mlu_func__ void relay_div(float *d, float *a, float *b, int n) {\n"
	"#if __BANG_ARCH__ == 372\n"
	"\t__bang_recip(d, b, n);\n"
	"\t__bang_mul(d, a, d, n);\n"
	"#else\n"
	"\t__bang_div(d, a, b, n);\n"
	"#endif\n"
	"}\n";

/* Parameters as the kernel and its launcher take them. */
static bool
put_params(struct buf *out, const tir_func *f, const struct tir_buffer *result)
{
	bool ok = true;

	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct tir_buffer *b = f->params[i].buffer;
		const char *t = b ? bang_type(b->dtype) : NULL;

		ok &= t != NULL;
		buf_printf(out, "%s%s%s *%s", i ? ", " : "",
			   b == result ? "" : "const ", t ? t : "?",
			   b ? b->name : "?");
	}
	return ok;
}

static void
put_launcher(struct buf *out, const tir_func *f,
	     const struct tir_buffer *result)
{
	buf_printf(out,
		   "extern \"C\" int %s_launch(cnrtQueue_t queue, "
		   "int clusters, ",
		   f->name);
	put_params(out, f, result);
	buf_puts(out, ") {\n\tcnrtDim3_t dim = {4, (unsigned)clusters, 1};\n"
		      "\tLAUNCH(");
	buf_printf(out, "%s, dim, cnrtFuncTypeUnion1, queue", f->name);
	for (uint32_t i = 0; i < f->nparams; i++)
		buf_printf(out, ", %s", f->params[i].buffer->name);
	buf_puts(out, ");\n\treturn 0;\n}\n");
}

static bool
put_kernel(struct buf *out, const tir_func *f)
{
	struct bang_nest nest;
	struct buf body = {0};
	bool ok;

	if (!bang_nest_of(f, &nest))
		return false;
	ok = bang_put_vector(&body, &nest);
	if (!ok) {
		body.len = 0;
		ok = bang_put_scalar(&body, &nest);
	}
	buf_printf(out, "\n__mlu_entry__ void %s(", f->name);
	ok &= put_params(out, f, nest.store->store.buffer);
	buf_puts(out, ") {\n\tif (__is_mpu()) return;\n");
	buf_put(out, body.at, body.len);
	buf_puts(out, "}\n\n");
	if (ok)
		put_launcher(out, f, nest.store->store.buffer);
	buf_free(&body);
	return ok;
}

bool
bangc_emit(struct buf *out, const ir_module *m, struct diag *d)
{
	bool ok = true;

	buf_puts(out, prologue);
	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];

		if (def->kind != DEF_TIR || put_kernel(out, def->tir))
			continue;
		diag_error(d, def->loc,
			   "kernel '@%s' is neither element-wise nor "
			   "injective; this version has no BANG-C for it",
			   def->name);
		ok = false;
	}
	return ok;
}
