"""NPUs of three cores: what pairs of runtimes say of more of them, and a model over all cores or one on each."""
from replay.others_common import LONG, STUDY, beside, entry, platform, published
from replay.rows import Note, Row
from replay.simulator import closed, scenario

POOL = "swdee/go-rknnlite, example/pool"  # EfficientNet-Lite0 on an RK3588
POOL_MS = {1: 7.15, 2: 3.70, 3: 2.56, 6: 1.52, 9: 1.25}  # an image, by the number of runtimes
CORES = "jaylfc/taOS, issue 59"  # a U-Net on an RK3588
ONE_CORE_S, ALL_CORES_S = 5.66, 4.49
TWO_APART = 1.78  # the throughput of two sessions on a core each, of one core's
MODEL = "mobilenet_v2"  # a name: only its times count


def of_pool(sim, runtimes):
    """ms an image where each of so many runtimes has one under way."""
    units = [f"runtime{number}" for number in range(runtimes)]
    board = platform("an npu of three cores", units)
    of_board = published(board, POOL, [entry(MODEL, unit, POOL_MS[1]) for unit in units],
                         co_running=beside(units, 2 * POOL_MS[2] / POOL_MS[1]))
    of = scenario("a pool", board, [of_board], [closed(MODEL, runtimes, **LONG)], ["fcfs"], transfer="none")
    return 1000 / sim.simulate(of)["fcfs"]["throughput_per_s"]


def pool_rows(sim):
    known = f"put in: {POOL_MS[1]} ms an image with one runtime, {POOL_MS[2]:.2f} with two ({POOL})"
    for runtimes in (3, 6, 9):
        more = ["what neighbours cost is the product of what each costs"]
        if runtimes > 3:
            more.append("a runtime on the same core costs what one on another core does")
        yield Row(STUDY, f"an NPU of three cores, {runtimes} runtimes, an image", POOL_MS[runtimes], of_pool(sim, runtimes),
                  [known, *more], "within", "ms", of="image of a pool of runtimes")


def on_cores(sim, many):
    """The throughput of one core that each policy comes to with so many at a time, and the tasks of all cores together."""
    cores = ["core0", "core1", "core2"]
    board = platform("an npu of three cores", {"all": {"cores": [0, 1, 2]}} |
                     {core: {"cores": [number]} for number, core in enumerate(cores)})
    entries = [entry(MODEL, "all", 1000 * ALL_CORES_S), *(entry(MODEL, core, 1000 * ONE_CORE_S) for core in cores)]
    of_board = published(board, CORES, entries, co_running=beside(cores, 2 / TWO_APART))
    of = scenario("groups of cores", board, [of_board], [closed(MODEL, many, 12 * many)],
                  ["best", "width", {"name": "single", "unit": "all"}], transfer="none")
    return {label.split(":")[0]: (report["throughput_per_s"] * ONE_CORE_S, report["units"][0]["tasks"])
            for label, report in sim.simulate(of).items()}


def on_all(found):
    return "on all cores together" if found["best"][1] else "on a core each"


def width_notes(widths):
    """`widths`: what came out, by how many are there at a time."""
    known = (f"put in: {ONE_CORE_S} s on one core, {ALL_CORES_S} s on all three, two sessions on two cores "
             f"{TWO_APART:.2f} times the throughput of one ({CORES})")
    for many, found in widths.items():
        more = ["each neighbour costs the same factor"] if many > 2 else []
        yield Note(STUDY, f"an NPU of three cores, {many} at a time, throughput of one core", found["best"][0],
                   [known, "cores and all of them together exclude each other", *more], "x",
                   remark=f"`best` has them {on_all(found)}; `width` {found['width'][0]:.2f}x, all in turns on all cores "
                          f"{found['single'][0]:.2f}x")


def findings(rows, widths):
    errors = [100 * (row.simulated / row.published - 1) for row in rows]
    found = "; ".join(f"{many} at a time {on_all(found)}, {found['best'][0]:.2f} times the throughput of one core" for many, found in widths.items())
    same = all(abs(found["width"][0] / found["best"][0] - 1) < 0.01 for found in widths.values())
    return [f"From what two runtimes on two NPU cores cost each other, three on three differ by {errors[0]:+.1f} % from what was published; "
            f"6 and 9 by {errors[1]:+.0f} and {errors[2]:+.0f} %: it says too little of several on each.",
            f"A model over three cores or one on each: `best` has {found} (1.78 was published of two sessions on two cores). "
            f"`width` {'does as much each time' if same else 'does less'}."]
