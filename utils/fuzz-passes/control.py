"""Expressions of any type: leaves, branches, matches, functions, references.

Only bindings by let have an order in which they happen, so reading and
writing of cells stands there and nowhere else, and what is evaluated when it
is needed never sees a cell from outside."""

import core
import tensors
from core import BOOL, I32, Block, is_static, is_tensor, tensor, text

# name: parameters, and constructors with their fields
DATA = {
    "Color": ((), (("Red", ()), ("Green", (I32,)), ("Blue", ()))),
    "Maybe": (("A",), (("Nothing", ()), ("Just", (("var", "A"),)))),
    "Seq": (("A",), (("End", ()),
                     ("Link", (("var", "A"),
                               ("data", "Seq", (("var", "A"),)))))),
    "Both": (("A", "B"), (("Pair", (("var", "A"), ("var", "B"))),)),
    "Either": (("A", "B"), (("Left", (("var", "A"),)),
                            ("Right", (("var", "B"),)))),
    "Tree": (("A",), (("Tip", (("var", "A"),)),
                      ("Fork", (("data", "Tree", (("var", "A"),)),
                                ("data", "Tree", (("var", "A"),)))))),
}


def substitute(ty, names):
    if ty[0] == "var":
        return names[ty[1]]
    if ty[0] == "data":
        return ("data", ty[1], tuple(substitute(a, names) for a in ty[2]))
    if ty[0] == "tuple":
        return ("tuple", tuple(substitute(a, names) for a in ty[1]))
    if ty[0] == "fn":
        return ("fn", tuple(substitute(a, names) for a in ty[1]),
                substitute(ty[2], names))
    return ty


def constructors(ty):
    """(name, types of fields) of the data type TY."""
    params, cases = DATA[ty[1]]
    names = dict(zip(params, ty[2]))
    return [(name, [substitute(f, names) for f in fields])
            for name, fields in cases]


def simple_type(g):
    return g.tensor_type() if g.chance(0.7) else tensor("float32", 2, 3)


def data_type(g, depth=1):
    name = g.pick(sorted(DATA))
    g.types[name] = True
    args = tuple(any_type(g, depth - 1) for _ in DATA[name][0])
    return ("data", name, args)


def any_type(g, depth=2):
    if depth <= 0 or not g.functional or g.chance(0.5):
        return simple_type(g)
    kind = g.pick(("tuple", "tuple", "data", "data", "fn", "int"))
    if kind == "tuple":
        return ("tuple", tuple(any_type(g, depth - 1)
                               for _ in range(g.int(0, 3))))
    if kind == "data":
        return data_type(g, depth)
    if kind == "fn":
        return ("fn", tuple(any_type(g, depth - 1)
                            for _ in range(g.int(0, 2))),
                any_type(g, depth - 1))
    return I32


# ------------------------------------------------------------------- leaves --

def projections(scope, ty):
    return ["%s.%d" % (name, i) for name, t in scope if t[0] == "tuple"
            for i, field in enumerate(t[1]) if field == ty]


def leaf(g, ty, blk, depth=0):
    known = blk.variables(ty) + projections(blk.scope, ty)
    if known and g.chance(0.85):
        return g.pick(known)
    if is_tensor(ty):
        if is_static(ty):
            return tensors.filled(g, ty)
        return g.pick(known)
    if ty[0] == "tuple":
        fields = ", ".join(leaf(g, t, blk) for t in ty[1])
        return "(%s%s)" % (fields, "," if len(ty[1]) == 1 else "")
    if ty[0] == "data":
        return construct(g, ty, lambda t: leaf(g, t, blk), True)
    known = [name for name, t in g.functions if t == ty]
    if known and g.chance(0.7):
        return g.pick(known)
    return function(g, ty, blk.scope, 0)


def construct(g, ty, sub, small=False):
    cases = constructors(ty)
    if small or g.chance(0.3):
        cases = [c for c in cases if ty not in c[1]]
    name, fields = g.pick(cases)
    if not fields:
        return name + ("()" if g.chance(0.2) else "")
    return "%s(%s)" % (name, ", ".join(map(sub, fields)))


def visible(scope):
    """What may be seen from where evaluation is by need."""
    return [(name, ty) for name, ty in scope if not core.has_refs(ty)]


