"""Quantized operators, in integers and in real numbers.

Requantization goes by its fixed-point form, in integers without limit.
"""

import math
import struct

from harness import Tensor, box, case, num, rnd, tab, vec

LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-2**15, 2**15 - 1),
          "int32": (-2**31, 2**31 - 1)}


def f32(x):
    return struct.unpack("f", struct.pack("f", x))[0]


def cut(v, dtype):
    return min(max(v, LIMITS[dtype][0]), LIMITS[dtype][1])


def away(v):
    return int(math.floor(abs(v) + 0.5)) * (1 if v >= 0 else -1)


def requant(q, s_in, z_in, s_out, z_out, nearest=False):
    s_in, s_out = f32(s_in), f32(s_out)
    if s_in == s_out:
        return q - z_in + z_out
    sig, e = math.frexp(s_in / s_out)
    m = away(sig * 2**31)
    shift = 31 - e
    v = (q - z_in) * m * 2**max(-shift, 0)
    shift = max(shift, 0)
    half = 2**shift // 2
    if nearest:
        r = (abs(v) + half >> shift) * (1 if v >= 0 else -1)
    else:
        r = v + half >> shift
    return r + z_out


q = rnd.ints((3, 4), -128, 128, "int8")
u = rnd.ints((3, 4), 0, 256, "uint8")
x = rnd.floats((3, 4), -9, 9)
case('qnn.quantize(%x, 0.1f, 3, out_dtype="uint8")', {"x": x},
     tab((3, 4), lambda *i: cut(away(f32(x[i] / f32(0.1))) + 3, "uint8"),
         "uint8"))
sc, zp = vec(0.1, 0.2, 0.05, 0.4), vec(1, 2, 3, 4, dtype="int32")
case('qnn.quantize(%x, %s, %z, out_dtype="int8", axis=1)',
     {"x": x, "s": sc, "z": zp}, tab((3, 4), lambda i, k: cut(
         away(f32(x[i, k] / sc[k])) + zp[k], "int8"), "int8"))
case('qnn.dequantize(%x, 0.1f, 3, out_dtype="float32")', {"x": u},
     tab((3, 4), lambda *i: (u[i] - 3) * f32(0.1)))
case('qnn.dequantize(%x, %s, %z, out_dtype="float32", axis=1)',
     {"x": q, "s": sc, "z": zp},
     tab((3, 4), lambda i, k: (q[i, k] - zp[k]) * sc[k]))
wide = rnd.ints((3, 4), -5000, 5000)
for rounding, nearest in (("UPWARD", False), ("TONEAREST", True)):
    for a, b in ((0.1, 0.37), (0.5, 0.4), (0.7, 11.2), (3, 0.25)):
        case('qnn.requantize(%%x, %gf, 5, %gf, -2, axis=1, rounding="%s", '
             'out_dtype="int8")' % (a, b, rounding), {"x": wide},
             tab((3, 4), lambda *i: cut(requant(
                 wide[i], a, 5, b, -2, nearest), "int8"), "int8"))
    case('qnn.requantize(%%x, %%s, %%z, 0.3f, 7, axis=1, rounding="%s", '
         'out_dtype="uint8")' % rounding, {"x": wide, "s": sc, "z": zp},
         tab((3, 4), lambda i, k: cut(requant(
             wide[i, k], sc[k], zp[k], 0.3, 7, nearest), "uint8"), "uint8"))

y = rnd.ints((4,), -128, 128, "int8")
pair = "(%x, %y, 0.1f, 3, 0.25f, -4, 0.3f, 2)"
left = lambda i, k: requant(q[i, k], 0.1, 3, 0.3, 2)
right = lambda k: requant(y[k], 0.25, -4, 0.3, 2)
for op, f in (("add", lambda i, k: left(i, k) + right(k) - 2),
              ("subtract", lambda i, k: left(i, k) - right(k) + 2),
              ("mul", lambda i, k: requant(
                  (q[i, k] - 3) * (y[k] + 4), f32(f32(0.1) * f32(0.25)), 0,
                  0.3, 2))):
    case("qnn." + op + pair, {"x": q, "y": y},
         tab((3, 4), lambda i, k: cut(f(i, k), "int8"), "int8"))

