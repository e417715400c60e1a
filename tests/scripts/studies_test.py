#!/usr/bin/env python3
"""Does scripts/studies/studies say of the quick studies what is known of them, the same every time, on a page that holds together?

usage: studies_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SOURCE, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
VERDICTS = re.compile("reproduced|not reproduced|not available|no claim|depends on .+")
# What the rules give on the study's table, to the nanosecond; in ms.
MAKESPANS = {"fcfs": 4048.341, "sjf": 3827.055, "affinity": 5074.300, "priority": 5153.112, "eft": 3083.670,
             "fcfs, NCS2 holds resnet50": 3676.758, "sjf, NCS2 holds resnet50": 3827.055,
             "affinity, NCS2 holds resnet50": 5074.300, "priority, NCS2 holds resnet50": 5153.112,
             "eft, NCS2 holds resnet50": 3061.830}
BOUND_MS = 2968.614


def start(*arguments):
    return subprocess.run([sys.executable, str(SOURCE / "scripts" / "studies" / "studies"), "--programs", str(PROGRAM.parent), *arguments],
                          capture_output=True, text=True, timeout=600, check=False)


def no_number(text):
    raise ValueError(f"{text} is no figure")


class QuickStudies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.folder.name) / "pages" / "studies.md"
        cls.run_once = start("--study", "003", "--study", "002", "--json", "-o", str(cls.page))
        if cls.run_once.returncode != 0:
            raise AssertionError(cls.run_once.stderr)
        cls.rows = json.loads(cls.run_once.stdout, parse_constant=no_number)["rows"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def figure(self, text):
        found = [row for row in self.rows if row["figure"] == text]
        self.assertEqual(len(found), 1, text)
        return found[0]

    def test_the_worked_example_comes_out_exactly(self):
        for label, makespan in MAKESPANS.items():
            row = self.figure("makespan, " + label)
            self.assertEqual(row["simulated"], makespan, label)
            self.assertIsNone(row["published"])
            self.assertEqual(row["verdict"], "not available")

    def test_the_search_is_never_worse_and_nothing_is_below_the_bound(self):
        for what in ("", ", stream by stream", ", NCS2 holds resnet50", ", NCS2 holds mobilenet_v2", ", NCS2 holds resnet101"):
            best = self.figure("makespan, best" + what)["simulated"]
            self.assertGreaterEqual(best, BOUND_MS)
            for policy in ("fcfs", "sjf", "affinity", "priority", "eft", "round_robin"):
                self.assertLessEqual(best, self.figure(f"makespan, {policy}{what}")["simulated"], policy + what)

    def test_what_was_fitted_is_never_called_reproduced(self):
        self.assertEqual(self.figure("time an image, zero-copy")["verdict"], "no claim")
        for row in self.rows:
            if row["verdict"] == "reproduced":
                self.assertTrue(row["figure"].startswith("parameters of"), row["figure"])
                self.assertEqual(row["published"], row["simulated"])

    def test_zero_copy_saves_what_the_copies_take(self):
        copied, mapped = (self.figure(f"time an image, {mode}")["simulated"] for mode in ("copies", "zero-copy"))
        self.assertAlmostEqual(self.figure("less time with zero-copy")["simulated"], 100 * (1 - mapped / copied), places=4)
        self.assertAlmostEqual(self.figure("less energy with zero-copy")["simulated"], 10.87, places=2)

    def test_every_row_is_whole(self):
        for row in self.rows:
            self.assertRegex(row["verdict"], VERDICTS)
            self.assertEqual(VERDICTS.fullmatch(row["verdict"])[0], row["verdict"])
            self.assertTrue(row["assumptions"] and all(row["assumptions"]), row["figure"])
            self.assertIsNotNone(row["simulated"], row["figure"])
        names = [(row["study"], row["figure"]) for row in self.rows]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([study for study, _ in names], sorted(study for study, _ in names))

    def test_the_page_has_every_row_and_its_pictures(self):
        text = self.page.read_text()
        for row in self.rows:
            self.assertIn(f"| {row['figure']} |", text)
        pictures = re.findall(r"!\[[^]]+\]\(([^)]+)\)", text)
        self.assertEqual(sorted(pictures), sorted(f"pictures/{path.name}" for path in self.page.parent.glob("pictures/*.svg")))
        self.assertTrue(pictures)
        for picture in pictures:
            drawing = (self.page.parent / picture).read_text()
            self.assertIn("prefers-color-scheme: dark", drawing)
            self.assertNotIn("nan", drawing)
            xml.etree.ElementTree.fromstring(drawing)

    def test_again_and_on_the_other_engine_the_same_comes_out(self):
        again = json.loads(start("--study", "002", "--json", "--engine", "simgrid").stdout)["rows"]
        self.assertEqual(again, [row for row in self.rows if row["study"] == "002"])

    def test_what_was_measured_here_is_asked_too(self):
        origin = {"kind": "measured", "host": "a host", "date": "2026-11-20T09:15:00Z", "clocks": {"fast": "1 GHz"},
                  "libraries": {"oneDNN": "2"}, "threads": {"fast": [0]}, "cache_mode": "in_network"}
        entry = {"model": "googlenet", "unit": "fast", "layers": "*", "median_us": 10000}
        kept = {"platform": {"name": "here", "units": [{"cores": [0]}]}, "copy_bytes_per_s": 6061120000.0,
                "profile": {"tandem": "profile/1", "platform": "here", "origin": origin, "entries": [entry]}}
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "measured.json").write_text(json.dumps(kept))
            run = start("--study", "002", "--json", "--measured", folder)
        self.assertEqual(run.returncode, 0, run.stderr)
        row = next(row for row in json.loads(run.stdout)["rows"] if "CPU cores at hand" in row["figure"])
        copied_us = (602112 + 4000) / 6061.12  # the image, and the thousand results
        self.assertAlmostEqual(row["simulated"], 100 * (1 - 10000 / (10000 + copied_us)), places=3)
        self.assertIn("measured on a host, 2026-11-20", row["assumptions"])

    def test_wrong_options_are_told(self):
        for wrong in (["--study", "005"], ["--docs", "--study", "003"], ["--engine", "fast"]):
            self.assertEqual(start(*wrong).returncode, 2, wrong)
        missing = start("--study", "003", "--measured", self.folder.name)
        self.assertEqual(missing.returncode, 3)
        self.assertIn("measured.json", missing.stderr)


class Pictures(unittest.TestCase):
    """The pictures of the long studies, of figures made up here."""

    @classmethod
    def setUpClass(cls):
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(SOURCE / "scripts" / "studies"))

    def test_lines_end_where_the_figures_do(self):
        from replay.svg import lines
        drawing = lines("a < b", "x", "y", [("one", [(0, 1), (10, 2)]), ("two", [(0, 2), (10, 1)])], [("here", 5)])
        ways = [element.get("points") for element in xml.etree.ElementTree.fromstring(drawing).iter()
                if element.tag.endswith("polyline")]
        first, last = (way.split(" ") for way in ways)
        self.assertEqual(first[0].split(",")[0], last[0].split(",")[0])
        self.assertEqual(first[0].split(",")[1], last[1].split(",")[1])  # both are 1

    def test_a_map_has_a_cell_for_each_place(self):
        from replay.svg import cells
        drawing = cells("map", "x", "y", ["a", "b", "c"], ["1", "2"], lambda column, row: "hit",
                        lambda column, row: f"c{column}r{row}", [("hit", "it")])
        texts = [element.text for element in xml.etree.ElementTree.fromstring(drawing).iter() if element.tag.endswith("text")]
        self.assertEqual(sorted(text for text in texts if re.fullmatch(r"c\dr\d", text or "")),
                         sorted(f"c{column}r{row}" for column in range(3) for row in range(2)))

    def test_bisection_finds_the_place(self):
        from replay.simulator import bisect
        self.assertAlmostEqual(bisect(lambda x: x * x, 2, 0.1, 100), 2 ** 0.5)
        self.assertEqual(bisect(lambda x: x, 5, 0.1, 2), 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
