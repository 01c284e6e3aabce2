/*
 * fold-scale-axis: backward-fold-scale-axis, forward-fold-scale-axis and
 * fold-constant, one after the other.
 *
 * Level: function. Needs: types.
 */
#include <string.h>

#include "passes/registry.h"
#include "passes/scale/scale.h"

static const char *const flags[] = {
	"backward-fold-scale-axis",
	"forward-fold-scale-axis",
	"fold-constant",
};

enum { NSTEPS = sizeof(flags) / sizeof(*flags) };

/* The steps go from function to function, with what they keep. */
struct steps {
	pass_ctx *cx;
	pass_ctx part[NSTEPS];
};

static void
end_steps(void *state)
{
	struct steps *s = state;

	for (size_t i = 0; i < NSTEPS; i++)
		pass_part_end(s->cx, &s->part[i]);
}

static struct steps *
steps_of_run(pass_ctx *cx)
{
	struct steps *s = cx->state;

	if (!s) {
		s = ARENA_NEW(cx->scratch, struct steps);
		s->cx = cx;
		for (size_t i = 0; i < NSTEPS; i++)
			s->part[i] = pass_part(
				cx, pass_find(flags[i], strlen(flags[i])),
				NULL);
		cx->state = s;
		cx->free_state = end_steps;
	}
	return s;
}

const struct ir_function *
pass_fold_scale_axis(pass_ctx *cx, ir_def *def, const struct ir_function *fn)
{
	struct steps *s = steps_of_run(cx);

	for (size_t i = 0; i < NSTEPS && !cx->failed; i++) {
		pass_ctx *part = &s->part[i];
		const struct ir_function *result =
			part->info->run_function(part, def, fn);

		cx->failed |= part->failed;
		if (result != fn && !cx->failed &&
		    !ir_infer_expr(cx->module, &result->base, cx->diag))
			cx->failed = true;
		fn = result;
	}
	return fn;
}
