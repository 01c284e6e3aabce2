"""Images: resampling, grids, morphology."""

import math

from harness import Tensor, box, case, rnd, tab


def half_away(v):
    return math.floor(abs(v) + 0.5) * (1 if v >= 0 else -1)


def coordinate(mode, x, n, out):
    if mode == "half_pixel":
        return (x + 0.5) * n / out - 0.5
    if mode == "align_corners":
        return x * (n - 1) / (out - 1)
    return x * n / out


def cubic(t, a=-0.5):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0


def taps(method, mode, x, n, out):
    """Pixels and weights along one axis."""
    c = coordinate(mode, x, n, out)
    i = math.floor(c)
    inside = lambda k: min(max(k, 0), n - 1)
    if method == "nearest_neighbor":
        k = half_away(c) if mode == "align_corners" else math.floor(c + 1e-5)
        return [(inside(k), 1)]
    if method == "linear":
        return [(inside(i), 1 - (c - i)), (inside(i + 1), c - i)]
    return [(inside(i + k), cubic(c - i - k)) for k in (-1, 0, 1, 2)]


def resize(x, size, method, mode):
    axes = [[taps(method, mode, o, n, out) for o in range(out)]
            for n, out in zip(x.shape[2:], size)]

    def pixel(n, c, *o):
        points = [((), 1)]
        for k, at in enumerate(o):
            points = [(p + (i,), w * v) for p, w in points
                      for i, v in axes[k][at]]
        return sum(w * x[(n, c) + p] for p, w in points)
    return tab(x.shape[:2] + tuple(size), pixel)


for rank, shape, size in ((1, (1, 2, 5), [8]), (2, (1, 2, 4, 5), [7, 3]),
                          (3, (1, 1, 3, 4, 3), [5, 3, 6])):
    x = rnd.floats(shape)
    for method in ("nearest_neighbor", "linear", "cubic"):
        for mode in ("half_pixel", "align_corners", "asymmetric"):
            roi = ", ".join(["0f"] * 2 * rank)
            case('image.resize%dd(%%x, size=%s, roi=[%s], method="%s", '
                 'coordinate_transformation_mode="%s", rounding_method="")'
                 % (rank, size, roi, method, mode),
                 {"x": x}, resize(x, size, method, mode))

x = rnd.floats((1, 2, 3, 4))
case('nn.upsampling(%x, scale_h=2f, scale_w=3f, method="bilinear", '
     'align_corners=True)',
     {"x": x}, resize(x, [6, 12], "linear", "align_corners"))
x = rnd.floats((1, 1, 2, 3, 2))
case('nn.upsampling3d(%x, scale_d=2f, scale_h=2f, scale_w=2f, '
     'method="trilinear", coordinate_transformation_mode="half_pixel")',
     {"x": x}, resize(x, [4, 6, 4], "linear", "half_pixel"))

data = rnd.floats((2, 2, 5, 6))
boxes = Tensor((3, 4), "float32", [0, 0, 1, 1, 0.1, 0.25, 0.7, 0.8, -0.2, 0.3,
                                   0.5, 1.2])
which = Tensor((3,), "int32", [1, 0, 1])


def crop(n, c, y, x):
    b = [boxes[n, k] for k in range(4)]
    y = b[0] * 4 + y * (b[2] - b[0]) * 4 / 2
    x = b[1] * 5 + x * (b[3] - b[1]) * 5 / 3
    if not (0 <= y <= 4 and 0 <= x <= 5):
        return 0.25
    i, k = math.floor(y), math.floor(x)
    a, d = y - i, x - k
    at = lambda p, q: data[which[n], c, min(p, 4), min(q, 5)]
    return ((1 - a) * ((1 - d) * at(i, k) + d * at(i, k + 1)) +
            a * ((1 - d) * at(i + 1, k) + d * at(i + 1, k + 1)))


case('image.crop_and_resize(%x, %b, %i, crop_size=[3, 4], method="bilinear", '
     'extrapolation_value=0.25f)',
     {"x": data, "b": boxes, "i": which}, tab((3, 2, 3, 4), crop))

m = rnd.floats((2, 2, 3), -1, 1)
grid = tab((2, 2, 4, 5), lambda n, k, y, x:
           m[n, k, 0] * (-1 + 2 * x / 4) + m[n, k, 1] * (-1 + 2 * y / 3) +
           m[n, k, 2])
case("image.affine_grid(%m, target_shape=[4, 5])", {"m": m}, grid, tol=1e-5)


def sample(method, padding, align):
    grid = rnd.floats((2, 2, 3, 4), -1.4, 1.4)

    def fold(v, low, high):
        span = high - low
        v = abs(v - low) % (2 * span)
        return low + min(v, 2 * span - v)

    def place(g, n):
        v = (g + 1) * (n - 1) / 2 if align else (g + 1) * n / 2 - 0.5
        if padding == "reflection":
            v = fold(v, 0, n - 1) if align else fold(v, -0.5, n - 0.5)
        return min(max(v, 0), n - 1) if padding != "zeros" else v

    def pixel(n, c, y, x):
        u, v = place(grid[n, 0, y, x], 6), place(grid[n, 1, y, x], 5)
        if method == "nearest":
            return data.get((n, c, round(v), round(u)))
        i, k = math.floor(v), math.floor(u)
        a, d = v - i, u - k
        return ((1 - a) * ((1 - d) * data.get((n, c, i, k)) +
                           d * data.get((n, c, i, k + 1))) +
                a * ((1 - d) * data.get((n, c, i + 1, k)) +
                     d * data.get((n, c, i + 1, k + 1))))
    case('image.grid_sample(%%x, %%g, method="%s", layout="NCHW", '
         'padding_mode="%s", align_corners=%s)' % (method, padding, align),
         {"x": data, "g": grid}, tab((2, 2, 3, 4), pixel), tol=1e-4)


for method in ("bilinear", "nearest"):
    for padding in ("zeros", "border", "reflection"):
        for align in (True, False):
            sample(method, padding, align)

w = rnd.floats((2, 2, 3))


def dilate(n, c, y, x):
    return max(data.get((n, c, 2 * y - 1 + 2 * i, x - 1 + k), -1e30) +
               w[c, i, k] for i, k in box(2, 3))


case("image.dilation2d(%x, %w, strides=[2, 1], padding=[1, 1, 1, 1], "
     "dilations=[2, 1])", {"x": data, "w": w}, tab((2, 2, 3, 6), dilate))
