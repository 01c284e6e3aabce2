/*
 * Diagnostics as JSON, one object per line, for editors and scripts.
 */
#ifndef RELAY_SUPPORT_DIAG_JSON_H
#define RELAY_SUPPORT_DIAG_JSON_H

#include "support/buf.h"
#include "support/diag.h"

/* From now on D writes lines of JSON instead of text. */
void diag_use_json(struct diag *d);

/* S as a JSON string with its quotes; broken UTF-8 becomes U+FFFD. */
void json_put_string(struct buf *out, const char *s);

#endif
