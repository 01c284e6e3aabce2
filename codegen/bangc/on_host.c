/*
 * Kernels that have no BANG-C, as functions of the host.
 *
 * Of such a kernel there are two functions: its loops as plain C++ on arrays
 * of the host, and one that takes arrays of the device, waits for the queue,
 * brings what the first reads and takes back what it wrote. Routines that
 * kernels call are those of the runtime library, by C's rules.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"
#include "te/tir_rewrite.h"

/* "const float *x, ..., float *out": what F does not write is constant. */
static void
put_params(struct buf *out, const tir_func *f, bool constant)
{
	struct bang_buffers read = {0}, written = {0};

	bang_collect(f, &read, &written);
	for (uint32_t i = 0; i < f->nparams; i++) {
		const struct tir_buffer *b = f->params[i].buffer;

		buf_printf(out, "%s%s%s *%s", i ? ", " : "",
			   !constant || bang_has(&written, b) ? "" : "const ",
			   bang_host_type(b->dtype), b->name);
	}
	bang_buffers_free(&read);
	bang_buffers_free(&written);
}

bool
bang_put_on_host(struct bang_kernel *k)
{
	const tir_func *f = k->func;
	struct buf body = {0}, all = {0}, *out = k->out;
	bool ok = true;

	for (uint32_t i = 0; i < f->nparams; i++)
		ok &= f->params[i].buffer && f->params[i].buffer->size >= 0 &&
		      bang_host_type(f->params[i].buffer->dtype);
	k->out = &body;
	ok = ok && bang_put_host_body(k);
	k->out = out;
	if (ok) {
		buf_printf(&all, "static int %s(", k->name);
		put_params(&all, f, true);
		buf_printf(&all, ") {\n%s  return 0;\n}\n", bang_text(&body));
		k->body = arena_printf(k->arena, "%s", bang_text(&body));
		k->text = arena_printf(k->arena, "%s", bang_text(&all));
		k->sizes = "";
		k->on_host = true;
		k->barriers = false;
		k->nweights = 0;
	}
	buf_free(&body);
	buf_free(&all);
	return ok;
}

/* The function around it. */
static void
put_wrapper(struct buf *out, const struct bang_kernel *k, int api)
{
	const tir_func *f = k->func;
	struct bang_buffers read = {0}, written = {0};

	bang_collect(f, &read, &written);
	buf_printf(
		out,
		"\n/* On arrays of the device: waits for what is queued. */\n"
		"static int %s_on_host(cnrtQueue_t queue, ",
		k->name);
	put_params(out, f, false);
	buf_puts(out, ") {\n");
	for (uint32_t i = 0; i < f->nparams; i++)
		buf_printf(out, "  host_array<%s> host_%u(%s, %" PRId64 ");\n",
			   bang_host_type(f->params[i].buffer->dtype), i,
			   f->params[i].buffer->name,
			   f->params[i].buffer->size);
	buf_printf(out, "  CNRT_CHECK(%s(queue));\n",
		   api == 4 ? "cnrtSyncQueue" : "cnrtQueueSync");
	for (uint32_t i = 0; i < f->nparams; i++)
		if (i < k->ntaken)
			buf_printf(out, "  host_%u.fetch();\n", i);
	buf_printf(out, "  int status = %s(", k->name);
	for (uint32_t i = 0; i < f->nparams; i++)
		buf_printf(out, "%shost_%u.at", i ? ", " : "", i);
	buf_puts(out, ");\n  if (status != 0) return status;\n");
	for (uint32_t i = 0; i < k->nresults; i++)
		if (bang_has(&written, f->params[i].buffer))
			buf_printf(out, "  host_%u.give();\n", i);
	buf_puts(out, "  return 0;\n}\n");
	bang_buffers_free(&read);
	bang_buffers_free(&written);
}

/* ---------------------------------------------------------- routines -- */

struct routines {
	VEC(const char *) names;
	struct buf *out;
};

static void
declare(struct routines *r, const tir_expr *call)
{
	for (size_t i = 0; i < r->names.len; i++)
		if (!strcmp(r->names.at[i], call->s))
			return;
	vec_push(&r->names, call->s);
	if (!strcmp(call->s, "memcpy"))
		return;
	buf_printf(r->out, "extern \"C\" %s %s(", bang_host_type(call->dtype),
		   call->s);
	for (uint32_t i = 0; i < call->n; i++) {
		const tir_expr *a = call->arg[i];

		buf_printf(r->out, "%s%s", i ? ", " : "",
			   a->kind == TIR_ADDRESS_OF  ? "void *"
			   : a->kind == TIR_STRING    ? "const char *"
			   : dtype_is_float(a->dtype) ? "double"
						      : "int64_t");
	}
	buf_puts(r->out, ");\n");
}

static void
declare_in_expr(const tir_expr *e, void *env)
{
	if (e->kind == TIR_CALL_EXTERN)
		declare(env, e);
	for (uint32_t i = 0; i < e->n; i++)
		declare_in_expr(e->arg[i], env);
}

static void
declare_in(const tir_stmt *s, void *env)
{
	tir_each_expr(s, declare_in_expr, env);
}

bool
bang_put_host_kernels(struct buf *out, struct bang_kernel *const *kernels,
		      size_t n, int api)
{
	struct buf externs = {0}, text = {0};
	struct routines r = {.out = &externs};
	bool calls;

	for (size_t i = 0; i < n; i++) {
		const struct bang_kernel *k = kernels[i];

		if (!k->on_host)
			continue;
		tir_each_stmt(k->func->body, declare_in, &r);
		buf_puts(&text, k->note);
		buf_puts(&text, k->text);
		put_wrapper(&text, k, api);
	}
	if (text.len)
		bang_put_host_helpers(out, bang_text(&text));
	calls = externs.len > 0;
	if (calls)
		buf_printf(out,
			   "\n/* Of the runtime library, librelayrt. */\n%s",
			   bang_text(&externs));
	if (text.len)
		buf_puts(out, bang_text(&text));
	buf_free(&externs);
	buf_free(&text);
	vec_free(&r.names);
	return calls;
}
