"""Recipes: layers of networks: products, convolutions, pooling, norms."""

from core import NONE, Case, blocks_of, layout_shape, recipe

DATA_LAYOUTS = {1: ["NCW", "NCW", "NWC", "NCW4c"],
                2: ["NCHW", "NCHW", "NHWC", "NHWC", "HWCN", "NCHW4c",
                    "CHWN"],
                3: ["NCDHW", "NCDHW", "NDHWC", "NCDHW2c"]}
CONV_LAYOUTS = {1: ["NCW", "NCW", "NWC"],
                2: ["NCHW", "NCHW", "NHWC", "NHWC", "HWCN"],
                3: ["NCDHW", "NDHWC"]}
KERNEL_LAYOUTS = {1: ["OIW", "OIW", "WIO"],
                  2: ["OIHW", "OIHW", "HWIO", "OHWI", "HWOI"],
                  3: ["OIDHW", "OIDHW", "DHWIO"]}
SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def floating(g):
    return g.choice(["float32"] * 5 + ["float64", "float16"])


def padding(g, n, most=3):
    """One of the forms of padding, and its values: befores, then afters."""
    form = g.randint(0, 2)
    if form == 0:
        p = g.randint(0, most)
        return [p], [p] * (2 * n)
    if form == 1:
        p = [g.randint(0, most) for _ in range(n)]
        return p, p + p
    p = [g.randint(0, most) for _ in range(2 * n)]
    return p, p


class Window:
    """Spatial axes with a kernel that fits."""

    def __init__(self, g, n, most=None, dilation=True):
        most = g.most(most or {1: 20, 2: 12, 3: 6}[n])
        self.kernel = [g.randint(1, 4 if n < 3 else 3) for _ in range(n)]
        self.stride = [g.randint(1, 3) for _ in range(n)]
        self.dilation = [g.choice([1, 1, 1, 2]) if dilation else 1
                         for _ in range(n)]
        self.padding, full = padding(g, n, 2)
        self.pads = full
        self.extents = []
        for k in range(n):
            need = (self.kernel[k] - 1) * self.dilation[k] + 1
            least = max(need - full[k] - full[n + k], 1)
            self.extents.append(g.randint(least, max(least, most)))


def data_types(g):
    """Data, weight and result."""
    if g.maybe(0.75):
        dtype = floating(g)
        return dtype, dtype, g.choice([None, None, dtype])
    a, b = g.choice([("int8", "int8"), ("uint8", "int8"),
                     ("uint8", "uint8"), ("int16", "int16")])
    return a, b, "int32"


# ---- products


@recipe("nn.dense")
def dense(g, op):
    k, units = g.extent(), g.extent()
    a, b, out = data_types(g)
    shape = g.full(0, 2, 200) + [k]
    return Case(op, [g.input("x", shape, a), g.input("w", [units, k], b)],
                ["%x", "%w"], {"units": g.choice([units, NONE]),
                               "out_dtype": out}, 8)


@recipe("nn.contrib_dense_pack")
def dense_pack(g, op):
    k, tile = g.extent(), g.choice([2, 4, 8])
    n = g.randint(1, 3)
    return Case(op, [g.input("x", [g.extent(), k], "float32"),
                     g.input("w", [n, k, tile], "float32")], ["%x", "%w"],
                {"units": n * tile, "weight_layout": "NC%dn" % tile}, 8)


@recipe("nn.matmul")
def matmul(g, op):
    m, k, n = g.extent(), g.extent(), g.extent()
    a, b, out = data_types(g)
    ta, tb = g.maybe(), g.maybe()
    return Case(op, [g.input("x", [k, m] if ta else [m, k], a),
                     g.input("w", [n, k] if tb else [k, n], b)],
                ["%x", "%w"], {"units": NONE, "out_dtype": out,
                               "transpose_a": ta, "transpose_b": tb}, 8)


@recipe("nn.batch_matmul")
def batch_matmul(g, op):
    m, k, n, batch = g.extent(), g.extent(), g.extent(), g.randint(1, 4)
    a, b, out = data_types(g)
    ta, tb = g.maybe(), g.maybe()
    b1, b2 = g.choice([(batch, batch), (batch, batch), (1, batch),
                       (batch, 1)])
    return Case(op, [g.input("x", [b1] + ([k, m] if ta else [m, k]), a),
                     g.input("y", [b2] + ([n, k] if tb else [k, n]), b)],
                ["%x", "%y"], {"out_dtype": out, "transpose_a": ta,
                               "transpose_b": tb}, 8)


