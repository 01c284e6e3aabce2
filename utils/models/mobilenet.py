"""MobileNet: depthwise convolutions, each followed by a pointwise one."""

from layers import batch_norm, classifier, conv, relu
from text import Function, Module

BLOCKS = ((64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2), (512, 1),
          (512, 1), (512, 1), (512, 1), (512, 1), (1024, 2), (1024, 1))


def build(batch=1, size=224):
    module = Module("MobileNet for images of %d by %d" % (size, size))
    f = Function("main")
    x = f.param("data", (batch, 3, size, size))
    x = conv(f, "stem_conv", x, 32, 3, 2)
    x = relu(f, batch_norm(f, "stem_bn", x))
    for i, (channels, stride) in enumerate(BLOCKS, 1):
        f.comment("block %d" % i)
        name = "b%d_" % i
        x = conv(f, name + "depthwise", x, x.shape[1], 3, stride, x.shape[1])
        x = relu(f, batch_norm(f, name + "bn1", x))
        x = conv(f, name + "pointwise", x, channels, 1)
        x = relu(f, batch_norm(f, name + "bn2", x))
    y = classifier(f, x)
    module.add(f, y)
    return module.text()
