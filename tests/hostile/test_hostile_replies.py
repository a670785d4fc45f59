"""Six hundred nasty replies: every parser reads each, every report shows each."""

import json
from pathlib import Path

import pytest

from askew.report.study import Study
from askew.scoring.outcome import label
from tests.hostile.parsers import PARSERS
from tests.repeated import THOROUGH
from tests.report.observed import observed, unfolded_report
from tests.report.test_report_hostile import assert_inert


def corpus():
    lines = Path(__file__).with_name("replies.jsonl").read_text("ascii").splitlines()
    for number, line in enumerate(lines, start=1):
        entry = json.loads(line)
        text = entry["text"] * entry.get("times", 1) + entry.get("tail", "")
        yield number, entry["kind"], text


REPLIES = list(corpus())
# Every how many replies are read, where reading takes long.
SLOW = {"yaml zs": 9}


@pytest.mark.whole
@pytest.mark.parametrize("name", PARSERS)
def test_every_nasty_reply_is_read(name):
    """Each by every fourth parser; by all of them where more than one change's worth is asked."""
    step = 1 if THOROUGH > 1 else SLOW.get(name, 4)
    for number, kind, text in REPLIES[list(PARSERS).index(name) % step :: step]:
        try:
            PARSERS[name](text)
        except Exception as error:
            raise AssertionError(f"replies.jsonl line {number} ({kind}): {error!r}") from error


def test_a_label_of_any_reply_is_short_and_of_one_line():
    for _, _, text in REPLIES:
        assert len(label(text)) <= 120
        assert len(label(text).splitlines()) <= 1


@pytest.mark.parametrize("suffix", [".html", ".md", ".json", ".csv"])
def test_reports_show_nasty_answers_as_text(suffix, tmp_path):
    rows = observed()
    answers = [label(text) for _, kind, text in REPLIES if kind not in ("repeated", "long")]
    rows["answer"] = [answers[i % len(answers)] for i in range(len(rows))]
    rows["gold"] = [answers[(7 * i) % len(answers)] for i in range(len(rows))]
    path = unfolded_report(Study(rows), tmp_path / f"report{suffix}")
    text = path.read_text(encoding="utf-8")
    assert "omni_accuracy" in text or "OmniAccuracy" in text
    if suffix == ".html":
        assert_inert(text)
    if suffix == ".json":
        json.loads(text)
