/*
 * What the fuzz targets share.
 */
#ifndef RELAY_FUZZ_H
#define RELAY_FUZZ_H

#include <stdint.h>
#include <stdio.h>

#include "support/diag.h"
#include "support/source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Diagnostics about S that nobody sees. */
static inline struct diag
silent(struct source *s)
{
	static FILE *nowhere;
	struct diag d;

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	diag_init(&d, "fuzz", s);
	d.out = nowhere;
	return d;
}

#endif
