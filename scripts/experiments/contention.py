#!/usr/bin/env python3
"""What contention comes to by measured slowdowns (the exact engines), by SimGrid's max-min shares of a memory's bandwidth (--engine fluid)
and on the machine: of what scripts/studies/fidelity has kept, with its profiles and its measured makespans. No board of these scenarios
says how much its memory carries, and without that no shares are to be had: --bandwidth says it.

usage: scripts/experiments/contention.py TANDEM --bandwidth GB_PER_S [--keep FOLDER] [NAME...]
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent


def reports_of(program, folder, bandwidth):
    """Per label the report of the scenario that lies in the folder, where each memory carries so many bytes a second."""
    scenario = json.loads((folder / f"{folder.name}.scenario.json").read_text())
    profile = folder / f"{folder.name}.profile.json"
    for memory in scenario["platform"]["memories"]:
        memory.setdefault("bandwidth_bytes_per_s", bandwidth)
    if profile.exists():
        scenario["profiles"] = [str(profile.resolve())]
    with tempfile.TemporaryDirectory() as temporary:
        file = pathlib.Path(temporary) / "run.scenario.json"
        file.write_text(json.dumps(scenario))
        run = subprocess.run([program, "simulate", str(file), "--engine", "fluid", "--json"], stdout=subprocess.PIPE, text=True,
                             check=False)
    if run.returncode not in (0, 1):
        return {}  # the program has said why
    return {report["label"]: report for report in json.loads(run.stdout)}


def measured_of(folder):
    """Per label in ns."""
    kept = folder / "calibration.json"
    policies = json.loads(kept.read_text())["policies"] if kept.exists() else []
    return {policy["label"]: policy["measured_ns"] for policy in policies}


def cell(nanos, measured):
    error = f" ({100 * (nanos / measured - 1):+.2f}%)" if measured else ""
    return f"{nanos / 1e6:.3f}{error}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", metavar="TANDEM")
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a scenario that is kept; none: all of them")
    parser.add_argument("--bandwidth", type=float, required=True, metavar="GB_PER_S", help="of each memory that does not say it")
    parser.add_argument("--keep", type=pathlib.Path, default=SOURCE / "build" / "fidelity", help="where they lie (build/fidelity)")
    args = parser.parse_args()
    folders = [args.keep / name for name in args.names] or sorted(path.parent for path in args.keep.glob("*/*.scenario.json"))
    if not folders:
        sys.exit(f"{args.keep}: nothing is kept there; scripts/studies/fidelity measures it")
    line = "{:22} {:16} {:>22} {:>22} {:>12}"
    print(line.format("scenario", "policy", "slowdowns, ms (error)", "shares, ms (error)", "measured, ms"))
    for folder in folders:
        measured = measured_of(folder)
        for label, report in reports_of(args.program, folder, args.bandwidth * 1e9).items():
            if "exact_makespan_ns" not in report:
                continue
            on_machine = measured.get(label)
            print(line.format(folder.name, label, cell(report["exact_makespan_ns"], on_machine), cell(report["makespan_ns"], on_machine),
                              f"{on_machine / 1e6:.3f}" if on_machine else "-"))


if __name__ == "__main__":
    main()
