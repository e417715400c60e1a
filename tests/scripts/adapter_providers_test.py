#!/usr/bin/env python3
"""Does scripts/adapters/onnx.py take the providers that it is told of ONNX Runtime, and say where one is not to be had?

usage: adapter_providers_test.py SOURCE_DIR TANDEM
A module that answers to ONNX Runtime's interface stands in for it: there is no card here.
"""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, TANDEM = pathlib.Path(sys.argv.pop(1)).resolve(), pathlib.Path(sys.argv.pop(1)).resolve()
STAND_IN = """
import os
import numpy
__version__ = "1.99"
def get_available_providers():
    return ["TensorrtExecutionProvider", "CUDAExecutionProvider", "CPUExecutionProvider"]
class SessionOptions:
    pass
class InferenceSession:
    def __init__(self, path, options, providers):
        self.providers = [name for name in providers if name not in os.environ.get("LOST", "").split(",")]
        print("providers", *providers)
    def get_providers(self):
        return self.providers
    def run(self, names, inputs):
        return [numpy.float32([len(inputs)])]
"""


@unittest.skipUnless(importlib.util.find_spec("numpy"), "Python has no numpy")
class Providers(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="tandem_adapter_")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "onnxruntime.py").write_text(STAND_IN)
        subprocess.run([TANDEM, "models", "export", "squeezenet_1_1", "-o", self.folder / "squeezenet_1_1.onnx"], check=True,
                       capture_output=True)

    def ask(self, *words, lost="", requests="load 1 1 squeezenet_1_1\nrun 1 1\nquit\n"):
        return subprocess.run([sys.executable, SOURCE / "scripts/adapters/onnx.py", "--models", self.folder, *words], input=requests,
                              capture_output=True, text=True, timeout=60, check=False,
                              env={**os.environ, "PYTHONPATH": str(self.folder), "LOST": lost, "PYTHONDONTWRITEBYTECODE": "1"})

    def test_without_a_word_it_is_the_cpu(self):
        done = self.ask("--engine", "onnxruntime")
        greeting, loaded, ran = done.stdout.splitlines()
        self.assertIn("onnxruntime=1.99 providers=CPUExecutionProvider", greeting)
        self.assertRegex(loaded, r"^ok \d+$")
        self.assertRegex(ran, r"^ok \d+ [0-9a-f]{64}$")
        self.assertIn("providers CPUExecutionProvider\n", done.stderr)

    def test_those_that_are_named_come_first_and_the_cpu_last(self):
        done = self.ask("--providers", "TensorrtExecutionProvider,CUDAExecutionProvider")
        self.assertIn("providers=TensorrtExecutionProvider+CUDAExecutionProvider", done.stdout.splitlines()[0])
        self.assertIn("providers TensorrtExecutionProvider CUDAExecutionProvider CPUExecutionProvider\n", done.stderr)

    def test_one_that_this_build_has_not_is_refused_at_once(self):
        done = self.ask("--providers", "ROCMExecutionProvider")
        self.assertEqual((done.returncode, done.stdout),
                         (1, "error this ONNX Runtime has no ROCMExecutionProvider; it has TensorrtExecutionProvider, "
                             "CUDAExecutionProvider, CPUExecutionProvider\n"))

    def test_one_that_cannot_start_here_is_no_silent_cpu(self):
        answers = self.ask("--providers", "CUDAExecutionProvider", lost="CUDAExecutionProvider").stdout.splitlines()
        self.assertEqual(answers[1:], ["error ONNX Runtime could not start CUDAExecutionProvider here; its own words are above",
                                       "error no model is loaded as 1"])

    def test_opencv_has_none(self):
        self.assertIn("error --providers are ONNX Runtime's", self.ask("--engine", "opencv", "--providers", "X").stdout)


if __name__ == "__main__":
    unittest.main()
