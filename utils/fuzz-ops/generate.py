#!/usr/bin/env python3
"""Prints COUNT programs of one operator each, for build/fuzz-ops.

    generate.py [--seed=N] [--count=N] [--first=N] [--ops=A,B] [--hostile]
                [--unknown]

Case number N of a seed is the same whatever is printed before it."""

import argparse
import os
import re
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import core                                              # noqa: E402
import basic                                             # noqa: E402,F401
import images                                            # noqa: E402,F401
import unknown                                           # noqa: E402


def computed_ops():
    """Operators with a compute rule, in the order of the table."""
    names = []
    folder = os.path.join(HERE, "..", "..", "ir", "ops")
    for path in sorted(os.listdir(folder)):
        if not path.endswith(".def"):
            continue
        with open(os.path.join(folder, path), encoding="utf-8") as rows:
            for line in rows:
                row = re.match(r'OP\(\w+, "([^"]+)", \w+, \w+, \w+, \w+, '
                               r'[^,]+, (\w+),', line)
                if row and row.group(2) != "NULL":
                    names.append(row.group(1))
    return names


def cases(seed, first, count, ops, hostile, hidden):
    for number in range(first, first + count):
        g = core.Gen("%s %d" % (seed, number))
        op = ops[number % len(ops)]
        case = core.RECIPES[op](g, op)
        if hostile:
            import hostile as mutations
            mutations.mutate(g, case)
        if hidden:
            unknown.hide(g, case)
        yield case.text(number)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", default="1")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--ops", default="")
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--unknown", action="store_true")
    args = parser.parse_args()
    ops = [op for op in computed_ops() if op in core.RECIPES]
    if args.ops:
        ops = args.ops.split(",")
    sys.stdout.writelines(cases(args.seed, args.first,
                                args.count or len(ops), ops, args.hostile,
                                args.unknown))


if __name__ == "__main__":
    main()
