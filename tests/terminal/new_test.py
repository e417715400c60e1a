#!/usr/bin/env python3
"""Do the commands that begin files ask on a terminal, name what is missing elsewhere, and write what can be used?

usage: new_test.py TANDEM_PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

from talk import on_terminal

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())


class NewFiles(unittest.TestCase):
    def setUp(self):
        self.keeper = tempfile.TemporaryDirectory(prefix="tandem_new_")
        self.folder = pathlib.Path(self.keeper.name)
        self.addCleanup(self.keeper.cleanup)

    def run_it(self, *words, status=0):
        run = subprocess.run([PROGRAM, *words], cwd=self.folder, capture_output=True, text=True, timeout=300,
                             stdin=subprocess.DEVNULL, check=False)
        self.assertEqual(run.returncode, status, f"{words}: {run.stdout}{run.stderr}")
        return run.stdout if status == 0 else run.stderr

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def read(self, name):
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def test_two_commands_from_a_table_to_a_result(self):
        self.write("times.csv", "model,cpu_ms,gpu_ms\nresnet50,400,20\nsqueezenet_1_1,30,\n")
        said = self.run_it("new", "scenario", "--table", "times.csv", "-o", "quick.scenario.json")
        self.assertEqual(said, "quick.scenario.json: 2 streams, 4 policies\n")
        reports = json.loads(self.run_it("simulate", "quick.scenario.json", "--json", "--engine", "virtual"))
        self.assertEqual([report["policy"] for report in reports], ["fcfs", "sjf", "eft", "best"])
        self.assertTrue(all(report["makespan_ns"] > 0 for report in reports))
        units = {unit["name"]: unit["kind"] for unit in self.read("quick.scenario.json")["platform"]["units"]}
        self.assertEqual(units, {"cpu": "cpu", "gpu": "gpu"})
        self.run_it("check", "quick.scenario.json")

    def test_streams_are_of_the_batch_that_the_times_are_of(self):
        self.write("pairs.csv", "model,cpu_ms,gpu_ms\nresnet50,400,20\n")
        self.run_it("new", "scenario", "--table", "pairs.csv", "--batch", "2", "-o", "pairs.scenario.json")
        self.assertEqual([stream["batch"] for stream in self.read("pairs.scenario.json")["streams"]], [2])
        self.run_it("new", "scenario", "--board", "rk3399", "--stream", "squeezenet_1_1", "--batch", "2", "-o", "rk.scenario.json")
        self.run_it("check", "pairs.scenario.json", "rk.scenario.json")

    def test_every_kind_of_file_passes_check_and_simulates(self):
        self.run_it("new", "platform", "-o", "my.platform.json", "--name", "mine", "--unit", "cpu:cpu:cores=0-3",
                    "--unit", "gpu:gpu:memory=vram:idle=2W:busy=9.5W", "--memory", "dram=8GB:bandwidth=25.6GB/s",
                    "--link", "dram-vram=12GB/s:latency=10us:engine")
        platform = self.read("my.platform.json")
        self.assertEqual(platform["memories"][0], {"name": "dram", "capacity_bytes": 8000000000,
                                                   "bandwidth_bytes_per_s": 25600000000})
        self.assertEqual(platform["memories"][1]["name"], "vram")
        self.assertEqual(platform["links"], [{"from": "dram", "to": "vram", "latency_us": 10,
                                              "bandwidth_bytes_per_s": 12000000000, "engine": True}])
        self.assertEqual((platform["units"][0]["cores"], platform["units"][0]["backend"]), ([0, 1, 2, 3], "cpu"))
        self.assertEqual((platform["units"][1]["idle_w"], platform["units"][1]["busy_w"]), (2, 9.5))
        self.write("long.tsv", "model\tunit\tmedian (us)\tprecision\nresnet50\tcpu\t400000\tfp32\nresnet50\tgpu\t20000\tfp16\n")
        self.run_it("new", "profile", "--board", "my.platform.json", "--table", "long.tsv", "-o", "my.profile.json",
                    "--source", "made up")
        profile = self.read("my.profile.json")
        self.assertEqual([entry["median_us"] for entry in profile["entries"]], [400000, 20000])
        self.assertIn("made up", profile["origin"]["source"])
        self.run_it("new", "profile", "--board", "my.platform.json", "--model", "vgg16,alexnet", "-o", "empty.profile.json")
        self.assertEqual(len(self.read("empty.profile.json")["entries"]), 4)
        self.run_it("new", "scenario", "--board", "my.platform.json", "--stream", "camera=resnet50@30fps*60", "--stream",
                    "resnet50@20/s*1s", "--stream", "resnet50", "--deadline", "100ms,camera=33ms", "--policy", "fcfs,eft",
                    "--objective", "misses", "-o", "my.scenario.json")
        scenario = self.read("my.scenario.json")
        self.assertEqual(scenario["profiles"], ["my.profile.json"])  # it is called as the board is
        self.assertEqual([stream["name"] for stream in scenario["streams"]], ["camera", "resnet50", "resnet50_2"])
        self.assertEqual([stream["deadline_us"] for stream in scenario["streams"]], [33000, 100000, 100000])
        self.assertEqual(scenario["streams"][1]["duration_ms"], 1000)
        self.assertIn("how many was not said", scenario["streams"][2]["note"])
        self.run_it("check", "my.platform.json", "my.profile.json", "empty.profile.json", "my.scenario.json")
        self.run_it("simulate", "my.scenario.json")

    def test_a_profile_to_be_filled_in_is_taken_by_nobody_before_it_is(self):
        self.run_it("new", "platform", "-o", "b.platform.json", "--unit", "cpu", "--unit", "gpu")
        self.run_it("new", "profile", "--board", "b.platform.json", "--model", "vgg16,alexnet", "-o", "b.profile.json")
        profile = self.read("b.profile.json")
        self.assertEqual([entry["median_us"] for entry in profile["entries"]], [None] * 4)
        self.assertIn("4 times to fill in", " ".join(self.run_it("check", "b.profile.json").split()))
        open_one = ('b.profile.json:/entries/0/median_us: the time of model "vgg16" on unit "cpu" is still to be filled in, and 3 '
                    "more; where a unit does not run the model, take the entry out\n")
        scenario = {"tandem": "scenario/1", "name": "s", "platform": "./b.platform.json", "profiles": ["./b.profile.json"],
                    "transfer": "none", "streams": [{"name": "a", "model": "vgg16", "count": 2, "arrival": {"type": "offline"}}],
                    "policies": ["fcfs"]}
        self.write("s.scenario.json", json.dumps(scenario))
        for words in (("simulate", "s.scenario.json"), ("check", "s.scenario.json"), ("plan", "s.scenario.json"),
                      ("profiles", "show", "b.profile.json"), ("profiles", "diff", "b.profile.json", "b.profile.json"),
                      ("new", "scenario", "--board", "b.platform.json", "--stream", "vgg16", "-o", "x.scenario.json")):
            self.assertTrue(self.run_it(*words, status=2).endswith(open_one), words)
        for entry in profile["entries"][:2]:
            del entry["median_us"]
            entry["median_ms"] = 2
        profile["entries"] = profile["entries"][:2]
        self.write("b.profile.json", json.dumps(profile))
        self.run_it("simulate", "s.scenario.json")

    def test_a_file_that_was_begun_before_is_not_lost(self):
        self.write("times.csv", "model,cpu_ms\nresnet50,400\n")
        for kind, words in {"scenario": ("--table", "times.csv"), "platform": ("--unit", "cpu"),
                            "profile": ("--table", "times.csv", "--board", "b.platform.json")}.items():
            command = ("new", kind, *words, "-o", f"b.{kind}.json")
            if kind == "profile":
                self.run_it("new", "platform", "--unit", "cpu", "-o", "b.platform.json", "--force")
            self.run_it(*command)
            self.write(f"b.{kind}.json", (self.folder / f"b.{kind}.json").read_text(encoding="utf-8") + "\n\n")
            self.assertEqual(self.run_it(*command, status=2),
                             f"b.{kind}.json: is {kind}/1, which -o would replace by a new file; --force does it\n")
            self.assertTrue((self.folder / f"b.{kind}.json").read_text(encoding="utf-8").endswith("\n\n"))
            self.run_it(*command, "--force")
        out = self.run_it("new", "scenario", "--table", "times.csv", "-o", "-")
        self.assertEqual(json.loads(out)["tandem"], "scenario/1")

    def test_what_is_missing_is_named_where_nobody_can_be_asked(self):
        for words, message in {
            ("new", "scenario"): "new scenario: these are missing: --board BOARD, or --table FILE, --stream MODEL, -o FILE "
                                 "(on a terminal they would be asked for)\n",
            ("new", "platform", "--unit", "cpu"): "new platform: this is missing: -o FILE (on a terminal they would be asked "
                                                  "for)\n",
            ("new", "profile", "--board", "tinker-edge-r", "-o", "x.json"):
                "new profile: this is missing: --table FILE (times), or --model MODEL (to be filled in) (on a terminal they "
                "would be asked for)\n"}.items():
            self.assertEqual(self.run_it(*words, status=2), message)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_slip_is_told_with_its_place_and_nothing_is_written(self):
        board = ("--board", "tinker-edge-r", "-o", "out.json")
        tables = {
            "model,cpu_ms,corral_ms\nresnet50,1,2\n":
                "times.csv:1: column 3: the board has no unit \"corral\"; did you mean \"coral\"?; it has cpu, ncs2, coral, rknpu",
            "model;cpu_ms\nresnet5;1,5\n":
                "times.csv:2: column 1 (model): unknown model \"resnet5\"; did you mean \"resnet50\"?; a model of your own is "
                "named by its file, as it lies from here",
            "model,cpu_ms\nresnet50,fast\n":
                "times.csv:2: column 2 (cpu_ms): \"fast\" is not a time; a number such as 12.5, or nothing where the unit does "
                "not run the model",
            "model,cpu_ms\nresnet50,-1\n":
                "times.csv:2: column 2 (cpu_ms): \"-1\" is not a time of a model: above 0 and at most 104 days",
            "model,cpu_ms\nresnet50,12,5\n":
                "times.csv:2: has 3 columns, the heading has 2; a number with a comma needs quotes and a point: 12.5",
            "model,cpu\nresnet50,1\n":
                "times.csv:1: column 2: \"cpu\" does not say its unit of time: cpu_ms or cpu_us, or `tandem new profile "
                "--time-unit ms` for all",
            "model,unit,ms,precison\nresnet50,cpu,1,fp32\n":
                "times.csv:1: column 4: unknown column \"precison\"; did you mean \"precision\"?; a table of times has model, "
                "unit, a time such as time_ms, and perhaps batch, precision, variant",
            "model,unit,ms\nresnet50,cpu,1\n\nresnet50,cpu,2\n":
                "times.csv:4: column 3 (ms): model \"resnet50\" has a time on unit \"cpu\" in line 2 already; columns batch, "
                "precision and variant tell them apart",
            "model,cpu_ms\n\"resnet50,1\n": "times.csv:2: a quote is opened and not closed",
            "model\nresnet50\n": "times.csv:1: the heading has one column alone; columns are separated by commas, semicolons "
                                 "or tabs",
            "": "times.csv: is empty; its first line is the heading",
            "model,cpu_ms\n": "times.csv: has no times below its heading",
            "resnet50,4\nvgg16,5\n":
                "times.csv:1: column 2: \"4\" is a number; the first line is the heading, such as model,cpu_ms"}
        for table, message in tables.items():
            self.write("times.csv", table)
            self.assertEqual(self.run_it("new", "profile", *board, "--table", "times.csv", status=2), message + "\n")
        words = {
            ("scenario", "--stream", "resnet50@30fsp"): "--stream \"resnet50@30fsp\": \"30fsp\" is no arrival; 30fps or 33ms: one "
            "after the other; 20/s: at random, so many a second; closed: the next when one completes; offline: all at the start",
            ("scenario", "--stream", "resnet5"): "--stream \"resnet5\": unknown model \"resnet5\"; did you mean \"resnet50\"?",
            ("scenario", "--stream", "resnet50*many"): "--stream \"resnet50*many\": \"many\" is neither how many requests (100) nor "
            "for how long they come (10s)",
            ("scenario", "--stream", "resnet50*"): "--stream \"resnet50*\": \"\" is neither how many requests (100) nor for how "
            "long they come (10s)",
            ("scenario", "--stream", "a=resnet50", "--stream", "a=resnet101"): "--stream \"a=resnet101\": the stream \"a\" is given "
            "twice",
            ("scenario", "--stream", "resnet50", "--deadline", "camra=3ms"): "--deadline \"camra=3ms\": unknown stream \"camra\"; "
            "known: resnet50"}
        for arguments, message in words.items():
            self.assertEqual(self.run_it("new", *arguments, *board, status=2), message + "\n")
        units = {
            "gpu:gpv": "--unit \"gpu:gpv\": unknown kind of unit \"gpv\"; did you mean \"gpu\"?",
            "x1": "--unit \"x1\": its name does not tell its kind; x1:KIND, with one of cpu, gpu, npu, vpu, tpu, dsp",
            "cpu:cpu:coers=1": "--unit \"cpu:cpu:coers=1\": unknown key \"coers\"; did you mean \"cores\"?",
            "cpu:cores=3-1": "--unit \"cpu:cores=3-1\": \"3-1\" is no list of cores, such as 0-3 or 0,2"}
        for unit, message in units.items():
            self.assertEqual(self.run_it("new", "platform", "--unit", unit, "-o", "out.json", status=2), message + "\n")
        self.write("times.csv", "model,magic_ms\nresnet50,1\n")
        self.assertEqual(self.run_it("new", "scenario", "--table", "times.csv", "-o", "out.json", status=2),
                         "times.csv: its columns make no board: --unit \"magic\": its name does not tell its kind; magic:KIND, with "
                         "one of cpu, gpu, npu, vpu, tpu, dsp; `tandem new platform` makes one, and --board names it\n")
        self.assertFalse((self.folder / "out.json").exists())

    def test_a_terminal_is_asked_and_told_what_is_wrong(self):
        status, seen = on_terminal([PROGRAM, "new", "platform"], folder=self.folder, answers=[
            ("name: ", "\x16\x07desk\n"), ("control characters", ""), ("name: ", "desk\n"), ("> ", "x1\n"), ("its kind", ""),
            ("> ", "cpu:cpu:cores=0,1\n"), ("> ", "gpu\n"), ("> ", "gpu:gpu\n"), ("is given twice", ""), ("> ", "\n"),
            ("[dram]:", "\n"), ("[desk.platform.json]: ", "nowhere/desk.platform.json\n"), ("no folder", ""),
            ("[desk.platform.json]: ", "\n")])
        self.assertEqual(status, 0, seen)
        self.assertEqual([unit["name"] for unit in self.read("desk.platform.json")["units"]], ["cpu", "gpu"])
        status, seen = on_terminal([PROGRAM, "new", "profile"], folder=self.folder, answers=[
            ("file: ", "dsk.platform.json\n"), ("file: ", "desk.platform.json\n"), ("[none]: ", "\n"), ("> ", "resnet50, resnet5, vgg16\n"),
            ("did you mean", ""), ("> ", "\n"), ("[desk.profile.json]: ", "desk.platform.json\n"), ("overwrite", ""),
            ("[desk.profile.json]: ", "\n")])
        self.assertEqual(status, 0, seen)
        self.assertIn(b"dsk.platform.json", seen)
        self.assertEqual([entry["model"] for entry in self.read("desk.profile.json")["entries"]], ["resnet50"] * 2 + ["vgg16"] * 2)
        status, seen = on_terminal([PROGRAM, "new", "scenario"], folder=self.folder, answers=[
            ("answers: ", "tinker-edge-r\n"), ("> ", "vgg16\n"), ("no unit can run", ""), ("> ", "resnet50@30fps*30\n"),
            ("> ", "\n"), ("[fcfs", ""), ("> ", "fcsf\n"), ("did you mean", ""), ("> ", "fcfs,eft\n"),
            ("> ", "\n"), ("[mine.scenario.json]: ", "asked.scenario.json\n")])
        self.assertEqual(status, 0, seen)
        self.assertEqual(self.read("asked.scenario.json")["policies"], ["fcfs", "eft"])
        self.run_it("simulate", "asked.scenario.json", "--engine", "virtual")
        status, seen = on_terminal([PROGRAM, "new", "platform"], folder=self.folder, answers=[("name: ", "\x04")])
        self.assertEqual(status, 2, seen)
        self.assertIn(b"nothing is written", seen)
        status, seen = on_terminal([PROGRAM, "new", "platform"], folder=self.folder, answers=[("name: ", "\x03")])
        self.assertIn(status, (130, -2), seen)
        self.assertEqual(len(list(self.folder.iterdir())), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
