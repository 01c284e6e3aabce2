"""Elements, reductions, shapes, indices."""

import cmath
import math
import struct

from harness import Tensor, box, case, num, rnd, tab, vec

INF, NAN = math.inf, math.nan


def away(v):
    return math.copysign(math.floor(abs(v) + 0.5), v)


FUNCTIONS = {
    "abs": (abs, -9, 9), "acos": (math.acos, -1, 1),
    "acosh": (math.acosh, 1, 9), "asin": (math.asin, -1, 1),
    "asinh": (math.asinh, -9, 9), "atan": (math.atan, -9, 9),
    "atanh": (math.atanh, -0.9, 0.9), "ceil": (math.ceil, -9, 9),
    "copy": (lambda v: v, -9, 9), "cos": (math.cos, -7, 7),
    "cosh": (math.cosh, -4, 4), "erf": (math.erf, -3, 3),
    "exp": (math.exp, -5, 5), "fast_erf": (math.erf, -3, 3),
    "fast_exp": (math.exp, -5, 5), "fast_tanh": (math.tanh, -4, 4),
    "floor": (math.floor, -9, 9), "log": (math.log, 0.1, 9),
    "log10": (math.log10, 0.1, 9), "log2": (math.log2, 0.1, 9),
    "negative": (lambda v: -v, -9, 9), "ones_like": (lambda v: 1, -9, 9),
    "round": (away, -9, 9), "rsqrt": (lambda v: v**-0.5, 0.1, 9),
    "sigmoid": (lambda v: 1 / (1 + math.exp(-v)), -6, 6),
    "sign": (lambda v: (v > 0) - (v < 0), -9, 9), "sin": (math.sin, -7, 7),
    "sinh": (math.sinh, -4, 4), "sqrt": (math.sqrt, 0, 9),
    "tan": (math.tan, -1.4, 1.4), "tanh": (math.tanh, -4, 4),
    "trunc": (math.trunc, -9, 9), "zeros_like": (lambda v: 0, -9, 9),
    "annotation.bitpack_end": (lambda v: v, -9, 9),
    "annotation.bitpack_start": (lambda v: v, -9, 9),
    "annotation.checkpoint": (lambda v: v, -9, 9),
    "annotation.stop_fusion": (lambda v: v, -9, 9),
    "on_device": (lambda v: v, -9, 9),
}
for op, (f, low, high) in FUNCTIONS.items():
    x = rnd.floats((3, 4), low, high)
    case(op + "(%x)", {"x": x}, tab((3, 4), lambda *i: f(x[i])), tol=1e-4
         if op.startswith("fast") else 1e-5)
special = vec(-INF, INF, NAN, -1, 0, 2.5, -2.5, 0.5)
for op, f in (("isnan", math.isnan), ("isinf", math.isinf),
              ("isfinite", math.isfinite)):
    case(op + "(%x)", {"x": special},
         vec(*[f(v) for v in special.data], dtype="bool"))
case("round(%x)", {"x": special}, vec(-INF, INF, NAN, -1, 0, 3, -3, 1))
case("nn.relu(%x)", {"x": special}, vec(0, INF, NAN, 0, 0, 2.5, 0, 0.5))
case("sign(%x)", {"x": special}, vec(-1, 1, NAN, -1, 0, 1, -1, 1))
case("clip(%x, a_min=-1f, a_max=2f)", {"x": special},
     vec(-1, 2, NAN, -1, 0, 2, -1, 0.5))
for op, a in (("annotation.cast_hint", 'dtype="int8", attrs_type_key='
               '"relay.attrs.CastHintAttrs"'),
              ("annotation.compiler_begin", 'compiler="c", attrs_type_key='
               '"relay.attrs.CompilerAttrs"'),
              ("annotation.compiler_end", 'compiler="c", attrs_type_key='
               '"relay.attrs.CompilerAttrs"'),
              ("device_copy", "src_virtual_device=None, "
               "dst_virtual_device=None"), ("debug", "debug_func=None")):
    case("%s(%%x, %s)" % (op, a), {"x": x}, x)

