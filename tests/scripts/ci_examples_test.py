#!/usr/bin/env python3
"""Do the workflows of examples/ci hold together, as far as that goes without their servers?

They are read as YAML (where there is PyYAML) and have the parts that GitHub and GitLab ask for; every command of tandem
in them runs, in a folder as a user would have it, once with a baseline that holds and once with one that does not.

usage: ci_examples_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

try:
    import yaml
except ImportError:
    yaml = None

BASELINE = "ci/schedules.baseline.json"

# The words that the servers know, each where it may stand: they refuse, or silently pass over, any other.
GITHUB_KEYS = {"name", "run-name", "on", True, "env", "permissions", "concurrency", "defaults", "jobs"}
JOB_KEYS = {"name", "runs-on", "permissions", "steps", "needs", "if", "env", "timeout-minutes", "strategy", "container", "services"}
STEP_KEYS = {"name", "id", "if", "uses", "with", "run", "env", "shell", "working-directory", "timeout-minutes",
             "continue-on-error"}
GITLAB_KEYS = {"image", "stage", "rules", "variables", "cache", "before_script", "script", "after_script", "artifacts", "needs",
               "tags", "timeout", "retry", "allow_failure", "interruptible"}
ARTIFACT_KEYS = {"paths", "reports", "when", "expire_in", "name", "expose_as", "exclude", "untracked"}
GITLAB_REPORTS = {"junit", "metrics"}


def unknown(name, place, mapping, known):
    return [f"{name}: {place} has {key!r}, which the server does not know" for key in mapping if key not in known]


def commands_of(text):
    """The lines that start tandem, of "run: tandem ...", "- tandem ..." or of a block below "run: |"."""
    return re.findall(r"^\s*(?:- |run: )?(tandem (?:check|regress|new|simulate|plan) .*)$",
                      "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#")), re.MULTILINE)


def advertised(text):
    """What the comment on top tells a reader to begin with."""
    return re.findall(r"^#\s+(tandem new .*)$", text, re.MULTILINE)


def github_problems(workflow):
    problems = unknown("github.yml", "the workflow", workflow, GITHUB_KEYS)
    if True not in workflow and "on" not in workflow:  # YAML 1.1 takes the key "on" for true
        problems.append("github.yml: no trigger")
    for name, job in workflow.get("jobs", {}).items():
        if "runs-on" not in job:
            problems.append(f"github.yml: job {name} has no runs-on")
        problems += unknown("github.yml", f"job {name}", job, JOB_KEYS)
        for step in job.get("steps", []):
            problems += unknown("github.yml", f"a step of {name}", step, STEP_KEYS)
            if ("run" in step) == ("uses" in step):
                problems.append(f"github.yml: a step of {name} has not exactly one of run and uses: {step}")
            if "uses" in step and not re.fullmatch(r"[\w.-]+/[\w.-]+@v\d+", step["uses"]):
                problems.append(f"github.yml: {step['uses']} names no version")
    return problems if workflow.get("jobs") else problems + ["github.yml: no jobs"]


def gitlab_problems(pipeline):
    problems = []
    for name, job in pipeline.items():
        if not isinstance(job, dict) or not all(isinstance(line, str) for line in job.get("script", [None])):
            problems.append(f"gitlab.yml: job {name} has no script of lines")
        elif not set(job["artifacts"]["reports"].values()) <= set(job["artifacts"]["paths"]):
            problems.append(f"gitlab.yml: job {name} reports what it does not keep")
        else:
            problems += unknown("gitlab.yml", f"job {name}", job, GITLAB_KEYS)
            problems += unknown("gitlab.yml", f"artifacts of {name}", job["artifacts"], ARTIFACT_KEYS)
            problems += unknown("gitlab.yml", f"reports of {name}", job["artifacts"]["reports"], GITLAB_REPORTS)
    return problems


class Folder:
    """A user's repository with a baseline, where commands run as in a pipeline."""

    def __init__(self, program, folder):
        self.folder = pathlib.Path(folder)
        self.summary = self.folder / "summary.md"
        self.environment = dict(os.environ, PATH=f"{program.parent}:{os.environ['PATH']}",
                                GITHUB_STEP_SUMMARY=str(self.summary))
        (self.folder / "ci").mkdir()

    def run(self, command):
        return subprocess.run(shlex.split(command), cwd=self.folder, env=self.environment, capture_output=True,
                              text=True, timeout=300, check=False)

    def make_worse(self):
        """The baseline asks for half the makespan that there is."""
        path = self.folder / BASELINE
        baseline = json.loads(path.read_text())
        for case in baseline["cases"]:
            case["figures"]["makespan_ns"]["value"] //= 2
        path.write_text(json.dumps(baseline))


def handed_on(text):
    """The files of reports that the workflow names beside its commands."""
    lines = [line for line in text.splitlines() if "tandem " not in line]
    return sorted(set(re.findall(r"\bregress\.\w+", "\n".join(lines))))


def report_problems(folder, name):
    """Of the files that the workflow hands on."""
    problems = []
    try:
        xml.etree.ElementTree.parse(folder.folder / "regress.xml")
        metrics = (folder.folder / "regress.prom").read_text()
        if not metrics.endswith("# EOF\n"):
            problems.append(f"{name}: regress.prom does not end as OpenMetrics does")
        if name == "github.yml":
            json.loads((folder.folder / "regress.json").read_text())
            if "tandem regress" not in folder.summary.read_text():
                problems.append("github.yml: nothing stands in the step's summary")
    except (OSError, ValueError, xml.etree.ElementTree.ParseError) as error:
        problems.append(f"{name}: {error}")
    return problems


def run_problems(program, name, text):
    problems, commands = [], commands_of(text)
    if len(commands) < 2 or len(advertised(text)) != 1:
        return [f"{name}: it has {commands} and begins with {advertised(text)}"]
    with tempfile.TemporaryDirectory() as place:
        folder = Folder(program, place)
        begin = advertised(text)[0].replace("my.scenario.json", "study-003")
        for command in [begin, *commands]:
            run = folder.run(command)
            if run.returncode != 0:
                problems.append(f"{name}: {command}: status {run.returncode}: {run.stdout}{run.stderr}")
        problems += report_problems(folder, name)
        problems += [f"{name}: no command writes {file}" for file in handed_on(text) if not (folder.folder / file).exists()]
        folder.make_worse()
        statuses = [folder.run(command).returncode for command in commands]
        if 1 not in statuses:
            problems.append(f"{name}: a worse schedule passes: {statuses}")
        problems += report_problems(folder, name)
    return problems


def main():
    source, program = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    judges = {"github.yml": github_problems, "gitlab.yml": gitlab_problems}
    files = sorted((source / "examples" / "ci").iterdir())
    problems = [f"{path.name}: nobody judges it" for path in files if path.name not in judges]
    for path in files:
        text = path.read_text(encoding="utf-8")
        if yaml and path.name in judges:
            problems += judges[path.name](yaml.safe_load(text))
        problems += run_problems(program, path.name, text)
    print(f"{len(files)} workflows, {'read as YAML' if yaml else 'without PyYAML'}, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or len(files) < len(judges) else 0


if __name__ == "__main__":
    sys.exit(main())
