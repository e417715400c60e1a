#!/usr/bin/env python3
"""Do all adapters of scripts/adapters keep the protocol of docs/command_protocol.md, say what is wrong, and give what the library gives?

usage: adapters_test.py SOURCE_DIR BUILT [TANDEM TANDEM_DEVICE]
BUILT is where CMake puts the adapters in C++. Stand-ins (tests/support/adapters) are asked in place of ncnn, TensorFlow Lite, TensorRT,
RKNN, the Edge TPU and, for onnx.py, ONNX Runtime; greetings say so. OpenCV and, for the adapter in C++, ONNX Runtime are the real
ones, where CMake found them; so is TensorFlow Lite where TANDEM_TFLITE_LIBRARY names its C library, which scripts/studies/tflite_runtime
--install fetches.
"""
import array
import hashlib
import importlib.util
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

SOURCE, BUILT = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
TANDEM, TANDEM_DEVICE = [str(pathlib.Path(program).resolve()) for program in sys.argv[3:5]] or (None, None)
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "tests" / "support"))
import adapter_cases as cases  # noqa: E402

CASES = {case.name: case for case in cases.all_cases(SOURCE, BUILT)}
HAS_NUMPY = importlib.util.find_spec("numpy") is not None
WRITES_TFLITE = HAS_NUMPY and importlib.util.find_spec("flatbuffers") is not None
# Concatenations; batch norms that are folded, branches that are added, padding that is on one side alone; depthwise, of which
# OpenCV 4.6 does not read the ONNX.
AS_TFLITE, BY_TFLITE_ALONE = ("squeezenet_1_1", "resnet18"), ("mobilenet_v2",)
NEAR = 1e-5   # of all outputs together
ALIKE = 1e-4  # of an output, or of 1e-3 where it is less: what kernels in another order of sums differ by


class Asked(unittest.TestCase):
    """Starts an adapter in a folder with models."""
    case = None

    def setUp(self):
        if self.case is None:
            self.skipTest("not built here")
        if self.case.python and not HAS_NUMPY:
            self.skipTest("Python has no numpy")
        scratch = tempfile.TemporaryDirectory(prefix="tandem_adapters_")
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        self.write("net")

    def write(self, name, batch=1):
        path = self.folder / (name + self.case.suffix)
        self.case.write(path, batch)
        return path

    def start(self, *options, requests="", library=True, models=True, env=None):
        words = [*self.case.command, *(["--models", str(self.folder)] if models else []), *(self.case.options if library else ()), *options]
        places = {"PYTHONPATH": str(cases.STAND_INS) if library else "", "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(words, input=requests, capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, **places, **(env or {})})

    def ask(self, *requests, options=(), **more):
        """The answers after the greeting."""
        done = self.start(*options, requests="\n".join(requests) + "\nquit\n", **more)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        greeting, *answers = done.stdout.splitlines()
        self.assertRegex(greeting, r"^tandem-unit/1 adapter_[a-z]+ 1 ")
        self.assertEqual(len(answers), len(requests), done.stdout + done.stderr)
        return answers

    def refusal(self, *options, **more):
        """What it says in place of its greeting."""
        done = self.start(*options, **more)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1, done.stdout)
        return done.stdout.rstrip("\n")


