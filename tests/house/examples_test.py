#!/usr/bin/env python3
"""Does every example that somebody may copy do what it promises?

usage: examples_test.py SOURCE_DIR TANDEM_PROGRAM [TANDEM_DEVICE_PROGRAM] [--only WORDS]

An example is a line under "Examples:" in the --help of a command of either program, or a command line that stands by
itself in README.md or docs/*.md. Each runs in a fresh copy of a folder that holds the files that examples name, all of
them made here. With --only the examples that contain these words.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time

SECONDS = 600  # for one example: an unoptimised build with a sanitizer is slow
PROGRAMS = ("tandem", "tandem-device")
SESSION = "<!-- session -->"  # such a page is run as a whole, in its own folder: scripts/docs --check

# What an example ends with where that is not 0: the example shows a mistake, or asks what the machine decides.
ENDS_WITH = {
    "tandem check typo.scenario.json": (2,),
    "tandem validate mine.scenario.json": (0, 1),  # 1: a machine at work on other things measured another winner
    "tandem validate mine.scenario.json --html mine.html": (0, 1),
    "tandem validate mine.scenario.json --trace both.trace.json": (0, 1),
    "tandem validate mine.scenario.json --profile jetson/measured.profile.json --policy eft --repeat 9": (0, 1),
    "tandem validate mine.scenario.json --bar 5 --strict --repeat 9": (0, 1),
    "tandem compare predicted.trace.json measured.trace.json --bar 5 --strict": (0, 1),
    # Nothing is proved of a stream that gives way to others.
    "tandem worst critical-brake --policy fcfs --what-if streams.brake.critical=false": (1,),
}

# Words of examples that cannot be run here, and why. Each has an example, or this list is old.
CANNOT = {
    "ssh jetson": "needs a board and a network",
    "boards install": "needs a board and a network",
    "/usr/share/doc/": "needs the package to be installed: the install test runs it from a folder",
    "tandem regress shipped": "simulates all that is shipped, which .ci/run does",
    "shipped.baseline.json": "simulates all that is shipped, which .ci/run does",
    "tandem validate this-machine": "measures for minutes; scripts/run runs it with a budget",
    "tandem-device handover": "needs a unit with a memory of its own: a card",
    "--unit gpu0": "needs a card",
    "--platform desk.json --unit ort": "needs ONNX Runtime",
    "nvpmodel": "needs a Jetson",
    "info --idle": "measures the whole machine at rest, which a machine that runs tests is not",
    "--cores 0,1": "needs two cores for itself",
    "--load 40,60": "loads the machine on purpose, for minutes",
    "tandem-device profile --model squeezenet_1_1": "measures for 20 seconds what other tests measure in one",
    "| parallel tandem": "needs GNU parallel; scripts/sweeps/check runs it",
    "--model vgg16": "takes minutes in a debug build",
    "tandem-device infer resnet50": "takes minutes in a debug build; smaller models are run",
}


def is_synopsis(line):
    """`tandem plan SCENARIO [-o PLAN]` says what there is to choose."""
    words = re.sub(r'"[^"]*"', "", line)
    return re.search(r"\[|\.\.\.|(?<![\w./-])[A-Z]{2,}(?![\w./-])", words) is not None


def program_of(line):
    words = line.split(maxsplit=1)
    return words[0] if words and words[0] in PROGRAMS else None


def in_pages(source):
    """Lines by themselves: fenced or indented, perhaps after a prompt."""
    for page in [source / "README.md", *sorted(source.glob("docs/*.md"))]:
        if SESSION in page.read_text(encoding="utf-8"):
            continue
        fenced = False
        for number, text in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
            if text.startswith("```"):
                fenced = not fenced
                continue
            if not fenced and not text.startswith("    "):
                continue
            line = text.strip()
            prompted = line.startswith("$ ")
            line = line[2:] if prompted else line
            if (prompted or not fenced) and program_of(line) and not is_synopsis(line):
                yield f"{page.name}:{number}", re.sub(r"\s+# .*", "", line)


def help_of(program, words):
    return subprocess.run([program, *words, "--help"], capture_output=True, text=True, timeout=60, check=True).stdout


def commands_in(text):
    """The names under the heading of subcommands in a help."""
    names, listed = [], False
    for line in text.splitlines():
        if re.match(r"(?i)subcommands:", line):
            listed = True
        elif listed and (found := re.match(r"  ([a-z][a-z-]*)(\s|$)", line)):
            names.append(found[1])
        elif listed and line and not line.startswith(" "):
            listed = False
    return names


def in_help(name, program, words=()):
    text = help_of(program, words)
    _, _, examples = text.partition("\nExamples:")
    examples = re.sub(r" \\\n *", " ", examples)
    if len([line for line in examples.splitlines() if program_of(line.strip())]) < 2:
        raise SystemExit(f"{' '.join([name, *words])} --help: ends with fewer than two examples")
    for line in examples.splitlines():
        if program_of(line.strip()):
            yield " ".join([name, *words, "--help"]), line.strip()
    for command in commands_in(text):
        yield from in_help(name, program, (*words, command))


def field(number, content):
    """A field of a protobuf message that holds bytes."""
    def varint(value):
        head = [value & 0x7F]
        while value := value >> 7:
            head[-1] |= 0x80
            head.append(value & 0x7F)
        return bytes(head)
    return varint(number << 3 | 2) + varint(len(content)) + content


def caffe_weights():
    """Of one InnerProduct of 4 values to 3, without a bias."""
    shape = field(7, field(1, bytes([3, 4])))
    numbers = field(5, struct.pack("<12f", *range(12)))
    layer = field(1, b"fc") + field(2, b"InnerProduct") + field(7, shape + numbers)
    return field(1, b"small") + field(100, layer)


def burn():
    """Each second of a unit that works all the time, is held back to 400 of 1000 MHz at 72 degrees, and has them again at 68."""
    celsius, mhz = 30.0, 1000
    for second in range(300):
        yield second, round(celsius, 2), mhz
        celsius += (30 + 60 * mhz / 1000 - celsius) / 40
        mhz = 400 if celsius >= 72 else 1000 if celsius <= 68 else mhz


CAFFE_NET = """name: "small"
layer { name: "data" type: "Input" top: "data" input_param { shape { dim: 1 dim: 4 dim: 1 dim: 1 } } }
layer { name: "fc" type: "InnerProduct" bottom: "data" top: "fc" inner_product_param { num_output: 3 bias_term: false } }
"""

SCENARIO = {
    "tandem": "scenario/1", "name": "mine", "transfer": "none", "policies": ["fcfs", "eft"],
    "platform": {"name": "mine", "memories": [{"name": "dram"}],
                 "units": [{"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "reference"}]},
    "streams": [{"name": "small", "model": "./net.json", "count": 4, "arrival": {"type": "offline"}}]}


class Kitchen:
    """The folder with everything that examples name."""

    def __init__(self, source, programs, folder):
        self.source, self.programs, self.folder = source, programs, folder
        self.missing = {}  # a file that this build cannot make, and why

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else
                         (content if isinstance(content, str) else json.dumps(content)).encode())

    def environment(self):
        """The programs are found by their names."""
        return {**os.environ, "PATH": os.pathsep.join([str(self.folder.parent / "bin"), os.environ["PATH"]])}

    def run(self, name, *words):
        run = subprocess.run([self.programs[name], *words], cwd=self.folder, capture_output=True, text=True, timeout=SECONDS,
                             check=False, stdin=subprocess.DEVNULL, env=self.environment())
        if run.returncode != 0:
            raise RuntimeError(f"{name} {' '.join(words)}: {run.stderr.strip()}")
        return run.stdout

    def layers(self, model):
        return [layer["name"] for layer in json.loads(self.run("tandem", "models", "show", model, "--json"))["layers"]
                if layer["op"] != "input"]

    def models(self):
        shutil.copy(self.source / "tests/data/diamond.model.json", self.folder / "net.json")
        self.write("in.raw", struct.pack("<4f", 1, 2, 3, 4))
        self.write("deploy.prototxt", CAFFE_NET)
        self.write("net.caffemodel", caffe_weights())
        formats = self.run("tandem", "models", "import", "--help")
        if ".prototxt" not in formats:
            self.missing["deploy.prototxt"] = "built without Caffe"
        if ".onnx" not in self.run("tandem", "models", "export", "--help").partition("Formats:")[2].partition("\n")[0]:
            self.missing[".onnx"] = "built without ONNX"
        else:
            self.run("tandem", "models", "export", "net.json", "-o", "net.onnx")

    def dumps(self):
        rows = [{"count": 1}] + [{"name": name, "timeMs": 0.5, "averageMs": 0.5, "medianMs": 0.5, "percentage": 1}
                                 for name in self.layers("resnet50")]
        self.write("profile.json", rows)
        self.write("dump.json", rows)
        self.write("caffe.log", "Average time per layer:\n" + "".join(
            f"{name}\tforward: 0.5 ms.\n" for name in self.layers("googlenet")))
        heading = "layerName;execStatus;layerType;execType;realTime (ms);cpuTime (ms);\n"
        self.write("counters.csv", heading + "whole;EXECUTED;Convolution;jit_FP32;0.5;0.5;\nTotal;;;;0.5;0.5;\n")
        self.write("perf.csv", "Concurrency,Inferences/Second,Server Queue,Server Compute Input,Server Compute Infer,"
                               "Server Compute Output,p50 latency\n1,69.2,64,206,11781,19,13891\n")
        self.nsys_export("report.sqlite", "forward", self.layers("resnet50"))
        self.write("names.json", {"tandem": "layer-map/1", "map": {"whole": self.layers("net.json")}})

    def nsys_export(self, name, around, layers):
        """A kernel for each layer, launched in a range of its name, in one inference."""
        process = 77 << 24
        tables = {
            "META_DATA_EXPORT (name, value)": [("EXPORT_SCHEMA_VERSION", "3.15.1")],
            "StringIds (id, value)": [(1, "kernel")],
            "NVTX_EVENTS (start, end, eventType, text, globalTid)":
                [(0, 10 * len(layers), 59, around, process)] +
                [(10 * at, 10 * at + 9, 59, layer, process) for at, layer in enumerate(layers)],
            "CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId)":
                [(10 * at + 1, 10 * at + 3, process, at) for at in range(len(layers))],
            "CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, globalPid, correlationId, shortName)":
                [(10**6 + 1000 * at, 10**6 + 1000 * at + 900, 0, process, at, 1) for at in range(len(layers))]}
        database = sqlite3.connect(self.folder / name)
        for table, rows in tables.items():
            database.execute(f"CREATE TABLE {table}")
            database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        database.commit()
        database.close()
        words = ("profiles", "import", name, "--model", "resnet50", "--platform", "jetson-tx1", "--unit", "gpu")
        tried = subprocess.run([self.programs["tandem"], *words], cwd=self.folder, capture_output=True, text=True,
                               timeout=60, check=False)
        if "built without SQLite" in tried.stderr:
            self.missing[name] = "built without SQLite"

    def boards(self):
        platform = {"tandem": "platform/1", **SCENARIO["platform"]}
        for name in ("b.json", "board.json", "board.platform.json"):
            self.write(name, platform)
        self.write("copied-board/sys/devices/system/cpu/online", "0-3\n")
        spec = json.loads((self.source / "profiles/boards/exynos5422.estimate.json").read_text(encoding="utf-8"))
        self.write("my-board.estimate.json", dict(spec, models=["squeezenet_1_1"]))

    def measured(self):
        """A profile of this machine, without which its plans are not taken; without tandem-device one that is made up."""
        self.write("scenario.json", SCENARIO)
        if "tandem-device" in self.programs:
            self.write("jetson/measured.profile.json",
                       self.run("tandem-device", "profile", "scenario.json", "--budget", "1"))
        else:
            self.write("jetson/measured.profile.json", {
                "tandem": "profile/1", "platform": "mine", "origin": {"kind": "estimated", "method": "made up"},
                "entries": [{"model": "../net.json", "unit": "cpu", "layers": "*", "median_us": 100}]})
        shutil.copy(self.folder / "jetson/measured.profile.json", self.folder / "mine.profile.json")
        profile = json.loads((self.folder / "mine.profile.json").read_text(encoding="utf-8"))
        for entry in profile["entries"]:
            entry["model"] = "./net.json"
        self.write("mine.profile.json", profile)
        for name in ("monday", "friday", "old", "new"):
            self.write(f"{name}.profile.json", profile)
        profile["entries"] = [dict(entry, model="../net.json") for entry in profile["entries"]]
        self.write("jetson/measured.profile.json", profile)

    def scenarios(self):
        mine = dict(SCENARIO, profiles=["./mine.profile.json"])
        for name in ("mine.scenario.json", "scenario.json"):
            self.write(name, mine)
        self.write("typo.scenario.json", dict(mine, streams=[dict(mine["streams"][0], model="resnet5")]))
        (self.folder / "ci").mkdir()
        self.run("tandem", "new", "baseline", "study-003", "mine.scenario.json", "-o", "ci.baseline.json")

    def plans(self):
        for name in ("mine", "fcfs", "eft"):
            policy = "eft" if name == "eft" else "fcfs"
            self.run("tandem", "plan", "mine.scenario.json", "--policy", policy, "--engine", "virtual", "-o", f"{name}.plan.json")
        self.run("tandem", "plan", "study-003", "--policy", "eft", "--engine", "virtual", "-o", "study.plan.json")

    def burnt(self):
        """What a device says of a run, with what its sensors would have told had it been long and hot."""
        shutil.copy(self.folder / "mine.plan.json", self.folder / "burn.plan.json")
        names = ("burn.json", "burn.run-result.json")
        if "tandem-device" not in self.programs:
            self.missing.update({name: "needs tandem-device" for name in names})
            return
        result = json.loads(self.run("tandem-device", "run", "burn.plan.json", "--json"))
        result["runs"][0]["moments"] = [{"at_ns": second * 10**9, "celsius": {"cpu-thermal": celsius}, "mhz": {"cpu": mhz}}
                                        for second, celsius, mhz in burn()]
        for name in names:
            self.write(name, result)

    def traces(self):
        for name in ("predicted", "measured", "run"):
            self.run("tandem", "simulate", "mine.scenario.json", "--engine", "virtual", "--trace", f"{name}.trace.json")
        self.run("tandem", "simulate", "study-003", "--policy", "fcfs", "--engine", "virtual", "--trace", "fcfs.trace.json")
        self.write("simulated.json", self.run("tandem", "simulate", "mine.scenario.json", "--engine", "virtual", "--json"))
        self.write("jetson/calibration.json", self.run("tandem", "compare", "predicted.trace.json", "measured.trace.json", "--json"))
        shutil.copy(self.folder / "measured.trace.json", self.folder / "jetson/measured.trace.json")

    def sweeps(self):
        """And rows of them, for those that only look at rows."""
        self.run("tandem", "new", "sweep", "mine.scenario.json", "-o", "mine.sweep.json", "--policy", "fcfs,eft")
        for spec in ("mine.sweep.json", "study-003-counts"):
            self.run("tandem", "sweep", spec, "-o", "rows")

    def tables(self):
        """Of whole models' times, and what `tandem-device store` takes."""
        self.write("times.csv", "model,cpu_ms,gpu_ms\nresnet50,400,20\nsqueezenet_1_1,30,3\n")
        self.write("burn.csv", "time_s,celsius,mhz\n" + "".join(f"{second},{celsius},{mhz}\n" for second, celsius, mhz in burn()))
        self.write("long.csv", "model,unit,time_us\nresnet50,cpu,400000\nresnet50,gpu,20000\n")
        self.run("tandem", "new", "platform", "--unit", "cpu", "--unit", "gpu", "-o", "myboard.platform.json")
        self.run("tandem", "new", "scenario", "--table", "times.csv", "-o", "quick.scenario.json")
        offer = json.dumps({"tandem": "store-request/1", "files": []})
        self.write("offer.txt", f"{len(offer)}\n{offer}")

    def lab(self):
        """Of two boards that are this machine, one of them reached by a script beside the lab's file."""
        self.write("reach-tx2", '#!/bin/sh\nexec "$@"\n')
        (self.folder / "reach-tx2").chmod(0o755)
        self.write("lab.boards.json", {
            "tandem": "boards/1", "name": "the shelf",
            "boards": [{"name": "nano", "command": "tandem-device"},
                       {"name": "tx2", "command": "./reach-tx2 tandem-device"}]})
        self.write("request.json", {"tandem": "profile-request/1", "platform": "device", "models": ["./net.json"],
                                    "budget_s": 1})
        stores = ("lab-store", "monday-store", "friday-store")
        if "tandem-device" not in self.programs:
            self.missing.update(dict.fromkeys(stores, "built without tandem-device"))
            return
        for store in stores:
            self.run("tandem", "profiles", "measure", "request.json", "--boards", "lab.boards.json", "-o", store)
            time.sleep(1)  # a date has whole seconds, and of two of one date neither is the later

    def prepare(self):
        for step in (self.models, self.dumps, self.boards, self.measured, self.scenarios, self.plans, self.burnt, self.traces,
                     self.sweeps, self.tables, self.lab):
            step()

    def why_not(self, line):
        """Why the example cannot be run here; nothing: it can."""
        reasons = [why for words, why in CANNOT.items() if words in line]
        reasons += [why for file, why in self.missing.items() if file in line]
        needs_device = "tandem-device" in line or "tandem validate" in line
        if needs_device and "tandem-device" not in self.programs:
            reasons.append("built without tandem-device")
        return reasons[0] if reasons else None

    def try_out(self, line, folder):
        """What went wrong; nothing: it does what it promises."""
        shutil.copytree(self.folder, folder)
        made = re.search(r"-o (\S+)", line)  # whoever tries the example has not done so before
        if made and made[1] not in line[:made.start()] and "--collect" not in line:
            there = folder / made[1]
            shutil.rmtree(there) if there.is_dir() else there.unlink(missing_ok=True)
        try:
            run = subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, capture_output=True, text=True,
                                 errors="replace", stdin=subprocess.DEVNULL, timeout=SECONDS, check=False,
                                 env=self.environment())
        except subprocess.TimeoutExpired:
            return f"takes longer than {SECONDS} s"
        finally:
            shutil.rmtree(folder)
        if run.returncode in ENDS_WITH.get(line, (0,)):
            return None
        return f"ends with {run.returncode}: {(run.stderr.strip() or run.stdout.strip())[-600:]}"


