#!/usr/bin/env python3
"""Do the tables of tandem_results hold what the JSON says, do its pictures show it, and do wrong files get told apart?

usage: tandem_results_test.py SOURCE_DIR TANDEM_PROGRAM [TANDEM_DEVICE_PROGRAM]
Ends with 77 where pandas or matplotlib is not installed (python3-pandas, python3-matplotlib).
"""
import contextlib
import io
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, TANDEM, *DEVICE = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
PACKAGE = SOURCE / "scripts/python"
sys.path.insert(0, str(PACKAGE))
try:
    import matplotlib
    import pandas
except ImportError as missing:
    print(f"not run: {missing.name} is not installed (python3-pandas python3-matplotlib)")
    sys.exit(77)
import tandem_results as tr  # noqa: E402
from tandem_results import __main__ as program  # noqa: E402
from tandem_results.pictures import error, latencies, style, timeline  # noqa: E402

TIMES = {("mobilenet_v2", "gpu"): [2000, 2100, 2050, 1990], ("mobilenet_v2", "npu"): [3000, 3100, 2950, 3010],
         ("resnet50", "gpu"): [6000, 6100, 5900, 6050], ("resnet50", "npu"): [5000, 5200, 4900, 5100]}
SCENARIO = {
    "tandem": "scenario/1", "name": "two units", "transfer": "none", "policies": ["fcfs", "eft"],
    "platform": {"name": "desk", "memories": [{"name": "gpu"}, {"name": "npu"}],
                 "units": [{"name": kind, "kind": kind, "memory": kind, "idle_w": 1, "busy_w": 2} for kind in ("gpu", "npu")]},
    "profiles": [{"tandem": "profile/1", "platform": "desk", "origin": {"kind": "estimated", "method": "made up", "error": 0.05},
                  "entries": [{"model": model, "unit": unit, "layers": "*", "samples_us": samples}
                              for (model, unit), samples in TIMES.items()]}],
    "streams": [{"name": "camera", "model": "mobilenet_v2", "count": 20, "deadline_us": 7000, "drop_late": True,
                 "arrival": {"type": "periodic", "fps": 250}},
                {"name": "batch", "model": "resnet50", "count": 10, "arrival": {"type": "offline"}}]}
FOLDER = None


def tandem(*words, to=None):
    run = subprocess.run([TANDEM, *words], cwd=FOLDER, capture_output=True, check=True, stdin=subprocess.DEVNULL)
    if to:
        (FOLDER / to).write_bytes(run.stdout)


def document(name):
    return json.loads((FOLDER / name).read_text())


def setUpModule():
    global FOLDER
    FOLDER = pathlib.Path(HOME.name)
    (FOLDER / "s.scenario.json").write_text(json.dumps(SCENARIO))
    (FOLDER / "p.profile.json").write_text(json.dumps(SCENARIO["profiles"][0]))
    tandem("simulate", "s.scenario.json", "--engine", "virtual", "--trace", "t.json", "--csv", "r.csv", "--json", to="r.json")
    tandem("simulate", "s.scenario.json", "--engine", "virtual", "--replications", "3", "--json", to="replicated.json")
    tandem("simulate", "s.scenario.json", "--engine", "virtual", "--policy", "fcfs", "--trace", "fcfs.json")
    measured = (FOLDER / "fcfs.json").read_text()  # as a device would have measured it: later, and three times
    measured = measured.replace('"measured": false', '"measured": true').replace('"predicted: fcfs"', '"measured: fcfs #1"')
    (FOLDER / "measured.json").write_text(measured)
    tandem("compare", "fcfs.json", "measured.json", "--json", to="c.json")
    tandem("sweep", "study-003-counts", "-o", "rows", "--json", to="sweep.json")


