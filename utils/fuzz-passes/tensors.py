"""Calls of operators on tensors. A recipe takes the type of the result and
writes a call, or gives None where there is none of that type."""

import core
from core import is_float, is_int, tensor

RECIPES = []


def recipe(weight=1):
    def add(function):
        RECIPES.extend([function] * weight)
        return function
    return add


def literal(g, ty, low=-3, high=3):
    """A number as text: a scalar of TY's dtype."""
    dtype = ty[1]
    if dtype == "bool":
        return g.pick(("True", "False"))
    if dtype.startswith("u"):
        low = max(low, 0)
    n = g.int(low * 4, high * 4) / 4 if is_float(ty) else g.int(low, high)
    if is_float(ty):
        return core.number("%g" % n, dtype)
    return core.number("%d" % n, dtype)


def positive(g, ty):
    return literal(g, ty, 1, 4)


def ints(values):
    return "[%s]" % ", ".join(str(v) for v in values)


def constant(g, ty):
    """A constant with random data, which whoever reads the text makes."""
    g.constants += 1
    return "meta[relay.Constant][%d] /* ty=%s */" % (g.constants - 1,
                                                     core.text(ty))


def filled(g, ty):
    kind = g.pick(("zeros", "ones", "full", "meta", "meta", "meta"))
    if not ty[2] and ty[1] != "bool" and g.chance(0.7):
        return literal(g, ty)
    if not ty[2] and ty[1] == "bool":
        return literal(g, ty)
    if ty[1] == "bool" or kind == "meta" or 0 in ty[2]:
        return constant(g, ty)
    if kind == "full":
        return 'full(%s, shape=%s, dtype="%s")' % (literal(g, ty),
                                                   ints(ty[2]), ty[1])
    return '%s(shape=%s, dtype="%s")' % (kind, ints(ty[2]), ty[1])


def narrower(g, shape):
    """A shape that broadcasts to SHAPE."""
    if g.chance(0.6):
        return shape
    cut = shape[g.int(0, len(shape)):] if "?" not in shape else shape
    return tuple(1 if d != "?" and g.chance(0.3) else d for d in cut)


# ------------------------------------------------------- element by element --

UNARY = ("tanh({0})", "sigmoid({0})", "nn.relu({0})", "abs({0})",
         "negative({0})", "exp(clip({0}, a_min=-3f, a_max=2f))",
         "sqrt(abs({0}))", "erf({0})", "cos({0})", "sin({0})", "atan({0})",
         "clip({0}, a_min=-1f, a_max=1.5f)", "copy({0})",
         "nn.leaky_relu({0}, alpha=0.25f)", "identity({0})",
         "annotation.stop_fusion({0})", "tanh({0})", "nn.relu({0})")


@recipe(6)
def unary(g, ty, sub):
    if is_float(ty):
        form = g.pick(UNARY)
        if ty[1] != "float32" and ("erf" in form or "atan" in form):
            form = "tanh({0})"
        return form.replace("identity", "copy").format(sub(ty))
    if is_int(ty):
        form = g.pick(("abs({0})", "negative({0})", "copy({0})",
                       "clip({0}, a_min=-4f, a_max=5f)"))
        if ty[1].startswith("u"):
            form = "copy({0})"
        return form.format(sub(ty))
    return g.pick(("logical_not({0})", "copy({0})")).format(sub(ty))


@recipe(8)
def binary(g, ty, sub):
    a, b = ty[2], narrower(g, ty[2])
    if g.chance(0.5):
        a, b = b, a
    x = ("t", ty[1], a)
    y = ("t", ty[1], b)
    if ty[1] == "bool":
        return "%s(%s, %s)" % (g.pick(("logical_and", "logical_or",
                                       "logical_xor")), sub(x), sub(y))
    op = g.pick(("add", "add", "add", "subtract", "multiply", "multiply",
                 "maximum", "minimum", "divide", "squared_difference"))
    if op == "divide":
        if not is_float(ty):
            return None
        return "divide(%s, %s)" % (sub(x), away_from_zero(g, y, sub,
                                                          a == ty[2]))
    if op == "squared_difference":
        d = "subtract(%s, %s)" % (sub(x), sub(y))
        return "multiply(%s, %s)" % (d, sub(("t", ty[1], ()))) \
            if g.chance(0.5) else "abs(%s)" % d
    if op == "multiply" and is_float(ty) and g.chance(0.5):
        return "multiply(%s, tanh(%s))" % (sub(x), sub(y))
    return "%s(%s, %s)" % (op, sub(x), sub(y))


def away_from_zero(g, ty, sub, scalar):
    if scalar and g.chance(0.4):
        return positive(g, ty)
    return "add(abs(%s), %s)" % (sub(ty), positive(g, ty))


