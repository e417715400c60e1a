"""Study 001 (thesis): SqueezeNet on the CPU and the GPU of an Exynos 5422: by layers, split, pipelined."""
from replay.rows import FREE, Note, Result, Row
from replay.simulator import bisect, board, closed, profile, scenario
from replay.svg import lines

STUDY = "001"
TITLE = "Inference on CPU and GPU together (thesis), Exynos 5422 (Cortex-A15, Mali-T628), SqueezeNet"
MODEL = "squeezenet_1_1"
OVER_CPU, OVER_GPU = 1.7, 1.97
OF_BOTH = 100 * OVER_CPU * OVER_GPU / (OVER_CPU + OVER_GPU)
SLOWER = 1.159  # the GPU as a whole: 1.97 / 1.7
IMAGES = 100
SYNC_US = [0, 100, 200, 400, 600, 800, 1000, 1500, 2000, 2500, 3000]
CPU_SAID = "the CPU: published layers of the A15 with 4 threads, OpenBLAS under Caffe"
READINGS = {"uniform": "the GPU: every layer 1.159 times as slow as the CPU",
            "as a Mali's": "the GPU: layers estimated from an RK3399's Mali, 1.159 times as slow as a whole"}
LATER = "one image after the other"
CPU, GPU = {"name": "single", "unit": "cpu", "label": "CPU"}, {"name": "single", "unit": "gpu", "label": "GPU"}
BY_LAYER = {"name": "dmda", "granularity": "layer", "label": "layer by layer"}
SPLIT = {"name": "split", "label": "split"}
PIPELINE = {"name": "pipeline", "label": "pipeline"}


def entries(reading):
    """Of both units, without variants: the board has one library each."""
    _, shipped = board("exynos5422")
    mine = [{key: entry[key] for key in ("model", "unit", "layers", "median_us")} for entry in shipped["entries"]
            if entry["model"] == MODEL]
    cpu, gpu = ([entry for entry in mine if entry["unit"] == unit] for unit in ("cpu", "gpu"))
    if reading == "uniform":
        gpu = [{**entry, "unit": "gpu", "median_us": round(SLOWER * entry["median_us"], 3)} for entry in cpu]
    return cpu + gpu


def on_board(reading, policies, arrival, sync_us=0):
    """`sync_us`: what each part of a split layer costs beside its work."""
    platform, _ = board("exynos5422")
    split = [{"unit": unit, "median_us": round(sync_us, 3), "split": True} for unit in ("cpu", "gpu")]
    made = profile("exynos5422", "published layers of the CPU; " + READINGS[reading], entries(reading), dispatch=split)
    return scenario("100 images", platform, [made], [{**closed(MODEL, 1, IMAGES), "arrival": arrival}], policies,
                    transfer="zero_copy")


ONE, ALL = {"type": "closed", "in_flight": 1}, {"type": "offline"}


def makespans(answer):
    return {label: report["makespan_ns"] for label, report in answer.items()}


def split_time(sim, reading, sync_us):
    return makespans(sim.simulate(on_board(reading, [SPLIT], ONE, sync_us)))["split"]


def methods(sim, reading):
    """Makespans of 100 images without any cost of splitting."""
    one, many = sim.simulate_all([on_board(reading, [CPU, GPU, BY_LAYER, SPLIT], ONE), on_board(reading, [PIPELINE], ALL)])
    return {**makespans(one), **makespans(many)}


def break_even(sim, reading, pipeline):
    """The cost from which on the pipeline is faster, in microseconds for each part; None: at any."""
    if split_time(sim, reading, 0) >= pipeline:
        return None
    return bisect(lambda sync_us: split_time(sim, reading, sync_us), pipeline, 0.5, 20000, steps=20)


def order_text(times):
    """The fastest first, with speed-ups over the CPU."""
    order = sorted(times, key=lambda label: (times[label], label))
    return ", ".join(f"{label} {times['CPU'] / times[label]:.2f}x" for label in order)


