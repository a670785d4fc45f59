"""Prompts and replies from a log's file: those at hand as Inspect gives them, and without it."""

import json
from zipfile import ZipFile

import pytest
from inspect_ai.event import InfoEvent
from inspect_ai.log import EvalSample, resolve_sample_attachments
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentReasoning,
    ContentText,
    ModelOutput,
)
from inspect_ai.scorer import Score

from askew.report import replies
from askew.report.replies import read_replies, texts_here, texts_of

RULE = ChatMessageSystem(content="Be brief.")
ASKED = ChatMessageUser(content="What is left?")
SAID = ChatMessageAssistant(content="Nothing.")
THOUGHT = [ContentReasoning(reasoning="Hm."), ContentText(text="No"), ContentText(text="thing")]
SCORED = {"first": Score(value=1, explanation="read"), "then": Score(value=0, explanation="again")}
PLAIN = {
    "one turn": {"messages": [ASKED, SAID]},
    "several turns": {"messages": [RULE, ASKED, SAID, ASKED, SAID]},
    "scored twice": {"messages": [ASKED, SAID], "scores": SCORED},
    "scored without a word": {"messages": [ASKED, SAID], "scores": {"a": Score(value=1)}},
    "several targets": {"messages": [ASKED, SAID], "target": ["some", "none"]},
    "no reply yet": {"messages": [ASKED]},
    "events": {"messages": [ASKED, SAID], "events": [InfoEvent(data="attachment://")]},
}  # fmt: skip
OTHERS = {
    "content in parts": {"messages": [ASKED, ChatMessageAssistant(content=THOUGHT)]},
    "kept apart": {
        "messages": [ChatMessageUser(content="attachment://long"), SAID],
        "attachments": {"long": "What is left of it all?"},
    },
    "no output": {"messages": [ASKED], "output": ModelOutput()},
}


def sample(said):
    given = {"output": ModelOutput.from_content("m", "Nothing."), "target": "none", **said}
    return EvalSample(id="a", epoch=1, input="", **given)


@pytest.fixture
def kept(tmp_path):
    def write(sample):
        log = tmp_path / "x.eval"
        with ZipFile(log, "w") as archive:
            archive.writestr("samples/a_epoch_1.json", sample.model_dump_json())
        return str(log)

    return write


@pytest.mark.parametrize("name", [*PLAIN, *OTHERS])
def test_texts_of_a_file_are_those_that_inspect_reads(kept, name):
    said = sample({**PLAIN, **OTHERS}[name])
    theirs = texts_of(resolve_sample_attachments(said, "core"))
    (ours,) = texts_here(kept(said), [("a", 1)]).values()
    assert ours == theirs
    assert ours.prompt == theirs.prompt
    assert "attachment://" not in ours.prompt


@pytest.mark.parametrize("name", [*PLAIN, *OTHERS])
def test_only_what_is_not_plain_text_is_left_to_inspect(kept, name, monkeypatch):
    log, asked = kept(sample({**PLAIN, **OTHERS}[name])), []
    theirs = replies.EvalSample.model_validate
    monkeypatch.setattr(
        replies.EvalSample, "model_validate", lambda found: asked.append(1) or theirs(found)
    )
    texts_here(log, [("a", 1)])
    assert bool(asked) is (name in OTHERS)


def test_a_file_of_another_shape_is_said_not_raised(tmp_path):
    log = tmp_path / "x.eval"
    with ZipFile(log, "w") as archive:
        archive.writestr("samples/a_epoch_1.json", json.dumps({"messages": [{"role": "user"}]}))
    (reply,) = read_replies(str(log), [("a", 1)]).values()
    assert reply.unread
    assert not reply.prompt
