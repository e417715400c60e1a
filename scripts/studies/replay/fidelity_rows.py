"""What a calibration comes to, for the page of scripts/studies/fidelity: a row a scenario, with the errors of its times, what their
intervals hold, and what was known before the runs."""
from replay.verdicts import UNKNOWN

CLASSES = ["whole models", "inside models", "under load", "arrivals", "emulated"]
CUTTING = {"pipeline", "split", "branch_parallel", "layer_type"}


def class_of(scenario):
    units = scenario["platform"]["units"] if isinstance(scenario.get("platform"), dict) else []
    policies = [{"name": policy} if isinstance(policy, str) else policy for policy in scenario["policies"]]
    if units and all(unit.get("backend") == "emulated" for unit in units):
        return "emulated"
    if is_clocked(scenario):
        return "arrivals"
    if scenario.get("background"):
        return "under load"
    if any(policy["name"] in CUTTING or policy.get("granularity", "model") != "model" for policy in policies):
        return "inside models"
    return "whole models"


def is_clocked(scenario):
    """Do requests come by themselves?"""
    return any(stream.get("arrival", {}).get("type") in ("periodic", "poisson", "trace", "server") for stream in scenario["streams"])


def row_of(calibration, kind, clocked=None):
    """What a row of the page says; raises where a policy was not measured. `clocked`: that is_clocked; else where its kind says so."""
    missing = [policy["label"] for policy in calibration["policies"] if policy["measured_ns"] is None]
    if missing or not calibration["policies"]:
        raise ValueError(f"no complete run of {', '.join(missing) or 'any policy'}")
    policies = {policy["label"]: policy for policy in calibration["policies"]}
    latencies = [(latency, policies[latency["label"]]) for latency in calibration["percentiles"]]
    return {"class": kind, "clocked": kind == "arrivals" if clocked is None else clocked, "objective": calibration["objective"],
            "makespans": [figure(policy, policy) for policy in calibration["policies"]],
            "means": [figure(of["mean"], policy) if "mean" in of else unknown_figure(policy) for of, policy in latencies],
            "tails": [figure(of["p99"], policy) for of, policy in latencies],
            "objectives": [objective_figure(policy) for policy in calibration["policies"]],
            "uncounted": [policy["label"] for policy in calibration["policies"] if not counts(policy)],
            "changes": changes_of(calibration), "whys": whys_of(calibration),
            "winner": calibration["winner"], "warnings": calibration["warnings"],
            "runs": sum(len(policy["runs_ns"]) for policy in calibration["policies"]),
            "disturbed": sum(policy["disturbed"] for policy in calibration["policies"]),
            "wrong_outputs": [policy["label"] for policy in calibration["policies"] if policy["correct"] is False]}


def counts(policy):
    """Does any of its runs? What was disturbed throughout, or has wrong outputs, is no measurement."""
    return policy["correct"] is not False and policy["disturbed"] < len(policy["runs_ns"])


def figure(of, policy):
    """`of`: a time of the policy, predicted and measured."""
    if not counts(policy):
        return unknown_figure(policy)
    now = {"label": policy["label"], "error": of["error"], "verdict": of["verdict"], "interval": of["error_interval"],
           "repeats": in_repeats(of, of["predicted_ns"]), "noise": noise_of(of),
           **spanned(of["predicted_interval_ns"], of["measured_ns"], of["predicted_ns"])}
    return {**now, "runs_needed": of["runs_needed"], "planned": planned_of(of, policy, now)}


def noise_of(of):
    """How wide the interval of the measured median itself is, as a share of it: no prediction can be surer."""
    interval, measured = of.get("measured_interval_ns"), of.get("measured_ns")
    return (interval[1] - interval[0]) / measured if interval and measured else None


def in_repeats(of, predicted):
    """Is the prediction where a repeat of the runs may come out?"""
    low, high = of.get("measured_interval_ns") or (0, None)
    return high is not None and low <= predicted <= high


