"""The page of scripts/studies/fidelity: what a calibration comes to, how it stands to the bars, and the seal that shows the
page to be the script's. A bar is met, missed, or cannot be told: noise leads to the third alone."""
import hashlib
import math
import statistics

from replay.on_device import lower_median, percent

BARS = {"median": 0.03, "worst": 0.09, "p99": 0.15, "regret": 0.01, "bias": 0.01, "width": 0.10, "coverage": (0.85, 0.95)}
PROBABILITY = 0.9  # of all intervals
WITHIN, OUTSIDE, UNKNOWN = "within", "outside", "unknown"
SAID = {WITHIN: "met", OUTSIDE: "**missed**", UNKNOWN: "cannot be told"}
CLASSES = ["whole models", "inside models", "under load", "arrivals", "emulated"]
CUTTING = {"pipeline", "split", "branch_parallel", "layer_type"}
TITLE, PART_TITLE = "# How far predictions are from a real machine", "# A part: how far some predictions are from a real machine"
SEAL = "<!-- sealed by scripts/studies/fidelity: sha256 {} -->\n"


def class_of(scenario):
    units = scenario["platform"]["units"] if isinstance(scenario.get("platform"), dict) else []
    policies = [{"name": policy} if isinstance(policy, str) else policy for policy in scenario["policies"]]
    arrivals = {stream.get("arrival", {}).get("type") for stream in scenario["streams"]}
    if units and all(unit.get("backend") == "emulated" for unit in units):
        return "emulated"
    if arrivals & {"periodic", "poisson", "trace"}:
        return "arrivals"
    if scenario.get("background"):
        return "under load"
    if any(policy["name"] in CUTTING or policy.get("granularity", "model") != "model" for policy in policies):
        return "inside models"
    return "whole models"


def figure(label, of, measured, predicted):
    interval = of["predicted_interval_ns"]
    return {"label": label, "error": of["error"], "interval": of["error_interval"], "verdict": of["verdict"],
            "runs_needed": of["runs_needed"],
            "covered": None if interval is None else interval[0] <= measured <= interval[1],
            "width": None if interval is None or not predicted else (interval[1] - interval[0]) / predicted}


def row_of(calibration, kind):
    """What a row of the page says; raises where a policy was not measured."""
    missing = [policy["label"] for policy in calibration["policies"] if policy["measured_ns"] is None]
    if missing or not calibration["policies"]:
        raise ValueError(f"no complete run of {', '.join(missing) or 'any policy'}")
    makespans = [figure(policy["label"], policy, policy["measured_ns"], policy["predicted_ns"])
                 for policy in calibration["policies"]]
    tails = [figure(latency["label"], latency["p99"], latency["p99"]["measured_ns"], latency["p99"]["predicted_ns"])
             for latency in calibration["percentiles"]]
    for of, policy in zip(makespans, calibration["policies"]):
        of["planned"] = policy.get("planned_ns", policy["predicted_ns"]) / policy["measured_ns"] - 1
    return {"class": kind, "objective": calibration["objective"], "makespans": makespans, "tails": tails,
            "changes": changes_of(calibration),
            "winner": calibration["winner"], "warnings": calibration["warnings"],
            "runs": sum(len(policy["runs_ns"]) for policy in calibration["policies"]),
            "disturbed": sum(policy["disturbed"] for policy in calibration["policies"]),
            "wrong_outputs": [policy["label"] for policy in calibration["policies"] if policy["correct"] is False]}


def changes_of(calibration):
    """By how much more than profiled whole models took on each unit, alone, in turn with the plans."""
    return [of["measured_ns"] / of["profiled_ns"] - 1 for of in calibration.get("alone", [])]


def worst_of(figures):
    return max((of for of in figures if of["error"] is not None), key=lambda of: abs(of["error"]), default=None)


def together(verdicts):
    """Of all of them: outside where one is, else unknown where one is."""
    return OUTSIDE if OUTSIDE in verdicts else UNKNOWN if UNKNOWN in verdicts or not verdicts else WITHIN


def by_interval(low, high, least, most):
    """An interval against a range."""
    return WITHIN if least <= low and high <= most else OUTSIDE if high < least or low > most else UNKNOWN


