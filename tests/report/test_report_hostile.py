"""Replies, names and logs are untrusted: a report shows them as text and nothing else."""

import csv
import json
import re
from io import StringIO
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from markdown_it import MarkdownIt

from askew.analysis import write_observations, write_report
from askew.papers.knowno.paper import CORE_HINTS
from askew.report.render import json_for_script, literal, text
from askew.report.study import Study
from askew.untrusted import in_cell, one_line
from tests.report.logged import a_run, excluded
from tests.report.observed import Page, observed, unfolded_report

SCRIPT = "</script></style></pre><script>document.title='owned'</script>"
HANDLER = '"\'><img src=x onerror="document.title=`owned`"><svg onload=alert(1)>'
ENTITIES = "&lt;b&gt; &#60;script&#62; &amp;amp; {{ 7 * 7 }} {% raw %} ${7*7}"
MARKS = "safe\u202egnirts\u2066x\u2069\u200b\u2028line\x00nul\ufeff"
SURROGATE = "half \ud800 a pair"
LONG = "A" * 1_000_000
ALL = (SCRIPT, HANDLER, ENTITIES, MARKS)


def hostile_everywhere(hostile: str) -> Study:
    """The hostile text in every column that comes from a model, a log or a user's file."""
    observations = observed(
        subsets=("mctest", hostile), gold=hostile, answer=hostile, pattern=hostile
    )
    observations["model"] = observations["model_name"] = f"acme/{hostile}"
    observations["item"] = observations["cluster"] = observations["item"] + hostile
    odd = observations["hint"] == "hint_as_option"
    observations["outcome"] = observations["outcome"].where(~odd, hostile)
    observations["correct"] = (observations["hint"] == "with_gold").astype(float)
    observations["log"] = observations["sample_id"] = hostile
    told = one_line(hostile)
    run = a_run(
        f"acme/{hostile}", data=told, settings={told[:9]: told}, software=told, started=told,
        logs=(told,),
    )  # fmt: skip
    lost = {"log": hostile, "model": f"acme/{hostile}", "what": hostile, "why": hostile}
    return Study(observations, excluded(lost), (run,))


def assert_inert(html: str) -> Page:
    page = Page(html)
    assert len(page.loaded) == 4
    known = {
        "a", "abbr", "article", "bdi", "body", "button", "caption", "circle", "clippath",
        "data", "dd", "defs", "del", "details", "dialog", "div", "dl", "dt", "em", "figcaption",
        "figure", "footer", "g", "h1", "h2", "h3", "h4", "head", "header", "html", "ins", "li",
        "line", "main", "meta", "nav", "ol", "p", "path", "pre", "rect", "script", "section",
        "span", "strong", "style", "summary", "sup", "svg", "table", "tbody", "td", "text",
        "th", "thead", "title", "tr", "tspan", "ul",
    }  # fmt: skip
    assert {tag for tag, _ in page.elements} <= known
    for _, attributes in page.elements:
        assert not [n for n in attributes if n.startswith("on") or n in ("src", "srcdoc")]
        assert (attributes.get("href") or "#").startswith("#")
    return page


@pytest.mark.parametrize("hostile", ALL)
def test_hostile_text_is_shown_as_text(hostile, tmp_path):
    path = unfolded_report(hostile_everywhere(hostile), tmp_path / "report.html", title=hostile)
    html = path.read_text(encoding="utf-8")
    page = assert_inert(html)
    assert one_line(hostile).split()[0] in page.text
    assert not re.search("[\u202e\u2066\u2069\u200b\u2028\ufeff\x00]", html)


@pytest.mark.parametrize("hostile", ALL)
def test_markdown_and_json_stay_what_they_are(hostile, tmp_path):
    observations = hostile_everywhere(hostile)
    path = unfolded_report(observations, tmp_path / "report.md", title=hostile)
    markdown = path.read_text(encoding="utf-8")
    outside_code = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "", markdown)
    assert not re.search(r"(?<!\\)<(?!!-- -->)[a-z/!]", outside_code)
    data = json.loads(write_report(observations, tmp_path / "report.json").read_text("utf-8"))
    assert data["models"][0]["model"].startswith("acme/")


