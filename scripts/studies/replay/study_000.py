"""Study 000 (Kim, IEIE 2021): convolutions to the GPU, every other layer to the CPU, beside a loaded GPU."""
from replay import study_000_boards, study_000_map, study_000_processes
from replay.darknet import MODELS, Xavier
from replay.rows import ESTIMATES_ERROR, LEAVES_ROOM, REPRODUCED, Note, Result, Row, depends_on
from replay.simulator import closed, scenario
from replay.study_000_common import (ESTIMATE, GPU_ONLY, LAYERS, LOAD, LOOPS, OTHERS, QUEUE, RULE, STUDY, WORKERS, alone,
                                     estimated_note, estimated_row, less, loaded, said, time_of)

TITLE = "CPU-GPU collaborative scheduling of many DNNs (Kim, IEIE 2021), Jetson AGX Xavier"
A = {"densenet201_darknet": (8, {"rule": 1.29, "gpu": 1.95}, {60: 52.1, 0: 27.6}),
     "resnet152_darknet": (14, {"rule": 1.55, "gpu": 1.75}, {60: 70.5, 0: 66.7})}
B_LESS = {"densenet201_darknet": 57.8, "resnet152_darknet": 52.3, "vgg16_darknet": 60.5, "alexnet_darknet": 61.7}
KINDS = {"alexnet_darknet": {"conv": 5, "fc": 3, "max_pool": 3, "softmax": 1},
         "densenet201_darknet": {"conv": 201, "max_pool": 4, "avg_pool": 1, "softmax": 1, "concat": 98},
         "resnet152_darknet": {"conv": 152, "max_pool": 1, "avg_pool": 1, "softmax": 1, "add": 50},
         "vgg16_darknet": {"conv": 13, "fc": 3, "max_pool": 5, "softmax": 1}}
FOLLOWS = "the assumed load alone gives this"
SHARES = {"alexnet_darknet": 90.8, "densenet201_darknet": 94.3, "resnet152_darknet": 95.9, "vgg16_darknet": 98.3}


def together(xavier, load, workers=WORKERS, cpu=1, **loads):
    """Experiments B and C: all four models, two of each, all the time."""
    streams = [closed(model, 2, duration_ms=20000) for model in MODELS]
    profile = xavier.profile(list(MODELS), workers, cpu=cpu)
    return scenario("B", xavier.platform_with(workers), [profile], streams, [GPU_ONLY, RULE], transfer="zero_copy",
                    background=loaded(load, **loads), objective="mean_latency")


def structure_rows(sim):
    for model, kinds in KINDS.items():
        counted = sim.model(model)["totals"]["by_op"]
        texts = [", ".join(f"{kind} {count}" for kind, count in {kind: of.get(kind, 0) for kind in kinds}.items())
                 for of in (kinds, counted)]
        yield Row(STUDY, f"layers of {MODELS[model]} by kind", *texts,
                  ["the zoo's network", "dense connections are concat, skips add"], "exactly")


def share(sim, platform, profile, model, first, second):
    """Of one inference's time that convolutions take on a core: they run on one, all else on its twin."""
    rule = {"name": "layer_type", "granularity": "group", "map": {"conv": [first], "*": [second]}}
    asked = scenario("share", platform, [profile], [closed(model, 1, 1)], [rule], transfer="zero_copy")
    report = sim.simulate(asked)["layer_type"]
    busy = {unit["name"]: unit["busy_ns"] for unit in report["units"]}
    return 100 * busy[first] / (busy[first] + busy[second])


def share_rows(sim, xavier, measured):
    for model, published in SHARES.items():
        figure = f"convolutions' share of {MODELS[model]} on one core"
        found = share(sim, xavier.platform_with(2), xavier.profile([model], 2), model, "cpu0", "cpu1")
        yield Row(STUDY, figure, published, found, [ESTIMATE, LAYERS], "share", "%", of="convolutions' shares")
        if measured:
            platform, profile = measured.with_workers(2)
            found = share(sim, platform, profile, model, "worker0", "worker1")
            yield Row(STUDY, figure + ", at hand", published, found, [measured.said, "oneDNN instead of Darknet", LAYERS],
                      "share", "%", of="convolutions' shares")


def experiment_a(sim, xavier):
    rows, notes = [], []
    for model, (instances, growth, published_less) in A.items():
        what, common = f"A, {instances} x {MODELS[model]}", [ESTIMATE, LAYERS, said(WORKERS), LOAD, LOOPS, QUEUE]
        answers = read(sim, xavier, (0, 40, 60), lambda load, **cpu: alone(xavier, model, instances, load, **cpu), once=[40])
        rows.append(growth_row(what, growth["rule"], answers, common))
        as_estimated = {load: next(iter(of.values())) for load, of in answers.items()}
        notes.append(Note(STUDY, f"{what}: growth from 0 to 60 % load, GPU only",
                          time_of(as_estimated[60]["GPU only"]) / time_of(as_estimated[0]["GPU only"]), common, "x",
                          f"published {growth['gpu']}x; {FOLLOWS}"))
        fewer = sim.simulate_all([alone(xavier, model, instances, 60, workers) for workers in (1, 2, 4)])
        for load, published in published_less.items():
            remark = "with 1, 2, 4 workers " + ", ".join(f"{less(one):.1f} %" for one in fewer) if load == 60 else ""
            rows.append(estimated_row(f"{what}: less time at {load} % load", published, by_reading(answers[load], less), common,
                                      "share", "%", remark, derived=load == 0, of="less time in A"))
        notes.append(Note(STUDY, f"{what}: less time at 40 % load", less(as_estimated[40]), common, "%"))
        rows += [slowdown_row(sim, xavier, model, instances, what, growth), most_row(xavier, model, what, published_less)]
        policies = [GPU_ONLY, RULE, *OTHERS]
        notes.append(rank_note(sim.simulate(alone(xavier, model, instances, 60, policies=policies)), what, common))
    return rows, notes


