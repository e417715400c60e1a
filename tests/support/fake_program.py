#!/usr/bin/env -S python3 -IS
"""Stands for tandem, tandem-device, tests_device, zoo_check, nvidia-smi and compute-sanitizer, by the name that it is started
by: answers as they do, from numbers that TANDEM_FAKE (JSON) may change. Notes every call in TANDEM_FAKE_CALLS."""
import json
import os
import sys

REHEARSAL = {"rehearsal_device": "tandem-device", "rehearsal_zoo_check": "zoo_check"}
NAME, ARGUMENTS = REHEARSAL.get(os.path.basename(sys.argv[0]), os.path.basename(sys.argv[0])), sys.argv[1:]
FAKE = json.loads(os.environ.get("TANDEM_FAKE", "{}"))
MODELS = ["squeezenet_1_1", "resnet50", "vgg16"]
PLATFORM = {"tandem": "platform/1", "name": "fake", "memories": [{"name": "dram"}, {"name": "gpu0", "capacity_bytes": 1000}],
            "links": [{"from": "dram", "to": "gpu0", "bandwidth_bytes_per_s": 25000000000}],
            "units": [{"name": "cpu", "kind": "cpu", "memory": "dram", "backend": "cpu", "cores": [0, 1]},
                      {"name": "gpu0", "kind": "gpu", "memory": "gpu0", "backend": "cuda", "device": 0}]}


def option(name, default=None):
    return ARGUMENTS[ARGUMENTS.index(name) + 1] if name in ARGUMENTS else default


def write(path, value):
    with open(path, "w", encoding="utf-8") as file:
        file.write(value if isinstance(value, str) else json.dumps(value))


