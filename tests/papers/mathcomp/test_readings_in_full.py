"""Comparisons in full: for each way to an answer, or to none, all that is said of it."""

import pytest

from askew.papers.mathcomp.paper import OUTPUTS
from askew.papers.mathcomp.reading import ComparisonAnswer, read_comparison

PEOPLE = ("Alex", "Sam")


def says(word, why, settled=True):
    return ComparisonAnswer("ok", word, word, word, settled=settled, why=why)


def framed(answer, strict, lenient, why, settled=True):
    return ComparisonAnswer("frames_words", answer, strict, lenient, settled=settled, why=why)


def torn(why, **said):
    return ComparisonAnswer("ambiguous", why=why, **said)


def none(why, **said):
    return ComparisonAnswer("unparsed", why=why, **said)


HEAD, END, ANNOUNCED = "opens with its answer", "closes with its answer", "announces its answer"
ABOUT = "{} about the first person: {} for the second"
REASONED = "{}; its reasoning says {!r} about the first person"
READINGS = [
    ("  \n ", ComparisonAnswer("empty", why="the reply has no words")),
    ("I refuse to choose.", ComparisonAnswer("refused", why="the reply declines to answer")),
    # Stated: at the head, announced, led to by sums, at the end.
    ("more", says("more", HEAD)),
    ("Less, because Sam pays once.", says("less", HEAD)),
    ("\\boxed{C}", says("equal", ANNOUNCED)),
    ("A is right.", says("less", "calls an option the answer")),
    ("27 < 30, therefore A", says("less", "sums lead to it")),
    ("14 = 14 -> **C) equal**", says("equal", "sums lead to it")),
    ("Ans: C", says("equal", END, settled=False)),
    ("We add up both\n\nmore", says("more", END, settled=False)),
    ("The answer is that Sam spends less than Alex.", says("less", "announces a comparison")),
    ("The answer is that Alex spends less than Sam.",
     framed("more", "less", "more", ABOUT.format("announces a comparison", "more"))),
    # Concluded.
    ("More than Alex", says("more", "concludes with 'more'", settled=False)),
    ("So Sam spends less than Alex.", says("less", "concludes with 'less'", settled=False)),
    ("Equal amounts", says("equal", "concludes with 'equal'", settled=False)),
    ("Alex outspends Sam.",
     framed("less", "more", "less", ABOUT.format("concludes with 'more'", "less"), False)),
    ("Alex < Sam",
     framed("more", "less", "more", ABOUT.format("concludes with 'less'", "more"), False)),
    # A bare option in the words of the reply's own reasoning.
    ("Alex spends less than Sam. Answer: less",
     framed("less", "less", "more", REASONED.format(ANNOUNCED, "less"))),
    ("Person A: $71. Person B: $66. Alex spends more money on soap than Sam.\n\nmore",
     framed("more", "more", "less", REASONED.format(END, "more"), False)),
    ('{"reasoning": "So Alex spends less than Sam.", "answer": "less"}',
     framed("less", "less", "more", REASONED.format("its answer field says 'less'", "less"))),
    ('So Alex spends less than Sam. {"answer": "less"}',
     framed("less", "less", "more", REASONED.format("its answer field says 'less'", "less"))),
    # JSON.
    ("{answer: more}", says("more", "its answer field says 'more'")),
    ('{"answer": "Sam spends more than Alex"}',
     says("more", "its answer field says 'Sam spends more than Alex'", settled=False)),
    ('{"answer": "Alex spends less than Sam"}',
     framed("more", "less", "more", "its answer field says 'Alex spends less than Sam'", False)),
    ('{"reasoning": "cut off", "answer": "less"', says("less", "an answer field in broken JSON")),
    ('{"answer": ["less", "less"]}', says("less", "its answer field says 'less'")),
    ('{"answer": ["less", "more"]}', torn("its answers in JSON differ")),
    ('[{"answer": "less"}, {"answer": "more"}]', torn("its answers in JSON differ")),
    ('{"answer": "less"} {"answer": "more"}', says("more", "its answer field says 'more'")),
    ('{"answer": "less"} Wait, so Sam spends more than Alex.',
     says("more", "concludes with 'more'", settled=False)),
    ('{"answer": "less"} So Sam spends more than Alex.', says("less",
     "its answer field says 'less'")),
    ("import json\nprint({'answer': 'less'})", torn("its JSON stands in a program")),
    ('{"answer": true}', none("its answer field holds 'True', no option")),
    ('{"answer": "?"}', none("its answer field is empty")),
    # No answer.
    ("Less. The reason is that Sam spends more than Alex.",
     torn("answers and says another thing beside it")),
    ("Unclear", none("leaves the question open", hedged=True)),
    ("Yes.", none("says Yes or No, which names no option", yes_no=True)),
    ("More time", says("more", "names one option only", settled=False)),
    ("more and less", torn("names several options and concludes with none")),
    ("more or less", torn("repeats the options and settles on none")),
    ("Ines", none("concludes with none of more, less and equal")),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "reading"), READINGS)
def test_a_comparison_is_read_with_all_that_is_said_of_it(reply, reading):
    assert read_comparison(reply, *PEOPLE) == reading


