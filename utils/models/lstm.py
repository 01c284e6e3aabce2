"""An LSTM over a sequence, unrolled: the cell is one function marked Inline,
and main binds its state after each step by let."""

from text import Function, Module, Value, tensor


def cell(batch, inputs, hidden):
    """The cell's function, its result and its type: (h, c)."""
    f = Function("cell", inline=True)
    state = (batch, hidden)
    x = f.param("x", (batch, inputs))
    h = f.param("h", state)
    c = f.param("c", state)
    w_x = f.param("input_weight", (4 * hidden, inputs))
    w_h = f.param("state_weight", (4 * hidden, hidden))
    bias = f.param("bias", (4 * hidden,))
    a = f.call("nn.dense", [x, w_x], units=4 * hidden)
    b = f.call("nn.dense", [h, w_h], units=4 * hidden)
    sums = f.call("nn.bias_add", [f.call("add", [a, b]), bias])
    parts = f.call("split", [sums], indices_or_sections=4, axis=1)
    into = f.call("sigmoid", [parts.field(0)])
    forget = f.call("sigmoid", [parts.field(1)])
    new = f.call("tanh", [parts.field(2)])
    out = f.call("sigmoid", [parts.field(3)])
    kept = f.call("multiply", [forget, c])
    added = f.call("multiply", [into, new])
    c = f.call("add", [kept, added])
    h = f.call("multiply", [out, f.call("tanh", [c])])
    return f, Value("(%s, %s)" % (h.text, c.text)), "(%s, %s)" % (
        tensor(state), tensor(state))


def build(batch=1, size=16, inputs=64, hidden=128):
    module = Module("An LSTM over %d steps" % size)
    step, result, result_type = cell(batch, inputs, hidden)
    module.add(step, result, result_type)
    f = Function("main")
    f.param("data", (size, batch, inputs))
    args = [f.param(n, s).text for n, s in step.params[3:]]
    f.lines += [
        "  let %%steps = split(%%data, indices_or_sections=%d, axis=0);" % size,
        "  let %%start = zeros(shape=[%d, %d], dtype=\"float32\");" % (
            batch, hidden),
    ]
    h = c = "%start"
    for t in range(size):
        f.lines += [
            "  let %%x%d = squeeze(%%steps.%d, axis=[0]);" % (t, t),
            "  let %%s%d = @cell(%%x%d, %s, %s, %s);" % (
                t, t, h, c, ", ".join(args)),
        ]
        h, c = "%%s%d.0" % t, "%%s%d.1" % t
    module.add(f, Value(h), tensor((batch, hidden)))
    return module.text()
