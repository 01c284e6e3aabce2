"""Which long texts are hard for which pass, and the options to run it with."""

import json
import os
import subprocess

import chains

# For every pass; the others are chosen by what a pass looks for.
ALWAYS = ("calls", "lets", "halves")

FAMILIES = {
    "infer-type": ("functions", "cycle", "fields", "closures", "unknown",
                   "lets_in_values", "matches"),
    "inline": ("marked_functions", "called_often", "called_in_turn"),
    "inline-all": ("functions", "functions_up", "called_in_turn"),
    "remove-unused-functions": ("functions", "unused_functions"),
    "fuse-ops": ("residuals", "fields", "branches", "conv_layers"),
    "defuse-ops": ("primitives", "distinct_primitives"),
    "simplify-inference": ("conv_layers",),
    "simplify-expr": ("constants", "factors", "reshapes", "transposes",
                      "equal_casts", "cancelling", "known", "constant_casts"),
    "simplify-expr-post-alter-op": ("layouts", "pads"),
    "fast-math": ("inverses",),
    "div-to-mul": ("factors",),
    "canonicalize-ops": ("biases",),
    "canonicalize-cast": ("casts",),
    "rewrite": ("convs", "constants"),
    "fold-constant": ("known", "known_shapes", "concatenations",
                      "known_in_functions"),
    "dead-code-elimination": ("dead_lets", "shared_lets", "refs"),
    "eliminate-common-subexpr": ("same_calls", "branches", "fields"),
    "to-a-normal-form": ("blocks", "ifs", "literals"),
    "to-basic-block-normal-form": ("ifs", "let_ifs", "blocks"),
    "to-graph-normal-form": ("shared_lets", "dead_lets"),
    "eta-expand": ("eta",),
    "partial-evaluate": ("known", "closures", "functions", "refs", "let_ifs"),
    "lambda-lift": ("closures", "captures"),
    "fake-quantization-to-integer": ("fake_region", "fake_regions",
                                     "fake_residuals"),
    "quantize-partition": ("rounded_convs",),
    "quantize-annotate": ("rounded_convs",),
    "quantize-calibrate": ("rounded_convs",),
    "quantize-realize": ("rounded_convs",),
    "quantize": ("rounded_convs",),
    "extract-fake-quantized-ops": ("fake_region", "fake_regions"),
    "legalize": ("qnn_layers",),
    "qnn-legalize": ("qnn_layers", "qnn_adds", "qnn_ends"),
    "dynamic-to-static": ("dynamic", "known_shapes"),
    "to-mixed-precision": ("convs", "denses", "matmuls", "fields"),
    "first-order-gradient": ("blocks", "conv_layers", "fields"),
    "lazy-gradient-init": ("zeros",),
    "merge-composite": ("convs", "denses", "constants"),
    "annotate-target": ("convs", "residuals", "branches"),
    "outline-compiler-functions": ("compiled_literals",),
    "mark-compiler-functions-as-extern": ("compiled",),
    "inline-compiler-functions-bound-to": ("compiled",),
    "merge-compiler-regions": ("regions", "mixed_regions",
                               "residual_regions"),
    "partition-graph": ("regions", "mixed_regions", "residual_regions"),
    "gradient": ("blocks", "functions", "let_ifs", "captures"),
    "plan-devices": ("functions", "closures", "residuals"),
    "manifest-lifetimes": ("shared_lets", "let_ifs"),
    "defunctionalization": ("passed_functions",),
    "to-cps": ("functions", "closures", "let_ifs"),
    "un-cps": ("functions",),
    "outline-primitives": ("primitives", "distinct_primitives"),
    "check-single-call-function": ("primitives",),
    "lower-te": ("primitives", "distinct_primitives", "concatenated"),
    "te-build": ("primitives", "distinct_primitives"),
    "te-schedule": ("distinct_primitives",),
    "lower-tir": ("distinct_primitives",),
    "te-to-tir": ("distinct_primitives",),
    "tir-partition": ("distinct_primitives",),
    "tir-vectorize": ("distinct_primitives",),
    "tir-unroll": ("distinct_primitives",),
    "tir-storage": ("distinct_primitives",),
    "tir-verify": ("distinct_primitives",),
    "aot-lower-main": ("primitives", "residuals", "halves", "fields"),
    "fold-explicit-padding": ("padded_convs", "pads"),
    "simplify-fc-transpose": ("weighted_denses", "turned_denses"),
    "change-batch": ("residuals", "fields"),
    "flexible-shape-dispatch": ("residuals", "fields"),
    "dense-to-sparse": ("weighted_denses", "denses"),
    "conv2d-to-sparse": ("convs",),
    "conv2d-to-sparse2": ("convs",),
    "remove-standalone-reshapes": ("reshaped_primitives",),
    "label-ops": ("conv_layers", "functions"),
    "annotate-spans": ("functions", "distinct_branches"),
    "capture-post-dfs-index-in-spans": ("functions",),
    "de-duplicate": ("closures", "shared_lets"),
    "alter-op-layout": ("conv_layers", "convs", "conv_forks"),
    "convert-layout": ("conv_layers", "convs", "conv_forks", "layouts",
                       "concatenations"),
    "forward-fold-scale-axis": ("scaled_convs", "scales_only"),
    "backward-fold-scale-axis": ("scales_behind", "scales_only"),
    "fold-scale-axis": ("scaled_convs", "scales_behind"),
    "flatten-atrous-conv": ("atrous_convs",),
    "split-args": ("concatenated", "concatenations"),
    "combine-parallel-conv2d": ("conv_branches", "conv_forks"),
    "combine-parallel-dense": ("dense_branches", "dense_forks"),
    "combine-parallel-batch-matmul": ("batch_matmul_branches", "matmuls"),
    "combine-parallel-op-batch": ("matmul_branches",),
    "extract-fused-functions": ("primitives", "distinct_primitives"),
    "print-call-graph": ("functions", "cycle"),
    "print-dependency-graph": ("residuals", "branches"),
    "print-post-dominators": ("residuals", "blocks"),
    "print-annotated-regions": ("regions", "mixed_regions"),
    "print-free-vars": ("captures",),
    "check-kinds": ("functions",),
    "check-match": ("matches",),
    "verify": ("functions", "closures", "captures", "fields"),
}

