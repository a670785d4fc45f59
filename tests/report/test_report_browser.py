"""The report in a browser: charts are drawn, nothing is fetched, nothing hostile runs."""

import pandas as pd
import pytest

from askew.report.study import Study
from tests.browsing import count, open_report, requests
from tests.report.observed import observed, unfolded_report
from tests.report.test_report_hostile import HANDLER, SCRIPT, hostile_everywhere

pytestmark = pytest.mark.browser


@pytest.fixture
def two_models():
    return pd.concat([observed(), observed("respondent/typical")], ignore_index=True)


def test_charts_are_drawn_without_an_error_or_a_request(browser, two_models, tmp_path):
    open_report(browser, two_models, tmp_path, write=unfolded_report)
    panels = count(browser, ".panel")
    assert panels > 10
    assert count(browser, ".panel.drawn .live svg") == panels
    assert not [e for e in browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
    assert requests(browser) == {(tmp_path / "report.html").as_uri()}


def test_hostile_text_does_not_run(browser, tmp_path):
    for hostile in (SCRIPT, HANDLER):
        rows = hostile_everywhere(hostile).rows
        open_report(browser, rows, tmp_path, title=hostile, write=unfolded_report)
        assert browser.title.startswith(hostile[:5])
        assert count(browser, "img") == 0
        assert count(browser, "script:not([type='text/plain'])") == 4
        assert not [e for e in browser.get_log("browser") if e["level"] == "SEVERE"]


def boxes(browser, selector):
    """Widths and heights of what a selector finds; the driver may ask where no script runs."""
    return browser.execute_script(
        "return [...document.querySelectorAll(arguments[0])].map((e) => e.getBoundingClientRect())"
        ".map((box) => [box.width, box.height])",
        selector,
    )


def test_without_scripts_the_pictures_are_shown(browser, two_models, tmp_path):
    path = unfolded_report(Study(two_models), tmp_path / "report.html")
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        browser.get(path.as_uri())
        assert not boxes(browser, ".drawn, :root[data-charts]")
        pictures = boxes(browser, ".static svg")
        assert len(pictures) == len(boxes(browser, ".panel")) > 10
        assert all(width > 300 and height > 30 for width, height in pictures)
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
