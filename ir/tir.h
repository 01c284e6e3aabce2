/*
 * Loops over flat buffers (TIR), and the scalar expressions that they share
 * with tensor expressions (ir/te.h).
 *
 * Expressions are immutable and live in the module's arena. They are a small
 * closed language, so one struct serves all: a kind, an element type, one
 * payload and operands. Statements are mutable trees; each belongs to one
 * function.
 *
 * Integer arithmetic wraps in the width of its type. '/' and '%' on integers
 * are floor division and its remainder; C's are TRUNCDIV and TRUNCMOD. A
 * division by zero takes one as its divisor, so both sides of a SELECT can be
 * evaluated. An operation on vectors (dtype.lanes > 1) works lane by lane; both
 * operands have the same type. Comparisons are IEEE's: with a NaN only NE
 * holds, and a cast of a float to bool is NE 0. Arithmetic on bfloat16 is done
 * in float32; stores and casts round. Index arithmetic of lowered
 * functions never overflows.
 *
 * The text, as printed by tir_print_func and tir_print_expr (notation of
 * ir/te.h):
 *
 *   func     : 'primfn' '@'NAME '(' [NAME ':' 'handle' {',' ...}] ')'
 *              '->' 'int32' 'attr' '=' '{' [key ':' value {',' ...}] '}'
 *              'buffers' '=' '{' [bufdef {',' bufdef}] '}'
 *              'buffer_map' '=' '{' [NAME ':' NAME {',' ...}] '}' block
 *   key      : STRING
 *   value    : STRING | INT | FLOAT | 'True' | 'False' | Relay type
 *            | '[' [value {',' value}] ']' | 'meta' '[' .. ']' '[' INT ']'
 *   bufdef   : NAME ':' 'Buffer' '(' NAME ':' 'Pointer' '(' dtype ')' ','
 *              dtype ',' '[' INT ']' ',' '[' ']' [',' 'align' '=' INT] ')'
 *   block    : '{' {stmt} '}'
 *   stmt     : NAME '[' expr ']' '=' expr ['where' expr] ';'      store, mask
 *            | 'for' '(' NAME ':' dtype ',' expr ',' expr ')' [STRING] block
 *                   min and END; "parallel", "vectorized", "unroll"
 *            | 'while' expr block
 *            | 'if' expr block ['else' block]
 *            | 'let' NAME ':' dtype '=' expr block
 *            | 'allocate' '(' NAME ':' 'Pointer' '(' dtype ')' ',' dtype ','
 *              '[' INT ']' ')' ',' 'storage_scope' '=' STRING block
 *            | 'assert' '(' expr ',' STRING ')' ';'
 *            | expr ';'                                          EVAL
 *            | '@'NAME '(' [expr {',' expr}] ')' ';'             CALL_FUNC
 *            | 'return' expr ';'
 *   expr     : literal | NAME | STRING | '(' expr ')' | '!' expr
 *            | expr op expr     op: || && == != < <= > >= + - * / %
 *            | NAME '[' expr ']'                                 LOAD
 *            | 'select' | 'guard' '(' expr ',' expr ',' expr ')'
 *            | 'min' | 'max' | 'truncdiv' | 'truncmod' '(' expr ',' expr ')'
 *            | 'cast' '(' dtype ',' expr ')'
 *            | 'ramp' '(' expr ',' expr ',' INT ')'
 *            | 'broadcast' '(' expr ',' INT ')'
 *            | 'address_of' '(' NAME '[' expr ']' ')'
 *            | 'reinterpret' '(' dtype ',' expr ')'
 *            | 'call_extern' '(' dtype ',' STRING {',' expr} ')'
 *            | 'let' '(' NAME ':' dtype '=' expr ';' expr ')'
 *            | intrinsic '(' expr {',' expr} ')'
 *   literal  : 1 (int32)  1i64  1u8  0f32  0.5f16  inff32  nanf32  1bf16
 *              True  False; a minus sign before a number belongs to it
 *
 * Operators bind and associate as in C; comparisons do not chain. Both
 * operands of an operator have one type, so results need no annotation. A
 * NAME with lanes in the dtype (float32x8) is a vector type.
 */
#ifndef RELAY_IR_TIR_H
#define RELAY_IR_TIR_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/attr.h"
#include "ir/dtype.h"
#include "ir/fwd.h"
#include "ir/module.h"