class Reports(unittest.TestCase):
    def test_a_row_a_policy_with_the_figures_of_the_json(self):
        table = tr.reports(FOLDER / "r.json")
        self.assertEqual(list(table["label"]), ["fcfs", "eft"])
        for row, report in zip(table.to_dict("records"), document("r.json")):
            for key in ("makespan_ns", "throughput_per_s", "energy_j", "completed", "dropped", "missed", "seed", "engine", "interval"):
                self.assertEqual(row[key], report[key], key)
            for name, value in report["latency_ns"].items():
                self.assertEqual(row[f"latency_{name}_ns"], value)
                self.assertEqual([row[f"latency_{name}_low_ns"], row[f"latency_{name}_high_ns"]],
                                 report["latency_interval_ns"][name])
                self.assertEqual(row[f"latency_{name}_median_ns"], report["latency_median_ns"][name])
            self.assertEqual(row["throughput_median_per_s"], report["throughput_median_per_s"])
            self.assertEqual([row["makespan_low_ns"], row["makespan_high_ns"]], report["makespan_interval_ns"])
            self.assertEqual(row["objective_value"], report["objective"]["value"])
            self.assertEqual([row["makespan_median_ns"], row["objective_median"]],
                             [report["makespan_median_ns"], report["objective"]["median"]])

    def test_a_row_a_stream_and_a_unit(self):
        streams, units = tr.report_streams(FOLDER / "r.json"), tr.report_units(FOLDER / "r.json")
        reports = document("r.json")
        self.assertEqual(list(streams["latency_p99_ns"]), [s["latency_ns"]["p99"] for r in reports for s in r["streams"]])
        self.assertEqual(list(streams["stream"]), ["camera", "batch"] * 2)
        self.assertEqual(list(units["busy_ns"]), [u["busy_ns"] for r in reports for u in r["units"]])
        self.assertEqual(list(units["energy_j"]), [u["energy_j"] for r in reports for u in r["units"]])
        self.assertEqual(list(units["busy_median_ns"]), [u["busy_median_ns"] for r in reports for u in r["units"]])
        self.assertEqual(list(streams["throughput_median_per_s"]), [s["throughput_median_per_s"] for r in reports for s in r["streams"]])

    def test_a_row_a_percentile(self):
        table = tr.report_percentiles(FOLDER / "r.json")
        row = table[(table["label"] == "eft") & table["stream"].isna() & (table["percentile"] == "p90")].iloc[0]
        self.assertEqual(row["latency_ns"], document("r.json")[1]["latency_ns"]["p90"])
        self.assertEqual([row["latency_low_ns"], row["latency_high_ns"]], document("r.json")[1]["latency_interval_ns"]["p90"])
        self.assertEqual(row["latency_median_ns"], document("r.json")[1]["latency_median_ns"]["p90"])

    def test_what_replications_say(self):
        table, reports = tr.reports(FOLDER / "replicated.json"), document("replicated.json")
        self.assertEqual(list(table["mean_objective"]), [r["replications"]["objective"]["value"] for r in reports])
        self.assertEqual(list(table["mean_objective_low"]), [r["replications"]["objective"]["low"] for r in reports])
        self.assertEqual(list(table["replications"]), [3, 3])

    def test_several_files_are_one_table_that_says_which(self):
        table = tr.reports(FOLDER / "r.json", FOLDER / "replicated.json")
        self.assertEqual(table.groupby("file").size().to_dict(), {str(FOLDER / "r.json"): 2, str(FOLDER / "replicated.json"): 2})

    def test_whole_numbers_stay_whole_where_some_are_missing(self):
        reports = document("r.json")
        reports[0]["bound_ns"], reports[1]["bound_ns"] = None, 9007199254740993
        (FOLDER / "holes.json").write_text(json.dumps(reports))
        column = tr.reports(FOLDER / "holes.json")["bound_ns"]
        self.assertEqual((str(column.dtype), column[1]), ("Int64", 9007199254740993))
        self.assertTrue(column.isna()[0])


class Traces(unittest.TestCase):
    def test_spans_are_the_events_of_the_trace(self):
        events = [event for event in document("t.json")["traceEvents"] if event["ph"] == "X"]
        table = tr.spans(FOLDER / "t.json")
        self.assertEqual(len(table), len(events))
        self.assertEqual(list(table["start_ns"]), [event["args"]["start_ns"] for event in events])
        self.assertEqual(list(table["duration_ns"]), [event["args"]["end_ns"] - event["args"]["start_ns"] for event in events])
        self.assertEqual(set(table["unit"]), {"gpu", "npu"})

    def test_requests_are_those_of_tandems_own_table(self):
        own = pandas.read_csv(FOLDER / "r.csv").sort_values(["policy", "stream", "index"])
        table = tr.requests(FOLDER / "t.json").sort_values(["label", "stream", "index"])
        self.assertEqual(list(table["latency_ns"].fillna(-1)), list(own["latency_ns"].fillna(-1)))
        self.assertEqual(list(table["dropped"].astype(bool)), list(own["dropped"].astype(bool)))
        self.assertGreater(table["dropped"].sum(), 0)
        self.assertEqual(list(table["wait_ns"].fillna(-1)), list(own["wait_ns"].fillna(-1)))

    def test_runs_say_what_they_are(self):
        table = tr.runs(FOLDER / "t.json", FOLDER / "measured.json")
        self.assertEqual(list(table["measured"]), [False, False, True])
        self.assertEqual(list(table["end_ns"])[:2], [report["makespan_ns"] for report in document("r.json")])

    def test_events_of_other_kinds_are_passed_over(self):
        trace = document("t.json")
        trace["traceEvents"] += [{"ph": "C", "pid": 1, "tid": 0, "ts": 1, "name": "queue", "args": {"waiting": 3}},
                                 {"ph": "s", "pid": 1, "tid": 1, "ts": 1, "name": "copy", "id": 7, "cat": "flow"}]
        (FOLDER / "more.json").write_text(json.dumps(trace))
        self.assertEqual(len(tr.spans(FOLDER / "more.json")), len(tr.spans(FOLDER / "t.json")))


