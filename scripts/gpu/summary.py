"""What a check came to: a table of at most 100 columns, a page, and what a person keeps of it."""
import json
import pathlib
import tempfile

from gpu import rehearsal
from gpu.machine import SOURCE, Failed
from gpu.steps import FAILED, write_json

WIDTH = 100
BEGIN, END = "<!-- gpu_check: evidence -->", "<!-- gpu_check: end -->"
MET = {True: "met", False: "MISSED", None: "not known"}


def card_text(environment):
    found = [line for backend in environment["info"]["backends"] if backend["name"] == "cuda" for line in backend["found"]]
    versions = environment["info"]["versions"]
    parts = [found[0] if found else "no card", f"driver {environment['driver'] or 'unknown'}"]
    parts += [f"{name} {versions[name]}" for name in ("CUDA", "cuDNN", "cuBLAS") if name in versions]
    return ", ".join(parts)


def summary_of(environment, results, options):
    targets = [of for result in results.values() for of in result.get("targets", [])]
    if options.rehearse:  # which meets and misses nothing
        targets = [{**of, "met": None} for of in targets]
    return {"tandem": "gpu-check/1", "date": environment["date"], "environment": environment, "quick": options.quick,
            "trials_s": options.trials, "rehearsal": options.rehearse,
            "steps": [{key: result.get(key) for key in ("step", "verdict", "why", "seconds", "given_s")} for result in results.values()],
            "targets": targets, "failed": [name for name, of in results.items() if of["verdict"] == FAILED],
            "missed": [of["target"] for of in targets if of["met"] is False]}


def exit_status(summary):
    return 1 if summary["failed"] or summary["missed"] else 0


def clipped(text, width):
    text = " ".join(str(text).split())
    return text if len(text) <= width else text[:width - 3] + "..."


def text_table(summary):
    lines = [rehearsal.WORDS, ""] if summary["rehearsal"] else []
    lines += [clipped(f"{card_text(summary['environment'])}; {summary['date']}{'; quick' if summary['quick'] else ''}", WIDTH), ""]
    lines += [step_line(of) for of in summary["steps"]]
    lines += ["", f"{'target':<26} {'bar':<10} {'':<9} figure"]
    for of in summary["targets"]:
        head = f"{of['target']:<26} {of['bar']:<10} {MET[of['met']]:<9} "
        lines.append(head + clipped(of["text"], WIDTH - len(head)))
    for key in ("failed", "missed"):
        if summary[key]:
            lines.append(clipped(f"{key}: {', '.join(summary[key])}", WIDTH))
    return "\n".join(lines) + "\n"


def took_text(of):
    """What a step took of what it was given: in a rehearsal, how much of that is not the card's."""
    given = of.get("given_s")  # summaries of before had none
    return f"{of['seconds']:.0f}" + (f" of {given:.0f}" if given is not None else "") + " s"


def step_line(of):
    head = f"{of['step']:<12} {of['verdict']:<8} {took_text(of):>14}  "
    return (head + clipped(of["why"] or "", WIDTH - len(head))).rstrip()


def trials_text(summary):
    return "" if summary["trials_s"] is None else f"; trials of kernels took at most {summary['trials_s']:g} s a model"


def page(summary):
    """The same as Markdown, whole."""
    environment = summary["environment"]
    lines = [f"**{rehearsal.WORDS}**", ""] if summary["rehearsal"] else []
    lines += [f"{summary['date']}: {card_text(environment)}; {environment['info']['host']['cpu']}, "
             f"{environment['info']['host']['kernel']}; tandem {environment['info']['versions']['tandem']}, "
             f"{environment['torch'] or 'no PyTorch'}{'; a quick run' if summary['quick'] else ''}{trials_text(summary)}.", "",
             "| target | bar | figure | |", "|---|---|---|---|"]
    lines += [f"| {of['target']} | {of['bar']} | {of['text']} | {MET[of['met']]} |" for of in summary["targets"]]
    lines += ["", "| step | verdict | took | |", "|---|---|---|---|"]
    lines += [f"| {of['step']} | {of['verdict']} | {took_text(of)} | {of['why'] or ''} |" for of in summary["steps"]]
    return "\n".join(lines) + "\n"


def models_table(kernels):
    """Per model, as docs/gpu.md has it."""
    lines = ["| model | layers | precision | tandem, ms | PyTorch, ms | ratio | error of the outputs |", "|---|---|---|---|---|---|---|"]
    for name, of in kernels.get("models", {}).items():
        for precision in ("fp32", "tf32", "fp16"):
            found = of.get(precision, {})
            if found.get("ratio"):
                error = "-" if found["error"] is None else f"{found['error']:.1e}"
                lines.append(f"| {name} | {of['layers']} | {precision} | {found['ours_ms']:.3f} | {found['torch_ms']:.3f} | "
                             f"{found['ratio']:.2f} | {error} |")
    return "\n".join(lines) + "\n" if len(lines) > 2 else ""


def write(out, summary):
    write_json(out / "summary.json", summary)
    (out / "summary.md").write_text(page(summary))


def put_board(tandem, boards, name, platform, profile):
    """As tandem writes them, which ships its boards so."""
    with tempfile.TemporaryDirectory(prefix="tandem_gpu_check_") as folder:
        files = {kind: pathlib.Path(folder) / f"{name}.{kind}.json" for kind in ("platform", "profile")}
        write_json(files["platform"], platform)
        write_json(files["profile"], profile)
        boards.mkdir(parents=True, exist_ok=True)
        tandem("new", "platform", "--from", files["platform"], "--name", name, "-o", boards / f"{name}.platform.json", "--force")
        tandem("profiles", "merge", files["profile"], "-o", boards / f"{name}.profile.json", "--force")


def keep(out, name, tandem, source=SOURCE):
    """A person's decision: the profile becomes a board that tandem ships, the figures the evidence of docs/gpu.md. `tandem` runs
    that program with arguments."""
    needed = [out / file for file in ("summary.json", "zoo.profile.json", "zoo.request.json")]
    for file in needed:
        if not file.exists():
            raise Failed(f"{file} is not there: a whole run of gpu_check makes it")
    summary, profile, request = (json.loads(file.read_text()) for file in needed)
    if summary.get("rehearsal"):
        raise Failed(f"{needed[0]} is of a rehearsal: nothing of it is of a card, and nothing is kept")
    page_file = source / "docs" / "gpu.md"
    text = page_file.read_text()
    if BEGIN not in text or END not in text:
        raise Failed(f"{page_file} has no lines {BEGIN} and {END}")
    # A board that is shipped is simulated: how its units are driven here belongs to this machine alone.
    units = [{key: value for key, value in unit.items() if key not in ("backend", "cores", "device")}
             for unit in request["platform"]["units"]]
    platform = {**request["platform"], "name": name, "units": units,
                "note": f"Measured by scripts/gpu_check, {summary['date']}: {card_text(summary['environment'])}."}
    boards = source / "profiles" / "boards"
    put_board(tandem, boards, name, platform, {**profile, "platform": name})
    kernels = out / "kernels.json"
    models = models_table(json.loads(kernels.read_text())) if kernels.exists() else ""
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    page_file.write_text(f"{before}{BEGIN}\n{page(summary)}\n{models}{END}{after}")
    return [boards / f"{name}.platform.json", boards / f"{name}.profile.json", page_file]
