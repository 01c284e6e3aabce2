#!/usr/bin/env python3
"""Prints random modules, for build/fuzz-passes.

    generate.py [--seed=N] [--first=N] [--count=N]

Module number N of a seed is the same whatever is printed before it."""

import argparse
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import control                                           # noqa: E402
import core                                              # noqa: E402
import layers                                            # noqa: E402,F401
from core import I32, tensor, text                       # noqa: E402


def define(g, head, body):
    g.definitions.append("def %s %s" % (head, body))


# -------------------------------------------------- functions with type params --

def identity(g):
    define(g, "@id[A](%x: A) -> A", "{ %x }")
    return lambda g, ty, sub: "@id(%s)" % sub(ty)


def twice(g):
    define(g, "@twice[A](%f: fn (A) -> A, %x: A) -> A", "{ %f(%f(%x)) }")
    return lambda g, ty, sub: "@twice(%s, %s)" % (sub(("fn", (ty,), ty)),
                                                  sub(ty))


def literal(g):
    """A literal with a type parameter, called or passed."""
    define(g, "@through[A](%f: fn (A) -> A, %x: A) -> A", "{ %f(%x) }")

    def call(g, ty, sub):
        x, y = g.fresh("x"), g.fresh("y")
        body = g.pick((x, "let %s = %s; %s" % (y, x, y),
                       "(%s, 1).0" % x))
        form = "fn [A](%s: A) -> A { %s }" % (x, body)
        if g.chance(0.5):
            return "(%s)(%s)" % (form, sub(ty))
        return "@through(%s, %s)" % (form, sub(ty))
    return call


def head_or(g):
    g.types["Seq"] = True
    define(g, "@head_or[A](%l: Seq[A], %d: A) -> A",
           "{\n  match (%l) {\n    Link(%h, _) => %h,\n    End => %d,\n  }\n}")
    return lambda g, ty, sub: "@head_or(%s, %s)" % (sub(("data", "Seq",
                                                         (ty,))), sub(ty))


def fold(g):
    g.types["Seq"] = True
    define(g, "@fold[A, B](%f: fn (B, A) -> B, %z: B, %l: Seq[A]) -> B",
           "{\n  match (%l) {\n    End => %z,\n    Link(%h, %t) => "
           "@fold(%f, %f(%z, %h), %t),\n  }\n}")

    def call(g, ty, sub):
        of = control.simple_type(g)
        return "@fold(%s, %s, %s)" % (sub(("fn", (ty, of), ty)), sub(ty),
                                      sub(("data", "Seq", (of,))))
    return call


def mapped(g):
    """map, and a fold over what it makes."""
    g.types["Seq"] = True
    define(g, "@map[A, B](%f: fn (A) -> B, %l: Seq[A]) -> Seq[B]",
           "{\n  match (%l) {\n    End => End,\n    Link(%h, %t) => "
           "Link(%f(%h), @map(%f, %t)),\n  }\n}")

    def call(g, ty, sub):
        of = control.simple_type(g)
        return "(match (@map(%s, %s)) {\n  Link(%%h, _) => %%h,\n  " \
            "_ => %s,\n})" % (sub(("fn", (of,), ty)),
                              sub(("data", "Seq", (of,))), sub(ty))
    return call


def compose(g):
    define(g, "@compose[A, B, C](%f: fn (B) -> C, %g: fn (A) -> B)"
           " -> fn (A) -> C", "{ fn (%x: A) -> C { %f(%g(%x)) } }")

    def call(g, ty, sub):
        a, b = control.simple_type(g), control.simple_type(g)
        return "(@compose(%s, %s))(%s)" % (sub(("fn", (b,), ty)),
                                           sub(("fn", (a,), b)), sub(a))
    return call


# ----------------------------------------------------------- other functions --

def plain(g, number):
    """A function of any types; attributes now and then."""
    params = [(g.fresh("x"), control.any_type(g, 2))
              for _ in range(g.int(0, 3))]
    ret = control.any_type(g, 2)
    kind = g.pick(("", "", "", "Inline=1", "Inline=1", "SkipOptimization=1",
                   'Compiler="ext", global_symbol="@f%d"' % number,
                   "note=\"a b\""))
    kind = kind.replace("@", "")
    name = "@f%d" % number
    if "Compiler" in kind and not g.external:
        g.external = True
        name = "@ext0"
        kind = 'Compiler="ext", global_symbol="ext0"'
    head = ["%s: %s" % (n, text(t)) for n, t in params]
    head += [kind] if kind else []
    define(g, "%s(%s) -> %s" % (name, ", ".join(head), text(ret)),
           control.block(g, ret, params, 2))
    g.functions.append((name, ("fn", tuple(t for _, t in params), ret)))


