#!/usr/bin/env python3
"""Does docs/packages.md have every component of this build, with its licence and version, as the build's own list has it?

usage: sbom_test.py SOURCE BUILD
"""
import json
import pathlib
import re
import sys
import unittest

SOURCE, BUILD = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])

DATED = re.compile(r"git(\d{4})(\d\d)(\d\d)")  # "0.0~git20220216.ae108ef", which the page has as 2022-02-16
NOT_OF_DEBIAN = {"CUDA", "cuDNN"}


def release():
    """Of the distribution: "debian 12"; the page's versions are of that."""
    try:
        words = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', pathlib.Path("/etc/os-release").read_text(), re.MULTILINE))
    except OSError:
        return ""
    return f"{words.get('ID', '')} {words.get('VERSION_ID', '')}"


def is_said(version, cell):
    """Does the page's cell name this version, perhaps without its last numbers?"""
    dated = DATED.search(version)
    if dated:
        return "-".join(dated.groups()) in cell
    return any(version == said or version.startswith(said + ".") for said in re.findall(r"\d+(?:\.\d+)+", cell))


class TheBuildsList(unittest.TestCase):
    def setUp(self):
        self.list = json.loads((BUILD / "tandem.cdx.json").read_text())
        self.rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \| [^|]+ \|$",
                               (SOURCE / "docs" / "packages.md").read_text(), re.MULTILINE)

    def test_is_of_the_form_that_it_says(self):
        self.assertEqual((self.list["bomFormat"], self.list["specVersion"]), ("CycloneDX", "1.5"))
        self.assertRegex(self.list["metadata"]["component"]["version"], r"^\d+\.\d+\.\d+$")
        for component in self.list["components"]:
            self.assertEqual(component["type"], "library")
            self.assertTrue(component["description"], component)

    def test_is_that_of_the_page(self):
        page = {name: licence for name, licence, _ in self.rows}
        names = [component["name"] for component in self.list["components"]]
        self.assertIn("nlohmann_json", names)
        self.assertEqual(len(names), len(set(names)))
        for component in self.list["components"]:
            licence = component["licenses"][0]["license"]
            self.assertEqual(page.get(component["name"]), licence.get("id", licence.get("name")), component["name"])

    def test_has_the_versions_of_the_page(self):
        if not release().startswith("debian "):
            self.skipTest("versions are told of Debian's packages")
        page = {name: version for name, _, version in self.rows}
        for component in self.list["components"]:
            self.assertTrue(component.get("version"), component["name"])
            if release() == "debian 12" and component["name"] not in NOT_OF_DEBIAN:
                self.assertTrue(is_said(component["version"], page[component["name"]]), component)

    def test_a_version_is_said_with_all_its_numbers_or_the_first_of_them(self):
        self.assertTrue(is_said("1.74.0", "1.74"))
        self.assertTrue(is_said("4.1.4", "Open MPI 4.1.4"))
        self.assertTrue(is_said("0.0~git20220216.ae108ef", "2022-02-16 or 2024-11-08"))
        for version, cell in (("3.1", "Open MPI 4.1.4"), ("1.74.0", "1.7"), ("0.0~git20210507.1787867", "2022-02-16")):
            self.assertFalse(is_said(version, cell))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
