"""The report in a browser: charts are drawn, nothing is fetched, nothing hostile runs."""

import pandas as pd
import pytest

from askew.report.study import Study
from tests.report.observed import observed, unfolded_report

pytestmark = pytest.mark.browser


@pytest.fixture
def two_models():
    return pd.concat([observed(), observed("respondent/typical")], ignore_index=True)


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
