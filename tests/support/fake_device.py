#!/usr/bin/env python3
"""A device that is not there, for the tests of `tandem validate`: it measures what it makes up, and runs a plan by
simulating it with times that are off by a known factor.

usage: fake_device.py TANDEM FOLDER [options] info --json | store | profile | run --json | --version
"""
import argparse
import hashlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

UNITS = [{"name": "big", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [0]},
         {"name": "small", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [1]}]
PLATFORM = {"tandem": "platform/1", "name": "fake", "memories": [{"name": "dram"}], "units": UNITS}


def read_arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("tandem")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--factors", default="1", help="of all times, run by run")
    parser.add_argument("--together", type=float, default=1, help="of all times again, but where models run alone")
    parser.add_argument("--slower", default="", help="UNIT=FACTOR: of this unit's times in runs, again")
    parser.add_argument("--yardsticks", default="", help="UNIT=FACTOR: of what its yardstick reads in runs; 100 us in the profile")
    parser.add_argument("--wrong", default="", help="the policy whose outputs are wrong")
    parser.add_argument("--fail-after", type=int, default=-1, help="so many runs, then the device is lost")
    parser.add_argument("--kill-after", type=int, default=-1, help="so many runs, then it is killed")
    parser.add_argument("--stall-after", type=int, default=-1, help="so many runs, then it does not go on")
    parser.add_argument("--refuse", default="", help="the question that is answered with status 2")
    parser.add_argument("--garble", default="", help="the question that is answered with nonsense")
    parser.add_argument("--idle", action="store_true", help="runs nothing, and says that all is well")
    parser.add_argument("--mangle", default="", help="what is wrong in an answer: entries, trace, process, reports")
    parser.add_argument("--slow", default="", help="QUESTION=SECONDS before its answer")
    parser.add_argument("--release", default="", help="the version of tandem-device that it says it is")
    parser.add_argument("--kinds", default="", help="the version of the kinds of its answers: 2")
    parser.add_argument("question", choices=["info", "store", "profile", "run", "version"])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--budget", type=float)
    parser.add_argument("--sent", default="")
    parser.add_argument("--resume", action="store_true")
    return parser.parse_args(["version" if word == "--version" else word for word in sys.argv[1:]])


def store(folder):
    """Keeps what it is sent in FOLDER/stored, and sees nothing else."""
    order = json.loads(sys.stdin.buffer.read(int(sys.stdin.buffer.readline())))
    kept = folder / "stored"
    kept.mkdir(exist_ok=True)
    sizes = {file["sha256"]: file["bytes"] for file in order["files"]}
    for name in order.get("follow", []):
        content = sys.stdin.buffer.read(sizes[name])
        assert hashlib.sha256(content).hexdigest() == name
        (kept / name).write_bytes(content)
    lacks = [name for name in sizes if not (kept / name).exists()]
    return {"tandem": "store-result/1", "lacks": lacks, "name": "" if lacks else "0" * 64}


def yardsticks(args):
    """By unit, in nanoseconds, in runs."""
    return {unit: round(float(factor) * 1e5) for unit, factor in [word.split("=") for word in args.yardsticks.split(",") if word]}


def profile(args, request):
    """Model m takes (m + 1) ms on the first unit, 1.5 times that on the next, and so on."""
    if "streams" in request:  # a scenario stands for what it needs
        wishes = {(stream["model"], stream.get("batch", 1)) for stream in request["streams"]}
        request["models"] = [{"model": model, "batch": batch} for model, batch in sorted(wishes)]
    entries = [{"model": wish["model"], "unit": unit["name"], "layers": "*", "batch": wish["batch"],
                "median_us": 1000 * (m + 1) * (1 + u / 2)}
               for m, wish in enumerate(request["models"]) for u, unit in enumerate(request["platform"]["units"])]
    background = [dict(wish, slowdown=2) for wish in request.get("background", [])]
    return {"tandem": "profile/1", "platform": request["platform"]["name"], "background": background,
            "origin": {"kind": "measured", "host": "fake", "date": "2026-01-01", "clocks": {}, "libraries": {},
                       "threads": {}, "cache_mode": "warm", "yardsticks_us": {unit: 100 for unit in yardsticks(args)}},
            "entries": entries}


