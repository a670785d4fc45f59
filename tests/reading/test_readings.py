"""Replies by the public doors: where an answer stands, what outweighs it, all that is said."""

from dataclasses import replace

import pytest

from askew.reading.choices import read_choice, read_label
from askew.reading.engine import Choice
from askew.reading.yesno import YesNoAnswer, read_yes_no
from tests.cases import cases

NAMES = ["Mara", "Tobin", "Ines"]
LABELS = ["return_by_post", "late_fee", "extend_loan"]

CHOICE_FIELDS = (
    *("letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"),
    *("text", "answer_text", "selected_option", "response"),
)


@pytest.mark.parametrize("field", CHOICE_FIELDS)
def test_a_choice_is_found_in_any_usual_field_of_an_object(field):
    said = read_choice(f'{{"why": "Mara or Ines had left.", "{field}": "B"}}', NAMES)
    assert (said.chosen, said.letter, said.settled) == (1, "B", True)
    other = read_choice(f'{{"why": "Mara or Ines had left.", "x{field}": "B"}}', NAMES)
    assert other.chosen is None


@cases("reply", "chosen", "said_none", "text")
def test_an_answer_counts_by_its_position(reply, chosen, said_none, text):
    read = read_choice(reply, NAMES)
    assert (read.outcome, read.chosen, read.said_none, read.text) == ("ok", chosen, said_none, text)


def test_the_removed_option_is_recognized_next_to_a_denial():
    def gave(reply, removed="Oskar"):
        read = read_choice(reply, NAMES, removed)
        assert read.said_none
        return read.gave_removed

    assert gave("None of the options is right: it was Oskar.")
    assert gave("The correct answer (Oskar) is not listed.")
    assert gave("The correct answer, Oskar, is not listed.")
    assert gave("Oskar did it. None of the options is right.")
    assert gave("The closest is B, yet none of the options is right, since Oskar did it.")
    assert not gave("None of the options is right.")
    assert not gave("None of the options is right.", "")


def test_a_letter_that_was_not_offered_is_not_chosen_by_later_words():
    for reply in ("Ans: D", "D is the correct answer.", "Option d is correct.", "E is right."):
        assert read_choice(reply, NAMES).chosen is None


def test_an_opening_and_an_announced_option_conflict_if_adjacent():
    for reply in ("B\n\nThe answer is C.", "B.\nSo the answer is C.", "Tobin\nAnswer: C"):
        read = read_choice(reply, NAMES)
        assert (read.outcome, read.why) == ("ambiguous", "gives an option, and announces another")
    for reply in ("B\n\nIt rained all day. The answer is C.", "C\n\nThe answer is C.",
                  "It rained.\nThe answer is C."):  # fmt: skip
        assert read_choice(reply, NAMES).chosen == 2
    assert read_choice("B\n\nThe answer is Rick.", NAMES).outcome == "ok"


@cases("reply", "chosen", "why")
def test_a_label_counts_by_its_position(reply, chosen, why):
    read = read_label(reply, LABELS)
    assert read.chosen == chosen, why


@cases("reply", "answer", "why")
def test_yes_or_no_counts_by_its_position(reply, answer, why):
    read = read_yes_no(reply)
    assert read.answer == answer, why


COLOURS = ["red", "green", "blue", "none-of-them"]
ANSWER, WITH_WORDS = "gives the letter {}", "gives the letter {}, with words of its own"
TEXT, REMOVED = "gives the text of an option", "gives the text of the removed option"
NEW, NONE = "gives a new letter and text", "says that none fits"
MARKED, NO_OPTION = "marks one option as right", "no option is named"
LISTED, FOREIGN = "goes through the options and settles on none", "gives an answer not offered"
YET = "says that none fits, yet gives one"


def read(why, outcome="ok", **said):
    return Choice(outcome, **said, why=why)


def bare(reading):
    """A reading without its reason, which is worded as it may be."""
    assert reading.why
    return replace(reading, why="")


