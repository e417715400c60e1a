#!/usr/bin/env python3
"""Do the scripts that bring tandem to other processors say what they leave out, and take nothing old for new? On programs
that only answer as the real ones do: nothing is built here.

usage: packages_test.py SOURCE_DIR
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
PACKAGES = SOURCE / "scripts" / "packages"

CONFIGURED = """-- The CXX compiler identification is GNU 12.2.0
-- protobuf: on (3.21.12): Caffe models are read
-- ONNX: on (1.12.0): ONNX models are read
-- FlatBuffers: on (2.0.8): TensorFlow Lite models are read
-- SQLite: on (3.40.1): exports of Nsight Systems are read
-- CLI11: on (2.1.2): the programs have their command lines
-- SimGrid: on (3.32): the program tandem is built
-- COIN-OR Clp: on (1.17.6): linear programs give lower bounds
-- MPI: off, as asked: under mpirun each rank of tandem sweep takes a fixed share
-- oneDNN: on (2.6.3): tandem-device has its cpu backend
-- XNNPACK: on (0.0~git20220216.ae108ef): the cpu backend takes its convolutions where they are faster
"""
TESTED = """98% tests passed, 2 tests failed out of 100

The following tests did not run:
\t  7 - device.OnnxAdapter.HashIsThatOfTheOutputsBytes (Skipped)

The following tests FAILED:
\t 11 - terminal.IsTreatedWell (Failed)
\t 12 - docs.SayWhatTheProgramSays (Timeout)           slow
Errors while running CTest
"""
# As tandem does: the same bytes of what it can simulate, on both processors or on one alone.
TANDEM = """#!/bin/sh
case $2 in *broken*) echo "broken: is wrong" >&2; exit 2 ;; esac
case "$0 $2" in *there*other-bytes*) echo more ;; esac
echo "$2"
case $2 in *invalid*) exit 1 ;; esac
"""


class Scripts(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)

    def write(self, name, text, program=False):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if program:
            path.chmod(0o755)
        return path

    def run_script(self, *words, path=None):
        environment = {**os.environ, "PATH": os.pathsep.join([*([str(path)] if path else []), os.environ["PATH"]])}
        return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=120, check=False,
                              env=environment)


class Sysroot(Scripts):
    def make(self, wanted):
        self.write("root/complete", wanted)
        asked = self.folder / "asked"
        self.write("bin/apt-get", f'#!/bin/sh\ntouch "{asked}"\n', program=True)
        done = self.run_script(PACKAGES / "sysroot", "arm64", self.folder / "root", path=self.folder / "bin")
        return done, asked.exists()

    def test_one_of_the_packages_that_are_wanted_is_left_as_it_is(self):
        wanted = self.run_script(PACKAGES / "sysroot", "arm64", "--list")
        self.assertEqual(wanted.returncode, 0, wanted.stderr)
        self.assertIn("libxnnpack-dev", wanted.stdout.split())
        done, asked = self.make(wanted.stdout)
        self.assertEqual((done.returncode, asked), (0, False), done.stderr)

    def test_one_of_other_packages_is_made_anew_and_stays_until_that_is_there(self):
        for wanted in ("", "Debian arm64\nlibc6-dev\n"):
            done, asked = self.make(wanted)
            self.assertEqual((done.returncode, asked), (3, True), "apt that knows no mirror was asked: " + done.stderr)
            self.assertTrue((self.folder / "root/complete").exists())


class Bundle(Scripts):
    def bundle(self, library, starts=0):
        scripts = self.folder / "scripts"
        scripts.mkdir(exist_ok=True)
        shutil.copy(SOURCE / "scripts" / "device_bundle", scripts)
        self.write("scripts/package", f"""#!/bin/sh
