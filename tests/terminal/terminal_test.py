#!/usr/bin/env python3
"""Are both programs good guests in a terminal: width, colour, quiet, help, manual, completion, and names that are hostile?

usage: terminal_test.py TANDEM_PROGRAM [TANDEM_DEVICE_PROGRAM] [-k TEST]
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

from talk import on_terminal

PROGRAMS = {pathlib.Path(path).name: str(pathlib.Path(path).resolve()) for path in sys.argv[1:] if path[0] in "./"}
ARGUMENTS = [word for word in sys.argv[1:] if word[0] in "./"]
TANDEM = PROGRAMS["tandem"]
COLOR = re.compile(rb"\x1b\[(0|1;32|1;31)m")
LONG = "a_network_whose_name_was_made_by_a_tool_and_not_by_a_person"


def run(words, folder=None, environment=None, text=True):
    return subprocess.run(words, cwd=folder, capture_output=True, text=text, timeout=300, stdin=subprocess.DEVNULL, check=False,
                          env={**{k: v for k, v in os.environ.items() if k != "COLUMNS"}, **(environment or {})})


def commands(name, words=()):
    """All of a program, as words behind its name, from the help."""
    yield words
    listed = run([PROGRAMS[name], *words, "--help"]).stdout.partition("\nSubcommands:\n")[2]
    for line in listed.splitlines():
        if not line.startswith("  "):
            break
        if found := re.match(r"  ([a-z][a-z-]*)(\s|$)", line):
            yield from commands(name, (*words, found[1]))


def too_wide(text, width):
    """Lines that are wider, where one of their words is not as wide itself."""
    return [line for line in text.splitlines() if len(line) > width and max(map(len, line.split())) < width - 10]


def plain(seen):
    """What a terminal shows of it, progress a line each."""
    return COLOR.sub(b"", seen).replace(b"\x1b[J", b"\n").decode().replace("\r", "")


def board(units, name="wide"):
    return {"tandem": "platform/1", "name": name, "memories": [{"name": "dram"}],
            "units": [{"name": unit, "kind": "cpu", "memory": "dram"} for unit in units]}


def scenario(units, models, name="wide", stream="{}"):
    platform = board(units, name)
    del platform["tandem"]
    entries = [{"model": model, "unit": unit, "layers": "*", "median_us": 1000 + 10 * i}
               for model in models for i, unit in enumerate(units)]
    return {"tandem": "scenario/1", "name": name, "platform": platform, "transfer": "none",
            "profiles": [{"tandem": "profile/1", "platform": name, "origin": {"kind": "published", "source": name},
                          "entries": entries}],
            "streams": [{"name": stream.format(i), "model": model, "count": 6, "arrival": {"type": "offline"}}
                        for i, model in enumerate(models)],
            "policies": ["fcfs", {"name": "eft", "label": stream.format("eft")}]}


class Terminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keeper = tempfile.TemporaryDirectory(prefix="tandem_terminal_")
        cls.folder = pathlib.Path(cls.keeper.name)
        many = [f"accelerator_{i}" for i in range(24)]
        cls.write("wide.scenario.json", scenario(many, ["resnet50", "vgg16"], stream=LONG + "_{}"))
        cls.write("wide.platform.json", board(many))
        profile = scenario(many, ["resnet50", "vgg16"])["profiles"][0]
        cls.write("wide.profile.json", dict(profile, platform="./wide.platform.json"))
        slower = json.loads(json.dumps(dict(profile, platform="./wide.platform.json")))
        for entry in slower["entries"]:
            entry["median_us"] *= 2
        cls.write("slow.profile.json", slower)

    @classmethod
    def tearDownClass(cls):
        cls.keeper.cleanup()

    @classmethod
    def write(cls, name, content):
        (cls.folder / name).write_text(json.dumps(content, ensure_ascii=False), encoding="utf-8")

    def looks(self):
        """Commands whose tables may be wide."""
        return [[TANDEM, *words.split()] for words in (
            "models list", "models show googlenet", "scenarios list", "boards list", "profiles list",
            "profiles show jetson-tx1", "profiles show wide.profile.json", "policies list", "schema", "check wide.scenario.json",
            "simulate wide.scenario.json --engine virtual --details", "plan wide.scenario.json --engine virtual",
            "simulate wide.scenario.json --engine virtual --replications 3", "explain wide.scenario.json --policy fcfs",
            "explain wide.scenario.json --policy fcfs --versus eft --engine virtual",
            "plan wide.scenario.json --policy eft --engine virtual",
            "profiles diff wide.profile.json slow.profile.json",
            "simulate study-003 --policy fcfs,eft --details --engine virtual")]

    def test_tables_fit_eighty_columns_in_a_pipe_and_the_terminal(self):
        for words in self.looks():
            piped = run(words, self.folder)
            self.assertIn(piped.returncode, (0, 1), piped.stderr)
            self.assertEqual(too_wide(piped.stdout, 80), [], words)
            for columns in (60, 100):
                status, seen = on_terminal(words, columns, folder=self.folder)
                self.assertIn(status, (0, 1), seen)
                self.assertEqual(too_wide(plain(seen), columns), [], words)

    def test_nothing_of_a_long_name_is_lost_in_a_pipe(self):
        words = [TANDEM, "simulate", "wide.scenario.json", "--engine", "virtual", "--details"]
        self.assertIn(LONG + "_eft", "".join(run(words, self.folder).stdout.split()) +
                      run([*words, "--wide"], self.folder).stdout)
        self.assertIn(LONG + "_1", run([*words, "--wide"], self.folder).stdout)

    def test_every_help_fits_and_ends_with_two_examples(self):
        for name in PROGRAMS:
            for command in commands(name):
                for columns in (40, 80):
                    answer = run([PROGRAMS[name], *command, "--help"], environment={"COLUMNS": str(columns)})
                    self.assertEqual(answer.returncode, 0)
                    self.assertEqual(too_wide(answer.stdout, columns), [], (name, command))
                tail = answer.stdout.partition("\nExamples:\n")[2].replace(" \\\n", " ").splitlines()
                self.assertGreaterEqual(len(tail), 2, (name, command))
                self.assertEqual([line for line in tail if f"{name} " not in line], [], (name, command))

    def test_colours_are_for_terminals_that_want_them(self):
        words = [TANDEM, "simulate", "study-003", "--policy", "fcfs,eft", "--engine", "virtual"]
        self.assertRegex(on_terminal(words)[1], rb"\x1b\[1;32m\* eft.*\x1b\[0m")
        plain = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
        for environment in ({**plain, "NO_COLOR": "1"}, {**plain, "TERM": "dumb"}):
            self.assertNotIn(b"\x1b", on_terminal(words, environment=environment)[1])
        self.assertIn(b"\x1b", on_terminal(words, environment={**plain, "NO_COLOR": ""})[1])
        self.assertNotIn(b"\x1b", on_terminal([*words, "--color", "never"])[1])
        self.assertNotIn("\x1b", run(words).stdout)
        always = run([*words, "--color=always"]).stdout
        self.assertIn("\x1b[1;32m", always)
        self.assertEqual(COLOR.sub(b"", always.encode()).decode(), run(words).stdout)

    def test_quiet_leaves_results_and_errors_alone(self):
        notes = [[TANDEM, "models", "export", "squeezenet_1_1", "-o", "net.onnx"],
                 [TANDEM, "new", "platform", "--unit", "cpu", "-o", "quiet.platform.json"],
                 [TANDEM, "sweep", "study-003-counts", "-o", "rows", "--shard", "1/9"]]
        for words in notes:
            loud = run([*words, "--force"] if "--shard" not in words else words, self.folder)
            if "ONNX" in loud.stderr and loud.returncode != 0:
                continue  # built without
            self.assertNotEqual(loud.stderr, "", words)
            quiet = run([*words, "--quiet", *([] if "--shard" in words else ["--force"])], self.folder)
            self.assertEqual((quiet.returncode, quiet.stderr), (loud.returncode, ""), words)
            self.assertEqual(quiet.stdout, loud.stdout, words)
        for name in PROGRAMS:
            for command in commands(name):
                text = run([PROGRAMS[name], *command, "--help"]).stdout
                if "Subcommands:" not in text or "Options of every command" in text:
                    self.assertIn("-q,--quiet", text, (name, command))
        if "tandem-device" in PROGRAMS:
            (self.folder / "device.sh").write_text(
                f'echo "$@" >> asked.txt; [ "$1" = info ] && exec {PROGRAMS["tandem-device"]} "$@"; exit 3', encoding="utf-8")
            run([TANDEM, "validate", "this-machine", "--device", "sh device.sh", "--quiet"], self.folder)
            asked = (self.folder / "asked.txt").read_text(encoding="utf-8").splitlines()
            self.assertEqual([line for line in asked if line.split()[0] in ("profile", "run")], ["profile --quiet"])
        wrong = run([TANDEM, "check", "nothing.json", "--quiet"], self.folder)
        self.assertEqual(wrong.returncode, 2)
        self.assertNotEqual(wrong.stderr, "")

    def test_each_command_has_its_page_in_the_manual(self):
        for name in PROGRAMS:
            folder = self.folder / f"man_{name}"
            self.assertEqual(run([PROGRAMS[name], "man", "--all", str(folder)]).returncode, 0)
            pages = {page.name for page in folder.iterdir()}
            self.assertEqual(pages, {"-".join([name, *command]) + ".1" for command in commands(name)})
            for page in folder.iterdir():
                text = page.read_text(encoding="utf-8")
                for section in ("NAME", "SYNOPSIS", "OPTIONS", "EXAMPLES"):
                    self.assertIn(f".SH {section}\n", text, page.name)
                if shutil.which("groff"):
                    shown = run(["groff", "-man", "-ww", "-Tutf8", "-P-c", str(page)])
                    self.assertEqual(shown.stderr, "", page.name)
                if shutil.which("mandoc"):
                    judged = run(["mandoc", "-T", "lint", "-W", "error", str(page)])
                    self.assertEqual(judged.stdout, "", page.name)
        one = run([TANDEM, "man", "models", "show"]).stdout
        for option in re.findall(r"--[a-z][a-z-]+", run([TANDEM, "models", "show", "--help"]).stdout):
            self.assertIn(option.replace("-", "\\-"), one)
        self.assertEqual(run([TANDEM, "man", "modles"]).stderr,
                         "tandem has no command \"modles\"; did you mean \"models\"?\n")


class Completion(unittest.TestCase):
    """By the shells' own machinery."""

    EXPECTED = [  # the line up to the cursor, some of what is offered, some of what is not
        ("tandem ", ["simulate", "models", "completion"], ["resnet50", "--json"]),
        ("tandem sim", ["simulate"], ["models"]),
        ("tandem models show res", ["resnet50", "resnet101"], ["show"]),
        ("tandem simulate ", ["study-003", "overload", "own.scenario.json", "nets"], ["own.platform.json"]),
        ("tandem simulate study-003 --pol", ["--policy"], ["--json"]),
        ("tandem simulate study-003 --policy e", ["eft"], ["fcfs"]),
        ("tandem simulate study-003 --policy fcfs,e", ["fcfs,eft"], ["eft"]),
        ("tandem simulate study-003 --engine ", ["simgrid", "virtual"], ["study-003"]),
        ("tandem simulate nets/", ["nets/deep.scenario.json"], ["own.scenario.json"]),
        ("tandem profiles show jet", ["jetson-tx1"], ["resnet50"]),
        ("tandem new scenario --board tinker", ["tinker-edge-r"], []),
        ("tandem new scenario --board o", ["own.platform.json"], ["own.scenario.json"]),
        ("tandem new scenario --stream mob", ["mobilenet_v2"], []),
        ("tandem plan study-003 --emit ", ["onnxruntime", "systemd"], ["own.scenario.json"]),
        ("tandem simulate study-003 --what-if ", [], ["own.scenario.json"]),
        ("tandem man ", ["models", "simulate"], ["own.scenario.json"]),
        ("tandem man models ", ["show"], ["simulate", "own.scenario.json"]),
        ("tandem schema ", ["platform", "scenario", "profile"], []),
        ("tandem completion ", ["bash", "zsh", "fish"], []),
    ]

    @classmethod
    def setUpClass(cls):
        cls.keeper = tempfile.TemporaryDirectory(prefix="tandem_completion_")
        cls.folder = pathlib.Path(cls.keeper.name)
        for name in ("own.scenario.json", "own.platform.json", "nets/deep.scenario.json", "evil\x1b[31m.scenario.json",
                     "two words.scenario.json"):
            (cls.folder / name).parent.mkdir(exist_ok=True)
            (cls.folder / name).write_text("{}", encoding="utf-8")
        cls.path = str(pathlib.Path(TANDEM).parent) + os.pathsep + os.environ["PATH"]

    @classmethod
    def tearDownClass(cls):
        cls.keeper.cleanup()

    def ask(self, shell, script, environment=None):
        answer = run([*shell, script], self.folder, {"PATH": self.path, **(environment or {})})
        self.assertEqual(answer.stderr, "", script)
        self.assertNotIn("\x1b", answer.stdout)
        return {line.rstrip("/") for line in answer.stdout.splitlines()}

    def hold(self, offered_for):
        for line, there, not_there in self.EXPECTED:
            offered = offered_for(line)
            self.assertTrue(set(there) <= offered, f"{line}: {sorted(offered)} lacks some of {there}")
            self.assertFalse(set(not_there) & offered, f"{line}: {sorted(offered)}")

    def bash(self, line, words=None):
        words = words or [word for word in re.split(r" +|(=)", line) if word is not None and word != ""]
        if line.endswith(" "):
            words.append("")
        array = " ".join(f"'{word}'" for word in words)
        return self.ask(["bash", "--norc", "-c"], f"""
            source <(tandem completion bash)
            complete -p tandem >/dev/null || exit 3
            COMP_WORDS=({array}) COMP_CWORD={len(words) - 1}
            _tandem; printf '%s\\n' "${{COMPREPLY[@]}}" """)

    def test_bash_offers_what_may_follow(self):
        self.hold(self.bash)
        self.assertEqual(self.bash("tandem simulate study-003 --policy=ef"), {"eft", "eft_depth"} & self.bash(
            "tandem simulate study-003 --policy ef") or {"eft"})
        self.assertIn("two words.scenario.json", self.bash("tandem simulate tw"))

    def test_bash_finds_a_program_that_is_called_by_its_path(self):
        answer = run(["bash", "--norc", "-c", f"""
            source <({TANDEM} completion bash)
            COMP_WORDS=(tandem sim) COMP_CWORD=1
            _tandem; printf '%s\\n' "${{COMPREPLY[@]}}" """], self.folder, {"PATH": "/usr/bin:/bin"})
        self.assertEqual(answer.stdout.split(), ["simulate"])

    def test_bash_in_a_terminal_completes_at_a_tab(self):
        status, seen = on_terminal(["bash", "--norc", "--noprofile"], folder=self.folder, answers=[
            ("$ ", "source <(tandem completion bash); PS1='ready> '\n"), ("ready> ", "tandem models show mobilenet_v2\t\x15"),
            ("mobilenet_v2", "tandem sch\t plat\t\n"), ("\"$id\"", "exit\n")],
            environment={**os.environ, "PATH": self.path, "PS1": "$ ", "INPUTRC": "/dev/null"})
        self.assertEqual(status, 0, seen)
        self.assertIn(b"platform.schema.json", seen)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_offers_what_may_follow(self):
        def offered(line):
            words = re.split(r" +", line)
            array = " ".join(f"'{word}'" for word in words)
            return self.ask(["zsh", "-f", "-c"], f"""
                compadd() {{ while [[ $1 == -* ]]; do
                    case $1 in -a) shift; print -rl -- ${{(P)1}}; return 0;; -d|-S) shift;; esac; shift; done }}
                eval "$(tandem completion zsh)"
                words=({array}) CURRENT={len(words)} PREFIX='{words[-1]}'
                _tandem""")
        self.hold(offered)

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_loads_the_file_that_is_installed(self):
        (self.folder / "site").mkdir(exist_ok=True)
        run([TANDEM, "completion", "zsh", "-o", "site/_tandem", "--force"], self.folder)
        answer = run(["zsh", "-f", "-c", "fpath=(./site $fpath); autoload -Uz compinit; compinit -u -d ./dump; "
                                         "print $_comps[tandem]"], self.folder)
        self.assertEqual(answer.stdout, "_tandem\n", answer.stderr)

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_offers_what_may_follow(self):
        home = {"HOME": str(self.folder / "home"), "XDG_CONFIG_HOME": str(self.folder / "home")}
        def offered(line):
            lines = self.ask(["fish", "--no-config", "-c"],
                             f"tandem completion fish | source; complete -C '{line}'", home)
            return {candidate.split("\t")[0].rstrip("/") for candidate in lines}
        self.hold(offered)


