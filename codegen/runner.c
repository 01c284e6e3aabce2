/*
 * Engines. Each is a struct that begins with a struct runner.
 */
#include "codegen/runner_internal.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/relay_rt.h"
#include "ir/tir.h"
#include "te/eval.h"

struct interp {
	struct runner base;
	struct eval_machine *machine;
	char *constants;
	char *workspace;
	size_t workspace_bytes;
	struct eval_span *args;
};

struct compiled {
	struct runner base;
	struct llvm_unit *unit;
	struct llvm_jit *jit;
	relay_model *model;
};

void
runner_free(struct runner *r)
{
	if (r)
		r->free(r);
}

bool
runner_run(struct runner *r, ir_tensor *const *in, ir_tensor **out)
{
	return r->run(r, in, out);
}

static bool
interp_run(struct runner *r, ir_tensor *const *in, ir_tensor **out)
{
	struct interp *p = (struct interp *)r;
	uint32_t n = r->x->ninputs, all = n + r->x->noutputs;

	for (uint32_t i = 0; i < all; i++) {
		const ir_tensor *t = i < n ? in[i] : out[i - n];

		p->args[i] = (struct eval_span){t->data, t->nbytes};
	}
	p->args[all] =
		(struct eval_span){p->constants, (size_t)r->x->constants_bytes};
	p->args[all + 1] = (struct eval_span){p->workspace, p->workspace_bytes};
	return eval_run_tir(p->machine, r->x->main, p->args, all + 2);
}

static void
interp_free(struct runner *r)
{
	struct interp *p = (struct interp *)r;

	eval_machine_free(p->machine);
	free(p->constants);
	free(p->workspace);
	free(p->args);
	free(p);
}

struct runner *
runner_interp(const ir_module *m, const struct interface *x, struct diag *d)
{
	struct interp *p = xcalloc(1, sizeof(*p));

	p->base = (struct runner){x, d, interp_run, interp_free};
	p->machine = eval_machine_new(m, d);
	p->constants = xcalloc(1, (size_t)x->constants_bytes + 1);
	for (uint32_t i = 0; i < x->nconstants; i++)
		if (x->constants[i].data)
			memcpy(p->constants + x->constants[i].offset,
			       x->constants[i].data->data,
			       x->constants[i].data->nbytes);
	p->workspace_bytes = (size_t)x->workspace_bytes;
	p->workspace = calloc(1, p->workspace_bytes + 1);
	p->args = xcalloc(x->ninputs + x->noutputs + 2, sizeof(*p->args));
	if (p->workspace)
		return &p->base;
	diag_error(d, LOC_NONE,
		   "not enough memory: what is computed between inputs and "
		   "results takes %zu bytes",
		   p->workspace_bytes);
	interp_free(&p->base);
	return NULL;
}

/* The place in front of a message of a model. */
static bool
span_of_text(void *env, uint32_t index, struct diag_span *out)
{
	(void)index;
	*out = *(struct diag_span *)env;
	return true;
}

/* "file:line:column: text" as an error there. */
static void
report(struct diag *d, const char *text)
{
	struct diag saved = *d;
	struct loc loc = LOC_NONE;
	struct diag_span span = {0};
	size_t len = strlen(text) + 1;
	char *copy = memcpy(xmalloc(len), text, len);
	const char *rest = strstr(text, ": ");
	unsigned line, column;
	int used = 0;
	size_t n;

	for (n = 0; rest && n < (size_t)(rest - text); n++)
		if (sscanf(text + n, ":%u:%u%n", &line, &column, &used) == 2 &&
		    text + n + used == rest) {
			copy[n] = '\0';
			span = (struct diag_span){copy, line, column};
			loc.span = true;
			d->span_of = span_of_text;
			d->span_env = &span;
			text = rest + 2;
			break;
		}
	diag_error(d, loc, "%s", text);
	d->span_of = saved.span_of;
	d->span_env = saved.span_env;
	free(copy);
}

static bool
status_ok(struct runner *r, relay_status s)
{
	if (s == RELAY_OK)
		return true;
	diag_error(r->diag, LOC_NONE, "cannot run the model: %s",
		   relay_status_string(s));
	return false;
}

/* The results of the last run, as new tensors. */
static bool
take_results(struct compiled *c, ir_tensor **out)
{
	const struct interface *x = c->base.x;

	for (uint32_t i = 0; i < x->noutputs; i++) {
		const struct interface_slot *s = &x->slots[x->ninputs + i];
		int64_t shape[64];

		assert(s->ndim <= 64);
		relay_model_output_shape(c->model, (int32_t)i, shape);
		ir_tensor_unref(out[i]);
		out[i] = ir_tensor_new(s->dtype, shape, s->ndim);
		if (!out[i])
			return status_ok(&c->base, RELAY_E_NOMEM);
		if (!status_ok(&c->base, relay_model_get_output(
						 c->model, (int32_t)i,
						 out[i]->data, out[i]->nbytes)))
			return false;
	}
	return true;
}

