"""Recipes: images, detection, random numbers, quantized operators."""

from core import NONE, Case, Float, blocks_of, layout_shape, recipe
from layers import (CONV_LAYOUTS, DATA_LAYOUTS, KERNEL_LAYOUTS, SPATIAL,
                    Window)


@recipe("image.resize1d", "image.resize2d", "image.resize3d")
def resize(g, op):
    n = int(op[-2])
    layout = g.choice(["NC" + SPATIAL[n], "N" + SPATIAL[n] + "C"] +
                      (["NCHW4c"] if n == 2 else []))
    channels = blocks_of(layout).get("C", 1) * g.randint(1, 3)
    most = 13 if n < 3 else 5
    extents = {c: g.extent(most) for c in SPATIAL[n]}
    extents.update(N=g.randint(1, 2), C=channels)
    method = g.choice(["nearest_neighbor", "linear", "cubic"])
    mode = g.choice(["half_pixel", "align_corners", "asymmetric",
                     "pytorch_half_pixel", "tf_half_pixel_for_nn",
                     "tf_crop_and_resize"])
    size = [g.randint(1, 2 * most) for _ in range(n)]
    if mode == "align_corners":
        size = [max(e, 2) for e in size]
    dtype = g.choice(["float32"] * 4 + ["float16", "uint8"])
    roi = [0.0] * n + [1.0] * n
    if mode == "tf_crop_and_resize":
        roi = [g.randint(0, 4) / 8 for _ in range(n)] + \
              [g.randint(5, 8) / 8 for _ in range(n)]
    return Case(op, [g.input("x", layout_shape(layout, extents), dtype)],
                ["%x"],
                {"size": size, "roi": [Float(r) for r in roi],
                 "layout": layout, "method": method,
                 "coordinate_transformation_mode": mode,
                 "rounding_method": g.choice(
                     ["", "round", "round_prefer_floor",
                      "round_prefer_ceil", "floor", "ceil"]),
                 "cubic_alpha": g.choice([-0.5, -0.75]),
                 "cubic_exclude": g.randint(0, 1),
                 "extrapolation_value": 0.5,
                 "out_dtype": g.choice([None, None, "float32"])}, 16)


@recipe("nn.upsampling")
def upsampling(g, op):
    layout = g.choice(["NCHW", "NHWC", "NCHW4c"])
    channels = blocks_of(layout).get("C", 1) * g.randint(1, 3)
    extents = {"N": 1, "C": channels, "H": g.extent(8), "W": g.extent(8)}
    scale = g.choice([1.0, 2.0, 3.0, 1.5, 0.5])
    return Case(op, [g.input("x", layout_shape(layout, extents),
                             "float32")], ["%x"],
                {"scale_h": scale, "scale_w": g.choice([scale, 2.0]),
                 "layout": layout,
                 "method": g.choice(["nearest_neighbor", "bilinear",
                                     "bicubic"]),
                 "align_corners": g.maybe(0.3)}, 16)


@recipe("nn.upsampling3d")
def upsampling3d(g, op):
    layout = g.choice(["NCDHW", "NDHWC"])
    extents = {"N": 1, "C": g.randint(1, 3), "D": g.extent(4),
               "H": g.extent(5), "W": g.extent(5)}
    return Case(op, [g.input("x", layout_shape(layout, extents),
                             "float32")], ["%x"],
                {"scale_d": g.choice([1.0, 2.0, 1.5]),
                 "scale_h": g.choice([1.0, 2.0, 3.0]), "scale_w": 2.0,
                 "layout": layout,
                 "method": g.choice(["nearest_neighbor", "trilinear"]),
                 "coordinate_transformation_mode": g.choice(
                     ["half_pixel", "align_corners", "asymmetric"])}, 16)


def values(name, shape, dtype, numbers):
    return [name, shape, dtype, "values " + " ".join(map(str, numbers))]


