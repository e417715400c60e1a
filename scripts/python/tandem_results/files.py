"""Files of tandem, read whole, each held to being the kind that is wanted."""
import contextlib
import difflib
import json
import pathlib
import sys

import pandas

# What reads a kind, and what makes one.
READ_BY = {
    "report/1": ("reports, report_streams, report_units, report_percentiles", "tandem simulate SCENARIO --json > FILE"),
    "trace/1": ("runs, spans, requests", "tandem simulate SCENARIO --trace FILE"),
    "profile/1": ("profile, profile_samples", "tandem-device profile SCENARIO > FILE"),
    "calibration/1": ("calibration, calibration_runs, calibration_layers, calibration_percentiles",
                      "tandem validate SCENARIO --json > FILE"),
    "sweep_row/1": ("sweep", "tandem sweep SPEC -o FOLDER"),
    "sweep_summary/1": ("sweep", "tandem sweep SPEC -o FOLDER --collect --json > FILE"),
}


class ResultsError(ValueError):
    """A file that cannot be what is asked of it; the message names it, the place, and what helps."""


def suggestion(name, names):
    """Ends a message about a name that nobody knows."""
    names = sorted(names)
    close = difflib.get_close_matches(str(name), names, 1)
    return f'; did you mean "{close[0]}"?' if close else f"; there are: {', '.join(names) or 'none'}"


def read_text(file):
    try:
        if str(file) == "-":
            return sys.stdin.buffer.read().decode("utf-8")
        return pathlib.Path(file).read_bytes().decode("utf-8")
    except IsADirectoryError:
        raise ResultsError(f"{file}: is a folder; only sweep() reads one, of rows") from None
    except OSError as error:
        raise ResultsError(f"{file}: {error.strerror.lower()}") from None
    except UnicodeDecodeError as error:
        raise ResultsError(f"{file}: is no text in UTF-8 (byte {error.start}): JSON that tandem wrote is wanted") from None


def parse(text, file):
    if not text.strip():
        raise ResultsError(f"{file}: is empty; did the command that should have written it fail?")
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ResultsError(f"{file}:{error.lineno}:{error.colno}: is no JSON: {error.msg.lower()}; print it with --json, and "
                           "nothing else into the same file") from None
    except RecursionError:
        raise ResultsError(f"{file}: is nested too deeply for any file of tandem") from None


def kind_of(document):
    kind = document.get("tandem") if isinstance(document, dict) else None
    return kind if isinstance(kind, str) else None


def wrong_kind(place, found, wanted):
    """`wanted`: the kinds that would do."""
    is_a = f"is a {found}" if found else 'is no file of tandem (it has no key "tandem")'
    name, _, version = (found or "").partition("/")
    newer = [kind for kind in wanted if kind.partition("/")[0] == name and kind.partition("/")[2] != version]
    if newer:
        return ResultsError(f"{place}: {is_a}, and this reads {newer[0]}: take tandem_results and tandem of one version")
    makes = " or ".join(f"`{READ_BY[kind][1]}`" for kind in wanted)
    reader = f"; {READ_BY[found][0].split(',')[0]}() reads a {found}" if found in READ_BY else ""
    return ResultsError(f"{place}: {is_a}, and a {' or '.join(wanted)} is wanted{reader}; {makes} makes what is wanted")


def read(file, *wanted):
    """The one document of a file, which is of one of these kinds."""
    document = parse(read_text(file), file)
    if isinstance(document, list) and document and "report/1" not in wanted and kind_of(document[0]):
        raise wrong_kind(file, kind_of(document[0]), wanted)
    if kind_of(document) not in wanted:
        raise wrong_kind(file, kind_of(document), wanted)
    return document


@contextlib.contextmanager
def reading(place):
    """What a file of its kind always has, and this one has not, is a mistake of the file."""
    try:
        yield
    except KeyError as error:
        raise ResultsError(f"{place}: has no key {error.args[0]!r}, which every such file has; `tandem check` looks at it "
                           "more closely") from None
    except (TypeError, AttributeError, IndexError) as error:
        raise ResultsError(f"{place}: is not as such a file is ({error}); `tandem check` looks at it more closely") from None


def low_high(record, key, name, unit):
    """An interval [low, high] as two columns; both None where it is null or absent."""
    low, high = record.get(key) or (None, None)
    return {f"{name}_low{unit}": low, f"{name}_high{unit}": high}


def drawn(record, name, unit=""):
    """What draws say of a figure, as three columns: their median and interval; None where it is null or absent."""
    return {f"{name}_median{unit}": record.get(f"{name}_median{unit}"), **low_high(record, f"{name}_interval{unit}", name, unit)}


def layers_text(layers):
    """One column for "*" and for lists: the names joined."""
    return layers if isinstance(layers, str) else "+".join(layers)


def table(rows, columns=None):
    """A DataFrame whose whole numbers stay whole where some are missing, and whose figures are numbers where all are."""
    frame = pandas.DataFrame(rows, columns=columns)
    for name in frame.columns:
        values = [row.get(name) for row in rows]
        known = [value for value in values if value is not None]
        if known and len(known) < len(values) and all(type(value) is int for value in known):
            frame[name] = pandas.array(values, dtype="Int64")
        elif not known and name.endswith(("_ns", "_us", "_j", "_per_s", "_low", "_high", "_median")):
            frame[name] = frame[name].astype("float64")
    return frame
