"""Links of the documentation: what they are, and whether they lead somewhere."""
import pathlib
import re

FENCED = re.compile(r"^```.*?^```$|^(?:    [^\n]*\n)+", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
HEADING = re.compile(r"^#{1,6} +(.*?) *#*$", re.MULTILINE)


def pages_of(root):
    return sorted([*root.glob("*.md"), *root.glob("docs/*.md")])


def blanked(text, pattern):
    """What `pattern` finds becomes spaces: lines and columns stay where they are."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)


def links_in(text):
    """Pairs of a line and a target; not those that code shows."""
    plain = blanked(blanked(text, FENCED), CODE)
    return [(plain.count("\n", 0, match.start()) + 1, match[1]) for match in LINK.finditer(plain)]


def anchor_of(heading):
    """As GitHub makes it of a heading: letters, digits, - and _, spaces as -."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").strip().lower()
    return re.sub(r"[^\w\- ]", "", text).replace(" ", "-")


def anchors_in(text):
    found, seen = set(), {}
    for heading in HEADING.findall(blanked(text, re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL))):
        anchor = anchor_of(heading)
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        found.add(f"{anchor}-{count}" if count else anchor)
    return found


def is_outside(target):
    return re.match(r"[a-z][a-z0-9+.-]*:", target) is not None


def problem_of(page, target):
    """Why the link leads nowhere; nothing: it leads somewhere."""
    path, _, anchor = target.partition("#")
    file = (page.parent / path).resolve() if path else page
    if not file.exists():
        return f"there is no {path}"
    if anchor and file.suffix == ".md" and anchor not in anchors_in(file.read_text(encoding="utf-8")):
        return f"{file.name} has no heading #{anchor}"
    return None


def broken_links(root):
    root = pathlib.Path(root)
    broken, count = [], 0
    for page in pages_of(root):
        for line, target in links_in(page.read_text(encoding="utf-8")):
            if is_outside(target):
                continue
            count += 1
            if why := problem_of(page, target):
                broken.append(f"{page.relative_to(root)}:{line}: {target}: {why}")
    return broken, count
