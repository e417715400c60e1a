#!/usr/bin/env python3
"""Does docs/packages.md have every component of this build, with its licence, as the build's own list has it?

usage: sbom_test.py SOURCE BUILD
"""
import json
import pathlib
import re
import sys
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])


class TheBuildsList(unittest.TestCase):
    def setUp(self):
        self.list = json.loads((BUILD / "tandem.cdx.json").read_text())

    def test_is_of_the_form_that_it_says(self):
        self.assertEqual((self.list["bomFormat"], self.list["specVersion"]), ("CycloneDX", "1.5"))
        self.assertRegex(self.list["metadata"]["component"]["version"], r"^\d+\.\d+\.\d+$")
        for component in self.list["components"]:
            self.assertEqual(component["type"], "library")
            self.assertTrue(component["description"], component)

    def test_is_that_of_the_page(self):
        rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| [^|]+ \| [^|]+ \|$",
                          (SOURCE / "docs" / "packages.md").read_text(), re.MULTILINE)
        page = dict(rows)
        names = [component["name"] for component in self.list["components"]]
        self.assertIn("nlohmann_json", names)
        self.assertEqual(len(names), len(set(names)))
        for component in self.list["components"]:
            licence = component["licenses"][0]["license"]
            self.assertEqual(page.get(component["name"]), licence.get("id", licence.get("name")), component["name"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