/* clang-format off */
enum tir_kind {
	/* leaves */
	TIR_INT,        /* i; also bool */
	TIR_FLOAT,      /* f */
	TIR_STRING,     /* s: only as an argument of CALL_EXTERN */
	TIR_VAR,        /* var */
	/* two operands of one type */
	TIR_ADD, TIR_SUB, TIR_MUL,
	TIR_DIV,        /* float: division; integer: floor */
	TIR_MOD,        /* integer: floor remainder; float: floor_mod */
	TIR_TRUNCDIV, TIR_TRUNCMOD,
	TIR_MIN, TIR_MAX,       /* a < b ? a : b; NaN if either is */
	TIR_EQ, TIR_NE, TIR_LT, TIR_LE, TIR_GT, TIR_GE, /* bool */
	TIR_AND, TIR_OR,        /* bool */
	TIR_NOT,        /* one operand, bool */
	TIR_SELECT,     /* cond, a, b: both are evaluated */
	TIR_GUARD,      /* cond, a, b: only the one that counts */
	TIR_CAST,       /* one operand; float to integer truncates */
	TIR_CALL,       /* intrin; operands are the arguments */
	TIR_CALL_EXTERN,        /* s: C function; operands, by C's rules */
	TIR_LOAD,       /* buffer[index]; a RAMP index loads a vector */
	TIR_ADDRESS_OF, /* buffer, index: handle */
	TIR_RAMP,       /* base, stride; lanes in dtype */
	TIR_BROADCAST,  /* one operand; lanes in dtype */
	TIR_LET,        /* var = operand 0 in operand 1 */
	/* tensor expressions only */
	TIR_READ,       /* tensor[indices] */
	TIR_REDUCE,     /* reduce: a fold over axes */
	TIR_KIND_COUNT
};
/* clang-format on */

enum tir_intrin {
#define INTRIN(id, name, nargs, result) INTRIN_##id,
#include "ir/intrins.def"
	INTRIN_COUNT
};

struct tir_intrin_info {
	const char *name;
	unsigned nargs;
};
extern const struct tir_intrin_info tir_intrin_info[INTRIN_COUNT];

struct tir_var {
	const char *name; /* interned hint; not unique */
	struct dtype dtype;
	uint32_t id; /* dense in the module */
};

enum tir_scope {
	TIR_GLOBAL, /* a parameter, or the workspace of the network */
	TIR_STACK,  /* alloca */
	TIR_LOCAL,  /* scratch of one thread */
	TIR_REG,    /* must become registers */
	TIR_NRAM,
	TIR_WRAM,
	TIR_SHARED, /* accelerators */
};

/* A flat array. Elements of DTYPE (lanes 1 unless a vector register). */
struct tir_buffer {
	const char *name; /* interned, unique in its function */
	struct dtype dtype;
	int64_t size;           /* elements; -1: unknown */
	const tir_expr *extent; /* SIZE -1: how many, else NULL */
	enum tir_scope scope;
	unsigned align; /* bytes; 0: 64 */
	uint32_t id;    /* dense in the module */
};

struct te_tensor; /* ir/te.h */
struct te_reduce;

/* What reads expressions may recurse: texts are checked against this. */
enum { TIR_MAX_DEPTH = 4000 };

struct tir_expr {
	uint8_t kind;
	struct dtype dtype;
	uint16_t depth; /* of nesting; stops at UINT16_MAX */
	uint32_t n;     /* operands */
	union {
		int64_t i;
		double f;
		const char *s;
		const struct tir_var *var;
		enum tir_intrin intrin;
		const struct tir_buffer *buffer;
		const struct te_tensor *tensor;
		const struct te_reduce *reduce;
	};
	const tir_expr *arg[];
};

enum tir_stmt_kind {
	TIR_STORE,
	TIR_FOR,
	TIR_WHILE,
	TIR_IF,
	TIR_LET_STMT,
	TIR_ALLOC,
	TIR_EVAL,
	TIR_ASSERT,
	TIR_SEQ,
	TIR_RETURN,
	TIR_CALL_FUNC,
};

extern const char *const tir_scope_names[]; /* by tir_scope */

enum tir_for_kind {
	TIR_SERIAL,
	TIR_PARALLEL,
	TIR_VECTORIZED,
	TIR_UNROLLED,
};

