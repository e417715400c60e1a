"""docs/policies.md: each policy with its rule, its source, a scenario in which it wins and one in which it loses."""
import textwrap

from .contest import MADE_FOR_IT, NOT_SEARCHED, SOURCE, Contest

PAGE = SOURCE / "docs" / "policies.md"
WIDTH = 120
WORDS = {"makespan": "makespan", "mean_latency": "mean latency", "p99_latency": "p99 latency", "misses": "missed deadlines",
         "throughput": "throughput", "energy": "energy"}

INTRO = """# The policies, and where each wins and loses

`scripts/docs` writes this page: it runs every policy in {count} scenarios and picks. No figure is typed. Run it again after a change
of a policy or a scenario; a test compares.

{made} scenarios lie in [scenarios/policies](../scenarios/policies). They are small, and made to bring out one rule each: most boards
in them are made up, and each says so. The others are {also}, which tandem ships. So "wins" means:
there is such a case. It does not mean that the policy is good on your board. `tandem simulate` tells that.

How to read it:
- A policy **wins** where no other rule has a smaller figure. Of such scenarios the page shows the clearest: it is best alone, and the next
  one is far away. It **loses** most where the best other rule is furthest ahead of it.
- Where a board's times are estimated, two whose 90 % intervals overlap cannot be told apart, and the page says so: that is no win, and no loss. A
  scenario in which they can be told goes first.
- `best` is no rival of the others: it is a search that knows all arrivals and tries all of the rules. It has a section at the end, over
  all scenarios but {unsearched}, where it takes long.
- Parameters are those that nobody sets. Where a policy needs some, the scenario has them.
- Every policy and its parameters are described exactly in [semantics.md](semantics.md#policies).
"""


def figure(outcome, value):
    words = WORDS.get(outcome.objective, outcome.objective)
    if outcome.unit == "ns":
        return f"{words} {value / 1e6:,.1f} ms"
    return f"{value:g} {words}" if outcome.objective == "misses" else f"{words} {value:g} {outcome.unit}"


def percent(share):
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.1g} %"


def names(words):
    words = [f"`{word}`" for word in words]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def link(outcome):
    file = outcome.file if outcome.file.endswith(".json") else f"scenarios/examples/{outcome.file}.scenario.json"
    return f"[{outcome.name}](../{file})"


def command(outcome, policies):
    return f"`tandem simulate {outcome.file} --engine virtual --policy '{','.join(policies)}'`"


