"""Layers that networks share.  F is the function they are written into."""


def out_size(size, kernel, stride, pad):
    return (size + 2 * pad - kernel) // stride + 1


def conv(f, name, x, channels, kernel, stride=1, groups=1, pad=None):
    """A convolution without bias; as it is, stride 1 keeps the size."""
    n, c, h, w = x.shape
    pad = kernel // 2 if pad is None else pad
    weight = f.param(name + "_weight",
                     (channels, c // groups, kernel, kernel))
    attrs = {}
    if stride != 1:
        attrs["strides"] = [stride, stride]
    attrs["padding"] = [pad] * 4
    if groups != 1:
        attrs["groups"] = groups
    attrs["channels"] = channels
    attrs["kernel_size"] = [kernel, kernel]
    shape = (n, channels, out_size(h, kernel, stride, pad),
             out_size(w, kernel, stride, pad))
    return f.call("nn.conv2d", [x, weight], shape, **attrs)


def batch_norm(f, name, x):
    c = x.shape[1]
    stats = [f.param("%s_%s" % (name, part), (c,))
             for part in ("gamma", "beta", "mean", "var")]
    return f.call("nn.batch_norm", [x] + stats).field(0, x.shape)


def relu(f, x):
    return f.call("nn.relu", [x], x.shape)


def dense(f, name, x, units, axis=-1):
    """A fully connected layer with bias over the last dimension."""
    weight = f.param(name + "_weight", (units, x.shape[-1]))
    bias = f.param(name + "_bias", (units,))
    shape = x.shape[:-1] + (units,)
    y = f.call("nn.dense", [x, weight], shape, units=units)
    return f.call("nn.bias_add", [y, bias], shape, axis=axis)


def classifier(f, x, classes=1000):
    """Average over the image, then the scores of the classes."""
    n, c = x.shape[:2]
    y = f.call("nn.global_avg_pool2d", [x], (n, c, 1, 1))
    y = f.call("nn.batch_flatten", [y], (n, c))
    y = dense(f, "fc", y, classes)
    return f.call("nn.softmax", [y], y.shape)