@recipe("dyn.image.resize2d")
def dyn_resize(g, op):
    case = resize(g, "image.resize2d")
    roi = [float(r) for r in case.attrs["roi"]]
    case.op = op
    case.inputs += [values("s", [2], g.index(), case.attrs["size"]),
                    values("r", [4], "float32", roi)]
    case.args += ["%s", "%r"]
    case.attrs["size"] = NONE
    case.attrs["roi"] = NONE
    return case


@recipe("dyn.nn.upsampling", "dyn.nn.upsampling3d")
def dyn_upsampling(g, op):
    deep = op.endswith("3d")
    case = upsampling3d(g, op) if deep else upsampling(g, op)
    for name in ["d", "h", "w"] if deep else ["h", "w"]:
        case.inputs.append(values(name, [], "float32",
                                  [case.attrs["scale_" + name]]))
        case.args.append("%" + name)
    return case


@recipe("image.crop_and_resize")
def crop_and_resize(g, op):
    layout = g.choice(["NCHW", "NHWC"])
    batch, boxes = g.randint(1, 3), g.randint(1, 4)
    extents = {"N": batch, "C": g.randint(1, 3), "H": g.randint(2, 9),
               "W": g.randint(2, 9)}
    flat = []
    for _ in range(boxes):
        flat += [g.randint(0, 4) / 8, g.randint(-1, 4) / 8,
                 g.randint(5, 8) / 8, g.randint(5, 9) / 8]
    return Case(op, [g.input("x", layout_shape(layout, extents), "float32"),
                     ["b", [boxes, 4], "float32",
                      "values " + " ".join(map(str, flat))],
                     ["i", [boxes], "int32", "uniform 0 %d" % (batch - 1)]],
                ["%x", "%b", "%i"],
                {"crop_size": [g.randint(2, 6), g.randint(2, 6)],
                 "layout": layout,
                 "method": g.choice(["bilinear", "nearest_neighbor"]),
                 "extrapolation_value": 0.5}, 16)


@recipe("image.affine_grid")
def affine_grid(g, op):
    return Case(op, [g.input("x", [g.randint(1, 3), 2, 3], "float32")],
                ["%x"], {"target_shape": [g.randint(2, 9),
                                          g.randint(2, 9)]}, 4)


@recipe("image.grid_sample")
def grid_sample(g, op):
    n = g.choice([2, 2, 3])
    batch = g.randint(1, 2)
    size = [g.randint(1, 6) for _ in range(n)]
    out = [g.randint(1, 6) for _ in range(n)]
    methods = ["bilinear", "nearest"] + (["bicubic"] if n == 2 else [])
    return Case(op, [g.input("x", [batch, g.randint(1, 3)] + size,
                             "float32"),
                     ["g", [batch, n] + out, "float32",
                      "uniform -1.4 1.4"]], ["%x", "%g"],
                {"method": g.choice(methods),
                 "layout": "NCHW" if n == 2 else "NCDHW",
                 "padding_mode": g.choice(["zeros", "border",
                                           "reflection"]),
                 "align_corners": g.maybe()}, 64)


# ---- detection


@recipe("vision.yolo_reorg")
def yolo_reorg(g, op):
    s = g.randint(1, 3)
    shape = [1, s * s * g.randint(1, 3), s * g.randint(1, 4),
             s * g.randint(1, 4)]
    return Case(op, [g.input("x", shape, "float32")], ["%x"], {"stride": s})


def rois(g, name, n, batch, size):
    flat = []
    for _ in range(n):
        x, y = g.randint(0, size - 1), g.randint(0, size - 1)
        flat += [g.randrange(batch), x, y, x + g.randint(0, size),
                 y + g.randint(0, size)]
    return [name, [n, 5], "float32", "values " + " ".join(map(str, flat))]


@recipe("vision.roi_align", "vision.roi_pool")
def roi(g, op):
    batch, size = g.randint(1, 2), g.randint(2, 9)
    align = op == "vision.roi_align"
    layout = g.choice(["NCHW", "NHWC"]) if align else "NCHW"
    extents = {"N": batch, "C": g.randint(1, 3), "H": size,
               "W": g.randint(2, 9)}
    attrs = {"pooled_size": [g.randint(1, 4), g.randint(1, 4)],
             "spatial_scale": g.choice([1.0, 0.5]), "layout": layout}
    if align:
        attrs["sample_ratio"] = g.choice([-1, 1, 2])
        attrs["mode"] = g.choice(["avg", "max"])
    return Case(op, [g.input("x", layout_shape(layout, extents), "float32"),
                     rois(g, "r", g.randint(1, 4), batch, size)],
                ["%x", "%r"], attrs, 8)


