"""Every rule of its wordings on both sides of its limit."""

import itertools

import pytest

from askew.papers.binary_qa.items import OPERATORS
from askew_authoring.binary_qa.rules import (
    ASKED_OF_ALL,
    comparison_asked,
    comparison_problems,
    conversion_problems,
    in_words,
    problems,
    shape_problems,
)

# By operator: whether 13, 14 and 15 fulfil it with 14.
OPERATIONS = {name: tuple(op(x, 14) for x in (13, 14, 15)) for name, op in OPERATORS.items()}
ASKED = "Did more than 14 boats sail from Port Annet?"


def test_what_is_asked_of_every_item_of_a_kind():
    assert set(ASKED_OF_ALL) == {"translation", "justice", "commonsense"}
    assert all(shape_problems(asked) == [] for asked in ASKED_OF_ALL.values())


LINES, MARK = "has more than one line", "does not end with a question mark"
SEVERAL, CAPITAL = "asks more than one question", "does not begin with a capital letter"


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Is it?", []), ("14 boats?", []), ('"Is it?"?', []), ("'Is it' so?", []),
        (" Is it? ", []), ("\u00c9tait-ce?", []), ('Did he ask "Is it?" there?', []),
        ("is it?", [CAPITAL]), ("(Is it?", [CAPITAL]), ("\u2014Is it?", [CAPITAL]),
        ("Is it", [MARK]), ("Is it? So?", [SEVERAL]), ("Is it??", [SEVERAL]),
        ("Is it\nso?", [LINES]), ("is it\nso", [LINES, MARK, CAPITAL]), ("", ["is empty"]),
        (" \n", ["is empty"]),
        ("I" * 599 + "?", []), ("I" * 600 + "?", ["is longer than 600 characters"]),
    ],
)  # fmt: skip
def test_a_question_is_one_on_one_line(question, found):
    assert shape_problems(question) == found


SAME = "says the same words as the original"
HEDGES, FRAMED = "hedges, where it should {}", "ask for the opposite"
COUNT, NUMBER, NEGATION = "adds or drops a number", "changes a number", "adds or drops a negation"


@pytest.mark.parametrize(
    ("form", "original", "rewritten", "found"),
    [
        ("synonym", "Did it sail?", "did it sail?", [CAPITAL]),
        ("synonym", "Did it sail?", "Did 'it' sail?", [SAME]),
        ("synonym", "Did it sail?", "Did it, sail?", [SAME]),
        ("synonym", "Didn't it sail?", "Did it sail?", [NEGATION]),
        ("synonym", "Didn\u2019t it sail?", "Didn't it go?", []),
        ("synonym", "Didn\u2019t it sail?", "Did it go?", [NEGATION]),
        # Two negations are none; three are one.
        ("synonym", "Did it sail?", "Did it not never go?", []),
        ("synonym", "Did nobody go?", "Did it not never fail to go nowhere?", []),
        ("synonym", "Did it go for no charge?", "Did it go free?", []),
        ("synonym", "Would you say it sailed?", "Perhaps it went?", []),
        ("synonym", "Did it sail?", "Did it perhaps go?", [HEDGES.format("replace words")]),
        ("synonym", "Did 14 go?", "Were there 15?", [NUMBER]),
        ("synonym", "Did 14 of 20 go?", "Were 20 there, and 14 gone?", []),
        ("synonym", "Did 1,400 go?", "Were there 1400?", []),
        ("synonym", "Did 1.5 go?", "Were there 1.5?", []),
        ("synonym", "Did 1.5 go?", "Were there 15?", [NUMBER]),
        # A number with two points is a date or a version, and none.
        ("synonym", "Did 14 go?", "Did 14 leave on 1.2.2003?", []),
        ("synonym", "Did 14 go?", "Did it leave?", [COUNT]),
        ("hedged", "Did it sail?", "Perhaps it sailed?", []),
        ("hedged", "Did it sail?", "Is it gone?", ["has no polite or tentative words"]),
        ("hedged", "Did 14 go?", "Perhaps 15 went?", [NUMBER]),
        # The opposite may step by one.
        ("contradictory", "Did 14 go?", "Did 15 stay?", []),
        ("contradictory", "Did 14 go?", "Did 13 stay?", []),
        ("contradictory", "Did 14 go?", "Did 16 stay?", [NUMBER]),
        ("contradictory", "Did it go?", "Did it perhaps stay?", [HEDGES.format(FRAMED)]),
        *(("contradictory", "Did it go?", f"{opener} it went?",
           [f"uses the false framing, where it should {FRAMED}"])
          for opener in ("Is it false that", "Is it untrue that", "Is it wrong that")),
        ("false_framing", "Did it sail today?", "Is it false that it sails today?", []),
        ("false_framing", "Did it sail?", "Is it untrue that it sailed?",
         ["does not begin with 'Is it false that'"]),
        ("false_framing", "Did it sail?", "Is it false that it did not sail?",
         ["denies the clause itself, where only the frame should"]),
        ("false_framing", "Did it not sail?", "Is it false that it did not sail?", []),
        # Half of the words are enough: "boats", "left".
        ("false_framing", "Many boats left early?", "Is it false that boats left?", []),
        ("false_framing", "So many boats left early?", "Is it false that boats left?",
         ["keeps fewer than half of the original's words"]),
        ("false_framing", "Did it sail?", "Is it false that it sailed 3 times?", [COUNT]),
    ],
)  # fmt: skip
def test_a_rewrite_keeps_the_rule_of_its_form(form, original, rewritten, found):
    assert problems(form, original, rewritten) == found


