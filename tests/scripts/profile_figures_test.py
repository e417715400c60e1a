#!/usr/bin/env python3
"""Are the figures of study 000 drawn from a profile as they should be?

usage: profile_figures_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
ORIGIN = {"kind": "measured", "host": "h", "clocks": {}, "libraries": {}, "threads": {"cpu": [0]}, "date": "2026-11-20",
          "cache_mode": "warm"}
MODEL = "squeezenet_1_1"


def start(*arguments):
    run = subprocess.run([sys.executable, str(SOURCE / "scripts" / "studies" / "profile_figures"), "--programs",
                          str(PROGRAM.parent), *arguments], capture_output=True, text=True, timeout=300, check=False)
    return run.stdout if run.returncode == 0 else f"status {run.returncode}: {run.stderr}"


def entry(layers, micros, **more):
    return {"model": MODEL, "unit": "cpu", "layers": layers, "median_us": micros, **more}


def figures(entries):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "p.profile.json"
        path.write_text(json.dumps({"tandem": "profile/1", "platform": "tinker-edge-r", "origin": ORIGIN, "entries": entries}))
        return json.loads(start(str(path), "--json"))


class ProfileFigures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        summary = subprocess.run([str(PROGRAM), "models", "show", MODEL, "--json"], capture_output=True, text=True, check=True)
        cls.layers = json.loads(summary.stdout)["layers"]
        cls.conv1, cls.squeeze = [layer for layer in cls.layers if layer["op"] == "conv"][:2]
        cls.relu1 = next(layer["name"] for layer in cls.layers if layer["op"] == "relu")
        cls.pool1 = next(layer["name"] for layer in cls.layers if layer["op"] == "max_pool")

    def test_a_group_with_a_convolution_counts_as_one(self):
        found = figures([entry([self.conv1["name"], self.relu1], 300), entry([self.pool1], 100)])
        self.assertEqual([(point["kernel"], point["macs"]) for point in found["points"]], [("3x3", self.conv1["macs"])])
        self.assertEqual([(share["convolutions_ns"], share["all_ns"], share["cores"]) for share in found["shares"]],
                         [(300_000, 400_000, 1)])

    def test_no_layer_counts_twice(self):
        found = figures([entry([self.conv1["name"]], 250), entry([self.relu1], 90),
                         entry([self.conv1["name"], self.relu1], 300), entry("*", 9000)])
        self.assertEqual(found["shares"][0]["all_ns"], 300_000, "the group, and no part of it again")
        self.assertEqual(len(found["points"]), 1)

    def test_work_grows_with_the_batch(self):
        found = figures([entry([self.conv1["name"]], 250, batch=4)])
        self.assertEqual(found["points"][0]["macs"], 4 * self.conv1["macs"])
        self.assertEqual(found["shares"][0]["batch"], 4)

    def test_variants_of_a_unit_stand_apart(self):
        found = figures([entry([self.conv1["name"]], 250), entry([self.conv1["name"]], 90, variant="fast")])
        self.assertEqual([share["unit"] for share in found["shares"]], ["cpu", "cpu, fast/fp32"])
        self.assertEqual(len(found["fits"]), 2)

    def test_the_fit_finds_a_straight_line(self):
        found = figures([entry([layer["name"]], 20 + 50 * layer["macs"] // 1_000_000) for layer in self.layers
                         if layer["op"] == "conv"])
        self.assertEqual(len(found["fits"]), 1)
        self.assertAlmostEqual(found["fits"][0]["ns_per_mmac"], 50_000, delta=200)
        self.assertAlmostEqual(found["fits"][0]["fixed_ns"], 20_000, delta=1000)
        self.assertGreater(found["fits"][0]["explained"], 0.999)
        self.assertEqual([kernel["kernel"] for kernel in found["kernels"]], ["1x1", "3x3"])

    def test_of_samples_the_lower_median_counts(self):
        sampled = {**entry([self.conv1["name"]], 0), "samples_us": [5, 1, 9, 3]}
        del sampled["median_us"]
        self.assertEqual(figures([sampled])["shares"][0]["all_ns"], 3000)

    def test_shipped_boards_are_known_by_name(self):
        self.assertIn("Share of convolutions", start("jetson-tx1"))
        self.assertEqual(start("tinker-edge-r"), "The profile has no times of layers or groups, only of whole models.\n")
        self.assertIn("no such name", start("nowhere"))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
