"""Detection, by the definitions in words of each operator."""

import math

from harness import Tensor, box, case, num, rnd, tab, vec





def iou(a, b, one=0):
    w = max(0, min(a[2], b[2]) - max(a[0], b[0]) + one)
    h = max(0, min(a[3], b[3]) - max(a[1], b[1]) + one)
    both = w * h
    whole = ((a[2] - a[0] + one) * (a[3] - a[1] + one) +
             (b[2] - b[0] + one) * (b[3] - b[1] + one) - both)
    return both / whole if whole > 0 else 0


# Rows of class, score, left, top, right, bottom.
ROWS = [[0, 0.9, 0.1, 0.1, 0.5, 0.5], [1, 0.8, 0.1, 0.1, 0.52, 0.5],
        [0, 0.7, 0.12, 0.1, 0.5, 0.5], [0, 0.05, 0.6, 0.6, 0.9, 0.9],
        [-1, 0.95, 0.2, 0.2, 0.3, 0.3], [1, 0.6, 0.6, 0.6, 0.9, 0.9]]
boxes = Tensor((1, 6, 6), "float32", sum(ROWS, []))

valid = [i for i, r in enumerate(ROWS) if r[1] > 0.1 and r[0] >= 0]
moved = [ROWS[i] for i in valid] + [[-1] * 6] * (6 - len(valid))
case('vision.get_valid_counts(%x, %t, score_threshold=None, id_index=0, '
     'score_index=1, attrs_type_key="relay.attrs.GetValidCountsAttrs")',
     {"x": boxes, "t": num(0.1)}, vec(len(valid), dtype="int32"),
     Tensor((1, 6, 6), "float32", sum(moved, [])),
     Tensor((1, 6), "int32", valid + [-1] * (6 - len(valid))))


def nms(rows, count, limit, least, force):
    """Greedy: rows by score; a kept one drops those of its class."""
    order = sorted(range(count), key=lambda i: -rows[i][1])
    kept = []
    for i in order:
        if len(kept) != limit and not any(
                (force or rows[k][0] == rows[i][0]) and
                iou(rows[k][2:], rows[i][2:]) >= least for k in kept):
            kept.append(i)
    return kept, [list(rows[i]) if i in kept else [-1] * 6 for i in order]


for force in (False, True):
    for limit in (-1, 2):
        kept, rows = nms(moved, 4, limit, 0.5, force)
        rows += [[-1] * 6] * 2
        case('vision.non_max_suppression(%%x, %%n, %%i, %%m, %%t, '
             'force_suppress=%s, top_k=-1, coord_start=2, score_index=1, '
             'id_index=0, return_indices=False, invalid_to_bottom=False, '
             'attrs_type_key="relay.attrs.NonMaximumSuppressionAttrs")'
             % force,
             {"x": Tensor((1, 6, 6), "float32", sum(moved, [])),
              "n": vec(4, dtype="int32"),
              # Not read, so that it may be anything.
              "i": tab((1, 6), lambda b, i: i, "int32") if force
              else vec(0.5),
              "m": num(limit, "int32"), "t": num(0.5)},
             Tensor((1, 6, 6), "float32", sum(rows, [])))

CORNERS = [[0, 0, 1, 1], [0, 0.1, 1, 1.1], [0, 0.9, 1, 2], [3, 3, 4, 4]]
SCORES = [[0.9, 0.8, 0.7, 0.2], [0.3, 0.6, 0.1, 0.5]]
rows = []
for c, scores in enumerate(SCORES):
    order = [i for i in sorted(range(4), key=lambda i: -scores[i])
             if scores[i] > 0.15]
    kept = []
    for i in order:
        if len(kept) < 2 and all(iou(CORNERS[k], CORNERS[i]) < 0.5
                                 for k in kept):
            kept.append(i)
    rows += [[0, c, i] for i in kept]
case('vision.all_class_non_max_suppression(%b, %s, %m, %t, %l, '
     'output_format="onnx", '
     'attrs_type_key="relay.attrs.AllClassNonMaximumSuppressionAttrs")',
     {"b": Tensor((1, 4, 4), "float32", sum(CORNERS, [])),
      "s": Tensor((1, 2, 4), "float32", sum(SCORES, [])),
      "m": num(2, "int64"), "t": num(0.5), "l": num(0.15)},
     Tensor((8, 3), "int64", sum(rows, []) + [0] * (24 - 3 * len(rows))),
     vec(len(rows), dtype="int64"))

# Regular: classes one by one, then the best of all.
best = []
for c in range(2):
    order = [i for i in sorted(range(4), key=lambda i: -SCORES[c][i])
             if SCORES[c][i] >= 0.15]
    kept = []
    for i in order:
        if all(iou(CORNERS[k], CORNERS[i]) <= 0.5 for k in kept):
            kept.append(i)
    best += [(SCORES[c][i], c, CORNERS[i]) for i in kept[:2]]
