"""Our own questions keep their promises, and each check finds the fault that it is there for."""

import copy
import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from askew.papers.format_bias.items import DEMOS_FILE
from askew_authoring.format_bias.bundle_checks import (
    FIELDS,
    Line,
    broken_promises,
    read_bundle,
    read_hard,
)
from askew_authoring.format_bias.lint import verify

Lines = dict[str, list[Line]]
Spoil = Callable[[Lines, Lines], Any]
ITEMS, DEMOS = read_bundle(DEMOS_FILE.parent)
HARD = read_hard(DEMOS_FILE.parent)


def test_verify_checks_the_bundle_whichever_subset_is_asked_for(monkeypatch) -> None:
    spoilt = copy.deepcopy(ITEMS)
    spoilt["bbh"][3]["choices"] = ["yes", "maybe"]
    monkeypatch.setattr(
        "askew_authoring.format_bias.lint.read_bundle", lambda folder: (spoilt, DEMOS)
    )
    (found,) = verify("bundled", "gsm8k")
    assert (found.item, found.kind) == ("bbh-04", "bbh")


def with_items(kind: str, number: int = 0, **fields: Any) -> Spoil:
    """Set fields of one question."""
    return lambda items, demos: items[kind][number].update(fields)


def with_demo(kind: str, **fields: Any) -> Spoil:
    """Set fields of one demonstration."""
    return lambda items, demos: demos[kind][0].update(fields)


def in_text(kind: str, field: str, old: str, new: str) -> Spoil:
    """Write one text of the first question otherwise."""

    def spoil(items: Lines, demos: Lines) -> None:
        assert old in items[kind][0][field]
        items[kind][0][field] = items[kind][0][field].replace(old, new)

    return spoil


def first(kind: str, field: str) -> Any:
    return ITEMS[kind][0][field]


def letters(kind: str, answers: str) -> Spoil:
    def spoil(items: Lines, demos: Lines) -> None:
        for line, answer in zip(items[kind], answers, strict=True):
            line["answer"] = answer

    return spoil


def of_all(kind: str, **fields: Any) -> Spoil:
    def spoil(items: Lines, demos: Lines) -> None:
        for line in items[kind]:
            line.update(copy.deepcopy(fields))

    return spoil


def longest_right(items: Lines, demos: Lines) -> None:
    for line in items["mcq"]:
        place = "ABCD".index(line["answer"])
        line["choices"][place] += " and so forth without end or measure, whatever anybody says"


PARAGRAPHS = first("multihop", "paragraphs")
DOCUMENTS = first("ranking", "documents")
EXTRACTION = ITEMS["extraction"][0]
PHRASES = first("keyphrases", "keyphrases")


