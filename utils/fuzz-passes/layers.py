"""Layers: convolutions, dense layers, normalizations, pools, and quantized
operators."""

from core import is_float, tensor
from tensors import constant, ints, recipe


DENSE_WEIGHT = tensor("float32", 4, 4)
CONV_WEIGHT = tensor("float32", 4, 2, 1, 1)


def weight(g, ty, sub):
    return constant(g, ty) if g.chance(0.7) else sub(ty)


@recipe(4)
def dense(g, ty, sub):
    if len(ty[2]) != 2 or ty[1] not in ("float32", "float64"):
        return None
    rows, units = ty[2]
    n = g.int(1, 5)
    call = "nn.dense(%s, %s, units=%d)" % (
        sub(("t", ty[1], (rows, n))),
        weight(g, ("t", ty[1], (units, n)), sub), units)
    if g.chance(0.4):
        call = "%s(%s, %s)" % (g.pick(("nn.bias_add", "add")), call,
                               weight(g, ("t", ty[1], (units,)), sub))
    return call


@recipe(2)
def parallel_dense(g, ty, sub):
    """Layers of one input, as combine-parallel-dense wants them."""
    if len(ty[2]) != 2 or ty[1] != "float32":
        return None
    rows, units = ty[2]
    x = sub(tensor("float32", rows, 4))
    form = "nn.dense(%%s, %%s, units=%d)" % units
    shape = (units, 4)
    if g.chance(0.3):
        form = "nn.matmul(%%s, %%s, units=%d, transpose_b=%s)" % (
            units, units == 4)
        shape = (4, units)
    calls = [form % (x, weight(g, tensor("float32", *shape), sub))
             for _ in range(3)]
    if g.chance(0.5):
        calls = ["add(%s, %s)" % (c, weight(g, tensor("float32", units), sub))
                 for c in calls]
    return "add(add(%s, %s), %s)" % tuple(calls)


@recipe(2)
def product(g, ty, sub):
    if len(ty[2]) != 3 or ty[1] != "float32":
        return None
    b, m, n = ty[2]
    k = g.int(1, 4)
    if g.chance(0.2):
        x = sub(tensor("float32", b, m, k))
        calls = ["nn.batch_matmul(%s, %s, transpose_b=True)" % (
            x, sub(tensor("float32", b, n, k))) for _ in range(3)]
        return "add(multiply(%s, %s), %s)" % tuple(calls)
    if g.chance(0.5):
        return "nn.batch_matmul(%s, %s, transpose_b=True)" % (
            sub(tensor("float32", b, m, k)), sub(tensor("float32", b, n, k)))
    return "nn.batch_matmul(%s, %s, transpose_b=False)" % (
        sub(tensor("float32", b, m, k)), sub(tensor("float32", b, k, n)))


@recipe()
def matmul(g, ty, sub):
    if len(ty[2]) != 2 or ty[1] != "float32":
        return None
    k = g.int(1, 4)
    a, b = g.chance(0.5), g.chance(0.5)
    left = (k, ty[2][0]) if a else (ty[2][0], k)
    right = (ty[2][1], k) if b else (k, ty[2][1])
    return "nn.matmul(%s, %s, units=%d, transpose_a=%s, transpose_b=%s)" % (
        sub(("t", ty[1], left)), sub(("t", ty[1], right)), ty[2][1], a, b)


