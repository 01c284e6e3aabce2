#!/usr/bin/env python3
"""Writes Relay texts that are long in one way each, to try passes with.

  chains.py FAMILY NODES          one of about NODES nodes, to stdout
  chains.py --list                the families

A family is a function that takes a number of links and returns the lines of
a text; @family tells how many nodes a link has, so that texts of different
families are of one size.
"""

import sys

HEADER = '#[version = "0.0.5"]'
FAMILIES = {}


def family(nodes):
    """Add a function to the families; NODES are those of one link."""
    def add(function):
        FAMILIES[function.__name__] = (nodes, function)
        return function
    return add


def text(name, nodes):
    """The text of family NAME with about NODES nodes."""
    each, function = FAMILIES[name]
    return "\n".join([HEADER] + function(max(2, nodes // each))) + "\n"


class Body:
    """Lines of a function in graph form."""

    def __init__(self, params, name="main", attrs=""):
        self.lines = ["def @%s(%s%s) {" % (name, params, attrs)]
        self.count = 0

    def bind(self, expr):
        self.lines.append("  %%%d = %s;" % (self.count, expr))
        self.count += 1
        return "%%%d" % (self.count - 1)

    def end(self, result):
        return self.lines + ["  " + result, "}"]


VECTOR = "%x: Tensor[(8), float32]"
SQUARE = "%x: Tensor[(8, 8), float32]"
IMAGE = "%x: Tensor[(1, 8, 4, 4), float32]"
KERNEL = "%w: Tensor[(8, 8, 3, 3), float32]"
SMALL = "%x: Tensor[(8, 8), int8]"


def chain(params, links, *exprs):
    """EXPRS in turn, each over the value {p} before it."""
    f = Body(params)
    last = "%x"
    for i in range(links):
        last = f.bind(exprs[i % len(exprs)].format(p=last, i=i))
    return f.end(last)


def groups(params, links, *exprs):
    """All of EXPRS in each link; {p} is what came before the
    link, {a} the value of its first one, and so on."""
    f = Body(params)
    last = "%x"
    for i in range(links):
        made = {"p": last, "i": i}
        for letter, expr in zip("abcdefghijk", exprs):
            made[letter] = last = f.bind(expr.format(**made))
    return f.end(last)


# ------------------------------------------------------------- plain chains --

@family(1)
def calls(n):
    return chain(VECTOR, n, "nn.relu({p})", "tanh({p})")


@family(3)
def lets(n):
    lines = ["def @main(%s) {" % VECTOR]
    last = "%x"
    for i in range(n):
        op = "nn.relu" if i & 1 else "tanh"
        lines.append("  let %%v%d = %s(%s);" % (i, op, last))
        last = "%%v%d" % i
    return lines + ["  " + last, "}"]


@family(4)
def shared_lets(n):
    """Each value is read twice."""
    lines = ["def @main(%s) {" % VECTOR]
    last, before = "%x", "%x"
    for i in range(n):
        lines.append("  let %%v%d = add(%s, %s);" % (i, last, before))
        before, last = last, "%%v%d" % i
    return lines + ["  " + last, "}"]


@family(4)
def lets_in_values(n):
    """let %a = (let %b = (let ...; ...); ...); ..."""
    lines = ["def @main(%s) {" % VECTOR]
    lines += ["let %%v%d = (" % i for i in range(n)] + ["%x"]
    lines += ["); nn.relu(%%v%d)" % i for i in reversed(range(n))]
    return lines + ["}"]


@family(3)
def dead_lets(n):
    lines = ["def @main(%s) {" % VECTOR]
    last = "%x"
    for i in range(n):
        lines.append("  let %%v%d = exp(%s);" % (i, last))
        last = "%%v%d" % i
    return lines + ["  %x", "}"]


@family(1)
def residuals(n):
    """Each sum reads the two before it."""
    f = Body(VECTOR)
    before, last = "%x", "%x"
    for _ in range(n):
        before, last = last, f.bind("add(%s, %s)" % (last, before))
    return f.end(last)


@family(2)
def blocks(n):
    return groups(VECTOR, n, "exp({p})", "multiply({a}, {p})")


@family(1)
def one_source(n):
    """All calls read the input, too."""
    return chain(VECTOR, n, "add({p}, %x)", "multiply(%x, {p})")


@family(1)
def halves(n):
    """Edges of all lengths: call i reads calls i - 1 and i / 2."""
    f = Body(VECTOR)
    made = ["%x"]
    for i in range(n):
        made.append(f.bind("add(%s, %s)" % (made[-1], made[i // 2])))
    return f.end(made[-1])


@family(2)
def constants(n):
    """Sums with constants, which rules join."""
    return chain(VECTOR, n, "add({p}, 1.5f)")


@family(2)
def factors(n):
    return chain(VECTOR, n, "multiply({p}, 1.5f)", "divide({p}, 1.25f)",
                 "subtract({p}, 0.5f)")


@family(2)
def known(n):
    """Nothing depends on the input."""
    f = Body(VECTOR)
    last = "0.5f"
    for i in range(n):
        last = f.bind("%s(%s, %df)" % (
            "add" if i & 1 else "multiply", last, i % 3 + 1))
    return f.end("(%%x, %s)" % last)


@family(1)
def known_shapes(n):
    """A chain behind one constant."""
    f = Body(VECTOR)
    last = f.bind('ones(shape=[8], dtype="float32")')
    for i in range(n):
        last = f.bind("%s(%s)" % ("abs" if i & 1 else "negative", last))
    return f.end("add(%%x, %s)" % last)


@family(1)
def casts(n):
    return chain("%x: Tensor[(8), int8]", n, 'cast({p}, dtype="int32")',
                 'cast({p}, dtype="int8")', "abs({p})")


@family(3)
def constant_casts(n):
    """Sums with constants of another type."""
    return groups(VECTOR, n, 'cast(1i16, dtype="float32")', "add({p}, {a})")


@family(1)
def equal_casts(n):
    return chain(VECTOR, n, 'cast({p}, dtype="float16")',
                 'cast({p}, dtype="float32")')


@family(1)
def reshapes(n):
    return chain(SQUARE, n, "reshape({p}, newshape=[64])",
                 "reshape({p}, newshape=[8, 8])")


@family(1)
def transposes(n):
    return chain(SQUARE, n, "transpose({p}, axes=[1, 0])")


@family(2)
def cancelling(n):
    return groups(VECTOR, n, "add({p}, 0f)", "multiply({a}, 1f)")


@family(1)
def inverses(n):
    return chain(VECTOR, n, "negative({p})", "sqrt({p})", "exp({p})",
                 "log({p})", "rsqrt({p})", "erf({p})", "sigmoid({p})",
                 "nn.softmax({p})")


@family(1)
def same_calls(n):
    """Calls that are equal to others."""
    f = Body(VECTOR)
    last = "%x"
    for _ in range(n // 3):
        a, b = f.bind("tanh(%s)" % last), f.bind("tanh(%s)" % last)
        last = f.bind("add(%s, %s)" % (a, b))
    return f.end(last)


@family(1)
def reductions(n):
    return chain(SQUARE, n, "sum({p}, axis=[1], keepdims=1)",
                 "broadcast_to({p}, shape=[8, 8])")


# ------------------------------------------------------------------- fan out --

@family(1)
def branches(n):
    """Different calls of one value, gathered in a tuple."""
    f = Body(VECTOR)
    made = [f.bind("%s(%%x)" % ("tanh" if i & 1 else "exp"))
            for i in range(n)]
    return f.end("(%s)" % ", ".join(made))


@family(1)
def distinct_branches(n):
    f = Body(VECTOR)
    made = [f.bind("clip(%%x, a_min=%df, a_max=%df)" % (-i, i))
            for i in range(n)]
    return f.end("(%s)" % ", ".join(made))


@family(2)
def fields(n):
    """A wide tuple, taken apart and added up."""
    f = Body(VECTOR)
    t = f.bind("(%s)" % ", ".join(["%x"] * n))
    last = "%x"
    for i in range(n):
        last = f.bind("add(%s, %s.%d)" % (last, t, i))
    return f.end(last)


@family(3)
def pairs(n):
    return groups(VECTOR, n, "({p}, %x)", "add({a}.0, {a}.1)")


@family(1)
def concatenated(n):
    f = Body(VECTOR)
    made = [f.bind("exp(%x)") for _ in range(n)]
    t = f.bind("(%s)" % ", ".join(made))
    return f.end("concatenate(%s)" % t)


@family(3)
def concatenations(n):
    return groups(VECTOR, n, "({p}, %x)", "concatenate({a})",
                  "strided_slice({b}, begin=[0], end=[8], strides=[1])")


@family(2)
def split_pieces(n):
    f = Body("%%x: Tensor[(%d), float32]" % (4 * n))
    t = f.bind("split(%%x, indices_or_sections=%d)" % n)
    made = [f.bind("exp(%s.%d)" % (t, i)) for i in range(n)]
    u = f.bind("(%s)" % ", ".join(made))
    return f.end("concatenate(%s)" % u)


@family(2)
def dense_branches(n):
    params = ", ".join("%%w%d: Tensor[(8, 8), float32]" % i for i in range(n))
    f = Body(SQUARE + ", " + params)
    made = [f.bind("nn.dense(%%x, %%w%d, units=8)" % i) for i in range(n)]
    return f.end("(%s)" % ", ".join(made))


@family(2)
def matmul_branches(n):
    params = ", ".join("%%w%d: Tensor[(8, 8), float32]" % i for i in range(n))
    f = Body(SQUARE + ", " + params)
    made = [f.bind("nn.matmul(%%x, %%w%d, units=8)" % i) for i in range(n)]
    return f.end("(%s)" % ", ".join(made))


@family(2)
def batch_matmul_branches(n):
    params = ", ".join("%%w%d: Tensor[(2, 8, 8), float32]" % i
                       for i in range(n))
    f = Body("%x: Tensor[(2, 8, 8), float32], " + params)
    made = [f.bind("nn.batch_matmul(%%x, %%w%d)" % i) for i in range(n)]
    return f.end("(%s)" % ", ".join(made))


@family(2)
def conv_branches(n):
    params = ", ".join("%%w%d: Tensor[(2, 8, 3, 3), float32]" % i
                       for i in range(n))
    f = Body(IMAGE + ", " + params)
    made = [f.bind("nn.relu(nn.conv2d(%%x, %%w%d, padding=[1, 1, 1, 1], "
                   "channels=2, kernel_size=[3, 3]))" % i) for i in range(n)]
    return f.end("(%s)" % ", ".join(made))


@family(14)
def conv_forks(n):
    """Three convolutions of one input, joined, again and again."""
    conv = "nn.conv2d({p}, %w, padding=[1, 1, 1, 1], channels=8, " \
        "kernel_size=[3, 3])"
    return groups(IMAGE + ", " + KERNEL, n, conv, conv, conv, "nn.relu({a})",
                  "add({d}, {b})", "add({e}, {c})")


@family(8)
def dense_forks(n):
    dense = "nn.dense({p}, %w, units=8)"
    return groups(SQUARE + ", %w: Tensor[(8, 8), float32]", n, dense, dense,
                  dense, "add({a}, {b})", "add({d}, {c})")


# --------------------------------------------------------------------- layers --

CONV = "nn.conv2d({p}, %w, padding=[1, 1, 1, 1], channels=8, " \
    "kernel_size=[3, 3])"


@family(2)
def convs(n):
    return groups(IMAGE + ", " + KERNEL, n, CONV, "nn.relu({a})")


@family(5)
def conv_layers(n):
    stats = ", ".join("%%%s: Tensor[(8), float32]" % s
                      for s in ("g", "b", "m", "v"))
    return groups("%s, %s, %s" % (IMAGE, KERNEL, stats), n, CONV,
                  "nn.batch_norm({a}, %g, %b, %m, %v)", "nn.relu({b}.0)",
                  "add({c}, {p})")


@family(4)
def scaled_convs(n):
    scale = "%s: Tensor[(8, 1, 1), float32]"
    return groups(", ".join((IMAGE, KERNEL, scale % "%s", scale % "%b")), n,
                  "multiply({p}, %s)", CONV.replace("{p}", "{a}"),
                  "add({b}, %b)", "nn.relu({c})")


@family(3)
def scales_behind(n):
    scale = "%s: Tensor[(8, 1, 1), float32]"
    return groups(", ".join((IMAGE, KERNEL, scale % "%s")), n,
                  CONV, "nn.relu({a})", "multiply({b}, %s)")


@family(1)
def scales_only(n):
    """Scales that meet a convolution only at the very end."""
    f = Body("%s, %s, %%s: Tensor[(8, 1, 1), float32]" % (IMAGE, KERNEL))
    last = f.bind(CONV.format(p="%x"))
    for _ in range(n // 2):
        last = f.bind("nn.relu(%s)" % last)
    last = f.bind("multiply(%s, %%s)" % last)
    for _ in range(n // 2):
        last = f.bind("nn.relu(%s)" % last)
    return f.end(f.bind(CONV.format(p=last)))


@family(2)
def biases(n):
    return chain(IMAGE + ", %b: Tensor[(8), float32]", n,
                 "nn.bias_add({p}, %b)", "nn.relu({p})")


@family(4)
def padded_convs(n):
    return groups(IMAGE + ", " + KERNEL, n,
                  "nn.pad({p}, 0f, pad_width="
                  "[[0, 0], [0, 0], [1, 1], [1, 1]])",
                  "nn.conv2d({a}, %w, padding=[0, 0, 0, 0], channels=8, "
                  "kernel_size=[3, 3])", "nn.relu({b})")


@family(2)
def pads(n):
    return groups("%x: Tensor[(1, 4, 4), float32]", n,
                  "nn.pad({p}, 0f, pad_width=[[0, 0], [1, 1], [1, 1]])",
                  "strided_slice({a}, begin=[0, 1, 1], end=[1, 5, 5], "
                  "strides=[1, 1, 1])")


@family(3)
def atrous_convs(n):
    return groups("%x: Tensor[(1, 4, 4, 3), float32], "
                  "%w: Tensor[(3, 3, 3, 3), float32]", n,
                  "nn.space_to_batch_nd({p}, block_shape=[2, 2], "
                  "paddings=[[2, 2], [2, 2]])",
                  "nn.conv2d({a}, %w, padding=[0, 0, 0, 0], channels=3, "
                  'kernel_size=[3, 3], data_layout="NHWC", '
                  'kernel_layout="HWIO")',
                  "nn.batch_to_space_nd({b}, block_shape=[2, 2], "
                  "crops=[[0, 0], [0, 0]])")


@family(2)
def layouts(n):
    return chain(IMAGE, n,
                 'layout_transform({p}, src_layout="NCHW", '
                 'dst_layout="NHWC")',
                 'layout_transform({p}, src_layout="NHWC", '
                 'dst_layout="NCHW")')


@family(3)
def denses(n):
    return groups(SQUARE + ", %w: Tensor[(8, 8), float32]", n,
                  "nn.dense({p}, %w, units=8)", "add({a}, 0.5f)",
                  "nn.relu({b})")


@family(4)
def weighted_denses(n):
    """A weight for each layer."""
    params = ", ".join("%%w%d: Tensor[(8, 8), float32]" % i for i in range(n))
    return groups(SQUARE + ", " + params, n, "nn.dense({p}, %w{i}, units=8)",
                  "tanh({a})")


@family(4)
def turned_denses(n):
    return groups(SQUARE + ", %w: Tensor[(8, 8), float32]", n,
                  "transpose(%w, axes=[1, 0])",
                  "nn.dense({p}, {a}, units=8)", "tanh({b})")


@family(2)
def matmuls(n):
    return groups("%x: Tensor[(2, 8, 8), float32]", n,
                  "nn.batch_matmul({p}, {p})", "nn.softmax({a})")


@family(7)
def known_convs(n):
    """Weights of one pixel that are constants."""
    f = Body("%x: Tensor[(1, 2, 2, 4), float32]")
    w = f.bind("reshape(one_hot(arange(0, 4, 1, start=0, stop=4, step=1, "
               "dtype=\"int32\"), 1f, 0f, depth=4, axis=-1, "
               'dtype="float32"), newshape=[1, 1, 4, 4])')
    last = "%x"
    for _ in range(n):
        last = f.bind('nn.relu(nn.conv2d(%s, %s, data_layout="NHWC", '
                      'kernel_layout="HWIO"))' % (last, w))
    return f.end(last)


# -------------------------------------------------------------- small integers --

@family(8)
def qnn_layers(n):
    return groups(SMALL + ", %w: Tensor[(8, 8), int8]", n,
                  "qnn.dense({p}, %w, 0, 0, 0.5f, 0.25f, units=8, "
                  'out_dtype="int32")',
                  'qnn.requantize({a}, 0.125f, 0, 0.5f, 1, '
                  'out_dtype="int8")')


@family(6)
def qnn_adds(n):
    return chain(SMALL, n, "qnn.add({p}, %x, 0.5f, 1, 0.25f, 2, 0.5f, 1)")


@family(1)
def qnn_relus(n):
    """Plain operators between quantized ones."""
    return chain(SMALL, n, "nn.relu({p})", "reshape({p}, newshape=[8, 8])")


@family(5)
def qnn_ends(n):
    return groups("%x: Tensor[(8, 8), float32]", n,
                  'qnn.quantize({p}, 0.5f, 1, out_dtype="int8")',
                  "qnn.dequantize({a}, 0.5f, 1)")


@family(1)
def fake_region(n):
    """One region, as long as the text."""
    f = Body(SMALL)
    last = f.bind("qnn.dequantize(%x, 0.5f, 1)")
    for i in range(n):
        last = f.bind(("nn.relu(%s)", "reshape(%s, newshape=[8, 8])")[i & 1]
                      % last)
    return f.end(f.bind('qnn.quantize(%s, 0.25f, 2, out_dtype="int8")' % last))


@family(8)
def fake_regions(n):
    return groups(SMALL, n, "qnn.dequantize({p}, 0.5f, 1)",
                  "nn.relu({a})", "add({b}, {b})",
                  'qnn.quantize({c}, 0.5f, 1, out_dtype="int8")')


@family(2)
def fake_residuals(n):
    """One region of sums."""
    f = Body(SMALL)
    before = last = f.bind("qnn.dequantize(%x, 0.5f, 1)")
    for _ in range(n // 2):
        before, last = last, f.bind("add(%s, %s)" % (last, before))
    return f.end(f.bind('qnn.quantize(%s, 0.25f, 2, out_dtype="int8")' % last))


@family(4)
def fake_many(n):
    """Regions that share their inside."""
    f = Body(SMALL)
    last = f.bind("qnn.dequantize(%x, 0.5f, 1)")
    out = []
    for _ in range(n):
        last = f.bind("nn.relu(%s)" % last)
        out.append(f.bind('qnn.quantize(%s, 0.25f, 2, out_dtype="int8")'
                          % last))
    return f.end("(%s)" % ", ".join(out))


@family(3)
def rounded_convs(n):
    """What quantize turns into integers."""
    return groups(IMAGE + ", " + KERNEL, n, CONV, "add({a}, 0.5f)",
                  "nn.relu({b})")


# ------------------------------------------------------------- unknown shapes --

@family(4)
def dynamic(n):
    return groups(SQUARE, n, 'shape_of({p}, dtype="int64")',
                  "dyn.reshape({p}, {a}, newshape=[])", "nn.relu({b})")


@family(1)
def unknown(n):
    return chain("%x: Tensor[(?, 8), float32]", n, "nn.relu({p})",
                 "add({p}, {p})")


# ---------------------------------------------------------------- definitions --

def functions_of(n, attrs, call):
    lines = []
    for i in range(n):
        lines += ["def @f%d(%s%s) -> Tensor[(8), float32] {" % (
            i, VECTOR, attrs), "  " + call(i), "}"]
    return lines


@family(5)
def functions(n):
    """Each calls the one before it."""
    return functions_of(n, "", lambda i: "nn.relu(%s)" % (
        "@f%d(%%x)" % (i - 1) if i else "%x")) + [
            "def @main(%s) { @f%d(%%x) }" % (VECTOR, n - 1)]


@family(5)
def marked_functions(n):
    """The same, to be inlined."""
    return functions_of(n, ", Inline=1", lambda i: "nn.relu(%s)" % (
        "@f%d(%%x)" % (i - 1) if i else "%x")) + [
            "def @main(%s) { @f%d(%%x) }" % (VECTOR, n - 1)]


@family(5)
def unused_functions(n):
    return functions_of(n, "", lambda i: "nn.relu(%x)") + [
        "def @main(%s) { tanh(%%x) }" % VECTOR]


@family(6)
def known_in_functions(n):
    """Each function has something to fold."""
    return functions_of(n, "", lambda i: "add(%%x, add(%df, 1f))" % i) + [
        "def @main(%s) { tanh(%%x) }" % VECTOR]


@family(7)
def passed_functions(n):
    """Functions that are handed to a function."""
    lines = ["def @apply(%f: fn (Tensor[(8), float32]) -> "
             "Tensor[(8), float32], {}) -> Tensor[(8), float32] "
             "{{ %f(%x) }}".format(VECTOR)]
    lines += functions_of(n, "", lambda i: "nn.relu(%x)")
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        last = f.bind("@apply(@f%d, %s)" % (i, last))
    return lines + f.end(last)


@family(5)
def functions_up(n):
    """Each calls the one after it."""
    return functions_of(n, "", lambda i: "nn.relu(%s)" % (
        "@f%d(%%x)" % (i + 1) if i < n - 1 else "%x")) + [
            "def @main(%s) { @f0(%%x) }" % VECTOR]


@family(8)
def called_in_turn(n):
    """main calls them all."""
    lines = functions_of(n, "", lambda i: "nn.relu(tanh(%x))")
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        last = f.bind("@f%d(%s)" % (i, last))
    return lines + f.end(last)


@family(3)
def called_often(n):
    """main calls one function many times."""
    return ["def @f(%s, Inline=1) -> Tensor[(8), float32] { nn.relu(%%x) }" %
            VECTOR] + chain(VECTOR, n, "@f({p})")


@family(6)
def cycle(n):
    """Functions that are recursive together."""
    return functions_of(n, ", %c: bool", lambda i:
                        "if (%%c) { @f%d(%%x, %%c) } else { %%x }" %
                        ((i + 1) % n)) + [
                            "def @main(%s, %%c: bool) { @f0(%%x, %%c) }" %
                            VECTOR]


@family(6)
def compiled(n):
    """Functions of external compilers."""
    lines = []
    for i in range(n):
        lines += ['def @ext_%d(%s, Compiler="ext", Primitive=1, '
                  'global_symbol="ext_%d") -> Tensor[(8), float32] {' % (
                      i, VECTOR, i), "  nn.relu(%x)", "}"]
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        last = f.bind("@ext_%d(%s)" % (i, last))
    return lines + f.end(last)


@family(5)
def compiled_literals(n):
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        g = f.bind('fn (%%p%d: Tensor[(8), float32], Compiler="ext", '
                   'global_symbol="ext_%d") -> Tensor[(8), float32] '
                   "{ nn.relu(%%p%d) }" % (i, i, i))
        last = f.bind("%s(%s)" % (g, last))
    return f.end(last)


# -------------------------------------------------------------------- regions --

REGION = 'compiler="ext", attrs_type_key="relay.attrs.CompilerAttrs"'


@family(3)
def regions(n):
    """Operators that are marked one by one."""
    return groups(VECTOR, n, "annotation.compiler_begin({p}, %s)" % REGION,
                  "nn.relu({a})", "annotation.compiler_end({b}, %s)" % REGION)


@family(6)
def mixed_regions(n):
    other = REGION.replace("ext", "default", 1)
    return groups(VECTOR, n, "annotation.compiler_begin({p}, %s)" % REGION,
                  "nn.relu({a})", "annotation.compiler_end({b}, %s)" % REGION,
                  "annotation.compiler_begin({c}, %s)" % other,
                  "exp({d})", "annotation.compiler_end({e}, %s)" % other)


@family(4)
def residual_regions(n):
    return groups(VECTOR, n, "annotation.compiler_begin({p}, %s)" % REGION,
                  "annotation.compiler_begin(%x, {r})".format(
                      r=REGION), "add({a}, {b})",
                  "annotation.compiler_end({c}, %s)" % REGION)


# ------------------------------------------------------------------ primitives --

def primitive(f, op, arg, number):
    g = f.bind("fn (%%p%d: Tensor[(8), float32], Primitive=1) -> "
               "Tensor[(8), float32] { %s }" % (number, op % (
                   "%%p%d" % number)))
    return f.bind("%s(%s)" % (g, arg))


@family(4)
def primitives(n):
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        last = primitive(f, ("nn.relu(%s)", "tanh(%s)")[i & 1], last, i)
    return f.end(last)


@family(4)
def distinct_primitives(n):
    """No two compute the same."""
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        last = primitive(f, "clip(%%s, a_min=%df, a_max=%df)" % (-i, i), last,
                         i)
    return f.end(last)


@family(7)
def reshaped_primitives(n):
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        last = primitive(f, "nn.relu(%s)", last, i)
        g = f.bind("fn (%%q%d: Tensor[(8), float32], Primitive=1, "
                   "relay.reshape_only=1) -> Tensor[(8), float32] "
                   "{ reshape(%%q%d, newshape=[8]) }" % (i, i))
        last = f.bind("%s(%s)" % (g, last))
    return f.end(last)


# ---------------------------------------------------------------- control flow --

@family(6)
def ifs(n):
    """One after the other."""
    f = Body(VECTOR + ", %c: bool")
    last = "%x"
    for _ in range(n):
        last = f.bind("if (%%c) { nn.relu(%s) } else { tanh(%s) }" % (
            last, last))
    return f.end(last)


@family(7)
def let_ifs(n):
    lines = ["def @main(%s, %%c: bool) {" % VECTOR]
    last = "%x"
    for i in range(n):
        lines.append("  let %%v%d = if (%%c) { nn.relu(%s) } else "
                     "{ tanh(%s) };" % (i, last, last))
        last = "%%v%d" % i
    return lines + ["  " + last, "}"]


@family(4)
def nested_ifs(n):
    return ["def @main(%s, %%c: bool) {" % VECTOR] + [
        "if (%c) { nn.relu(%x) } else {"] * n + ["%x"] + ["}"] * n + ["}"]


@family(6)
def closures(n):
    """Functions in lets, each of which calls the one before it."""
    lines = ["def @main(%s) {" % VECTOR,
             "  let %f0 = fn (%y: Tensor[(8), float32]) -> "
             "Tensor[(8), float32] { nn.relu(%y) };"]
    for i in range(1, n):
        lines.append("  let %%f%d = fn (%%y%d: Tensor[(8), float32]) -> "
                     "Tensor[(8), float32] { %%f%d(%%y%d) };" % (
                         i, i, i - 1, i))
    return lines + ["  %%f%d(%%x)" % (n - 1), "}"]


@family(5)
def literals(n):
    """Function literals that are called where they stand."""
    f = Body(VECTOR)
    last = "%x"
    for i in range(n):
        g = f.bind("fn (%%y%d: Tensor[(8), float32]) -> "
                   "Tensor[(8), float32] { nn.relu(%%y%d) }" % (i, i))
        last = f.bind("%s(%s)" % (g, last))
    return f.end(last)


@family(6)
def captures(n):
    """Function literals that read values around them."""
    lines = ["def @main(%s) {" % VECTOR]
    last = "%x"
    for i in range(n):
        lines.append("  let %%g%d = fn (%%y%d: Tensor[(8), float32]) -> "
                     "Tensor[(8), float32] { add(%%y%d, %s) };" % (
                         i, i, i, last))
        lines.append("  let %%v%d = %%g%d(%%x);" % (i, i))
        last = "%%v%d" % i
    return lines + ["  " + last, "}"]


@family(7)
def refs(n):
    lines = ["def @main(%s) {" % VECTOR, "  let %r = ref(%x);"]
    for i in range(n):
        lines.append("  let %%v%d = ref_read(%%r);" % i)
        lines.append("  let %%u%d = ref_write(%%r, nn.relu(%%v%d));" % (i, i))
    return lines + ["  ref_read(%r)", "}"]


LIST = ["type List[A] {", "  Cons(A, List[A]),", "  Nil,", "}"]


@family(2)
def lists(n):
    f = Body(VECTOR)
    last = f.bind("Nil")
    for _ in range(n):
        last = f.bind("Cons(%%x, %s)" % last)
    return LIST + f.end(last)


@family(7)
def matches(n):
    lines = LIST + ["def @main(%s, %%l0: List[Tensor[(8), float32]]) {" %
                    VECTOR]
    last = "%l0"
    for i in range(n):
        lines.append("  let %%v%d = match (%s) { Cons(%%h%d, %%t%d) => "
                     "{ %%t%d }, Nil => { Nil } };" % (i, last, i, i, i))
        last = "%%v%d" % i
    return lines + ["  " + last, "}"]


@family(4)
def zeros(n):
    return groups(VECTOR, n, "zeros_like({p})", "add({a}, {p})",
                  "multiply({b}, %x)")


@family(4)
def eta(n):
    """Constructors and definitions as values."""
    lines = LIST + ["def @g(%s) -> Tensor[(8), float32] { %%x }" % VECTOR,
                    "def @main(%s) {" % VECTOR]
    for i in range(n):
        lines.append("  let %%v%d = (@g, Cons);" % i)
    return lines + ["  %x", "}"]


def main():
    if sys.argv[1:] == ["--list"]:
        for name in FAMILIES:
            print(name)
        return
    if len(sys.argv) != 3 or sys.argv[1] not in FAMILIES:
        sys.exit(__doc__)
    sys.stdout.write(text(sys.argv[1], int(sys.argv[2])))


if __name__ == "__main__":
    main()
