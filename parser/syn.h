/*
 * What the actions of the grammar call: from parts that were read to nodes of
 * the module. Each reports what is wrong with its parts and then gives
 * something that the reading can go on with.
 */
#ifndef RELAY_PARSER_SYN_H
#define RELAY_PARSER_SYN_H

#include "parser/context.h"

/* Start of a list that is empty. */
#define NO_ITEMS UINT32_MAX

/* Items of a list that starts at AT, on a stack that now holds LEN. */
static inline uint32_t
count_items(uint32_t at, size_t len)
{
	return at == NO_ITEMS ? 0 : (uint32_t)len - at;
}

/* Where a node stands: a span comment behind it, or LOC. */
struct loc syn_loc(struct parse_ctx *cx, struct loc loc);

/* syn_module.c: the text as a whole, definitions, data types. */
void syn_version(struct parse_ctx *cx, struct loc loc);
void syn_no_version(struct parse_ctx *cx, struct loc loc);
void syn_metadata(struct parse_ctx *cx, struct loc loc);
void syn_next_definition(struct parse_ctx *cx);
void syn_lost_definition(struct parse_ctx *cx);
void syn_import(struct parse_ctx *cx, struct loc loc, const char *file);
void syn_raw(struct parse_ctx *cx, struct loc loc);
void syn_type_open(struct parse_ctx *cx, struct loc loc, const char *name,
		   bool is_extern);
void syn_type_intro(struct parse_ctx *cx, uint32_t names);
void syn_ctor(struct parse_ctx *cx, struct loc loc, const char *name,
	      uint32_t fields);
void syn_type_def(struct parse_ctx *cx);

/* error.c: NAMES of tokens that could have stood at LOC, if few. */
void syn_syntax_error(struct parse_ctx *cx, struct loc loc, const char *found,
		      const char *const *names, unsigned n);

/*
 * parser.c: the type in bytes [from, to) of the text, a comment; NULL,
 * silently, if it is none.
 */
const ir_type *parse_type_text(struct parse_ctx *cx, size_t from, size_t to);

/* parser.c: add the definitions of TEXT, ours, to the module. */
bool parse_standard_text(struct parse_ctx *cx, const char *text);

/* syn_function.c */
uint32_t syn_no_names(struct parse_ctx *cx);
uint32_t syn_name(struct parse_ctx *cx, const char *name);
void syn_def_open(struct parse_ctx *cx, struct loc loc, const char *name);
void syn_fn_open(struct parse_ctx *cx, struct loc loc);
void syn_type_params(struct parse_ctx *cx, uint32_t names);
void syn_param(struct parse_ctx *cx, struct loc loc, struct loc annot_loc,
	       const char *name, const ir_type *annotation);
void syn_device_param(struct parse_ctx *cx, struct loc loc,
		      struct loc annot_loc, const char *name, uint32_t attrs,
		      const ir_type *annotation);
const ir_expr *syn_function(struct parse_ctx *cx, struct loc loc,
			    const ir_type *result, const ir_expr *body);
void syn_def(struct parse_ctx *cx, struct loc loc, const ir_type *result,
	     const ir_expr *body);

/* Undo what the frame at the top opened; it is popped. */
void syn_close_frame(struct parse_ctx *cx);

/* syn_expr.c */
const ir_expr *syn_literal(struct parse_ctx *cx, struct loc loc,
			   const struct number *n);
const ir_expr *syn_plain(struct parse_ctx *cx, struct loc loc,
			 const ir_expr *e);
const ir_expr *syn_minus(struct parse_ctx *cx, struct loc loc,
			 const ir_expr *e);
const struct number *syn_negative(struct parse_ctx *cx, const struct number *n);

/* N as an integer of its width. False, reported, if it does not fit. */
bool syn_integer(struct parse_ctx *cx, struct loc loc, const struct number *n,
		 int64_t *value, unsigned *width);
const ir_expr *syn_binary(struct parse_ctx *cx, struct loc loc, enum op_id op,
			  const ir_expr *a, const ir_expr *b);
