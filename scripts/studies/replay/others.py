"""Boards with several accelerators of which others printed a few figures: what they printed is put in, and what they did not
is asked."""
import json

from replay.rows import Note, Result, Row
from replay.simulator import EXAMPLES, closed, example, profile, scenario

STUDY = "others"
HEADING = "Cases of others"
TITLE = ("Boards with several accelerators of which a few figures were published: a GPU and two DLAs, an NPU of three cores, and an "
         "Edge TPU that loads a model again whenever another one was on its chip")
LONG = {"duration_ms": 60000}
GPU_MS, DLA_MS = 45, 17.7           # alone
GPU_BESIDE_MS, DLA_BESIDE_MS = 51.05, 20.78  # the two at a time
TWO_ON_A_DLA_MS = 33                # a frame, where two models use one DLA
SPLIT, APART = 1.26, 1.78           # the throughput of one core: a model over three cores, a model on each of three
ON_GPU, SMALL, OTHER = "resnet50", "googlenet", "squeezenet_1_1"  # names for the models: only their times count
KNOWN = "put in: 45 and 17.7 ms alone, 51.05 beside 20.78 ms"
IN_TURNS, TOGETHER = "edge-tpu-in-turns", "edge-tpu-co-compiled"  # an Edge TPU's two models, compiled apart or together
RELOADS = "put in: 2.332 and 26.872 ms alone, a chip of 8 MB that the large model fills, the rate by which that takes 149.005 ms, the size by which the small one takes 10.813 ms"
STREAMED = "what does not stay comes with each frame at that rate"
CORES = "put in: a model on each of three cores, 1.78 times the throughput of one; each neighbour costs the same factor"


def platform(name, units):
    return {"tandem": "platform/1", "name": name, "memories": [{"name": "dram"}],
            "units": [{"name": unit, "kind": "npu", "memory": "dram"} for unit in units]}


def entry(model, unit, milliseconds):
    return {"model": model, "unit": unit, "layers": "*", "median_ms": milliseconds}


def at_work(sim, of):
    """The mean latency of each stream in ms, all going on all the time."""
    report = sim.simulate(of)["priority"]
    return {stream["name"]: stream["latency_ns"]["mean"] / 1e6 for stream in report["streams"]}


def busy(board, of_board, where):
    """`where`: each unit with the models that take turns on it."""
    streams = [closed(model, 1, **LONG) for models in where.values() for model in models]
    rule = {"name": "priority", "rank": {unit: list(models) for unit, models in where.items()}}
    if any(len(models) > 1 for models in where.values()):
        rule = {"name": "given", "label": "priority", "map": {model: {"*": unit} for unit, models in where.items() for model in models}}
    return scenario("all the time", board, [of_board], streams, [rule], transfer="none")


def gpu_and_dlas(sim):
    board = platform("a gpu and two dlas", ["gpu", "dla0", "dla1"])
    dlas = ("dla0", "dla1")
    slower = [{"unit": "gpu", "beside": dla, "slowdown": GPU_BESIDE_MS / GPU_MS} for dla in dlas]
    slower += [{"unit": dla, "beside": "gpu", "slowdown": DLA_BESIDE_MS / DLA_MS} for dla in dlas]
    entries = [entry(ON_GPU, "gpu", GPU_MS)] + [entry(model, dla, DLA_MS) for model in (SMALL, OTHER) for dla in dlas]
    of_board = profile(board["name"], "as published", entries, co_running=slower)
    turns = at_work(sim, busy(board, of_board, {"dla0": [SMALL, OTHER]}))
    all_three = at_work(sim, busy(board, of_board, {"gpu": [ON_GPU], "dla0": [SMALL], "dla1": [OTHER]}))
    row = Row(STUDY, "two models on one DLA, a frame", TWO_ON_A_DLA_MS, turns[SMALL],
              ["put in: 17.7 ms alone, for both models", "the two take turns, and a change costs nothing"], "within", "ms",
              of="frame on a shared DLA")
    notes = [Note(STUDY, "the GPU beside both DLAs, a frame", all_three[ON_GPU],
                  [KNOWN, "what two neighbours cost is the product of what each costs"], "ms",
                  remark=f"{GPU_BESIDE_MS:.2f} ms if the second DLA cost nothing more, so {GPU_BESIDE_MS:.2f} to {all_three[ON_GPU]:.2f} ms"),
             Note(STUDY, "a DLA beside the GPU and the other DLA, a frame", all_three[SMALL],
                  [KNOWN, "the DLAs cost each other nothing, since nobody printed it"], "ms")]
    return [row], notes, turns[SMALL], all_three[ON_GPU]


