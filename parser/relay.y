/*
 * The grammar of Relay text.
 *
 * Each action is one call of parser/syn.h. Lists grow to the left, so that
 * a chain of a million bindings takes constant stack; their items lie on the
 * stacks of struct parse_ctx, and the value of a list is where its items
 * start.
 */
%require "3.8"
%define api.pure full
%define api.prefix {relay_yy}
%define api.token.prefix {TOK_}
%define api.location.type { struct loc }
%define parse.error custom
%locations
%initial-action { @$ = LOC_NONE; }
%param { struct parse_ctx *cx }
%expect 0

%code requires {
#include "parser/context.h"

#define YYLLOC_DEFAULT(cur, rhs, n)                                       \
	do {                                                              \
		const struct loc *last_ = &YYRHSLOC(rhs, (n));            \
		uint32_t end_ = last_->off + last_->len;                  \
		uint32_t start_ = (n) ? YYRHSLOC(rhs, 1).off : end_;      \
		(cur) = loc_make(start_, end_ - start_);                  \
	} while (0)
}

%code {
#include "lexer/lex.h"
#include "parser/low.h"
#include "parser/syn.h"

/* Brackets are counted by the scanner: the grammar's own stack may grow. */
#define YYMAXDEPTH (1 << 28)
#define YYSTACK_USE_ALLOCA 0

static void relay_yyerror(struct loc *loc, struct parse_ctx *cx,
			  const char *message);
}

/* Eight bytes: whatever is larger lies in struct parse_ctx. */
%union {
	const char *name;
	uint64_t number;
	bool flag;
	uint32_t at;
	const struct number *num;
	const struct meta_ref *meta;
	struct arg_list list;
	struct block_mark mark;
	const ir_expr *expr;
	const ir_type *type;
	const ir_pattern *pattern;
	const ir_meta *device;
	const ir_attrs *record;
	const tir_expr *tir;
	tir_stmt *stmt;
	struct te_tensor *tensor;
}

%token START_MODULE START_EXPR START_TYPE
%token LET "'let'" FN "'fn'" DEF "'def'" IF "'if'" ELSE "'else'"
%token TYPE "'type'" MATCH "'match'" MATCH_SOME "'match?'"
%token EXTERN "'extern'" FREE_VAR "'free_var'" REF "'ref'"
%token REF_READ "'ref_read'" REF_WRITE "'ref_write'" TENSOR "'Tensor'"
%token IMPORT "'import'"
%token ARROW "'->'" FAT_ARROW "'=>'" EQ "'=='" NE "'!='" LE "'<='" GE "'>='"
%token ASSIGN "':='" WILDCARD "'_'"
%token VERSION "a version line" METADATA "a metadata section"
%token RAW "a lowered function"
%token <name> NAME "a name" KEY "an attribute" STRING "a string"
%token <name> LOCAL "a local variable" GLOBAL "a global name"
%token <name> QUOTED "a quoted name"
%token <number> GRAPH "a graph variable" GRAPH_DEF "a graph binding"
%token <number> PROJ "a projection"
%token <num> INT "an integer" FLOAT "a float"
%token <flag> BOOL "a boolean"
%token <meta> META "a metadata reference"
%token <meta> META_RECORD "a record of attributes"
%token <device> DEVICE "a device"
%token TE "'te'" SCHEDULE "'schedule'" PRIMFN "'primfn'"
%token SIZE "'size'" REQUIRE "'require'"
%token ATTR "'attr'" COMPUTE "'compute'" EXTERN_OP "'extern' of a tensor"
%token STAGE "'stage'" CONST "'const'" WHERE "'where'" RETURN "'return'"
%token FOR "'for'" WHILE "'while'" ALLOCATE "'allocate'" ASSERT "'assert'"
%token BUFFERS "'buffers'" BUFFER_MAP "'buffer_map'" ALIGN "'align'"
%token STORAGE_SCOPE "'storage_scope'" BUFFER "'Buffer'" POINTER "'Pointer'"
%token AND "'&&'" OR "'||'"
%token <name> DTYPE "an element type"
%token <type> KNOWN_TYPE "a tensor type"
%token <record> ATTRS "attributes"
%token END 0 "the end of the text"

/* A brace behind a data type holds its constructors. */
%precedence NO_BRACE
%precedence '{'
%left OR
%left AND
%left EQ NE
%left '<' LE '>' GE
%left '+' '-'
%left '*' '/' '%'

