#!/usr/bin/env python3
"""Are the bars of scripts/studies/fidelity judged by intervals, so that noise leads to "cannot be told" alone, and is a page
that was edited or is a part known as such?

usage: fidelity_verdicts_test.py SOURCE"""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "scripts" / "studies"))
from replay import fidelity_page as page  # noqa: E402


def policy(label, error, reach, covered=True, width=0.04):
    measured = 100000
    predicted = round(measured * (1 + error))
    low = measured - 1000 if covered else measured + 1000
    verdict = "unknown" if reach is None else page.by_interval(error - reach, error + reach, -0.09, 0.09)
    return {"label": label, "error": error, "error_interval": None if reach is None else [error - reach, error + reach],
            "verdict": verdict, "runs_needed": 40 if verdict == "unknown" and reach else None, "predicted_ns": predicted,
            "measured_ns": measured, "predicted_interval_ns": [low, low + round(width * predicted)], "runs_ns": [1] * 5,
            "disturbed": 0, "correct": True}


def scenario_row(policies, kind="whole models", verdict="within", tail=0.02):
    p99 = {"error": tail, "error_interval": [tail - 0.01, tail + 0.01], "verdict": page.by_interval(tail - 0.01, tail + 0.01, -0.15, 0.15),
           "runs_needed": None, "predicted_ns": 100, "measured_ns": 100, "predicted_interval_ns": None}
    return page.row_of({"objective": "makespan", "policies": policies, "warnings": [],
                        "percentiles": [{"label": of["label"], "p99": p99} for of in policies],
                        "winner": {"predicted": "a", "measured": "a", "regret": 0.0, "regret_interval": [0.0, 0.02],
                                   "verdict": verdict, "probability": {"a": 0.9}}}, kind)


def verdict_of(rows, start):
    [verdict] = [verdict for what, verdict in page.bars(rows) if what.startswith(start)]
    return verdict


class Bars(unittest.TestCase):
    MEDIAN, WORST = "whole models: makespan error at most 3 %", "whole models: makespan error at most 9 %"

    def test_noise_makes_nothing_met(self):
        for error, calm, reach, noisy in ((0.02, "within", 0.2, "unknown"), (0.2, "outside", 0.3, "unknown"),
                                          (0.2, "outside", None, "unknown")):
            rows = {"s": scenario_row([policy("a", error, 0.001), policy("b", 0.01, 0.001)])}
            self.assertEqual(verdict_of(rows, self.WORST), calm)
            rows = {"s": scenario_row([policy("a", error, reach), policy("b", 0.01, 0.001)])}
            self.assertEqual(verdict_of(rows, self.WORST), noisy)

    def test_the_median_is_judged_by_what_each_error_may_be(self):
        def median(reach):
            return verdict_of({"s": scenario_row([policy(label, 0.02, reach) for label in "abc"])}, self.MEDIAN)
        self.assertEqual(median(0.005), "within")
        self.assertEqual(median(0.015), "unknown")
        self.assertEqual(median(None), "unknown")
        self.assertEqual(verdict_of({"s": scenario_row([policy(label, -0.05, 0.01) for label in "abc"])}, self.MEDIAN), "outside")

    def test_the_worst_of_all_is_named_and_one_outside_is_enough(self):
        rows = {"calm": scenario_row([policy("a", 0.01, 0.001)]),
                "bad": scenario_row([policy("b", -0.3, 0.01), policy("c", 0.08, 0.02)])}
        [text] = [what for what, _ in page.bars(rows) if what.startswith(self.WORST)]
        self.assertIn("worst -30.00 % (bad: b); 1 of 3 outside; 1 of 3 cannot be told", text)
        self.assertEqual(verdict_of(rows, self.WORST), "outside")
        self.assertIn("- bad: c: makespan +8.00 % (+6.00 % to +10.00 %): cannot be told, about 40 runs would tell",
                      page.page("", rows, {}, True))

    def test_classes_are_judged_apart(self):
        rows = {"calm": scenario_row([policy("a", 0.01, 0.001)]),
                "cut": scenario_row([policy("b", -0.3, 0.01)], "inside models")}
        self.assertEqual(verdict_of(rows, self.WORST), "within")
        self.assertEqual(verdict_of(rows, "inside models: makespan error at most 9 %"), "outside")

    def test_every_policy_of_arrivals_is_held_to_the_bar_of_tails(self):
        rows = {"s": scenario_row([policy("a", 0.0, 0.001)], "arrivals", tail=0.3)}
        self.assertEqual(verdict_of(rows, "arrivals: p99"), "outside")

    def test_coverage_is_told_by_many_alone(self):
        def coverage(covered, of):
            policies = [policy(str(at), 0.0, 0.001, at < covered) for at in range(of)]
            return verdict_of({"s": scenario_row(policies)}, "85 to 95 %")
        self.assertEqual(coverage(9, 10), "unknown")
        self.assertEqual(coverage(900, 1000), "within")
        self.assertEqual(coverage(50, 100), "outside")
        self.assertEqual(coverage(1000, 1000), "outside")

    def test_what_was_planned_stands_beside_what_is_of_the_runs_state(self):
        row = scenario_row([dict(policy("a", 0.01, 0.001), planned_ns=106000)])
        self.assertIsNone(page.states({"s": row}))
        row["changes"] = [-0.05, 0.02]
        text = page.page("", {"s": row}, {}, True)
        self.assertIn("-5.00 % to\n+2.00 % longer", text)
        self.assertIn("off by 1.00 %", text)
        self.assertIn("by 6.00 %\nand on +6.00 %", text)

    def test_wide_intervals_miss_their_bar(self):
        self.assertEqual(verdict_of({"s": scenario_row([policy("a", 0, 0.001, width=0.3)])}, "median width"), "outside")

    def test_bias_shows_in_signed_errors(self):
        def bias(errors):
            return verdict_of({"s": scenario_row([policy(str(at), error, 0.001) for at, error in enumerate(errors)])},
                              "signed errors of makespans")
        self.assertEqual(bias([-0.004, 0.003, 0.001, -0.002, 0.004, -0.001]), "within")
        self.assertEqual(bias([-0.04, -0.03, -0.05, -0.02, -0.04, -0.06]), "outside")
        self.assertEqual(bias([-0.04, 0.03, -0.05, 0.02, 0.04, -0.06]), "unknown")

    def test_a_winner_may_be_unknown_and_not_wrong(self):
        for verdict, bar in (("within", "within"), ("unknown", "within"), ("outside", "outside")):
            rows = {"s": scenario_row([policy("a", 0, 0.001)], verdict=verdict)}
            self.assertEqual(verdict_of(rows, "the predicted winner"), bar)

    def test_a_policy_without_a_run_is_no_result(self):
        lost = policy("b", 0, 0.001) | {"measured_ns": None}
        with self.assertRaisesRegex(ValueError, "no complete run of b"):
            scenario_row([policy("a", 0, 0.001), lost])