def test_what_is_not_said_of_a_reading_is_none_or_false():
    bare = ComparisonAnswer("unparsed")
    assert bare == ComparisonAnswer("unparsed", None, None, None, False, False, False, False, "")
    assert (bare.answer, bare.strict, bare.lenient) == (None, None, None)
    assert {bare.yes_no, bare.echo, bare.hedged, bare.settled} == {False}


def test_a_sentence_of_the_question_is_an_echo_with_its_word():
    asked = "Sam spends more than Alex. Is that so?"
    read = read_comparison("Sam spends more than Alex.", *PEOPLE, asked)
    why = "repeats the question's own sentence, which says 'more', and nothing else"
    assert read == torn(why, strict="more", lenient="more", echo=True)


@pytest.mark.parametrize("word", ["wait", "correction", "on second thought", "on reflection",
                                  "let me recompute", "scratch that", "I was wrong",
                                  "I made a mistake", "I made an error", "actually"])  # fmt: skip
def test_prose_behind_an_object_takes_its_answer_back(word):
    reply = '{"answer": "less"} ' + f"{word.capitalize()}: so Sam spends more than Alex."
    assert read_comparison(reply, *PEOPLE).answer == "more"
    # What comes to nothing takes nothing back.
    assert read_comparison(f'{{"answer": "less"}} {word}!', *PEOPLE).answer == "less"


@pytest.mark.parametrize(("length", "answer"), [(60, "more"), (61, None)])
def test_the_only_option_of_up_to_60_characters_is_the_answer(length, answer):
    body = "more time" + " of what they have to do here, with all that comes of it too"
    reading = read_comparison(body[:length].ljust(length, "x"), *PEOPLE)
    assert reading.answer == answer


@pytest.mark.parametrize("digits", ["", " 7"])
def test_a_short_text_with_a_number_names_no_answer(digits):
    found = read_comparison(f"More time{digits}", *PEOPLE)
    assert found.answer == (None if digits else "more")


@pytest.mark.parametrize(
    ("reply", "answer", "why"),
    [
        # Sums lead to an answer where two numbers stand before it, and no two lines differ.
        ("10 -> less", None, "concludes with none of more, less and equal"),
        ("10 vs 20 -> less", "less", "sums lead to it"),
        ("a 10 vs 20 -> less\nb 10 vs 30 -> less", "less", "sums lead to it"),
        ("10 vs 20 -> less\n5 vs 4 -> more", None,
         "names several options and concludes with none"),
        ("10 vs 20 -> less\ntotal: 5 vs 4 -> more", "more", "sums lead to it"),
        ("Total: 10 vs 20 -> less\nFor lunch: 5 vs 4 -> more", "less", "sums lead to it"),
        # The last announcement that announces an option.
        ("The answer is maybe. The answer is: to be found. The answer is more.", "more", ANNOUNCED),
        ("The answer is more. The answer is not known.", "more", ANNOUNCED),
        ("The answer is more. The answer is 7.", "more", ANNOUNCED),
        ("less is right. It is the answer that counts.", "less", "calls an option the answer"),
        ("less is right. Sam is the answer.", "less", "calls an option the answer"),
        # A last sentence or line, and what stands behind its last mark.
        ("x. more", "more", END),
        ("Sam! more", "more", END),
        ("Sam? more", "more", END),
        ("Sam (24), Alex (18): more", "more", END),
        ("Sam 24; Alex 18; less on bread: more", None,
         "names several options and concludes with none"),
        # JSON that can't be read counts where none can.
        ("{answer: more", "more", "an answer field in broken JSON"),
        ('{"a": 1} {answer: "less"', "less", END),
    ],
)  # fmt: skip
def test_an_option_counts_by_where_it_stands(reply, answer, why):
    read = read_comparison(reply, *PEOPLE)
    assert (read.answer, read.why) == (answer, why)


ASKED = f"Does Sam spend more than Alex?\n\n{OUTPUTS['cot_json'].instruction}"
EXAMPLE = ASKED[ASKED.index("{") : ASKED.index("}") + 1]


@pytest.mark.parametrize("reply", ["{}", "So Sam spends less than Alex. {}", "{} less", "{}l{}"])
def test_the_prompts_own_example_is_an_echo_with_its_word(reply):
    read = read_comparison(reply.replace("{}", EXAMPLE), *PEOPLE, ASKED)
    assert read == torn("repeats the prompt's example", strict="more", lenient="more", echo=True)


def test_what_a_reply_says_beside_the_example_counts_where_both_agree():
    assert read_comparison(f"more\n{EXAMPLE}", *PEOPLE, ASKED) == says("more", HEAD)


@pytest.mark.parametrize(
    ("before", "answer"),
    [("Coins: ", None), ("", None), ("3 coins: ", "less"), ("7. ", "less"), ("But no: ", "less")],
)
def test_a_sentence_alone_before_an_answer_takes_it_back_where_it_has_no_sums(before, answer):
    reply = f"{before}Sam spends more than Alex.\nThe answer is less."
    assert read_comparison(reply, *PEOPLE).answer == answer


@pytest.mark.parametrize(("length", "answer"), [(105, None), (106, "less")])
def test_what_stands_before_an_answer_takes_it_back_within_120_characters(length, answer):
    before = (
        "Sam spends more than Alex" + " on what they both have to buy there each and every time" * 3
    )
    reply = f"{before[:length]}.\nThe answer is less."
    assert reply.index(" less") == (120 if answer is None else 121)
    assert read_comparison(reply, *PEOPLE).answer == answer