%type <expr> expr body rhs binop postfix primary function match if minus
%type <num> signed
%type <mark> stmts lines dropped bindings binding let_head
%type <list> call_args
%type <at> exprs args attrs attr types type_list dims dim_list arms
%type <at> arm_list arm arm_open patterns pattern_list value_list entry_list
%type <at> entry names type_params
%type <type> type tensor_type annotation result
%type <pattern> pattern
%type <flag> match_kind
%type <name> dtype low_kind
%type <at> low_args low_value_list
%type <num> low_align
%type <type> low_type
%type <tensor> low_ref
%type <tir> low_expr low_unary low_literal low_element
%type <stmt> low_block

%%

start
: START_MODULE version definitions metadata
| START_EXPR version definitions expr metadata
	{ cx->result = $expr; }
| START_TYPE type
	{ cx->result_type = $type; }
;

version
: %empty			{ syn_no_version(cx, @$); }
| VERSION			{ syn_version(cx, @$); }
;

metadata
: %empty
| METADATA			{ syn_metadata(cx, @$); }
;

definitions
: %empty
| definitions definition	{ syn_next_definition(cx); yyerrok; }
| definitions error		{ syn_lost_definition(cx); }
;

definition
: def_head '(' params ')' result '{' body '}'
	{ syn_def(cx, @$, $result, $body); }
| RAW				{ syn_raw(cx, @RAW); }
| type_intro ctors		{ syn_type_def(cx); }
| IMPORT STRING semicolon	{ syn_import(cx, @STRING, $STRING); }
| low_te
| low_schedule
| low_primfn
;

semicolon
: %empty
| ';'
;

def_head
: def_open type_params		{ syn_type_params(cx, $type_params); }
;

def_open
: DEF GLOBAL			{ syn_def_open(cx, @GLOBAL, $GLOBAL); }
;

type_intro
: type_head type_params		{ syn_type_intro(cx, $type_params); }
;

type_head
: TYPE NAME			{ syn_type_open(cx, @NAME, $NAME, false); }
| EXTERN TYPE NAME		{ syn_type_open(cx, @NAME, $NAME, true); }
;

ctors
: %empty %prec NO_BRACE
| '{' '}'
| '{' ctor_list comma '}'
;

ctor_list
: ctor
| ctor_list ',' ctor
;

ctor
: NAME				{ syn_ctor(cx, @NAME, $NAME, NO_ITEMS); }
| NAME '(' types ')'		{ syn_ctor(cx, @NAME, $NAME, $types); }
;

comma
: %empty
| ','
;

type_params
: %empty			{ $$ = syn_no_names(cx); }
| '[' ']'			{ $$ = syn_no_names(cx); }
| '[' names comma ']'		{ $$ = $names; }
;

names
: NAME				{ $$ = syn_name(cx, $NAME); }
| names ',' NAME		{ syn_name(cx, $NAME); $$ = $1; }
;

/* Functions. */

function
: fn_head '(' params ')' result '{' body '}'
	{ $$ = syn_function(cx, @$, $result, $body); }
;

fn_head
: fn_open type_params		{ syn_type_params(cx, $type_params); }
;

fn_open
: FN				{ syn_fn_open(cx, @$); }
;

params
: %empty
| param_list comma
| param_list ',' attrs comma
| attrs comma
;

param_list
: param
| param_list ',' param
;

param
: LOCAL annotation
	{ syn_param(cx, @LOCAL, @annotation, $LOCAL, $annotation); }
| LOCAL '{' attrs comma '}' annotation
	{ syn_device_param(cx, @LOCAL, @annotation, $LOCAL, $attrs,
			     $annotation); }
;

annotation
: %empty			{ $$ = NULL; }
| ':' type			{ $$ = $type; }
;

result
: %empty			{ $$ = NULL; }
| ARROW type			{ $$ = $type; }
;

/* Expressions. */

/* What braces hold. After an error it goes on behind the next ';' or '}'. */
body
: binop
| lines binop			{ $$ = syn_block(cx, $lines, $binop); }
| error				{ $$ = syn_lost_body(cx, @$); }
| lines error			{ $$ = syn_lost_body(cx, @$); }
;

lines
: binding
| dropped
| error ';'			{ $$ = syn_lost(cx); yyerrok; }
| lines binding			{ $$ = $1; }
| lines dropped			{ $$ = $1; }
| lines error ';'		{ $$ = $1; syn_lost(cx); yyerrok; }
;

expr
: binop
| stmts binop			{ $$ = syn_block(cx, $stmts, $binop); }
;

