/*
 * How much work walks over nodes were: a count that is the same on every
 * machine, for tests of how work grows with the size of a program.
 */
#ifndef RELAY_IR_VISITS_H
#define RELAY_IR_VISITS_H

#include <stdint.h>

/*
 * Entries that were put into sets and tables of nodes in this thread, new or
 * not. Every walk and every rewrite makes at least one for each node.
 */
uint64_t ir_visits(void);

#endif
