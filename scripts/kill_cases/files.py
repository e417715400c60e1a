"""Commands that write files: all of one, or nothing."""
import json
import math
import struct

from kill_cases.common import BOARD, DONE, LEFT_OVER, MODEL, STREAMS, TIMES, Case, Found, files_of, is_json, left_over


class Simulate(Case):
    name = "simulate"
    outputs = ("t.json", "rows.csv")

    def words(self):
        return [self.tandem, "simulate", "study-003", "--engine", "virtual", "--trace", "t.json", "--csv", "rows.csv", "--force"]

    def judge(self, folder):
        """What was asked to end may write whole what was complete by then: fewer policies, a search that had less time."""
        if (folder / "t.json").exists():
            self.must(folder, [self.tandem, "check-trace", "study-003", "t.json"])
        if (folder / "rows.csv").exists() and not (folder / "rows.csv").read_bytes().endswith(b"\n"):
            raise Found("rows.csv ends within a line")


class Plan(Case):
    name = "plan"
    outputs = ("p.json",)

    def words(self):
        return [self.tandem, "plan", "study-003", "--engine", "virtual", "-o", "p.json", "--force"]


class Emit(Case):
    """A folder: whole or not there."""
    name = "emit"
    before = {}  # what it has beforehand

    def prepare(self):
        self.write("s.json", {"tandem": "scenario/1", "name": "s", "transfer": "none", "objective": "makespan",
                              "platform": BOARD, "profiles": [TIMES], "streams": STREAMS, "policies": ["fcfs", "eft"]})

    def words(self, policy="eft"):
        return [self.tandem, "plan", "s.json", "--engine", "virtual", "--policy", policy, "--emit", "onnxruntime",
                "-o", "deployed", "--force"]

    def whole_folder(self, folder):
        return files_of(folder.parent / f"{self.name}-whole" / "deployed")

    def judge(self, folder):
        if (folder / "deployed").exists() and files_of(folder / "deployed") != self.whole_folder(folder):
            raise Found("deployed is there and is not what an undisturbed run writes")

    def complete(self, folder):
        if not (folder / "deployed").exists():
            raise Found("it says that it is done, and deployed is not there")
        Emit.judge(self, folder)

    def go_on(self, folder, chance):
        super().go_on(folder, chance)
        if left := left_over(folder):
            raise Found(f"{', '.join(left)}: left behind, and not cleared by the next run")


class EmitOver(Emit):
    """A folder whose files are replaced: the old ones, the new ones, or no plan by which to take it for whole."""
    name = "emit_over"

    def prepare(self):
        super().prepare()
        self.must(self.base, self.words("fcfs"))
        self.before = files_of(self.base / "deployed")

    def judge(self, folder):
        now = files_of(folder / "deployed")
        now = {name: text for name, text in now.items() if not LEFT_OVER.search(name.split("/")[0])}
        if "plan.json" in now and now not in (self.before, self.whole_folder(folder)):
            raise Found("deployed has a plan and files of another one")


def write_weights(path, number):
    """Of MODEL's one layer that has some, all of them this."""
    tensors = {"c:weight": [16, 16, 3, 3], "c:bias": [16]}
    header, numbers = {}, 0
    for name, shape in tensors.items():
        count = math.prod(shape)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [4 * numbers, 4 * (numbers + count)]}
        numbers += count
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + struct.pack("<f", number) * numbers)


class Import(Case):
    """A model over another. Signals may end it between its two files; where one of them has no room neither is replaced."""
    name = "import"
    files = ("m.json", "m.safetensors")

    def prepare(self):
        for name, number in (("old", 1.0), ("new", 2.0)):
            self.write(f"{name}.json", {**MODEL, "name": name, "weights": f"{name}.safetensors"})
            write_weights(self.base / f"{name}.safetensors", number)
        self.must(self.base, self.words("old"))

    def words(self, model="new"):
        return [self.tandem, "models", "import", f"{model}.json", "-o", "m", "--force"]

    def which(self, folder):
        """Of each file: "old", "new" or "torn"."""
        places = {"old": self.base, "new": folder.parent / "import-whole"}
        now = {name: (folder / name).read_bytes() for name in self.files}
        return [next((which for which, place in places.items() if (place / name).read_bytes() == now[name]), "torn")
                for name in self.files]

    def judge(self, folder):
        graph, weights = self.which(folder)
        signalled = folder.name.endswith(("-kill", "-term", "-pipe"))
        if "torn" in (graph, weights) or (graph != weights and not (signalled and weights == "new")):
            raise Found(f"m.json is {graph} and m.safetensors {weights}")

    def complete(self, folder):
        if self.which(folder) != ["new", "new"]:
            raise Found("it says that it is done, and a model is there that is not the new one")