def filled(text, indent=""):
    return textwrap.fill(text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


class Page:
    def __init__(self, contest):
        self.contest, self.rules = contest, contest.rules

    def about(self, outcome):
        return f"{link(outcome)}, {outcome.title}. {outcome.note}".strip()

    def won(self, policy, outcome):
        """The sentences about a scenario in which nobody is better."""
        text = f"{self.about(outcome)} `{outcome.labels[policy]}`: {figure(outcome, outcome.values[policy])}"
        rival = outcome.next_best(policy, self.rules)
        if rival:
            text += f"; next `{outcome.labels[rival]}`: {figure(outcome, outcome.values[rival])}, "
            text += f"{percent(outcome.values[rival] / outcome.values[policy] - 1)} more" if outcome.values[policy] else "against none"
            text += self.untold(outcome, policy, rival)
        sharers = outcome.sharers(policy, self.rules)
        if sharers:
            text += f". {names(sharers)} {'come' if len(sharers) > 1 else 'comes'} to the same"
        shown = [outcome.labels[policy], *([outcome.labels[rival]] if rival else [])]
        return f"{text}.  \n  {command(outcome, shown)}"

    @staticmethod
    def untold(outcome, policy, rival):
        if not outcome.untold(policy, rival):
            return ""
        whose = policy if outcome.reach.get(policy) else rival
        low, high = outcome.reach[whose]
        return (f"; not told apart: the times are estimated, and `{outcome.labels[whose]}` may come to {figure(outcome, low)} or "
                f"{figure(outcome, high)}")

    def lost(self, policy, outcome):
        rival = outcome.best_rival(policy, self.rules)
        mine, best = outcome.values[policy], outcome.values[rival]
        text = f"{self.about(outcome)} `{outcome.labels[policy]}`: {figure(outcome, mine)}; best `{outcome.labels[rival]}`: {figure(outcome, best)}"
        text += f", {percent(1 - best / mine)} less{self.untold(outcome, policy, rival)}"
        return f"{text}.  \n  {command(outcome, [outcome.labels[policy], outcome.labels[rival]])}"

    def section(self, rule):
        lines = [f"## {rule.name}", filled(rule.text), "", filled(f"Ties: {rule.tie_break} Source: {rule.source}"), ""]
        wins = self.contest.best_in(rule.name)
        if wins:
            lines.append(f"- **Wins**: {self.won(rule.name, wins[0])}")
        elif closest := self.contest.closest(rule.name):
            behind = percent(closest.behind(rule.name, self.rules))
            lines.append(f"- **Never wins** here. It comes closest, {behind} behind, in {self.lost(rule.name, closest)}")
        loss = self.contest.furthest_behind(rule.name)
        lines.append(f"- **Loses**: {self.lost(rule.name, loss)}" if loss else "- **Never loses** here.")
        ran = [outcome for outcome in self.contest.outcomes if rule.name in outcome.values]
        lines += ["", f"In {len(ran)} of the {len(self.contest.outcomes)} scenarios it runs; nobody is better in {len(wins)} of them."]
        return lines

    def searched(self, rule):
        """A policy that sees more than the rules do: what it gains over the best of them."""
        lines = [f"## {rule.name}", filled(rule.text), "", filled(f"Ties: {rule.tie_break} Source: {rule.source}"), ""]
        gains = []
        for outcome in self.contest.outcomes:
            gap = outcome.behind(rule.name, self.rules)
            if gap is not None:
                gains.append((gap, outcome.name, outcome))
        gains.sort()
        least, most = gains[-1], gains[0]
        lines.append(f"- **Gains most**: {self.won(rule.name, most[2])}" if most[0] < 0 else "- **Gains nothing** anywhere here.")
        if least[0] > 0:
            lines.append(f"- **Loses**: {self.lost(rule.name, least[2])}")
        else:
            none = [outcome for gap, _, outcome in gains if gap == 0]
            lines.append(f"- **Loses** in no scenario. In {len(none)} of {len(gains)} it gains nothing over the best rule" +
                         (f": {', '.join(link(outcome) for outcome in none)}." if none else "."))
        return lines

    def table(self):
        lines = ["| policy | nobody is better in | wins most clearly | loses most | source |", "|---|---|---|---|---|"]
        for rule in self.rules.values():
            if rule.clairvoyant:
                continue
            wins, loss = self.contest.best_in(rule.name), self.contest.furthest_behind(rule.name)
            runs = sum(rule.name in outcome.values for outcome in self.contest.outcomes)
            lines.append(f"| [{rule.name}](#{rule.name}) | {len(wins)} of {runs} | {link(wins[0]) if wins else 'never'} | "
                         f"{link(loss) if loss else 'never'} | {rule.source.rstrip('.')} |")
        return lines

    def scenarios(self):
        lines = ["## The scenarios", "| scenario | what it is | judged by | best rule | worst |", "|---|---|---|---|---|"]
        for outcome in self.contest.outcomes:
            values = {name: value for name, value in outcome.values.items() if not self.rules[name].clairvoyant}
            least, most = min(values.values()), max(values.values())
            firsts = sorted(name for name in values if values[name] == least)
            shown = names(firsts) if len(firsts) <= 3 else f"{len(firsts)} alike"
            last = sorted(name for name in values if values[name] == most)[0]
            lines.append(f"| {link(outcome)} | {outcome.title} | {WORDS.get(outcome.objective, outcome.objective)} | {shown}, "
                         f"{figure(outcome, least)} | `{last}`, {figure(outcome, most)} |")
        return lines

    def text(self):
        made = len(list(MADE_FOR_IT.glob("*.scenario.json")))
        also = ", ".join(link(outcome) for outcome in self.contest.outcomes[made:])
        parts = [INTRO.format(count=len(self.contest.outcomes), made=made, also=also,
                              unsearched=" and ".join(NOT_SEARCHED)).splitlines(), self.table()]
        parts += [self.section(rule) for rule in self.rules.values() if not rule.clairvoyant]
        parts += [self.searched(rule) for rule in self.rules.values() if rule.clairvoyant]
        parts.append(self.scenarios())
        return "\n\n".join("\n".join(part).rstrip() for part in parts) + "\n"


def policies_page(program):
    return Page(Contest(program)).text()