/* The mark of a list is where its first binding found the stacks. */
stmts
: binding
| dropped
| stmts binding			{ $$ = $1; }
| stmts dropped			{ $$ = $1; }
;

dropped
: binop ';'			{ $$ = syn_drop(cx, @binop, $binop); }
;

binding
: GRAPH_DEF '=' rhs ';'
	{ $$ = syn_graph_def(cx, @GRAPH_DEF, $GRAPH_DEF, $rhs); }
| let_head rhs ';'		{ $$ = syn_let(cx, @$, $let_head, $rhs); }
| FREE_VAR LOCAL annotation optional_semicolon
	{ $$ = syn_free_var(cx, @LOCAL, @annotation, $LOCAL, $annotation); }
;

/* TVM 0.6 printed none behind a free variable. */
optional_semicolon:
  %empty
| ';'
;

let_head
: LET LOCAL annotation '='
	{ $$ = syn_let_open(cx, @LOCAL, @annotation, $LOCAL, $annotation); }
| LET LOCAL '{' attrs comma '}' annotation '='
	{ $$ = syn_device_let_open(cx, @LOCAL, @annotation, $LOCAL, $attrs,
				   $annotation); }
;

/* What may stand right of '=': bindings, but no dropped values. */
rhs
: binop
| bindings binop		{ $$ = syn_block(cx, $bindings, $binop); }
;

bindings
: binding
| bindings binding		{ $$ = $1; }
;

binop
: postfix			{ $$ = syn_plain(cx, @$, $postfix); }
| signed			{ $$ = syn_literal(cx, @$, $signed); }
| minus
| binop[a] '+' binop[b]		{ $$ = syn_binary(cx, @$, OP_add, $a, $b); }
| binop[a] '-' binop[b]
	{ $$ = syn_binary(cx, @$, OP_subtract, $a, $b); }
| binop[a] '*' binop[b]
	{ $$ = syn_binary(cx, @$, OP_multiply, $a, $b); }
| binop[a] '/' binop[b]
	{ $$ = syn_binary(cx, @$, OP_divide, $a, $b); }
| binop[a] '<' binop[b]		{ $$ = syn_binary(cx, @$, OP_less, $a, $b); }
| binop[a] LE binop[b]
	{ $$ = syn_binary(cx, @$, OP_less_equal, $a, $b); }
| binop[a] '>' binop[b]
	{ $$ = syn_binary(cx, @$, OP_greater, $a, $b); }
| binop[a] GE binop[b]
	{ $$ = syn_binary(cx, @$, OP_greater_equal, $a, $b); }
| binop[a] EQ binop[b]
	{ $$ = syn_binary(cx, @$, OP_equal, $a, $b); }
| binop[a] NE binop[b]
	{ $$ = syn_binary(cx, @$, OP_not_equal, $a, $b); }
;

/* A sign before anything but a number. */
minus
: '-' postfix			{ $$ = syn_minus(cx, @$, $postfix); }
| '-' minus[inner]		{ $$ = syn_minus(cx, @$, $inner); }
;

postfix
: LOCAL				{ $$ = syn_local(cx, @$, $LOCAL); }
| GLOBAL			{ $$ = syn_global(cx, @$, $GLOBAL); }
| GRAPH				{ $$ = syn_graph(cx, @$, $GRAPH); }
| META				{ $$ = syn_meta_expr(cx, @$, $META); }
| NAME				{ $$ = syn_named(cx, @$, $NAME); }
| BOOL				{ $$ = syn_bool(cx, @$, $BOOL); }
| function
| match
| if
| primary
| postfix[inner] PROJ		{ $$ = syn_proj(cx, @$, $inner, $PROJ); }
| postfix[inner] '(' call_args ')'
	{ $$ = syn_call(cx, @$, @inner, $inner, $call_args); }
| postfix[inner] '(' ctor_types ')'
	{ $$ = syn_ctor_types(cx, @inner, $inner); }
| postfix[inner] '^'		{ $$ = syn_ref_read(cx, @$, $inner); }
;

primary
: REF '(' expr ')'		{ $$ = syn_ref_new(cx, @$, $expr); }
| REF_READ '(' expr ')'		{ $$ = syn_ref_read(cx, @$, $expr); }
| REF_WRITE '(' expr[r] ',' expr[v] ')'
	{ $$ = syn_ref_write(cx, @$, $r, $v); }
| '(' expr[r] ASSIGN expr[v] ')'
	{ $$ = syn_ref_write(cx, @$, $r, $v); }