x, y = rnd.floats((2, 1, 3), -5, 5), rnd.floats((4, 3), 0.5, 5)
ARITHMETIC = {
    "add": lambda a, b: a + b, "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b, "divide": lambda a, b: a / b,
    "maximum": max, "minimum": min, "mod": math.fmod,
    "floor_divide": lambda a, b: math.floor(a / b),
    "trunc_divide": lambda a, b: math.trunc(a / b),
    "floor_mod": lambda a, b: a - math.floor(a / b) * b,
    "trunc_mod": math.fmod, "power": lambda a, b: abs(a)**b,
}
COMPARE = {
    "equal": lambda a, b: a == b, "not_equal": lambda a, b: a != b,
    "less": lambda a, b: a < b, "less_equal": lambda a, b: a <= b,
    "greater": lambda a, b: a > b, "greater_equal": lambda a, b: a >= b,
}
shape = (2, 4, 3)
for op, f in ARITHMETIC.items():
    a = "abs(%x)" if op == "power" else "%x"
    case("%s(%s, %%y)" % (op, a), {"x": x, "y": y},
         tab(shape, lambda i, j, k: f(x[i, 0, k], y[j, k])), tol=1e-4)
a = vec(1, NAN, NAN, -INF, 2, -0.0)
b = vec(NAN, 1, NAN, INF, 2, 0)
for op, f in COMPARE.items():
    case(op + "(%x, %y)", {"x": a, "y": b},
         vec(*[f(p, q) for p, q in zip(a.data, b.data)], dtype="bool"))
case("maximum(%x, %y)", {"x": a, "y": b}, vec(NAN, NAN, NAN, INF, 2, 0))
case("minimum(%x, %y)", {"x": a, "y": b}, vec(NAN, NAN, NAN, -INF, 2, 0))

p, q = rnd.ints((3, 4), -90, 90), rnd.ints((3, 4), 1, 12)
sgn = lambda a: (a > 0) - (a < 0)
quot = lambda a, b: abs(a) // b * sgn(a)
for op, f in {"divide": quot, "trunc_divide": quot,
              "floor_divide": lambda a, b: a // b,
              "mod": lambda a, b: a - quot(a, b) * b,
              "trunc_mod": lambda a, b: a - quot(a, b) * b,
              "floor_mod": lambda a, b: a % b,
              "bitwise_and": lambda a, b: a & b,
              "bitwise_or": lambda a, b: a | b,
              "bitwise_xor": lambda a, b: a ^ b,
              "left_shift": lambda a, b: a << b,
              "right_shift": lambda a, b: a >> b}.items():
    case(op + "(%x, %y)", {"x": p, "y": q},
         tab((3, 4), lambda *i: f(p[i], q[i]), "int32"))
case("bitwise_not(%x)", {"x": p}, tab((3, 4), lambda *i: ~p[i], "int32"))
small = vec(120, -120, 127, -128, dtype="int8")
case("add(%x, %x)", {"x": small}, vec(-16, 16, -2, 0, dtype="int8"))
case("multiply(%x, %x)", {"x": small}, vec(64, 64, 1, 0, dtype="int8"))
case("negative(%x)", {"x": small}, vec(-120, 120, -127, -128, dtype="int8"))
s, t = rnd.ints((8,), 0, 2, "bool"), rnd.ints((8,), 0, 2, "bool")
s, t = (vec(*[bool(v) for v in w.data], dtype="bool") for w in (s, t))
for op, f in (("and", lambda a, b: a and b), ("or", lambda a, b: a or b),
              ("xor", lambda a, b: a != b)):
    case("logical_%s(%%x, %%y)" % op, {"x": s, "y": t},
         vec(*[f(a, b) for a, b in zip(s.data, t.data)], dtype="bool"))
case("logical_not(%x)", {"x": s}, vec(*[not v for v in s.data],
                                      dtype="bool"))
c = vec(2.75, -2.75, 0, 100, 0.5)
case('cast(%x, dtype="int32")', {"x": c}, vec(2, -2, 0, 100, 0,
                                              dtype="int32"))
case('cast(%x, dtype="bool")', {"x": c}, vec(True, True, False, True, True,
                                             dtype="bool"))
case('cast(%x, dtype="float16")', {"x": vec(1 / 3, 2049, 65504)},
     Tensor((3,), "float16", [1 / 3, 2048, 65504]), tol=0)
