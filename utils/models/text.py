"""Writes Relay text: functions, their parameters, and calls in order."""


class Value:
    """Something that an expression may use: its text and its shape."""

    def __init__(self, text, shape=None):
        self.text = text
        self.shape = shape

    def field(self, number, shape=None):
        return Value("%s.%d" % (self.text, number), shape)


def tensor(shape, dtype="float32"):
    return "Tensor[(%s), %s]" % (", ".join(map(str, shape)), dtype)


def literal(value):
    if isinstance(value, str):
        return '"%s"' % value
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, float):
        return "%gf" % value
    if isinstance(value, (list, tuple)):
        return "[%s]" % ", ".join(map(literal, value))
    return str(value)


class Function:
    """One definition.  Parameters appear in the order of their first use."""

    def __init__(self, name, inline=False):
        self.name = name
        self.inline = inline
        self.params = []
        self.lines = []
        self.count = 0

    def param(self, name, shape):
        self.params.append((name, shape))
        return Value("%" + name, shape)

    def comment(self, text):
        self.lines.append("  // " + text)

    def bind(self, text, shape=None):
        """Name the value of an expression: %N = TEXT."""
        ref = "%%%d" % self.count
        self.count += 1
        self.lines.append("  %s = %s;" % (ref, text))
        return Value(ref, shape)

    def call(self, op, args, shape=None, **attrs):
        words = [arg.text for arg in args]
        words += ["%s=%s" % (k, literal(v)) for k, v in attrs.items()]
        return self.bind("%s(%s)" % (op, ", ".join(words)), shape)

    def text(self, result, result_type):
        params = ["  %%%s: %s" % (n, tensor(s)) for n, s in self.params]
        if self.inline:
            params.append("  Inline=1")
        head = "def @%s(\n%s\n) -> %s {" % (
            self.name, ",\n".join(params), result_type)
        lines = list(self.lines)
        last = "  %s = " % result.text
        if lines and lines[-1].startswith(last):
            lines[-1] = "  " + lines[-1][len(last):-1]
        else:
            lines.append("  " + result.text)
        return "\n".join([head] + lines + ["}"])


class Module:
    """Definitions; a function called main comes last."""

    def __init__(self, title):
        self.title = title
        self.functions = []

    def has(self, name):
        return any(n == name for n, _ in self.functions)

    def add(self, function, result, result_type=None):
        self.functions.append((function.name, function.text(
            result, result_type or tensor(result.shape))))

    def text(self):
        head = ['#[version = "0.0.5"]', "// %s" % self.title]
        return "\n".join(head) + "\n" + "\n\n".join(
            text for _, text in self.functions) + "\n"