| '(' ')'			{ $$ = syn_unit(cx, @$); }
| '(' exprs ')'			{ $$ = syn_paren(cx, @$, $exprs); }
| '(' exprs ',' ')'		{ $$ = syn_tuple(cx, @$, $exprs); }
| '{' body '}'			{ $$ = $body; }
;

exprs
: expr				{ $$ = syn_item(cx, @$, $expr); }
| exprs ',' expr		{ syn_item(cx, @expr, $expr); $$ = $1; }
;

call_args
: %empty			{ $$ = syn_args(cx, NO_ITEMS, NO_ITEMS); }
| args comma			{ $$ = syn_args(cx, $args, NO_ITEMS); }
| args ',' attrs comma		{ $$ = syn_args(cx, $args, $attrs); }
| args ',' META_RECORD
	{ $$ = syn_record_args(cx, @META_RECORD, $args, $META_RECORD); }
| args ',' ATTRS
	{ $$ = syn_known_args(cx, $args, $ATTRS); }
| ATTRS				{ $$ = syn_known_args(cx, NO_ITEMS, $ATTRS); }
| attrs comma			{ $$ = syn_args(cx, NO_ITEMS, $attrs); }
| META_RECORD
	{ $$ = syn_record_args(cx, @$, NO_ITEMS, $META_RECORD); }
;

/* An unapplied constructor as TVM sometimes prints it. */
ctor_types
: tensor_type comma
| tensor_type ',' type_list comma
	{ cx->types.len = $type_list; }
;

args
: expr				{ $$ = syn_item(cx, @$, $expr); }
| STRING			{ $$ = syn_string_arg(cx, @$, $STRING); }
| args ',' expr			{ syn_item(cx, @expr, $expr); $$ = $1; }
| args ',' STRING		{ syn_string_arg(cx, @STRING, $STRING);
				  $$ = $1; }
;

if
: IF '(' expr[c] ')' '{' body[a] '}' ELSE '{' body[b] '}'
	{ $$ = syn_if(cx, @$, $c, $a, $b); }
;

match
: match_kind postfix '{' arms '}'
	{ $$ = syn_match(cx, @$, $match_kind, $postfix, $arms); }
;

match_kind
: MATCH				{ $$ = true; }
| MATCH_SOME			{ $$ = false; }
;

arms
: %empty			{ $$ = NO_ITEMS; }
| arm_list comma
;

arm_list
: arm
| arm_list ',' arm		{ $$ = $1; }
;

arm
: arm_open pattern FAT_ARROW expr
	{ $$ = syn_arm(cx, $arm_open, $pattern, $expr); }
;

arm_open
: %empty			{ $$ = syn_arm_open(cx); }
;

pattern
: WILDCARD			{ $$ = syn_wildcard(cx, @$); }
| LOCAL annotation
	{ $$ = syn_var_pattern(cx, @LOCAL, @annotation, $LOCAL, $annotation); }
| NAME			{ $$ = syn_ctor_pattern(cx, @$, $NAME, NO_ITEMS); }
| NAME '(' patterns ')'
	{ $$ = syn_ctor_pattern(cx, @NAME, $NAME, $patterns); }
| '(' patterns ')'		{ $$ = syn_tuple_pattern(cx, @$, $patterns); }
;

patterns
: %empty			{ $$ = NO_ITEMS; }
| pattern_list comma
;

pattern_list
: pattern			{ $$ = syn_sub_pattern(cx, $pattern); }
| pattern_list ',' pattern	{ syn_sub_pattern(cx, $pattern); $$ = $1; }
;

/* Types. */

type
: WILDCARD			{ $$ = NULL; }
| NAME				{ $$ = syn_named_type(cx, @$, $NAME); }
| DTYPE				{ $$ = syn_named_type(cx, @$, $DTYPE); }
| NAME '[' types ']'		{ $$ = syn_adt(cx, @$, $NAME, $types); }
| tensor_type
| '(' ')'			{ $$ = syn_tuple_type(cx, NO_ITEMS); }
| '(' type_list ')'		{ $$ = syn_paren_type(cx, $type_list); }
| '(' type_list ',' ')'		{ $$ = syn_tuple_type(cx, $type_list); }
| fn_type_head '(' types ')' ARROW type[ret]
	{ $$ = syn_fn_type(cx, $types, $ret); }
| REF '(' type[inner] ')'	{ $$ = syn_ref_type(cx, $inner); }
| META				{ $$ = syn_meta_type(cx, @$, $META); }
;

