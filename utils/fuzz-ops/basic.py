"""Recipes: elementwise operators, reductions, shapes, indexing."""

from core import Case, INTS, NONE, Word, layout_shape, product, recipe

FLOAT_UNARY = {
    "acos": (-1, 1), "acosh": (1, 9), "asin": (-1, 1), "asinh": (-9, 9),
    "atan": (-9, 9), "atanh": (-0.99, 0.99), "cos": (-7, 7),
    "cosh": (-4, 4), "erf": (-3, 3), "exp": (-6, 6), "fast_erf": (-3, 3),
    "fast_exp": (-6, 6), "fast_tanh": (-4, 4), "log": (0.01, 9),
    "log10": (0.01, 9), "log2": (0.01, 9), "rsqrt": (0.01, 9),
    "sigmoid": (-6, 6), "sin": (-7, 7), "sinh": (-4, 4), "sqrt": (0, 9),
    "tan": (-1.4, 1.4), "tanh": (-4, 4),
}


@recipe(*FLOAT_UNARY)
def float_unary(g, op):
    low, high = FLOAT_UNARY[op]
    dtype = g.choice(["float32", "float32", "float64", "float16",
                      "bfloat16"])
    if op.startswith("fast"):
        dtype = "float32"
    special = not op.startswith("fast") and g.maybe(0.3)
    how = "special" if special else "uniform"
    return Case(op, [["x", g.shape(), dtype, "%s %g %g" % (how, low, high)]],
                ["%x"], tolerance=4)


@recipe("abs", "negative", "sign", "nn.relu", "copy", "zeros_like",
        "ones_like", "ceil", "floor", "round", "trunc",
        "annotation.bitpack_end", "annotation.bitpack_start",
        "annotation.checkpoint", "annotation.stop_fusion")
def any_unary(g, op):
    floats = op in ("ceil", "floor", "round", "trunc")
    dtype = g.float() if floats or g.maybe(0.6) else g.int()
    return Case(op, [g.input("x", g.shape(), dtype, -4, 4, True)], ["%x"])


@recipe("isfinite", "isinf", "isnan")
def classify(g, op):
    return Case(op, [["x", g.shape(), g.float(), "special -2 2"]], ["%x"])


@recipe("bitwise_not")
def bitwise_not(g, op):
    dtype = g.choice(INTS + ["bool"])
    return Case(op, [g.input("x", g.shape(), dtype, special=True)], ["%x"])


@recipe("logical_not")
def logical_not(g, op):
    return Case(op, [g.input("x", g.shape(), "bool")], ["%x"])


@recipe("annotation.cast_hint", "annotation.compiler_begin",
        "annotation.compiler_end")
def annotation(g, op):
    attrs = {"dtype": g.any()} if op.endswith("hint") else {"compiler": "c"}
    return Case(op, [g.input("x", g.shape(), g.any())], ["%x"], attrs)


@recipe("debug", "device_copy", "on_device")
def device(g, op):
    attrs = {"debug": ["debug_func"], "on_device": [],
             "device_copy": ["src_virtual_device", "dst_virtual_device"]}[op]
    return Case(op, [g.input("x", g.shape(), g.any())], ["%x"],
                dict.fromkeys(attrs, NONE))


@recipe("clip")
def clip(g, op):
    dtype = g.number()
    low = g.randint(0 if dtype[0] == "u" else -4, 3)
    return Case(op, [g.input("x", g.shape(), dtype, -4, 4, True)], ["%x"],
                {"a_min": float(low), "a_max": float(low + g.randint(0, 4))})


@recipe("cast", "cast_like")
def cast(g, op):
    a, b = g.any(), g.any()
    shape = g.shape()
    if a.startswith(("float", "bfloat")) and not \
            b.startswith(("float", "bfloat", "bool")):
        fill = "uniform %d 100" % (0 if b[0] == "u" else -100)
    else:
        fill = g.range(a, -25, 25)
    x = ["x", shape, a, fill]
    if op == "cast":
        return Case(op, [x], ["%x"], {"dtype": b})
    return Case(op, [x, g.input("y", g.shape(), b)], ["%x", "%y"])


@recipe("reinterpret")
def reinterpret(g, op):
    a, b = g.choice([("float32", "int32"), ("int32", "float32"),
                     ("float64", "int64"), ("int16", "float16"),
                     ("uint8", "int8"), ("float32", "uint32"),
                     ("bfloat16", "uint16"), ("int64", "uint64")])
    return Case(op, [g.input("x", g.shape(), a)], ["%x"], {"dtype": b})


