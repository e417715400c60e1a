#!/usr/bin/env python3
"""Is somebody at a terminal shown how far `tandem validate` and `tandem-device profile` are, and nobody else?

usage: live_test.py TANDEM [TANDEM_DEVICE]
"""
import fcntl
import json
import os
import pathlib
import pty
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

TANDEM, DEVICE = "tandem", None
FAKE = pathlib.Path(__file__).resolve().parent.parent.parent / "support" / "fake_device.py"
SCENARIO = {"tandem": "scenario/1", "name": "small", "platform": "device", "policies": ["fcfs", "round_robin"], "objective": "makespan",
            "streams": [{"name": "images", "model": "squeezenet_1_1", "count": 6, "arrival": {"type": "offline"}},
                        {"name": "video", "model": "mobilenet_v2", "count": 4, "arrival": {"type": "offline"}}]}
ERASE = b"\x1b[J"


class Terminal:
    """A program on a terminal of so many columns; its standard output goes to a file where one is given."""

    def __init__(self, words, columns, folder, output=None):
        self.said, self.output = b"", output
        self.process, self.end = pty.fork()
        if self.process == 0:
            try:
                if output:
                    os.dup2(os.open(output, os.O_CREAT | os.O_WRONLY), 1)
                os.chdir(folder)
                time.sleep(0.2)  # until the size is set
                os.execv(words[0], words)
            finally:
                os._exit(127)
        self.resize(columns)

    def resize(self, columns):
        fcntl.ioctl(self.end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def listen(self, until, seconds=120):
        """Until the text has been said, or nothing more is."""
        give_up = time.time() + seconds
        while until not in self.said and time.time() < give_up and self.hears(give_up - time.time()):
            pass

    def hears(self, seconds=120):
        """Whether something more was said meanwhile."""
        if not select.select([self.end], [], [], max(seconds, 0))[0]:
            return False
        try:
            piece = os.read(self.end, 65536)
        except OSError:  # nobody has it open any more
            return False
        self.said += piece
        return piece != b""

    def ended(self):
        self.listen(b"\0 never said")
        return os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])

    def interrupt(self):
        os.kill(self.process, signal.SIGINT)

    def longest(self, since=0):
        """Of all lines that were drawn; sentences that stay are the terminal's to break."""
        lines = [line for frame in self.said[since:].split(ERASE) for line in frame.replace(b"\r", b"").split(b"\n")
                 if not line.startswith(b"tandem")]
        return max(len(line.split(b"\x1b[")[0].decode(errors="replace")) for line in lines)


class LiveValidate(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        (self.path / "small.scenario.json").write_text(json.dumps(SCENARIO))

    def tearDown(self):
        self.folder.cleanup()

    def words(self, device, *more):
        return [TANDEM, "validate", "small.scenario.json", "--engine", "virtual", "--repeat", "4",
                "--device", f"python3 {FAKE} {TANDEM} {self.folder.name} {device}", *more]

    def test_says_what_is_done_how_long_it_takes_and_what_is_known(self):
        for columns in (80, 40):
            with self.subTest(columns=columns):
                terminal = Terminal(self.words("--stall-after 3"), columns, self.folder.name)
                terminal.listen(b"measured ")
                self.assertIn(b"the device measures a profile", terminal.said)
                self.assertIn(b"runs [#" if columns == 80 else b"runs: ", terminal.said)
                self.assertIn(b"fcfs: predicted ", terminal.said)
                self.assertLessEqual(terminal.longest(), columns)
                terminal.interrupt()
                self.assertEqual(terminal.ended(), 130)
                result = terminal.said.split(ERASE)[-1]
                self.assertIn(b"tandem: interrupted", result)
                self.assertNotIn(b"runs [", result, "the bar is taken away before the result is printed")

    def test_follows_the_width_of_the_terminal(self):
        terminal = Terminal(self.words("--stall-after 3"), 100, self.folder.name)
        terminal.listen(b"runs [####")
        terminal.resize(30)
        now = len(terminal.said)
        while terminal.said[now:].count(ERASE) < 4 and terminal.hears():
            pass
        drawn = terminal.said[now:].split(ERASE)[2:]  # one may have been under way
        terminal.interrupt()
        terminal.ended()
        self.assertGreater(len(drawn), 1, "it is drawn while nothing new is told, too")
        self.assertLess(max(len(line) for frame in drawn for line in frame.split(b"\x1b[")[0].replace(b"\r", b"").split(b"\n")), 30)

    def test_result_in_a_file_has_nothing_of_it(self):
        terminal = Terminal(self.words("--slow run=3", "--json"), 80, self.folder.name, self.path / "out.json")
        self.assertEqual(terminal.ended(), 0)
        self.assertEqual(json.loads((self.path / "out.json").read_text())["tandem"], "calibration/1")

    def test_pipes_get_nothing_of_it(self):
        done = subprocess.run(self.words("--slow run=3"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=self.folder.name, check=True)
        self.assertEqual(done.stderr, b"")
        self.assertNotIn(b"\x1b", done.stdout)
        self.assertNotIn(b"[#", done.stdout)


class LiveProfile(unittest.TestCase):
    def setUp(self):
        if DEVICE is None:
            self.skipTest("no tandem-device")
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def words(self, budget):
        return [DEVICE, "profile", "--model", "squeezenet_1_1,resnet18", "--cores", "0", "--co-running", "none", "--budget", budget, "--force", "-o", "p.profile.json"]

    def test_says_what_is_done_how_long_it_takes_and_what_is_known_and_is_gone_when_it_is_interrupted(self):
        for columns in (80, 40):
            with self.subTest(columns=columns):
                terminal = Terminal(self.words("60"), columns, self.folder.name)
                terminal.listen(b" left")
                terminal.listen(b" ms ")
                frames = terminal.said.split(ERASE)
                self.assertRegex(terminal.said, rb" on cpu \[#*-+\] \d+ %, " if columns == 80 else rb" on cpu: \d+ %, ")
                self.assertTrue(any(b" left" in frame for frame in frames))
                self.assertRegex(frames[-1], rb"\n(squeezenet_1_1|resnet18) on cpu: [\d.]+ ms", "what is known")
                self.assertLessEqual(terminal.longest(terminal.said.index(ERASE)), columns)
                terminal.interrupt()
                self.assertEqual(terminal.ended(), 130)
                self.assertNotIn(b" on cpu: ", terminal.said.split(ERASE)[-1])


if __name__ == "__main__":
    TANDEM = sys.argv[1]
    DEVICE = sys.argv[2] if len(sys.argv) > 2 else None
    unittest.main(argv=sys.argv[:1])
