"""A rehearsal of the whole check where there is no card: on one that computes on the host (tests/bench/rehearsal_card.cc), with a
model that is small enough for it. What it measures is of no card and is never kept."""
import shutil

from gpu.machine import SOURCE

MODEL = SOURCE / "scripts" / "gpu" / "rehearsal.model.json"
TESTS, ON_CARD = "BackendContract.EveryOperationComputes*/cuda_on_host*", "/cuda_on_host"
REQUESTS = 3  # of a stream
WORDS = "REHEARSAL on a card that computes on the host: no figure here is of a card"


def model_in(folder):
    """The small model as files there name it."""
    shutil.copy(MODEL, folder / MODEL.name)
    return f"./{MODEL.name}"


def small(scenario, folder):
    """The scenario with the small model and few requests: what it asks is asked the same way."""
    for stream in scenario["streams"]:
        stream["model"] = model_in(folder)
        if "count" in stream:
            stream["count"] = min(stream["count"], REQUESTS)
    return scenario