p = rnd.ints((2, 4), -128, 128, "int8")
joined = tab((5, 4), lambda i, k: q[i, k] if i < 3 else cut(
    requant(p[i - 3, k], 0.3, 4, 0.1, 3), "int8"), "int8")
case("qnn.concatenate((%x, %y), (0.1f, 0.3f), (3, 4), 0.1f, 3, axis=0)",
     {"x": q, "y": p}, joined)

# Products.
w = rnd.ints((2, 4), -128, 128, "int8")
case('qnn.dense(%x, %w, 3, -2, 0.1f, 0.2f, units=2, out_dtype="int32")',
     {"x": q, "w": w}, tab((3, 2), lambda i, o: sum(
         (q[i, k] - 3) * (w[o, k] + 2) for k in range(4)), "int32"))
case('qnn.contrib_dense_pack(%x, %w, 3, -2, 0.1f, 0.2f, units=2, '
     'out_dtype="int32", weight_layout="NC2n2c")',
     {"x": q, "w": tab((1, 2, 2, 2), lambda n, c, a, b: w[a, 2 * c + b],
                       "int8")}, tab((3, 2), lambda i, o: sum(
         (q[i, k] - 3) * (w[o, k] + 2) for k in range(4)), "int32"))
a, b = rnd.ints((2, 3, 4), -128, 128, "int8"), rnd.ints((2, 2, 4), -128, 128,
                                                        "int8")
case('qnn.batch_matmul(%a, %b, 1, 2, 0.1f, 0.2f, transpose_b=True, '
     'out_dtype="int32")',
     {"a": a, "b": b}, tab((2, 3, 2), lambda n, i, j: sum(
         (a[n, i, k] - 1) * (b[n, j, k] - 2) for k in range(4)), "int32"))
d = rnd.ints((1, 2, 5, 5), 0, 256, "uint8")
w = rnd.ints((3, 2, 3, 3), -128, 128, "int8")
case('qnn.conv2d(%d, %w, 11, -2, 0.1f, 0.2f, padding=[1, 1, 1, 1], '
     'strides=[2, 1], channels=3, kernel_size=[3, 3], out_dtype="int32")',
     {"d": d, "w": w}, tab((1, 3, 3, 5), lambda n, o, y, v: sum(
         (d.get((0, i, 2 * y + r - 1, v + s - 1), 11) - 11) *
         (w[o, i, r, s] + 2) for i, r, s in box(2, 3, 3)), "int32"))
