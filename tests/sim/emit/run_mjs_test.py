#!/usr/bin/env python3
"""Does what `tandem plan --emit onnxruntime` writes run as the plan says, and does adapter_ort.mjs keep to its protocol?

usage: run_mjs_test.py SOURCE_DIR TANDEM_PROGRAM NODE

With ONNX Runtime itself where TANDEM_ONNXRUNTIME names a folder that has the npm package onnxruntime-node, else with a
stand-in of its interface; the last line says which. Times are looked at for their order alone.
"""
import array
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
TANDEM, NODE = (str(pathlib.Path(word).resolve()) for word in sys.argv[2:4])
REAL = os.environ.get("TANDEM_ONNXRUNTIME")
STUB = SOURCE / "tests" / "sim" / "emit" / "stub"
SECONDS = 120

NET = [{"name": "in", "op": "input", "shape": [1, 2, 8, 8]},
       {"name": "conv", "op": "conv", "inputs": ["in"], "out_channels": 4, "kernel": [3, 3], "pad": [1, 1, 1, 1]},
       {"name": "act", "op": "relu", "inputs": ["conv"]},
       {"name": "side", "op": "conv", "inputs": ["conv"], "out_channels": 4, "kernel": [1, 1]},
       {"name": "sum", "op": "add", "inputs": ["act", "side"]},
       {"name": "end", "op": "fc", "inputs": ["sum"], "out_features": 5}]
STREAMS = [{"name": "all", "model": "./net.json", "count": 12, "arrival": {"type": "offline"}},
           {"name": "clock", "model": "./net.json", "count": 6, "arrival": {"type": "periodic", "period_ms": 5}, "deadline_ms": 900},
           {"name": "two", "model": "./net.json", "count": 7, "arrival": {"type": "closed", "in_flight": 2}},
           {"name": "then", "model": "./net.json", "depends_on": {"stream": "clock", "probability": 0.5}}]


def cores():
    return sorted(os.sched_getaffinity(0))


