"""Latencies as distribution functions (ECDF): what share of the requests was answered within so many milliseconds."""
import numpy

from .. import report_percentiles, requests
from ..files import ResultsError
from . import style

SHARES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99}


def add_arguments(parser):
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="of simulate --trace, validate --trace or a device")
    parser.add_argument("--reports", action="append", default=[], metavar="FILE",
                        help="of simulate --json: the intervals of the percentiles are drawn as bars")
    parser.add_argument("--stream", help="the requests of this stream alone")
    parser.add_argument("--log", action="store_true", help="a logarithmic axis of latencies")


def ecdf(latencies):
    """At each latency the share of requests that took as long or less."""
    values = numpy.sort(numpy.asarray(latencies, dtype=float))
    return values, numpy.arange(1, len(values) + 1) / len(values)


def band_of_runs(runs):
    """At each share the quickest and the slowest run, and the median run."""
    shares = numpy.linspace(0, 1, 201)[1:]
    at = numpy.stack([numpy.quantile(run, shares, method="inverted_cdf") for run in runs])
    return shares, at.min(axis=0), numpy.median(at, axis=0), at.max(axis=0)


def _curve(axes, table, name, number):
    """Measured runs are solid, with the band between them; predictions dashed. Marks tell policies apart, too."""
    colour = style.nth(style.COLOURS, number)
    for measured, part in table.groupby("measured"):
        runs = [run["latency_ns"].to_numpy(dtype=float) / style.MS for _, run in part.groupby(["file", "process"])]
        count = f", {len(runs)} runs" if len(runs) > 1 else ""
        look = {"color": colour, "linestyle": "-" if measured else "--", "linewidth": 1.2,
                "marker": style.nth(style.MARKS, number), "markersize": 3, "markevery": (0.03 + 0.04 * (number % 4), 0.18),
                "label": f"{name}, {'measured' if measured else 'predicted'}{count}"}
        if len(runs) == 1:
            axes.step(*ecdf(runs[0]), where="post", **look)
            continue
        shares, low, middle, high = band_of_runs(runs)
        axes.fill_betweenx(shares, low, high, color=colour, alpha=0.2, linewidth=0)
        axes.plot(middle, shares, **look)


def _bars(axes, percentiles, label, colour, mark):
    """The intervals of a report's percentiles; returns why there are none."""
    own = percentiles[(percentiles["label"] == label) & percentiles["percentile"].isin(SHARES)]
    known = own.dropna(subset=["latency_low_ns", "latency_high_ns"])
    for row in known.itertuples():
        middle, low, high = (value / style.MS for value in (row.latency_ns, row.latency_low_ns, row.latency_high_ns))
        axes.errorbar([middle], [SHARES[row.percentile]], xerr=[[max(0, middle - low)], [max(0, high - middle)]], fmt=mark,
                      markersize=4, markerfacecolor="white", color=colour, capsize=2, linewidth=0.8)
    if own.empty:
        return f'{label}: the reports have no policy of this label'
    return None if len(known) else f"{label}: no intervals: {own.iloc[0]['interval_why'] or 'the report has none'}"


def draw(arguments):
    """The figure, and what has to be said beside it."""
    table = requests(*arguments.traces)
    done = table[~table["dropped"].astype(bool)]
    notes = []
    if arguments.stream:
        style.chosen(table, "stream", [arguments.stream], "stream")
        done = done[done["stream"] == arguments.stream]
    labels = style.chosen(table, "label", arguments.policy, "policy")
    done = done[done["label"].isin(labels)]
    if done.empty:
        raise ResultsError(f"{', '.join(arguments.traces)}: no request was answered: there is nothing to draw")
    percentiles = None
    if arguments.reports:
        percentiles = report_percentiles(*arguments.reports)
        of = percentiles["stream"] == arguments.stream if arguments.stream else percentiles["stream"].isna()
        percentiles = percentiles[of]
    figure, grid = style.new_figure(arguments.width, 2.6)
    axes = grid[0][0]
    for number, label in enumerate(labels):
        part = done[done["label"] == label]
        if part.empty:
            continue
        _curve(axes, part, label, number)
        if percentiles is not None:
            why = _bars(axes, percentiles, label, style.nth(style.COLOURS, number), style.nth(style.MARKS, number))
            notes += [why] if why else []
    dropped = int(table["dropped"].sum())
    if dropped:
        notes.append(f"{dropped} requests were dropped and have no latency")
    if arguments.log:
        axes.set_xscale("log")
        style.logarithmic(axes.xaxis)
    else:
        axes.set_xlim(left=0)
    axes.set(xlabel="latency (ms)", ylabel="share of requests", ylim=(0, 1.02))
    axes.legend(loc="lower right")
    return figure, notes
