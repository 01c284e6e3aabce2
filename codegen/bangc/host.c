/*
 * The network around the kernels: launches one after the other, of kernels or
 * of entry kernels that call them, and between these what the host does; and a
 * function on the host's memory around that.
 */
#include <inttypes.h>

#include "codegen/bangc/internal.h"
#include "support/ptrmap.h"

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

const char *
bang_param_name(const struct bang_network *n, uint32_t i)
{
	return is_tensor(n, i)              ? n->names[i]
	       : is_constants(n, i)         ? "constants"
	       : i == n->net->main->nparams ? "packed"
					    : "workspace";
}

/* The type of its elements; what an MLU has no type for is bytes. */
static const char *
param_type(const struct bang_network *n, uint32_t i)
{
	const char *type =
		is_tensor(n, i) ? bang_type(n->net->slots[i].dtype) : NULL;

	return type ? type : "char";
}

static bool
is_output(const struct bang_network *n, uint32_t i)
{
	return i >= n->net->ninputs && i < n->net->ninputs + n->net->noutputs;
}

/* Parameters of main, and one for what is packed. */
static uint32_t
count_params(const struct bang_network *n)
{
	return n->net->main->nparams + (n->packing->bytes > 0);
}

void
bang_put_params(struct buf *out, const struct bang_network *n, const bool *some)
{
	const char *before = "";

	for (uint32_t i = 0; i < count_params(n); i++) {
		if (some && !some[i])
			continue;
		buf_printf(out, "%s%s%s *%s", before,
			   i < n->net->ninputs || is_constants(n, i) ? "const "
								     : "",
			   param_type(n, i), bang_param_name(n, i));
		before = ", ";
	}
}

void
bang_put_args(struct buf *out, const struct bang_network *n, const bool *some)
{
	const char *before = "";

	for (uint32_t i = 0; i < count_params(n); i++) {
		if (some && !some[i])
			continue;
		buf_printf(out, "%s%s", before, bang_param_name(n, i));
		before = ", ";
	}
}

uint32_t
bang_param_of(const struct bang_network *n, const struct bang_call *c,
	      uint32_t i)
{
	const uintptr_t *at;

	if (c->packed && c->packed[i] >= 0)
		return n->net->main->nparams;
	at = ptrmap_find(n->params, c->stmt->call.args[i]->buffer);
	return at ? (uint32_t)*at - 1 : n->net->main->nparams - 1;
}

void
bang_put_arg(struct buf *out, const struct bang_network *n,
	     const struct bang_call *c, uint32_t i)
{
	struct dtype t = c->kernel->func->params[i].buffer->dtype;
	bool sram = c->sram && c->sram[i] >= 0;
	bool packed = c->packed && c->packed[i] >= 0;
	int64_t at = sram     ? c->sram[i]
		     : packed ? c->packed[i]
			      : c->stmt->call.args[i]->arg[0]->i;
	const char *base = sram ? "relay_sram"
				: bang_param_name(n, bang_param_of(n, c, i));

	buf_printf(out, "(%s *)",
		   c->kernel->on_host ? bang_host_type(t) : bang_type(t));
	if (at == 0)
		buf_puts(out, base);
	else if (!sram && is_tensor(n, bang_param_of(n, c, i)))
		buf_printf(out, "((char *)%s + %" PRId64 ")", base, at);
	else
		buf_printf(out, "(%s + %" PRId64 ")", base, at);
}

/* ------------------------------------------------------------- calls -- */

static void
put_args_of(struct buf *out, const struct bang_network *n,
	    const struct bang_call *c)
{
	for (uint32_t i = 0; i < c->kernel->func->nparams; i++) {
		buf_puts(out, ", ");
		bang_put_arg(out, n, c, i);
	}
}

static void
put_call_on_host(struct buf *out, const struct bang_network *n,
		 const struct bang_call *c)
{
	buf_printf(out, "  status = %s_on_host(queue", c->kernel->name);
	put_args_of(out, n, c);
	buf_puts(out, ");\n  if (status != 0) return status;\n");
}

static void
put_launches(struct buf *out, const struct bang_network *n)
{
	for (size_t i = 0; i < n->ncalls; i++) {
		const struct bang_kernel *k = n->calls[i].kernel;

		if (k->on_host) {
			put_call_on_host(out, n, &n->calls[i]);
			continue;
		}
		buf_printf(out, "  LAUNCH(%s, %s, %s, queue", k->name,
			   k->barriers ? "one_job" : "tasks",
			   k->barriers ? "all_clusters" : "cnrtFuncTypeUnion1");
		put_args_of(out, n, &n->calls[i]);
		buf_puts(out, ");\n");
	}
}

