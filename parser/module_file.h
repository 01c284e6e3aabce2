/*
 * A module with the text it came from, for tools that hold several.
 */
#ifndef RELAY_PARSER_MODULE_FILE_H
#define RELAY_PARSER_MODULE_FILE_H

#include "parser/parser.h"

struct module_file {
	const char *path; /* not owned */
	struct source source;
	ir_module *module;
};

/*
 * Read the module in the file PATH ("-": standard input), in CX. False after
 * reporting to D, which is left without a source; then nothing is to be
 * freed.
 */
bool module_file_read(struct module_file *f, ir_context *cx, const char *path,
		      struct diag *d, const struct parse_options *o);

void module_file_free(struct module_file *f);

#endif