ARITHMETIC = ["add", "subtract", "multiply", "maximum", "minimum"]
COMPARISON = ["equal", "not_equal", "less", "less_equal", "greater",
              "greater_equal"]


@recipe(*(ARITHMETIC + COMPARISON))
def arithmetic(g, op):
    shape = g.shape()
    dtype = g.number()
    pair = [g.input("x", shape, dtype, special=True),
            g.input("y", g.partner(shape), dtype, special=True)]
    return Case(op, pair, g.sample(["%x", "%y"], 2))


@recipe("divide", "floor_divide", "floor_mod", "mod", "trunc_divide",
        "trunc_mod")
def division(g, op):
    shape = g.shape()
    dtype = g.number()
    if op.startswith("trunc_") and g.maybe(0.7):
        dtype = g.int()
    special = dtype.startswith(("float", "bfloat")) and op == "divide"
    x = g.input("x", shape, dtype, -20, 20, special)
    values = "1 2 3 5 7" + ("" if dtype[0] == "u" else " -1 -2 -3 -5")
    return Case(op, [x, ["y", g.partner(shape), dtype, "values " + values]],
                ["%x", "%y"])


@recipe("power")
def power(g, op):
    shape = g.shape()
    dtype = g.float()
    return Case(op, [["x", shape, dtype, "uniform 0.1 3"],
                     ["y", g.partner(shape), dtype, "uniform -3 3"]],
                ["%x", "%y"], tolerance=4)


@recipe("bitwise_and", "bitwise_or", "bitwise_xor")
def bitwise(g, op):
    shape = g.shape()
    dtype = g.choice(INTS + ["bool"])
    return Case(op, [g.input("x", shape, dtype, special=True),
                     g.input("y", g.partner(shape), dtype, special=True)],
                ["%x", "%y"])


@recipe("left_shift", "right_shift")
def shift(g, op):
    shape = g.shape()
    dtype = g.int()
    bits = int(dtype.lstrip("uint"))
    return Case(op, [g.input("x", shape, dtype, 0, 100, True),
                     ["y", g.partner(shape), dtype,
                      "uniform 0 %d" % (bits - 1)]], ["%x", "%y"])


@recipe("logical_and", "logical_or", "logical_xor")
def logical(g, op):
    shape = g.shape()
    return Case(op, [g.input("x", shape, "bool"),
                     g.input("y", g.partner(shape), "bool")], ["%x", "%y"])


@recipe("where")
def where(g, op):
    shape = g.shape()
    dtype = g.any()
    kind = g.choice(["bool", "bool", "int32", "uint8", "float32"])
    return Case(op, [g.input("c", g.partner(shape), kind, 0, 1),
                     g.input("x", shape, dtype),
                     g.input("y", g.partner(shape), dtype)],
                ["%c", "%x", "%y"])


@recipe("fixed_point_multiply")
def fixed_point(g, op):
    return Case(op, [["x", g.shape(), "int32", "uniform -100000 100000"]],
                ["%x"], {"multiplier": g.randint(1 << 30, (1 << 31) - 1),
                         "shift": g.randint(-10, 3)})


@recipe("fixed_point_multiply_per_axis")
def fixed_point_per_axis(g, op):
    shape = g.full(1, 4)
    axis = g.randrange(len(shape))
    n = [shape[axis]]
    left, right = g.maybe(), g.maybe()
    return Case(op, [["x", shape, "int32", "uniform -100000 100000"],
                     ["m", n, "int32", "uniform 1073741824 2147483647"],
                     ["l", n, "int32", "uniform 0 %d" % (3 if left else 0)],
                     ["r", n, "int32", "uniform 0 %d" % (9 if right else 0)]],
                ["%x", "%m", "%l", "%r"],
                {"is_lshift_required": left, "is_rshift_required": right,
                 "axes": [axis]})


# ---- reductions


def reduce_attrs(g, shape):
    attrs = {}
    if g.maybe(0.85):
        attrs["axis"] = g.axes(len(shape), 1 if shape else 0)
        if not attrs["axis"] or g.maybe(0.1):
            attrs["axis"] = g.axes(len(shape))
    if g.maybe(0.4):
        attrs["keepdims"] = True
    if "axis" in attrs and g.maybe(0.15):
        attrs["exclude"] = True
    return attrs