cd "$5" && mkdir -p made/tandem-device-0.1.0-linux-aarch64/lib && touch made/tandem-device-0.1.0-linux-aarch64/lib/{library}
tar -czf tandem-device-0.1.0-linux-aarch64.tar.gz -C made tandem-device-0.1.0-linux-aarch64 && rm -r made
""", program=True)
        self.write("scripts/packages/try_under_qemu", f"#!/bin/sh\necho tried \"$1\"\nexit {starts}\n", program=True)
        self.write("emulator/qemu-aarch64-static", "#!/bin/sh\n", program=True)
        self.write("emulator/uname", "#!/bin/sh\necho x86_64\n", program=True)
        done = self.run_script(scripts / "device_bundle", "aarch64", self.folder / "out", path=self.folder / "emulator")
        self.assertEqual(done.returncode, starts, done.stderr)
        self.assertIn(f"tried {self.folder.resolve()}/out/tandem-device-0.1.0-linux-aarch64.tar.gz", done.stdout)
        return sorted(file.name for file in (self.folder / "out/tandem-device-0.1.0-linux-aarch64/lib").iterdir())

    def test_the_folder_has_nothing_of_an_older_one(self):
        self.assertEqual(self.bundle("libold.so.1"), ["libold.so.1"])
        self.assertEqual(self.bundle("libnew.so.2"), ["libnew.so.2"])

    def test_one_that_does_not_start_under_the_emulator_is_a_failure(self):
        self.bundle("libold.so.1", starts=1)

    def test_processors_of_32_bits_are_refused_with_the_page_that_says_why(self):
        for name in ("armhf", "armv7l", "i686"):
            done = self.run_script(SOURCE / "scripts" / "device_bundle", name, self.folder / "out")
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"{name} has 32 bits", done.stderr)
            self.assertIn("docs/packages.md#32-bit-processors", done.stderr)

    def start(self, *words, cwd=None):
        """By the script that stands in bin/ as tandem-device, where there is no other program."""
        return subprocess.run(["/bin/sh", *words] if words[0] == "tandem-device" else words, capture_output=True, text=True,
                              timeout=60, check=False, cwd=cwd, env={"PATH": "/nowhere"})

    def unpack(self, works):
        starter = (PACKAGES / "tandem-device.sh").read_text(encoding="utf-8").replace("LOADER", "ld-linux-aarch64.so.1")
        self.write("board/bin/tandem-device", starter, program=True)
        self.write("board/bin/tandem-device.program", "#!/bin/sh\n" + ("" if works else "exit 127\n") + 'echo "program: $*"\n',
                   program=True)
        self.write("board/own/ld-linux-aarch64.so.1", '#!/bin/sh\necho "loader: $*"\n', program=True)
        return self.folder / "board/bin"

    def test_the_program_starts_where_there_is_nothing_but_a_shell(self):
        place = self.unpack(works=True)
        for words, cwd in (([str(place / "tandem-device"), "info"], None), (["bin/tandem-device", "info"], place.parent),
                           (["tandem-device", "info"], place)):
            done = self.start(*words, cwd=cwd)
            self.assertEqual(done.stdout, "program: info\n", f"{words}: {done.stderr}")

    def test_with_a_c_library_that_is_too_old_it_starts_with_its_own(self):
        place = self.unpack(works=False)
        done = self.start(str(place / "tandem-device"), "infer", "a b")
        self.assertIn("loader: --library-path", done.stdout)
        self.assertIn("tandem-device.program infer a b", done.stdout)

    def test_a_link_to_it_starts_it_too(self):
        place = self.unpack(works=True)
        (self.folder / "anywhere").symlink_to(place / "tandem-device")
        self.assertEqual(self.run_script(self.folder / "anywhere", "info").stdout, "program: info\n")


class Simulations(Scripts):
    def compare(self, **scenarios):
        for name, content in scenarios.items():
            self.write(f"scenarios/some/{name}.scenario.json", json.dumps(content))
        here, there = (self.write(f"{place}/tandem", TANDEM, program=True) for place in ("here", "there"))
        done = self.run_script(PACKAGES / "same_simulations", self.folder, self.folder / "out.json", here, there)
        return done, json.loads((self.folder / "out.json").read_text(encoding="utf-8"))

    def test_what_needs_a_device_is_counted_with_its_reason(self):
        done, found = self.compare(known={"profiles": ["zcu102"]}, measured={"platform": "device"})
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(found["same"], ["scenarios/some/known.scenario.json"])
        self.assertIn("1 of 2 simulations, 1 need a device, 0 fail", done.stdout)
        self.assertIn("measured.scenario.json: needs a device", done.stdout)

    def test_an_invalid_stream_is_an_answer(self):
        done, found = self.compare(invalid={"profiles": ["zcu102"]})
        self.assertEqual((done.returncode, found["failed"]), (0, {}))

    def test_what_fails_or_differs_is_a_failure(self):
        done, found = self.compare(known={"profiles": []}, broken={"profiles": []}, **{"other-bytes": {"profiles": []}})
        self.assertEqual(done.returncode, 1)
        self.assertEqual(found["failed"], {"scenarios/some/broken.scenario.json": "here it ends with 2: broken: is wrong",
                                           "scenarios/some/other-bytes.scenario.json": "gives other bytes there"})


# As tandem and tandem-device do: names of models, and what comes out of one, as float.
ZOO = """#!/bin/sh
if [ "$1" = models ]; then echo '[{"name": "same"}, {"name": "rounded"}, {"name": "other"}, {"name": "stuck"}]'; exit; fi
while [ $# -gt 0 ]; do case $1 in infer) model=$2 ;; --output) to=$2 ;; esac; shift; done
case "$0 $model" in *there*stuck) echo "cannot do that" >&2; exit 3 ;; esac
case "$0 $model" in
  *there*rounded) printf '\\001\\000\\200\\077' >"$to" ;;
  *there*other) printf '\\000\\000\\000\\100' >"$to" ;;
  *) printf '\\000\\000\\200\\077' >"$to" ;;
