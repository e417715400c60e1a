"""The page of scripts/studies/fidelity, the rows beside it that it is written of, and the seal that shows it to be the script's."""
import hashlib
import json

from replay.fidelity_bars import bars, between, is_wide, planned_bars, real_rows, spans
from replay.fidelity_rows import CLASSES, as_planned, judged_pairs, main_figures, of_class, other_objectives, was_updated, worst_of
from replay.on_device import lower_median, percent
from replay.verdicts import OUTSIDE, UNKNOWN, WITHIN

SAID = {WITHIN: "met", OUTSIDE: "**missed**", UNKNOWN: "cannot be told"}
TITLE, PART_TITLE = "# How far predictions are from a real machine", "# A part: how far some predictions are from a real machine"
SEAL = "<!-- sealed by scripts/studies/fidelity: sha256 {} -->\n"
INTERVALS_HEAD = ("| scenarios | intervals of | in the interval | coverage (may be) | median width (may be) | wider than the value | measured medians' own, width |\n"
                  + "|---" * 7 + "|")


def intervals(rows):
    """Coverage and width by class, beside those of the whole; None where no prediction has an interval."""
    lines = []
    of_kinds = {**{kind: of_class(rows, kind) for kind in CLASSES[:-1]}, "all": rows, **({"all, as planned": as_planned(rows)} if was_updated(rows) else {})}
    for kind, chosen in of_kinds.items():
        known = spans(judged_pairs(chosen))
        if known is None:
            continue
        what = "p99 latencies" if kind == "arrivals" else "makespans" if kind in CLASSES else "both"
        lines.append(f"| {kind} | {what} | {known['held']} of {known['of']} | {percent(known['coverage'])} ({between(known['may_be'])}) "
                     f"| {percent(known['width'])} ({between(known['width_may_be'])}) | {known['wide']} "
                     f"| {percent(known['noise']) if known['noise'] is not None else '-'} |")
    return INTERVALS_HEAD + "\n" + "\n".join(lines) if lines else None


def states(rows):
    """What the machine's own changes come to: in whole models alone, and in errors of what was planned; None where nobody knows."""
    changed = [change for row in rows.values() for change in row["changes"]]
    pairs = [(name, of) for name, row in rows.items() if row["class"] != "arrivals" for of in row["makespans"] if of["error"] is not None]
    if not changed or not pairs:
        return None
    errors = {"error": [of["error"] for _, of in pairs], "planned": [of["planned"]["error"] for _, of in pairs]}
    sizes = {key: percent(lower_median([abs(error) for error in of])) for key, of in errors.items()}
    middles = {key: percent(lower_median(of), True) for key, of in errors.items()}
    name, worst = max(pairs, key=lambda pair: abs(pair[1]["planned"]["error"]))
    return (f"Between profile and runs the machine changes: whole models, each alone on a unit in turn with the plans, took {percent(min(changed), True)} to\n"
            f"{percent(max(changed), True)} longer than profiled, {percent(lower_median([abs(c) for c in changed]))} in the median of the sizes. Predictions are of what they took then "
            "(`tandem validate --alone`), never\nof the plans' own times: what is judged here is the simulation, how models take turns, disturb each other and are divided. "
            "Makespans (but those that\n"
            f"arrivals set) are off by {sizes['error']} in the median of the sizes and centre on {middles['error']}; as planned, before the runs, from the profile alone, "
            f"by {sizes['planned']}\nand on {middles['planned']}, {percent(worst['planned']['error'], True)} at worst ({name}: {worst['label']}).")


def bars_text(rows):
    """What a user knows before anything runs comes first."""
    def of(judged):
        return "\n".join(f"- {SAID[verdict]}: {what}." for what, verdict in judged)
    planned, known, judged = planned_bars(rows), *(len(judged_pairs(those)) for those in (as_planned(real_rows(rows)), real_rows(rows)))
    say_it = f" ({known} of {judged} figures say it)" if known < judged else ""
    return (f"As planned, before the runs, from the profile alone{say_it}:\n\n{of(planned)}\n\nIn the state that the machine was in when the plans ran "
            "(below):\n\n" if planned else "") + of(bars(rows))


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


def width_text(figures):
    text = percent(lower_median([of["width"] for of in figures if of["width"] is not None]))
    wide = sum(is_wide(of) for of in figures)
    return text + (f", **{wide} wider than the value**" if wide else "")


def winner_text(winner):
    probability = (winner["probability"] or {}).get(winner["predicted"])
    return ((winner["predicted"] or "-") + (f" ({probability:.2f})" if probability is not None else "")
            + (f", simpler than {winner['instead_of']}" if winner.get("instead_of") else ""))