class Emitted(unittest.TestCase):
    def setUp(self):
        self.temp = tempfile.TemporaryDirectory()
        self.folder = pathlib.Path(self.temp.name)
        self.env = {**os.environ, "TANDEM_ONNXRUNTIME": REAL or str(STUB)}

    def tearDown(self):
        self.temp.cleanup()

    def write(self, file, kind, **members):
        (self.folder / file).write_text(json.dumps({"tandem": kind, **members}), encoding="utf-8")

    def emit(self, policy="fcfs", streams=None, slots=1, kind="cpu"):
        """Two units of a core each, where there are two; every layer has a time on both."""
        mine = cores()[:2]
        units = [{"name": name, "kind": kind, "memory": "m", "slots": slots, **({"cores": [core]} if core is not None else {})}
                 for name, core in zip("ab", [*mine, None][:2])]
        self.write("net.json", "model/1", name="net", layers=NET)
        self.write("board.platform.json", "platform/1", name="board", memories=[{"name": "m"}], units=units)
        self.write("board.profile.json", "profile/1", platform="board.platform.json",
                   origin={"kind": "estimated", "method": "made up"},
                   entries=[{"model": "./net.json", "unit": unit, "layers": [layer["name"]], "median_us": 400 + 100 * i}
                            for i, layer in enumerate(NET[1:]) for unit in "ab"])
        self.write("s.scenario.json", "scenario/1", name="s", platform="board.platform.json", profiles=["board.profile.json"],
                   transfer="none", objective="makespan", streams=streams or STREAMS,
                   policies=["fcfs", "pipeline", {"name": "eft", "label": "layers", "granularity": "layer"},
                             {"name": "best", "evaluations": 50}])
        out = self.folder / "out"
        done = subprocess.run([TANDEM, "plan", self.folder / "s.scenario.json", "--engine", "virtual", "--policy", policy,
                               "--emit", "onnxruntime", "-o", out, "--force", "--json"],
                              capture_output=True, text=True, check=False, timeout=SECONDS)
        # A search that sees all arrivals is shown and never wins: it has no plan here.
        self.assertEqual(done.returncode, 0, done.stderr)
        return out

    def node(self, *words, **more):
        return subprocess.run([NODE, *map(str, words)], capture_output=True, text=True, check=False, timeout=SECONDS,
                              env={**self.env, **more})

    def result(self, out, *words):
        done = self.node(out / "run.mjs", *words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def check_streams(self, out, result):
        plan = json.loads((out / "run.json").read_text())
        by_name = {stream["name"]: stream for stream in result["streams"]}
        for asked in plan["streams"]:
            got = by_name[asked["name"]]
            self.assertEqual(got["completed"], asked["predicted"]["completed"], asked["name"])
            self.assertEqual(len(got["output_sha256"]), 1, "one input, one output")
            for _, release, end in got["requests"]:
                self.assertLess(release, end)
            arrival = asked["arrival"]
            if arrival["type"] == "at":
                self.assertEqual([row[1] for row in got["requests"]], [at for at in arrival["release_ns"] if at is not None])
            if arrival["type"] == "after":
                ends = {row[0]: row[2] for row in by_name[arrival["stream"]]["requests"]}
                self.assertEqual([row[1] for row in got["requests"]], [ends[row[0]] for row in got["requests"]])
            if arrival["type"] == "closed":
                for _, release, _ in got["requests"]:
                    under_way = sum(r <= release < e for _, r, e in got["requests"])
                    self.assertLessEqual(under_way, arrival["in_flight"])
        self.assertEqual(result["makespan_ns"], max(row[2] for stream in result["streams"] for row in stream["requests"]))
        for unit, asked in zip(result["units"], plan["units"]):
            self.assertEqual(unit["tasks"], sum(row[3] for row in asked["order"]))

    def test_whole_models_and_cut_ones_run_and_make_the_same(self):
        outputs = {}
        for policy in ("fcfs", "layers", "pipeline"):
            with self.subTest(policy):
                out = self.emit(policy)
                result = self.result(out, "--outputs", self.folder / policy)
                self.check_streams(out, result)
                outputs[policy] = {stream["name"]: array.array("f", (self.folder / policy / f"{stream['name']}.raw").read_bytes())
                                   for stream in result["streams"]}
        for policy in ("layers", "pipeline"):
            for name, values in outputs["fcfs"].items():
                self.assertEqual(len(values), len(outputs[policy][name]))
                for a, b in zip(values, outputs[policy][name]):
                    self.assertAlmostEqual(a, b, delta=1e-4 * max(1, abs(a)))

    def test_a_schedule_is_kept_in_its_order(self):
        out = self.emit("best", [{"name": "all", "model": "./net.json", "count": 9, "arrival": {"type": "offline"}}])
        self.check_streams(out, self.result(out))

    def test_slots_run_beside_each_other(self):
        out = self.emit("fcfs", slots=2)
        result = self.result(out)
        self.check_streams(out, result)
        self.assertEqual([len(unit["processes"]) for unit in result["units"]], [2] * len(result["units"]))

    def test_threads_are_where_the_plan_has_them(self):
        out = self.emit()
        for words, pinned in (((), True), (("--no-pin",), False)):
            result = self.result(out, *words)
            for unit in json.loads((out / "run.json").read_text())["units"]:
                if not unit["cores"]:
                    continue
                threads = next(u for u in result["units"] if u["name"] == unit["name"])["processes"][0]
                places = {row["cores"] for row in threads}
                self.assertEqual(places == {str(unit["cores"][0])}, pinned or len(cores()) == 1, places)

    def test_each_stream_has_a_file_of_outputs_of_its_own(self):
        names = ["a/b", "a_b", "a_b_2", "c/d"]
        out = self.emit("fcfs", [{"name": name, "model": "./net.json", "count": 1, "arrival": {"type": "offline"}} for name in names])
        self.result(out, "--outputs", self.folder / "outputs")
        self.assertEqual(sorted(file.name for file in (self.folder / "outputs").iterdir()),
                         ["a_b.raw", "a_b_2.raw", "a_b_3.raw", "c_d.raw"])

    def test_runs_repeat_and_the_middle_one_is_told(self):
        result = self.result(self.emit(), "--repeat", "3")
        self.assertEqual(len(result["runs_ns"]), 3)
        self.assertEqual(result["makespan_ns"], sorted(result["runs_ns"])[1])
        self.assertAlmostEqual(result["error"], result["predicted"]["makespan_ns"] / result["makespan_ns"] - 1)

    def test_inputs_are_the_users(self):
        out = self.emit()
        (self.folder / "in").mkdir()
        raw = self.folder / "in" / "net.raw"
        raw.write_bytes(array.array("f", [0.5] * 128).tobytes())
        self.assertEqual(self.node(out / "run.mjs", "--inputs", raw.parent).returncode, 0)
        raw.write_bytes(array.array("f", [0.5] * 127).tobytes())
        done = self.node(out / "run.mjs", "--inputs", raw.parent)
        self.assertEqual(done.returncode, 2)
        self.assertIn("net.raw holds 127 numbers, the model takes 128", done.stderr)

    def test_what_is_wrong_is_said_in_a_line(self):
        out = self.emit()
        cases = [(("--repeat", "0"), 'run.mjs: --repeat: expected a whole number from 1, found "0"\n'),
                 (("--onnxruntime", "/nowhere"), "run.mjs: onnxruntime-node is not in /nowhere; npm install onnxruntime-node "
                  "fetches it, --onnxruntime DIR says where it is\n")]
        for words, message in cases:
            done = self.node(out / "run.mjs", *words)
            self.assertEqual((done.returncode, done.stderr, done.stdout), (2, message, ""))
        self.assertIn("usage: node run.mjs", self.node(out / "run.mjs", "--repaet", "3").stderr)
        self.assertIn("usage: node run.mjs", self.node(out / "run.mjs", "--help").stdout)

    def test_a_unit_without_a_provider_is_refused(self):
        done = self.node(self.emit(kind="vpu") / "run.mjs")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no execution provider", done.stderr)

    @unittest.skipIf(REAL, "ONNX Runtime does not fail on demand")
    def test_a_kernel_that_fails_ends_the_run(self):
        done = self.node(self.emit() / "run.mjs", STUB_FAILS="net.onnx")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("a kernel failed", done.stderr)


# A program of the protocol tandem-unit/1 that computes nothing, and notes what it is asked.
UNIT = """import sys
log = open(sys.argv[1], "a", encoding="utf-8")
print("tandem-unit/1 unit 1", flush=True)
for line in sys.stdin:
    log.write(line)
    log.flush()
    word = line.split()[0]
    print("error no such file" if "gone" in line else "ok 1000 aa" if word == "run" else "ok 1000", flush=True)
"""


class Stages(Emitted):
    """Models that nobody can look into, beside one that ONNX Runtime runs."""

    def emit_stages(self, command=None, eye="eye"):
        self.write(f"{eye}.json", "model/1", name="eye/1", layers=[
            {"name": "frame", "op": "input", "shape": [1, 6], "type": "uint8"},
            {"name": "boxes", "op": "opaque", "inputs": ["frame"], "shape": [1, 3]}])
        self.write("net.json", "model/1", name="net", layers=NET)
        npu = {"name": "npu", "kind": "npu", "memory": "m", **({"backend": "command", "command": command} if command else {})}
        self.write("board.platform.json", "platform/1", name="board", memories=[{"name": "m"}],
                   units=[npu, {"name": "cpu", "kind": "cpu", "memory": "m"}])
        self.write("board.profile.json", "profile/1", platform="board.platform.json",
                   origin={"kind": "estimated", "method": "made up"},
                   entries=[{"model": f"./{eye}.json", "unit": "npu", "layers": "*", "median_us": 500},
                            {"model": "./net.json", "unit": "cpu", "layers": "*", "median_us": 500}])
        self.write("s.scenario.json", "scenario/1", name="s", platform="board.platform.json", profiles=["board.profile.json"],
                   transfer="none", objective="makespan", policies=["fcfs"],
                   streams=[{"name": "camera", "model": f"./{eye}.json", "count": 3, "arrival": {"type": "periodic", "period_ms": 5}},
                            {"name": "faces", "model": "./net.json", "depends_on": {"stream": "camera"}},
                            {"name": "track", "model": f"./{eye}.json", "depends_on": {"stream": "camera", "joins": ["faces"]}}])
        out = self.folder / "out"
        done = subprocess.run([TANDEM, "plan", self.folder / "s.scenario.json", "--engine", "virtual", "--emit", "onnxruntime",
                               "-o", out, "--force", "--json"], capture_output=True, text=True, check=False, timeout=SECONDS)
        self.assertEqual(done.returncode, 0, done.stderr)
        return out, json.loads(done.stdout)["emitted"]

    def fill(self, out, body):
        """As whoever deploys it does."""
        file = out / "stages" / "eye_1.mjs"
        text = file.read_text()
        self.assertIn("  throw new Error('the stage is not filled in');  // FILL IN\n", text)
        file.write_text(text.replace("  throw new Error('the stage is not filled in');  // FILL IN\n", body))

    def test_an_empty_place_is_no_stage(self):
        out, emitted = self.emit_stages()
        self.assertFalse((out / "models" / "eye_1.onnx").exists())
        self.assertIn('model "eye/1": only a program of its own can look into it: stages/eye_1.mjs is the place for that, to be filled in',
                      emitted["not_expressed"])
        self.assertFalse([line for line in emitted["not_expressed"] if "no execution provider" in line], "npu runs stages alone")
        text = (out / "stages" / "eye_1.mjs").read_text()
        self.assertIn('// A stage that only a program of its own can look into: model "eye/1".\n', text)
        self.assertIn('//   reads "frame": [1, 6], 6 numbers, uint8\n//   makes "boxes": [1, 3], 3 numbers, fp32\n', text)
        done = self.node(out / "run.mjs")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertEqual(done.stderr, "run.mjs: unit npu: stages/eye_1.mjs: the stage is not filled in\n")

    def test_what_is_filled_in_runs_where_and_when_the_plan_says(self):
        out, _ = self.emit_stages()
        self.fill(out, "  if (inputs.frame.length !== 6) throw new Error('no frame');\n  return {boxes: Float32Array.of(1, 2, 3)};\n")
        result = self.result(out, "--outputs", self.folder / "made")
        by_name = {stream["name"]: stream["requests"] for stream in result["streams"]}
        self.assertEqual({name: len(rows) for name, rows in by_name.items()}, {"camera": 3, "faces": 3, "track": 3})
        self.assertEqual({unit["name"]: unit["tasks"] for unit in result["units"]}, {"npu": 6, "cpu": 3})
        for camera, faces, track in zip(*(by_name[name] for name in ("camera", "faces", "track"))):
            self.assertEqual(faces[1], camera[2], "begins when what it follows has ended")
            self.assertEqual(track[1], faces[2], "joins both, of which this ends last")
        for name in ("camera", "track"):
            self.assertEqual(list(array.array("f", (self.folder / "made" / f"{name}.raw").read_bytes())), [1, 2, 3])

    def test_what_is_filled_in_outlives_another_emission(self):
        out, emitted = self.emit_stages()
        self.fill(out, "  return {boxes: new Float32Array(3)};  // mine\n")
        _, again = self.emit_stages()
        self.assertEqual(again["files"], emitted["files"])
        self.assertIn("// mine", (out / "stages" / "eye_1.mjs").read_text())

    def test_what_a_stage_returns_is_held_to_the_model(self):
        out, _ = self.emit_stages()
        self.fill(out, "  return {boxes: new Float32Array(4)};\n")
        self.assertEqual(self.node(out / "run.mjs").stderr,
                         'run.mjs: unit npu: stages/eye_1.mjs: of "boxes" it returns 4 numbers; 3 numbers are expected\n')
        file = out / "stages" / "eye_1.mjs"
        file.write_text(file.read_text().replace("{boxes: new Float32Array(4)}", "[1, 2, 3]"))
        self.assertIn('of "boxes" it returns no Float32Array', self.node(out / "run.mjs").stderr)

    def test_the_units_own_program_stands_in_where_that_is_allowed(self):
        (self.folder / "unit.py").write_text(UNIT)
        log = self.folder / "asked"
        out, _ = self.emit_stages([sys.executable, str(self.folder / "unit.py"), str(log)])
        done = self.node(out / "run.mjs")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r'^run.mjs: unit npu: stages/eye_1.mjs: would start ".*unit.py .*"; --allow-commands does\n$')
        self.assertFalse(log.exists(), "nothing was started")
        result = self.result(out, "--allow-commands")
        self.assertEqual({unit["name"]: unit["tasks"] for unit in result["units"]}, {"npu": 6, "cpu": 3})
        self.assertEqual(log.read_text().splitlines(), [f"load 1 1 {self.folder.resolve() / 'eye.json'}", *["run 1 1"] * 6])

    def test_what_the_units_program_says_is_handed_on(self):
        (self.folder / "unit.py").write_text(UNIT)
        out, _ = self.emit_stages([sys.executable, str(self.folder / "unit.py"), os.devnull], eye="gone")
        done = self.node(out / "run.mjs", "--allow-commands")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.endswith(": no such file\n"), done.stderr)


