"""What a scenario needs before it runs on this machine, and what its calibration comes to."""
import os


def own_cores(scenario):
    """Cores 0 and 1 of the files are the first two that this process may use."""
    usable = sorted(os.sched_getaffinity(0))
    for unit in scenario["platform"]["units"]:
        if max(unit.get("cores", [0])) >= len(usable):
            raise ValueError(f"it needs {max(unit['cores']) + 1} cores, here are {len(usable)}")
        if "cores" in unit:
            unit["cores"] = [usable[core] for core in unit["cores"]]


def median_us(entry):
    samples = sorted(entry.get("samples_us", []))
    return samples[(len(samples) - 1) // 2] if samples else entry["median_us"]


def rate_of(stream, streams):
    """Requests a second, as the file has them; None where nothing arrives by itself."""
    if "depends_on" in stream:
        parent = next(other for other in streams if other["name"] == stream["depends_on"]["stream"])
        return rate_of(parent, streams) * stream["depends_on"].get("probability", 1)
    return stream["arrival"].get("fps") or stream["arrival"].get("rate_per_s")


def set_load(scenario, profile, load):
    """Scales all rates so that they ask for `load` of what the units could do if each stream had all of them, by the whole
    models' profiled times, alone."""
    speeds = {}  # of a model, over all units: inferences a microsecond
    for entry in profile["entries"]:
        if entry["layers"] == "*" and not entry.get("mapped"):
            speeds.setdefault(entry["model"], {})[entry["unit"]] = 1 / median_us(entry)
    streams = scenario["streams"]
    asked = sum(rate_of(stream, streams) / sum(speeds[stream["model"]].values()) for stream in streams)
    factor = load * 1e6 / asked
    for stream in streams:
        for key in ("fps", "rate_per_s"):
            if key in stream.get("arrival", {}):
                stream["arrival"][key] = round(stream["arrival"][key] * factor, 3)


def lower_median(values):
    values = sorted(values)
    return values[(len(values) - 1) // 2] if values else None


def figures(calibration, emulated):
    """What a row of the table says."""
    policies = [policy for policy in calibration["policies"] if policy["error"] is not None]
    if not policies:
        raise ValueError("no policy has a complete run")
    errors = [abs(policy["error"]) for policy in policies]
    tails = [abs(latency["p99"]["error"]) for latency in calibration["percentiles"]
             if latency["p99"]["error"] is not None]
    spreads = [policy["spread"] for policy in policies if policy["spread"] is not None]
    worst = max(policies, key=lambda policy: abs(policy["error"]))
    return {"policies": len(policies), "median": lower_median(errors), "worst": worst["error"],
            "worst_policy": worst["label"], "worst_spread": worst["spread"] or 0, "spread": lower_median(spreads) or 0,
            "p99": lower_median(tails), "p99_worst": max(tails, default=None), "winner": calibration["winner"],
            "objective": calibration["objective"], "warnings": calibration["warnings"],
            "wrong_outputs": [policy["label"] for policy in policies if policy["correct"] is False],
            "emulated": emulated}


def percent(value, signed=False):
    return "-" if value is None else f"{100 * value:{'+' if signed else ''}.2f} %"
