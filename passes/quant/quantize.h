/*
 * Quantization of float networks after training, in four steps that are passes
 * of their own: partition, annotate, calibrate, realize.
 */
#ifndef RELAY_PASSES_QUANT_QUANTIZE_H
#define RELAY_PASSES_QUANT_QUANTIZE_H

#include "passes/pass.h"

/* What a value is quantized as: attribute "kind" of simulated_quantize. */
enum quant_kind { QUANT_NONE, QUANT_INPUT, QUANT_WEIGHT, QUANT_ACTIVATION };

/* Where the ranges of inputs and activations come from. */
enum quant_mode { QUANT_GLOBAL, QUANT_KL, QUANT_PERCENTILE };

struct qconfig {
	enum quant_mode mode;
	const char *dataset; /* files of samples, by commas */
	int64_t nbit[4];     /* by kind */
	struct dtype input;
	struct dtype weight;
	struct dtype activation;
	double global_scale;
	bool max_weight_scale; /* else the next power of two */
	bool skip_dense;
	const char *skip_convs; /* numbers of layers, by commas */
	const char *only_ops;   /* by commas; "": all */
	bool simulate;
	bool split;          /* partition-conversions */
	bool fully_integral; /* or complain */
	bool round_shift;
	bool to_nearest;
};

/* From the options that the pass has; false after reporting. */
bool qconfig_read(pass_ctx *cx, struct loc loc, struct qconfig *q);

/* NAME is one of LIST, which is separated by commas. */
bool qconfig_lists(const char *list, const char *name);

/* Each step: FN, or a new function. Failures set cx->failed. */
typedef const struct ir_function *quant_step_fn(pass_ctx *cx,
						const struct qconfig *q,
						const struct ir_function *fn);
quant_step_fn quant_partition, quant_annotate, quant_calibrate, quant_realize;
quant_step_fn quant_partition_conversions;

/* Read the options, then do STEP. */
const struct ir_function *quant_run(pass_ctx *cx, const struct ir_function *fn,
				    quant_step_fn *step);

/* E with these arguments; E itself if they are the same. */
const ir_expr *quant_call(ir_module *m, const ir_expr *e,
			  const ir_expr *const *args);

/* E with each operand as FINISH gives it; no type if one is new. */
const ir_expr *quant_finish_operands(ir_module *m, const ir_expr *e,
				     const ir_expr *(*finish)(const ir_expr *e,
							      void *env),
				     void *env);

/*
 * The rules of a step: CALL for calls, FINISH for all else with operands.
 * Rebuilt nodes have no types, so that inference goes down to what is new.
 */
struct ir_rules quant_rules(ir_rule_fn *call, ir_rule_fn *finish);

#endif
