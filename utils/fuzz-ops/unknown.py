"""Axes of well-typed programs that only the run knows: the same call, where
some dimensions of the inputs are written as `?`."""


from core import product

# What these compute depends on the extents of the kernel.
EVALUATED = ["nn.contrib_conv2d_winograd_weight_transform",
             "nn.contrib_conv3d_winograd_weight_transform"]


def batch(axis, _):
    return axis == 0


def spatial(axis, rank):
    return axis >= rank - 2


def every(*_):
    return True


def is_rank(case, name):
    """The length of the input is the rank of the result."""
    return case.op.startswith("dyn.") and name in "sbe" or (
        case.op in ("gather_nd", "scatter_nd") and name == "i")


def hide(g, case):
    """Some dimensions of some inputs become unknown."""
    if not any(shape and (not is_rank(case, name) or g.maybe(0.1))
               for name, shape, _, _ in case.inputs):
        return
    if any(product(shape) > 1 << 16 for _, shape, _, _ in case.inputs):
        return                  # nothing would say that it is too large
    which = g.choice([batch, spatial, every, None, None, None])
    while not case.unknown:
        some = g.maybe(0.4)
        for k, (name, shape, _, _) in enumerate(case.inputs):
            if (some and k and g.maybe()) or (is_rank(case, name) and
                                              not g.maybe(0.1)):
                continue
            axes = [d for d in range(len(shape))
                    if (which(d, len(shape)) if which else g.maybe(0.4))]
            if axes:
                case.unknown[name] = axes
        which = None
