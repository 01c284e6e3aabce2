#!/usr/bin/env python3
"""Writes Relay texts of well-known networks, the same bytes every time.

  generate.py FOLDER                   every example into FOLDER/NAME.relay
  generate.py --check FOLDER           say which files there are not up to date
  generate.py NAME [--size=N] [--batch=N] [--flat]      one, to stdout

NAME is resnet18, resnet34, resnet50, resnet101, mobilenet, squeezenet, dqn,
lstm, encoder or mlp.  SIZE is the side of an image or the length of a sequence; --flat writes
a ResNet without functions for its blocks.
"""

import argparse
import os
import sys

import dqn
import encoder
import lstm
import mlp
import mobilenet
import resnet
import squeezenet

NETS = {
    "dqn": dqn.build,
    "mobilenet": mobilenet.build,
    "squeezenet": squeezenet.build,
    "lstm": lstm.build,
    "encoder": encoder.build,
    "mlp": mlp.build,
}
for depth in resnet.DEPTHS:
    NETS["resnet%d" % depth] = (
        lambda depth=depth, **options: resnet.build(depth, **options))

EXAMPLES = ("dqn", "encoder", "lstm", "mlp", "mobilenet", "resnet18",
            "squeezenet")


def check(folder):
    bad = 0
    for name in EXAMPLES:
        path = os.path.join(folder, name + ".relay")
        try:
            with open(path, encoding="utf-8") as f:
                same = f.read() == NETS[name]()
        except OSError:
            same = False
        if not same:
            print("%s is not up to date; run 'make models'" % path)
            bad = 1
    return bad


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("what")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--size", type=int)
    parser.add_argument("--batch", type=int)
    parser.add_argument("--flat", action="store_true")
    args = parser.parse_args()
    if args.what in NETS:
        options = {k: v for k, v in vars(args).items()
                   if k in ("size", "batch", "flat") and v}
        sys.stdout.write(NETS[args.what](**options))
    elif args.check:
        return check(args.what)
    else:
        for name in EXAMPLES:
            path = os.path.join(args.what, name + ".relay")
            with open(path, "w", encoding="utf-8") as f:
                f.write(NETS[name]())
    return 0


sys.exit(main())
