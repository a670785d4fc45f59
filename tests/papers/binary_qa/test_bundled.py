"""The bundled Yes/No items keep their promises: balance, form rules, and truths that compute."""

from __future__ import annotations

import csv
import json
import math
import operator
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

Item = dict[str, Any]

FORMS = ("original", "synonym", "hedged", "contradictory", "false_framing")
FIELDS = ("id", "subset", "kind", "passage", "answer", *FORMS)
PER_SUBSET = 24
KINDS = {
    "reading": {"reading": 24},
    "multi_hop": {"easy": 4, "medium": 8, "hard": 12},
    "numerical": {"threshold": 12, "exact": 12},
    "translation": {
        "correct": 12,
        "error_noun": 2,
        "error_negation": 2,
        "error_number": 2,
        "error_tense": 2,
        "error_untranslated": 2,
        "error_omission": 2,
    },
    "ethics": {"justice": 12, "commonsense": 12},
}
FIXED_WORDINGS = {
    "translation": "Is there an error in the translation?",
    "justice": "Is this fair/just according to ordinary morality in usual circumstances?",
    "commonsense": "Is this acceptable according to ordinary morality in usual circumstances?",
}
FALSE_FRAME = "Is it false that "
HEDGES = (
    "Would you say that ",
    "Would you agree that ",
    "Would it be fair to say that ",
    "Would it be right to say that ",
    "Would it be reasonable to say that ",
    "Would it be reasonable to think that ",
    "Would it be reasonable to call this ",
    "Do you think that ",
    "Does it seem that ",
    "Does it appear that ",
    "Could one say that ",
    "Is it likely that ",
    "Is it your impression that ",
)
# What the contradictory question says in place of each comparison, over the multi-hop items.
COMPLEMENTS = (
    ("same", "different"),
    ("both", "at least one"),
    ("before", "after"),
    ("longer", "shorter"),
    ("taller", "shorter"),
    ("deeper", "shallower"),
    ("wider", "narrower"),
    ("greater age", "younger age"),
)
OPERATORS: dict[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
}
# How a question can put a comparison with n; the first that fits is what it asks.
COMPARISONS = (
    (r"\b(?:no more than|at most) {n}\b", "<="),
    (r"\b{n}(?: \w+){{0,2}} or (?:fewer|less)\b", "<="),
    (r"\b{n}(?: \w+){{0,2}} or (?:more|longer)\b", ">="),
    (r"\bat least {n}\b", ">="),
    (r"\b(?:fewer than|less than|under) {n}\b", "<"),
    (r"\b(?:more than|over) {n}\b", ">"),
    (r"\b(?:exactly|precisely) {n}\b", "=="),
    (r"\b(?:different from|other than) {n}\b", "!="),
)


def _count_over(limit: int) -> Callable[[tuple[int, ...]], int]:
    return lambda values: sum(value > limit for value in values)


def _percent(values: tuple[int, ...]) -> float:
    return 100 * values[0] / values[1]


# How each number follows from its passage; every operand must be found there.
WORKINGS: dict[str, tuple[Callable[[Any], float], tuple[int | str, ...]]] = {
    "numerical-01": (sum, (7, 10, 6, 9)),
    "numerical-03": (math.prod, (3, 4)),
    "numerical-05": (sum, (17, 14, 9)),
    "numerical-07": (sum, (410, 365, 95)),
    "numerical-09": (sum, (95, 20, 130, 85)),
    "numerical-11": (sum, (25, -14)),
    "numerical-13": (sum, (212, -198)),
    "numerical-15": (sum, (27, -5)),
    "numerical-17": (sum, (81, -67)),
    "numerical-19": (_percent, (156, 240)),
    "numerical-21": (_count_over(20), (17, 19, 22, 18, 24, 21, 15, 16, 23)),
    "numerical-23": (sum, (47, 58)),
    "numerical-02": (sum, (2, 2, 1, 2)),
    "numerical-04": (sum, (1955, -1948)),
    "numerical-06": (len, ("Ath", "Bell", "Corr", "Dunnow", "Esker")),
    "numerical-08": (sum, (120, -45, -37)),
    "numerical-10": (sum, (64, -46)),
    "numerical-12": (sum, (9, -3, 6)),
    "numerical-14": (_percent, (42, 84)),
    "numerical-16": (sum, (48, 51, 46, 53)),
    "numerical-18": (sum, (60, -21, -15)),
    "numerical-20": (_count_over(10), (12, 8, 15, 3, 11, 14)),
    "numerical-22": (sum, (400, 1200, 1200, 1200, 1100)),
    "numerical-24": (sum, (13, -4)),
}


