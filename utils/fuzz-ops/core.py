"""Random programs of one operator: what the recipes share.

A recipe is a function of a Gen and an operator's name that returns a Case. It
draws everything from the Gen, so a seed and a number give the same program
everywhere."""

import random

FLOATS = ["float32"] * 5 + ["float64", "float16", "bfloat16"]
INTS = ["int32", "int64", "int8", "uint8", "int16", "uint16", "uint32",
        "uint64"]
RECIPES = {}


def recipe(*names):
    """The function below makes programs of these operators."""
    def add(function):
        for name in names:
            RECIPES[name] = function
        return function
    return add


class Float(float):
    """An attribute that is an object of its own: 1.5f."""


class Word(str):
    """An attribute that stands for itself."""


NONE = Word("None")


class Case:
    """A call: inputs [name, shape, dtype, fill], arguments (names with '%',
    literals, or lists for tuples), attributes."""

    def __init__(self, op, inputs, args, attrs=None, tolerance=1):
        self.op = op
        self.inputs = inputs
        self.args = args
        self.attrs = attrs or {}
        self.tolerance = tolerance
        self.unknown = {}       # axes that only the run knows, by input

    def text(self, number):
        lines = ["//: case %s %s" % (number, self.op)]
        for name, shape, _, fill in self.inputs:
            lines.append("//: in %s %s" % (name, fill))
            if name in self.unknown:
                lines.append("//: shape %s %s" % (
                    name, " ".join(map(str, shape))))
        if self.tolerance != 1:
            lines.append("//: tolerance %g" % self.tolerance)
        params = ", ".join("%%%s: %s" % (name, self.type_text(name, shape,
                                                              dtype))
                           for name, shape, dtype, _ in self.inputs)
        args = [arg_text(arg) for arg in self.args]
        args += ["%s=%s" % (key, attr_text(value))
                 for key, value in self.attrs.items() if value is not None]
        lines.append('#[version = "0.0.5"]')
        lines.append("def @main(%s) {" % params)
        lines.append("  %s(%s)" % (self.op, ", ".join(args)))
        lines.append("}")
        return "\n".join(lines) + "\n"

    def type_text(self, name, shape, dtype):
        hidden = self.unknown.get(name, [])
        return type_text(["?" if d in hidden else e
                          for d, e in enumerate(shape)], dtype)


def type_text(shape, dtype):
    if not shape:
        return dtype
    return "Tensor[(%s), %s]" % (", ".join(map(str, shape)), dtype)


def arg_text(arg):
    if isinstance(arg, list):
        return "(%s%s)" % (", ".join(map(arg_text, arg)),
                           "," if len(arg) == 1 else "")
    return str(arg)


def attr_text(value):
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Word):
        return value
    if isinstance(value, str):
        return '"%s"' % value
    if isinstance(value, Float):
        return "%rf" % float(value)
    if isinstance(value, float):
        return "%rf" % value
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(attr_text, value))
    return str(value)


def product(values):
    n = 1
    for value in values:
        n *= value
    return n


class Gen(random.Random):
    """The stream that everything is drawn from."""

    extents = [1, 1, 2, 2, 3, 4, 5, 7, 8, 11, 13, 16, 17, 32, 33]

    def maybe(self, chance=0.5):
        return self.random() < chance

    def extent(self, most=33):
        return self.choice([e for e in self.extents if e <= most])

    def most(self, extent):
        """How large an axis of a window may be, if EXTENT is usual."""
        return extent

    def shape(self, low=0, high=4, elements=4000, zero=0.03):
        """A shape of so many dimensions, and sometimes an empty one."""
        rank = self.randint(low, high)
        while True:
            shape = [self.extent() for _ in range(rank)]
            if product(shape) <= elements:
                break
        if rank and self.maybe(zero):
            shape[self.randrange(rank)] = 0
        return shape

    def full(self, low=1, high=4, elements=4000):
        """The same, never empty."""
        return self.shape(low, high, elements, 0)

    def axis(self, rank):
        return self.randrange(-rank, rank)

    def axes(self, rank, least=0):
        """Some axes, each once, negative or not, in any order."""
        some = self.sample(range(rank), self.randint(least, rank))
        return [a - rank if self.maybe(0.3) else a for a in some]

    def float(self):
        return self.choice(FLOATS)

    def int(self):
        return self.choice(INTS)

    def number(self):
        return self.float() if self.maybe(0.6) else self.int()

    def any(self):
        return self.choice([self.float(), self.float(), self.int(), "bool"])

    def index(self):
        return self.choice(["int32", "int64"])

    def range(self, dtype, low=-2, high=2, special=True):
        """How an input of this type is filled."""
        how = "special" if special and self.maybe(0.2) else "uniform"
        if dtype[0] == "u":
            low = max(low, 0)
        if not dtype.startswith(("float", "bfloat")):
            low, high = round(low * 4), round(high * 4)
            low, high = max(low, -100), min(high, 100)
        return "%s %g %g" % (how, low, high)

    def input(self, name, shape, dtype, low=-2, high=2, special=False):
        return [name, list(shape), dtype,
                self.range(dtype, low, high, special)]

    def partner(self, shape):
        """A shape that broadcasts with SHAPE."""
        other = [1 if self.maybe(0.3) else e for e in shape]
        return other[self.randint(0, len(other)):] if self.maybe(0.3) \
            else other

    def split_extent(self, n):
        """A divisor of N, as a number of results that a call may have."""
        return self.choice([d for d in range(1, min(max(n, 1), 256) + 1)
                            if max(n, 1) % d == 0])


def layout_shape(layout, extents):
    """The shape of EXTENTS, by capital letter, in a layout like NCHW4c."""
    blocks = {}
    number = ""
    axes = []
    for c in layout:
        if c.isdigit():
            number += c
        elif c.islower():
            blocks[c.upper()] = int(number)
            axes.append(int(number))
            number = ""
        else:
            axes.append(c)
    return [extents[a] // blocks.get(a, 1) if isinstance(a, str) else a
            for a in axes]


def blocks_of(layout):
    """Factor of each axis that LAYOUT splits."""
    out = {}
    number = ""
    for c in layout:
        if c.isdigit():
            number += c
        elif c.islower():
            out[c.upper()] = int(number)
            number = ""
    return out
