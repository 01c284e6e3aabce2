/*
 * quantize: make a float network compute on small integers.
 *
 * simplify-inference, fold-constant, fold-scale-axis, canonicalize-ops and
 * fold-constant first, so that scales of channels are in the weights. Then
 * quantize-partition, quantize-annotate, quantize-calibrate and, unless
 * do-simulation, quantize-realize; fold-constant turns the weights into
 * integers. With partition-conversions, main is then cut into parts.
 *
 * Level: function. Needs: types.
 */
#include "passes/quant/quantize.h"

#include <stdlib.h>
#include <string.h>

#include "passes/registry.h"

bool
qconfig_lists(const char *list, const char *name)
{
	size_t len = strlen(name);

	while (*list) {
		size_t n = strcspn(list, ",");

		if (n == len && memcmp(list, name, n) == 0)
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

/* The option if this pass has it, else what it is by default. */
static const char *
option(pass_ctx *cx, const char *name, const char *deflt)
{
	return pass_option_index(cx->info, name, strlen(name)) >= 0
		       ? pass_option(cx, name)
		       : deflt;
}

static bool
read_dtype(pass_ctx *cx, struct loc loc, const char *name, const char *deflt,
	   struct dtype *out)
{
	const char *text = option(cx, name, deflt);

	if (dtype_parse(text, strlen(text), out) && dtype_is_int(*out) &&
	    out->lanes == 1)
		return true;
	pass_error(cx, loc, "%s must be an integer type, but is '%s'", name,
		   text);
	return false;
}

static bool
read_bits(pass_ctx *cx, struct loc loc, const char *name, const char *deflt,
	  int64_t *out)
{
	const char *text = option(cx, name, deflt);
	char *end;

	*out = strtoll(text, &end, 10);
	if (*text && !*end && *out >= 2 && *out <= 32)
		return true;
	pass_error(cx, loc, "%s must be a number from 2 to 32, but is '%s'",
		   name, text);
	return false;
}

/* Set OUT to whether the option is YES; it must be that or NO. */
static bool
read_choice(pass_ctx *cx, struct loc loc, const char *name, const char *no,
	    const char *yes, bool *out)
{
	const char *text = option(cx, name, no);

	*out = strcmp(text, yes) == 0;
	if (*out || strcmp(text, no) == 0)
		return true;
	pass_error(cx, loc, "%s must be %s or %s, but is '%s'", name, no, yes,
		   text);
	return false;
}

static bool
read_flag(pass_ctx *cx, const char *name, bool deflt)
{
	return pass_option_index(cx->info, name, strlen(name)) >= 0
		       ? pass_option_bool(cx, name)
		       : deflt;
}

static bool
read_scale(pass_ctx *cx, struct loc loc, double *out)
{
	const char *text = option(cx, "global-scale", "8.0");
	char *end;

	*out = strtod(text, &end);
	if (*text && !*end && *out > 0)
		return true;
	pass_error(cx, loc,
		   "global-scale must be a positive number, but is "
		   "'%s'",
		   text);
	return false;
}

static bool
read_mode(pass_ctx *cx, struct loc loc, enum quant_mode *out)
{
	static const char *const names[] = {"global_scale", "kl_divergence",
					    "percentile"};
	const char *text = option(cx, "calibrate-mode", names[0]);

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(text, names[i]) == 0) {
			*out = (enum quant_mode)i;
			return true;
		}
	pass_error(cx, loc,
		   "calibrate-mode must be global_scale, kl_divergence or "
		   "percentile, but is '%s'",
		   text);
	return false;
}

static bool
read_split(pass_ctx *cx, struct loc loc, struct qconfig *q)
{
	const char *text = option(cx, "partition-conversions", "disabled");

	q->fully_integral = strcmp(text, "fully_integral") == 0;
	q->split = q->fully_integral || strcmp(text, "enabled") == 0;
	if (q->split || strcmp(text, "disabled") == 0)
		return true;
	pass_error(cx, loc,
		   "partition-conversions must be disabled, enabled or "
		   "fully_integral, but is '%s'",
		   text);
	return false;
}

bool
qconfig_read(pass_ctx *cx, struct loc loc, struct qconfig *q)
{
	*q = (struct qconfig){
		.dataset = option(cx, "dataset", ""),
		.skip_dense = read_flag(cx, "skip-dense-layer", true),
		.skip_convs = option(cx, "skip-conv-layers", "first"),
		.only_ops = option(cx, "debug-enabled-ops", ""),
		.simulate = read_flag(cx, "do-simulation", false),
		.round_shift = read_flag(cx, "round-for-shift", true),
	};
	if (strcmp(q->skip_convs, "first") == 0)
		q->skip_convs = "0";
	return read_bits(cx, loc, "nbit-input", "8", &q->nbit[QUANT_INPUT]) &&
	       read_bits(cx, loc, "nbit-weight", "8", &q->nbit[QUANT_WEIGHT]) &&
	       read_bits(cx, loc, "nbit-activation", "32",
			 &q->nbit[QUANT_ACTIVATION]) &&
	       read_dtype(cx, loc, "dtype-input", "int8", &q->input) &&
	       read_dtype(cx, loc, "dtype-weight", "int8", &q->weight) &&
	       read_dtype(cx, loc, "dtype-activation", "int32",
			  &q->activation) &&
	       read_scale(cx, loc, &q->global_scale) &&
	       read_mode(cx, loc, &q->mode) && read_split(cx, loc, q) &&
	       read_choice(cx, loc, "weight-scale", "power2", "max",
			   &q->max_weight_scale) &&
	       read_choice(cx, loc, "rounding", "UPWARD", "TONEAREST",
			   &q->to_nearest);
}

const struct ir_function *
quant_run(pass_ctx *cx, const struct ir_function *fn, quant_step_fn *step)
{
	struct qconfig q;

	return qconfig_read(cx, fn->base.loc, &q) ? step(cx, &q, fn) : fn;
}

const ir_expr *
quant_call(ir_module *m, const ir_expr *e, const ir_expr *const *args)
{
	const struct ir_call *c = ir_as_call(e);

	if (memcmp(args, c->args, c->nargs * sizeof(*args)) == 0)
		return e;
	return ir_new_call(m, e->loc, c->callee, args, c->nargs, c->attrs);
}

const ir_expr *
quant_finish_operands(ir_module *m, const ir_expr *e,
		      const ir_expr *(*finish)(const ir_expr *e, void *env),
		      void *env)
{
	uint32_t n = ir_num_operands(e);
	const ir_expr **operands = xcalloc(n ? n : 1, sizeof(*operands));

	for (uint32_t i = 0; i < n; i++)
		operands[i] = finish(ir_operand(e, i), env);
	e = ir_with_operands(m, e, operands, false);
	free(operands);
	return e;
}

struct ir_rules
quant_rules(ir_rule_fn *call, ir_rule_fn *finish)
{
	struct ir_rules r = {.drop_types = true};

	r.on[IR_CALL] = call;
	r.on[IR_TUPLE] = finish;
	r.on[IR_PROJ] = finish;
	r.on[IR_LET] = finish;
	r.on[IR_IF] = finish;
	r.on[IR_MATCH] = finish;
	r.on[IR_REF_NEW] = finish;
	r.on[IR_REF_READ] = finish;
	r.on[IR_REF_WRITE] = finish;
	r.on[IR_FUNCTION] = finish;
	return r;
}

static void
forget_type(const ir_expr *e, void *env)
{
	(void)env;
	if (e->kind != IR_VAR && e->kind != IR_GLOBAL && e->kind != IR_OP &&
	    e->kind != IR_CTOR &&
	    !(e->kind == IR_CONSTANT && !ir_as_constant(e)->data))
		ir_set_type(e, NULL);
}

/* All of FN typed anew: steps leave old types above new nodes. */
static void
retype(pass_ctx *cx, const struct ir_function *fn)
{
	ir_walk(&fn->base, NULL, forget_type, NULL);
	if (!ir_infer_expr(cx->module, &fn->base, cx->diag))
		cx->failed = true;
}

/* What pass FLAG, with its default options, makes of FN; typed again. */
static const struct ir_function *
run_pass(pass_ctx *cx, const char *flag, ir_def *def,
	 const struct ir_function *fn)
{
	const struct pass_info *info = pass_find(flag, strlen(flag));
	pass_ctx part = pass_part(cx, info, NULL);
	const struct ir_function *result;

	if (!info || cx->failed)
		return fn;
	result = info->run_function(&part, def, fn);
	pass_part_end(cx, &part);
	if (result != fn && !cx->failed)
		retype(cx, result);
	return result;
}

/* The same for a step. */
static const struct ir_function *
run_step(pass_ctx *cx, const struct qconfig *q, quant_step_fn *step,
	 const struct ir_function *fn)
{
	const struct ir_function *result;

	if (cx->failed)
		return fn;
	result = step(cx, q, fn);
	if (result != fn && !cx->failed)
		retype(cx, result);
	return result;
}

const struct ir_function *
pass_quantize(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	static const char *const before[] = {
		"simplify-inference", "fold-constant", "fold-scale-axis",
		"canonicalize-ops",   "fold-constant",
	};
	struct qconfig q;

	if (!qconfig_read(cx, fn->base.loc, &q))
		return fn;
	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		fn = run_pass(cx, before[i], def, fn);
	fn = run_step(cx, &q, quant_partition, fn);
	fn = run_step(cx, &q, quant_annotate, fn);
	fn = run_step(cx, &q, quant_calibrate, fn);
	if (!q.simulate)
		fn = run_step(cx, &q, quant_realize, fn);
	fn = run_pass(cx, "fold-constant", def, fn);
	if (q.split && !q.simulate && !cx->failed &&
	    strcmp(def->name, "main") == 0)
		fn = quant_partition_conversions(cx, &q, fn);
	return fn;
}
