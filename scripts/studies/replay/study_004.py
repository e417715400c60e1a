"""Study 004 (ETRI, NEST-C): the two branches of a fire module on a CPU and an NPU at once."""
from replay.rows import FREE, LEAVES_ROOM, Result, Row, number_text
from replay.simulator import board, closed, profile, scenario
from replay.svg import cells

STUDY = "004"
TITLE = "Branch-parallel execution (ETRI, NEST-C), ZCU102: Cortex-A53 and EVTA NPU, SqueezeNet"
BEFORE_MS, AFTER_MS, GROUPS, WON = 202.72, 180.18, 8, 4
# CPU time over NPU time: of 1x1 convolutions, of 3x3 ones.
ONES = [0.5, 1, 2, 4, 5, 5.5, 6, 6.25, 6.5, 6.75, 7, 7.25, 7.5, 8]
THREES = [0.5, 0.7, 0.85, 1, 1.1, 1.15, 1.2, 1.3, 1.5, 2, 4]
MODELS = ("squeezenet_1_0", "squeezenet_1_1")
BRANCHES = {"name": "branch_parallel", "trunk": "npu"}
LEGEND = [("none", "none"), ("some", "fewer than 4"), ("hit", "exactly 4 groups win"), ("over", "more than 4")]


class Board:
    """The estimated ZCU102 with one SqueezeNet, whose NPU alone takes the study's 202.72 ms."""

    def __init__(self, sim, model):
        self.model, self.platform = model, board("zcu102")[0]
        spec = {"tandem": "estimate/1", "platform": "zcu102", "models": [model],
                "units": [{"units": ["npu"], "precision": "int8", "whole_model_ms": {model: BEFORE_MS},
                           "like": [{"board": "jetson-tx1", "unit": "gpu", "variant": "cudnn"}]}]}
        self.npu = sim.estimate(spec)["entries"]
        groups = sim.model(model)["branch_groups"]
        self.groups = [group["branches"] for group in groups]
        self.branches = {layer: path for group in self.groups for path in group for layer in path}

    def kind(self, layer):
        """What the CPU's speed depends on: the window of the branch's convolution."""
        return "3x3" if any("3x3" in name for name in self.branches[layer]) else "1x1"

    def scenario(self, one, three):
        ratios = {"1x1": one, "3x3": three}
        cpu = [{**entry, "unit": "cpu", "median_us": round(entry["median_us"] * ratios[self.kind(entry["layers"][0])], 3)}
               for entry in self.npu if entry["layers"][0] in self.branches]
        made = profile("zcu102", "the NPU estimated, the CPU's branches in proportion", self.npu + cpu)
        return scenario("one image", self.platform, [made], [closed(self.model, 1, 1)], [BRANCHES], transfer="zero_copy")

    def said(self):
        return [self.model, f"the NPU alone takes the study's {BEFORE_MS} ms, spread over the layers as a GPU's",
                "the CPU's branches take a ratio of the NPU's time, one for 1x1 and one for 3x3 convolutions",
                FREE, "all else runs on the NPU"]

    def outcome(self, plan):
        """How many groups run side by side, their branches being tasks of their own, and the time of an image in ms."""
        layers = plan["segments"][0]["layers"]  # "*" where the model is one task
        tasks = {} if layers == "*" else {layer: number for number, of in enumerate(layers) for layer in of}
        won = sum(len({tasks.get(path[0]) for path in group}) > 1 for group in self.groups)
        return won, plan["predicted"]["makespan_ns"] / 1e6


def grid(sim, of):
    places = [(one, three) for three in THREES for one in ONES]
    plans = sim.plan_all([of.scenario(one, three) for one, three in places])
    return {place: of.outcome(plan) for place, plan in zip(places, plans)}


def colour(won):
    return "none" if won == 0 else "some" if won < WON else "hit" if won == WON else "over"


