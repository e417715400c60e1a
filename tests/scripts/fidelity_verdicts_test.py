#!/usr/bin/env python3
"""Are the bars of scripts/studies/fidelity judged by intervals, so that noise leads to "cannot be told" alone, and is a page
that was edited or is a part known as such?

usage: fidelity_verdicts_test.py SOURCE"""
import importlib.machinery
import importlib.util
import pathlib
import sys
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(sys.argv[1]) / "scripts" / "studies"))
from replay import fidelity_page as page  # noqa: E402
from replay.fidelity_bars import bars, missed, planned_bars  # noqa: E402
from replay.fidelity_rows import class_of, row_of  # noqa: E402
from replay.verdicts import at_most, by_interval, median_interval, met, ratio_interval  # noqa: E402


def policy(label, error, reach, covered=True, width=0.04):
    measured = 100000
    predicted = round(measured * (1 + error))
    low = measured - 1000 if covered else measured + 1000
    verdict = "unknown" if reach is None else by_interval(error - reach, error + reach, -0.09, 0.09)
    return {"label": label, "error": error, "error_interval": None if reach is None else [error - reach, error + reach],
            "verdict": verdict, "runs_needed": 40 if verdict == "unknown" and reach else None, "predicted_ns": predicted,
            "measured_ns": measured, "predicted_interval_ns": [low, low + round(width * predicted)], "runs_ns": [1] * 5,
            "disturbed": 0, "correct": True}


def latency(error, bar, interval=None, **more):
    return {"error": error, "error_interval": [error - 0.01, error + 0.01], "verdict": by_interval(error - 0.01, error + 0.01, -bar, bar),
            "runs_needed": None, "predicted_ns": 100, "measured_ns": 100, "predicted_interval_ns": interval, **more}


def scenario_row(policies, kind="whole models", verdict="within", tail=0.02, mean=None, tail_interval=None, clocked=None, **winner):
    """`mean`: None as in calibrations that had none."""
    latencies = {"p99": latency(tail, 0.15, tail_interval), **({} if mean is None else {"mean": latency(mean, 0.09)})}
    return row_of({"objective": "makespan", "policies": policies, "warnings": [],
                   "percentiles": [{"label": of["label"], **latencies} for of in policies],
                   "winner": {"predicted": "a", "measured": "a", "regret": 0.0, "regret_interval": [0.0, 0.02],
                              "verdict": verdict, "probability": {"a": 0.9}, **winner}}, kind, clocked)


def apart(policies):
    """A scenario for each."""
    return {str(at): scenario_row([of]) for at, of in enumerate(policies)}


def bar_of(rows, start):
    [bar] = [bar for bar in bars(rows) if bar[0].startswith(start)]
    return bar


