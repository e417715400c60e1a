"""The steps of a check: each with its share of the time, its result in a file, and no way to stop the others."""
import json
import pathlib
import sys
import time
import traceback

from gpu.machine import Failed, Skipped

KERNELS = "kernels.profile.json"  # a profile without times: of a card, a driver, a library, a layer and its shape
PASSED, MISSED, FAILED, SKIPPED = "passed", "missed", "failed", "skipped"


def target(name, value, text, bar, met):
    """A figure against what the issue wants; `text` and `bar` are for people, met None where it is not known."""
    return {"target": name, "value": value, "text": text, "bar": bar, "met": met}


class Step:
    """What a step's function gets: the machine, its folder, the time that is left to it."""

    def __init__(self, check, name, seconds):
        self.check, self.name = check, name
        self.machine, self.quick, self.out, self.info = check.machine, check.quick, check.out, check.info
        self.rehearsal = check.rehearsal
        self.seconds, self.begin = seconds, time.monotonic()
        self.log = self.out / f"{name}.log"

    def left(self):
        return self.seconds - (time.monotonic() - self.begin)

    def say(self, text):
        print(f"      {text}", file=sys.stderr, flush=True)

    def write(self, name, value):
        write_json(self.out / name, value)

    def kept(self, name):
        """What an earlier run found, where this one goes on with it."""
        path = self.out / name
        return json.loads(path.read_text()) if self.check.resume and path.exists() else None

    def kernels(self):
        """Options by which a command takes the kernels that all steps share, and adds what it chooses anew."""
        return ["--add-kernels", self.out / KERNELS, *self.trials()]

    def trials(self):
        """How long a command may choose kernels; where it is told, it goes on with what was left untried for lack of time."""
        return ["--trials", f"{self.check.trials:g}"] if self.check.trials is not None else []

    def gpu(self):
        return next(unit for unit in self.info["platform"]["units"] if unit.get("backend") == "cuda")


def write_json(path, value):
    """There whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(value, indent=1) + "\n")
    partial.replace(path)


def verdict_of(result):
    met = [of["met"] for of in result.get("targets", [])]
    return MISSED if False in met else PASSED


def execute(step, function):
    """The step's result; what goes wrong is part of it."""
    try:
        result = function(step)
        result.setdefault("verdict", verdict_of(result))
    except Skipped as reason:
        result = {"verdict": SKIPPED, "why": str(reason)}
    except Failed as reason:
        result = {"verdict": FAILED, "why": str(reason)}
    except Exception as error:  # a step that breaks leaves the others alone
        result = {"verdict": FAILED, "why": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}
    return {"step": step.name, "seconds": round(time.monotonic() - step.begin, 1), **result}


def expected(steps, budget):
    """What the steps are to take, a line each."""
    shares = sum(share for _, _, share in steps)
    return [f"      {name:<12} {budget * share / shares:>5.0f} s" for name, _, share in steps] + [f"      {'all':<12} {budget:>5.0f} s"]


class Check:
    def __init__(self, machine, info, options):
        self.machine, self.info, self.out = machine, info, pathlib.Path(options.out)
        self.quick, self.resume, self.budget, self.trials = options.quick, options.resume, options.budget, options.trials
        self.rehearsal = options.rehearse

    def run(self, steps, only):
        """Results by name. `steps`: (name, function, share of the budget); what one leaves over the next ones get. Beside
        `only` some of them stands what an earlier run that this one goes on with knows of the others."""
        results, end = {}, time.monotonic() + self.budget
        chosen = [step for step in steps if not only or step[0] in only]
        for name, _, _ in steps:
            kept = Step(self, name, 0).kept(f"{name}.json")
            if kept and name not in [step[0] for step in chosen]:
                results[name] = kept
        print("\n".join(expected(chosen, self.budget)), file=sys.stderr, flush=True)
        for number, (name, function, share) in enumerate(chosen, 1):
            path = self.out / f"{name}.json"
            shares = sum(other[2] for other in chosen[number - 1:])
            seconds = max(0.0, end - time.monotonic()) * share / shares
            print(f"[{number}/{len(chosen)}] {name}: up to {seconds:.0f} s", file=sys.stderr, flush=True)
            step = Step(self, name, seconds)
            kept = step.kept(f"{name}.json")
            if kept and kept["verdict"] in (PASSED, MISSED) and kept.get("whole", True):
                step.say("taken from the earlier run")
                results[name] = kept
                continue
            results[name] = {**execute(step, function), "given_s": round(seconds, 1)}
            write_json(path, results[name])
            step.say(results[name]["verdict"] + (f": {results[name]['why']}" if results[name].get("why") else ""))
        return results
