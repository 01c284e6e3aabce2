/*
 * Loops to BANG-C: a function per primitive, and the network that calls them.
 */
#include "codegen/bangc/bangc.h"

#include <inttypes.h>
#include <string.h>

#include "codegen/bangc/internal.h"
#include "ir/module.h"
#include "ir/print.h"
#include "ir/type.h"
#include "support/ptrmap.h"

/*
 * What an MLU has for a kernel. The compiler keeps a stack in NRAM: so much is
 * safe to use. Vectors of the older ones have whole lines of 128 bytes, of
 * whatever type.
 */
static const struct bang_arch arches[] = {
	{"mlu270", 270, 320 * 1024, 1024 * 1024, 1920 * 1024, 128, false},
	{"mlu290", 290, 320 * 1024, 512 * 1024, 1920 * 1024, 128, false},
	{"mlu370", 372, 640 * 1024, 1024 * 1024, 3968 * 1024, 32, true},
	{"mlu590", 592, 320 * 1024, 512 * 1024, 1920 * 1024, 32, true},
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

bool
bangc_has_arch(const char *arch, struct diag *d)
{
	return find_arch(arch, d) != NULL;
}

/* Tensors in a value of type T. Tuples nest as deep as the text has them. */
static uint32_t
tensors_of(const ir_type *t)
{
	uint32_t n = 0;

	if (t->kind != TYPE_TUPLE)
		return 1;
	for (uint32_t i = 0; i < ir_as_tuple_type(t)->nfields; i++)
		n += tensors_of(ir_as_tuple_type(t)->fields[i]);
	return n;
}

/*
 * What K takes and what it gives, as its Relay type tells; behind those are
 * temporaries. All may be anything, where that does not fit what it writes.
 */
static void
count_params(struct bang_kernel *k)
{
	const tir_func *f = k->func;
	const ir_type *t = f->relay_type;
	struct bang_buffers read = {0}, written = {0};
	uint32_t results, taken = 0, found = 0;

	k->ntaken = k->nresults = f->nparams;
	if (!t || t->kind != TYPE_FUNC)
		return;
	results = tensors_of(ir_as_func_type(t)->ret);
	for (uint32_t p = 0; p < ir_as_func_type(t)->nparams; p++)
		taken += tensors_of(ir_as_func_type(t)->params[p]);
	bang_collect(f, &read, &written);
	for (uint32_t i = 0; i < taken + results && i < f->nparams; i++)
		found += bang_has(&written, f->params[i].buffer);
	bang_buffers_free(&read);
	bang_buffers_free(&written);
	if (found == results) {
		k->ntaken = taken;
		k->nresults = taken + results;
	}
}

bool
bang_is_temporary(const struct bang_kernel *k, const struct tir_buffer *b)
{
	uint32_t i = 0;

	while (i < k->func->nparams && k->func->params[i].buffer != b)
		i++;
	return i >= k->nresults;
}

bool
bang_word_at(const char *text, const char *at, size_t n)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_";

	return (at == text || !strchr(word, at[-1])) &&
	       (!at[n] || !strchr(word, at[n]));
}

bool
bang_text_mentions(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at += n)
		if (bang_word_at(text, at, n))
			return true;
	return false;
}

bool
bang_in_sram(const struct bang_kernel *k, const struct tir_buffer *b)
{
	for (uint32_t i = 0; k->in_sram && i < k->func->nparams; i++)
		if (k->func->params[i].buffer == b)
			return k->in_sram[i];
	return false;
}

const char *
bang_load_direction(const struct bang_kernel *k, const struct tir_buffer *b)
{
	return bang_in_sram(k, b) ? "SRAM2NRAM" : "GDRAM2NRAM";
}

const char *
bang_store_direction(const struct bang_kernel *k, const struct tir_buffer *b)
{
	return bang_in_sram(k, b) ? "NRAM2SRAM" : "NRAM2GDRAM";
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
	bang_buffers_free(&read);
	bang_buffers_free(&written);
}

/* "X 1024, Y 64" of lines "#define X 1024". */
static void
put_sizes(struct buf *out, const char *defines)
{
	const char *before = "// Tiles: ";

	for (const char *at = defines; (at = strstr(at, "#define "));) {
		at += strlen("#define ");
		buf_puts(out, before);
		buf_put(out, at, strcspn(at, "\n"));
		before = ", ";
	}
}