class Protocol:
    """What is asked of every adapter."""

    def test_greeting_names_the_library_and_says_where_it_is_a_stand_in(self):
        done = self.start(requests="quit\n")
        self.assertRegex(done.stdout, rf"^tandem-unit/1 adapter_{self.case.name} 1 (\S+=\S+ ?)+\n$")
        self.assertIn(" " + self.case.library, done.stdout)
        self.assertEqual("stand-in" in done.stdout, self.case.stand_in)

    def test_outputs_are_the_librarys_and_the_hash_is_theirs(self):
        raw, out = self.folder / "in.raw", self.folder / "out.raw"
        raw.write_bytes(self.case.inputs())
        loaded, ran, again = self.ask("load 1 1 net", "run 1 3", "run 1 1", options=["--input", str(raw), "--output", str(out)])
        self.assertRegex(loaded, r"^ok \d+$")
        self.assertEqual(out.read_bytes(), self.case.gives(self.case.inputs()))
        self.assertRegex(ran, rf"^ok \d+ {hashlib.sha256(out.read_bytes()).hexdigest()}$")
        self.assertEqual(again.split()[2], ran.split()[2])

    def test_outputs_follow_the_seed_alone(self):
        one, same, other = (self.ask("load 1 1 net", "run 1 1", options=["--seed", seed])[1].split()[2] for seed in ("1", "1", "2"))
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_models_go_by_their_handles(self):
        self.write("other")
        answers = self.ask("load 1 1 net", "load 7 1 other", "load 7 1 net", "run 7 1", "unload 1", "run 1 1", "unload 1", "run 7 1", "load 1 1 net")
        self.assertEqual([answer.split()[0] for answer in answers], ["ok", "ok", "error", "ok", "ok", "error", "error", "ok", "ok"])
        self.assertEqual(answers[2], "error a model is loaded as 7 already")
        self.assertEqual(answers[5:7], ["error no model is loaded as 1"] * 2)

    def test_what_cannot_be_loaded_is_told_and_it_stays(self):
        broken = self.folder / ("broken" + self.case.suffix)
        broken.write_text("nothing of the kind")
        answers = self.ask("load 1 1 nowhere", "load 1 1 broken", "dance 1", "run x 1", "load 1 1 net", "run 1 1")
        self.assertTrue(answers[0].startswith(f"error {self.folder / ('nowhere' + self.case.suffix)}: no such file; "), answers[0])
        self.assertGreater(len(answers[0].split("no such file; ")[1]), 10)
        self.assertRegex(answers[1], r"^error .*\w+")
        self.assertTrue(answers[2].startswith("error unknown request dance"), answers[2])
        self.assertEqual([answer.split()[0] for answer in answers[3:]], ["error", "ok", "ok"])

    def test_batch_is_the_files(self):
        wrong = self.ask("load 1 2 net")[0]
        self.assertRegex(wrong, r"^error .*batch")
        if self.case.batches:
            self.write("net_b2", batch=2)
            self.assertEqual([answer.split()[0] for answer in self.ask("load 1 2 net", "run 1 1", "load 2 1 net")], ["ok"] * 3)

    def test_inputs_of_another_size_are_refused_with_both_sizes(self):
        raw = self.folder / "in.raw"
        raw.write_bytes(b"12345678")
        answer = self.ask("load 1 1 net", options=["--input", str(raw)])[0]
        self.assertTrue(answer.startswith(f"error {raw}: has 8 bytes, the inputs of net{self.case.suffix} ("), answer)
        self.assertTrue(answer.endswith(f" take {cases.COUNT * self.case.width}"), answer)

    def test_models_are_files_too(self):
        spaced = self.write("my net")
        opaque = {"tandem": "model/1", "name": "closed", "layers": [
            {"name": "data", "op": "input", "shape": [1, 5, 3, 3] if self.case.name in ("rknn", "edgetpu") else [1, *cases.EXTENTS]},
            {"name": "engine", "op": "opaque", "inputs": ["data"], "shape": [1, 4]}]}
        (self.folder / "net.model.json").write_text(json.dumps(opaque))
        answers = self.ask(f"load 1 1 {spaced}", f"load 2 1 {self.folder / 'net.model.json'}", f"load 3 1 {self.folder / 'net.anything'}",
                           "load 4 1 net", "run 2 1", f"load 5 1 {self.folder}/no.tflow", models=False)
        self.assertEqual([answer.split()[0] for answer in answers], ["ok", "ok", "ok", "error", "ok", "error"], answers)
        self.assertEqual(answers[3], f"error where is net{self.case.suffix}? --models DIR says it")
        self.assertTrue(answers[5].startswith(f"error {self.folder}/no.tflow is no {self.case.suffix} file, and there is no "
                                              f"{self.folder}/no{self.case.suffix} beside it; "), answers[5])

    def test_it_ends_at_the_end_of_its_input(self):
        done = self.start(requests="load 1 1 net\n")
        self.assertEqual((done.returncode, len(done.stdout.splitlines())), (0, 2), done.stdout + done.stderr)

    def test_library_that_is_not_there_is_told_in_place_of_the_greeting(self):
        if not self.case.says:
            self.skipTest("it is linked")
        if self.case.python and importlib.util.find_spec(self.case.library.split("=")[0]):
            self.skipTest("the real one is here")
        self.assertTrue(self.refusal(*self.case.missing, library=False).startswith("error " + self.case.says))

    def test_cores_that_are_not_there_are_told(self):
        self.assertTrue(self.refusal("--cores", "1000").startswith("error "))

    def test_unknown_options_are_refused(self):
        done = self.start("--nonsense", "1")
        self.assertNotEqual(done.returncode, 0)
        self.assertNotIn("tandem-unit", done.stdout)
        self.assertIn("--nonsense", done.stdout + done.stderr)

    @unittest.skipUnless(TANDEM_DEVICE, "no tandem-device")
    def test_it_is_a_unit_whose_results_say_what_ran_them(self):
        self.write("squeezenet_1_1")
        command = [*self.case.command, "--models", str(self.folder), *self.case.options]
        platform = self.folder / "desk.json"
        platform.write_text(json.dumps({"tandem": "platform/1", "name": "desk", "memories": [{"name": "dram"}], "units": [
            {"name": "it", "kind": "cpu", "memory": "dram", "backend": "command", "command": command}]}))
        done = subprocess.run([TANDEM_DEVICE, "infer", "squeezenet_1_1", "--platform", platform, "--unit", "it", "--repeat", "2", "--steps",
                               "--json", "--allow-commands"], capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "PYTHONPATH": str(cases.STAND_INS), "PYTHONDONTWRITEBYTECODE": "1"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"adapter_{self.case.name} 1 (", json.dumps(json.loads(done.stdout)))
        self.assertEqual("stand-in" in done.stdout, self.case.stand_in)


