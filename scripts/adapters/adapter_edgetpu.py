#!/usr/bin/env python3
"""Makes a Coral Edge TPU a unit of tandem's backend "command", by TensorFlow Lite's interpreter and libedgetpu.

  {"name": "tpu", "kind": "npu", "memory": "tpu_sram", "backend": "command",
   "command": ["python3", "scripts/adapters/adapter_edgetpu.py", "--models", "models", "--device", "usb:0"]}
Of a model NAME it loads NAME_edgetpu.tflite, as edgetpu_compiler makes one. A file that was not compiled for the Edge TPU would
run on the CPU, and is refused. Inputs and outputs are in the file's order of axes. Nobody has run this on an Edge TPU yet, only
with a stand-in for the modules.
"""
import sys

from unit_program import Runtime, Trouble, serve, version_of

COMPILED = b"edgetpu-custom-op"  # the operator that edgetpu_compiler puts in place of what runs on the Edge TPU


class Net:
    def __init__(self, interpreter):
        self.interpreter = interpreter
        details = interpreter.get_input_details()
        self.inputs = [(item["name"], [int(extent) for extent in item["shape"]], item["dtype"]) for item in details]
        self.places = [item["index"] for item in details]
        self.results = [item["index"] for item in interpreter.get_output_details()]

    def set(self, arrays):
        for place, array in zip(self.places, arrays):
            self.interpreter.set_tensor(place, array)

    def run(self):
        self.interpreter.invoke()

    def outputs(self):
        return [self.interpreter.get_tensor(index) for index in self.results]

    def close(self):
        self.interpreter = None


class EdgeTpu(Runtime):
    name, suffix = "adapter_edgetpu", "_edgetpu.tflite"
    remedy = "edgetpu_compiler makes one of a file in int8"
    channels_last = True

    def options(self, parser):
        parser.add_argument("--device", metavar="usb:0|pci:0", help="which Edge TPU, where there are several")
        parser.add_argument("--library", default="libedgetpu.so.1", metavar="FILE", help="the delegate (libedgetpu.so.1)")

    def open(self, options):
        missing = []
        for module in ("ai_edge_litert", "tflite_runtime"):
            try:
                library = __import__(module + ".interpreter").interpreter
            except ImportError as error:
                missing.append(f"{module} ({error})")
                continue
            self.library = library
            try:
                self.delegate = library.load_delegate(options.library, {"device": options.device} if options.device else {})
            except (ValueError, OSError) as error:
                raise Trouble(f"no Edge TPU can be opened by {options.library}: {error}") from None
            return {module: version_of(sys.modules[module], module.replace("_", "-")), "device": options.device or "any"}
        raise Trouble("Python has no " + " and no ".join(missing))

    def load(self, path, batch, shapes):
        if COMPILED not in path.read_bytes():
            raise Trouble(f"{path} is not compiled for the Edge TPU: edgetpu_compiler does that")
        interpreter = self.library.Interpreter(model_path=str(path), experimental_delegates=[self.delegate])
        interpreter.allocate_tensors()
        net = Net(interpreter)
        for name, shape, _ in net.inputs:
            if shape[0] != batch:
                raise Trouble(f"input {name} of {path.name} has batch {shape[0]}, asked for is {batch}")
        return net


if __name__ == "__main__":
    sys.exit(serve(EdgeTpu(), __doc__))