# ---- convolutions


def convolution(g, op, n):
    w = Window(g, n)
    layout = g.choice(CONV_LAYOUTS[n])
    kernel_layout = g.choice(KERNEL_LAYOUTS[n])
    groups = g.choice([1, 1, 1, 2, 3])
    per = g.randint(1, 5)
    channels_in = groups * per
    channels = groups * g.randint(1, 4)
    if g.maybe(0.2):
        groups = channels_in
        channels, per = groups * g.choice([1, 1, 2]), 1
    extents = dict(zip(SPATIAL[n], w.extents), N=g.choice([0] + [1, 2] * 20),
                   C=channels_in)
    kernel = dict(zip(SPATIAL[n], w.kernel), O=channels, I=per)
    if groups > 1 and n == 1:
        groups, kernel["I"] = 1, channels_in
    a, b, out = data_types(g)
    if n == 1 and len(w.padding) == 1:
        w.padding = w.padding * 2
    attrs = {"strides": w.stride, "padding": w.padding,
             "dilation": w.dilation, "groups": groups,
             "channels": channels, "kernel_size": w.kernel,
             "data_layout": layout, "kernel_layout": kernel_layout,
             "out_dtype": out}
    if g.maybe(0.15):
        attrs["out_layout"] = g.choice(CONV_LAYOUTS[n])
    return Case(op, [g.input("x", layout_shape(layout, extents), a),
                     g.input("w", layout_shape(kernel_layout, kernel), b)],
                ["%x", "%w"], attrs, 16)


@recipe("nn.conv1d", "nn.conv2d", "nn.conv3d")
def conv(g, op):
    return convolution(g, op, int(op[-2]))


@recipe("nn.contrib_conv2d_NCHWc")
def conv_blocked(g, op):
    w = Window(g, 2)
    ci, co = g.choice([2, 4]), g.choice([2, 4, 8])
    channels_in, channels = ci * g.randint(1, 2), co * g.randint(1, 2)
    layout = "NCHW%dc" % ci
    kernel_layout = "OIHW%di%do" % (ci, co)
    extents = dict(zip("HW", w.extents), N=1, C=channels_in)
    kernel = dict(zip("HW", w.kernel), O=channels, I=channels_in)
    return Case(op, [g.input("x", layout_shape(layout, extents), "float32"),
                     g.input("w", layout_shape(kernel_layout, kernel),
                             "float32")], ["%x", "%w"],
                {"strides": w.stride, "padding": w.padding,
                 "dilation": w.dilation, "channels": channels,
                 "kernel_size": w.kernel, "data_layout": layout,
                 "kernel_layout": kernel_layout,
                 "out_layout": "NCHW%dc" % co}, 16)


@recipe("nn.contrib_depthwise_conv2d_NCHWc")
def depthwise_blocked(g, op):
    w = Window(g, 2)
    block = g.choice([2, 4])
    channels = block * g.randint(1, 3)
    layout = "NCHW%dc" % block
    kernel_layout = "OIHW1i%do" % block
    extents = dict(zip("HW", w.extents), N=1, C=channels)
    kernel = dict(zip("HW", w.kernel), O=channels, I=1)
    return Case(op, [g.input("x", layout_shape(layout, extents), "float32"),
                     g.input("w", layout_shape(kernel_layout, kernel),
                             "float32")], ["%x", "%w"],
                {"strides": w.stride, "padding": w.padding,
                 "dilation": w.dilation, "channels": channels,
                 "groups": channels, "kernel_size": w.kernel,
                 "data_layout": layout, "kernel_layout": kernel_layout,
                 "out_layout": layout}, 16)


