#!/usr/bin/env python3
"""Do sessions in the documentation run as they are shown, and is it noticed where they do not?

usage: sessions_test.py SOURCE_DIR
"""
import pathlib
import stat
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from pages.sessions import Session, missing_of_varying, shortened  # noqa: E402


def play(text, measured=False):
    """A page on which `tandem` is a program that prints its arguments and the files that it finds."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program = folder / "tandem"
        program.write_text('#!/bin/sh\necho "said: $*"\nls\nexit "${STATUS:-0}"\n')
        program.chmod(program.stat().st_mode | stat.S_IXUSR)
        page = folder / "page.md"
        page.write_text(text)
        return Session(page, [program], measured).play()


class Sessions(unittest.TestCase):
    def test_what_is_printed_is_written(self):
        session = play("```json a.json\n{}\n```\ntext\n```console\n$ tandem x\nold\n```\n")
        self.assertEqual(session.problems, [])
        self.assertEqual(session.text, "```json a.json\n{}\n```\ntext\n```console\n$ tandem x\nsaid: x\na.json\n```\n")

    def test_another_status_is_a_problem_unless_it_is_said(self):
        self.assertIn("ends with 3", play("```console\n$ STATUS=3 tandem x\n```\n").problems[0])
        self.assertEqual(play("```console exits 3\n$ STATUS=3 tandem x\n```\n").problems, [])
        self.assertIn("ends with 0", play("```console exits 3\n$ tandem x\n```\n").problems[0])

    def test_what_varies_is_compared_by_its_words(self):
        block = "```console varies\n$ tandem x 1\n{}\n```\n"
        self.assertEqual(play(block.format("said: y 77")).problems, [])
        self.assertIn("no longer prints", play(block.format("nothing of it")).problems[0])
        self.assertIn("said: y 77", play(block.format("said: y 77")).text)
        self.assertIn("said: x 1", play(block.format("said: y 77"), measured=True).text)

    def test_a_cut_keeps_its_ends(self):
        self.assertEqual(shortened(["a", "...", "z"], ["1", "2", "3", "4"]), ["1", "...", "4"])
        self.assertEqual(shortened(["a", "..."], ["1", "2", "3"]), ["1", "..."])
        self.assertEqual(shortened(["a", "z"], ["1", "2", "3"]), ["1", "2", "3"])

    def test_first_words_come_in_their_order(self):
        self.assertIsNone(missing_of_varying(["head", "* x 1", "foot 3"], ["head", "p x 2", "y 3", "foot 4"]))
        self.assertEqual(missing_of_varying(["foot", "head 1"], ["head 2", "foot"]), "head 1")
        self.assertIsNone(missing_of_varying(["12.5 ms", "..."], ["other"]))
        self.assertIsNone(missing_of_varying(["pm eft 1"], ["m  eft 2"]), "another policy was measured best")
        self.assertIsNone(missing_of_varying([" m eft 1"], ["pm eft 2"]))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