best = sorted(best, key=lambda b: -b[0])[:3]
case('vision.regular_non_max_suppression(%b, %s, max_detections_per_class=2, '
     'max_detections=3, num_classes=2, iou_threshold=0.5f, '
     'score_threshold=0.15f, '
     'attrs_type_key="relay.attrs.RegularNonMaximumSuppressionAttrs")',
     {"b": Tensor((1, 4, 4), "float32", sum(CORNERS, [])),
      "s": tab((1, 4, 2), lambda b, i, c: SCORES[c][i])},
     Tensor((1, 3, 4), "float32", sum((b[2] for b in best), [])),
     Tensor((1, 3), "float32", [b[1] for b in best]),
     Tensor((1, 3), "float32", [b[0] for b in best]),
     vec(len(best), dtype="int32"))


def prior(h, w, sizes, ratios, steps, offsets):
    out = []
    for y, x in box(h, w):
        cx = (x + offsets[1]) * (steps[1] if steps[1] > 0 else 1 / w)
        cy = (y + offsets[0]) * (steps[0] if steps[0] > 0 else 1 / h)
        halves = [(s * h / w / 2, s / 2) for s in sizes]
        halves += [(sizes[0] * h / w * math.sqrt(r) / 2,
                    sizes[0] / math.sqrt(r) / 2) for r in ratios[1:]]
        for a, b in halves:
            out += [cx - a, cy - b, cx + a, cy + b]
    return out


