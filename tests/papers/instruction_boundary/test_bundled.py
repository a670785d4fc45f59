"""The bundled choice and miscellany questions are sound, and none shows its form from outside."""

import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from itertools import combinations, permutations
from pathlib import Path
from statistics import mean
from typing import Any

import pytest

Record = dict[str, Any]

FORMS = ("single", "none", "multiple")
CHOICE_FIELDS = {"id", "form", "passage", "question", "options", "gold", "missing_gold"}
TEN_FIELDS = {"id", "passage", "question", "options", "gold"}
REVIEW = Path(__file__).parents[3] / "docs" / "instruction_boundary_choice_review.csv"

# Verb forms that sound the same with one right option as with several.
NEUTRAL_VERBS = (
    "can|could|must|will|would|did|once held|held|marked|received|reached|stretched|flew"
    "|built|sailed|wrote|came"
)
OPENING = re.compile(rf"Which of the following(?: \w+){{0,5}}? ({NEUTRAL_VERBS})\b")
# Words that would tell how many options are right.
TELLING = re.compile(
    r"which (?:one|ones|is|are)\b|the one\b"
    r"|\b(?:both|several|none|neither|multiple|answers?|any|only)\b",
    re.IGNORECASE,
)


def read(name: str) -> list[Record]:
    source = files("askew.papers.instruction_boundary") / "bundled" / f"{name}.jsonl"
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


CHOICE = read("choice")
TEN = read("miscellany")
SHOTS = read("fewshot")
POLISHED = {row["id"]: row["question"] for row in read("polished")}
QUESTIONS = CHOICE + TEN + SHOTS
BY_FORM = {form: [row for row in CHOICE if row["form"] == form] for form in FORMS}