def test_markdown_text_can_not_become_markup_or_a_link():
    assert text("a|b `c` <i> [x](http://evil) _y_ snake_case") == (
        r"a\|b \`c\` \<i\> \[x\](http&#58;//evil) \_y\_ snake_case"
    )
    assert text("www.evil.example") == "www&#46;evil.example"
    assert text("@everyone see #12, !3 or gh-4: a@b.example") == (
        "@<!-- -->everyone see #<!-- -->12, !<!-- -->3 or gh-<!-- -->4: a@<!-- -->b.example"
    )
    for mark in ("##", "-", "+", "1.", "12)"):
        assert MarkdownIt().render(text(f"{mark} a # c!")) == f"<p>{mark} a # c!</p>\n"
    assert text("95% & ~ $ [x] -5") == r"95% &amp; \~ \$ \[x\] -5"
    for sign in ("%1", '%"a b"', "~bug", '~"a b"', "&1", "$1", "[vulnerability:1]", "GL-1"):
        assert re.search(r"[%~;$\[-]<!-- -->[\w\"]", text(f"see {sign}")), sign
    assert literal("a ``b`` | c\n# d") == "```a ``b`` \\| c # d```"
    assert [literal("`"), literal("")] == ["`` ` ``", ""]


FORMULAS = ("=1+1", "+cmd|' /C calc'!A0", "-2+3", "@SUM(1)", "\t=1", "\uff1d1+1", "=HYPERLINK(1)")


@pytest.mark.parametrize("hostile", [*FORMULAS, MARKS])
def test_a_spreadsheet_computes_nothing_and_turns_nothing_round(hostile, tmp_path):
    study = hostile_everywhere(hostile)
    rows = study.rows.assign(model=hostile, subset=hostile, **{hostile: hostile})
    observations = Study(rows, study.excluded, study.runs)
    for path in (
        write_report(observations, tmp_path / "report.csv"),
        write_observations(observations, tmp_path / "observations.csv"),
    ):
        written = path.read_text(encoding="utf-8")
        assert not re.search("[\u202e\u2066\u2069\u200b\u2028\ufeff\x00]", written)
        cells = [cell for row in csv.reader(StringIO(written, newline="")) for cell in row]
        assert any(hostile.strip()[1:4] in cell for cell in cells)
        suspect = [c for c in cells if re.match(r"\s*[=+\-@\uff1d]", c)]
        assert not [c for c in suspect if not re.fullmatch(r"[+-]?[\d.e-]+", c)]


@pytest.mark.parametrize("number", ["-3", "+4.5", "-1,000", "-5%", "a=b", "", "A"])
def test_what_is_a_number_or_plain_stays_as_it_is_in_a_cell(number):
    assert in_cell(number) == number


def test_data_in_a_script_element_can_not_end_it():
    data = {"name": f"{SCRIPT}<!--\u2028&"}
    written = json_for_script(data)
    assert not set("<>&\u2028") & set(written)
    assert json.loads(written) == data


@pytest.fixture
def hostile_log(run, tmp_path) -> Path:
    """A log whose prompts and replies are hostile, of a model that flips on every item."""
    log = run("askew/knowno", "respondent/agreeable", task_args={"items": 6})
    whole: EvalLog = read_eval_log(log.location)
    for number, sample in enumerate(whole.samples or []):
        # Every hint gets each text in turn.
        reply = (*ALL, SURROGATE, LONG)[(number + number // len(CORE_HINTS)) % 6]
        sample.output.choices[0].message.content = sample.output.completion = reply
        sample.messages[0].content = sample.messages[0].text + SCRIPT + MARKS
        sample.messages[-1].content = reply
    place = tmp_path / "hostile" / "hostile.json"
    place.parent.mkdir()
    write_eval_log(whole, str(place))
    return place


def test_prompts_and_replies_of_a_hostile_log_are_shown_as_text(hostile_log, tmp_path):
    observations = Study.read(str(hostile_log), quiet=True)
    path = unfolded_report(observations, tmp_path / "report.html")
    html = path.read_text(encoding="utf-8")
    page = assert_inert(html)
    replies = [a for a in page.all("pre") if a["class"] == "reply"]
    prompts = [a for a in page.all("pre") if a["class"] == "prompt"]
    assert len(replies) == 12
    assert len(prompts) == 6
    assert "document.title='owned'" in page.text
    assert "⟨U+202E⟩gnirts" in page.text
    assert "(996,000 more characters)" in page.text
    assert len(html) < 3_000_000