# -------------------------------------------------------- blocks and functions --

def block(g, ty, scope, depth, kind=None):
    """"{ ... }" that makes a TY."""
    blk = Block(g, scope, kind)
    for _ in range(g.pick((0, 0, 1, 1, 2)) if depth > 0 else 0):
        statement(g, blk, depth - 1)
    return blk.text(expression(g, ty, blk, depth))


def function(g, ty, scope, depth, attrs=""):
    params = [(g.fresh("p"), t) for t in ty[1]]
    head = ["%s: %s" % (n, text(t)) for n, t in params]
    if attrs:
        head.append(attrs)
    ret = " -> " + text(ty[2]) if attrs or \
        core.has_data(ty[2]) or g.chance(0.8) else ""
    return "fn (%s)%s %s" % (", ".join(head), ret,
                             block(g, ty[2], visible(scope) + params, depth))


def primitive(g, ty, depth):
    """A literal of operators on its parameters only."""
    before, g.functional = g.functional, False
    functions, g.functions = g.functions, []
    params = [(g.fresh("p"), t) for t in ty[1]]
    head = ["%s: %s" % (n, text(t)) for n, t in params] + ["Primitive=1"]
    body = block(g, ty[2], params, depth, "graph")
    g.functional, g.functions = before, functions
    return "fn (%s) -> %s %s" % (", ".join(head), text(ty[2]), body)


def is_name(e):
    return e[0] in "%@" and "(" not in e


def named(g, e, ty, blk):
    """E, or where it may leave its type open a name of it."""
    return blk.bind(e, ty) if core.has_data(ty) and not is_name(e) else e


def statement(g, blk, depth):
    """Bind something that later expressions may use."""
    if g.functional and blk.kind == "let" and g.chance(0.15):
        cell(g, blk, depth)
        return
    if g.dynamic and g.chance(0.3):
        unknown(g, blk)
        return
    ty = any_type(g, 2)
    if g.functional and g.chance(0.1):
        recursive(g, blk, depth)
        return
    e = expression(g, ty, blk, depth)
    if not is_name(e):
        blk.bind(e, ty)


def cell(g, blk, depth):
    """Make a cell; write and read it."""
    ty = any_type(g, 1)
    cells = [(n, t) for n, t in blk.scope if t[0] == "ref"]
    if cells and g.chance(0.6):
        name, ty = g.pick(cells)
        ty = ty[1]
    else:
        name = blk.bind("ref(%s)" % expression(g, ty, blk, depth),
                        ("ref", ty), let=True)
    for _ in range(g.int(1, 3)):
        kind = g.pick(("read", "write", "write", "alias", "bump", "branch"))
        if kind == "read":
            blk.bind("ref_read(%s)" % name, ty, let=True)
        elif kind == "write":
            e = expression(g, ty, blk, depth)
            blk.bind("ref_write(%s, %s)" % (name, e), core.UNIT, let=True)
        elif kind == "alias":
            pair = blk.bind("(%s, %s)" % (name, leaf(g, I32, blk)),
                            ("tuple", (("ref", ty), I32)), let=True)
            blk.bind("ref_write(%s.0, %s)" % (pair, leaf(g, ty, blk)),
                     core.UNIT, let=True)
        elif kind == "bump":
            bump(g, blk, name, ty)
        else:
            branch_on_cell(g, blk, name, ty)
    blk.bind("ref_read(%s)" % name, ty, let=True)


def bump(g, blk, name, ty):
    """A closure over the cell, called in order."""
    p, old, done = g.fresh("p"), g.fresh(), g.fresh()
    inner = Block(g, visible(blk.scope) + [(p, ty), (old, ty)], "let")
    new = expression(g, ty, inner, 1)
    lines = inner.lines + ["let %s = ref_write(%s, %s);" % (done, name, new)]
    f = g.fresh("f")
    blk.lines.append("let %s = fn (%s: %s) -> %s {\n  let %s = ref_read(%s);"
                     "\n  %s\n  %s\n};" % (f, p, text(ty), text(ty), old, name,
                                           "\n  ".join(lines), old))
    for _ in range(g.int(1, 2)):
        blk.bind("%s(%s)" % (f, leaf(g, ty, blk)), ty, let=True)


