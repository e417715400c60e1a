"""Predictions of plans over the card and cores against what the card and the cores then do: scenarios/gpu."""
import json
import os

from gpu import rehearsal
from gpu.machine import SOURCE, Failed, Skipped
from gpu.steps import target
from replay.on_device import figures, lower_median, percent, set_load

SCENARIOS = SOURCE / "scenarios" / "gpu"
SUFFIX = ".scenario.json"
LOADS = {"periodic-half": 0.5, "periodic-near": 0.9}
BAR_MEDIAN = 0.05  # the worst one is judged by validate, whose bar is 9 %
CONV, ALONE = "conv on gpu", "single:gpu0"  # of the scenario conv-on-gpu
AS_TODAY = "unmanaged"  # every stream by itself on what is fastest for it
QUICK = ["offline", "conv-on-gpu", "segments", "split"]
REPEATS = 5


def here(scenario, info):
    """The scenario on this machine: its own memories and links, its card, and the first of the cores, one of which is left to
    the thread that drives the card."""
    platform, found = scenario["platform"], info["platform"]
    card = next(unit for unit in found["units"] if unit.get("backend") == "cuda")
    host, cores = found["memories"][0]["name"], sorted(os.sched_getaffinity(0))
    platform["memories"] = [memory for memory in found["memories"] if memory["name"] in (host, card["memory"])]
    if card["memory"] == host:
        platform.pop("links", None)
    elif found.get("links"):
        platform["links"] = found["links"]
    for unit in platform["units"]:
        if unit["backend"] == "cuda":
            unit.update({key: card[key] for key in ("memory", "device") if key in card})
        else:
            unit.update(memory=host, cores=[cores[core] for core in unit["cores"] if core < max(1, len(cores) - 1)])
    platform["units"] = [unit for unit in platform["units"] if unit.get("cores", [0])]
    return scenario


def platform_of(info):
    """The card and twice four cores, as far as they are here."""
    scenario = json.loads((SCENARIOS / ("offline" + SUFFIX)).read_text())
    return {"tandem": "platform/1", **here(scenario, info)["platform"], "name": info["platform"]["name"]}


def profile_scenario(step, name, scenario, folder, seconds):
    file, profile = folder / (name + SUFFIX), folder / f"{name}.profile.json"
    file.write_text(json.dumps(scenario, indent=1))
    if not profile.exists() or not step.check.resume:
        step.machine.ask("device", "profile", file, "-o", profile, "--force", "--budget", f"{seconds:.0f}", *step.kernels(),
                         timeout=3 * seconds + 60, log=step.log)
    if name in LOADS:
        set_load(scenario, json.loads(profile.read_text()), LOADS[name])
    file.write_text(json.dumps({**scenario, "profiles": [str(profile.resolve())]}, indent=1))
    return file


def measure(step, name, seconds):
    """The calibration of a scenario, within about so many seconds."""
    folder = step.out / "plans" / name
    kept = folder / "calibration.json"
    if step.check.resume and kept.exists():
        return json.loads(kept.read_text())
    folder.mkdir(parents=True, exist_ok=True)
    kept.unlink(missing_ok=True)
    scenario = here(json.loads((SCENARIOS / (name + SUFFIX)).read_text()), step.info)
    if step.rehearsal:
        scenario = rehearsal.small(scenario, folder)
    file = profile_scenario(step, name, scenario, folder, max(2, min(20, seconds * 0.3)))
    # What is said before the card runs any of it.
    (folder / "plan.json").write_text(step.machine.ask("tandem", "plan", file, "--json", timeout=60 + seconds, accept=(0, 1),
                                                       log=step.log))
    return step.machine.ask_json("tandem", "validate", file, "--device", step.machine.program("device"), "--repeat",
                                 3 if step.quick else REPEATS, "--json", "--keep", folder, "--force", timeout=60 + 2 * seconds,
                                 accept=(0, 1), log=step.log)


def text_of(of):
    winner = of["winner"]
    return (f"error {percent(of['median'])} (median), {percent(of['worst'], True)} (worst, {of['worst_policy']}), spread "
            f"{percent(of['spread'])}; winner {winner['predicted']} / {winner['measured']}{' WRONG' if winner['wrong'] else ''}")


