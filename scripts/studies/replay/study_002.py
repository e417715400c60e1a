"""Study 002 (Lee, Kang): GoogLeNet in Caffe on a Jetson TK1, copies against a zero-copy mapping."""
from replay.rows import Note, Result, Row
from replay.simulator import bisect, board, closed, scenario

STUDY = "002"
TITLE = "Zero-copy in Caffe (Lee, Kang), Jetson TK1, GoogLeNet"
COPIED_S, MAPPED_S = 0.46, 0.41
COPIED_J, MAPPED_J = 0.58 * 3.6, 0.37 * 3.6  # of mWh
LESS_TIME, LESS_ENERGY = 100 * (1 - MAPPED_S / COPIED_S), 100 * (1 - MAPPED_J / COPIED_J)
KERNELS = "the GPU's layers estimated and fitted to the study's 0.41 s; kernels as fast through the mapping"
WHAT = "copied are the image and the result, once an inference"
TEN = "100 images one after the other"
ALL_COPIED = "less time with zero-copy, all layers' data copied"
ALONE = "starting a layer costs nothing, nothing else runs"


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


class Tk1:
    """The estimated board; its kernels are fitted to the time with a mapping, so that time is compared with nothing."""

    def __init__(self, sim):
        self.platform, self.profile = board("jetson-tk1")
        self.best_case = self.platform["links"][0]["bandwidth_bytes_per_s"]
        self.copied, self.mapped = both(sim, *gpu_alone(self.platform, self.profile, self.best_case))
        self.bandwidth = needed_bandwidth(sim, self.platform, self.profile)
        self.moved = sum(layer["bytes_in"] + layer["bytes_out"] for layer in sim.model("googlenet")["layers"])

    def limit(self):
        return f"copies at {self.best_case / 1e9:.1f} GB/s, half the memory's bandwidth, the most that a copy within it can have"

    def all_moved_ms(self):
        return self.mapped["latency_ns"]["mean"] / 1e6 + 1000 * self.moved / self.best_case


def tk1_rows(sim, tk1):
    said = [KERNELS, tk1.limit(), TEN, ALONE]
    less_of_all = 100 * (1 - tk1.mapped["latency_ns"]["mean"] / 1e6 / tk1.all_moved_ms())
    yield Row(STUDY, "time an image, copies", 1000 * COPIED_S, tk1.copied["latency_ns"]["mean"] / 1e6,
              [WHAT, *said], "within", "ms", of="time with copies")
    yield Row(STUDY, "less time with zero-copy", LESS_TIME, less_time(tk1.copied, tk1.mapped), [WHAT, *said], "share", "%",
              derived=True, of="less time")
    yield Row(STUDY, ALL_COPIED, LESS_TIME, less_of_all,
              [f"copied is what all layers read and write, {tk1.moved / 1e6:.1f} MB, once each", *said], "share", "%",
              derived=True, of="less time")


def energy_note(sim, tk1):
    """At one power for all of the time it falls as the time does, and that is fitted: nothing to compare."""
    watts = MAPPED_J / MAPPED_S
    copied, mapped = both(sim, *gpu_alone(tk1.platform, tk1.profile, tk1.bandwidth, round(watts, 6)))
    return Note(STUDY, "less energy with zero-copy", 100 * (1 - mapped["energy_per_inference_j"] / copied["energy_per_inference_j"]),
                [KERNELS, f"copies at {tk1.bandwidth / 1e6:.1f} MB/s, fitted to the less time",
                 f"the board draws {watts:.2f} W all the time, the study's 0.37 mWh in 0.41 s", ALONE], "%",
                f"derived from the study: {LESS_ENERGY:.1f} %; at one power all the time the energy falls as the fitted time does")


def tk1_notes(sim, tk1):
    yield energy_note(sim, tk1)
    yield Note(STUDY, f"copy bandwidth that gives {LESS_TIME:.1f} % less time", f"{tk1.bandwidth / 1e6:.1f} MB/s",
               [KERNELS, WHAT, TEN], remark="with all layers' data copied "
                      f"{tk1.moved / (COPIED_S - MAPPED_S) / 1e9:.2f} GB/s")
    needed = (COPIED_J - MAPPED_J) / (COPIED_S - MAPPED_S)
    yield Note(STUDY, f"power while copying that gives {LESS_ENERGY:.1f} % less energy", f"{needed:.1f} W",
               ["derived: the additional 0.21 mWh are drawn in the additional 0.05 s"],
               remark=f"elsewhere the board draws {MAPPED_J / MAPPED_S:.2f} W")


def other_notes(sim, measured):
    platform, profile = board("jetson-tx1")
    half = platform["memories"][0]["bandwidth_bytes_per_s"] / 2
    for variant in ("cuda", "cudnn", "tensorrt"):
        copied, mapped = both(sim, *gpu_alone(platform, profile, half, variant=variant), batch=2)
        yield Note(STUDY, f"less time with zero-copy, Jetson TX1, {variant}", less_time(copied, mapped),
                   ["published layers, batch 2", WHAT, f"copies at {half / 1e9:.1f} GB/s, half the memory's bandwidth"], "%")
    if measured:
        copied, mapped = both(sim, *measured.copying_unit())
        yield Note(STUDY, "less time with zero-copy, CPU cores at hand", less_time(copied, mapped),
                   [measured.said, WHAT, f"copies at the {measured.copy_bytes_per_s / 1e9:.1f} GB/s of one core, measured"], "%")


def findings(rows, notes, tk1):
    times = {row.figure: row.simulated for row in [*rows, *notes]}
    slower = tk1.best_case / (tk1.moved / (COPIED_S - MAPPED_S))
    energy = times["less energy with zero-copy"]
    return [f"Copied at half the memory's bandwidth, image and result take {times['less time with zero-copy']:.2f} % of the "
            f"time, all that layers read and write {times[ALL_COPIED]:.1f} %; published "
            f"are {LESS_TIME:.1f} %. It would take copies of all layers' data {slower:.1f} times as slow as that.",
            f"At the power that the board draws with a mapping the energy falls by {energy:.1f} %, as much as the time does; "
            f"published are {LESS_ENERGY:.1f} %."]


def replay(sim, measured):
    tk1 = Tk1(sim)
    rows = list(tk1_rows(sim, tk1))
    notes = [*tk1_notes(sim, tk1), *other_notes(sim, measured)]
    return Result(rows, notes, [], findings(rows, notes, tk1))
