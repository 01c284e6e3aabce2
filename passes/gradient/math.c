/*
 * Gradients of operators that work element by element.
 */
#include <math.h>

#include "passes/gradient/gradient.h"

#define X gradient_arg(g, 0)
#define Y gradient_arg(g, 1)
#define NUM(v) gradient_scalar(g, v)
#define NEG(x) gradient_neg(g, x)
#define ADD(x, y) gradient_add(g, x, y)
#define SUB(x, y) gradient_sub(g, x, y)
#define MUL(x, y) gradient_mul(g, x, y)
#define DIV(x, y) gradient_div(g, x, y)
#define OP1(op, x) gradient_unary(g, OP_##op, x)
#define OP2(op, x, y) gradient_binary(g, OP_##op, x, y)
#define ZEROS(x) gradient_unary(g, OP_zeros_like, x)

/* Operators of one argument: gradient_of_NAME gives it FORMULA. */
#define RULE(name, formula)                         \
	bool gradient_of_##name(struct gradient *g) \
	{                                           \
		g->to[0] = (formula);               \
		return true;                        \
	}

RULE(acos, NEG(DIV(g->grad, OP1(sqrt, SUB(NUM(1), MUL(X, X))))))
RULE(acosh, DIV(g->grad, OP1(sqrt, SUB(MUL(X, X), NUM(1)))))
RULE(asin, DIV(g->grad, OP1(sqrt, SUB(NUM(1), MUL(X, X)))))
RULE(asinh, DIV(g->grad, OP1(sqrt, ADD(NUM(1), MUL(X, X)))))
RULE(atan, DIV(g->grad, ADD(NUM(1), MUL(X, X))))
RULE(atanh, DIV(g->grad, SUB(NUM(1), MUL(X, X))))
RULE(copy, g->grad)
RULE(cos, NEG(MUL(g->grad, OP1(sin, X))))
RULE(cosh, MUL(g->grad, OP1(sinh, X)))
RULE(erf, MUL(g->grad, MUL(NUM(2 / sqrt(M_PI)), OP1(exp, NEG(MUL(X, X))))))
RULE(exp, MUL(g->grad, g->out))
RULE(log, DIV(g->grad, X))
RULE(log10, DIV(g->grad, MUL(X, NUM(log(10)))))
RULE(log2, DIV(g->grad, MUL(X, NUM(log(2)))))
RULE(negative, NEG(g->grad))
RULE(rsqrt, MUL(g->grad, DIV(MUL(NUM(-0.5), g->out), X)))
RULE(sigmoid, MUL(g->grad, MUL(g->out, SUB(NUM(1), g->out))))
RULE(sin, MUL(g->grad, OP1(cos, X)))
RULE(sinh, MUL(g->grad, OP1(cosh, X)))
RULE(sqrt, DIV(MUL(g->grad, NUM(0.5)), g->out))
RULE(tan, MUL(g->grad, ADD(NUM(1), MUL(g->out, g->out))))
RULE(tanh, MUL(g->grad, SUB(NUM(1), MUL(g->out, g->out))))
RULE(abs, gradient_where(g, OP2(less, X, ZEROS(X)), NEG(g->grad), g->grad))
RULE(relu, gradient_where(g, OP2(less, X, ZEROS(X)), ZEROS(X), g->grad))
RULE(cast, OP2(cast_like, g->grad, X))

/* Comparisons, shapes and constants: nothing depends on the arguments. */
bool
gradient_of_nothing(struct gradient *g)
{
	(void)g;
	return true;
}

bool
gradient_of_clip(struct gradient *g)
{
	const ir_expr *low = NUM(ir_attrs_double(g->call->attrs, "a_min"));
	const ir_expr *high = NUM(ir_attrs_double(g->call->attrs, "a_max"));
	const ir_expr *zeros = ZEROS(X);

	g->to[0] = gradient_where(
		g, OP2(less, X, low), zeros,
		gradient_where(g, OP2(less, high, X), zeros, g->grad));
	return true;
}

bool
gradient_of_subtract(struct gradient *g)
{
	g->to[0] = gradient_collapse(g, g->grad, X);
	g->to[1] = gradient_collapse(g, NEG(g->grad), Y);
	return true;
}

bool
gradient_of_multiply(struct gradient *g)
{
	g->to[0] = gradient_collapse(g, MUL(g->grad, Y), X);
	g->to[1] = gradient_collapse(g, MUL(g->grad, X), Y);
	return true;
}

bool
gradient_of_divide(struct gradient *g)
{
	g->to[0] = gradient_collapse(g, DIV(g->grad, Y), X);
	g->to[1] = gradient_collapse(g, NEG(DIV(MUL(g->grad, g->out), Y)), Y);
	return true;
}

/* Where the base is not positive, nothing flows into the exponent. */
bool
gradient_of_power(struct gradient *g)
{
	const ir_expr *rest = OP2(power, X, SUB(Y, NUM(1)));
	const ir_expr *positive = OP2(greater, X, ZEROS(X));
	const ir_expr *base = gradient_where(g, positive, X, OP1(ones_like, X));

	g->to[0] = gradient_collapse(g, MUL(g->grad, MUL(Y, rest)), X);
	g->to[1] = gradient_collapse(
		g, MUL(g->grad, MUL(g->out, OP1(log, base))), Y);
	return true;
}

/* The gradient goes to where CHOOSES(x, y) holds, else to the other. */
static bool
choose(struct gradient *g, const ir_expr *chooses)
{
	const ir_expr *zeros = ZEROS(g->grad);

	g->to[0] = gradient_collapse(
		g, gradient_where(g, chooses, g->grad, zeros), X);
	g->to[1] = gradient_collapse(
		g, gradient_where(g, chooses, zeros, g->grad), Y);
	return true;
}

bool
gradient_of_maximum(struct gradient *g)
{
	return choose(g, OP2(greater_equal, X, Y));
}

bool
gradient_of_minimum(struct gradient *g)
{
	return choose(g, OP2(less_equal, X, Y));
}

bool
gradient_of_where(struct gradient *g)
{
	const ir_expr *zeros = ZEROS(g->grad);

	g->to[1] =
		gradient_collapse(g, gradient_where(g, X, g->grad, zeros), Y);
	g->to[2] = gradient_collapse(g, gradient_where(g, X, zeros, g->grad),
				     gradient_arg(g, 2));
	return true;
}

bool
gradient_of_add(struct gradient *g)
{
	g->to[0] = gradient_collapse(g, g->grad, X);
	g->to[1] = gradient_collapse(g, g->grad, Y);
	return true;
}