tensor_type
: KNOWN_TYPE
| TENSOR '[' '(' dims ')' ',' dtype ']'
	{ $$ = syn_tensor_type(cx, @$, @dtype, $dims, $dtype); }
;

dtype
: NAME
| DTYPE
;

fn_type_head
: fn_type_open type_params	{ syn_type_params(cx, $type_params); }
;

fn_type_open
: FN				{ syn_fn_open(cx, @$); }
;

types
: %empty			{ $$ = NO_ITEMS; }
| type_list comma
;

type_list
: type				{ $$ = syn_type_item(cx, @$, $type); }
| type_list ',' type		{ syn_type_item(cx, @type, $type); $$ = $1; }
;

dims
: %empty			{ $$ = NO_ITEMS; }
| dim_list comma
;

dim_list
: dim				{ $$ = syn_last_dim(cx); }
| dim_list ',' dim		{ $$ = $1; }
;

dim
: INT				{ syn_dim(cx, @$, $INT); }
| '?'				{ syn_any_dim(cx); }
| NAME				{ low_size_dim(cx, @$, $NAME); }
| META				{ syn_meta_dim(cx, @$, $META); }
| '(' dim ')'
;

/* Attributes. */

attrs
: attr
| attrs comma attr		{ $$ = $1; }
;

attr
: KEY '=' value		{ $$ = syn_attr(cx, @KEY, @value, $KEY); }
;

/* A value lies on top of its stack; a list replaces those it is made of. */
value
: signed			{ syn_number_value(cx, @$, $signed); }
| BOOL				{ syn_value(cx, ATTR_BOOLEAN($BOOL)); }
| STRING			{ syn_value(cx, ATTR_STR($STRING)); }
| NAME				{ syn_name_value(cx, @$, $NAME); }
| META				{ syn_meta_value(cx, @$, $META); }
| META_RECORD			{ syn_meta_value(cx, @$, $META_RECORD); }
| DEVICE			{ syn_device_value(cx, $DEVICE); }
| LOCAL
	{ syn_expr_value(cx, syn_local(cx, @$, $LOCAL)); }
| GLOBAL
	{ syn_expr_value(cx, syn_global(cx, @$, $GLOBAL)); }
| QUOTED
	{ syn_expr_value(cx, syn_global(cx, @$, $QUOTED)); }
| GRAPH
	{ syn_expr_value(cx, syn_graph(cx, @$, $GRAPH)); }
| '?'				{ syn_value(cx, (ir_attr){ .kind = ATTR_ANY }); }
| '[' ']'			{ syn_array_value(cx, NO_ITEMS); }
| '[' value_list comma ']'	{ syn_array_value(cx, $value_list); }
| '{' '}'			{ syn_dict_value(cx, NO_ITEMS); }
| '{' entry_list comma '}'	{ syn_dict_value(cx, $entry_list); }
| '(' value ')'
;

signed
: INT
| FLOAT
| '-' signed[inner]		{ $$ = syn_negative(cx, $inner); }
;

value_list
: value				{ $$ = syn_last_value(cx); }
| value_list ',' value		{ $$ = $1; }
;

entry_list
: entry
| entry_list ',' entry		{ $$ = $1; }
;

entry
: KEY '=' value			{ $$ = syn_entry(cx, @KEY, $KEY); }
| STRING '=' value		{ $$ = syn_entry(cx, @STRING, $STRING); }
| STRING ':' value		{ $$ = syn_entry(cx, @STRING, $STRING); }
;

/* The rules of low.y follow here. */
%%
static int
yyreport_syntax_error(const yypcontext_t *ctx, struct parse_ctx *cx)
{
	enum { MOST = 4 };
	yysymbol_kind_t kinds[MOST];
	const char *names[MOST];
	yysymbol_kind_t token = yypcontext_token(ctx);
	int n = yypcontext_expected_tokens(ctx, kinds, MOST);

	for (int i = 0; i < n; i++)
		names[i] = yysymbol_name(kinds[i]);
	lex_recover(cx, *yypcontext_location(ctx));
	syn_syntax_error(cx, *yypcontext_location(ctx),
			   token == YYSYMBOL_YYEMPTY ? "nothing" :
						       yysymbol_name(token),
			   names, n > 0 && n < MOST ? (unsigned)n : 0);
	return 0;
}

/* Called when the grammar's stack cannot grow. */
static void
relay_yyerror(struct loc *loc, struct parse_ctx *cx, const char *message)
{
	diag_error(cx->d, *loc, "%s", message);
}
