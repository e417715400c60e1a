"""How long a large model takes until it is ready on the card: where everything is chosen anew, and with the kernels that the profile of the step
before keeps. What it costs a core to wait for the card, and what the card's memory says itself."""
from gpu import rehearsal
from gpu.steps import target

MODEL = "densenet201"
QUICK = "resnet50"
COLD_S, WARM_S = 90, 5
LONGEST_S = 2 * COLD_S  # one that takes longer than it should is a bar that was missed, not a step that failed


def ready(step):
    model, kept = QUICK if step.quick else MODEL, step.out / "zoo.profile.json"
    if step.rehearsal:
        model = str(rehearsal.MODEL)

    def infer(*more):
        return step.machine.ask_json("device", "infer", model, "--unit", step.gpu()["name"], "--repeat", 50, "--json", *more,
                                     timeout=max(step.left(), LONGEST_S), log=step.log)

    cold = infer(*step.trials())
    found = {"model": model, "cold": cold}
    targets = [target("ready, all chosen anew", cold["load_ms"] / 1000, f"{model}: {cold['load_ms'] / 1000:.1f} s", f"<= {COLD_S} s",
                      cold["load_ms"] <= 1000 * COLD_S)]
    warm = found["warm"] = infer("--kernels", kept) if kept.exists() else None
    taken = bool(warm and warm.get("kernels_taken"))
    text = f"{warm['load_ms'] / 1000:.1f} s" if taken else "the profile has none for it" if warm else "there is no profile"
    targets.append(target("ready, kept kernels", warm["load_ms"] / 1000 if taken else None, f"{model}: {text}", f"<= {WARM_S} s",
                          warm["load_ms"] <= 1000 * WARM_S if taken else None))
    trials = cold.get("trials") or {}
    if trials.get("unfinished"):
        step.say(f"{model}: trials took {trials['most_s']:g} s at most, so that of {trials['unfinished']} of {trials['choices']} "
                 "choices not every way was tried")
    step.say(f"{model}: a run of {cold['median_ms']:.2f} ms keeps a core busy for {100 * cold['core_share']:.0f} % of it")
    if "memory" in cold:
        memory = {name: of / 2**20 for name, of in cold["memory"].items()}
        step.say(f"{model}: by its own word the card lacks {memory['held_bytes']:.0f} MiB with it and lacked {memory['peak_bytes']:.0f} at most, "
                 f"libraries included; {memory['counted_bytes']:.0f} are counted")
    return {**found, "targets": targets}
