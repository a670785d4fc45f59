"""A browser for the tests that look at pages: Debian's chromium, driven from here."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest

from askew.analysis import write_report
from askew.report.study import Study

FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


@contextmanager
def opened_browser() -> Iterator:
    """A running browser; the test skips where there is none."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if not chromium or not driver:
        pytest.skip("no chromium with its driver on the PATH")
    webdriver = pytest.importorskip("selenium.webdriver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    with tempfile.TemporaryDirectory() as profile:
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        service = webdriver.ChromeService(driver)
        opened = webdriver.Chrome(options=options, service=service)
        opened.get("about:blank")
        opened.get_log("performance")
        try:
            yield opened
        finally:
            opened.quit()


# Who waits for a page gives up after so many rounds of the driver's own 30 seconds: it hangs then.
ROUNDS = 10
_WAIT = """
const done = arguments[arguments.length - 1];
const look = () => {
  try { const found = %s; if (found) done([found]); else setTimeout(look, 20); }
  catch (problem) { done([null, String(problem)]); }
};
look();
"""


def until(browser, condition, *given):
    """What a condition in JavaScript becomes, once it holds: the page looks, and tells.

    Args:
        browser: which has the page.
        condition: an expression; `arguments` are what is given.
        given: elements or values.
    """
    from selenium.common.exceptions import TimeoutException

    for _ in range(ROUNDS):
        with suppress(TimeoutException):
            found, *problem = browser.execute_async_script(_WAIT % condition, *given)
            assert not problem, f"{condition}: {problem}"
            return found
    raise AssertionError(f"never: {condition}")


def came(probe, what):
    """What a probe finds, once it finds anything; asked again for five minutes at least."""
    for _ in range(6_000):
        if found := probe():
            return found
        time.sleep(0.05)
    raise AssertionError(f"never came: {what}")


def open_report(browser, observations, folder, title="Report", write=write_report):
    """Open the report, written by `write`; of an unfolded one draw every chart."""
    path = write(Study(observations), folder / "report.html", title=title)
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(path.as_uri())
    until(browser, "document.documentElement.dataset.charts")
    panels = browser.find_elements("css selector", ".panel")
    for panel in panels if write is not write_report else ():
        browser.execute_script("arguments[0].scrollIntoView()", panel)
        until(browser, "arguments[0].classList.contains('drawn')", panel)


def requests(browser) -> set[str]:
    events = (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
    sent = (e["params"] for e in events if e["method"] == "Network.requestWillBeSent")
    urls = {p["request"]["url"] for p in sent if p.get("documentURL", "").startswith("file:")}
    return {u for u in urls if not u.startswith("data:")}


def count(browser, selector: str) -> int:
    return len(browser.find_elements("css selector", selector))
