"""Prompts and replies from a log's file are those that Inspect reads."""

from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import pandas as pd
import pytest
from inspect_ai.log import EvalSample, read_eval_log_sample_summaries
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, ModelOutput
from inspect_ai.scorer import Score

from askew import metrics
from askew.analysis import write_observations
from askew.logs.read import _reply, read_replies, read_samples
from askew.report.study import Study
from tests.logs.made_logs import a_log, a_sample, a_score, written

RULE = ChatMessageSystem(content="Be brief.")
ASKED = ChatMessageUser(content="What is left?")
SAID = ChatMessageAssistant(content="Nothing.")
SCORED = {"first": Score(value=1, explanation="read"), "then": Score(value=0, explanation="again")}
ONE = {"messages": [ASKED, SAID]}
SEVERAL = {"messages": [RULE, ASKED, SAID, ASKED, SAID]}


def sample(said, name="a"):
    given = {"output": ModelOutput.from_content("m", "Nothing."), "target": "none", **said}
    return EvalSample(id=name, epoch=1, input="", **given)


@pytest.fixture
def kept(tmp_path):
    """Samples, or texts in their place, in a file."""

    def write(**parts):
        log = tmp_path / "x.eval"
        with ZipFile(log, "w", ZIP_DEFLATED) as archive:
            for name, part in parts.items():
                text = part if isinstance(part, str) else part.model_dump_json(exclude_none=True)
                archive.writestr(f"samples/{name}_epoch_1.json", text)
        return log

    return write


def replies(log, *names):
    return dict(read_replies(str(log), [(name, 1) for name in names or ("a",)]))


def test_a_reply_is_what_a_page_shows(kept):
    said = sample(SEVERAL | {"scores": SCORED, "target": ["some", "none"]})
    (reply,) = replies(kept(a=said)).values()
    assert reply.prompt == "[system]\nBe brief.\n\n[user]\nWhat is left?\n\n" + (
        "[assistant]\nNothing.\n\n[user]\nWhat is left?"
    )
    assert (reply.reply, reply.why, reply.expected) == ("Nothing.", "again", "some, none")
    assert not reply.unread


def test_a_log_in_json_gives_the_same(tmp_path):
    said = a_sample("good").model_copy(update=ONE)
    asked = [(said.id, 1), ("gone", 1)]
    packed, text = (
        written(a_log([a_sample("other"), said]), tmp_path, f"x.{kind}")
        for kind in ("eval", "json")
    )
    assert dict(read_replies(str(text), asked)) == dict(read_replies(str(packed), asked))
    ((asking, reply),) = read_replies(str(text), asked)
    assert (asking, reply.prompt) == ((said.id, 1), "What is left?")


def test_samples_are_read_in_the_requested_order(kept):
    names = ["c", "a", "e", "b", "d"]
    log = kept(**{name: sample(ONE, name) for name in sorted(names)})
    asked = [(name, 1) for name in [*names, "gone", "a"]]
    assert [asking[0] for asking, _ in read_samples(str(log), asked)] == names


@pytest.mark.parametrize("part", ["{", "[]", '{"id": "bad", "epoch": 1, "messages": 3}'])
def test_a_damaged_sample_is_reported_and_the_others_are_shown(kept, part):
    found = replies(kept(bad=part, a=sample(ONE)), "bad", "a")
    assert found["bad", 1].unread.startswith("the log could not be read: ")
    assert not found["bad", 1].prompt
    assert found["a", 1].reply == "Nothing."


@pytest.mark.whole
def test_what_is_read_for_a_page_is_what_inspect_reads():
    """Also where long texts lie among a sample's attachments."""
    logs = sorted((Path(__file__).parents[1] / "golden" / "logs" / "runs").glob("*.eval"))
    for log in logs:
        read = read_eval_log_sample_summaries(str(log))[:20]
        asked = [(str(summary.id), summary.epoch) for summary in read]
        found = dict(read_replies(str(log), asked))
        theirs = read_samples(str(log), asked)
        assert found == {at: _reply(one.model_dump(mode="json")) for at, one in theirs}
        assert len(found) == len(asked)


HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


@pytest.fixture
def observations():
    samples = [
        a_sample(item, hint, score=a_score(float(hint != "no_hint"), 'a "b", c;\n=1+1'))
        for item in ("i1", "i2")
        for hint in HINTS
    ]
    return Study.read(a_log(samples), quiet=True)


@pytest.mark.parametrize("name", ["o.csv", "o.parquet", "O.CSV"])
def test_an_export_gives_the_same_numbers_as_the_table(tmp_path, observations, name):
    path = write_observations(observations, tmp_path / name)
    read = pd.read_parquet if name.endswith("parquet") else pd.read_csv
    again = read(path)
    assert list(again) == list(observations.rows)
    assert list(again["answer"]) == list(observations.rows["answer"])
    pd.testing.assert_frame_equal(metrics.knowno(again), metrics.knowno(observations.rows))


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_table_of_an_earlier_version_gives_the_same_numbers(tmp_path, observations, kind):
    rows = observations.rows.assign(cluster="one story")
    path, before = tmp_path / f"o.{kind}", rows.rename(columns={"cluster": "unit"})
    before.to_csv(path, index=False) if kind == "csv" else before.to_parquet(path)
    read = pd.read_csv(path) if kind == "csv" else pd.read_parquet(path)
    pd.testing.assert_frame_equal(metrics.knowno(read), metrics.knowno(rows))
    assert list(Study(read).rows) == list(rows)
