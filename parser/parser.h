/*
 * Reading Relay text: the way from a source to a module.
 *
 * The language is that of TVM 0.6 to 0.18 and what their printers wrote, and
 * the text of the two levels below Relay (ir/te.h, ir/tir.h). The reader
 * checks form: scopes, definitions, operator names, attributes against their
 * schema, number of inputs. It infers no types.
 */
#ifndef RELAY_PARSER_PARSER_H
#define RELAY_PARSER_PARSER_H

#include <stdbool.h>

#include "ir/fwd.h"
#include "support/diag.h"
#include "support/source.h"

struct parse_options {
	bool allow_unknown_ops; /* keep them as opaque operators */
	bool strict;            /* the 0.0.5 header must be there */
	bool no_prelude;        /* do not look names up in it */
	bool data_follows;      /* no warning about constants without data */
	unsigned max_nesting;   /* of brackets; 0 = no limit */
};

/* What a tool takes when no option says otherwise. */
#define PARSE_OPTIONS_DEFAULT ((struct parse_options){.max_nesting = 50000})

/*
 * The module that S says, in CX. S is needed for as long as places in the
 * module are reported; nothing else of the module points into it. O may be
 * NULL: the defaults.
 *
 * NULL after errors, which were reported to D (up to d->max_errors of them).
 * The caller owns the module.
 */
ir_module *parse_module(ir_context *cx, struct source *s, struct diag *d,
			const struct parse_options *o);

/*
 * The bare expression that S says, made in M. It may be preceded by a header
 * and by definitions, which are added to M. NULL after errors.
 */
const ir_expr *parse_expr(ir_module *m, struct source *s, struct diag *d,
			  const struct parse_options *o);

#endif
