"""Runs the cases of a module: run.py MODULE FOLDER ENGINE...

run.py --list prints the calls of all modules.
"""

import glob
import importlib
import os
import sys

sys.dont_write_bytecode = True
import harness


def calls():
    here = os.path.dirname(os.path.abspath(__file__))
    for path in sorted(glob.glob(os.path.join(here, "*_cases.py"))):
        importlib.import_module(os.path.basename(path)[:-3])
    return [call for call, _, _, _ in harness.CASES]


if sys.argv[1] == "--list":
    print("\n".join(calls()))
else:
    importlib.import_module(sys.argv[1] + "_cases")
    harness.main(sys.argv[2], sys.argv[3:])
