#!/usr/bin/env python3
"""Does scripts/robustness say what its parts found, and is docs/robustness.md, where it is, its page?

usage: robustness_test.py SOURCE_DIR
"""
import importlib.machinery
import importlib.util
import pathlib
import re
import sys
import tempfile
import types
import unittest
from unittest import mock

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
    "soak": ("minute 1 of 60: 6000 answers\nmemory: +1.0 KiB from the first third: no growth\nmedian latency: +0.1 %: no drift\np99 latency: +2 %: no drift\n",
             "memory: +1.0 KiB from the first third: no growth; median latency: +0.1 %: no drift; p99 latency: +2 %: no drift"),
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

    def test_say_what_broke(self):
        log = SAID["laws"][0] + "seed 7: a rule beats the search\nseed 7: the smallest of which it does not hold: found/seed7: it\n"
        self.assertEqual(robustness.result_of(robustness.PARTS["laws"], log, False), "**failed**: hold of 500 scenarios; not of seed 7")
        log = "plan: ended 300 times, in turn by kill; nothing found\nrun: t.json is there and not whole (in run-7-kill)\n"
        self.assertEqual(robustness.result_of(robustness.PARTS["kills"], log, False),
                         "**failed**: 1 commands ended 300 times each, nothing found; run: t.json is there and not whole (in run-7-kill)")

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
        self.assertEqual(robustness.page(robustness.rows_of(again)), again)

    def test_of_shares_stand_beside_the_whole_until_it_is_run_again(self):
        def row(key):
            return robustness.row(key, robustness.PARTS[key.split()[0]], "fine", 60, "2026-11-29", "0123456789ab")
        rows = {}
        for key in ("laws", "laws-worst 1/2", "laws 10/10", "laws 2/10"):
            rows = robustness.rows_of(robustness.page(robustness.with_row(rows, key, row(key))))
        self.assertEqual(list(rows), ["laws", "laws 2/10", "laws 10/10", "laws-worst 1/2"])
        self.assertEqual(list(robustness.with_row(rows, "laws 1/3", row("laws 1/3"))), ["laws", "laws-worst 1/2", "laws 1/3"])
        self.assertEqual(list(robustness.with_row(rows, "laws", row("laws"))), ["laws", "laws-worst 1/2"])
        self.assertEqual(robustness.page({}).count("| not run yet |"), len(robustness.PARTS))
        self.assertEqual(robustness.page(rows).count("| not run yet |"), len(robustness.PARTS) - 2)

    def test_of_the_page_that_is_kept_are_the_scripts(self):
        if not robustness.PAGE.exists():
            self.skipTest("nothing was run at length yet")
        text = robustness.PAGE.read_text()
        self.assertEqual(text, robustness.page(robustness.rows_of(text)))
        for line in robustness.rows_of(text).values():
            self.assertRegex(line, r"\| \d{4}-\d\d-\d\d \| [0-9a-f]{12} \|$")


def words(part, share=None, short=False, builds=None):
    return robustness.command_of(robustness.PARTS[part], types.SimpleNamespace(share=share, short=short, builds=builds))


class Commands(unittest.TestCase):
    def test_do_all_a_share_or_a_moment(self):
        self.assertEqual(words("laws"), ("scripts/laws", "0", "120000"))
        self.assertEqual(words("laws", share=(2, 7)), ("scripts/laws", "17142", "17143"))  # 120000 / 7 = 17142.9, twice that 34285.7
        self.assertEqual(words("laws-worst", share=(2, 2)), ("scripts/laws", "210000", "10000"))
        self.assertEqual(words("laws", short=True), ("scripts/laws", "0", "40"))
        self.assertEqual(words("mutate", share=(1, 3)), ("scripts/mutate", "--share", "1/3"))
        self.assertEqual(words("kills", share=(3, 3), builds=pathlib.Path("/b")), ("scripts/kills", "--programs", "/b/release/bin", "emit", "sweep", "run"))

    def test_of_shares_are_all_together(self):
        shares = [words("laws", share=(number, 9))[1:] for number in range(1, 10)]
        at = 0
        for first, count in shares:
            self.assertEqual(int(first), at)
            at += int(count)
        self.assertEqual(at, 120000)

    def test_of_more_shares_than_there_is_to_do_are_refused(self):
        for part, of in (("kills", 12), ("laws", 120001)):
            self.assertRaises(SystemExit, words, part, share=(of, of))

    def test_of_shares_name_what_scripts_kills_ends(self):
        cases = "".join(file.read_text() for file in (SOURCE / "scripts" / "kill_cases").glob("*.py"))
        ended = re.findall(r"^    name = \"(\w+)\"$", cases, re.MULTILINE)
        self.assertEqual(sorted(robustness.COMMANDS), sorted(ended))


class Builds(unittest.TestCase):
    """A row says the revision of its programs: those of parts that build for themselves are not of the build that is named."""
    def parts(self, *given):
        with tempfile.TemporaryDirectory() as builds, mock.patch.object(sys, "stderr"):
            (pathlib.Path(builds) / "release").mkdir()
            (pathlib.Path(builds) / "release" / "CMakeCache.txt").write_text(f"CMAKE_HOME_DIRECTORY:INTERNAL={SOURCE}\n")
            with mock.patch.object(sys, "argv", ["robustness", "--list", "--builds", builds, *given]):
                return robustness.arguments().parts

    def test_are_for_parts_that_run_their_programs(self):
        self.assertEqual(self.parts(), ["fuzz", "stress", "soak", "kills", "sweeps", "laws", "laws-worst"])
        self.assertEqual(self.parts("soak"), ["soak"])
        for name in ("threads", "mutate", "trixie-g++"):
            self.assertRaises(SystemExit, self.parts, name)

    def test_that_are_not_there_are_refused(self):
        with tempfile.TemporaryDirectory() as nothing:
            self.assertRaises(SystemExit, self.parts, "--builds", nothing)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
