"""Corners that are easily got wrong: NaN and infinity, empty lists of axes,
narrow types, axes from the end, layouts that are seldom used."""

import math

from harness import Tensor, box, case, num, rnd, tab, vec

INF, NAN = math.inf, math.nan

case("where(%c, %x, %y)",
     {"c": vec(NAN, 0, -0.0, 2), "x": vec(1, 2, 3, 4), "y": vec(5, 6, 7, 8)},
     vec(1, 6, 7, 4))
case("max(%x)", {"x": vec(1, NAN, 2)}, num(NAN))
case("max(%x)", {"x": vec(1, INF, 2)}, num(INF))
case("min(%x)", {"x": vec(INF, INF)}, num(INF))
case("argmax(%x)", {"x": vec(-INF, -INF)}, num(0, "int32"))
case("argmax(%x)", {"x": vec(-128, -128, dtype="int8")}, num(0, "int32"))
case("sign(%x)", {"x": vec(0, 7, 255, dtype="uint8")},
     vec(0, 1, 1, dtype="uint8"))
case("fixed_point_multiply(%x, multiplier=1073741824, shift=1)",
     {"x": vec(-5, 7, dtype="int32")}, vec(-5, 7, dtype="int32"))
case("invert_permutation(%x)", {"x": vec(2, 0, 1, dtype="int64")},
     vec(1, 2, 0, dtype="int64"))

# An empty list of axes stands for all of them.
x = rnd.floats((2, 3))
for op, f in (("sum", sum), ("max", max), ("min", min), ("prod", math.prod),
              ("mean", lambda v: sum(v) / 6)):
    case(op + "(%x, axis=[])", {"x": x}, num(f(x.data)))
for op, f in (("argmax", max), ("argmin", min)):
    case(op + "(%x, axis=[])", {"x": x},
         num(x.data.index(f(x.data)), "int32"))
length = math.sqrt(sum(v * v for v in x.data))
case("nn.l2_normalize(%x, eps=1e-12f, axis=[])", {"x": x},
     tab((2, 3), lambda *i: x[i] / length))
d = rnd.floats((2, 3), dtype="float64")
case("nn.l2_normalize(%x, eps=1e-12f, axis=[1])", {"x": d},
     tab((2, 3), lambda i, k: d[i, k] / math.sqrt(
         sum(d[i, m]**2 for m in range(3))), "float64"))

# Integers stay what they are: the mean is cut towards zero.
for dtype in ("int8", "uint8"):
    x = rnd.ints((1, 1, 4, 4), -128 if dtype == "int8" else 0,
                 128 if dtype == "int8" else 256, dtype)
    case("nn.avg_pool2d(%x, pool_size=[2, 2], strides=[2, 2])", {"x": x},
         tab((1, 1, 2, 2), lambda n, c, h, w: int(sum(
             x[n, c, 2 * h + r, 2 * w + s] for r, s in box(2, 2)) / 4),
             dtype))
case('scatter_elements(%x, %i, %u, axis=0, reduction="mean", '
     'attrs_type_key="relay.attrs.ScatterElementsAttrs")',
     {"x": vec(4, 9, dtype="int32"), "i": vec(1, dtype="int64"),
      "u": vec(4, dtype="int32")}, vec(4, 6, dtype="int32"))
# Updates without an index are left over.
case('scatter_elements(%x, %i, %u, axis=0, reduction="add", '
     'attrs_type_key="relay.attrs.ScatterElementsAttrs")',
     {"x": Tensor((2, 2), "float32", [1, 2, 3, 4]),
      "i": Tensor((2, 1), "int64", [1, 1]),
      "u": Tensor((3, 2), "float32", [10, 20, 30, 40, 50, 60])},
     Tensor((2, 2), "float32", [1, 2, 43, 4]))

# Double arithmetic all through.
m = rnd.floats((1, 2, 3), -1, 1, "float64")
case("image.affine_grid(%m, target_shape=[4, 5])", {"m": m},
     tab((1, 2, 4, 5), lambda n, k, y, x: m[n, k, 0] * (-1 + x / 2) +
         m[n, k, 1] * (-1 + 2 * y / 3) + m[n, k, 2], "float64"))