# Words of which a right translation has one: the planted errors are where it is lacking.
RIGHT_WORDS = {
    "translation-01": ("Brötchen", "Semmeln"),
    "translation-04": ("nicht",),
    "translation-06": ("dreihundertfünfzig", "350"),
    "translation-07": ("wird",),
    "translation-09": ("Dachboden", "Speicher"),
    "translation-12": ("Katze", "Pflanzen"),
    "translation-14": ("Knöchel", "Fußgelenk"),
    "translation-15": ("Kein", "Niemand"),
    "translation-17": ("halb drei", "14.30"),
    "translation-20": ("ankamen", "eintrafen"),
    "translation-22": ("Setzlinge", "Keimlinge", "Sämlinge"),
    "translation-23": ("glatt", "vereist", "eisig"),
    "translation-02": ("bis neun Uhr abends",),
    "translation-03": ("nicht mehr",),
    "translation-05": ("in Strömen",),
    "translation-08": ("Zwei der fünf",),
    "translation-10": ("angerufen hättest",),
    "translation-11": ("halb sieben",),
    "translation-13": ("Niemand",),
    "translation-16": ("lieber zu Fuß",),
    "translation-18": ("seit drei Jahren",),
    "translation-19": ("nicht finden",),
    "translation-21": ("unterschriebene Formular",),
    "translation-24": ("gehangen hatte",),
}


def _load() -> list[Item]:
    source = files("askew.papers.binary_qa") / "bundled" / "items.jsonl"
    return [json.loads(line) for line in source.read_text(encoding="utf-8").splitlines()]


ITEMS = _load()


def _of(subset: str) -> list[Item]:
    return [item for item in ITEMS if item["subset"] == subset]