for steps in ([-1, -1], [0.25, 0.2]):
    p = prior(2, 3, [0.3, 0.5], [1, 2, 0.5], steps, [0.5, 0.4])
    case("vision.multibox_prior(%%x, sizes=[0.3f, 0.5f], "
         "ratios=[1f, 2f, 0.5f], steps=[%sf, %sf], offsets=[0.5f, 0.4f])"
         % tuple(steps),
         {"x": rnd.floats((1, 2, 2, 3))},
         Tensor((1, len(p) // 4, 4), "float32", p))

prob = Tensor((1, 3, 4), "float32", [0.1, 0.8, 0.2, 0.3, 0.6, 0.1, 0.7, 0.3,
                                     0.3, 0.1, 0.1, 0.4])
loc = rnd.floats((1, 16), -0.5, 0.5)
anchors = Tensor((1, 4, 4), "float32", sum(
    [[0.1 * i, 0.1, 0.1 * i + 0.3, 0.6] for i in range(4)], []))
found = []
for i in range(4):
    c = max((1, 2), key=lambda k: prob[0, k, i])
    if prob[0, c, i] < 0.35:
        continue
    a = [anchors[0, i, k] for k in range(4)]
    w, h = a[2] - a[0], a[3] - a[1]
    x = loc[0, 4 * i] * 0.1 * w + (a[0] + a[2]) / 2
    y = loc[0, 4 * i + 1] * 0.1 * h + (a[1] + a[3]) / 2
    w *= math.exp(loc[0, 4 * i + 2] * 0.2) / 2
    h *= math.exp(loc[0, 4 * i + 3] * 0.2) / 2
    found += [c - 1, prob[0, c, i]] + [
        min(1, max(0, v)) for v in (x - w, y - h, x + w, y + h)]
case("vision.multibox_transform_loc(%p, %l, %a, clip=True, threshold=0.35f, "
     "variances=[0.1f, 0.1f, 0.2f, 0.2f], keep_background=False)",
     {"p": prob, "l": loc, "a": anchors},
     Tensor((1, 4, 6), "float32", found + [-1] * (24 - len(found))),
     vec(len(found) // 6, dtype="int32"))


def bilinear(x, n, c, y, u):
    h, w = x.shape[2:]
    if not (-1 <= y <= h and -1 <= u <= w):
        return 0
    y, u = min(max(y, 0), h - 1), min(max(u, 0), w - 1)
    y0, u0 = int(y), int(u)
    y1, u1 = min(y0 + 1, h - 1), min(u0 + 1, w - 1)
    a, b = y - y0, u - u0
    return ((1 - a) * (1 - b) * x[n, c, y0, u0] +
            (1 - a) * b * x[n, c, y0, u1] + a * (1 - b) * x[n, c, y1, u0] +
            a * b * x[n, c, y1, u1])


data = rnd.floats((2, 2, 6, 7))
rois = Tensor((2, 5), "float32", [0, 1, 1.5, 9, 8, 1, 2, 0, 12, 11])
for mode in ("avg", "max"):
    def align(r, c, i, j):
        n = int(rois[r, 0])
        x0, y0, x1, y1 = (rois[r, k] * 0.5 for k in (1, 2, 3, 4))
        h, w = max(y1 - y0, 1) / 2, max(x1 - x0, 1) / 3
        v = [bilinear(data, n, c, y0 + (i + (a + 0.5) / 2) * h,
                      x0 + (j + (b + 0.5) / 2) * w) for a, b in box(2, 2)]
        return sum(v) / 4 if mode == "avg" else max(v)
    case('vision.roi_align(%%x, %%r, pooled_size=[2, 3], spatial_scale=0.5f, '
         'sample_ratio=2, layout="NCHW", mode="%s", '
         'attrs_type_key="relay.attrs.ROIAlignAttrs")' % mode,
         {"x": data, "r": rois}, tab((2, 2, 2, 3), align))


def half_away(v):
    return math.floor(abs(v) + 0.5) * (1 if v >= 0 else -1)


def roi_pool(r, c, i, j):
    n = int(rois[r, 0])
    x0, y0, x1, y1 = (half_away(rois[r, k] * 0.5) for k in (1, 2, 3, 4))
    h, w = max(y1 - y0 + 1, 1), max(x1 - x0 + 1, 1)
    ys = range(max(0, y0 + i * h // 2), min(6, y0 - (-(i + 1) * h // 2)))
    us = range(max(0, x0 + j * w // 3), min(7, x0 - (-(j + 1) * w // 3)))
    return max([data[n, c, y, u] for y in ys for u in us], default=0)


case('vision.roi_pool(%x, %r, pooled_size=[2, 3], spatial_scale=0.5f, '
     'layout="NCHW", attrs_type_key="relay.attrs.ROIPoolAttrs")',
     {"x": data, "r": rois}, tab((2, 2, 2, 3), roi_pool))


def reorg(x, s):
    """Darknet's loop over the flat source."""
    _, c, h, w = x.shape
    out, oc = [], c // (s * s)
    for k, j, i in box(c, h, w):
        at = (k % oc, j * s + k // oc // s, i * s + k // oc % s)
        out.append(x.data[(at[0] * h * s + at[1]) * w * s + at[2]])
    return Tensor((1, c * s * s, h // s, w // s), "float32", out)


image = rnd.floats((1, 4, 4, 6))
case("vision.yolo_reorg(%x, stride=2)", {"x": image}, reorg(image, 2))


def proposal(score, delta, info, scales, ratios, stride, before, after,
             threshold, least):
    n, h, w = score.shape[1] // 2, score.shape[2], score.shape[3]
    found = []
    for y, x, k in box(h, w, n):
        r, s = ratios[k // len(scales)], scales[k % len(scales)]
        side = math.floor(math.sqrt(math.floor(stride * stride / r)) + 0.5)
        aw, ah = side * s, math.floor(side * r + 0.5) * s
        cx = 0.5 * (stride - 1) + x * stride
        cy = 0.5 * (stride - 1) + y * stride
        d = [delta[0, 4 * k + i, y, x] for i in range(4)]
        cx, cy = d[0] * aw + cx, d[1] * ah + cy
        bw, bh = math.exp(d[2]) * aw, math.exp(d[3]) * ah
        b = [cx - 0.5 * (bw - 1), cy - 0.5 * (bh - 1), cx + 0.5 * (bw - 1),
             cy + 0.5 * (bh - 1)]
        b = [min(max(v, 0), info[0, 1 - i % 2] - 1) for i, v in enumerate(b)]
        sc = score[0, n + k, y, x]
        size = least * info[0, 2]
        if b[2] - b[0] + 1 < size or b[3] - b[1] + 1 < size:
            b = [b[0] - size / 2, b[1] - size / 2, b[2] + size / 2,
                 b[3] + size / 2]
            sc = -1
        found.append((sc, b))
    found.sort(key=lambda f: -f[0])
    kept = []
    for _, b in found[:before]:
        if all(iou(k, b, 1) <= threshold for k in kept):
            kept.append(b)
    rows = [[0] + kept[i % len(kept)] for i in range(after)]
    return Tensor((after, 5), "float32", sum(rows, []))


score = Tensor((1, 4, 3, 4), "float32", [
    v / 50 for v in rnd.shuffled(48).data])
delta = rnd.floats((1, 8, 3, 4), -0.4, 0.4)
info = Tensor((1, 3), "float32", [48, 64, 1])
case('vision.proposal(%s, %d, %i, scales=[1f], ratios=[0.5f, 2f], '
     'feature_stride=16, threshold=0.4f, rpn_pre_nms_top_n=20, '
     'rpn_post_nms_top_n=7, rpn_min_size=4, iou_loss=False, '
     'attrs_type_key="relay.attrs.ProposalAttrs")',
     {"s": score, "d": delta, "i": info},
     proposal(score, delta, info, [1], [0.5, 2], 16, 20, 7, 0.4, 4),
     tol=1e-4)