def objective_figure(policy):
    """What the policies of the scenario are compared by, whatever it is."""
    if not counts(policy):
        return unknown_figure(policy)
    return {"label": policy["label"], "error": policy.get("objective_error"), "verdict": policy.get("objective_verdict", UNKNOWN), "interval": policy.get("objective_error_interval"),
            "covered": None, "width": None, "repeats": False, "runs_needed": policy.get("objective_runs_needed"), "planned": None}


def unknown_figure(policy):
    """Of what was not measured, or what an older calibration does not have."""
    known = {"label": policy["label"], "error": None, "verdict": UNKNOWN, "covered": None, "width": None, "interval": None, "repeats": False,
             "runs_needed": None}
    return {**known, "planned": known}


def spanned(interval, measured, predicted):
    """Does an interval hold what was measured, and how wide is it, as a share of the prediction?"""
    return {"covered": None if interval is None else interval[0] <= measured <= interval[1],
            "width": None if interval is None or not predicted else (interval[1] - interval[0]) / predicted}


def planned_of(of, policy, now):
    """The same before the runs: as it is `now` where nothing else was planned. Older calibrations know of makespans the error
    alone, without a verdict, and of latencies nothing: None."""
    if "planned_ns" not in policy:
        return now
    if "planned_ns" not in of:
        return None
    planned, measured = of["planned_ns"], of["measured_ns"]
    return {"label": policy["label"], "error": planned / measured - 1 if measured else None, "verdict": of.get("planned_verdict"),
            "interval": scaled(of["error_interval"], planned, of["predicted_ns"]), "repeats": in_repeats(of, planned), "noise": now["noise"],
            **spanned(of.get("planned_interval_ns"), measured, planned)}


def scaled(interval, planned, predicted):
    """What the error of `planned` may be, from what that of `predicted` may be: the same runs were measured."""
    return None if interval is None or not predicted else [(1 + end) * planned / predicted - 1 for end in interval]


def was_updated(rows):
    """Was what is judged predicted anew, from what whole models took beside the runs?"""
    return any(row["changes"] for row in rows.values())


def as_planned(rows):
    """The rows with what was known before the runs in place of what is known of their state; figures of which nobody knows it are
    left out, and rows of which none is left."""
    def before(figures):
        return [of["planned"] for of in figures if of["planned"] and of["planned"]["verdict"]]
    planned = {name: {**row, "objectives": [], **{key: before(row[key]) for key in ("makespans", "means", "tails")}} for name, row in rows.items()}
    return {name: row for name, row in planned.items() if main_figures(row)[1]}


def changes_of(calibration):
    """By how much more than profiled whole models took on each unit, alone, in turn with the plans."""
    return [of["measured_ns"] / of["profiled_ns"] - 1 for of in calibration.get("alone", [])]


def whys_of(calibration):
    """Who has no interval, by the reason."""
    whys = {}
    for policy in calibration["policies"]:
        if why := policy.get("interval_why"):
            whys.setdefault(why, []).append(policy["label"])
    return whys


def main_figures(row):
    """What the errors of a scenario are of, and these. The makespan of requests that arrive by themselves is little more than the
    last one's arrival: no prediction could fail there."""
    return ("mean latency", row["means"]) if row["clocked"] else ("makespan", row["makespans"])


def other_objectives(rows):
    """Of scenarios whose policies are compared by something else than their main figures, that; each with its scenario."""
    main = {"mean_latency", "p99_latency"}
    return [(name, of) for name, row in rows.items() if row["objective"] != "makespan" and not (row["clocked"] and row["objective"] in main)
            for of in row["objectives"]]


def judged_pairs(rows):
    """What intervals are judged by, each with its scenario: the p99 latency where requests arrive by themselves, else the
    makespan."""
    return [(name, of) for name, row in rows.items() for of in (row["tails"] if row["clocked"] else row["makespans"])]


def of_class(rows, kind):
    return {name: row for name, row in rows.items() if row["class"] == kind}


def worst_of(figures):
    return max((of for of in figures if of["error"] is not None), key=lambda of: abs(of["error"]), default=None)


def worst_pair(pairs):
    """The scenario's name and the figure; None where there is none."""
    return max((pair for pair in pairs if pair[1]["error"] is not None), key=lambda pair: abs(pair[1]["error"]), default=None)
