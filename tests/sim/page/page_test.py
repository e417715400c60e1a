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


class Opened(unittest.TestCase):
    """What a command says as JSON, and its page in a browser."""
    COMMAND = []

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        page = pathlib.Path(cls.folder.name) / "page.html"
        result = subprocess.run([TANDEM, *cls.COMMAND, "--html", str(page), "--json"], check=True, stdout=subprocess.PIPE, text=True,
                                cwd=cls.folder.name)
        cls.result = json.loads(result.stdout)
        cls.browser = Browser(CHROMIUM)
        cls.browser.open(page)

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__()
        cls.folder.cleanup()

    def cells(self, title):
        return self.browser.run(f"""[...[...document.querySelectorAll("section")].find(s => s.querySelector("h2").textContent === {json.dumps(title)})
            .querySelectorAll("table:not(.u-legend) tbody tr")].map(row => [...row.children].map(cell => cell.textContent))""")

    def verdict(self):
        return self.browser.run("document.querySelector('.verdict').textContent")

    def check_page(self):
        """No console error, no other file, the JSON inside is what the command prints."""
        self.assertEqual(self.browser.errors, [])
        whole = self.result if isinstance(self.result, list) else [self.result]
        self.assertEqual(self.browser.run("JSON.parse(document.getElementById('data').textContent).results"), whole)


class Simulated(Opened):
    COMMAND = ["simulate", "study-003", "--engine", "virtual"]

    def test_no_error_and_no_other_file(self):
        self.check_page()
        self.assertEqual(self.browser.run("performance.getEntriesByType('resource').length"), 0)
        self.assertEqual(self.browser.run("document.querySelectorAll('[src], link[href]').length"), 0)

    def test_policies_are_those_of_the_json(self):
        rows = self.cells("Policies")
        self.assertEqual([row[0].removeprefix("* ") for row in rows], [report["label"] for report in self.result])
        for row, report in zip(rows, self.result):
            self.assertEqual(row[1], f"{report['objective']['value'] / 1e9:.3f}" if report["objective"]["value"] >= 1e10 else row[1])
            self.assertEqual(row[9], str(report["missed"]))

    def test_verdict_names_the_winner_first(self):
        best = min((r for r in self.result if not r.get("beside")), key=lambda r: r["objective"]["value"])
        self.assertTrue(self.verdict().startswith(best["label"] + " is best by makespan"))

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
        name = self.result[0]["streams"][0]["name"] + " #3"
        self.find(name)
        self.assertIn(name, self.browser.run("document.querySelector('.told').textContent"))

    def test_every_part_is_reachable_and_labelled(self):
        self.assertEqual(self.browser.run("""[...document.querySelectorAll("nav a")].filter(a => !document.querySelector(a.getAttribute("href"))).length"""), 0)
        self.assertEqual(self.browser.run("""[...document.querySelectorAll("canvas, svg, input, select, button")].filter(e =>
            !e.getAttribute("aria-label") && !e.closest("[aria-label]") && !e.closest("label") && !e.textContent).length"""), 0)

    def test_spans_of_every_width_are_drawn_in_the_colours_of_their_models(self):
        colours = """(() => { const c = document.querySelector('.timeline canvas'), {data} = c.getContext('2d').getImageData(150, 44, c.width - 150, 22);
            return new Set(Array.from({length: data.length / 4}, (_, i) => data.slice(4 * i, 4 * i + 3).join())).size; })()"""
        self.find("")
        self.assertGreater(self.browser.run(colours), 2, "whole run: thin spans")
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        for _ in range(6):
            self.browser.key("+")
        self.assertGreater(self.browser.run(colours), 2, "zoomed in: wide ones")
        self.browser.key("0")


class Planned(Opened):
    COMMAND = ["plan", "study-003", "--engine", "virtual", "--policy", "fcfs,eft"]

    def test_names_whom_the_plan_is_of_above_its_timeline(self):
        self.check_page()
        self.assertTrue(self.verdict().startswith(self.result["winner"]))
        chosen = self.browser.run("document.querySelector('[data-filter=policy]').value")
        self.assertEqual(chosen, self.result["winner"])


class Explained(Opened):
    COMMAND = ["explain", "study-003", "--engine", "virtual", "--policy", "eft", "--versus", "fcfs"]

    def test_says_what_the_run_is_made_of(self):
        self.check_page()
        self.assertTrue(self.verdict().startswith("eft takes 3.084 s"), self.verdict())

    def test_path_on_the_timeline_is_that_of_the_explanation(self):
        shown = self.browser.run("""(() => { const data = tandem.read(document.getElementById('data').textContent);
            const timeline = data.timelines.find(t => t.policy === 'eft'), path = tandem.explainedPath(timeline, data.explanations);
            return [...path].map(span => [timeline.streams[timeline.spans.stream[span]], timeline.spans.index[span]]); })()""")
        wanted = [[piece["stream"], piece["index"]] for piece in self.result["run"]["path"] if piece["cause"] in ("compute", "transfer", "load")]
        self.assertEqual(sorted(shown), sorted(wanted))


class Swept(Opened):
    COMMAND = ["sweep", "study-003-counts", "-o", "rows", "--jobs", "1"]

    def test_has_the_best_runs_and_a_line_for_each_policy(self):
        self.check_page()
        best = next(row for row in self.result["rows"] if row["key"] == self.result["best"][0])
        self.assertTrue(self.verdict().startswith(f"{best['policy']} is best by makespan at "), self.verdict())
        self.assertEqual([row[0] for row in self.cells("Sweep")[:len(self.result["best"])]], self.result["best"])
        lines = self.browser.run("[...document.querySelectorAll('#parts .u-legend .u-series')].length - 1")
        self.assertEqual(lines, len({row["policy"] for row in self.result["rows"]}))


if __name__ == "__main__":
    TANDEM, CHROMIUM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