def branch_on_cell(g, blk, name, ty):
    u, v = g.fresh(), g.fresh()
    blk.bind("if (%s) {\n  let %s = ref_write(%s, %s);\n  ref_read(%s)\n} "
             "else {\n  let %s = ref_read(%s);\n  %s\n}" % (
                 condition(g, blk, 1), u, name, leaf(g, ty, blk), name, v,
                 name, v), ty, let=True)


def recursive(g, blk, depth):
    """A local function that calls itself, and a call of it."""
    ty = any_type(g, 1)
    f, n, acc = g.fresh("f"), g.fresh("p"), g.fresh("p")
    scope = visible(blk.scope) + [(n, I32), (acc, ty)]
    inner = Block(g, scope, "let")
    step = expression(g, ty, inner, min(depth, 1))
    again = "%s(subtract(%s, 1), %s)" % (f, n, step)
    blk.lines.append(
        "let %s = fn (%s: int32, %s: %s) -> %s {\n"
        "  if (less_equal(%s, 0)) {\n    %s\n  } else %s\n};" % (
            f, n, acc, text(ty), text(ty), n, acc,
            inner.text(again).replace("\n", "\n  ")))
    blk.bind("%s(%d, %s)" % (f, g.int(0, 3), leaf(g, ty, blk)), ty)


def unknown(g, blk):
    """A tensor with a dimension that only a run tells."""
    ty = tensor("float32", "?", 3)
    known = blk.variables(ty)
    if not known:
        return
    x, y = g.pick(known), g.pick(known)
    row = leaf(g, tensor("float32", 3), blk)
    blk.bind(g.pick((
        "nn.relu(%s)" % x, "add(%s, %s)" % (x, row), "multiply(%s, %s)" %
        (x, y), "nn.dense(%s, %s, units=3)" %
        (x, leaf(g, tensor("float32", 3, 3), blk)), "nn.softmax(%s)" % x,
        "nn.bias_add(%s, %s)" % (x, row), "zeros_like(%s)" % x,
        "broadcast_to_like(%s, %s)" % (row, x), "reverse(%s, axis=0)" % x)),
             ty)
    if g.chance(0.1):
        # The annotation knows more than its value.
        name = g.fresh()
        blk.lines.append(
            "let %s: %s = dyn.reshape(%s, shape_of(%s, dtype=\"int64\"), "
            "newshape=[]);" % (name, text(ty), x, y))
        blk.scope.append((name, tensor("float32", "?", "?")))
    if g.chance(0.2):
        blk.bind("dyn.reshape(%s, shape_of(%s, dtype=\"int64\"), newshape=[])"
                 % (x, y), tensor("float32", "?", "?"))


# -------------------------------------------------------------- expressions --

def condition(g, blk, depth):
    if g.chance(0.3):
        return leaf(g, BOOL, blk)
    if g.chance(0.7):
        return "%s(%s, %s)" % (g.pick(("less", "greater_equal", "equal")),
                               expression(g, I32, blk, depth - 1),
                               tensors.literal(g, I32))
    return expression(g, BOOL, blk, depth - 1)


def branch(g, ty, blk, depth):
    return "if (%s) %s else %s" % (
        condition(g, blk, depth),
        block(g, ty, visible(blk.scope), depth - 1),
        block(g, ty, visible(blk.scope), depth - 1))


def pattern(g, ty, bound, depth):
    """A pattern for TY that may fail; BOUND gets its variables."""
    kind = g.int(0, 5)
    if kind == 0 or depth <= 0 and kind < 3:
        return "_"
    if ty[0] == "data" and depth > 0 and kind > 1:
        name, fields = g.pick(constructors(ty))
        if not fields:
            return name
        return "%s(%s)" % (name, ", ".join(pattern(g, f, bound, depth - 1)
                                           for f in fields))
    if ty[0] == "tuple" and ty[1] and depth > 0 and kind > 1:
        fields = ", ".join(pattern(g, f, bound, depth - 1) for f in ty[1])
        return "(%s%s)" % (fields, "," if len(ty[1]) == 1 else "")
    name = g.fresh("m")
    bound.append((name, ty))
    return name


