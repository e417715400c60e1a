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
import types
import unittest
import unittest.mock

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True


def script(name):
    loader = importlib.machinery.SourceFileLoader(name, str(SOURCE / "scripts" / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    sys.modules[name] = module
    loader.exec_module(module)
    return module


mutate, kills = script("mutate"), script("kills")
from kill_cases import boards, common, files  # noqa: E402  (scripts/kills says where they are)


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


# Writes out.txt as the programs do, and then waits a little; told by what it is started with how it is wrong.
PROGRAM = """
import os, pathlib, signal, sys, time
how, part, out = sys.argv[1], pathlib.Path(f"out.txt.part{os.getpid()}"), pathlib.Path("out.txt")
def end(*_):
    if how != "leaves":
        part.unlink(missing_ok=True)
    os._exit(130 if how != "other status" else 9)
signal.signal(signal.SIGTERM, end)
try:
    part.write_text("whole" * 2000)
    time.sleep(0.2)
    part.rename(out)
except OSError:
    part.unlink(missing_ok=True)
    sys.exit(0 if how == "says nothing" else 3)
"""


class Ended(unittest.TestCase):
    """scripts/kills of a program of our own."""
    def end(self, how, way, number=0):
        class Program(common.Case):
            name = "program"
            outputs = ("out.txt",)

            def words(self):
                return [sys.executable, "-c", PROGRAM, how]

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            case = object.__new__(Program)
            case.base, case.went_on, case.takes = folder / "program", 0, 30
            case.base.mkdir()
            (case.base / "in.txt").write_text("input")
            case.whole, case.written = {"out.txt": b"whole" * 2000}, [10000]
            chance = types.SimpleNamespace(random=lambda: 0.4)  # ended while it writes; a sixth of that finds room
            with unittest.mock.patch.object(kills, "mounted", lambda *_: False):
                kills.end_once(case, way, chance, number)

    def test_that_is_right_is_found_nothing_of(self):
        for way in ("kill", "term", "pipe", "files"):
            with self.subTest(way=way):
                self.end("right", way)

    def test_that_says_done_without_its_output_is_found(self):
        self.assertRaisesRegex(kills.Found, "it says that it is done, and out.txt is not there", self.end, "says nothing", "files")

    def test_that_leaves_what_it_began_is_found(self):
        self.assertRaisesRegex(kills.Found, r"after term it leaves out\.txt\.part\d+ behind", self.end, "leaves", "term")

    def test_that_ends_with_another_status_is_found(self):
        self.assertRaisesRegex(kills.Found, "after term it ended with 9", self.end, "other status", "term")


class WhatWasFinished(unittest.TestCase):
    ROWS = {"a.rows.jsonl": [b'{"key": "1", "status": "ok"}', b'{"key": "2", "status": "failed"}']}

    def test_of_a_sweep_may_be_joined_and_tried_again_where_it_failed(self):
        after = {**self.ROWS, "b.rows.jsonl": [b'{"key": "2", "status": "ok"}', b'{"key": "3", "status": "ok"}']}
        files.check_rows_stay(self.ROWS, after)

    def test_of_a_sweep_is_not_run_again(self):
        after = {**self.ROWS, "b.rows.jsonl": [b'{"key": "1", "status": "ok"}']}
        self.assertRaisesRegex(common.Found, "were run again", files.check_rows_stay, self.ROWS, after)
        self.assertRaisesRegex(common.Found, "lost rows", files.check_rows_stay, self.ROWS, {"b.rows.jsonl": self.ROWS["a.rows.jsonl"]})

    def test_of_a_profile_is_not_measured_again(self):
        def partial(folder, *samples):
            kept = folder / "p.json.partial"
            kept.write_text(json.dumps({"sources": [{"model": "m", "batch": 1, "unit": "u", "cut": "whole", "manner": "warm", "precision": "fp32",
                                                     "done": True, "parts": [{"layers": [], "samples_us": list(samples)}]}]}))
            return boards.sampled(kept)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual(boards.sampled(folder / "none"), {})
            self.assertEqual(partial(folder), {})
            before = partial(folder, 1.5, 1.25)
            boards.check_samples_stay(before, partial(folder, 1.5, 1.25, 1.75))
            for again in (partial(folder, 1.25, 1.5), partial(folder)):
                self.assertRaisesRegex(common.Found, "is measured again", boards.check_samples_stay, before, again)


class Folders(unittest.TestCase):
    def case(self, kind, folder, now):
        case = object.__new__(kind)
        case.before = {"plan.json": b"old", "run.json": b"old"}
        for place, texts in ((folder / f"{kind.name}-whole", {"plan.json": "new", "run.json": "new"}), (folder / "ended", now)):
            for name, text in texts.items():
                file = place / "deployed" / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
        return case, folder / "ended"

    def judged(self, kind, **now):
        with tempfile.TemporaryDirectory() as name:
            case, ended = self.case(kind, pathlib.Path(name), {key.replace("_", "."): text for key, text in now.items()})
            case.judge(ended)

    def test_that_are_new_are_whole_or_not_there(self):
        self.judged(files.Emit)
        self.judged(files.Emit, plan_json="new", run_json="new")
        self.assertRaises(common.Found, self.judged, files.Emit, run_json="new")

    def test_that_were_there_are_the_old_or_the_new_one_or_have_no_plan(self):
        self.judged(files.EmitOver, plan_json="old", run_json="old")
        self.judged(files.EmitOver, plan_json="new", run_json="new")
        self.judged(files.EmitOver, run_json="new")
        for plan, run in (("old", "new"), ("new", "old")):
            self.assertRaises(common.Found, self.judged, files.EmitOver, plan_json=plan, run_json=run)


class Ways(unittest.TestCase):
    def test_are_all_tried_in_a_test_run(self):
        most = max(len(case.ways) for case in kills.CASES.values())
        self.assertIn(f"scripts/kills --times {most} ", (SOURCE / "tests" / "CMakeLists.txt").read_text())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
