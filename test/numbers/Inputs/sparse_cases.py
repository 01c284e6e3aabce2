"""Sparse matrices, lists of places, random numbers."""

import math

from harness import Tensor, box, case, num, rnd, tab, vec

# A matrix of 4 x 6 by rows: values, columns, where rows begin.
dense = tab((4, 6), lambda i, k: (i * 7 + k * 3) % 11 - 4
            if (i + 2 * k) % 3 == 0 and i != 2 else 0)
entries = [(i, k) for i, k in box(4, 6) if dense[i, k] != 0]
csr = {"v": vec(*[dense[e] for e in entries]),
       "i": vec(*[k for _, k in entries], dtype="int32"),
       "p": vec(*[sum(e[0] < r for e in entries) for r in range(5)],
                dtype="int32")}


def product(a, b, rows, cols):
    """a * b', both (rows, k)."""
    return tab((rows, cols), lambda i, j: sum(
        a[i, k] * b[j, k] for k in range(a.shape[1])))


x = rnd.floats((3, 6))
for op in ("nn.sparse_dense", "nn.internal.sparse_dense_padded"):
    case(op + "(%x, %v, %i, %p, sparse_lhs=False)",
         dict(csr, x=x), product(x, dense, 3, 4))
case("nn.sparse_dense(%x, %v, %i, %p, sparse_lhs=True)",
     dict(csr, x=x), product(dense, x, 4, 3))
x = rnd.floats((4, 6))
case("nn.sparse_add(%x, %v, %i, %p)", dict(csr, x=x),
     tab((4, 6), lambda i, k: x[i, k] + dense[i, k]))
x = rnd.floats((1, 2, 3, 6))
case('nn.sparse_conv2d(%x, %v, %i, %p, layout="NHWC", kernel_size=[1, 1], '
     'attrs_type_key="relay.attrs.SparseConv2DAttrs")', dict(csr, x=x),
     tab((1, 2, 3, 4), lambda n, h, w, o: sum(
         x[n, h, w, k] * dense[o, k] for k in range(6))))

square = [(i, k, 1.5 * i - k) for i, k in box(4, 4)
          if (i * 5 + k) % 3 == 0]
turned = sorted((k, i, v) for i, k, v in square)
starts = lambda rows: [sum(r[0] < i for r in rows) for i in range(5)]
case("nn.sparse_transpose(%v, %i, %p)",
     {"v": vec(*[s[2] for s in square]),
      "i": vec(*[s[1] for s in square], dtype="int32"),
      "p": vec(*starts(square), dtype="int32")},
     vec(*[s[2] for s in turned]),
     vec(*[s[1] for s in turned], dtype="int32"),
     vec(*starts(turned), dtype="int32"))

# Blocks of 2 x 3: two rows of blocks.
blocks = rnd.floats((3, 2, 3))
columns, begin = [1, 0, 1], [0, 1, 3]
full = {}
for r in range(2):
    for e in range(begin[r], begin[r + 1]):
        for i, k in box(2, 3):
            full[2 * r + i, 3 * columns[e] + k] = blocks[e, i, k]
x = rnd.floats((2, 6))
case("nn.sparse_dense(%x, %v, %i, %p)",
     {"x": x, "v": blocks, "i": vec(*columns, dtype="int32"),
      "p": vec(*begin, dtype="int32")},
     tab((2, 4), lambda m, u: sum(x[m, k] * full.get((u, k), 0)
                                  for k in range(6))))

places = Tensor((3, 2), "int32", [0, 1, 2, 0, 2, 3])
case("sparse_to_dense(%p, %v, %d, output_shape=[3, 4])",
     {"p": places, "v": vec(1, 2, 3), "d": num(-1)},
     tab((3, 4), lambda i, k: {(0, 1): 1, (2, 0): 2, (2, 3): 3}.get(
         (i, k), -1)))
case("sparse_reshape(%p, %s, %n)",
     {"p": Tensor((3, 2), "int64", [0, 1, 2, 0, 2, 3]),
      "s": vec(3, 4, dtype="int64"), "n": vec(2, -1, dtype="int64")},
     Tensor((3, 2), "int64", [0, 1, 1, 2, 1, 5]), vec(2, 6, dtype="int64"))

