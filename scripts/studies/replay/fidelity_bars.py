"""The bars of the page of scripts/studies/fidelity. A bar is met, missed, or cannot be told: noise leads to the third alone."""
import math
import random
import statistics

from replay.fidelity_rows import CLASSES, as_planned, judged_pairs, main_figures, of_class, other_objectives, was_updated, worst_pair
from replay.on_device import lower_median, percent
from replay.verdicts import OUTSIDE, PROBABILITY, UNKNOWN, WITHIN, by_interval, median_interval, together

BARS = {"median": 0.03, "worst": 0.09, "p99": 0.15, "regret": 0.01, "bias": 0.01, "width": 0.10, "coverage": (0.85, 0.95)}
MOST_LOST = BARS["worst"]  # of a winner of which more than the bar of regrets may be lost, as no bar is met by noise
RESAMPLED = 2000  # times


def median_size(figures):
    """The median of the errors' sizes, with what it may be, given what each error may be."""
    def sizes(of):
        if of["interval"] is None:
            return 0, math.inf
        low, high = of["interval"]
        return (0 if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
    errors = [abs(of["error"]) for of in figures if of["error"] is not None]
    return lower_median(errors), *(lower_median([sizes(of)[end] for of in figures]) for end in (0, 1))


def wilson(count, of):
    """What share stands behind `count` of `of`."""
    z = statistics.NormalDist().inv_cdf((1 + PROBABILITY) / 2)
    middle, below = count / of + z * z / (2 * of), 1 + z * z / of
    reach = z * math.sqrt(count / of * (1 - count / of) / of + z * z / (4 * of * of))
    return (middle - reach) / below, (middle + reach) / below


def resampled(pairs, statistic):
    """Between which of its values the statistic lies where scenarios, not figures, are drawn again: those of one scenario have a profile and a state of
    the machine in common. `pairs`: (scenario, value). None of fewer than two scenarios."""
    values = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    if len(values) < 2:
        return None
    groups, chance = list(values.values()), random.Random(1)
    drawn = sorted(statistic([value for group in chance.choices(groups, k=len(groups)) for value in group]) for _ in range(RESAMPLED))
    outside = round((1 - PROBABILITY) / 2 * RESAMPLED)
    return drawn[outside], drawn[-1 - outside]


def widest(*intervals):
    """What any of them allows; None where one of them allows anything."""
    return None if None in intervals else (min(low for low, _ in intervals), max(high for _, high in intervals))


def spans(pairs):
    """How many intervals hold what was measured and how wide they are, each with what that may be; None where there are none. `pairs`: (scenario,
    figure)."""
    covered = [(name, of["covered"]) for name, of in pairs if of["covered"] is not None]
    widths = [(name, of["width"]) for name, of in pairs if of["width"] is not None]
    if not covered or not widths:
        return None
    held, sizes = sum(value for _, value in covered), [width for _, width in widths]
    noise = [of["noise"] for _, of in pairs if of.get("noise") is not None]
    return {"held": held, "of": len(covered), "coverage": held / len(covered),
            "may_be": widest(wilson(held, len(covered)), resampled(covered, statistics.fmean)), "width": lower_median(sizes),
            "width_may_be": widest(median_interval(sizes), resampled(widths, lower_median)), "wide": sum(is_wide(of) for _, of in pairs),
            "noise": lower_median(noise) if noise else None}


def is_wide(of):
    """Is the interval wider than the value itself? It holds nearly anything then."""
    return of["width"] is not None and of["width"] > 1


def between(interval):
    return "anything" if interval is None else f"{percent(interval[0])} to {percent(interval[1])}"


def told(what, pairs):
    """A bar that every figure is held to."""
    worst = worst_pair(pairs)
    text = f"{what}: " + (f"worst {percent(worst[1]['error'], True)} ({worst[0]}: {worst[1]['label']})" if worst else "-")
    for verdict_of, word in ((OUTSIDE, "outside"), (UNKNOWN, "cannot be told")):
        those = [pair for pair in pairs if pair[1]["verdict"] == verdict_of]
        if those:
            text += f"; {len(those)} of {len(pairs)} {word}"
    return text, together([of["verdict"] for _, of in pairs])


def spared_by_repeats(figure):
    """What lies outside its bar, but where a repeat of the runs may come out, is not told: noise is no success."""
    return {**figure, "verdict": UNKNOWN} if figure["repeats"] and figure["verdict"] == OUTSIDE else figure


def class_bars(rows):
    bars_of = []
    for kind in CLASSES[:-1]:
        chosen = of_class(rows, kind)
        if not chosen:
            continue
        what, _ = main_figures(next(iter(chosen.values())))
        pairs = [(name, of) for name, row in chosen.items() for of in main_figures(row)[1]]
        median, low, high = median_size([of for _, of in pairs])
        bars_of.append((f"{kind}: {what} error at most 3 % (median of {len(pairs)}): {percent(median)}, may be {percent(low)} to "
                        f"{'anything' if math.isinf(high) else percent(high)}", by_interval(low, high, 0, BARS["median"])))
        bars_of.append(told(f"{kind}: {what} error at most 9 %", pairs))
        if kind == "arrivals":
            bars_of.append(told("arrivals: p99 latency error at most 15 % (within what repeats of the runs differ by it cannot be told)",
                                [(name, spared_by_repeats(of)) for name, row in chosen.items() for of in row["tails"]]))
    return bars_of


def objective_bars(rows):
    """What users compare by, where no other bar is about it."""
    pairs = other_objectives(rows)
    return [told("objectives that are neither a makespan nor a latency under arrivals: error at most 9 %", pairs)] if pairs else []


def interval_bars(rows):
    figures = judged_pairs(rows)
    coverage = "85 to 95 % of the measured medians lie in the predicted 90 % intervals"
    width = "median width of these intervals at most 10 %"
    known = spans(figures)
    if known is None:
        return [(f"{of}: no prediction has one", UNKNOWN) for of in (coverage, width)]
    more = f"; {len(figures) - known['of']} predictions have none" if known["of"] < len(figures) else ""
    more += f"; {known['wide']} of the intervals are wider than the value" if known["wide"] else ""
    return [(f"{coverage}: {known['held']} of {known['of']}, {percent(known['coverage'])}, may be {between(known['may_be'])}{more}",
             by_interval(*(known["may_be"] or (0, 1)), *BARS["coverage"])),
            (f"{width}: {percent(known['width'])}, may be {between(known['width_may_be'])}" +
             (f"; those of the measured medians themselves, to which runs repeat, are {percent(known['noise'])} wide" if known["noise"] is not None else ""),
             by_interval(*(known["width_may_be"] or (0, math.inf)), 0, BARS["width"]))]


def bias_bars(rows):
    bars_of = []
    not_arrivals = {name: row for name, row in rows.items() if row["class"] != "arrivals"}
    for what, key, chosen in (("makespans", "makespans", not_arrivals), ("mean latencies under arrivals", "means", of_class(rows, "arrivals")),
                              ("p99 latencies under arrivals", "tails", of_class(rows, "arrivals"))):
        errors = [(name, of["error"]) for name, row in chosen.items() for of in row[key] if of["error"] is not None]
        interval = widest(median_interval([error for _, error in errors]), resampled(errors, lower_median))
        if interval is None:
            continue
        bars_of.append((f"signed errors of {what} centre on zero (median within 1 %): {percent(lower_median([error for _, error in errors]), True)}, may be "
                        f"{percent(interval[0], True)} to {percent(interval[1], True)}",
                        by_interval(*interval, -BARS["bias"], BARS["bias"])))
    return bars_of


def may_be_the_best(winner):
    """Of one that may lose more than the bar: does its interval reach to where nothing is lost, and are limits no question?"""
    return winner["regret_interval"] is not None and winner["regret_interval"][0] <= 0 and winner.get("limits") != UNKNOWN


def is_bounded(winner):
    """Is there an end to what it may lose? Else runs that scatter by anything would be as good as those that tell."""
    return winner["regret_interval"] is not None and winner["regret_interval"][1] <= MOST_LOST


def winner_bars(rows):
    verdicts = {name: row["winner"]["verdict"] for name, row in rows.items()}
    losing = [name for name, verdict in verdicts.items() if verdict == OUTSIDE]
    unsure = [name for name, verdict in verdicts.items() if verdict == UNKNOWN]
    unknown = [name for name in unsure if not (may_be_the_best(rows[name]["winner"]) and is_bounded(rows[name]["winner"]))]
    # What was not measured often enough for an interval is told from nothing.
    uncounted = [name for name in unknown if rows[name]["winner"]["regret_interval"] is None]
    most = f"at most {MOST_LOST * 100:.0f} %"
    text = (f"the predicted winner loses at most 1 %, or cannot be told from the best and loses {most}, in every scenario: "
            f"{len(rows) - len(losing) - len(unsure)} of {len(rows)} lose at most 1 %, "
            f"{len(unsure) - len(unknown)} cannot be told from the best and lose {most}")
    text += f"; in {len(unknown)} it cannot be told ({', '.join(unknown)})" if unknown else ""
    text += f", {len(uncounted)} of these ({', '.join(uncounted)}) for want of runs that count" if uncounted else ""
    unbounded = [name for name in unknown if may_be_the_best(rows[name]["winner"])]
    text += f", {len(unbounded)} of these ({', '.join(unbounded)}) may lose more than {most.removeprefix('at most ')}" if unbounded else ""
    worst = max((row["winner"]["regret_interval"][1] for row in rows.values() if row["winner"]["regret_interval"]), default=None)
    text += f"; at most {percent(worst)} may be lost, by the intervals" if worst is not None else ""
    return [(text + (f"; more is lost in {', '.join(losing)}" if losing else ""), OUTSIDE if losing else UNKNOWN if unknown else WITHIN)]


def real_rows(rows):
    return {name: row for name, row in rows.items() if row["class"] != "emulated"}


def time_bars(rows):
    return class_bars(rows) + objective_bars(rows) + interval_bars(rows) + bias_bars(rows) if rows else []


def planned_bars(rows):
    """The bars of times for what was planned, before the runs, from the profile alone; none where nothing else was planned."""
    real = real_rows(rows)
    return time_bars(as_planned(real)) if was_updated(real) else []


def bars(rows):
    """(what, verdict) of every bar; `rows` by name. Emulated units have one of their own, and count for the outputs."""
    real = real_rows(rows)
    wrong = [name for name, row in rows.items() if row["wrong_outputs"]]
    outputs = (f"scenarios with wrong outputs: {len(wrong)}" + (f" ({', '.join(wrong)})" if wrong else ""),
               OUTSIDE if wrong else WITHIN)
    emulated = [(name, of) for name, row in rows.items() if row["class"] == "emulated" for of in main_figures(row)[1]]
    dispatcher = [told("emulated units, which show the dispatcher alone: error at most 9 %", emulated)] if emulated else []
    return time_bars(real) + (winner_bars(real) if real else []) + dispatcher + [outputs]


def missed(rows):
    """Of what was planned and of what came after: every bar that is."""
    return [what for what, verdict in planned_bars(rows) + bars(rows) if verdict == OUTSIDE]