@recipe("nn.conv1d_transpose", "nn.conv2d_transpose", "nn.conv3d_transpose")
def conv_transpose(g, op):
    n = int(op[7])
    w = Window(g, n, {1: 12, 2: 7, 3: 4}[n], dilation=False)
    groups = g.choice([1, 1, 2]) if n == 2 else 1
    per_in, per_out = g.randint(1, 3), g.randint(1, 3)
    spatial = SPATIAL[n]
    layout = "NC" + spatial if g.maybe(0.7) or n != 2 else "NHWC"
    extents = dict(zip(spatial, w.extents), N=g.randint(1, 2),
                   C=groups * per_in)
    kernel = dict(zip(spatial, w.kernel), I=groups * per_in, O=per_out)
    for k, letter in enumerate(spatial):
        least = w.pads[k] + w.pads[n + k] - w.kernel[k]
        extents[letter] = max(extents[letter], least // w.stride[k] + 2)
    kernel_layout = "IO" + spatial
    dtype = floating(g)
    return Case(op, [g.input("x", layout_shape(layout, extents), dtype),
                     g.input("w", layout_shape(kernel_layout, kernel),
                             dtype)], ["%x", "%w"],
                {"channels": groups * per_out, "kernel_size": w.kernel,
                 "strides": w.stride, "padding": w.padding,
                 "output_padding": [g.randint(0, s - 1) for s in w.stride],
                 "groups": groups, "data_layout": layout,
                 "kernel_layout": kernel_layout}, 16)


@recipe("nn.conv2d_backward_weight")
def backward_weight(g, op):
    w = Window(g, 2)
    groups = 1
    channels, channels_in = g.randint(1, 4), g.randint(1, 4)
    out = [(w.extents[k] + w.pads[k] + w.pads[2 + k] -
            (w.kernel[k] - 1) * w.dilation[k] - 1) // w.stride[k] + 1
           for k in range(2)]
    batch = g.randint(1, 2)
    return Case(op, [g.input("d", [batch, channels] + out, "float32"),
                     g.input("x", [batch, channels_in] + w.extents,
                             "float32")], ["%d", "%x"],
                {"strides": w.stride, "padding": w.padding,
                 "dilation": w.dilation, "groups": groups,
                 "channels": channels, "kernel_size": w.kernel,
                 "data_layout": "NCHW", "kernel_layout": "NCHW",
                 "out_layout": "OIHW"}, 32)


@recipe("nn.deformable_conv2d")
def deformable(g, op):
    w = Window(g, 2)
    parts = g.choice([1, 1, 2])
    channels_in, channels = parts * g.randint(1, 2), g.randint(1, 4)
    batch = g.randint(1, 2)
    out = [(w.extents[k] + w.pads[k] + w.pads[2 + k] -
            (w.kernel[k] - 1) * w.dilation[k] - 1) // w.stride[k] + 1
           for k in range(2)]
    layout, kernel_layout = g.choice([("NCHW", "OIHW"), ("NHWC", "HWIO")])
    data = dict(zip("HW", w.extents), N=batch, C=channels_in)
    offset = dict(zip("HW", out), N=batch,
                  C=2 * w.kernel[0] * w.kernel[1] * parts)
    kernel = dict(zip("HW", w.kernel), O=channels, I=channels_in)
    return Case(op, [g.input("x", layout_shape(layout, data), "float32"),
                     g.input("o", layout_shape(layout, offset), "float32"),
                     g.input("w", layout_shape(kernel_layout, kernel),
                             "float32")], ["%x", "%o", "%w"],
                {"strides": w.stride, "padding": w.padding,
                 "dilation": w.dilation, "deformable_groups": parts,
                 "channels": channels, "kernel_size": w.kernel,
                 "data_layout": layout, "kernel_layout": kernel_layout}, 32)


@recipe("image.dilation2d")
def dilation2d(g, op):
    w = Window(g, 2)
    channels = g.randint(1, 4)
    layout, kernel_layout = g.choice([("NCHW", "IHW"), ("NHWC", "HWI")])
    extents = dict(zip("HW", w.extents), N=1, C=channels)
    kernel = dict(zip("HW", w.kernel), I=channels)
    return Case(op, [g.input("x", layout_shape(layout, extents), "float32"),
                     g.input("w", layout_shape(kernel_layout, kernel),
                             "float32")], ["%x", "%w"],
                {"strides": w.stride, "padding": w.padding,
                 "dilations": w.dilation, "data_layout": layout,
                 "kernel_layout": kernel_layout})


@recipe("nn.correlation")
def correlation(g, op):
    kernel = g.choice([1, 3])
    most = g.randint(0, 3)
    pad, full = padding(g, 2, 3)
    border = most + (kernel - 1) // 2
    shape = [g.randint(1, 2), g.randint(1, 3)] + [
        g.randint(max(2 * border - full[k] - full[k + 2] + 1, 1), 14)
        for k in range(2)]
    return Case(op, [g.input("x", shape, "float32"),
                     g.input("y", shape, "float32")], ["%x", "%y"],
                {"kernel_size": kernel, "max_displacement": most,
                 "stride1": g.randint(1, 3), "stride2": g.randint(1, 2),
                 "padding": pad, "is_multiply": g.maybe()}, 8)


@recipe("nn.bitserial_dense")
def bitserial_dense(g, op):
    k = 8 * g.randint(1, 4)
    units, ab, wb = g.randint(1, 5), g.randint(1, 3), g.randint(1, 2)
    return Case(op, [["x", [g.randint(1, 4), k], "uint32",
                      "uniform 0 %d" % (2 ** ab - 1)],
                     ["w", [units, k], "uint32",
                      "uniform 0 %d" % (2 ** wb - 1)]], ["%x", "%w"],
                {"units": units, "data_bits": ab, "weight_bits": wb,
                 "pack_dtype": "uint8", "out_dtype": "int16",
                 "unipolar": g.maybe()})


@recipe("nn.bitserial_conv2d")
def bitserial_conv(g, op):
    w = Window(g, 2, 8, dilation=False)
    channels_in, channels = 8 * g.randint(1, 2), g.randint(1, 3)
    ab, wb = g.randint(1, 2), g.randint(1, 2)
    layout, kernel_layout = g.choice([("NCHW", "OIHW"), ("NHWC", "HWIO")])
    extents = dict(zip("HW", w.extents), N=1, C=channels_in)
    kernel = dict(zip("HW", w.kernel), O=channels, I=channels_in)
    return Case(op, [["x", layout_shape(layout, extents), "uint32",
                      "uniform 0 %d" % (2 ** ab - 1)],
                     ["w", layout_shape(kernel_layout, kernel), "uint32",
                      "uniform 0 %d" % (2 ** wb - 1)]], ["%x", "%w"],
                {"strides": w.stride, "padding": w.padding,
                 "kernel_size": w.kernel, "channels": channels,
                 "activation_bits": ab, "weight_bits": wb,
                 "data_layout": layout, "kernel_layout": kernel_layout,
                 "pack_dtype": "uint8", "out_dtype": "int16",
                 "unipolar": g.maybe()})


@recipe("nn.bitpack")
def bitpack(g, op):
    shape = g.full(2, 4, 200)
    axis = g.randrange(1, len(shape))
    bits, kind = g.randint(1, 3), g.choice([8, 16, 32])
    shape[axis] = kind * g.randint(1, 2)
    return Case(op, [["x", shape, "uint32",
                      "uniform 0 %d" % (2 ** bits - 1)]], ["%x"],
                {"bits": bits, "pack_axis": axis,
                 "bit_axis": g.randint(0, len(shape)),
                 "pack_type": "uint%d" % kind})


# ---- pooling


@recipe("nn.max_pool1d", "nn.max_pool2d", "nn.max_pool3d", "nn.avg_pool1d",
        "nn.avg_pool2d", "nn.avg_pool3d")
def pool(g, op):
    n = int(op[-2])
    w = Window(g, n)
    layout = g.choice(DATA_LAYOUTS[n])
    channels = blocks_of(layout).get("C", 1) * g.randint(1, 4)
    extents = dict(zip(SPATIAL[n], w.extents), N=g.choice([0] + [1, 2] * 15),
                   C=channels)
    dtype = floating(g) if g.maybe(0.8) else g.choice(
        ["int8", "uint8", "int32"])
    attrs = {"pool_size": w.kernel, "strides": w.stride,
             "dilation": w.dilation, "padding": w.padding, "layout": layout,
             "ceil_mode": g.maybe(0.3)}
    if "avg" in op:
        attrs["count_include_pad"] = g.maybe()
    return Case(op, [g.input("x", layout_shape(layout, extents), dtype)],
                ["%x"], attrs, 4)


@recipe("nn.max_pool2d_grad", "nn.avg_pool2d_grad")
def pool_grad(g, op):
    w = Window(g, 2, dilation=False)
    head = [g.randint(1, 2), g.randint(1, 3)]
    ceil = g.maybe(0.3)
    out = [(w.extents[k] + w.pads[k] + w.pads[2 + k] - w.kernel[k] +
            (w.stride[k] - 1 if ceil else 0)) // w.stride[k] + 1
           for k in range(2)]
    attrs = {"pool_size": w.kernel, "strides": w.stride,
             "padding": w.padding, "ceil_mode": ceil}
    if "avg" in op:
        attrs["count_include_pad"] = g.maybe()
    return Case(op, [g.input("d", head + out, "float32"),
                     g.input("x", head + w.extents, "float32")],
                ["%d", "%x"], attrs, 8)


@recipe("nn.adaptive_avg_pool1d", "nn.adaptive_avg_pool2d",
        "nn.adaptive_avg_pool3d", "nn.adaptive_max_pool1d",
        "nn.adaptive_max_pool2d", "nn.adaptive_max_pool3d")
def adaptive_pool(g, op):
    n = int(op[-2])
    layout = g.choice(DATA_LAYOUTS[n])
    channels = blocks_of(layout).get("C", 1) * g.randint(1, 4)
    extents = {c: g.extent(13 if n < 3 else 5) for c in SPATIAL[n]}
    extents.update(N=g.randint(1, 2), C=channels)
    size = [g.randint(1, extents[c]) for c in SPATIAL[n]]
    attrs = {"layout": layout}
    if g.maybe(0.9):
        attrs["output_size"] = size if g.maybe(0.7) else size[:1]
    return Case(op, [g.input("x", layout_shape(layout, extents),
                             floating(g))], ["%x"], attrs, 4)


@recipe("nn.global_avg_pool2d", "nn.global_max_pool2d")
def global_pool(g, op):
    layout = g.choice(DATA_LAYOUTS[2])
    channels = blocks_of(layout).get("C", 1) * g.randint(1, 4)
    extents = {"N": g.randint(1, 2), "C": channels, "H": g.extent(13),
               "W": g.extent(13)}
    return Case(op, [g.input("x", layout_shape(layout, extents),
                             floating(g))], ["%x"], {"layout": layout}, 4)


# ---- normalization, activation, loss


def vector(g, name, n, dtype, low=-2, high=2):
    return [name, [n], dtype, "uniform %g %g" % (low, high)]


@recipe("nn.batch_norm")
def batch_norm(g, op):
    shape = g.full(2)
    axis = g.randint(-1, len(shape) - 1)
    n, dtype = shape[axis], floating(g)
    return Case(op, [g.input("x", shape, dtype),
                     vector(g, "gamma", n, dtype),
                     vector(g, "beta", n, dtype),
                     vector(g, "mean", n, dtype),
                     vector(g, "var", n, dtype, 0.5, 2)],
                ["%x", "%gamma", "%beta", "%mean", "%var"],
                {"axis": axis, "center": g.maybe(0.8),
                 "scale": g.maybe(0.8)}, 8)


@recipe("nn.layer_norm", "nn.instance_norm", "nn.group_norm")
def norm(g, op):
    shape = g.full(3)
    axis = g.randint(-1, len(shape) - 1) if op == "nn.layer_norm" else \
        g.randint(1, len(shape) - 1)
    n, dtype = shape[axis], g.choice(["float32"] * 3 + ["float64"])
    attrs = {"axis": axis, "center": g.maybe(0.8), "scale": g.maybe(0.8),
             "epsilon": 0.125}
    if op == "nn.group_norm":
        attrs["num_groups"] = g.split_extent(n)
    return Case(op, [g.input("x", shape, dtype),
                     vector(g, "gamma", n, dtype),
                     vector(g, "beta", n, dtype)],
                ["%x", "%gamma", "%beta"], attrs, 16)


@recipe("nn.l2_normalize")
def l2_normalize(g, op):
    shape = g.full(1)
    return Case(op, [g.input("x", shape, floating(g))], ["%x"],
                {"eps": 0.001, "axis": g.axes(len(shape), 1)}, 8)


@recipe("nn.lrn")
def lrn(g, op):
    return Case(op, [g.input("x", g.full(4, 4), floating(g))], ["%x"],
                {"size": g.choice([1, 3, 5]), "axis": g.choice([1, 3]),
                 "bias": 2.0, "alpha": 0.5, "beta": 0.75}, 8)


@recipe("nn.softmax", "nn.log_softmax", "nn.fast_softmax")
def softmax(g, op):
    shape = g.shape(1)
    dtype = "float32" if "fast" in op else floating(g)
    return Case(op, [g.input("x", shape, dtype, -4, 4)], ["%x"],
                {"axis": g.axis(len(shape))}, 16)


@recipe("nn.bias_add")
def bias_add(g, op):
    shape = g.shape(1)
    axis, dtype = g.axis(len(shape)), g.number()
    return Case(op, [g.input("x", shape, dtype),
                     g.input("b", [shape[axis]], dtype)], ["%x", "%b"],
                {"axis": axis})


@recipe("nn.prelu")
def prelu(g, op):
    shape = g.full(1)
    axis, dtype = g.randrange(len(shape)), floating(g)
    return Case(op, [g.input("x", shape, dtype, special=True),
                     g.input("a", [shape[axis]], dtype)], ["%x", "%a"],
                {"axis": axis})


@recipe("nn.leaky_relu")
def leaky_relu(g, op):
    return Case(op, [g.input("x", g.shape(), floating(g), special=True)],
                ["%x"], {"alpha": 0.125})


@recipe("nn.dropout")
def dropout(g, op):
    return Case(op, [g.input("x", g.shape(), floating(g))], ["%x"],
                {"rate": 0.25})


@recipe("nn.cross_entropy", "nn.cross_entropy_with_logits")
def cross_entropy(g, op):
    shape, dtype = g.full(2, 2), g.choice(["float32", "float64"])
    return Case(op, [["x", shape, dtype, "uniform 0.1 1"],
                     ["y", shape, dtype, "uniform 0 1"]], ["%x", "%y"],
                {}, 16)


@recipe("nn.nll_loss")
def nll_loss(g, op):
    n, classes, rest = g.randint(1, 5), g.randint(1, 6), g.full(0, 2, 50)
    return Case(op, [g.input("x", [n, classes] + rest, "float32"),
                     ["t", [n] + rest, g.index(),
                      "uniform 0 %d" % (classes - 1)],
                     vector(g, "w", classes, "float32", 0.5, 2)],
                ["%x", "%t", "%w"],
                {"reduction": g.choice(["mean", "sum", "none"]),
                 "ignore_index": g.randint(-1, 1)}, 16)


# ---- rearrangement


@recipe("nn.pad")
def pad(g, op):
    shape = g.full(1, 4, 500)
    mode = g.choice(["constant", "constant", "edge", "reflect"])
    low = -1 if mode == "constant" and g.maybe(0.2) else 0
    width = [[g.randint(low, 3), g.randint(low, 3)] for _ in shape]
    for k, n in enumerate(shape):
        if mode == "reflect":
            width[k] = [min(p, n - 1) for p in width[k]]
        elif sum(width[k]) + n < 0:
            width[k] = [0, 0]
    dtype = g.number()
    return Case(op, [g.input("x", shape, dtype), g.input("v", [], dtype)],
                ["%x", "%v"], {"pad_width": width, "pad_mode": mode})


@recipe("nn.mirror_pad")
def mirror_pad(g, op):
    shape = g.full(1, 4, 500)
    mode = g.choice(["SYMMETRIC", "REFLECT"])
    less = mode == "REFLECT"
    return Case(op, [g.input("x", shape, g.number())], ["%x"],
                {"mode": mode, "pad_width":
                 [[g.randint(0, min(n - less, 3)) for _ in range(2)]
                  for n in shape]})


@recipe("nn.space_to_batch_nd")
def space_to_batch(g, op):
    rank = g.randint(1, 2)
    block = [g.randint(1, 3) for _ in range(rank)]
    pads, spatial = [], []
    for b in block:
        p = [g.randint(0, 2), g.randint(0, 2)]
        k = g.randint(2, 4)
        spatial.append(k * b)
        total = -(p[0] + p[1]) % b
        p[1] += total
        pads.append(p)
    return Case(op, [g.input("x", [g.randint(1, 3)] + spatial +
                             g.full(1, 2, 30), "float32")], ["%x"],
                {"block_shape": block, "paddings": pads,
                 "pad_value": float(g.randint(0, 2))})


@recipe("nn.batch_to_space_nd")
def batch_to_space(g, op):
    rank = g.randint(1, 2)
    block = [g.randint(1, 3) for _ in range(rank)]
    batch = g.randint(1, 3)
    spatial, crops = [], []
    for b in block:
        batch *= b
        spatial.append(g.randint(2, 5))
        crops.append([g.randint(0, b - 1), g.randint(0, b - 1)])
    return Case(op, [g.input("x", [batch] + spatial + g.full(1, 2, 30),
                             "float32")], ["%x"],
                {"block_shape": block, "crops": crops})


@recipe("nn.depth_to_space", "nn.space_to_depth")
def depth_to_space(g, op):
    block = g.randint(1, 3)
    layout = g.choice(["NCHW", "NHWC"])
    extents = {"N": g.randint(1, 2), "C": g.randint(1, 3),
               "H": g.randint(1, 4), "W": g.randint(1, 4)}
    if op == "nn.depth_to_space":
        extents["C"] *= block * block
    else:
        extents["H"] *= block
        extents["W"] *= block
    return Case(op, [g.input("x", layout_shape(layout, extents),
                             g.number())], ["%x"],
                {"block_size": block, "layout": layout,
                 "mode": g.choice(["DCR", "CRD"])
                 if op == "nn.depth_to_space" else None})


@recipe("nn.dilate")
def dilate(g, op):
    shape = g.full(1, 4, 300)
    return Case(op, [g.input("x", shape, g.number())], ["%x"],
                {"strides": [g.randint(1, 3) for _ in shape],
                 "dilation_value": float(g.randint(0, 2))})


@recipe("nn.fifo_buffer")
def fifo_buffer(g, op):
    shape = g.full(1, 4)
    axis = g.randrange(len(shape))
    buffer = list(shape)
    buffer[axis] += g.randint(1, 6)
    return Case(op, [g.input("x", shape, "float32"),
                     g.input("b", buffer, "float32")], ["%x", "%b"],
                {"axis": axis})


# ---- sparse


def compressed(g, rows, columns, blocks=None):
    """indices and indptr of a matrix with some entries."""
    br, bc = blocks or (1, 1)
    indices, indptr = [], [0]
    for _ in range(rows // br):
        some = sorted(g.sample(range(columns // bc),
                               g.randint(0, min(columns // bc, 4))))
        indices += some
        indptr.append(len(indices))
    if not indices:
        indices, indptr = [0], [0] + [1] * (rows // br)
    return indices, indptr


def values(name, v, dtype="int32"):
    return [name, [len(v)], dtype, "values " + " ".join(map(str, v))]


@recipe("nn.sparse_dense", "nn.internal.sparse_dense_padded")
def sparse_dense(g, op):
    blocks = g.choice([None, (2, 2), (4, 1), (1, 4)])
    rows, columns = 4 * g.randint(1, 4), 4 * g.randint(1, 4)
    indices, indptr = compressed(g, rows, columns, blocks)
    data = [len(indices)] + (list(blocks) if blocks else [])
    return Case(op, [g.input("x", [g.extent(), columns], "float32"),
                     g.input("d", data, "float32"), values("i", indices),
                     values("p", indptr)], ["%x", "%d", "%i", "%p"], {}, 8)


@recipe("nn.sparse_add")
def sparse_add(g, op):
    rows, columns = g.extent(), g.extent()
    indices, indptr = compressed(g, rows, columns)
    return Case(op, [g.input("x", [rows, columns], "float32"),
                     g.input("d", [len(indices)], "float32"),
                     values("i", indices), values("p", indptr)],
                ["%x", "%d", "%i", "%p"])


@recipe("nn.sparse_transpose")
def sparse_transpose(g, op):
    n = g.randint(1, 9)
    indices, indptr = compressed(g, n, n)
    return Case(op, [g.input("d", [len(indices)], "float32"),
                     values("i", indices), values("p", indptr)],
                ["%d", "%i", "%p"])


@recipe("nn.sparse_conv2d")
def sparse_conv2d(g, op):
    blocks = g.choice([(1, 1), (2, 2), (4, 1)])
    layout, kernel = g.choice(["NHWC", "NCHW"]), g.choice([[1, 1], [3, 3]])
    channels_in, channels = 4 * g.randint(1, 2), 4 * g.randint(1, 2)
    indices, indptr = compressed(
        g, channels, channels_in * kernel[0] * kernel[1], blocks)
    extents = {"N": g.randint(1, 2), "C": channels_in, "H": g.extent(7),
               "W": g.extent(7)}
    return Case(op, [g.input("x", layout_shape(layout, extents), "float32"),
                     g.input("d", [len(indices)] + list(blocks), "float32"),
                     values("i", indices), values("p", indptr)],
                ["%x", "%d", "%i", "%p"],
                {"layout": layout, "kernel_size": kernel}, 8)


@recipe("sparse_to_dense")
def sparse_to_dense(g, op):
    shape = g.full(1, 3, 300)
    places = sorted(g.sample(range(shape[0]), g.randint(1, shape[0])))
    rows = [[p] + [g.randrange(n) for n in shape[1:]] for p in places]
    flat = [str(e) for row in rows for e in row]
    indices = ["i", [len(rows), len(shape)] if len(shape) > 1
               else [len(rows)], g.index(), "values " + " ".join(flat)]
    return Case(op, [indices, g.input("v", [len(rows)], "float32"),
                     g.input("d", [], "float32")], ["%i", "%v", "%d"],
                {"output_shape": shape})


@recipe("sparse_reshape")
def sparse_reshape(g, op):
    shape = g.full(1, 3, 300)
    new = g.sample(shape, len(shape)) + ([1] if g.maybe(0.3) else [])
    n = g.randint(1, 6)
    flat = [str(g.randrange(e)) for _ in range(n) for e in shape]
    return Case(op, [["i", [n, len(shape)], "int64",
                      "values " + " ".join(flat)],
                     values("p", shape, "int64"), values("n", new, "int64")],
                ["%i", "%p", "%n"])


# ---- weights transformed beforehand


@recipe("nn.contrib_conv2d_winograd_weight_transform",
        "nn.contrib_conv3d_winograd_weight_transform",
        "nn.contrib_conv2d_winograd_nnpack_weight_transform",
        "nn.contrib_conv2d_gemm_weight_transform")
def weight_transform(g, op):
    attrs = {"tile_size": g.randint(1, 6)}
    kernel = [g.randint(1, 4)] * (3 if "3d" in op else 2)
    shape = [g.randint(1, 5), g.randint(1, 5)] + kernel
    if "nnpack" in op:
        shape[2:], attrs = [3, 3], {"convolution_algorithm": 1}
    if "gemm" in op:
        attrs = {"tile_N": g.choice([2, 4]), "tile_K": g.choice([2, 4, 16])}
    dtype = g.choice(["float32", "int8"]) if "gemm" in op else "float32"
    return Case(op, [g.input("w", shape, dtype)], ["%w"], attrs, 64)


@recipe("nn.contrib_conv2d_winograd_without_weight_transform",
        "nn.contrib_conv3d_winograd_without_weight_transform")
def winograd(g, op):
    n = 3 if "3d" in op else 2
    tile, k = g.randint(1, 4), g.randint(1, 3)
    kernel = [k] * n
    deep = n == 3 and k == 3
    channels, units = g.randint(1, 4), g.randint(1, 4)
    alpha = [tile + k - 1] * (3 if deep else 2)
    weight = alpha + ([k] if n == 3 and not deep else [])
    p, _ = padding(g, n, 1)
    x = [g.randint(1, 2), channels] + [g.randint(k, 8) for _ in range(n)]
    return Case(op, [g.input("x", x, "float32"),
                     g.input("w", weight + [units, channels], "float32")],
                ["%x", "%w"],
                {"tile_size": tile, "padding": p, "channels": units,
                 "kernel_size": kernel}, 256)


@recipe("nn.contrib_conv2d_gemm_without_weight_transform")
def gemm(g, op):
    w = Window(g, 2)
    channels, units = g.randint(1, 5), g.randint(1, 9)
    tile_n, tile_k = g.choice([2, 4]), g.choice([2, 4])
    rows = w.kernel[0] * w.kernel[1] * channels
    rows = -(-rows // (4 * tile_k)) * 4
    dtype = g.choice(["float32", "int8"])
    last = [tile_n, tile_k] if dtype == "int8" else [tile_k, tile_n]
    return Case(op, [g.input("x", [g.randint(1, 2)] + w.extents + [channels],
                             dtype),
                     g.input("w", [-(-units // tile_n), rows] + last, dtype)],
                ["%x", "%w"],
                {"strides": w.stride, "padding": w.padding,
                 "dilation": w.dilation, "channels": units,
                 "kernel_size": w.kernel, "data_layout": "NHWC",
                 "kernel_layout": "HWIO",
                 "out_dtype": "int32" if dtype == "int8" else None}, 16)


@recipe("dyn.sparse_to_dense")
def dyn_sparse_to_dense(g, op):
    case = sparse_to_dense(g, op)
    shape = case.attrs.pop("output_shape")
    case.inputs.append(values("s", shape, case.inputs[0][2]))
    case.args.append("%s")
    return case
