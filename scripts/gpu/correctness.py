"""Does the card compute what the reference computes: the tests that need a card, the zoo, and compute-sanitizer's opinion."""
import json
import re
import shutil

from gpu import rehearsal
from gpu.machine import Failed, Skipped
from gpu.steps import FAILED, PASSED, target

# Whatever runs on a card where there is one, and plans over several memories; the rest of the suite says nothing about cards.
TESTS = "*/cuda:*RealCard*:*Cuda*:*Gpu*:*Handover*:*Distant*:SplitPlans.*:Harness.*"
# These start programs or read files of the tree that they were built in.
OF_THE_BUILD = "*Program*:*CommandLine*"
TOLERANCES = {"fp32": 1e-4, "tf32": 1e-2, "fp16": 2e-2}
# The tools beside memcheck multiply the time most: they see the kernels' own tests alone.
KERNELS = "BackendContract.EveryOperationComputes*/cuda"
ZOO_SHARES = {"fp32": 0.6, "tf32": 0.5, "fp16": 1.0}  # of the time that is left then
SANITIZED = {"memcheck": "*/cuda:*RealCard*", "racecheck": KERNELS, "synccheck": KERNELS, "initcheck": KERNELS}
FOUND = 86  # what compute-sanitizer ends with where it found something
QUICK = ["squeezenet_1_1", "mobilenet_v2", "googlenet", "resnet50", "densenet121", "alexnet"]


def zoo(step):
    """What is looked at, the light models first: a run that is cut short has seen more of them."""
    if step.rehearsal:
        return [str(rehearsal.MODEL)]
    models = step.machine.models() if step.machine.programs["tandem"] else []
    return [name for name in models if name in QUICK] if step.quick and models else models or QUICK


def counts(report, on_card=lambda name: name.endswith("/cuda")):
    """Of GoogleTest's JSON: how many passed, failed, were skipped, ran on the card."""
    cases = [(suite["name"], case) for suite in report["testsuites"] for case in suite["testsuite"]]
    ran = [(suite, case) for suite, case in cases if case.get("result") == "COMPLETED"]
    failed = [f"{suite}.{case['name']}" for suite, case in ran if case.get("failures")]
    return {"passed": len(ran) - len(failed), "failed": failed,
            "skipped": sum(case.get("result") == "SKIPPED" for _, case in cases),
            "on_card": sum(on_card(case["name"]) or "RealCard" in suite and case["name"] != "ThatIsNotThereIsRefused"
                           for suite, case in ran)}


def run_tests(step):
    report = step.out / "tests.json"
    report.unlink(missing_ok=True)
    filters = rehearsal.TESTS if step.rehearsal else TESTS + "-" + OF_THE_BUILD
    done = step.machine.start([step.machine.program("tests"), f"--gtest_filter={filters}", f"--gtest_output=json:{report}"],
                              step.left() * 0.7)
    step.log.write_text(done.stdout + done.stderr)
    if not report.exists():
        raise Failed(f"tests_device ended with status {done.returncode} before its report, see {step.log}")
    more = [lambda name: rehearsal.ON_CARD in name] if step.rehearsal else []
    found = counts(json.loads(report.read_text()), *more)
    if found["on_card"] == 0:
        raise Failed("no test ran on the card")
    return found


def check_zoo(step, precision):
    """The models' errors, and under "cut short" why there are not all of them."""
    path, cut_short = step.out / f"zoo.{precision}.json", ""
    path.unlink(missing_ok=True)
    models = zoo(step) if step.rehearsal else QUICK if precision != "fp32" or step.quick else []
    command = [step.machine.program("zoo_check"), "--backend", "cuda", "--precision", precision, "--tolerance",
               TOLERANCES[precision], "--json", path, *step.kernels(), *models]
    try:
        done = step.machine.start(command, step.left() * ZOO_SHARES[precision])
        if done.returncode not in (0, 1):
            cut_short = f"zoo_check: {(done.stderr.strip().splitlines() or ['no result'])[-1]}"
    except Failed as reason:
        cut_short = str(reason)
    if not path.exists():
        raise Failed(cut_short or "zoo_check left no result")
    return {**json.loads(path.read_text()), "cut short": cut_short}


def worst_of(checked):
    return "no number" if checked["worst"] is None else f"{checked['worst']:.1g}"


def correctness(step):
    tests = run_tests(step)
    step.say(f"{tests['passed']} tests passed, {len(tests['failed'])} failed, {tests['skipped']} skipped; "
             f"{tests['on_card']} on the card")
    models, troubles = {}, [f"test {name}" for name in tests["failed"]]
    for precision, tolerance in TOLERANCES.items():
        try:
            models[precision] = check_zoo(step, precision)
        except (Failed, Skipped) as reason:
            troubles.append(str(reason))
            continue
        wrong = [of["model"] for of in models[precision]["models"] if of["error"] is None or of["error"] >= tolerance]
        troubles += [f"{name} in {precision}" for name in wrong]
        troubles += [models[precision]["cut short"]] if models[precision]["cut short"] else []
        step.say(f"zoo in {precision}: {len(models[precision]['models'])} models, worst error {worst_of(models[precision])} "
                 f"(below {tolerance:g})")
    errors = ", ".join(f"{precision} {worst_of(of)}" for precision, of in models.items())
    text = f"{tests['on_card']} tests on the card, {len(tests['failed'])} failed; zoo: {errors or 'not run'}"
    return {"verdict": FAILED if troubles else PASSED, "why": "; ".join(troubles[:5]), "tests": tests, "zoo": models,
            "targets": [target("outputs right", len(troubles), text, "all", not troubles)]}


def sanitizer_program():
    found = shutil.which("compute-sanitizer") or shutil.which("/usr/local/cuda/bin/compute-sanitizer")
    if not found:
        raise Skipped("compute-sanitizer is not here")
    return found


def findings(text):
    """The summary's number of errors; None where it did not get that far."""
    found = re.search(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)", text)
    return int(found[1]) if found else None


def sanitizer(step):
    if step.rehearsal:
        raise Skipped("nothing runs on a card in a rehearsal")
    program, tests, results = sanitizer_program(), step.machine.program("tests"), {}
    tools = ["memcheck"] if step.quick else list(SANITIZED)
    for number, tool in enumerate(tools):
        if step.left() < 10:
            results[tool] = {"errors": None, "why": "no time left"}
            continue
        log = step.out / f"sanitizer.{tool}.log"
        try:
            done = step.machine.start([program, "--tool", tool, "--error-exitcode", FOUND, tests,
                                       f"--gtest_filter={SANITIZED[tool]}"], step.left() / (len(tools) - number))
            log.write_text(done.stdout + done.stderr)
            errors = findings(done.stdout + done.stderr)
            failed = done.returncode not in (0, FOUND) or "[  PASSED  ] 0 tests" in done.stdout
            results[tool] = {"errors": errors, "why": f"ended with status {done.returncode}, see {log}" if failed else ""}
        except Failed as reason:
            results[tool] = {"errors": None, "why": str(reason)}
        step.say(f"{tool}: {results[tool]['errors'] if results[tool]['errors'] is not None else results[tool]['why']}")
    bad = [tool for tool, of in results.items() if of["errors"] or of["why"]]
    text = ", ".join(f"{tool} {of['errors'] if of['errors'] is not None else '?'}" for tool, of in results.items())
    return {"verdict": FAILED if bad else PASSED, "tools": results,
            "why": "; ".join(f"{tool}: {results[tool]['why'] or 'findings'}" for tool in bad),
            "targets": [target("compute-sanitizer clean", bad, text, "0 errors", not bad)]}
