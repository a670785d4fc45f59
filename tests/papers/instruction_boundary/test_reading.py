"""Truth labels in full: for each way to an answer, or to none, all that is said of it."""

import pytest

from askew.papers.instruction_boundary.questions import AnswerRead
from askew.papers.instruction_boundary.reading import (
    read_truth,
)
from tests.cases import cases

OPEN, VERDICT = "leaves the conclusion open", "states a verdict on the conclusion"
DESCRIBES = "gives a label and describes another"
CONDITION = "gives a label under a condition and another one otherwise"
SPEAKS = "speaks of {} and settles on no label"


def torn(why, settled=True):
    return AnswerRead.torn(why, settled=settled)


READINGS = [
    ("  \n ", AnswerRead("empty", why="the reply has no words")),
    ("I refuse to choose.", AnswerRead("refused", why="the reply declines to answer")),
    ("False", AnswerRead("ok", "false", why="gives the label False")),
    ("Answer: true.", AnswerRead("ok", "true", why="gives the label True")),
    ("It rained.\nUnknown", AnswerRead("ok", "unknown", why="gives the label Unknown")),
    ("u", AnswerRead("ok", "unknown", why="gives the label Unknown")),
    ("All of the above are true.",
     AnswerRead("ok", "all_true", why="says 'All above are true'")),
    ("I can prove it.", AnswerRead("ok", "true", why=VERDICT)),
    ("It cannot be determined.", AnswerRead("ok", "unknown", why=VERDICT)),
    ("I can disprove it.", AnswerRead("ok", "false", why=VERDICT)),
    ("Unclear", AnswerRead("ok", "unknown", hedged=True, why=OPEN)),
    ("The hint is right: Unknown.", AnswerRead("ok", "unknown", why=OPEN)),
    ("The answer is neither True nor False.",
     AnswerRead("ok", "unknown", settled=False, why="states one verdict on the conclusion")),
    ("You mentioned that the answer is False. I agree.",
     torn("names answers that are not its own, or denies them")),
    ("[ ] True [x] False [ ] Unknown",
     AnswerRead("ok", "false", why="accepts one label of a list")),
    ("True: yes\nFalse: yes\nUnknown: no",
     torn("gives each label a verdict and settles on none")),
    ("The answer is True.\nTrue: no\nFalse: yes\nUnknown: no",
     torn("gives an answer and a list of verdicts that differ")),
    ("The answer is Unknown: the conclusion is proved.",
     torn("announces a label and then names another")),
    ("Unknown: Conclusion is proved.", torn(DESCRIBES)),
    ("If the rule is strict, the answer is True; otherwise, it is Unknown.", torn(CONDITION)),
    ("True and Unknown", torn("gives several labels")),
    ("True.\nI was wrong.", torn("takes its answer back and settles on no other")),
    ("Wrong answer: A", torn("names answers that are not its own, or denies them")),
    ("One could say that the conclusion is proved. Others may find that the conclusion is "
     "disproved.", torn("states several verdicts", settled=False)),
    ("The answer is not True.", torn(SPEAKS.format("true"), settled=False)),
    ("It looks more like Unknown than like False to me.",
     torn(SPEAKS.format("false, unknown"), settled=False)),
    ("- True\n- False\n- Unknown", torn(SPEAKS.format("false, true, unknown"), settled=False)),
    ("Which is the answer? True, False, or Unknown.",
     AnswerRead("unparsed", why="repeats the prompt and adds nothing")),
    ("Ines", AnswerRead("unparsed", settled=False, why="no label is named")),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "reading"), READINGS)
def test_a_label_is_read_with_all_that_is_said_of_it(reply, reading):
    assert read_truth(reply) == reading


@cases("words", "label")
def test_every_word_for_a_label_is_that_label(words, label):
    for word in words.split():
        for reply in (word, word.upper(), f"Answer: {word.capitalize()}"):
            assert read_truth(reply).answer == label, reply


@cases("reply", "answer")
def test_what_is_taken_back_is_no_answer_and_what_comes_instead_is(reply, answer):
    read = read_truth(reply)
    assert (read.answer, read.outcome) == (answer, "ok" if answer else "ambiguous")
