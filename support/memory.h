/*
 * The end of all memory. A tool that was told how much it may use says so.
 */
#ifndef RELAY_SUPPORT_MEMORY_H
#define RELAY_SUPPORT_MEMORY_H

/* Called before the process ends for want of memory, unless NULL. */
extern void (*memory_gone)(void);

_Noreturn void out_of_memory(void);

#endif
