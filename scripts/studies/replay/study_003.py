"""Study 003 (ETRI): whole models over a CPU and three accelerators, its published latencies."""
from replay.rows import FREE, Note, Result, Row, number_text
from replay.simulator import board, example
from replay.svg import bars

STUDY = "003"
TITLE = "Throughput scheduling over K units (ETRI), RK3399Pro board with USB accelerators"
# Keras counts running statistics, and has a bias on every convolution of the ResNets.
PARAMETERS = {"mobilenet_v2": (3538984, False), "resnet50": (25636712, True), "resnet101": (44707176, True)}
APART = "100 inferences of each model, stream after stream (a nanosecond from one to the next)"
ALL_AT_0 = "100 inferences of each model, all there at 0, in turns"
WHOLE = f"whole models, the study's table of latencies; transfers, {FREE}"
RULES = "our reading of the study's rules"
EVERY = "every unit holds all models, against the study's table"
HELD = ("resnet50", "mobilenet_v2", "resnet101")
OWN = ("fcfs", "sjf", "affinity", "priority")
# Who comes first on which unit; the study has no ranking for the NCS2.
RANKS = {"cpu": "mobilenet_v2, resnet101, resnet50", "coral": "mobilenet_v2, resnet101, resnet50",
         "rknpu": "resnet50, mobilenet_v2, resnet101"}


def parameter_rows(sim):
    for name, (published, biases) in PARAMETERS.items():
        model = sim.model(name)
        counted = model["totals"]["params"] + model["totals"]["state"]
        if biases:
            counted += sum(layer["output_shape"][1] for layer in model["layers"] if layer["op"] == "conv")
        said = "parameters and running statistics" + (", and a bias for each channel of a convolution" if biases else "")
        yield Row(STUDY, f"parameters of {name}", published, counted, [said], "exactly")


def rank_rows():
    """Does our reading of "priority from profiles" rank as the study does?"""
    times = {}
    for entry in board("tinker-edge-r")[1]["entries"]:
        times.setdefault(entry["unit"], {})[entry["model"]] = entry["median_us"]
    for unit, published in RANKS.items():
        others = {model: min(of[model] for other, of in times.items() if other != unit and model in of) for model in times[unit]}
        ranked = sorted(times[unit], key=lambda model: times[unit][model] / others[model])
        yield Row(STUDY, f"ranking of the models on {unit}", published, ", ".join(ranked),
                  ["by a model's time on the unit over its time on the fastest other: how the study ranks is not printed"],
                  "exactly", of="rankings")


def makespan_note(what, report, assumptions, with_ends=True):
    ends = ", ".join(f"{stream['name']} done at {stream['last_completion_ns'] / 1e6:.0f}" for stream in report["streams"])
    above = "no bound" if report["gap"] is None else f"{100 * report['gap']:.1f} % above the bound"
    return Note(STUDY, f"makespan, {report['label']}{what}", report["makespan_ns"] / 1e6, assumptions, "ms",
                f"{above}; {ends}" if with_ends else above)


def stream_by_stream(base):
    """All requests of one stream before all of the next: within the first 300 nanoseconds."""
    return [{**stream, "arrival": {"type": "periodic", "period_us": 0.001, "phase_us": place * 0.1}}
            for place, stream in enumerate(base["streams"])]


def picture(answer):
    policies = sorted(answer.values(), key=lambda report: report["makespan_ns"])
    values = [(report["label"], report["makespan_ns"] / 1e6) for report in policies]
    bound = policies[0]["bound_ns"] / 1e6
    return ("study-003", "makespans of study 003's policies, and of others, on its own table of latencies; the NCS2 "
            "holds resnet50",
            bars("Study 003: makespan of 300 inferences, the NCS2 holds resnet50", values, "ms",
                 (f"no schedule is below {bound:.0f} ms", bound)))


def above(answers, labels):
    """The span of what these policies are above the bound, in percent, whichever model the NCS2 holds."""
    gaps = [100 * answer[label]["gap"] for answer in answers for label in labels]
    return number_text(gaps, "%")


def findings(one, every, apart):
    turns = [answer["round_robin"]["makespan_ns"] / answer["best"]["makespan_ns"] for answer in one]
    return [f"The NCS2 holds one model, says the study's table; which one is not printed, so each was asked. Its own four rules "
            f"come out {above(one, OWN)} above the bound; eft, which its queue could do as well, {above(one, ['eft'])}, the "
            f"search {above(one, ['best'])}. The study's measured chart is not available: no makespan here is "
            "compared with one of it.",
            "Handing requests out in turns loses: the CPU gets a share that it cannot do in time "
            f"({min(turns):.1f} to {max(turns):.0f} times the best makespan).",
            f"Could the NCS2 hold all models, the four rules would come out {above([every], OWN)} above the bound; "
            f"stream by stream instead of in turns fcfs takes {apart['fcfs']['makespan_ns'] / 1e6:.0f} instead of "
            f"{every['fcfs']['makespan_ns'] / 1e6:.0f} ms, eft {apart['eft']['makespan_ns'] / 1e6:.0f} instead of "
            f"{every['eft']['makespan_ns'] / 1e6:.0f} ms."]


def replay(sim, _):
    base = example("study-003")
    base["policies"].append("best")
    one = {held: {**base, "resident": {"ncs2": [held]}} for held in HELD}
    profiled = {**base, "policies": [{"name": "priority", "label": "priority from profiles"}]}
    apart = {**base, "streams": stream_by_stream(base)}
    answers = sim.simulate_all([base, profiled, apart, *one.values()])
    notes = []
    for held, answer in zip(one, answers[3:]):
        alone = f"the NCS2 holds {held} alone: which one is not printed"
        notes += [makespan_note(f", NCS2 holds {held}", report, [ALL_AT_0, WHOLE, alone, RULES]) for report in answer.values()]
    for report in [*answers[0].values(), *answers[1].values()]:
        ranked = {"priority": ["the study's ranking; it has none for the NCS2, which runs nothing"],
                  "priority from profiles": ["ranks by time on the unit over the fastest other"]}.get(report["label"], [])
        notes.append(makespan_note("", report, [ALL_AT_0, WHOLE, EVERY, RULES, *ranked], False))
    notes += [makespan_note(", stream by stream", report, [APART, WHOLE, EVERY, RULES], False) for report in answers[2].values()]
    rows = [*parameter_rows(sim), *rank_rows()]
    return Result(rows, notes, [picture(answers[3])], findings(answers[3:], answers[0], answers[2]))
