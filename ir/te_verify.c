/*
 * The form of tensor expressions.
 */
#include "ir/module.h"
#include "ir/te.h"
#include "support/diag.h"
#include "support/vec.h"

/*
 * A DAG that unfolds to more nodes than this would never end.
 */
enum { MAX_NODES = 4000000 };

struct check {
	struct diag *diag;
	const te_func *f;
	const struct te_op *op;
	bool ok;
};

static bool
complain(struct check *c, const char *what, const char *name)
{
	diag_error(c->diag, c->op->loc, "stage '%s' of '@%s': %s%s%s%s",
		   c->op->name, c->f->name, what, name ? " '" : "",
		   name ? name : "", name ? "'" : "");
	c->ok = false;
	return false;
}

static bool
has_var(const struct te_op *op, const struct tir_var *v)
{
	const tir_expr *e = op->body[0];

	for (uint32_t i = 0; i < op->naxes; i++)
		if (op->axes[i].var == v)
			return true;
	if (e->kind != TIR_REDUCE)
		return false;
	for (uint32_t i = 0; i < e->reduce->naxes; i++)
		if (e->reduce->axes[i].var == v)
			return true;
	return false;
}

static bool
check_read(struct check *c, const tir_expr *e)
{
	if (e->tensor->op->id >= c->op->id)
		return complain(c,
				"reads what comes later:", e->tensor->op->name);
	if (e->n != e->tensor->ndim)
		return complain(c, "wrong number of indices of",
				e->tensor->op->name);
	for (uint32_t i = 0; i < e->n; i++)
		if (!dtype_is_int(e->arg[i]->dtype) ||
		    e->arg[i]->dtype.lanes != 1)
			return complain(c, "an index is no integer, of",
					e->tensor->op->name);
	return true;
}

static bool
check_node(struct check *c, const tir_expr *e, unsigned depth)
{
	switch (e->kind) {
	case TIR_VAR:
		return has_var(c->op, e->var) ||
		       te_find_size(c->f, e->var) >= 0 ||
		       complain(c, "there is no axis", e->var->name);
	case TIR_READ:
		return check_read(c, e);
	case TIR_REDUCE:
		return depth == 0 ||
		       complain(c, "a fold must be the whole formula", NULL);
	case TIR_LET:
	case TIR_LOAD:
	case TIR_ADDRESS_OF:
	case TIR_RAMP:
	case TIR_BROADCAST:
	case TIR_STRING:
	case TIR_CALL_EXTERN:
		return complain(c, "only loops may hold such an expression",
				NULL);
	default:
		if (e->kind >= TIR_ADD && e->kind <= TIR_OR &&
		    !dtype_equal(e->arg[0]->dtype, e->arg[1]->dtype))
			return complain(c, "operands have different types",
					NULL);
		return true;
	}
}

static bool
check_formula(struct check *c, const tir_expr *root)
{
	VEC(struct todo {
		const tir_expr *e;
		unsigned depth;
	})
	stack = {0};
	long nodes = 0;
	bool ok = true;

	vec_push(&stack, ((struct todo){root, 0}));
	while (ok && stack.len) {
		struct todo t = vec_pop(&stack);

		if (t.depth > TIR_MAX_DEPTH || ++nodes > MAX_NODES) {
			ok = complain(c, "the formula is too large", NULL);
			break;
		}
		ok = check_node(c, t.e, t.depth);
		for (uint32_t i = 0; i < t.e->n; i++)
			vec_push(&stack,
				 ((struct todo){t.e->arg[i], t.depth + 1}));
	}
	vec_free(&stack);
	return ok;
}

/* The product of extents is far from the end of int64. */
static bool
check_extents(struct check *c, const struct te_axis *axes, uint32_t n)
{
	int64_t size = 1;

	for (uint32_t i = 0; i < n; i++)
		if (te_is_size(axes[i].extent))
			continue;
		else if (axes[i].extent < 0 ||
			 __builtin_mul_overflow(size, axes[i].extent, &size) ||
			 size > INT64_MAX / 64)
			return complain(c, "too many elements", NULL);
	return true;
}

static bool
check_fold(struct check *c, const tir_expr *e)
{
	const struct te_reduce *r = e->reduce;
	const struct te_op *op = c->op;
	bool arg = r->combiner >= TE_ARGMIN;

	if (r->nvalues != op->noutputs)
		return complain(c, "as many values as results must be folded",
				NULL);
	if ((arg && r->nvalues != 2) ||
	    (!arg && r->combiner != TE_SUM && r->nvalues != 1))
		return complain(c, "wrong number of values for",
				te_combiner_names[r->combiner]);
	for (uint32_t i = 0; i < r->nvalues; i++)
		if (!dtype_equal(e->arg[i]->dtype, op->outputs[i].dtype))
			return complain(c,
					"the fold has another type than "
					"its result",
					NULL);
	return true;
}

static bool
check_compute(struct check *c)
{
	const struct te_op *op = c->op;
	bool fold = op->body[0] && op->body[0]->kind == TIR_REDUCE;

	for (uint32_t i = 0; i < op->noutputs; i++) {
		if (op->outputs[i].ndim != op->naxes)
			return complain(c, "axes and results differ", NULL);
		if (fold && i > 0)
			continue;
		if (!op->body[i])
			return complain(c, "a result has no formula", NULL);
		if (!check_formula(c, op->body[i]))
			return false;
		if (!fold &&
		    !dtype_equal(op->body[i]->dtype, op->outputs[i].dtype))
			return complain(c,
					"the formula has another type than "
					"its result",
					NULL);
	}
	if (!check_extents(c, op->axes, op->naxes))
		return false;
	return !fold || (check_extents(c, op->body[0]->reduce->axes,
				       op->body[0]->reduce->naxes) &&
			 check_fold(c, op->body[0]));
}

static void
check_tensor(struct check *c, const struct te_tensor *t)
{
	int64_t size = 1;

	for (uint32_t i = 0; i < t->ndim; i++)
		if (te_is_size(t->shape[i]))
			continue;
		else if (t->shape[i] < 0 ||
			 __builtin_mul_overflow(size, t->shape[i], &size) ||
			 size > INT64_MAX / 64) {
			complain(c, "too many elements", NULL);
			return;
		}
}

bool
te_verify(const ir_module *m, const te_func *f, struct diag *d)
{
	struct check c = {.diag = d, .f = f, .ok = true};

	(void)m;
	for (uint32_t i = 0; i < f->nsizes; i++)
		if (!f->sizes[i].value && f->sizes[i].param < 0) {
			diag_error(d, f->loc,
				   "size '%s' of '@%s' is no dimension of a "
				   "parameter, and is not computed",
				   f->sizes[i].var->name, f->name);
			c.ok = false;
		}
	for (uint32_t i = 0; i < f->nops; i++) {
		c.op = f->ops[i];
		if (c.op->kind == TE_COMPUTE)
			check_compute(&c);
		for (uint32_t k = 0; k < c.op->noutputs; k++)
			check_tensor(&c, &c.op->outputs[k]);
		for (uint32_t k = 0; k < c.op->nargs; k++)
			if (c.op->args[k].tensor &&
			    c.op->args[k].tensor->op->id >= i)
				complain(&c, "reads what comes later", NULL);
	}
	return c.ok;
}
