/*
 * Values for the inputs of a network, and for constants without data: from
 * files by name, else made up.
 */
#ifndef RELAY_CODEGEN_FEED_H
#define RELAY_CODEGEN_FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "ir/expr.h"
#include "ir/fill.h"
#include "ir/fwd.h"
#include "ir/npy.h"
#include "ir/type.h"
#include "support/diag.h"

struct feed {
	struct named_tensors given;
	bool fill; /* else what is not given is an error */
	enum fill_kind how;
	uint64_t seed;
	struct diag *diag;
};

void feed_free(struct feed *f);

/*
 * Take FILE: all its tensors by their names, or, with NAME, its only tensor
 * as NAME. False after reporting.
 */
bool feed_file(struct feed *f, const char *name, const char *path);

/* "NAME=FILE", or "FILE" alone. */
bool feed_option(struct feed *f, const char *text);

/*
 * What the N options that name an input name is a parameter of FN; a false
 * name is an error. Fields of tuples have other names and are not checked.
 */
bool feed_names_exist(struct feed *f, const char *const *options, size_t n,
		      const struct ir_function *fn);

/*
 * The tensor for the input NAME, checked against its type; the caller gets a
 * reference. NULL after reporting.
 */
ir_tensor *feed_tensor(struct feed *f, const char *name, struct dtype t,
		       const int64_t *shape, uint32_t ndim);

/* Give constants without data the tensors called meta[relay.Constant][N]. */
bool feed_placeholders(struct feed *f, ir_module *m);

/* Bytes of FILE; NULL after reporting. The caller frees with free(). */
void *feed_read_file(const char *path, size_t *len, struct diag *d);

#endif