def distorted(folder, plan, factor, slower):
    """The plan's scenario as it comes out on this device."""
    scenario = json.loads(json.dumps(plan["scenario"]))
    for entry in (entry for of in scenario["profiles"] for entry in of["entries"]):
        if samples := sorted(entry.pop("samples_us", [])):
            entry["median_us"] = samples[(len(samples) - 1) // 2]
        entry["median_us"] = round(entry["median_us"] * factor * slower.get(entry["unit"], 1), 3)
    scenario["policies"] = [dict(plan["policy"], granularity=plan["granularity"])]
    if "schedule" in plan or "rule" in plan:  # what was decided before
        file = folder / "fake.plan.json"
        file.write_text(json.dumps(plan))
        scenario["policies"] = [{"name": "given", "label": scenario["policies"][0].get("label", "best"), "plan": str(file)}]
    return scenario


def simulate(args, scenario):
    """The report and the trace."""
    file, trace = args.folder / "fake.scenario.json", args.folder / "fake.trace.json"
    file.write_text(json.dumps(scenario))
    run = subprocess.run([args.tandem, "simulate", str(file), "--engine", "virtual", "--json", "--trace", str(trace)],
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)[0], json.loads(trace.read_text())


def measured(events, process):
    for event in events:
        event["pid"] = process
        if event["name"] == "tandem_run":
            event["args"].update(measured=True, engine="device")
        if event["name"] == "process_name":
            event["args"]["name"] = event["args"]["name"].replace("predicted", "measured")
    return events


def run(args, request):
    factors = [float(factor) for factor in args.factors.split(",")]
    slower = {unit: float(factor) for unit, factor in [word.split("=") for word in args.slower.split() if word]}
    runs, reports, events, head = [], [], [], {}
    for repeat in range(request["repeats"]):
        for p, plan in enumerate(request["plans"]):
            alone = plan["policy"].get("label", "").startswith("alone on ")
            factor = factors[repeat % len(factors)] * (1 if alone else args.together)
            report, trace = simulate(args, distorted(args.folder, plan, factor, slower))
            lost = len(runs) == args.fail_after
            wrong = 1 if report["label"] == args.wrong else 0
            runs.append({"plan": p, "policy": report["policy"], "label": report["label"], "repeat": repeat,
                         "makespan_ns": report["makespan_ns"], "objective": report["objective"]["value"],
                         "complete": not lost, "outputs": {"checked": 3, "wrong": wrong, "unchecked": 0, "worst": 1e-6},
                         "late_releases": 0, "dispatch_ns": 0,
                         "yardsticks_ns": {unit: {"before": ns, "after": ns} for unit, ns in yardsticks(args).items()}})
            reports.append(report)
            head = trace
            events += measured(trace["traceEvents"], len(runs))
            if args.kill_after >= 0 or args.stall_after >= 0:
                tell_last(args, runs, reports, trace)
            if lost:
                runs[-1]["failure"] = "unit big is lost"
                [end] = [event for event in trace["traceEvents"] if event["name"] == "tandem_end"]
                end["args"]["complete"] = False
                return 3, answer(runs, reports, head, events)
    return 0, answer(runs, reports, head, events)


def tell_last(args, runs, reports, trace):
    """The last run by itself, as a request with "each" wants it."""
    print(json.dumps(answer(runs[-1:], reports[-1:], trace, trace["traceEvents"])), end="\x1e", flush=True)
    if len(runs) == args.kill_after:
        os.kill(os.getpid(), signal.SIGKILL)
    if len(runs) == args.stall_after:
        stall(args, 1000)


def stall(args, seconds):
    (args.folder / "pid.part").write_text(str(os.getpid()))
    (args.folder / "pid.part").rename(args.folder / "pid")
    time.sleep(seconds)


def answer(runs, reports, head, events):
    return {"tandem": "run-result/1", "host": "fake", "date": "2026-01-01", "libraries": {}, "forced": False,
            "warnings": [], "runs": runs, "reports": reports, "trace": dict(head, traceEvents=events)}


def of_release(args, result):
    """Says the version wherever tandem-device does."""
    if args.release:
        where = result.get("origin", result)
        where.setdefault("versions" if args.question == "info" else "libraries", {})["tandem"] = args.release
    if args.kinds and "tandem" in result:
        result["tandem"] = result["tandem"].split("/")[0] + "/" + args.kinds


def mangle(args, result):
    """Answers of the right kind, with nonsense inside."""
    if args.idle and args.question == "run":
        result.update(runs=[], reports=[], trace=dict(result["trace"], traceEvents=[]))
    if args.mangle == "entries" and args.question == "profile":
        result["entries"] = []
    if args.question != "run":
        return
    if args.mangle == "trace":
        result["trace"] = {"tandem": "trace/1"}
    if args.mangle == "process":
        result["trace"]["traceEvents"][0]["pid"] = "one"
    if args.mangle == "reports":
        result["reports"] = [{"tandem": "plan/1"} for _ in result["reports"]]


def main():
    args = read_arguments()
    if args.question == "version":
        print(f"tandem-device {args.release}")
        return 0 if args.release else 2
    if args.slow.startswith(args.question + "="):
        stall(args, float(args.slow.split("=")[1]))
    if args.refuse == args.question:
        print("fake: no", file=sys.stderr)
        return 2
    if args.garble == args.question:
        print('{"tandem": ')
        return 0
    if args.question in ("profile", "run"):
        (args.folder / "sent.txt").write_text(args.sent)
    status = 0
    if args.question == "info":
        result = {"versions": {"fake": "1"}, "host": {"cpu": "none", "kernel": "none"}, "backends": [], "platform": PLATFORM}
    elif args.question == "store":
        result = store(args.folder)
    elif args.question == "profile":
        result = profile(args, json.load(sys.stdin))
    else:
        status, result = run(args, json.load(sys.stdin))
    mangle(args, result)
    of_release(args, result)
    json.dump(result, sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main())
