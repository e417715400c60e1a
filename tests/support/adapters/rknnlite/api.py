"""A model of the tests is JSON, {"shape": SHAPE, "type": TYPE}. Outputs are 2x + 1, in float32 as the toolkit gives them.
FAKE_NPU=lost: there is no NPU.
"""
import json
import os
import pathlib

import numpy


class RKNNLite:
    NPU_CORE_AUTO, NPU_CORE_0, NPU_CORE_1, NPU_CORE_2, NPU_CORE_0_1, NPU_CORE_0_1_2 = 0, 1, 2, 4, 3, 7

    def __init__(self, verbose=True, verbose_file=None):
        self.about = None

    def load_rknn(self, path):
        try:
            self.about = json.loads(pathlib.Path(path).read_text())
        except ValueError:
            print("stand-in: no RKNN model")
            return -1
        return 0

    def init_runtime(self, target=None, device_id=None, async_mode=False, core_mask=NPU_CORE_AUTO):
        print("stand-in: cores", core_mask)
        return -1 if os.environ.get("FAKE_NPU") == "lost" else 0

    def inference(self, inputs, data_format=None, inputs_pass_through=None):
        if [list(inputs[0].shape), str(inputs[0].dtype)] != [self.about["shape"], self.about["type"]]:
            print("stand-in: input of", inputs[0].shape, inputs[0].dtype)
            return None
        return [2 * array.astype(numpy.float32) + 1 for array in inputs]

    def release(self):
        print("stand-in: released")
