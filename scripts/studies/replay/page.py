"""docs/studies.md: what was found, the pictures, the table."""
from replay.rows import NO_CLAIM, NOT_AVAILABLE, NOT_REPRODUCED, REPRODUCED, WITHIN, markdown_table

HEAD = f"""# The five studies, replayed

Written by `scripts/studies/studies --docs`: do not edit. Each row sets a figure of a study beside what `tandem` simulates, with
all that had to be assumed; the numbers are answers of `tandem simulate` and `tandem plan` to scenarios made for them.

A figure is **{REPRODUCED}** where it comes out within {100 * WITHIN:.0f} % of itself (counts: exactly) and nothing was
fitted to it; **{NOT_REPRODUCED}** where nothing was fitted and it does not; **depends on** what the row names, where it
comes out for some values of an assumption and not for others; **{NOT_AVAILABLE}** where the study prints none, or nothing
here could be measured; **{NO_CLAIM}** where something was fitted to the figure itself.
"""


def counts(rows):
    kinds = {}
    for row in rows:
        kind = "depends on an assumption" if row.verdict.startswith("depends on") else row.verdict
        kinds[kind] = kinds.get(kind, 0) + 1
    return kinds


def summary(studies):
    kinds = [REPRODUCED, NOT_REPRODUCED, "depends on an assumption", NO_CLAIM, NOT_AVAILABLE]
    lines = ["| study | " + " | ".join(kinds) + " |", "|---" * (len(kinds) + 1) + "|"]
    for study, result in studies:
        of = counts(result.rows)
        lines.append(f"| [{study.STUDY}](#study-{study.STUDY}) | " + " | ".join(str(of.get(kind, 0)) for kind in kinds) + " |")
    return "\n".join(lines)


def section(study, result):
    parts = [f"## Study {study.STUDY}\n\n{study.TITLE}."]
    if result.findings:
        parts.append("\n".join(f"- {finding}" for finding in result.findings))
    parts += [f"![{title}](pictures/{name}.svg)" for name, title, _ in result.pictures]
    parts.append(markdown_table(result.rows))
    return "\n\n".join(parts)


def page(studies):
    """`studies`: (module, result) in their order."""
    return "\n\n".join([HEAD + "\n" + summary(studies), *(section(*one) for one in studies)]) + "\n"
