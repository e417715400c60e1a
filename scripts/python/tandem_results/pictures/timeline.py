"""A timeline: what each unit did when, predicted above measured."""
from .. import runs, spans
from ..files import ResultsError
from . import style

MOST_PANELS = 6
LETTERS_PER_INCH = 16  # of the labels in bars


def add_arguments(parser):
    parser.add_argument("traces", nargs="+", metavar="TRACE", help="of simulate --trace, validate --trace or a device")
    parser.add_argument("--from-ms", type=float, default=0, metavar="MS", help="from here on")
    parser.add_argument("--to-ms", type=float, metavar="MS", help="up to here; the end of the last run unless said")


def median_run(table):
    """The run whose end is the lower median."""
    return table.sort_values("end_ns", kind="stable").iloc[(len(table) - 1) // 2]


def choose(table, labels):
    """Of each policy the prediction and the median measured run; without labels of the best predicted policy."""
    if not labels:
        predicted = table[~table["measured"].astype(bool)]
        pool = predicted if len(predicted) else table
        labels = [pool.sort_values("end_ns", kind="stable").iloc[0]["label"]]
    panels = []
    for label in labels:
        for measured in (False, True):
            own = table[(table["label"] == label) & (table["measured"] == measured)]
            if len(own):
                panels.append(median_run(own))
    return panels


def _looks(table):
    """A colour and a hatch for each model."""
    return {model: (style.nth(style.COLOURS, number), style.nth(style.HATCHES, number))
            for number, model in enumerate(dict.fromkeys(table["model"]))}


def _bars(axes, table, tracks, looks, begin, end, inches):
    for (track, model, kind), part in table.groupby(["track", "model", "kind"], sort=False):
        colour, hatch = looks[model]
        row = tracks.index(track)
        bars = [(start / style.MS, (stop - start) / style.MS) for start, stop in zip(part["start_ns"], part["end_ns"])]
        height = 0.8 if kind == "compute" else 0.4  # copies and loads are lower
        axes.broken_barh(bars, (row - height / 2, height), facecolor=colour if kind == "compute" else "white", hatch=hatch,
                         edgecolor="white" if kind == "compute" else colour, linewidth=0.3)
        for bar, index in zip(bars, part["index"]):
            text = str(index)
            if kind == "compute" and bar[1] / (end - begin) * inches * LETTERS_PER_INCH > len(text) + 1 and begin <= bar[0] < end:
                axes.text(bar[0] + bar[1] / 2, row, text, ha="center", va="center", fontsize=5, clip_on=True,
                          bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4, "alpha": 0.85})


def _window(arguments, panels):
    begin = arguments.from_ms
    end = arguments.to_ms if arguments.to_ms is not None else max(panel["end_ns"] for panel in panels) / style.MS
    if not 0 <= begin < end:
        raise ResultsError(f"--from-ms {begin:g} --to-ms {end:g}: there is no time between them")
    return begin, end


def draw(arguments):
    from matplotlib.patches import Patch
    all_runs, work = runs(*arguments.traces), spans(*arguments.traces)
    if all_runs.empty or work.empty:
        raise ResultsError(f"{', '.join(arguments.traces)}: has no run with work: there is nothing to draw")
    labels = style.chosen(all_runs, "label", arguments.policy, "policy") if arguments.policy else []
    panels = choose(all_runs, labels)
    if len(panels) > MOST_PANELS:
        raise ResultsError(f"{len(panels)} runs are too many for one picture ({MOST_PANELS}): choose with --policy")
    begin, end = _window(arguments, panels)
    looks = _looks(work)
    shown = [work[(work["file"] == panel["file"]) & (work["process"] == panel["process"])] for panel in panels]
    tracks = sorted({track for part in shown for track in part["track"]})  # the same in all panels, idle ones too
    height = 0.5 + 0.15 * ((len(looks) + 2) // 3) + len(panels) * (0.35 + 0.25 * len(tracks))
    figure, grid = style.new_figure(arguments.width, height, len(panels), sharex=True)
    for axes, panel, part in zip(grid[:, 0], panels, shown):
        _bars(axes, part, tracks, looks, begin, end, style.WIDTHS[arguments.width] * 0.8)
        said = f"measured, run {panel['run']}" if panel["measured"] else "predicted"
        axes.set_title(f"{panel['label']}, {said}: {panel['end_ns'] / style.MS:.3f} ms", loc="left")
        axes.axvline(panel["end_ns"] / style.MS, color="black", linewidth=0.6)
        axes.set(yticks=range(len(tracks)), yticklabels=tracks, ylim=(len(tracks) - 0.4, -0.6), xlim=(begin, end))
        axes.grid(axis="y", visible=False)
    grid[-1, 0].set_xlabel("time (ms)")
    patches = [Patch(facecolor=colour, hatch=hatch, edgecolor="white", label=model) for model, (colour, hatch) in looks.items()]
    below = 0.4 / (0.25 * len(tracks) + 0.1)  # the axis has its numbers and its name there
    grid[-1, 0].legend(handles=patches, loc="upper center", bbox_to_anchor=(0.5, -below), ncols=min(3, len(patches)))
    notes = ["low white bars are copies and loads"] if (work["kind"] != "compute").any() else []
    return figure, notes
