"""Boards with several accelerators of which others printed a few figures: what they printed is put in, and what they did not
is asked."""
from replay.rows import Note, Result, Row
from replay.simulator import closed, profile, scenario

STUDY = "others"
HEADING = "Cases of others"
TITLE = ("Boards with several accelerators of which a few figures were published: a GPU and two DLAs, an NPU of three cores, and an "
         "Edge TPU that loads a model again whenever another one was on it")
LONG = {"duration_ms": 60000}
GPU_MS, DLA_MS = 45, 17.7           # alone
GPU_BESIDE_MS, DLA_BESIDE_MS = 51.05, 20.78  # the two at a time
TWO_ON_A_DLA_MS = 33                # a frame, where two models use one DLA
SPLIT, APART = 1.26, 1.78           # the throughput of one core: a model over three cores, a model on each of three
ON_GPU, SMALL, OTHER = "resnet50", "googlenet", "squeezenet_1_1"  # names for the models: only their times count
KNOWN = "put in: 45 and 17.7 ms alone, 51.05 beside 20.78 ms"
RELOADS_MS = {"mobilenet_v2": 10.8, "resnet50": 149}  # an Edge TPU's two models, each after the other
AT_ONCE = 8
RELOADS = "put in: a reload takes 10.8 ms for one model and 149 ms for the other; their work takes next to nothing, so that all of the time is reloads"
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


def edge_tpu(sim):
    """The time that reloads take for a frame of each of two models: in turns, and so many frames of one before the other."""
    board = platform("an edge tpu", ["tpu"])
    board["units"][0]["resident_models"] = 1
    loads = [{"model": model, "unit": "tpu", "median_ms": time} for model, time in RELOADS_MS.items()]
    of_board = profile(board["name"], "as published", [entry(model, "tpu", 0.001) for model in RELOADS_MS], loads=loads)
    keep = {key: {model: AT_ONCE for model in RELOADS_MS} for key in ("batch_size", "threshold")}
    policies = ["fcfs", {"name": "hailo", **keep, "timeout_ms": {model: 60000 for model in RELOADS_MS}}]
    streams = [{"name": model, "model": model, "count": 50 * AT_ONCE,
                "arrival": {"type": "periodic", "period_ms": 0.001, "phase_ms": 0.0005 * place}} for place, model in enumerate(RELOADS_MS)]
    answer = sim.simulate(scenario("two models", board, [of_board], streams, policies, transfer="none"))
    return {label: report["makespan_ns"] / 1e6 / (50 * AT_ONCE) for label, report in answer.items()}


def replay(sim, _):
    rows, notes, shared, crowded = gpu_and_dlas(sim)
    reloads = edge_tpu(sim)
    notes += [Note(STUDY, f"an Edge TPU, reloads for a frame of each of two models, {how}", reloads[label], [RELOADS], "ms")
              for label, how in (("fcfs", "in turns"), ("hailo", f"{AT_ONCE} frames of one before the other"))]
    apart = dict(npu_cores(sim))
    notes += [Note(STUDY, f"throughput of one NPU core, {many} models at a time on {many} cores", value, [CORES], "x",
                   remark=f"one model over three cores {SPLIT:.2f}x, published") for many, value in apart.items()]
    better = [many for many, value in apart.items() if value > SPLIT]
    findings = [f"Two models that take turns on a DLA would need {shared:.1f} ms a frame; published are {TWO_ON_A_DLA_MS}, {100 * (1 - TWO_ON_A_DLA_MS / shared):.0f} % less: "
                "a DLA does more of two models at a time than one after the other.",
                f"Beside both DLAs the GPU would need {GPU_BESIDE_MS:.2f} to {crowded:.2f} ms a frame, by how much of what the DLAs cost adds up.",
                f"Three NPU cores do more apart than split as soon as there are {min(better)} requests at a time; with one alone split is {SPLIT:.2f} times as fast."
                if better else "Three NPU cores do more split than apart.",
                f"An Edge TPU that takes frames of two models in turns spends {reloads['fcfs']:.1f} ms on reloads for each pair; with {AT_ONCE} of one before "
                f"the other {reloads['hailo']:.1f}. Compiled together so that both stay, it spends none on the one that fits."]
    return Result(rows, notes, [], findings)