class Seal(unittest.TestCase):
    ROWS = {"s": scenario_row([policy("a", 0.01, 0.001)])}

    def test_a_page_is_known_until_it_is_edited(self):
        text = page.page("head", self.ROWS, {}, True)
        self.assertTrue(text.startswith(page.TITLE + "\n") and page.is_sealed(text))
        self.assertFalse(page.is_sealed(text.replace("1.00 %", "0.10 %")))
        self.assertFalse(page.is_sealed(text + "\nand more\n"))

    def test_what_is_forgotten_is_said_of_every_scenario(self):
        text = page.forgotten(["one", "two"])
        self.assertTrue(page.is_sealed(text))
        self.assertIn("\n| one | not measured |\n| two | not measured |\n", text)
        self.assertNotIn(" met", text)

    def test_a_part_is_not_the_page(self):
        text = page.page("head", self.ROWS, {"t": "not measured"}, False)
        self.assertTrue(text.startswith(page.PART_TITLE + "\n"))
        self.assertFalse(page.is_sealed(text))
        self.assertIn("- t: not measured", text)


class Classes(unittest.TestCase):
    @staticmethod
    def of(**changes):
        return page.class_of({"platform": {"units": [{"name": "a", "backend": "cpu"}]}, "policies": ["fcfs"],
                              "streams": [{"arrival": {"type": "offline"}}], **changes})

    def test_come_from_the_scenario(self):
        self.assertEqual(self.of(), "whole models")
        self.assertEqual(self.of(policies=["fcfs", {"name": "eft", "granularity": "group"}]), "inside models")
        self.assertEqual(self.of(policies=["pipeline"]), "inside models")
        self.assertEqual(self.of(background=[{"unit": "a", "load_pct": 40}]), "under load")
        self.assertEqual(self.of(streams=[{"arrival": {"type": "poisson"}}]), "arrivals")
        self.assertEqual(self.of(platform={"units": [{"backend": "emulated"}]}), "emulated")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
