#!/usr/bin/env python3
"""Do the JSON Schemas and the strict reader agree?

Every good file passes both. Every bad file fails the reader, as tests_bad shows; the schema fails it too unless its case
in tests/bad says "beyond_schema", because what is wrong with it is beyond a schema (an unknown model, a cycle). That is
exact: a case that says so though its schema does refuse it is an error as well.

usage: schema_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import jsonschema


def refuse_duplicates(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key is given twice")
    return dict(pairs)


def read_json(path):
    """The value of the file, or None where it is no JSON that a schema could judge."""
    try:
        return json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=refuse_duplicates)
    except (ValueError, RecursionError):
        return None


def patched(value, patch):
    """`value`, changed in place by a JSON patch (RFC 6902) of add, replace and remove; cases need no other."""
    root = {"": value}
    for step in patch:
        *path, last = [key.replace("~1", "/").replace("~0", "~") for key in step["path"].split("/")]
        place = root
        for key in path:
            place = place[int(key) if isinstance(place, list) else key]
        if isinstance(place, list):
            last = len(place) if last == "-" else int(last)
            place[last:last + (step["op"] != "add")] = [step["value"]] if step["op"] != "remove" else []
        elif step["op"] == "remove":
            del place[last]
        else:
            place[last] = step["value"]
    return root[""]


def bad_cases(folder):
    """Each case of tests/bad with its file's value, which is None where the file is no JSON."""
    for path in sorted(folder.glob("*.cases.json")):
        base = folder / path.name.replace("cases", "base")
        for case in read_json(path):
            whole = folder / "whole" / (case["name"] + ".json")
            yield case, patched(read_json(base), case["patch"]) if "patch" in case else read_json(whole)


def load_validators(program):
    """One validator per kind of file, by the schema's own "tandem" constant."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, "schema", "--all", folder], timeout=600, check=True)
        schemas = [json.loads(path.read_text()) for path in sorted(pathlib.Path(folder).glob("*.schema.json"))]
    store = {schema["$id"]: schema for schema in schemas}
    validators = {}
    for schema in schemas:
        jsonschema.Draft202012Validator.check_schema(schema)
        resolver = jsonschema.RefResolver(base_uri=schema["$id"], referrer=schema, store=store)
        kind = schema["properties"]["tandem"]["const"]
        validators[kind] = jsonschema.Draft202012Validator(schema, resolver=resolver)
    return validators


def schema_accepts(validators, value):
    """Whether the schema of the value's kind takes it; a kind that has no schema is not taken."""
    kind = value.get("tandem") if isinstance(value, dict) else None
    validator = validators.get(kind) if isinstance(kind, str) else None
    return validator is not None and validator.is_valid(value)


def reader_status(program, path):
    return subprocess.run([program, "check", path.name], cwd=path.parent, stdout=subprocess.DEVNULL,
                          stderr=subprocess.DEVNULL, timeout=600, check=False).returncode


# Every shape of a report: bounds and gaps, LoadGen's verdicts, XRBench's scores, replications.
SIMULATED = [["study-003", "--policy", "fcfs"], ["loadgen-offline", "--policy", "fcfs"],
             ["xrbench-vr-gaming", "--policy", "eft"], ["study-003-one-model", "--policy", "sjf", "--replications", "2"]]


def report_problems(validators, program):
    """What `tandem simulate --json` prints that the schema of reports refuses."""
    problems = []
    for arguments in SIMULATED:
        run = subprocess.run([program, "simulate", "--engine", "virtual", "--json", *arguments], capture_output=True,
                             text=True, timeout=600, check=False)
        reports = json.loads(run.stdout, object_pairs_hook=refuse_duplicates) if run.stdout else []
        if not reports:
            problems.append(f"simulate {arguments[0]} printed no report: {run.stderr}")
        for report in reports:
            problems += [f"simulate {arguments[0]}: {error.json_path}: {error.message[:200]}"
                         for error in validators["report/1"].iter_errors(report)]
            problems += [f"simulate {arguments[0]}: without {key} it is still accepted"
                         for key in ("makespan_ns", "bound_ns", "streams")
                         if schema_accepts(validators, {k: v for k, v in report.items() if k != key})]
    return problems


# Each prints one object of the kind, or a list of them.
ASKED = [("report/1", ["simulate", "study-003", "--policy", "eft", "--what-if", "units.coral.speed=2"]),
         ("explanation/1", ["explain", "study-003", "--policy", "eft", "--what-if", "units.coral.speed=2"]),
         ("capacity/1", ["capacity", "study-003", "--policy", "eft", "--vary", "streams.*.count", "--until", "makespan <= 5 s"]),
         ("worst/1", ["worst", "late-brake"]),
         ("worst/1", ["worst", "critical-brake", "--probability"]),
         ("state_choice/1", ["states", "clock-states", "--what-if", "streams.scene.arrival.fps=20"]),
         ("board_choice/1", ["boards", "compare", "study-001", "exynos5422", "tinker-edge-r", "--policy", "eft", "--vary",
                             "streams.images.count", "--until", "makespan <= 9 s", "--what-if", "units.gpu.speed=2"])]


