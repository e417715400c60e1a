#!/usr/bin/env python3
"""Does scripts/robustness say what its parts found, and is docs/robustness.md, where it is, its page?

usage: robustness_test.py SOURCE_DIR
"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True
loader = importlib.machinery.SourceFileLoader("robustness", str(SOURCE / "scripts" / "robustness"))
robustness = importlib.util.module_from_spec(importlib.util.spec_from_loader("robustness", loader))
sys.modules["robustness"] = robustness
loader.exec_module(robustness)

# What a part prints, and what is said of it.
SAID = {
    "fuzz": ("onnx             1200 inputs, nothing found\ntflite           34 inputs, nothing found\n", "2 readers withstood 1,234 inputs"),
    "threads": ("97% tests passed, 1 tests failed out of 40\n", "97% tests passed, 1 tests failed out of 40"),
    "stress": ("1200 answers\n31 openings\n", "1,200 answers, 31 openings"),
    "soak": ("minute 1 of 60: 6000 answers\nmemory: +1.0 KiB from the first third: no growth\nmedian latency: +0.1 %: no drift\n",
             "memory: +1.0 KiB from the first third: no growth; median latency: +0.1 %: no drift"),
    "kills": ("plan: ended 300 times, in turn by kill, term; nothing found\nrun: ended 299 times, in turn by kill; nothing found\n",
              "2 commands ended 299 times each, nothing found"),
    "sweeps": ("ok       mpi: 48 rows\nskipped  slurm: not installed\n", "mpi: 48 rows; slurm: not installed"),
    "laws": ("scenarios 250 to 499: hold\nscenarios 0 to 249: hold\n", "hold of 500 scenarios"),
    "mutate": ("1 of 2: a.cc:3: noticed by tests_laws\n2 changes that compile: 2 noticed, 0 not\n", "2 changes that compile: 2 noticed, 0 not"),
    "trixie-g++": ("100% tests passed, 0 tests failed out of 3000\n", "100% tests passed, 0 tests failed out of 3000"),
}


class Rows(unittest.TestCase):
    def test_say_what_a_part_has_printed(self):
        for name, (log, said) in SAID.items():
            with self.subTest(part=name):
                self.assertEqual(robustness.result_of(robustness.PARTS[name], log, True), said)

    def test_of_what_failed_say_so(self):
        broken = SAID["fuzz"][0] + "plan             BROKEN: crash-1\n"
        self.assertEqual(robustness.result_of(robustness.PARTS["fuzz"], broken, False), "**failed**: 2 readers withstood 1,234 inputs; broken: plan")
        for name in ("kills", "mutate", "threads"):
            self.assertEqual(robustness.result_of(robustness.PARTS[name], "Segmentation fault\n", False), "**failed**: it ended before its end")

    def test_stay_where_their_part_was_not_run(self):
        first = robustness.row("laws", robustness.PARTS["laws"], "hold of 500 scenarios", 120, "2026-11-28", "0123456789ab")
        other = robustness.row("trixie-g++", robustness.PARTS["trixie-g++"], "100% tests passed", 7200, "2026-11-29", "ba9876543210")
        text = robustness.page({"laws": first})
        again = robustness.page({**robustness.rows_of(text), "trixie-g++": other})
        self.assertIn(first, again.splitlines())
        self.assertIn(other, again.splitlines())
        self.assertIn("| 2 min | 2026-11-28 | 0123456789ab |", again)
        self.assertIn("| 2.0 h | 2026-11-29 | ba9876543210 |", again)
        self.assertEqual(again.count("| not run yet |"), len(robustness.PARTS) - 2)

    def test_of_the_page_that_is_kept_are_the_scripts(self):
        if not robustness.PAGE.exists():
            self.skipTest("nothing was run at length yet")
        text = robustness.PAGE.read_text()
        self.assertEqual(text, robustness.page(robustness.rows_of(text)))
        for line in robustness.rows_of(text).values():
            self.assertRegex(line, r"\| \d{4}-\d\d-\d\d \| [0-9a-f]{12} \|$")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
