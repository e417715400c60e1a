"""What the experiments of study 000 share: the rule, the baseline, and how they are compared."""
from replay.rows import ESTIMATES_ERROR, FREE, Note, Row, number_text
from replay.simulator import closed, scenario

STUDY = "000"
GPU_ONLY = {"name": "layer_type", "map": {"*": ["gpu"]}, "label": "GPU only", "granularity": "group"}
RULE = {"name": "layer_type", "label": "the rule", "granularity": "group"}
OTHERS = [{"name": name, "granularity": "group"} for name in ("fcfs", "eft", "dmda", "heft")] + [
    {"name": "best", "evaluations": 100}]
WORKERS = 8
ESTIMATE = f"estimated AGX Xavier, nothing fitted to the study; {FREE}"
LAYERS = "Darknet's layers: a convolution has its normalisation and activation with it"
LOAD = "a load p slows the GPU down by 1 / (1 - p)"
LOOPS = "each application makes 4 inferences, one after the other; time until all are done"
QUEUE = "GPU only goes through the same queue"


def said(workers):
    return f"{workers} CPU worker{'s' if workers > 1 else ''} of one core"


def loaded(load, **cpus):
    """`cpus`: loads of CPU units."""
    return [{"unit": unit, "load_pct": pct} for unit, pct in {"gpu": load, **cpus}.items() if pct]


def alone(xavier, model, instances, load, workers=WORKERS, policies=(GPU_ONLY, RULE), rounds=4, **factors):
    """Experiment A: some instances of one model; `factors` as Xavier.profile takes them."""
    return scenario(f"A, {model}", xavier.platform_with(workers), [xavier.profile([model], workers, **factors)],
                    [closed(model, instances, instances * rounds)], list(policies), transfer="zero_copy",
                    background=loaded(load))


def reached(found, unit, remark):
    return "; ".join(filter(None, [remark, f"{number_text(found, unit)} within {ESTIMATES_ERROR}"]))


def estimated_row(figure, published, found, assumptions, test, unit, remark="", **more):
    """`found` by reading of the estimate, the first as it stands."""
    return Row(STUDY, figure, published, found, assumptions, test, unit, reached(found, unit, remark), depends=ESTIMATES_ERROR,
               between=True, simulated_text=number_text(next(iter(found.values())), unit), **more)


def estimated_note(figure, found, assumptions, unit, remark=""):
    return Note(STUDY, figure, found, assumptions, unit, reached(found, unit, remark),
                number_text(next(iter(found.values())), unit))


def time_of(report, stream=None):
    """Until all is done; of a stream its mean latency."""
    if stream is None:
        return report["makespan_ns"]
    return next(one for one in report["streams"] if one["name"] == stream)["latency_ns"]["mean"]


def less(answer, stream=None, label="the rule"):
    """How much less time than on the GPU alone, in percent."""
    return 100 * (1 - time_of(answer[label], stream) / time_of(answer["GPU only"], stream))
