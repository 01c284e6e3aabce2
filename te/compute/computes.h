/*
 * The compute rules: one line per function that the column "compute" of
 * ir/ops names. One rule may serve several operators (it asks c->op->id).
 */
#ifndef RELAY_TE_COMPUTE_COMPUTES_H
#define RELAY_TE_COMPUTE_COMPUTES_H

#include "te/compute.h"

te_compute_fn compute_nn_dense;
te_compute_fn compute_nn_relu;

#endif