# What must have run before.
FIRST = {
    "check-single-call-function": ("lower-te", "lower-tir"),
    "te-schedule": ("te-build",),
    "lower-tir": ("lower-te",),
    "te-to-tir": ("lower-te",),
    "tir-partition": ("lower-te", "te-to-tir"),
    "tir-vectorize": ("lower-te", "te-to-tir"),
    "tir-unroll": ("lower-te", "te-to-tir"),
    "tir-storage": ("lower-te", "te-to-tir"),
    "tir-verify": ("lower-te", "te-to-tir"),
    "aot-lower-main": ("lower-te", "lower-tir"),
    "quantize-realize": ("quantize-partition", "quantize-annotate",
                         "quantize-calibrate"),
    "quantize-calibrate": ("quantize-partition", "quantize-annotate"),
    "quantize-annotate": ("quantize-partition",),
    "un-cps": ("to-cps",),
}

# Where a pass reads a file, @ is the folder of these.
OPTIONS = {
    "annotate-target": "targets=ext;support=@/support.txt",
    "change-batch": "data=x;batch-size=5",
    "combine-parallel-op-batch":
        "op-name=nn.matmul;batch-op-name=nn.batch_matmul",
    "conv2d-to-sparse": "weight-name=w;weight-shape=2,8,1,2,2",
    "convert-layout": "desired-layouts=nn.conv2d=NHWC:default",
    "dense-to-sparse": "weight-name=w;weight-shape=2,8,1,2,2",
    "eta-expand": "expand-constructor;expand-global-var",
    "extract-intermediate-expr": "index=1",
    "flexible-shape-dispatch": "buckets=2,5",
    "inline-compiler-functions-bound-to": "global-vars=@ext_0",
    "merge-composite": "patterns=@/patterns.txt",
    "rewrite": "rules=@/rules.txt",
    "simplify-fc-transpose": "target-weight-name=w1",
    "split-args": "max-function-args=8",
    "test-break": "op=left_shift",
}

FILES = {
    "patterns.txt": """\
pattern "ext.conv_relu" { nn.relu(nn.conv2d(%x, %w)) }
pattern "ext.dense_relu" { nn.relu?(nn.dense(%x, %w)) }
pattern "ext.add_constant" { add(%x, 1.5f) }
pattern "ext.tanh_relu" { tanh(nn.relu(%x)) }
""",
    "support.txt": """\
target "ext" { nn.conv2d; nn.relu; nn.dense; add; }
""",
    "rules.txt": """\
rewrite "relu of relu" { nn.relu(nn.relu(%x)) } => { nn.relu(%x) }
rewrite "twice" { add(add(%x, 1.5f), 1.5f) } => { add(%x, 3f) }
""",
}


def write_files(folder):
    for name, text in FILES.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


def flags_of(relay_opt):
    """The flags of all passes of the tool."""
    passes = json.loads(subprocess.check_output(
        [relay_opt, "--print-passes=json"]))
    return [p["flag"] for p in passes]


def families_of(flag):
    return ALWAYS + FAMILIES.get(flag, ())


def arguments(flag, folder):
    """What makes relay-opt run a pass behind those that it needs."""
    options = OPTIONS.get(flag, "").replace("@/", folder + "/")
    return ["-" + first for first in FIRST.get(flag, ())] + [
        "-" + flag + ("=" + options if options else "")]


def write_chain(folder, family, nodes):
    path = os.path.join(folder, "%s-%d.relay" % (family, nodes))
    if not os.path.exists(path):
        with open(path, "w", encoding="utf-8") as f:
            f.write(chains.text(family, nodes))
    return path
