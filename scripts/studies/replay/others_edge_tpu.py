"""Edge TPUs that load a model again whenever another one was on the chip: the bus says how long, and the rest is asked."""
import json

from replay.others_common import STUDY, entry, platform, published
from replay.rows import Note, Row
from replay.simulator import EXAMPLES, example, scenario

MICRO = "google-coral/coralmicro, issue 48"
ALONE_MS, IN_TURNS_MS = {"small": 2.332, "large": 26.872}, {"small": 13.145, "large": 175.877}
USB_2 = 480_000_000 // 8  # bytes a second, on the wire
USB_2_BULK = 13 * 512 * 8000  # the most that bulk transfers carry of it: 13 packets of 512 bytes in 125 us
CHIP = 8_000_000
BIRDS = "Coral, get started"  # MobileNet v2 of 965 kinds of birds
BIRDS_MS, BIRDS_FIRST_MS = 2.9, 11.8
FIVE_GBIT = 500_000_000  # bytes a second: USB 3.0 and a lane of PCIe 2 alike, 5 Gbit/s of which a fifth is code
APART, TOGETHER = "edge-tpu-in-turns", "edge-tpu-co-compiled"  # shipped, and of the same figures


def model(sim, name, weights):
    """A model of which nothing is known but how many bytes of weights it has."""
    path = sim.folder / f"{name}.model.json"
    path.write_text(json.dumps({"tandem": "model/1", "name": name, "layers": [
        {"name": "frame", "op": "input", "shape": [1, 3, 224, 224]},
        {"name": "answer", "op": "opaque", "inputs": ["frame"], "shape": [1, 1000], "params": weights}]}))
    return str(path)


def small_weights(rate):
    """So many that the small model's reload takes what was published: nobody printed its size."""
    return round((IN_TURNS_MS["small"] - ALONE_MS["small"]) / 1000 * rate)


def after_another(sim, source, models, chip, rate):
    """ms of a frame of each model where the other one was on the chip before. `models`: their times alone."""
    board = platform("an edge tpu", {"tpu": {"on_chip_bytes": chip, "stream_bytes_per_s": rate}})
    of_board = published(board, source, [entry(name, "tpu", alone, precision="int8") for name, alone in models.items()])
    streams = [{"name": f"stream{number}", "model": name, "count": 20,
                "arrival": {"type": "periodic", "period_ms": 1000, "phase_ms": 500 * number}}
               for number, name in enumerate(models)]
    report = sim.simulate(scenario("in turns", board, [of_board], streams, ["fcfs"], transfer="none"))["fcfs"]
    return [stream["latency_ns"]["p50"] / 1e6 for stream in report["streams"]]


def large_row(sim):
    """Which speed of the bus counts, and how large a chip of 8 MB is, nobody printed: the row depends on them."""
    found = {}
    for what, chip, rate in (("bulk transfers, 8 MB", CHIP, USB_2_BULK), ("bulk transfers, 8 MiB", 8 * 2**20, USB_2_BULK),
                             ("all of 480 Mbit/s, 8 MB", CHIP, USB_2)):
        models = {model(sim, "small", small_weights(rate)): ALONE_MS["small"], model(sim, "large", chip): ALONE_MS["large"]}
        found[what] = after_another(sim, MICRO, models, chip, rate)[1]
    return Row(STUDY, "an Edge TPU, a frame of the large model after one of the small", IN_TURNS_MS["large"], found,
               [f"put in: {ALONE_MS['small']} and {ALONE_MS['large']} ms alone ({MICRO})",
                f"put in: USB 2.0, {USB_2 / 1e6:.0f} MB/s, of which bulk transfers carry at most {USB_2_BULK / 1e6:.3f}",
                "the large model, of a size that nobody printed, fills the chip"],
               "within", "ms", of="frame after another model", depends="what of the bus carries weights",
               remark=", ".join(f"{what}: {value:.3f} ms" for what, value in found.items()))


def birds_row(sim):
    zoo = "mobilenet_v2"
    totals = sim.model(zoo)["totals"]
    models = {zoo: BIRDS_MS, model(sim, "another", 1_000_000): 1}
    return Row(STUDY, "an Edge TPU, the first frame of MobileNet v2", BIRDS_FIRST_MS,
               after_another(sim, BIRDS, models, CHIP, FIVE_GBIT)[0],
               [f"put in: {BIRDS_MS} ms each later frame ({BIRDS})",
                f"put in: {FIVE_GBIT / 1e6:.0f} MB/s of USB 3.0 or a lane of PCIe 2, 5 Gbit/s of which a fifth is code",
                f"the zoo's network, {(totals['params'] + totals['state']) / 1e6:.2f} MB; the published one has 965 classes, not 1000",
                "nothing but weights comes before the first frame"],
               "within", "ms", of="frame after another model")


def shipped(sim, name, turned=False):
    """The time of a frame of each of two models, by how the frames are ordered; `turned`: compiled in the other order."""
    of = json.loads(json.dumps(example(name)).replace('"./', f'"{EXAMPLES}/'))
    if turned:
        of["co_compiled"]["tpu"][0].reverse()
    frames = of["streams"][0]["count"]
    return {label: report["makespan_ns"] / 1e6 / frames for label, report in sim.simulate(of).items()}


def notes(sim):
    """The published pair of models, of which the small one's size is put in by its reload: nothing to compare."""
    known = (f"put in: {ALONE_MS['small']} and {ALONE_MS['large']} ms alone, USB 2.0, a chip of 8 MB that the large model fills, and the size by which "
             f"the small one's reload takes {IN_TURNS_MS['small'] - ALONE_MS['small']:.3f} ms")
    streamed = "what does not stay comes with each frame at that rate"
    apart = shipped(sim, APART)
    for how, value, more in (("in turns", apart["fcfs"], []), ("all frames of one before the other", apart["sjf"], []),
                             ("in turns, compiled together, the small one first", shipped(sim, TOGETHER)["fcfs"], [streamed]),
                             ("in turns, compiled together, the large one first", shipped(sim, TOGETHER, True)["fcfs"], [streamed])):
        yield Note(STUDY, f"an Edge TPU, a frame of each of two models, {how}", value, [known, *more], "ms")


def findings(rows, of_notes):
    large, birds = rows
    turns, one_first, together, _ = (note.simulated for note in of_notes)
    bulk, larger, wire = (100 * (value / large.published - 1) for value in large.simulated.values())
    return [f"At what bulk transfers of USB 2.0 carry at most, a frame of a large model that has to come again takes {bulk:.1f} to {larger:.1f} % more than was published, "
            f"at all of its 480 Mbit/s {-wire:.1f} % less. By a bus of {FIVE_GBIT / 1e6:.0f} MB/s the first frame of MobileNet v2 would take {birds.simulated:.1f} ms, "
            f"published are {birds.published}: the bus alone does not explain it.",
            f"An Edge TPU that takes frames of two models in turns needs {turns:.1f} ms for each pair, {turns / one_first:.1f} times what it needs where all frames of one come "
            f"before the other. Compiled together nothing is reloaded, and a pair in turns takes {together:.1f} ms; which one is first decides whose frames wait for what does not stay."]
