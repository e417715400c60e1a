"""Whole models on the card, ours against PyTorch eager on the same ONNX file, in turns: scripts/bench/torch_peer.py is the other
side. Inputs and outputs lie on the card for both, which is idle before and after each run."""
import array
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
import threading

from gpu.correctness import TOLERANCES, zoo
from gpu.machine import SOURCE, Failed, Skipped
from gpu.steps import target
from replay.verdicts import at_most, met, ratio_interval, together

MANY_LAYERS = 100  # from so many on, a model is one of many layers
BAR_ALL, BAR_MANY = 1.0, 0.5
SECONDS = 0.5  # of timed runs a turn
TURNS = 2      # the least that tell how far they differ
LATE_S = 180    # PyTorch has hung
LONGEST = 5     # steps that are kept of a model that misses its bar


class Peer:
    """PyTorch in a process of its own, without our libraries in its way."""

    def __init__(self):
        self.process = subprocess.Popen([sys.executable, str(SOURCE / "scripts" / "bench" / "torch_peer.py")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
        self.version = self.read()
        self.missing = self.version.get("unavailable")

    def read(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line.strip() else {"unavailable": "PyTorch's process ended", "failed": "it ended"}

    def ask(self, **asked):
        try:
            self.process.stdin.write(json.dumps({key: str(value) if isinstance(value, pathlib.Path) else value
                                                 for key, value in asked.items()}) + "\n")
            self.process.stdin.flush()
        except OSError:
            return {"failed": "PyTorch's process has ended"}
        late = threading.Timer(LATE_S, self.process.kill)
        late.start()
        try:
            return self.read()
        finally:
            late.cancel()

    def end(self):
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


def l2_error(ours, theirs):
    """Relative in the l2 norm; None where they cannot be compared."""
    a, b = (array.array("f", path.read_bytes()) for path in (ours, theirs))
    norm = math.sqrt(math.fsum(value * value for value in b))
    if len(a) != len(b) or not norm > 0:
        return None
    error = math.sqrt(math.fsum((x - y) ** 2 for x, y in zip(a, b))) / norm
    return error if math.isfinite(error) else None


class Race:
    """One model on both sides, in a folder of its own."""

    def __init__(self, step, peer, folder, model):
        self.step, self.peer, self.folder = step, peer, folder
        self.onnx, self.input = folder / "model.onnx", folder / "input.raw"
        shown = step.machine.ask_json("tandem", "models", "export", model, "-o", self.onnx, "--json", timeout=120)
        self.layers = sum(layer["op"] != "input" for layer in shown["layers"])
        size = sum(math.prod(layer["output_shape"]) for layer in shown["layers"] if layer["op"] == "input")
        numbers = random.Random(1)
        self.input.write_bytes(array.array("f", (numbers.uniform(-1, 1) for _ in range(size))).tobytes())

    def ours(self, precision, repeat):
        return self.step.machine.ask_json(
            "device", "infer", self.onnx, "--unit", self.step.gpu()["name"], "--precision", precision, "--repeat", repeat,
            "--input", self.input, "--output", self.folder / "ours.raw", "--force", "--json", *self.step.kernels(), timeout=120,
            log=self.step.log)

    def theirs(self, precision):
        answer = self.peer.ask(onnx=self.onnx, input=self.input, output=self.folder / "theirs.raw", precision=precision,
                               seconds=SECONDS)
        if "failed" in answer:
            raise Failed(f"PyTorch: {answer['failed']}")
        return answer

    def turn(self, precision):
        """PyTorch, then ours, as many runs as take about as long."""
        theirs = None if self.peer.missing else self.theirs(precision)
        likely = theirs["median_ms"] if theirs else self.ours(precision, 10)["median_ms"]
        return self.ours(precision, max(10, min(2000, round(1000 * SECONDS / likely)))), theirs

    def result(self, precision, rounds):
        turns = [self.turn(precision) for _ in range(rounds)]
        found = {"ours_ms": statistics.median_low(ours["median_ms"] for ours, _ in turns), "torch_ms": None, "ratio": None}
        if self.peer.missing:
            return found
        ratios = [ours["median_ms"] / theirs["median_ms"] for ours, theirs in turns]
        error = l2_error(self.folder / "ours.raw", self.folder / "theirs.raw")
        return {**found, "torch_ms": statistics.median_low(theirs["median_ms"] for _, theirs in turns),
                "torch_format": turns[0][1]["format"], "torch_formats": turns[0][1]["formats"],
                "ratio": statistics.median(ratios), "ratios": ratios, "ratio_interval": ratio_interval(ratios), "error": error,
                "right": error is not None and error <= TOLERANCES[precision]}


def race(step, peer, model, precisions):
    """Results by precision. A precision that fails leaves the others."""
    results = {}
    with tempfile.TemporaryDirectory(prefix="tandem_gpu_check_") as folder:
        one = Race(step, peer, pathlib.Path(folder), model)
        results["layers"] = one.layers
        for precision in precisions:
            try:
                results[precision] = one.result(precision, TURNS)
            except Failed as reason:
                results[precision] = {"failed": str(reason)}
    return results


def text_of(model, results):
    parts = []
    for precision in TOLERANCES:
        of = results.get(precision)
        if of and "ours_ms" in of:
            ratio = f" ({of['ratio']:.2f})" if of["ratio"] else ""
            wrong = "" if of.get("right", True) else " OUTPUTS DIFFER"
            parts.append(f"{precision} {of['ours_ms']:.3f} ms{ratio}{wrong}")
        elif of:
            parts.append(f"{precision}: {of['failed']}")
    return f"{model:<20} " + ", ".join(parts)


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else None


def has_many(of):
    return of["layers"] >= MANY_LAYERS


def judge(models, precision):
    """The issue's two targets in one precision."""
    ratios = {name: of[precision]["ratio"] for name, of in models.items() if of.get(precision, {}).get("ratio")}
    many = {name: ratio for name, ratio in ratios.items() if has_many(models[name])}
    mean = geometric_mean(list(ratios.values()))
    targets = []
    for text, of, bar in (("time / PyTorch", ratios, BAR_ALL), (f"of {MANY_LAYERS}+ layers", many, BAR_MANY)):
        worst = max(of, key=of.get, default=None)
        figure = f"{len(of)} models, mean {geometric_mean(list(of.values())):.2f}, worst {of[worst]:.2f} {worst}" if of else "-"
        verdicts = [at_most(models[name][precision].get("ratio_interval"), bar) for name in of]
        targets.append(target(f"{precision} {text}", of.get(worst), figure, f"<= {bar:g}", met(together(verdicts))))
    return mean, targets


def misses(of):
    ratio = of.get("fp32", {}).get("ratio")
    return ratio is not None and ratio > (BAR_MANY if has_many(of) else BAR_ALL)


def look_into(step, models):
    """Of what misses its bar, the worst first: the steps that take longest, by the card's clock."""
    looked = {}
    for name in sorted(filter(lambda name: misses(models[name]), models), key=lambda name: -models[name]["fp32"]["ratio"]):
        if step.left() < 5:
            break
        told = step.machine.ask_json("device", "infer", name, "--unit", step.gpu()["name"], "--repeat", 20, "--steps", "--json",
                                     *step.kernels(), timeout=max(step.left(), 30), log=step.log)
        steps = sorted(told["steps"], key=lambda one: -one["median_ms"])
        looked[name] = {"sum_ms": sum(one["median_ms"] for one in steps), "whole_ms": told["median_ms"], "longest": steps[:LONGEST]}
        first = steps[0]
        step.say(f"{name} misses its bar: of {told['median_ms']:.3f} ms its steps take {looked[name]['sum_ms']:.3f}, most "
                 f"{' '.join(first['layers']) or 'a change of layout'} ({first['how']}) {first['median_ms']:.3f}")
    return looked


def kernels(step):
    if not step.machine.programs["tandem"]:
        raise Skipped("tandem is not here, which exports the models")
    names, peer = zoo(step), Peer()
    if peer.missing:
        step.say(f"not compared with PyTorch: {peer.missing}")
    kept, late = step.kept("kernels.models.json") or {}, []
    done = {name: of for name, of in kept.items() if "failed" not in of["fp32"]}
    for at, model in enumerate(names):
        if model in done:
            continue
        share = step.left() / (len(names) - at)  # where it is small, fp32 of all models comes before the rest of any
        if step.left() < 5:
            late.append(model)
            continue
        try:
            done[model] = race(step, peer, model, list(TOLERANCES) if share > 8 and not step.quick else ["fp32"])
        except Failed as reason:
            done[model] = {"layers": 0, "fp32": {"failed": str(reason)}}
        step.say(text_of(pathlib.Path(model).name, done[model]))
        step.write("kernels.models.json", done)
    peer.end()
    try:
        looked = look_into(step, done)
    except Failed as reason:
        looked = {"failed": str(reason)}
    return {**summed_up(done, late, peer), "missed": looked}


def summed_up(models, late, peer):
    means, targets = {}, []
    for precision in TOLERANCES:
        means[precision], found = judge(models, precision)
        targets += found if precision == "fp32" or means[precision] else []
    wrong = [f"{name} in {precision}" for name, of in models.items() for precision in TOLERANCES
             if of.get(precision, {}).get("right") is False]
    failed = [f"{name} in {precision}: {of[precision]['failed']}" for name, of in models.items() for precision in TOLERANCES
              if "failed" in of.get(precision, {})]
    result = {"models": models, "geometric_means": means, "torch": peer.version, "late": late, "targets": targets,
              "whole": not late, "why": "; ".join(([f"not compared: {peer.missing}"] if peer.missing else []) + [
                  f"outputs differ: {name}" for name in wrong][:3] + failed[:3] + ([f"no time for {len(late)}"] if late else []))}
    if wrong or failed:
        result["verdict"] = "failed"
    return result
