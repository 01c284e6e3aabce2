/*
 * Rules of what lies below Relay: tensor expressions, schedules, loops
 * (ir/te.h, ir/tir.h). The Makefile puts them behind those of relay.y, whose
 * declarations and tokens they share.
 */
low_te
: low_te_head '(' low_params ')' '{' low_items RETURN low_results ';' '}'
	{ low_te_end(cx); }
;

low_te_head
: TE GLOBAL			{ low_te_open(cx, @GLOBAL, $GLOBAL); }
;

low_params
: %empty
| low_param_list
;

low_param_list
: low_param
| low_param_list ',' low_param
;

low_param
: LOCAL ':' tensor_type
	{ low_param(cx, @LOCAL, $LOCAL, $tensor_type, false, NULL); }
| LOCAL ':' tensor_type CONST
	{ low_param(cx, @LOCAL, $LOCAL, $tensor_type, true, NULL); }
| LOCAL ':' tensor_type CONST STRING
	{ low_param(cx, @LOCAL, $LOCAL, $tensor_type, true, $STRING); }
;

low_items
: %empty
| low_items low_item
| low_items error ';'		{ syn_lost(cx); yyerrok; }
;

low_item
: ATTR STRING '=' low_value ';'	{ low_attr(cx, @STRING, $STRING); }
| low_compute ':' low_dtypes '=' low_formulas ';'
	{ low_compute_end(cx); }
| SIZE NAME '=' low_expr ';'	{ low_size(cx, @NAME, $NAME, $low_expr); }
| REQUIRE low_expr[c] ',' low_expr[a] ',' low_expr[b] ',' STRING ';'
	{ low_require(cx, @c, $c, $a, $b, $STRING); }
| EXTERN_OP NAME[op] ':' low_types '=' NAME[symbol] '(' low_xargs ')' ';'
	{ low_extern(cx, @op, $op, $symbol); }
;

low_compute
: COMPUTE NAME '(' ')'		{ low_compute_open(cx, @NAME, $NAME); }
| COMPUTE NAME '(' low_axes ')'	{ low_compute_open(cx, @NAME, $NAME); }
;

low_axes
: low_axis
| low_axes ',' low_axis
;

low_axis
: NAME ':' signed		{ low_axis(cx, @$, $NAME, $signed); }
| NAME ':' NAME[size]	{ low_size_axis(cx, @$, $1, $size); }
;

low_dtypes
: DTYPE				{ low_dtype(cx, $DTYPE); }
| '(' low_dtype_list ')'
;

low_dtype_list
: DTYPE				{ low_dtype(cx, $DTYPE); }
| low_dtype_list ',' DTYPE	{ low_dtype(cx, $DTYPE); }
;

/* "(a)" is an expression in parentheses; more than one is a list. */
low_formulas
: low_expr			{ low_push(cx, $low_expr); }
| '(' low_args ',' low_expr ')'	{ low_push(cx, $low_expr); }
;

low_types
: tensor_type			{ syn_type_item(cx, @$, $tensor_type); }
| '(' ')'
| '(' low_type_list ')'
;

low_type_list
: tensor_type			{ syn_type_item(cx, @$, $tensor_type); }
| low_type_list ',' tensor_type
	{ syn_type_item(cx, @tensor_type, $tensor_type); }
;

low_xargs
: %empty
| low_xarg_list
;

low_xarg_list
: low_xarg
| low_xarg_list ',' low_xarg
;

low_xarg
: LOCAL				{ low_name_arg(cx, @$, $LOCAL, 0); }
| NAME				{ low_name_arg(cx, @$, $NAME, 0); }
| LOCAL PROJ			{ low_name_arg(cx, @$, $LOCAL, $PROJ); }
| NAME PROJ			{ low_name_arg(cx, @$, $NAME, $PROJ); }
| low_literal			{ low_scalar_arg(cx, $low_literal); }
;

/* A group whose value is an empty tuple returns nothing. */
low_results
: %empty
| low_outputs
;

low_outputs
: low_ref			{ low_output(cx, @$, $low_ref); }
| low_outputs ',' low_ref	{ low_output(cx, @low_ref, $low_ref); }
;

low_ref
: LOCAL				{ $$ = low_ref(cx, @$, $LOCAL, 0); }
| NAME				{ $$ = low_ref(cx, @$, $NAME, 0); }
| LOCAL PROJ			{ $$ = low_ref(cx, @$, $LOCAL, $PROJ); }
| NAME PROJ			{ $$ = low_ref(cx, @$, $NAME, $PROJ); }
;

/* An attribute, on the stack of values as those of Relay. */
low_value
: signed			{ syn_number_value(cx, @$, $signed); }
| BOOL				{ syn_value(cx, ATTR_BOOLEAN($BOOL)); }
| STRING			{ syn_value(cx, ATTR_STR($STRING)); }
| NAME				{ syn_name_value(cx, @$, $NAME); }
| '[' ']'			{ syn_array_value(cx, NO_ITEMS); }
| '[' low_value_list ']'	{ syn_array_value(cx, $low_value_list); }
| META				{ syn_meta_value(cx, @$, $META); }
| low_type			{ low_type_value(cx, $low_type); }
;