def row_text(name, row):
    winner, (_, main) = row["winner"], main_figures(row)
    figures = [of for _, of in judged_pairs({name: row})]
    covered = [of["covered"] for of in figures if of["covered"] is not None]
    said = {WITHIN: "yes", OUTSIDE: "**no**", UNKNOWN: "cannot be told"}[winner["verdict"]]
    cells = [name, len(row["makespans"]), row["objective"], error_text(main), counts(main),
             f"{sum(covered)} of {len(covered)}" if covered else "-", width_text(figures),
             error_text(row["tails"]), counts(row["tails"]), winner_text(winner), winner["measured"] or "-",
             percent(winner["regret"]) + range_text(winner["regret_interval"]), said]
    return "| " + " | ".join(str(cell) for cell in cells) + " |"


def table(rows):
    """Of scenarios of one class."""
    what, _ = main_figures(next(iter(rows.values())))
    head = (f"| scenario | policies | objective | {what} error: median / worst | within / outside / unknown | in the interval | width "
            "| p99 error: median / worst | within / outside / unknown | predicted winner (probability) | measured winner | regret "
            "| at most 1 % |\n" + "|---" * 13 + "|")
    return head + "\n" + "\n".join(row_text(name, row) for name, row in rows.items())


def emulated_tables(rows):
    """Apart, since others of their figures are judged where requests come by themselves."""
    both = [{name: row for name, row in of_class(rows, "emulated").items() if row["clocked"] == clocked} for clocked in (False, True)]
    return [those for those in both if those]


def open_questions(rows):
    """Every figure that is not within its bar."""
    lines = []
    for name, row in rows.items():
        for what, figures in (main_figures(row), ("p99", row["tails"] if row["class"] == "arrivals" else []),
                              (row["objective"], [of for _, of in other_objectives({name: row})])):
            for of in figures:
                if of["verdict"] == WITHIN or of["error"] is None:
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


def troubles(rows, failures):
    """What went wrong, was left out or was warned of."""
    notes = [f"- {name}: {reason}" for name, reason in failures.items()]
    notes += [f"- {name}: {row['disturbed']} of {row['runs']} runs do not count: others had the machine"
              for name, row in rows.items() if row["disturbed"]]
    notes += [f"- {name}: nothing is judged of {', '.join(row['uncounted'])}: no run of theirs counts" for name, row in rows.items() if row["uncounted"]]
    notes += [f"- {name}: wrong outputs under {', '.join(row['wrong_outputs'])}" for name, row in rows.items()
              if row["wrong_outputs"]]
    notes += [f"- {name}: no interval of {', '.join(labels)}: {why}" for name, row in rows.items() for why, labels in row["whys"].items()]
    return notes + warnings(rows)


def page(head, rows, failures, whole):
    """`head` says when, where and of what; a part has another title and no seal."""
    real = real_rows(rows)
    text = [TITLE if whole else PART_TITLE, head, "## Bars\n\n" + bars_text(rows)]
    if by_class := intervals(real):
        text.append("## Intervals\n\n" + by_class)
    if changes := states(real):
        text.append("## The machine's state\n\n" + changes)
    for kind in CLASSES[:-1]:
        if chosen := of_class(real, kind):
            text.append(f"## {kind[0].upper()}{kind[1:]}\n\n" + table(chosen))
    if of_class(rows, "emulated"):
        text.append("## Emulated units\n\nUnits that wait as long as their profile says. That they come out as predicted proves "
                    "the dispatcher and nothing of kernels;\nthey count for no bar but their own and that of the outputs.\n\n"
                    + "\n\n".join(table(those) for those in emulated_tables(rows)))
    if lines := open_questions(rows):
        text.append("## Not within their bars\n\n" + "\n".join(lines))
    if notes := troubles(rows, failures):
        text.append("## What went wrong or was warned of\n\n" + "\n".join(notes))
    text = "\n\n".join(text) + "\n"
    return text + "\n" + SEAL.format(seal_of(text + "\n")) if whole else text


def rows_text(head, rows):
    """What is kept beside a whole page: all that it is written of, so that it can be written again. Of a page that shows nothing, no rows."""
    return json.dumps({"head": head, "rows": rows}, indent=1, sort_keys=False) + "\n"


def rows_file(path):
    return path.with_name(path.stem + ".rows.json")


def again(text):
    """The page of such rows, as what judges and writes pages now has it."""
    kept = json.loads(text)
    return page(kept["head"], kept["rows"], {}, True)


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
