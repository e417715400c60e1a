"""What scripts/kills knows of a command that it ends, and how it ends one."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time

DONE, NO, BAD_INPUT, FAILED, INTERRUPTED = 0, 1, 2, 3, 130
MODEL = {"tandem": "model/1", "name": "net", "layers": [
    {"name": "in", "op": "input", "shape": [1, 16, 16, 16]},
    {"name": "c", "op": "conv", "inputs": ["in"], "out_channels": 16, "kernel": [3, 3], "pad": [1, 1, 1, 1]},
    {"name": "r", "op": "relu", "inputs": ["c"]}]}
STREAMS = [{"name": "a", "model": "./net.json", "count": 20, "arrival": {"type": "offline"}}]
BOARD = {"tandem": "platform/1", "name": "b", "memories": [{"name": "m"}],
         "units": [{"name": name, "kind": "cpu", "memory": "m"} for name in ("u", "v")]}
TIMES = {"tandem": "profile/1", "platform": "b", "origin": {"kind": "published", "source": "made up"},
         "entries": [{"model": "./net.json", "unit": unit, "layers": "*", "median_us": us} for unit, us in (("u", 10), ("v", 30))]}
CACHE = "cache"  # what boards keep, in the case's folder
LEFT_OVER = re.compile(r"\.part\d+$")


class Found(Exception):
    """What should not be."""


def is_json(path):
    try:
        json.loads(path.read_text())
    except ValueError as error:
        raise Found(f"{path.name} is there and not whole: {error}") from error


def children_of(pid):
    try:
        return [int(child) for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children")
                for child in task.read_text().split()]
    except OSError:
        return []


def wait(running, seconds):
    try:
        running.wait(timeout=seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


# How each way ends a command that runs, and the statuses that may come of it. A program that has not come to its own
# beginning yet is ended by the signal itself.
def end_kill(running, moment):
    if not wait(running, moment):
        running.kill()
    return {DONE, NO, -signal.SIGKILL}


def end_term(running, moment):
    if not wait(running, moment):
        running.terminate()
    return {DONE, NO, INTERRUPTED, -signal.SIGTERM}


def end_pipe(running, moment):
    wait(running, moment)
    running.stdout.close()
    return {DONE, NO, FAILED, INTERRUPTED}


def end_full(_, __):
    return {DONE, NO, FAILED}


def end_connection(running, moment):
    if not wait(running, moment):
        for child in children_of(running.pid):
            os.kill(child, signal.SIGKILL)
    return {DONE, NO, FAILED}


ENDS = {"kill": end_kill, "term": end_term, "pipe": end_pipe, "files": end_full, "disk": end_full, "connection": end_connection}


def files_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def left_over(folder, but=()):
    """Names that only exist while something is written: folders may go while they are walked, which rglob dies of."""
    walked = ((pathlib.Path(place).relative_to(folder), [*folders, *files]) for place, folders, files in os.walk(folder))
    paths = (place / name for place, names in walked for name in names)
    return sorted(str(path) for path in paths if LEFT_OVER.search(path.name) and path.parts[0] not in but)


class Case:
    """A command that is ended in a folder of its own, and what has to hold then."""
    ways = ("kill", "term", "pipe", "files", "disk")
    outputs = ()
    says_done = (DONE, NO)  # statuses with which all outputs are there
    boards = False          # others may be killed while they write into CACHE
    while_writing = 0.5     # so often it is ended while it writes, which it does for moments only; else at any time

    def __init__(self, programs, folder):
        self.tandem, self.device = (str(programs / name) for name in ("tandem", "tandem-device"))
        self.base = folder / self.name
        self.base.mkdir()
        self.went_on = 0  # how often something was there to go on with
        self.write("net.json", MODEL)
        self.prepare()
        began = time.monotonic()
        whole = self.copy("whole")
        self.must(whole, self.words())
        self.takes = time.monotonic() - began
        self.whole = {name: (whole / name).read_bytes() for name in self.outputs}
        before = files_of(self.base)
        self.written = [len(text) for name, text in files_of(whole).items() if before.get(name) != text]

    def prepare(self):
        pass

    def write(self, name, value):
        (self.base / name).write_text(json.dumps(value))

    def copy(self, name):
        folder = self.base.parent / f"{self.name}-{name}"
        shutil.copytree(self.base, folder, dirs_exist_ok=True)
        return folder

    @staticmethod
    def surroundings(folder):
        return {**os.environ, "XDG_CACHE_HOME": str(folder / CACHE)}

    def must(self, folder, words):
        done = subprocess.run(words, cwd=folder, env=self.surroundings(folder), capture_output=True, text=True, check=False)
        if done.returncode not in (DONE, NO):
            raise Found(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.strip()[-600:]}")
        return done.stdout

    def judge(self, folder):
        """Whatever has happened: whole or absent."""
        for name in self.outputs:
            if (folder / name).exists() and (folder / name).read_bytes() != self.whole[name]:
                raise Found(f"{name} is there and is not what an undisturbed run writes")

    def complete(self, folder):
        """It said that it is done: all that an undisturbed run writes is there."""
        for name in self.outputs:
            if not (folder / name).exists():
                raise Found(f"it says that it is done, and {name} is not there")
        Case.judge(self, folder)

    def go_on(self, folder, chance):
        """The same command once more, after what has happened."""
        self.must(folder, self.words())
        self.judge(folder)
        self.complete(folder)