esac
"""


class Outputs(Scripts):
    def test_of_models_may_differ_by_rounding_alone(self):
        here, there = (self.write(f"{place}/tandem", ZOO, program=True) for place in ("here", "there"))
        done = self.run_script(PACKAGES / "same_outputs", self.folder / "out.json", here, here, there)
        self.assertEqual(done.returncode, 1, done.stderr)
        found = json.loads((self.folder / "out.json").read_text(encoding="utf-8"))
        self.assertEqual(found["errors"]["same"], 0)
        self.assertAlmostEqual(found["errors"]["rounded"], 2**-23)
        self.assertEqual(found["failed"], {"other": "is 1.0e+00 off", "stuck": "ends with 3: cannot do that"})
        self.assertIn("2 of 4 models", done.stdout)
        self.assertEqual(self.run_script(PACKAGES / "same_outputs", self.folder / "out.json", here, here, here).returncode, 0)

    def test_what_was_compared_before_an_interruption_is_not_run_again(self):
        killed = ZOO.replace("cannot do that", "") + 'case "$model" in other) kill -9 $PPID; exit ;; esac\necho "$model" >>"$(dirname "$0")/ran"\n'
        here = self.write("here/tandem", killed, program=True)
        one_core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]  # one after another
        words = [*one_core, sys.executable, str(PACKAGES / "same_outputs"), str(self.folder / "out.json"), *[str(here)] * 3]
        self.assertEqual(subprocess.run(words, capture_output=True, check=False).returncode, -9)
        self.assertFalse((self.folder / "out.json").exists())
        when = here.stat()
        self.write("here/tandem", killed.replace("kill -9 $PPID; exit", ":"), program=True)
        os.utime(here, ns=(when.st_atime_ns, when.st_mtime_ns))
        (self.folder / "here" / "ran").unlink()
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("4 of 4 models", done.stdout)
        self.assertEqual((self.folder / "here" / "ran").read_text(encoding="utf-8"), "other\nother\nstuck\nstuck\n")
        self.assertFalse((self.folder / "out.rows").exists())


class Page(Scripts):
    def page(self, configured=CONFIGURED, werror="ON", *more):
        self.write("tree/configure.log", configured)
        self.write("tree/CMakeCache.txt", f"TANDEM_WERROR:BOOL={werror}\n")
        self.write("tree/tests.log", TESTED)
        self.write("tree/simulations.json", json.dumps({"same": ["a", "b"], "failed": {}, "skipped": {"c": "needs a device"}}))
        return self.run_script(PACKAGES / "arm64_page", self.folder / "tree", "--built-by", "a compiler", "--run-by",
                               "an emulator", "--written", "a day", *more)

    def test_it_says_what_was_built_and_what_was_left_out(self):
        text = self.page().stdout
        self.assertIn("| 2 of 3, 1 need a device |", text)
        self.assertIn("cross-built by a compiler, warnings being errors,", text)
        self.assertIn("| built with | protobuf (3.21.12), ONNX (1.12.0),", text)
        self.assertIn("| built without | MPI |", text)
        self.assertIn("the label `slow`", text)
        self.assertIn("but for rounding | not run (`--zoo`) |", text)
        self.assertIn("warnings being no errors", self.page(werror="OFF").stdout)

    def test_the_outputs_of_models_are_told_where_they_were_compared(self):
        self.write("tree/outputs.json", json.dumps({"errors": {"a": 1e-7, "b": 3e-7, "c": 0.5}, "failed": {"c": "is 5.0e-01 off"}}))
        text = self.page().stdout
        self.assertIn("but for rounding | 2 of 3, 3.0e-07 off at most |", text)
        self.assertIn("- `c`: is 5.0e-01 off", text)

    def test_a_test_stands_under_not_run_or_under_failed(self):
        text = self.page().stdout
        not_run, failed = text.split("\nFailed:\n")
        self.assertIn("`device.OnnxAdapter.HashIsThatOfTheOutputsBytes`: Skipped", not_run)
        self.assertIn("`install.MovedTreeFindsItsData`: ", not_run)
        for name in ("terminal.IsTreatedWell", "docs.SayWhatTheProgramSays"):
            self.assertIn(f"`{name}`", failed)
            self.assertNotIn(f"`{name}`", not_run)

    def test_what_failed_and_was_run_again_is_told_beside_what_failed(self):
        self.write("tree/again.log", "50% tests passed, 1 tests failed out of 2\n\nThe following tests FAILED:\n"
                   "\t 17 - terminal.IsTreatedWell (Failed)\nErrors while running CTest\n")
        text = self.page().stdout
        first = [line for line in TESTED.splitlines() if "tests passed" in line][-1]
        self.assertIn(f"| tests | {first}; of these, run once more after mends: 50% tests passed, 1 tests failed out of 2 |", text)
        failed = text.split("\nFailed:\n")[1]
        self.assertIn("`terminal.IsTreatedWell`", failed)
        self.assertNotIn("docs.SayWhatTheProgramSays", failed)

    def test_it_is_not_written_of_a_build_without_what_is_wanted(self):
        for line in ("-- XNNPACK: off, not found (libxnnpack-dev): nothing\n", ""):
            lacking = "".join(one + "\n" for one in CONFIGURED.splitlines() if "XNNPACK" not in one) + line
            for more in ((), ("--check",)):
                done = self.page(lacking, "ON", *more)
                self.assertEqual((done.returncode, done.stdout), (3, ""))
                self.assertIn("was built without XNNPACK", done.stderr)
        self.assertEqual(self.page(CONFIGURED, "ON", "--check").returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
