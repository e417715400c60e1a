"""Commands that measure for long, and go on with what was measured."""
import json
import subprocess

from kill_cases.common import CACHE, DONE, MODEL, NO, STREAMS, Case, Found, end_term, is_json, wait


def sampled(partial):
    """What a profiler that was ended had measured: samples by what they are of. Nothing: it kept none."""
    if not partial or not partial.exists():
        return {}
    sources = json.loads(partial.read_text())["sources"]
    return {json.dumps({key: source[key] for key in ("model", "batch", "unit", "cut", "manner", "precision")}): source["parts"]
            for source in sources if any(part["samples_us"] for part in source["parts"])}


def check_samples_stay(before, after):
    """Of a profile that is ended once more: what was measured is joined by more, and begins as it did."""
    for source, parts in before.items():
        first = [part["samples_us"][:1] for part in parts]
        if [part["samples_us"][:1] for part in after.get(source, [])] != first:
            raise Found(f"what was measured is measured again: {source}")


class Profiled(Case):
    """What measures a profile, and goes on with one that was not finished."""
    says_done = (DONE,)
    while_writing = 0.1  # it measures for longer
    resume = ("--resume",)

    def partial(self, folder):
        return next(iter(sorted((folder / CACHE / "tandem" / "unfinished").glob("*.partial"))), None)

    def again(self):
        return [word for word in self.words() if word != "--force"]

    def go_on(self, folder, chance):
        before = sampled(self.partial(folder))
        self.went_on += bool(before)
        if before:
            again = subprocess.Popen([*self.again(), *self.resume], cwd=folder, env=self.surroundings(folder),
                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            end_term(again, chance.uniform(0, self.takes))
            if not wait(again, 120):
                again.kill()
                raise Found("it goes on, is ended, and still runs two minutes later")
            if after := sampled(self.partial(folder)):
                check_samples_stay(before, after)
        self.to_its_end(folder)
        self.judge(folder)
        self.complete(folder)

    def to_its_end(self, folder):
        self.must(folder, [*self.again(), *self.resume])


class Profile(Profiled):
    name = "profile"

    def prepare(self):
        self.write("request.json", {"tandem": "profile-request/1", "platform": "device", "models": ["./net.json"],
                                    "budget_s": 1, "noise": 0.0001, "co_running": "none"})

    def words(self):
        return [self.device, "profile", "request.json", "-o", "p.json", "--force"]

    def partial(self, folder):
        return folder / "p.json.partial"

    def judge(self, folder):
        for name in ("p.json", "p.json.partial"):
            if (folder / name).exists():
                is_json(folder / name)

    def complete(self, folder):
        self.must(folder, [self.tandem, "check", "p.json"])
        if (folder / "p.json.partial").exists():
            raise Found("it says that it is done, and p.json.partial is there still")

    def to_its_end(self, folder):
        if not (folder / "p.json").exists():
            super().to_its_end(folder)


class Measure(Profiled):
    """Profiling from afar: what a lost board has measured it goes on with."""
    name = "measure"
    ways = (*Case.ways, "connection")
    boards = True
    resume = ()

    def prepare(self):
        self.write("request.json", {"tandem": "profile-request/1", "platform": "device", "models": ["./net.json"],
                                    "budget_s": 1, "noise": 0.0001, "co_running": "none"})
        self.write("lab.json", {"tandem": "boards/1", "name": "lab", "boards": [{"name": "here", "command": self.device}]})

    def words(self):
        return [self.tandem, "profiles", "measure", "request.json", "--boards", "lab.json", "-o", "store", "--wait", "0"]

    def judge(self, folder):
        for path in (folder / "store").glob("*.json"):
            is_json(path)

    def complete(self, folder):
        if not (folder / "store" / "here.profile.json").exists():
            raise Found("it says that it is done, and the store has no profile of the board")

    def to_its_end(self, folder):
        profile = folder / "store" / "here.profile.json"
        before = profile.read_bytes() if profile.exists() else None
        super().to_its_end(folder)
        if before and profile.read_bytes() != before:
            raise Found("a profile that was finished is measured again")


class Validate(Profiled):
    name = "validate"
    ways = (*Case.ways, "connection")
    says_done = (DONE, NO)
    boards = True

    def prepare(self):
        large = [{**MODEL["layers"][0], "shape": [1, 64, 64, 64]}, *MODEL["layers"][1:]]  # so that it is measured for a while
        self.write("net.json", {**MODEL, "layers": large})
        self.write("s.json", {"tandem": "scenario/1", "name": "s", "platform": "device", "transfer": "none",
                              "streams": STREAMS, "policies": ["fcfs", "eft"]})

    def words(self):
        return [self.tandem, "validate", "s.json", "--keep", "kept", "--html", "page.html", "--budget", "1", "--repeat", "2",
                "--tries", "1", "--engine", "virtual", "--force"]

    def again(self):
        return self.words()

    def judge(self, folder):
        for path in [*(folder / "kept").glob("*.json")]:
            is_json(path)
        page = folder / "page.html"
        if page.exists() and not page.read_text().rstrip().endswith("</html>"):
            raise Found("page.html is there and not whole")

    def complete(self, folder):
        whole = folder.parent / "validate-whole"
        for path in [*(whole / "kept").glob("*.json"), whole / "page.html"]:
            if not (folder / path.relative_to(whole)).exists():
                raise Found(f"it says that it is done, and {path.relative_to(whole)} is not there")
