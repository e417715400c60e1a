#!/usr/bin/env python3
"""Do the links between the pages of the documentation lead to files and headings that are there?

usage: links_test.py SOURCE_DIR
"""
import pathlib
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(sys.argv[1]).resolve()
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from pages.links import anchor_of, anchors_in, broken_links  # noqa: E402


class Links(unittest.TestCase):
    def test_all_lead_somewhere(self):
        broken, count = broken_links(SOURCE)
        self.assertEqual(broken, [])
        self.assertGreater(count, 100)

    def test_anchors_are_those_of_github(self):
        self.assertEqual(anchor_of("A machine that was measured"), "a-machine-that-was-measured")
        self.assertEqual(anchor_of("plan/1: what was decided"), "plan1-what-was-decided")
        self.assertEqual(anchor_of("`best` is no better. Why?"), "best-is-no-better-why")
        self.assertEqual(anchors_in("# A\n## B\n```\n# no heading\n```\n## B\n"), {"a", "b", "b-1"})

    def test_what_leads_nowhere_is_told_with_its_line(self):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "docs").mkdir()
            (root / "README.md").write_text("[a](docs/b.md#c)\n[b](gone.md)\n`[code](gone.md)`\n[web](https://example.org)\n")
            (root / "docs/b.md").write_text("# B\n[back](../README.md)\n```\n[fenced](gone.md)\n```\n")
            broken, count = broken_links(root)
        self.assertEqual(broken, ["README.md:1: docs/b.md#c: b.md has no heading #c", "README.md:2: gone.md: there is no gone.md"])
        self.assertEqual(count, 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