/* The kernel as Relay, or else its type; then what was chosen for it. */
static void
put_comment(struct buf *out, const struct bang_kernel *k)
{
	const tir_func *f = k->func;
	const char *text = ir_dict_string(f->attrs, "relay.text");
	struct buf note = {0};

	buf_putc(out, '\n');
	if (text) {
		bang_put_note(out, text);
	} else if (f->relay_type) {
		ir_print_type(&note, f->relay_type);
		bang_put_note(out, bang_text(&note));
	}
	note.len = 0;
	put_sizes(&note, bang_text(k->defines));
	if (note.len)
		bang_put_note(out, bang_text(&note));
	buf_free(&note);
}

/* What must cross the border of the chip: all that F takes and gives, once. */
static int64_t
least_bytes(const struct bang_kernel *k)
{
	int64_t n = 0;

	for (uint32_t i = 0; i < k->func->nparams; i++) {
		const struct tir_buffer *b = k->func->params[i].buffer;

		if (!bang_is_temporary(k, b))
			n += b->size * ((b->dtype.bits + 7) / 8);
	}
	return n;
}

static const char *
copy_text(struct arena *a, struct buf *b)
{
	return arena_printf(a, "%s", bang_text(b));
}

static void
refuse(const struct bang_kernel *k, const struct bangc_options *o,
       struct diag *d)
{
	const struct tir_buffer *foreign = foreign_param(k->func);
	char text[DTYPE_TEXT];

	if (foreign)
		diag_error(d, k->func->loc,
			   "kernel '@%s' has arrays of %s, which an MLU does "
			   "not compute with",
			   k->func->name, dtype_text(foreign->dtype, text));
	else if (k->why)
		diag_error(d, k->where,
			   "there is no BANG-C for %s, which a routine of the "
			   "host's runtime computes (kernel '@%s')",
			   k->why, k->func->name);
	else
		diag_error(d, k->func->loc,
			   "there is no BANG-C for kernel '@%s'",
			   k->func->name);
	if (!o->host_fallback)
		diag_note(d, LOC_NONE,
			  "--bang-host-fallback lets the host do it");
}

/* Leave K to the host, and say why; false if the host cannot do it either. */
static bool
leave_to_host(struct bang_kernel *k, const struct bangc_options *o,
	      struct diag *d)
{
	const struct tir_buffer *foreign = foreign_param(k->func);
	char text[DTYPE_TEXT];
	const char *why = k->why ? k->why : "it";
	struct buf note = {0};

	if (!bang_put_on_host(k))
		return false;
	if (foreign)
		why = arena_printf(k->arena, "arrays of %s",
				   dtype_text(foreign->dtype, text));
	k->defines->len = 0;
	put_comment(&note, k);
	bang_put_note(&note, arena_printf(k->arena,
					  "On the host, as there is no BANG-C "
					  "for %s.",
					  why));
	k->note = copy_text(k->arena, &note);
	buf_free(&note);
	if (o->remarks)
		diag_remark(d, k->why ? k->where : k->func->loc,
			    "kernel '@%s' runs on the host: there is no BANG-C "
			    "for %s [bang-c]",
			    k->name, why);
	return true;
}

/* What K does one by one, as its text tells. */
static void
put_remarks(const struct bang_kernel *k, struct diag *d)
{
	static const char mark[] = "/* one by one: ";
	static const char step[] = "/* element by element */";

	for (const char *p = k->body; (p = strstr(p, mark)); p++) {
		const char *what = p + strlen(mark);

		diag_remark(d, k->func->loc,
			    "kernel '@%s': a loop over elements on the chip "
			    "for '%.*s', for want of an instruction [bang-c]",
			    k->name, (int)(strstr(what, " */") - what), what);
	}
	for (const char *p = k->body; (p = strstr(p, step)); p++)
		diag_remark(d, k->func->loc,
			    "kernel '@%s': a step is done element by element "
			    "in device memory [bang-c]",
			    k->name);
}