class Others(unittest.TestCase):
    def test_profiles(self):
        table = tr.profile(FOLDER / "p.profile.json")
        self.assertEqual(list(table["median_us"]), [2000, 3000, 6000, 5000])  # the lower one of the two in the middle
        self.assertEqual(list(table["samples"]), [4] * 4)
        samples = tr.profile_samples(FOLDER / "p.profile.json")
        self.assertEqual(list(samples["time_us"]), [time for times in TIMES.values() for time in times])
        self.assertTrue(tr.profile(FOLDER / "p.profile.json", table="transfers").empty)

    def test_shipped_profiles_in_all_their_tables(self):
        from tandem_results.profiles import TABLES
        for file in sorted((SOURCE / "profiles/boards").glob("*.profile.json")):
            own = json.loads(file.read_text())
            for name in TABLES:
                self.assertEqual(len(tr.profile(file, table=name)), len(own.get(name, [])), f"{file.name} {name}")
            self.assertEqual(set(own) - set(TABLES), set(own) & {"tandem", "platform", "origin", "note", "models", "kernels"})

    def test_sweeps_are_the_same_from_folder_file_and_json(self):
        table = tr.sweep(FOLDER / "rows")
        pandas.testing.assert_frame_equal(table, tr.sweep(FOLDER / "sweep.json"))
        pandas.testing.assert_frame_equal(table, tr.sweep(*(FOLDER / "rows").glob("*.rows.jsonl")))
        by_key = {row["key"]: row for row in document("sweep.json")["rows"]}
        self.assertEqual(len(table), len(by_key))
        for row in table.to_dict("records"):
            own = by_key[row["key"]]
            self.assertEqual({axis: row[axis] for axis in own["point"]}, own["point"])
            self.assertEqual({name: row[name] for name in own["figures"]}, own["figures"])

    def test_draws_of_sweeps_are_three_columns(self):
        rows = document("sweep.json")["rows"][:2]
        rows[0]["intervals"] = {"makespan_ns": [1, 3], "throughput_per_s": [0.5, 1.5]}
        rows[0]["medians"] = {"makespan_ns": 2, "throughput_per_s": 1}
        (FOLDER / "sure.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        sure, unsure = (tr.sweep(FOLDER / "sure.jsonl").set_index("key").loc[row["key"]] for row in rows)
        self.assertEqual([sure[end] for end in ("makespan_low_ns", "makespan_high_ns", "throughput_low_per_s", "throughput_high_per_s")],
                         [1, 3, 0.5, 1.5])
        self.assertEqual([sure["makespan_median_ns"], sure["throughput_median_per_s"]], [2, 1])
        self.assertTrue(pandas.isna(unsure["makespan_median_ns"]))
        self.assertTrue(pandas.isna(unsure["makespan_low_ns"]))
        self.assertNotIn("makespan_low_ns", tr.sweep(FOLDER / "rows"))

    def test_a_torn_row_at_the_end_of_a_file_is_none(self):
        file = next((FOLDER / "rows").glob("*.rows.jsonl"))
        lines = file.read_text().splitlines(keepends=True)
        (FOLDER / "torn.jsonl").write_text("".join(lines[:2]) + lines[2][:40])
        self.assertEqual(len(tr.sweep(FOLDER / "torn.jsonl")), 2)

    def test_calibrations(self):
        own, table = document("c.json"), tr.calibration(FOLDER / "c.json")
        for row, policy in zip(table.to_dict("records"), own["policies"]):
            for key in ("label", "predicted_ns", "measured_ns", "error", "verdict"):
                self.assertEqual(row[key], policy[key], key)
        self.assertEqual(list(tr.calibration_layers(FOLDER / "c.json")["measured_ns"]), [e["measured_ns"] for e in own["layers"]])
        self.assertEqual(list(tr.calibration_percentiles(FOLDER / "c.json")["predicted_ns"]),
                         [p[name]["predicted_ns"] for p in own["percentiles"] for name in ("mean", "p50", "p90", "p95", "p99")])
        self.assertEqual(list(table["interval_why"]), [policy["interval_why"] for policy in own["policies"]])
        self.assertEqual(list(tr.calibration_runs(FOLDER / "c.json")["makespan_ns"]), own["policies"][0]["runs_ns"])

    def test_what_was_planned_stands_beside_what_is_predicted(self):
        own = document("c.json")
        first, latency = own["policies"][0], own["percentiles"][0]["p99"]
        for figure in (first, latency):
            figure.update(planned_ns=7, planned_interval_ns=[6, 9], planned_verdict="outside")
        own["policies"].append({**first, "label": "other"})
        own["winner"].update(predicted=first["label"], instead_of="other")
        (FOLDER / "planned.json").write_text(json.dumps(own))
        for table, place in ((tr.calibration(FOLDER / "planned.json"), 0),
                             (tr.calibration_percentiles(FOLDER / "planned.json").set_index("percentile"), "p99")):
            row = table.loc[place]
            self.assertEqual([row["planned_ns"], row["planned_low_ns"], row["planned_high_ns"], row["planned_verdict"]],
                             [7, 6, 9, "outside"])
        table = tr.calibration(FOLDER / "planned.json")
        self.assertEqual([list(table["predicted_winner"]), list(table["predicted_best"])], [[True, False], [False, True]])
        self.assertTrue(tr.calibration(FOLDER / "c.json")["planned_ns"].isna().all())


class Mistakes(unittest.TestCase):
    def says(self, message, function, *files, **more):
        with self.assertRaises(tr.ResultsError) as caught:
            function(*(FOLDER / file for file in files), **more)
        self.assertEqual(str(caught.exception).replace(f"{FOLDER}/", ""), message)

    def test_the_wrong_kind_is_named_with_what_reads_it_and_what_makes_the_right_one(self):
        self.says("t.json: is a trace/1, and a report/1 is wanted; runs() reads a trace/1; `tandem simulate SCENARIO --json > FILE` "
                  "makes what is wanted", tr.reports, "t.json")
        self.says("r.json: is a report/1, and a trace/1 is wanted; reports() reads a report/1; `tandem simulate SCENARIO --trace "
                  "FILE` makes what is wanted", tr.requests, "r.json")
        self.says("s.scenario.json: is a scenario/1, and a calibration/1 is wanted; `tandem validate SCENARIO --json > FILE` makes "
                  "what is wanted", tr.calibration, "s.scenario.json")

    def test_what_is_no_file_of_tandem(self):
        for name, text, message in (
                ("bare.json", "{}", 'is no file of tandem (it has no key "tandem"), and a profile/1 is wanted; `tandem-device profile '
                 'SCENARIO > FILE` makes what is wanted'),
                ("number.json", "7", 'is no file of tandem (it has no key "tandem"), and a profile/1 is wanted; `tandem-device '
                 'profile SCENARIO > FILE` makes what is wanted'),
                ("empty.json", " \n", "is empty; did the command that should have written it fail?")):
            (FOLDER / name).write_text(text)
            self.says(f"{name}: {message}", tr.profile, name)
        self.says("r.csv:1:1: is no JSON: expecting value; print it with --json, and nothing else into the same file", tr.reports, "r.csv")
        self.says("none.json: no such file or directory", tr.reports, "none.json")
        self.says("rows: is a folder; only sweep() reads one, of rows", tr.reports, "rows")
        (FOLDER / "bytes.json").write_bytes(b"{\xff}")
        self.says("bytes.json: is no text in UTF-8 (byte 1): JSON that tandem wrote is wanted", tr.reports, "bytes.json")

    def test_another_version_of_a_kind(self):
        (FOLDER / "newer.json").write_text('{"tandem": "profile/2"}')
        self.says("newer.json: is a profile/2, and this reads profile/1: take tandem_results and tandem of one version", tr.profile,
                  "newer.json")

    def test_a_key_that_is_missing_and_a_table_that_is_not_there(self):
        (FOLDER / "short.json").write_text('{"tandem": "report/1", "policy": "fcfs"}')
        self.says("short.json:/0: has no key 'label', which every such file has; `tandem check` looks at it more closely",
                  tr.reports, "short.json")
        self.says("a profile has no table 'transfer'; did you mean \"transfers\"?", tr.profile, "p.profile.json", table="transfer")

    def test_folders_without_rows_and_rows_of_two_versions(self):
        (FOLDER / "bare").mkdir(exist_ok=True)
        with self.assertRaisesRegex(tr.ResultsError, r"bare: has no rows \(\*\.rows\.jsonl\); `tandem sweep SPEC -o .*bare` writes them"):
            tr.sweep(FOLDER / "bare")
        line = next((FOLDER / "rows").glob("*.rows.jsonl")).read_text().splitlines()[0]
        (FOLDER / "old.jsonl").write_text(re.sub(r'"version": ?"[^"]*"', '"version": "0.0.1"', line) + "\n")
        with self.assertRaisesRegex(tr.ResultsError, r"old\.jsonl:1: is of tandem 0\.0\.1, and .*: a folder for each version"):
            tr.sweep(FOLDER / "rows", FOLDER / "old.jsonl")

    def test_commands_end_with_2(self):
        for words, message in (
                (["latencies", "t.json", "-o", "x.jpg"], r"x\.jpg: ends in none of \.svg, \.pdf, \.png"),
                (["latencies", "t.json", "-o", "none/x.svg"], r"none/x\.svg: there is no folder none"),
                (["latencies", "r.json", "-o", "x.svg"], r"r\.json: is a report/1, and a trace/1 is wanted"),
                (["latencies", "t.json", "--policy", "etf", "-o", "x.svg"], r'no policy is called "etf"; did you mean "eft"\?'),
                (["timeline", "t.json", "--from-ms", "9", "--to-ms", "5", "-o", "x.svg"], r"there is no time between them"),
                (["error", "t.json", "-o", "x.svg"], r"t\.json: is a trace/1, and a calibration/1 is wanted"),
                (["table", "reports", "t.json"], r"t\.json: is a trace/1")):
            run = here(*words)
            self.assertEqual(run.returncode, 2, run.stderr)
            self.assertRegex(run.stderr, message)
            self.assertNotIn("Traceback", run.stderr)
            self.assertFalse((FOLDER / words[-1]).exists() and words[-1].startswith("x."))


def command(*words):
    return subprocess.run([sys.executable, "-m", "tandem_results", *words], cwd=FOLDER, capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "MPLCONFIGDIR": str(FOLDER)}, stdin=subprocess.DEVNULL)