@recipe("vision.multibox_prior")
def multibox_prior(g, op):
    shape = [1, g.randint(1, 3), g.randint(1, 6), g.randint(1, 6)]
    return Case(op, [g.input("x", shape, "float32")], ["%x"],
                {"sizes": [Float(0.25), Float(0.5)][:g.randint(1, 2)],
                 "ratios": [Float(1), Float(2), Float(0.5)]
                 [:g.randint(1, 3)], "clip": g.maybe()}, 4)


@recipe("vision.multibox_transform_loc")
def multibox_transform(g, op):
    batch, classes, anchors = g.randint(1, 2), g.randint(2, 4), \
        g.randint(1, 8)
    return Case(op, [["p", [batch, classes, anchors], "float32",
                      "distinct 0 1"],
                     ["l", [batch, anchors * 4], "float32",
                      "uniform -1 1"],
                     ["a", [1, anchors, 4], "float32",
                      "values 0.1 0.1 0.5 0.6 0.2 0.3 0.9 0.8"]],
                ["%p", "%l", "%a"],
                {"clip": g.maybe(), "threshold": 0.0}, 16)


@recipe("vision.get_valid_counts")
def valid_counts(g, op):
    threshold = g.randint(0, 9) / 10
    return Case(op, [["x", [g.randint(1, 3), g.randint(1, 9), 6], "float32",
                      "uniform -0.2 1"], ["t", [], "float32",
                                          "values %g" % threshold]],
                ["%x", "%t"], {"score_threshold": threshold,
                               "id_index": g.choice([0, -1]),
                               "score_index": 1})


@recipe("vision.non_max_suppression")
def nms(g, op):
    batch, n = g.randint(1, 2), g.randint(1, 9)
    indices = " ".join(str(k) for k in range(n))
    flat = []
    for k in range(batch * n):
        x, y = g.randint(0, 6), g.randint(0, 6)
        flat += [g.randint(0, 2), (k * 7 % 31 + 1) / 32, x, y,
                 x + g.randint(1, 6), y + g.randint(1, 6)]
    return Case(op, [["x", [batch, n, 6], "float32",
                      "values " + " ".join(map(str, flat))],
                     ["c", [batch], "int32", "uniform 0 %d" % n],
                     ["i", [batch, n], "int32", "values " + indices],
                     ["m", [], "int32", "values %d" % g.randint(-1, 5)],
                     ["t", [], "float32", "values 0.3"]],
                ["%x", "%c", "%i", "%m", "%t"],
                {"force_suppress": g.maybe(),
                 "top_k": g.choice([-1, -1, 3]),
                 "return_indices": g.maybe(),
                 "invalid_to_bottom": g.maybe()})


@recipe("vision.all_class_non_max_suppression")
def all_class_nms(g, op):
    batch, classes, n = g.randint(1, 2), g.randint(1, 3), g.randint(1, 8)
    flat = []
    for _ in range(batch * n):
        x, y = g.randint(0, 6), g.randint(0, 6)
        flat += [y, x, y + g.randint(1, 6), x + g.randint(1, 6)]
    return Case(op, [["b", [batch, n, 4], "float32",
                      "values " + " ".join(map(str, flat))],
                     ["s", [batch, classes, n], "float32", "distinct 0 1"],
                     ["m", [], "int64", "values %d" % g.randint(0, 5)],
                     ["t", [], "float32", "values 0.4"],
                     ["o", [], "float32", "values 0.2"]],
                ["%b", "%s", "%m", "%t", "%o"],
                {"output_format": "tensorflow"})


