#!/usr/bin/env python3
"""Makes ONNX Runtime's inference, on whatever it has a provider for, or OpenCV's on the CPU a unit of tandem's backend "command".

A platform names it so:
  {"name": "ort", "kind": "cpu", "memory": "dram", "backend": "command",
   "command": ["python3", "scripts/adapters/onnx.py", "--models", "models", "--cores", "0"]}
A card by ONNX Runtime, which is refused where the provider is not in this build of it:
  "command": ["python3", "scripts/adapters/onnx.py", "--models", "models", "--providers", "TensorrtExecutionProvider,CUDAExecutionProvider"]
Models are ONNX files, or names NAME for which --models has NAME.onnx (`tandem models export NAME` writes it).
Inputs are random, the same for the same seed.
"""
import os
import sys

from unit_program import Runtime, Trouble, serve


class OnnxRuntime:
    CPU = "CPUExecutionProvider"  # runs what the others have not got

    def __init__(self, options):
        import onnxruntime
        self.library, self.threads = onnxruntime, options.threads
        self.providers = options.providers.split(",") if options.providers else [self.CPU]
        missing = [name for name in self.providers if name not in onnxruntime.get_available_providers()]
        if missing:
            raise Trouble(f"this ONNX Runtime has no {' and no '.join(missing)}; it has " +
                          ", ".join(onnxruntime.get_available_providers()))
        self.libraries = {"onnxruntime": onnxruntime.__version__, "providers": "+".join(self.providers)}

    def load(self, path, inputs):
        options = self.library.SessionOptions()
        options.intra_op_num_threads, options.inter_op_num_threads = self.threads, 1
        session = self.library.InferenceSession(str(path), options, providers=list(dict.fromkeys([*self.providers, self.CPU])))
        # It goes on without a provider that cannot start here, and says so to nobody but the log.
        lost = [name for name in self.providers if name not in session.get_providers()]
        if lost:
            raise Trouble(f"ONNX Runtime could not start {' and '.join(lost)} here; its own words are above")
        return lambda: session.run(None, inputs)


class OpenCv:
    def __init__(self, options):
        if options.providers:
            raise Trouble("--providers are ONNX Runtime's, and OpenCV has none: --engine onnxruntime")
        import cv2
        self.library, self.libraries = cv2, {"opencv": cv2.__version__}
        cv2.setNumThreads(options.threads)

    def load(self, path, inputs):
        net = self.library.dnn.readNetFromONNX(str(path))
        names = net.getUnconnectedOutLayersNames()

        def run():
            for name, values in inputs.items():
                net.setInput(values, name)
            return net.forward(names)

        return run


ENGINES = {"onnxruntime": OnnxRuntime, "opencv": OpenCv}


def fields(data):
    """The fields of a protobuf message as (number, value): whole numbers, or the bytes of what has a length."""
    at = 0

    def number():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(data):
        key = number()
        kind = key & 7
        if kind == 0:
            yield key >> 3, number()
            continue
        size = {1: 8, 5: 4}.get(kind) or number()
        yield key >> 3, data[at:at + size]
        at += size


def field(data, *path):
    """The first value at a path of field numbers; None where there is none."""
    for step in path:
        if data is None:
            return None
        data = next((value for number, value in fields(data) if number == step), None)
    return data


def input_shapes(path, batch, given):
    """The model's inputs and their shapes. An open first extent is the batch; what is given speaks for all."""
    # The numbers are those of onnx.proto: ModelProto.graph 7, GraphProto.initializer 5 and input 11,
    # TensorProto.name 8, ValueInfoProto.name 1 and type 2, TypeProto.tensor_type 1, its elem_type 1 and
    # shape 2, TensorShapeProto.dim 1, its dim_value 1.
    graph = list(fields(field(memoryview(path.read_bytes()), 7) or b""))
    weights = {bytes(field(value, 8) or b"") for number, value in graph if number == 5}
    shapes = {}
    for name, tensor in ((field(v, 1), field(v, 2, 1)) for number, v in graph if number == 11):
        if bytes(name) in weights:
            continue
        name = bytes(name).decode()
        if tensor is None or field(tensor, 1) != 1:
            raise Trouble(f"input {name} is no float32 tensor")
        shape = [field(v, 1) for number, v in fields(field(tensor, 2) or b"") if number == 1]
        if shape and not shape[0]:
            shape[0] = batch
        shape = given.get(name) or given.get("") or shape
        if not shape or None in shape or 0 in shape:
            raise Trouble(f"input {name} has no fixed shape: --shape {name}=N,C,H,W says it")
        if shape[0] != batch:
            raise Trouble(f"the file has batch {shape[0]}, asked for is {batch}")
        shapes[name] = shape
    if not shapes:
        raise Trouble("it has no inputs; is it an ONNX file?")
    return shapes


class Net:
    def __init__(self, engine, path, shapes):
        import numpy
        self.engine, self.path, self.last = engine, path, None
        self.inputs = [(name, shape, numpy.float32) for name, shape in shapes.items()]

    def set(self, arrays):
        self.infer = self.engine.load(self.path, {name: array for (name, _, _), array in zip(self.inputs, arrays)})

    def run(self):
        self.last = self.infer()

    def outputs(self):
        return self.last

    def close(self):
        self.infer = None


class Onnx(Runtime):
    name, suffix, takes_shapes = "adapter_onnx", ".onnx", True
    remedy = "`tandem models export NAME -o NAME.onnx` writes one of a model of the zoo"

    def options(self, parser):
        parser.add_argument("--engine", choices=ENGINES, help="this one; else the first that Python has")
        parser.add_argument("--providers", metavar="NAME,...", help="of ONNX Runtime, the first that can run a step does (the CPU's)")
        parser.add_argument("--threads", type=int, metavar="N", help="of the engine; else one for each core")

    def open(self, options):
        options.threads = options.threads or len(os.sched_getaffinity(0))
        missing = []
        for name in [options.engine] if options.engine else ENGINES:
            try:
                self.engine = ENGINES[name](options)
                return self.engine.libraries
            except ImportError as error:
                missing.append(f"{name} ({error})")
        raise Trouble("Python has no " + " and no ".join(missing) + "; Debian's package is python3-opencv")

    def load(self, path, batch, shapes):
        return Net(self.engine, path, input_shapes(path, batch, shapes))


if __name__ == "__main__":
    sys.exit(serve(Onnx(), __doc__))