def kernel(g, number):
    """A primitive function."""
    ty = ("fn", tuple(control.simple_type(g) for _ in range(g.int(1, 3))),
          control.simple_type(g))
    body = control.primitive(g, ty, 3)
    name = "@k%d" % number
    define(g, name + body[len("fn "):].split("{", 1)[0].rstrip(),
           "{" + body.split("{", 1)[1])
    g.functions.append((name, ty))


def counting(g, number):
    """A function that calls itself, and is called with small numbers."""
    ty = control.any_type(g, 1)
    name = "@loop%d" % number
    n, acc = g.fresh("n"), g.fresh("x")
    inner = core.Block(g, [(n, I32), (acc, ty)])
    step = control.expression(g, ty, inner, 2)
    form = "%s(subtract(%s, 1), %s)" % (name, n, step)
    if g.chance(0.3):
        form = "let %%r = %s;\n%s" % (form, control.leaf(
            g, ty, core.Block(g, inner.scope + [("%r", ty)])))
    define(g, "%s(%s: int32, %s: %s) -> %s" % (name, n, acc, text(ty),
                                               text(ty)),
           "{\n  if (less_equal(%s, 0)) {\n    %s\n  } else %s\n}" % (
               n, acc, inner.text(form)))
    start = "@start%d" % number
    define(g, "%s(%s: %s) -> %s" % (start, acc, text(ty), text(ty)),
           "{ %s(%d, %s) }" % (name, g.int(1, 3), acc))
    g.functions.append((start, ("fn", (ty,), ty)))


def named_weights(g, blk):
    """Layers whose weights are parameters of main, which passes name."""
    for _ in range(g.int(1, 3)):
        rows = g.int(1, 3)
        form, ty, out = g.pick((
            ("nn.dense(%s, %%w, units=4)", (rows, 4), (rows, 4)),
            ("nn.dense(%s, transpose(%%w, axes=[1, 0]), units=4)", (rows, 4),
             (rows, 4)),
            ("nn.conv2d(%s, %%k, channels=4, kernel_size=[1, 1])",
             (1, 2, 4, 4), (1, 4, 4, 4))))
        x = control.expression(g, tensor("float32", *ty), blk, 1)
        blk.bind(form % x, tensor("float32", *out))


def main_function(g):
    params = [(g.fresh("x"), control.any_type(g, 2))
              for _ in range(g.int(1, 4))]
    if g.dynamic:
        params.append((g.fresh("x"), tensor("float32", "?", 3)))
    if g.chance(0.15):
        params += [("%w", layers.DENSE_WEIGHT), ("%k", layers.CONV_WEIGHT)]
        g.weights = True
    blk = core.Block(g, params)
    for _ in range(g.int(1, 5)):
        control.statement(g, blk, g.int(1, 3))
    if g.weights:
        named_weights(g, blk)
    results = []
    for _ in range(g.int(1, 3)):
        known = [(n, t) for n, t in blk.scope if not core.has_refs(t)]
        if known and g.chance(0.7):
            results.append(known[-g.int(1, min(4, len(known)))][0])
        else:
            ty = control.any_type(g, 1)
            e = control.expression(g, ty, blk, 3)
            results.append(control.named(g, e, ty, blk))
    result = results[0] if len(results) == 1 else "(%s)" % ", ".join(results)
    define(g, "@main(%s)" % ", ".join("%s: %s" % (n, text(t))
                                      for n, t in params), blk.text(result))


def module(seed, number):
    g = core.Gen(seed, number)
    g.functional = g.chance(0.65)
    dynamic = g.chance(0.15)
    g.devices = number % 8 == 5
    g.budget = g.int(8, 45)
    g.polymorphic = []
    if g.functional:
        makers = [identity, twice, literal, head_or, fold, mapped, compose]
        g.r.shuffle(makers)
        g.polymorphic = [make(g) for make in makers[:g.pick((0, 0, 1, 2))]]
        for i in range(g.pick((0, 0, 1, 1, 2, 3))):
            g.pick((plain, plain, counting, kernel))(g, i)
            g.budget += 5
    elif g.chance(0.3):
        g.pick((plain, kernel))(g, 0)
        g.functional = g.chance(0.5)
        g.functional = False
    g.dynamic = dynamic  # only main has a value whose extent is unknown
    main_function(g)
    return g


def data_definition(name):
    params, cases = control.DATA[name]
    head = "[%s]" % ", ".join(params) if params else ""
    rows = ["  %s%s," % (c, "(%s)" % ", ".join(map(text, fields))
                         if fields else "") for c, fields in cases]
    return "type %s%s {\n%s\n}" % (name, head, "\n".join(rows))


def case(seed, number):
    g = module(seed, number)
    lines = ["//: case %d%s" % (number, " discrete" if g.discrete else "")]
    lines.append('#[version = "0.0.5"]')
    lines += [data_definition(name) for name in sorted(g.types)]
    return "\n".join(lines + g.definitions) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1)
    args = parser.parse_args()
    for number in range(args.first, args.first + args.count):
        sys.stdout.write(case(args.seed, number))


if __name__ == "__main__":
    main()
