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
UNMANAGED = "the baseline is policy `unmanaged`: an application a stream, all on the GPU, whose time those that are at work share evenly"
NO_LOSS = "sharing the GPU costs nothing: nobody measured it"
LESS_A = "A: less time than with `unmanaged`"
LESS_B = "less time in B than with `unmanaged`"


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


def unmanaged(sim, xavier, models, instances, load, **ends):
    """The report of what people have without a scheduler, by tandem's own policy for it: who shares at a time depends on who is at work."""
    platform, profile = xavier.platform_with(0), xavier.profile(set(models), 0)
    gpu = {**platform["units"][0], "slots": instances * len(models), "time_shared": True}
    streams = [{**closed(model, 1, **ends), "name": f"{model}_{number}"} for model in models for number in range(instances)]
    return sim.simulate(scenario("unmanaged", {**platform, "units": [gpu]}, [profile], streams, ["unmanaged"], transfer="zero_copy",
                                 background=loaded(load)))["unmanaged"]


def unmanaged_a(sim, xavier, models, titles):
    """One model in as many applications: an even share that costs nothing gives what one queue gives, so no published figure is compared."""
    found = {}
    for model, (instances, _, published_less) in models.items():
        for load in published_less:
            rule = sim.simulate(alone(xavier, model, instances, load, policies=[RULE]))["the rule"]
            found[f"{titles[model]} at {load} %"] = 100 * (1 - time_of(rule) / time_of(unmanaged(sim, xavier, [model], instances, load, count=4)))
    return Note(STUDY, LESS_A, found, [ESTIMATE, LAYERS, LOAD, UNMANAGED, NO_LOSS, "each one's share is a whole number of thousandths, rounded down", ONE_PROCESS,
                                      said(WORKERS), LOOPS], "%",
                ", ".join(f"{figure} load {value:.1f} %" for figure, value in found.items()))


def unmanaged_b(sim, xavier, titles, published, answers):
    """Four models at once: small ones share the GPU with large ones, in place of waiting in a queue behind them."""
    report = unmanaged(sim, xavier, list(titles), 2, 60, duration_ms=20000)
    for model, of_model in published.items():
        shared = sum(time_of(report, f"{model}_{number}") for number in range(2)) / 2
        found = {reading: 100 * (1 - time_of(answer["the rule"], model) / shared) for reading, answer in answers[60].items()}
        yield estimated_row(f"B, {titles[model]}: less time than with `unmanaged` at 60 % load", of_model, found,
                            [ESTIMATE, LAYERS, LOAD, UNMANAGED, NO_LOSS, ONE_PROCESS, said(WORKERS), "mean latency of each model"],
                            "share", "%", of=LESS_B)


def unmanaged_finding(rows, notes):
    saved = next(note for note in notes if note.figure == LESS_A).simulated.values()
    of_b = [row for row in rows if row.of == LESS_B]
    as_estimated = [next(iter(row.simulated.values())) for row in of_b]
    some = sum(row.verdict != NOT_REPRODUCED for row in of_b)
    return (f"Beside policy `unmanaged`, the board as it is without a scheduler, the rule takes {min(saved):.0f} to {max(saved):.0f} % less time in A, and "
            f"{min(as_estimated):.0f} to {max(as_estimated):.0f} % in B, where {some} of {len(of_b)} published reductions come out for some CPU within "
            f"{ESTIMATES_ERROR}.")


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
