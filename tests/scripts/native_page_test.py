#!/usr/bin/env python3
"""Does the table of instructions and times on x86-64 say what was counted, how far both agree, and what was not timed?

usage: native_page_test.py SOURCE_DIR
"""
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.path.insert(0, str(SOURCE / "scripts" / "bench"))
sys.dont_write_bytecode = True
import native_page  # noqa: E402


def row(own, peer, times=None, off=0.1):
    made = {"tandem": own, "onnxruntime": peer, "onnxruntime_version": "1.0", "errors": {"tandem": 1e-7}, "ratio": own / peer}
    if times is None:
        return made
    ratio = times[0] / times[1]
    return {**made, "us": times[0], "onnxruntime_us": times[1], "time_ratio": ratio, "time_ratio_interval": (ratio - off, ratio + off)}


# Ratios of instructions 0.5 and 2, of times 1.2 and 1.2: the first is ahead in instructions and behind in time. Times by instructions 2.4 and 0.6:
# their geometric mean is 1.2, and 2.4 is farther from 1 than 0.6, which is 1 / 1.67. Of the ratios the means are 1 and 1.2.
TIMED = {"one": row(2e6, 4e6, (120, 100)), "other": row(8e6, 4e6, (60, 50))}


class NativePage(unittest.TestCase):
    def test_says_how_far_ratios_of_times_and_instructions_agree(self):
        self.assertEqual(native_page.agreement(TIMED),
                         "Geometric mean of the ratios of instructions: 1.000, of times: 1.200. Both say the same of who is ahead for 1 of 2 models; a "
                         "ratio of times is 1.20 times that of instructions in the geometric mean, farthest from it 2.40 times (one).")
        self.assertEqual(native_page.row_line("one", TIMED["one"]), "| one | 2.00 | 4.00 | 0.500 | 120 | 100 | 1.200 (1.100 to 1.300) | 2.40 | 1.0e-07 |")

    def test_does_not_say_who_is_ahead_where_noise_hides_it(self):
        self.assertIn("of who is ahead for 0 of 2 models, of 1 times cannot tell; ",
                      native_page.agreement({**TIMED, "other": row(8e6, 4e6, (60, 50), off=0.3)}))

    def test_says_what_was_not_timed(self):
        counted = {"one": row(2e6, 4e6)}
        self.assertEqual(native_page.row_line("one", counted["one"]), "| one | 2.00 | 4.00 | 0.500 |" + " not timed |" * 4 + " 1.0e-07 |")
        self.assertIn("none were taken", native_page.agreement(counted))

    def test_replaces_its_own_table_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder, "page.md")
            page.write_text(f"before\n\n{native_page.BEGIN}\nold\n{native_page.END}\n\nafter\n")
            for _ in range(2):
                self.assertTrue(native_page.update(TIMED, "1x3x8x8", page))
                text = page.read_text()
                self.assertTrue(text.startswith(f"before\n\n{native_page.BEGIN}\n"))
                self.assertTrue(text.endswith(f"{native_page.END}\n\nafter\n"))
                self.assertNotIn("old", text)
                self.assertEqual(text.count("| one |"), 1)
            page.write_text("nothing of it\n")
            self.assertFalse(native_page.update(TIMED, "1x3x8x8", page))
            self.assertEqual(page.read_text(), "nothing of it\n")

    def test_has_its_place(self):
        text = native_page.PAGE.read_text()
        self.assertEqual((text.count(native_page.BEGIN), text.count(native_page.END)), (1, 1))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