@recipe(2)
def by_number(g, ty, sub):
    """What algebra may simplify: neutral elements and the like."""
    if ty[1] == "bool":
        return None
    op = g.pick(("add", "subtract", "multiply", "divide", "power"))
    n = g.pick((0, 1, 2, -1, 4))
    if (op == "divide" and (not is_float(ty) or n == 0)) or \
            (ty[1].startswith("u") and n < 0):
        return None
    if op == "power":
        if not is_float(ty):
            return None
        n = g.pick((1, 2, 3))
    number = core.number("%d" % n, ty[1])
    if op in ("add", "multiply") and g.chance(0.3):
        return "%s(%s, %s)" % (op, number, sub(ty))
    return "%s(%s, %s)" % (op, sub(ty), number)


@recipe(2)
def bits(g, ty, sub):
    if not is_int(ty):
        return None
    op = g.pick(("bitwise_and", "bitwise_or", "bitwise_xor", "right_shift",
                 "left_shift", "floor_divide", "floor_mod"))
    if "shift" in op:
        return "%s(%s, %s)" % (op, sub(ty), literal(g, ty, 0, 3))
    if "floor" in op:
        return "%s(%s, %s)" % (op, sub(ty), literal(g, ty, 1, 4))
    return "%s(%s, %s)" % (op, sub(ty), sub(ty))


@recipe(2)
def compare(g, ty, sub):
    if ty[1] != "bool":
        return None
    dtype = g.pick(("int32", "int32", "int64", "float32"))
    op = g.pick(("less", "greater", "less_equal", "greater_equal", "equal",
                 "not_equal"))
    if dtype == "float32":
        g.discrete = True
    return "%s(%s, %s)" % (op, sub(("t", dtype, ty[2])),
                           sub(("t", dtype, narrower(g, ty[2]))))


@recipe(2)
def cast(g, ty, sub):
    if ty[1] == "bool":
        return None
    if is_float(ty):
        source = g.pick(("float32", "float64", "float16", "int32", "int8",
                         "uint8", "int64", "bool"))
    else:
        source = g.pick(("int32", "int8", "uint8", "int64", "int16", "bool",
                         "float32"))
    x = sub(("t", source, ty[2]))
    if source == "float32" and not is_float(ty):
        g.discrete = True
        x = "clip(%s, a_min=0f, a_max=100f)" % x
    return 'cast(%s, dtype="%s")' % (x, ty[1])


@recipe(2)
def where(g, ty, sub):
    return "where(%s, %s, %s)" % (sub(("t", "bool", ty[2])), sub(ty), sub(ty))


# ----------------------------------------------------------------- reducing --

@recipe(3)
def reduce(g, ty, sub):
    shape = list(ty[2])
    if len(shape) > 3 or "?" in shape:
        return None
    keep = bool(shape) and 1 in shape and g.chance(0.5)
    if keep:
        axis = shape.index(1)
        shape[axis] = g.int(1, 4)
    else:
        axis = g.int(0, len(shape))
        shape.insert(axis, g.int(1, 4))
    op = g.pick(("sum", "mean", "max", "min", "sum", "variance", "prod"))
    if ty[1] == "bool":
        op = g.pick(("all", "any"))
    elif not is_float(ty):
        op = g.pick(("sum", "max", "min"))
    elif ty[1] == "float16" and op == "prod":
        op = "max"
    if op == "variance":
        if keep or ty[1] == "float16":
            return None
        x = ("t", ty[1], tuple(shape))
        mean = "mean(%s, axis=[%d], keepdims=True)"
        value = sub(x)
        return "variance(%s, %s, axis=[%d])" % (value, mean % (value, axis),
                                                axis)
    if g.chance(0.3):
        axis -= len(shape)
    return "%s(%s, axis=[%d]%s)" % (op, sub(("t", ty[1], tuple(shape))), axis,
                                    ", keepdims=True" if keep else "")


@recipe()
def reduce_unknown(g, ty, sub):
    if not g.dynamic or ty[1] != "float32" or len(ty[2]) != 1 or \
            ty[2][0] != 3:
        return None
    return "%s(%s, axis=[0])" % (g.pick(("sum", "max", "mean")),
                                 sub(tensor("float32", "?", 3)))


@recipe()
def arg_of_extremum(g, ty, sub):
    if ty[1] != "int32" or len(ty[2]) > 2:
        return None
    dtype = g.pick(("float32", "int32", "int32"))
    g.discrete |= dtype == "float32"
    axis = g.int(0, len(ty[2]))
    shape = ty[2][:axis] + (g.int(1, 4),) + ty[2][axis:]
    return "%s(%s, axis=[%d])" % (g.pick(("argmax", "argmin")),
                                  sub(("t", dtype, shape)), axis)


# ------------------------------------------------------------- moving around --

def elements(shape):
    n = 1
    for d in shape:
        n *= d
    return n