low_value_list
: low_value			{ $$ = syn_last_value(cx); }
| low_value_list ',' low_value	{ $$ = $1; }
;

low_type
: DTYPE				{ $$ = syn_named_type(cx, @$, $DTYPE); }
| tensor_type
| fn_type_head '(' types ')' ARROW type[ret]
	{ $$ = syn_fn_type(cx, $types, $ret); }
;

/* Schedules. */

low_schedule
: low_schedule_head '{' low_stages '}'
;

low_schedule_head
: SCHEDULE GLOBAL		{ low_schedule(cx, @GLOBAL, $GLOBAL, NULL); }
| SCHEDULE GLOBAL FOR STRING
	{ low_schedule(cx, @GLOBAL, $GLOBAL, $STRING); }
;

low_stages
: %empty
| low_stages low_stage
;

low_stage
: low_stage_head '{' low_prims '}'
;

low_stage_head
: STAGE NAME			{ low_stage(cx, @NAME, $NAME); }
;

low_prims
: %empty
| low_prims low_prim ';'
| low_prims error ';'		{ syn_lost(cx); yyerrok; }
;

low_prim
: NAME low_words		{ low_prim(cx, @NAME, $NAME); }
;

low_words
: %empty
| low_words low_word
;

low_word
: NAME				{ low_word(cx, LOW_NAME, $NAME); }
| DTYPE				{ low_word(cx, LOW_NAME, $DTYPE); }
| '(' low_names ')'
| ARROW				{ low_word(cx, LOW_ARROW, NULL); }
| INT				{ low_number_word(cx, @$, $INT); }
| STRING			{ low_word(cx, LOW_STRING, $STRING); }
;

low_names
: NAME				{ low_word(cx, LOW_NAME, $NAME); }
| low_names ',' NAME		{ low_word(cx, LOW_NAME, $NAME); }
;

/* Loops. */

low_primfn
: low_primfn_head '(' low_handles ')' ARROW DTYPE ATTR '=' '{' low_attrs '}'
  BUFFERS '=' '{' low_buffers '}' BUFFER_MAP '=' '{' low_maps '}' low_block
	{ low_primfn_end(cx, $low_block); }
;

low_primfn_head
: PRIMFN GLOBAL			{ low_primfn_open(cx, @GLOBAL, $GLOBAL); }
;

low_handles
: %empty
| low_handle_list
;

low_handle_list
: low_handle
| low_handle_list ',' low_handle
;

low_handle
: NAME ':' DTYPE		{ low_handle(cx, @$, $NAME, $DTYPE); }
;

low_attrs
: %empty
| low_attr_list
;

low_attr_list
: low_attr
| low_attr_list ',' low_attr
;

low_attr
: STRING ':' low_value		{ low_attr(cx, @STRING, $STRING); }
;

low_buffers
: %empty
| low_buffer_list
;

low_buffer_list
: low_buffer
| low_buffer_list ',' low_buffer
;

low_buffer
: NAME[buf] ':' BUFFER '(' NAME ':' POINTER '(' DTYPE ')' ',' DTYPE[t] ','
  '[' low_expr[size] ']' ',' '[' ']' low_align ')'
	{ low_buffer(cx, @buf, $buf, $t, $size, $low_align); }
;

low_align
: %empty			{ $$ = NULL; }
| ',' ALIGN '=' INT		{ $$ = $INT; }
;

low_maps
: %empty
| low_map_list
;

low_map_list
: low_map
| low_map_list ',' low_map
;

low_map
: NAME[handle] ':' NAME[buf]	{ low_map(cx, @$, $handle, $buf); }
;

low_block
: low_block_open low_stmts '}'	{ $$ = low_block_end(cx); }
;

low_block_open
: '{'				{ low_block_open(cx); }
;

low_stmts
: %empty
| low_stmts low_stmt
| low_stmts error ';'		{ syn_lost(cx); yyerrok; }
;

low_stmt
: low_element '=' low_expr ';'
	{ low_store(cx, @$, $low_element, $low_expr, NULL); }
| low_element '=' low_expr WHERE low_expr[mask] ';'
	{ low_store(cx, @$, $low_element, $3, $mask); }
| low_for low_block		{ low_for_end(cx, $low_block); }
| WHILE low_expr low_block
	{ low_while(cx, @low_expr, $low_expr, $low_block); }
| IF low_expr low_block[then]
	{ low_if(cx, @low_expr, $low_expr, $then, NULL); }
| IF low_expr low_block[then] ELSE low_block[else]
	{ low_if(cx, @low_expr, $low_expr, $then, $else); }
| low_let low_block		{ low_let_end(cx, $low_block); }
| low_allocate low_block	{ low_allocate_end(cx, $low_block); }
| ASSERT '(' low_expr ',' STRING ')' ';'
	{ low_assert(cx, @low_expr, $low_expr, $STRING); }