class Ncnn(Asked):
    case = CASES.get("ncnn")

    def test_shapes_that_the_file_has_not_are_asked_for(self):
        param = self.folder / "net.param"
        param.write_text("7767517\n1 1\nInput data 0 1 in0\n")
        self.assertEqual(self.ask("load 1 1 net")[0], "error ncnn does not find a shape of input in0 in "
                         f"{param}: --shape in0=CHANNELS,HEIGHT,WIDTH says it")
        for shape in ("in0=3,4,5", "60"):
            self.assertRegex(self.ask("load 1 1 net", options=["--shape", shape])[0], "^ok ")
        self.assertIn("at most three axes", self.ask("load 1 1 net", options=["--shape", "1,3,4,5"])[0])
        self.assertIn('--shape: "0,1" has no extents', self.refusal("--shape", "0,1"))

    def test_weights_are_beside(self):
        (self.folder / "net.bin").write_text("other things")
        self.assertEqual(self.ask("load 1 1 net")[0], f"error ncnn cannot read {self.folder / 'net.bin'}")
        (self.folder / "net.bin").unlink()
        self.assertIn("net.bin: no such file; ncnn's weights lie beside net.param", self.ask("load 1 1 net")[0])

    def test_a_library_of_another_kind_is_told(self):
        other = next(iter(BUILT.glob("*fake_tflite.*")))
        self.assertEqual(self.refusal("--library", str(other), library=False), "error the library has no ncnn_version; is it ncnn?")


class Tflite(Asked):
    case = CASES.get("tflite")

    def test_a_batch_that_the_file_leaves_open_is_made(self):
        (self.folder / "net.tflite").write_text("stand-in\ndata float32 1 2\n")
        raw, out = self.folder / "in.raw", self.folder / "out.raw"
        raw.write_bytes(cases.floats([1, 2, 3, 4, 5, 6]))
        self.ask("load 1 3 net", "run 1 1", options=["--input", str(raw), "--output", str(out)])
        self.assertEqual(out.read_bytes(), cases.floats([3, 5, 7, 9, 11, 13]))

    def test_bytes_are_inputs_and_other_numbers_are_refused(self):
        (self.folder / "net.tflite").write_text("stand-in\ndata int8 1 4\n")
        raw, out = self.folder / "in.raw", self.folder / "out.raw"
        raw.write_bytes(bytes([0, 1, 127, 255]))
        self.ask("load 1 1 net", "run 1 1", options=["--input", str(raw), "--output", str(out)])
        self.assertEqual(out.read_bytes(), bytes([255, 254, 128, 0]))
        (self.folder / "net.tflite").write_text("stand-in\nids int64 1 4\n")
        self.assertEqual(self.ask("load 1 1 net")[0], "error input ids is neither float32, int8 nor uint8")

    def test_a_delegate_runs_it_or_says_why_not(self):
        library = self.case.options[1]
        raw, out = self.folder / "in.raw", self.folder / "out.raw"
        raw.write_bytes(self.case.inputs())
        options = ["--delegate", library]
        self.ask("load 1 1 net", "run 1 1", options=[*options, "--input", str(raw), "--output", str(out)])
        values = array.array("f", self.case.inputs())
        self.assertEqual(out.read_bytes(), cases.floats([2 * value + 2 for value in values]))
        self.assertIn(f" delegate={pathlib.Path(library).name}", self.start(*options, requests="quit\n").stdout)
        lost = self.start(*options, requests="load 1 1 net\nquit\n", env={"FAKE_DELEGATE": "lost"})
        self.assertIn("error the delegate cannot start here", lost.stdout)
        self.assertIn("stand-in: no device", lost.stderr)
        self.assertIn("cannot load the delegate (/nowhere.so", self.refusal("--delegate", "/nowhere.so"))


