/*
 * The head of every file: headers, the arenas on the chip, helpers. Each
 * helper is a template or a short function, so that the compiler drops what
 * no kernel uses.
 */
#include <inttypes.h>

#include "codegen/bangc/internal.h"

static const char head[] = "#include <bang.h>\n"
			   "#include <cnrt.h>\n"
			   "\n"
			   "#ifndef LAUNCH\n"
			   "#define LAUNCH(kernel, dim, type, queue, ...) \\\n"
			   "  kernel<<<(dim), (type), (queue)>>>(__VA_ARGS__)\n"
			   "#endif\n"
			   "#ifndef RELAY_SCALAR_OPS\n"
			   "#define RELAY_SCALAR_OPS(n) ((void)0)\n"
			   "#endif\n";

void
bang_put_prologue(struct buf *out, const struct bang_arch *arch,
		  int64_t sram_bytes)
{
	buf_puts(out, head);
	buf_printf(out,
		   "\n/* %s; all kernels share these. */\n"
		   "#define RELAY_NRAM_BYTES %" PRId64 "\n"
		   "#define RELAY_WRAM_BYTES %" PRId64 "\n"
		   "#define RELAY_LINE %d\n"
		   "__nram__ char relay_nram[RELAY_NRAM_BYTES];\n",
		   arch->name, arch->nram, arch->wram, arch->line);
	if (arch->float_conv)
		buf_puts(out, "__wram__ char relay_wram[RELAY_WRAM_BYTES];\n");
	if (sram_bytes)
		buf_printf(
			out,
			"\n/* Of one cluster: values between kernels. */\n"
			"#define RELAY_SRAM_BYTES %" PRId64 "\n"
			"__mlu_shared__ char relay_sram[RELAY_SRAM_BYTES];\n",
			sram_bytes);
	buf_putc(out, '\n');
	buf_puts(out, bang_device_scalars);
	buf_puts(out, bang_device_vectors);
}
