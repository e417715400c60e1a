"""A model of the tests is what edgetpu_compiler would leave in it, "edgetpu-custom-op", and in the next line JSON, {"shape": SHAPE}. It
takes and gives int8; outputs are -1 - x. FAKE_TPU=lost: there is no Edge TPU.
"""
import json
import os
import pathlib

import numpy


def load_delegate(library, options=None):
    if os.environ.get("FAKE_TPU") == "lost":
        raise ValueError(f"Failed to load delegate from {library}")
    print("stand-in: delegate", library, options)
    return library


class Interpreter:
    def __init__(self, model_path=None, experimental_delegates=None, num_threads=None):
        assert experimental_delegates
        about = json.loads(pathlib.Path(model_path).read_text().splitlines()[1])
        self.shape, self.tensors, self.ready = about["shape"], {}, False

    def allocate_tensors(self):
        self.ready = True

    def get_input_details(self):
        return [{"name": "data", "index": 3, "shape": numpy.int32(self.shape), "dtype": numpy.int8}]

    def get_output_details(self):
        return [{"name": "prob", "index": 8, "shape": numpy.int32(self.shape), "dtype": numpy.int8}]

    def set_tensor(self, index, values):
        assert self.ready and index == 3 and values.dtype == numpy.int8 and list(values.shape) == self.shape
        self.tensors[index] = values

    def invoke(self):
        self.tensors[8] = (-1 - self.tensors[3].astype(numpy.int32)).astype(numpy.int8)

    def get_tensor(self, index):
        return self.tensors[index]
