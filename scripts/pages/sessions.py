"""Sessions in the documentation: pages whose commands are run, one after the other, in one folder, and whose outputs are real.

A page with the line "<!-- session -->" is one. In it
  ```json NAME, ```text NAME   a file: it is written to the folder before what follows
  ```console              commands after "$ ", each with what it prints. Exactly that, to standard output and error together;
                          a line "..." stands for lines that are not shown, between the first ones and the last ones
  ```console varies       what it prints is measured, and differs from run to run and from machine to machine: the first words of
                          the lines that are shown have to begin lines again, in this order
  ```console exits 1      ends with this status instead of 0 (several: "exits 0 1"); with "varies" too
What a block prints is written anew by `scripts/docs` (those that vary with --measured alone).
"""
import os
import pathlib
import re
import subprocess
import tempfile

MARK = "<!-- session -->"
FENCE = re.compile(r"^```(\w+)([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CUT = "..."
SECONDS = 900


class Block:
    def __init__(self, language, words, body):
        self.language, self.words = language, words.split()
        self.body = body
        self.varies = "varies" in self.words
        after = self.words[self.words.index("exits") + 1:] if "exits" in self.words else ["0"]
        self.statuses = {int(word) for word in after if word.isdigit()}

    def is_file(self):
        return self.language != "console" and len(self.words) == 1

    def steps(self):
        """Pairs of a command and the lines below it."""
        found = []
        for line in self.body.splitlines():
            if line.startswith("$ "):
                found.append(([line[2:]], []))
            elif found and not found[-1][1] and found[-1][0][-1].endswith("\\"):
                found[-1][0].append(line)
            elif found:
                found[-1][1].append(line)
        return [("\n".join(command), lines) for command, lines in found]


class Folder:
    """Where a session runs: programs are found by their names, tables have the width that they have in pipes."""

    def __init__(self, path, programs):
        self.path = pathlib.Path(path)
        self.work = self.path / "work"
        self.work.mkdir()
        (self.path / "bin").mkdir()
        for program in programs:
            (self.path / "bin" / program.name).symlink_to(program)
        # The programs find what is shipped beside their real place.
        self.environment = {**os.environ, "PATH": os.pathsep.join([str(self.path / "bin"), os.environ["PATH"]]),
                            "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        self.shipped = programs[0].resolve().parent.parent / "share" / "tandem"

    def write(self, name, text):
        file = self.work / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run(self, command):
        run = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=self.work, env=self.environment, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                             errors="replace", check=False)
        text = run.stdout.replace(f"{self.work}/", "").replace(str(self.shipped), "...")
        return run.returncode, [line.rstrip() for line in text.splitlines()]


def shortened(shown, lines):
    """`lines` cut as `shown` is: as many in front of "..." and behind it."""
    if CUT not in shown:
        return lines
    head, tail = shown.index(CUT), len(shown) - shown.index(CUT) - 1
    if head + tail >= len(lines):
        return lines
    return lines[:head] + [CUT] + (lines[-tail:] if tail else [])


def first_word(line):
    """Behind marks such as the "* " of a winner or the "pm " of one that was also measured best; numbers are none."""
    word = next((word for word in line.split() if len(word) > 1 and word != "pm"), "")
    return "" if word[:1].isdigit() else word


def missing_of_varying(shown, lines):
    """The first line of `shown` that has no like in `lines`, by the rule for measured output."""
    words = iter([first_word(line) for line in lines])
    for line in shown:
        word = first_word(line)
        if line != CUT and word and word not in words:
            return line
    return None


class Session:
    def __init__(self, page, programs, measured=False):
        self.page, self.programs, self.measured = page, programs, measured
        self.problems, self.commands, self.text = [], 0, ""

    def play(self):
        text = self.page.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory(prefix="tandem_session_") as name:
            folder = Folder(name, self.programs)
            self.text = FENCE.sub(lambda match: self.block(folder, match), text)
        return self

    def block(self, folder, match):
        block = Block(*match.groups())
        if block.is_file():
            folder.write(block.words[0], block.body)
        if block.language != "console":
            return match[0]
        body = []
        for command, shown in block.steps():
            body += self.step(folder, block, command, shown)
        return f"```console{match[2]}\n" + "".join(line + "\n" for line in body) + "```"

    def step(self, folder, block, command, shown):
        self.commands += 1
        status, lines = folder.run(command)
        said = f"$ {command}".splitlines()
        if status not in block.statuses:
            self.problems.append(f"{self.page.name}: `{command}` ends with {status}: {' / '.join(lines[-6:])}")
            return said + shown
        if block.varies and not self.measured:
            if (line := missing_of_varying(shown, lines)) is not None:
                self.problems.append(f"{self.page.name}: `{command}` no longer prints a line like: {line}")
            return said + shown
        return said + shortened(shown, lines)


def session_pages(root):
    pages = [root / "README.md", *sorted(root.glob("docs/*.md"))]
    return [page for page in pages if MARK in page.read_text(encoding="utf-8")]
