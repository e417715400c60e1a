"""Predicted against measured, each with its interval, and the band in which predictions are to lie."""
import numpy

from .. import calibration, calibration_layers, calibration_percentiles
from ..files import ResultsError
from . import style

OF = ("makespans", "percentiles", "layers")


def add_arguments(parser):
    parser.add_argument("files", nargs="+", metavar="CALIBRATION", help="of validate --json or compare --json")
    parser.add_argument("--of", choices=OF, default="makespans", help="what is predicted (makespans)")
    parser.add_argument("--log", action="store_true", help="logarithmic axes")


def points(arguments):
    """What is drawn: name of its kind, predicted and measured with their ends, in ns; and the bar, if there is one."""
    if arguments.of == "makespans":
        table = calibration(*arguments.files)
        return table.assign(group=table["label"]), float(table["bar"].max())
    if arguments.of == "percentiles":
        table = calibration_percentiles(*arguments.files)
        return table.assign(group=table["percentile"]), None
    table = calibration_layers(*arguments.files)
    return table.assign(group=table["unit"].fillna("copies"), label="", predicted_low_ns=numpy.nan, predicted_high_ns=numpy.nan,
                        measured_low_ns=numpy.nan, measured_high_ns=numpy.nan), None


def _ends(part, name):
    """How far an interval reaches to both sides; nothing where there is none."""
    middle = part[f"{name}_ns"].astype(float)
    low, high = (part[f"{name}_{end}_ns"].astype(float) for end in ("low", "high"))
    return numpy.nan_to_num([(middle - low).clip(lower=0), (high - middle).clip(lower=0)]) / style.MS


def _diagonal(axes, table, bar, log):
    columns = [f"{name}{end}_ns" for name in ("predicted", "measured") for end in ("", "_low", "_high")]
    values = table[columns].to_numpy(dtype=float) / style.MS
    positive = values[values > 0]
    low, high = numpy.nanmin(positive), numpy.nanmax(positive)
    room = (high - low) * 0.08 or high * 0.1
    low, high = (low / 1.2, high * 1.2) if log else (max(0, low - room), high + room)
    line = numpy.array([low, high])
    axes.plot(line, line, color="black", linewidth=0.7, label="predicted = measured")
    if bar:
        axes.fill_between(line, line * (1 - bar), line * (1 + bar), color="#888888", alpha=0.2, linewidth=0,
                          label=f"within {bar:.0%}")
    axes.set(xlim=(low, high), ylim=(low, high))


def draw(arguments):
    table, bar = points(arguments)
    if arguments.policy:
        if arguments.of == "layers":
            raise ResultsError("layers are of all policies together: --policy chooses among makespans and percentiles")
        table = table[table["label"].isin(style.chosen(table, "label", arguments.policy, "policy"))]
    measured = table[(table["measured_ns"] > 0).fillna(False) & (table["predicted_ns"] > 0).fillna(False)]
    notes = [f"{len(table) - len(measured)} of {len(table)} were not both predicted and measured"] if len(measured) < len(table) else []
    if measured.empty:
        raise ResultsError(f"{', '.join(arguments.files)}: nothing was both predicted and measured: there is nothing to draw")
    figure, grid = style.new_figure(arguments.width, style.WIDTHS[arguments.width])
    axes = grid[0][0]
    if arguments.log:
        axes.set(xscale="log", yscale="log")
        style.logarithmic(axes.xaxis)
        style.logarithmic(axes.yaxis)
    _diagonal(axes, measured, bar, arguments.log)
    for number, (name, part) in enumerate(measured.groupby("group", sort=False)):
        axes.errorbar(part["measured_ns"].astype(float) / style.MS, part["predicted_ns"].astype(float) / style.MS,
                      xerr=_ends(part, "measured"), yerr=_ends(part, "predicted"), fmt=style.nth(style.MARKS, number),
                      markersize=4, color=style.nth(style.COLOURS, number), capsize=2, linewidth=0.8, label=name)
    what = {"makespans": "makespan", "percentiles": "latency", "layers": "time of a segment"}[arguments.of]
    axes.set(xlabel=f"measured {what} (ms)", ylabel=f"predicted {what} (ms)", aspect="equal")
    axes.legend(loc="best")
    if arguments.of != "layers" and measured["predicted_low_ns"].isna().all():
        notes.append("no intervals of predictions: nothing is known of how sure the profiles are")
    return figure, notes
