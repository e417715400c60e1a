"""Calibrations: what `tandem validate --json` and `tandem compare --json` print."""
from .files import layers_text, low_high, read, reading, table
from .reports import PERCENTILES

POLICY_KEYS = ("policy", "label", "predicted_ns", "measured_ns", "disturbed", "error", "spread", "verdict", "runs_needed",
               "correct", "predicted", "measured", "objective_error", "objective_verdict", "predicted_energy_j",
               "measured_energy_j", "energy_error", "beside", "cut_short")
FIGURE_KEYS = ("predicted_ns", "measured_ns", "error", "spread")


def _planned(record):
    """What was predicted before the runs, for the state of the profiles; nothing where predicted_ns is just that."""
    return {"planned_ns": record.get("planned_ns"), "planned_verdict": record.get("planned_verdict"),
            **low_high(record, "planned_interval_ns", "planned", "_ns")}


def _documents(files):
    if not files:
        raise TypeError("at least one file is wanted")
    for file in files:
        yield str(file), read(file, "calibration/1")


def calibration(*files):
    """A row a policy: predicted and measured makespan and objective, the error, its interval and verdict."""
    rows = []
    for file, document in _documents(files):
        with reading(file):
            head = {"file": file, "scenario": document["scenario"], "objective": document["objective"], "bar": document["bar"],
                    "interval": document["interval"]}
            winner = document["winner"]
            for policy in document["policies"]:
                row = {**head, **{key: policy[key] for key in POLICY_KEYS}, **_planned(policy),
                       "interval_why": policy.get("interval_why"), "runs": len(policy["runs_ns"])}
                for name, unit in (("predicted", "_ns"), ("measured", "_ns"), ("error", ""), ("objective_error", "")):
                    row.update(low_high(policy, f"{name}_interval{unit}", name, unit))
                for name in ("predicted", "measured"):
                    row.update(low_high(policy, f"{name}_interval", f"objective_{name}", ""))
                row["predicted_winner"] = policy["label"] == winner["predicted"]
                row["predicted_best"] = policy["label"] == winner.get("instead_of", winner["predicted"])
                row["measured_winner"] = policy["label"] == winner["measured"]
                rows.append(row)
    return table(rows)


def calibration_runs(*files):
    """A row a run on the device that counts for a policy."""
    rows = []
    for file, document in _documents(files):
        with reading(file):
            for policy in document["policies"]:
                rows += [{"file": file, "scenario": document["scenario"], "label": policy["label"], "run": number,
                          "makespan_ns": value} for number, value in enumerate(policy["runs_ns"], 1)]
    return table(rows, ["file", "scenario", "label", "run", "makespan_ns"])


def calibration_layers(*files):
    """A row a segment on a unit ("kind" is compute), a transfer or a load, predicted and measured."""
    rows = []
    for file, document in _documents(files):
        with reading(file):
            for key, kind in (("layers", "compute"), ("transfers", "transfer"), ("loads", "load")):
                for entry in document[key]:
                    part = entry.get("part")
                    rows.append({
                        "file": file, "scenario": document["scenario"], "kind": kind, "model": entry["model"],
                        "unit": entry["unit"], "layers": layers_text(entry["layers"]) if "layers" in entry else None,
                        "part": part and f"{part['axis']} {part['first']}-{part['end'] - 1}", "tensor": entry.get("tensor"),
                        "from": entry.get("from"), "to": entry.get("to"), **{name: entry[name] for name in FIGURE_KEYS},
                        "predicted_count": entry["predicted_count"], "measured_count": entry["measured_count"]})
    return table(rows)


def calibration_percentiles(*files):
    """A row a percentile of a policy's latencies, and one of their mean, predicted and measured."""
    rows = []
    for file, document in _documents(files):
        with reading(file):
            for policy in document["percentiles"]:
                for name in PERCENTILES:
                    figure = policy.get(name)
                    if not figure:
                        continue
                    row = {"file": file, "scenario": document["scenario"], "label": policy["label"], "percentile": name,
                           **{key: figure[key] for key in FIGURE_KEYS}, "verdict": figure["verdict"], **_planned(figure)}
                    for key, unit in (("predicted", "_ns"), ("measured", "_ns"), ("error", "")):
                        row.update(low_high(figure, f"{key}_interval{unit}", key, unit))
                    rows.append(row)
    return table(rows)
