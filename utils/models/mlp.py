"""A multilayer perceptron for small grey images."""

from layers import dense, relu
from text import Function, Module


def build(batch=1, size=28, widths=(256, 128), classes=10):
    module = Module("A multilayer perceptron for images of %d by %d" % (
        size, size))
    f = Function("main")
    x = f.param("data", (batch, 1, size, size))
    x = f.call("nn.batch_flatten", [x], (batch, size * size))
    for i, width in enumerate(widths, 1):
        x = relu(f, dense(f, "fc%d" % i, x, width))
    x = dense(f, "fc%d" % (len(widths) + 1), x, classes)
    y = f.call("nn.softmax", [x], x.shape)
    module.add(f, y)
    return module.text()