def order_row(reading, times, even, split):
    """By what splitting costs: the time of the fastest other method over the pipeline's."""
    others = min(times[label] for label in ("CPU", "GPU", "layer by layer"))
    ahead = {f"{sync_us} us": min(others, time) / times["pipeline"] for sync_us, time in split.items()}
    costs = ("the pipeline, at any cost of splitting" if even is None else
             f"the pipeline where a part of a split layer costs more than {even:.0f} us beside its work, else the split")
    return Row(STUDY, f"fastest method, GPU {reading}", 1, ahead, assumptions(reading), "above",
               remark=f"without a cost, over the CPU: {order_text(times)}", depends="the cost of splitting",
               of="fastest method", published_text="the pipeline", simulated_text=costs)


def assumptions(reading):
    return [CPU_SAID, READINGS[reading], "SqueezeNet 1.1", FREE,
            f"single, layer by layer and split: {LATER}; pipeline: all {IMAGES} there"]


def speed_row(reading, times):
    """Over the GPU it says nothing more: the two units' totals are fitted to the ratio of the two speed-ups."""
    return Row(STUDY, f"pipeline over the CPU alone, GPU {reading}", OVER_CPU, times["CPU"] / times["pipeline"],
               [*assumptions(reading), f"the GPU's total is fitted to the study's ratio of {OVER_GPU} to {OVER_CPU}, the "
                "pipeline is not"], "within", "x", of="the pipeline's speed-up")


def notes_on(reading, times):
    """Is handing single layers to whichever unit is faster worth it?"""
    yield Note(STUDY, f"layer by layer over the CPU alone, GPU {reading}", times["CPU"] / times["layer by layer"],
               assumptions(reading), "x")
    of_both = 100 / times["pipeline"] / (1 / times["CPU"] + 1 / times["GPU"])
    yield Note(STUDY, f"pipeline, of the sum of both units' rates, GPU {reading}", of_both, assumptions(reading), "%",
               f"derived from the study's two speed-ups: {OF_BOTH:.1f} %")


def split_times(sim, reading):
    """By what a part of a split layer costs beside its work."""
    answers = sim.simulate_all([on_board(reading, [SPLIT], ONE, sync_us) for sync_us in SYNC_US])
    return {sync_us: makespans(answer)["split"] for sync_us, answer in zip(SYNC_US, answers)}


def replay(sim, _):
    rows, notes, series, marks, evens = [], [], [], [], {}
    for reading in READINGS:
        times = methods(sim, reading)
        even = evens[reading] = break_even(sim, reading, times["pipeline"])
        split = split_times(sim, reading)
        rows += [order_row(reading, times, even, split), speed_row(reading, times)]
        notes += notes_on(reading, times)
        flat = times["CPU"] / times["pipeline"]
        series += [(f"pipeline, GPU {reading}", [(SYNC_US[0], flat), (SYNC_US[-1], flat)]),
                   (f"split, GPU {reading}", [(sync_us, times["CPU"] / time) for sync_us, time in split.items()])]
        if even and even < SYNC_US[-1]:
            marks.append((f"{even:.0f} us", even))
    title = "Study 001: speed-up over the CPU alone, by the cost of splitting"
    text = lines(title, "what a part of a split layer costs beside its work, us", "speed-up", series, marks)
    return Result(rows, notes, [("study-001", title, text)], findings(rows, evens))


def findings(rows, evens):
    told = "; ".join(f"GPU {reading}: " + ("at any cost" if even is None else f"from {even:.0f} us on")
                     for reading, even in evens.items())
    speeds = [row.simulated for row in rows if row.figure.startswith("pipeline over the CPU")]
    return [f"That the pipeline beats the split depends on what each part of a split layer costs beside its work ({told}).",
            f"The pipeline's speed-up over the CPU comes out as {min(speeds):.2f} to {max(speeds):.2f}, published {OVER_CPU}: "
            "how the GPU's time spreads over the layers, which is not published, makes the difference."]
