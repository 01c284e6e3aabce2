"""SqueezeNet 1.1: convolutions of one pixel squeeze what two others, of one
and of nine pixels, expand side by side."""

from layers import conv, out_size, relu
from text import Function, Module, Value

FIRES = ((16, 64), (16, 64), None, (32, 128), (32, 128), None, (48, 192),
         (48, 192), (64, 256), (64, 256))


def biased(f, name, x, channels, kernel, stride=1, pad=None):
    y = conv(f, name, x, channels, kernel, stride, pad=pad)
    bias = f.param(name + "_bias", (channels,))
    return relu(f, f.call("nn.bias_add", [y, bias], y.shape))


def pool(f, x):
    n, c, h, w = x.shape
    return f.call("nn.max_pool2d", [x],
                  (n, c, out_size(h, 3, 2, 0), out_size(w, 3, 2, 0)),
                  pool_size=[3, 3], strides=[2, 2], padding=[0, 0, 0, 0])


def fire(f, name, x, squeeze, expand):
    x = biased(f, name + "squeeze", x, squeeze, 1)
    one = biased(f, name + "expand1", x, expand, 1)
    three = biased(f, name + "expand3", x, expand, 3)
    both = Value("(%s, %s)" % (one.text, three.text))
    n, c, h, w = one.shape
    return f.call("concatenate", [both], (n, 2 * c, h, w), axis=1)


def build(batch=1, size=224, classes=1000):
    module = Module("SqueezeNet 1.1 for images of %d by %d" % (size, size))
    f = Function("main")
    x = f.param("data", (batch, 3, size, size))
    x = pool(f, biased(f, "stem", x, 64, 3, 2, pad=0))
    for i, sizes in enumerate(FIRES, 2):
        x = fire(f, "fire%d_" % i, x, *sizes) if sizes else pool(f, x)
    x = biased(f, "classes", x, classes, 1)
    y = f.call("nn.global_avg_pool2d", [x], (batch, classes, 1, 1))
    y = f.call("nn.batch_flatten", [y], (batch, classes))
    y = f.call("nn.softmax", [y], y.shape)
    module.add(f, y)
    return module.text()
