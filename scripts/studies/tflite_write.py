"""Networks of tandem's own as TensorFlow Lite files, in float and in int8: what a runtime and tandem are compared on.

Layers of `tandem models import` (OUT.json, OUT.safetensors) become operators in the order batch, height, width, channels.
Batch norms, scales and activations go into the operator before them, as every converter does. The file is written by
its tables' ids, as profiles/importers/tflite/tandem_tflite.fbs has them.
"""
import json
import struct

import flatbuffers
import numpy

OPS = {"add": 0, "avg_pool": 1, "concat": 2, "conv": 3, "depthwise": 4, "fc": 9, "lrn": 13, "sigmoid": 14, "max_pool": 17,
       "mul": 18, "relu": 19, "relu6": 21, "reshape": 22, "softmax": 25, "tanh": 28, "pad": 34, "mean": 40, "hard_swish": 117}
# The first version of each that knows int8, or the only one that there is.
VERSIONS = {OPS["conv"]: 3, OPS["depthwise"]: 3, OPS["fc"]: 4, OPS["reshape"]: 1, OPS["lrn"]: 1, OPS["hard_swish"]: 1}
FLOAT32, INT32, INT8 = 0, 2, 9
TYPES = {FLOAT32: numpy.float32, INT32: numpy.int32, INT8: numpy.int8}
# Options of each operator: the union's number, and its fields' ids.
CONV, DEPTHWISE, POOL, FC, SOFTMAX, CONCAT, ADD, LRN, RESHAPE, MUL, REDUCER = 1, 2, 5, 8, 9, 10, 11, 13, 17, 21, 27
SAME, VALID = 0, 1


def read_safetensors(path):
    data = path.read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, entry in json.loads(data[8:8 + size]).items():
        if name == "__metadata__":
            continue
        begin, end = (8 + size + at for at in entry["data_offsets"])
        tensors[name] = numpy.frombuffer(data[begin:end], numpy.float32).reshape(entry["shape"])
    return tensors


class Network:
    """Tensors and operators as the file will have them."""

    def __init__(self):
        self.tensors, self.operators = [], []  # {name, shape, type, data, scales, zeros, axis}; {op, inputs, outputs, options}
        self.inputs, self.outputs = [], []

    def tensor(self, name, shape, kind=FLOAT32, data=None, scales=None, zeros=None, axis=0):
        self.tensors.append({"name": name, "shape": [int(n) for n in shape], "type": kind, "data": data, "scales": scales,
                             "zeros": zeros, "axis": axis})
        return len(self.tensors) - 1

    def constant(self, name, values, kind=FLOAT32):
        values = numpy.ascontiguousarray(values, TYPES[kind])
        return self.tensor(name, values.shape, kind, values)

    def operator(self, op, inputs, output, options=None):
        self.operators.append({"op": op, "inputs": inputs, "outputs": [output], "options": options})