/* The function whose statements are BODY. */
static void
put_function(struct bang_kernel *k, struct buf *body,
	     const struct bangc_options *o)
{
	struct buf all = {0};

	buf_puts(&all, bang_text(k->helpers));
	put_comment(&all, k);
	buf_printf(&all, "/* moves at least %" PRId64 " bytes */\n",
		   least_bytes(k));
	k->sizes = copy_text(k->arena, k->defines);
	buf_printf(&all, "%s void %s(",
		   o->shape == BANGC_SINGLE ? "__mlu_func__" : "__mlu_entry__",
		   k->name);
	put_params(&all, k->func);
	buf_puts(&all, ") {\n");
	if (o->shape == BANGC_LAUNCHES)
		buf_puts(&all, "  if (__is_mpu()) return;\n");
	buf_puts(&all, bang_text(body));
	buf_puts(&all, "}\n");
	buf_puts(body, bang_text(k->helpers));
	k->body = copy_text(k->arena, body);
	k->text = copy_text(k->arena, &all);
	buf_free(&all);
}

/* K's text, or an error. */
static bool
put_kernel(struct bang_kernel *k, const struct bangc_options *o, struct diag *d)
{
	struct buf body = {0}, defines = {0}, helpers = {0};
	bool ok;

	k->out = &body;
	k->defines = &defines;
	k->helpers = &helpers;
	count_params(k);
	ok = !foreign_param(k->func) && bang_put_steps(k);
	if (ok) {
		put_function(k, &body, o);
		if (o->remarks)
			put_remarks(k, d);
	} else {
		ok = o->host_fallback && leave_to_host(k, o, d);
		if (!ok)
			refuse(k, o, d);
	}
	buf_free(&body);
	buf_free(&defines);
	buf_free(&helpers);
	k->out = NULL;
	k->helpers = NULL;
	k->defines = NULL;
	return ok;
}

struct emitter {
	const struct bangc_options *o;
	const struct interface *net;
	const struct bang_arch *arch;
	struct arena arena;
	VEC(struct bang_kernel *) kernels;
	size_t nplain; /* of them, one for each function; then variants */
	VEC(struct bang_call) calls;
	struct bang_values values;
	struct bang_parts parts;
	int64_t sram_bytes;
	struct bang_packing packing;
	struct ptrmap params; /* of main, by buffer: number + 1 */
};

static struct bang_kernel *
new_kernel(struct emitter *x, const tir_func *f)
{
	struct bang_kernel *k = ARENA_NEW(&x->arena, struct bang_kernel);

	*k = (struct bang_kernel){.func = f,
				  .name = f->name,
				  .arch = x->arch,
				  .arena = &x->arena};
	vec_push(&x->kernels, k);
	return k;
}

/* Not the host either: a network's memory is planned in numbers. */
static void
refuse_sizes(const ir_def *def, const struct bangc_options *o, struct diag *d)
{
	const char *op = ir_dict_string(def->tir->attrs, "relay.op");
	struct buf what = {0};

	if (op)
		buf_printf(&what, "operator '%s' (kernel '@%s')", op,
			   def->name);
	else
		buf_printf(&what, "kernel '@%s'", def->name);
	diag_error(d, def->tir->loc,
		   "%s has shapes that are known at run time only, but BANG-C "
		   "needs numbers",
		   bang_text(&what));
	if (o->host_fallback)
		diag_note(d, LOC_NONE,
			  "--bang-host-fallback is of no use here: memory for "
			  "what the host computes is planned, too");
	diag_note(d, LOC_NONE,
		  "write numbers for '?' in the types of '@main'; what has to "
		  "stay unknown is for relay-llc --emit=llvm");
	buf_free(&what);
}

static bool
put_kernels(struct emitter *x, const ir_module *m, struct diag *d)
{
	for (size_t i = 0; i < m->defs.len; i++) {
		const ir_def *def = m->defs.at[i];

		if (def->kind != DEF_TIR ||
		    (x->net && def->tir == x->net->main))
			continue;
		if (ir_dict_get(def->tir->attrs, "sizes")) {
			refuse_sizes(def, x->o, d);
			return false;
		}
		if (!put_kernel(new_kernel(x, def->tir), x->o, d))
			return false;
	}
	x->nplain = x->kernels.len;
	return true;
}

/* AT[i] is no -1, for each of N; NULL if that is nowhere so. */
static const bool *
where_placed(struct emitter *x, const int64_t *at, uint32_t n)
{
	bool *is = ARENA_NEW_ARRAY(&x->arena, n, bool), any = false;

	for (uint32_t i = 0; at && i < n; i++)
		any |= is[i] = at[i] >= 0;
	return any ? is : NULL;
}

static bool
same_places(const bool *a, const bool *b, uint32_t n)
{
	return a == b || (a && b && !memcmp(a, b, n * sizeof(*a)));
}

