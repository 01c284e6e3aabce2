/*
 * print-annotated-regions: the regions for external compilers that
 * annotations enclose, with what goes in and comes out.
 *
 * Level: analysis. Needs: nothing.
 */
#include "passes/analysis/report.h"

#include "passes/byoc/regions.h"

static const char *
list_text(struct report *r, const struct region_list *l)
{
	struct buf out = {0};
	const char *text;

	for (const struct region_link *x = l->first; x; x = x->next) {
		const ir_expr *value = ir_as_call(x->e)->args[0];
		const char *name = report_name(r, value);

		buf_printf(&out, "%s%s", out.len ? ", " : "",
			   name ? name : report_word(r, value));
	}
	text = out.len ? arena_strndup(r->cx->scratch, out.at, out.len)
		       : "nothing";
	buf_free(&out);
	return text;
}

static void
print_region(struct report *r, const struct region *g)
{
	report_line(r, 1, "%s", g->target);
	report_line(r, 2, "in: %s", list_text(r, &g->ins));
	report_line(r, 2, "out: %s", list_text(r, &g->outs));
}

bool
pass_print_annotated_regions(pass_ctx *cx)
{
	struct report r = {.cx = cx};

	for (ir_def **d = report_functions(cx); *d && !cx->failed; d++) {
		struct regions g = {.arena = cx->scratch};

		report_line(&r, 0, "@%s", (*d)->name);
		if (regions_find(&g, cx, &(*d)->fn->base))
			for (size_t i = 0; i < g.all.len; i++)
				if (g.all.at[i].parent == g.all.at[i].id)
					print_region(&r, &g.all.at[i]);
		regions_free(&g);
	}
	report_end(&r);
	return false;
}