def here(*words):
    """As command(), in this process: the libraries take a second to be read."""
    says, complains, before = io.StringIO(), io.StringIO(), os.getcwd()
    os.chdir(FOLDER)
    try:
        with contextlib.redirect_stdout(says), contextlib.redirect_stderr(complains):
            status = program.main(list(words))
    finally:
        os.chdir(before)
    return subprocess.CompletedProcess(words, status, says.getvalue(), complains.getvalue())


def drawn(picture, *words):
    arguments = program.read_arguments([picture, *(str(FOLDER / word) if (FOLDER / word).exists() else word for word in words),
                                        "-o", "x.svg"])
    return program.PICTURES[picture].draw(arguments)


class Pictures(unittest.TestCase):
    def test_curves_are_the_distribution_of_the_latencies(self):
        figure, notes = drawn("latencies", "t.json", "--stream", "batch", "--reports", "r.json")
        requests = tr.requests(FOLDER / "t.json")
        lines = {line.get_label(): line for line in figure.axes[0].lines}
        for label in ("fcfs", "eft"):
            own = requests[(requests["label"] == label) & (requests["stream"] == "batch")]["latency_ns"].dropna()
            values, shares = lines[f"{label}, predicted"].get_data()
            self.assertEqual(list(values), [value / 1e6 for value in sorted(own)])
            self.assertEqual(shares[-1], 1)
        self.assertEqual(len(figure.axes[0].containers), 8)  # p50, p90, p95, p99 of two policies, each with its interval
        self.assertTrue(any("were dropped" in note for note in notes))

    def test_measured_runs_have_a_band(self):
        shares, low, middle, high = latencies.band_of_runs([[1, 2, 3, 4], [2, 3, 4, 5], [1, 1, 1, 9]])
        at = list(shares.round(3)).index(0.75)
        self.assertEqual((low[at], middle[at], high[at]), (1, 3, 4))

    def test_a_timeline_has_the_prediction_above_the_median_measured_run(self):
        figure, _ = drawn("timeline", "fcfs.json", "measured.json")
        makespan = document("r.json")[0]["makespan_ns"] / 1e6
        self.assertEqual([axes.get_title(loc="left") for axes in figure.axes],
                         [f"fcfs, predicted: {makespan:.3f} ms", f"fcfs, measured, run 1: {makespan:.3f} ms"])
        bars = sum(len(collection.get_paths()) for collection in figure.axes[0].collections)
        self.assertEqual(bars, len(tr.spans(FOLDER / "fcfs.json")))
        self.assertEqual([label.get_text() for label in figure.axes[0].get_yticklabels()], ["gpu", "npu"])

    def test_the_median_of_runs_is_the_lower_one(self):
        table = pandas.DataFrame({"end_ns": [40, 10, 30, 20], "label": "a", "measured": True})
        self.assertEqual(timeline.median_run(table)["end_ns"], 20)
        self.assertEqual([panel["end_ns"] for panel in timeline.choose(table, [])], [20])

    def test_errors_are_points_beside_the_diagonal(self):
        calibration = document("c.json")
        calibration["policies"][0].update(predicted_ns=90000000, predicted_interval_ns=None, measured_ns=100000000,
                                          measured_interval_ns=[98000000, 105000000])
        (FOLDER / "off.json").write_text(json.dumps(calibration))
        figure, notes = drawn("error", "off.json")
        line, _, bars = figure.axes[0].containers[0]
        self.assertEqual([list(values) for values in line.get_data()], [[100.0], [90.0]])
        self.assertEqual([list(map(tuple, bars[0].get_segments()[0].round(6)))], [[(98.0, 90.0), (105.0, 90.0)]])
        self.assertEqual(notes, ["no intervals of predictions: nothing is known of how sure the profiles are"])

    def test_each_command_writes_each_format_and_the_same_bytes_again(self):
        for picture, file in (("latencies", "t.json"), ("timeline", "t.json"), ("error", "c.json")):
            for suffix in style.FORMATS:
                texts = []
                for start in (here, command) if suffix != "png" else (here,):  # the same library draws it
                    run = start(picture, file, "-o", f"picture.{suffix}", "--width", "page")
                    self.assertEqual(run.returncode, 0, run.stderr)
                    texts.append((FOLDER / f"picture.{suffix}").read_bytes())
                self.assertEqual(texts[0], texts[-1])
                self.assertGreater(len(texts[0]), 5000)

    def test_a_table_is_csv(self):
        run = command("table", "reports", "r.json")
        self.assertEqual(list(pandas.read_csv(io.StringIO(run.stdout))["makespan_ns"]), [r["makespan_ns"] for r in document("r.json")])

    def test_nobody_is_told_apart_by_colour_alone(self):
        self.assertEqual(len({len(style.COLOURS), len(style.MARKS), len(style.HATCHES), len(style.DASHES)}), 1)
        self.assertEqual(len(set(style.MARKS)), len(style.MARKS))
        self.assertIn(error.OF[0], "makespans")


class Notebooks(unittest.TestCase):
    def test_each_runs_from_beginning_to_end(self):
        notebooks = sorted((PACKAGE / "notebooks").glob("*.py"))
        self.assertGreaterEqual(len(notebooks), 3)
        for notebook in notebooks:
            if "validate" in notebook.read_text() and not DEVICE:
                continue
            with self.subTest(notebook.name):
                run = subprocess.run([sys.executable, notebook], capture_output=True, text=True, check=False, cwd=FOLDER,
                                     env={**os.environ, "TANDEM": str(TANDEM), "PYTHONPATH": str(PACKAGE), "TMPDIR": str(FOLDER),
                                          "MPLCONFIGDIR": str(FOLDER)}, stdin=subprocess.DEVNULL)
                self.assertEqual(run.returncode, 0, run.stderr[-2000:])
                self.assertNotIn("Warning", run.stderr)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory(prefix="tandem_results_") as name:
        class HOME:
            pass
        HOME.name = name
        matplotlib.rcParams["figure.max_open_warning"] = 0
        outcome = unittest.main(argv=sys.argv[:1], exit=False, verbosity=1)
    sys.exit(0 if outcome.result.wasSuccessful() else 1)
