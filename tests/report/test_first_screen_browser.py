"""The first screen and the whole page in a browser: it fits, loads nothing, and can be read."""

from importlib.resources import files
from itertools import cycle, pairwise

import pandas as pd
import pytest

from askew.papers import get_paper, names
from askew.report.blocks import Chapter, CheckLine, Decision, Document, Headline, Part
from askew.report.estimates import Estimate, Model, verdict_for
from askew.report.render import write_document
from askew.report.report import make_summary, simultaneous_verdicts
from askew.report.study import Study
from askew.stats.clusters import NoEffect
from tests.browsing import count, open_report, requests
from tests.cases import cases_of
from tests.report.observed import observed, unfolded_report

pytestmark = pytest.mark.browser

DESK, PHONE = (1280, 800, False), (390, 844, True)
NAMES = [f"model-{n}-with-a-long-name-2026-01-{n:02}" for n in range(1, 11)]
MODELS = [Model(f"provider/{name}", name) for name in NAMES]
VALUES = cycle(
    [(0.4, 0.31, 0.49, 0.002), (0.01, -0.02, 0.03, 0.6), (0.08, -0.1, 0.3, 0.3), (1, 0.9, 1, 0.002)]
)  # fmt: skip


@pytest.fixture
def screen(browser):
    """Sets how large the screen is."""

    def size(width, height, mobile):
        how = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": mobile}
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", how)
        return browser

    yield size
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def headline(task, model):
    """A number of a task as its paper declares it, shown or not or hard to tell."""
    paper = get_paper(task)
    metric = paper.metric(paper.bend.metric)
    scale = 400 if metric.unit.name.startswith("squared") else 1
    value, low, high, p = next(VALUES)
    null = NoEffect(value * scale, 0.02 * scale, 0.1 * scale, p)
    found = Estimate(value * scale, low * scale, high * scale, 120, null=null, unit=metric.unit)
    return Headline(
        task, paper.name, model, metric.name, metric.label, found, None, "",
        verdict=verdict_for(found, metric), null_text=found.without_effect(metric),
    )  # fmt: skip


@pytest.fixture(scope="module")
def ten_by_six(tmp_path_factory):
    """Ten models on all six tasks, with a policy's outcome and a comparison on top."""
    next(VALUES)
    chapters = [
        Chapter(
            t, get_paper(t).name, [], short=t, question="?",
            headlines=[headline(t, m) for m in MODELS],
        )
        for t in names()
    ]  # fmt: skip
    assert len(chapters) == 6
    statuses = cycle(("fail", "inconclusive", "pass"))
    decided = Decision(
        "FAIL: 20 passed, 20 failed, 20 inconclusive",
        [
            CheckLine(t, m.label, next(statuses), "rule: above 0.2, fail")
            for t in names() for m in MODELS
        ],
        compared="Compared with model-1.",
        comparisons={m.label: "Better in 2 and worse in 11, of 15." for m in MODELS[1:]},
    )  # fmt: skip
    shown = make_summary(simultaneous_verdicts(chapters, MODELS), MODELS, decided)
    document = Document(
        "Does the way we ask bend the answer?", "10 models on six tasks: 2,181 scored replies.",
        [Part("glance", "Which model?", [], "At a glance", summary_table=shown), *chapters],
        dict, decided=decided,
    )  # fmt: skip
    return write_document(document, tmp_path_factory.mktemp("screen") / "screen.html")


def test_ten_models_and_six_tasks_fit_the_first_screen(screen, ten_by_six):
    browser = screen(*DESK)
    browser.get(ten_by_six.as_uri())
    assert count(browser, "td.cell .verdict") == count(browser, "td.cell svg.mark") == 60
    bottom = browser.execute_script(
        "return document.querySelector('#first-screen').getBoundingClientRect().bottom"
    )
    assert bottom <= 800
    beyond = "const r = document.documentElement; return r.scrollWidth - r.clientWidth"
    assert browser.execute_script(beyond) == 0
    inside = (
        "const s = document.querySelector('#first-screen'); return s.scrollWidth - s.clientWidth"
    )
    assert browser.execute_script(inside) <= 0
    spilt = (
        "return [...document.querySelectorAll('#first-screen td *')].filter(e =>"
        " e.offsetWidth > 1 &&"
        " e.getBoundingClientRect().right > e.closest('td').getBoundingClientRect().right).length"
    )
    assert browser.execute_script(spilt) == 0


