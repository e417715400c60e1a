"""Predictions of plans over the card and cores against what the card and the cores then do: scenarios/gpu."""
import json
import math
import os

from gpu import rehearsal
from gpu.machine import SOURCE, Failed, Skipped
from gpu.steps import target
from replay.fidelity_bars import median_size
from replay.on_device import figures, lower_median, percent, set_load
from replay.verdicts import OUTSIDE, UNKNOWN, WITHIN, at_most, by_interval, met, together

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
            rows[name] = {**figures(calibration, False), "verdicts": verdicts_of(calibration), "may_be": may_be(calibration),
                          "gain": gain_question(calibration)}
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


def may_be(calibration):
    """Between what the median size of its errors lies, by the interval of each; None where that may be anything."""
    errors = [{"error": policy["error"], "interval": policy.get("error_interval")} for policy in calibration["policies"]
              if policy["error"] is not None]
    _, low, high = median_size(errors)
    return None if math.isinf(high) else [low, high]


def shares(one, other):
    """What one takes of the other's makespan: said before, and seen; `verdict`: is what was said seen, by the intervals of what was measured?"""
    if None in (one["measured"], other["measured"]):
        raise ValueError("no complete run of both")
    said, seen = (one[key] / other[key] for key in ("predicted", "measured"))
    ends = [of.get("measured_interval") for of in (one, other)]
    between = [ends[0][0] / ends[1][1], ends[0][1] / ends[1][0]] if all(ends) and ends[1][0] > 0 else None
    side = (0, 1) if said < 1 else (1, math.inf)
    return {"said": said, "seen": seen, "seen_interval": between, "verdict": by_interval(*between, *side) if between else UNKNOWN}


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
    sees = "cannot be told" if of["verdict"] == UNKNOWN else "wins" if of["seen"] < 1 else "loses"
    return f"said {'wins' if of['said'] < 1 else 'loses'} ({of['said']:.2f}x the card's time), it {sees} ({seen_text(of)})"


def seen_text(of):
    between = of["seen_interval"]
    return f"{of['seen']:.2f}x" + (f", {between[0]:.2f} to {between[1]:.2f}" if between else "")


def gain_text(of):
    return f"said {of['said']:.2f}x of {AS_TODAY}, it is {seen_text(of)}" + (", cannot be told" if of["verdict"] == UNKNOWN else "")


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
    intervals = [of["may_be"] for of in rows.values()]
    median_may_be = None if None in intervals else [lower_median([ends[end] for ends in intervals]) for end in (0, 1)]
    text = f"{percent(median)} ({len(rows)} scenarios, spread {percent(spread)}), may be " + (
        f"{percent(median_may_be[0])} to {percent(median_may_be[1])}" if median_may_be else "anything")
    # Noise meets no bar, and misses none: what cannot be told is not known.
    targets = [
        target("prediction error, median", median, text, "<= 5 %", met(at_most(median_may_be, BAR_MEDIAN))),
        target("prediction error, worst", worst, f"{percent(worst, True)} ({name}, {rows[name]['worst_policy']}); {outside} outside, "
               f"{unknown} cannot be told, of {len(verdicts)}", "<= 9 %", met(together(verdicts))),
        target("gain over today", gains, "; ".join(f"{name}: {gain_text(of)}" for name, of in gains.items()) or "not measured",
               "said right", met(together([of["verdict"] for of in gains.values()]))),
        target("winner named right", wrong, f"{len(rows) - len(wrong)} of {len(rows)}" +
               (f", not {', '.join(wrong)}" if wrong else "") + (f", {len(untold)} with too few runs that count" if untold else ""), "all",
               met(OUTSIDE if wrong else UNKNOWN if untold else WITHIN)),
        target("conv on GPU, rest on CPU", conv, conv_text(conv) if conv else "not measured", "said right",
               met(conv["verdict"] if conv else UNKNOWN))]
    why = [f"{name}: wrong outputs" for name in outputs] + [f"{name}: {reason}" for name, reason in failures.items()]
    result = {"scenarios": rows, "failures": failures, "late": late, "conv_on_gpu": conv, "targets": targets,
              "whole": not late, "why": "; ".join(why + ([f"no time for {', '.join(late)}"] if late else []))}
    if outputs or failures:
        result["verdict"] = "failed"
    return result
