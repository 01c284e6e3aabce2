/*
 * The network around the kernels: launches one after the other, or one entry
 * kernel that calls them with barriers where tasks share data; and a function
 * on the host's memory around either.
 */
#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"

struct range {
	const struct tir_buffer *buffer;
	int64_t from, to;
};

struct ranges {
	struct range *at;
	size_t len, cap;
};

struct network {
	const struct bang_network *n;
	struct buf *out;
	struct ranges read, written; /* since the last barrier */
};

/* Behind the tensors main takes its constants, then its workspace. */
static bool
is_tensor(const struct bang_network *n, uint32_t i)
{
	return i < n->net->ninputs + n->net->noutputs;
}

static bool
is_constants(const struct bang_network *n, uint32_t i)
{
	return i == n->net->ninputs + n->net->noutputs;
}

/* The C name of parameter I of main. */
static const char *
param_name(const struct bang_network *n, uint32_t i)
{
	return is_tensor(n, i)      ? n->net->slots[i].name
	       : is_constants(n, i) ? "constants"
				    : "workspace";
}

/* The type of its elements. */
static const char *
param_type(const struct bang_network *n, uint32_t i)
{
	return is_tensor(n, i) ? bang_type(n->net->slots[i].dtype) : "char";
}

static const char *
name_of(const struct bang_network *n, const struct tir_buffer *b)
{
	const tir_func *f = n->net->main;

	for (uint32_t i = 0; i < f->nparams; i++)
		if (f->params[i].buffer == b)
			return param_name(n, i);
	return b->name;
}

static bool
is_output(const struct bang_network *n, uint32_t i)
{
	return i >= n->net->ninputs && i < n->net->ninputs + n->net->noutputs;
}

/* "const float *x, ..., float *out, ..., char *workspace" */
static void
put_params(struct buf *out, const struct bang_network *n)
{
	for (uint32_t i = 0; i < n->net->main->nparams; i++)
		buf_printf(out, "%s%s%s *%s", i ? ", " : "",
			   i < n->net->ninputs || is_constants(n, i) ? "const "
								     : "",
			   param_type(n, i), param_name(n, i));
	if (n->packing->bytes)
		buf_puts(out, ", char *packed");
}

static void
put_args(struct buf *out, const struct bang_network *n)
{
	for (uint32_t i = 0; i < n->net->main->nparams; i++)
		buf_printf(out, "%s%s", i ? ", " : "", param_name(n, i));
	if (n->packing->bytes)
		buf_puts(out, ", packed");
}

/* Operand I of the call C, as C. */
static void
put_arg(struct buf *out, const struct bang_network *n,
	const struct bang_call *c, uint32_t i)
{
	const tir_expr *a = c->stmt->call.args[i];
	const tir_func *f = c->kernel->func;
	bool sram = c->sram && c->sram[i] >= 0;
	bool packed = c->packed && c->packed[i] >= 0;
	int64_t at = sram ? c->sram[i] : packed ? c->packed[i] : a->arg[0]->i;
	const char *base = sram     ? "relay_sram"
			   : packed ? "packed"
				    : name_of(n, a->buffer);

	buf_printf(out, "(%s *)", bang_type(f->params[i].buffer->dtype));
	if (at == 0)
		buf_puts(out, base);
	else
		buf_printf(out, "(%s + %" PRId64 ")", base, at);
}

static int64_t
bytes_of(const struct tir_buffer *b)
{
	return b->size * ((b->dtype.bits + 7) / 8);
}

/* ---------------------------------------------------------- barriers -- */

static bool
overlaps(const struct ranges *all, struct range r)
{
	for (size_t i = 0; i < all->len; i++)
		if (all->at[i].buffer == r.buffer && all->at[i].from < r.to &&
		    r.from < all->at[i].to)
			return true;
	return false;
}

/* The bytes that operand I of C is, of device memory or SRAM (NULL). */
static struct range
range_of(const struct bang_call *c, uint32_t i)
{
	const tir_expr *a = c->stmt->call.args[i];
	int64_t n = bytes_of(c->kernel->func->params[i].buffer);

	if (c->sram && c->sram[i] >= 0)
		return (struct range){NULL, c->sram[i], c->sram[i] + n};
	return (struct range){a->buffer, a->arg[0]->i, a->arg[0]->i + n};
}

