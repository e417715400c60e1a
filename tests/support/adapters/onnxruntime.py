"""Stands for ONNX Runtime's module in the tests. Whatever the file says, its outputs are the inputs without their signs."""
import numpy

__version__ = "1.99-stand-in"


def get_available_providers():
    return ["CPUExecutionProvider"]


class SessionOptions:
    pass


class InferenceSession:
    def __init__(self, path, options, providers):
        self.providers = providers
        print("stand-in: session of", path)

    def get_providers(self):
        return self.providers

    def run(self, names, inputs):
        return [numpy.abs(array) for array in inputs.values()]