case("cast_like(%x, %y)", {"x": c, "y": num(0, "int64")},
     vec(2, -2, 0, 100, 0, dtype="int64"))
case('reinterpret(%x, dtype="int32")', {"x": c},
     vec(*[struct.unpack("i", struct.pack("f", v))[0] for v in c.data],
         dtype="int32"))
w = rnd.ints((2, 3), 0, 2)
u, v = rnd.floats((3,)), rnd.floats((2, 1))
case("where(%c, %x, %y)", {"c": w, "x": u, "y": v},
     tab((2, 3), lambda i, k: u[k] if w[i, k] else v[i, 0]))

# Reductions.
x = rnd.floats((2, 3, 4))


def folded(f, dtype="float32"):
    return tab((2, 1, 4), lambda i, j, k: f([x[i, m, k] for m in range(3)]),
               dtype)


for op, f in (("sum", sum), ("mean", lambda v: sum(v) / 3), ("max", max),
              ("min", min), ("prod", math.prod)):
    case(op + "(%x, axis=[1], keepdims=True)", {"x": x}, folded(f))
    case(op + "(%x, axis=[-2], exclude=True)", {"x": x},
         tab((3,), lambda j: (lambda v: sum(v) / 8 if op == "mean" else f(v))(
             [x[i, j, k] for i, k in box(2, 4)])))
for op, f in (("argmax", max), ("argmin", min)):
    case(op + "(%x, axis=[1], keepdims=True)", {"x": x},
         folded(lambda v: v.index(f(v)), "int32"))
    case(op + "(%x, select_last_index=True)",
         {"x": vec(1, 3, 0, 3, 0, 2)}, num(3 if f is max else 4, "int32"))
case("max(%x)", {"x": vec(-INF, -INF)}, num(-INF))
case("min(%x)", {"x": vec(1, NAN, 2)}, num(NAN))
flags = tab((2, 3), lambda i, k: i == 0 or k == 1, "bool")
case("all(%x, axis=[1])", {"x": flags}, vec(True, False, dtype="bool"))
case("any(%x, axis=[0])", {"x": flags}, vec(True, True, True, dtype="bool"))
m = folded(lambda v: sum(v) / 3)
case("variance(%x, %m, axis=[1], keepdims=True)", {"x": x, "m": m},
     folded(lambda v: sum((a - sum(v) / 3)**2 for a in v) / 3))
case("variance(%x, %m, axis=[1], keepdims=True, unbiased=True)",
     {"x": x, "m": m},
     folded(lambda v: sum((a - sum(v) / 3)**2 for a in v) / 2))
case("collapse_sum_like(%x, %y)", {"x": x, "y": rnd.floats((3, 1))},
     tab((3, 1), lambda j, _: sum(x[i, j, k] for i, k in box(2, 4))))
case('collapse_sum_to(%x, %s, shape=[3, 1], '
     'attrs_type_key="relay.attrs.InitOpAttrs")',
     {"x": x, "s": vec(3, 1, dtype="int64")},
     tab((3, 1), lambda j, _: sum(x[i, j, k] for i, k in box(2, 4))))
scan = 'attrs_type_key="relay.attrs.ScanopAttrs"'
case("cumsum(%%x, axis=1, %s)" % scan, {"x": x},
     tab((2, 3, 4), lambda i, j, k: sum(x[i, m, k] for m in range(j + 1))))
case("cumprod(%%x, axis=2, exclusive=True, %s)" % scan, {"x": x},
     tab((2, 3, 4), lambda i, j, k: math.prod(x[i, j, m] for m in range(k))))
a, b = rnd.floats((2, 3)), rnd.floats((3, 4))
case('einsum((%x, %y), equation="ij,jk->ki")', {"x": a, "y": b},
     tab((4, 2), lambda k, i: sum(a[i, j] * b[j, k] for j in range(3))))
re, im = rnd.floats((2, 6)), rnd.floats((2, 6))


def dft(inverse):
    sign = 1 if inverse else -1
    return tab((2, 6), lambda n, k: sum(
        complex(re[n, j], im[n, j]) * cmath.exp(sign * 2j * math.pi * j * k /
                                                6)
        for j in range(6)) / (6 if inverse else 1), "complex")


