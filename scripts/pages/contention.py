"""docs/contention.md: how far the exact engines and SimGrid's own physics are apart over the scenarios that tandem ships."""
import json
import pathlib
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PAGE = SOURCE / "docs" / "contention.md"
SHIPPED = SOURCE / "scenarios" / "examples"
POLICIES = ("fcfs", "eft")
MEASURED = "\n## Held against a machine\n"  # the section that scripts/experiments/contention.py measures and writes
SEEN = 1e-4  # a smaller difference is one of rounding: rates in thousandths, steps to whole nanoseconds

INTRO = """# How uncertain is contention?

`scripts/docs` writes this page: it runs {policies} in the scenarios that tandem ships, by tandem's own rules and by
[SimGrid's own physics](semantics.md#simgrids-own-physics) (`--engine fluid`). No figure is typed; a test compares.

What units and copies cost each other the exact engines reckon by what profiles measured and by rules of tandem's own; the fluid engine by
max-min shares of what links, hubs, memories and units give, and by nothing that was measured of units side by side. Neither is the truth. Where
they are apart, what the board does is as uncertain as that, on top of what the profile's times may be off by; where nothing meets they agree.
Of a memory whose `bandwidth_bytes_per_s` a board does not say, or of tasks without `traffic`, the fluid engine knows nothing: it then lacks all that was measured, as in
`two-at-once`.
`tandem simulate SCENARIO --contention` says it of a scenario of yours, and has intervals reach as far.
"""


class Run:
    """A policy in a scenario, by both."""

    def __init__(self, scenario, report):
        self.scenario, self.policy = scenario, report["label"]
        self.fluid, self.exact = report["makespan_ns"], report["exact_makespan_ns"]

    @property
    def apart(self):
        return self.fluid / self.exact - 1 if self.exact else 0.0

    def row(self):
        link = f"[{self.scenario}](../scenarios/examples/{self.scenario}.scenario.json)"
        return f"| {link} | `{self.policy}` | {self.exact / 1e6:,.3f} | {self.fluid / 1e6:,.3f} | {100 * self.apart:+.3g} % |"


def runs_of(program, file, name):
    """Nothing: the scenario has no times to simulate with, or no policy of these can run it."""
    run = subprocess.run([program, "simulate", str(file), "--engine", "fluid", "--json", "--policy", ",".join(POLICIES)], capture_output=True,
                         text=True, check=False)
    if not run.stdout:
        return []
    return [Run(name, report) for report in json.loads(run.stdout) if "exact_makespan_ns" in report]


def is_short(file):
    """LoadGen's rules ask for hundreds of thousands of requests."""
    scenario = json.loads(file.read_text(encoding="utf-8"))
    streams = scenario.get("streams", [])
    return scenario.get("rules") != "loadgen" and not any(stream.get("rules") == "loadgen" for stream in streams)


def names(scenarios):
    return ", ".join(scenarios) if scenarios else "none"


def page_of(runs, left_out):
    apart = sorted((run for run in runs if abs(run.apart) >= SEEN), key=lambda run: -abs(run.apart))
    different = {run.scenario for run in apart}
    alike = sorted({run.scenario for run in runs} - different)
    lines = [INTRO.format(policies=" and ".join(f"`{policy}`" for policy in POLICIES))]
    if apart:
        later, sooner = max(run.apart for run in apart), min(run.apart for run in apart)
        lines += [f"Of {len(runs)} runs in {len(alike) + len(different)} scenarios {len(apart)} are apart, by {100 * sooner:+.3g} % to "
                  f"{100 * later:+.3g} % of the exact makespan.", "",
                  "| scenario | policy | exact, ms | fluid, ms | fluid to exact |", "|---|---|---|---|---|", *(run.row() for run in apart), ""]
    lines += [f"Apart by less than {100 * SEEN:g} %, or not at all: {names(alike)}.", "",
              f"Left out, as they are for a device, no policy of these runs them, or LoadGen's rules make them long: {names(sorted(left_out))}."]
    return "\n".join(lines) + "\n"


def measured_section(page=PAGE):
    """As it stands on the page; nothing where none has been measured."""
    text = page.read_text(encoding="utf-8") if page.exists() else ""
    return MEASURED + text.split(MEASURED, 1)[1] if MEASURED in text else ""


def with_section(text, section):
    """The page's text with this section in place of its own; `section` begins with MEASURED."""
    return text.split(MEASURED, 1)[0] + section


def contention_page(program, folder=SHIPPED):
    runs, left_out = [], []
    for file in sorted(folder.glob("*.scenario.json")):
        name = file.name.removesuffix(".scenario.json")
        found = runs_of(str(program), file, name) if is_short(file) else []
        runs += found
        left_out += [] if found else [name]
    return with_section(page_of(runs, left_out), measured_section())
