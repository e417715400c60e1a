"""The rule of study 000 where layers are known: published boards, and the cores at hand."""
from replay.darknet import MODELS
from replay.rows import FREE, Note
from replay.simulator import board, closed, scenario
from replay.study_000_common import GPU_ONLY, LOAD, OTHERS, QUEUE, RULE, STUDY, less, loaded, time_of

BOARDS = {"jetson-tx1": ("Jetson TX1", {"gpu": "cudnn"}), "rk3399": ("RK3399", {"cpu": "threads2"})}
THREE = {"alexnet_caffe": "AlexNet", "googlenet": "GoogLeNet", "squeezenet_1_1": "SqueezeNet"}


def at_layers(policies):
    return [{**policy, "granularity": "layer"} if "granularity" in policy else policy for policy in policies]


def one_model(name, model, load, policies):
    platform, profile = board(name)
    mine = {**profile, "entries": [entry for entry in profile["entries"] if entry["model"] == model]}
    return scenario(f"two of {model}", platform, [mine], [closed(model, 2, 8, batch=2)], policies, transfer="zero_copy",
                    variants=BOARDS[name][1], background=loaded(load))


def winner_text(answer):
    order = sorted(answer.values(), key=lambda report: (time_of(report), report["label"]))
    text = ", ".join(f"{report['label']} {time_of(report) / 1e6:.1f}" for report in order)
    return f"all done after, in ms: {text}"


def published_notes(sim):
    places = [(name, model, load) for name in BOARDS for model in THREE for load in (0, 60)]
    policies = at_layers([GPU_ONLY, RULE, *OTHERS])
    answers = sim.simulate_all([one_model(*place, policies) for place in places])
    for (name, model, load), answer in zip(places, answers):
        title, variants = BOARDS[name]
        yield Note(STUDY, f"{title}, {THREE[model]}: less time with the rule, {load} % load", less(answer),
                   ["published layers, batch 2, Caffe's layers one by one: activations and pools go to the CPU",
                    ", ".join(f"{unit} {library}" for unit, library in variants.items()), "the CPU is one worker",
                    "two applications of 4 inferences, one after the other", LOAD, QUEUE, FREE],
                   "%", winner_text(answer))


def at_hand(measured, model, load):
    workers = max(1, measured.cores)
    platform, profile = measured.with_workers(workers)
    on_fast = [{**GPU_ONLY, "map": {"*": ["fast"]}},
               {**RULE, "map": {"conv": ["fast"], "*": [f"worker{worker}" for worker in range(workers)]}}]
    return scenario(f"four of {model}", platform, [profile], [closed(model, 4, 12)], [*on_fast, *OTHERS], transfer="zero_copy",
                    background=[{"unit": "fast", "load_pct": load}] if load else [])


def notes(sim, measured):
    yield from published_notes(sim)
    if not measured:
        return
    places = [(model, load) for model in MODELS for load in (0, 60)]
    answers = sim.simulate_all([at_hand(measured, *place) for place in places])
    for (model, load), answer in zip(places, answers):
        figure = f"cores at hand, {MODELS[model]}: less time with the rule, {load} % load"
        yield Note(STUDY, figure, less(answer),
                   [measured.said, f"convolutions to {measured.cores} core(s) together, \"GPU only\" being these, the rest to "
                    "as many workers of one core", "oneDNN's fused groups", "four applications of 3 inferences", LOAD, QUEUE],
                   "%", winner_text(answer))
