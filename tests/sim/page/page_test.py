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
BROWSERS = {}  # one for all pages that are looked at alike: it takes longer to start than most of them to be looked at


def tearDownModule():
    for browser in BROWSERS.values():
        browser.__exit__()


class Opened(unittest.TestCase):
    """What a command says as JSON, and its page in a browser."""
    FILES = {}     # that it reads
    BEFORE = []    # commands that are run first
    COMMAND = []
    STATUS = 0
    LOOK = {}      # of the browser

    @classmethod
    def tandem(cls, *words):
        return subprocess.run([TANDEM, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cls.folder.name)

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        page = pathlib.Path(cls.folder.name) / "page.html"
        for name, content in cls.FILES.items():
            (page.parent / name).write_text(json.dumps(content))
        for words in cls.BEFORE:
            cls.tandem(*words)
        result = cls.tandem(*[word.replace("TANDEM", TANDEM) for word in cls.COMMAND], "--html", str(page), "--json")
        assert result.returncode == cls.STATUS, f"status {result.returncode}: {result.stderr}"
        cls.result = json.loads(result.stdout)
        look = json.dumps(cls.LOOK)
        if look not in BROWSERS:
            BROWSERS[look] = Browser(CHROMIUM, **cls.LOOK)
        cls.browser = BROWSERS[look]
        cls.browser.errors.clear()
        cls.browser.open(page)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def cells(self, title):
        return self.browser.run(f"""[...[...document.querySelectorAll("section")].find(s => s.querySelector("h2").textContent === {json.dumps(title)})
            .querySelectorAll("table:not(.u-legend) tbody tr")].map(row => [...row.children].map(cell => cell.textContent))""")

    def told(self):
        return self.browser.run("document.querySelector('.told').textContent")

    def find_by_keyboard(self):
        """The first span and the one after it, as they are said; the names of requests alone."""
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        self.browser.key("n")
        first = self.told()
        self.browser.key("n")
        self.assertNotEqual(first, self.told())
        return [text.split(": ", 2)[-1].split(",")[0] for text in (first, self.told())]

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
            ends = report["missed_interval"]
            self.assertEqual(row[-2], str(report["missed"]) + (f" ({ends[0]} to {ends[1]})" if ends else ""))

    def test_verdict_names_the_winner_first(self):
        rivals = [r for r in self.result if not r.get("beside")]
        by = "value" if any(r["objective"]["median"] is None for r in rivals) else "median"
        best = min(rivals, key=lambda r: r["objective"][by])
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

    def test_all_requests_of_a_stream_are_found_by_its_name(self):
        name = self.result[0]["streams"][1]["name"]
        self.find(name)
        self.assertIn(name + " #", self.told())
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        for key in ("n", "PageDown", "n"):
            self.browser.key(key)
            self.assertIn(name + " #", self.told())
        self.find("nobody")
        self.assertIn("nobody", self.told())
        self.find("")

    def test_hovering_says_what_a_span_is(self):
        self.find("")
        self.browser.key("0")
        box = self.browser.run("(() => { const b = document.querySelector('.timeline canvas').getBoundingClientRect(); return [b.x, b.y]; })()")
        self.browser.ask("Input.dispatchMouseEvent", type="mouseMoved", x=box[0] + 200, y=box[1] + 24 + 20 + 11)
        self.assertRegex(self.browser.run("document.querySelector('.tip').hidden ? '' : document.querySelector('.tip').textContent"), r"#\d+, compute on ")

    def test_models_have_patterns_beside_their_colours(self):
        """Down a wide span there is more than one colour where its model has a pattern."""
        swatches = self.browser.run("[...document.querySelectorAll('.legend .swatch')].map(s => s.style.background.split('linear-gradient').length - 1)")
        self.assertEqual(swatches[0], 1)
        self.assertTrue(all(count > 1 for count in swatches[1:]), swatches)
        self.assertEqual(len(set(self.browser.run("[0, 1, 2, 3, 4, 5, 6, 7].map(i => tandem.patternOf(i).join())"))), 8)

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


class OnAPhone(Opened):
    COMMAND = ["simulate", "xrbench-ar-gaming", "--engine", "virtual"]
    LOOK = {"width": 390, "height": 800, "dark": True}

    def test_nothing_is_wider_than_the_screen_and_it_is_dark(self):
        self.check_page()
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.assertEqual(self.browser.run("getComputedStyle(document.body).backgroundColor"), "rgb(20, 23, 26)")

    def test_two_fingers_zoom(self):
        before = self.browser.run("document.querySelector('.timeline canvas').toDataURL()")
        self.browser.run("""(() => { const canvas = document.querySelector('.timeline canvas');
            canvas.setPointerCapture = () => {};
            const send = (type, pointerId, clientX) => { const at = canvas.getBoundingClientRect();
              canvas.dispatchEvent(new PointerEvent(type, {pointerId, clientX: at.x + clientX, clientY: at.y + 60, bubbles: true})); };
            send('pointerdown', 1, 150); send('pointerdown', 2, 200); send('pointermove', 1, 100); send('pointermove', 2, 300);
            send('pointerup', 1, 100); send('pointerup', 2, 300); })()""")
        self.browser.frames(2)
        self.assertNotEqual(self.browser.run("document.querySelector('.timeline canvas').toDataURL()"), before)
        self.assertIn("Nothing is chosen", self.told())


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
        self.assertRegex(self.verdict(), r"^eft takes 3.084 s, fcfs 4.048 s; 99 % of that is waiting for rknpu; ")

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
        self.assertGreater(self.result["close"], 0, "nobody knows how far off these times are")
        self.assertTrue(self.verdict().startswith(f"{best['policy']} leads by makespan at "), self.verdict())
        self.assertIn(f"; {self.result['close']} other runs cannot be told from it.", self.verdict())
        self.assertEqual([row[0] for row in self.cells("Sweep")[:len(self.result["best"])]], self.result["best"])
        lines = self.browser.run("[...document.querySelectorAll('#parts .u-legend .u-series')].length - 1")
        self.assertEqual(lines, len({row["policy"] for row in self.result["rows"]}))


class SweptWithDraws(Opened):
    """What goes by draws is shown by draws. Two policies at two values: the runs of `slow` are shorter, its medians longer."""
    COMMAND = ["sweep", "study-003-counts", "-o", "rows", "--jobs", "1"]
    NS = {"fast": ((20, 22), (40, 42)), "slow": ((10, 30), (30, 50))}  # of each value: the run, the median over the draws

    def shown(self, **more):
        rows = [{"key": f"{policy}{n}", "point": {"n": n}, "policy": policy, "status": "ok", "figures": {"makespan_ns": run}, "medians": {"makespan_ns": median}}
                for policy, values in self.NS.items() for n, (run, median) in enumerate(values)]
        summary = {**self.result, "axes": ["n"], "rows": rows, "missing": [], "failed": 0, "interval": 90, "best": ["fast0"], "effects": [], "winners": [], **more}
        return self.browser.run(f"""(() => {{ const sweep = {json.dumps(summary)}; return [tandem.sweepVerdict(sweep).replace(/[\ue000\ue001]/g, ""),
            Object.fromEntries(tandem.alongAxis(sweep, "n").lines.map(line => [line.policy, line.values]))]; }})()""")

    def test_by_draws_the_medians_are_said_and_drawn(self):
        self.assertEqual(self.shown(compared_by="draws", close=0),
                         ["fast is best by makespan at n 0: 22 ns in the median over the draws.", {"fast": [22, 42], "slow": [30, 50]}])

    def test_by_runs_the_runs_are_said_and_drawn_though_there_are_medians(self):
        self.assertEqual(self.shown(compared_by="runs", best=["slow0"], close=1),
                         ["slow leads by makespan at n 0: 10 ns; 1 other run cannot be told from it.", {"fast": [20, 40], "slow": [10, 30]}])


FAKE = pathlib.Path(__file__).resolve().parent.parent.parent / "support" / "fake_device.py"
SMALL = {"tandem": "scenario/1", "name": "small", "platform": "device", "policies": ["fcfs", "round_robin"], "objective": "makespan",
         "streams": [{"name": "images", "model": "squeezenet_1_1", "count": 7, "arrival": {"type": "offline"}},
                     {"name": "video", "model": "mobilenet_v2", "count": 4, "arrival": {"type": "offline"}}]}


class Validated(Opened):
    FILES = {"small.scenario.json": SMALL}
    COMMAND = ["validate", "small.scenario.json", "--engine", "virtual", "--repeat", "4", "--device", f"python3 {FAKE} TANDEM . --factors 1.05,1.02",
               "--trace", "both.trace.json"]

    def test_verdict_says_who_won_by_how_much_and_how_near_to_the_best(self):
        self.check_page()
        winner = self.result["winner"]
        self.assertTrue(self.verdict().startswith(f"{winner['predicted']} was predicted to win"), self.verdict())
        self.assertRegex(self.verdict(), r"% ahead of (fcfs|round_robin); .*No schedule can be better than its prediction( by more than [\d.]+ %)?\..*Makespans are predicted within")

    def test_verdict_leaves_out_of_whom_no_run_counts(self):
        def verdict(counts):
            told = json.loads(json.dumps(self.result))
            told["policies"] = [{**policy, "error": error, "counts": policy["label"] in counts} for policy, error in zip(told["policies"], (-0.5, 0.01))]
            told["winner"] |= {"predicted": "fcfs", "measured": "round_robin", "regret": None, "regret_interval": None}
            return self.browser.run(f"tandem.calibrationVerdict({json.dumps(told)}, [])")
        text = verdict(["round_robin"])
        self.assertIn("; how much it loses cannot be told: none of its runs counts", text)
        self.assertIn("predicted within 1 % in the median", text)
        self.assertNotIn("ahead of", text)
        self.assertTrue(verdict([]).endswith("; none of the runs counts."))
        self.assertIn("predicted within 50 % in the median, -50 % at worst", verdict(["fcfs", "round_robin"]), "of two the larger error")

    def test_policies_are_those_of_the_calibration(self):
        rows = self.cells("Predicted and measured")
        self.assertEqual([row[0] for row in rows[:2]], [policy["label"] for policy in self.result["policies"]])
        for row, policy in zip(rows, self.result["policies"]):
            self.assertEqual(float(row[1]), round(policy["predicted_ns"] / 1e6, 3))
            self.assertEqual(float(row[3]), round(policy["measured_ns"] / 1e6, 3))

    def test_what_was_predicted_of_each_policy_is_there_too(self):
        self.assertEqual([row[0].removeprefix("* ") for row in self.cells("Policies")], ["fcfs", "round_robin"])
        self.assertIn("as predicted", self.browser.run("[...document.querySelectorAll('caption')].map(c => c.textContent).join()"))

    def test_predicted_stands_above_measured_and_a_span_is_found_by_keyboard(self):
        names = self.browser.run("tandem.read(document.getElementById('data').textContent).timelines.map(t => t.name)")
        self.assertEqual(names[:2], ["predicted: fcfs", "predicted: round_robin"])
        self.assertTrue(all(name.startswith("measured: ") for name in names[2:]))

    def test_says_how_many_runs_count(self):
        counted = [row[-2] for row in self.cells("Predicted and measured")[:2]]
        self.assertEqual(counted, [f"{len(p['runs_ns']) - p['disturbed']} of {len(p['runs_ns'])}" for p in self.result["policies"]])

    def test_spans_are_found(self):
        for request in self.find_by_keyboard():
            self.assertRegex(request, r"^(images|video) #\d+$")

    def test_trace_has_predicted_and_measured_processes_with_arrows_of_their_own(self):
        events = json.loads((pathlib.Path(self.folder.name) / "both.trace.json").read_text())["traceEvents"]
        names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
        self.assertEqual([name.split(":")[0] for name in names], ["predicted"] * 2 + ["measured"] * 8)
        self.assertEqual({event["name"].split(":")[0] for event in events if event["ph"] == "C"}, {"waiting", "memory"})


class Compared(Opened):
    """One simulation stands for the measurement of the other."""
    BEFORE = [["simulate", "study-003", "--engine", "virtual", "--policy", "fcfs,eft", "--trace", "a.trace.json"]]
    COMMAND = ["compare", "a.trace.json", "a.trace.json"]

    def test_what_is_held_against_the_prediction_is_told_apart_from_it(self):
        self.assertEqual(self.browser.run("tandem.read(document.getElementById('data').textContent).timelines.map(t => t.name)"),
                         ["predicted: fcfs", "predicted: eft", "measured: fcfs", "measured: eft"])
        self.assertEqual(len(self.browser.run("[...document.querySelectorAll('#parts .u-legend .u-series')].map(s => s.textContent).filter(s => s.startsWith('measured'))")), 2)

    def test_has_a_verdict_a_timeline_and_no_error(self):
        self.check_page()
        self.assertTrue(self.verdict().startswith("eft was predicted to win and does, "), self.verdict())
        self.assertEqual([row[5] for row in self.cells("Predicted and measured")[:2]], ["0 %", "0 %"])
        self.find_by_keyboard()


class Regressed(Opened):
    BEFORE = [["new", "baseline", "study-003", "--policy", "fcfs", "-o", "base.json"]]
    COMMAND = ["regress", "base.json"]

    def test_says_that_nothing_became_worse(self):
        self.check_page()
        self.assertEqual(self.verdict(), "No figure became worse.")


class Reported(Opened):
    """tandem report of what two commands said, beside a trace and a board."""
    BEFORE = [["simulate", "study-003", "--engine", "virtual", "--policy", "fcfs,eft", "--trace", "a.trace.json"]]
    COMMAND = ["simulate", "study-003", "--engine", "virtual", "--policy", "fcfs,eft"]

    def test_shows_the_same_as_the_command_itself(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "result.json").write_text(json.dumps(self.result))
        made = self.tandem("report", "result.json", "a.trace.json", "study-003", "-o", "report.html")
        self.assertEqual(made.returncode, 0, made.stderr)
        own = (self.verdict(), self.cells("Policies"), self.cells("Where the time went"))
        self.browser.open(folder / "report.html")
        self.check_page()
        self.assertEqual((self.verdict(), self.cells("Policies"), self.cells("Where the time went")), own)
        self.find_by_keyboard()


class ReportedOfSeveral(Opened):
    """Files of other scenarios and other commands on one page: nothing is compared across them."""
    BEFORE = [["capacity", "study-003", "--policy", "eft,fcfs", "--vary", "units.coral.speed", "--until", "makespan <= 2.5 s", "--html", "capacity.html"]]
    COMMAND = ["simulate", "study-003", "--engine", "virtual", "--policy", "fcfs,eft"]

    def write(self, name, words):
        result = self.tandem(*words, "--json").stdout
        (pathlib.Path(self.folder.name) / name).write_text(result)
        return json.loads(result)

    def verdicts(self):
        return self.browser.run("[...document.querySelectorAll('.verdict')].map(p => p.textContent)")

    def test_each_file_has_its_own_verdict_and_its_own_table(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "a.json").write_text(json.dumps(self.result))
        other = self.write("b.json", ["simulate", "starving", "--engine", "virtual"])
        self.assertEqual(self.tandem("report", "a.json", "b.json", "-o", "ab.html").returncode, 0)
        self.browser.open(folder / "ab.html")
        self.assertRegex("\n".join(self.verdicts()), r"^a.json: eft is best by makespan.* ahead of fcfs;.*\nb.json: \w+ is best by p99 latency")
        self.assertEqual(len(self.cells("Policies")), len(self.result) + len(other))
        self.assertEqual([row[1] for row in self.cells("Units")[:4]], ["fcfs, a.json"] * 4)
        self.assertEqual(self.browser.errors, [])

    def test_capacity_says_the_most_and_shows_every_policy(self):
        folder = pathlib.Path(self.folder.name)
        result = self.write("capacity.json", self.BEFORE[0][:-2])
        self.assertEqual(self.tandem("report", "capacity.json", "study-003", "-o", "reported.html").returncode, 0)
        for page in ("capacity.html", "reported.html"):
            self.browser.open(folder / page)
            best = next(of for of in result["policies"] if of["winner"])
            self.assertTrue(self.verdicts()[0].startswith(f"The least of units.coral.speed at which makespan <= 2.5 s is {best['limit']:.4g} x, under {best['label']};"), self.verdicts())
            self.assertEqual([row[0].removeprefix("* ") for row in self.cells("What the board carries")], [of["label"] for of in result["policies"]])
            self.assertEqual(self.browser.errors, [])

    def test_capacity_names_the_best_and_those_that_draws_cannot_tell_from_it_where_nobody_wins(self):
        folder = pathlib.Path(self.folder.name)
        result = self.write("close.json", self.BEFORE[0][:-2])
        eft, fcfs = result["policies"]
        eft.update(limit=2, winner=False, best=False, close=True, interval=[1, 4], median=3)
        fcfs.update(limit=3, winner=False, best=True, close=False, interval=[1, 5], median=2.5)
        (folder / "close.json").write_text(json.dumps(result))
        self.assertEqual(self.tandem("report", "close.json", "-o", "close.html").returncode, 0)
        self.browser.open(folder / "close.html")
        self.assertRegex(self.verdicts()[0], r" is (at most )?3 x, under fcfs \(1 to 5, 2.5 in the median over the draws\); under eft it is (at most )?2 x; "
                         r"the draws cannot tell fcfs from eft\. Now it is ")
        self.assertEqual([[row[0], *row[2:4]] for row in self.cells("What the board carries")], [["eft", "1 to 4", "3"], ["fcfs", "1 to 5", "2.5"]])
        self.assertEqual(self.browser.errors, [])

    def test_capacity_of_a_file_that_knows_no_best_goes_by_its_winner(self):
        result = self.write("old.json", self.BEFORE[0][:-2])
        winner = next(of for of in result["policies"] if of["winner"])
        for of in result["policies"]:
            del of["best"], of["close"]
        (pathlib.Path(self.folder.name) / "old.json").write_text(json.dumps(result))
        self.assertEqual(self.tandem("report", "old.json", "-o", "old.html").returncode, 0)
        self.browser.open(pathlib.Path(self.folder.name) / "old.html")
        self.assertIn(f"under {winner['label']};", self.verdicts()[0])

    def test_boards_stand_side_by_side(self):
        choice = self.write("boards.json", ["boards", "compare", "study-001", "exynos5422", "jetson-tk1", "--policy", "eft"])
        self.assertEqual(self.tandem("report", "boards.json", "-o", "boards.html").returncode, 0)
        self.browser.open(pathlib.Path(self.folder.name) / "boards.html")
        best = next(row for row in choice["boards"] if row["winner"])
        self.assertTrue(self.verdicts()[0].startswith(f"{best['board']} is best by makespan, under eft: "), self.verdicts())
        self.assertEqual([row[0].removeprefix("* ") for row in self.cells("Boards")], [row["board"] for row in choice["boards"]])

    def test_clock_states_stand_side_by_side(self):
        choice = self.write("states.json", ["states", "clock-states"])
        self.assertEqual(self.tandem("report", "states.json", "-o", "states.html").returncode, 0)
        self.browser.open(pathlib.Path(self.folder.name) / "states.html")
        best = next(row for row in choice["choices"] if row["winner"])
        self.assertRegex(self.verdicts()[0], f"^gpu in {best['states'][0]}, cpu in {best['states'][1]}: best by energy, under {best['policy']}: .*; in any of them, no schedule")
        rows = self.cells("Clock states")
        self.assertEqual([[row[0].removeprefix("* "), row[1]] for row in rows], [row["states"] for row in choice["choices"]])
        self.assertEqual([row[0].startswith("* ") for row in rows], [row["winner"] for row in choice["choices"]])
        self.assertEqual(["cannot be the best" in row[-1] for row in rows], [row["cannot_be_best"] for row in choice["choices"]])
        self.assertEqual(self.browser.errors, [])

    def test_a_result_that_lacks_what_it_should_have_takes_no_other_with_it(self):
        folder = pathlib.Path(self.folder.name)
        (folder / "a.json").write_text(json.dumps(self.result))
        (folder / "lacking.json").write_text('{"tandem": "explanation/1"}')
        self.assertEqual(self.tandem("report", "a.json", "lacking.json", "-o", "lacking.html").returncode, 0)
        self.browser.open(folder / "lacking.html")
        self.assertRegex("\n".join(self.verdicts()), r"^a.json: eft is best by makespan(.|\n)*lacking.json: This explanation cannot be read")
        self.assertEqual(len(self.cells("Policies")), 2)
        self.browser.errors.clear()

    def refused(self, name, content):
        (pathlib.Path(self.folder.name) / name).write_text(content)
        made = self.tandem("report", name, "-o", "none.html")
        self.assertEqual((made.returncode, (pathlib.Path(self.folder.name) / "none.html").exists()), (2, False))
        return made.stderr

    def test_what_a_page_does_not_show_is_refused_with_what_it_shows(self):
        self.assertIn('base.json:/tandem: a page does not show "baseline/1"; it shows report/1, ', self.refused("base.json", '{"tandem": "baseline/1"}'))
        self.assertIn('list.json:/1/tandem: a page does not show "report/9"; ', self.refused("list.json", json.dumps([self.result[0], {"tandem": "report/9"}])))
        self.assertIn("--collect --json", self.refused("x.rows.jsonl", '{"tandem": "sweep_row/1", "key": "a"}\n{"tandem": "sweep_row/1", "key": "b"}\n'))
        self.assertIn("bad.trace.json:", self.refused("bad.trace.json", '{"tandem": "trace/1", "traceEvents": []}'))
        self.assertIn("x.json: is named twice", self.tandem("report", "x.json", "x.json", "-o", "none.html").stderr)


class LeavingOut(Opened):
    """Streams that drop frames, and one that follows every third."""
    COMMAND = ["simulate", "newest-frames", "--engine", "virtual", "--policy", "sjf"]

    def test_drops_and_ages_stand_beside_the_latencies(self):
        (camera, text, gate), of = self.cells("Streams"), self.result[0]["streams"]
        ms = lambda ns: f"{ns / 1e6:.3f}"
        self.assertEqual(camera[3], str(of[0]["dropped"]))
        self.assertAlmostEqual(float(camera[-4]), of[0]["dropped_per_s"], places=2)
        self.assertEqual(camera[-3:], ["-", ms(of[0]["age_ns"]["p99"]), ms(of[0]["drop_age_ns"]["mean"])])
        self.assertEqual(text[-4:], ["-", ms(of[1]["end_to_end_ns"]["p99"]), ms(of[1]["age_ns"]["p99"]), "-"])
        self.assertEqual(gate[-4:], ["-"] * 4)
        self.assertEqual([camera[-5], text[-5], gate[-5]], ["-", str(of[1]["skipped"]), "-"])
        self.assertEqual(of[1]["completed"] + of[1]["skipped"], of[0]["completed"], "each frame that was looked at is read or skipped")


class Stages(Opened):
    """A frame through all of its stages, a network for each object among them."""
    COMMAND = ["simulate", "pipeline-of-stages", "--engine", "virtual", "--policy", "fcfs,eft"]

    def test_each_has_its_share_of_the_way_to_the_end(self):
        rows = self.cells("What each stage costs")
        self.assertEqual([row[0] for row in rows], ["decode", "resize", "detect", "nms", "track", "objects", "result", "end to end"] * 2)
        self.assertEqual([row[1] for row in rows], [report["label"] for report in self.result for _ in range(8)])
        ms = lambda ns: f"{ns / 1e6:.3f}"
        for report in self.result:
            of = [row for row in rows if row[1] == report["label"]]
            ways = [stream["stages"] for stream in report["streams"] if "stages" in stream]
            self.assertEqual(len(ways), 1)
            for row, stage in zip(of, ways[0]):
                waiting, work = stage["waiting_ns"], stage["work_ns"]
                self.assertEqual([row[0], *row[2:]], [stage["stream"], str(stage["requests"]), ms(waiting["mean"]), ms(waiting["p99"]),
                                                      ms(work["mean"]), ms(work["p99"]), ms(waiting["mean"] + work["mean"])])
            together = next(stream for stream in report["streams"] if "stages" in stream)["end_to_end_ns"]["mean"]
            self.assertAlmostEqual(float(of[-1][-1]), together / 1e6, places=3)

    def test_figures_are_those_of_the_text(self):
        text = self.tandem("simulate", "pipeline-of-stages", "--engine", "virtual", "--policy", "eft", "--details").stdout
        table = text[text.index("stages on the way to the end of result"):].splitlines()[1:]
        begin = next(i for i, line in enumerate(table) if line.startswith("stage "))
        shown = [line.replace("end to end", "end-to-end").split() for line in table[begin + 1:begin + 9]]
        mine = [[row[0].replace("end to end", "end-to-end"), *[cell for cell in row[2:] if cell]] for row in self.cells("What each stage costs") if row[1] == "eft"]
        self.assertEqual(mine, shown)

    def test_where_nobody_follows_there_is_no_such_table(self):
        page = pathlib.Path(self.folder.name) / "none.html"
        self.tandem("simulate", "study-003", "--engine", "virtual", "--policy", "fcfs", "--html", str(page))
        self.browser.open(page)
        titles = self.browser.run("[...document.querySelectorAll('#parts h2')].map(h => h.textContent)")
        self.assertIn("Streams", titles)
        self.assertNotIn("What each stage costs", titles)


class SaidInWords(Opened):
    """Sentences of figures that are nothing, or far from their bound."""
    COMMAND = ["simulate", "xrbench-outdoor-activity-b", "--engine", "virtual"]

    def test_who_misses_nothing_is_ahead_of_who_misses_one(self):
        self.assertEqual([r["objective"]["value"] for r in sorted(self.result, key=lambda r: r["objective"]["value"])][:2], [0, 1])
        self.assertRegex(self.verdict(), r"^eft is best by misses: 0 requests, ahead of \w+ with 1 request;")

    def test_gaps(self):
        said = lambda gap: self.browser.run(f"tandem.gapText({gap}, '')")
        self.assertEqual([said(gap) for gap in ("null", 0, 0.00001, 0.25, 49.73)],
                         ["", "no schedule can be better"] + ["no schedule can be better by more than " + by for by in ("0.1 %", "25 %", "a factor of 50.7")])

    def test_the_objective_has_its_unit_and_stands_there_once(self):
        heads = self.browser.run("[...document.querySelectorAll('#parts section')][0].querySelectorAll('thead th').values().map(h => h.textContent).toArray()")
        self.assertEqual(heads[1], "misses, requests")
        self.assertNotIn("missed", heads)


class OnPaper(Opened):
    COMMAND = ["simulate", "study-003", "--engine", "virtual", "--policy", "eft"]
    LOOK = {"dark": True}

    def test_a_dark_page_is_printed_dark_on_light(self):
        front = "tandem.colour('front')"
        self.assertEqual(self.browser.run(front), "#e7eaed")
        drawn = "document.querySelector('.timeline canvas').toDataURL()"
        before = self.browser.run(drawn)
        self.browser.run("window.dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(self.browser.run(front), "#1b1f24")
        self.assertNotEqual(self.browser.run(drawn), before, "drawn anew at once")
        self.browser.run("window.dispatchEvent(new Event('afterprint'))")
        self.assertEqual(self.browser.run(front), "#e7eaed")
        self.assertEqual(self.browser.run(drawn), before)


HOSTILE = '</script><img src=x onerror="throw 1"><!-- & \' " ` ${1} \u202e \U0001f600'


class OfHostileNames(Opened):
    FILES = {"bad.scenario.json": {
        "tandem": "scenario/1", "name": HOSTILE, "platform": {"tandem": "platform/1", "name": HOSTILE, "memories": [{"name": HOSTILE}],
                                                             "units": [{"name": HOSTILE, "kind": "cpu", "memory": HOSTILE}]},
        "profiles": [{"tandem": "profile/1", "platform": HOSTILE, "origin": {"kind": "published", "source": HOSTILE},
                      "entries": [{"model": "resnet18", "unit": HOSTILE, "layers": "*", "batch": 1, "median_us": 1000}]}],
        "policies": [{"name": "fcfs", "label": HOSTILE}], "objective": "makespan",
        "streams": [{"name": HOSTILE, "model": "resnet18", "count": 3, "arrival": {"type": "offline"}}]}}
    COMMAND = ["simulate", "bad.scenario.json", "--engine", "virtual"]

    def test_are_shown_as_they_are_and_become_no_part_of_the_page(self):
        self.check_page()
        self.assertEqual(self.browser.run("document.images.length"), 0)
        self.assertTrue(self.verdict().startswith(HOSTILE + " is best"), self.verdict())
        self.assertEqual(self.browser.run("document.title"), HOSTILE.replace("\u202e", "\\u202e"))  # what would turn a tab's name round
        self.assertEqual(self.browser.run("[...document.querySelectorAll('.verdict bdi')].map(b => b.textContent)"), [HOSTILE], "it turns nothing round")
        self.browser.run("document.querySelector('.timeline canvas').focus()")
        self.browser.key("n")
        self.assertIn(HOSTILE + " #0", self.told())


LONG = 180 * "n"


class OfLongNames(OfHostileNames):
    """As long as names may be, and without a place to break them, on a phone."""
    FILES = {"bad.scenario.json": json.loads(json.dumps(OfHostileNames.FILES["bad.scenario.json"]).replace(json.dumps(HOSTILE), json.dumps(LONG)))}
    LOOK = {"width": 390, "height": 800}

    def test_are_shown_as_they_are_and_become_no_part_of_the_page(self):
        self.check_page()
        self.assertLessEqual(self.browser.run("document.documentElement.scrollWidth"), 390)
        self.assertLessEqual(self.browser.run("Math.max(...[...document.querySelectorAll('svg text')].map(t => t.getBBox().width))"), 165)


class OfAFailedPolicy(Opened):
    """By layer a request needs more memory than there is; whole models do not."""
    FILES = {
        "m.model.json": {"tandem": "model/1", "name": "m", "layers": [
            {"name": "in", "op": "input", "shape": [1, 16, 32, 32]}, {"name": "a", "op": "relu", "inputs": ["in"]},
            {"name": "b", "op": "relu", "inputs": ["a"]}, {"name": "c", "op": "relu", "inputs": ["b"]}, {"name": "d", "op": "relu", "inputs": ["c"]},
            {"name": "e", "op": "add", "inputs": ["d", "b"]}, {"name": "f", "op": "add", "inputs": ["e", "a"]}]},
        "b.platform.json": {"tandem": "platform/1", "name": "b", "memories": [{"name": "dram", "capacity_bytes": 250000}],
                            "units": [{"name": "cpu", "kind": "cpu", "memory": "dram"}]},
        "tight.scenario.json": {
            "tandem": "scenario/1", "name": "tight", "platform": "./b.platform.json", "objective": "makespan",
            "profiles": [{"tandem": "profile/1", "platform": "./b.platform.json", "origin": {"kind": "estimated", "method": "made up"},
                          "entries": [{"model": "./m.model.json", "unit": "cpu", "layers": [layer], "median_us": 10} for layer in "abcdef"]}],
            "policies": [{"name": "fcfs", "label": "layers", "granularity": "layer"}, "fcfs"],
            "streams": [{"name": "s", "model": "./m.model.json", "count": 2, "arrival": {"type": "offline"}}]}}
    COMMAND = ["simulate", "tight.scenario.json", "--engine", "virtual"]
    STATUS = 2

    def test_says_so_and_has_no_other_error(self):
        self.check_page()
        self.assertTrue(self.verdict().startswith("fcfs is best by makespan: 120.000 us"), self.verdict())
        self.assertTrue(self.cells("Policies")[0][0].startswith("layers: "), self.cells("Policies")[0])

    def test_that_none_could_run_is_said_too(self):
        page = pathlib.Path(self.folder.name)
        (page / "failed.json").write_text(json.dumps(self.result[:1]))
        self.tandem("report", "failed.json", "-o", "failed.html")
        self.browser.open(page / "failed.html")
        self.assertTrue(self.verdict().startswith("No policy has a whole run: layers failed, "), self.verdict())
        self.assertEqual(self.browser.errors, [])


class Supposed(Opened):
    """What --what-if has changed is said wherever a result has it."""
    COMMAND = ["simulate", "study-003", "--engine", "virtual", "--policy", "eft"]

    def test_stands_below_the_verdict(self):
        page = pathlib.Path(self.folder.name)
        self.result[0]["what_if"] = [{"asked": "links.usb1.bandwidth=2x", "changes": ["links.dram-usb1.bandwidth_bytes_per_s: 4 -> 8"]}]
        (page / "what_if.json").write_text(json.dumps(self.result))
        self.tandem("report", "what_if.json", "-o", "what_if.html")
        self.browser.open(page / "what_if.html")
        self.assertEqual(self.browser.run("[...document.querySelectorAll('header .supposed')].map(p => p.textContent)"),
                         ["Supposed: links.usb1.bandwidth=2x (links.dram-usb1.bandwidth_bytes_per_s: 4 -> 8)."])
        self.check_page()


if __name__ == "__main__":
    TANDEM, CHROMIUM = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