@recipe("sum", "mean", "max", "min", "prod")
def reduction(g, op):
    shape = g.shape() if op in ("sum", "prod") else g.full(0, 4)
    dtype = g.number()
    low, high = (0.8, 1.2) if op == "prod" else (-2, 2)
    if op == "prod" and not dtype.startswith(("float", "bfloat")):
        low, high = 0.25, 0.25
    special = op in ("max", "min")
    return Case(op, [g.input("x", shape, dtype, low, high, special)], ["%x"],
                reduce_attrs(g, shape), 8)


@recipe("all", "any")
def boolean_reduction(g, op):
    shape = g.shape()
    return Case(op, [g.input("x", shape, "bool")], ["%x"],
                reduce_attrs(g, shape))


@recipe("argmax", "argmin")
def arg_reduction(g, op):
    shape = g.full(1, 4)
    attrs = reduce_attrs(g, shape)
    if g.maybe(0.3):
        attrs["select_last_index"] = True
    return Case(op, [g.input("x", shape, g.number(), -2, 2, True)], ["%x"],
                attrs)


@recipe("variance")
def variance(g, op):
    shape = g.full(1, 4)
    axis = g.axes(len(shape), 1)
    kept = {a % len(shape) for a in axis}
    mean = [1 if i in kept else e for i, e in enumerate(shape)]
    dtype = g.float()
    attrs = {"axis": axis, "keepdims": g.maybe()}
    if g.maybe(0.3) and product(shape[a] for a in kept) > 1:
        attrs["unbiased"] = True
    return Case(op, [g.input("x", shape, dtype), g.input("m", mean, dtype)],
                ["%x", "%m"], attrs, 8)


@recipe("cumsum", "cumprod")
def scan(g, op):
    shape = g.shape(1)
    dtype = g.number()
    attrs = {}
    if g.maybe(0.8):
        attrs["axis"] = g.axis(len(shape))
    if g.maybe(0.3):
        attrs["exclusive"] = True
    if g.maybe(0.3):
        attrs["dtype"] = dtype = g.choice(["float32", "int32", "int64"])
    if op == "cumprod":
        x = ["x", shape, dtype, "uniform 1 1.1"]
    else:
        x = g.input("x", shape, dtype)
    return Case(op, [x], ["%x"], attrs, 16)


# ---- shapes


@recipe("reshape", "contrib_reverse_reshape")
def reshape(g, op):
    shape = g.shape(0, 4)
    n = product(shape)
    new = []
    left = n
    while left > 1 and len(new) < 4:
        new.append(g.split_extent(left))
        left //= new[-1]
    new.append(left if n else 0)
    if n and g.maybe(0.4):
        new[g.randrange(len(new))] = -1
    return Case(op, [g.input("x", shape, g.any())], ["%x"],
                {"newshape": new, "allowzero": True if not n else None})


@recipe("reshape_like")
def reshape_like(g, op):
    shape = g.shape()
    other = g.sample(shape, len(shape))
    return Case(op, [g.input("x", shape, g.any()),
                     g.input("y", other, g.any())], ["%x", "%y"])


@recipe("nn.batch_flatten")
def batch_flatten(g, op):
    return Case(op, [g.input("x", g.shape(1), g.any())], ["%x"])


@recipe("expand_dims")
def expand_dims(g, op):
    shape = g.shape()
    return Case(op, [g.input("x", shape, g.any())], ["%x"],
                {"axis": g.randint(-len(shape) - 1, len(shape)),
                 "num_newaxis": g.randint(0, 3)})


@recipe("squeeze")
def squeeze(g, op):
    shape = [1 if g.maybe(0.4) else e for e in g.shape()]
    ones = [i - (len(shape) if g.maybe(0.3) else 0)
            for i, e in enumerate(shape) if e == 1]
    attrs = {}
    if ones and g.maybe(0.6):
        attrs["axis"] = g.sample(ones, g.randint(1, len(ones)))
    return Case(op, [g.input("x", shape, g.any())], ["%x"], attrs)


@recipe("transpose")
def transpose(g, op):
    shape = g.shape(0, 5)
    attrs = {}
    if g.maybe(0.8):
        attrs["axes"] = [a - len(shape) if g.maybe(0.2) else a for a in
                         g.sample(range(len(shape)), len(shape))]
    return Case(op, [g.input("x", shape, g.any())], ["%x"], attrs)


@recipe("broadcast_to")
def broadcast_to(g, op):
    shape = g.shape()
    return Case(op, [g.input("x", g.partner(shape), g.any())], ["%x"],
                {"shape": shape})


@recipe("broadcast_to_like", "collapse_sum_like")
def broadcast_like(g, op):
    shape = g.shape()
    dtype = g.number()
    x, y = g.partner(shape), shape
    if op == "collapse_sum_like":
        x, y = y, x
    return Case(op, [g.input("x", x, dtype), g.input("y", y, dtype)],
                ["%x", "%y"], tolerance=8)


