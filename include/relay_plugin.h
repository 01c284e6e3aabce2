/*
 * relay_plugin.h - operators and passes from a shared library.
 *
 * A plugin is a shared library with one entry, relay_plugin_init, that gives
 * tables: operators with their inputs, attributes, type relation and compute
 * rule; routines in C for what formulas cannot say; passes. The tools load it
 * by --load-plugin=FILE.so, before they read anything else, and keep it to the
 * end. docs/adding-an-operator.md and docs/adding-a-pass.md show it all.
 *
 * What a plugin may do is in the table of functions that it is given. Handles
 * are opaque, belong to the tools, and are good until the callback returns.
 * Callbacks run on one thread. They report errors by the functions named so,
 * and never exit or print.
 */
#ifndef RELAY_PLUGIN_H
#define RELAY_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Changes when a struct below changes its layout or a function its meaning. A
 * function that is new stands at the end of relay_api and changes nothing.
 */
#define RELAY_PLUGIN_VERSION 1u

/* Element types are DLPack's: code, bits; bool is code 1 with one bit. */
typedef struct relay_type {
	uint8_t code; /* 0 int, 1 uint, 2 float, 4 bfloat */
	uint8_t bits;
} relay_type;

/* An extent that is known at run time only. */
enum { RELAY_ANY = -1 };

enum { RELAY_MAX_RANK = 16 };

typedef struct relay_attrs relay_attrs;
typedef struct relay_relation relay_relation; /* a call being typed */
typedef struct relay_rule relay_rule;         /* a call being computed */
typedef struct relay_body relay_body;         /* a formula being written */
typedef struct relay_tensor relay_tensor;     /* a tensor in formulas */
typedef struct relay_value relay_value;       /* a scalar in formulas */
typedef struct relay_pass relay_pass;         /* a run of a pass */
typedef struct relay_node relay_node;         /* an expression of Relay */
typedef struct relay_run relay_run;           /* any pass over a module */

/* What a type relation returns: done, call me again, an error was reported. */
typedef enum relay_outcome { RELAY_DONE, RELAY_WAIT, RELAY_FAIL } relay_outcome;

/* How an operator may be fused with its neighbours. */
typedef enum relay_pattern {
	RELAY_ELEMWISE = 0,
	RELAY_BROADCAST = 1,
	RELAY_INJECTIVE = 2,
	RELAY_REDUCE = 3,
	RELAY_OUT_ELEMWISE = 4,
	RELAY_OPAQUE = 8
} relay_pattern;

/* clang-format off */
typedef enum relay_binary {
	RELAY_ADD, RELAY_SUB, RELAY_MUL, RELAY_DIV, RELAY_MOD,
	RELAY_MIN, RELAY_MAX, RELAY_AND, RELAY_OR,
	RELAY_EQ, RELAY_NE, RELAY_LT, RELAY_LE, RELAY_GT, RELAY_GE,
	RELAY_POW
} relay_binary;

typedef enum relay_unary {
	RELAY_ABS, RELAY_CEIL, RELAY_COS, RELAY_ERF, RELAY_EXP, RELAY_FLOOR,
	RELAY_LOG, RELAY_ROUND, RELAY_SIN, RELAY_SQRT, RELAY_TAN, RELAY_TANH,
	RELAY_TRUNC
} relay_unary;

typedef enum relay_fold {
	RELAY_FOLD_SUM, RELAY_FOLD_PROD, RELAY_FOLD_MIN, RELAY_FOLD_MAX
} relay_fold;
/* clang-format on */

/*
 * What watches passes, those of the tools as well. Any callback may be NULL.
 * Before a pass runs, should_run of every instrument is asked; if one gives 0
 * (and the pass is not in --required-pass), it does not run, and nothing more
 * is called. Otherwise before of all, the pass, and after of all, in the order
 * in which they were added; after is not called when the pass failed. enter and
 * leave stand around the passes over one module.
 */
typedef struct relay_plugin_instrument {
	const char *name;
	void *data; /* handed to each callback */
	void (*enter)(void *data);
	void (*leave)(void *data);
	int (*should_run)(void *data, relay_run *r);
	void (*before)(void *data, relay_run *r);
	void (*after)(void *data, relay_run *r);
} relay_plugin_instrument;

