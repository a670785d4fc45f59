"""A browser for the tests that look at pages: Debian's chromium, driven from here."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from askew.analysis import write_report

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


def open_report(browser, observations, folder, title="Report", extent="short"):
    """The report, opened; of a full one every chart is drawn."""
    path = write_report(observations, folder / "report.html", title=title, extent=extent)
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(path.as_uri())
    deadline = time.monotonic() + 60
    while not browser.execute_script("return document.documentElement.dataset.charts"):
        assert time.monotonic() < deadline, "the charts were not drawn"
        time.sleep(0.05)
    for panel in browser.find_elements("css selector", ".panel") if extent == "full" else ():
        browser.execute_script("arguments[0].scrollIntoView()", panel)
        while "drawn" not in panel.get_attribute("class").split():
            assert time.monotonic() < deadline, "a chart was not drawn"
            time.sleep(0.02)


def requests(browser) -> set[str]:
    events = (json.loads(e["message"])["message"] for e in browser.get_log("performance"))
    sent = (e["params"] for e in events if e["method"] == "Network.requestWillBeSent")
    urls = {p["request"]["url"] for p in sent if p.get("documentURL", "").startswith("file:")}
    return {u for u in urls if not u.startswith("data:")}


def count(browser, selector: str) -> int:
    return len(browser.find_elements("css selector", selector))
