"""Study 002 (Lee, Kang): GoogLeNet in Caffe on a Jetson TK1, copies against a zero-copy mapping."""
from replay.rows import NONE, NOT_AVAILABLE, NOT_REPRODUCED, NO_CLAIM, Result, Row, compared, depends_on
from replay.simulator import bisect, board, closed, scenario

STUDY = "002"
TITLE = "Zero-copy in Caffe (Lee, Kang), Jetson TK1, GoogLeNet"
COPIED_S, MAPPED_S = 0.46, 0.41
COPIED_J, MAPPED_J = 0.58 * 3.6, 0.37 * 3.6  # of mWh
LESS_TIME, LESS_ENERGY = 100 * (1 - MAPPED_S / COPIED_S), 100 * (1 - MAPPED_J / COPIED_J)
KERNELS = "the GPU's layers estimated and fitted to the study's 0.41 s; kernels as fast through the mapping"
WHAT = "copied are the image and the result, once an inference"
FINDINGS = ["Copying image and result cannot be what the study saved: a copy at any bandwidth that a memory has takes less "
            "than a thousandth of the time. Either all layers' data were copied, or the copies waited for something else.",
            "Nor is the energy explained by the shorter time: at the same power it falls by as much as the time does."]
TEN = "100 images one after the other"


def googlenet(platform, profile, transfer, batch=1):
    """One unit, the GPU, whose memory a link reaches."""
    stream = closed("googlenet", 1, 100, **({"batch": batch} if batch > 1 else {}))
    return scenario("GoogLeNet on the GPU", platform, [profile], [stream], ["fcfs"], transfer=transfer)


def gpu_alone(platform, profile, bandwidth, watts=None, variant=None):
    gpu = {"name": "gpu", "kind": "gpu", "memory": "device"}
    if watts:
        gpu.update(idle_w=0, busy_w=watts)
    platform = {"tandem": "platform/1", "name": platform["name"], "memories": [{"name": "dram"}, {"name": "device"}],
                "links": [{"from": "dram", "to": "device", "bandwidth_bytes_per_s": int(bandwidth)}], "units": [gpu]}
    mine = [entry for entry in profile["entries"] if entry["model"] == "googlenet" and entry["unit"] == "gpu"
            and variant in (None, entry.get("variant"))]
    return platform, {**profile, "entries": mine}


def both(sim, platform, profile, batch=1):
    """With copies, with a mapping: the reports."""
    answers = sim.simulate_all([googlenet(platform, profile, mode, batch) for mode in ("copy", "zero_copy")])
    return [answer["fcfs"] for answer in answers]


def less_time(copied, mapped):
    return 100 * (1 - mapped["latency_ns"]["mean"] / copied["latency_ns"]["mean"])


def needed_bandwidth(sim, platform, profile):
    """At which the copies cost what the study saw."""
    mapped = sim.simulate(googlenet(*gpu_alone(platform, profile, 1e9), "zero_copy"))["fcfs"]

    def saved(seconds_a_gigabyte):
        moved = gpu_alone(platform, profile, 1e9 / seconds_a_gigabyte)
        return less_time(sim.simulate(googlenet(*moved, "copy"))["fcfs"], mapped)

    return 1e9 / bisect(saved, LESS_TIME, 0.1, 1000, steps=24)


