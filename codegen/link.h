/*
 * Archives and shared libraries around one object.
 */
#ifndef RELAY_CODEGEN_LINK_H
#define RELAY_CODEGEN_LINK_H

#include <stdbool.h>

#include "support/buf.h"
#include "support/diag.h"

/* Make the object in OUT an archive with one member; ELF of 64 bits only. */
bool link_archive(struct buf *out, const char *name, struct diag *d);

/*
 * Link OBJECT to the shared library PATH by running LINKER. The runtime goes
 * in, hidden, where its archive lies beside the tools. PATH appears only on
 * success.
 */
bool link_shared(const struct buf *object, const char *path, const char *linker,
		 struct diag *d);

/* The archive of the runtime near this program, into PATH; or NULL. */
const char *link_runtime(char *path, size_t size);

/* Run the program ARGV[0], looked for in PATH; false unless it succeeds. */
bool link_run(char *const *argv, struct diag *d);

#endif
