"""Builds and runs the projects DIR/as-is and DIR/edited on the same inputs;
their outputs must agree."""

import array
import random
import subprocess
import sys

folder, headers = sys.argv[1:]
SIZES = {"x": 20 * 150, "w": 70 * 150, "b": 70}
random.seed(1)
inputs = {name: array.array("f", (random.uniform(-1, 1) for _ in range(size)))
          for name, size in SIZES.items()}
results = []
for which in ("as-is", "edited"):
    path = "%s/%s" % (folder, which)
    for name, values in inputs.items():
        with open("%s/%s.bin" % (path, name), "wb") as out:
            values.tofile(out)
    subprocess.run(["make", "-s", "-C", path, "emulated", "BANG=" + headers],
                   check=True)
    subprocess.run(["./emulated", "."], cwd=path, check=True)
    values = array.array("f")
    for name in ("out", "out_1"):
        with open("%s/%s.bin" % (path, name), "rb") as data:
            values.frombytes(data.read())
    results.append(values)
worst = max(abs(a - b) for a, b in zip(*results))
if len(results[0]) != 2 * 20 * 70 or not worst < 1e-5:
    sys.exit("the outputs differ by %g" % worst)
