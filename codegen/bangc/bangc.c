/*
 * Loops to BANG-C: a function per primitive, and the network that calls them.
 */
#include "codegen/bangc/bangc.h"

#include <string.h>

#include "codegen/bangc/internal.h"
#include "ir/print.h"

/*
 * What an MLU has for a kernel. The compiler keeps a stack in NRAM: so much is
 * safe to use. Vectors of the older ones have whole lines of 128 bytes, of
 * whatever type.
 */
static const struct bang_arch arches[] = {
	{"mlu270", 270, 320 * 1024, 1024 * 1024, 128, false},
	{"mlu290", 290, 320 * 1024, 512 * 1024, 128, false},
	{"mlu370", 372, 640 * 1024, 1024 * 1024, 32, true},
	{"mlu590", 592, 320 * 1024, 512 * 1024, 32, true},
};

static const struct bang_arch *
find_arch(const char *name, struct diag *d)
{
	for (size_t i = 0; i < sizeof(arches) / sizeof(arches[0]); i++)
		if (!strcmp(arches[i].name, name))
			return &arches[i];
	diag_error(d, LOC_NONE, "there is no architecture '%s'", name);
	diag_note(d, LOC_NONE, "it is one of mlu270, mlu290, mlu370, mlu590");
	return NULL;
}

/* The first type among the parameters that no MLU computes with. */
static const struct tir_buffer *
foreign_param(const tir_func *f)
{
	for (uint32_t i = 0; i < f->nparams; i++)
		if (!f->params[i].buffer ||
		    !bang_type(f->params[i].buffer->dtype))
			return f->params[i].buffer;
	return NULL;
}

static void
put_params(struct buf *out, const tir_func *f)
{
	struct bang_buffers read = {0}, written = {0};

	bang_collect(f, &read, &written);
	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct tir_buffer *b = f->params[i].buffer;

		buf_printf(out, "%s%s%s *%s", i ? ", " : "",
			   bang_has(&written, b) ? "" : "const ",
			   bang_type(b->dtype), b->name);
	}
	vec_free(&read);
	vec_free(&written);
}

static void
put_comment(struct buf *out, const tir_func *f)
{
	if (!f->relay_type)
		return;
	buf_puts(out, "\n/* ");
	ir_print_type(out, f->relay_type);
	buf_puts(out, " */\n");
}

static bool
put_kernel(struct buf *out, struct bang_kernel *k,
	   const struct bangc_options *o, struct diag *d)
{
	struct buf body = {0}, defines = {0};
	const tir_func *f = k->func;
	const struct tir_buffer *foreign = foreign_param(f);
	char text[DTYPE_TEXT];
	bool ok;

	if (foreign) {
		diag_error(d, f->loc,
			   "kernel '@%s' has arrays of %s, which an MLU does "
			   "not compute with",
			   f->name, dtype_text(foreign->dtype, text));
		return false;
	}
	k->out = &body;
	k->defines = &defines;
	ok = bang_put_steps(k);
	if (ok) {
		put_comment(out, f);
		buf_puts(out, bang_text(&defines));
		buf_printf(out, "%s void %s(",
			   o->shape == BANGC_SINGLE ? "__mlu_func__"
						    : "__mlu_entry__",
			   f->name);
		put_params(out, f);
		buf_puts(out, ") {\n");
		if (o->shape == BANGC_LAUNCHES)
			buf_puts(out, "  if (__is_mpu()) return;\n");
		buf_puts(out, bang_text(&body));
		buf_puts(out, "}\n");
	} else {
		diag_error(d, f->loc, "there is no BANG-C for kernel '@%s'%s%s",
			   f->name, k->why ? ", which calls " : "",
			   k->why ? k->why : "");
	}
	buf_free(&body);
	buf_free(&defines);
	k->out = NULL;
	k->defines = NULL;
	return ok;
}

static void
put_prologue(struct buf *out, const struct bang_arch *arch, bool matmul,
	     bool conv)
{
	bang_put_prologue(out, arch);
	buf_puts(out, matmul ? bang_device_matmul : "");
	buf_puts(out, conv ? bang_device_conv2d : "");
}

bool
bangc_prologue(struct buf *out, const char *name, struct diag *d)
{
	const struct bang_arch *arch = find_arch(name, d);

	if (arch)
		put_prologue(out, arch, arch->float_conv, arch->float_conv);
	return arch != NULL;
}

bool
bangc_emit(struct buf *out, const ir_module *m, const struct interface *net,
	   const struct bangc_options *o, struct diag *d)
{
	const struct bang_arch *arch = find_arch(o->arch, d);
	VEC(struct bang_kernel *) kernels = {0};
	struct arena arena = {0};
	bool ok = arch != NULL, matmul = false, conv = false;
	struct buf text = {0};

	for (size_t i = 0; ok && i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];
		struct bang_kernel *k;

		if (def->kind != DEF_TIR || (net && def->tir == net->main))
			continue;
		if (ir_dict_get(def->tir->attrs, "sizes")) {
			diag_error(d, def->loc,
				   "kernel '@%s' has shapes that are known at "
				   "run time only, but BANG-C needs numbers",
				   def->name);
			ok = false;
			break;
		}
		k = ARENA_NEW(&arena, struct bang_kernel);
		*k = (struct bang_kernel){
			.func = def->tir, .arch = arch, .arena = &arena};
		vec_push(&kernels, k);
		ok = put_kernel(&text, k, o, d);
		matmul |= k->uses_matmul;
		conv |= k->uses_conv;
	}
	if (ok && !o->part)
		put_prologue(out, arch, matmul, conv);
	if (ok)
		buf_puts(out, bang_text(&text));
	if (ok && net) {
		struct bang_network n = {m,          net,         o,
					 kernels.at, kernels.len, &arena};

		bang_put_network(out, &n);
	}
	buf_free(&text);
	vec_free(&kernels);
	arena_free(&arena);
	return ok;
}
