"""Where the 52 to 71 % of study 000 come out: two maps over the load of the GPU."""
from replay.rows import Row
from replay.simulator import bisect
from replay.study_000_common import ESTIMATE, LAYERS, LOAD, LOOPS, QUEUE, STUDY, WORKERS, alone, less, said
from replay.svg import cells

MODEL, INSTANCES, NAME = "densenet201_darknet", 8, "8 x DenseNet201"
LOADS = [0, 20, 40, 60, 80, 90]
RATIOS = [1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1, 2, 4]
SHARES = [10, 20, 30, 40, 50, 60, 70, 80, 90]  # percent of the GPU's time outside convolutions
LOW, HIGH = 52, 71  # percent, rounded as the study rounds them
LEGEND = [("less", "the rule loses"), ("some", "it saves less"), ("hit", f"{LOW} to {HIGH} %"), ("over", "more")]


def colour(value):
    return "less" if value < 0 else "some" if round(value) < LOW else "hit" if round(value) <= HIGH else "over"


def grid(sim, xavier, factors):
    """Less time per place: `factors` of each column."""
    scenarios = [alone(xavier, MODEL, INSTANCES, load, **one) for load in LOADS for one in factors]
    found = iter([less(answer) for answer in sim.simulate_all(scenarios)])
    return [[next(found) for _ in factors] for _ in LOADS]


def drawn(name, title, x_title, columns, values):
    text = cells(title, x_title, "load of the GPU, %", columns, [str(load) for load in LOADS],
                 lambda column, row: colour(values[row][column]), lambda column, row: f"{values[row][column]:.0f}", LEGEND)
    return name, title, text


def row(figure, values, columns, assumptions, depends, text=""):
    found = {f"{name} at a load of {load} %": value for load, line in zip(LOADS, values) for name, value in zip(columns, line)}
    return Row(STUDY, figure, [LOW, HIGH], found, [*assumptions, ESTIMATE, LAYERS, said(WORKERS), LOAD, LOOPS, QUEUE],
               "inside", "%", text, depends=depends, of="less time in A by a map")


def share_between(sim, xavier, load, factors):
    """From which share of the GPU's time on, outside convolutions, 52 % come out, and up to which 71 %."""
    found = lambda share: less(sim.simulate(alone(xavier, MODEL, INSTANCES, load, **factors(share))))
    return [bisect(found, wanted, SHARES[0], SHARES[-1], steps=10) for wanted in (LOW, HIGH)]


def finding(rows):
    return f"The {LOW} to {HIGH} % take a GPU that spends as much of its time outside convolutions: {rows[1].remark}."


def replay(sim, xavier):
    gpu_rest, gpu_convolutions = (xavier.time([MODEL], "gpu", convolutions) for convolutions in (False, True))
    cpu_rest = xavier.time([MODEL], "cpu0", False)
    ratios = [f"1/{1 / ratio:.0f}" if ratio < 1 else f"{ratio:.0f}" for ratio in RATIOS]
    speeds = grid(sim, xavier, [{"cpu": gpu_rest / (ratio * cpu_rest)} for ratio in RATIOS])
    factors = lambda share: {"gpu_rest": share / (100 - share) * gpu_convolutions / gpu_rest}
    of_shares = grid(sim, xavier, [factors(share) for share in SHARES])
    shares = [f"{share} %" for share in SHARES]
    ends = [share_between(sim, xavier, load, factors) for load in (0, 60)]
    estimated = 100 * gpu_rest / (gpu_rest + gpu_convolutions)
    text = f"estimated are {estimated:.1f} %; needed " + ", ".join(
        f"{low:.0f} to {high:.0f} % of it at a load of {load} %" for (low, high), load in zip(ends, (0, 60)))
    rows = [row(f"A, {NAME}: where 52 to 71 % less time come out, by the CPU's speed", speeds, ratios,
                ["all CPU times scaled: a worker is 1/64 to 4 times as fast as the GPU outside convolutions"], "the CPU's speed"),
            row(f"A, {NAME}: where 52 to 71 % less time come out, by what else the GPU does", of_shares, shares,
                ["the GPU's times outside convolutions scaled to 10 to 90 % of its time"], "what else the GPU does", text)]
    pictures = [drawn("study-000-speed", f"Less time than on the GPU alone, in percent: {NAME}, by CPU speed",
                      "a CPU worker's speed outside convolutions, the GPU's being 1", ratios, speeds),
                drawn("study-000-share", f"Less time than on the GPU alone, in percent: {NAME}, by the GPU's other work",
                      "what the GPU spends outside convolutions, alone and without load", shares, of_shares)]
    return rows, pictures
