"""Announcements: where they stand, and what each of them says of the answer behind it."""

import pytest

from askew.reading.reply import (
    CHOICE,
    LABEL,
    announcements,
)

OWN, BEHIND = "of_answer", "by_subject"
FLAGS = (BEHIND, "near", "weak", "conceded", "doubtful", OWN)


def told(text, of=CHOICE):
    """Each announcement as it is written, with what holds of it."""
    return [
        (text[one.start : one.end], *(flag for flag in FLAGS if getattr(one, flag)))
        for one in announcements(text, of)
    ]


@pytest.mark.parametrize(
    ("text", "announced"),
    [
        ("The answer is C.", [("answer is", OWN)]),
        ("Answer: C", [("Answer:", OWN)]),
        ("**Answer:** C", [("Answer:", OWN)]),
        ("Answer - C", [("Answer - ", OWN)]),
        ("Answer -> C", [("Answer ->", OWN)]),
        ("The answer should be C", [("answer should be", OWN)]),
        ("The equation is x", [("equation is", OWN)]),
        ("My pick is C", [("pick is",)]),
        ("I would choose C", [("I would choose",)]),
        ("I lean towards C", [("I lean towards",)]),
        ("\\boxed{C}", [("\\boxed{",)]),
        ("The text supports C", [("text supports", "weak")]),
        ("Given these options, C", [("Given these options,", "conceded")]),
        # Headings, and the same word at the end of a sentence.
        ("### Answer\n\nC", [("Answer\n", OWN)]),
        ("The final answer\nC", [("answer\n", OWN)]),
        ("We then gave our answer\nC", []),
        # What stands before it.
        ("C is the correct answer", [("is the correct answer", BEHIND)]),
        ("C is the best option", [("is the best option", BEHIND)]),
        ("C was right", [("was right", BEHIND)]),
        ("C seems correct", [("seems correct", BEHIND)]),
        ("C fits best", [("fits best", BEHIND)]),
        ("C is the strongest candidate", [("is the strongest candidate", BEHIND)]),
        *((f"C is right{mark} x", [("is right", BEHIND)]) for mark in ".,;!"),
        *((f"C is right {word} it rained", [("is right", BEHIND)])
          for word in ("because", "since", "as", "for")),
        ("C is right\nx", [("is right", BEHIND)]),
        ("C is right (x)", [("is right", BEHIND)]),
        ("C is **right** because", []),
        *((f"C is {word}.", [("is " + word, BEHIND)]) for word in ("correct", "right", "best",
                                                                   "accurate")),
        ("C is closest.", [("is closest", BEHIND, "near")]),
        *((f"C is {word} next to it", []) for word in ("correct", "right", "best", "accurate")),
        # One of several is not the one.
        ("C is an option", []),
        ("C is one of them", []),
        ("C is the answer", [("is the answer", BEHIND)]),
        ("C is the only option", [("is the only option", BEHIND)]),
        # The closest one.
        ("The closest is C", [("closest is", "near")]),
        ("C is the closest", [("is the closest", BEHIND, "near")]),
        ("The best guess: C", [("guess:", "near")]),
        ("Of those given, the answer is C", [("answer is", "near", OWN)]),
        ("Of those given. The answer is C", [("answer is", OWN)]),
        ("If I had to choose, C fits best", [("fits best", BEHIND, "near", "doubtful")]),
        # Under a condition, denied, asked.
        ("If it rained, the answer is C", [("answer is", "doubtful", OWN)]),
        ("If it rained. The answer is C", [("answer is", OWN)]),
        ("Perhaps the answer is C", [("answer is", "doubtful", OWN)]),
        ("I never said that the answer is C", [("answer is", "doubtful", OWN)]),
        ("I am not sure, the answer is C", [("answer is", OWN)]),
        ("It might rain, but the answer is C", [("answer is", OWN)]),
        ("Although it might rain, the answer is C", [("answer is", OWN)]),
        ("I first thought the answer is C", [("answer is", "doubtful", OWN)]),
        ("Which option is it? C", [("option is", "doubtful")]),
        ("Is it that the answer is C?", [("answer is", "doubtful", OWN)]),
        ("Is it that the answer is C?\nNo", [("answer is", "doubtful", OWN)]),
        ("Is it that the answer is C\nor not?", [("answer is", OWN)]),
        ("It is so: the answer is C, is it?", [("answer is", OWN)]),
        # None at all.
        ("The answer is not C.", []),
        ("The incorrect answer: C", []),
        ("The wrong answer is C", []),
        ("reanswer: C", []),
        ("my_answer: C", []),
        ("It rained.", []),
        ("", []),
    ],
)  # fmt: skip
def test_an_announcement_says_what_kind_of_answer_is_behind_it(text, announced):
    assert told(text) == announced


def test_all_announcements_stand_in_their_order():
    assert told("Answer: B. The answer is C. C is the closest.") == [
        ("Answer:", OWN), ("answer is", OWN), ("is the closest", BEHIND, "near"),
    ]  # fmt: skip
    assert told("The intent is C.", LABEL) == [("intent is", OWN)]
    assert told("The intent is C.") == []
