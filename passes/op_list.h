/* The table of operators as text: relay-opt --print-ops. */
#ifndef RELAY_PASSES_OP_LIST_H
#define RELAY_PASSES_OP_LIST_H

#include "support/buf.h"

/* Name, inputs, attributes and what is known of each operator. */
void op_list(struct buf *out);
void op_list_json(struct buf *out);

#endif
