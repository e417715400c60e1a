"""What the cases of others share: boards of which a few figures were published, and units that are at work all the time."""
from replay.simulator import closed, profile, scenario

STUDY = "others"
LONG = {"duration_ms": 60000}
ON_GPU, SMALL, OTHER = "resnet50", "googlenet", "squeezenet_1_1"  # names for models: only their times count


def platform(name, units):
    """`units`: names, or names with what else is known of them."""
    known = units if isinstance(units, dict) else {unit: {} for unit in units}
    return {"tandem": "platform/1", "name": name, "memories": [{"name": "dram"}],
            "units": [{"name": unit, "kind": "npu", "memory": "dram", **more} for unit, more in known.items()]}


def entry(model, unit, milliseconds, **more):
    return {"model": model, "unit": unit, "layers": "*", "median_ms": milliseconds, **more}


def published(board, source, entries, error=None, **lists):
    """A profile of what was printed; `error`: how far off that may be, for intervals."""
    origin = {"kind": "published", "source": source, **({"error": error} if error else {})}
    return {**profile(board["name"], source, entries, **lists), "origin": origin}


def beside(units, slowdown):
    """Each of the units is so much slower beside each of the others."""
    return [{"unit": a, "beside": b, "slowdown": slowdown} for a in units for b in units if a != b]


def busy(board, of_board, where):
    """`where`: each unit with the models that take turns on it."""
    streams = [closed(model, 1, **LONG) for models in where.values() for model in models]
    rule = {"name": "priority", "rank": {unit: list(models) for unit, models in where.items()}}
    if any(len(models) > 1 for models in where.values()):
        rule = {"name": "given", "label": "priority", "map": {model: {"*": unit} for unit, models in where.items() for model in models}}
    return scenario("all the time", board, [of_board], streams, [rule], transfer="none")


def at_work(sim, of):
    """Of each stream, all going on all the time: the mean latency in ms, and its interval's ends."""
    report = sim.simulate(of)["priority"]
    return {stream["name"]: (stream["latency_ns"]["mean"] / 1e6,
                             [end / 1e6 for end in (stream["latency_interval_ns"] or {}).get("mean", [])])
            for stream in report["streams"]}