re, im = (rnd.floats((1, 5), dtype="float64") for _ in range(2))
angle = lambda j, k: -2 * math.pi * j * k / 5
case("dft(%x, %y, inverse=False)", {"x": re, "y": im},
     tab((1, 5), lambda n, k: sum(
         re[n, j] * math.cos(angle(j, k)) - im[n, j] * math.sin(angle(j, k))
         for j in range(5)), "float64"),
     tab((1, 5), lambda n, k: sum(
         re[n, j] * math.sin(angle(j, k)) + im[n, j] * math.cos(angle(j, k))
         for j in range(5)), "float64"))
r = rnd.floats((1, 1, 4), dtype="float64")
low = lambda o: min(max(math.floor((o + 0.5) * 4 / 8 - 0.5), 0), 3)
part = lambda o: (o + 0.5) * 4 / 8 - 0.5 - math.floor((o + 0.5) * 4 / 8 - 0.5)
case('image.resize1d(%x, size=[8], roi=[0f, 0f], method="linear", '
     'coordinate_transformation_mode="half_pixel")', {"x": r},
     tab((1, 1, 8), lambda n, c, o: r[0, 0, low(o)] * (1 - part(o)) + r[
         0, 0, min(max(math.floor((o + 0.5) * 4 / 8 - 0.5) + 1, 0), 3)] *
         part(o), "float64"))

# Axes from the end, and other axes than the usual ones.
x = rnd.floats((2, 3, 4))
case("strided_slice(%x, begin=[1], end=[3], strides=[1], axes=[-1])",
     {"x": x}, tab((2, 3, 2), lambda i, j, k: x[i, j, k + 1]))
case("sliding_window(%x, axis=-2, window_shape=[2, 2], strides=[1, 2])",
     {"x": x}, tab((2, 2, 2, 2, 2), lambda i, a, b, p, q:
                   x[i, a + p, 2 * b + q]))
x = rnd.floats((2, 3, 2, 4))
g, b = rnd.floats((4,)), rnd.floats((4,))