typedef struct relay_api {
	uint32_t version;
	uint32_t size; /* bytes of this struct */

	/* Attributes; the name must be one of the operator's. */
	int64_t (*attr_int)(const relay_attrs *a, const char *name);
	double (*attr_float)(const relay_attrs *a, const char *name);
	int (*attr_bool)(const relay_attrs *a, const char *name);
	const char *(*attr_string)(const relay_attrs *a, const char *name);
	/* How many integers there are; up to MAX of them are put into OUT. */
	int (*attr_ints)(const relay_attrs *a, const char *name, int64_t *out,
			 int max);

	/*
	 * Type relations. input gives the rank of input I, its element type
	 * and its extents (room for RELAY_MAX_RANK), or -1: it is not known
	 * yet, or no tensor; the relation then returns wait for I.
	 */
	const relay_attrs *(*relation_attrs)(const relay_relation *r);
	int (*input)(relay_relation *r, unsigned i, relay_type *type,
		     int64_t *shape);
	relay_outcome (*wait)(relay_relation *r, unsigned i);
	relay_outcome (*result)(relay_relation *r, relay_type type,
				const int64_t *shape, int rank);
	relay_outcome (*relation_error)(relay_relation *r, const char *fmt,
					...);

	/*
	 * Compute rules. begin opens a formula for a tensor of this shape,
	 * begin_result for the result of the operator. axis is the index along
	 * an axis of it; fold_axis adds an axis to fold over. end and end_fold
	 * close it. A fold must be the whole formula.
	 */
	const relay_attrs *(*rule_attrs)(const relay_rule *c);
	relay_tensor *(*rule_input)(relay_rule *c, unsigned i);
	relay_type (*tensor_type)(const relay_tensor *t);
	int (*tensor_rank)(const relay_tensor *t);
	int64_t (*tensor_extent)(const relay_tensor *t, int axis);
	relay_body *(*begin)(relay_rule *c, const char *name,
			     const int64_t *shape, int rank);
	relay_body *(*begin_result)(relay_rule *c);
	const relay_value *(*axis)(relay_body *b, int axis);
	const relay_value *(*fold_axis)(relay_body *b, int64_t extent);
	relay_tensor *(*end)(relay_body *b, const relay_value *v);
	relay_tensor *(*end_fold)(relay_body *b, relay_fold how,
				  const relay_value *v);
	/* T at so many indices, which must be inside. */
	const relay_value *(*read)(relay_rule *c, const relay_tensor *t,
				   const relay_value *const *index, int n);
	const relay_value *(*number)(relay_rule *c, relay_type type, double v);
	const relay_value *(*index)(relay_rule *c, int64_t v);
	const relay_value *(*cast)(relay_rule *c, relay_type type,
				   const relay_value *v);
	/* Operands of one type; RELAY_DIV of integers is floor division. */
	const relay_value *(*binary)(relay_rule *c, relay_binary op,
				     const relay_value *a,
				     const relay_value *b);
	const relay_value *(*unary)(relay_rule *c, relay_unary op,
				    const relay_value *a);
	/* One of two, both of which are computed; guard computes only one. */
	const relay_value *(*select)(relay_rule *c, const relay_value *cond,
				     const relay_value *a,
				     const relay_value *b);
	const relay_value *(*guard)(relay_rule *c, const relay_value *cond,
				    const relay_value *a, const relay_value *b);
	/* T is the result. Returns 1, so that rules can end in it. */
	int (*rule_result)(relay_rule *c, relay_tensor *t);
	/*
	 * The result is filled by a routine: its pointer comes first, then
	 * those of all inputs, then N integers. Returns 1.
	 */
	int (*rule_routine)(relay_rule *c, const char *routine,
			    const int64_t *ints, int n);
	int (*rule_error)(relay_rule *c, const char *fmt, ...); /* 0 */

	/*
	 * Passes. called is the operator that a node calls, or NULL; scalar is
	 * 1 if a node is a constant of rank 0, whose value it gives.
	 */
	const char *(*called)(const relay_node *n);
	const relay_attrs *(*node_attrs)(const relay_node *call);
	int (*num_args)(const relay_node *call);
	const relay_node *(*arg)(const relay_node *call, int i);
	int (*scalar)(const relay_node *n, double *value);
	/* Rank, or -1: not a tensor, or (in what a pass made) not known. */
	int (*node_type)(const relay_node *n, relay_type *type, int64_t *shape);
	const relay_node *(*make_scalar)(relay_pass *p, relay_type type,
					 double value);
	/* With default attributes; NULL after an error. */
	const relay_node *(*make_call)(relay_pass *p, const char *op,
				       const relay_node *const *args, int n);
	const char *(*option)(relay_pass *p, const char *name);
	/* Add one to what --stats prints under this name. */
	void (*count)(relay_pass *p, const char *what);
	void (*pass_error)(relay_pass *p, const relay_node *at, const char *fmt,
			   ...);

	/*
	 * Instruments. add_instrument is called in relay_plugin_init, with what
	 * lives to the end of the process. flag is "fuse-ops"; changed is 1 in
	 * after, if the pass changed something; text is the module, good until
	 * the callback returns. say writes a line to the standard error, or
	 * where dumps go; run_error ends the passes.
	 */
	void (*add_instrument)(const relay_plugin_instrument *i);
	const char *(*run_flag)(const relay_run *r);
	int (*run_changed)(const relay_run *r);
	const char *(*run_text)(relay_run *r);
	void (*say)(relay_run *r, const char *fmt, ...);
	void (*run_error)(relay_run *r, const char *fmt, ...);
} relay_api;

