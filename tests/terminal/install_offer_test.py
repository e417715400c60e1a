#!/usr/bin/env python3
"""Is who stands at a terminal asked whether a board that has no program gets one, and does --install do it without asking?

usage: install_offer_test.py TANDEM_PROGRAM
"""
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import unittest

from talk import on_terminal

PROGRAM = str(pathlib.Path(sys.argv[1]).resolve())
FAKE = pathlib.Path(__file__).resolve().parent.parent / "support" / "fake_device.py"
SCENARIO = {"tandem": "scenario/1", "name": "small", "platform": "device", "policies": ["fcfs"], "objective": "makespan",
            "streams": [{"name": "images", "model": "squeezenet_1_1", "count": 2, "arrival": {"type": "offline"}}]}
# It reaches a board whose processor is always the same: a folder, and what was asked of it stands in a file.
SSH = """#!/bin/sh
shift
echo "$*" >>'{folder}/asked'
cd '{folder}/home' && PATH='{folder}/board':$PATH exec sh -c "$*"
"""
INSTALLED = ".local/share/tandem-device/bin/tandem-device"


class InstallOffer(unittest.TestCase):
    def setUp(self):
        self.keeper = tempfile.TemporaryDirectory(prefix="tandem_offer_")
        self.addCleanup(self.keeper.cleanup)
        self.folder = pathlib.Path(self.keeper.name).resolve()
        for name in ("home", "tools", "board", "made"):
            (self.folder / name).mkdir()
        self.script("tools/ssh", SSH.format(folder=self.folder))
        self.script("board/uname", "#!/bin/sh\necho x86_64\n")
        version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
        self.script("program", f"#!/bin/sh\nexec '{sys.executable}' '{FAKE}' '{PROGRAM}' '{self.folder}/made' --release {version} \"$@\"\n")
        with tarfile.open(self.folder / f"tandem-device-{version}-linux-x86_64.tar.gz", "w:gz") as archive:
            archive.add(self.folder / "program", "tandem-device/bin/tandem-device")
        (self.folder / "small.scenario.json").write_text(json.dumps(SCENARIO))
        self.environment = {**os.environ, "PATH": f"{self.folder / 'tools'}:{os.environ['PATH']}"}

    def script(self, name, text):
        (self.folder / name).write_text(text)
        (self.folder / name).chmod(0o755)

    def words(self, *more, device="ssh jetson tandem-device"):
        return [PROGRAM, "validate", "small.scenario.json", "--engine", "virtual", "--repeat", "1", "--device", device, *more]

    def piped(self, words, status):
        done = subprocess.run(words, cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              check=False, timeout=300)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def installed(self):
        return (self.folder / "home" / INSTALLED).exists()

    def unpacked(self):
        """How often an archive was."""
        return sum("tar -xzf" in line for line in (self.folder / "asked").read_text().splitlines())

    def test_yes_installs_and_goes_on(self):
        status, seen = on_terminal(self.words(), columns=200, answers=[("[y/n] ", "maybe\n"), ("[y/n] ", "y\n")], environment=self.environment,
                                   folder=self.folder)
        self.assertEqual(status, 0, seen)
        self.assertTrue(self.installed())
        self.assertEqual(seen.count(b"[y/n] "), 2, "asked again after what is no answer, and never once it is there")
        self.assertIn(b"ssh jetson tandem-device cannot be started. Install tandem-device ", seen)
        self.assertIn(f'--device "ssh jetson {INSTALLED}"'.encode(), seen)
        self.assertIn(b"fcfs", seen)

    def test_no_says_how_and_sends_nothing(self):
        status, seen = on_terminal(self.words(), columns=200, answers=[("[y/n] ", "n\n")], environment=self.environment, folder=self.folder)
        self.assertEqual(status, 3, seen)
        self.assertIn(b"`tandem boards install jetson` puts it on that board", seen)
        self.assertEqual((self.folder / "asked").read_text().splitlines(), ["tandem-device info --json"])

    def test_ctrl_c_is_no_answer(self):
        status, seen = on_terminal(self.words(), columns=200, answers=[("[y/n] ", "\x03")], environment=self.environment, folder=self.folder)
        self.assertEqual(status, 130, seen)
        self.assertFalse(self.installed())

    def test_nobody_is_asked_elsewhere(self):
        said = self.piped(self.words(), 3).stderr
        self.assertIn("`tandem boards install jetson` puts it on that board", said)
        self.assertNotIn("[y/n]", said)
        self.assertFalse(self.installed())

    def test_option_installs_without_asking_and_once(self):
        said = self.piped(self.words("--install", device="ssh jetson nice -n 1 tandem-device"), 0).stderr
        self.assertIn(f'is installed there: --device "ssh jetson nice -n 1 {INSTALLED}"', said)
        self.assertNotIn("[y/n]", said)
        self.assertEqual(self.unpacked(), 1)
        self.assertIn("is there already", self.piped(self.words("--install"), 0).stderr)
        self.assertEqual(self.unpacked(), 1)

    def test_option_is_refused_where_no_ssh_reaches_the_board(self):
        for device in ("tandem-device", "./reach jetson tandem-device", "ssh jetson my-device"):
            self.assertIn("is no board that ssh reaches", self.piped(self.words("--install", device=device), 2).stderr)
        self.assertFalse((self.folder / "asked").exists())

    def test_boards_of_a_lab_get_it_by_the_option(self):
        (self.folder / "lab.boards.json").write_text(json.dumps(
            {"tandem": "boards/1", "name": "lab", "boards": [{"name": "nano", "command": "ssh nano tandem-device"}]}))
        (self.folder / "request.json").write_text(json.dumps(
            {"tandem": "profile-request/1", "platform": "device", "models": ["squeezenet_1_1"]}))
        words = [PROGRAM, "profiles", "measure", "request.json", "--boards", "lab.boards.json", "-o", "store", "--retries", "0"]
        self.piped(words, 3)
        self.assertFalse(self.installed())
        self.assertIn("nano had no program: ", self.piped([*words, "--install"], 0).stderr)
        self.assertTrue(self.installed())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
