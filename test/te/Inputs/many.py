"""Kernels of N results.

  many.py sums|fields N
"""
import sys

T = "Tensor[(16, 32), float32]"


def sums(n):
    lines = []
    for i in range(n):
        lines += ["%%%d = multiply(%%p, %gf);" % (3 * i + 1, i + 0.5),
                  "%%%d = sum(%%%d, axis=[1]);" % (3 * i + 2, 3 * i + 1),
                  "%%%d = exp(%%%d);" % (3 * i + 3, 3 * i + 2)]
    return T, lines, ["%%%d" % (3 * i + 3) for i in range(n)]


def fields(n):
    lines = ["%%1 = split(%%p, indices_or_sections=%d);" % n]
    for i in range(n):
        lines += ["%%%d = %%1.%d;" % (2 * i + 2, i),
                  "%%%d = exp(%%%d);" % (2 * i + 3, 2 * i + 2)]
    return ("Tensor[(%d), float32]" % n, lines,
            ["%%%d" % (2 * i + 3) for i in range(n)])


type_, lines, results = globals()[sys.argv[1]](int(sys.argv[2]))
print("def @main(%%x: %s) {\n  %%0 = fn (%%p: %s, Primitive=1) {" %
      (type_, type_))
print("\n".join(lines))
print("(%s)\n  };\n  %%0(%%x)\n}" % ", ".join(results))
