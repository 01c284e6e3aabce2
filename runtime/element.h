/*
 * Elements of arrays whose type is known only when the routine runs.
 */
#ifndef RELAY_RUNTIME_ELEMENT_H
#define RELAY_RUNTIME_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of an element; 0 for a type that is not known. */
size_t element_size(int64_t dtype);
bool element_is_float(int64_t dtype);

/* Element I of DATA, and back. Unsigned 64 bits pass through int64_t. */
double element_double(const void *data, int64_t i, int64_t dtype);
int64_t element_int(const void *data, int64_t i, int64_t dtype);
void element_put_double(void *data, int64_t i, int64_t dtype, double v);
void element_put_int(void *data, int64_t i, int64_t dtype, int64_t v);

#endif
