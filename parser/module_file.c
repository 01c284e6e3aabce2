#include "parser/module_file.h"

#include "ir/module.h"

bool
module_file_read(struct module_file *f, ir_context *cx, const char *path,
		 struct diag *d, const struct parse_options *o)
{
	const char *reason;

	f->path = path;
	if (!source_open(&f->source, path, &reason)) {
		diag_error(d, LOC_NONE, "cannot read '%s': %s", path, reason);
		return false;
	}
	d->source = &f->source;
	f->module = parse_module(cx, &f->source, d, o);
	d->source = NULL;
	if (!f->module)
		source_free(&f->source);
	return f->module != NULL;
}

void
module_file_free(struct module_file *f)
{
	ir_module_free(f->module);
	source_free(&f->source);
}