| low_expr ';'			{ low_eval(cx, @$, $low_expr); }
| GLOBAL '(' ')' ';'		{ low_call_func(cx, @$, $GLOBAL, NO_ITEMS); }
| GLOBAL '(' low_args ')' ';'	{ low_call_func(cx, @$, $GLOBAL, $low_args); }
| RETURN low_expr ';'		{ low_return(cx, @$, $low_expr); }
;

low_for
: FOR '(' NAME ':' DTYPE ',' low_expr[min] ',' low_expr[end] ')' low_kind
	{ low_for(cx, @NAME, $NAME, $DTYPE, $min, $end);
	  low_for_kind(cx, @low_kind, $low_kind); }
;

low_kind
: %empty			{ $$ = NULL; }
| STRING
;

low_let
: LET NAME ':' DTYPE '=' low_expr
	{ low_let(cx, @NAME, $NAME, $DTYPE, $low_expr); }
;

low_allocate
: ALLOCATE '(' NAME ':' POINTER '(' DTYPE ')' ',' DTYPE[t] ',' '[' low_expr ']'
  ')' ',' STORAGE_SCOPE '=' STRING
	{ low_allocate(cx, @NAME, $NAME, $t, $low_expr, $STRING); }
;

/* Scalar expressions of both. */

low_expr
: low_unary
| low_expr[a] OR low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_OR, $a, $b); }
| low_expr[a] AND low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_AND, $a, $b); }
| low_expr[a] EQ low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_EQ, $a, $b); }
| low_expr[a] NE low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_NE, $a, $b); }
| low_expr[a] '<' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_LT, $a, $b); }
| low_expr[a] LE low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_LE, $a, $b); }
| low_expr[a] '>' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_GT, $a, $b); }
| low_expr[a] GE low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_GE, $a, $b); }
| low_expr[a] '+' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_ADD, $a, $b); }
| low_expr[a] '-' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_SUB, $a, $b); }
| low_expr[a] '*' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_MUL, $a, $b); }
| low_expr[a] '/' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_DIV, $a, $b); }
| low_expr[a] '%' low_expr[b]
	{ $$ = low_binary(cx, @$, TIR_MOD, $a, $b); }
;

low_unary
: low_literal
| low_element
| NAME				{ $$ = low_variable(cx, @$, $NAME); }
| '!' low_unary[inner]		{ $$ = low_not(cx, @$, $inner); }
| '(' low_expr ')'		{ $$ = $low_expr; }
| NAME '(' low_args ')'		{ $$ = low_call(cx, @$, $NAME, $low_args); }
| NAME '(' DTYPE ')'
	{ $$ = low_typed_call(cx, @$, $NAME, $DTYPE, NO_ITEMS); }
| NAME '(' DTYPE ',' low_args ')'
	{ $$ = low_typed_call(cx, @$, $NAME, $DTYPE, $low_args); }
| low_fold ';' low_args ')'
	{ $$ = low_fold_end(cx, @$, $low_args, NULL); }
| low_fold ';' low_args WHERE low_expr ')'
	{ $$ = low_fold_end(cx, @$, $low_args, $low_expr); }
| low_let_head ';' low_expr ')'	{ $$ = low_let_expr(cx, $low_expr); }
;

low_let_head
: LET '(' NAME ':' DTYPE '=' low_expr
	{ low_let(cx, @NAME, $NAME, $DTYPE, $low_expr); }
;

low_fold
: NAME '(' low_axes		{ low_fold(cx, @NAME, $NAME); }
;

low_literal
: signed			{ $$ = low_number(cx, @$, $signed); }
| BOOL				{ $$ = low_bool(cx, $BOOL); }
| STRING			{ $$ = low_string(cx, $STRING); }
;

low_element
: NAME '[' low_args ']'
	{ $$ = low_element(cx, @$, $NAME, 0, $low_args); }
| NAME PROJ '[' low_args ']'
	{ $$ = low_element(cx, @$, $NAME, $PROJ, $low_args); }
| LOCAL '[' low_args ']'
	{ $$ = low_element(cx, @$, $LOCAL, 0, $low_args); }
| LOCAL PROJ '[' low_args ']'
	{ $$ = low_element(cx, @$, $LOCAL, $PROJ, $low_args); }
| NAME '[' ']'		{ $$ = low_element(cx, @$, $NAME, 0, NO_ITEMS); }
| NAME PROJ '[' ']'
	{ $$ = low_element(cx, @$, $NAME, $PROJ, NO_ITEMS); }
| LOCAL '[' ']'		{ $$ = low_element(cx, @$, $LOCAL, 0, NO_ITEMS); }
| LOCAL PROJ '[' ']'
	{ $$ = low_element(cx, @$, $LOCAL, $PROJ, NO_ITEMS); }
;

low_args
: low_expr			{ $$ = low_push(cx, $low_expr); }
| low_args ',' low_expr		{ low_push(cx, $low_expr); $$ = $1; }
;
