"""The machine that is checked: its card, the programs, and the folders of the libraries that they need there."""
import importlib.util
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
NODES = ["/dev/nvidia0", "/dev/nvhost-gpu", "/dev/nvgpu"]  # the latter of a Jetson
REHEARSAL = {"device": "rehearsal_device", "zoo_check": "rehearsal_zoo_check"}  # with tests/bench/rehearsal_card.cc
NAMES = {"tandem": "tandem", "device": "tandem-device", "tests": "tests_device", "zoo_check": "zoo_check"}


class Failed(Exception):
    """A step cannot give its result."""


class Skipped(Exception):
    """What a step needs is not on this machine."""


def no_card():
    """Why there is no card here; None where there is one."""
    program = shutil.which("nvidia-smi")
    if program:
        listed = subprocess.run([program, "-L"], capture_output=True, text=True, check=False)
        if listed.returncode == 0 and "GPU" in listed.stdout:
            return None
        said = (listed.stdout + listed.stderr).strip().splitlines()
        return "nvidia-smi finds none" + (f": {said[0]}" if said else "")
    if any(os.path.exists(node) for node in NODES):
        return None
    return "no nvidia-smi, no /dev/nvidia0"


def python_packages():
    """Folders with NVIDIA's libraries that came with Python packages: cuDNN and cuBLAS are often nowhere else."""
    found = []
    for package in ("nvidia", "torch"):
        spec = importlib.util.find_spec(package)
        for root in (spec.submodule_search_locations or [] if spec else []):
            folders = sorted(pathlib.Path(root).glob("*/lib")) + [pathlib.Path(root) / "lib"]
            found += [str(folder) for folder in folders if list(folder.glob("libcu*.so*"))]
    return found


class Machine:
    """Where the programs lie; starts them. Builds them where nobody says and no bundle is around."""

    def __init__(self, bundle=None, build=None, rehearse=False):
        if bundle is None and build is None and (SOURCE / "bin" / "tandem-device").exists():
            bundle = SOURCE
        self.bundle = bundle
        self.root = pathlib.Path(bundle or build or built(["gpu_rehearsal", "tests_device"] if rehearse else TARGETS)).resolve()
        folders = [self.root / "bin", self.root / "tests"]
        self.programs = {key: next((str(folder / name) for folder in folders if (folder / name).is_file()), None)
                         for key, name in {**NAMES, **(REHEARSAL if rehearse else {})}.items()}
        if self.programs["device"] is None:
            missing = f"rehearsal_device in {folders[1]}" if rehearse else f"tandem-device in {folders[0]}"
            raise Failed(f"there is no {missing}")
        self.libraries = python_packages()
        if bundle:
            self.libraries.insert(0, str(self.root / "lib" / "bundled"))
        self.environment = self.with_libraries(self.libraries)
        newer = self.root / "lib" / "newer"  # the C++ library of the machine that built it, where this one's is too old
        if bundle and newer.is_dir() and not self.starts():
            self.environment = self.with_libraries([*self.libraries, str(newer)])

    @staticmethod
    def with_libraries(folders):
        before = os.environ.get("LD_LIBRARY_PATH")
        return {**os.environ, "LD_LIBRARY_PATH": os.pathsep.join([*folders, *([before] if before else [])])}

    def starts(self):
        return subprocess.run([self.programs["device"], "--version"], env=self.environment, capture_output=True,
                              check=False).returncode == 0

    def program(self, key):
        if self.programs[key] is None:
            raise Skipped(f"{NAMES[key]} is not in {self.root}" +
                          (": it needs SimGrid, a bundle has it" if key == "tandem" else ""))
        return self.programs[key]

    def start(self, command, timeout, text=None, log=None):
        """The finished program, with its output. Ended with all that it started where it takes longer."""
        errors = open(log, "a", encoding="utf-8") if log else subprocess.PIPE
        process = subprocess.Popen([str(part) for part in command], stdin=subprocess.PIPE if text else subprocess.DEVNULL,
                                   stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True,
                                   env=self.environment)
        try:
            out, err = process.communicate(text, timeout=max(1, timeout))
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as reason:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
            if isinstance(reason, KeyboardInterrupt):
                raise
            raise Failed(f"{pathlib.Path(command[0]).name} {command[1] if len(command) > 1 else ''} took longer than "
                         f"{timeout:.0f} s") from None
        finally:
            if log:
                errors.close()
        return subprocess.CompletedProcess(command, process.returncode, out, err or "")

    def ask(self, key, *arguments, timeout=60, text=None, accept=(0,), log=None):
        """Standard output of one of our programs."""
        done = self.start([self.program(key), *arguments], timeout, text, log)
        if done.returncode not in accept:
            said = (done.stderr or done.stdout).strip().splitlines() or [f"see {log}" if log else "it says nothing"]
            raise Failed(f"{NAMES[key]} {arguments[0] if arguments else ''} ended with status {done.returncode}: {said[-1]}")
        return done.stdout

    def ask_json(self, key, *arguments, **options):
        text = self.ask(key, *arguments, **options)
        try:
            return json.loads(text)
        except ValueError as error:
            raise Failed(f"{NAMES[key]} {arguments[0]} printed no JSON: {error}") from None

    def models(self):
        return [entry["name"] for entry in self.ask_json("tandem", "models", "list", "--json")]


TARGETS = ["tandem-device", "tests_device", "zoo_check"]


def built(targets):
    """The folder of a release build, made now."""
    build = SOURCE / "scripts" / "build"
    if subprocess.run([str(build), "release", "--target", *targets], stdout=sys.stderr, check=False).returncode != 0:
        raise Failed("the programs cannot be built here; scripts/gpu/bundle DIR makes a folder that needs no build")
    # Without SimGrid there is no such target.
    subprocess.run(["cmake", "--build", str(SOURCE / "build" / "release"), "--target", "tandem"], stdout=subprocess.DEVNULL,
                   stderr=subprocess.DEVNULL, check=False)
    return SOURCE / "build" / "release"