@recipe("collapse_sum_to")
def collapse_sum_to(g, op):
    shape = g.shape(1)
    other = g.partner(shape) or [1]
    return Case(op, [g.input("x", shape, g.number()),
                     ["s", [len(other)], g.index(),
                      "values " + " ".join(map(str, other))]],
                ["%x", "%s"], {"shape": other}, 8)


@recipe("full")
def full(g, op):
    dtype = g.any()
    return Case(op, [g.input("v", [], dtype)], ["%v"],
                {"shape": g.shape(), "dtype": dtype})


@recipe("full_like")
def full_like(g, op):
    dtype = g.any()
    return Case(op, [g.input("x", g.shape(), dtype), g.input("v", [], dtype)],
                ["%x", "%v"])


@recipe("ones", "zeros")
def constant(g, op):
    return Case(op, [], [], {"shape": g.shape(), "dtype": g.any()})


@recipe("arange")
def arange(g, op):
    count = g.randint(1, 20)
    if g.maybe():
        start, step = g.randint(-5, 5), g.choice([1, 2, 3, -1, -2])
        suffix, dtype = g.choice([("", "int32"), ("i64", "int64"),
                                  ("i16", "int16")])
    else:
        start, step = g.randint(-3, 3) / 2, g.choice([0.25, 0.5, 1.5])
        suffix, dtype = "f", "float32"
    args = ["%g%s" % (n, suffix)
            for n in (start, start + step * count, step)]
    attrs = dict.fromkeys(["start", "stop", "step"], NONE)
    if g.maybe(0.7):
        attrs = dict(zip(attrs, map(Word, args)))
    return Case(op, [], args, dict(attrs, dtype=dtype))


@recipe("concatenate")
def concatenate(g, op):
    shape = g.shape(1)
    axis = g.axis(len(shape))
    dtype = g.any()
    inputs = []
    for i in range(g.randint(1, 5)):
        own = list(shape)
        own[axis] = g.extent()
        inputs.append(g.input("x%d" % i, own, dtype))
    return Case(op, inputs, [["%" + i[0] for i in inputs]], {"axis": axis})


@recipe("stack")
def stack(g, op):
    shape = g.shape()
    dtype = g.any()
    inputs = [g.input("x%d" % i, shape, dtype)
              for i in range(g.randint(1, 5))]
    return Case(op, inputs, [["%" + i[0] for i in inputs]],
                {"axis": g.axis(len(shape) + 1)})


@recipe("split")
def split(g, op):
    shape = g.shape(1)
    axis = g.axis(len(shape))
    n = shape[axis]
    if g.maybe() and n:
        how = g.split_extent(n)
    else:
        how = g.sample(range(1, n), min(g.randint(1, 3), max(n - 1, 0)))
        how = sorted(how) if n else 1  # no place to cut nothing at
    return Case(op, [g.input("x", shape, g.any())], ["%x"],
                {"indices_or_sections": how, "axis": axis})


@recipe("tile")
def tile(g, op):
    shape = g.shape(0, 3, 300)
    return Case(op, [g.input("x", shape, g.any())], ["%x"],
                {"reps": [g.randint(1, 3) for _ in
                          range(g.randint(1, 4))]})


@recipe("repeat")
def repeat(g, op):
    shape = g.shape(1, 4, 500)
    attrs = {"repeats": g.randint(1, 4), "axis": g.axis(len(shape))}
    return Case(op, [g.input("x", shape, g.any())], ["%x"], attrs)


@recipe("reverse")
def reverse(g, op):
    shape = g.shape(1)
    return Case(op, [g.input("x", shape, g.any())], ["%x"],
                {"axis": g.axis(len(shape))})


@recipe("reverse_sequence")
def reverse_sequence(g, op):
    shape = g.full(2)
    seq, batch = g.sample(range(len(shape)), 2)
    return Case(op, [g.input("x", shape, g.any()),
                     ["n", [shape[batch]], g.index(),
                      "uniform 0 %d" % shape[seq]]],
                ["%x", "%n"], {"seq_axis": seq, "batch_axis": batch})


def slice_of(g, shape):
    """begin, end, strides of a slice."""
    begin, end, strides = [], [], []
    for n in shape:
        step = g.choice([1, 1, 1, 2, 3, -1, -2])
        a, b = sorted((g.randint(0, n), g.randint(0, n)))
        if step < 0:
            a, b = max(b - 1, 0), a - 1 if a else -n - 1
        elif g.maybe(0.2) and a < n:
            a -= n
        if step > 0 and g.maybe(0.1):
            b = n + 3
        begin.append(a)
        end.append(b)
        strides.append(step)
    return begin, end, strides


