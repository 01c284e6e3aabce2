/* Every type of ir/ that other headers name without looking inside. */
#ifndef RELAY_IR_FWD_H
#define RELAY_IR_FWD_H

typedef struct ir_context ir_context;   /* names, types, attributes */
typedef struct ir_module ir_module;     /* definitions */
typedef struct ir_def ir_def;           /* one function of a module */
typedef struct ir_type_def ir_type_def; /* one algebraic data type */

typedef struct ir_type ir_type; /* interned */
typedef struct ir_expr ir_expr; /* immutable; see ir/expr.h */
typedef struct ir_pattern ir_pattern;
typedef struct ir_op ir_op;         /* an operator of the table */
typedef struct ir_attrs ir_attrs;   /* interned record of a call */
typedef struct ir_attr ir_attr;     /* one value */
typedef struct ir_dict ir_dict;     /* attributes of a function */
typedef struct ir_tensor ir_tensor; /* payload of a constant */
typedef struct ir_meta ir_meta;     /* an object of the metadata section */

typedef struct te_func te_func; /* ir/te.h */
typedef struct te_schedule te_schedule;
typedef struct tir_expr tir_expr; /* ir/tir.h */
typedef struct tir_stmt tir_stmt;
typedef struct tir_func tir_func;

#endif
