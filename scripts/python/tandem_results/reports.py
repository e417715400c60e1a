"""Reports: what `tandem simulate --json` prints, and the runs of a run-result/1."""
from .files import drawn, kind_of, low_high, parse, read_text, reading, table, wrong_kind

PERCENTILES = ("mean", "p50", "p90", "p95", "p99", "max")


def _documents(files):
    """Every report, with its file and its place there."""
    if not files:
        raise TypeError("at least one file is wanted")
    for file in files:
        document = parse(read_text(file), file)
        if kind_of(document) == "run-result/1":
            document = document.get("reports", [])
        for place, report in enumerate(document if isinstance(document, list) else [document]):
            if kind_of(report) != "report/1":
                raise wrong_kind(f"{file}:/{place}" if isinstance(document, list) else file, kind_of(report), ["report/1"])
            yield str(file), f"{file}:/{place}", report


def _head(file, report):
    return {"file": file, "policy": report["policy"], "label": report["label"], "engine": report["engine"],
            "seed": report["seed"]}


def _latencies(record):
    values = record["latency_ns"]
    intervals, medians = record.get("latency_interval_ns") or {}, record.get("latency_median_ns") or {}
    row = {}
    for name in PERCENTILES:
        row[f"latency_{name}_ns"], row[f"latency_{name}_median_ns"] = values[name], medians.get(name)
        row.update(low_high(intervals, name, f"latency_{name}", "_ns"))
    return row


def _figures(report):
    row = {key: report[key] for key in (
        "complete", "makespan_ns", "bound_ns", "gap", "objective_bound", "objective_gap", "throughput_per_s", "energy_j",
        "energy_per_inference_j", "released", "completed", "dropped", "missed", "inferences", "interval")}
    row["failed"] = report.get("failed")
    objective = report["objective"]
    row.update({"objective": objective["name"], "objective_value": objective["value"], "objective_unit": objective["unit"],
                "objective_better": objective["better"], **low_high(objective, "interval", "objective", "")})
    row["objective_median"] = objective.get("median")
    for name, unit in (("makespan", "_ns"), ("throughput", "_per_s"), ("energy", "_j"), ("missed", "")):
        row.update(drawn(report, name, unit))
    row["win_probability"] = report.get("win_probability")
    return row


def _replications(report):
    """Means over all runs of --replications, beside which the other columns are the first run's."""
    of_all = report.get("replications") or {}
    objective = of_all.get("objective") or {}
    return {"replications": of_all.get("runs"), "mean_objective": objective.get("value"),
            "mean_objective_low": objective.get("low"), "mean_objective_high": objective.get("high"),
            "replications_win_probability": of_all.get("win_probability"), "tied": of_all.get("tied")}


def reports(*files):
    """A row a policy: makespan, gap to the bound, throughput, latencies, energy, the objective, with intervals."""
    rows = []
    for file, place, report in _documents(files):
        with reading(place):
            rows.append({**_head(file, report), **_figures(report), **_latencies(report), **_replications(report)})
    return table(rows)


def report_streams(*files):
    """A row a stream of a policy."""
    rows = []
    for file, place, report in _documents(files):
        with reading(place):
            for stream in report["streams"]:
                own = {key: stream[key] for key in ("released", "completed", "dropped", "missed", "first_release_ns",
                                                    "last_completion_ns", "throughput_per_s")}
                rows.append({**_head(file, report), "stream": stream["name"], **own,
                             **drawn(stream, "throughput", "_per_s"), **drawn(stream, "missed"), **_latencies(stream)})
    return table(rows)


def report_units(*files):
    """A row a unit of a policy: how long it was busy, what it took."""
    rows = []
    for file, place, report in _documents(files):
        with reading(place):
            for unit in report["units"]:
                own = {key: unit[key] for key in ("busy_ns", "utilization", "tasks", "energy_j")}
                rows.append({**_head(file, report), "unit": unit["name"], **own,
                             **drawn(unit, "busy", "_ns"), **drawn(unit, "utilization"), **drawn(unit, "energy", "_j")})
    return table(rows)


def report_percentiles(*files):
    """A row a percentile of a policy: of all streams together ("stream" is None) and of each."""
    rows = []
    for file, place, report in _documents(files):
        with reading(place):
            for stream in (None, *report["streams"]):
                record = stream or report
                intervals, medians = record.get("latency_interval_ns") or {}, record.get("latency_median_ns") or {}
                for name in PERCENTILES:
                    rows.append({**_head(file, report), "stream": stream and stream["name"], "percentile": name,
                                 "latency_ns": record["latency_ns"][name], "latency_median_ns": medians.get(name),
                                 **low_high(intervals, name, "latency", "_ns"), "interval": report["interval"],
                                 "interval_why": report.get("interval_why")})
    return table(rows)