def picture(of, found):
    at = lambda column, row: found[ONES[column], THREES[row]]
    title = f"Study 004, {of.model}: ms an image, and how many of the 8 groups win side by side"
    return (f"study-004-{of.model}", title,
            cells(title, "CPU time over NPU time, 1x1 convolutions", "the same, 3x3 convolutions",
                  [f"{one:g}" for one in ONES], [f"{three:g}" for three in THREES],
                  lambda column, row: colour(at(column, row)[0]), lambda column, row: f"{at(column, row)[1]:.0f}", LEGEND))


def rows_of(of, found):
    four = {place: time_ms for place, (won, time_ms) in found.items() if won == WON}
    named = {place: f"1x1 {place[0]:g}, 3x3 {place[1]:g}" for place in found}
    yield Row(STUDY, f"groups that win side by side, {of.model}", WON, {named[place]: won for place, (won, _) in found.items()},
              of.said(), "exactly", depends="the two ratios", of="groups that win", published_text=f"{WON} of {GROUPS}",
              simulated_text=number_text([won for won, _ in found.values()], "")
              + f"; {WON} where the CPU takes of the NPU's time " + places_text(four) if four else f"nowhere {WON}")
    yield Row(STUDY, f"time of an image where exactly {WON} groups win, {of.model}", AFTER_MS,
              {named[place]: time_ms for place, time_ms in four.items()}, of.said(), "within", "ms", depends="the two ratios",
              of="time of an image")
    yield most_row(of)


def most_row(of):
    """Where a branch of 1x1 goes to the CPU, a group saves no more than what the NPU would have taken for it."""
    taken = {entry["layers"][0]: entry["median_us"] / 1000 for entry in of.npu}
    ones = [sum(taken[layer] for layer in path) for group in of.groups for path in group if of.kind(path[0]) == "1x1"]
    most = sum(sorted(ones)[-WON:])
    return Row(STUDY, f"the most that {WON} groups can save with their 1x1 on the CPU, {of.model}", BEFORE_MS - AFTER_MS, most,
               of.said(), LEAVES_ROOM, "ms", f"the published saving is {(BEFORE_MS - AFTER_MS) / most:.1f} times that",
               derived=True, of="saving")


def edges(grid, hits):
    """The interval of a quantity in which something holds, as far as places on a grid tell."""
    first, last = grid.index(min(hits)), grid.index(max(hits))
    low = f"between {grid[first - 1]:g} and {grid[first]:g}" if first else f"{grid[0]:g} or less"
    high = f"between {grid[last]:g} and {grid[last + 1]:g}" if last + 1 < len(grid) else f"{grid[-1]:g} or more"
    return f"from {low} to {high}"


def places_text(places):
    """Intervals of the ratio of 1x1, and with them those of 3x3."""
    of_three = {three: tuple(one for one in ONES if (one, three) in places) for three in THREES}
    texts = []
    for ones in dict.fromkeys(ones for ones in of_three.values() if ones):
        threes = [three for three, other in of_three.items() if other == ones]
        texts.append(f"{edges(ONES, ones)} for 1x1 with {edges(THREES, threes)} for 3x3")
    return "; ".join(texts)


def findings(of, found, rows):
    four = [time_ms for won, time_ms in found.values() if won == WON]
    most = next(row for row in rows if row.test == LEAVES_ROOM and row.figure.endswith(of.model))
    return (f"{of.model}: " + (f"where exactly {WON} groups win an image takes {number_text(four, 'ms')}, "
                               f"published {AFTER_MS} ms; "
                               if four else f"nowhere do exactly {WON} groups win; ")
            + f"with their 1x1 on the CPU, {WON} groups save at most {most.simulated:.1f} ms, derived are "
            f"{most.published:.1f} ms.")


def replay(sim, _):
    rows, pictures = [], []
    told = ["Two published times cannot fix two units of which nobody measured a layer: the NPU's total is fitted to the first, "
            "and the rows ask where on a map over two ratios the second comes out."]
    for model in MODELS:
        of = Board(sim, model)
        found = grid(sim, of)
        rows += rows_of(of, found)
        pictures.append(picture(of, found))
        told.append(findings(of, found, rows))
    return Result(rows, [], pictures, told)
