/*
 * What comes out of a network: as files, and as text.
 */
#ifndef RELAY_CODEGEN_RESULTS_H
#define RELAY_CODEGEN_RESULTS_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/tensor.h"
#include "support/diag.h"

struct results {
	ir_tensor *const *at; /* borrowed */
	uint32_t n;
};

/* Is PATH one archive, and not a folder? By its name. */
bool results_is_npz(const char *path);

/*
 * Write PATH/0.npy, PATH/1.npy, ..., or the archive PATH with the tensors
 * "0", "1", ...; false after reporting to D.
 */
bool results_write(const struct results *r, const char *path, struct diag *d);

/*
 * A line about each on the standard output, and its elements if FULL; false
 * after reporting to D.
 */
bool results_print(const struct results *r, bool full, struct diag *d);

#endif