const ir_expr *syn_proj(struct parse_ctx *cx, struct loc loc,
			const ir_expr *tuple, uint64_t index);
const ir_expr *syn_local(struct parse_ctx *cx, struct loc loc,
			 const char *name);
const ir_expr *syn_global(struct parse_ctx *cx, struct loc loc,
			  const char *name);
const ir_expr *syn_graph(struct parse_ctx *cx, struct loc loc, uint64_t number);
const ir_expr *syn_named(struct parse_ctx *cx, struct loc loc,
			 const char *name);
/* An operator that the table does not have. */
const ir_expr *syn_unknown_op(struct parse_ctx *cx, const char *name);
const ir_expr *syn_bool(struct parse_ctx *cx, struct loc loc, bool value);
const ir_expr *syn_ref_new(struct parse_ctx *cx, struct loc loc,
			   const ir_expr *value);
const ir_expr *syn_ref_read(struct parse_ctx *cx, struct loc loc,
			    const ir_expr *ref);
const ir_expr *syn_ref_write(struct parse_ctx *cx, struct loc loc,
			     const ir_expr *ref, const ir_expr *value);
const ir_expr *syn_hole(struct parse_ctx *cx, struct loc loc);
const ir_expr *syn_if(struct parse_ctx *cx, struct loc loc, const ir_expr *cond,
		      const ir_expr *a, const ir_expr *b);

/* syn_block.c: bindings, tuples, match. */

/* The device among the attributes from AT on, which are taken away. */
const ir_meta *syn_take_device(struct parse_ctx *cx, uint32_t at);

uint32_t syn_item(struct parse_ctx *cx, struct loc loc, const ir_expr *e);
const ir_expr *syn_unit(struct parse_ctx *cx, struct loc loc);
const ir_expr *syn_paren(struct parse_ctx *cx, struct loc loc, uint32_t at);
const ir_expr *syn_tuple(struct parse_ctx *cx, struct loc loc, uint32_t at);
const ir_expr *syn_block(struct parse_ctx *cx, struct block_mark mark,
			 const ir_expr *body);
struct block_mark syn_drop(struct parse_ctx *cx, struct loc loc,
			   const ir_expr *value);
struct block_mark syn_lost(struct parse_ctx *cx);
const ir_expr *syn_lost_body(struct parse_ctx *cx, struct loc loc);
struct block_mark syn_graph_def(struct parse_ctx *cx, struct loc loc,
				uint64_t number, const ir_expr *value);
struct block_mark syn_let_open(struct parse_ctx *cx, struct loc loc,
			       struct loc annot_loc, const char *name,
			       const ir_type *annotation);
struct block_mark syn_device_let_open(struct parse_ctx *cx, struct loc loc,
				      struct loc annot_loc, const char *name,
				      uint32_t attrs,
				      const ir_type *annotation);
struct block_mark syn_let(struct parse_ctx *cx, struct loc loc,
			  struct block_mark mark, const ir_expr *value);
struct block_mark syn_free_var(struct parse_ctx *cx, struct loc loc,
			       struct loc annot_loc, const char *name,
			       const ir_type *annotation);

/* The end of LOC moved to that of ANNOT_LOC, for what a comment follows. */
struct loc syn_binder_loc(struct parse_ctx *cx, struct loc loc,
			  struct loc annot_loc);
uint32_t syn_arm_open(struct parse_ctx *cx);
uint32_t syn_arm(struct parse_ctx *cx, uint32_t mark, const ir_pattern *pattern,
		 const ir_expr *body);
const ir_expr *syn_match(struct parse_ctx *cx, struct loc loc, bool complete,
			 const ir_expr *value, uint32_t arms);
const ir_pattern *syn_wildcard(struct parse_ctx *cx, struct loc loc);
const ir_pattern *syn_var_pattern(struct parse_ctx *cx, struct loc loc,
				  struct loc annot_loc, const char *name,
				  const ir_type *annotation);
const ir_pattern *syn_ctor_pattern(struct parse_ctx *cx, struct loc loc,
				   const char *name, uint32_t sub);
