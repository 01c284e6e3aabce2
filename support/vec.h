/*
 * Growable arrays on the heap.
 *
 *     VEC(struct loc) places = { 0 };
 *     vec_push(&places, here);
 *     for (size_t i = 0; i < places.len; i++) ... places.at[i] ...
 *     vec_free(&places);
 *
 * A vector of zeros is empty. Pointers into it die when it grows.
 */
#ifndef RELAY_SUPPORT_VEC_H
#define RELAY_SUPPORT_VEC_H

#include <stddef.h>
#include <stdlib.h>

#define VEC(type)           \
	struct {            \
		type *at;   \
		size_t len; \
		size_t cap; \
	}

#define vec_push(v, x)                                                        \
	((v)->len == (v)->cap ? (void)((v)->at = vec_grow((v)->at, &(v)->cap, \
							  sizeof(*(v)->at)))  \
			      : (void)0,                                      \
	 (void)((v)->at[(v)->len++] = (x)))

/* Make room for N elements in all; does not change the length. */
#define vec_reserve(v, n) \
	((v)->at = vec_reserve_bytes((v)->at, &(v)->cap, (n), sizeof(*(v)->at)))

#define vec_pop(v) ((v)->at[--(v)->len])
#define vec_last(v) ((v)->at[(v)->len - 1])
#define vec_clear(v) ((void)((v)->len = 0))
#define vec_free(v) \
	(free((v)->at), (v)->at = NULL, (void)((v)->len = (v)->cap = 0))

void *vec_grow(void *at, size_t *cap, size_t size);
void *vec_reserve_bytes(void *at, size_t *cap, size_t n, size_t size);

#endif
