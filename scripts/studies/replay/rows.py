"""Rows of the table: a published figure beside the simulated one, with all that had to be assumed, and a verdict that
follows from the two of them alone. What a study does not print, and what an assumption settles by itself, has no verdict: it
is a note."""
import dataclasses
import math
import textwrap

REPRODUCED, NOT_REPRODUCED, POSSIBLE = "reproduced", "not reproduced", "possible"
WITHIN = 0.05  # of the published figure: still the same


def depends_on(what):
    return f"depends on {what}"


def near(published, simulated):
    return abs(simulated - published) <= WITHIN * abs(published)


def within(published, simulated):
    return near(published, simulated)


def exactly(published, simulated):
    return published == simulated


def share(published, simulated):
    """Percent of a whole: what is left of it has to come out, too. 97.4 for 94.3 % is 2.6 for 5.7 % of the rest."""
    return near(published, simulated) and near(100 - published, 100 - simulated)


def inside(published, simulated):
    """Of a range that was printed, and rounded as its ends are."""
    low, high = published
    return low <= round(simulated, 0 if isinstance(low, int) else 1) <= high


def above(published, simulated):
    return simulated > published


SAME = {test.__name__: test for test in (within, exactly, share, inside, above)}
FREE = "hand-over, dispatch and contention cost nothing"
LEAVES_ROOM = "leaves room for"  # the simulated figure is a bound: can the published one lie below it?
ESTIMATES_ERROR = "the estimate's error"


@dataclasses.dataclass
class Result:
    """What the replay of a study gives."""
    rows: list
    notes: list = dataclasses.field(default_factory=list)
    pictures: list = dataclasses.field(default_factory=list)  # (file's name, title, SVG)
    findings: list = dataclasses.field(default_factory=list)  # sentences, their numbers from the simulations


@dataclasses.dataclass
class Row:
    study: str
    figure: str
    published: object      # a number, a text, or the two ends of a range
    simulated: object      # the same, or a number for each value of an assumption: {"load of 40 %": ...}
    assumptions: list
    test: str = "within"   # one of SAME, or LEAVES_ROOM
    unit: str = ""
    remark: str = ""       # what else the simulation says, beside the figure
    depends: str = ""      # what the values of `simulated` are of
    between: bool = False  # the assumption is a quantity: what lies between the values comes out for some of it
    derived: bool = False  # not printed: from what is printed
    of: str = ""           # what the figure is one of, for the summary; empty: it is none of performance
    published_text: str = ""
    simulated_text: str = ""

    @property
    def verdict(self):
        return self.verdict_on(self.simulated)

    def verdict_on(self, simulated):
        if self.test == LEAVES_ROOM:
            return POSSIBLE if simulated >= self.published else NOT_REPRODUCED
        values = list(simulated.values()) if isinstance(simulated, dict) else [simulated]
        came_out = [SAME[self.test](self.published, value) for value in values]
        if self.between and len(values) > 1:
            low, high = self.published if isinstance(self.published, (list, tuple)) else [self.published] * 2
            came_out.append(min(values) <= high and low <= max(values))
        if any(came_out) and not all(came_out):
            return depends_on(self.depends)
        return REPRODUCED if any(came_out) else NOT_REPRODUCED

    def cells(self):
        published = self.published_text or number_text(self.published, self.unit)
        simulated = self.simulated_text or number_text(self.simulated, self.unit)
        return [self.study, self.figure, published + (" (derived)" if self.derived else ""),
                simulated + (f" ({self.remark})" if self.remark else ""), "; ".join(self.assumptions), self.verdict]

    def json(self):
        return {key: finite(value) for key, value in dataclasses.asdict(self).items()} | {"verdict": self.verdict}


@dataclasses.dataclass
class Note:
    """A figure that no study prints, or that follows from what was assumed."""
    study: str
    figure: str
    simulated: object
    assumptions: list
    unit: str = ""
    remark: str = ""
    simulated_text: str = ""

    def cells(self):
        simulated = (self.simulated_text or number_text(self.simulated, self.unit)) + (f" ({self.remark})" if self.remark else "")
        return [self.study, self.figure, simulated, "; ".join(self.assumptions)]

    def json(self):
        return {key: finite(value) for key, value in dataclasses.asdict(self).items()}


COLUMNS = ["study", "figure", "published", "simulated", "assumptions", "verdict"]
NOTE_COLUMNS = ["study", "figure without a verdict", "simulated", "assumptions"]


def finite(value):
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"a figure came out as {value}")
        return round(value, 6)
    return value


def number_text(value, unit):
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        values = sorted(value.values())
        return span_text(values[0], values[-1], unit) if values else "nowhere"
    if isinstance(value, (list, tuple)):
        return span_text(min(value), max(value), unit)
    if isinstance(value, int):
        return f"{value:,}" + (f" {unit}" if unit else "")
    digits = {"ms": 3, "x": 2, "%": 1 if abs(value) >= 0.95 else 2}.get(unit, 3)
    return f"{value:.{digits}f}" + ("" if unit == "x" else " ") + unit


def span_text(low, high, unit):
    low, high = number_text(low, unit), number_text(high, unit)
    return low if low == high else f"{low.removesuffix(unit).strip()} to {high}"


def summary_sentence(rows):
    """Which published figures of performance came out, and which did not: kinds of figures, how many readings of each."""
    kinds = {}
    for row in rows:
        if row.of:
            kinds.setdefault(f"{row.study} {row.of}", []).append(row.verdict)
    total = sum(map(len, kinds.values()))

    def those(is_so):
        count = {kind: sum(map(is_so, verdicts)) for kind, verdicts in kinds.items()}
        texts = [f"{kind} ({some} of {len(kinds[kind])})" for kind, some in count.items() if some]
        return f"{sum(count.values())}" + (f": {', '.join(texts)}" if texts else "")

    return (f"Of {total} comparisons with a published figure of performance there came out "
            f"{those(lambda verdict: verdict == REPRODUCED)}; came out for some values of an assumption "
            f"{those(lambda verdict: verdict.startswith('depends on'))}; did not come out "
            f"{those(lambda verdict: verdict == NOT_REPRODUCED)}; are possible by a bound "
            f"{those(lambda verdict: verdict == POSSIBLE)}.")


def text_table(columns, rows, width):
    """For a terminal: cells broken over lines; one column takes what the others leave."""
    fixed = {"study": 5, "published": 14, "simulated": 30, "verdict": 16}
    widths = [fixed.get(column, 0 if column == "assumptions" else 30) for column in columns]
    rest = max(24, width - sum(widths) - 2 * len(widths))
    widths = [column or rest for column in widths]
    lines = []
    for cells in [columns] + [row.cells() for row in rows]:
        broken = [textwrap.wrap(cell, column) or [""] for cell, column in zip(cells, widths)]
        for line in range(max(map(len, broken))):
            parts = [cell[line] if line < len(cell) else "" for cell in broken]
            lines.append("  ".join(part.ljust(column) for part, column in zip(parts, widths)).rstrip())
    return "\n".join(lines)


def markdown_table(columns, rows):
    """Without the study's number, which is in the heading."""
    escaped = [[cell.replace("|", "\\|") for cell in row.cells()[1:]] for row in rows]
    lines = [columns[1:], ["---"] * (len(columns) - 1)] + escaped
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines)
