#!/usr/bin/env python3
"""Makes the NPU of a Rockchip processor (RK3588, RK3576, RK356x) a unit of tandem's backend "command", by rknn-toolkit-lite2.

  {"name": "npu0", "kind": "npu", "memory": "dram", "backend": "command",
   "command": ["python3", "scripts/adapters/adapter_rknn.py", "--models", "models", "--npu-cores", "0"]}
Of a model NAME it loads NAME.rknn, as rknn-toolkit2 makes one. Such a file does not tell Python its inputs: their shapes come from
the model's opaque description beside it (NAME.model.json, in the order batch, channels, height, width), or from --shape in the order
that the NPU takes (batch, height, width, channels). Nobody has run this on a board yet, only with a stand-in for the module.
"""
import sys

from unit_program import Runtime, Trouble, serve, version_of


class Net:
    def __init__(self, rknn, inputs):
        self.rknn, self.inputs = rknn, inputs
        self.arrays, self.last = None, None

    def set(self, arrays):
        self.arrays = arrays

    def run(self):
        self.last = self.rknn.inference(inputs=self.arrays)  # images as batch, height, width, channels
        if self.last is None:
            raise Trouble("RKNN could not run the model; its own words are above")

    def outputs(self):
        return self.last

    def close(self):
        self.rknn.release()


class Rknn(Runtime):
    name, suffix, remedy = "adapter_rknn", ".rknn", "rknn-toolkit2 makes one, on a workstation"
    takes_shapes = channels_last = True

    def options(self, parser):
        parser.add_argument("--npu-cores", metavar="0|1|2|0_1|0_1_2|AUTO", help="of the NPU, where it has several")
        parser.add_argument("--type", default="uint8", choices=["uint8", "int8", "float16", "float32"], help="of the inputs (uint8)")

    def open(self, options):
        try:
            import rknnlite
            from rknnlite.api import RKNNLite
        except ImportError as error:
            raise Trouble(f"Python has no rknnlite ({error}): Rockchip's rknn-toolkit-lite2 brings it") from None
        self.library, self.type, self.arguments = RKNNLite, options.type, {}
        if options.npu_cores:
            mask = getattr(RKNNLite, "NPU_CORE_" + options.npu_cores.upper(), None)
            if mask is None:
                raise Trouble(f"--npu-cores: rknnlite knows no cores {options.npu_cores}")
            self.arguments["core_mask"] = mask
        about = {"rknnlite": version_of(rknnlite, "rknn-toolkit-lite2")}
        return {**about, "npu_cores": options.npu_cores} if options.npu_cores else about

    def inputs_of(self, path, batch, shapes):
        if not shapes:
            raise Trouble(f"{path.name} does not tell the shape of its input: --shape N,H,W,C does, or a model.json beside it")
        for name, shape in shapes.items():
            if shape[0] != batch:
                raise Trouble(f"input {name} of {path.name} has batch {shape[0]}, asked for is {batch}")
        return [(name, shape, self.type) for name, shape in shapes.items()]

    def load(self, path, batch, shapes):
        inputs = self.inputs_of(path, batch, shapes)
        rknn = self.library(verbose=False)
        try:
            if rknn.load_rknn(str(path)) != 0:
                raise Trouble(f"RKNN cannot read {path}; its own words are above")
            if rknn.init_runtime(**self.arguments) != 0:
                raise Trouble("RKNN could not start the NPU; its own words are above")
        except BaseException:
            rknn.release()
            raise
        return Net(rknn, inputs)


if __name__ == "__main__":
    sys.exit(serve(Rknn(), __doc__))