@recipe("strided_slice")
def strided_slice(g, op):
    shape = g.shape(1)
    if g.maybe(0.15):
        begin = [g.randint(0, n) for n in shape]
        size = [g.choice([-1, g.randint(0, n - b)])
                for b, n in zip(begin, shape)]
        return Case(op, [g.input("x", shape, g.any())], ["%x"],
                    {"begin": begin, "end": size, "strides": [1],
                     "slice_mode": "size"})
    begin, end, strides = slice_of(g, shape)
    attrs = {"begin": begin, "end": end, "strides": strides}
    if g.maybe(0.3):
        axes = g.axes(len(shape), 1)
        for key in attrs:
            attrs[key] = [attrs[key][a] for a in axes]
        attrs["axes"] = axes
    elif g.maybe(0.3):
        n = g.randint(1, len(shape))
        for key in attrs:
            attrs[key] = attrs[key][:n]
    return Case(op, [g.input("x", shape, g.any())], ["%x"], attrs)


@recipe("strided_set")
def strided_set(g, op):
    shape = g.full(1, 3)
    begin, end, strides = [], [], []
    part = []
    for n in shape:
        a = g.randrange(n)
        step = g.randint(1, 2)
        k = g.randint(1, (n - a + step - 1) // step)
        begin.append(a)
        strides.append(step)
        end.append(min(a + k * step, n))
        part.append((end[-1] - a + step - 1) // step)
    dtype = g.any()

    def values(name, v):
        return [name, [len(v)], "int64", "values " + " ".join(map(str, v))]
    return Case(op, [g.input("x", shape, dtype), g.input("v", part, dtype),
                     values("b", begin), values("e", end),
                     values("s", strides)],
                ["%x", "%v", "%b", "%e", "%s"])


@recipe("slice_like")
def slice_like(g, op):
    shape = g.full(1)
    other = [g.randint(1, n) for n in shape]
    attrs = {"axes": g.axes(len(shape), 1) if g.maybe() else NONE}
    dtype = g.any()
    return Case(op, [g.input("x", shape, dtype), g.input("y", other, dtype)],
                ["%x", "%y"], attrs)


@recipe("sliding_window")
def sliding_window(g, op):
    shape = g.full(1, 3, 500)
    axis = g.randrange(len(shape))
    windows = [g.randint(1, min(n, 4)) for n in shape[axis:]]
    return Case(op, [g.input("x", shape, g.any())], ["%x"],
                {"axis": axis, "window_shape": windows,
                 "strides": [g.randint(1, 3) for _ in windows]})


@recipe("meshgrid")
def meshgrid(g, op):
    inputs = [g.input("x%d" % i, g.shape(0, 1, 12), "float32")
              for i in range(g.randint(1, 3))]
    return Case(op, inputs, [["%" + i[0] for i in inputs]],
                {"indexing": g.choice(["ij", "xy"])})


@recipe("shape_of", "ndarray_size", "vm.shape_of")
def shape_of(g, op):
    return Case(op, [g.input("x", g.shape(), g.any())], ["%x"],
                {"dtype": g.index()})


@recipe("trilu")
def trilu(g, op):
    return Case(op, [g.input("x", g.shape(2), g.any()),
                     ["k", [], g.index(), "uniform -4 4"]], ["%x", "%k"],
                {"upper": g.maybe()})


@recipe("matrix_set_diag")
def matrix_set_diag(g, op):
    shape = g.full(2, 4)
    h, w = shape[-2:]
    k1 = g.randint(1 - h, w - 1)
    k2 = g.randint(k1, w - 1) if g.maybe() else k1
    longest = max(min(h + min(k, 0), w - max(k, 0))
                  for k in range(k1, k2 + 1))
    diagonal = shape[:-2] + ([k2 - k1 + 1] if k1 != k2 else []) + [longest]
    dtype = g.number()
    return Case(op, [g.input("x", shape, dtype),
                     g.input("d", diagonal, dtype)], ["%x", "%d"],
                {"k1": k1, "k2": k2, "super_diag_right_align": g.maybe(),
                 "sub_diag_right_align": g.maybe()})


@recipe("layout_transform")
def layout_transform(g, op):
    a, b = g.choice([("NCHW", "NHWC"), ("NHWC", "NCHW"), ("NCHW", "NCHW4c"),
                     ("NCHW4c", "NCHW"), ("NCHW4c", "NCHW8c"),
                     ("OIHW", "OIHW4i2o"), ("NCW", "NWC"), ("OIHW", "HWIO"),
                     ("NCHW2c", "NHWC")])
    extents = {c: g.choice([1, 2, 3, 5]) for c in "NCHWOIDG"}
    for c in "CIO":
        extents[c] = 8 * g.randint(1, 2)
    return Case(op, [g.input("x", layout_shape(a, extents), g.number())],
                ["%x"], {"src_layout": a, "dst_layout": b})


# ---- indexing


def indices(g, name, shape, n, low=0):
    return [name, shape, g.index(), "uniform %d %d" % (low, n - 1)]


@recipe("take")
def take(g, op):
    shape = g.full(1)
    attrs = {}
    n = product(shape)
    mode = g.choice(["clip", "wrap", "fast"])
    if g.maybe(0.8):
        attrs["axis"] = g.axis(len(shape))
        n = shape[attrs["axis"]]
    wide = 0 if mode == "fast" else 2
    where_ = indices(g, "i", g.shape(0, 3, 300), n + wide, -wide)
    if "axis" in attrs and g.maybe(0.25):
        axis = attrs["axis"] % len(shape)
        batch = g.randint(0, axis)
        where_[1] = shape[:batch] + where_[1][:2]
        attrs["batch_dims"] = batch
    return Case(op, [g.input("x", shape, g.any()), where_], ["%x", "%i"],
                dict(attrs, mode=mode))


@recipe("gather")
def gather(g, op):
    shape = g.full(1)
    axis = g.axis(len(shape))
    other = list(shape)
    other[axis] = g.extent()
    return Case(op, [g.input("x", shape, g.any()),
                     indices(g, "i", other, shape[axis])], ["%x", "%i"],
                {"axis": axis})


@recipe("gather_nd")
def gather_nd(g, op):
    shape = g.full(1)
    batch = g.randint(0, len(shape) - 1) if g.maybe(0.3) else 0
    m = g.randint(1, len(shape) - batch)
    # Batch extents are shared by the indices.
    other = [m] + shape[:batch] + g.shape(1, 2, 50)
    least = min(shape[batch:batch + m])
    return Case(op, [g.input("x", shape, g.any()),
                     indices(g, "i", other, least)], ["%x", "%i"],
                {"batch_dims": batch})


@recipe("scatter_elements")
def scatter_elements(g, op):
    shape = g.full(1)
    axis = g.axis(len(shape))
    other = [g.randint(1, n) for n in shape]
    reduction_ = g.choice(["add", "mul", "min", "max", "update"])
    dtype = g.choice(["float32", "int32", "int64", "float64"])
    i = indices(g, "i", other, shape[axis])
    if reduction_ == "update":
        for k in range(len(shape)):
            if k != axis % len(shape):
                other[k] = shape[k]
        other[axis] = 1
    return Case(op, [g.input("x", shape, dtype), i,
                     g.input("u", other, dtype)], ["%x", "%i", "%u"],
                {"axis": axis, "reduction": reduction_}, 4)


@recipe("scatter_nd")
def scatter_nd(g, op):
    shape = g.full(1, 3)
    m = g.randint(1, len(shape))
    some = g.shape(1, 2, 30)
    mode = g.choice(["add", "update", "mul", "min", "max"])
    dtype = g.choice(["float32", "int32", "int64", "float64"])
    return Case(op, [g.input("x", shape, dtype),
                     indices(g, "i", [m] + some, min(shape[:m])),
                     g.input("u", some + shape[m:], dtype)],
                ["%x", "%i", "%u"], {"mode": mode}, 4)


@recipe("one_hot")
def one_hot(g, op):
    shape = g.shape(0, 3, 500)
    depth = g.randint(1, 9)
    dtype = g.choice(["float32", "int32", "int8", "bool", "int64"])
    return Case(op, [["i", shape, g.index(), "uniform -1 %d" % depth],
                     g.input("on", [], dtype), g.input("off", [], dtype)],
                ["%i", "%on", "%off"],
                {"depth": depth, "axis": g.randint(-1, len(shape)),
                 "dtype": dtype})


@recipe("sequence_mask")
def sequence_mask(g, op):
    shape = g.full(2)
    axis = g.randint(0, 1)
    return Case(op, [g.input("x", shape, g.number()),
                     ["n", [shape[1 - axis]], g.index(),
                      "uniform 0 %d" % shape[axis]]], ["%x", "%n"],
                {"axis": axis, "mask_value": float(g.randint(0, 3))})


@recipe("unravel_index")
def unravel_index(g, op):
    shape = g.full(1, 4)
    dtype = g.index()
    return Case(op, [["i", g.shape(0, 1, 50), dtype,
                      "uniform 0 %d" % (product(shape) - 1)],
                     ["s", [len(shape)], dtype,
                      "values " + " ".join(map(str, shape))]], ["%i", "%s"])


@recipe("invert_permutation")
def invert_permutation(g, op):
    return Case(op, [["x", g.shape(1, 1), g.index(), "permutation"]], ["%x"])


@recipe("adv_index")
def adv_index(g, op):
    shape = g.full(1, 3)
    some = g.shape(1, 2, 30)
    inputs = [g.input("x", shape, g.any())]
    dtype = g.index()
    for k in range(g.randint(1, len(shape))):
        inputs.append(["i%d" % k, some, dtype,
                       "uniform 0 %d" % (shape[k] - 1)])
    return Case(op, inputs, [["%" + i[0] for i in inputs]])


@recipe("sort", "argsort")
def sort(g, op):
    shape = g.shape(1)
    attrs = {"axis": g.axis(len(shape)), "is_ascend": g.maybe()}
    if op == "argsort":
        attrs["dtype"] = g.choice(["int32", "int64", "float32"])
    dtype = g.choice(["float32", "float64", "int32", "int64", "uint8",
                      "int8", "float16"])
    return Case(op, [g.input("x", shape, dtype)], ["%x"], attrs)


@recipe("topk")
def topk(g, op):
    shape = g.full(1)
    axis = g.axis(len(shape))
    dtype = g.choice(["float32", "float64", "int32", "int64"])
    return Case(op, [g.input("x", shape, dtype)], ["%x"],
                {"k": g.randint(0, shape[axis]), "axis": axis,
                 "is_ascend": g.maybe(),
                 "ret_type": g.choice(["both", "values", "indices"]),
                 "dtype": g.choice(["int32", "int64"])})


@recipe("searchsorted")
def searchsorted(g, op):
    shape = g.full(1, 3)
    dtype = g.choice(["float32", "int32", "float64", "int64"])
    values = shape[:-1] + [g.extent()]
    low = 0 if g.maybe() else -2
    return Case(op, [["s", shape, dtype, "sorted %d 9" % low],
                     ["v", values, dtype, "uniform -1 10"]], ["%s", "%v"],
                {"right": g.maybe(), "dtype": g.index()})


@recipe("unique")
def unique(g, op):
    return Case(op, [["x", g.full(1, 1), g.choice(
        ["int32", "int64", "float32"]), "uniform 0 9"]], ["%x"],
        {"sorted": g.maybe(), "return_counts": g.maybe()})


@recipe("argwhere")
def argwhere(g, op):
    return Case(op, [g.input("x", g.full(1, 3), g.choice(
        ["bool", "int32", "float32"]), 0, 1)], ["%x"])


@recipe("einsum")
def einsum(g, op):
    equation = g.choice(["ij,jk->ik", "ij->ji", "i,i->", "ij->i", "ii->i",
                         "ij,ij->ij", "bij,bjk->bik", "ij,kj->ik", "i,j->ij",
                         "ijk->jk", "ij,jk,kl->il", "bij,bij->b"])
    extents = {c: g.choice([1, 2, 3, 5, 7]) for c in "bijkl"}
    dtype = g.choice(["float32", "float32", "float64", "int32"])
    inputs = [g.input("x%d" % n, [extents[c] for c in part], dtype)
              for n, part in enumerate(
                  equation.split("->")[0].split(","))]
    return Case(op, inputs, [["%" + i[0] for i in inputs]],
                {"equation": equation}, 8)


@recipe("dft")
def dft(g, op):
    shape = g.full(1, 3, 500)
    dtype = g.choice(["float32", "float64"])
    return Case(op, [g.input("x", shape, dtype), g.input("y", shape, dtype)],
                ["%x", "%y"], {"inverse": g.maybe()}, 32)


@recipe("stft")
def stft(g, op):
    n_fft = g.randint(2, 9)
    win = g.randint(1, n_fft)
    return Case(op, [g.input("x", [g.randint(1, 3), g.randint(n_fft, 30)],
                             "float32"),
                     g.input("w", [win], "float32")], ["%x", "%w"],
                {"n_fft": n_fft, "hop_length": g.randint(1, 4),
                 "win_length": win, "normalized": g.maybe(),
                 "onesided": g.maybe()}, 32)


# ---- dynamic shapes: the evaluator alone, until kernels take them


def shape_input(name, shape, dtype="int64"):
    return [name, [len(shape)], dtype, "values " + " ".join(map(str, shape))]


@recipe("dyn.broadcast_to")
def dyn_broadcast_to(g, op):
    shape = g.shape(1)
    return Case(op, [g.input("x", g.partner(shape), g.any()),
                     shape_input("s", shape)], ["%x", "%s"],
                {"shape": NONE})


@recipe("dyn.zeros", "dyn.ones")
def dyn_zeros(g, op):
    return Case(op, [shape_input("s", g.shape(1))], ["%s"],
                {"shape": NONE, "dtype": g.number()})


@recipe("dyn.full")
def dyn_full(g, op):
    return Case(op, [g.input("v", [], "float32"),
                     shape_input("s", g.shape(1))], ["%v", "%s"],
                {"shape": NONE, "dtype": "float32"})


@recipe("dyn.reshape", "vm.reshape_tensor")
def dyn_reshape(g, op):
    shape = g.full(1)
    new = g.sample(shape, len(shape))
    attrs = {"newshape": new if op.startswith("vm") else NONE}
    return Case(op, [g.input("x", shape, g.any()), shape_input("s", new)],
                ["%x", "%s"], attrs)


@recipe("dyn.squeeze")
def dyn_squeeze(g, op):
    shape = [1] + g.full(1)
    return Case(op, [g.input("x", shape, g.any()), shape_input("s", [0])],
                ["%x", "%s"])


@recipe("dyn.tile")
def dyn_tile(g, op):
    shape = g.full(1, 3, 100)
    return Case(op, [g.input("x", shape, g.any()),
                     shape_input("s", [g.randint(1, 3) for _ in shape])],
                ["%x", "%s"], {"reps": NONE})


@recipe("dyn.expand_dims")
def dyn_expand_dims(g, op):
    shape = g.full(1, 3)
    return Case(op, [g.input("x", shape, g.any()),
                     ["a", [], "int64", "values %d" % g.randint(0, 1)]],
                ["%x", "%a"], {"num_newaxis": g.randint(1, 2)})


@recipe("dyn.topk")
def dyn_topk(g, op):
    shape = g.full(1)
    axis = g.axis(len(shape))
    return Case(op, [g.input("x", shape, "float32"),
                     ["k", [], "int64", "values %d" %
                      g.randint(1, shape[axis])]], ["%x", "%k"],
                {"k": NONE, "axis": axis, "ret_type": g.choice(
                    ["both", "values", "indices"]), "dtype": "int64"})


@recipe("dyn.one_hot")
def dyn_one_hot(g, op):
    shape = g.shape(1, 2)
    depth = g.randint(1, 6)
    return Case(op, [["i", shape, "int32", "uniform 0 %d" % depth],
                     g.input("on", [], "float32"),
                     g.input("off", [], "float32"),
                     ["d", [], "int32", "values %d" % depth]],
                ["%i", "%on", "%off", "%d"], {"dtype": "float32"})


@recipe("dyn.strided_slice")
def dyn_strided_slice(g, op):
    shape = g.full(1)
    begin, end, strides = slice_of(g, shape)
    return Case(op, [g.input("x", shape, g.any()), shape_input("b", begin),
                     shape_input("e", end), shape_input("s", strides)],
                ["%x", "%b", "%e", "%s"],
                {"begin": NONE, "end": NONE, "strides": NONE,
                 "axes": NONE})


@recipe("dyn.nn.pad")
def dyn_pad(g, op):
    shape = g.full(1, 3)
    widths = [g.randint(0, 3) for _ in range(2 * len(shape))]
    return Case(op, [g.input("x", shape, "float32"),
                     ["w", [len(shape), 2], "int64",
                      "values " + " ".join(map(str, widths))],
                     g.input("v", [], "float32")], ["%x", "%w", "%v"],
                {"pad_width": NONE})


@recipe("auto_scheduler_layout_transform")
def tuned_layout(g, op):
    """Axes in parts, which stand in any order afterwards."""
    shape = [g.extent(16) for _ in range(g.randint(1, 3))]
    parts = []
    for name, n in zip("ABC", shape):
        some = g.split_extent(n)
        parts += [(some, name), (n // some, name)]
    g.shuffle(parts)
    text = lambda list_: "".join("%d%s" % p for p in list_)
    return Case(op, [g.input("x", shape, g.number())], ["%x"],
                {"src_layout": text(zip(shape, "ABC")),
                 "dst_layout": text(parts)})