def verdict_of(rows, start):
    return bar_of(rows, start)[1]


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
        self.assertIn("worst -30.00 % (bad: b); 1 of 3 outside; 1 of 3 cannot be told", bar_of(rows, self.WORST)[0])
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

    def test_a_tail_that_repeats_differ_by_cannot_be_told(self):
        def tail(repeats, predicted=130):
            row = scenario_row([policy("a", 0.0, 0.001)], "arrivals")
            row["tails"] = row_of({"policies": [policy("a", 0.0, 0.001)], "objective": "makespan", "warnings": [], "winner": row["winner"], "percentiles": [
                {"label": "a", "p99": {**latency(0.3, 0.15), "predicted_ns": predicted, "measured_interval_ns": repeats}}]}, "arrivals")["tails"]
            return verdict_of({"s": row}, "arrivals: p99")
        self.assertEqual(tail(None), "outside")
        self.assertEqual(tail([90, 125]), "outside")
        self.assertEqual(tail([90, 135]), "unknown")
        self.assertEqual(tail([50, 190]), "unknown")

    def test_more_noise_of_the_runs_never_brings_a_tail_within_its_bar(self):
        """Predicted 124, measured 100 and within so many: 124 / 101 to 124 / 99 is +22.8 to +25.3 %, beyond 15 %; 124 / 115 is +7.8 %; 124 / 125 is below."""
        def verdict(low, high):
            error = [124 / high - 1, 124 / low - 1]
            tail = {**latency(0.24, 0.15), "error_interval": error, "verdict": by_interval(*error, -0.15, 0.15), "predicted_ns": 124,
                    "measured_interval_ns": [low, high]}
            one = policy("a", 0.0, 0.001)
            return verdict_of({"s": row_of({"policies": [one], "objective": "makespan", "warnings": [], "winner": scenario_row([one])["winner"],
                                            "percentiles": [{"label": "a", "p99": tail}]}, "arrivals")}, "arrivals: p99")
        self.assertEqual([verdict(99, 101), verdict(85, 115), verdict(76, 125), verdict(70, 130)], ["outside", "unknown", "unknown", "unknown"])

    def test_of_arrivals_the_mean_latency_is_judged_and_never_the_last_arrival(self):
        rows = {"s": scenario_row([policy("a", 0.0, 0.001)], "arrivals", mean=0.2)}
        self.assertFalse([what for what, _ in bars(rows) if what.startswith("arrivals: makespan")])
        self.assertEqual(verdict_of(rows, "arrivals: mean latency error at most 3 %"), "outside")
        self.assertEqual(verdict_of(rows, "arrivals: mean latency error at most 9 %"), "outside")
        text = page.page("", rows, {}, True)
        self.assertIn("| mean latency error: median / worst |", text)
        self.assertIn("| s | 1 | makespan | 20.00 % / +20.00 % (a) | 0 / 1 / 0 |", text)
        self.assertIn("- s: a: mean latency +20.00 % (+19.00 % to +21.00 %): **outside**", text)
        self.assertEqual(verdict_of({"s": scenario_row([policy("a", 0.3, 0.001)], "arrivals", mean=0.01)}, "arrivals: mean latency error at most 9 %"),
                         "within")

    def test_of_calibrations_without_a_mean_nothing_is_told(self):
        rows = {"s": scenario_row([policy("a", 0.0, 0.001)], "arrivals")}
        for bar in ("3 %", "9 %"):
            text, verdict = bar_of(rows, f"arrivals: mean latency error at most {bar}")
            self.assertEqual(verdict, "unknown")
            self.assertRegex(text, r": -[,;]")
        text = page.page("", rows, {}, True)
        self.assertIn("| s | 1 | makespan | - | 0 / 0 / 1 |", text)
        self.assertNotIn("- s: a: mean latency", text)

    def test_coverage_is_told_by_many_alone(self):
        def coverage(covered, of):
            return verdict_of(apart([policy(str(at), 0.0, 0.001, at < covered) for at in range(of)]), "85 to 95 %")
        self.assertEqual(coverage(9, 10), "unknown")
        self.assertEqual(coverage(360, 400), "within")
        self.assertEqual(coverage(50, 100), "outside")
        self.assertEqual(coverage(400, 400), "outside")

    def test_figures_of_one_scenario_are_no_more_sure_than_one_of_them(self):
        """24 scenarios, in each of which all policies are held or none is, as often as where each is a scenario of its own."""
        each = [at % 10 > 0 for at in range(240)]
        alone = apart([policy(str(at), 0.0, 0.001, held) for at, held in enumerate(each)])
        together = {str(at): scenario_row([policy(label, 0.0, 0.001, held) for label in "abcdefghij"]) for at, held in enumerate(each[:24])}
        self.assertEqual(verdict_of(alone, "85 to 95 %"), "within")
        self.assertEqual(verdict_of(together, "85 to 95 %"), "unknown")

    def test_emulated_units_have_a_bar_of_their_own_and_count_for_no_other(self):
        rows = {"calm": scenario_row([policy("a", 0.01, 0.001)]), "waits": scenario_row([policy("b", -0.2, 0.001)], "emulated"),
                "comes": scenario_row([policy("c", -0.2, 0.001)], "emulated", mean=0.01, clocked=True)}
        emulated = "emulated units, which show the dispatcher alone: error at most 9 %"
        self.assertEqual(verdict_of(rows, self.WORST), "within")
        self.assertIn("worst -20.00 % (waits: b); 1 of 2 outside", bar_of(rows, emulated)[0])
        del rows["waits"]
        self.assertEqual(verdict_of(rows, emulated), "within", "what the last arrival sets is no error of ours")
        self.assertIn("| mean latency error: median / worst |", page.page("", rows, {}, True))

    def test_what_was_planned_stands_beside_what_is_of_the_runs_state(self):
        row = scenario_row([dict(policy("a", 0.01, 0.001), planned_ns=106000)])
        self.assertIsNone(page.states({"s": row}))
        row["changes"] = [-0.05, 0.02]
        text = page.page("", {"s": row}, {}, True)
        self.assertIn("-5.00 % to\n+2.00 % longer", text)
        self.assertIn("off by 1.00 %", text)
        self.assertIn("by 6.00 %\nand on +6.00 %", text)

    def test_what_was_planned_is_judged_where_calibrations_say_it(self):
        def planned(label, ns, interval, verdict):
            return dict(policy(label, 0.01, 0.001), planned_ns=ns, planned_interval_ns=interval, planned_verdict=verdict)
        row = scenario_row([planned("a", 101000, [95000, 105000], "within"), planned("b", 120000, [115000, 125000], "outside")])
        row["changes"] = [0.02]
        older = scenario_row([dict(policy("c", 0.01, 0.001), planned_ns=106000)])
        text = page.page("", {"s": row, "older": older}, {}, True)
        planned, now = text.split("In the state that the machine was in when the plans ran")
        self.assertIn("from the profile alone (2 of 3 figures say it):", planned)
        self.assertIn("- **missed**: whole models: makespan error at most 9 %: worst +20.00 % (s: b); 1 of 2 outside.", planned)
        self.assertIn("in the predicted 90 % intervals: 1 of 2, 50.00 %", planned)
        self.assertIn("- met: whole models: makespan error at most 9 %: worst +1.00 % (s: a).", now)
        self.assertIn("| all, as planned | both | 1 of 2 | 50.00 %", now)
        self.assertTrue([what for what in missed({"s": row}) if "worst +20.00 % (s: b)" in what], "what was planned is missed, too")
        self.assertFalse([what for what in missed({"s": row}) if "(s: a)" in what])
        older["changes"] = [0.02]
        self.assertNotIn("As planned", page.page("", {"older": older}, {}, True))

    def test_what_was_planned_is_as_sure_as_the_runs_are(self):
        def planned(reach):
            row = scenario_row([dict(policy(label, 0.0, reach), planned_ns=102000, planned_interval_ns=[95000, 105000], planned_verdict="within")
                                for label in "abc"])
            row["changes"] = [0.02]
            return {what[:len(self.MEDIAN)]: verdict for what, verdict in planned_bars({"s": row})}[self.MEDIAN]
        self.assertEqual(planned(0.005), "within")
        self.assertEqual(planned(0.015), "unknown")

    def test_of_latencies_the_p99_that_was_planned_counts_under_arrivals(self):
        one = dict(policy("a", 0.0, 0.001), planned_ns=100000, planned_interval_ns=[90000, 110000], planned_verdict="within")
        row = scenario_row([one], "arrivals", tail_interval=[90, 110])
        row["tails"] = row_of({"policies": [one], "percentiles": [{"label": "a", "p99": latency(0.0, 0.15, [90, 110], planned_ns=150,
                                                                                              planned_interval_ns=[140, 160], planned_verdict="outside")}],
                               "objective": "makespan", "warnings": [], "winner": row["winner"]}, "arrivals")["tails"]
        self.assertEqual([row["tails"][0]["planned"][key] for key in ("error", "covered", "verdict")], [0.5, False, "outside"])
        self.assertTrue(row["tails"][0]["covered"])

    def test_wide_intervals_miss_their_bar_and_few_cannot_tell(self):
        def width(values):
            return verdict_of(apart([policy(str(at), 0, 0.001, width=value) for at, value in enumerate(values)]), "median width")
        self.assertEqual(width([0.3] * 5), "outside")
        self.assertEqual(width([0.05] * 5), "within")
        self.assertEqual(width([0.05, 0.3] * 3), "unknown")
        self.assertEqual(width([0.3]), "unknown")

    def test_where_no_prediction_has_an_interval_nothing_is_told(self):
        none = dict(policy("a", 0, 0.001), predicted_interval_ns=None, interval_why="the profile has no samples")
        rows = {"s": scenario_row([none])}
        for start in ("85 to 95 %", "median width"):
            text, verdict = bar_of(rows, start)
            self.assertEqual(verdict, "unknown")
            self.assertIn("no prediction has one", text)
        text = page.page("", rows, {}, True)
        self.assertNotIn("## Intervals", text)
        self.assertIn("- s: no interval of a: the profile has no samples", text)

    def test_intervals_stand_by_class_and_those_that_hold_anything_are_marked(self):
        rows = {"calm": scenario_row([policy(str(at), 0, 0.001) for at in range(5)]),
                "near": scenario_row([policy("a", 0, 0.001)], "arrivals", tail_interval=[50, 1342])}
        text = page.page("", rows, {}, True)
        self.assertIn("\n| whole models | makespans | 5 of 5 | 100.00 % (", text)
        self.assertRegex(text, r"\n\| arrivals \| p99 latencies \| 1 of 1 \| .* \| 1292.00 % \(anything\) \| 1 \| - \|\n")
        self.assertRegex(text, r"\n\| all \| both \| 6 of 6 \| ")
        self.assertIn("| 1292.00 %, **1 wider than the value** |", text)
        self.assertIn("1 of the intervals are wider than the value", bar_of(rows, "85 to 95 %")[0])

    def test_a_winner_that_is_simpler_than_the_best_is_said(self):
        rows = {"s": scenario_row([policy("a", 0, 0.001)], instead_of="b")}
        self.assertIn("| a (0.90), simpler than b |", page.page("", rows, {}, True))

    def test_bias_shows_in_signed_errors(self):
        def bias(errors):
            return verdict_of(apart([policy(str(at), error, 0.001) for at, error in enumerate(errors)]), "signed errors of makespans")
        self.assertEqual(bias([-0.004, 0.003, 0.001, -0.002, 0.004, -0.001]), "within")
        self.assertEqual(bias([-0.04, -0.03, -0.05, -0.02, -0.04, -0.06]), "outside")
        self.assertEqual(bias([-0.04, 0.03, -0.05, 0.02, 0.04, -0.06]), "unknown")

    def test_what_was_disturbed_throughout_counts_for_nothing(self):
        rows = {"s": scenario_row([policy("a", 0.01, 0.001), dict(policy("b", -0.3, 0.01), disturbed=5)])}
        text, verdict = bar_of(rows, self.WORST)
        self.assertIn("worst +1.00 % (s: a); 1 of 2 cannot be told", text)
        self.assertEqual(verdict, "unknown")
        self.assertIn("1 of 1, 100.00 %", bar_of(rows, "85 to 95 %")[0])
        self.assertIn("- s: nothing is judged of b: no run of theirs counts", page.page("", rows, {}, True))

    def test_what_has_wrong_outputs_meets_no_bar_but_theirs(self):
        rows = {"s": scenario_row([policy("a", 0.01, 0.001), dict(policy("b", -0.3, 0.01), correct=False)])}
        text, verdict = bar_of(rows, self.WORST)
        self.assertIn("worst +1.00 % (s: a); 1 of 2 cannot be told", text)
        self.assertEqual(verdict, "unknown")
        self.assertIn("1 of 1, 100.00 %", bar_of(rows, "85 to 95 %")[0])
        self.assertEqual(verdict_of(rows, "scenarios with wrong outputs"), "outside")

    def test_what_policies_are_compared_by_is_judged_too(self):
        other = dict(policy("a", 0.01, 0.001), objective_error=0.2, objective_verdict="outside", objective_error_interval=[0.19, 0.21],
                     objective_runs_needed=None)
        row = {**scenario_row([other]), "objective": "throughput"}
        bar = "objectives that are neither a makespan nor a latency under arrivals"
        self.assertIn("worst +20.00 % (s: a); 1 of 1 outside", bar_of({"s": row}, bar)[0])
        self.assertIn("- s: a: throughput +20.00 % (+19.00 % to +21.00 %): **outside**", page.page("", {"s": row}, {}, True))
        self.assertFalse([what for what, _ in bars({"s": scenario_row([other])}) if what.startswith(bar)])

    def test_a_winner_may_be_unknown_and_not_wrong(self):
        for verdict, bar in (("within", "within"), ("unknown", "within"), ("outside", "outside")):
            rows = {"s": scenario_row([policy("a", 0, 0.001)], verdict=verdict)}
            self.assertEqual(verdict_of(rows, "the predicted winner"), bar)
        rows = {"s": scenario_row([policy("a", 0, 0.001)], verdict="unknown", regret_interval=None)}
        text, verdict = bar_of(rows, "the predicted winner")
        self.assertEqual(verdict, "unknown", "too few runs are no proof")
        self.assertIn("1 of these (s) for want of runs that count", text)

    def test_a_winner_that_loses_for_sure_meets_its_bar_only_where_it_surely_loses_little(self):
        def winner(interval, **more):
            return bar_of({"s": scenario_row([policy("a", 0, 0.001)], verdict="unknown", regret_interval=interval, **more)}, "the predicted winner")
        self.assertEqual(winner([-0.02, 0.05])[1], "within", "it may be the best")
        self.assertEqual(winner([0.0, 0.05])[1], "within")
        for interval in ([0.005, 0.05], [0.0099, 0.30]):
            text, verdict = winner(interval)
            self.assertEqual(verdict, "unknown", "others are better for sure, by less than 1 % or by more")
            self.assertIn("in 1 it cannot be told (s); at most", text)
        self.assertEqual(winner([-0.02, 0.05], limits="unknown")[1], "unknown", "it may be the best that breaks limits")

    def test_a_winner_of_which_anything_may_be_lost_meets_no_bar(self):
        def winner(*intervals, verdict="unknown"):
            rows = {str(at): scenario_row([policy("a", 0, 0.001)], verdict=verdict, regret=None, regret_interval=interval) for at, interval in enumerate(intervals)}
            return bar_of(rows, "the predicted winner")
        text, verdict = winner([-0.9, 9.0], [-0.9, 9.0])
        self.assertEqual(verdict, "unknown", "more noise may only lead to the third")
        self.assertIn("0 of 2 lose at most 1 %, 0 cannot be told from the best and lose at most 9 %; in 2 it cannot be told (0, 1), "
                      "2 of these (0, 1) may lose more than 9 %; at most 900.00 % may be lost", text)
        self.assertEqual(winner([-0.02, 0.09])[1], "within")
        self.assertEqual(winner([-0.02, 0.0901])[1], "unknown")
        text, verdict = winner([-0.02, 0.05], [-0.02, 0.5])
        self.assertEqual(verdict, "unknown")
        self.assertIn("1 cannot be told from the best and lose at most 9 %; in 1 it cannot be told (1), 1 of these (1) may lose more than 9 %", text)
        self.assertEqual(winner([-0.9, 9.0], verdict="outside")[1], "outside")

    def test_a_policy_without_a_run_is_no_result(self):
        lost = policy("b", 0, 0.001) | {"measured_ns": None}
        with self.assertRaisesRegex(ValueError, "no complete run of b"):
            scenario_row([policy("a", 0, 0.001), lost])