def by_id(rows: list[Record]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("row", rows, ids=[row["id"] for row in rows])


def words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def topic(row: Record) -> str:
    return str(row["id"].split("-")[2])


def triple(row: Record) -> str:
    return str(row["id"].split("-")[1])


def spread(positions: list[int], places: int) -> int:
    counts = Counter(positions)
    return max(counts[k] for k in range(places)) - min(counts[k] for k in range(places))


# ---- records


def test_every_form_has_at_least_34_questions_and_as_many_as_the_others() -> None:
    assert {len(rows) for rows in BY_FORM.values()} == {36}
    assert len(TEN) >= 34


def test_several_right_options_are_two_or_three() -> None:
    sizes = Counter(len(row["gold"]) for row in BY_FORM["multiple"])
    assert sizes == {2: 21, 3: 15}


@by_id(CHOICE + SHOTS)
def test_a_choice_record_has_its_fields_four_options_and_the_gold_of_its_form(row: Record) -> None:
    assert set(row) == CHOICE_FIELDS
    assert len(row["options"]) == 4
    assert len(row["gold"]) in {"single": {1}, "none": {0}, "multiple": {2, 3}}[row["form"]]
    assert row["gold"] == sorted(set(row["gold"]) & set(range(4)))
    assert f"{row['form']}-" in row["id"]


@by_id(TEN)
def test_a_miscellany_record_has_ten_options_and_one_is_right(row: Record) -> None:
    assert set(row) == TEN_FIELDS
    assert len(row["options"]) == 10
    assert len(row["gold"]) == 1
    assert row["gold"][0] in range(10)


def test_ids_and_questions_never_repeat() -> None:
    assert len({row["id"] for row in QUESTIONS}) == len(QUESTIONS)
    assert len({row["question"].lower() for row in QUESTIONS}) == len(QUESTIONS)


def test_there_are_three_examples_of_each_form_and_none_of_them_is_tested() -> None:
    assert Counter(row["form"] for row in SHOTS) == dict.fromkeys(FORMS, 3)
    tested = {frozenset(row["options"]) for row in CHOICE + TEN}
    assert tested.isdisjoint(frozenset(row["options"]) for row in SHOTS)


# ---- options


@by_id(QUESTIONS)
def test_no_option_contains_another(row: Record) -> None:
    for left, right in permutations([option.lower() for option in row["options"]], 2):
        assert left not in right


@by_id(QUESTIONS)
def test_options_hold_no_digit_and_never_speak_of_other_options(row: Record) -> None:
    for option in row["options"]:
        assert option == option.strip() != ""
        assert not re.search(r"\d", option), "a reply's digits must be option numbers"
        assert not re.search(r"\b(?:above|below|options?|none|all|both|other)\b", option.lower())


@by_id(CHOICE + SHOTS)
def test_only_a_question_without_a_right_option_names_one_and_does_not_offer_it(
    row: Record,
) -> None:
    missing = row["missing_gold"].lower()
    assert bool(missing) == (row["form"] == "none")
    for option in row["options"] if missing else []:
        assert missing not in option.lower()
        assert option.lower() not in missing


@by_id([row for row in QUESTIONS if row["passage"]])
def test_a_passage_has_40_to_80_words_and_tells_of_every_option(row: Record) -> None:
    assert 40 <= len(row["passage"].split()) <= 80
    told = set(words(row["passage"]))
    for option in row["options"]:
        for word in set(words(option)) - {"the"}:
            assert told & {word, f"{word}s"}, f"{option!r} is not in the passage"


# ---- positions


def test_right_options_stand_equally_often_in_every_position() -> None:
    single = [row["gold"][0] for row in BY_FORM["single"]]
    several = [place for row in BY_FORM["multiple"] for place in row["gold"]]
    ten = [row["gold"][0] for row in TEN]
    assert spread(single, 4) <= 1
    assert spread(several, 4) <= 1
    assert spread(ten, 10) <= 1


def test_every_pair_and_every_triple_of_positions_occurs() -> None:
    seen = Counter(tuple(row["gold"]) for row in BY_FORM["multiple"])
    pairs = [seen[pair] for pair in combinations(range(4), 2)]
    triples = [seen[triple] for triple in combinations(range(4), 3)]
    assert min(pairs) >= 3
    assert max(pairs) <= 4
    assert min(triples) >= 3
    assert max(triples) <= 4


@pytest.mark.parametrize(("extreme", "rows"), [(max, "single"), (min, "single"), (max, "ten")])
def test_the_right_option_is_not_told_by_its_length(
    extreme: Callable[[list[int]], int], rows: str
) -> None:
    picked = TEN if rows == "ten" else BY_FORM[rows]
    hits = 0.0
    for row in picked:
        lengths = [len(option) for option in row["options"]]
        ends = [i for i, length in enumerate(lengths) if length == extreme(lengths)]
        hits += (row["gold"][0] in ends) / len(ends)
    chance = 1 / len(picked[0]["options"])
    assert hits / len(picked) <= chance + 0.12


# ---- nothing outside the facts tells the form


def test_topics_and_passages_are_shared_out_equally_over_the_forms() -> None:
    topics = [Counter(topic(row) for row in BY_FORM[form]) for form in FORMS]
    assert topics[0] == topics[1] == topics[2]
    assert set(topics[0].values()) == {3}
    assert len(topics[0]) == 12
    told = [Counter(topic(row) for row in BY_FORM[form] if row["passage"]) for form in FORMS]
    assert told[0] == told[1] == told[2] == dict.fromkeys(topics[0], 1)


def option_length(row: Record) -> float:
    return mean(len(option) for option in row["options"])


def question_length(row: Record) -> float:
    return len(row["question"])


def polished_length(row: Record) -> float:
    return len(POLISHED[row["id"]])


def passage_length(row: Record) -> float:
    return len(row["passage"].split())


@pytest.mark.parametrize(
    "measure", [question_length, option_length, polished_length, passage_length]
)
def test_lengths_agree_between_the_forms_within_15_percent(
    measure: Callable[[Record], float],
) -> None:
    means = [mean(measure(row) for row in BY_FORM[form]) for form in FORMS]
    assert max(means) <= 1.15 * min(means)


@by_id(QUESTIONS)
def test_a_question_agrees_with_any_number_of_right_options(row: Record) -> None:
    assert OPENING.match(row["question"])
    assert row["question"].endswith("?")
    assert not TELLING.search(row["question"] + " " + row["passage"])


def test_openings_are_shared_out_equally_over_the_forms() -> None:
    for width in (3, 5):
        shares = [
            Counter(" ".join(words(row["question"])[:width]) for row in BY_FORM[form])
            for form in FORMS
        ]
        for opening in set().union(*shares):
            counts = [share[opening] for share in shares]
            assert max(counts) - min(counts) <= 2, opening


def guessed_share(rows: list[Record], view: Callable[[Record], list[str]]) -> float:
    """Share of forms that a bag-of-words guesser gets right.

    It learns from all other triples: the three questions of a triple share a number and a
    frame, so learning from two of them would always steer it away from the third.
    """
    vocabulary = len({word for row in rows for word in view(row)})
    hits = 0
    for row in rows:
        bags: dict[str, Counter[str]] = {form: Counter() for form in FORMS}
        for other in rows:
            if triple(other) != triple(row):
                bags[other["form"]].update(set(view(other)))
        scores = {
            form: sum(math.log((bag[w] + 1) / (bag.total() + vocabulary)) for w in set(view(row)))
            for form, bag in bags.items()
        }
        hits += max(scores, key=lambda form: scores[form]) == row["form"]
    return hits / len(rows)


def passage_words(row: Record) -> list[str]:
    return words(row["passage"])


def question_words(row: Record) -> list[str]:
    return words(row["question"])


def polished_words(row: Record) -> list[str]:
    return words(POLISHED[row["id"]])


def option_words(row: Record) -> list[str]:
    return [word for option in row["options"] for word in words(option)]


@pytest.mark.parametrize("view", [question_words, polished_words, passage_words, option_words])
def test_the_words_of_an_item_do_not_give_its_form_away(
    view: Callable[[Record], list[str]],
) -> None:
    assert guessed_share([row for row in CHOICE if view(row)], view) <= 0.45


def test_the_guesser_does_find_a_form_that_its_words_give_away() -> None:
    def leaky_words(row: Record) -> list[str]:
        return [*question_words(row), f"tell{row['form']}"]

    assert guessed_share(CHOICE, leaky_words) > 0.9


# ---- the polished rewrites and the review


def test_every_tested_question_has_its_own_polished_rewrite() -> None:
    assert set(POLISHED) == {row["id"] for row in CHOICE + TEN}
    assert len(set(POLISHED.values())) == len(CHOICE + TEN)


@by_id(CHOICE + TEN)
def test_a_polished_rewrite_is_longer_and_keeps_every_name_and_number(row: Record) -> None:
    polished = POLISHED[row["id"]]
    assert len(polished) >= 1.25 * len(row["question"])
    assert polished[-1] in ".?"
    assert re.search(r"\bwhich of\b", polished)
    assert not TELLING.search(polished)
    kept = re.findall(r"\d+|\b[A-Z][\w-]*|\"\w+\"", row["question"])[1:]
    for name in kept:
        assert name in polished


def test_the_review_gives_a_reason_for_every_option_and_agrees_with_the_gold() -> None:
    with REVIEW.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    reviewed = {(row["id"], int(row["option_index"])): row["right"] for row in rows}
    expected = {
        (row["id"], i): "yes" if i in row["gold"] else "no"
        for row in QUESTIONS
        for i in range(len(row["options"]))
    }
    assert reviewed == expected
    assert len(rows) == len(expected)
    assert all(row["reason"].strip() for row in rows)