/* The kernel that C calls, told where C's operands lie; has no text yet. */
static struct bang_kernel *
variant_of(struct emitter *x, const struct bang_call *c)
{
	struct bang_kernel *k = c->kernel;
	uint32_t n = k->func->nparams;
	const bool *in_sram = where_placed(x, c->sram, n);
	const bool *packed = where_placed(x, c->packed, n);

	for (;; k = k->next) {
		if (same_places(k->in_sram, in_sram, n) &&
		    same_places(k->packed, packed, n))
			return k;
		if (!k->next)
			break;
	}
	k->next = new_kernel(x, k->func);
	k->next->in_sram = in_sram;
	k->next->packed = packed;
	return k->next;
}

/* Kernels that are called have names of their own and text. */
static bool
finish_variants(struct emitter *x, struct diag *d)
{
	for (size_t i = 0; i < x->calls.len; i++)
		x->calls.at[i].kernel->used = true;
	for (size_t i = 0; i < x->nplain; i++) {
		struct bang_kernel *plain = x->kernels.at[i];
		unsigned n = plain->used;

		for (struct bang_kernel *k = plain->next; k; k = k->next) {
			if (n++)
				k->name = arena_printf(&x->arena, "%s_v%u",
						       k->name, n);
			if (!put_kernel(k, x->o, d))
				return false;
		}
	}
	return true;
}

/* A copy of bytes as a kernel and its call. */
static void
collect_copy(struct emitter *x, const tir_stmt *s, struct diag *d)
{
	struct bang_call c = {0};
	tir_stmt *call;
	const tir_func *f =
		bang_copy_kernel(&x->arena, s, (unsigned)x->calls.len, &call);

	if (!f)
		return;
	c.stmt = call;
	c.kernel = new_kernel(x, f);
	x->nplain = x->kernels.len;
	vec_push(&x->calls, c);
	put_kernel(c.kernel, x->o, d);
}

/* The calls of S, in order. */
static void
collect_calls(struct emitter *x, const tir_stmt *s, const ir_module *m,
	      const struct ptrmap *kernels, struct diag *d)
{
	const ir_def *def;
	struct bang_call c = {s, NULL, NULL, NULL};

	if (s->kind == TIR_SEQ)
		for (uint32_t i = 0; i < s->seq.n; i++)
			collect_calls(x, s->seq.at[i], m, kernels, d);
	collect_copy(x, s, d);
	if (s->kind != TIR_CALL_FUNC)
		return;
	def = ir_module_find(m, s->call.func);
	c.kernel =
		def ? (void *)(uintptr_t)ptrmap_get(kernels, def->tir) : NULL;
	if (c.kernel)
		vec_push(&x->calls, c);
}

static struct bang_network
network_of(struct emitter *x)
{
	return (struct bang_network){.net = x->net,
				     .o = x->o,
				     .calls = x->calls.at,
				     .ncalls = x->calls.len,
				     .parts = x->parts.at,
				     .nparts = x->parts.len,
				     .sram_bytes = x->sram_bytes,
				     .packing = &x->packing,
				     .params = &x->params,
				     .arena = &x->arena};
}

/* Bytes of SRAM that filters pass in some kernel; USED: that has code so. */
static int64_t
shared_bytes(const struct emitter *x, bool used)
{
	int64_t most = 0;

	for (size_t i = 0; i < x->nplain; i++)
		for (const struct bang_kernel *k = x->kernels.at[i]; k;
		     k = k->next)
			if (k->shared_bytes > most &&
			    (!used ||
			     (k->used &&
			      bang_text_mentions(k->body, BANG_SHARED))))
				most = k->shared_bytes;
	return most;
}

/* Entry kernels, and which values stay on the chip in each. */
static bool
plan_parts(struct emitter *x, struct diag *d)
{
	const tir_func *main = x->net->main;
	bool keeps = !x->o->all_clusters && !x->o->part;
	struct bang_network n = network_of(x);

	bang_find_values(&x->values, x->calls.at, x->calls.len,
			 main->params[main->nparams - 1].buffer, &x->arena);
	for (size_t i = 0; !keeps && i < x->values.len; i++)
		x->values.at[i].fixed = true;
	if (!bang_split(&x->parts, &n, &x->values, d))
		return false;
	if (keeps)
		x->sram_bytes = bang_plan_sram(
			&x->values, x->calls.at, x->parts.at, x->parts.len,
			x->arch->sram - shared_bytes(x, false), &x->arena);
	return true;
}