# Where Oskar was the right one, and was taken away.
CHOICES = [
    ("  \n ", read("the reply has no words", "empty")),
    ("I refuse to choose.", read("the reply declines to answer", "refused")),
    # By letter, by text, by both.
    ("C", read(ANSWER.format("C"), chosen=2, letter="C")),
    ("Answer: a", read(ANSWER.format("A"), chosen=0, letter="A")),
    ("Not A or B, so C.", read(ANSWER.format("C"), chosen=2, letter="C")),
    ("It rained all day.\nB", read(ANSWER.format("B"), chosen=1, letter="B", settled=False)),
    ("B) Rick", read(WITH_WORDS.format("B"), chosen=1, letter="B", text="Rick")),
    ("ines.", read(TEXT, chosen=2)),
    ("C.Ines", read(TEXT, chosen=2, letter="C")),
    ("It rained all day.\nTobin", read(TEXT, chosen=1, settled=False)),
    ("It rained all day.\nB. Tobin", read(TEXT, chosen=1, letter="B", settled=False)),
    ("Mara is the correct answer.", read(TEXT, chosen=0)),
    ("C. Tobin", read("gives C, and words of another option", "ambiguous")),
    # What was taken away, and what nobody offered.
    ("Oskar", read(REMOVED, text="Oskar", gave_removed=True)),
    ("oskar", read(REMOVED, text="Oskar", gave_removed=True)),
    ("D. Oskar", read(REMOVED, letter="D", text="Oskar", gave_removed=True)),
    ("C. Oskar", read(REMOVED, letter="C", text="Oskar", gave_removed=True)),
    ("The answer is Oskar, which is not listed.",
     read(REMOVED, text="Oskar", gave_removed=True, said_none=True)),
    ("I saw that it was Oskar who had it.",
     read("names one option only", text="Oskar", gave_removed=True, settled=False)),
    ("D: Rick", read(NEW, letter="D", text="Rick")),
    ("It rained all day.\nD: Rick", read(NEW, letter="D", text="Rick", settled=False)),
    ("Answer: 2", read("announces an answer not offered", text="2")),
    ("If Mara had left, the answer is Rick.", read("only supposes", "unparsed")),
    ("Rick.", read(FOREIGN, text="Rick", settled=False)),
    ("Ans: D", read(NO_OPTION, "unparsed")),
    ("Option D", read("the letter D is not offered", "unparsed", letter="D")),
    # None of them.
    ("None", read(NONE, said_none=True)),
    ("D) none-of-them", read(NONE, letter="D", said_none=True)),
    ("Rick (not an option)", read(NONE, said_none=True, settled=False)),
    ("None of them. It was Oskar.", read(NONE, said_none=True, gave_removed=True)),
    ("The correct answer (Oskar) is not listed.", read(NONE, said_none=True, gave_removed=True)),
    ("None, but the closest would be B.", read(YET, text="Tobin", said_none=True)),
    ("C. Ines\n\nNone of the options is fully correct.", read(YET, text="Ines", said_none=True)),
    ("The correct answer is Oskar, but since it's not an option, the closest would be B.",
     read(YET, text="Tobin", said_none=True, gave_removed=True)),
    ("Every option (A, B, C) is incorrect.",
     read("says that none fits", said_none=True, settled=False)),
    ("None of B, C.", read("only rules options out", "unparsed")),
    # Lists and verdicts.
    ("A: yes", read(MARKED, chosen=0)),
    ("A: no\nB: no\nC: yes", read(MARKED, chosen=2)),
    ("A: true\nB: false\nC: true", read("marks 2 options as right", "ambiguous")),
    ("A and C", read("gives 2 options and settles on none", "ambiguous")),
    ("A, C", read("gives A and C", "ambiguous")),
    ("I'm torn between A and C.", read("gives A and C", "ambiguous")),
    ("Maybe Mara or Ines; Tobin had left.", read("gives the text of 2 options", "ambiguous")),
    ("A) Mara\nB) Tobin", read("gives 2 options and settles on none", "ambiguous")),
    ("A) less\nB) more", read(LISTED, "ambiguous")),
    ("A: x\nB: y\nC: z\nD: u\nE: v",
     read("goes through more letters than were offered", "ambiguous")),
    # Named somewhere, and nothing else.
    ("C Ines", read("names one option", chosen=2, letter="C")),
    ("The one who walked there was not Mara but went by the name Tobin.",
     read("names one option only", chosen=1, settled=False)),
    ("First Mara was there, later Tobin came by as well.",
     read("names 2 options and settles on none", "ambiguous")),
    ("B\nThe answer is C.", read("gives an option, and announces another", "ambiguous")),
    ("Who was it?", read(NO_OPTION, "unparsed")),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "reading"), CHOICES)
