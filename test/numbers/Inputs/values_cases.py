"""Shapes that values decide about."""

from harness import Tensor, box, case, num, rnd, tab, vec

x = rnd.floats((2, 3))
i64 = lambda *v: vec(*v, dtype="int64")
case("dyn.reshape(%x, %s, newshape=None)", {"x": x, "s": i64(3, -1)},
     Tensor((3, 2), "float32", x.data))
case("dyn.broadcast_to(%x, %s, shape=None)", {"x": x, "s": i64(2, 2, 3)},
     tab((2, 2, 3), lambda n, i, k: x[i, k]))
case('dyn.full(%x, %s, shape=None, dtype="float32")',
     {"x": num(2.5), "s": i64(2, 2)}, tab((2, 2), lambda *i: 2.5))
case('dyn.zeros(%s, shape=None, dtype="int32")', {"s": i64(2, 1)},
     Tensor((2, 1), "int32", [0, 0]))
case('dyn.ones(%s, shape=None, dtype="int32")', {"s": i64(2, 1)},
     Tensor((2, 1), "int32", [1, 1]))
case("dyn.tile(%x, %r, reps=None)", {"x": x, "r": i64(2, 2)},
     tab((4, 6), lambda i, k: x[i % 2, k % 3]))
case("dyn.strided_slice(%x, %b, %e, %s, begin=None, end=None, strides=None, "
     "axes=None)", {"x": x, "b": i64(0, 1), "e": i64(2, 3), "s": i64(1, 1)},
     tab((2, 2), lambda i, k: x[i, k + 1]))
case('dyn.one_hot(%i, %a, %b, %d, depth=0, axis=-1, dtype="float32")',
     {"i": vec(1, 0, dtype="int32"), "a": num(1.0), "b": num(0.0),
      "d": num(3, "int32")},
     tab((2, 3), lambda i, k: k == (1, 0)[i]))
order = [sorted(range(3), key=lambda k: -x[n, k]) for n in range(2)]
case('dyn.topk(%x, %k, k=None, axis=1, ret_type="both", dtype="int32")',
     {"x": x, "k": num(2, "int32")},
     tab((2, 2), lambda n, k: x[n, order[n][k]]),
     tab((2, 2), lambda n, k: order[n][k], "int32"))
case('dyn.expand_dims(%x, %a, num_newaxis=1, '
     'attrs_type_key="relay.attrs.DynExpandDimsAttrs")',
     {"x": x, "a": num(-1, "int64")}, Tensor((2, 3, 1), "float32", x.data))
y = rnd.floats((1, 2, 1, 3))
case("dyn.squeeze(%x, %a, axis=None)", {"x": y, "a": i64(0, 2)},
     Tensor((2, 3), "float32", y.data))
case("dyn.nn.pad(%x, %w, %v, pad_width=None)",
     {"x": x, "w": Tensor((2, 2), "int64", [1, 0, 0, 2]), "v": num(9)},
     tab((3, 5), lambda i, k: x.get((i - 1, k), 9)))
z = rnd.floats((1, 1, 2, 3))
near = tab((1, 1, 4, 9), lambda n, c, h, w: z[n, c, h // 2, w // 3])
case('dyn.nn.upsampling(%x, %h, %w, scale_h=1, scale_w=1, '
     'method="nearest_neighbor")', {"x": z, "h": num(2), "w": num(3)}, near)
case('dyn.image.resize2d(%x, %s, %r, method="nearest_neighbor", '
     'coordinate_transformation_mode="asymmetric", rounding_method="floor")',
     {"x": z, "s": i64(4, 9), "r": vec(0, 0, 0, 0)}, near)
v = rnd.floats((1, 1, 2, 1, 3))
case('dyn.nn.upsampling3d(%x, %d, %h, %w, scale_d=1, scale_h=1, scale_w=1, '
     'method="nearest_neighbor", '
     'coordinate_transformation_mode="asymmetric")',
     {"x": v, "d": num(2), "h": num(3), "w": num(1)},
     tab((1, 1, 4, 3, 3), lambda n, c, d, h, w: v[n, c, d // 2, 0, w]))
case("dyn.sparse_to_dense(%i, %v, %d, %s)",
     {"i": Tensor((2, 2), "int64", [0, 1, 1, 0]), "v": vec(5, 6),
      "d": num(-1), "s": i64(2, 3)},
     tab((2, 3), lambda i, k: {(0, 1): 5, (1, 0): 6}.get((i, k), -1)))
case('arange(%a, %b, %c, start=None, stop=None, step=None, dtype="int32")',
     {"a": num(2, "int32"), "b": num(9, "int32"), "c": num(3, "int32")},
     vec(2, 5, 8, dtype="int32"))
b = Tensor((2, 3), "int32", [0, 5, 0, 1, 0, 2])
case("argwhere(%x)", {"x": b}, Tensor((3, 2), "int32", [0, 1, 1, 0, 1, 2]))
# Rows 1 and 2 are both empty, and both are marked.
case("sparse_fill_empty_rows(%i, %v, %s, %d)",
     {"i": Tensor((3, 2), "int64", [0, 1, 0, 3, 3, 2]), "v": i64(7, 8, 9),
      "s": i64(5, 4), "d": i64(-1)},
     Tensor((6, 2), "int64", [0, 1, 0, 3, 1, 0, 2, 0, 3, 2, 4, 0]),
     i64(7, 8, -1, -1, 9, -1), i64(0, 1, 1, 0, 1))
