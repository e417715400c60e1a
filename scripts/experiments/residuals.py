#!/usr/bin/env python3
"""What single tasks of a validation took against what was predicted of them: it finds where an error comes from.

usage: scripts/experiments/residuals.py FOLDER [--by KEY,...] [--label POLICY] [--least N]
FOLDER: what `tandem validate --keep` left, or `scripts/studies/fidelity --keep` in the folder of a scenario.
KEY: run, unit, model, layers, idle (how long the unit had been idle), before (what it ran before), beside (did
another unit work for most of the time?), second (0.2 s of the run).
"""
import argparse
import collections
import json
import pathlib
import statistics


def tasks_of(folder, side):
    """By run, in order of begin: the tasks that a unit computed, times in us."""
    events = json.loads((folder / f"{side}.trace.json").read_text())["traceEvents"]
    runs = {event["pid"]: event["args"]["name"].split(": ", 1)[1] for event in events if event["name"] == "process_name"}
    units = {(event["pid"], event["tid"]): event["args"].get("unit") for event in events if event["name"] == "thread_name"}
    found = collections.defaultdict(list)
    for event in events:
        if event["ph"] != "X" or event["cat"] != "compute":
            continue
        about = event["args"]
        layers = about["layers"] if isinstance(about["layers"], str) else " ".join(about["layers"])
        found[event["pid"]].append({
            "run": runs[event["pid"]], "unit": units[event["pid"], event["tid"]], "model": about["model"], "layers": layers,
            "key": (about["stream"], about["index"], layers, event["name"]),
            "begin": about["start_ns"] / 1000, "end": about["end_ns"] / 1000})
    return {pid: sorted(tasks, key=lambda task: task["begin"]) for pid, tasks in found.items()}


def idle_text(micros):
    for most, text in [(50, "none"), (1000, "to 1 ms"), (10000, "to 10 ms"), (100000, "to 100 ms")]:
        if micros <= most:
            return text
    return "longer"


def describe(tasks):
    """Adds what the keys ask of each."""
    last = {}
    for task in tasks:
        before = last.get(task["unit"])
        task["idle"] = idle_text(task["begin"] - before["end"]) if before else "longer"
        task["before"] = f"{before['model']} {before['layers']}" if before else "nothing"
        task["second"] = f"{task['begin'] // 200000 * 0.2:.1f}"
        others = sum(max(0, min(task["end"], other["end"]) - max(task["begin"], other["begin"]))
                     for other in tasks if other["unit"] != task["unit"])
        task["beside"] = "busy" if others > (task["end"] - task["begin"]) / 2 else "alone"
        last[task["unit"]] = task


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--by", default="run,unit,model")
    parser.add_argument("--label", help="the runs of this policy alone")
    parser.add_argument("--least", type=int, default=1, help="rows of so many tasks at least")
    args = parser.parse_args()
    predicted = {tasks[0]["run"]: {task["key"]: task for task in tasks}
                 for tasks in tasks_of(args.folder, "predicted").values()}
    rows = collections.defaultdict(list)
    for tasks in tasks_of(args.folder, "measured").values():
        describe(tasks)
        for task in tasks:
            label = next((name for name in predicted if task["run"] == name or task["run"].startswith(name + ", ")
                          or task["run"].startswith(name + " #")), None)
            of = predicted.get(label, {}).get(task["key"])
            if of is None or (args.label and label != args.label):
                continue
            task["run"] = label
            rows[tuple(task[key] for key in args.by.split(","))].append((task["end"] - task["begin"], of["end"] - of["begin"]))
    print(f"{'measured / predicted':>20} {'median':>8} {'tasks':>6} {'more, ms':>9}  {args.by}")
    for row, pairs in sorted(rows.items(), key=lambda item: -abs(sum(a - b for a, b in item[1]))):
        if len(pairs) >= args.least:
            measured, of = sum(pair[0] for pair in pairs), sum(pair[1] for pair in pairs)
            middle = statistics.median(a / b for a, b in pairs if b)
            print(f"{measured / of:20.3f} {middle:8.3f} {len(pairs):6} {(measured - of) / 1000:9.2f}  {', '.join(row)}")


if __name__ == "__main__":
    main()
