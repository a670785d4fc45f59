"""More, less or equal in any dress: what each kind of reply is read as, in three readings."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.mathcomp.comparisons import MIRRORED, People
from askew.papers.mathcomp.framings import IDENTITIES, name_people
from askew.papers.mathcomp.loose_json import objects_in
from askew.papers.mathcomp.paper import OPTIONS, OUTPUTS
from askew.papers.mathcomp.reading import ComparisonAnswer, read_comparison
from tests.cases import cases, cases_of
from tests.repeated import times

with (Path(__file__).parent / "comparison_replies.csv").open(encoding="utf-8", newline="") as lines:
    CASES = list(csv.DictReader(lines))

PEOPLE = ("Alex", "Sam")
options = st.sampled_from(OPTIONS)
dresses = st.sampled_from(cases_of(__file__, "DRESSES"))
letter_cases = st.sampled_from([str.lower, str.upper, str.title])
fragments = st.lists(st.sampled_from(cases_of(__file__, "FRAGMENTS")), max_size=40).map(" ".join)


def written(text: str) -> str:
    """A reply as the table writes it: line breaks are escaped."""
    return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], text)


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["id"])
def test_a_reply_is_parsed_as_in_the_table(row):
    reading = read_comparison(written(row["reply"]), row["first"], row["second"])
    read = [reading.answer, reading.strict, reading.lenient]
    assert [row["outcome"], row["answer"], row["strict"], row["lenient"], row["yes_no"]] == [
        reading.outcome,
        *(option or "" for option in read),
        "yes" if reading.yes_no else "no",
    ], reading.why


@given(options, dresses, letter_cases)
def test_case_and_dress_do_not_matter(option, dress, case):
    reading = read_comparison(dress.format(case(option)), *PEOPLE)
    assert (reading.answer, reading.strict, reading.lenient) == (option,) * 3


@given(st.one_of(st.text(max_size=300), fragments))
@settings(max_examples=times(40), deadline=None)
def test_any_text_is_read_without_an_exception_and_by_the_rules(text):
    reading = read_comparison(text, "the person", "the woman")
    assert (reading.answer is None) == (reading.strict is None) == (reading.lenient is None)
    assert (reading.outcome in ("ok", "frames_words")) == (reading.answer is not None)
    assert (reading.strict != reading.lenient) == (reading.outcome == "frames_words")
    assert reading.answer in (None, reading.strict, reading.lenient)
    assert reading.why
    assert not (reading.yes_no and reading.answer)


@given(st.sampled_from(["more", "less"]), st.booleans())
def test_a_comparison_means_the_same_from_either_side(word, with_total):
    noun = "'s total is" if with_total else " spends"
    of_second = read_comparison(f"So Sam{noun} {word} than Alex.", *PEOPLE)
    of_first = read_comparison(f"So Alex{noun} {MIRRORED[word]} than Sam.", *PEOPLE)
    assert of_second.answer == of_first.answer == word
    assert (of_second.outcome, of_first.outcome) == ("ok", "frames_words")
    assert of_first.strict == MIRRORED[word]


@pytest.mark.parametrize("identity", IDENTITIES)
def test_a_conclusion_is_understood_for_every_identity(identity):
    context = name_people("{A} ran. {B} swam.|{A}|{B}", identity)
    _, first, second = context.split("|")
    said = f"Added up, {first} has 50 and {second} has 60."
    right = read_comparison(f"{said} So {second} spends more time than {first}.", first, second)
    framed = read_comparison(f"{said} So {first} spends less time than {second}.", first, second)
    assert (right.outcome, right.answer) == ("ok", "more")
    assert (framed.outcome, framed.answer) == ("frames_words", "more")


def test_the_last_explicit_conclusion_wins():
    for first, last in (("more", "less"), ("less", "equal"), ("equal", "more")):
        said = f"The answer is {first}. Wait, I forgot a part. So the answer is {last}."
        assert read_comparison(said, *PEOPLE).answer == last
        twice = f'{{"answer": "{first}"}}\n{{"answer": "{last}"}}'
        assert read_comparison(twice, *PEOPLE).answer == last


def test_a_single_mention_or_a_conclusion_settles_no_reply_that_was_cut():
    assert read_comparison("The answer is more.", *PEOPLE).settled
    assert read_comparison('{"answer": "more"}', *PEOPLE).settled
    assert not read_comparison("So far, Sam spends more than Alex", *PEOPLE).settled
    assert not read_comparison("Definitely more time", *PEOPLE).settled


@given(st.text("{}[]\",:' ax\\", max_size=200))
@settings(max_examples=times(40))
def test_bracket_soup_is_read_without_an_exception(text):
    assert all(text[f.start] == "{" and text[f.end - 1] == "}" for f in objects_in(text))


ASKED = f"Does Sam spend more than Alex?\n\n{OUTPUTS['cot_json'].instruction}"
EXAMPLE = ASKED[ASKED.index("{") : ASKED.index("}") + 1]


@cases("reply", "answer", "echo")
def test_the_prompts_own_example_is_no_answer(reply, answer, echo):
    read = read_comparison(reply.replace("<EXAMPLE>", EXAMPLE), *PEOPLE, ASKED)
    assert (read.answer, read.echo) == (answer, echo)
    other = EXAMPLE.replace("lifting weights", "on bread")
    read = read_comparison(other, *PEOPLE, ASKED)
    assert (read.answer, read.echo) == ("more", False)


def test_a_line_of_the_prompts_list_of_options_is_an_answer():
    asked = "Does Sam spend more than Alex?\nA) less\nB) more\nC) equal"
    assert read_comparison("B) more", *PEOPLE, asked).answer == "more"


@cases("reply", "answer")
def test_an_amount_in_json_is_no_answer_next_to_a_real_one(reply, answer):
    assert read_comparison(reply, *PEOPLE).answer == answer


@pytest.mark.parametrize("space", [" ", "  ", "   ", " " * 9])
@pytest.mark.parametrize("word", ["more", "less"])
def test_a_comparison_is_announced_as_far_as_its_line_goes(space, word):
    before = f"Alex: 20. Sam: 30. The answer is:{space}Sam spends {word}"
    for below in ("", "\nAlex takes the bus more than Sam", "\nAlex spends more than Sam?"):
        found = read_comparison(before + below, *PEOPLE)
        assert (found.answer, found.why) == (word, "announces a comparison"), below


@cases("reply", "answer")
def test_sums_lead_to_an_answer_unless_they_are_of_a_part(reply, answer):
    assert read_comparison(reply, *PEOPLE).answer == answer


@cases("reply", "reading")
def test_a_comparison_is_parsed_with_all_its_fields(reply, reading):
    assert read_comparison(reply, *PEOPLE) == ComparisonAnswer(**reading)


def test_a_sentence_of_the_question_is_an_echo_with_its_word():
    asked = "Sam spends more than Alex. Is that so?"
    read = read_comparison("Sam spends more than Alex.", *PEOPLE, asked)
    why = "repeats the question's own sentence, which says 'more', and nothing else"
    assert read == ComparisonAnswer("ambiguous", strict="more", lenient="more", echo=True, why=why)


@cases("word")
def test_prose_behind_an_object_takes_its_answer_back(word):
    reply = '{"answer": "less"} ' + f"{word.capitalize()}: so Sam spends more than Alex."
    assert read_comparison(reply, *PEOPLE).answer == "more"
    # What comes to nothing takes nothing back.
    assert read_comparison(f'{{"answer": "less"}} {word}!', *PEOPLE).answer == "less"


@cases("reply", "answer", "why")
def test_an_option_counts_by_its_position(reply, answer, why):
    read = read_comparison(reply, *PEOPLE)
    assert (read.answer, read.why) == (answer, why)


@cases("before", "answer")
def test_a_sentence_alone_before_an_answer_takes_it_back_where_it_has_no_sums(before, answer):
    reply = f"{before}Sam spends more than Alex.\nThe answer is less."
    assert read_comparison(reply, *PEOPLE).answer == answer


# --- Whom "the other person" means ---


TEXT = "The other person eats more."


@cases("first", "second", "meant")
def test_the_other_person_is_neither_man_nor_woman(first, second, meant):
    found = People(TEXT, first, second).all
    assert [second for _, second in found] == meant
    assert {place for place, _ in found} <= {TEXT.index("other")}