def read(sim, xavier, loads, asked, once=()):
    """Answers by load and by reading of the estimate, as estimated alone for loads of `once`; `asked` gives a scenario of a load and a factor for the
    CPU."""
    places = [(load, reading) for load in loads for reading in list(xavier.readings)[:1 if load in once else None]]
    found = sim.simulate_all([asked(load, cpu=xavier.readings[reading]) for load, reading in places])
    answers = {load: {} for load in loads}
    for (load, reading), answer in zip(places, found):
        answers[load][reading] = answer
    return answers


def by_reading(answers, figure):
    return {reading: figure(answer) for reading, answer in answers.items()}


def growth_row(what, published, answers, common, figure="growth from 0 to 60 % load, the rule"):
    grown = {reading: time_of(answers[60][reading]["the rule"]) / time_of(answers[0][reading]["the rule"])
             for reading in answers[0]}
    return estimated_row(f"{what}: {figure}", published, grown, common, "within", "x", of="growth in A")


def slowdown_row(sim, xavier, model, instances, what, growth):
    """The load's effect on the GPU taken from the study's baseline: does the rule then grow as it did there?"""
    answers = read(sim, xavier, (0, 60),
                   lambda load, **cpu: alone(xavier, model, instances, load, slowdown=growth["gpu"], **cpu))
    common = [f"the GPU is slowed down {growth['gpu']} times, the study's baseline", ESTIMATE, LAYERS, said(WORKERS), LOOPS]
    return growth_row(what, growth["rule"], answers, common, "growth with the rule, the GPU's slowdown given")


def most_row(xavier, model, what, published):
    convolutions, rest = (xavier.time([model], "gpu", of) for of in (True, False))
    return Row(STUDY, f"{what}: the most that any CPU could save, at 60 % load", published[60],
               100 * rest / (convolutions + rest),
               [ESTIMATE, LAYERS, "convolutions keep the GPU busy all the time, whatever its load"], LEAVES_ROOM, "%",
               f"for {published[60]} % the GPU's other layers would have to take "
               f"{published[60] / (100 - published[60]) * convolutions / rest:.1f} times as long", of="less time in A by a bound")


def rank_note(answer, what, common):
    order = sorted(answer.values(), key=lambda report: (time_of(report), report["label"]))
    text = ", ".join(f"{report['label']} {time_of(report) / 1e6:.0f}" for report in order)
    place = [report["label"] for report in order].index("the rule") + 1
    return Note(STUDY, f"{what}: the rule among policies, 60 % load", f"place {place} of {len(order)}", common,
                remark=f"all done after, in ms: {text}")


def apart_notes(sim, xavier):
    """Each of B's models by itself: where the rule wins and where it loses."""
    places = [(model, load) for model in MODELS for load in (0, 60)]
    answers = read(sim, xavier, places, lambda place, **cpu: alone(xavier, place[0], 2, place[1], **cpu))
    pooled = sim.simulate_all([alone(xavier, model, 2, load, workers=1, cpu=1 / WORKERS) for model, load in places])
    for (model, load), other in zip(places, pooled):
        yield estimated_note(f"2 x {MODELS[model]} by themselves: less time at {load} % load",
                             by_reading(answers[model, load], less), [ESTIMATE, LAYERS, said(WORKERS), LOAD, LOOPS, QUEUE], "%",
                             f"with one worker of all cores, {WORKERS} times as fast: {less(other):.1f} %")


B_COMMON = [ESTIMATE, LAYERS, said(WORKERS), LOAD, "all eight applications run all the time", QUEUE, "mean latency of each model"]


def experiment_b(sim, xavier, answers):
    """`answers` by load and reading."""
    pooled = sim.simulate(together(xavier, 60, 1, cpu=1 / WORKERS))
    at = {load: next(iter(of.values())) for load, of in answers.items()}
    for model, published in B_LESS.items():
        remark = (f"at 0 and 40 %: {less(at[0], model):.1f} %, {less(at[40], model):.1f} %; at 60 % with one worker "
                  f"of all cores, {WORKERS} times as fast: {less(pooled, model):.1f} %")
        yield estimated_row(f"B, {MODELS[model]}: less time at 60 % load", published,
                            by_reading(answers[60], lambda answer: less(answer, model)), B_COMMON, "share", "%", remark,
                            of="less time in B")
    grown = {reading: largest_growth(answers[0][reading], answers[60][reading], "the rule") for reading in answers[0]}
    yield estimated_row("B: largest growth from 0 to 60 % load, the rule", 17.0, grown, B_COMMON, "within", "%", of="growth in B")


