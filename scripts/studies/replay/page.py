"""docs/studies.md: what was found, the pictures, the tables."""
from replay.rows import (COLUMNS, NOT_REPRODUCED, NOTE_COLUMNS, POSSIBLE, REPRODUCED, WITHIN, markdown_table,
                         summary_sentence)

DEPENDS = "depends on an assumption"
HEAD = f"""# The five studies, replayed

Written by `scripts/studies/studies --docs`: do not edit. Each row sets a figure of a study beside what `tandem` simulates, with
all that had to be assumed; the numbers are answers of `tandem simulate` and `tandem plan` to scenarios made for them. A test
runs all five again and compares this page.

A figure is **{REPRODUCED}** where it comes out within {100 * WITHIN:.0f} % of itself (counts and texts: exactly; shares: and
what is left of the whole comes out as near); **{NOT_REPRODUCED}** where it does not; **depends on** what the row names, where
it comes out for some of the assumed values and not for others; **{POSSIBLE}** where a simulated bound leaves room for it. Every
verdict is computed from the row's two figures. What was fitted to a figure is not compared with it; what a study does not
print, and what an assumption settles by itself, has no verdict: it stands below, as a note. *Derived* is what a study does not
print and its printed figures give. Where all of a board is estimated, figures are simulated with its CPU faster and slower,
too, by as much as 90 % of such estimates are off (`origin.error` of its profile, for two units): what comes out only then
**depends on the estimate's error**.

All studies are simulated as if these cost nothing, since nobody published them: handing over between units of one memory,
starting a task, and what units that work side by side cost each other. Below the studies stand cases of others, of whose boards
a few figures were published: their rows say which of these are put in; the others are asked, and may come out otherwise.
"""


def heading(study):
    return getattr(study, "HEADING", f"Study {study.STUDY}")


def counts(rows):
    kinds = {}
    for row in rows:
        kind = DEPENDS if row.verdict.startswith("depends on") else row.verdict
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def summary(studies):
    kinds = [REPRODUCED, NOT_REPRODUCED, DEPENDS, POSSIBLE]
    lines = ["| study | " + " | ".join(kinds) + " | notes |", "|---" * (len(kinds) + 2) + "|"]
    for study, result in studies:
        of, place = counts(result.rows), heading(study).lower().replace(" ", "-")
        lines.append(f"| [{study.STUDY}](#{place}) | " +
                     " | ".join(str(of.get(kind, 0)) for kind in kinds) + f" | {len(result.notes)} |")
    return "\n".join(lines)


def section(study, result):
    parts = [f"## {heading(study)}\n\n{study.TITLE}."]
    if result.findings:
        parts.append("\n".join(f"- {finding}" for finding in result.findings))
    parts += [f"![{title}](pictures/{name}.svg)" for name, title, _ in result.pictures]
    parts.append(markdown_table(COLUMNS, result.rows))
    if result.notes:
        parts.append(markdown_table(NOTE_COLUMNS, result.notes))
    return "\n\n".join(parts)


def page(studies):
    """`studies`: (module, result) in their order."""
    rows = [row for _, result in studies for row in result.rows]
    return "\n\n".join([HEAD + "\n" + summary_sentence(rows), summary(studies),
                        *(section(*one) for one in studies)]) + "\n"
