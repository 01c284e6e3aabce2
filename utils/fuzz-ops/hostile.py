"""Mutations of well-typed programs: extents, attributes, element types,
ranks and literals that nobody should have written."""

from core import Float, Word

EXTENTS = [0, 0, 1, 2, 3, 1 << 16, (1 << 31) - 1, 1 << 31, 1 << 32, 1 << 40,
           (1 << 62), (1 << 63) - 1]
NUMBERS = [0, 0, 1, -1, 2, -2, 3, 5, 64, -64, 1000, -1000, 65537,
           (1 << 31) - 1, -(1 << 31), 1 << 31, 1 << 40, (1 << 63) - 1,
           -(1 << 63)]
REALS = [0.0, -1.0, 1e-30, 1e30, -1e30, 0.5, 1e300]
DTYPES = ["float32", "float64", "float16", "bfloat16", "int8", "uint8",
          "int16", "int32", "int64", "uint64", "bool"]
LAYOUTS = ["", "NCHW", "NHWC", "NCW", "NCDHW", "NCHW4c", "NCHW0c", "HW", "C",
           "NCHWc", "NCHW16c4w", "nchw", "OIHW", "HWIO", "NNNN", "XYZ"]


def number(g, value):
    roll = g.randrange(4)
    if roll == 0:
        return value + g.choice([-1, 1])
    if roll == 1:
        return -value
    return g.choice(NUMBERS)


def mutated(g, value):
    """VALUE of an attribute, made worse."""
    if isinstance(value, Word):
        return Word(g.choice(["None", "0", "-1", "[]", "[1]", "1f"]))
    if isinstance(value, bool):
        return not value
    if isinstance(value, Float):
        return Float(g.choice(REALS))
    if isinstance(value, float):
        return g.choice(REALS)
    if isinstance(value, int):
        return number(g, value)
    if isinstance(value, (list, tuple)):
        value = list(value)
        roll = g.randrange(6)
        if roll == 0 and value:
            del value[g.randrange(len(value))]
        elif roll == 1 and value:
            value.insert(g.randrange(len(value)), g.choice(value))
        elif roll == 2:
            value = []
        elif value:
            k = g.randrange(len(value))
            value[k] = mutated(g, value[k])
        return value
    if value in DTYPES:
        return g.choice(DTYPES)
    return g.choice(LAYOUTS)


def mutate_shape(g, case):
    if not case.inputs:
        return
    shape = g.choice(case.inputs)[1]
    roll = g.randrange(8)
    if roll == 0:
        shape.insert(g.randint(0, len(shape)), g.choice([0, 1, 1, 2, 3]))
    elif roll == 1 and shape:
        del shape[g.randrange(len(shape))]
    elif roll == 2:
        # In all inputs alike: what stays well-typed.
        if shape:
            old, new = g.choice(shape), g.choice(EXTENTS)
            for each in case.inputs:
                each[1] = [new if e == old else e for e in each[1]]
    elif shape:
        shape[g.randrange(len(shape))] = g.choice(EXTENTS)


def mutate_attribute(g, case):
    if case.attrs:
        key = g.choice(sorted(case.attrs))
        case.attrs[key] = mutated(g, case.attrs[key])


def mutate_type(g, case):
    if case.inputs:
        g.choice(case.inputs)[2] = g.choice(DTYPES)


def mutate_values(g, case):
    """What an index or a size may be at run time."""
    if case.attrs.get("mode") == "fast":
        return              # promises that all indices are good
    ints = [i for i in case.inputs if i[2].startswith(("int", "uint"))]
    if ints:
        g.choice(ints)[3] = g.choice([
            "special -9 9", "values 0", "values -1",
            "values 0 -1 9223372036854775807", "uniform -300 300"])


def mutate_literal(g, case):
    literals = [k for k, arg in enumerate(case.args)
                if isinstance(arg, str) and arg[0] != "%"]
    if literals:
        k = g.choice(literals)
        case.args[k] = g.choice(["0f", "-1f", "0.5f", "0", "-1",
                                 "2147483647", "1", "1i64"])


def mutate_arguments(g, case):
    if case.args and g.maybe(0.3):
        k = g.randrange(len(case.args))
        if isinstance(case.args[k], list):
            case.args[k] = case.args[k][1:] if g.maybe() else []


def mutate(g, case):
    for _ in range(g.choice([1, 1, 1, 2, 3])):
        g.choice([mutate_shape, mutate_shape, mutate_shape,
                  mutate_attribute, mutate_attribute, mutate_attribute,
                  mutate_type, mutate_values, mutate_literal,
                  mutate_arguments])(g, case)