for inverse in (False, True):
    z = dft(inverse)
    case("dft(%%x, %%y, inverse=%s)" % inverse, {"x": re, "y": im},
         tab((2, 6), lambda *i: z[i].real), tab((2, 6), lambda *i: z[i].imag),
         tol=1e-4)
wave, win = rnd.floats((1, 10)), rnd.floats((4,), 0.5, 1)
case('stft(%x, %w, n_fft=4, hop_length=2, win_length=4, normalized=False, '
     'onesided=True, attrs_type_key="relay.attrs.StftAttrs")',
     {"x": wave, "w": win}, tab((1, 3, 4, 2), lambda n, f, t, p: sum(
         win[j] * wave[0, 2 * t + j] * (
             -math.sin(2 * math.pi * f * j / 4) if p else
             math.cos(2 * math.pi * f * j / 4)) for j in range(4))), tol=1e-4)

# Shapes.
x = rnd.floats((2, 3, 4))
flat = lambda *shape: Tensor(shape, "float32", x.data)
case("reshape(%x, newshape=[-1, 4])", {"x": x}, flat(6, 4))
case("contrib_reverse_reshape(%x, newshape=[-3, 0])", {"x": x}, flat(6, 4))
case("reshape_like(%x, %y)", {"x": x, "y": rnd.floats((4, 6))}, flat(4, 6))
case("vm.reshape_tensor(%x, %s, newshape=[4, 6])",
     {"x": x, "s": vec(4, 6, dtype="int64")}, flat(4, 6))
case("expand_dims(%x, axis=1, num_newaxis=2)", {"x": x}, flat(2, 1, 1, 3, 4))
case("squeeze(expand_dims(%x, axis=1), axis=[1])", {"x": x}, x)
case("transpose(%x, axes=[2, 0, 1])", {"x": x},
     tab((4, 2, 3), lambda a, b, c: x[b, c, a]))
l = rnd.floats((2, 4, 3))
case('layout_transform(%x, src_layout="NCW", dst_layout="NWC2c")', {"x": l},
     tab((2, 3, 2, 2), lambda n, w, c, k: l[n, 2 * c + k, w]))
k = rnd.floats((2, 16, 1, 1))
case('layout_transform(%x, src_layout="OIHW", dst_layout="OIHW4i2o2i")',
     {"x": k}, tab((1, 2, 1, 1, 4, 2, 2), lambda o, i, h, w, a, b, c:
                   k[2 * o + b, 8 * i + 2 * a + c, h, w]))
case('auto_scheduler_layout_transform(%x, src_layout="2A3B4C", '
     'dst_layout="3B2C2A2C")', {"x": x},
     tab((3, 2, 2, 2), lambda b, c, a, d: x[a, b, 2 * c + d]))
y = rnd.floats((2, 2, 4))
case("concatenate((%x, %y), axis=1)", {"x": x, "y": y},
     tab((2, 5, 4), lambda i, j, k: x[i, j, k] if j < 3 else y[i, j - 3, k]))
case("stack((%x, %x), axis=1)", {"x": x},
     tab((2, 2, 3, 4), lambda i, s, j, k: x[i, j, k]))
case("split(%x, indices_or_sections=[1, 3], axis=2)", {"x": x},
     tab((2, 3, 1), lambda i, j, k: x[i, j, k]),
     tab((2, 3, 2), lambda i, j, k: x[i, j, k + 1]),
     tab((2, 3, 1), lambda i, j, k: x[i, j, k + 3]))
case("tile(%x, reps=[2, 1, 3])", {"x": x},
     tab((4, 3, 12), lambda i, j, k: x[i % 2, j, k % 4]))
