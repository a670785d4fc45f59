"""Five tasks, two models, one of them hostile: the report in a browser, at its full length."""

import base64
import json
import re
import zlib
from html import unescape
from urllib.parse import parse_qsl

import pandas as pd
import pytest
from inspect_ai import eval

from askew.analysis import read_observations
from askew.papers import get_paper, task_papers
from askew.respondents.provider import Respondent
from tests.browsing import count, open_report, requests
from tests.report.observed import Page, unfolded_report
from tests.report.test_report_hostile import ENTITIES, HANDLER, LONG, MARKS, SCRIPT

pytestmark = pytest.mark.browser

MODELS = ("typical", "agreeable")
HOSTILE = (SCRIPT, HANDLER, ENTITIES, MARKS, LONG)


@pytest.fixture(scope="module")
def observations(tmp_path_factory) -> pd.DataFrame:
    """Every task on every model; each reply of the agreeable one drags something nasty along."""
    folder = tmp_path_factory.mktemp("all")
    answer = Respondent._reply
    asked = 0

    def reply(self, *call):
        nonlocal asked
        said = answer(self, *call)
        if self.model_name != "agreeable":
            return said
        asked += 1
        # One long reply is enough: the others stay quick to read.
        kind = HOSTILE[asked % 4] if asked != 7 else LONG
        return f"{said}\n\n{kind}"

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Respondent, "_reply", reply)
        eval(
            [get_paper(task).make(items=2) for task in task_papers()], log_dir=str(folder),
            model=[f"respondent/{m}" for m in MODELS], display="none", log_level="error",
        )  # fmt: skip
    assert asked > 60
    return read_observations(str(folder), quiet=True)


@pytest.fixture(scope="module")
def page(browser, observations, tmp_path_factory):
    """The open report; what the browser logged and asked for while it opened."""
    folder = tmp_path_factory.mktemp("page")
    open_report(browser, observations, folder, write=unfolded_report)
    told = browser.get_log("browser")
    return browser, told, requests(browser), folder / "report.html"


def test_it_opens_without_an_error_or_a_request(page):
    browser, told, asked, path = page
    assert not [e for e in told if e["level"] in ("SEVERE", "WARNING")]
    assert asked == {path.as_uri()}
    assert browser.title == "Report · askew"


def test_every_chart_of_every_section_is_drawn(page):
    browser, *_ = page
    for task in task_papers():
        panels = count(browser, f"#{task} .panel")
        assert panels >= 2, task
        assert count(browser, f"#{task} .panel.drawn .live svg") == panels


def test_every_number_leads_to_replies_of_its_conditions(page):
    *_, path = page
    html = path.read_text(encoding="utf-8")
    index = next(c for a, c in Page(html).scripts if a.get("id") == "replies-index")
    asked = {
        task["task"]: {c["name"]: set(c["values"]) for c in task["conditions"]}
        for task in json.loads(zlib.decompress(base64.b64decode(index)))["tasks"]
    }
    chapters = re.split(r'<section class="chapter" id="([^"]+)"', html)[1:]
    seen = set()
    for task, chapter in zip(chapters[::2], chapters[1::2], strict=True):
        for at in re.findall(r'data-at="([^"]*)"', chapter):
            for name, value in parse_qsl(unescape(at)):
                # A level that only metrics have says nothing of replies.
                if name in asked[task]:
                    assert value in asked[task][name], (task, name)
                    seen.add(task)
    assert seen == set(task_papers())


def test_the_first_screen_links_a_finding_of_every_task_for_every_model(page):
    browser, *_ = page
    rows = browser.execute_script(
        "return [...document.querySelectorAll('#first-screen tbody th bdi')].map(e => e.title)"
    )
    assert sorted(rows) == sorted(f"respondent/{model}" for model in MODELS)
    for task in task_papers():
        assert count(browser, f"#first-screen td a[href='#{task}']") == len(MODELS)
