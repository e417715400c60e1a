#!/usr/bin/env python3
"""Are the pages of fidelity what scripts/studies/fidelity wrote, unedited, and of all scenarios?

usage: fidelity_pages_test.py SOURCE"""
import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "scripts" / "studies"))
from replay import fidelity_page as page  # noqa: E402

SCENARIOS = [path.name.removesuffix(".scenario.json") for path in sorted((SOURCE / "scenarios" / "fidelity").glob("*.scenario.json"))]


class Pages(unittest.TestCase):
    def test_are_the_scripts_and_name_every_scenario(self):
        pages = sorted((SOURCE / "docs").glob("fidelity*.md"))
        self.assertIn("fidelity.md", [path.name for path in pages])
        for path in pages:
            text = path.read_text()
            with self.subTest(page=path.name):
                self.assertTrue(text.startswith(page.TITLE + "\n"), "it has another title")
                self.assertTrue(page.is_sealed(text), "it was edited, or is not the script's: scripts/studies/fidelity writes it")
                for name in [*SCENARIOS, "study-003-emulated"]:
                    self.assertIn(f"\n| {name} | ", text, "a scenario is missing")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