def collect(source, programs):
    """Each example once, with the places where it stands."""
    examples = {}
    found = list(in_pages(source))
    for name, program in programs.items():
        found += in_help(name, program)
    for place, line in found:
        examples.setdefault(line, []).append(place)
    return examples


def read_arguments():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("source", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("programs", nargs="+", type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument("--only", default="")
    return parser.parse_args()


def main():
    arguments = read_arguments()
    programs = {program.name: str(program) for program in arguments.programs}
    examples = collect(arguments.source, programs)
    problems, ran, skipped = [], 0, []
    problems += [f'no example has "{words}": CANNOT is old' for words in CANNOT
                 if len(programs) == 2 and not any(words in line for line in examples)]
    problems += [f"no example is `{line}`: ENDS_WITH is old" for line in ENDS_WITH if line not in examples]
    with tempfile.TemporaryDirectory(prefix="tandem_examples_") as name:
        top = pathlib.Path(name)
        (top / "bin").mkdir()
        for program, path in programs.items():
            (top / "bin" / program).symlink_to(path)
        (top / "kitchen").mkdir()
        kitchen = Kitchen(arguments.source, programs, top / "kitchen")
        kitchen.prepare()
        for line, places in examples.items():
            if arguments.only not in line:
                continue
            if why := kitchen.why_not(line):
                skipped.append(f"not run ({why}): {line}")
                continue
            ran += 1
            if trouble := kitchen.try_out(line, top / "table"):
                problems.append(f"{places[0]}: `{line}` {trouble}")
                print("FAILED", problems[-1], flush=True)
    print("\n".join(skipped))
    print(f"{len(examples)} examples, {ran} run, {len(skipped)} not, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or ran == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
