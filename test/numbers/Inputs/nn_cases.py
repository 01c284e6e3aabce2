"""Neural networks: sums over windows, norms, losses, moved pixels."""

import math

from harness import Tensor, box, case, num, rnd, tab, vec


def conv(x, w, stride, pad, dilation, groups=1):
    """Any number of spatial axes; pad is (before, after) of each."""
    n, o, rank = x.shape[0], w.shape[0], len(stride)
    per = w.shape[1]
    out = [(x.shape[2 + k] + sum(pad[k]) - (w.shape[2 + k] - 1) *
            dilation[k] - 1) // stride[k] + 1 for k in range(rank)]

    def at(b, c, *p):
        g = c // (o // groups)
        return sum(x.get((b, g * per + i) + tuple(
            p[k] * stride[k] - pad[k][0] + q[k] * dilation[k]
            for k in range(rank))) * w[(c, i) + q]
            for i in range(per) for q in box(*w.shape[2:]))
    return tab((n, o) + tuple(out), at)


def transposed(x, w, stride, pad, extra, groups=1):
    """Every pixel puts the kernel down."""
    rank, per = len(stride), w.shape[1]
    out = [stride[k] * (x.shape[2 + k] - 1) + w.shape[2 + k] -
           sum(pad[k]) + extra[k] for k in range(rank)]
    sums = {}
    for p in box(*x.shape):
        n, i = p[:2]
        g = i // (x.shape[1] // groups)
        for o in range(per):
            for q in box(*w.shape[2:]):
                at = tuple(p[2 + k] * stride[k] - pad[k][0] + q[k]
                           for k in range(rank))
                key = (n, g * per + o) + at
                sums[key] = sums.get(key, 0) + x[p] * w[(i, o) + q]
    return tab((x.shape[0], per * groups) + tuple(out),
               lambda *i: sums.get(i, 0))


def put(x, axes, dtype=None):
    """x with its axes in this order."""
    back = [axes.index(k) for k in range(len(axes))]
    return tab([x.shape[a] for a in axes],
               lambda *i: x[tuple(i[b] for b in back)], x.dtype)


def text(v):
    return "[%s]" % ", ".join(map(str, v))


for rank, shape, kernel in ((1, (2, 4, 9), (3,)), (2, (1, 4, 7, 6), (3, 2)),
                            (3, (1, 2, 4, 5, 4), (2, 3, 2))):
    for groups in (1, 2):
        for stride, dilation in (((2,) * rank, (1,) * rank),
                                 ((1,) * rank, (2,) * rank)):
            x = rnd.floats(shape)
            w = rnd.floats((4, shape[1] // groups) + kernel)
            pad = [(1, 2)] * rank
            case("nn.conv%dd(%%x, %%w, strides=%s, padding=%s, dilation=%s, "
                 "groups=%d, channels=4, kernel_size=%s)" % (
                     rank, text(stride), text([1] * rank + [2] * rank),
                     text(dilation), groups, text(kernel)),
                 {"x": x, "w": w},
                 conv(x, w, stride, pad, dilation, groups))
        x = rnd.floats(shape)
        w = rnd.floats((shape[1], 4 // groups) + kernel)
        stride = (2,) * rank
        case("nn.conv%dd_transpose(%%x, %%w, strides=%s, padding=%s, "
             "output_padding=%s, groups=%d, channels=4, kernel_size=%s)" % (
                 rank, text(stride), text([1] * 2 * rank), text([1] * rank),
                 groups, text(kernel)),
             {"x": x, "w": w},
             transposed(x, w, stride, [(1, 1)] * rank, [1] * rank, groups))

# Other ways to lay out and to compute the same convolution.
x, w = rnd.floats((1, 8, 5, 6)), rnd.floats((8, 8, 3, 3))
plain = conv(x, w, (1, 1), [(1, 1)] * 2, (1, 1))
attrs = "padding=[1, 1], channels=8, kernel_size=[3, 3]"
case('nn.conv2d(%%x, %%w, %s, data_layout="NHWC", kernel_layout="HWIO")'
     % attrs, {"x": put(x, [0, 2, 3, 1]), "w": put(w, [2, 3, 1, 0])},
     put(plain, [0, 2, 3, 1]))
blocked = tab((1, 2, 5, 6, 4), lambda n, c, h, v, k: plain[n, 4 * c + k, h, v])
case('nn.contrib_conv2d_NCHWc(%%x, %%w, %s, data_layout="NCHW4c", '
     'kernel_layout="OIHW4i4o", out_layout="NCHW4c")' % attrs,
     {"x": tab((1, 2, 5, 6, 4), lambda n, c, h, v, k: x[n, 4 * c + k, h, v]),
      "w": tab((2, 2, 3, 3, 4, 4), lambda o, i, h, v, a, b:
               w[4 * o + b, 4 * i + a, h, v])}, blocked)
dw = rnd.floats((8, 1, 3, 3))
deep = conv(x, dw, (1, 1), [(1, 1)] * 2, (1, 1), 8)
case('nn.contrib_depthwise_conv2d_NCHWc(%%x, %%w, %s, groups=8, '
     'data_layout="NCHW4c", kernel_layout="OIHW1i4o", out_layout="NCHW4c")'
     % attrs,
     {"x": tab((1, 2, 5, 6, 4), lambda n, c, h, v, k: x[n, 4 * c + k, h, v]),
      "w": tab((2, 1, 3, 3, 1, 4), lambda o, i, h, v, a, b:
               dw[4 * o + b, 0, h, v])},
     tab((1, 2, 5, 6, 4), lambda n, c, h, v, k: deep[n, 4 * c + k, h, v]))
for tile in (2, 4, 6):
    case("nn.contrib_conv2d_winograd_without_weight_transform(%%x, "
         "nn.contrib_conv2d_winograd_weight_transform(%%w, tile_size=%d), "
         "tile_size=%d, %s)" % (tile, tile, attrs), {"x": x, "w": w}, plain,
         tol=1e-3)
for kd in (1, 3):
    x3, w3 = rnd.floats((1, 2, 4, 5, 5)), rnd.floats((3, 2, kd, 3, 3))
    case("nn.contrib_conv3d_winograd_without_weight_transform(%%x, "
         "nn.contrib_conv3d_winograd_weight_transform(%%w, tile_size=2), "
         "tile_size=2, channels=3, kernel_size=[%d, 3, 3])" % kd,
         {"x": x3, "w": w3}, conv(x3, w3, (1,) * 3, [(0, 0)] * 3, (1,) * 3),
         tol=1e-3)
case('nn.contrib_conv2d_gemm_without_weight_transform(%%x, '
     'nn.contrib_conv2d_gemm_weight_transform(%%w, tile_N=3, tile_K=4), %s, '
     'data_layout="NHWC", kernel_layout="HWIO")' % attrs,
     {"x": put(x, [0, 2, 3, 1]), "w": put(w, [2, 3, 1, 0])},
     put(plain, [0, 2, 3, 1]))
# F(2, 3) has the matrix of the textbooks up to signs and order.
g = [[1, 0, 0], [0.5, -0.5, 0.5], [0.5, 0.5, 0.5], [0, 0, 1]]
w1 = rnd.floats((2, 1, 3, 3))
case("nn.contrib_conv2d_winograd_weight_transform(%w, tile_size=2)",
     {"w": w1}, tab((4, 4, 2, 1), lambda a, b, o, i: sum(
         g[a][r] * w1[o, i, r, s] * g[b][s] for r, s in box(3, 3))))
g = [[1, 0, 0], [-2 / 9] * 3, [-2 / 9, 2 / 9, -2 / 9],
     [1 / 90, 1 / 45, 2 / 45], [1 / 90, -1 / 45, 2 / 45],
     [1 / 45, 1 / 90, 1 / 180], [1 / 45, -1 / 90, 1 / 180], [0, 0, 1]]
case("nn.contrib_conv2d_winograd_nnpack_weight_transform(%w, "
     "convolution_algorithm=1)",
     {"w": w1}, tab((2, 1, 8, 8), lambda o, i, a, b: sum(
         g[a][r] * w1[o, i, r, s] * g[b][s] for r, s in box(3, 3))))

# Gradients: what each element gets back.
x, dy = rnd.floats((1, 2, 6, 5)), rnd.floats((1, 3, 4, 5))
case('nn.conv2d_backward_weight(%g, %x, padding=[0, 1, 0, 1], channels=3, '
     'kernel_size=[3, 3], data_layout="NCHW", kernel_layout="NCHW", '
     'out_layout="OIHW", attrs_type_key="relay.attrs.Conv2DAttrs")',
     {"g": dy, "x": x}, tab((3, 2, 3, 3), lambda o, i, r, s: sum(
         dy[0, o, p, q] * x.get((0, i, p + r, q + s - 1))
         for p, q in box(4, 5))))
gr = rnd.floats((1, 2, 3, 3))


def window(p, q):
    return [(h, v) for h in range(2 * p - 1, 2 * p + 2)
            for v in range(2 * q - 1, 2 * q + 2)
            if 0 <= h < 6 and 0 <= v < 5]


def max_grad(n, c, h, v):
    return sum(gr[n, c, p, q] for p, q in box(3, 3) if (h, v) == max(
        window(p, q), key=lambda e: x[n, c, e[0], e[1]]))


def avg_grad(n, c, h, v):
    return sum(gr[n, c, p, q] / len(window(p, q)) for p, q in box(3, 3)
               if (h, v) in window(p, q))


pool = "pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1]"
case("nn.max_pool2d_grad(%%g, %%x, %s)" % pool, {"g": gr, "x": x},
     tab((1, 2, 6, 5), max_grad))
case('nn.avg_pool2d_grad(%%g, %%x, %s, '
     'attrs_type_key="relay.attrs.AvgPool2DAttrs")' % pool,
     {"g": gr, "x": x}, tab((1, 2, 6, 5), avg_grad))

# Pools.
for rank, shape in ((1, (1, 2, 9)), (2, (1, 2, 7, 8)), (3, (1, 1, 5, 6, 5))):
    x = rnd.floats(shape)

    def pooled(f, ceil, count_pad):
        out = [(n + 2 - 3 + ceil) // 2 + 1 for n in shape[2:]]

        def at(n, c, *p):
            v, total = [], 1
            for k in range(rank):
                a = 2 * p[k] - 1
                total *= min(a + 3, shape[2 + k] + 1) - a
            for q in box(*[3] * rank):
                i = (n, c) + tuple(2 * a - 1 + b for a, b in zip(p, q))
                if x.get(i, None) is not None:
                    v.append(x[i])
            return f(v, total if count_pad else len(v))
        return tab(shape[:2] + tuple(out), at)
    for ceil in (0, 1):
        attrs = "pool_size=%s, strides=%s, padding=%s, ceil_mode=%s" % (
            text([3] * rank), text([2] * rank), text([1] * 2 * rank),
            bool(ceil))
        case("nn.max_pool%dd(%%x, %s)" % (rank, attrs), {"x": x},
             pooled(lambda v, n: max(v), ceil, False))
        for include in (False, True):
            case("nn.avg_pool%dd(%%x, %s, count_include_pad=%s)" % (
                rank, attrs, include), {"x": x},
                pooled(lambda v, n: sum(v) / n, ceil, include))
    size = [2, 3, 4][:rank]

    def adaptive(f):
        def at(n, c, *p):
            r = [range(o * m // s, -(-(o + 1) * m // s))
                 for o, m, s in zip(p, shape[2:], size)]
            v = [x[(n, c) + tuple(a[i] for a, i in zip(r, q))]
                 for q in box(*map(len, r))]
            return f(v)
        return tab(shape[:2] + tuple(size), at)
    case("nn.adaptive_max_pool%dd(%%x, output_size=%s)" % (rank, text(size)),
         {"x": x}, adaptive(max))
    case("nn.adaptive_avg_pool%dd(%%x, output_size=%s)" % (rank, text(size)),
         {"x": x}, adaptive(lambda v: sum(v) / len(v)))
x = rnd.floats((2, 3, 4, 5))
plane = lambda n, c: [x[n, c, i, k] for i, k in box(4, 5)]
case("nn.global_max_pool2d(%x)", {"x": x},
     tab((2, 3, 1, 1), lambda n, c, i, k: max(plane(n, c))))
case("nn.global_avg_pool2d(%x)", {"x": x},
     tab((2, 3, 1, 1), lambda n, c, i, k: sum(plane(n, c)) / 20))

# Norms.
x = rnd.floats((2, 4, 3, 2))
g, b = rnd.floats((4,)), rnd.floats((4,))
mean, var = rnd.floats((4,)), rnd.floats((4,), 0.2, 2)


def stats(v):
    m = sum(v) / len(v)
    return m, sum((a - m)**2 for a in v) / len(v)


def normalized(over):
    def at(n, c, i, k):
        m, s = stats([x[p] for p in over(n, c, i, k)])
        return (x[n, c, i, k] - m) / math.sqrt(s + 1e-5) * g[c] + b[c]
    return tab(x.shape, at)


params = {"x": x, "g": g, "b": b}
case("nn.batch_norm(%x, %g, %b, %m, %v)", dict(params, m=mean, v=var),
     tab(x.shape, lambda n, c, i, k: (x[n, c, i, k] - mean[c]) /
         math.sqrt(var[c] + 1e-5) * g[c] + b[c]), mean, var)
case("nn.layer_norm(%x, %g, %b, axis=1)", params, normalized(
    lambda n, c, i, k: [(n, a, i, k) for a in range(4)]))
case("nn.instance_norm(%x, %g, %b)", params, normalized(
    lambda n, c, i, k: [(n, c) + p for p in box(3, 2)]))
case("nn.group_norm(%x, %g, %b, num_groups=2)", params, normalized(
    lambda n, c, i, k: [(n, c // 2 * 2 + p[0]) + p[1:]
                        for p in box(2, 3, 2)]))
case("nn.l2_normalize(%x, eps=1e-4f, axis=[1])", {"x": x},
     tab(x.shape, lambda n, c, i, k: x[n, c, i, k] / math.sqrt(max(
         1e-4, sum(x[n, a, i, k]**2 for a in range(4))))))
case("nn.lrn(%x, size=3, axis=1, bias=2f, alpha=0.1f, beta=0.75f)", {"x": x},
     tab(x.shape, lambda n, c, i, k: x[n, c, i, k] / (2 + 0.1 / 3 * sum(
         x.get((n, a, i, k))**2 for a in (c - 1, c, c + 1)))**0.75))
expsum = lambda n, i, k: sum(math.exp(x[n, a, i, k]) for a in range(4))
soft = tab(x.shape, lambda n, c, i, k:
           math.exp(x[n, c, i, k]) / expsum(n, i, k))
case("nn.softmax(%x, axis=1)", {"x": x}, soft)
case("nn.fast_softmax(%x, axis=1)", {"x": x}, soft, tol=1e-4)
case("nn.log_softmax(%x, axis=1)", {"x": x},
     tab(x.shape, lambda *i: math.log(soft[i])), tol=1e-4)
case("nn.relu(%x)", {"x": x}, tab(x.shape, lambda *i: max(0, x[i])))
case("nn.leaky_relu(%x, alpha=0.1f)", {"x": x},
     tab(x.shape, lambda *i: x[i] * (1 if x[i] > 0 else 0.1)))
case("nn.prelu(%x, %g)", {"x": x, "g": g},
     tab(x.shape, lambda *i: x[i] * (1 if x[i] > 0 else g[i[1]])))
case("nn.bias_add(%x, %g)", {"x": x, "g": g},
     tab(x.shape, lambda *i: x[i] + g[i[1]]))
case("nn.batch_flatten(%x)", {"x": x}, Tensor((2, 24), "float32", x.data))
case("nn.dropout(%x).0", {"x": x}, x)

# Products.
x, w = rnd.floats((3, 5)), rnd.floats((4, 5))
dense = tab((3, 4), lambda i, j: sum(x[i, k] * w[j, k] for k in range(5)))
case("nn.dense(%x, %w, units=4)", {"x": x, "w": w}, dense)
case("nn.matmul(%x, %w, units=4, transpose_a=True)",
     {"x": put(x, [1, 0]), "w": put(w, [1, 0])}, dense)
case('nn.contrib_dense_pack(%x, %w, units=4, weight_layout="NC2n", '
     'attrs_type_key="relay.attrs.DensePackAttrs")',
     {"x": x, "w": tab((2, 5, 2), lambda a, k, n: w[2 * a + n, k])}, dense)
x, y = rnd.floats((2, 3, 4)), rnd.floats((2, 5, 4))
case("nn.batch_matmul(%x, %y, transpose_b=True)", {"x": x, "y": y},
     tab((2, 3, 5), lambda n, i, j: sum(
         x[n, i, k] * y[n, j, k] for k in range(4))))

# Losses.
p, t = rnd.floats((3, 4), 0.1, 0.9), rnd.floats((3, 4), 0, 1)
case("nn.cross_entropy(%p, %t)", {"p": p, "t": t}, num(
    -sum(math.log(a) * b for a, b in zip(p.data, t.data)) / 3))
case("nn.cross_entropy_with_logits(%p, %t)", {"p": p, "t": t}, num(
    -sum(a * b for a, b in zip(p.data, t.data)) / 3))
target, wt = vec(1, 3, 0, dtype="int32"), rnd.floats((4,), 0.5, 2)
loss = [-p[n, target[n]] * wt[target[n]] if target[n] != 3 else 0
        for n in range(3)]
used = sum(wt[target[n]] for n in range(3) if target[n] != 3)
for how, v in (("none", vec(*loss)), ("sum", num(sum(loss))),
               ("mean", num(sum(loss) / used))):
    case('nn.nll_loss(%%p, %%t, %%w, reduction="%s", ignore_index=3)' % how,
         {"p": p, "t": target, "w": wt}, v)

# Moved pixels.
x = rnd.floats((2, 8, 4, 6))
case('nn.depth_to_space(%x, block_size=2, layout="NCHW", mode="DCR")',
     {"x": x}, tab((2, 2, 8, 12), lambda n, c, h, w: x[
         n, (h % 2 * 2 + w % 2) * 2 + c, h // 2, w // 2]))
case('nn.depth_to_space(%x, block_size=2, layout="NCHW", mode="CRD")',
     {"x": x}, tab((2, 2, 8, 12), lambda n, c, h, w: x[
         n, c * 4 + h % 2 * 2 + w % 2, h // 2, w // 2]))
case('nn.space_to_depth(%x, block_size=2, layout="NCHW")', {"x": x},
     tab((2, 32, 2, 3), lambda n, c, h, w: x[
         n, c % 8, 2 * h + c // 8 // 2, 2 * w + c // 8 % 2]))
y = rnd.floats((2, 4, 6, 1))
case("nn.space_to_batch_nd(%x, block_shape=[3, 2], "
     "paddings=[[1, 1], [0, 0]], pad_value=0.5f)", {"x": y},
     tab((12, 2, 3, 1), lambda n, h, w, c: y.get(
         (n % 2, 3 * h + n // 4 - 1, 2 * w + n // 2 % 2, c), 0.5)))
y = rnd.floats((12, 2, 3, 1))
case("nn.batch_to_space_nd(%x, block_shape=[3, 2], crops=[[1, 1], [0, 1]])",
     {"x": y}, tab((2, 4, 5, 1), lambda n, h, w, c: y[
         ((h + 1) % 3 * 2 + w % 2) * 2 + n, (h + 1) // 3, w // 2, c]))
y = rnd.floats((2, 3))
case("nn.pad(%x, %v, pad_width=[[1, 0], [2, 1]])", {"x": y, "v": num(7)},
     tab((3, 6), lambda i, k: y.get((i - 1, k - 2), 7)))
case('nn.pad(%x, %v, pad_width=[[1, 0], [2, 1]], pad_mode="edge")',
     {"x": y, "v": num(7)}, tab((3, 6), lambda i, k: y[
         max(0, i - 1), min(2, max(0, k - 2))]))
reflect = lambda i, n: n - 1 - abs(n - 1 - abs(i))
case('nn.mirror_pad(%x, mode="REFLECT", pad_width=[[1, 0], [2, 1]])',
     {"x": y}, tab((3, 6), lambda i, k: y[reflect(i - 1, 2),
                                          reflect(k - 2, 3)]))
case('nn.mirror_pad(%x, mode="SYMMETRIC", pad_width=[[1, 0], [2, 1]])',
     {"x": y}, tab((3, 6), lambda i, k: y[
         (i - 1 if i > 0 else 0), [1, 0, 0, 1, 2, 2][k]]))
case("nn.dilate(%x, strides=[2, 3], dilation_value=0.5f)", {"x": y},
     tab((3, 7), lambda i, k: y[i // 2, k // 3]
         if i % 2 == 0 and k % 3 == 0 else 0.5))
buf = rnd.floats((2, 5))
case("nn.fifo_buffer(%x, %b, axis=1)", {"x": y, "b": buf},
     tab((2, 5), lambda i, k: y[i, k - 2] if k >= 2 else buf[i, k + 3]))

# Sampling between pixels.
x, w = rnd.floats((1, 2, 5, 6)), rnd.floats((3, 2, 2, 2))
off = rnd.floats((1, 8, 4, 5), -0.9, 0.9)


def deformed(n, o, y, u):
    total = 0
    for i, r, s in box(2, 2, 2):
        k = 2 * (2 * r + s)
        a, b = y + r + off[0, k, y, u], u + s + off[0, k + 1, y, u]
        if a < 0 or b < 0 or a >= 5 or b >= 6:
            continue
        p, q = math.floor(a), math.floor(b)
        for d, e in box(2, 2):
            weight = abs(1 - d - (a - p)) * abs(1 - e - (b - q))
            total += weight * x.get((0, i, p + d, q + e)) * w[o, i, r, s]
    return total


case("nn.deformable_conv2d(%x, %o, %w, channels=3, kernel_size=[2, 2])",
     {"x": x, "o": off, "w": w}, tab((1, 3, 4, 5), deformed))
a, b = rnd.floats((1, 3, 6, 6)), rnd.floats((1, 3, 6, 6))


def correlated(n, d, y, u):
    dy, dx = d // 3 - 1, d % 3 - 1
    y, u = y + 1, u + 1
    return sum(a.get((n, c, y + r, u + s)) * b.get((n, c, y + r + dy,
                                                    u + s + dx))
               for c, r, s in box(3, 1, 1)) / 3


case('nn.correlation(%a, %b, kernel_size=1, max_displacement=1, stride1=1, '
     'stride2=1, padding=[0, 0, 0, 0], is_multiply=True, layout="NCHW")',
     {"a": a, "b": b}, tab((1, 9, 4, 4), correlated))

# Bit planes: products of small numbers.
x = rnd.ints((2, 32), 0, 4, "uint32")


def packed(n, plane, word):
    return sum((x[n, 8 * word + k] >> plane & 1) << 7 - k for k in range(8))


case('nn.bitpack(%x, bits=2, pack_axis=1, bit_axis=1, pack_type="uint8")',
     {"x": x}, tab((2, 2, 4), packed, "uint8"))
w = rnd.ints((3, 32), 0, 2, "uint32")
case('nn.bitserial_dense(%x, %w, units=3, data_bits=2, weight_bits=1, '
     'pack_dtype="uint8", out_dtype="int16", unipolar=False)',
     {"x": x, "w": w}, tab((2, 3), lambda n, o: sum(
         x[n, k] * w[o, k] for k in range(32)), "int16"))
case('nn.bitserial_dense(%x, %w, units=3, data_bits=2, weight_bits=1, '
     'pack_dtype="uint8", out_dtype="int16", unipolar=True)',
     {"x": x, "w": w}, tab((2, 3), lambda n, o: sum(
         x[n, k] * (2 * w[o, k] - 1) for k in range(32)), "int16"))
x, w = rnd.ints((1, 8, 4, 4), 0, 4, "uint32"), rnd.ints((2, 8, 3, 3), 0, 2,
                                                        "uint32")
case('nn.bitserial_conv2d(%x, %w, channels=2, kernel_size=[3, 3], '
     'padding=[1, 1], activation_bits=2, weight_bits=1, pack_dtype="uint8", '
     'out_dtype="int16", unipolar=False)',
     {"x": x, "w": w}, tab((1, 2, 4, 4), lambda n, o, h, v: sum(
         x.get((n, i, h + r - 1, v + s - 1)) * w[o, i, r, s]
         for i, r, s in box(8, 3, 3)), "int16"))