def largest_growth(idle, busy, label):
    return max(100 * (time_of(busy[label], model) / time_of(idle[label], model) - 1) for model in MODELS)


def growth_note(answers):
    idle, busy = (next(iter(answers[load].values())) for load in (0, 60))
    return Note(STUDY, "B: largest growth from 0 to 60 % load, GPU only", largest_growth(idle, busy, "GPU only"), B_COMMON, "%",
                f"published 77 %; {FOLLOWS}")


def experiment_c(sim, xavier):
    """Which load the Rodinia programs make is not printed."""
    mixes = [(40, 0), (60, 0), (80, 0), (60, 30), (80, 60)]
    workers = [f"cpu{worker}" for worker in range(WORKERS)]
    answers = read(sim, xavier, mixes, lambda mix, cpu: together(xavier, mix[0], cpu=cpu, **dict.fromkeys(workers, mix[1])),
                   once=mixes[1:-1])
    mean = lambda answer: sum(less(answer, model) for model in MODELS) / len(MODELS)
    found = {f"GPU {gpu} %, CPUs {busy} % busy, {reading}": mean(answer)
             for (gpu, busy), of in answers.items() for reading, answer in of.items()}
    return Row(STUDY, "C: less time, mean of the models", [50.1, 71.1], found,
               [*B_COMMON, f"which load the Rodinia programs make is not printed: {len(mixes)} are assumed"], "inside", "%",
               ", ".join(f"{load}: {value:.1f} %" for load, value in found.items()), depends=f"the load and {ESTIMATES_ERROR}",
               between=True, of="less time in C")


def findings(rows, map_rows, board_notes, notes):
    compared_rows = [row for row in rows if row.of in ("less time in A", "less time in B")]
    saved = [next(iter(row.simulated.values())) for row in compared_rows]
    hit = [row for row in compared_rows if row.verdict == REPRODUCED]
    within = [row for row in compared_rows if row.verdict == depends_on(ESTIMATES_ERROR)]
    apart = [note for note in notes if "by themselves: less time" in note.figure]
    named = lambda those: ", ".join(note.figure.replace(" by themselves: less time", "") for note in those)
    lost = [note for note in apart if max(note.simulated.values()) < 0]
    untold = [note for note in apart if min(note.simulated.values()) < 0 <= max(note.simulated.values())]
    most = [row.simulated for row in rows if row.test == LEAVES_ROOM]
    won = dict.fromkeys(note.figure.split(":")[0] for note in board_notes if note.simulated > 0)
    count = sum(note.simulated > 0 for note in board_notes)
    return [f"Of the {len(saved)} published reductions of time in A and B {len(hit)} come out on the estimated board, where the "
            f"rule gives {min(saved):.0f} to {max(saved):.0f} %, and {len(within)} for some CPU within {ESTIMATES_ERROR}. With one "
            "model it cannot give more than what the "
            f"GPU does beside convolutions, {min(most):.0f} to {max(most):.0f} % of the time, however fast the CPU and "
            "whatever the load.",
            f"With one model at a time the rule loses to the GPU alone, however far the estimate may be off, in {len(lost)} of "
            f"{len(apart)} cases" + (f" ({named(lost)})" if lost else "") + f"; in {len(untold)} it cannot be told"
            + (f" ({named(untold)})." if untold else "."),
            study_000_map.finding(map_rows),
            study_000_processes.finding(rows, notes),
            study_000_processes.unmanaged_finding(rows, notes),
            f"On published boards and cores at hand the rule beats the GPU alone in {count} of {len(board_notes)} cases"
            + (f" ({'; '.join(won)})" if won else "") + "; the notes name the policies that do better."]


def replay(sim, measured):
    xavier = Xavier()
    rows, notes = experiment_a(sim, xavier)
    answers = read(sim, xavier, (0, 40, 60), lambda load, **cpu: together(xavier, load, **cpu), once=[40])
    rows = [*structure_rows(sim), *share_rows(sim, xavier, measured), *rows, *experiment_b(sim, xavier, answers),
            experiment_c(sim, xavier), *study_000_processes.experiment_b(sim, xavier, MODELS, B_LESS, answers),
            *study_000_processes.unmanaged_b(sim, xavier, MODELS, B_LESS, answers)]
    map_rows, pictures = study_000_map.replay(sim, xavier)
    notes += [growth_note(answers), *study_000_processes.experiment_a(sim, xavier, A, MODELS),
              study_000_processes.unmanaged_a(sim, xavier, A, MODELS), *apart_notes(sim, xavier)]
    board_notes = list(study_000_boards.notes(sim, measured))
    told = findings(rows, map_rows, board_notes, notes)
    return Result(rows + map_rows, notes + board_notes, pictures, told)