class Regress(Case):
    """A baseline that is rewritten: the old one or the new one."""
    name = "regress"

    def prepare(self):
        self.must(self.base, [self.tandem, "new", "baseline", "study-003", "--engine", "virtual", "-o", "b.json"])
        kept = json.loads((self.base / "b.json").read_text())
        self.old = json.dumps(kept).encode()  # the same in other bytes
        (self.base / "b.json").write_bytes(self.old)

    def words(self):
        return [self.tandem, "regress", "b.json", "--update"]

    def judge(self, folder):
        now = (folder / "b.json").read_bytes()
        if now != self.old and now != (folder.parent / "regress-whole" / "b.json").read_bytes():
            raise Found("b.json is neither the baseline that was there nor the one that an undisturbed run writes")

    def complete(self, folder):
        if (folder / "b.json").read_bytes() == self.old:
            raise Found("b.json is the old one still, after a run to the end")


def rows_in(folder):
    """Of a sweep: what stands in whole lines, by file."""
    return {path.name: [line for line in path.read_bytes().split(b"\n")[:-1] if line] for path in folder.glob("*.rows.jsonl")}


def check_rows_stay(before, after):
    """Nothing that was finished is run again."""
    for name, lines in before.items():
        if after.get(name, [])[:len(lines)] != lines:
            raise Found(f"{name} has lost rows that were there")
    keys = []
    for line in (line for lines in after.values() for line in lines):
        try:
            row = json.loads(line)
        except ValueError:  # torn, and somebody else's line behind it
            continue
        if row["status"] == "ok":
            keys.append(row["key"])
    if len(keys) != len(set(keys)):
        raise Found("runs that were finished were run again")


class Sweep(Case):
    name = "sweep"
    says_done = (DONE,)  # 1: a run failed or is missing

    def prepare(self):
        axes = [{"name": "n", "pointers": ["/streams/0/count"], "range": {"from": 1, "to": 12}},
                {"name": "seed", "pointers": ["/seed"], "values": [1, 2]}]
        self.write("s.sweep.json", {"tandem": "sweep/1", "name": "check", "scenario": "study-003",
                                    "policies": ["fcfs", "eft"], "axes": axes})

    def words(self):
        return [self.tandem, "sweep", "s.sweep.json", "-o", "rows", "--engine", "virtual"]

    def collected(self, folder):
        return json.loads(self.must(folder, [self.tandem, "sweep", "s.sweep.json", "-o", "rows", "--collect", "--json"]))

    def judge(self, folder):
        pass  # of what is there already `go_on` makes what an undisturbed run has

    def complete(self, folder):
        if self.collected(folder) != self.collected(folder.parent / "sweep-whole"):
            raise Found("the rows are not those of an undisturbed run")

    def go_on(self, folder, chance):
        before = rows_in(folder / "rows")
        self.went_on += any(before.values())
        super().go_on(folder, chance)
        check_rows_stay(before, rows_in(folder / "rows"))


class Run(Case):
    name = "run"

    def prepare(self):
        self.write("s.json", {"tandem": "scenario/1", "name": "s", "platform": "device", "transfer": "none",
                              "streams": STREAMS, "policies": ["fcfs"]})
        self.must(self.base, [self.tandem, "validate", "s.json", "--keep", "kept", "--budget", "0.3", "--repeat", "1",
                              "--tries", "1", "--engine", "virtual"])

    def words(self):
        return [self.device, "run", "kept/run-request.json", "--trace", "t.json", "--repeat", "5", "--force", "--json"]

    def judge(self, folder):
        if (folder / "t.json").exists():
            is_json(folder / "t.json")

    def complete(self, folder):
        if not (folder / "t.json").exists():
            raise Found("it says that it is done, and t.json is not there")
