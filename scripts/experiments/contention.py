#!/usr/bin/env python3
"""What contention comes to by measured slowdowns (the exact engines), by SimGrid's max-min shares of a memory's bandwidth (--engine fluid)
and on the machine: of what scripts/studies/fidelity has kept, with its profiles and its measured makespans. No board of these scenarios
says how much its memory carries, and without that no shares are to be had: --bandwidth says it.

--write measures first, with scripts/studies/fidelity, the scenarios in which two cores want one memory or cache, and writes a section of
docs/contention.md. It needs a machine that does nothing else, and refuses one that does.

usage: scripts/experiments/contention.py --bandwidth GB_PER_S [--write] [--program TANDEM] [--keep FOLDER] [NAME...]
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from pages.contention import MEASURED, PAGE, with_section  # noqa: E402

CONTENDED = ("memory-and-compute", "memory-bound", "memory-bound-layers", "shared-cache", "tensors-and-weights")
MOST_BUSY = 0.05  # of all its cores, by others


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


def noted_of(folder):
    """When, where and of which revision it was measured."""
    kept = folder / "note.json"
    return json.loads(kept.read_text())["made"] if kept.exists() else None


def rows_of(program, folders, bandwidth):
    """(scenario, policy, exact, fluid, measured or None), times in ns."""
    rows = []
    for folder in folders:
        measured = measured_of(folder)
        rows += [(folder.name, label, report["exact_makespan_ns"], report["makespan_ns"], measured.get(label))
                 for label, report in reports_of(program, folder, bandwidth).items() if "exact_makespan_ns" in report]
    return rows


def cell(nanos, measured):
    error = f" ({100 * (nanos / measured - 1):+.2f}%)" if measured else ""
    return f"{nanos / 1e6:.3f}{error}"


def section_of(rows, notes, bandwidth):
    """Of docs/contention.md; of rows that were measured alone."""
    def off_by(column):
        return f"{100 * statistics.median(abs(row[column] / row[4] - 1) for row in rows):.2f} %"
    machines = dict.fromkeys(f"{note['host']['cpu'] or 'an unknown processor'}, {note['host']['kernel']}, {note['cores']} cores to use"
                             for note in notes)
    dates, revisions = (" and ".join(sorted({note[key] for note in notes})) for key in ("date", "revision"))
    text = f"""`scripts/experiments/contention.py --write` wrote this section, which the rest of the page keeps: scenarios of `scenarios/fidelity/` in which
two cores want one memory or cache. Measured {dates} on {"; and on ".join(machines)}; revision {revisions}.
A memory whose bandwidth the board does not say counts with {bandwidth / 1e9:g} GB/s (`--bandwidth`). Errors are predicted / measured - 1, of the
median run; in the median of the sizes the exact engines are off by {off_by(2)}, the fluid one by {off_by(3)}.
"""
    lines = [MEASURED, text, "| scenario | policy | exact, ms (error) | fluid, ms (error) | measured, ms |", "|---|---|---|---|---|"]
    lines += [f"| {name} | `{label}` | {cell(exact, measured)} | {cell(fluid, measured)} | {measured / 1e6:.3f} |"
              for name, label, exact, fluid, measured in rows]
    return "\n".join(lines) + "\n"


def busy_share(seconds=5.0, stat=pathlib.Path("/proc/stat")):
    """Which share of the time of all cores was somebody's, other machines' on the same host included."""
    def times():
        return [int(ticks) for ticks in stat.read_text().split("\n", 1)[0].split()[1:9]]
    before = times()
    time.sleep(seconds)
    spent = [now - then for now, then in zip(times(), before)]
    return 1 - (spent[3] + spent[4]) / max(sum(spent), 1)  # idle, and waiting for disks


def measure(args):
    busy = busy_share()
    if busy > MOST_BUSY:
        sys.exit(f"contention: this machine is busy, {100 * busy:.0f} % of its cores' time: what is measured now would be of that; at most "
                 f"{100 * MOST_BUSY:.0f} % may be. End what else runs, or wait.")
    fidelity = SOURCE / "scripts" / "studies" / "fidelity"
    done = subprocess.run([fidelity, "--resume", "--keep", args.keep, *args.names], stdout=sys.stderr, check=False)
    if done.returncode not in (0, 1):
        sys.exit("contention: not everything was measured; the page stays as it is")


def write_section(args, rows):
    notes = [noted_of(args.keep / name) for name in args.names]
    rows = [row for row in rows if row[4]]
    if not rows or None in notes:
        sys.exit("contention: nothing was measured; the page stays as it is")
    PAGE.write_text(with_section(PAGE.read_text(encoding="utf-8"), section_of(rows, notes, args.bandwidth * 1e9)), encoding="utf-8")
    print(f"wrote {PAGE}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="of a scenario that is kept; none: all of them, with --write those that contend")
    parser.add_argument("--bandwidth", type=float, required=True, metavar="GB_PER_S", help="of each memory that does not say it")
    parser.add_argument("--write", action="store_true", help="measure, and write a section of docs/contention.md")
    parser.add_argument("--program", metavar="TANDEM", default=str(SOURCE / "build" / "release" / "bin" / "tandem"), help="build/release/bin/tandem")
    parser.add_argument("--keep", type=pathlib.Path, default=SOURCE / "build" / "fidelity", help="where they lie (build/fidelity)")
    args = parser.parse_args()
    if args.write:
        args.names = args.names or list(CONTENDED)
        measure(args)
    folders = [args.keep / name for name in args.names] or sorted(path.parent for path in args.keep.glob("*/*.scenario.json"))
    if not folders:
        sys.exit(f"{args.keep}: nothing is kept there; scripts/studies/fidelity measures it")
    rows = rows_of(args.program, folders, args.bandwidth * 1e9)
    line = "{:22} {:16} {:>22} {:>22} {:>12}"
    print(line.format("scenario", "policy", "slowdowns, ms (error)", "shares, ms (error)", "measured, ms"))
    for name, label, exact, fluid, measured in rows:
        print(line.format(name, label, cell(exact, measured), cell(fluid, measured), f"{measured / 1e6:.3f}" if measured else "-"))
    if args.write:
        write_section(args, rows)


if __name__ == "__main__":
    main()
