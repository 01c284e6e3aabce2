#include "codegen/results.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ir/compare.h"
#include "ir/npy.h"
#include "support/buf.h"
#include "support/outfile.h"

static bool
ends_in(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);

	return n >= m && !strcmp(s + n - m, end);
}

bool
results_is_npz(const char *path)
{
	return ends_in(path, ".npz");
}

static bool
write_npz(const struct results *r, const char *path, struct diag *d)
{
	struct named_tensors list = {0};
	struct buf text = {0};
	bool ok;

	for (uint32_t i = 0; i < r->n; i++) {
		char name[32];
		int n = snprintf(name, sizeof(name), "%" PRIu32, i);

		named_tensors_add(&list, name, (size_t)n,
				  ir_tensor_ref(r->at[i]));
	}
	npz_write(&text, &list);
	ok = outfile_write(path, text.at, text.len, d);
	named_tensors_free(&list);
	buf_free(&text);
	return ok;
}

bool
results_write(const struct results *r, const char *path, struct diag *d)
{
	const char *slash = ends_in(path, "/") ? "" : "/";
	struct buf name = {0}, text = {0};
	bool ok;

	if (results_is_npz(path))
		return write_npz(r, path, d);
	ok = outfile_make_directory(path, d);
	for (uint32_t i = 0; i < r->n && ok; i++) {
		name.len = text.len = 0;
		buf_printf(&name, "%s%s%" PRIu32 ".npy", path, slash, i);
		npy_write(&text, r->at[i]);
		ok = outfile_write(name.at, text.at, text.len, d);
	}
	buf_free(&name);
	buf_free(&text);
	return ok;
}

static void
put_elements(struct buf *out, const ir_tensor *t)
{
	int64_t n = ir_tensor_size(t);

	for (int64_t i = 0; i < n; i++) {
		buf_putc(out, i % 8 || !i ? ' ' : '\n');
		if (dtype_is_float(t->dtype))
			buf_printf(out, "%.9g",
				   tensor_plain(ir_tensor_get_double(t, i)));
		else
			buf_int(out, ir_tensor_get_int(t, i));
	}
	buf_putc(out, '\n');
}

bool
results_print(const struct results *r, bool full, struct diag *d)
{
	struct buf text = {0};
	bool ok = true;

	for (uint32_t i = 0; i < r->n; i++) {
		buf_printf(&text, "out%" PRIu32 ": ", i);
		tensor_summary(&text, r->at[i]);
		buf_putc(&text, '\n');
		if (full)
			put_elements(&text, r->at[i]);
	}
	if (text.len)
		ok = outfile_write("-", text.at, text.len, d);
	buf_free(&text);
	return ok;
}
