"""Stands for TensorRT's Python module in the tests, on the host. An engine of the tests is JSON, {"inputs": {NAME: SHAPE}, "type": TYPE};
an extent -1 is open up to "most". Outputs are 2x + 1. It computes where cuda.bindings.runtime, the stand-in beside it, says that
memory is. FAKE_DLAS says how many DLAs there are.
"""
import ctypes
import enum
import json
import os

import numpy

__version__ = "10.0.1+stand-in"
nptype = numpy.dtype


class TensorIOMode(enum.Enum):
    INPUT = 1
    OUTPUT = 2


class Logger:
    WARNING = 2

    def __init__(self, level):
        pass


class Context:
    def __init__(self, engine):
        self.engine, self.shapes, self.places = engine, {}, {}

    def set_input_shape(self, name, shape):
        if shape[0] > self.engine.most:
            return False
        self.shapes[name] = self.shapes["of_" + name] = list(shape)
        return True

    def get_tensor_shape(self, name):
        return self.shapes[name]

    def set_tensor_address(self, name, place):
        self.places[name] = place

    def execute_async_v3(self, stream):
        for name in self.engine.inputs:
            count = int(numpy.prod(self.shapes[name]))
            size = count * self.engine.type.itemsize
            values = numpy.frombuffer(ctypes.string_at(self.places[name], size), self.engine.type)
            ctypes.memmove(self.places["of_" + name], (2 * values + 1).astype(self.engine.type).tobytes(), size)
        return True


class Engine:
    def __init__(self, about):
        self.inputs, self.type, self.most = about["inputs"], numpy.dtype(about["type"]), about.get("most", 1)
        self.names = [*self.inputs, *("of_" + name for name in self.inputs)]
        self.num_io_tensors = len(self.names)

    def get_tensor_name(self, index):
        return self.names[index]

    def get_tensor_mode(self, name):
        return TensorIOMode.INPUT if name in self.inputs else TensorIOMode.OUTPUT

    def get_tensor_shape(self, name):
        return self.inputs[name.removeprefix("of_")]

    def get_tensor_dtype(self, name):
        return self.type

    def create_execution_context(self):
        return Context(self)


class Runtime:
    def __init__(self, logger):
        self.num_DLA_cores, self.DLA_core = int(os.environ.get("FAKE_DLAS", "0")), -1

    def deserialize_cuda_engine(self, data):
        try:
            return Engine(json.loads(data))
        except ValueError:
            print("stand-in: no engine")
            return None