def group(n, h, w, c):
    v = [x[n, i, k, c // 2 * 2 + m] for i, k, m in box(3, 2, 2)]
    mean = sum(v) / 12
    var = sum((a - mean)**2 for a in v) / 12
    return (x[n, h, w, c] - mean) / math.sqrt(var + 1e-5) * g[c] + b[c]


case("nn.group_norm(%x, %g, %b, num_groups=2, axis=3)",
     {"x": x, "g": g, "b": b}, tab(x.shape, group))
case("nn.lrn(%x, size=3, axis=2, bias=2f, alpha=0.1f, beta=0.5f)", {"x": x},
     tab(x.shape, lambda n, h, w, c: x[n, h, w, c] / math.sqrt(2 + 0.1 / 3 *
         sum(x.get((n, h, v, c))**2 for v in (w - 1, w, w + 1)))))

# Layouts of weights.
x = rnd.floats((1, 4, 5, 2))
w = rnd.floats((3, 2, 2, 2))
plain = tab((1, 3, 4, 3), lambda n, h, v, o: sum(
    x[n, h + r, v + s, i] * w[o, r, s, i] for r, s, i in box(2, 2, 2)))
case('nn.conv2d(%x, %w, channels=3, kernel_size=[2, 2], data_layout="NHWC", '
     'kernel_layout="OHWI")', {"x": x, "w": w}, plain)

# Groups of moved sample points; one padding for all sides.
x, w = rnd.floats((1, 4, 4, 4)), rnd.floats((2, 2, 2, 2))
off = Tensor((1, 8, 3, 3), "float32", [0] * 72)
case("nn.deformable_conv2d(%x, %o, %w, channels=2, kernel_size=[2, 2], "
     "groups=2)", {"x": x, "o": off, "w": w},
     tab((1, 2, 3, 3), lambda n, o, h, v: sum(
         x[0, 2 * o + i, h + r, v + s] * w[o, i, r, s]
         for i, r, s in box(2, 2, 2))))
a = rnd.floats((1, 2, 3, 3))
case('nn.correlation(%a, %b, kernel_size=1, max_displacement=0, stride1=1, '
     'stride2=1, padding=[1], is_multiply=True, layout="NCHW")',
     {"a": a, "b": a}, tab((1, 1, 5, 5), lambda n, d, h, v: sum(
         a.get((0, c, h - 1, v - 1))**2 for c in range(2)) / 2))
x, w = rnd.floats((1, 1, 2, 2, 2)), rnd.floats((1, 1, 2, 3, 2))
sums = {}
for p in box(2, 2, 2):
    for q in box(2, 3, 2):
        at = (2 * p[0] + q[0], p[1] + q[1], 2 * p[2] + q[2])
        sums[at] = sums.get(at, 0) + x[(0, 0) + p] * w[(0, 0) + q]
case("nn.conv3d_transpose(%x, %w, channels=1, kernel_size=[2, 3, 2], "
     "strides=[2, 1, 2], output_padding=[1, 0, 1])", {"x": x, "w": w},
     tab((1, 1, 5, 4, 5), lambda n, c, *i: sums.get(i, 0)))
wave, win = rnd.floats((6,)), vec(1, 1, 1, 1)
case('stft(%x, %w, n_fft=4, hop_length=2, win_length=4, normalized=False, '
     'onesided=True, attrs_type_key="relay.attrs.StftAttrs")',
     {"x": wave, "w": win}, tab((3, 2, 2), lambda f, t, p: sum(
         wave[2 * t + j] * (-math.sin(2 * math.pi * f * j / 4) if p else
                            math.cos(2 * math.pi * f * j / 4))
         for j in range(4))), tol=1e-4)

# Reports of others: each of these once gave something else somewhere.
one = Tensor((1, 1, 1, 3), "float32", [1, 2, 3])
case("nn.avg_pool2d(%x, pool_size=[1, 2], strides=[1, 2], "
     "padding=[0, 0, 0, 0], ceil_mode=True, count_include_pad=True)",
     {"x": one}, Tensor((1, 1, 1, 2), "float32", [1.5, 3]))
case("concatenate((%x,), axis=1)",
     {"x": Tensor((2, 1), "int64", [6, 5])}, Tensor((2, 1), "int64", [6, 5]))
x = tab((1, 5, 2, 2, 4), lambda n, c, h, w, k: 4 * c + k + 100 * h + 1000 * w)
case('layout_transform(%x, src_layout="NCHW4c", dst_layout="NCHW2c")',
     {"x": x}, tab((1, 10, 2, 2, 2), lambda n, c, h, w, k:
                   2 * c + k + 100 * h + 1000 * w))
case('qnn.quantize(%x, 1f, 3, out_dtype="uint8")', {"x": vec(-2.5, 2.5)},
     vec(0, 6, dtype="uint8"))
four = vec(127, 128, 129, 130, dtype="uint8")
case("qnn.add(%x, %x, 0.5f, 127, 0.5f, 127, 0.5f, 127, lhs_axis=1, "
     "rhs_axis=1)", {"x": four}, vec(127, 129, 131, 133, dtype="uint8"))
case("qnn.add(%x, %y, 0.5f, 0, 0.5f, 0, 0.5f, 0)",
     {"x": Tensor((2, 2), "uint8", [1, 2, 3, 4]),
      "y": Tensor((1, 2), "uint8", [1, 1])},
     Tensor((2, 2), "uint8", [2, 3, 4, 5]))
case("add(%x, 3000000000)", {"x": num(1, "int64")}, num(3000000001, "int64"))
case("cast(cast(%x, dtype=\"bool\"), dtype=\"int32\")",
     {"x": vec(-1, 0, 7, dtype="int64")}, vec(1, 0, 1, dtype="int32"))
case("argmax(broadcast_to(%x, shape=[2i64, 3i64]), axis=[1])",
     {"x": Tensor((1, 3), "float32", [1, 5, 2])}, vec(1, 1, dtype="int64"))
d = Tensor((1, 1, 2, 3), "int8", [-1, 0, 1, 2, -3, 4])
conv = ('nn.conv2d(%d, %w, channels=1, kernel_size=[1, 1], '
        'out_dtype="int32")')
ones = 'ones(shape=[1, 1, 2, 3], dtype="int32")'
case("add(%s, where(greater_equal(%s, zeros(shape=[1, 1, 2, 3], "
     'dtype="int32")), %s, add(%s, %s)))' % (conv, conv, ones, ones, ones),
     {"d": d, "w": Tensor((1, 1, 1, 1), "int8", [1])},
     Tensor((1, 1, 2, 3), "int32", [1, 1, 2, 3, -1, 5]))