class TensorRt(Asked):
    case = CASES.get("tensorrt")

    def engine(self, **about):
        (self.folder / "net.engine").write_text(json.dumps({"inputs": {"data": [1, 2]}, "type": "float32", **about}))

    def test_an_open_batch_is_made_as_far_as_the_engine_was_built(self):
        self.engine(inputs={"data": [-1, 2]}, most=4)
        answers = self.ask("load 1 4 net", "run 1 1", "load 2 5 net")
        self.assertEqual([answer.split()[0] for answer in answers], ["ok", "ok", "error"])
        self.assertIn("the engine net.engine was not built for inputs of 5x2", answers[2])

    def test_other_open_extents_are_asked_for(self):
        self.engine(inputs={"data": [-1, -1]})
        self.assertEqual(self.ask("load 1 1 net")[0], "error input data of net.engine has no fixed shape: --shape data=N,... says it")
        self.assertRegex(self.ask("load 1 1 net", options=["--shape", "data=1,6"])[0], "^ok ")

    def test_other_numbers_than_floats_are_inputs(self):
        self.engine(type="float16")
        self.assertEqual([answer.split()[0] for answer in self.ask("load 1 1 net", "run 1 1")], ["ok", "ok"])

    def test_what_is_on_the_card_is_given_back(self):
        self.engine(inputs={"data": [-1, 2]}, most=4)
        done = self.start(requests="load 1 1 net\nload 2 9 net\nload 3 1 net\nunload 3\nquit\n")
        self.assertIn("stand-in: 0 blocks are left", done.stderr)

    def test_a_card_without_room_is_told(self):
        self.assertRegex(self.ask("load 1 1 net", env={"FAKE_CUDA": "lost"})[0], "^error cudaMalloc failed: ")

    def test_an_engine_of_elsewhere_is_told(self):
        (self.folder / "net.engine").write_text("an engine of another version")
        self.assertIn("TensorRT 10.0.1+stand-in cannot read", self.ask("load 1 1 net")[0])

    def test_a_dla_that_is_not_there_is_told(self):
        self.assertEqual(self.refusal("--dla", "1", env={"FAKE_DLAS": "1"}), "error --dla 1: TensorRT finds 1 DLAs here")
        self.assertIn(" dla=0 ", self.start("--dla", "0", requests="quit\n", env={"FAKE_DLAS": "1"}).stdout)


class Rknn(Asked):
    case = CASES.get("rknn")

    def test_shapes_are_asked_for_or_read_of_the_models_description(self):
        described = self.folder / "net.model.json"
        described.write_text(json.dumps({"layers": [{"name": "data", "op": "input", "shape": [1, 5, 3, 3]}]}))  # channels first
        asked, read = self.ask("load 1 1 net", f"load 2 1 {described}", library=False, env={"PYTHONPATH": str(cases.STAND_INS)})
        self.assertEqual(asked, "error net.rknn does not tell the shape of its input: --shape N,H,W,C does, or a model.json beside it")
        self.assertRegex(read, "^ok ")
        described.write_text("{}")
        self.assertIn("is no model/1 file", self.ask(f"load 2 1 {described}", library=False, env={"PYTHONPATH": str(cases.STAND_INS)})[0])

    def test_a_shape_that_is_not_the_models_is_told_by_rknn(self):
        self.assertEqual(self.ask("load 1 1 net", options=["--shape", "1,9,9,9"])[0], "error RKNN could not run the model; its own words are above")

    def test_cores_of_the_npu_are_taken(self):
        done = self.start("--npu-cores", "0_1", requests="load 1 1 net\nquit\n")
        self.assertIn("stand-in: cores 3\n", done.stderr)
        self.assertIn("npu_cores=0_1", done.stdout)
        self.assertEqual(self.refusal("--npu-cores", "9"), "error --npu-cores: rknnlite knows no cores 9")

    def test_a_board_without_npu_is_told_and_the_model_given_back(self):
        done = self.start(requests="load 1 1 net\nquit\n", env={"FAKE_NPU": "lost"})
        self.assertIn("error RKNN could not start the NPU; its own words are above", done.stdout)
        self.assertIn("stand-in: released", done.stderr)


