#!/usr/bin/env python3
"""Makes ONNX Runtime's inference, on whatever it has a provider for, or OpenCV's on the CPU a unit of tandem's backend "command".

It speaks the protocol of docs/command_protocol.md and is meant to be copied: another runtime is one more
class like OnnxRuntime below. A platform names it so:
  {"name": "ort", "kind": "cpu", "memory": "dram", "backend": "command",
   "command": ["python3", "scripts/adapters/onnx.py", "--models", "models", "--cores", "0"]}
A card by ONNX Runtime, which is refused where the provider is not in this build of it:
  "command": ["python3", "scripts/adapters/onnx.py", "--models", "models", "--providers", "TensorrtExecutionProvider,CUDAExecutionProvider"]
Models are ONNX files, or names NAME for which --models has NAME.onnx (`tandem models export NAME` writes it).
Inputs are random, the same for the same seed; outputs are hashed as dense little-endian float32.
"""
import argparse
import hashlib
import os
import pathlib
import sys
import time


class Trouble(Exception):
    """What went wrong, in a sentence for whoever reads tandem's message."""


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


def input_shapes(path, batch):
    """The model's inputs and their shapes. An open first extent is the batch."""
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
        if not shape or None in shape or 0 in shape:
            raise Trouble(f"input {name} has no fixed shape")
        if shape[0] != batch:
            raise Trouble(f"the file has batch {shape[0]}, asked for is {batch}")
        shapes[name] = shape
    if not shapes:
        raise Trouble("it has no inputs; is it an ONNX file?")
    return shapes


class Adapter:
    def __init__(self, options):
        self.options, self.models = options, {}
        try:
            import numpy
        except ImportError:
            raise Trouble("Python has no numpy (Debian: python3-numpy)") from None
        self.numpy, self.engine = numpy, self.find_engine()

    def find_engine(self):
        missing = []
        for name in [self.options.engine] if self.options.engine else ENGINES:
            try:
                return ENGINES[name](self.options)
            except ImportError as error:
                missing.append(f"{name} ({error})")
        raise Trouble("Python has no " + " and no ".join(missing) + "; Debian's package is python3-opencv")

    def greeting(self):
        libraries = {**self.engine.libraries, "numpy": self.numpy.__version__}
        return "tandem-unit/1 adapter_onnx 1 " + " ".join(f"{k}={v}" for k, v in libraries.items())

    def path_of(self, model):
        path = pathlib.Path(model)
        if "/" not in model and path.suffix != ".onnx":
            if not self.options.models:
                raise Trouble(f"where is {model}.onnx? --models DIR says it")
            path = pathlib.Path(self.options.models) / f"{model}.onnx"
        if path.suffix != ".onnx":
            raise Trouble(f"{model} is no ONNX file")
        if not path.is_file():
            raise Trouble(f"{path}: no such file; `tandem models export {path.stem} -o {path}` writes one")
        return path

    def load(self, handle, batch, model):
        path = self.path_of(model)
        random = self.numpy.random.RandomState(self.options.seed)
        inputs = {name: random.uniform(-1, 1, shape).astype(self.numpy.float32)
                  for name, shape in input_shapes(path, int(batch)).items()}
        run = self.engine.load(path, inputs)
        run()  # the first run makes what later ones find ready
        self.models[handle] = run
        return ""

    def run(self, handle, count):
        if handle not in self.models:
            raise Trouble(f"no model is loaded as {handle}")
        for _ in range(int(count)):
            outputs = self.models[handle]()
        return outputs

    def unload(self, handle):
        self.models.pop(handle, None)
        return ""

    def hash_of(self, outputs):
        digest = hashlib.sha256()
        for output in outputs:
            digest.update(self.numpy.ascontiguousarray(output, dtype="<f4").tobytes())
        return digest.hexdigest()

    def answer(self, line):
        request, *words = line.split(" ", 3)
        if request not in ("load", "run", "unload"):
            raise Trouble(f"unknown request {request}")
        begin = time.perf_counter_ns()
        result = getattr(self, request)(*words)
        spent = time.perf_counter_ns() - begin
        return f"ok {spent} {self.hash_of(result)}" if request == "run" else f"ok {spent}"


def sentence(error):
    return " ".join(str(error).split()) or type(error).__name__


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", metavar="DIR", help="where NAME.onnx is")
    parser.add_argument("--engine", choices=ENGINES, help="this one; else the first that Python has")
    parser.add_argument("--providers", metavar="NAME,...", help="of ONNX Runtime, the first that can run a step does (the CPU's)")
    parser.add_argument("--threads", type=int, metavar="N", help="of the engine; else one for each core")
    parser.add_argument("--cores", metavar="0,1", help="keep to these cores")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the inputs (1)")
    options = parser.parse_args()
    # Libraries may print what they like: it goes to standard error, and only answers to standard output.
    answers = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)
    try:
        if options.cores:
            os.sched_setaffinity(0, {int(core) for core in options.cores.split(",")})
        options.threads = options.threads or len(os.sched_getaffinity(0))
        adapter = Adapter(options)
    except (Trouble, OSError, ValueError) as error:
        print("error", sentence(error), file=answers)
        return 1
    print(adapter.greeting(), file=answers)
    for line in sys.stdin:
        if line.rstrip("\r\n") == "quit":
            break
        try:
            print(adapter.answer(line.rstrip("\r\n")), file=answers)
        except Exception as error:  # whatever a runtime throws, tandem is told
            print("error", sentence(error), file=answers)
    return 0


if __name__ == "__main__":
    sys.exit(main())
