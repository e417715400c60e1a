"""Rows of the table: a published figure beside the simulated one, with all that had to be assumed."""
import dataclasses
import math
import textwrap

REPRODUCED, NOT_REPRODUCED = "reproduced", "not reproduced"
NOT_AVAILABLE, NO_CLAIM = "not available", "no claim"
NONE = "none printed"  # for a published figure: nobody asked there
WITHIN = 0.05  # of the published figure: still the same


def depends_on(what):
    return f"depends on {what}"


@dataclasses.dataclass
class Result:
    """What the replay of a study gives."""
    rows: list
    pictures: list = dataclasses.field(default_factory=list)  # (file's name, title, SVG)
    findings: list = dataclasses.field(default_factory=list)  # sentences, their numbers from the simulations


@dataclasses.dataclass
class Row:
    study: str
    figure: str
    published: object  # a number, a text, or None where the study's figure is not available
    simulated: object
    assumptions: list
    verdict: str
    unit: str = ""
    remark: str = ""   # what else the simulation says, beside the figure

    def cells(self):
        simulated = number_text(self.simulated, self.unit) + (f" ({self.remark})" if self.remark else "")
        return [self.study, self.figure, number_text(self.published, self.unit), simulated,
                "; ".join(self.assumptions), self.verdict]

    def json(self):
        return {key: finite(value) for key, value in dataclasses.asdict(self).items()}


COLUMNS = ["study", "figure", "published", "simulated", "assumptions", "verdict"]


def finite(value):
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"a figure came out as {value}")
        return round(value, 6)
    return value


def number_text(value, unit):
    if value is None:
        return "not available"
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return f"{value:,}" + (f" {unit}" if unit else "")
    digits = {"ms": 3, "x": 2, "%": 1 if abs(value) >= 0.95 else 2}.get(unit, 3)
    return f"{value:.{digits}f}" + ("" if unit == "x" else " ") + unit


def compared(published, simulated):
    """The verdict on a figure to which nothing was fitted."""
    exactly = isinstance(published, (int, str))
    same = published == simulated if exactly else abs(simulated - published) <= WITHIN * abs(published)
    return REPRODUCED if same else NOT_REPRODUCED


def text_table(rows, width):
    """For a terminal: cells broken over lines."""
    fixed = [5, 30, 14, 30, None, 16]
    rest = max(24, width - sum(column for column in fixed if column) - 2 * len(fixed))
    widths = [column or rest for column in fixed]
    lines = []
    for cells in [COLUMNS] + [row.cells() for row in rows]:
        broken = [textwrap.wrap(cell, column) or [""] for cell, column in zip(cells, widths)]
        for line in range(max(map(len, broken))):
            parts = [cell[line] if line < len(cell) else "" for cell in broken]
            lines.append("  ".join(part.ljust(column) for part, column in zip(parts, widths)).rstrip())
    return "\n".join(lines)


def markdown_table(rows):
    """Without the study's number, which is in the heading."""
    escaped = [[cell.replace("|", "\\|") for cell in row.cells()[1:]] for row in rows]
    lines = [COLUMNS[1:], ["---"] * (len(COLUMNS) - 1)] + escaped
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