class EdgeTpu(Asked):
    case = CASES.get("edgetpu")

    def test_what_would_run_on_the_cpu_is_refused(self):
        plain = self.folder / "plain_edgetpu.tflite"
        plain.write_text("TFL3")
        self.assertEqual(self.ask("load 1 1 plain")[0], f"error {plain} is not compiled for the Edge TPU: edgetpu_compiler does that")

    def test_an_edge_tpu_that_is_not_there_is_told(self):
        self.assertEqual(self.refusal(env={"FAKE_TPU": "lost"}),
                         "error no Edge TPU can be opened by libedgetpu.so.1: Failed to load delegate from libedgetpu.so.1")

    def test_the_device_is_the_named_one(self):
        done = self.start("--device", "usb:1", requests="quit\n")
        self.assertIn("delegate libedgetpu.so.1 {'device': 'usb:1'}", done.stderr)
        self.assertIn(" device=usb:1 ", done.stdout)


class Onnx:
    """Of the libraries that read ONNX files, the real ones."""

    def test_an_open_first_extent_is_the_batch(self):
        self.case.write(self.folder / "net.onnx", 0)
        self.assertEqual([answer.split()[0] for answer in self.ask("load 1 1 net", "run 1 1", "load 2 3 net", "run 2 1")], ["ok"] * 4)

    def test_a_damaged_file_is_told(self):
        whole = (self.folder / "net.onnx").read_bytes()
        for size in range(0, len(whole) - 12, 3):
            (self.folder / "net.onnx").write_bytes(whole[:size])
            self.assertRegex(self.ask("load 1 1 net")[0], "^error .+", size)

    @unittest.skipUnless(TANDEM_DEVICE, "no tandem-device")
    def test_outputs_are_those_of_tandems_own_kernels(self):
        for batch in (1, 2):
            model = self.folder / ("squeezenet_1_1" + ("_b2" if batch == 2 else "") + ".onnx")
            raw, ours, theirs = (self.folder / name for name in ("in.raw", "ours.raw", "theirs.raw"))
            raw.write_bytes(cases.floats([(i * 7919 % 2001) / 1000 - 1 for i in range(batch * 3 * 224 * 224)]))
            subprocess.run([TANDEM, "models", "export", "squeezenet_1_1", "--batch", str(batch), "-o", model], check=True, capture_output=True)
            subprocess.run([TANDEM_DEVICE, "infer", model, "--unit", "reference", "--repeat", "1", "--input", raw, "--output", ours, "--force"],
                           check=True, capture_output=True)
            loaded, ran = self.ask(f"load 1 {batch} squeezenet_1_1", "run 1 1", options=["--input", str(raw), "--output", str(theirs)])
            self.assertRegex(loaded + " " + ran, r"^ok \d+ ok \d+ ")
            expect_alike(self, ours, theirs, batch * 1000)


    @unittest.skipUnless(TANDEM_DEVICE, "no tandem-device")
    @unittest.skipUnless(WRITES_TFLITE, "Python has no numpy or no flatbuffers, which the files are written with")
    def test_outputs_are_those_of_the_same_network_as_a_tensorflow_lite_file(self):
        for network in AS_TFLITE:
            with self.subTest(network):
                outputs = write_as_tflite(self.folder, network)
                raw, theirs = self.folder / "in.raw", self.folder / "theirs.raw"
                raw.write_bytes(cases.floats([(i * 7919 % 2001) / 1000 - 1 for i in range(3 * 224 * 224)]))
                loaded, ran = self.ask(f"load 1 1 {network}", "run 1 1", options=["--input", str(raw), "--output", str(theirs)])
                self.assertRegex(loaded + " " + ran, r"^ok \d+ ok \d+ ")
                for unit in (("--unit", "reference"), ("--cores", str(min(os.sched_getaffinity(0))))):
                    ours = self.folder / "ours.raw"
                    subprocess.run([TANDEM_DEVICE, "infer", self.folder / f"{network}.tflite", *unit, "--repeat", "1", "--input", raw,
                                    "--output", ours, "--force"], check=True, capture_output=True)
                    expect_near(self, ours, theirs, outputs)