@recipe("vision.regular_non_max_suppression")
def regular_nms(g, op):
    batch, classes, n = 1, g.randint(1, 3), g.randint(2, 8)
    flat = []
    for _ in range(batch * n):
        x, y = g.randint(0, 6), g.randint(0, 6)
        flat += [y, x, y + g.randint(1, 6), x + g.randint(1, 6)]
    return Case(op, [["b", [batch, n, 4], "float32",
                      "values " + " ".join(map(str, flat))],
                     ["s", [batch, n, classes], "float32", "distinct 0 1"]],
                ["%b", "%s"],
                {"max_detections_per_class": g.randint(1, 4),
                 "max_detections": g.randint(1, 6), "num_classes": classes,
                 "iou_threshold": 0.5, "score_threshold": 0.1})


@recipe("vision.proposal")
def proposal(g, op):
    h, w = g.randint(1, 4), g.randint(1, 4)
    return Case(op, [["c", [1, 12, h, w], "float32", "distinct 0 1"],
                     ["b", [1, 24, h, w], "float32", "uniform -0.5 0.5"],
                     ["i", [1, 3], "float32", "values 64 64 1"]],
                ["%c", "%b", "%i"],
                {"scales": [Float(2), Float(4)],
                 "ratios": [Float(0.5), Float(1), Float(2)],
                 "feature_stride": 16, "threshold": 0.7,
                 "rpn_pre_nms_top_n": 20, "rpn_post_nms_top_n": 5,
                 "rpn_min_size": 4, "iou_loss": False}, 16)


# ---- random


def key(g):
    word = [str(g.randrange(1 << 40)) for _ in range(4)]
    return ["k", [10], "uint64",
            "values " + " ".join(word + ["0", "0", "0", str(
                g.randrange(1000)), "9223372036854775808", "0"])]


@recipe("random.threefry_split")
def threefry_split(g, op):
    return Case(op, [key(g)], ["%k"])


@recipe("random.threefry_generate")
def threefry_generate(g, op):
    return Case(op, [key(g)], ["%k"], {"out_shape": g.full(1, 3, 300)})


@recipe("random.uniform", "random.normal")
def distribution(g, op):
    dtype = g.choice(["float32", "float64"])
    return Case(op, [key(g), g.input("a", [], dtype),
                     ["b", [], dtype, "uniform 2 3"]], ["%k", "%a", "%b"],
                {"out_shape": g.full(1, 3, 300), "out_dtype": dtype}, 16)


@recipe("random.multinomial")
def multinomial(g, op):
    return Case(op, [key(g), ["p", g.full(1, 2, 100), "float32",
                              "uniform 0.1 1"]], ["%k", "%p"],
                {"num_samples": g.randint(1, 9)})


# ---- quantized


def scale(g):
    return "%gf" % (g.randint(1, 60) / 64)


def zero(g, dtype):
    return str(g.randint(0, 9) if dtype[0] == "u" else g.randint(-9, 9))


def quantized(g):
    return g.choice(["int8", "int8", "uint8", "int16", "int32"])


def codes(g, name, shape, dtype):
    fill = "uniform 0 200" if dtype == "uint8" else "uniform -100 100"
    return [name, shape, dtype, fill]


@recipe("qnn.quantize")
def quantize(g, op):
    shape = g.shape(1)
    dtype = quantized(g)
    if g.maybe(0.3) and shape and shape[-1]:
        axis = g.axis(len(shape))
        if not shape[axis]:
            axis = -1
        return Case(op, [g.input("x", shape, "float32", -40, 40),
                         ["s", [shape[axis]], "float32", "uniform 0.1 1"],
                         ["z", [shape[axis]], "int32", "uniform 0 9"]],
                    ["%x", "%s", "%z"], {"out_dtype": dtype, "axis": axis})
    return Case(op, [g.input("x", shape, "float32", -40, 40)],
                ["%x", scale(g), zero(g, dtype)], {"out_dtype": dtype})


