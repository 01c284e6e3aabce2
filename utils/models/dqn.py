"""A deep Q network: scores of actions from four frames of a game."""

from layers import conv, dense, relu
from text import Function, Module


def build(batch=1, size=84, actions=18):
    module = Module("A deep Q network for frames of %d by %d" % (size, size))
    f = Function("main")
    x = f.param("frames", (batch, 4, size, size))
    for i, (channels, kernel, stride) in enumerate(
            ((32, 8, 4), (64, 4, 2), (64, 3, 1)), 1):
        name = "conv%d" % i
        x = conv(f, name, x, channels, kernel, stride, pad=0)
        bias = f.param(name + "_bias", (channels,))
        x = relu(f, f.call("nn.bias_add", [x, bias], x.shape))
    n, c, h, w = x.shape
    x = f.call("nn.batch_flatten", [x], (n, c * h * w))
    x = relu(f, dense(f, "fc1", x, 512))
    y = dense(f, "fc2", x, actions)
    module.add(f, y)
    return module.text()