def write_as_tflite(folder, network):
    """A network of the zoo as NETWORK.onnx and NETWORK.tflite, with the same random weights. How many numbers it gives."""
    sys.path.insert(0, str(SOURCE / "scripts" / "studies"))
    import tflite_write
    model, own = folder / f"{network}.onnx", folder / f"{network}_own"
    subprocess.run([TANDEM, "models", "export", network, "-o", model, "--force"], check=True, capture_output=True)
    subprocess.run([TANDEM, "models", "import", model, "-o", own, "--force"], check=True, capture_output=True)
    shown = json.loads(subprocess.run([TANDEM, "models", "show", model, "--json"], check=True, capture_output=True).stdout)
    shapes = {layer["name"]: layer["output_shape"] for layer in shown["layers"]}
    weights = tflite_write.read_safetensors(pathlib.Path(f"{own}.safetensors"))
    built = tflite_write.Builder(json.loads(pathlib.Path(f"{own}.json").read_text()), shapes, weights).build()
    tflite_write.write(built, folder / f"{network}.tflite")
    return math.prod(shown["layers"][-1]["output_shape"])


def expect_alike(test, ours, theirs, count):
    one, other = (array.array("f", path.read_bytes()) for path in (ours, theirs))
    test.assertEqual((len(one), len(other)), (count, count))
    test.assertGreater(max(one), 2 * min(one))  # not all the same
    test.assertLessEqual(max(abs(a - b) / max(abs(a), 1e-3) for a, b in zip(one, other)), ALIKE)


def expect_near(test, ours, theirs, count):
    """In the l2 norm, as the harness and scripts/studies/tflite_runtime compare networks: deep ones have outputs near to nothing."""
    one, other = (array.array("f", path.read_bytes()) for path in (ours, theirs))
    test.assertEqual((len(one), len(other)), (count, count))
    size = math.sqrt(sum(value * value for value in other))
    test.assertGreater(math.sqrt(sum((value - sum(other) / count) ** 2 for value in other)), 0.01 * size)  # not all the same
    test.assertLessEqual(math.sqrt(sum((a - b) ** 2 for a, b in zip(one, other))), NEAR * size)


class RealTflite(Asked):
    """Networks as TensorFlow Lite files, by the real library."""
    case = CASES.get("tflite")

    def test_outputs_are_those_of_tandems_own_kernels(self):
        library = os.environ.get("TANDEM_TFLITE_LIBRARY")
        if not (library and TANDEM_DEVICE and WRITES_TFLITE):
            self.skipTest("no TANDEM_TFLITE_LIBRARY, or no flatbuffers or numpy")
        import numpy
        for network in (*AS_TFLITE, *BY_TFLITE_ALONE):
            with self.subTest(network):
                outputs = write_as_tflite(self.folder, network)
                images = numpy.random.RandomState(1).uniform(-1, 1, (1, 3, 224, 224)).astype(numpy.float32)
                (self.folder / "first.raw").write_bytes(images.tobytes())
                (self.folder / "last.raw").write_bytes(numpy.ascontiguousarray(images.transpose(0, 2, 3, 1)).tobytes())
                ours, theirs = self.folder / "ours.raw", self.folder / "theirs.raw"
                subprocess.run([TANDEM_DEVICE, "infer", self.folder / f"{network}.tflite", "--unit", "reference", "--repeat", "1", "--input",
                                self.folder / "first.raw", "--output", ours, "--force"], check=True, capture_output=True)
                options = ["--library", library, "--input", str(self.folder / "last.raw"), "--output", str(theirs)]
                self.ask(f"load 1 1 {network}", "run 1 1", options=options, library=False)
                expect_near(self, ours, theirs, outputs)


for case in CASES.values():
    name = "ProtocolOf_" + case.name
    globals()[name] = type(name, (Protocol, Asked), {"case": case})
    if case.suffix == ".onnx" and not case.stand_in:
        globals()["OnnxBy_" + case.name] = type("OnnxBy_" + case.name, (Onnx, Asked), {"case": case})

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
