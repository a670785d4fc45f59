"""The bundled Yes/No items keep the promises of `promised.toml`, and of the documentation."""

import csv
import math
import re
from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest

from askew.files import toml_of
from askew.papers.binary_qa.items import load
from askew.papers.binary_qa.paper import SUBSETS
from askew.papers.mathcomp.items import evaluate
from askew_authoring.binary_qa.lint import find
from askew_authoring.binary_qa.rules import ASKED_OF_ALL, FALSE_FRAME, WORDINGS, comparison_operator

DOCS = Path(__file__).parents[3] / "docs"
ITEMS = load("bundled").items
PROMISED = toml_of(__package__, "promised.toml")
HEDGES = tuple(PROMISED["hedges"])
SIZES = {"core": 24, "hard": 12}
NO = {"English": {"not", "none", "nobody"}, "German": {"nicht", "niemand", "kein", "keiner"}}


def words(text):
    return set(re.findall(r"[\w']+", text.lower()))


def of(tier, subset):
    return [item for item in ITEMS if (item.tier, item.subset) == (tier, subset)]


EACH_SET = pytest.mark.parametrize(
    ("tier", "subset"), [(tier, subset) for tier in SIZES for subset in SUBSETS]
)


# ---- every item


def computed(how, operands):
    if how == "count":
        return len(operands)
    if how.startswith("over "):
        return sum(number > float(how.removeprefix("over ")) for number in operands)
    if how == "percent":
        return 100 * operands[0] / operands[1]
    return math.prod(operands) if how == "product" else sum(operands)


@pytest.mark.parametrize(
    "item", [*of("core", "numerical"), *of("hard", "numerical")], ids=lambda item: item.id
)
def test_a_number_follows_from_its_passage_and_every_wording_compares_with_it(item):
    if item.tier == "hard":
        made = evaluate(PROMISED["calculations"][item.id])
    else:
        ((how, operands),) = PROMISED["workings"][item.id].items()
        there = set(re.findall(r"\d+|[A-Z][a-z]+", item.passage))
        assert {o if isinstance(o, str) else str(abs(o)) for o in operands} <= there
        made = computed(how, operands)
    assert made == Fraction(str(item.check.value))
    assert all(comparison_operator(item.question(form), item.check.n) for form in WORDINGS)
    assert (item.check.op == "==") is (item.kind == "exact")


@pytest.mark.parametrize(
    "item", [*of("core", "translation"), *of("hard", "translation")], ids=lambda item: item.id
)
def test_a_translation_has_only_its_declared_kind_of_error(item):
    assert item.original == ASKED_OF_ALL["translation"]
    pair = re.fullmatch(r"Source \(English\): (.+)\nTranslation \(German\): (.+)", item.passage)
    english, german = pair.groups()
    if item.tier == "core":
        lost = bool(words(english) & NO["English"]) is not bool(words(german) & NO["German"])
        assert lost is (item.kind == "error_negation")
    left = set.intersection(*(set(re.findall(r"\b[a-z]{5,}\b", text)) for text in pair.groups()))
    assert bool(left) is (item.kind == "error_untranslated")
    right = any(word in german for word in PROMISED["right_words"][item.id])
    assert right is (item.kind == "correct")


# ---- every domain


@EACH_SET
def test_kinds_and_labels_are_balanced_and_ids_number_the_items(tier, subset):
    items = of(tier, subset)
    kinds = Counter(item.kind for item in items)
    assert kinds == PROMISED["hard_kinds" if tier == "hard" else "kinds"][subset]
    assert sum(kinds.values()) == SIZES[tier]
    for kind, n in kinds.items():
        yes = sum(item.answer == "Yes" for item in items if item.kind == kind)
        # A translation with an error has one, and one without has none.
        assert yes == (n * (kind != "correct") if subset == "translation" else n / 2)
    named = f"{subset}-hard" if tier == "hard" else subset
    assert [item.id for item in items] == [f"{named}-{n:02d}" for n in range(1, len(items) + 1)]
    fixed = subset in ("translation", "ethics")
    assert fixed or len({item.original for item in items}) == len(items)


@EACH_SET
def test_neither_hedges_nor_stock_wordings_nor_openings_give_the_answer_away(tier, subset):
    items = of(tier, subset)
    worded = [(next(h for h in HEDGES if i.hedged.startswith(h)), i.answer) for i in items]
    if subset in ("translation", "ethics"):
        worded += [(i.question(f), i.answer) for f in ("synonym", "contradictory") for i in items]
    if tier == "hard":
        worded += [(item.original.split()[0], item.answer) for item in items]
    uses = Counter(worded)
    assert all(uses[wording, "Yes"] == uses[wording, "No"] for wording, _ in uses)


# ---- files


def test_every_hard_item_has_a_reason():
    with (DOCS / "binary_qa_hard_review.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    hard = [(item.id, item.answer) for item in ITEMS if item.tier == "hard"]
    assert [(row["id"], row["answer"]) for row in rows] == hard
    assert all(row["reason"] for row in rows)


def test_the_printed_table_of_forms_is_in_step_with_the_items():
    columns = ["id", "subset", "kind", "answer", "passage", *WORDINGS]
    same_text = ["swapped_options", "repeat_2", "repeat_3"]
    with (DOCS / "binary_qa_forms.csv").open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        rows = list(reader)
    assert reader.fieldnames == columns + same_text
    assert rows == [
        {c: getattr(item, c) for c in columns} | dict.fromkeys(same_text, item.original)
        for item in ITEMS
    ]


# ---- what is found in any file


@pytest.mark.parametrize("form", WORDINGS)
def test_a_wording_with_another_comparison_is_found(form):
    for kind in ("threshold", "exact"):
        item = next(item for item in of("core", "numerical") if item.kind == kind)
        another = item.original if form == "contradictory" else item.contradictory
        frame = FALSE_FRAME if form == "false_framing" else ""
        found = find([item.model_copy(update={form: frame + another})])
        assert ("comparison", form) in {(f.kind, f.message.partition(":")[0]) for f in found}


def test_a_broken_rewrite_a_missing_form_and_unbalanced_labels_are_found():
    item = of("core", "reading")[0]
    found = find([item.model_copy(update={"synonym": item.original, "hedged": ""})])
    assert {
        ("form rule", "synonym: says the same words as the original"),
        ("form missing", "hedged is not asked"),
        ("labels not balanced", "1 Yes and 0 No" if item.answer == "Yes" else "0 Yes and 1 No"),
    } <= {(f.kind, f.message) for f in found}