class Hostile(unittest.TestCase):
    """Names that would take over a terminal: every command gets them, in files and on its line."""

    NAME = "evil\x9b2J\u202egnp\u2028\x85"  # names may hold that,
    TEXT = NAME + "\x1b]0;owned\x07\x1b[31m\x7f"  # and other texts anything
    RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

    @classmethod
    def setUpClass(cls):
        cls.keeper = tempfile.TemporaryDirectory(prefix="tandem_hostile_")
        cls.folder = pathlib.Path(cls.keeper.name)
        name = cls.NAME
        files = {"evil.scenario.json": scenario([name, "cpu"], ["resnet50"], name, name + "{}"),
                 "evil.platform.json": board([name, "cpu"], name)}
        files["evil.profile.json"] = dict(files["evil.scenario.json"]["profiles"][0], platform="./evil.platform.json",
                                          note=cls.TEXT)
        files["evil.profile.json"]["origin"]["source"] = cls.TEXT
        files["slow.profile.json"] = json.loads(json.dumps(files["evil.profile.json"]))
        for entry in files["slow.profile.json"]["entries"]:
            entry["median_us"] *= 2
        files["wrong.scenario.json"] = dict(files["evil.scenario.json"], **{cls.TEXT: 1}, name=cls.TEXT)
        files["evil.scenario.json"]["note"] = files["evil.scenario.json"]["streams"][0]["note"] = cls.TEXT
        files["unknown.scenario.json"] = json.loads(json.dumps(files["evil.scenario.json"]))
        files["unknown.scenario.json"]["streams"][0]["model"] = cls.TEXT.replace("\x1b", "").replace("\x7f", "").replace("\x07", "")
        files["\x1b[31mevil.scenario.json"] = files["evil.scenario.json"]
        for file, content in files.items():
            (cls.folder / file).write_text(json.dumps(content), encoding="utf-8")
        (cls.folder / "latin.scenario.json").write_bytes(b'{"tandem": "scenario/1", "name": "\xe4\x9b\xff"}')
        (cls.folder / "times.csv").write_text(f"model,cpu{name}_ms\nresnet50,1\n", encoding="utf-8")
        (cls.folder / "bad.csv").write_text(f"model,cpu_ms\n{cls.TEXT},1\n", encoding="utf-8")
        for words in (["simulate", "evil.scenario.json", "--engine", "virtual", "--policy", "fcfs", "--trace", "evil.trace.json"],
                      ["plan", "evil.scenario.json", "--engine", "virtual", "-o", "evil.plan.json"],
                      ["new", "sweep", "evil.scenario.json", "-o", "evil.sweep.json"],
                      ["new", "baseline", "evil.scenario.json", "-o", "evil.baseline.json"]):
            answer = run([TANDEM, *words], cls.folder)
            assert answer.returncode == 0, answer.stderr
        report = run([TANDEM, "simulate", "evil.scenario.json", "--engine", "virtual", "--json"], cls.folder).stdout
        (cls.folder / "report.json").write_text(report, encoding="utf-8")

    @classmethod
    def tearDownClass(cls):
        cls.keeper.cleanup()

    GOOD = ["check evil.scenario.json evil.platform.json evil.profile.json evil.plan.json", "check --json evil.scenario.json",
            "simulate evil.scenario.json --details", "simulate evil.scenario.json --engine virtual --json",
            "simulate evil.scenario.json --engine virtual --replications 2", "simulate evil.plan.json",
            "plan evil.scenario.json --engine virtual", "plan evil.scenario.json --engine virtual -o -",
            "explain evil.scenario.json --policy fcfs", "check-trace evil.scenario.json evil.trace.json",
            "compare evil.trace.json evil.trace.json", "regress evil.baseline.json", "sweep evil.sweep.json -o rows",
            "sweep evil.sweep.json -o rows --collect", "sweep evil.sweep.json -o rows --list",
            "profiles show evil.profile.json", "profiles diff evil.profile.json slow.profile.json",
            "profiles merge evil.profile.json evil.profile.json", "report report.json -o -",
            "simulate evil.scenario.json --engine virtual --policy fcfs --trace -",
            "simulate evil.scenario.json --engine virtual --csv -", "new scenario --table times.csv -o -",
            "new baseline evil.scenario.json -o -", "new sweep evil.scenario.json -o -"]
    BAD = ["check wrong.scenario.json unknown.scenario.json latin.scenario.json", "simulate wrong.scenario.json",
           "simulate unknown.scenario.json", "new profile --board evil.platform.json --table bad.csv -o x.json"]

    def judge(self, words, seen):
        text = COLOR.sub(b"", seen).replace(b"\x1b[J", b"").decode("utf-8", errors="strict")
        found = self.RAW.search(text)
        self.assertIsNone(found, f"{words}: {found and text[max(0, found.start() - 60):found.end() + 20]!r}")

    def test_names_in_files_reach_no_terminal_raw(self):
        for line, good in [*((line, True) for line in self.GOOD), *((line, False) for line in self.BAD)]:
            words = [TANDEM, *line.split()]
            status, seen = on_terminal(words, folder=self.folder)
            if good:
                self.assertIn(status, (0, 1), (line, seen))
            else:
                self.assertEqual(status, 2, (line, seen))
            self.judge(words, seen)

    def test_words_on_the_line_reach_no_terminal_raw(self):
        broken = self.TEXT.encode() + b"\xff\xfe"
        for name, program in PROGRAMS.items():
            for command in commands(name):
                for words in ([broken], [b"--" + broken], [b"study-003", b"--policy", broken], [b"\x1b[31mevil.scenario.json"], [b"-o", broken + b"/x/y", broken]):
                    line = [program, *command, *words]
                    status, seen = on_terminal(line, folder=self.folder)
                    self.assertNotEqual(status, -9, line)
                    self.judge(line, seen)


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word not in ARGUMENTS])
