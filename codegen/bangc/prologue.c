/*
 * The head of every file: headers, the arenas on the chip, and of device/
 * what the kernels call, directly or not.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

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

static const char wram[] =
	"__wram__ char relay_wram[RELAY_WRAM_BYTES];\n"
	"#ifndef RELAY_WRAM_AT\n"
	"/* An offset in WRAM counts the bytes of one of its 64 banks. */\n"
	"#define RELAY_WRAM_AT(bytes) ((bytes) / 64)\n"
	"#endif\n";

static const char host_head[] = "#include <math.h>\n"
				"#include <stdio.h>\n"
				"#include <stdlib.h>\n"
				"#include <string.h>\n";

/* Names of CNRT 6 for what CNRT 4 has, too. */
static const char names_api4[] =
	"#define cnrtSuccess CNRT_RET_SUCCESS\n"
	"#define cnrtFuncTypeUnion1 CNRT_FUNC_TYPE_UNION1\n"
	"#define cnrtFuncTypeUnion2 CNRT_FUNC_TYPE_UNION2\n"
	"#define cnrtFuncTypeUnion4 CNRT_FUNC_TYPE_UNION4\n"
	"#define cnrtFuncTypeUnion8 CNRT_FUNC_TYPE_UNION8\n"
	"#define cnrtMemcpyHostToDev CNRT_MEM_TRANS_DIR_HOST2DEV\n"
	"#define cnrtMemcpyDevToHost CNRT_MEM_TRANS_DIR_DEV2HOST\n";

void
bang_put_prologue(struct buf *out, const struct bang_arch *arch,
		  const struct bangc_options *o, int64_t sram_bytes,
		  int64_t shared_bytes)
{
	if (o->host_fallback)
		buf_puts(out, host_head);
	buf_puts(out, head);
	if (o->api == 4)
		buf_puts(out, names_api4);
	buf_printf(out,
		   "\n/* %s; all kernels share these. */\n"
		   "#define RELAY_NRAM_BYTES %" PRId64 "\n"
		   "#define RELAY_WRAM_BYTES %" PRId64 "\n"
		   "#define RELAY_LINE %d\n"
		   "__nram__ char relay_nram[RELAY_NRAM_BYTES];\n",
		   arch->name, arch->nram, arch->wram, arch->line);
	buf_puts(out, wram);
	if (sram_bytes)
		buf_printf(
			out,
			"\n/* Of one cluster: values between kernels. */\n"
			"#define RELAY_SRAM_BYTES %" PRId64 "\n"
			"__mlu_shared__ char relay_sram[RELAY_SRAM_BYTES];\n",
			sram_bytes);
	if (shared_bytes)
		buf_printf(out,
			   "\n/* Of one cluster: filters on their way to WRAM. "
			   "*/\n"
			   "#define RELAY_SHARED_BYTES %" PRId64 "\n"
			   "__mlu_shared__ char " BANG_SHARED
			   "[RELAY_SHARED_BYTES];\n",
			   shared_bytes);
}

/* A function, a type or a macro of device/, with what stands before it. */
struct unit {
	const char *at;
	size_t len;
	const char *name;
	size_t name_len;
	bool is_define;
	bool used;
};

typedef VEC(struct unit) unit_vec;

static bool
begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* What the line at S, which is no comment, defines. */
static void
find_name(struct unit *u, const char *s, size_t n)
{
	const char *end = memchr(s, '(', n);

	if (begins(s, "template") || u->name)
		return;
	if (begins(s, "struct ") || begins(s, "#define "))
		end = s + strcspn(s, " ") + 1 +
		      strcspn(s + strcspn(s, " ") + 1, " ({");
	if (*s == '#' && !u->is_define)
		return;
	if (!end)
		return;
	u->name = end;
	while (u->name > s &&
	       (isalnum((unsigned char)u->name[-1]) || u->name[-1] == '_'))
		u->name--;
	u->name_len = (size_t)(end - u->name);
}

/* Does a line that begins at S, N bytes, end a definition? */
static bool
ends_unit(const char *s, size_t n, bool is_define)
{
	if (is_define)
		return n == 0 || s[n - 1] != '\\';
	return n > 0 && !isspace((unsigned char)*s) && *s != '/' && *s != '#' &&
	       (*s == '}' || strchr("};", s[n - 1]));
}

