"""The bundled choice questions are sound, and nothing beside the facts tells their form.

They come in triples, one of each form: neither length, opening, words nor the place of an option
may tell how many of them are right.
"""

import csv
import math
import re
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import pytest

from askew.papers.instruction_boundary.items import FILES
from askew.papers.instruction_boundary.questions import BoundaryItem, classify_form
from askew.sources.records import read_records
from askew_authoring.instruction_boundary.lint import find
from tests.cases import cases

DOCS = Path(__file__).parents[3] / "docs"
REVIEWS = {"core": "choice_review.csv", "hard": "choice_hard_review.csv"}
FORMS = {"single": {1}, "multiple": {2, 3, 4, 5, 6}, "none": {0}}
OPTIONS = {"core": 4, "hard": 6}
# Verb forms that sound the same with one right option as with several.
OPENING = re.compile(
    r"Which of the following(?: \w+){0,5}? (can|could|may|must|will|does|did|once held|held|marked|"
    r"received|reached|stretched|flew|built|sailed|wrote|came|got|moved|mixed)\b"
)
# Words that would tell how many options are right.
TELLS = re.compile(
    r"which (?:one|ones|is|are)\b|the one\b|"
    r"\b(?:both|several|none|neither|multiple|answers?|any|only)\b",
    re.IGNORECASE,
)
OF_OTHERS = re.compile(r"\b(?:above|below|options?|none|all|both|other)\b", re.IGNORECASE)


class Tier:
    def __init__(self, name):
        def rows(file):
            core, *hard = FILES.beside(f"{file}.jsonl")
            files = [core] if name == "core" else hard
            return [row for each in files for row in read_records(each, dict)]

        self.name = name
        self.choice, self.ten = rows("choice"), rows("miscellany")
        self.shots = [row for row in rows("fewshot") if "options" in row]
        self.tested = [*self.choice, *self.ten]
        self.rewrites = {row["id"]: row["question"] for row in rows("polished")}
        self.of = {form: [row for row in self.choice if row["form"] == form] for form in FORMS}


@pytest.fixture(scope="module", params=["core", "hard"])
def tier(request):
    return Tier(request.param)


def part(row, number):
    """A part of an id such as choice-07-harbours: its triple, or its topic."""
    return row["id"].removeprefix("hard-").split("-")[number]


def words(text):
    return re.findall(r"[a-z]+", text.lower())


def test_every_question_is_sound(tier):
    for row in [*tier.tested, *tier.shots]:
        form, options, gone = row.get("form"), row["options"], row.get("missing_gold", "").lower()
        assert len(options) == (OPTIONS[tier.name] if form else 10), row["id"]
        assert len(row["gold"]) in FORMS[form or "single"], row["id"]
        assert not form or f"{form}-" in row["id"]
        assert row["gold"] == sorted(set(row["gold"]) & set(range(len(options)))), row["id"]
        lower = [option.lower() for option in options]
        assert not any(a in b for a, b in permutations(lower, 2)), row["id"]
        # Digits in a reply are option numbers.
        assert not any(re.search(r"^\s|^$|\d|\s$", o) or OF_OTHERS.search(o) for o in options)
        assert bool(gone) == (form == "none"), row["id"]
        assert not any(gone in o or o in gone for o in lower if gone), row["id"]
        assert OPENING.match(row["question"]), row["id"]
        assert row["question"].endswith("?")
        assert not TELLS.search(f"{row['question']} {row['passage']}"), row["id"]


def test_rewrites_are_longer_and_keep_names_and_the_question(tier):
    assert set(tier.rewrites) == {row["id"] for row in tier.tested}
    assert len(set(tier.rewrites.values())) == len(tier.rewrites)
    for row in tier.tested:
        rewrite = tier.rewrites[row["id"]]
        assert len(rewrite) >= 1.25 * len(row["question"]), row["id"]
        assert re.search(r"\bwhich of\b.*[.?]$", rewrite, re.DOTALL), row["id"]
        assert not TELLS.search(rewrite), row["id"]
        names = re.findall(r"\d+|\b[A-Z][\w-]*|\"\w+\"", row["question"])[1:]
        assert [name for name in names if name not in rewrite] == [], row["id"]


def test_nothing_is_there_twice(tier):
    every = [*tier.tested, *tier.shots]
    assert len({row["id"] for row in every}) == len(every)
    # Hard questions of a triple may differ in their particulars alone.
    beside = tier.name == "hard"
    asked = {
        (row["question"].lower(), beside and row["passage"], beside and str(sorted(row["options"])))
        for row in every
    }
    assert len(asked) == len(every)
    tested = {frozenset(row["options"]) for row in tier.tested}
    assert tested.isdisjoint(frozenset(row["options"]) for row in tier.shots)


