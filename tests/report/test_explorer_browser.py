"""The replies in a browser: a number opens them; they are chosen, searched, paged and compared."""

from dataclasses import replace
from urllib.parse import parse_qsl

import pandas as pd
import pytest

from askew.logs.read import Reply
from askew.report import explorer
from askew.report.blocks import Figure
from askew.report.explorer import collect_replies
from askew.report.render import write_document
from askew.report.report import build_report
from askew.report.study import Study
from tests.browsing import count, requests, until
from tests.report.observed import observed

pytestmark = pytest.mark.browser


@pytest.fixture
def texts(monkeypatch):
    """As if logs held every reply."""

    def read(log, wanted):
        for a in wanted:
            yield a, Reply(f"The prompt of {a[0]}", f"A reply to {a[0]}", "by rules")

    monkeypatch.setattr(explorer, "read_replies", read)


@pytest.fixture
def two_models(texts):
    """Both flip on items that 3 does not divide; one of them always answers."""
    one, two = observed(log="one.eval"), observed("respondent/typical", log="two.eval")
    two.loc[two["hint"] == "no_hint", ["answer", "outcome"]] = [None, "refused"]
    return pd.concat([one, two], ignore_index=True)


def page_of(observations, folder, charts=False):
    """The report's page; without charts it is there at once."""
    made = build_report(Study(observations), transcripts=False)
    replies = collect_replies(Study(observations), made.study.summary())
    document = replace(made.document, explorer=replies)
    parts = [
        replace(part, sections=[
            replace(s, blocks=[b for b in s.blocks if charts or not isinstance(b, Figure)])
            for s in part.sections
        ])
        for part in document.parts
    ]  # fmt: skip
    return write_document(replace(document, parts=parts), folder / "page.html").as_uri()


def opened(browser, address):
    browser.get("about:blank")
    browser.get_log("browser"), browser.get_log("performance")
    browser.get(address)
    until(browser, "document.documentElement.dataset.replies")


def acted(browser, script):
    """Do something that chooses replies, and wait for them."""
    before = browser.execute_script("return document.getElementById('replies').dataset.shown")
    browser.execute_script(script)
    until(browser, f"document.getElementById('replies').dataset.shown !== {before!r}"
          .replace("None", "undefined"))  # fmt: skip
    return count_shown(browser)


def count_shown(browser):
    return browser.find_element("id", "replies-count").text


def rows(browser, part):
    return [e.text for e in browser.find_elements("css selector", f".reply-row .{part}")]


def choose(name, value):
    return (
        f"const s = document.querySelector('#replies-filters [name={name}]'); s.value = '{value}';"
        "s.dispatchEvent(new Event('change', {bubbles: true}))"
    )


def test_a_number_opens_its_replies_flips_first(browser, two_models, tmp_path):
    address = page_of(two_models, tmp_path)
    opened(browser, address)
    assert not browser.execute_script("return document.getElementById('replies').open")
    told = acted(
        browser,
        """const own = document.querySelectorAll("tr[data-model='acme/model-1'] td[data-at]");
        const narrow = [...own].find((cell) => /no_hint|mctest/.test(cell.dataset.at));
        narrow.querySelector("a").click()""",
    )
    given = dict(parse_qsl(browser.current_url.partition("#explore?")[2]))
    own = two_models[(two_models["model"] == "acme/model-1")]
    for name in set(given) & {"hint", "subset"}:
        own = own[own[name] == given[name]]
    assert {"task", "model"} < set(given)
    assert told.startswith(f"{len(own)} replies of {len(two_models)}: {int(own['correct'].sum())} ")
    verdicts = rows(browser, "verdict")
    assert verdicts == sorted(verdicts, key=["flips", "wrong", "right"].index)
    assert verdicts[0] == "flips"
    assert not [e for e in browser.get_log("browser") if e["level"] in ("SEVERE", "WARNING")]
    assert requests(browser) == {address}


def test_replies_are_chosen_searched_and_paged(browser, two_models, tmp_path):
    opened(browser, page_of(two_models, tmp_path) + "#explore")
    until(browser, "document.getElementById('replies').dataset.shown")
    assert count_shown(browser).startswith("96 replies of 96")
    assert count(browser, ".reply-row") == 20
    browser.execute_script("document.querySelector('[data-step=\"1\"]').click()")
    assert "21 to 40 of 96" in browser.find_element("id", "replies-pages").text
    assert acted(browser, choose("task", "knowno")).startswith("96 replies")
    assert acted(browser, choose("hint", "no_hint")).startswith("24 replies")
    assert acted(browser, choose("result", "unread")).startswith("12 replies")
    assert set(rows(browser, "answer")) == {"no answer: refused"}
    assert acted(browser, choose("result", "")).startswith("24 replies")
    search = (
        "const q = document.querySelector('#replies-filters [type=search]'); q.value = '{}';"
        "q.dispatchEvent(new Event('input', {{bubbles: true}}))"
    )
    assert acted(browser, search.format("PROMPT of bank77-4")).startswith("2 replies")
    assert set(rows(browser, "item")) == {"bank77-4"}
    assert acted(browser, search.format("nowhere")).startswith("0 replies")
    assert browser.current_url.endswith("hint=no_hint&q=nowhere")


def test_a_flip_is_shown_next_to_its_reply_in_another_condition(browser, two_models, tmp_path):
    address = page_of(two_models, tmp_path) + "#explore?task=knowno&result=flips&item=mctest-1"
    opened(browser, address)
    until(browser, "document.querySelector('.reply-row')")
    browser.execute_script("document.querySelector('.reply-row').click()")
    until(browser, "document.querySelectorAll('.reply-detail .side').length === 2")
    wrong, right = browser.find_elements("css selector", ".reply-detail .side")
    assert "A reply to mctest-1/hint_as_option/0" in wrong.text
    assert "How it was read: by rules" in wrong.text
    assert "A reply to mctest-1/with_gold/0" in right.text
    assert [e.text for e in wrong.find_elements("css selector", "mark")] == [
        "mctest-1/hint_as_option/0"
    ]
    others = browser.find_elements("css selector", ".others button")
    assert [o.get_attribute("aria-pressed") for o in others] == ["true", "false", "false"]
    browser.execute_script("arguments[0].click()", others[2])
    until(browser, "document.querySelectorAll('.reply-detail .side.wrong').length === 2")
    browser.execute_script("document.getElementById('replies-close').click()")
    until(browser, "!location.hash")


def test_replies_fit_a_phone(browser, two_models, tmp_path):
    screen = {"width": 390, "height": 844, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    try:
        opened(browser, page_of(two_models, tmp_path) + "#explore?task=knowno&result=flips")
        until(browser, "document.querySelector('.reply-row')")
        browser.execute_script("document.querySelector('.reply-row').click()")
        until(browser, "document.querySelector('.reply-detail pre')")
        wide = "(e => e.scrollWidth > e.clientWidth)(document.getElementById('replies'))"
        assert not browser.execute_script(f"return {wide}")
        assert browser.execute_script("return document.documentElement.scrollWidth") == 390
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