static void
put_parts(struct buf *out, const struct bang_network *n)
{
	for (size_t i = 0; i < n->nparts; i++) {
		const struct bang_part *p = &n->parts[i];

		if (p->on_host) {
			put_call_on_host(out, n, &n->calls[p->first]);
			continue;
		}
		buf_printf(out, "  LAUNCH(%s, one_job, all_clusters, queue, ",
			   p->name);
		bang_put_args(out, n, p->params);
		buf_puts(out, ");\n");
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
	"static int relay_clusters() { return RELAY_CLUSTERS; }\n";

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

/* The kernel that packs weights, and the function that launches it. */
static void
put_prepare(struct buf *out, const struct bang_network *n)
{
	const struct bang_packing *p = n->packing;
	bool *reads;

	if (!p->bytes)
		return;
	reads = ARENA_NEW_ARRAY(n->arena, n->net->main->nparams + 1, bool);
	reads[n->net->main->nparams] = true;
	for (size_t i = 0; i < p->len; i++)
		reads[p->at[i].input] = true;
	buf_printf(out, "\n__mlu_entry__ void %s_prepare_kernel(", n->o->name);
	bang_put_params(out, n, reads);
	buf_puts(out, ") {\n  if (__is_mpu()) return;\n  int done = 0;\n");
	for (size_t i = 0; i < p->len; i++) {
		const struct bang_packed *w = &p->at[i];

		buf_printf(out,
			   "  done = %s(done, (%s *)(packed + %" PRId64
			   "), (const %s *)((const char *)%s + %" PRId64
			   "),\n      %s);\n",
			   w->weights->pack, w->weights->type, w->at,
			   w->weights->type, bang_param_name(n, w->input),
			   w->from, w->weights->rest);
	}
	buf_printf(out,
		   "}\n"
		   "\n/* Once, and again when weights change: brings them into "
		   "order, %" PRId64 " bytes. */\n"
		   "extern \"C\" int %s_prepare(cnrtQueue_t queue, ",
		   p->bytes, n->o->name);
	bang_put_params(out, n, NULL);
	buf_printf(out,
		   ") {\n"
		   "  cnrtDim3_t tasks = {4, (unsigned)relay_clusters(), 1};\n"
		   "  LAUNCH(%s_prepare_kernel, tasks, cnrtFuncTypeUnion1, "
		   "queue, ",
		   n->o->name);
	bang_put_args(out, n, reads);
	buf_puts(out, ");\n  return 0;\n}\n");
}

static bool
any_on_host(const struct bang_network *n)
{
	for (size_t i = 0; i < n->ncalls; i++)
		if (n->calls[i].kernel->on_host)
			return true;
	return false;
}

static void
put_device_function(struct buf *out, const struct bang_network *n)
{
	bool single = n->o->shape == BANGC_SINGLE, on_host = any_on_host(n);

	buf_printf(out,
		   "\n/* On device memory; %s. */\n"
		   "extern \"C\" int %s(cnrtQueue_t queue, ",
		   on_host ? "waits for what the host does" : "does not wait",
		   n->o->name);
	bang_put_params(out, n, NULL);
	buf_puts(out, ") {\n");
	if (n->sram_bytes)
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
	if (on_host)
		buf_puts(out, "  int status = 0;\n");
	if (single) {
		buf_puts(out, "  (void)one_job, (void)all_clusters;\n");
		put_parts(out, n);
	} else {
		buf_puts(out, "  cnrtDim3_t tasks = {4, (unsigned)clusters, "
			      "1};\n"
			      "  (void)one_job, (void)tasks, "
			      "(void)all_clusters, (void)constants;\n");
		put_launches(out, n);
	}
	buf_printf(out, "  return %s;\n}\n", on_host ? "status" : "0");
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
	for (size_t i = 0; i < n->nparts; i++)
		if (!n->parts[i].on_host)
			bang_put_entry(out, n, &n->parts[i]);
	buf_puts(out, n->o->api == 4 ? clusters_api4 : clusters_api6);
	buf_puts(out, union_of);
	put_prepare(out, n);
	put_device_function(out, n);
	put_host_function(out, n);
}