def test_correct_options_take_every_position_equally_often(tier):
    single, several, size = tier.of["single"], tier.of["multiple"], OPTIONS[tier.name]
    for rows, places in ((single, size), (several, size), (tier.ten, 10)):
        counts = Counter(place for row in rows for place in row["gold"])
        assert max(counts.values()) - min(counts[p] for p in range(places)) <= 1
    seen = Counter(tuple(row["gold"]) for row in several)
    for n in range(2, size + 1):
        sets = [seen[s] for s in combinations(range(size), n)]
        assert any(sets)
        assert max(sets) - min(sets) <= 1


@pytest.mark.parametrize("of", ["question", "rewrite", "passage", "options"])
def test_words_do_not_give_the_form_away(tier, of):
    """A bag-of-words guesser learns from all other triples, because the three of a triple share a
    number and a frame."""
    seen = {
        row["id"]: set(words(tier.rewrites[row["id"]] if of == "rewrite" else str(row[of])))
        for row in tier.choice
    }
    rows = [row for row in tier.choice if seen[row["id"]]]
    vocabulary = len(set().union(*seen.values()))
    hits = 0
    for row in rows:
        scores = {}
        for form in FORMS:
            others = (r for r in rows if r["form"] == form and part(r, 1) != part(row, 1))
            bag = Counter(w for other in others for w in seen[other["id"]])
            total = bag.total() + vocabulary
            scores[form] = sum(math.log((bag[w] + 1) / total) for w in seen[row["id"]])
        hits += max(scores, key=scores.get) == row["form"]
    assert hits / len(rows) <= 0.45


def test_the_review_gives_a_reason_for_every_option_and_agrees_with_the_gold(tier):
    review = DOCS / f"instruction_boundary_{REVIEWS[tier.name]}"
    rows = [*csv.DictReader(review.read_text(encoding="utf-8").splitlines())]
    reviewed = {(row["id"], int(row["option_index"])): row["right"] for row in rows}
    expected = {
        (row["id"], i): "yes" if i in row["gold"] else "no"
        for row in [*tier.tested, *tier.shots]
        for i in range(len(row["options"]))
    }
    assert reviewed == expected
    assert len(rows) == len(expected)
    assert all(row["reason"].strip() for row in rows)


def choice(name, question, gold, options=("red", "green", "blue", "grey"), **fields):
    form = classify_form(gold)
    return BoundaryItem(
        name, "mine", "u", "choice", form, "", question, options, tuple(gold), **fields
    )


def kinds(items):
    return [(f.item, f.kind, f.excluded) for f in find(items)]


def test_sound_items_have_no_findings():
    items = [choice("a", "Which?", [0]), choice("b", "What?", []), choice("c", "Who?", [1, 2])]
    assert find(items) == []


def test_a_repeat_is_kept_and_a_contradiction_is_not():
    first = choice("a", "Which one?", [0])
    assert kinds([first, choice("b", "which one? ", [0])]) == [("b", "repeat", False)]
    dotted = ("red.", "green", "Blue", "grey")
    assert kinds([first, choice("b", "Which one?", [0], dotted)]) == [("b", "repeat", False)]
    both = kinds([first, choice("b", "Which one?", [1])])
    assert both == [("a", "contradiction", True), ("b", "contradiction", True)]


def test_options_about_options_are_excluded():
    options = ("red", "green", "blue", "all of the above")
    assert kinds([choice("a", "Which?", [0], options)]) == [("a", "option about options", True)]


def test_an_option_offered_twice_is_excluded_only_where_it_is_right():
    for again in ("red", "Red.", " red "):
        options = ("red", again, "blue", "grey")
        assert kinds([choice("a", "Which?", [0], options)]) == [("a", "same option twice", True)]
    assert kinds([choice("a", "Which?", [2], options)]) == [("a", "same option twice", False)]


@cases("gone", "offered", "kind", "excluded")
def test_a_none_item_that_still_offers_its_correct_option_is_found(gone, offered, kind, excluded):
    item = choice("a", "Which?", [], ("x ray", "green", offered, "grey"), missing_gold=gone)
    assert kinds([item]) == [("a", kind, excluded)]


@cases("label", "text")
def test_a_label_in_the_text_is_listed_and_the_item_kept(label, text):
    item = choice("a", text, [0])
    assert kinds([item]) == [("a", "label in the text", False)]
    assert repr(label) in find([item])[0].message
    assert find([choice("b", "A nonesuch in severalty: which?", [0])]) == []