w = rnd.ints((2, 3, 2, 2), -128, 128, "int8")
case('qnn.conv2d_transpose(%d, %w, 11, -2, 0.1f, 0.2f, strides=[2, 2], '
     'channels=3, kernel_size=[2, 2], out_dtype="int32")',
     {"d": d, "w": w}, tab((1, 3, 10, 10), lambda n, o, y, v: sum(
         (d[0, i, y // 2, v // 2] - 11) * (w[i, o, y % 2, v % 2] + 2)
         for i in range(2)), "int32"))


def pooled(n, c, y, v):
    total = sum(requant(d[n, c, 2 * y + r, 2 * v + s], 0.5, 3, 0.4, 1)
                for r, s in box(2, 2))
    return cut(int(total / 4), "uint8")


case("qnn.avg_pool2d(%d, 0.5f, 3, 0.4f, 1, pool_size=[2, 2], strides=[2, 2])",
     {"d": d}, tab((1, 2, 2, 2), pooled, "uint8"))

# Functions of the real value; a last bit may decide.
for op, f, low in (("abs", abs, -128), ("erf", math.erf, -128),
                   ("exp", math.exp, -128),
                   ("sigmoid", lambda v: 1 / (1 + math.exp(-v)), -128),
                   ("tanh", math.tanh, -128), ("log", math.log, 6),
                   ("sqrt", math.sqrt, 6), ("rsqrt", lambda v: v**-0.5, 6),
                   ("hardswish", lambda v: v * min(max(v + 3, 0), 6) / 6,
                    -128)):
    x = rnd.ints((40,), low, 128, "int8")
    case("qnn.%s(%%x, 0.05f, 5, 0.04f, -3)" % op, {"x": x},
         tab((40,), lambda i: cut(away(f((x[i] - 5) * f32(0.05)) /
                                       f32(0.04)) - 3, "int8"), "int8"),
         tol=(1,))


def fixed(v, real):
    sig, e = math.frexp(real)
    m, shift = away(sig * 2**31), 31 - e
    return v * m + 2**(shift - 1) >> shift


def leaky(*i):
    r = requant(q[i], 0.125, 5, 0.4, -3)
    if q[i] < 5:
        r = fixed(r, f32(0.3)) + fixed(-3, 1 - f32(0.3))
    return cut(r, "int8")


case("qnn.leaky_relu(%x, 0.125f, 5, 0.4f, -3, alpha=0.3f)", {"x": q},
     tab((3, 4), leaky, "int8"))
x = rnd.ints((2, 6), -20, 20, "int8")


def softmax(n):
    x0 = away(1 / f32(0.1))
    row = [x[n, k] for k in range(6)]
    row = [v - max(row) for v in row]
    p = [v + (v >> 1) - (v >> 4) for v in row]
    c = [min(max(int(v / -x0), 0), 20) for v in p]
    e = [((v + k * x0 >> 1) + x0) << max(c) - k for v, k in zip(p, c)]
    factor = 2**30 // sum(e)
    return [cut(requant(factor * v >> 23, 1 / 128, 0, 1 / 256, -128), "int8")
            for v in e]


rows = [softmax(n) for n in range(2)]
case("qnn.softmax(%%x, 0.1f, 4, %gf, -128, axis=1)" % (1 / 256), {"x": x},
     tab((2, 6), lambda n, k: rows[n][k], "int8"))

x = rnd.floats((3, 4), -9, 9)
one = {"x": x, "t": num(1, "int32"), "s": vec(0.1), "z": vec(3, dtype="int32")}
case("qnn.simulated_quantize(%x, %t, %s, %z)", one,
     tab((3, 4), lambda *i: cut(away(f32(x[i] / f32(0.1))) + 3, "int8")),
     tol=(1,))
case("qnn.simulated_dequantize(%x, %t, %s, %z)", one,
     tab((3, 4), lambda *i: (x[i] - 3) * f32(0.1)))
case("relay.op.annotation.simulated_quantize(%x, %s, %l, %h, kind=1)",
     {"x": x, "s": num(0.5), "l": num(-8), "h": num(7)},
     tab((3, 4), lambda *i: away(min(max(x[i] / 0.5, -8), 7)) * 0.5))

x = rnd.ints((3, 4), -2**20, 2**20)
case("fixed_point_multiply(%x, multiplier=1395864371, shift=2)", {"x": x},
     tab((3, 4), lambda *i: (x[i] * 4 * 1395864371) + 2**30 >> 31, "int32"))
case("fixed_point_multiply(%x, multiplier=1395864371, shift=-3)", {"x": x},
     tab((3, 4), lambda *i: x[i] * 1395864371 + 2**33 >> 34, "int32"))
m = rnd.ints((4,), 2**30, 2**31)
case("fixed_point_multiply_per_axis(%x, %m, %l, %r, is_lshift_required=True, "
     "is_rshift_required=True, axes=[1])",
     {"x": x, "m": m, "l": vec(1, 0, 2, 0, dtype="int32"),
      "r": vec(0, 3, 0, 1, dtype="int32")},
     tab((3, 4), lambda i, k: x[i, k] * 2**(1, 0, 2, 0)[k] * m[k] +
         2**(30 + (0, 3, 0, 1)[k]) >> 31 + (0, 3, 0, 1)[k], "int32"))