class Verdicts(unittest.TestCase):
    def test_noise_meets_no_bar_and_misses_none(self):
        self.assertEqual([met(at_most(of, 1.0)) for of in ((0.8, 0.9), (1.1, 1.2), (0.9, 1.1), None)], [True, False, None, None])

    def test_the_median_of_many_lies_near_the_middle(self):
        low, high = median_interval(list(range(2000)))
        self.assertLess(abs(low - 962), 3)   # 1000 - 1.645 sqrt(2000) / 2
        self.assertEqual(high, 1999 - low)
        self.assertIsNone(median_interval([1, 2, 3, 4]))
        self.assertEqual(median_interval([1, 2, 3, 4, 5]), (1, 5))

    def test_few_turns_tell_as_much_as_they_differ_little(self):
        self.assertIsNone(ratio_interval([0.9]))
        low, high = ratio_interval([0.80, 0.81])
        self.assertAlmostEqual(high / low, (0.81 / 0.80) ** 6.314, 6)  # a deviation of log(.81/.80) / sqrt 2, over sqrt 2, both ways
        self.assertEqual(met(at_most(ratio_interval([0.80, 0.81]), 1)), True)
        self.assertIsNone(met(at_most(ratio_interval([0.80, 0.95]), 1)))


def bench_kernels():
    loader = importlib.machinery.SourceFileLoader("bench_kernels", str(pathlib.Path(sys.argv[1]) / "scripts" / "bench" / "kernels"))
    kernels = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(kernels)
    return kernels


