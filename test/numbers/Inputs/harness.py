"""Runs calls of operators and compares with plain Python.

A module of cases calls `case` for each: the text of a call, its inputs by
name, and what must come out, computed by the formulas that define the
operator and by nothing of the toolchain.  All cases of a module are one
network, which each engine runs once.
"""

import itertools
import math
import os
import re
import struct
import subprocess
import sys

CODES = {"float64": ("d", "<f8"), "float32": ("f", "<f4"),
         "int64": ("q", "<i8"), "int32": ("i", "<i4"), "int16": ("h", "<i2"),
         "int8": ("b", "|i1"), "uint64": ("Q", "<u8"), "uint32": ("I", "<u4"),
         "uint16": ("H", "<u2"), "uint8": ("B", "|u1"), "bool": ("?", "|b1"),
         "float16": ("e", "<f2")}
DTYPES = {code: name for name, (_, code) in CODES.items()}


class Tensor:
    """Elements in row-major order; t[i, j] is one of them."""

    def __init__(self, shape, dtype, data):
        self.shape, self.dtype = tuple(shape), dtype
        self.data = rounded(dtype, list(data))
        assert len(self.data) == math.prod(self.shape)

    def at(self, index):
        flat = 0
        for i, n in zip(index, self.shape):
            assert 0 <= i < n, (index, self.shape)
            flat = flat * n + i
        return flat

    def __getitem__(self, index):
        return self.data[self.at(index if isinstance(index, tuple)
                                 else (index,))]

    def get(self, index, outside=0):
        """The element, or OUTSIDE if there is none."""
        if all(0 <= i < n for i, n in zip(index, self.shape)):
            return self[tuple(index)]
        return outside


def rounded(dtype, data):
    if dtype in ("float32", "float16"):
        code = CODES[dtype][0]
        return [struct.unpack(code, struct.pack(code, x))[0]
                if abs(x) < 3e38 else x for x in data]
    return data


def box(*shape):
    return itertools.product(*map(range, shape))


def tab(shape, f, dtype="float32"):
    """The tensor of f(index...)."""
    return Tensor(shape, dtype, [f(*i) for i in box(*shape)])


def vec(*values, dtype="float32"):
    return Tensor((len(values),), dtype, values)


def num(value, dtype="float32"):
    return Tensor((), dtype, [value])


class Random:
    """Numbers that are the same everywhere (a linear congruence)."""

    def __init__(self, seed=1):
        self.state = seed

    def next(self):
        self.state = (self.state * 6364136223846793005 +
                      1442695040888963407) % 2**64
        return self.state >> 33

    def floats(self, shape, low=-2, high=2, dtype="float32"):
        return Tensor(shape, dtype, [
            low + (high - low) * (self.next() % 100003) / 100003
            for _ in box(*shape)])

    def ints(self, shape, low, high, dtype="int32"):
        """HIGH is not among them."""
        return Tensor(shape, dtype, [low + self.next() % (high - low)
                                     for _ in box(*shape)])

    def shuffled(self, n, dtype="int32"):
        items = list(range(n))
        for i in range(n - 1, 0, -1):
            k = self.next() % (i + 1)
            items[i], items[k] = items[k], items[i]
        return Tensor((n,), dtype, items)


rnd = Random()
CASES = []


def case(call, inputs, *outputs, tol=None):
    """CALL with %NAME for each of INPUTS gives OUTPUTS, in this order."""
    CASES.append((call, inputs, outputs, tol))


def npy(t):
    code, kind = CODES[t.dtype]
    shape = "(%s)" % "".join("%d, " % n for n in t.shape)
    head = "{'descr': '%s', 'fortran_order': False, 'shape': %s, }" % (
        kind, shape)
    head += " " * (63 - (len(head) + 10) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) +
            head.encode() + struct.pack("<%d%s" % (len(t.data), code),
                                        *t.data))


def read_npy(path):
    with open(path, "rb") as f:
        text = f.read()
    size = struct.unpack("<H", text[8:10])[0]
    head = eval(text[10:10 + size])
    dtype = DTYPES[head["descr"]]
    n = math.prod(head["shape"])
    return Tensor(head["shape"], dtype, struct.unpack(
        "<%d%s" % (n, CODES[dtype][0]), text[10 + size:]))


def type_of(t):
    if not t.shape:
        return t.dtype
    shape = ", ".join(map(str, t.shape))
    return "Tensor[(%s), %s]" % (shape, t.dtype)


def module():
    """The network, and its inputs by name."""
    lines, results, files = [], [], {}
    for k, (call, inputs, outputs, _) in enumerate(CASES):
        call = re.sub(r"%(\w+)", r"%%c%d_\1" % k, call)
        files.update(("c%d_%s" % (k, n), t) for n, t in inputs.items())
        lines.append("  let %%r%d = %s;\n" % (k, call))
        if len(outputs) == 1:
            results.append("%%r%d" % k)
        else:
            results += ["%%r%d.%d" % (k, i) for i in range(len(outputs))]
    params = ["%%%s: %s" % (n, type_of(t)) for n, t in files.items()]
    return '#[version = "0.0.5"]\ndef @main(%s) {\n%s  (%s,)\n}\n' % (
        ", ".join(params), "".join(lines), ", ".join(results)), files


def same(want, got, tol):
    if math.isnan(want) or math.isnan(got):
        return math.isnan(want) and math.isnan(got)
    if isinstance(tol, tuple):
        return abs(want - got) <= tol[0]
    return want == got or abs(want - got) <= tol * max(1, abs(want))


def compare(want, got, tol):
    if want.shape != got.shape or want.dtype != got.dtype:
        return "%s, expected %s" % (type_of(got), type_of(want))
    if tol is None:
        tol = {"float64": 1e-10, "float32": 2e-5, "float16": 2e-3}.get(
            want.dtype, 0)
    for i, (a, b) in enumerate(zip(want.data, got.data)):
        if not same(a, b, tol):
            return "element %d is %r, expected %r" % (i, b, a)
    return None


def run(folder, engine, files):
    out = os.path.join(folder, engine)
    args = ["relay-run", os.path.join(folder, "m.relay"),
            "--engine=" + engine, "--output=" + out + "/",
            "--print-output=none"]
    args += ["--input=%s=%s" % (n, os.path.join(folder, n + ".npy"))
             for n in files]
    if subprocess.run(args).returncode:
        sys.exit(1)
    n, bad = 0, 0
    for call, _, outputs, tol in CASES:
        for want in outputs:
            got = read_npy(os.path.join(out, "%d.npy" % n))
            fault = compare(want, got, tol)
            if fault:
                print("%s: %s: %s" % (engine, call, fault))
                bad += 1
            n += 1
    return bad


def main(folder, engines):
    os.makedirs(folder, exist_ok=True)
    text, files = module()
    with open(os.path.join(folder, "m.relay"), "w", encoding="utf-8") as f:
        f.write(text)
    for name, t in files.items():
        with open(os.path.join(folder, name + ".npy"), "wb") as f:
            f.write(npy(t))
    bad = sum(run(folder, engine, files) for engine in engines)
    print("%d cases, %d wrong" % (len(CASES), bad))
    sys.exit(1 if bad else 0)
