"""Boards with several accelerators of which others printed a few figures: some of what they printed is put in, and the rest
is asked."""
from replay import others_edge_tpu, others_npu
from replay.others_common import ON_GPU, OTHER, SMALL, STUDY, at_work, busy, entry, platform, published
from replay.rows import Result, Row

HEADING = "Cases of others"
TITLE = ("Boards with several accelerators of which a few figures were published: a GPU and two DLAs, NPUs of three cores, and Edge "
         "TPUs that load a model again whenever another one was on the chip")
SOURCE = "NVIDIA/TensorRT, issue 2745"
GPU_MS, DLA_MS = 45, {"dla0": 17.6779, "dla1": 18.1355}  # alone
GPU_BESIDE_MS, DLA_BESIDE_MS = 51.05, 20.78  # the GPU and the first DLA at a time
ALL_THREE_MS = {ON_GPU: 59, SMALL: 21.8, OTHER: 21.8}
TWO_ON_A_DLA_MS = 33  # a frame, where two models use the first DLA
SPREAD = (DLA_MS["dla1"] - DLA_MS["dla0"]) / (DLA_MS["dla1"] + DLA_MS["dla0"])  # one model on two DLAs that are alike


def jetson():
    board = platform("a gpu and two dlas", ["gpu", *DLA_MS])
    slower = [{"unit": "gpu", "beside": dla, "slowdown": GPU_BESIDE_MS / GPU_MS} for dla in DLA_MS]
    slower += [{"unit": dla, "beside": "gpu", "slowdown": DLA_BESIDE_MS / DLA_MS["dla0"]} for dla in DLA_MS]
    entries = [entry(ON_GPU, "gpu", GPU_MS)] + [entry(model, dla, alone) for model in (SMALL, OTHER) for dla, alone in DLA_MS.items()]
    return board, published(board, SOURCE, entries, SPREAD, co_running=slower)


def dla_rows(sim):
    board, of_board = jetson()
    alone = f"put in: {DLA_MS['dla0']} and {DLA_MS['dla1']} ms alone on the DLAs, for both models ({SOURCE})"
    pair = f"put in: {GPU_MS} ms alone on the GPU, {GPU_BESIDE_MS} beside {DLA_BESIDE_MS} with the first DLA, and the second DLA as the first"
    turns, _ = at_work(sim, busy(board, of_board, {"dla0": [SMALL, OTHER]}))[SMALL]
    yield Row(STUDY, "two models on one DLA, a frame", TWO_ON_A_DLA_MS, turns,
              [alone, "the two take turns, and a change costs nothing"], "within", "ms", of="frame on a shared DLA")
    all_three = at_work(sim, busy(board, of_board, {"gpu": [ON_GPU], "dla0": [SMALL], "dla1": [OTHER]}))
    for model, figure, law in ((ON_GPU, "the GPU beside both DLAs", "what two neighbours cost is the product of what each costs"),
                               (SMALL, "the first DLA beside the GPU and the other DLA", "the DLAs cost each other nothing"),
                               (OTHER, "the second DLA beside the GPU and the other DLA", "the DLAs cost each other nothing")):
        simulated, (low, high) = all_three[model]
        yield Row(STUDY, f"{figure}, a frame", ALL_THREE_MS[model], simulated, [alone, pair, law], "within", "ms",
                  remark=f"90 % interval {low:.1f} to {high:.1f} ms", of="frame on three units at a time")


def dla_findings(rows):
    turns, gpu, *dlas = rows
    less = ", ".join(f"{100 * (1 - dla.simulated / dla.published):.1f} %" for dla in dlas)
    return [f"Two models that take turns on a DLA would need {turns.simulated:.1f} ms a frame; published are {turns.published}, {100 * (1 - turns.published / turns.simulated):.0f} % less: "
            "a DLA does more of two models at a time than one after the other.",
            f"Beside both DLAs the GPU would need {gpu.simulated:.2f} ms a frame, from what it needs beside one ({gpu.remark}); published are {gpu.published}. "
            f"The DLAs come out {less} below what was published, where they are taken to cost each other nothing."]


def replay(sim, _):
    dlas, pools = list(dla_rows(sim)), list(others_npu.pool_rows(sim))
    loads = [others_edge_tpu.large_row(sim), others_edge_tpu.birds_row(sim)]
    widths, of_loads = {many: others_npu.on_cores(sim, many) for many in (1, 2, 3)}, list(others_edge_tpu.notes(sim))
    return Result([*dlas, *pools, *loads], [*others_npu.width_notes(widths), *of_loads], [],
                  [*dla_findings(dlas), *others_npu.findings(pools, widths), *others_edge_tpu.findings(loads, of_loads)])