class Kernels(unittest.TestCase):
    """scripts/bench/kernels: of the mean, round by round, and of every model."""

    def test_run_on_a_core_for_each_thread(self):
        kernels = bench_kernels()

        def cores(threads, named=None):
            return kernels.cores_of(types.SimpleNamespace(threads=threads, cores=named), {0, 2, 3, 7})
        self.assertEqual(cores(1), "7")
        self.assertEqual(cores(2), "3,7")
        self.assertEqual(cores(2, "0,2"), "0,2")
        for threads, named in ((2, "0"), (1, "0,2"), (5, None), (0, None)):
            self.assertRaises(kernels.Failed, cores, threads, named)

    def test_are_fast_slow_or_cannot_be_told(self):
        kernels = bench_kernels()

        def verdict(*models):
            return kernels.verdict_of({str(at): {"ratios": ratios, "ratio_interval": median_interval(ratios)} for at, ratios in enumerate(models)})
        self.assertEqual(verdict([0.9] * 5, [0.8] * 5), "within")
        self.assertEqual(verdict([0.9] * 5, [1.2] * 5), "outside")
        self.assertEqual(verdict([0.8] * 5, [0.8, 0.8, 0.8, 0.8, 1.2]), "unknown", "one round of five may be the truth")
        self.assertEqual(verdict([0.8] * 4), "unknown", "too few rounds")
        self.assertEqual(verdict([0.95] * 5), "outside", "each is fast enough, the mean is not")


