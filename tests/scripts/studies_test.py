#!/usr/bin/env python3
"""Does scripts/studies/studies say of the studies what is known of them, the same every time; can each of its verdicts come out
otherwise; and is docs/studies.md what it writes now?

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
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts" / "studies"))
from replay import others, others_edge_tpu, others_npu, study_002, study_003  # noqa: E402
from replay.rows import ESTIMATES_ERROR, LEAVES_ROOM, NOT_REPRODUCED, POSSIBLE, REPRODUCED, Row, summary_sentence  # noqa: E402
from replay.simulator import Simulator  # noqa: E402

VERDICTS = re.compile("reproduced|not reproduced|possible|depends on .+")
# What the rules give on the study's table, to the nanosecond; in ms.
MAKESPANS = {"fcfs": 4048.341, "sjf": 3827.055, "affinity": 5074.300, "priority": 5153.112, "eft": 3083.670,
             "fcfs, NCS2 holds resnet50": 3676.758, "sjf, NCS2 holds resnet50": 3827.055,
             "affinity, NCS2 holds resnet50": 5074.300, "priority, NCS2 holds resnet50": 5153.112,
             "eft, NCS2 holds resnet50": 3061.830}
BOUND_MS = 2968.614


def start(*arguments):
    script = SOURCE / "scripts" / "studies" / "studies"
    return subprocess.run([sys.executable, str(script), "--programs", str(PROGRAM.parent), *arguments],
                          capture_output=True, text=True, timeout=1200, check=False)


def no_number(text):
    raise ValueError(f"{text} is no figure")


def row_of(json_row):
    return Row(**{key: value for key, value in json_row.items() if key != "verdict"})


def comes_out(row):
    """A figure with which each value of the row would come out."""
    if row.test == "inside":
        return sum(row.published) / 2
    return row.published * 1.5 if row.test == "above" else row.published


def comes_out_not(row):
    if row.test == "above":
        return row.published / 1.5
    if row.test == "inside":
        return row.published[1] * 1.5
    return row.published + " otherwise" if isinstance(row.published, str) else row.published * 1.5


class Studies(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.folder.name) / "pages" / "studies.md"
        cls.run_once = start("--engine", "virtual", "--json", "-o", str(cls.page))
        if cls.run_once.returncode != 0:
            raise AssertionError(cls.run_once.stderr)
        answer = json.loads(cls.run_once.stdout, parse_constant=no_number)
        cls.rows, cls.notes, cls.summary = answer["rows"], answer["notes"], answer["summary"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def figure(self, text, among=None):
        found = [row for row in (self.rows if among is None else among) if row["figure"] == text]
        self.assertEqual(len(found), 1, text)
        return found[0]

    def note(self, text):
        return self.figure(text, self.notes)

    def test_the_page_is_what_a_fresh_run_writes(self):
        kept = SOURCE / "docs"
        again = "scripts/studies/studies --docs writes it anew"
        self.assertEqual(self.page.read_text(), (kept / "studies.md").read_text(), again)
        for picture in self.page.parent.glob("pictures/*.svg"):
            self.assertEqual(picture.read_text(), (kept / "pictures" / picture.name).read_text(), again)

    def test_every_verdict_follows_from_the_figures_and_could_be_another(self):
        for of_json in self.rows:
            row = row_of(of_json)
            self.assertEqual(row.verdict, of_json["verdict"], row.figure)
            if row.test == LEAVES_ROOM:
                self.assertEqual(row.verdict_on(1.5 * row.published), POSSIBLE, row.figure)
                self.assertEqual(row.verdict_on(row.published / 1.5), NOT_REPRODUCED, row.figure)
            else:
                good, bad = comes_out(row), comes_out_not(row)
                self.assertEqual(row.verdict_on(good), REPRODUCED, row.figure)
                self.assertEqual(row.verdict_on(bad), NOT_REPRODUCED, row.figure)
                self.assertEqual(row.verdict_on({"a": good, "b": bad}), f"depends on {row.depends}", row.figure)

    def test_what_was_reproduced_is_not_with_half_as_much_again(self):
        reproduced = [row_of(row) for row in self.rows
                      if row["verdict"] == REPRODUCED and isinstance(row["simulated"], (int, float))]
        self.assertTrue(reproduced)
        for row in reproduced:
            self.assertEqual(row.verdict_on(1.5 * row.simulated), NOT_REPRODUCED, row.figure)

    def test_shares_are_judged_by_what_is_left(self):
        for model in ("DenseNet201", "ResNet152"):
            row = self.figure(f"convolutions' share of {model} on one core")
            self.assertLess(abs(row["simulated"] / row["published"] - 1), 0.05)
            self.assertEqual(row["verdict"], NOT_REPRODUCED, "5.7 is not 2.6")

    def test_what_is_derived_is_marked(self):
        for figure in ("A, 8 x DenseNet201: less time at 0 % load", "less time with zero-copy",
                       "the most that 4 groups can save with their 1x1 on the CPU, squeezenet_1_1"):
            self.assertTrue(self.figure(figure)["derived"], figure)
            lines = self.page.read_text().splitlines()
            self.assertIn(" (derived) |", next(line for line in lines if line.startswith(f"| {figure} |")))
        self.assertFalse(self.figure("A, 8 x DenseNet201: less time at 60 % load")["derived"])

    def test_assumptions_name_what_is_free(self):
        for row in self.rows:
            if row["of"] and row["study"] in ("000", "001", "004"):
                self.assertIn("hand-over, dispatch and contention cost nothing", "; ".join(row["assumptions"]), row["figure"])

    def test_the_summary_counts_every_figure_of_performance(self):
        self.assertIn(self.summary, self.page.read_text())
        performance = [row_of(row) for row in self.rows if row["of"]]
        self.assertIn(f"Of {len(performance)} comparisons", self.summary)
        for row in performance:
            self.assertIn(f"{row.study} {row.of} (", self.summary)
        one = Row("009", "f", 10.0, 10.0, ["a"], of="times")
        other = Row("009", "g", 10.0, 15.0, ["a"], of="times")
        self.assertIn("there came out 1: 009 times (1 of 2);", summary_sentence([one, other]))
        self.assertIn("did not come out 1: 009 times (1 of 2);", summary_sentence([one, other]))

    def test_the_ncs2_holds_one_model_in_what_is_said_of_study_003(self):
        own = [float(re.match(r"[\d.]+", self.note(f"makespan, {policy}, NCS2 holds {held}")["remark"])[0])
               for policy in ("fcfs", "sjf", "affinity", "priority") for held in ("resnet50", "mobilenet_v2", "resnet101")]
        headline = next(line for line in self.page.read_text().splitlines() if line.startswith("- The NCS2 holds one model"))
        self.assertIn(f"come out {min(own):.1f} to {max(own):.1f} % above the bound", headline)

    def test_the_worked_example_comes_out_exactly(self):
        for label, makespan in MAKESPANS.items():
            self.assertEqual(self.note("makespan, " + label)["simulated"], makespan, label)

    def test_the_search_is_never_worse_and_nothing_is_below_the_bound(self):
        for what in ("", ", stream by stream", ", NCS2 holds resnet50", ", NCS2 holds mobilenet_v2", ", NCS2 holds resnet101"):
            best = self.note("makespan, best" + what)["simulated"]
            self.assertGreaterEqual(best, BOUND_MS)
            for policy in ("fcfs", "sjf", "affinity", "priority", "eft", "round_robin"):
                self.assertLessEqual(best, self.note(f"makespan, {policy}{what}")["simulated"], policy + what)

    def test_what_was_fitted_is_compared_with_nothing(self):
        published = [row["published"] for row in self.rows if row["study"] == "002"]
        self.assertTrue(published)
        self.assertNotIn(410.0, published)

    def test_zero_copy_saves_what_the_copies_take(self):
        copied, mapped = self.figure("time an image, copies")["simulated"], 410  # to which the kernels are fitted
        self.assertAlmostEqual(self.figure("less time with zero-copy")["simulated"], 100 * (1 - mapped / copied), places=4)
        self.assertAlmostEqual(self.note("less energy with zero-copy")["simulated"], 10.87, places=2)

    def test_what_an_assumption_settles_by_itself_has_no_verdict(self):
        for figure, simulated in {"A, 8 x DenseNet201: growth from 0 to 60 % load, GPU only": 2.5,
                                  "B: largest growth from 0 to 60 % load, GPU only": 150,
                                  "A, 8 x DenseNet201, a process each: growth from 0 to 60 % load, GPU only": 9 / 8}.items():
            note = self.note(figure)
            self.assertLess(abs(note["simulated"] / simulated - 1), 0.01, figure)
            self.assertIn("published ", note["remark"], figure)

    def test_an_even_share_that_costs_nothing_gives_what_one_queue_gives(self):
        saved = self.note("A: less time than with `unmanaged`")["simulated"]
        queued = self.note("A, a process each: less time than then on the GPU only")["simulated"]
        for case in ("DenseNet201 at 60 %", "DenseNet201 at 0 %"):  # of which each share is a whole number of thousandths
            self.assertAlmostEqual(saved[case], queued[case], places=2)

    def test_what_comes_out_only_within_the_estimates_error_depends_on_it(self):
        row = lambda found: Row("009", "f", 50.0, found, ["a"], "share", "%", depends=ESTIMATES_ERROR, between=True)
        self.assertEqual(row({"as estimated": 10.0, "faster": 70.0}).verdict, "depends on the estimate's error", "50 lies between")
        self.assertEqual(row({"as estimated": 50.0, "faster": 70.0}).verdict, "depends on the estimate's error")
        self.assertEqual(row({"as estimated": 10.0, "faster": 40.0}).verdict, NOT_REPRODUCED)
        self.assertEqual(row({"as estimated": 50.0, "faster": 51.0}).verdict, REPRODUCED)
        estimated = [row for row in self.rows if row["depends"] == ESTIMATES_ERROR]
        self.assertTrue(estimated)
        for row in estimated:
            self.assertEqual(len(row["simulated"]), 3, row["figure"])
            self.assertEqual(list(row["simulated"])[0], "as estimated", row["figure"])

    def test_every_row_is_whole(self):
        for row in self.rows:
            self.assertRegex(row["verdict"], VERDICTS)
            self.assertEqual(VERDICTS.fullmatch(row["verdict"])[0], row["verdict"])
        for row in [*self.rows, *self.notes]:
            self.assertTrue(row["assumptions"] and all(row["assumptions"]), row["figure"])
            self.assertIsNotNone(row["simulated"], row["figure"])
        for note in self.notes:
            self.assertNotIn("verdict", note)
        names = [(row["study"], row["figure"]) for row in self.rows]
        self.assertEqual(len(set(names)), len(names))
        self.assertEqual([study for study, _ in names], sorted(study for study, _ in names))

    def test_the_page_has_every_row_and_its_pictures(self):
        text = self.page.read_text()
        for row in [*self.rows, *self.notes]:
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
        row = next(note for note in json.loads(run.stdout)["notes"] if "CPU cores at hand" in note["figure"])
        copied_us = (602112 + 4000) / 6061.12  # the image, and the thousand results
        self.assertAlmostEqual(row["simulated"], 100 * (1 - 10000 / (10000 + copied_us)), places=3)
        self.assertIn("measured on a host, 2026-11-20", row["assumptions"])

    def test_wrong_options_are_told(self):
        for wrong in (["--study", "005"], ["--docs", "--study", "003"], ["--engine", "fast"]):
            self.assertEqual(start(*wrong).returncode, 2, wrong)
        missing = start("--study", "003", "--measured", self.folder.name)
        self.assertEqual(missing.returncode, 3)
        self.assertIn("measured.json", missing.stderr)


class Disturbed(Simulator):
    """Answers of the program, changed before a study sees them."""

    def __init__(self, folder, change):
        progress = type("Quiet", (), {"step": lambda self: None})()
        super().__init__(str(PROGRAM), pathlib.Path(folder), 1, "virtual", progress)
        self.change = change

    def simulate(self, of):
        return self.change(of, super().simulate(of))

    def model(self, name):
        return self.change(None, super().model(name))


class Perturbed(unittest.TestCase):
    """Does a verdict turn where the simulation says something else?"""

    def rows(self, study, change):
        with tempfile.TemporaryDirectory() as folder:
            return {row.figure: row for row in study.replay(Disturbed(folder, change), None).rows}

    def test_copies_that_take_an_eighth_more_are_what_was_published(self):
        def slower(of, answer):
            if of is not None and of["transfer"] == "copy":
                for report in answer.values():
                    report["latency_ns"]["mean"] *= study_002.COPIED_S / study_002.MAPPED_S
            return answer

        self.assertEqual(self.rows(study_002, lambda _, answer: answer)["time an image, copies"].verdict, NOT_REPRODUCED)
        rows = self.rows(study_002, slower)
        self.assertEqual(rows["time an image, copies"].verdict, REPRODUCED)
        self.assertEqual(rows["less time with zero-copy"].verdict, REPRODUCED)

    def test_half_as_many_parameters_again_are_not(self):
        def more(of, answer):
            if of is not None:
                return answer
            totals = answer["totals"]
            return {**answer, "totals": {**totals, "params": 1.5 * totals["params"]}}

        for figure, row in self.rows(study_003, more).items():
            if figure.startswith("parameters"):
                self.assertEqual(row.verdict, NOT_REPRODUCED, figure)


class AskedOtherwise(Simulator):
    """Scenarios changed before the program sees them."""

    def __init__(self, folder, change):
        progress = type("Quiet", (), {"step": lambda self: None})()
        super().__init__(str(PROGRAM), pathlib.Path(folder), 1, "virtual", progress)
        self.change = change

    def simulate(self, of):
        self.change(of)
        return super().simulate(of)


class CasesOfOthers(unittest.TestCase):
    """Do their figures come from what boards do, and not from what was put in?"""

    def ask(self, part, change=lambda of: None):
        with tempfile.TemporaryDirectory() as folder:
            return part(AskedOtherwise(folder, change))

    def rows(self, part, change=lambda of: None):
        return {row.figure: row for row in self.ask(lambda sim: list(part(sim)), change)}

    @staticmethod
    def nobody_costs_anything(of):
        for pair in of["profiles"][0]["co_running"]:
            pair["slowdown"] = 1

    def test_a_gpu_beside_both_dlas_is_as_slow_as_two_neighbours_make_it(self):
        figure = "the GPU beside both DLAs, a frame"
        row = self.rows(others.dla_rows)[figure]
        self.assertAlmostEqual(row.simulated, 45 * (51.05 / 45) ** 2, places=1)
        self.assertEqual(row.verdict, REPRODUCED)
        low, high = (float(end) for end in re.findall(r"\d+\.\d", row.remark.removeprefix("90 % interval")))
        self.assertTrue(low < row.published < high, row.remark)
        alone = self.rows(others.dla_rows, self.nobody_costs_anything)[figure]
        self.assertAlmostEqual(alone.simulated, 45, places=3)
        self.assertEqual(alone.verdict, NOT_REPRODUCED)

    def test_three_runtimes_are_as_slow_as_pairs_make_them(self):
        figure = "an NPU of three cores, 3 runtimes, an image"
        row = self.rows(others_npu.pool_rows)[figure]
        self.assertAlmostEqual(row.simulated, 7.15 * (2 * 3.70 / 7.15) ** 2 / 3, places=2)
        self.assertEqual(row.verdict, REPRODUCED)
        alone = self.rows(others_npu.pool_rows, self.nobody_costs_anything)[figure]
        self.assertAlmostEqual(alone.simulated, 7.15 / 3, places=2)
        self.assertEqual(alone.verdict, NOT_REPRODUCED)

    def test_cores_that_do_not_exclude_each_other_would_do_more(self):
        def apart(of):
            for unit in of["platform"]["units"]:
                del unit["cores"]

        found = self.ask(lambda sim: others_npu.on_cores(sim, 1))
        self.assertAlmostEqual(found["best"][0], 5.66 / 4.49, places=3)
        self.assertEqual(found["best"][1], 12, "all on all cores together")
        found = self.ask(lambda sim: others_npu.on_cores(sim, 2))
        self.assertAlmostEqual(found["best"][0], 1.78, places=2)
        self.assertEqual(found["best"][1], 0, "a core each")
        self.assertGreater(self.ask(lambda sim: others_npu.on_cores(sim, 2), apart)["best"][0], 2)

    def test_a_reload_takes_what_the_bus_needs(self):
        def twice_as_fast(of):
            of["platform"]["units"][0]["stream_bytes_per_s"] *= 2

        row = self.ask(others_edge_tpu.large_row)
        self.assertAlmostEqual(row.simulated["bulk transfers, 8 MB"], 26.872 + 8e6 / 53.248e3, places=3)
        self.assertAlmostEqual(row.simulated["all of 480 Mbit/s, 8 MB"], 26.872 + 8e6 / 60e3, places=3)
        self.assertEqual(row.verdict, f"depends on {row.depends}")
        self.assertEqual(self.ask(others_edge_tpu.large_row, twice_as_fast).verdict, NOT_REPRODUCED)

    def test_what_stays_on_the_chip_is_not_loaded_again(self):
        def room_for_both(of):
            of["co_compiled"] = {"tpu": [[stream["model"] for stream in of["streams"]]]}
            of["platform"]["units"][0]["on_chip_bytes"] *= 2

        self.assertAlmostEqual(self.ask(others_edge_tpu.birds_row).simulated, 2.9 + 3_538_984 / 500e3, places=3)
        self.assertAlmostEqual(self.ask(others_edge_tpu.birds_row, room_for_both).simulated, 2.9, places=3)


class Pictures(unittest.TestCase):
    """The pictures of the long studies, of figures made up here."""

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
