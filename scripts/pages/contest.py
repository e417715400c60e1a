"""Every policy in every scenario of a small set: who is best where, and who is far behind."""
import dataclasses
import json
import pathlib
import re
import subprocess

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
MADE_FOR_IT = SOURCE / "scenarios" / "policies"
ALSO = ("study-001", "study-002", "study-003", "study-004", "overload")  # shipped ones that take a moment each
NOT_SEARCHED = ("study-001", "study-002")  # a search takes long in them
PROBE = "study-002"  # every kind of policy runs in it, but for those that need parameters


@dataclasses.dataclass(frozen=True)
class Rule:
    """A policy as `tandem policies` lists it, with what the head of its file says."""
    name: str
    summary: str
    clairvoyant: bool
    text: str
    tie_break: str
    source: str


@dataclasses.dataclass
class Outcome:
    """One scenario: the value that each policy came to, and who could not run it."""
    name: str
    title: str
    note: str
    file: str  # what a command line calls it
    objective: str
    unit: str
    values: dict  # policy -> value, the best of its labels
    labels: dict  # policy -> that label
    refused: list
    reach: dict = dataclasses.field(default_factory=dict)  # policy -> how far its value may be off, where times are estimated

    def rivals(self, policy, rules):
        """Values of the others that see no more than it would."""
        return {name: value for name, value in self.values.items() if name != policy and not rules[name].clairvoyant}

    def best_rival(self, policy, rules):
        rivals = self.rivals(policy, rules)
        return min(rivals, key=lambda name: (rivals[name], name))

    def behind(self, policy, rules):
        """By how much the best of the rivals is better, as a share of the policy's own value; below 0: it leads."""
        rivals = self.rivals(policy, rules)
        if policy not in self.values or not rivals:
            return None
        mine, best = self.values[policy], min(rivals.values())
        if mine == best:
            return 0.0
        return 1 - best / mine if best < mine else mine / best - 1

    def untold(self, policy, rival):
        """Where times are estimated: do the two come within what the estimate may be off by? Of one of which nobody knows how far that is,
        its value counts."""
        if not (self.reach.get(policy) or self.reach.get(rival)):
            return False
        mine, other = (self.reach.get(name) or [self.values[name]] * 2 for name in (policy, rival))
        return mine[0] <= other[1] and other[0] <= mine[1]

    def sharers(self, policy, rules):
        return sorted(name for name, value in self.rivals(policy, rules).items() if value == self.values[policy])

    def next_best(self, policy, rules):
        """The nearest rival that is really worse."""
        worse = {name: value for name, value in self.rivals(policy, rules).items() if value > self.values[policy]}
        return min(worse, key=lambda name: (worse[name], name)) if worse else None


class Contest:
    def __init__(self, program, rule_files=SOURCE / "policies" / "rules"):
        self.program = str(pathlib.Path(program).resolve())
        self.rules = {rule.name: rule for rule in self.read_rules(rule_files)}
        self.open = [rule.name for rule in self.rules.values() if rule.clairvoyant or self.is_open(rule.name)]
        self.outcomes = [self.run(str(file.relative_to(SOURCE)), file) for file in sorted(MADE_FOR_IT.glob("*.scenario.json"))]
        self.outcomes += [self.run(name, SOURCE / "scenarios" / "examples" / f"{name}.scenario.json") for name in ALSO]

    def tandem(self, *words):
        return subprocess.run([self.program, *words], cwd=SOURCE, capture_output=True, text=True, timeout=600, check=False)

    def read_rules(self, folder):
        for policy in json.loads(self.tandem("policies", "--json").stdout):
            yield Rule(policy["name"], policy["rule"], policy["sees"] == "all arrivals", *head_of(folder / f"{policy['name']}.cc"))

    def is_open(self, name):
        """Does the policy run without parameters? Others only where a scenario gives them."""
        return bool(self.tandem("simulate", PROBE, "--engine", "virtual", "--json", "--policy", name).stdout)

    def asked_in(self, called, scenario):
        """Labels of the scenario's own policies, and the names of all others."""
        own = [policy if isinstance(policy, str) else policy.get("label", policy["name"]) for policy in scenario["policies"]]
        named = {policy.split(":")[0] if isinstance(policy, str) else policy["name"] for policy in scenario["policies"]}
        asked = own + [name for name in self.open if name not in named]
        return [label for label in asked if called not in NOT_SEARCHED or not getattr(self.rules.get(label), "clairvoyant", False)]

    def run(self, called, file):
        scenario = json.loads(file.read_text(encoding="utf-8"))
        words = [word for label in self.asked_in(called, scenario) for word in ("--policy", label)]
        run = self.tandem("simulate", called, "--engine", "virtual", "--json", *words)
        if not run.stdout:
            raise RuntimeError(f"{called}: {run.stderr.strip()}")
        return outcome_of(called, scenario, json.loads(run.stdout))

    def best_in(self, policy):
        """The scenarios in which nobody is better, the clearest first: told apart, alone, then by how far the next one is."""
        def clearness(outcome):
            rival = outcome.next_best(policy, self.rules)
            margin = 1 - outcome.values[policy] / outcome.values[rival] if rival else 0
            return bool(rival) and outcome.untold(policy, rival), len(outcome.sharers(policy, self.rules)), -margin, outcome.name
        found = [outcome for outcome in self.outcomes if (gap := outcome.behind(policy, self.rules)) is not None and gap <= 0]
        return sorted(found, key=clearness)

    def furthest_behind(self, policy):
        """The scenario in which it is furthest behind the best of the others, one that is told before others; nothing: it
        never is."""
        gaps = [(gap, outcome) for outcome in self.outcomes if (gap := outcome.behind(policy, self.rules) or 0) > 0]
        told = [(gap, outcome) for gap, outcome in gaps if not outcome.untold(policy, outcome.best_rival(policy, self.rules))]
        return max(told or gaps, key=lambda pair: pair[0])[1] if gaps else None

    def closest(self, policy):
        """Where it is least behind."""
        gaps = [(gap, outcome) for outcome in self.outcomes if (gap := outcome.behind(policy, self.rules)) is not None]
        return min(gaps, key=lambda pair: pair[0])[1] if gaps else None


def head_of(file):
    """Rule, tie-break and source, as the comment on top of a policy's file has them."""
    lines = []
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line.startswith("//"):
            break
        lines.append(line[2:].strip())
    text = " ".join(lines)
    if text.startswith("Room "):  # the room's own sentence stands in its first file
        text = " ".join(lines[lines.index("") + 1:])
    parts = re.fullmatch(r"(.*?) ?Tie-break: (.*?) ?Source: (.*)", text)
    if not parts:
        raise RuntimeError(f"{file.name}: the comment on top does not say rule, Tie-break: and Source:")
    return tuple(part.strip() for part in parts.groups())


def outcome_of(called, scenario, reports):
    outcome = Outcome(pathlib.Path(called).name.removesuffix(".scenario.json"), scenario["name"], scenario.get("note", ""), called,
                      "", "", {}, {}, [])
    for report in reports:
        policy = report["policy"]
        objective = report.get("objective") or {}
        value = objective.get("value")
        if not report.get("complete") or value is None or report.get("completed", 0) == 0:
            outcome.refused.append(policy)
            continue
        outcome.objective, outcome.unit = objective["name"], objective["unit"]
        if policy not in outcome.values or value < outcome.values[policy]:
            outcome.values[policy], outcome.labels[policy] = value, report["label"]
            if any("error" in profile for profile in report["profiles"]):
                outcome.reach[policy] = objective.get("interval")
    return outcome
