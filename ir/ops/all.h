/*
 * All rows of the operator table, in the order of enum op_id. Define OP as a
 * macro of all columns before including this file; it is undefined after.
 * (A .def file undefines OP, so it is defined anew from OP_ROW for each.)
 */
#ifndef OP_ROW
#error "define OP_ROW(id, name, in, attrs, relation, pattern, traits, compute, tier, inputs, summary)"
#endif

#define OP OP_ROW
#include "ir/ops/dyn.def"
#define OP OP_ROW
#include "ir/ops/image.def"
#define OP OP_ROW
#include "ir/ops/nn.def"
#define OP OP_ROW
#include "ir/ops/qnn.def"
#define OP OP_ROW
#include "ir/ops/random.def"
#define OP OP_ROW
#include "ir/ops/system.def"
#define OP OP_ROW
#include "ir/ops/tensor.def"
#define OP OP_ROW
#include "ir/ops/vision.def"
#undef OP_ROW