@recipe("qnn.dequantize")
def dequantize(g, op):
    shape = g.shape(1)
    dtype = quantized(g)
    if g.maybe(0.3):
        axis = g.axis(len(shape))
        return Case(op, [codes(g, "x", shape, dtype),
                         ["s", [shape[axis]], "float32", "uniform 0.1 1"],
                         ["z", [shape[axis]], "int32", "uniform 0 9"]],
                    ["%x", "%s", "%z"],
                    {"out_dtype": "float32", "axis": axis})
    return Case(op, [codes(g, "x", shape, dtype)],
                ["%x", scale(g), zero(g, dtype)],
                {"out_dtype": g.choice(["float32", "float16"])})


@recipe("qnn.requantize")
def requantize(g, op):
    dtype = g.choice(["int32", "int32", "int8", "uint8"])
    out = g.choice(["int8", "uint8", "int32", "int16"])
    return Case(op, [codes(g, "x", g.shape(1), dtype)],
                ["%x", scale(g), zero(g, dtype), scale(g), zero(g, out)],
                {"rounding": g.choice(["UPWARD", "TONEAREST", "None"]),
                 "compute_dtype": g.choice(["None", "int64", "float32",
                                            "float64"]),
                 "out_dtype": out})


@recipe("qnn.abs", "qnn.erf", "qnn.exp", "qnn.hardswish", "qnn.log",
        "qnn.rsqrt", "qnn.sigmoid", "qnn.sqrt", "qnn.tanh",
        "qnn.leaky_relu", "qnn.softmax")
def quantized_unary(g, op):
    dtype = g.choice(["int8", "uint8"])
    shape = g.full(1)
    low = zero(g, dtype)
    fill = "uniform %d %d" % (int(low) + 1, 100)
    attrs = {}
    if op == "qnn.leaky_relu":
        attrs["alpha"] = 0.25
    if op == "qnn.softmax":
        attrs["axis"] = -1
        dtype = "int8"
    return Case(op, [["x", shape, dtype, fill]],
                ["%x", scale(g), low, scale(g), zero(g, dtype)], attrs)


@recipe("qnn.add", "qnn.subtract", "qnn.mul")
def quantized_binary(g, op):
    dtype = g.choice(["int8", "uint8"])
    shape = g.shape(1)
    return Case(op, [codes(g, "x", shape, dtype),
                     codes(g, "y", g.partner(shape), dtype)],
                ["%x", "%y"] + [f for _ in range(3)
                                for f in (scale(g), zero(g, dtype))])


@recipe("qnn.concatenate")
def quantized_concatenate(g, op):
    shape = g.shape(1)
    axis = g.axis(len(shape))
    dtype = g.choice(["int8", "uint8"])
    inputs = []
    for i in range(g.randint(1, 4)):
        own = list(shape)
        own[axis] = g.extent()
        inputs.append(codes(g, "x%d" % i, own, dtype))
    return Case(op, inputs,
                [["%" + i[0] for i in inputs], [scale(g) for _ in inputs],
                 [zero(g, dtype) for _ in inputs], scale(g),
                 zero(g, dtype)], {"axis": axis})


@recipe("qnn.dense")
def quantized_dense(g, op):
    k, units = g.extent(), g.extent()
    a = g.choice(["int8", "uint8"])
    inputs = [codes(g, "x", [g.extent(), k], a),
              codes(g, "w", [units, k], "int8")]
    return Case(op, inputs, ["%x", "%w", zero(g, a), zero(g, "int8"),
                             scale(g), scale(g)],
                {"units": units, "out_dtype": "int32"})


