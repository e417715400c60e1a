"""The profile of the zoo on the card and on cores, and what lies between segments on the card."""
import json

from gpu import rehearsal
from gpu.correctness import zoo
from gpu.machine import Failed, Skipped
from gpu.plans import platform_of
from gpu.steps import target
from replay.on_device import lower_median, median_us
from replay.verdicts import at_most, median_interval, met, together

BAR_US = 10


def request(step):
    models = [rehearsal.model_in(step.out)] if step.rehearsal else zoo(step)
    more = {} if step.quick else {"variants": {step.gpu()["name"]: ["fp32", "tf32", "fp16"]}}
    return {"tandem": "profile-request/1", "platform": platform_of(step.info), "models": models, "groups": not step.quick,
            "layers": False, "mapped": True, **more, "co_running": "none", "budget_s": max(5, round(step.left() * 0.35)), "seed": 1}


def profile(step):
    """Goes on with what an interrupted run left, where one did."""
    wanted, file = step.out / "zoo.request.json", step.out / "zoo.profile.json"
    partial = file.with_name(file.name + ".partial")
    go_on = step.check.resume and partial.exists() and wanted.exists()
    if not go_on:
        step.write(wanted.name, request(step))
    try:
        step.machine.ask("device", "profile", wanted, "-o", file, "--force", *(["--resume"] if go_on else []), *step.kernels(),
                         timeout=step.left() + 30, log=step.log)
    except Failed as reason:
        raise Failed(f"{reason}{'; --resume goes on with its samples' if partial.exists() else ''}") from None
    found = json.loads(file.read_text())
    card = step.gpu()["name"]
    whole = [entry for entry in found["entries"] if entry["unit"] == card and entry["layers"] == "*"
             and entry.get("precision", "fp32") == "fp32" and not entry.get("mapped")]
    if not whole:
        raise Failed("the profile has no model on the card")
    times = {entry["model"]: median_us(entry) for entry in whole}
    launch = {entry["model"]: median_us(entry) - entry["device_us"] for entry in whole if "device_us" in entry}
    core = {entry["model"]: entry["core_us"] for entry in whole if "core_us" in entry}
    step.say(f"{len(times)} models on {card}, {len(found['entries'])} entries")
    if core:
        busiest = max(core, key=lambda model: core[model] / times[model])
        step.say(f"starting and waiting keep a core busy for {100 * core[busiest] / times[busiest]:.0f} % of a run at most, of {busiest}")
    return {"models_us": times, "launch_us": launch, "core_us": core, "entries": len(found["entries"]),
            "unstable": sum(bool(entry.get("unstable")) for entry in found["entries"]), "targets": []}


def tasks_of(trace, unit):
    """By label of a run's policy and by request: (start, end) of its tasks on the unit, in ns, in their order."""
    labels, threads, tasks = {}, set(), {}
    for event in trace["traceEvents"]:
        key = (event["pid"], event["tid"])
        if event.get("name") == "process_name":
            labels[event["pid"]] = event["args"]["name"].removeprefix("measured: ")
        elif event.get("name") == "thread_name" and event["args"].get("unit") == unit:
            threads.add(key)
        elif event["ph"] == "X" and key in threads and event["args"].get("kind") == "compute":
            of = event["args"]
            tasks.setdefault(labels[event["pid"]], {}).setdefault((event["pid"], of["request"]), []).append(
                (of["start_ns"], of["end_ns"]))
    return tasks


def between(requests):
    """What lies between the end of a task and the start of the next one of the same request."""
    gaps = sorted((after[0] - before[1]) / 1000 for tasks in requests.values()
                  for before, after in zip(sorted(tasks), sorted(tasks)[1:]))
    if not gaps:
        return None
    latency = lower_median([max(tasks)[1] - min(tasks)[0] for tasks in requests.values()]) / 1000
    return {"median_us": lower_median(gaps), "interval_us": median_interval(gaps), "p99_us": gaps[(len(gaps) * 99 - 1) // 100], "count": len(gaps),
            "segments": len(next(iter(requests.values()))), "latency_us": latency}


def segments(step):
    """What handing over from one segment to the next costs on the card, by the trace of its runs; and what each cut costs
    in all, graphs and fusions that it parts included, which is told and has no bar."""
    path = step.out / "plans" / "segments" / "measured.trace.json"
    if not path.exists():
        raise Skipped("the plans of scenarios/gpu/segments were not run")
    runs = tasks_of(json.loads(path.read_text()), step.gpu()["name"])
    found = {label: of for label, of in ((label, between(requests)) for label, requests in runs.items()) if of}
    if not found:
        raise Failed("the trace has no request of several segments on the card")
    whole = [end - start for requests in runs.values() for tasks in requests.values() if len(tasks) == 1 for start, end in tasks]
    for of in found.values():
        of["cut_us"] = (of["latency_us"] - lower_median(whole) / 1000) / (of["segments"] - 1) if whole else None
    worst = max(of["median_us"] for of in found.values())
    text = ", ".join(f"{label} {of['median_us']:.1f} us (p99 {of['p99_us']:.1f}" +
                     (f", a cut costs {of['cut_us']:.1f})" if whole else ")") for label, of in found.items())
    step.say(text)
    told = met(together([at_most(of["interval_us"], BAR_US) for of in found.values()]))
    return {"between": found, "targets": [target("overhead between segments", worst, text, f"<= {BAR_US} us", told)]}


def handover(step):
    """Study 002 on this card: how tensors come to it and go, with time and energy an image."""
    if "handover" not in step.machine.ask("device", "--help"):
        raise Skipped("this tandem-device has no command handover")
    results = {}
    for model in zoo(step) if step.rehearsal else ["googlenet"] if step.quick else ["googlenet", "resnet50", "squeezenet_1_1"]:
        told = step.machine.ask("device", "handover", model, "--images", 100, "--modes", "copy,zero_copy,managed", "--json",
                                *step.kernels(), timeout=max(30, step.left()), accept=(0, 3), log=step.log)
        if not told.strip():
            raise Skipped(f"there is nothing to compare, see {step.log}")
        results[model] = json.loads(told)
        step.say(f"{model}: " + ", ".join(row_text(row) for row in results[model]["rows"]))
    return {"models": results, "targets": []}


def row_text(row):
    if row["median_ms"] is None:
        return f"{row['unit']} {row['mode'] or ''}: {row['why_not']}"
    energy = f" {1000 * row['energy_j']:.1f} mJ" if row["energy_j"] else ""
    return f"{row['unit']} {row['mode'] or 'alone'} {row['median_ms']:.3f} ms{energy}"
