"""Settings of lit for the tests of the tools.  utils/check runs them."""

import os
import shutil

import lit.formats

build = os.path.abspath(lit_config.params.get("build", "build"))
source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
llvm_bin = "/usr/lib/llvm-19/bin"

config.name = "relay"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".relay", ".test"]
config.excludes = ["Inputs", "unit"]
config.test_source_root = os.path.join(source, "test")
config.test_exec_root = os.path.join(build, "test")

# %opt is the form of output that tests compare: no type comments.
config.substitutions += [
    (r"%opt\b", "relay-opt --print-types=none"),
    (r"%build\b", build),
    (r"%source\b", source),
    (r"%cc\b", "gcc"),
    (r"%clangxx\b", "clang++-19"),
    (r"%clang-format\b", "clang-format-19"),
]

path = [os.path.join(build, "bin"), llvm_bin, config.environment["PATH"]]
config.environment["PATH"] = os.pathsep.join(path)
config.environment["TERM"] = "dumb"
for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.available_features.add("mode-" + lit_config.params.get("mode", "release"))
if shutil.which("qemu-aarch64") and shutil.which("aarch64-linux-gnu-gcc"):
    config.available_features.add("qemu-aarch64")
if shutil.which("clang-format-19"):
    config.available_features.add("clang-format")