def tk1_rows(sim):
    platform, profile = board("jetson-tk1")
    best_case = platform["links"][0]["bandwidth_bytes_per_s"]
    copied, mapped = both(sim, *gpu_alone(platform, profile, best_case))
    limit = f"copies at {best_case / 1e9:.1f} GB/s, half the memory's bandwidth, the most that a copy within it can have"
    yield Row(STUDY, "time an image, zero-copy", 1000 * MAPPED_S, mapped["latency_ns"]["mean"] / 1e6, [KERNELS, TEN],
              NO_CLAIM, "ms", "it was fitted to this figure")
    yield Row(STUDY, "time an image, copies", 1000 * COPIED_S, copied["latency_ns"]["mean"] / 1e6, [KERNELS, WHAT, limit, TEN],
              NOT_REPRODUCED, "ms")
    yield Row(STUDY, "less time with zero-copy", LESS_TIME, less_time(copied, mapped), [KERNELS, WHAT, limit, TEN],
              compared(LESS_TIME, less_time(copied, mapped)), "%")
    bandwidth = needed_bandwidth(sim, platform, profile)
    layers = sim.model("googlenet")["layers"]
    moved = sum(layer["bytes_in"] + layer["bytes_out"] for layer in layers)
    rate = moved / (COPIED_S - MAPPED_S)
    yield Row(STUDY, "copy bandwidth that gives 10.9 % less time", NONE, f"{bandwidth / 1e6:.1f} MB/s",
              [KERNELS, WHAT, TEN], depends_on("what is copied"),
              remark=f"no memory is so slow: more was copied. What all layers read and write, {moved / 1e6:.1f} MB, would "
                     f"take the missing 50 ms at {rate / 1e9:.2f} GB/s")
    yield from power_rows(sim, platform, profile, bandwidth)


def power_rows(sim, platform, profile, bandwidth):
    watts = MAPPED_J / MAPPED_S
    copied, mapped = both(sim, *gpu_alone(platform, profile, bandwidth, round(watts, 6)))
    less = 100 * (1 - mapped["energy_per_inference_j"] / copied["energy_per_inference_j"])
    yield Row(STUDY, "less energy with zero-copy", LESS_ENERGY, less,
              [KERNELS, f"copies at {bandwidth / 1e6:.1f} MB/s (fitted above)",
               f"the board draws {watts:.2f} W all the time, the study's 0.37 mWh in 0.41 s"],
              compared(LESS_ENERGY, less), "%")
    needed = (COPIED_J - MAPPED_J) / (COPIED_S - MAPPED_S)
    yield Row(STUDY, "power while copying that gives 36.2 % less energy", NONE, f"{needed:.1f} W",
              ["the additional 0.21 mWh are drawn in the additional 0.05 s, the study's own figures",
               f"elsewhere {watts:.2f} W"], depends_on("the power"),
              remark="several times what the board draws while it computes: copying made the rest of it draw more, too")


def other_rows(sim, measured):
    platform, profile = board("jetson-tx1")
    half = platform["memories"][0]["bandwidth_bytes_per_s"] / 2
    for variant in ("cuda", "cudnn", "tensorrt"):
        copied, mapped = both(sim, *gpu_alone(platform, profile, half, variant=variant), batch=2)
        yield Row(STUDY, f"less time with zero-copy, Jetson TX1, {variant}", NONE, less_time(copied, mapped),
                  ["published layers, batch 2", WHAT, f"copies at {half / 1e9:.1f} GB/s, half the memory's bandwidth"],
                  NOT_AVAILABLE, "%")
    if not measured:
        yield Row(STUDY, "less time with zero-copy, CPU cores at hand", NONE, "not measured in this run",
                  ["scripts/studies/studies --measure"], NOT_AVAILABLE)
    else:
        copied, mapped = both(sim, *measured.copying_unit())
        yield Row(STUDY, "less time with zero-copy, CPU cores at hand", NONE, less_time(copied, mapped),
                  [measured.said, WHAT, f"copies at the {measured.copy_bytes_per_s / 1e9:.1f} GB/s of one core, measured"],
                  NOT_AVAILABLE, "%")
    yield Row(STUDY, "less time with zero-copy, GPU at hand", NONE, "not measured",
              ["tandem has no kernels for a GPU yet"], NOT_AVAILABLE)


def replay(sim, measured):
    rows = [*tk1_rows(sim), *other_rows(sim, measured)]
    return Result(rows, [], FINDINGS)
