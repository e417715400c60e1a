"""The operators that `tandem models export` writes, on PyTorch, and a network of them.

An operator is made ready by an example of what it reads: OPERATORS[op](torch, node, inputs) gives what is called from then on
with tensors. `node.constants` has the numbers of inputs that are small and known.
"""
import collections

from gpu.onnx_file import FLOAT, INT8, UINT8


def pair(values, default):
    return tuple(values) if values else (default, default)


def padded(torch, pads, value):
    """A function that pads height and width."""
    top, left, bottom, right = pads
    return lambda x: torch.nn.functional.pad(x, (left, right, top, bottom), value=value)


def windows(node):
    of = node.attributes
    kernel = tuple(of["kernel_shape"])
    return kernel, pair(of.get("strides"), 1), pair(of.get("dilations"), 1), list(of.get("pads") or [0, 0, 0, 0])


def conv(torch, node, inputs):
    functional = torch.nn.functional
    _, stride, dilation, pads = windows(node)
    groups = node.attributes.get("group", 1)
    weight, bias = inputs[1], inputs[2] if len(inputs) > 2 else None
    if pads[:2] == pads[2:]:
        padding = tuple(pads[:2])
        return lambda x, *_: functional.conv2d(x, weight, bias, stride, padding, dilation, groups)
    pad = padded(torch, pads, 0)
    return lambda x, *_: functional.conv2d(pad(x), weight, bias, stride, 0, dilation, groups)


def conv_transpose(torch, node, inputs):
    _, stride, dilation, pads = windows(node)
    if pads[:2] != pads[2:]:
        raise ValueError(f"{node.name}: a transposed convolution with uneven padding")
    more = pair(node.attributes.get("output_padding"), 0)
    groups, padding = node.attributes.get("group", 1), tuple(pads[:2])
    weight, bias = inputs[1], inputs[2] if len(inputs) > 2 else None
    function = torch.nn.functional.conv_transpose2d
    return lambda x, *_: function(x, weight, bias, stride, padding, more, groups, dilation)


