/*
 * Tensors in files: NumPy's .npy and .npz, and TVM's .params.
 *
 * .npz is read and written without compression only. bfloat16 has no name in
 * NumPy: it is written as uint16, and what wants bfloat16 takes uint16.
 */
#ifndef RELAY_IR_NPY_H
#define RELAY_IR_NPY_H

#include <stdbool.h>
#include <stddef.h>

#include "ir/tensor.h"
#include "support/buf.h"

/* A tensor with a name, as in .npz and .params. The list owns both. */
struct named_tensor {
	char *name;
	ir_tensor *tensor;
};

struct named_tensors {
	struct named_tensor *at;
	size_t len;
	size_t cap;
};

void named_tensors_free(struct named_tensors *t);
void named_tensors_add(struct named_tensors *t, const char *name, size_t len,
		       ir_tensor *tensor);

/* NULL: not there. Borrowed. */
ir_tensor *named_tensors_find(const struct named_tensors *t, const char *name);

/*
 * The tensor that the LEN bytes at DATA say; NULL after setting *WHY to a
 * message of static life.
 */
ir_tensor *npy_read(const void *data, size_t len, const char **why);
void npy_write(struct buf *out, const ir_tensor *t);

/* A reference to T, as bfloat16 if that is WANTed and T is uint16. */
ir_tensor *npy_as(ir_tensor *t, struct dtype want);

/* All members "NAME.npy" of an archive. False after setting *WHY. */
bool npz_read(const void *data, size_t len, struct named_tensors *out,
	      const char **why);
void npz_write(struct buf *out, const struct named_tensors *t);

/* TVM's list of arrays with names. False after setting *WHY. */
bool params_read(const void *data, size_t len, struct named_tensors *out,
		 const char **why);
void params_write(struct buf *out, const struct named_tensors *t);

/* By the first bytes: any of the three; a .npy has the name "". */
bool tensors_read(const void *data, size_t len, struct named_tensors *out,
		  const char **why);

#endif