def question_problems(validators, program):
    """What the commands print that suppose something, or look for a limit, that its schema refuses."""
    problems = []
    for kind, arguments in ASKED:
        run = subprocess.run([program, *arguments, "--engine", "virtual", "--json"], capture_output=True, text=True,
                             timeout=600, check=False)
        if run.returncode != 0:
            problems.append(f"{' '.join(arguments)}: {run.stderr}")
            continue
        result = json.loads(run.stdout, object_pairs_hook=refuse_duplicates)
        for one in result if isinstance(result, list) else [result]:
            problems += [f"{arguments[0]}: {error.json_path}: {error.message[:200]}"
                         for error in validators[kind].iter_errors(one)]
    return problems


def calibration_problems(validators, program):
    """What `tandem compare --json` prints that its schema refuses; a trace is compared with itself."""
    with tempfile.TemporaryDirectory() as folder:
        trace = str(pathlib.Path(folder) / "a.trace.json")
        subprocess.run([program, "simulate", "study-002", "--engine", "virtual", "--trace", trace],
                       stdout=subprocess.DEVNULL, timeout=600, check=False)
        run = subprocess.run([program, "compare", "--json", trace, trace], capture_output=True, text=True, timeout=600,
                             check=False)
    if run.returncode != 0:
        return [f"compare failed: {run.stderr}"]
    calibration = json.loads(run.stdout, object_pairs_hook=refuse_duplicates)
    validator = validators["calibration/1"]
    problems = [f"compare: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(calibration)]
    return problems + [f"compare: without {key} it is still accepted" for key in calibration
                       if validator.is_valid({k: v for k, v in calibration.items() if k != key})]


def explanation_problems(validators, program):
    """What `tandem explain --json` prints that its schema refuses."""
    problems = []
    for arguments in (["study-003", "--policy", "eft", "--versus", "sjf"], ["study-002"]):
        run = subprocess.run([program, "explain", "--engine", "virtual", "--json", *arguments], capture_output=True,
                             text=True, timeout=600, check=False)
        if run.returncode != 0:
            problems.append(f"explain {arguments[0]} failed: {run.stderr}")
            continue
        explanation = json.loads(run.stdout, object_pairs_hook=refuse_duplicates)
        validator = validators["explanation/1"]
        problems += [f"explain {arguments[0]}: {error.json_path}: {error.message[:200]}"
                     for error in validator.iter_errors(explanation)]
        problems += [f"explain: without {key} it is still accepted" for key in explanation
                     if validator.is_valid({k: v for k, v in explanation.items() if k != key})]
    return problems


def regression_problems(validators, program):
    """What `tandem new baseline` writes and `tandem regress --json` prints that their schemas refuse."""
    with tempfile.TemporaryDirectory() as folder:
        baseline = pathlib.Path(folder) / "b.json"
        made = subprocess.run([program, "new", "baseline", "study-003", "-o", str(baseline), "--figure", "all"],
                              capture_output=True, text=True, timeout=600, check=False)
        if made.returncode != 0:
            return [f"new baseline failed: {made.stderr}"]
        kept = read_json(baseline)
        run = subprocess.run([program, "regress", "--json", "--profile", "tinker-edge-r", str(baseline)],
                             capture_output=True, text=True, timeout=600, check=False)
    if run.returncode != 0:
        return [f"regress failed: {run.stderr}"]
    regression = json.loads(run.stdout, object_pairs_hook=refuse_duplicates)
    validator = validators["regression/1"]
    problems = [f"new baseline: {error.json_path}: {error.message[:200]}"
                for error in validators["baseline/1"].iter_errors(kept)]
    problems += [f"regress: {error.json_path}: {error.message[:200]}" for error in validator.iter_errors(regression)]
    return problems + [f"regress: without {key} it is still accepted" for key in regression
                       if key != "winners" and validator.is_valid({k: v for k, v in regression.items() if k != key})]


def main():
    source, program = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    validators = load_validators(program)
    good = sorted([*source.glob("profiles/boards/*.json"), *source.glob("scenarios/examples/*.json"),
                   *source.glob("scenarios/fidelity/*.json"), *source.glob("scenarios/gpu/*.json"),
                   *source.glob("scenarios/baselines/*.json"), *source.glob("scenarios/sweeps/*.json"),
                   *source.glob("tests/good/*.json"), *source.glob("tests/bad/*.base.json")])
    bad = list(bad_cases(source / "tests" / "bad"))
    problems = []
    for path in good:
        value = read_json(path)
        if value is None or not schema_accepts(validators, value):
            problems.append(f"{path.name}: good, but its schema refuses it")
        if reader_status(program, path) != 0:
            problems.append(f"{path.name}: good, but tandem check refuses it")
    for case, value in bad:
        accepted = value is not None and schema_accepts(validators, value)
        if accepted and not case.get("beyond_schema"):
            problems.append(f"{case['name']}: bad, but its schema takes it and it does not say beyond_schema")
        if not accepted and case.get("beyond_schema"):
            problems.append(f"{case['name']}: says beyond_schema, but its schema refuses it")
    problems += report_problems(validators, program)
    problems += calibration_problems(validators, program)
    problems += explanation_problems(validators, program)
    problems += question_problems(validators, program)
    problems += regression_problems(validators, program)
    print(f"{len(validators)} schemas, {len(good)} good files, {len(bad)} bad files, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or not good or not bad else 0


if __name__ == "__main__":
    sys.exit(main())
