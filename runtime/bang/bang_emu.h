/*
 * BANG-C on the host: what a kernel file needs to be compiled by g++ or
 * clang++ and run, strictly.
 *
 *     g++ -std=c++17 -Iruntime/bang net.mlu ...      (as C++: -x c++)
 *
 * stands in for the headers of Cambricon's toolkit; a kernel file that
 * includes <bang.h> and <cnrt.h> needs no change, if it launches its kernels
 * through LAUNCH(kernel, dim, type, queue, arguments...).
 *
 * What is checked: machine.h (spaces, sizes, barriers, bytes nobody wrote),
 * copies.h (order of asynchronous copies), races.h (tasks at the same bytes),
 * vector.h and tensor.h (alignment,
 * counts, overlaps of each instruction). Numbers are those of IEEE float in
 * the order of the operands; a device may flush denormals and sum in another
 * order.
 *
 * -DBANG_EMU_ARCH=270|290|372|592, and in the environment BANG_EMU_SEED=N
 * (order of tasks), BANG_EMU_EAGER=1 (asynchronous copies at once),
 * BANG_EMU_CLUSTERS=N, BANG_EMU_STATS=1 (counters when a queue is destroyed;
 * 2: of each kernel, too).
 */
#ifndef BANG_EMU_H
#define BANG_EMU_H

#include "machine.h"

#include "copies.h"
#include "vector.h"
#include "tensor.h"
#include "runtime_api.h"

#endif
