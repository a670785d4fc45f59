"""The scorer: two judgements a reply, in both readings, and why a reply has no answer."""

import asyncio
import json

import pytest
from inspect_ai.model import ChatCompletionChoice, ChatMessageAssistant, ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.scorer import format_bias_scorer

KINDS = {"char": "letter", "text": "option", "python": "ranking", "json": "entities"}
OPTIONS = ("red", "green", "blue", "grey")


def scored(
    reply,
    name="bolding",
    target="150",
    kind="text",
    prompting="zs",
    stop="stop",
    choices=OPTIONS,
    **options,
):
    meta = FormatBiasMeta(
        task="format_bias", item="i", unit="i", subset="gsm8k", category="wrapping", format=name,
        prompting=prompting, demos=0, repeat=1, kind=kind, keys="Task,Metric",
        n_elements=len(target) if isinstance(target, list) else 0,
    )  # fmt: skip
    message = ChatMessageAssistant(content=reply)
    output = ModelOutput(
        model="m", choices=[ChatCompletionChoice(message=message, stop_reason=stop)]
    )
    text = target if isinstance(target, str) else json.dumps(target)
    state = TaskState(
        model=ModelName("mockllm/model"), sample_id="i", epoch=1, input="?", messages=[],
        target=Target(text), choices=list(choices), output=output, metadata=meta.as_metadata(),
    )  # fmt: skip
    return asyncio.run(format_bias_scorer(**options)(state, Target(text)))


def test_a_reply_in_format_is_scored_by_what_it_holds():
    score = scored("It is **150 cards**.")
    assert score.value == {"format_ok": 1.0, "score": pytest.approx(2 / 3)}
    assert score.answer == "150 cards"
    assert score.metadata == {"epoch": 1, "outcome": "ok"}


def test_the_first_of_several_matches_scores_though_the_format_is_missed():
    reply = "**150** or **151**"
    assert scored(reply).value == {"format_ok": 0.0, "score": 1.0}
    assert scored(reply, extraction="strict").value == {"format_ok": 0.0, "score": 0.0}
    assert scored("**150**", extraction="strict").value == {"format_ok": 1.0, "score": 1.0}


def test_a_right_answer_that_can_not_be_extracted_scores_nothing():
    score = scored("150")
    assert score.value == {"format_ok": 0.0, "score": 0.0}
    assert score.answer is None
    assert score.metadata["outcome"] == "unparsed"


@pytest.mark.parametrize(
    ("reply", "stop", "outcome"),
    [
        ("", "stop", "empty"),
        ("  \n", "stop", "empty"),
        ("Let me think about the", "max_tokens", "truncated"),
        ("", "max_tokens", "truncated"),
        ("I'm sorry, but I can't help with that.", "stop", "refused"),
        ("**150**", "content_filter", "filtered"),
        ("It is 150.", "stop", "unparsed"),
        ("**150**", "max_tokens", "ok"),
        ("<think>**1**</think>**150**", "stop", "ok"),
        ("<think>**150**", "stop", "empty"),
    ],
)
def test_why_there_is_an_answer_or_none(reply, stop, outcome):
    score = scored(reply, stop=stop)
    assert score.metadata["outcome"] == outcome
    assert score.value["score"] == float(outcome == "ok")


@pytest.mark.parametrize(
    ("name", "kind", "reply", "target", "value"),
    [
        ("bolding", "letter", "**b**", "B", (1, 1)),
        ("bolding", "letter", "**C**", "B", (1, 0)),
        ("bolding", "letter", "**B. green**", "B", (0, 0)),
        ("char", "letter", "(B).", "B", (1, 1)),
        ("text", "option", "Green", "green", (1, 1)),
        ("text", "option", "blue", "green", (1, 0)),
        ("python", "ranking", "[0, 1, 1]", [0, 1, 1], (1, 1)),
        ("python", "ranking", "[0, 1]", [0, 1, 1], (0, 0)),
        ("newline", "keyphrases", "tide\nmarsh", ["marsh", "tide"], (1, 1)),
        ("newline", "keyphrases", "Tide", ["tide"], (1, 0)),
        (
            "json",
            "entities",
            '{"Task": ["A"], "Metric": []}',
            {"Task": ["a"], "Metric": []},
            (1, 1),
        ),
        ("json", "entities", '{"Task": ["A"]}', {"Task": ["a"], "Metric": []}, (0, 0)),
    ],
)
def test_every_kind_of_answer(name, kind, reply, target, value):
    score = scored(reply, name, target, kind).value
    assert (score["format_ok"], score["score"]) == value