def npu_cores(sim):
    cores = ["core0", "core1", "core2"]
    board = platform("an npu of three cores", cores)
    one_ms = 30
    factor = (3 / APART) ** 0.5
    slower = [{"unit": a, "beside": b, "slowdown": factor} for a in cores for b in cores if a != b]
    models = (ON_GPU, SMALL, OTHER)
    of_board = profile(board["name"], "as published", [entry(model, core, one_ms) for model, core in zip(models, cores)],
                       co_running=slower)
    for many in (2, 3):
        where = {core: [model] for core, model in list(zip(cores, models))[:many]}
        mean = at_work(sim, busy(board, of_board, where))[ON_GPU]
        yield many, many * one_ms / mean


def edge_tpu(sim, name, turned=False):
    """The time of a frame of each of two models, by how the frames are ordered; `turned`: compiled in the other order."""
    of = json.loads(json.dumps(example(name)).replace('"./', f'"{EXAMPLES}/'))
    if turned:
        of["co_compiled"]["tpu"][0].reverse()
    frames = of["streams"][0]["count"]
    return {label: report["makespan_ns"] / 1e6 / frames for label, report in sim.simulate(of).items()}


def replay(sim, _):
    rows, notes, shared, crowded = gpu_and_dlas(sim)
    reloads = edge_tpu(sim, IN_TURNS)
    together = {turned: edge_tpu(sim, TOGETHER, turned)["fcfs"] for turned in (False, True)}
    notes += [Note(STUDY, f"an Edge TPU, a frame of each of two models, {how}", value, [RELOADS, *more], "ms")
              for how, value, more in (("in turns", reloads["fcfs"], []),
                                       ("all frames of one before the other", reloads["sjf"], []),
                                       ("in turns, compiled together, the small one first", together[False], [STREAMED]),
                                       ("in turns, compiled together, the large one first", together[True], [STREAMED]))]
    apart = dict(npu_cores(sim))
    notes += [Note(STUDY, f"throughput of one NPU core, {many} models at a time on {many} cores", value, [CORES], "x",
                   remark=f"one model over three cores {SPLIT:.2f}x, published") for many, value in apart.items()]
    better = [many for many, value in apart.items() if value > SPLIT]
    findings = [f"Two models that take turns on a DLA would need {shared:.1f} ms a frame; published are {TWO_ON_A_DLA_MS}, {100 * (1 - TWO_ON_A_DLA_MS / shared):.0f} % less: "
                "a DLA does more of two models at a time than one after the other.",
                f"Beside both DLAs the GPU would need {GPU_BESIDE_MS:.2f} to {crowded:.2f} ms a frame, by how much of what the DLAs cost adds up.",
                f"Three NPU cores do more apart than split as soon as there are {min(better)} requests at a time; with one alone split is {SPLIT:.2f} times as fast."
                if better else "Three NPU cores do more split than apart.",
                f"An Edge TPU that takes frames of two models in turns needs {reloads['fcfs']:.1f} ms for each pair, {reloads['fcfs'] / reloads['sjf']:.1f} times what it needs "
                f"where all frames of one come before the other. Compiled together nothing is reloaded, and a pair in turns takes {together[False]:.1f} ms; which one is first decides whose frames wait for what does not stay."]
    return Result(rows, notes, [], findings)
