#include "passes/fresh_names.h"

#include <stdlib.h>
#include <string.h>

#include "ir/walk.h"

enum { MAX_DIGITS = 9 };

/* The number behind the prefix in NAME; false if there is none. */
static bool
number_of(const struct fresh_names *f, const char *name, uint32_t *out)
{
	size_t len = strlen(f->prefix);
	const char *digits = name + len;
	size_t n;

	if (strncmp(name, f->prefix, len) != 0)
		return false;
	n = strspn(digits, "0123456789");
	if (n == 0 || n > MAX_DIGITS || digits[n] != '\0')
		return false;
	*out = (uint32_t)strtoul(digits, NULL, 10);
	return true;
}

static void
take(const struct ir_var *v, void *env)
{
	struct fresh_names *f = env;
	uint32_t n;

	if (number_of(f, v->name, &n))
		vec_push(&f->taken, n);
}

static bool
take_binders(const ir_expr *e, void *env)
{
	ir_binders(e, take, env);
	if (e->kind == IR_VAR)
		take(ir_as_var(e), env);
	return true;
}

static int
compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a;
	uint32_t y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

void
fresh_names_init(struct fresh_names *f, const ir_module *m, const char *prefix)
{
	*f = (struct fresh_names){.cx = m->cx, .prefix = prefix};
	for (size_t i = 0; i < m->defs.len; i++)
		if (m->defs.at[i]->kind == DEF_FUNCTION)
			ir_walk(&m->defs.at[i]->fn->base, take_binders, NULL,
				f);
	if (f->taken.len)
		qsort(f->taken.at, f->taken.len, sizeof(*f->taken.at), compare);
}

void
fresh_names_free(struct fresh_names *f)
{
	vec_free(&f->taken);
}

static void
free_run(void *state)
{
	fresh_names_free(state);
	free(state);
}

struct fresh_names *
fresh_names_of_run(pass_ctx *cx, const char *prefix)
{
	if (!cx->state) {
		cx->state = xcalloc(1, sizeof(struct fresh_names));
		cx->free_state = free_run;
		fresh_names_init(cx->state, cx->module, prefix);
	}
	return cx->state;
}

const char *
fresh_name(struct fresh_names *f)
{
	while (f->at < f->taken.len && f->taken.at[f->at] <= f->next) {
		if (f->taken.at[f->at] == f->next)
			f->next++;
		f->at++;
	}
	return ir_namef(f->cx, "%s%u", f->prefix, f->next++);
}
