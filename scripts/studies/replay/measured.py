"""What `tandem-device profile` finds of this machine's cores, kept for later runs."""
import ctypes
import json
import pathlib
import subprocess
import time

from replay.simulator import SOURCE, Refused

KEPT = SOURCE / "build" / "studies"
MODELS = ["alexnet_darknet", "densenet201_darknet", "resnet152_darknet", "vgg16_darknet", "googlenet"]
BUDGET_S = 60


def platform_of(info):
    """The first half of the cores together are the fast unit, one more core is a worker."""
    platform = info["platform"]
    cores = sorted(core for unit in platform["units"] for core in unit.get("cores", []))
    if len(cores) < 2:
        raise Refused("--measure needs two cores")
    unit = {"kind": "cpu", "memory": platform["memories"][0]["name"], "backend": "cpu"}
    half = len(cores) // 2
    return {**platform, "units": [{"name": "fast", **unit, "cores": cores[:half]},
                                  {"name": "worker0", **unit, "cores": [cores[half]]}]}


def copy_bytes_per_s():
    """Of one core, between two blocks far larger than caches: the median of nine."""
    size = 1 << 28
    source, target, times = ctypes.create_string_buffer(size), ctypes.create_string_buffer(size), []
    ctypes.memset(source, 1, size)
    for _ in range(10):
        start = time.perf_counter()
        ctypes.memmove(target, source, size)
        times.append(time.perf_counter() - start)
    return size / sorted(times[1:])[4]


def device(program, *arguments, text=None):
    run = subprocess.run([program, *arguments], input=text, stdout=subprocess.PIPE, text=True, check=False)
    if run.returncode != 0:
        raise Refused(f"tandem-device {arguments[0]} ended with status {run.returncode}")
    return run.stdout


def measure(program):
    info = json.loads(device(program, "info", "--json"))
    platform = platform_of(info)
    request = {"tandem": "profile-request/1", "platform": platform, "models": MODELS, "groups": True, "layers": False,
               "co_running": "none", "budget_s": BUDGET_S, "seed": 1}
    profile = json.loads(device(program, "profile", "-", text=json.dumps(request)))
    KEPT.mkdir(parents=True, exist_ok=True)
    (KEPT / "measured.json").write_text(json.dumps(
        {"platform": platform, "profile": profile, "copy_bytes_per_s": copy_bytes_per_s()}, indent=1))


class Measured:
    def __init__(self, folder):
        path = pathlib.Path(folder) / "measured.json"
        if not path.exists():
            raise Refused(f"{path} is not there: --measure makes it")
        kept = json.loads(path.read_text())
        self.platform, self.profile, self.copy_bytes_per_s = kept["platform"], kept["profile"], kept["copy_bytes_per_s"]
        origin = self.profile["origin"]
        self.cores = len(self.platform["units"][0]["cores"])
        self.said = f"measured on {origin['host']}, {origin['date'][:10]}"

    @staticmethod
    def of(args, program, progress):
        """What the options ask for, None where that is nothing."""
        if args.measure:
            progress.study("measuring this machine's cores")
            measure(str(program))
            return Measured(KEPT)
        return Measured(args.measured) if args.measured else None

    def copying_unit(self):
        """GoogLeNet on the fast unit, whose memory is reached by a copy of one core."""
        platform = {"tandem": "platform/1", "name": self.platform["name"], "memories": [{"name": "dram"}, {"name": "device"}],
                    "links": [{"from": "dram", "to": "device", "bandwidth_bytes_per_s": int(self.copy_bytes_per_s)}],
                    "units": [{"name": "fast", "kind": "cpu", "memory": "device"}]}
        return platform, self.only("googlenet", ["fast"])

    def only(self, model, units):
        entries = [entry for entry in self.profile["entries"] if entry["model"] == model and entry["unit"] in units]
        return {key: self.profile[key] for key in ("tandem", "platform", "origin")} | {"entries": entries}

    def with_workers(self, workers):
        """The fast unit and so many workers, each as fast as the one that was measured."""
        units = [self.platform["units"][0]]
        entries = [entry for entry in self.profile["entries"] if entry["unit"] == "fast"]
        for worker in range(workers):
            name = f"worker{worker}"
            units.append({"name": name, "kind": "cpu", "memory": units[0]["memory"]})
            entries += [{**entry, "unit": name} for entry in self.profile["entries"] if entry["unit"] == "worker0"]
        fast = {key: value for key, value in units[0].items() if key not in ("backend", "cores")}
        platform = {**self.platform, "units": [fast, *units[1:]]}
        return platform, {key: self.profile[key] for key in ("tandem", "platform", "origin")} | {"entries": entries}
