"""Darknet's layers, as study 000 counts them: a convolution has its normalisation and activation with it. The names of
tandem's layers end with the number of Darknet's."""
import math
import re

from replay.simulator import board, profile

NINETY = 1.6449  # standard deviations to either side of the mean, between which 90 % of a normal distribution lie
MODELS = {"densenet201_darknet": "DenseNet201", "resnet152_darknet": "ResNet152", "vgg16_darknet": "VGG16",
          "alexnet_darknet": "AlexNet"}


def number_of(layer):
    return int(re.search(r"_(\d+)$", layer)[1])


def is_convolution(layers):
    return any(layer.startswith("conv_") for layer in layers)


def grouped(entries):
    """Entries of single layers put together to Darknet's: their times add up."""
    groups = {}
    for entry in entries:
        key = (entry["model"], entry["unit"], number_of(entry["layers"][0]))
        of = groups.setdefault(key, {**entry, "layers": [], "median_us": 0})
        of["layers"].extend(entry["layers"])
        of["median_us"] += entry["median_us"]
    return list(groups.values())


class Xavier:
    """The estimated AGX Xavier, by Darknet's layers, with so many CPU workers."""

    def __init__(self):
        self.platform, shipped = board("agx-xavier")
        mine = [entry for entry in shipped["entries"] if entry["model"] in MODELS and entry["unit"] in ("gpu", "cpu0")]
        self.entries = grouped(mine)
        # Of two units, each of which is off by that; an error is that of a whole model's time.
        self.off = math.exp(NINETY * math.sqrt(2) * math.log(1 + shipped["origin"]["error"]))
        self.readings = {"as estimated": 1, f"CPU {self.off:.1f} times as fast": 1 / self.off,
                         f"CPU {self.off:.1f} times as slow": self.off}

    def platform_with(self, workers):
        names = ["gpu", *(f"cpu{worker}" for worker in range(workers))]
        return {**self.platform, "units": [unit for unit in self.platform["units"] if unit["name"] in names]}

    def time(self, models, unit, convolutions):
        return sum(entry["median_us"] for entry in self.entries if entry["model"] in models and entry["unit"] == unit
                   and is_convolution(entry["layers"]) == convolutions)

    def profile(self, models, workers, gpu_rest=1, cpu=1, slowdown=None):
        """`gpu_rest`, `cpu`: factors for the GPU's times outside convolutions, and for the CPU's; `slowdown`: of the
        GPU at a load of 60 %, where it is not to be estimated."""
        entries = []
        for entry in self.entries:
            factor = cpu if entry["unit"] == "cpu0" else 1 if is_convolution(entry["layers"]) else gpu_rest
            made = {**entry, "median_us": round(entry["median_us"] * factor, 3)}
            units = ["gpu"] if entry["unit"] == "gpu" else [f"cpu{worker}" for worker in range(workers)]
            if entry["model"] in models:
                entries += [{**made, "unit": unit} for unit in units]
        lists = {"background": [{"unit": "gpu", "load_pct": 60, "slowdown": slowdown}]} if slowdown else {}
        return profile("agx-xavier", "the shipped estimate, layer by layer as Darknet counts them", entries, **lists)