/* Does the call C touch what was written since the last barrier, ...? */
static bool
needs_barrier(struct network *x, const struct bang_call *c)
{
	const tir_func *f = c->kernel->func;
	struct bang_buffers read = {0}, written = {0};
	bool needs = false;

	bang_collect(f, &read, &written);
	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < f->nparams; i++) {
			const struct tir_buffer *b = f->params[i].buffer;
			struct range r = range_of(c, i);

			if (!bang_text_mentions(c->kernel->body, b->name))
				continue;
			if (pass == 0) {
				needs |= overlaps(&x->written, r) ||
					 (bang_has(&written, b) &&
					  overlaps(&x->read, r));
				continue;
			}
			if (bang_has(&written, b))
				vec_push(&x->written, r);
			if (bang_has(&read, b))
				vec_push(&x->read, r);
		}
		if (needs && pass == 0)
			x->read.len = x->written.len = 0;
	}
	vec_free(&read);
	vec_free(&written);
	return needs;
}

/* ------------------------------------------------------------- calls -- */

static void
put_args_of(struct network *x, const struct bang_call *c, const char *before)
{
	for (uint32_t i = 0; i < c->kernel->func->nparams; i++) {
		buf_puts(x->out, i ? ", " : before);
		put_arg(x->out, x->n, c, i);
	}
	buf_puts(x->out, ");\n");
}

static void
put_calls(struct network *x)
{
	for (size_t i = 0; i < x->n->ncalls; i++) {
		const struct bang_call *c = &x->n->calls[i];

		if (needs_barrier(x, c))
			buf_puts(x->out, "  __sync_all_ipu();\n");
		buf_printf(x->out, "  %s(", c->kernel->name);
		put_args_of(x, c, "");
	}
}

static void
put_launches(struct network *x)
{
	for (size_t i = 0; i < x->n->ncalls; i++) {
		const struct bang_kernel *k = x->n->calls[i].kernel;

		buf_printf(x->out, "  LAUNCH(%s, %s, %s, queue", k->name,
			   k->barriers ? "one_job" : "tasks",
			   k->barriers ? "all_clusters" : "cnrtFuncTypeUnion1");
		put_args_of(x, &x->n->calls[i], ", ");
	}
}

/* -------------------------------------------------------- the network -- */

static const char clusters_api6[] =
	"\nstatic int relay_clusters() {\n"
	"  int device = 0, n = 0;\n"
	"  CNRT_CHECK(cnrtGetDevice(&device));\n"
	"  CNRT_CHECK(cnrtDeviceGetAttribute(&n, cnrtAttrClusterCount, "
	"device));\n"
	"  return n > 0 ? n : 1;\n"
	"}\n";

/* CNRT 4 has no such question: what the build says. */
static const char clusters_api4[] =
	"\n#ifndef RELAY_CLUSTERS\n"
	"#define RELAY_CLUSTERS 4\n"
	"#endif\n"
	"static int relay_clusters() { return RELAY_CLUSTERS; }\n"
	"#define cnrtSuccess CNRT_RET_SUCCESS\n"
	"#define cnrtFuncTypeUnion1 CNRT_FUNC_TYPE_UNION1\n"
	"#define cnrtFuncTypeUnion2 CNRT_FUNC_TYPE_UNION2\n"
	"#define cnrtFuncTypeUnion4 CNRT_FUNC_TYPE_UNION4\n"
	"#define cnrtFuncTypeUnion8 CNRT_FUNC_TYPE_UNION8\n"
	"#define cnrtMemcpyHostToDev CNRT_MEM_TRANS_DIR_HOST2DEV\n"
	"#define cnrtMemcpyDevToHost CNRT_MEM_TRANS_DIR_DEV2HOST\n";

static const char union_of[] =
	"\n/* The largest union of up to N clusters, and its clusters. */\n"
	"static cnrtFunctionType_t relay_union(int n, unsigned *clusters) {\n"
	"  *clusters = 1;\n"
	"  while (*clusters < 8 && 2 * *clusters <= (unsigned)n) "
	"*clusters *= 2;\n"
	"  if (*clusters == 8) return cnrtFuncTypeUnion8;\n"
	"  if (*clusters == 4) return cnrtFuncTypeUnion4;\n"
	"  return *clusters == 2 ? cnrtFuncTypeUnion2 : cnrtFuncTypeUnion1;\n"
	"}\n";

