"""How all pictures look: a paper's column wide, letters as letters, told apart by more than colour."""
import os
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

from ..files import ResultsError  # noqa: E402

FORMATS = ("svg", "pdf", "png")
WIDTHS = {"column": 3.5, "page": 7.16}  # inches, as two-column papers have them
# Okabe and Ito's colours, which people with any kind of colour vision tell apart; each goes with a dash, a mark, a hatch.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (7, 2)), (0, (1, 2)))
MARKS = ("o", "s", "^", "D", "v", "P", "X")
HATCHES = ("", "////", "....", "xxxx", "\\\\\\\\", "----", "++++")
MS = 1e6  # nanoseconds

matplotlib.rcParams.update({
    "font.size": 8, "axes.titlesize": 8, "legend.fontsize": 7, "axes.grid": True, "grid.alpha": 0.3, "grid.linewidth": 0.5,
    "axes.spines.top": False, "axes.spines.right": False, "legend.frameon": False, "hatch.linewidth": 0.4,
    "pdf.fonttype": 42, "svg.hashsalt": "tandem", "savefig.dpi": 300})


def nth(things, number):
    return things[number % len(things)]


def new_figure(width, height, rows=1, **more):
    return plt.subplots(rows, 1, figsize=(WIDTHS[width], height), layout="constrained", squeeze=False, **more)


def logarithmic(axis):
    """With plain numbers beside it: 2, not 2 x 10^0."""
    from matplotlib.ticker import LogFormatter
    axis.set_major_formatter(LogFormatter(labelOnlyBase=False))
    axis.set_minor_formatter(LogFormatter(labelOnlyBase=False, minor_thresholds=(2, 1)))


def check_output(file):
    """Before anything is drawn."""
    path = pathlib.Path(file)
    if path.suffix[1:] not in FORMATS:
        raise ResultsError(f"{file}: ends in none of {', '.join('.' + name for name in FORMATS)}, which say what is written")
    if not path.parent.is_dir():
        raise ResultsError(f"{file}: there is no folder {path.parent}")


def save(figure, file):
    """The same bytes for the same data; nothing half-written."""
    path = pathlib.Path(file)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    no_date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}[path.suffix[1:]]
    try:
        figure.savefig(beside, format=path.suffix[1:], metadata=no_date)
        os.replace(beside, path)
    except OSError as error:
        raise ResultsError(f"{file}: cannot be written: {error.strerror.lower()}") from None
    finally:
        beside.unlink(missing_ok=True)
        plt.close(figure)


def chosen(frame, column, names, what):
    """The rows of these names, in the order in which they are named; all where nobody named any."""
    from ..files import suggestion
    there = list(dict.fromkeys(frame[column]))
    for name in names:
        if name not in there:
            raise ResultsError(f'no {what} is called "{name}"' + suggestion(name, there))
    return list(dict.fromkeys(names)) or there
