"""Asks the program `tandem`: every figure of a study is one of its answers to a scenario made here."""
import concurrent.futures
import itertools
import json
import os
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parents[3]
BOARDS = SOURCE / "profiles" / "boards"
EXAMPLES = SOURCE / "scenarios" / "examples"


class Refused(Exception):
    """What tandem answered instead of a result."""


def board(name):
    """A shipped board: its platform and its profile."""
    return [json.loads((BOARDS / f"{name}.{kind}.json").read_text()) for kind in ("platform", "profile")]


def example(name):
    return json.loads((EXAMPLES / f"{name}.scenario.json").read_text())


def profile(platform, method, entries, **lists):
    """What was made of a board's profile for one question; `method` says how."""
    return {"tandem": "profile/1", "platform": platform, "origin": {"kind": "estimated", "method": method},
            "entries": entries, **lists}


def scenario(name, platform, profiles, streams, policies, **more):
    return {"tandem": "scenario/1", "name": name, "platform": platform, "profiles": profiles, "streams": streams,
            "policies": policies, **more}


def closed(model, in_flight, count=None, **more):
    """Applications that each start their next inference when the last one ends."""
    ends = {"count": count} if count else {}
    return {"name": model, "model": model, **ends, "arrival": {"type": "closed", "in_flight": in_flight}, **more}


class Simulator:
    def __init__(self, program, folder, seed, engine, progress):
        self.program, self.folder, self.seed, self.engine, self.progress = program, folder, seed, engine, progress
        self.numbers = itertools.count()
        self.models = {}

    def ask(self, *arguments):
        run = subprocess.run([self.program, *arguments], capture_output=True, text=True, check=False)
        if run.returncode != 0:
            raise Refused(run.stderr.strip().removeprefix("tandem: ") or f"tandem ended with status {run.returncode}")
        return run.stdout

    def simulate(self, of):
        """The reports of a scenario's policies by their labels."""
        path = self.folder / f"{next(self.numbers)}.scenario.json"
        path.write_text(json.dumps({**of, "seed": self.seed}))
        answer = self.ask("simulate", str(path), "--json", "--engine", self.engine)
        path.unlink()
        self.progress.step()
        return {report["label"]: report for report in json.loads(answer)}

    def simulate_all(self, scenarios):
        """The same for each, as many at once as there are cores, in their order."""
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return list(pool.map(self.simulate, scenarios))

    def plan_all(self, scenarios):
        with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return list(pool.map(self.plan, scenarios))

    def plan(self, of):
        """What `tandem plan` writes for a scenario of one policy: how it cuts the models and what runs where."""
        number = next(self.numbers)
        path, out = self.folder / f"{number}.scenario.json", self.folder / f"{number}.plan.json"
        path.write_text(json.dumps({**of, "seed": self.seed}))
        self.ask("plan", str(path), "-o", str(out), "--engine", self.engine)
        self.progress.step()
        return json.loads(out.read_text())

    def estimate(self, spec):
        """The profile that `tandem profiles estimate` makes."""
        number = next(self.numbers)
        path, out = self.folder / f"{number}.estimate.json", self.folder / f"{number}.profile.json"
        path.write_text(json.dumps(spec))
        self.ask("profiles", "estimate", str(path), "-o", str(out))
        return json.loads(out.read_text())

    def model(self, name):
        if name not in self.models:
            self.models[name] = json.loads(self.ask("models", "show", name, "--json"))
        return self.models[name]


def bisect(of, wanted, low, high, steps=40):
    """Where the rising function comes to `wanted` between two places; the nearer end where it does not."""
    if of(low) >= wanted:
        return low
    if of(high) <= wanted:
        return high
    for _ in range(steps):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if of(middle) < wanted else (low, middle)
    return high