static void
put_entry(struct network *x)
{
	struct buf *out = x->out;

	buf_printf(out, "\n__mlu_entry__ void %s_kernel(", x->n->o->name);
	put_params(out, x->n);
	buf_puts(out, ") {\n  if (__is_mpu()) return;\n");
	put_calls(x);
	buf_puts(out, "}\n");
}

/* The kernel that packs weights, and the function that launches it. */
static void
put_prepare(struct network *x)
{
	const struct bang_packing *p = x->n->packing;
	struct buf *out = x->out;

	if (!p->bytes)
		return;
	buf_printf(out, "\n__mlu_entry__ void %s_prepare_kernel(",
		   x->n->o->name);
	put_params(out, x->n);
	buf_puts(out, ") {\n  if (__is_mpu()) return;\n  int done = 0;\n");
	for (size_t i = 0; i < p->len; i++) {
		const struct bang_packed *w = &p->at[i];

		buf_printf(out,
			   "  done = %s(done, (float *)(packed + %" PRId64
			   "), (const float *)((const char *)%s + %" PRId64
			   "),\n      %s);\n",
			   w->weights->pack, w->at, param_name(x->n, w->input),
			   w->from, w->weights->rest);
	}
	buf_printf(out,
		   "}\n"
		   "\n/* Once, and again when weights change: brings them into "
		   "order, %" PRId64 " bytes. */\n"
		   "extern \"C\" int %s_prepare(cnrtQueue_t queue, ",
		   p->bytes, x->n->o->name);
	put_params(out, x->n);
	buf_printf(out,
		   ") {\n"
		   "  cnrtDim3_t tasks = {4, (unsigned)relay_clusters(), 1};\n"
		   "  LAUNCH(%s_prepare_kernel, tasks, cnrtFuncTypeUnion1, "
		   "queue, ",
		   x->n->o->name);
	put_args(out, x->n);
	buf_puts(out, ");\n  return 0;\n}\n");
}

static void
put_device_function(struct network *x)
{
	struct buf *out = x->out;
	bool single = x->n->o->shape == BANGC_SINGLE;

	buf_printf(out,
		   "\n/* On device memory; does not wait. */\n"
		   "extern \"C\" int %s(cnrtQueue_t queue, ",
		   x->n->o->name);
	put_params(out, x->n);
	buf_puts(out, ") {\n");
	if (x->n->sram_bytes)
		buf_puts(out, "  cnrtFunctionType_t all_clusters = "
			      "cnrtFuncTypeUnion1; /* which share SRAM */\n"
			      "  cnrtDim3_t one_job = {4, 1, 1};\n"
			      "  (void)relay_clusters, (void)relay_union;\n");
	else
		buf_puts(out, "  int clusters = relay_clusters();\n"
			      "  unsigned together = 1;\n"
			      "  cnrtFunctionType_t all_clusters = "
			      "relay_union(clusters, &together);\n"
			      "  cnrtDim3_t one_job = {4 * together, 1, 1};\n");
	if (single) {
		buf_printf(out,
			   "  LAUNCH(%s_kernel, one_job, all_clusters, queue, ",
			   x->n->o->name);
		put_args(out, x->n);
		buf_puts(out, ");\n");
	} else {
		buf_puts(out, "  cnrtDim3_t tasks = {4, (unsigned)clusters, "
			      "1};\n"
			      "  (void)one_job, (void)tasks, "
			      "(void)all_clusters, (void)constants;\n");
		put_launches(x);
	}
	buf_puts(out, "  return 0;\n}\n");
}

static int64_t
param_bytes(const struct bang_network *n, uint32_t i)
{
	return is_tensor(n, i)      ? n->net->slots[i].nbytes
	       : is_constants(n, i) ? n->net->constants_bytes
				    : n->net->workspace_bytes;
}

/* Where parameter I comes from or goes to on the host; NULL: neither. */
static const char *
host_side(const struct bang_network *n, uint32_t i)
{
	const struct interface *x = n->net;

	if (i < x->ninputs)
		return arena_printf(n->arena, "inputs[%u]", i);
	if (is_output(n, i))
		return arena_printf(n->arena, "outputs[%u]", i - x->ninputs);
	return is_constants(n, i) ? "constants" : NULL;
}

