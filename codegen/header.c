/*
 * The C header of a compiled network.
 */
#include "codegen/interface.h"

#include <ctype.h>
#include <inttypes.h>

#include "ir/dtype.h"

static const char *
c_type(struct dtype t)
{
	bool u = t.code == DTYPE_UINT;

	if (t.code == DTYPE_FLOAT && t.bits == 32)
		return "float";
	if (t.code == DTYPE_FLOAT && t.bits == 64)
		return "double";
	switch ((t.bits + 7) / 8) {
	case 1:
		return u || t.code > DTYPE_UINT ? "uint8_t" : "int8_t";
	case 2:
		return u || t.code > DTYPE_UINT ? "uint16_t" : "int16_t";
	case 4:
		return u ? "uint32_t" : "int32_t";
	default:
		return u ? "uint64_t" : "int64_t";
	}
}

static void
put_upper(struct buf *out, const char *s)
{
	for (; *s; s++)
		buf_putc(out, (char)toupper((unsigned char)*s));
}

static void
put_define(struct buf *out, const char *name, const char *what, int64_t value)
{
	buf_puts(out, "#define ");
	put_upper(out, name);
	buf_printf(out, "_%s %" PRId64 "u\n", what, value);
}

static void
put_slot(struct buf *out, const struct interface_slot *s, bool input)
{
	char text[DTYPE_TEXT];

	buf_printf(out, "\t%s%s *%s; /* %s [", input ? "const " : "",
		   c_type(s->dtype), s->name, dtype_text(s->dtype, text));
	for (uint32_t i = 0; i < s->ndim; i++)
		buf_printf(out, "%s%" PRId64, i ? ", " : "", s->shape[i]);
	buf_printf(out, "] */\n");
}

static void
put_size(struct buf *out, const char *name, const struct interface_slot *s)
{
	buf_puts(out, "#define ");
	put_upper(out, name);
	buf_putc(out, '_');
	put_upper(out, s->name);
	buf_printf(out, "_BYTES %" PRId64 "u\n", s->nbytes);
}

void
interface_header(struct buf *out, const struct interface *x, const char *name,
		 int64_t arena_bytes, bool no_runtime)
{
	uint32_t n = x->ninputs + x->noutputs;

	buf_printf(out, "/* The network '%s', compiled by relay-llc. */\n",
		   name);
	buf_puts(out, "#ifndef ");
	put_upper(out, name);
	buf_puts(out, "_H\n#define ");
	put_upper(out, name);
	buf_puts(out, "_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\n"
		      "extern \"C\" {\n#endif\n\n");
	put_define(out, name, "ARENA_BYTES", arena_bytes);
	put_define(out, name, "ARENA_ALIGN", 64);
	put_define(out, name, "CONST_BYTES", x->constants_bytes);
	for (uint32_t i = 0; i < n; i++)
		put_size(out, name, &x->slots[i]);
	buf_printf(out, "\nstruct %s_io {\n", name);
	for (uint32_t i = 0; i < n; i++)
		put_slot(out, &x->slots[i], i < x->ninputs);
	buf_puts(out, "};\n\n");
	if (x->constants_bytes && no_runtime)
		buf_printf(out, "extern const char %s_constants[];\n", name);
	if (!no_runtime)
		buf_printf(out,
			   "struct relay_threads;\n"
			   "struct relay_model_desc;\n"
			   "extern const struct relay_model_desc %s_model;\n",
			   name);
	buf_puts(out, "\n/* Reentrant; 0, or a relay_status. All memory is the "
		      "caller's. */\n");
	buf_printf(out,
		   "int32_t %s_run(const void *constants, void *arena,\n"
		   "\t\tconst struct %s_io *io%s);\n\n"
		   "#ifdef __cplusplus\n}\n#endif\n#endif\n",
		   name, name,
		   no_runtime ? "" : ",\n\t\tstruct relay_threads *pool");
}
