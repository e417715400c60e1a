#!/usr/bin/env python3
"""Runs ONNX files of `tandem models export` by PyTorch on the first card and times them; scripts/gpu_check asks it.

A JSON object a line on standard input, one a line on standard output:
    {"onnx": FILE, "input": RAW, "output": RAW, "precision": "fp32" | "tf32" | "fp16", "seconds": S}
Eager calls, as written in the file: batch norms are not folded and nothing is compiled; torch.backends.cudnn.benchmark is
on; NCHW and channels_last are both timed and the faster one counts. Inputs and outputs lie on the card; every run ends with
a synchronization and is timed by the host.
"""
import array
import json
import math
import statistics
import sys
import time

from gpu import onnx_file, torch_ops

WARM_UP_S, FEWEST, MOST = 0.2, 10, 2000


def tensors_of(torch, path, shapes):
    """The raw float32 inputs, one after the other, on the card."""
    numbers = array.array("f")
    with open(path, "rb") as file:
        numbers.frombytes(file.read())
    flat, at, tensors = torch.frombuffer(numbers, dtype=torch.float32), 0, []
    for shape in shapes:
        size = math.prod(shape)
        tensors.append(flat[at:at + size].reshape(shape).to("cuda"))
        at += size
    return tensors


def median_ms(torch, call, seconds):
    """(median, least, runs) of calls that each end with the card idle."""
    until = time.perf_counter() + WARM_UP_S
    for _ in range(FEWEST):
        call()
    while time.perf_counter() < until:
        call()
    torch.cuda.synchronize()
    samples, until = [], time.perf_counter() + seconds
    while len(samples) < FEWEST or time.perf_counter() < until and len(samples) < MOST:
        begin = time.perf_counter_ns()
        call()
        torch.cuda.synchronize()
        samples.append((time.perf_counter_ns() - begin) / 1e6)
    return statistics.median_low(samples), min(samples), len(samples)


class Asked:
    def __init__(self, torch, asked):
        self.torch, self.half = torch, asked["precision"] == "fp16"
        torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = asked["precision"] == "tf32"
        graph = onnx_file.read(asked["onnx"])
        self.network = torch_ops.Network(torch, graph, "cuda", self.half)
        self.given = tensors_of(torch, asked["input"], graph.inputs.values())
        self.seconds, self.output = asked["seconds"], asked["output"]

    def inputs(self, last):
        tensors = [tensor.half() if self.half else tensor for tensor in self.given]
        form = self.torch.channels_last
        return [tensor.contiguous(memory_format=form) if last and tensor.dim() == 4 else tensor for tensor in tensors]

    def time(self, last):
        if last:
            self.network.channels_last()
        inputs = self.inputs(last)
        self.network.prepare(inputs)
        median, least, runs = median_ms(self.torch, lambda: self.network(inputs), self.seconds / 2)
        return {"median_ms": median, "min_ms": least, "runs": runs, "format": "channels_last" if last else "nchw"}

    def answer(self):
        both = [self.time(False)]
        with open(self.output, "wb") as file:
            for tensor in self.network(self.inputs(False)):
                file.write(array.array("f", tensor.float().cpu().reshape(-1).tolist()).tobytes())
        both.append(self.time(True))
        best = min(both, key=lambda of: of["median_ms"])
        return {**best, "formats": {of["format"]: of["median_ms"] for of in both}}


def main():
    try:
        import torch
    except ImportError as error:
        print(json.dumps({"unavailable": f"python3 has no PyTorch: {error}"}), flush=True)
        return 0
    if not torch.cuda.is_available():
        print(json.dumps({"unavailable": f"PyTorch {torch.__version__} finds no card"}), flush=True)
        return 0
    torch.backends.cudnn.benchmark = True
    print(json.dumps({"torch": torch.__version__, "cuda": torch.version.cuda,
                      "cudnn": torch.backends.cudnn.version(), "card": torch.cuda.get_device_name(0)}), flush=True)
    for line in sys.stdin:
        try:
            with torch.inference_mode():
                answer = Asked(torch, json.loads(line)).answer()
        except (RuntimeError, ValueError, KeyError, TypeError) as error:
            answer = {"failed": f"{type(error).__name__}: {error}"}
        torch.cuda.empty_cache()
        print(json.dumps(answer), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
