"""Pages in a real browser: no error, what is shown is what the JSON says, and a span can be found by keyboard."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from browser import Browser  # noqa: E402

TANDEM, CHROMIUM = "tandem", "chromium"


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.page = pathlib.Path(cls.folder.name) / "page.html"
        result = subprocess.run([TANDEM, "simulate", "study-003", "--engine", "virtual", "--html", str(cls.page), "--json"],
                                check=True, stdout=subprocess.PIPE, text=True)
        cls.reports = json.loads(result.stdout)
        cls.browser = Browser(CHROMIUM)
        cls.browser.open(cls.page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def cells(self, title):
        return self.browser.run(f"""[...[...document.querySelectorAll("section")].find(s => s.querySelector("h2").textContent === {json.dumps(title)})
            .querySelectorAll("tbody tr")].map(row => [...row.children].map(cell => cell.textContent))""")

    def test_no_error_and_no_other_file(self):
        self.assertEqual(self.browser.errors, [])
        self.assertEqual(self.browser.run("performance.getEntriesByType('resource').length"), 0)
        self.assertEqual(self.browser.run("document.querySelectorAll('[src], link[href]').length"), 0)

    def test_json_inside_is_what_the_command_prints(self):
        self.assertEqual(self.browser.run("JSON.parse(document.getElementById('data').textContent).results"), self.reports)

    def test_policies_are_those_of_the_json(self):
        rows = self.cells("Policies")
        self.assertEqual([row[0].removeprefix("* ") for row in rows], [report["label"] for report in self.reports])
        for row, report in zip(rows, self.reports):
            self.assertEqual(row[1], f"{report['objective']['value'] / 1e9:.3f}" if report["objective"]["value"] >= 1e10 else row[1])
            self.assertEqual(row[9], str(report["missed"]))

    def test_verdict_names_the_winner_first(self):
        best = min((r for r in self.reports if not r.get("beside")), key=lambda r: r["objective"]["value"])
        self.assertTrue(self.browser.run("document.querySelector('.verdict').textContent").startswith(best["label"] + " is best by makespan"))

    def find(self, request):
        self.browser.run(f"""(() => {{ const box = document.querySelector('.timeline-part input[type=search]');
            box.value = {json.dumps(request)}; box.dispatchEvent(new Event('change')); }})()""")

    def test_a_span_is_found_by_keyboard(self):
        self.find("")
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        self.browser.key("n")
        first = self.browser.run("document.querySelector('.told').textContent")
        self.browser.key("n")
        second = self.browser.run("document.querySelector('.told').textContent")
        self.assertRegex(first, r"#\d+, compute on ")
        self.assertRegex(second, r"#\d+, compute on ")
        self.assertNotEqual(first, second)
        self.browser.key("PageDown")
        self.assertNotEqual(self.browser.run("document.querySelector('.told').textContent"), second)

    def test_a_request_is_found_by_its_name(self):
        name = self.reports[0]["streams"][0]["name"] + " #3"
        self.find(name)
        self.assertIn(name, self.browser.run("document.querySelector('.told').textContent"))

    def test_every_part_is_reachable_and_labelled(self):
        self.assertEqual(self.browser.run("""[...document.querySelectorAll("nav a")].filter(a => !document.querySelector(a.getAttribute("href"))).length"""), 0)
        self.assertEqual(self.browser.run("""[...document.querySelectorAll("canvas, svg, input, select, button")].filter(e =>
            !e.getAttribute("aria-label") && !e.closest("[aria-label]") && !e.closest("label") && !e.textContent).length"""), 0)


if __name__ == "__main__":
    TANDEM, CHROMIUM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