def convolution(g, x, channels, ty, sub, scaled=True):
    """A call on the text X, which has CHANNELS channels and TY's extents."""
    size = g.pick((1, 3))
    out = ty[2][1]
    w = weight(g, ("t", ty[1], (out, channels, size, size)), sub)
    if scaled and g.chance(0.2):
        w = "multiply(%s, %s)" % (w, constant(g, ("t", ty[1],
                                                  (out, 1, 1, 1))))
    return "nn.conv2d(%s, %s, padding=%s, channels=%d, kernel_size=%s)" % (
        x, w, ints([size // 2] * (4 if g.chance(0.5) else 2)), out,
        ints([size, size]))


@recipe(8)
def conv2d(g, ty, sub):
    if len(ty[2]) != 4 or ty[1] != "float32":
        return None
    n, out, h, w = ty[2]
    channels = g.pick((2, 4))
    x = sub(tensor("float32", n, channels, h, w))
    if g.chance(0.25):
        x = "multiply(%s, %s)" % (x, constant(g, tensor("float32", channels,
                                                        1, 1)))
    call = convolution(g, x, channels, ty, sub)
    for _ in range(g.int(0, 2)):
        form = g.pick(("nn.bias_add({0}, {1})", "add({0}, {2})",
                       "multiply({0}, {2})", "nn.relu({0})",
                       "nn.prelu({0}, {1})"))
        call = form.format(call, constant(g, tensor("float32", out)),
                           constant(g, tensor("float32", out, 1, 1)))
    return call


@recipe(2)
def padded_conv2d(g, ty, sub):
    if len(ty[2]) != 4 or ty[1] != "float32":
        return None
    n, out, h, w = ty[2]
    x = sub(tensor("float32", n, 2, h, w))
    return "nn.conv2d(nn.pad(%s, 0f, pad_width=[[0, 0], [0, 0], [1, 1], " \
        "[1, 1]]), %s, padding=[0, 0, 0, 0], channels=%d, " \
        "kernel_size=[3, 3])" % (
            x, constant(g, tensor("float32", out, 2, 3, 3)), out)


@recipe(2)
def depthwise(g, ty, sub):
    if len(ty[2]) != 4 or ty[1] != "float32":
        return None
    c = ty[2][1]
    return "nn.conv2d(%s, %s, padding=[1, 1, 1, 1], groups=%d, channels=%d, " \
        "kernel_size=[3, 3])" % (
            sub(ty), weight(g, tensor("float32", c, 1, 3, 3), sub), c, c)


@recipe(2)
def parallel_conv2d(g, ty, sub):
    if len(ty[2]) != 4 or ty[1] != "float32":
        return None
    n, out, h, w = ty[2]
    x = sub(tensor("float32", n, 2, h, w))
    calls = ["nn.conv2d(%s, %s, channels=%d, kernel_size=[1, 1])" % (
        x, constant(g, tensor("float32", out, 2, 1, 1)), out)
             for _ in range(3)]
    if g.chance(0.5):
        calls = ["nn.relu(add(%s, %s))" %
                 (c, constant(g, tensor("float32", out, 1, 1)))
                 for c in calls]
    return "add(multiply(%s, %s), %s)" % tuple(calls)


@recipe(3)
def normalize(g, ty, sub):
    if len(ty[2]) < 2 or ty[1] != "float32":
        return None
    c = tensor("float32", ty[2][1])
    last = tensor("float32", ty[2][-1])
    kind = g.pick(("batch", "batch", "layer", "softmax", "log_softmax", "l2",
                   "dropout", "instance", "group"))
    if kind == "batch":
        return "nn.batch_norm(%s, %s, %s, %s, abs(%s)%s).0" % (
            sub(ty), weight(g, c, sub), weight(g, c, sub), weight(g, c, sub),
            weight(g, c, sub), g.pick(("", ", scale=False",
                                       ", center=False")))
    if kind == "layer":
        return "nn.layer_norm(%s, %s, %s, epsilon=0.01f)" % (
            sub(ty), weight(g, last, sub), weight(g, last, sub))
    if kind == "instance" and len(ty[2]) > 2:
        return "nn.instance_norm(%s, %s, %s, epsilon=0.1f)" % (
            sub(ty), weight(g, c, sub), weight(g, c, sub))
    if kind == "group" and len(ty[2]) > 2 and ty[2][1] % 2 == 0:
        return "nn.group_norm(%s, %s, %s, num_groups=2, epsilon=0.1f)" % (
            sub(ty), weight(g, c, sub), weight(g, c, sub))
    if kind == "l2":
        return "nn.l2_normalize(%s, eps=0.1f, axis=[1])" % sub(ty)
    if kind == "dropout":
        return "nn.dropout(%s, rate=0.5f).0" % sub(ty)
    return "nn.%s(%s, axis=%d)" % (
        kind if "softmax" in kind else "softmax", sub(ty),
        g.pick((1, -1)))


@recipe(2)
def pool(g, ty, sub):
    if len(ty[2]) != 4 or ty[1] != "float32":
        return None
    n, c, h, w = ty[2]
    op = g.pick(("nn.max_pool2d", "nn.avg_pool2d"))
    if (h, w) == (1, 1) and g.chance(0.5):
        return "nn.global_%s_pool2d(%s)" % (
            g.pick(("avg", "max")), sub(tensor("float32", n, c, 3, 2)))
    if g.chance(0.3):
        return "%s(%s, pool_size=[2, 2], strides=[2, 2], " \
            "padding=[0, 0, 0, 0])" % (op, sub(tensor("float32", n, c, 2 * h,
                                                      2 * w)))
    return "%s(%s, pool_size=[3, 3], padding=[1, 1, 1, 1])" % (op, sub(ty))


@recipe()
def flatten(g, ty, sub):
    if len(ty[2]) != 2 or ty[2][1] % 2 or not is_float(ty):
        return None
    return "nn.batch_flatten(%s)" % sub(("t", ty[1], (ty[2][0], 2,
                                                      ty[2][1] // 2)))


@recipe()
def pad(g, ty, sub):
    if not ty[2] or not is_float(ty) or ty[2][-1] < 2:
        return None
    shape = ty[2][:-1] + (ty[2][-1] - 1,)
    widths = ["[0, 0]"] * len(shape)
    widths[-1] = g.pick(("[1, 0]", "[0, 1]"))
    return "nn.pad(%s, %s, pad_width=[%s])" % (
        sub(("t", ty[1], shape)), g.pick(("0", "1.5")) +
        {"float32": "f", "float64": "f64", "float16": "f16"}[ty[1]],
        ", ".join(widths))


# ---------------------------------------------------------------- quantized --

def quantized(g, x, out="int8"):
    return 'qnn.quantize(%s, %s, %s, out_dtype="%s")' % (
        x, scale(g), zero(g), out)


def scale(g):
    return g.pick(("0.05f", "0.0625f", "0.1f"))


def zero(g):
    return g.pick(("0", "0", "3", "-5"))


def small_weight(g, ty):
    return constant(g, ("t", "int8", ty))


@recipe(2)
def round_trip(g, ty, sub):
    """dequantize(op(quantize)), which fake quantization turns around."""
    if ty[1] != "float32":
        return None
    g.discrete = True
    s, z = scale(g), zero(g)
    q = 'qnn.quantize(%s, %s, %s, out_dtype="int8")' % (sub(ty), s, z)
    form = g.pick(("{0}", "nn.relu({0})", "add({0}, {0})", "reshaped"))
    x = "qnn.dequantize(%s, %s, %s)" % (q, s, z)
    if form == "reshaped":
        form = "clip({0}, a_min=-1f, a_max=2f)"
    x = form.format(x)
    if g.chance(0.5):
        x = 'qnn.dequantize(qnn.quantize(%s, %s, %s, out_dtype="int8"), ' \
            '%s, %s)' % (x, s, z, s, z)
    return x


@recipe(2)
def quantized_sum(g, ty, sub):
    if ty[1] != "float32":
        return None
    g.discrete = True
    s1, z1, s2, z2, s3, z3 = (scale(g), zero(g), scale(g), zero(g), scale(g),
                              zero(g))
    op = g.pick(("add", "subtract", "mul"))
    call = 'qnn.%s(qnn.quantize(%s, %s, %s, out_dtype="int8"), ' \
        'qnn.quantize(%s, %s, %s, out_dtype="int8"), %s, %s, %s, %s, %s, ' \
        '%s)' % (op, sub(ty), s1, z1, sub(ty), s2, z2, s1, z1, s2, z2, s3, z3)
    if g.chance(0.4):
        call = 'qnn.requantize(%s, %s, %s, %s, %s, out_dtype="int8")' % (
            call, s3, z3, s1, z1)
        s3, z3 = s1, z1
    return "qnn.dequantize(%s, %s, %s)" % (call, s3, z3)


@recipe(2)
def quantized_dense(g, ty, sub):
    if ty[1] != "float32" or len(ty[2]) != 2:
        return None
    g.discrete = True
    s, z, k = scale(g), zero(g), g.int(1, 4)
    rows, units = ty[2]
    call = 'qnn.dense(%s, %s, %s, 0, %s, 0.05f, units=%d, ' \
        'out_dtype="int32")' % (
            'qnn.quantize(%s, %s, %s, out_dtype="int8")' % (
                sub(tensor("float32", rows, k)), s, z),
            small_weight(g, (units, k)), z, s, units)
    if g.chance(0.5):
        call = "nn.bias_add(%s, %s)" % (call, constant(g, tensor("int32",
                                                                units)))
    return 'qnn.dequantize(qnn.requantize(%s, 0.005f, 0, 0.5f, 0, ' \
        'out_dtype="int8"), 0.5f, 0)' % call


@recipe(2)
def quantized_conv2d(g, ty, sub):
    if ty[1] != "float32" or len(ty[2]) != 4:
        return None
    g.discrete = True
    s, z = scale(g), zero(g)
    n, out, h, w = ty[2]
    return 'qnn.dequantize(qnn.conv2d(%s, %s, %s, 0, %s, 0.05f, ' \
        'padding=[1, 1, 1, 1], channels=%d, kernel_size=[3, 3], ' \
        'out_dtype="int32"), 0.005f, 0)' % (
            'qnn.quantize(%s, %s, %s, out_dtype="int8")' % (
                sub(tensor("float32", n, 2, h, w)), s, z),
            small_weight(g, (out, 2, 3, 3)), z, s, out)
