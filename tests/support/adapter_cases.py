"""The adapters of scripts/adapters, each with what makes a small model for it, what that model gives and what the adapter says where
something is missing: what tests/scripts/adapters_test.py asks of all of them alike.
"""
import dataclasses
import json
import pathlib
import struct
import sys

STAND_INS = pathlib.Path(__file__).resolve().parent / "adapters"
EXTENTS = [3, 3, 5]  # of channels that do not end at a multiple of 16 bytes
COUNT = 45


def floats(values):
    return struct.pack(f"<{len(values)}f", *values)


def doubled(data):
    return floats([2 * value + 1 for value in struct.unpack(f"<{len(data) // 4}f", data)])


def doubled_bytes(data):  # as RKNN gives them
    return floats([2 * value + 1 for value in data])


def complement(data):  # -1 - x, of int8
    return bytes(255 - value for value in data)


def absolute(data):
    return floats([abs(value) for value in struct.unpack(f"<{len(data) // 4}f", data)])


def part(field, data):
    assert len(data) < 128
    return bytes([field << 3 | 2, len(data)]) + data


def number(field, value):
    return bytes([field << 3, value])


def onnx_abs(path, batch):
    """An ONNX file of one Abs; batch 0 is open."""
    extents = [part(2, b"N") if batch == 0 else number(1, batch), *(number(1, extent) for extent in EXTENTS)]
    shape = b"".join(part(1, extent) for extent in extents)

    def tensor(name):
        return part(1, name) + part(2, part(1, number(1, 1) + part(2, shape)))

    graph = part(1, part(1, b"a") + part(2, b"b") + part(4, b"Abs")) + part(2, b"g") + part(11, tensor(b"a")) + part(12, tensor(b"b"))
    path.write_bytes(number(1, 8) + part(7, graph) + part(8, part(1, b"") + number(2, 13)))


def ncnn(path, batch):
    path.write_text("7767517\n2 2\nInput data 0 1 data 0=5 1=3 2=3\nReLU relu 1 1 data out\n")
    path.with_suffix(".bin").write_text("weights")


def tflite(path, batch):
    path.write_text("stand-in\ndata float32 " + " ".join(map(str, [batch, *EXTENTS])) + "\nfixed\n")


def tensorrt(path, batch):
    path.write_text(json.dumps({"inputs": {"data": [batch, *EXTENTS]}, "type": "float32", "most": 2}))


def rknn(path, batch):
    path.write_text(json.dumps({"shape": [batch, *EXTENTS], "type": "uint8"}))


def edgetpu(path, batch):
    path.write_text("edgetpu-custom-op\n" + json.dumps({"shape": [batch, *EXTENTS]}))


@dataclasses.dataclass
class Case:
    name: str
    suffix: str
    write: object           # (path, batch) makes a model
    gives: object           # the outputs of these inputs, as bytes
    width: int = 4          # bytes of a number of the inputs
    options: tuple = ()     # that make it find its library
    library: str = ""       # in the greeting
    stand_in: bool = True
    missing: tuple = ()     # options with which it finds none
    says: str = ""          # then
    batches: bool = True
    program: str = ""
    python: bool = dataclasses.field(init=False)

    def __post_init__(self):
        self.python = self.program.endswith(".py")
        self.command = [*([sys.executable] if self.python else []), self.program]

    def inputs(self):
        return floats([value / 4 - 5 for value in range(COUNT)]) if self.width == 4 else bytes(value * 5 % 256 for value in range(COUNT))


def all_cases(source, built):
    """Those whose programs are there; `built` is where CMake puts programs and the stand-ins' libraries."""
    def script(name):
        return str(source / "scripts" / "adapters" / f"{name}.py")

    fake = {name: str(next(iter(built.glob(f"*fake_{name}.*")), "")) for name in ("ncnn", "tflite")}
    nowhere = ("--library", "/nowhere/libnone.so")
    cases = [
        Case("ncnn", ".param", ncnn, doubled, options=("--library", fake["ncnn"]), library="ncnn=1.0.20240820-stand-in", missing=nowhere,
             says="cannot load ncnn (/nowhere/libnone.so", batches=False, program=str(built / "adapter_ncnn")),
        Case("tflite", ".tflite", tflite, doubled, options=("--library", fake["tflite"]), library="tensorflow_lite=2.14.1-stand-in", missing=nowhere,
             says="cannot load TensorFlow Lite's C interface (/nowhere/libnone.so", program=str(built / "adapter_tflite")),
        Case("opencv", ".onnx", onnx_abs, absolute, library="opencv=4.", stand_in=False, program=str(built / "adapter_opencv")),
        Case("onnxruntime", ".onnx", onnx_abs, absolute, library="onnxruntime=1.", stand_in=False, program=str(built / "adapter_onnxruntime")),
        Case("onnx", ".onnx", onnx_abs, absolute, options=("--engine", "onnxruntime"), library="onnxruntime=1.99-stand-in",
             missing=("--engine", "onnxruntime"), says="Python has no onnxruntime", program=script("onnx")),
        Case("tensorrt", ".engine", tensorrt, doubled, library="tensorrt=10.0.1+stand-in", says="Python has no tensorrt", program=script("adapter_tensorrt")),
        Case("rknn", ".rknn", rknn, doubled_bytes, width=1, options=("--shape", "1,3,3,5"), library="rknnlite=2.3.2+stand-in",
             says="Python has no rknnlite", batches=False, program=script("adapter_rknn")),
        Case("edgetpu", "_edgetpu.tflite", edgetpu, complement, width=1, library="tflite_runtime=2.14.0+stand-in",
             says="Python has no ai_edge_litert", program=script("adapter_edgetpu")),
    ]
    return [case for case in cases if pathlib.Path(case.program).exists()]
