/* Tables of a context, made and freed by the files that own them. */
#ifndef RELAY_IR_CONTEXT_INTERNAL_H
#define RELAY_IR_CONTEXT_INTERNAL_H

struct ir_type_table;
struct ir_attrs_table;
struct ir_meta_table;

struct ir_type_table *ir_type_table_new(void);
void ir_type_table_free(struct ir_type_table *t);
struct ir_attrs_table *ir_attrs_table_new(void);
void ir_attrs_table_free(struct ir_attrs_table *t);
struct ir_meta_table *ir_meta_table_new(void);
void ir_meta_table_free(struct ir_meta_table *t);

#endif
