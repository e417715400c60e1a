#!/usr/bin/env python3
"""Are the pages of fidelity what scripts/studies/fidelity wrote, unedited, and of all scenarios? And is docs/fidelity_again.md, where
it is, a measurement of its own: of another day than docs/fidelity.md, of files as they were committed, and with a link that leads
there?

usage: fidelity_pages_test.py SOURCE"""
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
SOURCE = pathlib.Path(sys.argv[1])
sys.path.insert(0, str(SOURCE / "scripts" / "studies"))
from replay import fidelity_page as page  # noqa: E402

SCENARIOS = [path.name.removesuffix(".scenario.json") for path in sorted((SOURCE / "scenarios" / "fidelity").glob("*.scenario.json"))]
PAGE, AGAIN = "fidelity.md", "fidelity_again.md"
# Pages from before rows were kept beside them: nothing can write these again, and they stand as they were written. A new one has rows.
WITHOUT_ROWS = {"6f4531cc0e9a81850123ffe26825afb43653f93a37be38259e9e30a1744a52f3", "340b2f98b4a59f0fc19a6b187091996f02e1d864eea83012273c60c88aca7d64"}
DAY = r"\d{4}-\d\d-\d\d"


def written(path, text):
    """The page as the script writes it now of the rows beside it; of what has none, and may have none, itself."""
    rows = page.rows_file(path)
    if rows.exists():
        return page.again(rows.read_text())
    if text.startswith(page.TITLE) and "--forget" in text:
        return page.forgotten([*sorted(SCENARIOS), "study-003-emulated"])
    seal = re.search(r"sha256 ([0-9a-f]{64}) -->\n$", text)
    return text if page.is_sealed(text) and seal[1] in WITHOUT_ROWS else None


def days_of(text):
    """The first and the last day of the measurement; None where nothing was measured."""
    found = re.search(rf"\bMeasured ({DAY})(?: to ({DAY}))?\n", text)
    return found and (found[1], found[2] or found[1])


def faults(again, first, others):
    """What keeps a page from being a second measurement. `others`: the texts of the pages beside both."""
    days, before = days_of(again), days_of(first)
    revisions = re.search(r"^revision ([^;.]*)[;.]", again, re.MULTILINE)
    wrong = []
    if days is None:
        wrong.append("it was not measured")
    elif before is None:
        wrong.append("there is no first measurement beside it")
    elif days[0] <= before[1] and before[0] <= days[1]:
        wrong.append("it is of the same day as the first")
    if revisions is None or not all(re.fullmatch("[0-9a-f]{7,}", revision) for revision in revisions[1].split(", ")):
        wrong.append("it is of no revision that was committed")
    if not any(re.search(rf"\]\((?:docs/)?{re.escape(AGAIN)}[)#]", text) for text in others):
        wrong.append("no page has a link to it")
    return wrong


class Pages(unittest.TestCase):
    def test_are_the_scripts_and_name_every_scenario(self):
        pages = sorted((SOURCE / "docs").glob("fidelity*.md"))
        self.assertIn(PAGE, [path.name for path in pages])
        for path in pages:
            text = path.read_text()
            with self.subTest(page=path.name):
                self.assertTrue(text.startswith(page.TITLE + "\n"), "it has another title")
                self.assertEqual(text, written(path, text), "it was edited, or what judges and writes it has changed: "
                                 "scripts/studies/fidelity, or its --render, writes it")
                for name in [*SCENARIOS, "study-003-emulated"]:
                    self.assertIn(f"\n| {name} | ", text, "a scenario is missing")

    def test_the_second_one_is_a_measurement_of_its_own(self):
        again = SOURCE / "docs" / AGAIN
        if not again.exists():
            self.skipTest("there is no second measurement yet")
        others = [path.read_text() for path in (SOURCE / "README.md", *sorted((SOURCE / "docs").glob("*.md"))) if path.name not in (PAGE, AGAIN)]
        self.assertEqual(faults(again.read_text(), (SOURCE / "docs" / PAGE).read_text(), others), [])


class Second(unittest.TestCase):
    """What a second page is told by, on pages made up."""
    LINK = ["how far off it is: [one day](docs/fidelity.md) and [another](docs/fidelity_again.md)"]

    @staticmethod
    def of(days, revision="032a0fbeb8e3"):
        return f"# Title\n\nWritten by the script. Measured {days}\non a processor, 2 cores to use;\nrevision {revision}; tandem 0.1.0.\n"

    def test_of_another_day_and_a_clean_revision_with_a_link_is_one(self):
        first = self.of("2026-11-25")
        self.assertEqual(faults(self.of("2026-11-26"), first, self.LINK), [])
        self.assertEqual(faults(self.of("2026-11-26 to 2026-11-27", "032a0fbeb8e3, 5426a2520000"), first, ["[again](fidelity_again.md)"]), [])

    def test_of_the_same_day_is_none(self):
        for first, again in (("2026-11-25", "2026-11-25"), ("2026-11-25 to 2026-11-26", "2026-11-26"), ("2026-11-26", "2026-11-25 to 2026-11-27")):
            self.assertEqual(faults(self.of(again), self.of(first), self.LINK), ["it is of the same day as the first"])

    def test_of_files_that_nobody_committed_is_none(self):
        for revision in ("032a0fbeb8e3 (dirty)", "unknown", "032a0fbeb8e3, 5426a2520000 (dirty)"):
            self.assertEqual(faults(self.of("2026-11-26", revision), self.of("2026-11-25"), self.LINK), ["it is of no revision that was committed"])

    def test_that_nothing_leads_to_is_none(self):
        self.assertEqual(faults(self.of("2026-11-26"), self.of("2026-11-25"), ["see fidelity_again.md"]), ["no page has a link to it"])

    def test_a_page_that_says_that_nothing_is_known_is_no_measurement(self):
        self.assertIn("it was not measured", faults(page.forgotten(["a"]), self.of("2026-11-25"), self.LINK))
        self.assertIn("there is no first measurement beside it", faults(self.of("2026-11-26"), page.forgotten(["a"]), self.LINK))

    def test_the_page_says_its_day_and_its_revision_as_they_are_read_here(self):
        text = (SOURCE / "docs" / PAGE).read_text()
        if "--forget" not in text:
            self.assertIsNotNone(days_of(text))
            self.assertRegex(text, r"\nrevision (?:[0-9a-f]{7,}(?:, )?)+[.;]", "of files that nobody committed")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
