/*
 * What the actions of the grammar call for the text below Relay: tensor
 * expressions, schedules and loops.
 *
 * An expression that was wrong is cx->low's poison: whatever is made of it is
 * poison, too, and is not reported again.
 */
#ifndef RELAY_PARSER_LOW_H
#define RELAY_PARSER_LOW_H

#include "parser/context.h"

void low_reset(struct parse_ctx *cx); /* before the next definition */
void low_free(struct parse_ctx *cx);

/* low_te.c: tensor expressions */
void low_te_open(struct parse_ctx *cx, struct loc loc, const char *name);
void low_te_end(struct parse_ctx *cx);
void low_param(struct parse_ctx *cx, struct loc loc, const char *name,
	       const ir_type *type, bool is_const, const char *const_name);
void low_attr(struct parse_ctx *cx, struct loc loc, const char *key);
void low_type_value(struct parse_ctx *cx, const ir_type *t);
void low_axis(struct parse_ctx *cx, struct loc loc, const char *name,
	      const struct number *extent);
void low_dtype(struct parse_ctx *cx, const char *name);
void low_compute_open(struct parse_ctx *cx, struct loc loc, const char *name);
void low_compute_end(struct parse_ctx *cx);
void low_extern(struct parse_ctx *cx, struct loc loc, const char *name,
		const char *symbol);
struct te_tensor *low_ref(struct parse_ctx *cx, struct loc loc,
			  const char *name, uint64_t output);
void low_name_arg(struct parse_ctx *cx, struct loc loc, const char *name,
		  uint64_t output);
void low_size_dim(struct parse_ctx *cx, struct loc loc, const char *name);
void low_size_axis(struct parse_ctx *cx, struct loc loc, const char *name,
		   const char *size);
void low_size(struct parse_ctx *cx, struct loc loc, const char *name,
	      const tir_expr *value);
void low_require(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
		 const tir_expr *a, const tir_expr *b, const char *message);
void low_scalar_arg(struct parse_ctx *cx, const tir_expr *e);
void low_output(struct parse_ctx *cx, struct loc loc, struct te_tensor *t);

/* low_schedule.c */
void low_schedule(struct parse_ctx *cx, struct loc loc, const char *name,
		  const char *target);
void low_stage(struct parse_ctx *cx, struct loc loc, const char *name);
void low_prim(struct parse_ctx *cx, struct loc loc, const char *word);
void low_word(struct parse_ctx *cx, enum low_word_kind kind, const char *name);
void low_number_word(struct parse_ctx *cx, struct loc loc,
		     const struct number *n);

/* low_stmt.c: loops */
void low_primfn_open(struct parse_ctx *cx, struct loc loc, const char *name);
void low_primfn_end(struct parse_ctx *cx, tir_stmt *body);
void low_handle(struct parse_ctx *cx, struct loc loc, const char *name,
		const char *dtype);
void low_buffer(struct parse_ctx *cx, struct loc loc, const char *name,
		const char *dtype, const tir_expr *size,
		const struct number *align);
void low_map(struct parse_ctx *cx, struct loc loc, const char *handle,
	     const char *buffer);
void low_block_open(struct parse_ctx *cx);
tir_stmt *low_block_end(struct parse_ctx *cx);
void low_store(struct parse_ctx *cx, struct loc loc, const tir_expr *to,
	       const tir_expr *value, const tir_expr *mask);
void low_for(struct parse_ctx *cx, struct loc loc, const char *name,
	     const char *dtype, const tir_expr *min, const tir_expr *end);
void low_for_kind(struct parse_ctx *cx, struct loc loc, const char *kind);
void low_for_end(struct parse_ctx *cx, tir_stmt *body);
void low_while(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
	       tir_stmt *body);
void low_if(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
	    tir_stmt *then, tir_stmt *otherwise);
void low_let(struct parse_ctx *cx, struct loc loc, const char *name,
	     const char *dtype, const tir_expr *value);
void low_let_end(struct parse_ctx *cx, tir_stmt *body);
void low_allocate(struct parse_ctx *cx, struct loc loc, const char *name,
		  const char *dtype, const tir_expr *size, const char *scope);
void low_allocate_end(struct parse_ctx *cx, tir_stmt *body);
void low_assert(struct parse_ctx *cx, struct loc loc, const tir_expr *cond,
		const char *message);
void low_eval(struct parse_ctx *cx, struct loc loc, const tir_expr *e);
void low_call_func(struct parse_ctx *cx, struct loc loc, const char *name,
		   uint32_t args);
void low_return(struct parse_ctx *cx, struct loc loc, const tir_expr *e);

/* low_expr.c: scalar expressions of both */
uint32_t low_push(struct parse_ctx *cx, const tir_expr *e);
const tir_expr *low_number(struct parse_ctx *cx, struct loc loc,
			   const struct number *n);
const tir_expr *low_bool(struct parse_ctx *cx, bool value);
const tir_expr *low_string(struct parse_ctx *cx, const char *text);
const tir_expr *low_variable(struct parse_ctx *cx, struct loc loc,
			     const char *name);
const tir_expr *low_element(struct parse_ctx *cx, struct loc loc,
			    const char *name, uint64_t output, uint32_t index);
const tir_expr *low_not(struct parse_ctx *cx, struct loc loc,
			const tir_expr *a);
const tir_expr *low_binary(struct parse_ctx *cx, struct loc loc,
			   enum tir_kind kind, const tir_expr *a,
			   const tir_expr *b);
const tir_expr *low_let_expr(struct parse_ctx *cx, const tir_expr *body);

/* The same expression, node by node. */
bool low_same(const tir_expr *a, const tir_expr *b);

/* Something that stands for an expression that was wrong. */
const tir_expr *low_poison(void);

/* low_call.c: expressions that look like calls */
const tir_expr *low_call(struct parse_ctx *cx, struct loc loc, const char *name,
			 uint32_t args);
const tir_expr *low_typed_call(struct parse_ctx *cx, struct loc loc,
			       const char *name, const char *dtype,
			       uint32_t args);
void low_fold(struct parse_ctx *cx, struct loc loc, const char *name);
const tir_expr *low_fold_end(struct parse_ctx *cx, struct loc loc,
			     uint32_t args, const tir_expr *cond);

/* The element type called NAME, which the scanner has checked. */
struct dtype low_dtype_of(const char *name);

#endif
