#!/usr/bin/env python3
"""Does scripts/site make a site that opens from its files, with a search, and needs no network?

usage: site_test.py SOURCE_DIR [CHROMIUM]      exit status 77: Sphinx is not here
"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import urllib.parse

SOURCE = pathlib.Path(sys.argv[1]).resolve()
CHROMIUM = sys.argv[2] if len(sys.argv) > 2 else None
sys.dont_write_bytecode = True
sys.path.insert(0, str(SOURCE / "scripts"))
from pages.links import pages_of  # noqa: E402
from pages.site import PYTHON, site_name  # noqa: E402


class Names(html.parser.HTMLParser):
    """What a page loads, what it links to, and the places in it."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.ids = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if "id" in found:
            self.ids.add(found["id"])
        if tag in ("script", "img", "iframe"):
            self.loads += [found["src"]] if "src" in found else []
        elif tag == "link" and found.get("rel") == "stylesheet":
            self.loads.append(found["href"])
        elif tag == "a" and "href" in found:
            self.links.append(found["href"])


class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="tandem_site_test_")
        cls.site = pathlib.Path(cls.folder.name) / "site"
        cls.run_ = subprocess.run([sys.executable, str(SOURCE / "scripts/site"), "-o", str(cls.site)], capture_output=True,
                                  text=True, timeout=600, check=False)
        cls.pages = {page: Names(page.read_text(encoding="utf-8")) for page in cls.site.rglob("*.html")}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_page_is_there(self):
        self.assertEqual(self.run_.returncode, 0, self.run_.stdout + self.run_.stderr)
        for page in pages_of(SOURCE):
            self.assertIn(self.site / site_name(page, SOURCE).with_suffix(".html"), self.pages)

    def test_nothing_is_loaded_from_elsewhere(self):
        for page, names in self.pages.items():
            for load in names.loads:
                self.assertNotRegex(load, r"^(\w+:|//)", page.name)
                self.assertTrue((page.parent / load.partition("?")[0]).exists(), f"{page.name} loads {load}")
        for style in self.site.rglob("*.css"):
            self.assertNotRegex(style.read_text(encoding="utf-8"), r"(@import|url\()\s*[\"']?(https?:|//)", style.name)

    def test_links_lead_to_files_and_places(self):
        for page, names in self.pages.items():
            for link in names.links:
                path, _, place = urllib.parse.unquote(link).partition("#")
                if re.match(r"\w+:", link):
                    continue
                target = (page.parent / path).resolve() if path else page
                self.assertTrue(target.exists(), f"{page.name}: {link}")
                if place and target.suffix == ".html" and place != "searchbox":
                    self.assertIn(place, self.pages[target].ids, f"{page.name}: {link}")

    def test_a_word_is_found(self):
        self.assertIn("starv", (self.site / "searchindex.js").read_text(encoding="utf-8"))
        if CHROMIUM is None:
            return
        run = subprocess.run([CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000", "--dump-dom",
                              f"file://{self.site}/search.html?q=starves"], capture_output=True, text=True, timeout=120, check=False)
        self.assertRegex(run.stdout, r'<a href="docs/questions\.html')


if __name__ == "__main__":
    if PYTHON is None:
        print("no Sphinx here")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
