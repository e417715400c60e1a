#!/usr/bin/env python3
"""Is every example file in the documentation one that tandem takes, and every engine listed one of its command's?

usage: docs_test.py SOURCE_DIR TANDEM_PROGRAM
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def engine_problems(source, program):
    """Of the list of commands in docs/formats.md, against what each command says of itself."""
    problems, command = [], ""
    for line in (source / "docs/formats.md").read_text(encoding="utf-8").splitlines():
        named = re.match(r"    tandem ((?:new )?[a-z-]+)", line)
        command = named[1] if named else command if line.startswith("     ") else ""
        listed = re.search(r"\[--engine ([a-z|]+)\]", line)
        if not command or not listed:
            continue
        run = subprocess.run([program, *command.split(), "--help"], capture_output=True, text=True, timeout=60,
                             check=True)
        takes = re.search(r"--engine \{([a-z,]+)\}", run.stdout)
        known = takes[1].replace(",", "|") if takes else "none"
        if listed[1] != known:
            problems.append(f"formats.md: tandem {command} has --engine {listed[1]}, and takes {known}")
    return problems


def main():
    source, program = pathlib.Path(sys.argv[1]).resolve(), str(pathlib.Path(sys.argv[2]).resolve())
    pages = sorted([*source.glob("*.md"), *source.glob("docs/*.md")])
    examples, problems = 0, []
    with tempfile.TemporaryDirectory() as folder:
        for page in pages:
            text = page.read_text(encoding="utf-8")
            for match in re.finditer(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
                if '"tandem":' not in match.group(1):
                    continue
                examples += 1
                line = text.count("\n", 0, match.start(1))
                path = pathlib.Path(folder) / f"{page.stem}_{line}.json"
                path.write_text(match.group(1), encoding="utf-8")
                run = subprocess.run([program, "check", path.name], cwd=folder, capture_output=True, text=True,
                                     timeout=60, check=False)
                if run.returncode != 0:
                    problems.append(f"{page.name}, the example at line {line + 1}: {run.stderr.strip()}")
    problems += engine_problems(source, program)
    print(f"{len(pages)} pages, {examples} examples, {len(problems)} problems")
    print("\n".join(problems))
    return 1 if problems or examples == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
