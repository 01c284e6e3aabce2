"""Builds and runs the project DIR/as-is as it is and with its sizes of tiles
made smaller, on the same inputs; outputs must agree.

  tiles.py DIR HEADERS

Edits take the least that the comments allow, of how high tiles are, of how
deep, and of both."""

import array
import os
import random
import re
import shutil
import subprocess
import sys

ROWS = {"BLOCK_": "1", "TALL_": "1", "WIDE_": "1"}
DEPTHS = {"TILE_": "RELAY_LINE", "PANELS_": "1"}
EDITS = (("rows", ROWS), ("depths", DEPTHS), ("both", {**ROWS, **DEPTHS}))
folder, headers = sys.argv[1:]


def tables(path):
    """The tensors that the main program of a project names, with bytes."""
    with open(path + "/main.cpp", encoding="utf-8") as f:
        text = f.read()
    return [re.findall(r'\{"(\w+)", (\d+)\}', part)
            for part in re.findall(r"const struct tensor \w+\[\] = \{(.*?)\};",
                                   text, re.S)]


def edit(path, sizes):
    """Set what SIZES names, or names the beginning of, if that is larger."""
    with open(path + "/net.mlu", encoding="utf-8") as f:
        text = f.read()
    found = set()

    def put(match):
        for key, value in sizes.items():
            if match[1] == key or (key[-1] == "_" and
                                   match[1].startswith(key)):
                found.add(key)
                if match[2].isdigit() and value.isdigit():
                    value = str(min(int(value), int(match[2])))
                return "#define %s %s" % (match[1], value)
        return match[0]

    text = re.sub(r"^#define (\w+) (.*?)(?= *//|$)", put, text, flags=re.M)
    with open(path + "/net.mlu", "w", encoding="utf-8") as f:
        f.write(text)
    return found


def run(path, inputs, outputs):
    """All numbers that the project at PATH makes of INPUTS."""
    for name, values in inputs.items():
        with open("%s/%s.bin" % (path, name), "wb") as out:
            values.tofile(out)
    subprocess.run(["make", "-s", "-C", path, "emulated", "BANG=" + headers],
                   check=True)
    subprocess.run(["./emulated", "."], cwd=path, check=True)
    values = array.array("f")
    for name, _ in outputs:
        with open("%s/%s.bin" % (path, name), "rb") as data:
            values.frombytes(data.read())
    return values


def main():
    random.seed(1)
    ins, outs = tables(folder + "/as-is")
    inputs = {name: array.array("f", (random.uniform(-1, 1)
                                      for _ in range(int(size) // 4)))
              for name, size in ins}
    want = run(folder + "/as-is", inputs, outs)
    for name, sizes in EDITS:
        path = "%s/%s" % (folder, name)
        shutil.copytree(folder + "/as-is", path)
        os.remove(path + "/emulated")
        found = edit(path, sizes)
        got = run(path, inputs, outs)
        worst = max(abs(a - b) / (1 + abs(a)) for a, b in zip(want, got))
        if len(want) != len(got) or not worst < 2e-3:
            sys.exit("%s: the outputs differ by %g" % (name, worst))
        print(name + ": " + " ".join(sorted(found)))


main()