FAULTS: dict[str, tuple[Spoil, str]] = {
    # Every file.
    "an unknown kind": (lambda i, d: d.__setitem__("odd", [{"id": "x"}]), "no kind"),
    "an id twice": (with_items("mcq", 1, id="mcq-01"), "the same as mcq-01"),
    "an id out of turn": (with_items("reading", 4, id="reading-99"), "reading number 5"),
    "a demonstration's id": (with_demo("reading", id="demo-9"), "reading demonstration 1"),
    "a field too many": (with_items("arithmetic", hint="x"), "['hint']"),
    "a field too few": (lambda i, d: i["mcq"][0].pop("subject"), "['subject']"),
    "a question twice": (
        with_items("arithmetic", 1, question=first("arithmetic", "question").upper()),
        "the same as arithmetic-01",
    ),
    "a demonstration that is tested": (
        with_demo("arithmetic", question=first("arithmetic", "question")),
        "the same as arithmetic-01",
    ),
    "a passage in both": (
        with_demo("reading", answer=" ".join(first("reading", "passage").split()[:9])),
        " ".join(first("reading", "passage").casefold().split()[:2]),
    ),
    "a format mark": (with_items("mcq", subject="[[geography]]"), "'['"),
    "an untrimmed text": (with_items("mcq", subject=" geography"), "space around"),
    "an empty text": (with_items("mcq", subject=""), "an empty text"),
    # Multiple choice.
    "three choices": (with_items("mcq", choices=["w", "xx", "yyy"]), "four choices"),
    "a fifth letter": (with_items("mcq", answer="E"), "one of their letters"),
    "a choice in another": (
        with_items("mcq", choices=["red", "dark red", "blue", "grey"]), "no choice hides"
    ),
    "a choice that is a letter": (
        with_items("mcq", choices=["x", "green", "blue", "lilac"]), "no choice is a letter"
    ),
    "a choice about choices": (
        with_items("mcq", choices=["all of these", "green", "blue", "lilac"]), "speaks of the"
    ),
    "too few subjects": (of_all("mcq", subject="geography"), "eleven subjects"),
    "a letter more often": (letters("mcq", "A" * 44), "equally often"),
    "three in a row": (letters("mcq", "AAA" + "BCD" * 13 + "BC"), "three times in a row"),
    "a period": (letters("mcq", "ABCD" * 11), "follow no period"),
    "long right choices": (longest_right, "length does not give"),
    "other choices than yes and no": (with_items("bbh", choices=["no", "perhaps"]), "yes and no"),
    "a third letter": (with_items("bbh", answer="C"), "A or B"),
    "another question": (with_items("bbh", question="Is it plausible?"), "one sentence"),
    "more plausible ones": (letters("bbh", "AAB" * 8), "half of the sentences"),
    "a visible order": (letters("bbh", "AB" * 12), "no visible order"),
    # Short answers.
    "a work that is code": (with_items("arithmetic", work="f(1)"), "is a calculation"),
    "a wrong working": (with_items("arithmetic", work="1 + 1 + 1"), "equals the answer"),
    "a padded number": (with_items("arithmetic", answer="07"), "plain number"),
    "one step": (with_items("arithmetic", work="7"), "2 to 8 steps"),
    "an answer in print": (
        with_items("arithmetic", question=f"Why {first('arithmetic', 'answer')}?"), "print the"
    ),
    "a short passage": (with_items("reading", passage="A cow stood there."), "90 to 160"),
    "a long answer": (with_items("reading", answer="a b c d e f g"), "one to six words"),
    "an answer from nowhere": (with_items("reading", answer="zzz"), "the passage has"),
    "an answer in the question": (
        with_items("reading", question=f"Why {first('reading', 'answer')}?"), "the question has"
    ),
    "no question": (with_items("reading", question="Tell me."), "question mark"),
    "three paragraphs": (with_items("multihop", paragraphs=PARAGRAPHS[:3]), "4 to 4 paragraphs"),
    "a short paragraph": (
        with_items("multihop", paragraphs=[*PARAGRAPHS[:3], {"title": "T", "text": "So."}]),
        "20 to 70 words",
    ),
    "no paragraph has it": (with_items("multihop", answer="zzz"), "some paragraph has"),
    "a long multihop answer": (
        with_items("multihop", answer=" ".join(PARAGRAPHS[0]["text"].split()[:8])), "one to six"
    ),
    "no multihop question": (with_items("multihop", question="Tell me."), "question mark"),
    "one paragraph is enough": (
        with_items("multihop", question=f"What of {', '.join(p['title'] for p in PARAGRAPHS)}?"),
        "a second paragraph",
    ),
    # Lists and mappings.
    "few documents": (with_items("ranking", documents=DOCUMENTS[:5]), "eight to ten"),
    "all relevant": (
        with_items("ranking", documents=[d | {"relevant": 1} for d in DOCUMENTS]), "three to five"
    ),
    "relevant ones first": (
        with_items("ranking", documents=sorted(DOCUMENTS, key=lambda d: -d["relevant"])), "mixed"
    ),
    "a title twice": (
        with_items("ranking", 1, query=DOCUMENTS[0]["title"]), "the same as ranking-01"
    ),
    "few words": (with_items("keyphrases", text=" ".join(PHRASES)), "90 to 150 words"),
    "few phrases": (with_items("keyphrases", keyphrases=PHRASES[:2]), "5 to 9 phrases"),
    "a phrase in a phrase": (
        with_items("keyphrases", keyphrases=[*PHRASES[:5], PHRASES[0][:-1]]), "no phrase hides"
    ),
    "a phrase from nowhere": (
        with_items("keyphrases", keyphrases=[*PHRASES[:5], "zzz"]), "the text has 'zzz'"
    ),
    "a second spelling": (
        in_text("keyphrases", "text", PHRASES[0], f"{PHRASES[0].upper()} {PHRASES[0]}"),
        f"one spelling of {PHRASES[0]!r}",
    ),
    "a plural": (
        in_text("keyphrases", "text", PHRASES[0], f"{PHRASES[0]} {PHRASES[0]}s"),
        f"one spelling of {PHRASES[0]!r}",
    ),
    "a short text": (with_items("extraction", text="TideNet."), "100 to 170 words"),
    "no task": (with_items("extraction", Task=[]), "a task and a method"),
    "a name from nowhere": (with_items("extraction", Task=["zzz"]), "the text has every name"),
    "a name in a name": (
        with_items("extraction", Task=[EXTRACTION["Method"][0]]), "no name hides"
    ),
    "a name left out": (
        in_text("extraction", "text", ".", ". ZedNet does it too."), "every name in the text"
    ),
    "no text without a metric": (of_all("extraction", Metric=["x"]), "some texts lack"),
    "no text with several": (of_all("extraction", Task=["x"]), "several names of each"),
}  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_fault_is_found(fault: str) -> None:
    spoil, said = FAULTS[fault]
    items, demos = copy.deepcopy(ITEMS), copy.deepcopy(DEMOS)
    spoil(items, demos)
    assert any(said in f.message for f in broken_promises(items, demos)), fault


def test_every_hard_question_has_a_reason_for_its_answer():
    review = Path(__file__).parents[3] / "docs" / "format_bias_hard_review.csv"
    with review.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    ids = [line["id"] for lines in HARD.values() for line in lines]
    assert sorted(row["id"] for row in rows) == sorted(ids)
    assert {kind: len(lines) for kind, lines in HARD.items()} == dict.fromkeys(FIELDS, 20)
    assert all(row["reason"] for row in rows)


@pytest.mark.whole
@pytest.mark.parametrize(
    ("kind", "fields", "told"),
    [
        ("arithmetic", {"work": "1 + 1 + 1 + 1 + 1"}, "the working equals the answer"),
        ("arithmetic", {"work": "2 + 3"}, "4 to 12 steps"),
        ("multihop", {"paragraphs": ITEMS["multihop"][0]["paragraphs"]}, "8 to 8 paragraphs"),
        ("keyphrases", {"optional": ["zzz"]}, "the text has 'zzz'"),
        ("reading", {"id": "reading-02"}, "hard question 1"),
        ("bbh", {"choices": ["yes", "perhaps"]}, "yes and no"),
    ],
)
def test_a_fault_in_a_hard_question_is_found(kind, fields, told):
    hard = copy.deepcopy(HARD)
    hard[kind][0].update(fields)
    assert any(told in f.message for f in broken_promises(ITEMS, DEMOS, hard))