def same_pads(extent, window, stride):
    total = max(((extent - 1) // stride) * stride + window - extent, 0)
    return total // 2, total - total // 2


class Builder:
    """A network of layers to one of operators; `shapes` are those of the layers' outputs, batch and channels first."""

    def __init__(self, model, shapes, weights):
        self.layers, self.shapes, self.weights = model["layers"], shapes, weights
        self.net, self.made, self.folded = Network(), {}, {}
        self.users = {}
        for layer in self.layers:
            for name in layer.get("inputs", []):
                self.users.setdefault(name, []).append(layer)

    def build(self):
        for layer in self.layers:
            name = layer["name"]
            if name in self.folded:
                self.made[name] = self.made[self.folded[name]]
                continue
            add = getattr(self, "add_" + layer["op"], None)
            if add is None:
                raise ValueError(f"layer {name}: {layer['op']} is not written here")
            add(layer, *[self.made[i] for i in layer.get("inputs", [])])
        self.net.outputs = [self.made[layer["name"]] for layer in self.layers if layer["name"] not in self.users]
        return self.net

    def output(self, layer):
        shape = self.shapes[layer["name"]]
        if len(shape) == 4:
            shape = [shape[0], shape[2], shape[3], shape[1]]
        self.made[layer["name"]] = self.net.tensor(layer["name"], shape)
        return self.made[layer["name"]]

    def fused(self, layer):
        """The number of the activation that alone reads the layer, or what was folded into it; it is the operator's own."""
        name = next((after for after, into in reversed(self.folded.items()) if into == layer["name"]), layer["name"])
        users = self.users.get(name, [])
        if len(users) != 1 or users[0]["op"] not in ("relu", "relu6"):
            return 0
        self.folded[users[0]["name"]] = layer["name"]
        return 1 if users[0]["op"] == "relu" else 3

    def plain(self, layer, inputs, options=None, op=None):
        self.net.operator(OPS[op or layer["op"]], list(inputs), self.output(layer), options)

    def add_input(self, layer):
        self.net.inputs.append(self.output(layer))

    def nothing(self, layer, value):
        self.made[layer["name"]] = value

    add_dropout = add_identity = nothing

    def add_relu(self, layer, value):
        self.plain(layer, [value])

    add_relu6 = add_sigmoid = add_tanh = add_hard_swish = add_relu

    def add_add(self, layer, *values):
        self.plain(layer, values, (ADD, {0: ("byte", self.fused(layer))}))

    def add_mul(self, layer, *values):
        self.plain(layer, values, (MUL, {}))

    def add_concat(self, layer, *values):
        rank = len(self.shapes[layer["name"]])
        axis = {0: 0, 1: 3, 2: 1, 3: 2}[layer.get("axis", 1)] if rank == 4 else layer.get("axis", 1)
        self.plain(layer, values, (CONCAT, {0: ("int", axis)}))

    def add_softmax(self, layer, value):
        self.plain(layer, [value], (SOFTMAX, {0: ("float", 1.0)}))

    def add_lrn(self, layer, value):
        size = layer.get("size", 5)
        self.plain(layer, [value], (LRN, {0: ("int", size // 2), 1: ("float", layer.get("k", 1)),
                                          2: ("float", layer.get("alpha", 1e-4) / size), 3: ("float", layer.get("beta", 0.75))}))

    def add_flatten(self, layer, value):
        """In the file's own order of numbers: who reads it moves its weights."""
        shape = self.net.constant(layer["name"] + "/shape", [-1, self.shapes[layer["name"]][1]], INT32)
        self.plain(layer, [value, shape], (RESHAPE, {}), "reshape")

    def padded(self, layer, value, pad):
        """Zeros around, in an operator of their own."""
        top, left, bottom, right = pad
        pads = self.net.constant(layer["name"] + "/pads", [[0, 0], [top, bottom], [left, right], [0, 0]], INT32)
        shape = list(self.net.tensors[value]["shape"])
        shape[1] += top + bottom
        shape[2] += left + right
        out = self.net.tensor(layer["name"] + "/pad", shape)
        self.net.operator(OPS["pad"], [value, pads], out)
        return out

    def window(self, layer, value, kernel, stride, dilation):
        """Padding of the window: SAME where that is what the layer has, else zeros before it."""
        height, width = self.net.tensors[value]["shape"][1:3]
        out = self.shapes[layer["name"]][2:]
        pad = layer.get("pad", [0, 0, 0, 0])
        # What a window rounded up reaches beyond the padding is as much padding.
        reach = [max(0, (out[i] - 1) * stride[i] + (kernel[i] - 1) * dilation[i] + 1 - extent - pad[i])
                 for i, extent in enumerate((height, width))]
        pad = [pad[0], pad[1], reach[0], reach[1]]
        rows, columns = (same_pads(extent, (kernel[i] - 1) * dilation[i] + 1, stride[i])
                         for i, extent in enumerate((height, width)))
        if not any(pad):
            return value, VALID
        if pad == [rows[0], columns[0], rows[1], columns[1]]:
            return value, SAME
        return self.padded(layer, value, pad), VALID

    def by_channel(self, layer, channels):
        """Factors and offsets of a layer that has one for each channel; None of any other."""
        role = lambda r, otherwise: self.weights.get(layer["name"] + ":" + r, otherwise).astype(numpy.float64)
        ones, zeros = numpy.ones(channels), numpy.zeros(channels)
        constant = self.weights.get(layer["name"] + ":constant")
        if layer["op"] in ("add", "mul") and constant is not None and constant.size == channels:
            number = constant.reshape(-1).astype(numpy.float64)
            return (ones, number) if layer["op"] == "add" else (number, zeros)
        if layer["op"] not in ("batch_norm", "scale"):
            return None
        factor, offset = role("gamma", ones), role("beta", zeros)
        if layer["op"] == "batch_norm":
            factor = factor / numpy.sqrt(role("variance", ones) + layer.get("epsilon", 1e-5))
            offset = offset - role("mean", zeros) * factor
        return factor, offset

    def weights_of(self, layer, kind):
        """Weight and bias, with what follows folded in."""
        name = layer["name"]
        weight = self.weights[name + ":weight"].astype(numpy.float64)
        bias = self.weights.get(name + ":bias", numpy.zeros(weight.shape[0])).astype(numpy.float64)
        while kind != "fc" and len(self.users.get(name, [])) == 1:
            after = self.users[name][0]
            found = self.by_channel(after, len(bias))
            if found is None:
                break
            factor, offset = found
            weight = weight * factor.reshape(-1, *[1] * (weight.ndim - 1))
            bias = bias * factor + offset
            self.folded[after["name"]] = layer["name"]
            name = after["name"]
        return weight, bias

    def add_conv(self, layer, value):
        kernel, stride = layer["kernel"], layer.get("stride", [1, 1])
        dilation, groups = layer.get("dilation", [1, 1]), layer.get("groups", 1)
        value, padding = self.window(layer, value, kernel, stride, dilation)
        weight, bias = self.weights_of(layer, "conv")
        depthwise = groups > 1 and weight.shape[1] == 1
        fields = {0: ("byte", padding), 1: ("int", stride[1]), 2: ("int", stride[0])}
        if depthwise:
            fields |= {3: ("int", weight.shape[0] // groups), 4: ("byte", self.fused(layer)), 5: ("int", dilation[1]), 6: ("int", dilation[0])}
            weight = weight.transpose(1, 2, 3, 0)
        else:
            fields |= {3: ("byte", self.fused(layer)), 4: ("int", dilation[1]), 5: ("int", dilation[0])}
            weight = weight.transpose(0, 2, 3, 1)
        inputs = [value, self.net.constant(layer["name"] + "/weight", weight), self.net.constant(layer["name"] + "/bias", bias)]
        self.plain(layer, inputs, (DEPTHWISE if depthwise else CONV, fields), "depthwise" if depthwise else "conv")

    def add_fc(self, layer, value):
        weight, bias = self.weights_of(layer, "fc")
        source = self.net.tensors[value]
        image = source["shape"]
        if len(image) != 4:  # of an image that was flattened before
            before = next((l for l in self.layers if l["name"] == source["name"] and l["op"] == "flatten"), None)
            shape = self.shapes[before["inputs"][0]] if before else []
            image = [shape[0], shape[2], shape[3], shape[1]] if len(shape) == 4 else []
        if len(image) == 4:
            _, height, width, channels = image
            weight = weight.reshape(-1, channels, height, width).transpose(0, 2, 3, 1).reshape(weight.shape)
        inputs = [value, self.net.constant(layer["name"] + "/weight", weight), self.net.constant(layer["name"] + "/bias", bias)]
        self.plain(layer, inputs, (FC, {0: ("byte", self.fused(layer))}))

    def add_max_pool(self, layer, value):
        if layer.get("global"):
            return self.whole(layer, value)
        kernel, stride = layer["kernel"], layer.get("stride", [1, 1])
        value, padding = self.window(layer, value, kernel, stride, [1, 1])  # zeros are no less than what follows a relu
        self.plain(layer, [value], (POOL, {0: ("byte", padding), 1: ("int", stride[1]), 2: ("int", stride[0]),
                                           3: ("int", kernel[1]), 4: ("int", kernel[0])}))

    def whole(self, layer, value):
        height, width = self.net.tensors[value]["shape"][1:3]
        self.plain(layer, [value], (POOL, {0: ("byte", VALID), 1: ("int", 1), 2: ("int", 1), 3: ("int", width),
                                           4: ("int", height)}))

    def add_avg_pool(self, layer, value):
        if layer.get("global"):
            axes = self.net.constant(layer["name"] + "/axes", [1, 2], INT32)
            return self.plain(layer, [value, axes], (REDUCER, {0: ("bool", True)}), "mean")
        if any(layer.get("pad", [])):
            raise ValueError(f"{layer['name']}: mean pooling with padding")
        return self.add_max_pool(layer, value)


def grid_of(low, high):
    """A scale and a zero point of int8 so that 0 is on the grid."""
    low, high = min(float(low), 0.0), max(float(high), 0.0)
    scale = numpy.float32((high - low) / 255) if high > low else numpy.float32(1)
    return scale, int(numpy.clip(round(-128 - low / float(scale)), -128, 127))


def quantized(net, ranges):
    """The network in int8: `ranges` (least, greatest) of each tensor that an operator makes or that is an input."""
    out = Network()
    out.inputs, out.outputs = net.inputs, net.outputs
    for tensor, (low, high) in zip(net.tensors, ranges):
        kept = dict(tensor)
        if tensor["data"] is None:
            scale, zero = grid_of(low, high)
            kept |= {"type": INT8, "scales": [scale], "zeros": [zero]}
        out.tensors.append(kept)
    for op in net.operators:
        grids = [out.tensors[i] for i in op["inputs"] + op["outputs"]]
        if op["op"] in (OPS["max_pool"], OPS["reshape"], OPS["pad"], OPS["avg_pool"]):  # the format asks for one grid
            grids[-1] |= {key: grids[0][key] for key in ("scales", "zeros")}
        if op["op"] == OPS["softmax"] or op["op"] == OPS["sigmoid"]:
            grids[-1] |= {"scales": [numpy.float32(1 / 256)], "zeros": [-128]}
        if op["op"] in (OPS["conv"], OPS["depthwise"], OPS["fc"]):
            quantize_weights(op["op"], *grids[:3])
    for op in net.operators:  # what is joined has the grid of what it becomes
        if op["op"] == OPS["concat"]:
            joined = [out.tensors[i] for i in op["inputs"] + op["outputs"]]
            low = min(ranges[i][0] for i in op["inputs"])
            high = max(ranges[i][1] for i in op["inputs"])
            scale, zero = grid_of(low, high)
            for tensor in joined:
                tensor |= {"scales": [scale], "zeros": [zero]}
    for op in net.operators:  # biases, once all grids are known
        if op["op"] in (OPS["conv"], OPS["depthwise"], OPS["fc"]):
            value, weight, bias = (out.tensors[i] for i in op["inputs"])
            steps = numpy.float64(value["scales"][0]) * numpy.asarray(weight["scales"], numpy.float64)
            data = numpy.clip(numpy.round(bias["data"] / steps), -2**31, 2**31 - 1).astype(numpy.int32)
            bias |= {"type": INT32, "data": data, "scales": steps.astype(numpy.float32), "zeros": [0] * len(steps)}
        if op["op"] in (OPS["max_pool"], OPS["reshape"], OPS["pad"], OPS["avg_pool"]):
            out.tensors[op["outputs"][0]] |= {key: out.tensors[op["inputs"][0]][key] for key in ("scales", "zeros")}
    out.operators = net.operators
    return out


def quantize_weights(op, value, weight, bias):
    """A step for each output, a single one for all of a matrix, as converters have it."""
    data = weight["data"].astype(numpy.float64)
    axis = 3 if op == OPS["depthwise"] else 0
    others = tuple(i for i in range(data.ndim) if i != axis)
    most = numpy.abs(data).max(axis=None if op == OPS["fc"] else others)
    steps = numpy.atleast_1d(numpy.where(most > 0, most, 1) / 127).astype(numpy.float32)
    spread = steps if len(steps) == 1 else steps.reshape([-1 if i == axis else 1 for i in range(data.ndim)])
    weight |= {"type": INT8, "data": numpy.clip(numpy.round(data / spread), -127, 127).astype(numpy.int8), "scales": steps,
               "zeros": [0] * len(steps), "axis": axis}


def write(net, path):
    builder = flatbuffers.Builder(1 << 20)

    def vector(values, kind):
        return builder.CreateNumpyVector(numpy.ascontiguousarray(values, kind))

    def offsets(items):
        builder.StartVector(4, len(items), 4)
        for item in reversed(items):
            builder.PrependUOffsetTRelative(item)
        return builder.EndVector()

    def table(fields):
        put = {"byte": builder.PrependInt8Slot, "bool": builder.PrependBoolSlot, "int": builder.PrependInt32Slot,
               "uint": builder.PrependUint32Slot, "float": builder.PrependFloat32Slot, "ubyte": builder.PrependUint8Slot}
        builder.StartObject(max(fields, default=-1) + 1)
        for at, (kind, value) in fields.items():
            if kind == "offset":
                builder.PrependUOffsetTRelativeSlot(at, value, 0)
            else:
                put[kind](at, value, 0)
        return builder.EndObject()

    buffers, tensors = [table({})], []
    for tensor in net.tensors:
        buffer = 0
        if tensor["data"] is not None:
            buffer = len(buffers)
            data = numpy.frombuffer(tensor["data"].tobytes(), numpy.uint8)
            builder.Prep(16, len(data))  # the numbers of a tensor lie on a border of 16 bytes
            buffers.append(table({0: ("offset", vector(data, numpy.uint8))}))
        fields = {0: ("offset", vector(tensor["shape"], numpy.int32)), 1: ("byte", tensor["type"]), 2: ("uint", buffer),
                  3: ("offset", builder.CreateString(tensor["name"]))}
        if tensor["scales"] is not None:
            fields[4] = ("offset", table({2: ("offset", vector(tensor["scales"], numpy.float32)),
                                          3: ("offset", vector(tensor["zeros"], numpy.int64)),
                                          6: ("int", tensor["axis"])}))
        tensors.append(table(fields))
    kinds = sorted({op["op"] for op in net.operators})
    codes = [table({0: ("byte", kind), 2: ("int", VERSIONS.get(kind, 2)), 3: ("int", kind)}) for kind in kinds]
    operators = []
    for op in net.operators:
        fields = {0: ("uint", kinds.index(op["op"])), 1: ("offset", vector(op["inputs"], numpy.int32)),
                  2: ("offset", vector(op["outputs"], numpy.int32))}
        if op["options"]:
            fields |= {3: ("ubyte", op["options"][0]), 4: ("offset", table(op["options"][1]))}
        operators.append(table(fields))
    network = table({0: ("offset", offsets(tensors)), 1: ("offset", vector(net.inputs, numpy.int32)),
                     2: ("offset", vector(net.outputs, numpy.int32)), 3: ("offset", offsets(operators))})
    model = table({0: ("uint", 3), 1: ("offset", offsets(codes)), 2: ("offset", offsets([network])),
                   4: ("offset", offsets(buffers))})
    builder.Finish(model, b"TFL3")
    path.write_bytes(bytes(builder.Output()))
