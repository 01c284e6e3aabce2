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
		if (s->shape[i] < 0)
			buf_printf(out, "%s?", i ? ", " : "");
		else
			buf_printf(out, "%s%" PRId64, i ? ", " : "",
				   s->shape[i]);
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

/* How to use a network whose shapes are known at run time only. */
static void
put_rules(struct buf *out, const char *name)
{
	buf_puts(
		out,
		"\n/*\n"
		" * Dimensions marked ? are known at run time only. The caller "
		"sets the pointers\n"
		" * and shapes of the inputs; a run checks them and sets the "
		"pointers and shapes\n"
		" * of the results. These lie in memory that the arena holds, "
		"until the next run\n"
		" * with this arena. An arena is zeroed before its first run; "
		"at the end\n");
	buf_puts(out, " * relay_dyn_free(arena, ");
	put_upper(out, name);
	buf_puts(out, "_SLOTS) gives back what it holds. When a shape does\n"
		      " * not fit, the status is RELAY_E_SHAPE (-2), and "
		      "relay_dyn_error(arena) says\n"
		      " * what and where. These two, and memory, come with "
		      "librelayrt (relay_rt.h).\n"
		      " */\n");
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
	if (x->sized)
		put_define(out, name, "SLOTS", x->nslots);
	for (uint32_t i = 0; i < n && !x->sized; i++)
		put_size(out, name, &x->slots[i]);
	if (x->sized)
		put_rules(out, name);
	buf_printf(out, "\nstruct %s_io {\n", name);
	for (uint32_t i = 0; i < n; i++) {
		put_slot(out, &x->slots[i], i < x->ninputs);
		if (x->sized && x->slots[i].ndim)
			buf_printf(out, "\tint64_t %s_shape[%u];\n",
				   x->slots[i].name, x->slots[i].ndim);
	}
	buf_puts(out, "};\n\n");
	if (x->constants_bytes && no_runtime)
		buf_printf(out, "extern const char %s_constants[];\n", name);
	if (!no_runtime)
		buf_printf(out,
			   "struct relay_threads;\n"
			   "struct relay_model_desc;\n"
			   "extern const struct relay_model_desc %s_model;\n",
			   name);
	buf_puts(out, x->sized ? "\n/* Reentrant; 0, or a relay_status. */\n"
			       : "\n/* Reentrant; 0, or a relay_status. All "
				 "memory is the caller's. */\n");
	buf_printf(out,
		   "int32_t %s_run(const void *constants, void *arena,\n"
		   "\t\t%sstruct %s_io *io%s);\n\n"
		   "%s"
		   "#ifdef __cplusplus\n}\n#endif\n#endif\n",
		   name, x->sized ? "" : "const ", name,
		   no_runtime ? "" : ",\n\t\tstruct relay_threads *pool",
		   x->sized ? "void relay_dyn_free(void *arena, int32_t "
			      "num_slots);\n"
			      "const char *relay_dyn_error(const void "
			      "*arena);\n\n"
			    : "");
}
