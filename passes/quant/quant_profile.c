#include "passes/quant/quant_profile.h"

#include <stdlib.h>
#include <string.h>

#include "ir/npy.h"
#include "support/source.h"
#include "te/interp.h"

struct seen {
	VEC(float) values;
};

struct profiler {
	pass_ctx *cx;
	ir_module *m;
	const struct ir_function *fn;
	ir_expr_vec calls;  /* annotated, but weights */
	struct seen *seen;  /* by place in CALLS */
	const ir_expr *all; /* a tuple of what they annotate */
};

static void
collect_call(const ir_expr *e, void *env)
{
	struct profiler *p = env;

	if (ir_is_call_of(e, OP_relay_op_annotation_simulated_quantize) &&
	    ir_attrs_int(ir_as_call(e)->attrs, "kind", 0) != QUANT_WEIGHT)
		vec_push(&p->calls, e);
}

/* The float network knows nothing of rounding. */
static const ir_expr *
drop_rounding(const ir_expr *e, const ir_expr *old, void *env)
{
	(void)old;
	(void)env;
	if (ir_is_call_of(e, OP_relay_op_annotation_simulated_quantize))
		return ir_as_call(e)->args[0];
	return e;
}

static const ir_expr *
values_of(struct profiler *p)
{
	static const struct ir_rules rules = {
		.on = {[IR_CALL] = drop_rounding},
		.drop_types = true,
	};
	const ir_expr **fields =
		ARENA_NEW_ARRAY(p->cx->scratch, p->calls.len, const ir_expr *);

	for (size_t i = 0; i < p->calls.len; i++)
		fields[i] = ir_as_call(p->calls.at[i])->args[0];
	return ir_rewrite(p->m,
			  ir_new_tuple(p->m, p->fn->base.loc, fields,
				       (uint32_t)p->calls.len),
			  &rules, p);
}

/* The values for parameters that a sample gives, as constants; one tensor
 * without a name is for the first. */
static void
bind_sample(struct profiler *p, const struct named_tensors *t,
	    struct ir_map *map)
{
	for (uint32_t i = 0; i < p->fn->nparams; i++) {
		const struct ir_var *v = p->fn->params[i];
		ir_tensor *given = named_tensors_find(t, v->name);

		if (!given && i == 0)
			given = named_tensors_find(t, "");
		if (given)
			ir_map_put(map, &v->base,
				   ir_new_constant(p->m, v->base.loc, given));
	}
}

static void
keep_values(struct profiler *p, const struct interp_value *v)
{
	for (size_t i = 0; i < p->calls.len; i++) {
		const struct interp_value *f = v->at[i];
		int64_t n;

		if (f->kind != INTERP_TENSOR)
			continue;
		n = ir_tensor_size(f->tensor);
		for (int64_t k = 0; k < n; k++) {
			float x = (float)ir_tensor_get_double(f->tensor, k);

			vec_push(&p->seen[i].values, x);
		}
	}
}

static bool
run_sample(struct profiler *p, const struct named_tensors *t)
{
	struct ir_map map = {0};
	struct interp *in;
	struct interp_value *v = NULL;
	ir_expr_vec missing = {0};
	const ir_expr *e;

	bind_sample(p, t, &map);
	e = ir_substitute(p->m, p->all, &map);
	ir_free_vars(e, &missing);
	if (missing.len > 0)
		pass_error(p->cx, missing.at[0]->loc,
			   "a sample has no tensor for '%%%s'",
			   ir_as_var(missing.at[0])->name);
	else if (ir_infer_expr(p->m, e, p->cx->diag)) {
		in = interp_new(p->m, p->cx->diag);
		v = interp_eval(in, e);
		if (v)
			keep_values(p, v);
		interp_unref(v);
		interp_free(in);
	}
	p->cx->failed |= !v;
	vec_free(&missing);
	ir_map_free(&map);
	return v != NULL;
}

static bool
run_file(struct profiler *p, const char *path)
{
	struct named_tensors t = {0};
	struct source s;
	const char *why;
	bool ok;

	if (!source_open(&s, path, &why)) {
		pass_error(p->cx, p->fn->base.loc, "cannot read '%s': %s", path,
			   why);
		return false;
	}
	ok = tensors_read(s.text, s.len, &t, &why);
	if (!ok)
		pass_error(p->cx, p->fn->base.loc, "'%s': %s", path, why);
	else
		ok = run_sample(p, &t);
	named_tensors_free(&t);
	source_free(&s);
	return ok;
}

/* All files of a list that is separated by commas. */
static bool
run_files(struct profiler *p, const char *list)
{
	bool ok = true;

	while (*list && ok) {
		size_t n = strcspn(list, ",");
		char *path = xcalloc(n + 1, 1);

		memcpy(path, list, n);
		ok = run_file(p, path);
		free(path);
		list += n + (list[n] == ',');
	}
	return ok;
}

bool
quant_profile(pass_ctx *cx, const struct qconfig *q,
	      const struct ir_function *fn, struct quant_profile *out)
{
	struct profiler p = {.cx = cx, .m = cx->module, .fn = fn};
	bool ok;

	*out = (struct quant_profile){.range = NULL};
	if (!q->dataset[0]) {
		pass_error(cx, fn->base.loc,
			   "this calibrate-mode needs samples: dataset=FILE");
		return false;
	}
	ir_walk(fn->body, NULL, collect_call, &p);
	p.seen = xcalloc(p.calls.len + 1, sizeof(*p.seen));
	out->range = xcalloc(p.calls.len + 1, sizeof(*out->range));
	p.all = values_of(&p);
	ok = run_files(&p, q->dataset);
	for (size_t i = 0; i < p.calls.len; i++) {
		struct seen *s = &p.seen[i];

		if (ok)
			out->range[i] =
				q->mode == QUANT_KL
					? quant_kl_threshold(s->values.at,
							     s->values.len)
					: quant_percentile(s->values.at,
							   s->values.len);
		ir_map_put(&out->index, p.calls.at[i],
			   (void *)(uintptr_t)(i + 1));
		vec_free(&s->values);
	}
	free(p.seen);
	vec_free(&p.calls);
	return ok;
}

void
quant_profile_free(struct quant_profile *p)
{
	ir_map_free(&p->index);
	free(p->range);
}
