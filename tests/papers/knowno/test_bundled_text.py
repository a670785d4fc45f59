"""The KnowNo questions we bundle keep the promises their scoring rests on.

Read as raw JSON on purpose: these are claims about the files, whatever loads them.
"""

import csv
import json
import re
from collections import Counter
from importlib.resources import files
from itertools import permutations
from typing import Any

import pytest

FOLDER = files("askew.papers.knowno") / "bundled"
POSITIONS = 4
LONGEST_SHARE = 0.4
# An option in such words would turn right once the gold option is taken away.
NONE_LIKE = re.compile(
    r"\b(none|nobody|no one|nothing|nowhere|neither|never|both|everyone|everybody|everything"
    r"|all of|any of|either of|not (given|known|mentioned|said|stated)|unknown"
    r"|(someone|somebody|something|somewhere) else|another (answer|option))\b"
)
# What a reader of letters could take for a choice: "A stick", "B: a stick", "(c) a stick".
LETTER_LIKE = re.compile(r"\(?[a-z](\s|[.:)]|$)", re.IGNORECASE)


def _text(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def _records(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in _text(name).splitlines()]


def _same(text: str) -> str:
    """Return what two texts share when only case, spaces and punctuation differ."""
    return " ".join(re.findall(r"\w+", text.casefold()))


def _repeated(texts: list[str]) -> list[str]:
    return [text for text, count in Counter(map(_same, texts)).items() if count > 1]


def _runs_inside(inner: str, outer: str) -> bool:
    """Whether the words of ``inner`` occur in ``outer`` in sequence."""
    return f" {_same(inner)} " in f" {_same(outer)} "


STORIES = _records("mctest.jsonl")
QUESTIONS = [question for story in STORIES for question in story["question_list"]]
UTTERANCES = _records("bank77.jsonl")
INTENTS = list(csv.DictReader(_text("intents.csv").splitlines()))
LABELS = [intent["intent"] for intent in INTENTS]


def _gold_position(question: dict[str, Any]) -> int:
    return int(question["options"].index(question["gold_option"]))


def _sets_where_gold_alone_is(extreme: str) -> int:
    pick = max if extreme == "longest" else min
    hits = 0
    for question in QUESTIONS:
        lengths = [len(option) for option in question["options"]]
        gold = len(question["gold_option"])
        hits += gold == pick(lengths) and lengths.count(gold) == 1
    return hits


class TestStories:
    def test_nothing_is_told_or_asked_twice(self) -> None:
        assert _repeated([story["story"] for story in STORIES]) == []
        assert _repeated([question["question"] for question in QUESTIONS]) == []


class TestOptions:
    def test_four_different_options_hold_the_gold_once(self) -> None:
        for question in QUESTIONS:
            options = question["options"]
            assert len(options) == len({_same(option) for option in options}) == POSITIONS
            assert options.count(question["gold_option"]) == 1

    def test_no_option_is_part_of_another(self) -> None:
        for question in QUESTIONS:
            for inner, outer in permutations(map(str.casefold, question["options"]), 2):
                assert inner not in outer, question["question"]

    def test_no_option_says_that_none_fits(self) -> None:
        options = [option for question in QUESTIONS for option in question["options"]]
        assert [option for option in options if NONE_LIKE.search(option.casefold())] == []

    def test_no_option_begins_like_a_letter_choice(self) -> None:
        options = [option for question in QUESTIONS for option in question["options"]]
        assert [option for option in options if LETTER_LIKE.match(option)] == []

    def test_gold_positions_are_balanced(self) -> None:
        counts = Counter(map(_gold_position, QUESTIONS))
        assert set(counts) == set(range(POSITIONS))
        assert max(counts.values()) - min(counts.values()) <= 2

    @pytest.mark.parametrize("extreme", ["longest", "shortest"])
    def test_length_does_not_give_the_gold_away(self, extreme: str) -> None:
        assert _sets_where_gold_alone_is(extreme) <= LONGEST_SHARE * len(QUESTIONS)


class TestUtterances:
    def test_nothing_is_typed_twice(self) -> None:
        assert _repeated([utterance["text"] for utterance in UTTERANCES]) == []

    def test_labels_number_the_defined_intents(self) -> None:
        for utterance in UTTERANCES:
            assert LABELS[utterance["label"]] == utterance["label_text"]
        assert {utterance["label"] for utterance in UTTERANCES} == set(range(len(LABELS)))

    def test_no_utterance_spells_out_an_intent(self) -> None:
        phrases = [label.replace("_", " ") for label in LABELS]
        for utterance in UTTERANCES:
            assert not [name for name in phrases if _runs_inside(name, utterance["text"])]

    def test_no_utterance_holds_every_word_of_its_intent(self) -> None:
        for utterance in UTTERANCES:
            words = set(_same(utterance["text"]).split())
            assert not set(utterance["label_text"].split("_")) <= words, utterance["id"]


class TestIntents:
    def test_no_name_is_part_of_another(self) -> None:
        assert [pair for pair in permutations(LABELS, 2) if pair[0] in pair[1]] == []
