"""What scripts/bench/instructions --native found, in docs/benchmarks.md: instructions, times, and how far their ratios agree."""
import datetime
import math
import pathlib
import re
import statistics
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "studies"))
from replay.verdicts import OUTSIDE, UNKNOWN, WITHIN, at_most  # noqa: E402

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"
BEGIN = "<!-- native instructions: written by scripts/bench/instructions --native --update -->"
END = "<!-- end of native instructions -->"


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def apart(row):
    """How many times as far we are behind in time as in instructions."""
    return row["time_ratio"] / row["ratio"]


def processor():
    """Its name and the widest vectors that it has."""
    said = pathlib.Path("/proc/cpuinfo").read_text()
    name = re.search(r"^model name\s*: (.*)$", said, re.M)
    flags = re.search(r"^flags\s*: (.*)$", said, re.M)
    vectors = next((word for flag, word in (("avx512f", "AVX-512"), ("avx2", "AVX2")) if flags and flag in flags[1].split()), "SSE")
    return f"{name[1].strip() if name else 'x86-64'} with {vectors}"


def row_line(model, row):
    cells = [model, f"{row['tandem'] / 1e6:.2f}", f"{row['onnxruntime'] / 1e6:.2f}", f"{row['ratio']:.3f}"]
    if "time_ratio" in row:
        low, high = row["time_ratio_interval"]
        cells += [f"{row['us']:.0f}", f"{row['onnxruntime_us']:.0f}", f"{row['time_ratio']:.3f} ({low:.3f} to {high:.3f})", f"{apart(row):.2f}"]
    else:
        cells += ["not timed"] * 4
    return "| " + " | ".join([*cells, f"{max(row['errors'].values()):.1e}"]) + " |"


def agreement(rows):
    """Sentences: what the ratios say together."""
    ratios = [row["ratio"] for row in rows.values()]
    said = f"Geometric mean of the ratios of instructions: {geometric_mean(ratios):.3f}"
    if not all("time_ratio" in row for row in rows.values()):
        return said + ("; whether times agree is not known: none were taken, since others used the cores while this was counted. The same command "
                       "without `--no-times`, on a machine that does nothing else, takes them.")
    ahead = {model: at_most(row["time_ratio_interval"], 1) for model, row in rows.items()}  # as times say it
    same = sum(verdict == (WITHIN if rows[model]["ratio"] <= 1 else OUTSIDE) for model, verdict in ahead.items())
    untold = sum(verdict == UNKNOWN for verdict in ahead.values())
    far = max(rows, key=lambda model: abs(math.log(apart(rows[model]))))
    times = geometric_mean([row["time_ratio"] for row in rows.values()])
    return (f"{said}, of times: {times:.3f}. Both say the same of who is ahead for {same} of {len(rows)} models"
            + (f", of {untold} times cannot tell" if untold else "")
            + f"; a ratio of times is {geometric_mean([apart(row) for row in rows.values()]):.2f} times that of instructions in the geometric mean, "
            f"farthest from it {apart(rows[far]):.2f} times ({far}).")


def section(rows, shape):
    version = next(iter(rows.values()))["onnxruntime_version"]
    timed = ", ratios of times with the 90 % interval of their median over rounds" if "time_ratio" in next(iter(rows.values())) else ""
    lines = [BEGIN, f"{datetime.date.today()}, {processor()}, ONNX Runtime {version}, one thread, input {shape}{timed}:", "",
             "| model | tandem, millions | ONNX Runtime, millions | ratio of instructions | tandem, µs | ONNX Runtime, µs | ratio of times "
             "| ratio of times by that of instructions | relative error of the outputs |", "|---" * 9 + "|"]
    lines += [row_line(model, row) for model, row in rows.items()]
    return "\n".join([*lines, "", agreement(rows), END])


def update(rows, shape, page=PAGE):
    """False: the page has no place for it."""
    text = page.read_text()
    if BEGIN not in text or END not in text.split(BEGIN)[1]:
        return False
    page.write_text(text.split(BEGIN)[0] + section(rows, shape) + text.split(END, 1)[1])
    return True
