"""The bundled choice questions are sound, none shows its form, and each check bites."""

import copy
import csv
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew_authoring.instruction_boundary.bundle_checks import bundled_questions, find_in_bundled

DOCS = Path(__file__).parents[3] / "docs"
REVIEWS = {
    "core": DOCS / "instruction_boundary_choice_review.csv",
    "hard": DOCS / "instruction_boundary_choice_hard_review.csv",
}
ASKED, HARD = bundled_questions(), bundled_questions("hard")


def test_the_command_reports_it():
    said = CliRunner().invoke(
        main, ["data", "verify", "instruction_boundary", "--data", "bundled", "--subset", "choice"]
    )
    assert said.output == "instruction_boundary (bundled): nothing found\n"


# ---- a planted fault for every check


def found(**changed):
    return {(f.kind, f.message) for f in find_in_bundled(replace(ASKED, **changed))}


def spoiled(field, number=0, file="choice", **change):
    """The questions with one field of one question changed, or of every one."""
    rows = copy.deepcopy(list(getattr(ASKED, file)))
    for row in rows if number is None else rows[number : number + 1]:
        row[field] = change["to"](row) if callable(change.get("to")) else change["to"]
    return found(**{file: rows})


def of_form(form):
    return next(n for n, row in enumerate(ASKED.choice) if row["form"] == form)


FIRST = ASKED.choice[0]
WITH_PASSAGE = next(n for n, row in enumerate(ASKED.choice) if row["passage"])


@pytest.mark.whole
@pytest.mark.parametrize(
    ("kind", "told", "fault"),
    [
        ("number of options", "has 5", {"field": "options", "to": [*FIRST["options"], "a kite"]}),
        ("number of options", "has 3", {"field": "options", "file": "ten", "to": ["a", "b", "c"]}),
        ("form", "where its form", {"field": "gold", "number": of_form("none"), "to": [1]}),
        ("form", "where its form", {"field": "gold", "file": "ten", "to": [1, 2]}),
        ("form", "where its form", {"field": "id", "to": "none-01-x-y"}),
        ("form", "no ascending", {"field": "gold", "number": of_form("multiple"), "to": [2, 0]}),
        ("form", "no ascending", {"field": "gold", "to": [7]}),
        ("option", "another option", {"field": "options", "to": ["harp", "a harp", "b", "c"]}),
        ("option", "digits", {"field": "options", "to": ["2 harps", "lute", "drum", "fife"]}),
        ("option", "digits", {"field": "options", "to": ["harp ", "lute", "drum", "fife"]}),
        ("option", "speaks of", {"field": "options", "to": ["both", "lute", "drum", "fife"]}),
        ("right option gone", "", {"field": "missing_gold", "to": "a kite"}),
        ("right option gone", "", {
            "field": "missing_gold", "number": of_form("none"), "to": lambda row: row["options"][0]
        }),
        ("right option gone", "", {"field": "missing_gold", "number": of_form("none"), "to": ""}),
        ("question", "opening", {"field": "question", "to": "Which is it?"}),
        ("question", "opening", {"field": "question", "to": lambda row: row["question"][:-1]}),
        ("question", "tells", {
            "field": "question", "to": lambda row: row["question"][:-1] + " if any?"
        }),
        ("passage", "40 to 80", {"field": "passage", "number": WITH_PASSAGE, "to": "Too short."}),
        ("passage", "says nothing of", {
            "field": "passage", "number": WITH_PASSAGE, "to": "Nothing is told here. " * 12
        }),
        ("rewrite", "longer", {"field": "question", "file": "polished", "to": "which of it?"}),
        ("rewrite", "does not ask", {
            "field": "question", "file": "polished", "to": lambda row: row["question"] + "!"
        }),
        ("rewrite", "tells", {
            "field": "question", "file": "polished", "to": lambda row: "If any, " + row["question"]
        }),
        ("rewrite", "lost", {
            "field": "question", "file": "polished", "number": None,
            "to": "of what is set out above, pray, which of the following would you say it is " * 3
            + "?",
        }),
        ("repeat", "a id repeats", {"field": "id", "number": 1, "to": FIRST["id"]}),
        ("repeat", "a question repeats", {
            "field": "question", "number": 1, "to": FIRST["question"].upper()
        }),
        ("examples", "not 3 of each", {"field": "form", "file": "shots", "to": "none"}),
        ("examples", "is asked", {"field": "options", "file": "shots", "to": FIRST["options"]}),
        ("rewrites", "the same", {
            "field": "question", "file": "polished", "number": None, "to": "which of these?"
        }),
        ("rewrites", "of no question", {"field": "id", "file": "polished", "to": "nobody"}),
        ("position of the right option", "places", {
            "field": "gold", "file": "ten", "number": None, "to": [0]
        }),
        ("position of the right option", "sets", {
            "field": "gold", "number": None,
            "to": lambda row: [0, 1] if row["form"] == "multiple" else row["gold"],
        }),
        ("length of the right option", "ten", {
            "field": "options", "file": "ten", "number": None, "to": lambda row: [
                o + " at sea" * (i in row["gold"]) for i, o in enumerate(row["options"])
            ],
        }),
        ("topics", "equally", {"field": "id", "to": "single-01-topic-x"}),
        ("lengths", "passage", {
            "field": "passage", "number": None,
            "to": lambda row: row["passage"] * (2 if row["form"] == "none" else 1),
        }),
        ("lengths", "question", {
            "field": "question", "number": None,
            "to": lambda row: row["question"] * (2 if row["form"] == "none" else 1),
        }),
        ("openings", "of the forms", {
            "field": "question", "number": None,
            "to": lambda row: ("Say, " if row["form"] == "none" else "") + row["question"],
        }),
        ("words", "question", {
            "field": "question", "number": None,
            "to": lambda row: f"{row['question']} tell{row['form']}",
        }),
        ("words", "options", {
            "field": "options", "number": None,
            "to": lambda row: [*row["options"][:3], f"tell{row['form']}"],
        }),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(kind, told, fault):
    assert any(k == kind and told in message for k, message in spoiled(**fault))


def test_missing_questions_and_rewrites_are_found():
    assert any(kind == "size" for kind, _ in found(choice=ASKED.choice[1:]))
    assert any(kind == "size" for kind, _ in found(ten=ASKED.ten[:20]))
    assert ("rewrite", "is not there") in found(polished=ASKED.polished[1:])


# ---- the review


@pytest.mark.parametrize("tier", REVIEWS)
def test_the_review_gives_a_reason_for_every_option_and_agrees_with_the_gold(tier):
    with REVIEWS[tier].open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    reviewed = {(row["id"], int(row["option_index"])): row["right"] for row in rows}
    expected = {
        (row["id"], i): "yes" if i in row["gold"] else "no"
        for row in {"core": ASKED, "hard": HARD}[tier].every
        for i in range(len(row["options"]))
    }
    assert reviewed == expected
    assert len(rows) == len(expected)
    assert all(row["reason"].strip() for row in rows)