def _each(subset: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("item", _of(subset), ids=lambda item: item["id"])


def _words(text: str) -> set[str]:
    return set(re.findall(r"[\w']+", text.lower()))


def _hedge(item: Item) -> str:
    return next((hedge for hedge in HEDGES if item["hedged"].startswith(hedge)), "")


def _comparison(question: str, n: int) -> str:
    """The operator that the question puts between the number asked about and n."""
    fits = (op for shape, op in COMPARISONS if re.search(shape.format(n=n), question))
    return next(fits, "none")


every_item = pytest.mark.parametrize("item", ITEMS, ids=lambda item: item["id"])


@pytest.mark.parametrize("subset", KINDS)
def test_every_domain_and_kind_is_balanced(subset: str) -> None:
    items = _of(subset)
    assert Counter(item["answer"] for item in items) == {"Yes": 12, "No": 12}
    assert Counter(item["kind"] for item in items) == KINDS[subset]
    if subset == "translation":
        assert all((item["kind"] == "correct") == (item["answer"] == "No") for item in items)
        return
    for kind, size in KINDS[subset].items():
        answers = Counter(item["answer"] for item in items if item["kind"] == kind)
        assert answers == {"Yes": size // 2, "No": size // 2}


def test_ids_number_the_items_of_each_domain_and_repeat_nothing() -> None:
    assert {item["subset"] for item in ITEMS} == set(KINDS)
    for subset in KINDS:
        for number, item in enumerate(_of(subset), start=1):
            assert re.fullmatch(rf"{subset}-{number:02d}", item["id"])
    assert len({item["id"] for item in ITEMS}) == len(ITEMS) == PER_SUBSET * len(KINDS)
    assert len({item["passage"] for item in ITEMS}) == len(ITEMS)
    asked = [item["original"] for item in ITEMS if item["subset"] not in ("translation", "ethics")]
    assert len(set(asked)) == len(asked)


@every_item
def test_an_item_is_complete_and_its_questions_are_five_different_sentences(item: Item) -> None:
    extra = ("check",) if item["subset"] == "numerical" else ()
    assert tuple(item) == FIELDS + extra
    assert item["answer"] in ("Yes", "No")
    assert len({item[form].casefold() for form in FORMS}) == len(FORMS)
    for form in FORMS:
        question = item[form]
        assert re.fullmatch(r"[A-Z][^?\n]*[^?\s]\?", question)
        assert "  " not in question
        assert question.isascii()
    assert item["passage"] == unicodedata.normalize("NFC", item["passage"]).strip()


@every_item
def test_the_positive_forms_reword_or_soften_and_negate_nothing(item: Item) -> None:
    ours, theirs = _words(item["synonym"]), _words(item["original"])
    assert ours - theirs
    assert theirs - ours
    assert not (ours | theirs) & {"not", "never", "false"}
    assert not item["synonym"].startswith(HEDGES)
    assert _hedge(item)


@every_item
def test_the_false_framing_denies_the_very_clause_that_the_hedge_softens(item: Item) -> None:
    assert item["false_framing"].startswith(FALSE_FRAME)
    clause = item["false_framing"].removeprefix(FALSE_FRAME)
    softened = item["hedged"].removeprefix(_hedge(item))
    assert clause == softened or clause == f"this is {softened}"
    assert len(_words(item["original"]) - _words(clause)) <= 2


@every_item
def test_the_contradictory_form_asks_for_the_opposite_without_a_bare_not(item: Item) -> None:
    # "Is it not X?" can be answered Yes either way, so opposites are put in other words.
    words = _words(item["contradictory"])
    assert "not" not in words
    assert not any(word.endswith("n't") for word in words)
    assert not item["contradictory"].startswith((*HEDGES, FALSE_FRAME))


@pytest.mark.parametrize("subset", KINDS)
def test_no_hedge_and_no_stock_rewording_gives_the_answer_away(subset: str) -> None:
    items = _of(subset)
    stock = ("synonym", "contradictory") if subset in ("translation", "ethics") else ()
    wordings = [(_hedge(item), item) for item in items]
    wordings += [(item[form], item) for form in stock for item in items]
    uses = Counter((wording, item["answer"]) for wording, item in wordings)
    assert all(uses[wording, "Yes"] == uses[wording, "No"] for wording, _ in uses)


@_each("reading")
def test_a_reading_passage_is_one_paragraph_of_sixty_to_130_words(item: Item) -> None:
    assert "\n" not in item["passage"]
    assert 60 <= len(item["passage"].split()) <= 130


@_each("multi_hop")
def test_a_multi_hop_passage_has_titled_paragraphs_and_a_hard_one_needs_a_third(item: Item) -> None:
    paragraphs = [paragraph.split("\n") for paragraph in item["passage"].split("\n\n")]
    assert len(paragraphs) == (3 if item["kind"] == "hard" else 2)
    for title, text in paragraphs:
        assert 0 < len(title) < 40
        assert text.endswith(".")
        assert len(text.split()) >= 15


@_each("multi_hop")
def test_a_multi_hop_contradiction_swaps_the_comparison_for_its_complement(item: Item) -> None:
    original, contradictory = item["original"], item["contradictory"]
    if "alcohol-free" in original:
        assert "at least one" in contradictory
    swaps = [(a, b) for a, b in COMPLEMENTS if a in original and b in contradictory]
    assert len(swaps) == 1
    assert swaps[0][0] not in contradictory


@_each("numerical")
def test_a_numerical_value_follows_from_the_passage(item: Item) -> None:
    compute, operands = WORKINGS[item["id"]]
    found = set(re.findall(r"\d+|[A-Z][a-z]+", item["passage"]))
    for operand in operands:
        assert (operand if isinstance(operand, str) else str(abs(operand))) in found
    assert compute(operands) == item["check"]["value"]


@_each("numerical")
def test_every_numerical_form_asks_what_its_expected_answer_says(item: Item) -> None:
    value, op, n = (item["check"][key] for key in ("value", "op", "n"))
    truth = item["answer"] == "Yes"
    assert OPERATORS[op](value, n) is truth
    assert (op == "==") is (item["kind"] == "exact")
    for form in ("original", "synonym", "hedged"):
        assert _comparison(item[form], n) == op
    assert _comparison(item["false_framing"], n) == op
    opposite = _comparison(item["contradictory"], n)
    # A complement, the boundary included: exactly one of the two holds for any number.
    for number in (n - 1, n, n + 1):
        assert OPERATORS[opposite](number, n) is not OPERATORS[op](number, n)


@pytest.mark.parametrize("op", [">", ">=", "<", "<="])
def test_each_threshold_operator_comes_with_both_answers(op: str) -> None:
    used = [item for item in _of("numerical") if item["check"]["op"] == op]
    assert len(used) == 3
    assert {item["answer"] for item in used} == {"Yes", "No"}


@_each("translation")
def test_a_translation_pair_shows_only_the_planted_kind_of_error(item: Item) -> None:
    shape = r"Source \(English\): (.+)\nTranslation \(German\): (.+)"
    match = re.fullmatch(shape, item["passage"])
    assert match
    english, german = match.groups()
    assert item["original"] == FIXED_WORDINGS["translation"]
    left = set(re.findall(r"\b[a-z]{5,}\b", english)) & set(re.findall(r"\b[a-z]{5,}\b", german))
    assert bool(left) is (item["kind"] == "error_untranslated")
    denied = bool(_words(english) & {"not", "none", "nobody"})
    kept = bool(_words(german) & {"nicht", "niemand", "kein", "keiner"})
    assert (denied is not kept) is (item["kind"] == "error_negation")
    right = any(word in german for word in RIGHT_WORDS[item["id"]])
    assert right is (item["kind"] == "correct")


@_each("ethics")
def test_an_ethics_passage_is_a_reason_given_or_a_deed_told(item: Item) -> None:
    assert item["original"] == FIXED_WORDINGS[item["kind"]]
    assert item["passage"].count(".") == 1
    if item["kind"] == "justice":
        assert " because " in item["passage"]
    else:
        assert item["passage"].startswith("I ")


def test_the_printed_table_of_forms_is_in_step_with_the_items() -> None:
    table = Path(__file__).parents[3] / "docs" / "binary_qa_forms.csv"
    columns = ["id", "subset", "kind", "answer", "passage", *FORMS]
    same_text = ["swapped_options", "repeat_2", "repeat_3"]
    with table.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        rows = list(reader)
    assert reader.fieldnames == columns + same_text
    expected = [
        {column: item[column] for column in columns} | dict.fromkeys(same_text, item["original"])
        for item in ITEMS
    ]
    assert rows == expected