values = [3, 1, 3, 7, 1, 1]
kinds = sorted(set(values))
case('unique(%x, sorted=True, return_counts=True, '
     'attrs_type_key="relay.attrs.UniqueAttrs")',
     {"x": vec(*values, dtype="int32")},
     vec(*kinds, 0, 0, 0, dtype="int32"),
     vec(*[values.index(k) for k in kinds], 6, 6, 6, dtype="int32"),
     vec(*[kinds.index(v) for v in values], dtype="int32"),
     vec(3, dtype="int32"),
     vec(*[values.count(k) for k in kinds], 0, 0, 0, dtype="int32"))

# The generator: Threefry of 4 x 64 bits as it is in TVM.
MASK = 2**64 - 1
ROTATIONS = ((14, 16), (52, 57), (23, 40), (5, 37), (25, 33), (46, 12),
             (58, 22), (32, 32))


def rotl(v, r):
    return (v << r | v >> 64 - r) & MASK


def threefry(key, block):
    key = list(key) + [0x1BD11BDAA9FC1A22]
    for k in key[:4]:
        key[4] ^= k
    w = list(block)
    for d in range(20):
        if d % 4 == 0:
            g = d // 4
            w = [(w[j] + key[(g + j) % 5] + (g if j == 3 else 0)) & MASK
                 for j in range(4)]
        r = ROTATIONS[d % 8]
        for p in range(2):
            a, b = w[2 * p], w[2 * p + 1]
            s = (a + b) & MASK
            w[2 * p], w[2 * p + 1] = s, (s + b & MASK) ^ rotl(b, r[p])
        w = [w[0], w[3], w[2], w[1]]
    return w


def generate(state, n):
    key, tail = state[:4], list(state[4:8])
    out = []
    for b in range(n // 4):
        out += threefry(key, [(v + b) & MASK for v in tail])
    tail[3] = (tail[3] + n // 4 * 4) & MASK
    if n % 4:
        out += threefry(key, tail)[:n % 4]
        tail[3] = (tail[3] + 4) & MASK
    return list(key) + tail + list(state[8:]), out


STATE = [11, 2**63 + 5, 3, 4, 0, 0, 0, 8, 1 << 63, 0]
state = vec(*STATE, dtype="uint64")
for n in (8, 10):
    after, words = generate(STATE, n)
    case("random.threefry_generate(%%k, out_shape=[%d])" % n, {"k": state},
         vec(*after, dtype="uint64"), vec(*words, dtype="uint64"))


def unit(word):
    return (word & 0xFFFFFFFF) >> 9


after, words = generate(STATE, 6)
case('random.uniform(%k, %l, %h, out_shape=[2, 3], out_dtype="float32")',
     {"k": state, "l": num(-1), "h": num(3)}, vec(*after, dtype="uint64"),
     Tensor((2, 3), "float32", [unit(w) / 2**23 * 4 - 1 for w in words]))

# Normal: two uniform numbers each, the first half from 1 - u.
after, words = generate(STATE, 8)
u = [unit(w) / 2**23 for w in words]
case('random.normal(%k, %m, %s, out_shape=[4], out_dtype="float32")',
     {"k": state, "m": num(0.5), "s": num(2)}, vec(*after, dtype="uint64"),
     vec(*[math.sqrt(-2 * math.log(1 - u[i])) *
           math.sin(2 * math.pi * u[4 + i]) * 2 + 0.5 for i in range(4)]),
     tol=1e-4)
after, words = generate(STATE, 6)
weights = [0.5, 0, 2, 1.5]
sums = [sum(weights[:i + 1]) / 4 for i in range(4)]
case('random.multinomial(%k, %p, num_samples=6)',
     {"k": state, "p": vec(*weights)}, vec(*after, dtype="uint64"),
     vec(*[next(i for i in range(4) if sums[i] > unit(w) / 2**23)
           for w in words], dtype="int32"))
# A path of one bit more: 0 on the left, 1 on the right.
bit = 1 << 62
case("random.threefry_split(%k)", {"k": state},
     vec(11, 2**63 + 5, 3, 4, 0, 0, 0, 8, bit, 0, dtype="uint64"),
     vec(11, 2**63 + 5, 3, 4, 1 << 63, 0, 0, 8, bit, 0, dtype="uint64"))
