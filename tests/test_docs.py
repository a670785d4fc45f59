"""The docs: links lead somewhere, on a git host and in the offline site; commands exist."""

import doctest
import os
import re
import runpy
import shlex
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from inspect import getdoc, getmodule, isclass, signature, unwrap
from pathlib import Path
from posixpath import dirname, join, normpath

import click
import pytest
import yaml

import askew
from askew.cli import main
from askew.papers import get_paper
from tests.browsing import came, requests, until
from tests.cases import cases

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(
    p.relative_to(ROOT).as_posix()
    for p in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks/README.md")
)
LINK = re.compile(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)")


def prose(page):
    """A page without its code."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.M | re.S)


def anchors(page):
    """A page's anchors, as git hosts make them of headings."""
    text = re.sub(r"^```.*?^```$", "", (ROOT / page).read_text("utf-8"), flags=re.M | re.S)
    headings = re.findall(r"^#+ (.+)$", text, re.M)
    return {re.sub(r"[^\w\- ]", "", h.lower()).replace(" ", "-") for h in headings}


@pytest.mark.parametrize("page", PAGES)
def test_no_link_leads_nowhere_on_a_git_host(page):
    lost = []
    for target, anchor in LINK.findall(prose(page)):
        if target.startswith(("http:", "https:")):
            continue
        path = normpath(join(dirname(page), target)) if target else page
        if not (ROOT / path).is_file() or (anchor and anchor not in anchors(path)):
            lost.append(f"{target}#{anchor}")
    assert lost == []


def commands(page):
    """The command lines of a page's code blocks."""
    code = re.findall(r"^```\w*\n(.*?)^```$", (ROOT / page).read_text("utf-8"), re.M | re.S)
    lines = "".join(code).replace("\\\n", " ").splitlines()
    found = (
        re.match(r"(?:\$ |[A-Z_]+=\S+ )*((?:askew|inspect eval(?:-set)?) .*)", x) for x in lines
    )
    return [shlex.split(f[1], comments=True) for f in found if f]


@pytest.mark.parametrize("page", [page for page in PAGES if commands(page)])
def test_commands_of_the_docs_exist_with_their_options(page):
    for words in commands(page):
        if words[0] == "inspect":
            given = {*re.findall(r" -T (\w+)=", " ".join(words))}
            named = {w.removeprefix("askew/") for w in words if w.startswith("askew/")} - {"bend"}
            assert all(given <= {*get_paper(task).parameters} for task in named), words
            continue
        command, rest = main, words[1:]
        while isinstance(command, click.Group) and not rest[0].startswith("-"):
            command, rest = command.get_command(click.Context(command), rest[0]), rest[1:]
        assert command, words
        # Raises at an unknown option.
        command.make_parser(click.Context(command)).parse_args(rest)


@pytest.fixture(scope="module")
def outside():
    """What mkdocs runs, found as mkdocs finds it."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        spec = spec_from_file_location("outside", ROOT / "docs" / "outside.py")
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return module


def test_the_reference_lists_what_the_modules_offer():
    declared = runpy.run_path(str(ROOT / "docs" / "declared.py"))
    wanted = dict(declared["pages"]())[ROOT / "docs" / "reference/python.md"]
    assert (ROOT / "docs" / "reference/python.md").read_text("utf-8") == wanted, (
        "run: python docs/declared.py"
    )
    assert all(f"`{name}`" in wanted for name in askew.__all__ if name[0] != "_")


def described():
    """Public functions by name, with the constructors of a study."""
    declared = runpy.run_path(str(ROOT / "docs" / "declared.py"))
    page = (ROOT / "docs" / "reference/python.md").read_text("utf-8")
    names = " ".join(found["names"] for found in declared["PUBLIC"].finditer(page))
    named = {name: f for name, f in declared["public"](names).items() if not isclass(f)}
    return named | {"Study.read": askew.Study.read, "Study.load": askew.Study.load}


@pytest.mark.parametrize("name", described())
def test_public_functions_describe_arguments_and_results_and_their_examples_run(name):
    function = described()[name]
    text = getdoc(function)
    told = {*re.findall(r"^    \*{0,2}(\w+): \S", text, re.M)}
    assert {*signature(function).parameters} - {"self"} <= told
    assert re.search(r"^Returns:\n    [A-Z`]", text, re.M)
    scope = dict(vars(getmodule(unwrap(function))))
    for example in doctest.DocTestFinder(recurse=False).find(function, name, globs=scope):
        assert doctest.DocTestRunner().run(example).failed == 0


def test_every_page_has_its_place_in_the_site(outside):
    told = re.search(r"^nav:\n(.*?)^theme:", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M | re.S)
    placed = set(re.findall(r"[\w/-]+\.md", yaml.safe_dump(yaml.safe_load(told[1]))))
    pages = {p.relative_to(ROOT).as_posix() for p in (ROOT / "docs").rglob("*.md")}
    pages |= {path for path in outside.closure() if path.endswith(".md")}
    assert {outside.place(path) for path in pages} == placed, "mkdocs.yml: nav"


@cases("origin", "written", "led")
def test_links_lead_in_the_site_where_they_lead_on_a_git_host(outside, origin, written, led):
    known = {"index.md", "reference/tasks/knowno.md", "images/report.png", "benchmarks/README.md"}
    assert outside.rewritten(written, origin, known.__contains__) == (led or written)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The docs as a site: the one that is built already, where a variable names it."""
    if built := os.environ.get("ASKEW_SITE"):
        return Path(built)
    if not find_spec("material") or not find_spec("mkdocstrings"):
        pytest.skip("what builds the docs is not installed: pip install -e '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.whole
def test_the_reference_lists_the_arguments_of_each_name(site):
    page = (site / "reference/python.html").read_text("utf-8")
    for name, argument in (("read_observations", "logs"), ("omni_accuracy", "with_gold")):
        assert re.search(rf'id="askew\.[\w.]+\.{name}"', page)
        assert re.search(rf"<code>{argument}</code>", page)
    # Files that pages link to are served with them.
    assert (site / "policy.yaml").read_bytes() == (ROOT / "docs/policy.yaml").read_bytes()
    for inside in ("examples/format_bias_xml.py", "images/report.png", "binary_qa_forms.csv"):
        assert (site / inside).is_file()


@pytest.mark.browser
def test_the_site_is_read_and_searched_from_its_folder_and_loads_nothing(site, browser):
    browser.get_log("browser"), browser.get_log("performance")
    browser.get((site / "index.html").as_uri())
    asked = browser.find_element("css selector", "input.md-search__input")

    def shown():
        """Where the page has room it stands open; else, or in some versions, a key opens it."""
        if not asked.is_displayed():
            browser.find_element("css selector", "body").send_keys("/")
        return asked.is_displayed()

    came(shown, "the search field")
    browser.execute_script("arguments[0].focus()", asked)
    asked.send_keys("framing pull")
    until(browser, "document.querySelector('a.md-search-result__link')")
    found = browser.find_elements("css selector", "a.md-search-result__link")
    assert any("mathcomp.html" in link.get_attribute("href") for link in found)
    assert {u for u in requests(browser) if not u.startswith("file:")} == set()
    assert [e for e in browser.get_log("browser") if e["level"] == "SEVERE"] == []
