"""Random programs for an MLU: types that it computes with, and shapes that are
hard on tiles.

Programs of one operator take turns: extents of one, primes, more than a
core's memory holds, whole vectors, nothing at all; then anything."""

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
FOREIGN = ("float64", "bfloat16")
STYLES = ["ones", "primes", "large", "whole", "empty"] + ["any"] * 10

EXTENTS = {
    "ones": [1],
    "primes": [2, 3, 5, 7, 11, 13, 17, 31, 37, 61, 101, 257],
    "whole": [4, 8, 16, 32, 64, 128],
    "any": core.Gen.extents + [40, 65, 100, 129, 500],
}


def foreign(value):
    return value in FOREIGN or (isinstance(value, tuple) and
                                any(v in FOREIGN for v in value))


class Gen(core.Gen):
    """The stream, of one style."""

    def __init__(self, seed, style, specials):
        super().__init__(seed)
        self.specials = specials
        self.style = style
        self.extents = EXTENTS.get(style, EXTENTS["any"])

    def choice(self, seq):
        kept = [value for value in seq if not foreign(value)]
        return super().choice(kept or seq)

    def range(self, dtype, low=-2, high=2, special=True):
        return super().range(dtype, low, high, special and self.specials)

    def extent(self, most=33):
        fit = [e for e in self.extents if e <= most]
        return super().choice(fit or [1])

    def shape(self, low=0, high=4, elements=4000, zero=0.03):
        if self.style == "large" and elements >= 4000 and high > 0:
            return self.large(max(low, 1), high)
        if self.style in ("primes", "whole", "any") and elements >= 4000:
            elements = 9000
        rank = self.randint(low, high)
        while True:
            shape = [self.extent(600) for _ in range(rank)]
            if core.product(shape) <= elements:
                break
            rank = max(low, rank - self.randint(0, 1))
        if rank and zero and (self.style == "empty" or self.maybe(zero)):
            shape[self.randrange(rank)] = 0
        return shape

    def large(self, low, high):
        """More floats than a core's memory holds."""
        rank = self.randint(low, min(high, max(low, 3)))
        shape = [super(Gen, self).choice([1, 2, 3, 5]) for _ in range(rank)]
        k = self.randrange(rank)
        shape[k] = 1
        shape[k] = self.randint(170000, 190000) // core.product(shape)
        return shape


def operators(table):
    """Those of TABLE that have BANG-C."""
    return [op for op in table if op not in REFUSED]


def cases(seed, first, count, ops):
    """A few cases are of many operators and styles, too."""
    for number in range(first, first + count):
        turn, k = divmod(number, len(ops))
        style = STYLES[(turn + 7 * k) % len(STYLES)]
        op = ops[k * 101 % len(ops) if len(ops) % 101 else k]
        g = Gen("%s %d" % (seed, number), style, op not in NO_SPECIALS)
        yield core.RECIPES[op](g, op).text(number)
