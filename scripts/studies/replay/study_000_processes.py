"""What if the baseline of study 000 is not one process, but a process for each application, which share the GPU through its
driver? In a simple form: all of them run at once, each at its share of the GPU's time, and each of its layers pays for a
switch from another process. A load from outside is one more of them."""
import re

from replay.rows import ESTIMATES_ERROR, NOT_REPRODUCED, WITHIN, Note
from replay.simulator import bisect, closed, scenario
from replay.study_000_common import ESTIMATE, GPU_ONLY, LAYERS, LOAD, LOOPS, RULE, STUDY, WORKERS, alone, estimated_row, loaded, said, time_of

SHARED = "GPU only is a process for each application, which share the GPU's time evenly"
FREE_SWITCH = "a switch between processes costs nothing"
ONE_PROCESS = "the rule is one process"
MOST_US = 100000
LESS = "A, a process each: less time than then on the GPU only"
SWITCH = "A, a process each: what a switch has to cost for the published reductions"
OF_B = "less time in B, a process each"


def apart(xavier, streams, instances, load, switch_us=0):
    """The baseline: as many slots as processes, in which everything takes as many times as long."""
    platform, profile = xavier.platform_with(0), xavier.profile({stream["model"] for stream in streams}, 0)
    gpu = {**platform["units"][0], "slots": instances}
    entries = [{**entry, "median_us": round(entry["median_us"] * instances, 3)} for entry in profile["entries"]]
    dispatch = [{"unit": "gpu", "median_us": round(switch_us * instances, 3)}]
    return scenario("a process each", {**platform, "units": [gpu]}, [{**profile, "entries": entries, "dispatch": dispatch}],
                    streams, [GPU_ONLY], transfer="zero_copy", background=loaded(load))


def of_one_model(model, instances):
    return [closed(model, instances, 4 * instances)]


class OneModel:
    """Experiment A of one model."""

    def __init__(self, sim, xavier, model, instances):
        self.sim, self.xavier, self.model, self.instances = sim, xavier, model, instances
        self.rule = {load: time_of(sim.simulate(alone(xavier, model, instances, load, policies=[RULE]))["the rule"])
                     for load in (0, 60)}

    def baseline(self, load, switch_us=0):
        asked = apart(self.xavier, of_one_model(self.model, self.instances), self.instances, load, switch_us)
        return time_of(self.sim.simulate(asked)["GPU only"])

    def less(self, load, switch_us=0):
        return 100 * (1 - self.rule[load] / self.baseline(load, switch_us))

    def needed_us(self, load, published):
        """What a switch costs where the published reduction comes out."""
        return bisect(lambda switch_us: self.less(load, switch_us), published, 0.1, MOST_US, steps=14)


def experiment_a(sim, xavier, models, titles):
    """An even share and a switch that costs nothing give what one queue gives, and the growth of one application more: both
    follow from the assumptions, so no published figure is compared with them."""
    needed, less = {}, {}
    for model, (instances, growth, published_less) in models.items():
        of, what = OneModel(sim, xavier, model, instances), f"A, {instances} x {titles[model]}, a process each"
        for load, published in published_less.items():
            less[f"{titles[model]} at {load} %"] = of.less(load)
            needed[f"{titles[model]} at {load} %"] = of.needed_us(load, published)
        share = round(100 / (instances + 1))
        yield Note(STUDY, f"{what}: growth from 0 to 60 % load, GPU only", of.baseline(share) / of.baseline(0),
                   [ESTIMATE, LAYERS, SHARED, LOOPS, FREE_SWITCH, f"the load is one more process and gets {share} % of the GPU's time"],
                   "x", f"published {growth['gpu']}x, which takes a load that gets {growth['gpu'] * instances - instances:.1f} times "
                   "as much as an application")
    common = [ESTIMATE, LAYERS, LOAD, SHARED, ONE_PROCESS, said(WORKERS), LOOPS]
    yield Note(STUDY, LESS, less, [*common, FREE_SWITCH], "%", ", ".join(f"{figure} load {value:.1f} %" for figure, value in less.items()))
    yield Note(STUDY, SWITCH, needed, common, "us", ", ".join(f"{figure} {switch_us:.0f} us" for figure, switch_us in needed.items()))


def experiment_b(sim, xavier, titles, published, answers):
    """`answers`: of the rule, by load and reading of the estimate."""
    streams = [closed(model, 2, duration_ms=20000) for model in titles]
    asked = {**apart(xavier, streams, 2 * len(streams), 60), "objective": "mean_latency"}
    shared = sim.simulate(asked)["GPU only"]
    for model, of_model in published.items():
        found = {reading: 100 * (1 - time_of(answer["the rule"], model) / time_of(shared, model))
                 for reading, answer in answers[60].items()}
        yield estimated_row(f"B, {titles[model]}, a process each: less time at 60 % load", of_model, found,
                            [ESTIMATE, LAYERS, LOAD, SHARED, FREE_SWITCH, ONE_PROCESS, said(WORKERS),
                             "mean latency of each model"], "share", "%", of=OF_B)


def finding(rows, notes):
    figures = {note.figure: note for note in notes}
    plain, switches = figures[LESS].simulated.values(), figures[SWITCH]
    grown = [note for note in notes if note.figure.endswith("a process each: growth from 0 to 60 % load, GPU only")]
    one = max(switches.simulated.values()) <= (1 + WITHIN) * min(switches.simulated.values())
    some = [row for row in rows if row.of == OF_B and row.verdict != NOT_REPRODUCED]
    return (f"Were the baseline a process for each application, sharing the GPU evenly, A's reductions would be "
            f"{min(plain):.0f} to {max(plain):.0f} %. It takes switches between processes that cost {switches.remark} a layer, "
            + ("one cost for all" if one else "so no one cost explains them all") +
            f"; and an even share would let the load slow the GPU down by {' and '.join(f'{note.simulated:.2f}' for note in grown)} "
            f"times, published are {' and '.join(re.match(r'published ([^x]+)x', note.remark)[1] for note in grown)}. Of B's {sum(row.of == OF_B for row in rows)} reductions {len(some)} come out for "
            f"some CPU within {ESTIMATES_ERROR}.")