@recipe("qnn.contrib_dense_pack")
def quantized_dense_pack(g, op):
    k, n = 4 * g.randint(1, 4), g.randint(1, 2)
    return Case(op, [codes(g, "x", [g.extent(), k], "uint8"),
                     codes(g, "w", [n, k // 4, 16, 4], "int8")],
                ["%x", "%w", zero(g, "uint8"), "0", scale(g), scale(g)],
                {"units": 16 * n, "out_dtype": "int32",
                 "weight_layout": "NC16n4c"})


@recipe("qnn.batch_matmul")
def quantized_batch_matmul(g, op):
    batch, m, k, n = g.randint(1, 3), g.extent(), g.extent(), g.extent()
    dtype = g.choice(["int8", "uint8"])
    return Case(op, [codes(g, "x", [batch, m, k], dtype),
                     codes(g, "y", [batch, n, k], dtype)],
                ["%x", "%y", zero(g, dtype), zero(g, dtype), scale(g),
                 scale(g)], {"out_dtype": "int32", "transpose_b": True})


@recipe("qnn.conv2d")
def quantized_conv(g, op):
    w = Window(g, 2)
    layout = g.choice(CONV_LAYOUTS[2][:4])
    kernel_layout = g.choice(KERNEL_LAYOUTS[2][:3])
    groups = g.choice([1, 1, 2])
    per, out = g.randint(1, 4), groups * g.randint(1, 3)
    extents = dict(zip("HW", w.extents), N=1, C=groups * per)
    kernel = dict(zip("HW", w.kernel), O=out, I=per)
    a = g.choice(["int8", "uint8"])
    if len(w.padding) == 1:
        w.padding = w.padding * 2
    return Case(op, [codes(g, "x", layout_shape(layout, extents), a),
                     codes(g, "w", layout_shape(kernel_layout, kernel),
                           "int8")],
                ["%x", "%w", zero(g, a), zero(g, "int8"), scale(g),
                 scale(g)],
                {"strides": w.stride, "padding": w.padding,
                 "dilation": w.dilation, "groups": groups, "channels": out,
                 "kernel_size": w.kernel, "data_layout": layout,
                 "kernel_layout": kernel_layout, "out_dtype": "int32"})


@recipe("qnn.conv2d_transpose")
def quantized_conv_transpose(g, op):
    w = Window(g, 2, 6, dilation=False)
    per_in, per_out = g.randint(1, 3), g.randint(1, 3)
    extents = [max(e, 3) for e in w.extents]
    a = g.choice(["int8", "uint8"])
    return Case(op, [codes(g, "x", [1, per_in] + extents, a),
                     codes(g, "w", [per_in, per_out] + w.kernel, "int8")],
                ["%x", "%w", zero(g, a), zero(g, "int8"), scale(g),
                 scale(g)],
                {"channels": per_out, "kernel_size": w.kernel,
                 "strides": w.stride, "padding": [0, 0, 0, 0],
                 "data_layout": "NCHW", "kernel_layout": "IOHW",
                 "out_dtype": "int32"})


@recipe("qnn.avg_pool2d")
def quantized_pool(g, op):
    w = Window(g, 2, dilation=False)
    layout = g.choice(DATA_LAYOUTS[2][:4])
    dtype = g.choice(["int8", "uint8"])
    extents = dict(zip("HW", w.extents), N=1, C=g.randint(1, 3))
    return Case(op, [codes(g, "x", layout_shape(layout, extents), dtype)],
                ["%x", scale(g), zero(g, dtype), scale(g), zero(g, dtype)],
                {"pool_size": w.kernel, "strides": w.stride,
                 "padding": w.padding, "layout": layout,
                 "ceil_mode": g.maybe(0.3),
                 "count_include_pad": g.maybe()})


@recipe("qnn.simulated_quantize", "qnn.simulated_dequantize")
def simulated(g, op):
    code = g.choice([0, 1, 2, 3])
    return Case(op, [g.input("x", g.shape(1), "float32", -40, 40),
                     ["t", [], "int32", "values %d" % code],
                     ["s", [], "float32", "uniform 0.2 2"],
                     ["z", [], "int32", "uniform -9 9"]],
                ["%x", "%t", "%s", "%z"],
                {"axis": -1, "out_dtype": "float32"
                 if op.endswith("dequantize") else None})


@recipe("relay.op.annotation.simulated_quantize")
def annotated(g, op):
    return Case(op, [g.input("x", g.shape(1), "float32", -40, 40),
                     ["s", [], "float32", "uniform 0.2 2"],
                     ["l", [], "float32", "uniform -9 -1"],
                     ["h", [], "float32", "uniform 1 9"]],
                ["%x", "%s", "%l", "%h"],
                {"kind": g.randint(0, 3), "sign": g.maybe()})