@pytest.fixture(scope="module")
def page(browser, tmp_path_factory):
    """A report of two models on a task, opened."""
    two = pd.concat([observed(items=30), observed("acme/model-2", lambda h, i: True, items=30)])
    folder = tmp_path_factory.mktemp("page")
    open_report(browser, two.reset_index(drop=True), folder)
    return folder / "report.html"


@pytest.mark.parametrize("size", [DESK, PHONE])
def test_the_page_is_no_wider_than_the_screen_and_folded(screen, page, size):
    browser = screen(*size)
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(page.as_uri())
    beyond = "const r = document.documentElement; return r.scrollWidth - r.clientWidth"
    assert browser.execute_script(beyond) == 0
    assert browser.execute_script("return document.documentElement.scrollHeight") <= 12_000
    assert count(browser, "details.rest:not([open])") >= 3
    cut = (
        "return [...document.querySelectorAll('nav a')].map(a => a.getBoundingClientRect())"
        ".filter(r => r.right > innerWidth || r.left < 0).length"
    )
    assert browser.execute_script(cut) == 0
    assert not [e for e in browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
    assert requests(browser) == {page.as_uri()}


# Relative luminance and contrast as WCAG 2.2 defines them.
CONTRAST = cases_of(__file__, "CONTRAST")
UNNAMED = cases_of(__file__, "UNNAMED")


def axe(browser):
    """No serious finding of axe's."""
    found = files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    browser.execute_cdp_cmd("Runtime.evaluate", {"expression": found})
    serious = browser.execute_async_script(
        "const done = arguments[0];"
        "axe.run(document, {resultTypes: ['violations']}).then(r => done("
        "r.violations.filter(v => ['serious', 'critical'].includes(v.impact))"
        ".map(v => [v.id, v.nodes.length, v.nodes[0].html])))"
    )
    assert serious == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("which", ["grid", "page"])
def test_text_has_contrast_and_every_control_has_a_name(browser, ten_by_six, page, which, scheme):
    wanted = {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", wanted)
    try:
        browser.get((ten_by_six if which == "grid" else page).as_uri())
        browser.execute_script(
            "document.querySelectorAll('details').forEach(d => { d.open = true })"
        )
        assert browser.execute_script(CONTRAST) == []
        assert browser.execute_script(UNNAMED) == []
        ids = browser.execute_script("return [...document.querySelectorAll('[id]')].map(e => e.id)")
        assert len(ids) == len(set(ids))
        axe(browser)
        targets = browser.execute_script(
            "return [...document.querySelectorAll('a[href]')].map(a => a.hash.slice(1))"
        )
        there = {*ids, "differences", "checks"}
        # Links to replies open the explorer, which only a page with replies has.
        there |= {t for t in targets if t.partition("?")[0] == "explore" and which == "page"}
        assert set(targets) <= there
        assert count(browser, "th:not([scope])") == 0
        levels = browser.execute_script(
            "return [...document.querySelectorAll('h1, h2, h3, h4')].map(h => +h.tagName[1])"
        )
        assert levels[0] == 1
        assert all(b <= a + 1 for a, b in pairwise(levels))
    finally:
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def boxes(browser, selector):
    """Widths and heights of what a selector finds; the driver may ask where no script runs."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect())"
        ".map((box) => [box.width, box.height])",
        selector,
    )


def test_without_scripts_the_pictures_are_shown(browser, tmp_path):
    two = pd.concat([observed(), observed("respondent/typical")], ignore_index=True)
    path = unfolded_report(Study(two), tmp_path / "report.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(path.as_uri())
        assert not boxes(browser, ".drawn, :root[data-charts]")
        pictures = boxes(browser, ".static svg")
        assert len(pictures) == len(boxes(browser, ".panel")) > 10
        assert all(width > 300 and height > 30 for width, height in pictures)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
