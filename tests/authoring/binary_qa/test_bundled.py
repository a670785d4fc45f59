"""The bundled Yes/No items keep their promises: `verify` finds nothing, and would find a fault."""

import csv
import json
import re
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers.binary_qa.items import Comparison, load
from askew.papers.binary_qa.paper import SUBSETS
from askew_authoring.binary_qa.lint import PROMISED, find, find_in_bundled
from askew_authoring.binary_qa.rules import WORDINGS

ITEMS = load("bundled").items
PER_SUBSET = 24
FIELDS = ("id", "subset", "kind", "passage", "answer", *WORDINGS)


def test_every_domain_has_the_declared_kinds_in_equal_numbers():
    assert set(PROMISED["kinds"]) == set(SUBSETS)
    assert {sum(kinds.values()) for kinds in PROMISED["kinds"].values()} == {PER_SUBSET}
    hard = PROMISED["hard_kinds"]
    assert {name: sum(kinds.values()) for name, kinds in hard.items()} == dict.fromkeys(SUBSETS, 12)
    counted = Counter((item.tier, item.subset) for item in ITEMS)
    assert counted == {
        (tier, subset): number
        for tier, number in (("core", PER_SUBSET), ("hard", 12))
        for subset in SUBSETS
    }
    assert len({item.passage for item in ITEMS}) == len(ITEMS)


def test_a_line_has_every_field_in_one_order():
    source = files("askew.papers.binary_qa") / "bundled" / "items.jsonl"
    for line in source.read_text(encoding="utf-8").splitlines():
        raw = json.loads(line)
        extra = ("check",) if raw["subset"] == "numerical" else ()
        assert tuple(raw) == FIELDS + extra


def test_every_hard_item_is_asked_in_all_forms_and_has_a_reason():
    hard = [item for item in ITEMS if item.tier == "hard"]
    assert len(hard) == 60
    assert all(item.question(form) for item in hard for form in WORDINGS)
    review = Path(__file__).parents[3] / "docs" / "binary_qa_hard_review.csv"
    with review.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [(row["id"], row["answer"]) for row in rows] == [(i.id, i.answer) for i in hard]
    assert all(row["reason"] for row in rows)


HARD_FAULTS = {
    "a short passage": ("reading-hard-01", {"passage": "The bell was cast. " * 9}, "180 to 260"),
    "seven paragraphs": ("multi_hop-hard-01", {"passage": "A\nb " * 9}, "eight paragraphs"),
    "a wrong number": (
        "numerical-hard-02", {"check": Comparison(value=495, op=">=", n=500)}, "gives 496"
    ),
    "an error mended": (
        "translation-hard-09",
        {"passage": "Source (English): The warehouse.\nTranslation (German): Das Lagerhaus."},
        "has the right word",
    ),
    "another opening": (
        "multi_hop-hard-11", {"original": "Are the eggs of it laid on a poison?"}, "Are ...?: 2 Yes"
    ),
}  # fmt: skip


@pytest.mark.whole
@pytest.mark.parametrize("fault", HARD_FAULTS)
def test_a_fault_in_a_hard_item_is_found(fault):
    item_id, changed, told = HARD_FAULTS[fault]
    spoilt = [i.model_copy(update=changed) if i.id == item_id else i for i in ITEMS]
    assert any(told in f.message for f in find_in_bundled(spoilt))


# --- planted faults ---


def item_of(item_id):
    return next(item for item in ITEMS if item.id == item_id)


def first(subset, **wanted):
    return next(
        item
        for item in ITEMS
        if item.subset == subset and all(getattr(item, k) == v for k, v in wanted.items())
    )


def replace(item, **words):
    return item.model_copy(update=words)


def changed(item, **words):
    """An item with some texts replaced: by form, what stands there and what comes instead."""
    made = item
    for name, (old, new) in words.items():
        assert old in getattr(item, name), (item.id, name, old)
        made = replace(made, **{name: getattr(item, name).replace(old, new)})
    return made


READING, HARD = first("reading"), first("multi_hop", kind="hard")
SUM, THRESHOLD = item_of("numerical-01"), first("numerical", kind="threshold")
RIGHT = first("translation", kind="correct")
DENIED = first("translation", kind="error_negation")
JUST, DEED = first("ethics", kind="justice"), first("ethics", kind="commonsense")
ENGLISH = max(re.findall(r"\b[a-z]+\b", RIGHT.passage.partition("\n")[0]), key=len)
HEDGE = READING.hedged.partition(" that ")[0] + " that "