def test_case_between_keyphrases_can_be_told_not_to_count():
    assert scored("Tide", "newline", ["tide"], "keyphrases", casefold=True).value["score"] == 1


def test_asterisk_bullets_pass_by_default_and_fail_when_strict():
    reply = "* tide\n* marsh"
    default = scored(reply, "bullet", ["tide", "marsh"], "keyphrases")
    assert default.value == {"format_ok": 1.0, "score": 1.0}
    assert default.metadata["tolerated"] == "2 bullets are asterisks"
    strict = scored(reply, "bullet", ["tide", "marsh"], "keyphrases", extraction="strict")
    assert strict.value == {"format_ok": 0.0, "score": 0.0}


def test_the_instruction_said_again_passes_by_default_and_fails_when_strict():
    said = "So I wrap the final answer by <ANSWER> and </ANSWER>.\n<ANSWER>1875</ANSWER>"
    default = scored(said, "special_character", "1875", "text")
    assert (default.answer, default.value["format_ok"]) == ("and", 1.0)
    strict = scored(said, "special_character", "1875", "text", extraction="strict")
    assert strict.value == {"format_ok": 0.0, "score": 0.0}
    plain = scored("<ANSWER>1875</ANSWER>", "special_character", "1875", "text")
    assert "tolerated" not in plain.metadata


def test_the_authors_map_takes_the_reply_for_the_truth():
    flattering = scored(str([1] * 9), "python", [0] * 8 + [1], "ranking")
    assert flattering.metadata["map_as_published"] == 1.0
    assert flattering.value["score"] < 1.0
    unread = scored("none of them", "python", [0, 0, 1], "ranking")
    assert unread.metadata["map_as_published"] == 0.0
    assert "map_as_published" not in scored("**1**").metadata


@pytest.mark.parametrize(
    ("reply", "name", "follows"),
    [
        # Of any length: the replies of the authors' files are mostly too long.
        ("[0, 1, 0, 1]", "python", 1),
        ("```python\n[1,0]\n```", "python", 1),
        ("[1, 0,", "python", 0),
        ("[1, 2]", "python", 0),
        ("Relevant: [1, 0]", "python", 0),
        ("0\n1\n1\n0", "newline", 1),
        ("0\n\n1", "newline", 0),
        ("1. 0\n2. 1", "newline", 0),
        ("0 (Theano-MPI)\n1 (Theano)", "newline", 0),
        ("0<SEP>\n1 <SEP> 1<SEP>0", "separator", 1),
        ("0<SEP>\n1<SEP>", "separator", 0),
        ("- 0\n- 1", "bullet", 1),
        # Read as YAML: blank lines do not count, what is written otherwise does.
        ("- 0\n\n- 1", "bullet", 1),
        ("-  0\n- 1", "bullet", 0),
        ("* 0\n* 1", "bullet", 0),
        ('- 0: "Theano-MPI"\n- 1: "Theano"', "bullet", 0),
        ("Here:\n- 0\n- 1", "bullet", 0),
    ],
)
def test_the_authors_take_a_ranking_of_any_length_and_nothing_around_it(reply, name, follows):
    found = scored(reply, name, [0, 1, 0], "ranking")
    assert found.metadata["format_ok_as_published"] == follows
    assert found.value["format_ok"] == 0
    assert (found.metadata["map_as_published"] > 0) == bool(follows)


def test_the_authors_read_between_the_tags_too():
    for reply, follows in (("Step 1.\n<ANSWER>\n0\n1\n</ANSWER>", 1), ("0\n1", 0)):
        found = scored(reply, "newline", [0, 1, 1], "ranking", prompting="cot")
        assert found.metadata["format_ok_as_published"] == follows


def test_a_sample_without_output_is_unscored():
    meta = {"task": "format_bias", "format": "bolding"}
    state = TaskState(
        model=ModelName("mockllm/model"), sample_id="i", epoch=1, input="?", messages=[],
        target=Target("1"), output=ModelOutput(), metadata=meta,
    )  # fmt: skip
    score = asyncio.run(format_bias_scorer()(state, Target("1")))
    assert score.value != score.value
    assert score.reason == "scoring_failed"


def test_an_unknown_reading_is_refused():
    with pytest.raises(ValueError, match="valid: all, published, strict"):
        format_bias_scorer(extraction="lenient")


def test_an_answer_in_any_script_is_shown_as_it_was_written():
    reply = '{"Task": ["Übersetzung 翻訳"], "Metric": []}'
    found = scored(reply, "json", {"Task": ["x"], "Metric": []}, "entities")
    assert found.answer == reply