class Seal(unittest.TestCase):
    ROWS = {"s": scenario_row([policy("a", 0.01, 0.001)])}

    def test_a_page_is_known_until_it_is_edited(self):
        text = page.page("head", self.ROWS, {}, True)
        self.assertTrue(text.startswith(page.TITLE + "\n") and page.is_sealed(text))
        self.assertFalse(page.is_sealed(text.replace("1.00 %", "0.10 %")))
        self.assertFalse(page.is_sealed(text + "\nand more\n"))

    def test_a_page_is_written_again_of_the_rows_beside_it(self):
        rows = {"s": scenario_row([policy("a", 0.01, 0.001)]), "t": scenario_row([policy("b", -0.3, 0.01)], "arrivals", mean=0.1, tail_interval=[50, 1342])}
        text, kept = page.page("head", rows, {}, True), page.rows_text("head", rows)
        self.assertEqual(page.again(kept), text)
        self.assertNotEqual(page.again(kept.replace("0.01,", "0.02,", 1)), text)
        self.assertEqual(page.rows_file(pathlib.Path("docs/fidelity_again.md")), pathlib.Path("docs/fidelity_again.rows.json"))

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
        return class_of({"platform": {"units": [{"name": "a", "backend": "cpu"}]}, "policies": ["fcfs"],
                         "streams": [{"arrival": {"type": "offline"}}], **changes})

    def test_come_from_the_scenario(self):
        self.assertEqual(self.of(), "whole models")
        self.assertEqual(self.of(policies=["fcfs", {"name": "eft", "granularity": "group"}]), "inside models")
        self.assertEqual(self.of(policies=["pipeline"]), "inside models")
        self.assertEqual(self.of(background=[{"unit": "a", "load_pct": 40}]), "under load")
        self.assertEqual(self.of(streams=[{"arrival": {"type": "poisson"}}]), "arrivals")
        self.assertEqual(self.of(streams=[{"arrival": {"type": "server", "rules": "loadgen"}}]), "arrivals", "LoadGen's comes by the clock")
        self.assertEqual(self.of(streams=[{"arrival": {"type": "single_stream", "rules": "loadgen"}}]), "whole models")
        self.assertEqual(self.of(platform={"units": [{"backend": "emulated"}]}), "emulated")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