def test_a_choice_is_parsed_with_all_its_fields(reply, reading):
    assert bare(read_choice(reply, NAMES, "Oskar")) == bare(reading)


@pytest.mark.parametrize(
    ("reply", "reading"),
    [
        ("D", read(ANSWER.format("D"), chosen=3, letter="D", said_none=True)),
        ("none-of-them", read(TEXT, chosen=3, said_none=True)),
        ("D. none-of-them", read(TEXT, chosen=3, letter="D", said_none=True)),
        ("D. none-of-them. It was pink.",
         read(TEXT, chosen=3, letter="D", said_none=True, gave_removed=True)),
        ("The answer is none-of-them.", read(TEXT, chosen=3, said_none=True)),
        ("It rained.\nnone-of-them", read(TEXT, chosen=3, said_none=True, settled=False)),
    ],
)  # fmt: skip
def test_the_none_option_is_chosen_and_counts_as_none(reply, reading):
    assert bare(read_choice(reply, COLOURS, "pink")) == bare(reading)


ONE, OWN = "gives one label", "gives a label not offered"
ONLY, LIST = "names one label only", "gives labels a verdict each and settles on none"
LABELLED = [
    ("...", read("the reply has no words", "empty")),
    ("I'm sorry, I can't help with that.", read("the reply declines to answer", "refused")),
    ("late_fee", read(ONE, chosen=1, text="late_fee")),
    ("ExtendLoan", read(ONE, chosen=2, text="ExtendLoan")),
    ('"return by post"', read(ONE, chosen=0, text="return by post")),
    ("The intent is extend-loan.", read(ONE, chosen=2, text="extend-loan")),
    ("It rained all day.\nlate_fee", read(ONE, chosen=1, text="late_fee", settled=False)),
    ("renew card", read("gives the removed label", text="renew card", gave_removed=True)),
    ("None of the intents fit. The correct intent is renew_card.",
     read("gives the removed label", text="renew_card", gave_removed=True, said_none=True)),
    ("none-of-them", read(NONE, said_none=True)),
    ("None of the listed intents match.", read(NONE, said_none=True)),
    ("None of the intents match, though this is certainly much like a renew_card to me.",
     read(NONE, said_none=True, gave_removed=True)),
    ("None of the intents fit. The closest is late_fee.",
     read(YET, text="late_fee", said_none=True)),
    ("lost_card", read(OWN, text="lost_card")),
    ("Waive late fee.", read(OWN, text="Waive late fee")),
    ("The intent is `lost_ticket`.",
     read("announces a label not offered", text="lost_ticket")),
    ("late_fee: no\nextend_loan: yes",
     read("accepts one label of a list", chosen=2, text="extend_loan")),
    ("late_fee: no\nrenew_card: yes",
     read("gives the removed label", text="renew_card", gave_removed=True)),
    ("late_fee: yes\nextend_loan: yes", read(LIST, "ambiguous")),
    ("late_fee: they must pay.\nextend_loan: they want more time.", read(LIST, "ambiguous")),
    ("1. late_fee\n2. extend_loan", read("gives several labels", "ambiguous")),
    ("late_fee, extend_loan", read("names 2 labels and settles on none", "ambiguous")),
    ("extend_loan (not late_fee)", read(ONLY, chosen=2, text="extend_loan")),
    ("They talk about a late-fee, it seems",
     read(ONLY, chosen=1, text="late-fee", settled=False)),
    ("They talk about a renew_card, it seems",
     read("gives the removed label", text="renew_card", gave_removed=True, settled=False)),
    ("The utterance is about something that the list has no word for at all.",
     read("no label is named", "unparsed")),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "reading"), LABELLED)