def rounds_up(size, kernel, stride, dilation, before, after):
    """Is padding `after` the same as `before` on both sides and an output that is rounded up?"""
    reach = dilation * (kernel - 1) + 1
    out = (size + before + after - reach) // stride + 1
    up = -(-(size + 2 * before - reach) // stride) + 1
    if (up - 1) * stride >= size + before:  # PyTorch: the last window begins inside
        up -= 1
    return out == up and after >= before


def pool(torch, node, inputs):
    kernel, stride, dilation, pads = windows(node)
    largest = node.op == "MaxPool"
    count_padding = bool(node.attributes.get("count_include_pad", 0))
    functional = torch.nn.functional
    size = inputs[0].shape[2:]
    even, fits = pads[:2] == pads[2:], all(2 * pad <= k for pad, k in zip(pads[:2], kernel))
    ceil = not even and all(rounds_up(size[i], kernel[i], stride[i], dilation[i], pads[i], pads[i + 2]) for i in (0, 1))

    def plain(padding, up=False, count=count_padding):
        if largest:
            return lambda x: functional.max_pool2d(x, kernel, stride, padding, dilation, up)
        return lambda x: functional.avg_pool2d(x, kernel, stride, padding, up, count)

    if fits and (even or ceil and not (count_padding and any(pads))):
        return plain(tuple(pads[:2]), ceil)
    pad, pooled = padded(torch, pads, float("-inf") if largest else 0), plain((0, 0), False, True)
    if largest or count_padding:
        return lambda x: pooled(pad(x))
    share = pooled(pad(torch.ones_like(inputs[0])))
    return lambda x: pooled(pad(x)) / share


def gemm(torch, node, inputs):
    if not node.attributes.get("transB") or node.attributes.get("transA"):
        raise ValueError(f"{node.name}: only weights of (out, in)")
    weight, bias = inputs[1], inputs[2] if len(inputs) > 2 else None
    return lambda x, *_: torch.nn.functional.linear(x, weight, bias)


def batch_norm(torch, node, inputs):
    _, gamma, beta, mean, variance = inputs
    epsilon = node.attributes.get("epsilon", 1e-5)
    return lambda x, *_: torch.nn.functional.batch_norm(x, mean, variance, gamma, beta, False, 0.0, epsilon)


def layer_norm(torch, node, inputs):
    shape = tuple(inputs[0].shape[node.attributes.get("axis", -1):])
    gamma, beta = inputs[1], inputs[2] if len(inputs) > 2 else None
    epsilon = node.attributes.get("epsilon", 1e-5)
    return lambda x, *_: torch.nn.functional.layer_norm(x, shape, gamma, beta, epsilon)


def lrn(torch, node, inputs):
    of = node.attributes
    return lambda x: torch.nn.functional.local_response_norm(x, of["size"], of["alpha"], of["beta"], of["bias"])


def clip(torch, node, inputs):
    low, high = node.constants[1][0], node.constants[2][0]
    return lambda x, *_: torch.nn.functional.hardtanh(x, low, high)


def hard_sigmoid(torch, node, inputs):
    alpha, beta = node.attributes.get("alpha", 0.2), node.attributes.get("beta", 0.5)
    return lambda x: (x * alpha + beta).clamp(0, 1)


def flatten(torch, node, inputs):
    rows = 1
    for extent in inputs[0].shape[:node.attributes.get("axis", 1)]:
        rows *= extent
    return lambda x: x.reshape(rows, -1)


def reshape(torch, node, inputs):
    shape = [inputs[0].shape[i] if extent == 0 else extent for i, extent in enumerate(node.constants[1])]
    return lambda x, *_: x.reshape(shape)


def pad(torch, node, inputs):
    pads, rank = node.constants[1], inputs[0].dim()
    mode = {"constant": "constant", "edge": "replicate", "reflect": "reflect"}[node.attributes.get("mode", "constant")]
    value = node.constants[2][0] if len(inputs) > 2 else 0
    axes = range(rank) if mode == "constant" else range(2, rank)  # PyTorch repeats and mirrors inside images alone
    if any(pads[axis] or pads[axis + rank] for axis in range(rank) if axis not in axes):
        raise ValueError(f"{node.name}: padding of the batch or the channels by {mode}")
    order = [number for axis in reversed(axes) for number in (pads[axis], pads[axis + rank])]
    more = {"value": value} if mode == "constant" else {}
    return lambda x, *_: torch.nn.functional.pad(x, order, mode, **more)


def cut(torch, node, inputs):
    starts, ends = node.constants[1], node.constants[2]
    axes = node.constants[3] if len(inputs) > 3 else range(len(starts))
    steps = node.constants[4] if len(inputs) > 4 else [1] * len(starts)
    if min(steps) < 1:
        raise ValueError(f"{node.name}: backwards")
    where = [slice(None)] * inputs[0].dim()
    for axis, start, end, step in zip(axes, starts, ends, steps):
        where[axis] = slice(start, end, step)
    where = tuple(where)
    return lambda x, *_: x[where]


def resize(torch, node, inputs):
    """The exporter writes four of its many kinds, of which PyTorch has three."""
    linear, rule = node.attributes["mode"] == "linear", node.attributes["coordinate_transformation_mode"]
    if linear and rule == "asymmetric":
        raise ValueError("PyTorch does not resize from edges")
    scales, sizes = node.constants[2] if len(inputs) > 2 else None, node.constants[3] if len(inputs) > 3 else None
    to = {"size": tuple(sizes[2:])} if sizes else {"scale_factor": tuple(scales[2:])}
    more = {"mode": "bilinear", "align_corners": rule == "align_corners"} if linear else {"mode": "nearest"}
    return lambda x, *_: torch.nn.functional.interpolate(x, **to, **more)


def reduce_mean(torch, node, inputs):
    axes, keep = tuple(node.attributes["axes"]), bool(node.attributes.get("keepdims", 1))
    return lambda x: x.mean(dim=axes, keepdim=keep)


def prelu(torch, node, inputs):
    slope = inputs[1].reshape(-1)
    return lambda x, *_: torch.nn.functional.prelu(x, slope)


def folded(name):
    """An operator of two inputs on any number of them."""
    def make(torch, node, inputs):
        function = getattr(torch, name)
        if len(inputs) == 2:
            return function

        def call(first, *others):
            for other in others:
                first = function(first, other)
            return first
        return call
    return make


def same(name):
    """A function of torch of the same meaning."""
    return lambda torch, node, inputs: getattr(torch, name)


def functional(name):
    return lambda torch, node, inputs: getattr(torch.nn.functional, name)


def of_axis(name):
    def make(torch, node, inputs):
        axis = node.attributes.get("axis", -1)
        return lambda x: getattr(torch, name)(x, dim=axis)
    return make


def concat(torch, node, inputs):
    axis = node.attributes["axis"]
    return lambda *tensors: torch.cat(tensors, axis)


def with_alpha(name, default):
    def make(torch, node, inputs):
        function, alpha = getattr(torch.nn.functional, name), node.attributes.get("alpha", default)
        return lambda x: function(x, alpha)
    return make


def transpose(torch, node, inputs):
    order = tuple(node.attributes["perm"])
    return lambda x: x.permute(order)


def over_all(name):
    def make(torch, node, inputs):
        function = getattr(torch.nn.functional, name)
        return lambda x: function(x, 1)
    return make


def quantize(torch, node, inputs):
    least = -128 if node.kinds[2] == INT8 else 0
    return lambda x, scale, zero: torch.clamp(torch.round(x / scale) + zero, least, least + 255)


def dequantize(torch, node, inputs):
    numbers, scale = inputs[0], inputs[1]
    axes = [1] * numbers.dim()
    if scale.numel() > 1:
        axes[node.attributes.get("axis", 1)] = scale.numel()

    def to_numbers(x, scale, zero=None):
        return (x if zero is None else x - zero.reshape(axes)) * scale.reshape(axes)
    return to_numbers


OPERATORS = {
    "QuantizeLinear": quantize, "DequantizeLinear": dequantize,
    "Conv": conv, "ConvTranspose": conv_transpose, "MaxPool": pool, "AveragePool": pool, "Gemm": gemm,
    "GlobalAveragePool": over_all("adaptive_avg_pool2d"), "GlobalMaxPool": over_all("adaptive_max_pool2d"),
    "BatchNormalization": batch_norm, "LayerNormalization": layer_norm, "LRN": lrn, "Clip": clip,
    "HardSigmoid": hard_sigmoid, "Flatten": flatten, "Reshape": reshape, "Pad": pad, "Slice": cut, "Resize": resize,
    "ReduceMean": reduce_mean, "PRelu": prelu, "Concat": concat, "Softmax": of_axis("softmax"), "Transpose": transpose,
    "LeakyRelu": with_alpha("leaky_relu", 0.01), "Elu": with_alpha("elu", 1.0), "HardSwish": functional("hardswish"),
    "Softplus": functional("softplus"), "MatMul": same("matmul"), "Add": folded("add"), "Sum": folded("add"),
    "Sub": folded("sub"), "Mul": folded("mul"), "Div": folded("div"), "Pow": folded("pow"), "Max": folded("maximum"),
    "Min": folded("minimum"), "Relu": same("relu"), "Sigmoid": same("sigmoid"), "Tanh": same("tanh"), "Erf": same("erf"),
    "Exp": same("exp"), "Log": same("log"), "Sqrt": same("sqrt"), "Abs": same("abs"), "Neg": same("neg"),
}
NOTHING = {"Identity", "Dropout"}  # of a network that is not trained
# Activations that overwrite what they read, as networks with inplace=True do, where that was made for them alone.
IN_PLACE = {
    "Relu": lambda torch, node: torch.relu_,
    "Clip": lambda torch, node: lambda x, *_: torch.nn.functional.hardtanh_(x, node.constants[1][0], node.constants[2][0]),
}
FRESH = {"Conv", "BatchNormalization", "Gemm", "Add", "Sum", "ConvTranspose"}
SMALL = 512  # bytes


class Network:
    """The nodes of a graph (gpu.onnx_file) on a device, each a call of PyTorch, as written: batch norms are not folded."""

    def __init__(self, torch, graph, device, half=False):
        self.torch, self.device, self.half = torch, device, half
        self.graph, self.nodes, self.steps, alias = graph, [], None, {}
        for node in graph.nodes:
            node.inputs = [alias.get(name, name) for name in node.inputs]
            if node.op in NOTHING:
                alias[node.outputs[0]] = node.inputs[0]
            else:
                self.nodes.append(node)
        self.outputs = [alias.get(name, name) for name in graph.outputs]
        self.weights = {name: self.on_device(tensor) for name, tensor in graph.weights.items()
                        if tensor.kind in (FLOAT, UINT8, INT8)}

    def on_device(self, tensor):
        torch = self.torch
        raw = torch.frombuffer(tensor.data, dtype=torch.uint8).clone()  # in the file it may lie at any byte
        kinds = {FLOAT: torch.float32, UINT8: torch.uint8, INT8: torch.int8}
        values = raw.view(kinds[tensor.kind]).float().reshape(tensor.shape).to(self.device)
        return values.half() if self.half else values

    def channels_last(self):
        """Weights of convolutions too; `prepare` anew after it."""
        form = self.torch.channels_last
        self.weights = {name: tensor.contiguous(memory_format=form) if tensor.dim() == 4 else tensor
                        for name, tensor in self.weights.items()}

    def prepare(self, inputs):
        """Makes every step ready by running through them once."""
        values = {**self.weights, **dict(zip(self.graph.inputs, inputs))}
        makers = {node.outputs[0]: node.op for node in self.nodes}
        last = {name: at for at, node in enumerate(self.nodes) for name in node.inputs}
        readers = collections.Counter(name for node in self.nodes for name in node.inputs)
        self.steps = []
        for at, node in enumerate(self.nodes):
            known = [self.graph.weights.get(name) for name in node.inputs]
            node.constants = [tensor.numbers() if tensor and len(tensor.data) <= SMALL else None for tensor in known]
            node.kinds = [tensor.kind if tensor else None for tensor in known]
            arguments = [values.get(name) for name in node.inputs]
            call, read = OPERATORS[node.op](self.torch, node, arguments), node.inputs[0]
            if node.op in IN_PLACE and readers[read] == 1 and makers.get(read) in FRESH and read not in self.outputs:
                call = IN_PLACE[node.op](self.torch, node)
            done = [name for name in dict.fromkeys(node.inputs)
                    if last[name] == at and name in makers and name not in self.outputs]
            self.steps.append((call, tuple(node.inputs), node.outputs[0], done))
            values[node.outputs[0]] = call(*arguments)
            for name in done:
                del values[name]
        return [values[name] for name in self.outputs]

    def __call__(self, inputs):
        values = {**self.weights, **dict(zip(self.graph.inputs, inputs))}
        get = values.get
        for call, names, output, done in self.steps:
            values[output] = call(*[get(name) for name in names])
            for name in done:
                del values[name]
        return [values[name] for name in self.outputs]
