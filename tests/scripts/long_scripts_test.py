#!/usr/bin/env python3
"""Does scripts/mutate tell survivors that nobody knows of alone, in shares too, is each that is known still a change of the code, does scripts/kills compare what
it finds, and does scripts/fuzz notice a reader that breaks before it is fuzzed?

usage: long_scripts_test.py SOURCE_DIR
"""
import importlib.machinery
import importlib.util
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


mutate, kills = script("mutate"), script("kills")


def tried(line, was, changed, noticed_by):
    return {"file": "policies/engine/a.cc", "line": line, "was": was, "changed": changed, "noticed_by": noticed_by}


class Survivors(unittest.TestCase):
    ALL = [tried(1, "  a < b;", "  a <= b;", "tests_laws"), tried(2, "  a + b;", "  a - b;", "the compiler"),
           tried(3, "  a > b;", "  a >= b;", None), tried(4, "  x = 0;", "  ;", None)]

    def test_that_are_known_are_counted_and_not_told(self):
        reasons = {("policies/engine/a.cc", "a > b;", "a >= b;"): "equal ones are the same"}
        lines, unknown = mutate.summary(self.ALL, reasons)
        self.assertEqual(unknown, 1)
        self.assertEqual(lines, ["3 changes that compile: 1 noticed, 2 not, 1 of these for a known reason",
                                 "policies/engine/a.cc:4: x = 0;\n    became ;"])

    def test_of_another_line_that_becomes_the_same_are_not_known(self):
        reasons = {("policies/engine/a.cc", "y = 0;", ";"): "of another line"}
        self.assertEqual(mutate.summary(self.ALL, reasons)[1], 2)

    def test_are_looked_for_in_shares_that_are_all_changes_together(self):
        changes = mutate.drawn(SOURCE, mutate.PLACES, 120, 1)
        self.assertEqual(len(changes), 120)
        shares = [mutate.share_of(changes, f"{number}/7") for number in range(1, 8)]
        self.assertEqual(sorted(map(len, shares)), [17] * 6 + [18])  # 120 = 7 * 17 + 1
        self.assertEqual(sorted(sum(shares, [])), sorted(changes))
        self.assertEqual(mutate.share_of(changes, "1/1"), changes)
        for wrong in ("0/2", "3/2", "1", "1/0", "a/2", "-1/2"):
            self.assertRaises(SystemExit, mutate.share_of, changes, wrong)

    def test_that_are_known_are_changes_of_the_code_with_a_reason(self):
        for one in json.loads(mutate.KNOWN.read_text()):
            self.assertEqual(sorted(one), ["changed", "file", "reason", "was"], one)
            lines = (SOURCE / one["file"]).read_text().splitlines()
            found = {(lines[number].strip(), changed.strip()) for number, changed in mutate.candidates(SOURCE / one["file"])}
            self.assertIn(mutate.place_of(one)[1:], found, one)
            self.assertTrue(one["reason"].strip(), one)


class RewrittenBaseline(unittest.TestCase):
    def case(self, folder, content):
        """Ended in a folder where the baseline has this."""
        case = object.__new__(kills.Regress)
        case.old = b'{"old": 1}'
        ended = folder / "ended"
        for place, text in ((folder / "regress-whole", b'{"new": 1}'), (ended, content)):
            place.mkdir(exist_ok=True)
            (place / "b.json").write_bytes(text)
        return case, ended

    def test_is_the_old_or_the_new_one(self):
        with tempfile.TemporaryDirectory() as name:
            for content in (b'{"old": 1}', b'{"new": 1}'):
                case, ended = self.case(pathlib.Path(name), content)
                case.judge(ended)

    def test_that_is_neither_is_found(self):
        with tempfile.TemporaryDirectory() as name:
            for content in (b'{"new": 2}', b"{}", b'{"new": 1', b""):
                case, ended = self.case(pathlib.Path(name), content)
                self.assertRaises(kills.Found, case.judge, ended)


class FuzzedReaders(unittest.TestCase):
    PROGRAM = """#!/bin/sh
case $1 in
  --list) echo onnx; echo plan ;;
  --seeds) [ $TANDEM_FUZZ_READER != "$BREAKS" ] || { echo it crashes >&2; exit 134; } ;;
  *) echo stat::number_of_executed_units: 7 ;;
esac
"""

    def fuzzed(self, breaks):
        with tempfile.TemporaryDirectory() as name:
            tree = pathlib.Path(name)
            (tree / "scripts").mkdir()
            shutil.copy(SOURCE / "scripts" / "fuzz", tree / "scripts")
            for program in (tree / "build" / "tests" / "fuzz_readers", tree / "bin" / "clang++"):
                program.parent.mkdir(parents=True)
                program.write_text(self.PROGRAM)
                program.chmod(0o755)
            return subprocess.run([tree / "scripts" / "fuzz", "--seconds", "1", "--build", tree / "build"], capture_output=True, text=True, check=False,
                                  env={**os.environ, "BREAKS": breaks, "PATH": f"{tree / 'bin'}:{os.environ['PATH']}"})

    def test_withstand_what_they_are_given(self):
        done = self.fuzzed("none")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(sorted(done.stdout.splitlines()), ["onnx             7 inputs, nothing found", "plan             7 inputs, nothing found"])

    def test_that_have_no_seeds_are_told(self):
        done = self.fuzzed("plan")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(sorted(done.stdout.splitlines()), ["onnx             7 inputs, nothing found", "plan             BROKEN: it has no seeds"])
        self.assertIn("it crashes", done.stderr)


class Ways(unittest.TestCase):
    def test_are_all_tried_in_a_test_run(self):
        most = max(len(case.ways) for case in kills.CASES.values())
        self.assertIn(f"scripts/kills --times {most} ", (SOURCE / "tests" / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