def median_size(figures):
    """The median of the errors' sizes, with what it may be, given what each error may be."""
    def sizes(of):
        if of["interval"] is None:
            return 0, math.inf
        low, high = of["interval"]
        return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    errors = [abs(of["error"]) for of in figures if of["error"] is not None]
    return lower_median(errors), *(lower_median([sizes(of)[end] for of in figures]) for end in (0, 1))


def median_interval(values):
    """Between two of the values, whatever they are distributed like; None where there are too few."""
    values, outside, rank = sorted(values), 0.0, None
    for k in range((len(values) + 1) // 2):
        outside += 2 * math.comb(len(values), k) * 0.5 ** len(values)
        if outside > 1 - PROBABILITY:
            break
        rank = k
    return None if rank is None else (values[rank], values[-1 - rank])


def wilson(count, of):
    """What share stands behind `count` of `of`."""
    z = statistics.NormalDist().inv_cdf((1 + PROBABILITY) / 2)
    middle, below = count / of + z * z / (2 * of), 1 + z * z / of
    reach = z * math.sqrt(count / of * (1 - count / of) / of + z * z / (4 * of * of))
    return (middle - reach) / below, (middle + reach) / below


def judged_figures(rows):
    """What intervals and bias are judged by: where requests arrive by themselves the p99 latency, since their makespan is the
    last one's arrival; else the makespan."""
    return [of for row in rows.values() for of in (row["tails"] if row["class"] == "arrivals" else row["makespans"])]



def told(what, pairs):
    """A bar that every figure is held to."""
    verdict = together([of["verdict"] for _, of in pairs])
    name, worst = max(((name, of) for name, of in pairs if of["error"] is not None), key=lambda pair: abs(pair[1]["error"]),
                      default=(None, None))
    text = f"{what}: " + (f"worst {percent(worst['error'], True)} ({name}: {worst['label']})" if worst else "none was measured")
    for verdict_of, word in ((OUTSIDE, "outside"), (UNKNOWN, "cannot be told")):
        those = [pair for pair in pairs if pair[1]["verdict"] == verdict_of]
        if those:
            text += f"; {len(those)} of {len(pairs)} {word}"
    return text, verdict


def class_bars(rows):
    bars = []
    for kind in CLASSES[:-1]:
        of_class = {name: row for name, row in rows.items() if row["class"] == kind}
        if not of_class:
            continue
        pairs = [(name, of) for name, row in of_class.items() for of in row["makespans"]]
        median, low, high = median_size([of for _, of in pairs])
        bars.append((f"{kind}: makespan error at most 3 % (median of {len(pairs)}): {percent(median)}, may be {percent(low)} to "
                     f"{'anything' if math.isinf(high) else percent(high)}", by_interval(low, high, 0, BARS["median"])))
        bars.append(told(f"{kind}: makespan error at most 9 %", pairs))
        if kind == "arrivals":
            bars.append(told("arrivals: p99 latency error at most 15 %",
                             [(name, of) for name, row in of_class.items() for of in row["tails"]]))
    return bars


def interval_bars(rows):
    figures = judged_figures(rows)
    covered = [of["covered"] for of in figures if of["covered"] is not None]
    widths = [of["width"] for of in figures if of["width"] is not None]
    if not covered:
        return [("coverage of the 90 % intervals: no prediction has one", OUTSIDE)]
    low, high = wilson(sum(covered), len(covered))
    width = lower_median(widths)
    without = f"; {len(figures) - len(covered)} predictions have none" if len(covered) < len(figures) else ""
    return [(f"85 to 95 % of the measured medians lie in the predicted 90 % intervals: {sum(covered)} of {len(covered)}, "
             f"{percent(sum(covered) / len(covered))}, may be {percent(low)} to {percent(high)}{without}",
             by_interval(low, high, *BARS["coverage"])),
            (f"median width of these intervals at most 10 %: {percent(width)}", WITHIN if width <= BARS["width"] else OUTSIDE)]


def bias_bars(rows):
    bars = []
    for what, chosen in (("makespans", [of for row in rows.values() if row["class"] != "arrivals" for of in row["makespans"]]),
                         ("p99 latencies under arrivals", [of for row in rows.values() if row["class"] == "arrivals"
                                                           for of in row["tails"]])):
        errors = [of["error"] for of in chosen if of["error"] is not None]
        interval = median_interval(errors)
        if interval is None:
            continue
        bars.append((f"signed errors of {what} centre on zero (median within 1 %): {percent(lower_median(errors), True)}, may be "
                     f"{percent(interval[0], True)} to {percent(interval[1], True)}",
                     by_interval(*interval, -BARS["bias"], BARS["bias"])))
    return bars


def winner_bars(rows):
    verdicts = {name: row["winner"]["verdict"] for name, row in rows.items()}
    losing = [name for name, verdict in verdicts.items() if verdict == OUTSIDE]
    unsure = [name for name, verdict in verdicts.items() if verdict == UNKNOWN]
    text = (f"the predicted winner loses at most 1 %, or cannot be told from the best, in every scenario: "
            f"{len(rows) - len(losing) - len(unsure)} of {len(rows)} lose at most that, {len(unsure)} cannot be told")
    return [(text + (f"; more is lost in {', '.join(losing)}" if losing else ""), OUTSIDE if losing else WITHIN)]


def bars(rows):
    """(what, verdict) of every bar; `rows` by name. Emulated units count for none but the outputs."""
    real = {name: row for name, row in rows.items() if row["class"] != "emulated"}
    wrong = [name for name, row in rows.items() if row["wrong_outputs"]]
    outputs = (f"scenarios with wrong outputs: {len(wrong)}" + (f" ({', '.join(wrong)})" if wrong else ""),
               OUTSIDE if wrong else WITHIN)
    return (class_bars(real) + interval_bars(real) + bias_bars(real) + winner_bars(real) if real else []) + [outputs]


def states(rows):
    """What the machine's own changes come to: in whole models alone, and in errors of what was planned; None where nobody knows."""
    changed = [change for row in rows.values() for change in row["changes"]]
    figures = [of for row in rows.values() if row["class"] != "arrivals" for of in row["makespans"] if of["error"] is not None]
    if not changed or not figures:
        return None
    sizes = {key: percent(lower_median([abs(of[key]) for of in figures])) for key in ("error", "planned")}
    middles = {key: percent(lower_median([of[key] for of in figures]), True) for key in ("error", "planned")}
    worst = percent(max((of["planned"] for of in figures), key=abs), True)
    return (f"Between profile and runs the machine changes: whole models, each alone on a unit in turn with the plans, took {percent(min(changed), True)} to\n"
            f"{percent(max(changed), True)} longer than profiled, {percent(lower_median([abs(c) for c in changed]))} in the median of the sizes. Predictions are of what they took then "
            "(`tandem validate --alone`), never\nof the plans' own times: what is judged here is the simulation, how models take turns, disturb each other and are divided. "
            "Makespans (but those that\n"
            f"arrivals set) are off by {sizes['error']} in the median of the sizes and centre on {middles['error']}; as planned, before the runs, from the profile alone, "
            f"by {sizes['planned']}\nand on {middles['planned']}, {worst} at worst.")


def counts(figures):
    return " / ".join(str(sum(of["verdict"] == verdict for of in figures)) for verdict in (WITHIN, OUTSIDE, UNKNOWN))


def error_text(figures):
    worst = worst_of(figures)
    if worst is None:
        return "-"
    median = lower_median([abs(of["error"]) for of in figures if of["error"] is not None])
    return f"{percent(median)} / {percent(worst['error'], True)} ({worst['label']})"


def range_text(interval):
    return "" if interval is None else f" ({percent(interval[0], True)} to {percent(interval[1], True)})"


HEAD = ("| scenario | policies | objective | makespan error: median / worst | within / outside / unknown | in the interval | width "
        "| p99 error: median / worst | within / outside / unknown | predicted winner (probability) | measured winner | regret "
        "| at most 1 % |\n" + "|---" * 13 + "|")


def row_text(name, row):
    winner, figures = row["winner"], row["tails"] if row["class"] == "arrivals" else row["makespans"]
    covered = [of["covered"] for of in figures if of["covered"] is not None]
    probability = (winner["probability"] or {}).get(winner["predicted"])
    named = (winner["predicted"] or "-") + (f" ({probability:.2f})" if probability is not None else "")
    said = {WITHIN: "yes", OUTSIDE: "**no**", UNKNOWN: "cannot be told"}[winner["verdict"]]
    cells = [name, len(row["makespans"]), row["objective"], error_text(row["makespans"]), counts(row["makespans"]),
             f"{sum(covered)} of {len(covered)}" if covered else "-",
             percent(lower_median([of["width"] for of in figures if of["width"] is not None])),
             error_text(row["tails"]), counts(row["tails"]), named, winner["measured"] or "-",
             percent(winner["regret"]) + range_text(winner["regret_interval"]), said]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(rows):
    return HEAD + "\n" + "\n".join(row_text(name, row) for name, row in rows.items())


def open_questions(rows):
    """Every figure that is not within its bar."""
    lines = []
    for name, row in rows.items():
        for what, figures in (("makespan", row["makespans"]), ("p99", row["tails"] if row["class"] == "arrivals" else [])):
            for of in figures:
                if of["verdict"] == WITHIN:
                    continue
                needed = f", about {of['runs_needed']} runs would tell" if of["runs_needed"] else ""
                lines.append(f"- {name}: {of['label']}: {what} {percent(of['error'], True)}{range_text(of['interval'])}: "
                             f"{'**outside**' if of['verdict'] == OUTSIDE else 'cannot be told' + needed}")
    return lines


def warnings(rows):
    """Those of several policies that say the same are one."""
    lines = []
    for name, row in rows.items():
        labels = {of["label"] for of in row["makespans"]}
        same = {}
        for warning in row["warnings"]:
            who, _, what = warning.partition(": ")
            same.setdefault(what if who in labels else warning, []).append(who if who in labels else "")
        lines += [f"- {name}: " + (", ".join(who) + ": " if who[0] else "") + what for what, who in same.items()]
    return lines


def page(head, rows, failures, whole):
    """`head` says when, where and of what; a part has another title and no seal."""
    real = {name: row for name, row in rows.items() if row["class"] != "emulated"}
    emulated = {name: row for name, row in rows.items() if row["class"] == "emulated"}
    text = [TITLE if whole else PART_TITLE, head,
            "## Bars\n\n" + "\n".join(f"- {SAID[verdict]}: {what}." for what, verdict in bars(rows))]
    if changes := states(real):
        text.append("## The machine's state\n\n" + changes)
    for kind in CLASSES[:-1]:
        of_class = {name: row for name, row in real.items() if row["class"] == kind}
        if of_class:
            text.append(f"## {kind[0].upper()}{kind[1:]}\n\n" + table(of_class))
    if emulated:
        text.append("## Emulated units\n\nUnits that wait as long as their profile says. That they come out as predicted proves "
                    "the dispatcher and nothing of kernels;\nthey count for no bar but that of the outputs.\n\n" + table(emulated))
    if lines := open_questions(rows):
        text.append("## Not within their bars\n\n" + "\n".join(lines))
    notes = [f"- {name}: {reason}" for name, reason in failures.items()]
    notes += [f"- {name}: {row['disturbed']} of {row['runs']} runs do not count: others had the machine"
              for name, row in rows.items() if row["disturbed"]]
    notes += [f"- {name}: wrong outputs under {', '.join(row['wrong_outputs'])}" for name, row in rows.items()
              if row["wrong_outputs"]]
    notes += warnings(rows)
    if notes:
        text.append("## What went wrong or was warned of\n\n" + "\n".join(notes))
    text = "\n\n".join(text) + "\n"
    return text + "\n" + SEAL.format(seal_of(text + "\n")) if whole else text


def forgotten(names):
    """The page while there is nothing to show: what was measured was measured of something else."""
    rows = "".join(f"| {name} | not measured |\n" for name in names)
    text = (f"{TITLE}\n\nWritten by `scripts/studies/fidelity --forget`: do not edit, a test holds the seal below. What was measured before says nothing\n"
            "of what predicts and measures now; until `scripts/studies/fidelity` has run on an idle machine, nothing is known of these scenarios\n"
            f"for this revision.\n\n| scenario | error |\n|---|---|\n{rows}")
    return text + "\n" + SEAL.format(seal_of(text + "\n"))


def seal_of(text):
    return hashlib.sha256(text.encode()).hexdigest()


def is_sealed(text):
    """Is the page as the script wrote it?"""
    at = text.rfind(SEAL.split("{}", maxsplit=1)[0])
    return at >= 0 and text[at:] == SEAL.format(seal_of(text[:at]))