struct tir_stmt {
	enum tir_stmt_kind kind;
	struct loc loc;
	union {
		struct {
			const struct tir_buffer *buffer;
			const tir_expr *index;
			const tir_expr *value;
			const tir_expr *mask; /* lanes to store, or NULL */
		} store;
		struct {
			const struct tir_var *var;
			const tir_expr *min;
			const tir_expr *extent;
			enum tir_for_kind kind;
			tir_stmt *body;
		} loop;
		struct {
			const tir_expr *cond;
			tir_stmt *body;
		} while_;
		struct {
			const tir_expr *cond;
			tir_stmt *then_;
			tir_stmt *else_; /* or NULL */
		} if_;
		struct {
			const struct tir_var *var;
			const tir_expr *value;
			tir_stmt *body;
		} let;
		struct {
			const struct tir_buffer *buffer;
			tir_stmt *body;
		} alloc;
		struct {
			const tir_expr *cond;
			const char *message; /* interned */
			const char *from;    /* an operator, or NULL */
		} assert_;
		const tir_expr *eval; /* CALL_EXTERN, ... */
		struct {
			tir_stmt **at;
			uint32_t n;
			uint32_t cap;
		} seq;
		const tir_expr *ret; /* int32 status */
		struct {
			const char *func;      /* name of a DEF_TIR */
			const tir_expr **args; /* handles */
			uint32_t n;
		} call;
	};
};

/* One handle of the signature and the buffer behind it. */
struct tir_param {
	const struct tir_var *var; /* handle */
	const struct tir_buffer *buffer;
};

/*
 * A lowered function: handles of inputs, then of outputs. "main" (after
 * aot-lower-main) takes inputs, outputs, constants and the workspace.
 */
struct tir_func {
	const char *name; /* interned */
	uint32_t nparams;
	struct tir_param *params;
	const ir_type *relay_type; /* attribute "relay.type"; or NULL */
	const ir_dict *attrs;      /* the others, as printed */
	tir_stmt *body;
	struct loc loc;
};

/* Constructors of expressions. They check types but do not simplify. */
const tir_expr *tir_int(ir_module *m, struct dtype t, int64_t value);
const tir_expr *tir_float(ir_module *m, struct dtype t, double value);
const tir_expr *tir_string(ir_module *m, const char *s);
const tir_expr *tir_var_ref(ir_module *m, const struct tir_var *v);
const tir_expr *tir_binary(ir_module *m, enum tir_kind k, const tir_expr *a,
			   const tir_expr *b);
const tir_expr *tir_not(ir_module *m, const tir_expr *a);
const tir_expr *tir_select(ir_module *m, const tir_expr *cond,
			   const tir_expr *a, const tir_expr *b);
const tir_expr *tir_guard(ir_module *m, const tir_expr *cond, const tir_expr *a,
			  const tir_expr *b);
const tir_expr *tir_cast(ir_module *m, struct dtype t, const tir_expr *a);
const tir_expr *tir_call(ir_module *m, enum tir_intrin f, struct dtype t,
			 const tir_expr *const *args, uint32_t n);
const tir_expr *tir_call_extern(ir_module *m, const char *symbol,
				struct dtype t, const tir_expr *const *args,
				uint32_t n);
const tir_expr *tir_load(ir_module *m, const struct tir_buffer *b,
			 const tir_expr *index);
const tir_expr *tir_address_of(ir_module *m, const struct tir_buffer *b,
			       const tir_expr *index);
const tir_expr *tir_ramp(ir_module *m, const tir_expr *base,
			 const tir_expr *stride, unsigned lanes);
const tir_expr *tir_broadcast(ir_module *m, const tir_expr *a, unsigned lanes);
const tir_expr *tir_let(ir_module *m, const struct tir_var *v,
			const tir_expr *value, const tir_expr *body);

/* How deep an expression over ARGS nests. */
uint16_t tir_depth_over(const tir_expr *const *args, uint32_t n);

/* E with other operands; E itself when they are the same. */
const tir_expr *tir_with_args(ir_module *m, const tir_expr *e,
			      const tir_expr *const *args);

const struct tir_var *tir_new_var(ir_module *m, const char *name,
				  struct dtype t);
struct tir_buffer *tir_new_buffer(ir_module *m, const char *name,
				  struct dtype t, int64_t size,
				  enum tir_scope scope);

/* Statements. A sequence grows with tir_seq_add. */
tir_stmt *tir_new_stmt(ir_module *m, enum tir_stmt_kind kind);
tir_stmt *tir_store(ir_module *m, const struct tir_buffer *b,
		    const tir_expr *index, const tir_expr *value);
tir_stmt *tir_for(ir_module *m, const struct tir_var *v, const tir_expr *min,
		  const tir_expr *extent, enum tir_for_kind kind,
		  tir_stmt *body);
tir_stmt *tir_if(ir_module *m, const tir_expr *cond, tir_stmt *then_,
		 tir_stmt *else_);
tir_stmt *tir_seq(ir_module *m);
void tir_seq_add(ir_module *m, tir_stmt *seq, tir_stmt *s);

static inline bool
tir_is_const_int(const tir_expr *e, int64_t value)
{
	return e->kind == TIR_INT && e->i == value;
}

#endif
