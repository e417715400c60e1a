"""The documentation laid out as Sphinx wants it: pages where they are in the tree, what they link to beside them."""
import os
import pathlib
import re
import shutil
import subprocess

from .links import is_outside, links_in, pages_of

NEEDED = "import sphinx, myst_parser"
# The order of the menu; pages that are not named here follow.
FIRST = ("tutorial", "results", "questions", "policies", "overview")

CONF = """project = "tandem"
html_title = "tandem"
extensions = ["myst_parser"]
source_suffix = {{".md": "markdown"}}
master_doc = "index"
exclude_patterns = []
myst_heading_anchors = 6
html_theme = "alabaster"
html_theme_options = {{"description": "Which placement and scheduling policy wins on this board?", "fixed_sidebar": True,
                      "page_width": "1100px", "sidebar_width": "240px"}}
html_sidebars = {{"**": ["about.html", "searchbox.html", "navigation.html"]}}
html_show_sphinx = False
html_copy_source = False
html_static_path = []
highlight_language = "none"
suppress_warnings = ["misc.highlighting_failure", "myst.header", "toc.not_readable"]
nitpicky = False
"""


def python_with_sphinx():
    """The distribution's Python before any other: its packages are for it."""
    for python in ("/usr/bin/python3", "python3"):
        if shutil.which(python) and subprocess.run([python, "-c", NEEDED], capture_output=True, check=False).returncode == 0:
            return python
    return None


PYTHON = python_with_sphinx()


def folder_page(folder, root):
    """What stands in for a link to a folder."""
    names = sorted(entry.name + ("/" if entry.is_dir() else "") for entry in folder.iterdir() if not entry.name.startswith("."))
    title = folder.relative_to(root).as_posix()
    return f"---\norphan: true\n---\n# {title}/\n" + "".join(f"- `{name}`\n" for name in names)


def targets_of(page):
    for _, target in links_in(page.read_text(encoding="utf-8")):
        path = target.partition("#")[0]
        if path and not is_outside(target):
            yield path, (page.parent / path).resolve()


def site_name(target, root):
    """Where a page of the tree stands in the site: README.md is its first page."""
    name = target.relative_to(root)
    return pathlib.Path("index.md") if name == pathlib.Path("README.md") else name


def rewritten(page, root):
    """The page's text with links to folders and to the README as the site has them."""
    text = page.read_text(encoding="utf-8")
    for path, target in set(targets_of(page)):
        if target.is_dir():
            here = pathlib.Path("folders") / (target.relative_to(root).as_posix().replace("/", "-") + ".md")
        elif target.name == "README.md" and target.parent == root:
            here = site_name(target, root)
        else:
            continue
        new = os.path.relpath(here, site_name(page, root).parent)
        text = re.sub(rf"\]\({re.escape(path)}(#[^)]*)?\)", lambda match, new=new: f"]({new}{match[1] or ''})", text)
    return text


def menu(pages, root):
    docs = [page for page in pages if page.parent == root / "docs"]
    docs.sort(key=lambda page: (FIRST.index(page.stem) if page.stem in FIRST else len(FIRST), page.stem))
    others = [page for page in pages if page.parent == root and page.name != "README.md"]
    names = [site_name(page, root).with_suffix("").as_posix() for page in [*docs, *others]]
    return "\n\n```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def lay_out(root, source):
    """Returns how many pages there are."""
    pages = pages_of(root)
    source.mkdir(parents=True)
    (source / "conf.py").write_text(CONF.format(), encoding="utf-8")
    for page in pages:
        text = rewritten(page, root)
        if page == root / "README.md":
            text += menu(pages, root)
        place(source / site_name(page, root), text)
        for _, target in targets_of(page):
            if target.is_dir():
                name = target.relative_to(root).as_posix().replace("/", "-")
                place(source / "folders" / f"{name}.md", folder_page(target, root))
            elif target not in pages:
                (source / target.relative_to(root)).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(target, source / target.relative_to(root))
    return len(pages)


def place(file, text):
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
