#!/usr/bin/env python3
"""Does the page of contention tell the runs that two physics see otherwise, the furthest first, and no others?

usage: contention_page_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import pathlib
import shutil
import sys
import tempfile
import unittest

SOURCE, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
sys.path.insert(0, str(SOURCE / "scripts" / "experiments"))
from contention import busy_share, section_of  # noqa: E402
from pages.contention import SHIPPED, Run, contention_page, measured_section, page_of, with_section  # noqa: E402


def run(scenario, exact, fluid):
    return Run(scenario, {"label": "eft", "makespan_ns": fluid, "exact_makespan_ns": exact})


def rows(page):
    return [line for line in page.splitlines() if line.startswith("| [")]


class Page(unittest.TestCase):
    def test_has_the_furthest_first(self):
        page = page_of([run("near", 100_000_000, 101_000_000), run("far", 100_000_000, 60_000_000)], [])
        self.assertEqual([row.split("]")[0] for row in rows(page)], ["| [far", "| [near"])
        self.assertIn("| 100.000 | 60.000 | -40 % |", rows(page)[0])
        self.assertIn("Of 2 runs in 2 scenarios 2 are apart, by -40 % to +1 % of the exact makespan.", page)

    def test_has_no_row_for_what_rounding_makes(self):
        page = page_of([run("rounded", 100_000_000, 100_000_900), run("none", 5, 5)], ["long"])
        self.assertEqual(rows(page), [])
        self.assertIn("Apart by less than 0.01 %, or not at all: none, rounded.", page)
        self.assertIn("make them long: long.", page)

    def test_runs_what_it_finds_but_not_loadgens(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("sticks-on-a-hub", "study-003", "loadgen-offline"):
                shutil.copy(SHIPPED / f"{name}.scenario.json", folder)
            page = contention_page(PROGRAM, pathlib.Path(folder))
        self.assertEqual({row.split("]")[0] for row in rows(page)}, {"| [sticks-on-a-hub"})
        self.assertIn("not at all: study-003.", page)
        self.assertIn("make them long: loadgen-offline.", page)

    def test_keeps_what_was_measured_and_says_when_where_and_how_far_off_it_is(self):
        note = {"date": "2026-12-01", "revision": "abc", "cores": 2, "host": {"cpu": "a processor", "kernel": "6.1"}}
        rows_measured = [("memory-bound", "eft", 110_000_000, 80_000_000, 100_000_000),
                         ("shared-cache", "eft", 97_000_000, 100_000_000, 100_000_000)]
        section = section_of(rows_measured, [note, note], 12e9)
        self.assertIn("Measured 2026-12-01 on a processor, 6.1, 2 cores to use; revision abc.", section)
        self.assertIn("12 GB/s", section)
        # Off by 10 and 3 %, and by 20 and 0: of two the middle is the mean.
        self.assertIn("off by 6.50 %, the fluid one by 10.00 %.", section)
        self.assertIn("| memory-bound | `eft` | 110.000 (+10.00%) | 80.000 (-20.00%) | 100.000 |", section)
        page = with_section("before\n", section)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "page.md"
            file.write_text(page, encoding="utf-8")
            self.assertEqual(with_section("anew\n", measured_section(file)), "anew\n" + section)
        self.assertEqual(with_section(page, section), page)

    def test_sees_that_a_machine_is_busy(self):
        states = iter(["cpu  0 0 0 0 0 0 0 0 0 0\n", "cpu  20 5 5 50 10 0 0 10 0 0\n"])

        class Stat:
            @staticmethod
            def read_text():
                return next(states)

        # Of 100 ticks 50 were idle and 10 waited for disks.
        self.assertAlmostEqual(busy_share(0, Stat), 0.4)

    def test_every_shipped_scenario_is_on_it(self):
        page = (SOURCE / "docs" / "contention.md").read_text(encoding="utf-8")
        for file in SHIPPED.glob("*.scenario.json"):
            self.assertIn(file.name.removesuffix(".scenario.json"), page)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