def plans(step):
    if not step.machine.programs["tandem"]:
        raise Skipped("tandem is not here (it needs SimGrid; a bundle has it): nothing is predicted")
    names = QUICK if step.quick else sorted(path.name.removesuffix(SUFFIX) for path in SCENARIOS.glob("*" + SUFFIX))
    rows, failures, late, conv = {}, {}, [], None
    for at, name in enumerate(names):
        if step.left() < 10:
            late.append(name)
            continue
        try:
            calibration = measure(step, name, step.left() / (len(names) - at))
            rows[name] = {**figures(calibration, False), "verdicts": verdicts_of(calibration), "gain": gain_question(calibration)}
            conv = conv_question(calibration) if name == "conv-on-gpu" else conv
            step.say(f"{name:<14} {text_of(rows[name])}")
        except (Failed, ValueError, KeyError) as reason:
            failures[name] = str(reason)
            step.say(f"{name:<14} {reason}")
    if not rows:
        raise Failed("; ".join(f"{name}: {reason}" for name, reason in failures.items()) or "no time for any")
    return summed_up(rows, failures, late, conv)


def verdicts_of(calibration):
    """By policy: is its error within the bar, outside it, or cannot it be told?"""
    return {policy["label"]: policy.get("verdict", "unknown") for policy in calibration["policies"] if policy["error"] is not None}


def shares(one, other):
    """What one takes of the other's makespan: said before, and seen."""
    if None in (one["measured"], other["measured"]):
        raise ValueError("no complete run of both")
    said, seen = (one[key] / other[key] for key in ("predicted", "measured"))
    tie = abs(seen - 1) <= max(one["spread"] or 0, other["spread"] or 0)
    return {"said": said, "seen": seen, "right": (said < 1) == (seen < 1) or tie, "tie": tie}


def conv_question(calibration):
    """Do convolutions on the card with the rest on cores win over the card alone?"""
    of = {policy["label"]: policy for policy in calibration["policies"]}
    return shares(of[CONV], of[ALONE])


def gain_question(calibration):
    """What the plan that is predicted to be shortest gains over today; None where the scenario does not ask."""
    of = {policy["label"]: policy for policy in calibration["policies"] if policy["measured"] is not None}
    today = of.pop(AS_TODAY, None)
    return shares(min(of.values(), key=lambda policy: policy["predicted"]), today) if today and of else None


def conv_text(of):
    return (f"said {'wins' if of['said'] < 1 else 'loses'} ({of['said']:.2f}x the card's time), it "
            f"{'wins' if of['seen'] < 1 else 'loses'} ({of['seen']:.2f}x)")


def gain_text(of):
    return f"said {of['said']:.2f}x of {AS_TODAY}, it is {of['seen']:.2f}x"


def summed_up(rows, failures, late, conv):
    median = lower_median([of["median"] for of in rows.values()])
    spread = lower_median([of["spread"] for of in rows.values()])
    name = max(rows, key=lambda name: abs(rows[name]["worst"]))
    worst = rows[name]["worst"]
    wrong = [name for name, of in rows.items() if of["winner"]["wrong"]]
    untold = [name for name, of in rows.items() if of["winner"].get("unknown") and of["winner"].get("regret_interval") is None]
    outputs = [name for name, of in rows.items() if of["wrong_outputs"]]
    verdicts = [verdict for of in rows.values() for verdict in of["verdicts"].values()]
    outside, unknown = (verdicts.count(word) for word in ("outside", "unknown"))
    gains = {name: of["gain"] for name, of in rows.items() if of["gain"]}
    targets = [
        target("prediction error, median", median, f"{percent(median)} ({len(rows)} scenarios, spread {percent(spread)})",
               "<= 5 %", median <= BAR_MEDIAN),
        # Noise meets no bar: what cannot be told is not known.
        target("prediction error, worst", worst, f"{percent(worst, True)} ({name}, {rows[name]['worst_policy']}); {outside} outside, "
               f"{unknown} cannot be told, of {len(verdicts)}", "<= 9 %", False if outside else None if unknown else True),
        target("gain over today", gains, "; ".join(f"{name}: {gain_text(of)}" for name, of in gains.items()) or "not measured",
               "said right", all(of["right"] for of in gains.values()) if gains else None),
        target("winner named right", wrong, f"{len(rows) - len(wrong)} of {len(rows)}" +
               (f", not {', '.join(wrong)}" if wrong else "") + (f", {len(untold)} with too few runs that count" if untold else ""), "all",
               False if wrong else None if untold else True),
        target("conv on GPU, rest on CPU", conv, conv_text(conv) if conv else "not measured", "said right",
               conv["right"] if conv else None)]
    why = [f"{name}: wrong outputs" for name in outputs] + [f"{name}: {reason}" for name, reason in failures.items()]
    result = {"scenarios": rows, "failures": failures, "late": late, "conv_on_gpu": conv, "targets": targets,
              "whole": not late, "why": "; ".join(why + ([f"no time for {', '.join(late)}"] if late else []))}
    if outputs or failures:
        result["verdict"] = "failed"
    return result