def match(g, ty, blk, depth):
    known = [(n, t) for n, t in blk.scope if t[0] == "data" or
             t[0] == "tuple" and any(f[0] == "data" for f in t[1])]
    if known and g.chance(0.8):
        subject, of = g.pick(known)
    else:
        of = data_type(g)
        subject = named(g, expression(g, of, blk, depth - 1), of, blk)
    arms = []

    def arm(head, bound):
        body = block(g, ty, visible(blk.scope) + visible(bound), depth - 1)
        arms.append("%s => %s," % (head, body))
    if of[0] == "data" and g.chance(0.5):
        cases = constructors(of)
        g.r.shuffle(cases)
        for name, fields in cases:
            bound = []
            inner = [pattern(g, f, bound, 0) for f in fields]
            arm(name + ("(%s)" % ", ".join(inner) if fields else ""), bound)
    else:
        for _ in range(g.int(1, 2)):
            bound = []
            arm(pattern(g, of, bound, 3), bound)
        arm("_", [])
    return "match (%s) {\n  %s\n}" % (subject, "\n".join(arms).replace(
        "\n", "\n  "))


def call(g, ty, blk, depth, sub):
    """A call of what is no operator."""
    known = [(n, t) for n, t in blk.scope + g.functions
             if t[0] == "fn" and t[2] == ty]
    kind = g.pick(("known", "known", "known", "literal", "bound", "primitive",
                   "identity"))
    if kind == "known" and known:
        name, t = g.pick(known)
        return "%s(%s)" % (name, ", ".join(map(sub, t[1])))
    if kind == "identity" and g.polymorphic:
        return g.pick(g.polymorphic)(g, ty, sub)
    if kind == "primitive" and is_static(ty):
        t = ("fn", tuple(simple_type(g) for _ in range(g.int(1, 2))) + (ty,),
             ty)
        name = blk.bind(primitive(g, t, 2), t)
        return "%s(%s)" % (name, ", ".join(map(sub, t[1])))
    t = ("fn", tuple(any_type(g, 1) for _ in range(g.int(0, 2))), ty)
    f = function(g, t, blk.scope, depth - 1)
    if kind == "literal":
        f = "(%s)" % f
    else:
        f = blk.bind(f, t)
    return "%s(%s)" % (f, ", ".join(map(sub, t[1])))


def project(g, ty, blk, sub):
    """A field of a tuple that stands there."""
    fields = [any_type(g, 1) for _ in range(g.int(1, 2))]
    at = g.int(0, len(fields))
    fields.insert(at, ty)
    values = [named(g, sub(t), t, blk) for t in fields]
    return "(%s).%d" % (", ".join(values), at)


def expression(g, ty, blk, depth):
    """An expression of type TY; what it binds goes into BLK."""
    g.budget -= 1
    if depth <= 0 or g.budget <= 0 or not (is_static(ty) or
                                           ty[0] != "t"):
        return leaf(g, ty, blk)
    known = blk.variables(ty)
    if known and g.chance(0.15):
        return g.pick(known)

    def sub(t):
        known = blk.variables(t)
        if known and g.chance(0.4):
            return g.pick(known)
        e = expression(g, t, blk, depth - 1)
        if "(" in e and g.chance(0.6):
            e = blk.bind(e, t)
        return e

    if g.functional and g.chance(0.35):
        kind = g.pick(("branch", "branch", "match", "call", "call", "call",
                       "project"))
        if kind == "branch":
            return branch(g, ty, blk, depth)
        if kind == "match":
            return match(g, ty, blk, depth)
        if kind == "call":
            return call(g, ty, blk, depth, sub)
        return project(g, ty, blk, sub)
    if is_tensor(ty):
        for _ in range(20):
            e = g.pick(tensors.RECIPES)(g, ty, sub)
            if e:
                return e
        return leaf(g, ty, blk)
    if ty[0] == "tuple":
        fields = ", ".join(map(sub, ty[1]))
        return "(%s%s)" % (fields, "," if len(ty[1]) == 1 else "")
    if ty[0] == "data":
        return construct(g, ty, sub)
    return function(g, ty, blk.scope, depth - 1)