static void
put_set_up(struct buf *out, const struct bang_network *n)
{
	if (n->o->api == 4)
		buf_puts(out, "  cnrtDev_t device;\n"
			      "  CNRT_CHECK(cnrtInit(0));\n"
			      "  CNRT_CHECK(cnrtGetDeviceHandle(&device, 0));\n"
			      "  CNRT_CHECK(cnrtSetCurrentDevice(device));\n"
			      "  CNRT_CHECK(cnrtCreateQueue(&queue));\n");
	else
		buf_puts(out, "  CNRT_CHECK(cnrtSetDevice(0));\n"
			      "  CNRT_CHECK(cnrtQueueCreate(&queue));\n");
	for (uint32_t i = 0; i < n->net->main->nparams; i++) {
		int64_t bytes = param_bytes(n, i);
		const char *host = host_side(n, i);

		buf_printf(out,
			   "  CNRT_CHECK(cnrtMalloc(&p[%u], %" PRId64 "));\n",
			   i, bytes ? bytes : 1);
		if (host && bytes && !is_output(n, i))
			buf_printf(out,
				   "  CNRT_CHECK(cnrtMemcpy(p[%u], (void *)%s, "
				   "%" PRId64 ", cnrtMemcpyHostToDev));\n",
				   i, host, bytes);
	}
}

/* The blocks of device memory as arguments, to the end of the call. */
static void
put_pointers(struct buf *out, const struct bang_network *n)
{
	uint32_t count = n->net->main->nparams;

	for (uint32_t i = 0; i < count; i++)
		buf_printf(out, ", (%s *)p[%u]", param_type(n, i), i);
	if (n->packing->bytes)
		buf_printf(out, ", (char *)p[%u]", count);
	buf_puts(out, ");\n");
}

static void
put_host_function(struct buf *out, const struct bang_network *n)
{
	const tir_func *f = n->net->main;

	buf_printf(out,
		   "\n/* On the host's memory, in the order of the network's "
		   "parameters. */\n"
		   "extern \"C\" int %s_run(const void *const *inputs, void "
		   "*const *outputs,\n"
		   "                     const void *constants) {\n"
		   "  void *p[%u] = {};\n"
		   "  cnrtQueue_t queue;\n"
		   "  (void)inputs, (void)constants;\n",
		   n->o->name, f->nparams + (n->packing->bytes > 0));
	put_set_up(out, n);
	if (n->packing->bytes) {
		buf_printf(out,
			   "  CNRT_CHECK(cnrtMalloc(&p[%u], %" PRId64 "));\n"
			   "  %s_prepare(queue",
			   f->nparams, n->packing->bytes, n->o->name);
		put_pointers(out, n);
	}
	buf_printf(out, "  int status = %s(queue", n->o->name);
	put_pointers(out, n);
	buf_printf(out, "  CNRT_CHECK(%s(queue));\n",
		   n->o->api == 4 ? "cnrtSyncQueue" : "cnrtQueueSync");
	for (uint32_t i = 0; i < f->nparams; i++)
		if (is_output(n, i) && param_bytes(n, i))
			buf_printf(out,
				   "  CNRT_CHECK(cnrtMemcpy(%s, p[%u], %" PRId64
				   ", cnrtMemcpyDevToHost));\n",
				   host_side(n, i), i, param_bytes(n, i));
	buf_printf(out,
		   "  for (void *block : p) CNRT_CHECK(cnrtFree(block));\n"
		   "  CNRT_CHECK(%s(queue));\n"
		   "  return status;\n}\n",
		   n->o->api == 4 ? "cnrtDestroyQueue" : "cnrtQueueDestroy");
}

void
bang_put_network(struct buf *out, const struct bang_network *n)
{
	struct network x = {.n = n, .out = out};

	if (n->o->shape == BANGC_SINGLE)
		put_entry(&x);
	buf_puts(out, n->o->api == 4 ? clusters_api4 : clusters_api6);
	buf_puts(out, union_of);
	put_prepare(&x);
	put_device_function(&x);
	put_host_function(out, n);
	vec_free(&x.read);
	vec_free(&x.written);
}
