#!/usr/bin/env python3
"""The scenario of `scripts/bench/bench ratios` by a simulator such as people write with SimPy: a process for each unit takes
the next request from a store that all share, and waits for as long as it takes there. It decides nothing else, knows no
copies and keeps the time of the last end alone. Printed is what a task takes there and in tandem's virtual engine, in
processor time, in turns; both must end within 2 % (of units that are free at one instant another one may take the first).

usage: simpy_peer.py BENCH_ENGINES      (scripts/bench/bench peers builds and names that)
It needs Python's simpy, 3 or later (apt-get install python3-simpy3). Exit status 1: the ends differ; 3: something could not be run.
"""
import resource
import statistics
import subprocess
import sys
import time

MODELS, TASKS, MORE, ROUNDS = 4, 20_000, 1_000_000, 5


def micros(unit, model):
    """As tests/bench/unit_times.h has it."""
    return 50 + (unit * 7919 + model * 104729) % 4951


def by_simpy(simpy, units, tasks):
    """Seconds, and the end in nanoseconds."""
    env = simpy.Environment()
    store = simpy.Store(env)

    def serve(unit):
        while True:
            model = yield store.get()
            yield env.timeout(micros(unit, model) * 1000)
            ends.append(env.now)

    began, ends = time.process_time(), []
    for _ in range(tasks // MODELS):  # all at once, stream by stream in turn
        for model in range(MODELS):
            store.put(model)
    for unit in range(units):
        env.process(serve(unit))
    env.run()
    return time.process_time() - began, max(ends)


def by_tandem(program, units, tasks):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = subprocess.run([program, "once", "virtual", str(units), str(tasks)], capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, int(said.stdout)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    try:
        import simpy
    except ImportError:
        print("scripts/bench/simpy_peer.py: SimPy is not installed (apt-get install python3-simpy3)", file=sys.stderr)
        return 3
    for units in (2, 4, 16, 64):
        ours, theirs = [], []
        for _ in range(ROUNDS):
            seconds, end = by_simpy(simpy, units, TASKS)
            theirs.append(seconds / TASKS)
            least, our_end = by_tandem(sys.argv[1], units, TASKS)
            if abs(our_end / end - 1) > 0.02:
                print(f"{units} units: SimPy ends at {end} ns, tandem at {our_end}", file=sys.stderr)
                return 1
            most, _ = by_tandem(sys.argv[1], units, TASKS + MORE)  # without what a start takes
            ours.append((most - least) / MORE)
        ratios = [a / b for a, b in zip(theirs, ours)]
        print(f"{units} units, fcfs: SimPy {simpy.__version__} {statistics.median(theirs) * 1e6:.2f} us a task, virtual engine "
              f"{statistics.median(ours) * 1e9:.0f} ns, {statistics.median(ratios):.0f} times ({min(ratios):.0f} to {max(ratios):.0f})",
              flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, subprocess.CalledProcessError) as failure:
        print(f"scripts/bench/simpy_peer.py: {failure}", file=sys.stderr)
        sys.exit(3)
