#!/usr/bin/env python3
"""Does scripts/gpu_check run its steps, judge figures, go on after a failure and keep what it found? On programs that only
answer as the real ones do: no card is needed, and nothing is said of one.

usage: gpu_check_test.py SOURCE_DIR [TANDEM_PROGRAM]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

SOURCE = pathlib.Path(sys.argv[1]).resolve()
TANDEM = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
PROGRAMS = ["tandem", "tandem-device", "tests_device", "zoo_check"]
sys.dont_write_bytecode = True
sys.path[:0] = [str(SOURCE / "scripts"), str(SOURCE / "scripts" / "studies")]
from gpu import correctness, kernels, machine, onnx_file, plans, profiles, steps, summary, torch_ops  # noqa: E402
from replay import on_device  # noqa: E402


class OnFakes(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)
        self.out, self.calls = self.folder / "out", self.folder / "calls"
        self.tools = self.folder / "tools"
        for folder, names in ((self.folder / "bundle" / "bin", PROGRAMS), (self.tools, ["nvidia-smi", "compute-sanitizer"])):
            folder.mkdir(parents=True)
            for name in names:
                shutil.copy(SOURCE / "tests" / "support" / "fake_program.py", folder / name)
        (self.tools / "python3").symlink_to(sys.executable)

    def check(self, *arguments, path=None, **fake):
        self.calls.write_text("")
        environment = {**os.environ, "PATH": str(path or self.tools), "TANDEM_FAKE": json.dumps(fake),
                       "TANDEM_FAKE_CALLS": str(self.calls)}
        return subprocess.run([sys.executable, str(SOURCE / "scripts" / "gpu_check"), "--bundle", str(self.folder / "bundle"),
                               "--out", str(self.out), *arguments], capture_output=True, text=True, timeout=120, check=False,
                              env=environment)

    def summary(self):
        return json.loads((self.out / "summary.json").read_text())

    def verdicts(self):
        return {of["step"]: of["verdict"] for of in self.summary()["steps"]}

    def target(self, name):
        return next(of for of in self.summary()["targets"] if of["target"] == name)

    def test_without_a_card_there_is_one_line_and_nothing_else(self):
        if any(os.path.exists(node) for node in machine.NODES):
            self.skipTest("there is a card")
        (self.folder / "empty").mkdir()
        done = self.check(path=self.folder / "empty")
        self.assertEqual(done.returncode, 3)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, r"\Agpu_check: there is no NVIDIA card here \([^\n]+\): nothing was checked\n\Z")
        self.assertFalse(self.out.exists())
        done = self.check(fail=["nvidia-smi"])
        self.assertIn("nvidia-smi finds none: nvidia-smi: -L cannot", done.stderr)
        done = self.check(usable=False)
        self.assertEqual((done.returncode, done.stderr), (3, "gpu_check: tandem-device cannot use the card: no code for this card\n"))

    def test_all_steps_run_and_every_target_is_judged(self):
        done = self.check()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(set(self.verdicts().values()), {"passed"}, done.stdout)
        self.assertEqual(len(self.verdicts()), 8)
        for line in done.stdout.splitlines():
            self.assertLessEqual(len(line), 100)
        for name in ("prediction error, median", "prediction error, worst", "winner named right", "gain over today", "conv on GPU, rest on CPU",
                     "overhead between segments", "outputs right", "compute-sanitizer clean"):
            self.assertTrue(self.target(name)["met"], name)
        self.assertIsNone(self.target("fp32 time / PyTorch")["met"])
        self.assertEqual(self.target("conv on GPU, rest on CPU")["text"],
                         "said loses (3.00x the card's time), it loses (3.00x, 2.94 to 3.06)")
        self.assertEqual(self.target("overhead between segments")["text"], "by group 4.0 us (p99 4.0, a cut costs 2.0)")
        for name in ("environment.json", "tests.json", "zoo.profile.json", "kernels.json", "plans.json", "summary.md",
                     "sanitizer.memcheck.log", "plans/offline/measured.trace.json"):
            self.assertTrue((self.out / name).exists(), name)
        self.assertEqual(json.loads((self.out / "environment.json").read_text())["card"]["pstate"], "P0")

    def rehearse(self, *arguments, **fake):
        """As `check`, with the programs of a build and no card."""
        build = self.folder / "build"
        for folder, names in (("bin", ["tandem"]), ("tests", ["rehearsal_device", "rehearsal_zoo_check", "tests_device"])):
            (build / folder).mkdir(parents=True, exist_ok=True)
            for name in names:
                shutil.copy(SOURCE / "tests" / "support" / "fake_program.py", build / folder / name)
        self.calls.write_text("")
        environment = {**os.environ, "PATH": str(self.folder / "no tools"), "TANDEM_FAKE": json.dumps(fake),
                       "TANDEM_FAKE_CALLS": str(self.calls)}
        (self.folder / "no tools").mkdir(exist_ok=True)
        for name in ("python3", "env"):
            if not (self.folder / "no tools" / name).exists():
                (self.folder / "no tools" / name).symlink_to(sys.executable if name == "python3" else shutil.which(name))
        return subprocess.run([sys.executable, str(SOURCE / "scripts" / "gpu_check"), "--rehearse", "--build", str(build), "--out",
                               str(self.out), *arguments], capture_output=True, text=True, timeout=120, check=False, env=environment)

    def test_without_a_card_all_of_it_can_be_rehearsed_and_nothing_of_that_is_evidence(self):
        done = self.rehearse(errors={"offline": -0.12}, gap_us=14)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.verdicts().pop("sanitizer"), "skipped")
        self.assertEqual([name for name, verdict in self.verdicts().items() if verdict in ("failed", "skipped")], ["sanitizer"])
        # Nothing is met and nothing missed, and every page says what it is.
        self.assertEqual({of["met"] for of in self.summary()["targets"]}, {None})
        self.assertTrue(done.stdout.startswith("REHEARSAL on a card that computes on the host"))
        self.assertTrue((self.out / "summary.md").read_text().startswith("**REHEARSAL"))
        with self.assertRaisesRegex(summary.Failed, "is of a rehearsal: nothing of it is of a card, and nothing is kept"):
            summary.keep(self.out, "fake-board", self.tandem, self.folder)
        # The small model alone, and what each step is to take.
        for line in self.calls.read_text().splitlines():
            self.assertNotRegex(line, r" (infer|handover) (resnet50|densenet201|googlenet)\b")
        for name in ("offline", "periodic-half"):
            scenario = json.loads((self.out / "plans" / name / f"{name}.scenario.json").read_text())
            self.assertEqual({stream["model"] for stream in scenario["streams"]}, {"./rehearsal.model.json"})
        self.assertRegex(done.stderr, r"correctness +171 s\n +kernels +286 s\n")
        self.assertRegex(done.stderr, r" all +1200 s\n")
        # And, measured, what each took of what it was given.
        self.assertRegex(done.stdout, r"(?m)^correctness +passed +[0-9]+ of 171 s")
        self.assertRegex((self.out / "summary.md").read_text(), r"(?m)^\| kernels \| passed \| [0-9]+ of [0-9]+ s \|")

    def test_a_rehearsal_and_a_run_on_a_card_keep_apart(self):
        self.rehearse("--quick", "--only", "ready")
        done = self.check("--quick", "--only", "ready")
        self.assertEqual(done.returncode, 3)
        self.assertIn("holds what a rehearsal left: --out takes another folder", done.stderr)
        shutil.rmtree(self.out)
        self.check("--quick", "--only", "ready")
        self.assertIn("holds what no rehearsal left", self.rehearse("--quick", "--only", "ready").stderr)

    def test_a_missed_target_is_named_and_ends_with_1(self):
        done = self.check("--quick", "--only", "plans,segments", errors={"offline": -0.12}, wrong_winners=["split"], gap_us=14)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(self.summary()["missed"], ["prediction error, worst", "winner named right", "overhead between segments"])
        self.assertEqual(self.summary()["failed"], [])
        self.assertIn("missed: prediction error, worst, winner named right, overhead", done.stdout)
        self.assertEqual(self.target("winner named right")["text"], "3 of 4, not split")
        self.assertIn("7 outside, 0 cannot be told", self.target("prediction error, worst")["text"])

    def test_a_model_that_is_ready_late_misses_its_target_and_kernels_that_are_not_had_are_not_known(self):
        self.check("--quick", "--only", "profile,ready", load_ms=91000, kernels_taken=False)
        self.assertEqual(self.summary()["missed"], ["ready, all chosen anew"])
        self.assertEqual(self.target("ready, all chosen anew")["text"], "resnet50: 91.0 s")
        self.assertIsNone(self.target("ready, kept kernels")["met"])
        self.check("--quick", "--only", "profile,ready")
        self.assertEqual(self.target("ready, kept kernels")["text"], "resnet50: 2.0 s")
        self.assertTrue(self.target("ready, kept kernels")["met"])

    def test_all_steps_share_the_kernels_that_they_choose(self):
        self.check("--quick", "--trials", "90", unfinished=7)
        self.assertEqual(json.loads((self.out / "kernels.profile.json").read_text()),
                         ["tandem-device handover", "tandem-device infer", "tandem-device profile", "zoo_check --backend"])
        choosing = [line for line in self.calls.read_text().splitlines() if "--add-kernels" in line]
        self.assertTrue(all(line.count(" --trials 90") == 1 for line in choosing), choosing)
        # What is to be chosen anew takes nothing, and says what it had no time for.
        ready = [line for line in self.calls.read_text().splitlines() if "infer resnet50" in line and "--repeat 50" in line]
        self.assertEqual([("--add-kernels" in line, "--kernels" in line) for line in ready], [(False, False), (False, True)])
        self.assertEqual(self.summary()["trials_s"], 90)
        self.assertIn("trials of kernels took at most 90 s a model", (self.out / "summary.md").read_text())

    def test_what_trials_had_no_time_for_is_said(self):
        done = self.check("--quick", "--only", "ready", unfinished=7)
        self.assertIn("trials took 60 s at most, so that of 7 of 120 choices not every way was tried", done.stderr)
        self.assertNotIn("--trials", self.calls.read_text())

    def test_of_kernels_that_miss_their_bar_the_longest_steps_are_kept(self):
        self.check("--quick", "--only", "kernels")
        slow = {"resnet50": {"layers": 150, "fp32": {"ratio": 0.6}}, "vgg16": {"layers": 40, "fp32": {"ratio": 0.6}},
                "alexnet": {"layers": 20, "fp32": {}}}
        info = json.loads((self.out / "environment.json").read_text())["info"]
        with unittest.mock.patch.dict(os.environ, {"TANDEM_FAKE_CALLS": str(self.calls)}):
            check = types.SimpleNamespace(machine=machine.Machine(self.folder / "bundle", None), quick=True, out=self.out, resume=False, info=info, trials=None, rehearsal=False)
            looked = kernels.look_into(steps.Step(check, "kernels", 60), slow)
        self.assertEqual(list(looked), ["resnet50"])
        self.assertEqual([one["how"] for one in looked["resnet50"]["longest"]], ["layout", "conv x"])

    def test_noise_meets_no_bar(self):
        self.check("--quick", "--only", "plans", verdict="unknown")
        self.assertIsNone(self.target("prediction error, worst")["met"])
        self.assertNotIn("prediction error, worst", self.summary()["missed"])
        self.check("--quick", "--only", "plans,segments", error_reach=0.06, measured_reach=3, gaps=2)
        for name in ("prediction error, median", "conv on GPU, rest on CPU", "gain over today", "overhead between segments"):
            self.assertIsNone(self.target(name)["met"], name)
        self.assertEqual(self.summary()["missed"], [])

    def test_a_step_that_fails_does_not_stop_the_others(self):
        done = self.check("--quick", fail=["infer", "tests"], handover=False, findings=2)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(self.verdicts(), {"correctness": "failed", "kernels": "failed", "profile": "passed", "plans": "passed",
                                           "ready": "failed", "segments": "passed", "handover": "skipped", "sanitizer": "failed"})
        self.assertIn("BackendContract.Adds/cuda", done.stdout)
        done = self.check("--quick", "--only", "profile,plans", fail=["profile"])
        self.assertEqual(self.verdicts(), {"profile": "failed", "plans": "failed"})

    def test_what_is_done_is_not_done_again(self):
        self.check("--quick", "--only", "profile,plans")
        done = self.check("--quick", "--resume", "--only", "profile,plans")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr.count("taken from the earlier run"), 2)
        self.assertNotIn("validate", self.calls.read_text())
        # What failed is done again, beside what stands.
        self.check("--quick", "--only", "sanitizer", findings=1)
        done = self.check("--quick", "--resume", "--only", "sanitizer")
        self.assertEqual(self.verdicts(), {"profile": "passed", "plans": "passed", "sanitizer": "passed"}, done.stderr)
        # Another machine's results are not this one's.
        environment = json.loads((self.out / "environment.json").read_text())
        (self.out / "environment.json").write_text(json.dumps({**environment, "driver": "1"}))
        done = self.check("--quick", "--resume", "--only", "profile")
        self.assertIn("begun anew", done.stderr)
        self.assertIn("tandem-device profile", self.calls.read_text())

    def test_of_plans_each_scenario_is_gone_on_with(self):
        self.check("--quick", "--only", "plans", fail=["plan"])
        self.assertEqual(self.verdicts()["plans"], "failed")
        self.check("--quick", "--only", "plans")
        (self.out / "plans.json").unlink()
        (self.out / "plans" / "split" / "calibration.json").unlink()
        self.check("--quick", "--resume", "--only", "plans")
        validated = re.findall(r"tandem validate \S+/(\S+).scenario.json", self.calls.read_text())
        self.assertEqual(validated, ["split"])

    def test_without_tandem_nothing_is_predicted_and_the_rest_is_checked(self):
        (self.folder / "bundle" / "bin" / "tandem").unlink()
        done = self.check("--quick")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([name for name, verdict in self.verdicts().items() if verdict == "skipped"],
                         ["kernels", "plans", "segments"])
        self.assertIn("it needs SimGrid", done.stdout)

    def test_out_of_time_what_is_left_is_said(self):
        done = self.check("--quick", "--only", "plans", "--budget", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no time for any", done.stdout)

    def tandem(self, *arguments):
        """The real one where it is named; else what it would write is the same, as another would."""
        if TANDEM:
            subprocess.run([str(TANDEM), *map(str, arguments)], check=True, capture_output=True)
            return
        source = arguments[arguments.index("--from") + 1] if "--from" in arguments else arguments[2]
        shutil.copy(source, arguments[arguments.index("-o") + 1])

    def test_a_person_keeps_the_profile_as_a_board(self):
        source = self.folder / "source"
        (source / "docs").mkdir(parents=True)
        (source / "docs" / "gpu.md").write_text(f"# GPU\n{summary.BEGIN}\nNothing.\n{summary.END}\nThe end.\n")
        with self.assertRaisesRegex(summary.Failed, "summary.json is not there"):
            summary.keep(self.out, "fake-board", self.tandem, source)
        self.check("--quick")
        summary.keep(self.out, "fake-board", self.tandem, source)
        platform, profile = (json.loads((source / "profiles" / "boards" / f"fake-board.{kind}.json").read_text())
                             for kind in ("platform", "profile"))
        self.assertEqual(platform["name"], "fake-board")
        self.assertEqual(profile["platform"], "fake-board")
        self.assertEqual(platform["units"][0], {"name": "gpu0", "kind": "gpu", "memory": "gpu0"})
        if TANDEM:  # its own writer's bytes: read and written once more they are the same
            for kind, command in (("platform", ["new", "platform", "--from"]), ("profile", ["profiles", "merge"])):
                kept, again = source / "profiles" / "boards" / f"fake-board.{kind}.json", self.folder / f"again.{kind}.json"
                name = ["--name", "fake-board"] if kind == "platform" else []
                subprocess.run([str(TANDEM), *command, str(kept), *name, "-o", str(again)], check=True, capture_output=True)
                self.assertEqual(kept.read_bytes(), again.read_bytes())
                self.assertNotEqual(kept.read_text(), json.dumps(json.loads(kept.read_text()), indent=1) + "\n", "it is not Python's")
        page = (source / "docs" / "gpu.md").read_text()
        self.assertTrue(page.startswith("# GPU\n") and page.endswith("\nThe end.\n"))
        self.assertIn("driver 580.1", page)
        self.assertIn("| prediction error, median |", page)
        self.assertNotIn("Nothing.", page)


class Figures(unittest.TestCase):
    @staticmethod
    def model(ratio, layers):
        return {"layers": layers, "fp32": {"ours_ms": ratio, "torch_ms": 1.0, "ratio": ratio, "ratio_interval": [ratio - 0.02, ratio + 0.02], "right": True, "error": 1e-6}}

    def test_kernels_are_held_to_both_bars(self):
        models = {"vgg16": self.model(0.9, 40), "densenet121": self.model(0.4, 430)}
        mean, (every, many) = kernels.judge(models, "fp32")
        self.assertAlmostEqual(mean, 0.6)
        self.assertEqual((every["met"], many["met"]), (True, True))
        models["resnet152"] = self.model(0.6, 515)
        _, (every, many) = kernels.judge(models, "fp32")
        self.assertEqual((every["met"], many["met"]), (True, False))
        self.assertEqual(many["text"], "2 models, mean 0.49, worst 0.60 resnet152")
        self.assertEqual([of["met"] for of in kernels.judge({}, "tf32")[1]], [None, None])
        models["resnet152"]["fp32"]["ratio_interval"] = [0.45, 0.7]
        self.assertIsNone(kernels.judge(models, "fp32")[1][1]["met"], "turns that differ so much tell nothing")
        models["resnet152"]["fp32"]["ratio_interval"] = None
        self.assertIsNone(kernels.judge(models, "fp32")[1][1]["met"], "nor does one turn")

    def test_a_sanitizer_that_says_nothing_found_nothing_out(self):
        self.assertEqual(correctness.findings("========= ERROR SUMMARY: 3 errors\n"), 3)
        self.assertEqual(correctness.findings("========= RACECHECK SUMMARY: 0 hazards displayed\n"), 0)
        self.assertIsNone(correctness.findings("killed"))

    def test_the_question_of_convolutions_is_answered_right_or_wrong(self):
        def ask(said, seen, reach=0.02):
            return plans.conv_question({"policies": [
                {"label": plans.CONV, "predicted": said, "measured": seen, "measured_interval": [seen - reach, seen + reach]},
                {"label": plans.ALONE, "predicted": 1.0, "measured": 1.0, "measured_interval": [0.99, 1.01]}]})["verdict"]
        self.assertEqual(ask(2.0, 1.5), "within")
        self.assertEqual(ask(0.9, 1.5), "outside")
        self.assertEqual(ask(0.99, 1.01), "unknown", "a tie says nothing for what was said, and nothing against it")
        self.assertEqual(ask(2.0, 1.5, 0.6), "unknown")

    def test_what_a_plan_gains_over_today_is_said_and_seen(self):
        def ask(said, seen, today=plans.AS_TODAY):
            return plans.gain_question({"policies": [
                {"label": "eft", "predicted": said, "measured": seen, "measured_interval": [seen, seen + 0.1]},
                {"label": "slow", "predicted": 9.0, "measured": 0.1},
                {"label": today, "predicted": 1.0, "measured": 1.0, "measured_interval": [1.0, 1.0]}]})
        self.assertEqual(ask(0.5, 0.6), {"said": 0.5, "seen": 0.6, "seen_interval": [0.6, 0.7], "verdict": "within"})
        self.assertEqual(ask(0.5, 1.2)["verdict"], "outside")
        self.assertEqual(ask(0.5, 0.95)["verdict"], "unknown")
        self.assertIsNone(ask(0.5, 0.6, today="fcfs"))

    def test_that_no_card_is_found_out_without_one_is_no_test_on_the_card(self):
        def on_card(suite, case):
            return correctness.counts({"testsuites": [{"name": suite, "testsuite": [{"name": case, "result": "COMPLETED"}]}]})["on_card"]
        self.assertEqual(on_card("ARealCard", "ThatIsNotThereIsRefused"), 0)
        self.assertEqual(on_card("ARealCard", "MultipliesAndCopies"), 1)
        self.assertEqual(on_card("BackendContract", "Adds/cuda"), 1)

    def test_gaps_are_within_a_request(self):
        self.assertEqual(profiles.between({"a": [(0, 1000), (4000, 5000)], "b": [(99000, 99500), (100500, 101500)]}),
                         {"median_us": 1.0, "interval_us": None, "p99_us": 3.0, "count": 2, "segments": 2, "latency_us": 2.5})
        self.assertIsNone(profiles.between({"a": [(0, 1000)]}))

    def test_rates_ask_for_a_share_of_all_units(self):
        scenario = {"streams": [{"name": "a", "model": "m", "arrival": {"type": "periodic", "fps": 7}}]}
        profile = {"entries": [{"model": "m", "unit": "fast", "layers": "*", "median_us": 1000},
                               {"model": "m", "unit": "slow", "layers": "*", "samples_us": [9000, 4000, 3000]}]}
        on_device.set_load(scenario, profile, 0.5)
        self.assertEqual(scenario["streams"][0]["arrival"]["fps"], 625)

    def test_a_scenario_takes_this_machines_card_and_its_cores(self):
        info = {"platform": {"name": "jetson", "memories": [{"name": "dram"}],
                             "units": [{"name": "gpu", "backend": "cuda", "memory": "dram", "device": 0}]}}
        platform = plans.platform_of(info)
        self.assertEqual(platform["memories"], [{"name": "dram"}])
        self.assertNotIn("links", platform)
        self.assertEqual({unit["memory"] for unit in platform["units"]}, {"dram"})
        cores = [core for unit in platform["units"] for core in unit.get("cores", [])]
        self.assertTrue(set(cores) <= os.sched_getaffinity(0) and len(cores) == len(set(cores)) and cores)


class Interpreter(unittest.TestCase):
    """PyTorch's side of the comparison, as far as it can be looked at without PyTorch."""

    def test_it_knows_every_operator_that_the_exporter_writes(self):
        written = set()
        for path in (SOURCE / "profiles" / "importers" / "onnx").glob("write_*.cc"):
            text = path.read_text()
            written |= set(re.findall(r'(?:Node\(|return |\? |: |WithAxis\(to, |Op::k\w+, )"([A-Z][A-Za-z]+)"', text))
        self.assertGreater(len(written), 40)
        of_any_batch = {"Shape"}  # in files of any batch alone, which are for Triton and never compared
        self.assertEqual(written - set(torch_ops.OPERATORS) - torch_ops.NOTHING, of_any_batch)

    def test_pooling_that_rounds_up_is_told_from_uneven_padding(self):
        self.assertTrue(torch_ops.rounds_up(112, 3, 2, 1, 0, 1))    # ceil_mode of GoogLeNet and SqueezeNet
        self.assertFalse(torch_ops.rounds_up(8, 3, 1, 1, 0, 2))

    @unittest.skipUnless(TANDEM, "no program tandem was named")
    def test_it_reads_what_tandem_exports(self):
        for model in ("squeezenet_1_1", "mobilenet_v2"):
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "model.onnx"
                shown = json.loads(subprocess.run([str(TANDEM), "models", "export", model, "-o", str(path), "--json"],
                                                  capture_output=True, text=True, check=True).stdout)
                graph = onnx_file.read(path)
            self.assertEqual(list(graph.inputs.values()), [[1, 3, 224, 224]])
            self.assertEqual([extents[:2] for extents in graph.outputs.values()], [[1, 1000]])
            convolutions = [node for node in graph.nodes if node.op == "Conv"]
            self.assertEqual(len(convolutions), sum(layer["op"] == "conv" for layer in shown["layers"]))
            for node in convolutions:
                self.assertEqual(graph.weights[node.inputs[1]].shape[2:], node.attributes["kernel_shape"])
            self.assertEqual({node.op for node in graph.nodes} - set(torch_ops.OPERATORS) - torch_ops.NOTHING, set())
            numbers = sum(len(tensor.data) // 4 for tensor in graph.weights.values() if tensor.kind == onnx_file.FLOAT)
            self.assertGreaterEqual(numbers, 1_200_000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