const ir_pattern *syn_tuple_pattern(struct parse_ctx *cx, struct loc loc,
				    uint32_t sub);
uint32_t syn_sub_pattern(struct parse_ctx *cx, const ir_pattern *p);

/* syn_call.c */
struct arg_list syn_args(struct parse_ctx *cx, uint32_t args, uint32_t attrs);
struct arg_list syn_known_args(struct parse_ctx *cx, uint32_t args,
			       const ir_attrs *record);
struct arg_list syn_record_args(struct parse_ctx *cx, struct loc loc,
				uint32_t args, const struct meta_ref *ref);
uint32_t syn_string_arg(struct parse_ctx *cx, struct loc loc, const char *text);
const ir_expr *syn_ctor_types(struct parse_ctx *cx, struct loc loc,
			      const ir_expr *callee);
const ir_expr *syn_call(struct parse_ctx *cx, struct loc loc,
			struct loc callee_loc, const ir_expr *callee,
			struct arg_list list);

/* syn_type.c; NULL is the type that was left open. */
uint32_t syn_type_item(struct parse_ctx *cx, struct loc loc, const ir_type *t);
const ir_type *syn_named_type(struct parse_ctx *cx, struct loc loc,
			      const char *name);
const ir_type *syn_adt(struct parse_ctx *cx, struct loc loc, const char *name,
		       uint32_t args);
const ir_type *syn_tensor_type(struct parse_ctx *cx, struct loc loc,
			       struct loc dtype_loc, uint32_t dims,
			       const char *dtype);
const ir_type *syn_tuple_type(struct parse_ctx *cx, uint32_t fields);
const ir_type *syn_paren_type(struct parse_ctx *cx, uint32_t fields);
const ir_type *syn_fn_type(struct parse_ctx *cx, uint32_t params,
			   const ir_type *ret);
const ir_type *syn_ref_type(struct parse_ctx *cx, const ir_type *value);
uint32_t syn_last_dim(const struct parse_ctx *cx);
void syn_dim(struct parse_ctx *cx, struct loc loc, const struct number *n);
void syn_any_dim(struct parse_ctx *cx);

/* syn_attr.c */
uint32_t syn_attr(struct parse_ctx *cx, struct loc key_loc,
		  struct loc value_loc, const char *key);
uint32_t syn_push_attr(struct parse_ctx *cx, struct loc loc, const char *key,
		       ir_attr value);

/* Push a value; arrays and dictionaries take theirs off first. */
void syn_value(struct parse_ctx *cx, ir_attr value);
void syn_number_value(struct parse_ctx *cx, struct loc loc,
		      const struct number *n);
void syn_name_value(struct parse_ctx *cx, struct loc loc, const char *name);
void syn_expr_value(struct parse_ctx *cx, const ir_expr *e);
void syn_device_value(struct parse_ctx *cx, const ir_meta *device);
void syn_array_value(struct parse_ctx *cx, uint32_t at);
void syn_dict_value(struct parse_ctx *cx, uint32_t at);
uint32_t syn_last_value(const struct parse_ctx *cx);
uint32_t syn_entry(struct parse_ctx *cx, struct loc loc, const char *key);

/*
 * The record that the attributes from AT on the stack make for S; they are
 * popped. NULL after a report.
 */
const ir_attrs *syn_record(struct parse_ctx *cx, struct loc loc,
			   const struct attrs_schema *s, uint32_t at);

/* syn_meta.c: meta[KEY][INDEX] in its places. */
const ir_expr *syn_meta_expr(struct parse_ctx *cx, struct loc loc,
			     const struct meta_ref *ref);
const ir_type *syn_meta_type(struct parse_ctx *cx, struct loc loc,
			     const struct meta_ref *ref);
void syn_meta_dim(struct parse_ctx *cx, struct loc loc,
		  const struct meta_ref *ref);
void syn_meta_value(struct parse_ctx *cx, struct loc loc,
		    const struct meta_ref *ref);
ir_attr syn_meta_attr(struct parse_ctx *cx, struct loc loc,
		      const struct meta_ref *ref);

#endif
