#!/usr/bin/env python3
"""Has every policy a scenario in which it wins and one in which it loses, on a page that says what a run says now?

usage: policies_page_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, PROGRAM = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from pages import policies  # noqa: E402
from pages.contest import Contest, Outcome, Rule, head_of  # noqa: E402
from pages.policies import PAGE  # noqa: E402

NEVER_WIN = ("random",)  # policies of which no scenario is known where they win; the page says so of each


def registered():
    run = subprocess.run([PROGRAM, "policies", "--json"], capture_output=True, text=True, timeout=60, check=True)
    return [policy["name"] for policy in json.loads(run.stdout)]


def outcome(values, reach=None):
    return Outcome("s", "s", "", "s", "makespan", "ns", values, {name: name for name in values}, [], reach or {})


def a_contest(outcomes, clairvoyant=()):
    contest = Contest.__new__(Contest)
    contest.outcomes = outcomes
    names = {name for each in outcomes for name in each.values}
    contest.rules = {name: Rule(name, "", name in clairvoyant, "", "", "") for name in names}
    return contest


class Page(unittest.TestCase):
    """What the page says is what scripts/docs --check compares; here: does it say it of every policy?"""

    def setUp(self):
        text = PAGE.read_text(encoding="utf-8")
        self.sections = {part.split("\n", 1)[0]: part for part in re.split(r"^## ", text, flags=re.MULTILINE)[1:]}

    def test_every_policy_has_rule_source_win_and_loss(self):
        for name in registered():
            section = self.sections.get(name, "")
            self.assertIn("Source:", section, f"{name}: scripts/docs writes its section")
            self.assertIn("- **Loses**", section, f"{name} loses nowhere: a small scenario for that belongs in scenarios/policies")
            wins = r"- \*\*Never wins\*\*" if name in NEVER_WIN else r"- \*\*(Wins|Gains most)\*\*"
            self.assertRegex(section, wins, f"{name} wins nowhere: a small scenario for it belongs in scenarios/policies, "
                             "or its name in NEVER_WIN")

    def test_a_command_of_the_page_gives_its_figures(self):
        section = self.sections["affinity"]
        command = re.search(r"`tandem (simulate [^`]+)`", section)[1].replace("'", "").split()
        run = subprocess.run([PROGRAM, *command], cwd=SOURCE, capture_output=True, text=True, timeout=60, check=True)
        self.assertRegex(run.stdout, r"(?m)^\* affinity ")


class Contests(unittest.TestCase):
    def test_alone_before_shared_and_far_before_near(self):
        far, near = outcome({"a": 10, "b": 20}), outcome({"a": 10, "b": 11})
        shared, lost = outcome({"a": 10, "b": 10, "c": 90}), outcome({"a": 12, "b": 10})
        contest = a_contest([lost, shared, near, far])
        self.assertEqual(contest.best_in("a"), [far, near, shared])
        self.assertIs(contest.furthest_behind("a"), lost)
        self.assertIs(contest.furthest_behind("b"), far)
        self.assertEqual(contest.best_in("c"), [])
        self.assertIs(contest.closest("c"), shared)

    def test_what_an_estimate_cannot_tell_comes_last_and_is_said(self):
        untold = outcome({"a": 10, "b": 40}, {"a": [5, 30], "b": [20, 80]})
        told = outcome({"a": 10, "b": 11}, {"a": [9.9, 10.1], "b": [10.9, 11.1]})
        measured = outcome({"a": 10, "b": 12})
        contest = a_contest([untold, told, measured])
        self.assertEqual(contest.best_in("a"), [measured, told, untold])
        self.assertIs(contest.furthest_behind("b"), measured)
        self.assertIs(a_contest([untold]).furthest_behind("b"), untold)
        unknown = outcome({"a": 10, "b": 12}, {"a": [5, 30], "b": None})
        self.assertTrue(unknown.untold("a", "b") and unknown.untold("b", "a"))
        self.assertFalse(outcome({"a": 10, "b": 40}, {"a": [5, 30], "b": None}).untold("a", "b"))
        page = policies.Page(contest)
        self.assertIn("`a` may come to", page.lost("b", unknown))
        self.assertIn("not told apart: the times are estimated", page.won("a", untold))
        self.assertIn("not told apart", page.lost("b", untold))
        for sure in (told, measured):
            self.assertNotIn("not told apart", page.won("a", sure) + page.lost("b", sure))

    def test_one_that_sees_more_is_no_rival(self):
        only = outcome({"a": 10, "best": 5})
        contest = a_contest([only, outcome({"a": 3, "b": 4})], clairvoyant=("best",))
        self.assertIn(only.name, [each.name for each in contest.best_in("a")])
        self.assertIsNone(contest.furthest_behind("a"))

    def test_a_file_has_to_say_its_source(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "x.cc"
            file.write_text("// X: takes all.\n// Tie-break: none. Source: nobody.\n#include <x>\n")
            self.assertEqual(head_of(file), ("X: takes all.", "none.", "nobody."))
            file.write_text("// X: takes all.\n")
            with self.assertRaisesRegex(RuntimeError, "x.cc: .*Source"):
                head_of(file)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