FAULTS = {
    "twice the same sentence": (replace(READING, hedged=READING.synonym), "shape"),
    "two sentences": (replace(READING, synonym=READING.synonym + " Is it?"), "shape"),
    "a space too many": (changed(READING, synonym=(" ", "  ")), "shape"),
    "a sign beyond ASCII": (changed(READING, synonym=("a", "ä")), "shape"),
    "space around the passage": (replace(READING, passage=READING.passage + " "), "shape"),
    "no word replaced": (replace(READING, synonym=READING.original), "positive forms"),
    "a synonym denies": (changed(READING, synonym=("?", ", not?")), "positive forms"),
    "a synonym hedges": (replace(READING, synonym=READING.hedged), "positive forms"),
    "no hedge": (changed(READING, hedged=(HEDGE, "Tell me: is it so that ")), "positive forms"),
    "no false frame": (replace(READING, false_framing=READING.hedged), "false framing"),
    "another clause": (changed(READING, false_framing=("?", " now?")), "false framing"),
    "words left out": (
        replace(READING, false_framing="Is it false that so?", hedged=HEDGE + "so?"),
        "false framing",
    ),
    "a bare not": (changed(READING, contradictory=("?", ", or not?")), "contradiction"),
    "a bare n't": (replace(READING, contradictory="Isn't it so?"), "contradiction"),
    "an opposite that hedges": (replace(READING, contradictory=READING.hedged), "contradiction"),
    "a short passage": (replace(READING, passage="Short."), "passage"),
    "two paragraphs": (changed(READING, passage=(". ", ".\n")), "passage"),
    "a paragraph missing": (
        replace(HARD, passage=HARD.passage.rpartition("\n\n")[0]),
        "multi-hop",
    ),
    "a paragraph without its title": (
        replace(HARD, passage=HARD.passage.partition("\n")[2]),
        "multi-hop",
    ),
    "no complement": (replace(HARD, contradictory=HARD.original), "multi-hop"),
    "an operand missing": (changed(SUM, passage=("10", "ten")), "working"),
    "another true number": (
        replace(SUM, check=SUM.check.model_copy(update={"value": 33})),
        "working",
    ),
    "an item without a working": (replace(SUM, id="numerical-99"), "working"),
    "a comparison in words": (
        changed(SUM, synonym=(f"{SUM.check.n:g}", "some")),
        "comparison asked",
    ),
    "an exact kind that compares": (replace(SUM, kind="exact"), "comparison asked"),
    "another question": (replace(RIGHT, original="Is it wrong?"), "translation"),
    "a word left in English": (
        replace(RIGHT, passage=f"{RIGHT.passage} {ENGLISH}."),
        "translation",
    ),
    "a negation kept": (replace(DENIED, kind="error_noun"), "translation"),
    "a right translation called wrong": (replace(RIGHT, kind="error_noun"), "translation"),
    "the paper's question mended": (replace(JUST, original="Is this fair?"), "ethics"),
    "no reason": (changed(JUST, passage=(" because ", " as ")), "ethics"),
    "a deed of another": (replace(DEED, passage="She paid."), "ethics"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_of_an_item_is_found(fault):
    item, kind = FAULTS[fault]
    assert (item.id, kind) in {(f.item, f.kind) for f in find_in_bundled([item])}


def domain(subset, *swaps):
    """A domain with some items replaced."""
    found = [item for item in ITEMS if item.subset == subset]
    for old, new in swaps:
        found[found.index(old)] = new
    return found


def other(item):
    return replace(item, answer={"Yes": "No", "No": "Yes"}[item.answer])


SETS = {
    "a kind too few": (domain("reading", (READING, replace(READING, kind="long"))), "kinds"),
    "a label too many": (domain("reading", (READING, other(READING))), "kinds"),
    "an error called right": (domain("translation", (DENIED, other(DENIED))), "kinds"),
    "a number skipped": (domain("reading")[1:], "ids"),
    "a passage twice": (
        domain("reading", (READING, replace(READING, passage=domain("reading")[1].passage))),
        "ids",
    ),
    "a question twice": (
        domain("reading", (READING, replace(READING, original=domain("reading")[1].original))),
        "ids",
    ),
    "a telltale hedge": (
        domain("reading", (READING, changed(READING, hedged=(HEDGE, "Is it likely that ")))),
        "gives the answer away",
    ),
    "a telltale stock wording": (
        domain("ethics", (JUST, replace(JUST, synonym="Is this just?"))),
        "gives the answer away",
    ),
    "a threshold too few": (
        [i for i in domain("numerical") if i.check.op != THRESHOLD.check.op],
        "thresholds",
    ),
}


@pytest.mark.parametrize("fault", SETS)
def test_a_fault_of_a_domain_is_found(fault):
    items, kind = SETS[fault]
    assert (items[0].subset, kind) in {(f.item, f.kind) for f in find_in_bundled(items)}


@pytest.mark.parametrize("form", WORDINGS)
def test_a_wording_that_asks_another_comparison_is_found_in_any_file(form):
    for item in (SUM, THRESHOLD, first("numerical", kind="exact")):
        another = item.original if form == "contradictory" else item.contradictory
        frame = "Is it false that " if form == "false_framing" else ""
        asked = replace(item, **{form: frame + another})
        found = {(f.kind, f.message.partition(":")[0]) for f in find([asked])}
        assert ("comparison", form) in found


def test_a_broken_rewrite_a_missing_form_and_unbalanced_labels_are_found_in_any_file():
    spoilt = replace(READING, synonym=READING.original, hedged="")
    found = {(f.kind, f.message) for f in find([spoilt])}
    assert ("form rule", "synonym: says the same words as the original") in found
    assert ("form missing", "hedged is not asked") in found
    assert "labels not balanced" in {kind for kind, _ in found}


def test_the_command_reports_what_is_found(monkeypatch):
    monkeypatch.setitem(PROMISED["kinds"], "reading", {"reading": 25})
    told = CliRunner().invoke(main, ["data", "verify", "binary_qa", "--data", "bundled"]).output
    assert "reading: kinds, kept: 24 reading" in told
    assert "binary_qa (bundled): 1 kinds" in told


def test_the_printed_table_of_forms_is_in_step_with_the_items():
    table = Path(__file__).parents[3] / "docs" / "binary_qa_forms.csv"
    columns = ["id", "subset", "kind", "answer", "passage", *WORDINGS]
    same_text = ["swapped_options", "repeat_2", "repeat_3"]
    with table.open(encoding="utf-8", newline="") as lines:
        reader = csv.DictReader(lines)
        rows = list(reader)
    assert reader.fieldnames == columns + same_text
    expected = [
        {c: getattr(item, c) for c in columns} | dict.fromkeys(same_text, item.original)
        for item in ITEMS
    ]
    assert rows == expected
