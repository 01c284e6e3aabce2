"""ResNet: residual blocks of two or three convolutions.

The blocks of one shape are one function marked Inline, called once for each
block; with flat=True they stand in main.
"""

from layers import batch_norm, classifier, conv, relu
from text import Function, Module

DEPTHS = {
    18: ("basic", (2, 2, 2, 2)),
    34: ("basic", (3, 4, 6, 3)),
    50: ("bottleneck", (3, 4, 6, 3)),
    101: ("bottleneck", (3, 4, 23, 3)),
}


def basic(f, prefix, x, width, stride):
    y = conv(f, prefix + "conv1", x, width, 3, stride)
    y = relu(f, batch_norm(f, prefix + "bn1", y))
    y = conv(f, prefix + "conv2", y, width, 3)
    return batch_norm(f, prefix + "bn2", y)


def bottleneck(f, prefix, x, width, stride):
    y = conv(f, prefix + "conv1", x, width, 1)
    y = relu(f, batch_norm(f, prefix + "bn1", y))
    y = conv(f, prefix + "conv2", y, width, 3, stride)
    y = relu(f, batch_norm(f, prefix + "bn2", y))
    y = conv(f, prefix + "conv3", y, 4 * width, 1)
    return batch_norm(f, prefix + "bn3", y)


def block(kind, f, prefix, x, width, stride):
    """One residual block; the shortcut is projected where shapes differ."""
    y = (basic if kind == "basic" else bottleneck)(f, prefix, x, width, stride)
    if y.shape != x.shape:
        x = conv(f, prefix + "down", x, y.shape[1], 1, stride)
        x = batch_norm(f, prefix + "down_bn", x)
    return relu(f, f.call("add", [y, x], y.shape))


def called_block(module, kind, f, prefix, x, width, stride):
    """The same as a call of a function that blocks of its shape share."""
    name = "block_%dx%d_to_%d" % (x.shape[1], x.shape[2], width)
    g = Function(name, inline=True)
    y = block(kind, g, "", g.param("x", x.shape), width, stride)
    if not module.has(name):
        module.add(g, y)
    args = [f.param(prefix + n, s) for n, s in g.params[1:]]
    return f.call("@" + name, [x] + args, y.shape)


def build(depth, batch=1, size=224, flat=False):
    kind, counts = DEPTHS[depth]
    module = Module("ResNet-%d for images of %d by %d" % (depth, size, size))
    f = Function("main")
    x = f.param("data", (batch, 3, size, size))
    x = conv(f, "stem_conv", x, 64, 7, 2)
    x = relu(f, batch_norm(f, "stem_bn", x))
    n, c, h, w = x.shape
    x = f.call("nn.max_pool2d", [x],
               (n, c, (h + 1) // 2, (w + 1) // 2),
               pool_size=[3, 3], strides=[2, 2], padding=[1, 1, 1, 1])
    for stage, count in enumerate(counts):
        for unit in range(count):
            f.comment("stage %d, block %d" % (stage + 1, unit + 1))
            prefix = "s%d_b%d_" % (stage + 1, unit + 1)
            stride = 2 if stage > 0 and unit == 0 else 1
            args = (kind, f, prefix, x, 64 << stage, stride)
            x = block(*args) if flat else called_block(module, *args)
    y = classifier(f, x)
    module.add(f, y)
    return module.text()
