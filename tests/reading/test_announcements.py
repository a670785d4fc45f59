"""Announcements: where they stand, and what each of them says of the answer behind it."""

import pytest

from askew.reading.reply import (
    CHOICE,
    LABEL,
    Announcement,
    announcements,
    ends,
    match_end,
    refuses,
    unwrapped,
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


def test_the_last_forty_are_kept():
    text = "".join(f"Answer: {i}\n" for i in range(41))
    found = announcements(text, CHOICE)
    assert len(found) == 40
    assert text[found[0].end :].startswith(" 1\n")
    assert text[found[-1].end :] == " 40\n"


@pytest.mark.parametrize(("start", "doubtful"), [(160, True), (161, False)])
def test_a_sentence_is_looked_at_160_characters_back(start, doubtful):
    text = "if " + "x" * (start - 8) + " the answer is C"
    (found,) = announcements(text, CHOICE)
    assert (found.start, found.doubtful) == (start, doubtful)


def test_an_announcement_says_nothing_more_unless_it_does():
    assert Announcement(0, 1) == Announcement(0, 1, False, False, False, False, False, False)
    assert {getattr(Announcement(0, 1), flag) for flag in FLAGS} == {False}


def test_a_place_stays_where_nothing_matches_there():
    assert match_end(CHOICE, "answer: c", 0) == 7
    assert match_end(CHOICE, "the answer: c", 0) == 0
    assert match_end(CHOICE, "the answer: c", 4) == 11


def test_a_text_is_cut_in_the_middle_where_it_is_longer_than_both_ends():
    whole = "a" * 50_000 + "b" * 150_000
    assert ends(whole) == whole
    assert ends(f"{whole[:50_000]}c{whole[50_000:]}") == f"{'a' * 50_000}\n\n{'b' * 150_000}"


@pytest.mark.parametrize(("start", "declines"), [(389, True), (390, False)])
def test_a_refusal_stands_within_the_first_400_characters(start, declines):
    assert refuses("x" * (start - 1) + " I refuse to answer.") is declines


@pytest.mark.parametrize(
    ("reply", "inside"),
    [
        ('{"Final Answer": "C"}', "C"), ('{"FINAL_ANSWER": " C "}', "C"),
        ('{"other": "x", "answer": "C"}', "C"), ('{"answer": "C", "letter": "D"}', "C. D"),
        ('{"letter": "D", "answer": 3}', "D"), ('{"answer": ""}', ""),
        ('```\n{"answer": "C"}\n```', "C"), ('```{"answer": "C"}```', '```{"answer": "C"}```'),
        (' {"answer": "C"}', '{"answer": "C"}'), ('[{"answer": "C"}]', '[{"answer": "C"}]'),
        ("<option>C</option>", "Answer: C"), ("<FINAL ANSWER>C</FINAL ANSWER>", "Answer: C"),
        *((f"<{tag}>C</{tag}> so", "Answer: C\n so") for tag in
          ("answer", "choice", "option", "response", "output", "label", "intent", "class")),
        ("<b>C</b>", "<b>C</b>"), ("```\nC\n```", "```\nC\n```"), ("C ", "C"),
    ],
)  # fmt: skip
def test_what_a_reply_gives_as_its_answer_is_unwrapped(reply, inside):
    assert unwrapped(reply, ("letter", "answer", "final_answer")) == inside


def test_an_object_is_unwrapped_up_to_twenty_marks_and_50000_characters():
    for marks, is_read in ((19, True), (20, False)):
        reply = '{"answer": "C", "x": "' + "[" * marks + '"}'
        assert (unwrapped(reply, ("answer",)) == "C") is is_read
    for length, is_read in ((50_000, True), (50_001, False)):
        reply = '{"answer": "C"' + " " * (length - 15) + "}"
        assert len(reply) == length
        assert (unwrapped(reply, ("answer",)) == "C") is is_read