def test_a_label_is_parsed_with_all_its_fields(reply, reading):
    assert bare(read_label(reply, LABELS, "renew_card")) == bare(reading)


def test_the_none_label_is_chosen_and_counts_as_none():
    labels = [*LABELS, "none-of-them"]
    given = read(ONE, chosen=3, text="none of them", said_none=True)
    assert bare(read_label("None of them.", labels)) == bare(replace(given, text="None of them"))
    assert bare(read_label("Intent: none of them", labels)) == bare(given)


STATES, BOTH = "states {}, then {}", "gives both Yes and No"
YES_NO = [
    (" \n", YesNoAnswer("empty", why="the reply has no words")),
    ("I refuse to choose.", YesNoAnswer("refused", why="the reply declines to answer")),
    ("n.", YesNoAnswer("ok", "No", why="gives the initial alone")),
    ("(Y)", YesNoAnswer("ok", "Yes", why="gives the initial alone")),
    ("yes!", YesNoAnswer("ok", "Yes", why="opens with its answer")),
    ("No, it did not.", YesNoAnswer("ok", "No", why="opens with its answer")),
    ("Answer: nope", YesNoAnswer("ok", "No", why="announces its answer")),
    ("Yes is the correct answer.", YesNoAnswer("ok", "Yes", why="announces its answer")),
    ("It did.\nYeah.", YesNoAnswer("ok", "Yes", why="closes with its answer")),
    ("[ ] Yes\n[x] No", YesNoAnswer("ok", "No", why="accepts one answer of both")),
    ("Was it the mill - no, the weir",
     YesNoAnswer("ok", "No", settled=False, why="gives one answer only")),
    ("Yes. Wait, let me reconsider: it was banned.\n\nNo.",
     YesNoAnswer("ok", "No", why="takes its first answer back")),
    ("The answer is yes. On reflection I misread the date. The answer is no.",
     YesNoAnswer("ok", "No", why="takes its first answer back")),
    ("No.\n\nYes.", YesNoAnswer("ambiguous", why=STATES.format("No", "Yes"))),
    ("Answer: Yes. No.", YesNoAnswer("ambiguous", why=STATES.format("Yes", "No"))),
    ("Answer: No\nAnswer: Yes", YesNoAnswer("ambiguous", why=STATES.format("No", "Yes"))),
    ("1. Yes\n2. No", YesNoAnswer("ambiguous", why=STATES.format("Yes", "No"))),
    ("No, yes", YesNoAnswer("ambiguous", why=BOTH)),
    ("Yes & no", YesNoAnswer("ambiguous", why=BOTH)),
    ("Yes=0, No=1",
     YesNoAnswer("ambiguous", why="gives both Yes and No a verdict and settles on neither")),
    ("Neither Yes nor No.",
     YesNoAnswer("ambiguous", why="names both Yes and No and settles on neither")),
    ("Yes/No", YesNoAnswer("unparsed", why="repeats the options and chooses neither")),
    ("**Ja**", YesNoAnswer("ok", "Yes", why="opens with its answer")),
    ("Ich meine: nein", YesNoAnswer("unparsed", why="answers in another language (nein)")),
    ("I cannot say yes.",
     YesNoAnswer("unparsed", why="uses the word Yes without answering by it")),
    ("No one", YesNoAnswer("unparsed", why="uses the word No without answering by it")),
    ("Ines", YesNoAnswer("unparsed", why="neither Yes nor No is named")),
    *(
        (word, YesNoAnswer("unparsed", why=f"says {word}, which is neither Yes nor No"))
        for word in ("true", "false", "correct", "incorrect")
    ),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "reading"), YES_NO)
def test_yes_or_no_is_parsed_with_all_its_fields(reply, reading):
    assert bare(read_yes_no(reply)) == bare(reading)