/* Shapes are known at run time only. */
static bool
sized_run(struct runner *r, ir_tensor *const *in, ir_tensor **out)
{
	struct compiled *c = (struct compiled *)r;
	const char *why;
	relay_status s;

	for (uint32_t i = 0; i < r->x->ninputs; i++)
		if (!status_ok(r, relay_model_set_shape(c->model, (int32_t)i,
							in[i]->shape)) ||
		    !status_ok(r, relay_model_bind_input(c->model, (int32_t)i,
							 in[i]->data)))
			return false;
	s = relay_model_run(c->model);
	why = relay_model_error(c->model);
	if ((s == RELAY_E_SHAPE || s == RELAY_E_NOMEM) && why) {
		report(r->diag, why);
		return false;
	}
	return status_ok(r, s) && take_results(c, out);
}

static bool
compiled_run(struct runner *r, ir_tensor *const *in, ir_tensor **out)
{
	struct compiled *c = (struct compiled *)r;

	if (r->x->sized)
		return sized_run(r, in, out);
	for (uint32_t i = 0; i < r->x->ninputs; i++)
		if (!status_ok(r, relay_model_bind_input(c->model, (int32_t)i,
							 in[i]->data)))
			return false;
	for (uint32_t i = 0; i < r->x->noutputs; i++)
		if (!status_ok(r, relay_model_bind_output(c->model, (int32_t)i,
							  out[i]->data)))
			return false;
	return status_ok(r, relay_model_run(c->model));
}

static void
compiled_free(struct runner *r)
{
	struct compiled *c = (struct compiled *)r;

	relay_model_destroy(c->model);
	llvm_jit_free(c->jit);
	llvm_unit_free(c->unit);
	free(c);
}

static struct compiled *
new_compiled(const struct interface *x, struct diag *d)
{
	struct compiled *c = xcalloc(1, sizeof(*c));

	c->base = (struct runner){x, d, compiled_run, compiled_free};
	return c;
}

static relay_options
options_for(int threads)
{
	return (relay_options){.struct_size = sizeof(relay_options),
			       .num_threads = threads};
}

static bool
model_created(struct compiled *c, relay_status s)
{
	const struct interface *x = c->base.x;
	double bytes = (double)x->workspace_bytes;

	if (s != RELAY_E_NOMEM)
		return status_ok(&c->base, s);
	for (uint32_t i = 0; i < x->ninputs + x->noutputs; i++)
		bytes += (double)x->slots[i].nbytes;
	diag_error(c->base.diag, LOC_NONE,
		   "not enough memory: inputs, results and what is computed "
		   "between them take %.0f bytes",
		   bytes);
	return false;
}

struct runner *
runner_jit(const ir_module *m, const struct interface *x,
	   const struct llvm_options *o, int threads, struct diag *d)
{
	struct compiled *c = new_compiled(x, d);
	struct llvm_options own = *o;
	relay_options options = options_for(threads);
	void *desc = NULL;

	own.name = "model";
	own.no_runtime = false;
	own.constants_in_file = false;
	c->unit = llvm_unit_new(m, &own, d);
	if (c->unit && llvm_unit_optimise(c->unit, &own, d))
		c->jit = llvm_jit_new(c->unit, d);
	if (c->jit)
		desc = llvm_jit_symbol(c->jit, "model_model", d);
	if (desc &&
	    model_created(c, relay_model_create(&c->model, desc, &options)))
		return &c->base;
	compiled_free(&c->base);
	return NULL;
}

static void
read_slot(struct interface_slot *s, const relay_tensor_info *info,
	  struct arena *a)
{
	s->label = arena_printf(a, "%s", info->name);
	s->name = interface_identifier(a, info->name);
	s->dtype = (struct dtype){info->dtype_code, info->dtype_bits, 1};
	s->ndim = (uint32_t)info->rank;
	s->shape = arena_copy(a, info->shape,
			      (size_t)info->rank * sizeof(*info->shape));
	s->nbytes = (int64_t)info->nbytes;
}

static void
read_interface(const relay_model *m, struct interface *x, struct arena *a)
{
	relay_tensor_info info;

	*x = (struct interface){0};
	x->ninputs = (uint32_t)relay_model_num_inputs(m);
	x->noutputs = (uint32_t)relay_model_num_outputs(m);
	x->slots = ARENA_NEW_ARRAY(a, x->ninputs + x->noutputs + 1,
				   struct interface_slot);
	for (uint32_t i = 0; i < x->ninputs; i++) {
		relay_model_input_info(m, (int32_t)i, &info);
		read_slot(&x->slots[i], &info, a);
	}
	for (uint32_t i = 0; i < x->noutputs; i++) {
		relay_model_output_info(m, (int32_t)i, &info);
		read_slot(&x->slots[x->ninputs + i], &info, a);
	}
	x->sized = relay_model_is_sized(m) != 0;
}

struct runner *
runner_library(const char *path, struct interface *x, struct arena *a,
	       int threads, struct diag *d)
{
	struct compiled *c = new_compiled(x, d);
	relay_options options = options_for(threads);
	char *full = strchr(path, '/') ? arena_printf(a, "%s", path)
				       : arena_printf(a, "./%s", path);
	relay_status s = relay_model_load(&c->model, full, &options);

	if (s == RELAY_OK) {
		read_interface(c->model, x, a);
		return &c->base;
	}
	diag_error(d, LOC_NONE, "cannot load '%s': %s", path,
		   relay_status_string(s));
	compiled_free(&c->base);
	return NULL;
}