typedef enum relay_attr_kind {
	RELAY_ATTR_INT,
	RELAY_ATTR_FLOAT,
	RELAY_ATTR_BOOL,
	RELAY_ATTR_STRING,
	RELAY_ATTR_INTS
} relay_attr_kind;

typedef struct relay_plugin_attr {
	const char *name;
	relay_attr_kind kind;
	const char *deflt; /* "1", "0.5", "true", "NCHW", "[1,2]"; NULL: none */
} relay_plugin_attr;

typedef struct relay_plugin_op {
	const char *name;               /* "toy.scale" */
	const char *inputs;             /* "data,factor" */
	const relay_plugin_attr *attrs; /* up to one without name, or NULL */
	relay_pattern pattern;
	relay_outcome (*relation)(relay_relation *r);
	int (*compute)(relay_rule *c); /* 1: done; NULL: types only */
	const char *summary;
} relay_plugin_op;

/* An argument of a routine, as the evaluator passes it. */
typedef union relay_argument {
	int64_t i;
	double f;
	void *p;
} relay_argument;

/*
 * int32_t NAME(void *result, void *input..., int64_t number...), which returns
 * 0 when all is well. Compiled code calls it by its address; the evaluator
 * calls CALL, which takes the arguments apart.
 */
typedef struct relay_plugin_routine {
	const char *name;
	uint32_t nargs;
	int32_t (*call)(const relay_argument *a);
	void (*address)(void);
} relay_plugin_routine;

typedef struct relay_plugin_option {
	const char *name;
	const char *deflt;
	const char *summary;
} relay_plugin_option;

typedef struct relay_plugin_pass {
	const char *flag; /* "double-to-add" */
	const char *name; /* "DoubleToAdd" */
	int level;        /* where sequences run it */
	const relay_plugin_option
		*options; /* up to one without name, or NULL */
	/*
	 * Called for each call of an operator, operands first. Returns what
	 * takes its place, or the call itself.
	 */
	const relay_node *(*rewrite)(relay_pass *p, const relay_node *call);
	const char *summary;
} relay_plugin_pass;

/* Tables end in a row without name; NULL is none. */
typedef struct relay_plugin {
	uint32_t version; /* RELAY_PLUGIN_VERSION */
	const char *name;
	const relay_plugin_op *ops;
	const relay_plugin_pass *passes;
	const relay_plugin_routine *routines;
} relay_plugin;

/*
 * What a plugin defines. API lives to the end of the process; version and size
 * of it say what the tools have. NULL: the plugin will not run with them.
 */
/* clang-format off */
__attribute__((visibility("default")))
const relay_plugin *relay_plugin_init(const relay_api *api);
/* clang-format on */

#ifdef __cplusplus
}
#endif

#endif
