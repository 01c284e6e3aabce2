"""Random choices, types, scopes and blocks: what all generators share.

A type is a tuple: ("t", dtype, shape), ("tuple", fields), ("fn", params,
result), ("ref", content), ("data", name, arguments). Unknown extents are "?"."""

import random

FLOATS = ("float32", "float32", "float32", "float32", "float64", "float16")
INTS = ("int32", "int32", "int64", "int8", "uint8", "int16")

I32 = ("t", "int32", ())
BOOL = ("t", "bool", ())
UNIT = ("tuple", ())

SUFFIX = {"float32": "f", "float64": "f64", "float16": "f16", "int32": "",
          "int64": "i64"}


def tensor(dtype, *shape):
    return ("t", dtype, tuple(shape))


def text(ty):
    """A type as Relay text."""
    kind = ty[0]
    if kind == "t":
        if not ty[2]:
            return ty[1]
        return "Tensor[(%s), %s]" % (", ".join(map(str, ty[2])), ty[1])
    if kind == "tuple":
        fields = ", ".join(map(text, ty[1]))
        return "(%s%s)" % (fields, "," if len(ty[1]) == 1 else "")
    if kind == "fn":
        return "fn (%s) -> %s" % (", ".join(map(text, ty[1])), text(ty[2]))
    if kind == "ref":
        return "ref(%s)" % text(ty[1])
    if kind == "data":
        args = ", ".join(map(text, ty[2]))
        return "%s[%s]" % (ty[1], args) if args else ty[1]
    return ty[1]


def is_tensor(ty):
    return ty[0] == "t"


def is_float(ty):
    return is_tensor(ty) and ty[1].startswith("float")


def is_int(ty):
    return is_tensor(ty) and "int" in ty[1]


def is_static(ty):
    return is_tensor(ty) and "?" not in ty[2]


def number(text_of, dtype):
    """A literal; small integers have none of their own."""
    if dtype in SUFFIX:
        return text_of + SUFFIX[dtype]
    return 'cast(%s, dtype="%s")' % (text_of, dtype)


def has_data(ty):
    """Is there a data type in TY, which a value need not tell?"""
    if ty[0] == "tuple":
        return any(map(has_data, ty[1]))
    if ty[0] == "fn":
        return any(map(has_data, ty[1])) or has_data(ty[2])
    return ty[0] == "data"


def has_refs(ty):
    """Is there a reference in TY?"""
    if ty[0] == "tuple":
        return any(map(has_refs, ty[1]))
    return ty[0] == "ref"


class Gen:
    """One module in the making."""

    def __init__(self, seed, number):
        self.r = random.Random("%s %d" % (seed, number))
        self.names = 0
        self.constants = 0
        self.budget = 0
        self.discrete = False   # a number decides over integers or branches
        self.functional = True  # more than tensors and calls of operators
        self.dynamic = False
        self.external = False   # there is a function @ext0 of a compiler
        self.weights = False    # main has parameters %w and %k
        self.devices = False    # some values say where they are
        self.types = {}         # name of a data type: its definition
        self.functions = []     # (name, type): may be called
        self.definitions = []

    def chance(self, p):
        return self.r.random() < p

    def pick(self, choices):
        return choices[self.r.randrange(len(choices))]

    def int(self, low, high):
        return self.r.randint(low, high)

    def fresh(self, stem="v"):
        self.names += 1
        return "%%%s%d" % (stem, self.names)

    def shape(self, most=3):
        return tuple(self.pick((1, 2, 3, 3, 4))
                     for _ in range(self.pick((0, 1, 1, 2, 2, 2, 3))
                                    if most > 2 else self.int(0, most)))

    def tensor_type(self):
        dtype = self.pick(FLOATS) if self.chance(0.75) else self.pick(INTS)
        if self.chance(0.05):
            dtype = "bool"
        if self.chance(0.1):
            return tensor(dtype, 1, self.pick((2, 4)), 4, 4)
        return ("t", dtype, self.shape())


def placed(g, expr):
    """EXPR on one of two devices, in one of the ways to say so."""
    ways = ("", "", ", constrain_result=True", ", constrain_body=False")
    return "on_device(%s, virtual_device=VirtualDevice(device_type=%d, " \
        "virtual_device_id=0)%s)" % (expr, g.int(1, 2), g.pick(ways))


class Block:
    """Bindings, and the names that they may use."""

    def __init__(self, g, scope, kind=None):
        self.g = g
        self.scope = list(scope)
        self.kind = kind or g.pick(("let", "graph", "mixed"))
        self.lines = []

    def bind(self, expr, ty, let=False):
        """Bind EXPR; its name."""
        g = self.g
        if g.devices and not has_data(ty) and g.chance(0.25):
            expr = placed(g, expr)
        if not let:
            let = has_data(ty)
        if not let:
            let = g.chance(0.5) if self.kind == "mixed" else \
                self.kind == "let"
        if let:
            name = g.fresh()
            note = ": " + text(ty) if has_data(ty) or \
                g.chance(0.3) else ""
            self.lines.append("let %s%s = %s;" % (name, note, expr))
        else:
            name = g.fresh("")
            self.lines.append("%s = %s;" % (name, expr))
        self.scope.append((name, ty))
        return name

    def variables(self, ty):
        return [name for name, t in self.scope if t == ty]

    def text(self, result):
        lines = self.lines + [result]
        return "{\n" + "\n".join("  " + line.replace("\n", "\n  ")
                                 for line in lines) + "\n}"