class Adapter(Emitted):
    def talk(self, lines, *words):
        out = self.emit()
        done = subprocess.run([NODE, str(SOURCE / "scripts" / "adapters" / "adapter_ort.mjs"), "--models", str(out / "models"), *words],
                              input="".join(line + "\n" for line in lines), capture_output=True, text=True, check=False,
                              timeout=SECONDS, env=self.env)
        return done.returncode, done.stdout.splitlines()

    def test_it_loads_runs_and_forgets(self):
        status, lines = self.talk(["load 1 1 net", "run 1 1", "run 1 3", "unload 1", "run 1 1", "quit"], "--cores", str(cores()[0]))
        self.assertEqual(status, 0)
        self.assertRegex(lines[0], r"^tandem-unit/1 adapter_ort 1 onnxruntime=\S+ node=\S+$")
        self.assertRegex(lines[1], r"^ok \d+$")
        self.assertRegex(lines[2], r"^ok \d+ [0-9a-f]{64}$")
        self.assertEqual(lines[2].split()[2], lines[3].split()[2])
        self.assertRegex(lines[4], r"^ok \d+$")
        self.assertEqual(lines[5:], ["error no model is loaded as 1"])

    def test_what_cannot_be_done_is_an_error_and_no_end(self):
        status, lines = self.talk(["load 1 1 nte", "load 1 1 /x/net.tflite", "load 1 4 net", "dance", "load 1 1 net"])
        self.assertEqual(status, 0)
        self.assertIn("nte.onnx: no such file; `tandem models export nte -o", lines[1])
        self.assertEqual(lines[2], "error /x/net.tflite is no ONNX file")
        self.assertEqual(lines[3], "error the file has batch 1, asked for is 4")
        self.assertEqual(lines[4], "error unknown request dance")
        self.assertRegex(lines[5], r"^ok \d+$")

    def test_a_wrong_start_is_an_error_instead_of_a_greeting(self):
        self.assertEqual(self.talk([], "--cores", "x"), (1, ['error --cores: expected a whole number, found "x"']))


if __name__ == "__main__":
    # What the others inherit of tests runs once, in Emitted.
    for name in [name for name in dir(Emitted) if name.startswith("test_")]:
        setattr(Adapter, name, None)
        setattr(Stages, name, None)
    print("ONNX Runtime of " + REAL if REAL else "a stand-in of onnxruntime-node; TANDEM_ONNXRUNTIME names a folder with the real one",
          flush=True)
    unittest.main(argv=sys.argv[:1])
