"""Study 003 (ETRI): whole models over a CPU and three accelerators, its published latencies."""
from replay.rows import NOT_AVAILABLE, Result, Row, compared
from replay.simulator import example
from replay.svg import bars

STUDY = "003"
TITLE = "Throughput scheduling over K units (ETRI), RK3399Pro board with USB accelerators"
# Keras counts running statistics, and has a bias on every convolution of the ResNets.
PARAMETERS = {"mobilenet_v2": (3538984, False), "resnet50": (25636712, True), "resnet101": (44707176, True)}
APART = "100 inferences of each model, stream after stream (a nanosecond from one to the next)"
ALL_AT_0 = "100 inferences of each model, all there at 0, in turns"
WHOLE = "whole models, the study's table of latencies, no overheads, no transfers"
RULES = "our reading of the study's rules"
EVERY = "every unit holds all models"


def parameter_rows(sim):
    for name, (published, biases) in PARAMETERS.items():
        model = sim.model(name)
        counted = model["totals"]["params"] + model["totals"]["state"]
        if biases:
            counted += sum(layer["output_shape"][1] for layer in model["layers"] if layer["op"] == "conv")
        said = "parameters and running statistics" + (", and a bias for each channel of a convolution" if biases else "")
        yield Row(STUDY, f"parameters of {name}", published, counted, [said], compared(published, counted))


def makespan_row(what, report, assumptions, with_ends=True):
    ends = ", ".join(f"{stream['name']} done at {stream['last_completion_ns'] / 1e6:.0f}" for stream in report["streams"])
    above = "no bound" if report["gap"] is None else f"{100 * report['gap']:.1f} % above the bound"
    return Row(STUDY, f"makespan, {report['label']}{what}", None, report["makespan_ns"] / 1e6, assumptions, NOT_AVAILABLE,
               "ms", f"{above}; {ends}" if with_ends else above)


def stream_by_stream(base):
    """All requests of one stream before all of the next: within the first 300 nanoseconds."""
    return [{**stream, "arrival": {"type": "periodic", "period_us": 0.001, "phase_us": place * 0.1}}
            for place, stream in enumerate(base["streams"])]


def picture(answer):
    policies = sorted(answer.values(), key=lambda report: report["makespan_ns"])
    values = [(report["label"], report["makespan_ns"] / 1e6) for report in policies]
    bound = policies[0]["bound_ns"] / 1e6
    return ("study-003", "makespans of study 003's policies, and of others, on its own table of latencies",
            bars("Study 003: makespan of 300 inferences", values, "ms", (f"no schedule is below {bound:.0f} ms", bound)))


def findings(answer, apart):
    above = {label: 100 * report["gap"] for label, report in answer.items()}
    own = [above[label] for label in ("fcfs", "sjf", "affinity", "priority")]
    return [f"The study's measured chart is not available: no row can say that it was reproduced. Its own four rules come out "
            f"{min(own):.0f} to {max(own):.0f} % above the bound; eft, which its queue could do as well, {above['eft']:.1f} % "
            f"above, the search {above['best']:.1f} %.",
            "Handing requests out in turns loses by far: the CPU gets a share that it cannot do in time "
            f"({answer['round_robin']['makespan_ns'] / answer['best']['makespan_ns']:.0f} times the best makespan).",
            f"The order of arrival matters: stream by stream, fcfs takes {apart['fcfs']['makespan_ns'] / 1e6:.0f} instead of "
            f"{answer['fcfs']['makespan_ns'] / 1e6:.0f} ms, eft {apart['eft']['makespan_ns'] / 1e6:.0f} instead of "
            f"{answer['eft']['makespan_ns'] / 1e6:.0f} ms."]


def replay(sim, _):
    base = example("study-003")
    base["policies"].append("best")
    one = {held: {**base, "resident": {"ncs2": [held]}} for held in ("resnet50", "mobilenet_v2", "resnet101")}
    profiled = {**base, "policies": [{"name": "priority", "label": "priority from profiles"}]}
    apart = {**base, "streams": stream_by_stream(base)}
    answers = sim.simulate_all([base, profiled, apart, *one.values()])
    rows = list(parameter_rows(sim))
    for report in [*answers[0].values(), *answers[1].values()]:
        ranked = {"priority": ["the study's ranking; it has none for the NCS2, which runs nothing"],
                  "priority from profiles": ["ranks by time on the unit over the fastest other"]}.get(report["label"], [])
        rows.append(makespan_row("", report, [ALL_AT_0, WHOLE, EVERY, RULES, *ranked]))
    for report in answers[2].values():
        rows.append(makespan_row(", stream by stream", report,
                                 [APART, WHOLE, EVERY, RULES]))
    for held, answer in zip(one, answers[3:]):
        for report in answer.values():
            alone = f"the NCS2 holds {held} alone: which one is not printed"
            rows.append(makespan_row(f", NCS2 holds {held}", report, [ALL_AT_0, WHOLE, alone, RULES], False))
    return Result(rows, [picture(answers[0])], findings(answers[0], answers[2]))
