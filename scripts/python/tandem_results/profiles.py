"""Profiles: what tandem-device measured, somebody published or the estimator said."""
from .files import ResultsError, layers_text, low_high, read, reading, suggestion, table as frame

TABLES = ("entries", "parts", "transfers", "loads", "dispatch", "co_running", "traffic", "background", "together",
          "hand_overs", "after_idle", "after_other", "repeated")
DEFAULTS = {"entries": {"batch": 1, "precision": "fp32", "mapped": False, "unstable": False},
            "parts": {"axis": "channels", "batch": 1, "precision": "fp32", "unstable": False},
            "loads": {"precision": "fp32"}, "dispatch": {"split": False}, "traffic": {"layers": "*"},
            "background": {"layers": "*"}, "together": {"layers": "*"}, "after_other": {"layers": "*"}}


def lower_median(samples):
    """What counts of samples: the lower one of the two in the middle."""
    return sorted(samples)[(len(samples) - 1) // 2]


def _records(files, table):
    if table not in TABLES:
        raise ResultsError(f"a profile has no table {table!r}" + suggestion(table, TABLES))
    for file in files:
        document = read(file, "profile/1")
        with reading(file):
            platform = document["platform"]
            origin = document["origin"]["kind"]
            for place, record in enumerate(document.get(table, [])):
                head = {"file": str(file), "platform": platform if isinstance(platform, str) else platform["name"],
                        "origin": origin}
                yield f"{file}:/{table}/{place}", head, {**DEFAULTS.get(table, {}), **record}


def _columns(record):
    """A list of names is one text; samples are their median, number and extremes."""
    row = {key: value for key, value in record.items() if key not in ("samples_us", "layers", "beside", "input_shape")}
    for key in ("layers", "beside"):
        if key in record:
            row[key] = layers_text(record[key])
    if "input_shape" in record:
        row["input_shape"] = "x".join(str(size) for size in record["input_shape"])
    samples = record.get("samples_us")
    if samples:
        row.update({"median_us": lower_median(samples), "samples": len(samples),
                    **low_high({"range": (min(samples), max(samples))}, "range", "samples", "_us")})
    return row


def profile(*files, table="entries"):
    """A row a record of a table of profiles, "entries" (times of models, groups, layers) unless said.

    The tables: entries, parts, transfers, loads, dispatch, co_running, traffic, background, together, hand_overs,
    after_idle, after_other, repeated.
    """
    rows = []
    for place, head, record in _records(files, table):
        with reading(place):
            rows.append({**head, **_columns(record)})
    return frame(rows)


def profile_samples(*files, table="entries"):
    """A row a single measurement, of records that keep theirs."""
    rows = []
    for place, head, record in _records(files, table):
        with reading(place):
            row = {key: value for key, value in _columns(record).items()
                   if key not in ("median_us", "samples", "samples_low_us", "samples_high_us")}
            for number, sample in enumerate(record.get("samples_us", ())):
                rows.append({**head, **row, "sample": number, "time_us": sample})
    return frame(rows)