@recipe(3)
def reshape(g, ty, sub):
    n = elements(ty[2])
    shapes = [s for s in ((n,), (1, n), (n, 1), (1, 1, n)) if s != ty[2]]
    for d in (2, 3, 4):
        if n % d == 0:
            shapes += [(d, n // d), (n // d, d), (n // d, 1, d)]
    source = g.pick(shapes)
    new = list(ty[2])
    if new and g.chance(0.3):
        new[g.int(0, len(new) - 1)] = -1
    return "reshape(%s, newshape=%s)" % (sub(("t", ty[1], source)), ints(new))


@recipe(2)
def transpose(g, ty, sub):
    axes = list(range(len(ty[2])))
    g.r.shuffle(axes)
    if len(axes) < 2:
        return None
    shape = [0] * len(axes)
    for to, source in enumerate(axes):
        shape[source] = ty[2][to]
    return "transpose(%s, axes=%s)" % (sub(("t", ty[1], tuple(shape))),
                                       ints(axes))


@recipe(2)
def expand_or_squeeze(g, ty, sub):
    shape = list(ty[2])
    if 1 in shape and g.chance(0.6):
        axis = shape.index(1)
        del shape[axis]
        return "expand_dims(%s, axis=%d)" % (sub(("t", ty[1], tuple(shape))),
                                             axis)
    if len(shape) > 3:
        return None
    axis = g.int(0, len(shape))
    shape.insert(axis, 1)
    return "squeeze(%s, axis=[%d])" % (sub(("t", ty[1], tuple(shape))), axis)


@recipe(2)
def spread(g, ty, sub):
    shape = narrower(g, ty[2])
    if shape == ty[2]:
        return None
    if g.chance(0.3):
        return "broadcast_to_like(%s, %s)" % (sub(("t", ty[1], shape)),
                                              sub(ty))
    return "broadcast_to(%s, shape=%s)" % (sub(("t", ty[1], shape)),
                                           ints(ty[2]))


@recipe(2)
def concatenate(g, ty, sub):
    axes = [i for i, d in enumerate(ty[2]) if d > 1]
    if not axes:
        return None
    axis = g.pick(axes)
    cut = g.int(1, ty[2][axis] - 1)
    parts = []
    for size in (cut, ty[2][axis] - cut):
        shape = ty[2][:axis] + (size,) + ty[2][axis + 1:]
        parts.append(sub(("t", ty[1], shape)))
    return "concatenate((%s), axis=%d)" % (", ".join(parts), axis)


@recipe(2)
def split(g, ty, sub):
    if not ty[2]:
        return None
    axis = g.int(0, len(ty[2]) - 1)
    n = g.int(1, 3)
    shape = ty[2][:axis] + (ty[2][axis] * n,) + ty[2][axis + 1:]
    return "split(%s, indices_or_sections=%d, axis=%d).%d" % (
        sub(("t", ty[1], shape)), n, axis, g.int(0, n - 1))


@recipe(2)
def slice_out(g, ty, sub):
    if not ty[2]:
        return None
    axis = g.int(0, len(ty[2]) - 1)
    begin = g.int(0, 2)
    shape = ty[2][:axis] + (ty[2][axis] + begin + g.int(0, 2),) + \
        ty[2][axis + 1:]
    return "strided_slice(%s, begin=[%d], end=[%d], strides=[1], " \
        "axes=[%d])" % (sub(("t", ty[1], shape)), begin,
                        begin + ty[2][axis], axis)


@recipe()
def stack(g, ty, sub):
    axes = [i for i, d in enumerate(ty[2]) if d <= 3]
    if not axes:
        return None
    axis = g.pick(axes)
    part = ("t", ty[1], ty[2][:axis] + ty[2][axis + 1:])
    parts = [sub(part) for _ in range(ty[2][axis])]
    return "stack((%s%s), axis=%d)" % (", ".join(parts),
                                       "," if len(parts) == 1 else "", axis)


@recipe()
def take(g, ty, sub):
    if not ty[2]:
        return None
    axis = g.int(0, len(ty[2]) - 1)
    n = g.int(2, 4)
    shape = ty[2][:axis] + (n,) + ty[2][axis + 1:]
    indices = 'clip(%s, a_min=0f, a_max=%df)' % (
        sub(tensor("int32", ty[2][axis])), n - 1)
    return "take(%s, %s, axis=%d)" % (sub(("t", ty[1], shape)), indices, axis)


@recipe()
def repeat(g, ty, sub):
    axes = [i for i, d in enumerate(ty[2]) if d % 2 == 0]
    if not axes:
        return None
    axis = g.pick(axes)
    shape = ty[2][:axis] + (ty[2][axis] // 2,) + ty[2][axis + 1:]
    x = sub(("t", ty[1], shape))
    if g.chance(0.5):
        return "repeat(%s, repeats=2, axis=%d)" % (x, axis)
    return "tile(%s, reps=%s)" % (x, ints(
        2 if i == axis else 1 for i in range(len(ty[2]))))


@recipe()
def turn(g, ty, sub):
    if not ty[2]:
        return None
    return "reverse(%s, axis=%d)" % (sub(ty), g.int(0, len(ty[2]) - 1))


@recipe()
def like(g, ty, sub):
    form = g.pick(("zeros_like({0})", "ones_like({0})",
                   "full_like({0}, {1})", "reshape_like({0}, {0})",
                   "collapse_sum_like({0}, {0})"))
    if ty[1] == "bool":
        return None
    return form.format(sub(ty), sub(("t", ty[1], ())))
