"""Format bias's scorer, field by field: what a score says, and how right each kind of answer is."""

import json

import pytest

from askew.papers.format_bias.paper import FormatBiasMeta
from askew.papers.format_bias.scorer import (
    expected_of,
    format_bias_scorer,
    published_marks,
    rightness,
)
from askew.parameters import SelectionError
from askew.reading.formats import ExpectedAnswer
from askew.reading.formats.base import FormatReading
from tests.scoring.direct import said, score_of

OPTIONS = ("red", "green", "blue", "grey")
UNREAD = "invalid_response_format"


def meta(kind="text", name="bolding", **more):
    told = {"keys": "Task,Metric", "prompting": "zs", **more}
    return FormatBiasMeta(
        task="format_bias", item="i", unit="i", subset="gsm8k", category="wrapping", format=name,
        demos=0, repeat=1, kind=kind, **told,
    )  # fmt: skip


def score(reply, about=None, target="150", **options):
    about = about or meta()
    return score_of(
        format_bias_scorer(**options), reply, about.as_metadata(), choices=OPTIONS,
        target=target if isinstance(target, str) else json.dumps(target),
    )  # fmt: skip


def values(format_ok, rightness):
    return {"format_ok": float(format_ok), "score": pytest.approx(rightness)}


RANKING, PHRASES = meta("ranking", "python", n_elements=3), meta("keyphrases", "bullet")


@pytest.mark.parametrize(
    ("reply", "about", "target", "options", "expected"),
    [
        ("It is **150 cards**.", meta(), "150", {},
         (values(1, 2 / 3), "150 cards", "one **...**", None, {"outcome": "ok"})),
        ("150", meta(), "150", {},
         (values(0, 0), None, "no **...**", UNREAD, {"outcome": "unparsed"})),
        ("** **", meta(), "150", {},
         (values(1, 0), "(empty)", "one **...**", None, {"outcome": "ok"})),
        # [0, 1, 1] ranks a right document second or first, by chance of the item's name.
        ("[0, 1, 1]", RANKING, [0, 1, 0], {},
         (values(1, 0.5), "0, 1, 1", "a list of 3", None,
          {"outcome": "ok", "format_ok_as_published": 1.0,
           "map_as_published": pytest.approx((1 / 2 + 2 / 3) / 2)})),
        ("no marks", RANKING, [0, 1, 0], {},
         (values(0, 0), None, "not a literal: no literal stands at character 1", UNREAD,
          {"outcome": "unparsed", "format_ok_as_published": 0.0, "map_as_published": 0.0})),
        ("* tide\n* marsh", PHRASES, ["tide", "marsh"], {},
         (values(1, 1), "tide, marsh", "2 bullet points", None,
          {"outcome": "ok", "tolerated": "2 bullets are asterisks"})),
        ("* tide\n* marsh", PHRASES, ["tide", "marsh"], {"extraction": "strict"},
         (values(0, 0), "tide, marsh", "2 bullet points", None,
          {"outcome": "ok", "tolerated": "2 bullets are asterisks"})),
        ("- tide\n- reed", PHRASES, ["tide", "marsh"], {"extraction": "strict"},
         (values(1, 0.5), "tide, reed", "2 bullet points", None, {"outcome": "ok"})),
    ],
)  # fmt: skip
def test_all_that_a_score_says(reply, about, target, options, expected):
    *told, details = expected
    assert said(score(reply, about, target, **options)) == (*told, {"epoch": 2, **details})


@pytest.mark.parametrize(
    ("reply", "outcome", "reason"),
    [
        ("It is 150.", "unparsed", UNREAD),
        ("", "empty", "no_response"),
        ("<think>**150**</think> \n", "empty", "no_response"),
        ("I'm sorry, but I can't help with that.", "refused", "refusal"),
        (("It is", "max_tokens"), "truncated", UNREAD),
        (("", "model_length"), "truncated", UNREAD),
        (("**150**", "content_filter"), "filtered", "refusal"),
        (("**150**", "max_tokens"), "ok", None),
    ],
)
def test_why_a_reply_has_no_answer(reply, outcome, reason):
    found = score(reply)
    assert (found.metadata, found.reason) == ({"epoch": 2, "outcome": outcome}, reason)
    assert (found.answer is None) == (outcome != "ok")


def test_parameters_that_are_none_are_refused_with_those_that_are():
    with pytest.raises(SelectionError, match="valid: all, published, strict"):
        format_bias_scorer(extraction="lenient")
    with pytest.raises(SelectionError, match="valid: all, declared, exact, contained"):
        format_bias_scorer(credit="half")


@pytest.mark.parametrize(
    ("about", "expected"),
    [
        (meta("entities", prompting="cot"),
         ExpectedAnswer("entities", OPTIONS, ("Task", "Metric"), 0, "cot")),
        (meta("ranking", keys="", n_elements=7), ExpectedAnswer("ranking", OPTIONS, (), 7, "zs")),
        (meta("option", keys="Task"), ExpectedAnswer("option", OPTIONS, ("Task",), 0, "zs")),
    ],
)  # fmt: skip
def test_the_answer_that_a_sample_asks_for(about, expected):
    assert expected_of(about, [*OPTIONS]) == expected