COMPARED = {
    "more than 14 boats": ">", "over 14": ">", "fewer than 14": "<", "less than 14": "<",
    "under 14": "<", "no more than 14": "<=", "at most 14": "<=", "14 or fewer": "<=",
    "14 boats or less": "<=", "14 small boats or fewer": "<=", "14 or more": ">=",
    "14 days or longer": ">=", "at least 14": ">=", "no fewer than 14": ">=",
    "no less than 14": ">=", "exactly 14": "==", "precisely 14": "==", "different from 14": "!=",
    "other than 14": "!=", "14 boats": "", "more than 140": "", "over 1": "",
}  # fmt: skip


@pytest.mark.parametrize(("words", "op"), [*COMPARED.items()])
def test_each_way_of_comparing_is_recognised(words, op):
    assert comparison_asked(f"Did {words} sail?", 14) == op


@pytest.mark.parametrize(
    ("asked", "op"), [*itertools.product([w for w, op in COMPARED.items() if op], OPERATORS)]
)
def test_a_wording_compares_as_the_original_and_its_opposite_the_other_way(asked, op):
    same = OPERATIONS[COMPARED[asked]] == OPERATIONS[op]
    turned = all(a != b for a, b in zip(OPERATIONS[COMPARED[asked]], OPERATIONS[op], strict=True))
    said = [f"asks whether the number is {COMPARED[asked]} 14"]
    question, frame = f"Did {asked} sail?", f"Is it false that {asked} sailed?"
    plain = "Did the boats sail?"
    # "No more than" is no negation, "no fewer" and "no less" neither.
    assert comparison_problems("synonym", plain, question, op, 14) == ([] if same else said)
    assert comparison_problems("contradictory", plain, question, op, 14) == ([] if turned else said)
    assert comparison_problems("false_framing", plain, frame, op, 14) == ([] if same else said)


def test_a_wording_without_a_comparison_has_no_problem_of_one():
    assert comparison_problems("synonym", ASKED, "Did 14 boats sail?", ">", 14) == []


@pytest.mark.parametrize(
    ("question", "op", "n", "found"),
    [
        ("Were over 9 goals scored?", ">", 9, []),
        ("Were under 9 goals scored?", "<", 9, []),
        ("Were 9 goals scored?", "==", 9, []),
        ("were over 9 goals scored?", ">", 9, [CAPITAL]),
        ("What was over 9?", ">", 9, ["is not a yes/no question"]),
        ("Which were over 9?", ">", 9, ["is not a yes/no question"]),
        ("How many were over 9?", ">", 9, ["is not a yes/no question"]),
        ("Were over nine scored?", ">", 9, ["does not name 9 in digits"]),
        ("Were 9 scored?", ">", 9, ["does not ask for over 9"]),
        ("Were 9 scored?", "<", 9, ["does not ask for under 9"]),
        ("Were over 9 scored?", "==", 9, ["compares, where it should name a number"]),
        ("Were fewer than 9 scored?", "==", 9, ["compares, where it should name a number"]),
        ("Were over 9 not scored?", ">", 9, ["has a negation"]),
        ("Were eight scored and nothing else?", ">", 9,
         ["does not name 9 in digits", "does not ask for over 9", "has a negation"]),
        *((f"Were they {more} 9?", ">", 9, []) for more in
          ("over", "more than", "above", "greater than", "longer than", "higher than",
           "older than")),
        *((f"Did they {more} 9?", ">", 9, []) for more in ("exceed",)),
        *((f"Were they {less} 9?", "<", 9, []) for less in
          ("under", "fewer than", "less than", "below", "shorter than", "lower than",
           "younger than")),
    ],
)  # fmt: skip
def test_a_converted_question_names_its_number_and_asks_how_it_compares(question, op, n, found):
    assert conversion_problems(question, op, n) == found


def test_what_is_asked_in_words():
    assert [in_words(op, 14) for op in (">", "<", "==")] == ["over 14", "under 14", "exactly 14"]
    assert in_words(">", 1.5) == "over 1.5"


@pytest.mark.parametrize(
    ("original", "asked", "turns"),
    [
        ("Did more than 14 go?", "Did more than 14 not go?", True),
        ("Did nobody see more than 14?", "Did more than 14 go?", True),
        # Two negations are none.
        ("Did nobody not see more than 14?", "Did more than 14 go?", False),
        ("Did more than 14 go?", "Did more than 14 not go nowhere?", False),
        ("Did nobody see more than 14?", "Did nobody see more than 14 of it?", False),
    ],
)
def test_a_negation_turns_the_answer_by_itself(original, asked, turns):
    said = [] if turns else ["asks whether the number is > 14"]
    assert comparison_problems("contradictory", original, asked, ">", 14) == said
