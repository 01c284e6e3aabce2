"""Random programs for an MLU: types that it computes with, and shapes that are
hard on tiles.

Programs of one operator take turns: extents of one, primes, more than a
core's memory holds, more than tiles of a small one hold, whole vectors,
nothing at all; then anything. So do architectures and shapes of the text."""

import collections

import core

# Routines of the host's runtime, which no kernel calls.
REFUSED = {
    "nn.internal.sparse_dense_padded", "nn.max_pool2d_grad",
    "nn.sparse_add", "nn.sparse_conv2d", "nn.sparse_dense",
    "nn.sparse_transpose", "random.multinomial", "random.normal",
    "random.threefry_generate", "random.threefry_split", "random.uniform",
    "sparse_to_dense", "unique", "vision.proposal",
    "vision.regular_non_max_suppression", "vision.roi_pool",
}
# What pooling instructions do with NaN is not told.
NO_SPECIALS = {"max", "min", "argmax", "argmin"}
# Their results have shapes that values decide.
EVALUATED = {
    "argwhere", "dyn.broadcast_to", "dyn.expand_dims", "dyn.full",
    "dyn.image.resize2d", "dyn.nn.pad", "dyn.nn.upsampling",
    "dyn.nn.upsampling3d", "dyn.one_hot", "dyn.ones", "dyn.reshape",
    "dyn.sparse_to_dense", "dyn.squeeze", "dyn.strided_slice", "dyn.tile",
    "dyn.topk", "dyn.zeros",
}
FOREIGN = ("float64", "bfloat16")
STYLES = ["ones", "primes", "large", "small", "whole", "empty"] + ["any"] * 9
ARCHES = ["mlu270", "mlu290", "mlu370", "mlu590"]
SHAPES = ["launches", "single"]

EXTENTS = {
    "ones": [1],
    "primes": [2, 3, 5, 7, 11, 13, 17, 31, 37, 61, 101, 257],
    "small": [17, 33, 40, 64, 65, 100, 129],
    "whole": [4, 8, 16, 32, 64, 128],
    "any": core.Gen.extents + [40, 65, 100, 129, 500],
}
SMALL_MEMORY = 32768


def sums(op):
    """May add up numbers: many halves are lost in a sum of halves."""
    return op.startswith("nn.") or op in ("sum", "mean", "variance", "prod",
                                          "collapse_sum_like", "cumsum",
                                          "collapse_sum_to", "einsum")


def foreign(value):
    return value in FOREIGN or (isinstance(value, tuple) and
                                any(v in FOREIGN for v in value))


class Gen(core.Gen):
    """The stream, of one style."""

    def __init__(self, seed, style, op, host=False):
        super().__init__(seed)
        specials = op not in NO_SPECIALS
        self.host = host
        self.no_halves = style in ("large", "small") and sums(op)
        self.specials = specials
        self.style = style
        self.extents = EXTENTS.get(style, EXTENTS["any"])

    def choice(self, seq):
        if self.host:
            kept = [value for value in seq if foreign(value)]
            return super().choice(kept if kept and self.maybe(0.7) else seq)
        kept = [value for value in seq if not foreign(value)]
        if self.no_halves:
            kept = [value for value in kept if value != "float16"]
        for dtype, least in (("float16", 2), ("int8", 5)):
            if dtype in kept and len(kept) >= least and self.maybe(0.2):
                return dtype
        return super().choice(kept or seq)

    def range(self, dtype, low=-2, high=2, special=True):
        return super().range(dtype, low, high, special and self.specials)

    def extent(self, most=33):
        if self.style == "small" and most == 33:
            most = 129
        fit = [e for e in self.extents if e <= most]
        return super().choice(fit or [1])

    def extent_of_shape(self):
        return super().choice(EXTENTS["any"] if self.style == "small" else
                              self.extents)

    def most(self, extent):
        return 3 * extent if self.style == "small" else extent

    def shape(self, low=0, high=4, elements=4000, zero=0.03):
        if elements >= 4000 and high > 0:
            if self.style == "large":
                return self.large(max(low, 1), high, 170000, 190000)
            if self.style == "small":
                return self.large(max(low, 1), high, 9000, 20000)
        if self.style in ("primes", "whole", "any") and elements >= 4000:
            elements = 9000
        rank = self.randint(low, high)
        while True:
            shape = [self.extent_of_shape() for _ in range(rank)]
            if core.product(shape) <= elements:
                break
            rank = max(low, rank - self.randint(0, 1))
        if rank and zero and (self.style == "empty" or self.maybe(zero)):
            shape[self.randrange(rank)] = 0
        return shape

    def large(self, low, high, least, most):
        """More floats than a core's memory holds, or its tiles."""
        rank = self.randint(low, min(high, max(low, 3)))
        shape = [super(Gen, self).choice([1, 2, 3, 5]) for _ in range(rank)]
        k = self.randrange(rank)
        shape[k] = 1
        shape[k] = self.randint(least, most) // core.product(shape)
        return shape

    def tile_bytes(self):
        if self.style == "small":
            return SMALL_MEMORY
        if self.style == "any" and self.maybe(0.25):
            return super().choice([16384, 65536])
        return 0


Drawn = collections.namedtuple("Drawn", "op style arch shape types text")


def operators(table, host):
    """Those of TABLE that have BANG-C; with HOST, the others first."""
    return [op for op in table if host and op in REFUSED] + \
        [op for op in table if op not in REFUSED]


def draw(seed, number, turn, k, op, host):
    """Program NUMBER: the one of OP, which is the Kth, in this turn.  With
    HOST, of types that an MLU has not, if there are any."""
    style = STYLES[(turn + 7 * k) % len(STYLES)]
    g = Gen("%s %d" % (seed, number), style, op, host)
    case = core.RECIPES[op](g, op)
    arch = ARCHES[(turn + k) % len(ARCHES)]
    shape = SHAPES[(turn // len(ARCHES) + k) % len(SHAPES)]
    machine = "//: machine %s %s %d\n" % (arch, shape, g.tile_bytes())
    head, rest = case.text(number).split("\n", 1)
    types = frozenset(dtype for _, _, dtype, _ in case.inputs)
    return Drawn(op, style, arch, shape, types,
                 "%s\n%s%s" % (head, machine, rest))


def cases(seed, first, count, ops, host):
    """A few cases are of many operators and styles, too."""
    for number in range(first, first + count):
        turn, k = divmod(number, len(ops))
        op = ops[k * 101 % len(ops) if len(ops) % 101 else k]
        yield draw(seed, number, turn, k, op, host)
