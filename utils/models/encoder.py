"""A transformer encoder in the manner of BERT: each layer attends over the
sequence with several heads, then applies two dense layers with gelu."""

from layers import dense
from text import Function, Module, Value


def heads_of(f, x, batch, length, heads, width):
    """(batch * length, heads * width) to (batch * heads, length, width)."""
    x = f.call("reshape", [x], newshape=[batch, length, heads, width])
    x = f.call("transpose", [x], axes=[0, 2, 1, 3])
    return f.call("reshape", [x], newshape=[batch * heads, length, width])


def attention(f, x, batch, length, heads, width):
    q, k, v = [heads_of(f, dense(f, name, x, heads * width),
                        batch, length, heads, width)
               for name in ("query", "key", "value")]
    scores = f.call("nn.batch_matmul", [q, k], transpose_b=True)
    scores = f.call("multiply", [scores, Value("%.9gf" % width ** -0.5)])
    weights = f.call("nn.softmax", [scores])
    v = f.call("transpose", [v], axes=[0, 2, 1])
    y = f.call("nn.batch_matmul", [weights, v], transpose_b=True)
    y = f.call("reshape", [y], newshape=[batch, heads, length, width])
    y = f.call("transpose", [y], axes=[0, 2, 1, 3])
    y = f.call("reshape", [y], x.shape, newshape=list(x.shape))
    return dense(f, "output", y, heads * width)


def gelu(f, x):
    y = f.call("multiply", [x, Value("%.9gf" % 0.5 ** 0.5)])
    y = f.call("add", [f.call("erf", [y]), Value("1f")])
    y = f.call("multiply", [y, Value("0.5f")])
    return f.call("multiply", [x, y], x.shape)


def add_and_norm(f, name, x, y):
    gamma = f.param(name + "_gamma", x.shape[-1:])
    beta = f.param(name + "_beta", x.shape[-1:])
    y = f.call("add", [x, y])
    return f.call("nn.layer_norm", [y, gamma, beta], x.shape)


def layer(batch, length, heads, width, inner):
    f = Function("layer", inline=True)
    x = f.param("x", (batch * length, heads * width))
    y = attention(f, x, batch, length, heads, width)
    x = add_and_norm(f, "norm1", x, y)
    y = dense(f, "inner", x, inner)
    y = dense(f, "outer", gelu(f, y), heads * width)
    return f, add_and_norm(f, "norm2", x, y)


def build(batch=1, size=64, layers=2, heads=4, width=64, inner=1024):
    module = Module("A transformer encoder of %d layers over %d tokens" % (
        layers, size))
    one, result = layer(batch, size, heads, width, inner)
    module.add(one, result)
    f = Function("main")
    shape = (batch, size, heads * width)
    x = f.param("tokens", shape)
    x = f.call("reshape", [x], newshape=[batch * size, heads * width])
    for i in range(1, layers + 1):
        args = [f.param("l%d_%s" % (i, n), s) for n, s in one.params[1:]]
        x = f.call("@layer", [x] + args)
    y = f.call("reshape", [x], shape, newshape=list(shape))
    module.add(f, y)
    return module.text()