static const char *
take_unit(unit_vec *units, const char *text)
{
	struct unit u = {.at = text, .is_define = begins(text, "#define ")};

	while (*text) {
		size_t n = strcspn(text, "\n");
		const char *line = text;

		if (!u.is_define && !u.name && text != u.at &&
		    begins(line, "#define "))
			break;
		if (*line && !isspace((unsigned char)*line) && *line != '/')
			find_name(&u, line, n);
		text += n + (text[n] == '\n');
		if (ends_unit(line, n, u.is_define))
			break;
	}
	u.len = (size_t)(text - u.at);
	vec_push(units, u);
	return text;
}

/* Is the word of N bytes at W in TEXT? */
static bool
has_word(const char *text, size_t len, const char *w, size_t n)
{
	const char *end = text + len, *at = text;

	while (n && (at = memmem(at, (size_t)(end - at), w, n))) {
		bool before = at > text &&
			      (isalnum((unsigned char)at[-1]) || at[-1] == '_');
		bool after = at + n < end &&
			     (isalnum((unsigned char)at[n]) || at[n] == '_');

		if (!before && !after)
			return true;
		at += n;
	}
	return false;
}

/*
 * What is used by KERNELS, or by what stands further down and is used; a
 * comment before macros belongs to what follows those.
 */
static void
mark_used(unit_vec *units, const char *kernels)
{
	size_t len = strlen(kernels);

	for (size_t i = units->len; i-- > 0;) {
		struct unit *u = &units->at[i];
		size_t next = i + 1;

		while (next < units->len && units->at[next].is_define)
			next++;
		if (!u->name && next < units->len) {
			u->used = units->at[next].used;
			continue;
		}
		u->used = has_word(kernels, len, u->name, u->name_len);
		for (size_t k = i + 1; k < units->len && !u->used; k++)
			u->used = units->at[k].used &&
				  has_word(units->at[k].at, units->at[k].len,
					   u->name, u->name_len);
	}
}

/* Those that are used, or ALL; macros into DEFINES. */
static void
put_units(struct buf *out, struct buf *defines, const unit_vec *units, bool all)
{
	bool after_comment = false;

	for (size_t i = 0; i < units->len; i++) {
		const struct unit *u = &units->at[i];

		if (!u->used && !all)
			continue;
		if (!u->is_define && !after_comment)
			buf_putc(out, '\n');
		after_comment = !u->name || (u->is_define && after_comment);
		buf_put(u->is_define ? defines : out, u->at, u->len);
	}
}

/* TEXT for the host: "host_min" for "relay_min". */
static void
put_scalars_for_host(struct buf *out, const char *text)
{
	static const char func[] = "__mlu_func__";

	while (*text) {
		if (begins(text, "relay_")) {
			buf_puts(out, "host_");
			text += strlen("relay_");
		} else if (begins(text, func)) {
			buf_puts(out, "static inline");
			text += strlen(func);
		} else {
			buf_putc(out, *text++);
		}
	}
}

void
bang_put_host_helpers(struct buf *out, const char *kernels)
{
	struct buf text = {0}, defines = {0};
	unit_vec units = {0};

	put_scalars_for_host(&text, bang_device_scalars);
	buf_puts(&text, bang_device_host);
	for (const char *s = bang_text(&text); *s;)
		s = take_unit(&units, s);
	mark_used(&units, kernels);
	put_units(out, &defines, &units, false);
	vec_free(&units);
	buf_free(&text);
	buf_free(&defines);
}

void
bang_put_device(struct buf *out, struct buf *defines, const char *kernels)
{
	static const char *const texts[] = {
		bang_device_scalars,  bang_device_vectors, bang_device_copies,
		bang_device_routines, bang_device_conv2d,  bang_device_ends};
	unit_vec units = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		for (const char *s = texts[i]; *s;)
			s = take_unit(&units, s);
	if (kernels)
		mark_used(&units, kernels);
	put_units(out, defines, &units, !kernels);
	vec_free(&units);
}