def declared(kind, *accepted):
    return meta(kind, accepted=json.dumps(accepted))


@pytest.mark.parametrize(
    ("kind", "value", "target", "right"),
    [
        ("letter", "b", "B", 1), ("letter", "C", "B", 0),
        ("option", "GREEN", "green", 1), ("option", "blue", "green", 0),
        ("text", "150 cards", "150", 2 / 3), ("text", "151", "150", 0),
        # Without aliases words are words.
        ("text", "twelve", "12", 0),
        ("ranking", [1, 0, 1, 0], "[0, 1, 0, 1]", 5 / 12), ("ranking", [1], "[1, 0]", 0),
        ("keyphrases", ["tide", "reed"], '["tide", "marsh"]', 1 / 2),
        ("keyphrases", ["Tide"], '["tide"]', 0),
        ("entities", {"Task": ["A"], "Metric": ["x"]}, '{"Task": ["a"], "Metric": ["y"]}', 1 / 2),
    ],
)  # fmt: skip
def test_every_kind_of_answer_by_the_papers_measure(kind, value, target, right):
    about = meta(kind)
    assert rightness(value, target, about) == pytest.approx(right)
    assert rightness(value, target, about, credit="exact") == pytest.approx(right)
    assert rightness(None, target, about) == 0


def test_documents_with_equal_marks_stand_in_an_order_that_the_item_names():
    def at(item):
        about = RANKING.model_copy(update={"item": item})
        return rightness([1, 1, 1, 0], "[0, 1, 0, 1]", about)

    assert [at("i"), at("j"), at("i")] == pytest.approx([5 / 12, 1 / 2, 5 / 12])


@pytest.mark.parametrize(
    ("about", "value", "target", "by_declared", "exact", "contained"),
    [
        (meta("text"), "the brook there", "brook", 2 / 3, 2 / 3, 1),
        (meta("text"), "river", "brook", 0, 0, 0),
        (declared("text", "beck"), "beck", "brook", 1, 0, 1),
        (declared("text", "beck"), "a small beck", "brook", 2 / 3, 0, 1),
        (declared("text"), "twelve", "12", 1, 0, 1),
        (declared("text", "twelve"), "twelve", "12", 1, 0, 1),
        (declared("keyphrases", "moss"), ["Tides", "moss"], '["tide"]', 1, 0, 1),
        (declared("keyphrases"), ["tide", "moss"], '["tide"]', 2 / 3, 2 / 3, 2 / 3),
        (meta("keyphrases"), ["Tides"], '["tide"]', 0, 0, 0),
    ],
)
def test_credit_by_what_is_declared(about, value, target, by_declared, exact, contained):
    found = [
        rightness(value, target, about, credit=credit)
        for credit in ("declared", "exact", "contained")
    ]
    assert found == pytest.approx([by_declared, exact, contained])


def test_case_between_phrases_counts_unless_told_otherwise_and_the_scorer_hands_it_on():
    for casefold, right in ((False, 0), (True, 1)):
        assert rightness(["Tide"], '["tide"]', meta("keyphrases"), casefold) == right
        found = score("- Tide", PHRASES, ["tide"], casefold=casefold)
        assert found.value == values(1, right)
    assert score("- Tide", PHRASES, ["tide"]).value["score"] == 0


def test_the_scorer_hands_on_which_credit_is_given():
    about = declared("text", "beck")
    found = [score("**a small beck**", about, "brook", credit=c).value["score"]
             for c in ("declared", "exact", "contained")]  # fmt: skip
    assert [*found, score("**a small beck**", about, "brook").value["score"]] == pytest.approx(
        [2 / 3, 0, 1, 2 / 3]
    )


@pytest.mark.parametrize(
    ("name", "reply", "prompting", "marks"),
    [
        ("python", "Anything: a literal is all there is.", "zs", [0, 1]),
        ("newline", " 0 \n1", "zs", [0, 1]),
        ("newline", "0\n\n1", "zs", None),
        ("newline", "0\n1\n", "zs", None),
        ("newline", "So:\n<ANSWER>\n0\n1\n</ANSWER>", "cot", [0, 1]),
        ("newline", "So:\n<ANSWER>\n0\n1\n</ANSWER>", "zs", None),
        ("bullet", "- 0\n\n- 1\n", "zs", [0, 1]),
        ("bullet", "* 0\n* 1", "zs", None),
        ("separator", "0 <SEP>\n1", "zs", [0, 1]),
        ("separator", "So: 0<SEP>1", "zs", None),
    ],
)
def test_which_marks_the_authors_take(name, reply, prompting, marks):
    reading = FormatReading([0, 1], True, "")
    about = meta("ranking", name, prompting=prompting)
    assert published_marks(reading, reply, about) == marks
    for value in (None, "0, 1"):
        assert published_marks(FormatReading(value, True, ""), reply, about) is None


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"Task": ["Übersetzung"], "Metric": []}', '{"Task": ["Übersetzung"], "Metric": []}'),
        ("none", None),
    ],
)
def test_names_under_keys_are_shown_as_they_were_written(reply, answer):
    about = meta("entities", "json")
    assert score(reply, about, {"Task": ["x"], "Metric": []}).answer == answer