def read(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def info():
    units = PLATFORM["units"] if FAKE.get("usable", True) else PLATFORM["units"][:1]
    return {"versions": {"tandem": "0.1.0", "CUDA": "13.0", "cuDNN": "9.19.0"},
            "host": {"board": "", "cpu": "Fake", "kernel": "Linux"}, "energy": [],
            "backends": [{"name": "cuda", "libraries": {}, "found": ["gpu0: Fake card"] if FAKE.get("usable", True) else [],
                          "trouble": "" if FAKE.get("usable", True) else "no code for this card"}],
            "platform": {**PLATFORM, "units": units}}


def policies(name):
    scenario = read(option("validate"))
    found = []
    for policy in scenario["policies"]:
        label = policy if isinstance(policy, str) else policy.get("label", policy["name"])
        measured = {"conv on gpu": 3e7, "unmanaged": 2e7}.get(label, 1e7)
        error = FAKE.get("errors", {}).get(name, 0.02)
        reach, share = FAKE.get("error_reach", 0.01), FAKE.get("measured_reach", 0.01)
        found.append({"policy": label, "label": label, "predicted": measured * (1 + error), "measured": measured,
                      "measured_interval": [measured * (1 - min(share, 0.9)), measured * (1 + share)],
                      "error": error, "error_interval": [error - reach, error + reach], "spread": 0.01, "correct": FAKE.get("correct", True),
                      "verdict": FAKE.get("verdict", "within" if abs(error) <= 0.09 else "outside")})
    return found


def trace():
    """Two runs: one task of 100 us; six of 15 us, so many us apart."""
    gap = int(1000 * FAKE.get("gap_us", 4))
    events = []
    for pid, label, times in ((1, "single:gpu0", [(0, 100000)]),
                              (2, "by group", [(at * (15000 + gap), at * (15000 + gap) + 15000) for at in range(1 + FAKE.get("gaps", 5))])):
        events += [{"ph": "M", "pid": pid, "tid": 0, "ts": 0, "name": "process_name", "args": {"name": "measured: " + label}},
                   {"ph": "M", "pid": pid, "tid": 1, "ts": 0, "name": "thread_name", "args": {"unit": "gpu0", "slot": 0}}]
        events += [{"ph": "X", "pid": pid, "tid": 1, "ts": 0, "name": "a #0",
                    "args": {"request": "a #0", "kind": "compute", "start_ns": start, "end_ns": end}} for start, end in times]
    return {"traceEvents": events}


def validate():
    name = os.path.basename(option("validate")).split(".")[0]
    winner = {"predicted": "eft", "measured": "eft", "regret": 0.0, "wrong": name in FAKE.get("wrong_winners", [])}
    calibration = {"objective": "makespan", "warnings": [], "winner": winner, "policies": policies(name),
                   "percentiles": [{"label": "eft", "p99": {"error": 0.03}}]}
    write(os.path.join(option("--keep"), "calibration.json"), calibration)
    write(os.path.join(option("--keep"), "measured.trace.json"), trace())
    print(json.dumps(calibration))


def add_kernels():
    """What is chosen is kept, as the real ones do it: here by what was asked."""
    store = option("--add-kernels")
    if store:
        kept = read(store) if os.path.exists(store) else []
        write(store, sorted({*kept, NAME + " " + ARGUMENTS[0]}))


def profile():
    request = read(ARGUMENTS[1])
    models = request.get("models") or [stream["model"] for stream in request["streams"]]
    origin = {"kind": "measured", "host": "Fake", "date": "2026-01-01", "clocks": {}, "libraries": {}, "threads": {},
              "cache_mode": "warm"}
    write(option("-o"), {"tandem": "profile/1", "platform": "device", "origin": origin, "entries": [
        {"model": model, "unit": unit["name"], "layers": "*", "samples_us": [900, 1000, 1100], "device_us": 950, "core_us": 250}
        for model in models for unit in request["platform"]["units"]]})


def infer():
    if option("--output"):
        write(option("--output"), "x" * 40)
    steps = [{"layers": ["a"], "how": "conv x", "median_ms": 0.5}, {"layers": [], "how": "layout", "median_ms": 0.9}]
    kept = {"kernels_taken": FAKE.get("kernels_taken", True)} if "--kernels" in ARGUMENTS else {}
    print(json.dumps({"median_ms": 1.5, "min_ms": 1.4, "load_ms": 2000 if kept else FAKE.get("load_ms", 30000), "core_share": 0.25, **kept,
                      "memory": {"counted_bytes": 60 << 20, "held_bytes": 80 << 20, "peak_bytes": 120 << 20},
                      "trials": {"most_s": float(option("--trials", 60)), "choices": 120, "unfinished": FAKE.get("unfinished", 0)},
                      **({"steps": steps} if "--steps" in ARGUMENTS else {})}))


def export():
    write(option("-o"), "onnx")
    print(json.dumps({"layers": [{"op": "input", "output_shape": [1, 3, 2, 2]}, *[{"op": "conv"}] * 150]}))


def tests():
    rehearsal = any("cuda_on_host" in argument for argument in ARGUMENTS)
    case = {"name": "Adds/cuda_on_host_nchw" if rehearsal else "Adds/cuda", "result": "COMPLETED"}
    if "tests" in FAKE.get("fail", []):
        case["failures"] = [{"failure": "wrong"}]
    path = [argument for argument in ARGUMENTS if argument.startswith("--gtest_output=json:")]
    write(path[0].split(":", 1)[1], {"testsuites": [{"name": "BackendContract", "testsuite": [
        case, {"name": "Skips/cuda", "result": "SKIPPED"}]}]})
    return int("failures" in case)


def zoo_check():
    write(option("--json"), {"models": [{"model": model, "error": 1e-6} for model in MODELS], "worst": 1e-6})


def answer():
    command = ARGUMENTS[0] if ARGUMENTS else ""
    add_kernels()
    if command in FAKE.get("fail", []) or NAME in FAKE.get("fail", []):
        print(f"{NAME}: {command} cannot", file=sys.stderr)
        return 3
    if NAME == "nvidia-smi":
        print("GPU 0: Fake card" if command == "-L" else "Fake card, 580.1, P0, 1980 MHz, 2619 MHz, 30, 70 W, 0x0")
    elif NAME == "compute-sanitizer":
        print(f"========= ERROR SUMMARY: {FAKE.get('findings', 0)} errors")
        return 86 if FAKE.get("findings") else 0
    elif NAME == "tests_device":
        return tests()
    elif NAME == "zoo_check":
        zoo_check()
    elif command == "info":
        print(json.dumps(info()))
    elif command == "models" and ARGUMENTS[1] == "list":
        print(json.dumps([{"name": name} for name in MODELS]))
    elif command == "models":
        export()
    elif command == "plan":
        print("{}")
    elif command == "handover":
        print(json.dumps({"rows": [{"unit": "gpu0", "mode": "copy", "median_ms": 1.0, "energy_j": 0.02}]}))
    elif command == "--help":
        print("handover" if FAKE.get("handover", True) else "")
    elif "--help" in ARGUMENTS:
        print("no such option")
    else:
        {"validate": validate, "profile": profile, "infer": infer}[command]()
    return 0


if __name__ == "__main__":
    with open(os.environ["TANDEM_FAKE_CALLS"], "a", encoding="utf-8") as calls:
        calls.write(" ".join([NAME, *ARGUMENTS]) + "\n")
    sys.exit(answer())