case("repeat(%x, repeats=2, axis=1)", {"x": x},
     tab((2, 6, 4), lambda i, j, k: x[i, j // 2, k]))
case("reverse(%x, axis=1)", {"x": x},
     tab((2, 3, 4), lambda i, j, k: x[i, 2 - j, k]))
n = vec(1, 3, 2, dtype="int32")
case("reverse_sequence(%x, %n, seq_axis=2, batch_axis=1)", {"x": x, "n": n},
     tab((2, 3, 4), lambda i, j, k: x[i, j, n[j] - 1 - k if k < n[j]
                                      else k]))
case("strided_slice(%x, begin=[1, 2, -1], end=[2, 0, -5], "
     "strides=[1, -1, -2])", {"x": x},
     tab((1, 2, 2), lambda i, j, k: x[1, 2 - j, 3 - 2 * k]))
z = rnd.floats((1, 2, 4))
case("strided_set(%x, %v, %b, %e, %s)",
     {"x": x, "v": z, "b": vec(1, 0, 0, dtype="int32"),
      "e": vec(2, 3, 4, dtype="int32"), "s": vec(1, 2, 1, dtype="int32")},
     tab((2, 3, 4), lambda i, j, k: z[0, j // 2, k]
         if i == 1 and j % 2 == 0 else x[i, j, k]))
case("slice_like(%x, %y, axes=[1, 2])", {"x": x, "y": rnd.floats((9, 2, 3))},
     tab((2, 2, 3), lambda *i: x[i]))
case("sliding_window(%x, axis=1, window_shape=[2, 3], strides=[1, 1])",
     {"x": x}, tab((2, 2, 2, 2, 3), lambda i, a, b, p, q: x[i, a + p, b + q]))
case('meshgrid((%x, %y), indexing="ij")', {"x": vec(1, 2), "y": vec(3, 4, 5)},
     tab((2, 3), lambda i, k: i + 1), tab((2, 3), lambda i, k: k + 3))
o = rnd.floats((3, 1))
case("broadcast_to(%x, shape=[2, 3, 4])", {"x": o},
     tab((2, 3, 4), lambda i, j, k: o[j, 0]))
case("broadcast_to_like(%x, %y)", {"x": o, "y": x},
     tab((2, 3, 4), lambda i, j, k: o[j, 0]))
case('full(%x, shape=[2, 2], dtype="int8")', {"x": num(3, "int8")},
     tab((2, 2), lambda *i: 3, "int8"))
case("full_like(%x, %y)", {"x": o, "y": num(2.5)}, tab((3, 1), lambda *i: 2.5))
case('zeros(shape=[2], dtype="int16")', {}, vec(0, 0, dtype="int16"))
case('ones(shape=[2], dtype="float16")', {}, vec(1, 1, dtype="float16"))
case('shape_of(%x, dtype="int64")', {"x": x}, vec(2, 3, 4, dtype="int64"))
case('vm.shape_of(%x, dtype="int64")', {"x": x}, vec(2, 3, 4, dtype="int64"))
case('ndarray_size(%x, dtype="int32")', {"x": x}, num(24, "int32"))

# Indices.
e = vec(2, 0, 5, -1, dtype="int32")
case('take(%x, %i, axis=1, mode="clip")', {"x": x, "i": e},
     tab((2, 4, 4), lambda i, j, k: x[i, min(max(e[j], 0), 2), k]))
case('take(%x, %i, axis=1, mode="wrap")', {"x": x, "i": e},
     tab((2, 4, 4), lambda i, j, k: x[i, e[j] % 3, k]))
g = rnd.ints((2, 2, 4), 0, 3)
case('gather(%x, %i, axis=1)', {"x": x, "i": g},
     tab((2, 2, 4), lambda i, j, k: x[i, g[i, j, k], k]))
g = Tensor((2, 3), "int32", [0, 1, 1, 2, 0, 1])
case("gather_nd(%x, %i)", {"x": x, "i": g},
     tab((3, 4), lambda p, k: x[g[0, p], g[1, p], k]))
case("adv_index((%x, %i, %j))",
     {"x": x, "i": vec(0, 1, 1, dtype="int64"),
      "j": vec(2, 0, 1, dtype="int64")},
     tab((3, 4), lambda p, k: x[(0, 1, 1)[p], (2, 0, 1)[p], k]))
case('one_hot(%i, %a, %b, depth=4, axis=-1, dtype="float32")',
     {"i": vec(1, 3, 7, dtype="int32"), "a": num(2.0), "b": num(-1.0)},
     tab((3, 4), lambda i, k: 2 if k == (1, 3, 7)[i] else -1))
i = Tensor((2, 3), "int64", [1, 0, -1, 1, 1, 0])
up = rnd.floats((2, 3))
for how, f in (("update", lambda a, b: b), ("add", lambda a, b: a + b),
               ("mul", lambda a, b: a * b), ("min", min), ("max", max)):
    d = rnd.floats((2, 4))
    v = dict(((a, b), d[a, b]) for a, b in box(2, 4))
    for a, b in box(2, 3):
        at = (a, i[a, b] % 4)
        v[at] = f(v[at], up[a, b])
    case('scatter_elements(%%x, %%i, %%u, axis=1, reduction="%s", '
         'attrs_type_key="relay.attrs.ScatterElementsAttrs")' % how,
         {"x": d, "i": i, "u": up}, tab((2, 4), lambda *p: v[p]))
d, up = rnd.floats((3, 2)), rnd.floats((4, 2))
r = Tensor((1, 4), "int64", [2, 0, 2, 1])
v = dict((p, d[p]) for p in box(3, 2))
for a, b in box(4, 2):
    v[r[0, a], b] += up[a, b]
case('scatter_nd(%x, %i, %u, mode="add", '
     'attrs_type_key="relay.attrs.ScatterNDAttrs")',
     {"x": d, "i": r, "u": up}, tab((3, 2), lambda *p: v[p]))
keys = Tensor((2, 5), "float32", [3, 1, 2, 1, 0, 5, 5, 4, 6, 4])
order = [sorted(range(5), key=lambda k: keys[n, k]) for n in range(2)]
down = [sorted(range(5), key=lambda k: -keys[n, k]) for n in range(2)]
case("sort(%x, axis=1)", {"x": keys},
     tab((2, 5), lambda n, k: keys[n, order[n][k]]))
case('argsort(%x, axis=1, is_ascend=False, dtype="int32")', {"x": keys},
     tab((2, 5), lambda n, k: down[n][k], "int32"))
case('topk(%x, k=3, axis=1, ret_type="both", dtype="int64")', {"x": keys},
     tab((2, 3), lambda n, k: keys[n, down[n][k]]),
     tab((2, 3), lambda n, k: down[n][k], "int64"))
case('searchsorted(%x, %v, right=False, dtype="int32")',
     {"x": vec(1, 3, 3, 5), "v": vec(0, 3, 4, 9)},
     vec(0, 1, 3, 4, dtype="int32"))
case('searchsorted(%x, %v, right=True, dtype="int32")',
     {"x": vec(1, 3, 3, 5), "v": vec(0, 3, 4, 9)},
     vec(0, 3, 3, 4, dtype="int32"))
valid = vec(2, 0, 1, dtype="int32")
seq = rnd.floats((2, 3, 4))
case("sequence_mask(%x, %v, mask_value=-1f, axis=0)", {"x": seq, "v": valid},
     tab((2, 3, 4), lambda t, b, k: seq[t, b, k] if t < valid[b] else -1))
case("unravel_index(%i, %s)", {"i": vec(7, 0, 11, dtype="int64"),
                               "s": vec(3, 4, dtype="int64")},
     Tensor((2, 3), "int64", [1, 0, 2, 3, 0, 3]))
case("invert_permutation(%x)", {"x": vec(2, 0, 3, 1, dtype="int32")},
     vec(1, 3, 0, 2, dtype="int32"))
sq = rnd.floats((2, 3, 4))
tri = 'attrs_type_key="relay.attrs.TriluAttrs"'
case("trilu(%%x, %%k, upper=True, %s)" % tri, {"x": sq, "k": num(1, "int32")},
     tab((2, 3, 4), lambda n, i, j: sq[n, i, j] if i + 1 <= j else 0))
case("trilu(%%x, %%k, upper=False, %s)" % tri, {"x": sq, "k": num(1, "int32")},
     tab((2, 3, 4), lambda n, i, j: sq[n, i, j] if i + 1 >= j else 0))
dg = rnd.floats((2, 3))
case("matrix_set_diag(%x, %d)", {"x": sq, "d": dg},
     tab((2, 3, 4), lambda n, i, j: dg[n, i] if i == j else sq[n, i, j]))