/* What is packed, what stays on the chip, and kernels that know. */
static bool
plan(struct emitter *x, const ir_module *m, struct diag *d)
{
	const tir_func *main = x->net->main;
	struct ptrmap kernels = {0};

	for (size_t i = 0; i < x->nplain; i++)
		ptrmap_put(&kernels, x->kernels.at[i]->func, x->kernels.at[i]);
	collect_calls(x, main->body, m, &kernels, d);
	ptrmap_free(&kernels);
	for (uint32_t i = 0; i < main->nparams; i++)
		*ptrmap_add(&x->params, main->params[i].buffer, NULL) = i + 1;
	for (size_t i = 0; i < x->calls.len; i++)
		bang_plan_packing(&x->packing, &x->calls.at[i], x->net,
				  &x->arena);
	if (x->o->shape == BANGC_SINGLE && !plan_parts(x, d))
		return false;
	for (size_t i = 0; i < x->calls.len; i++)
		x->calls.at[i].kernel = variant_of(x, &x->calls.at[i]);
	return finish_variants(x, d);
}

/*
 * In the order of a file: the head, the SIZES of tiles, what KERNELS call (or
 * everything, for NULL), the kernels.
 */
static void
put_text(struct buf *out, struct emitter *x, struct buf *sizes,
	 const char *kernels)
{
	struct buf all = {0}, device = {0}, own = {0};

	if (!x->o->part) {
		bang_put_device(&device, &own, kernels);
		bang_put_prologue(&all, x->arch, x->o, x->sram_bytes,
				  kernels ? shared_bytes(x, true)
					  : x->arch->sram / BANG_SHARED_PART);
	}
	buf_puts(&own, bang_text(sizes));
	if (own.len)
		buf_puts(&all, "\n/*\n"
			       " * Sizes of tiles. Smaller ones will do: TILE_ "
			       "in whole lines (RELAY_LINE\n"
			       " * elements), others down to 1.\n"
			       " */\n");
	buf_puts(&all, bang_text(&own));
	buf_putc(&all, '\n');
	buf_puts(&all, bang_text(&device));
	buf_puts(&all, kernels ? kernels : "");
	bang_layout(out, bang_text(&all));
	buf_free(&all);
	buf_free(&device);
	buf_free(&own);
}

bool
bangc_prologue(struct buf *out, const char *name, struct diag *d)
{
	struct bangc_options o = {0};
	struct emitter x = {.o = &o, .arch = find_arch(name, d)};
	struct buf none = {0};

	if (x.arch)
		put_text(out, &x, &none, NULL);
	buf_free(&none);
	return x.arch != NULL;
}

static void
put_all(struct buf *out, struct emitter *x)
{
	struct buf sizes = {0}, text = {0};
	bool calls;

	for (size_t i = 0; i < x->nplain; i++)
		for (const struct bang_kernel *k = x->kernels.at[i]; k;
		     k = k->next)
			if ((k->used || !x->net) && !k->on_host) {
				buf_puts(&text, k->text);
				buf_puts(&sizes, k->sizes);
			}
	calls = bang_put_host_kernels(&text, x->kernels.at, x->nplain,
				      x->o->api);
	if (x->o->uses_runtime)
		*x->o->uses_runtime = calls;
	if (x->net) {
		struct bang_network n = network_of(x);

		n.names = bang_name_slots(&n);
		bang_put_network(&text, &n);
	}
	put_text(out, x, &sizes, bang_text(&text));
	buf_free(&sizes);
	buf_free(&text);
}

bool
bangc_emit(struct buf *out, const ir_module *m, const struct interface *net,
	   const struct bangc_options *o, struct diag *d)
{
	struct emitter x = {.o = o, .net = net, .arch = find_arch(o->arch, d)};
	struct bang_arch small;
	bool ok;

	if (x.arch && o->tile_bytes) {
		small = *x.arch;
		small.nram = o->tile_bytes;
		x.arch = &small;
	}
	ok = x.arch && put_kernels(&x, m, d) && (!net || plan(&x, m, d));
	if (ok)
		put_all(out, &x);
	vec_free(&x.kernels);
	vec_free(&x.calls);
	vec_free(&x.packing);
	vec_free(&x.values);
	vec_free(&x.parts);
	ptrmap_free(&x.params);
	arena_free(&x.arena);
	return ok;
}
