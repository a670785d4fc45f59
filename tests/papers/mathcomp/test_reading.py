"""More, less or equal in any dress: what each kind of reply is read as, in three readings."""

import csv
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.mathcomp.comparisons import MIRRORED
from askew.papers.mathcomp.framings import IDENTITIES, name_people
from askew.papers.mathcomp.generator import generate
from askew.papers.mathcomp.loose_json import MAX_DEPTH, objects_in
from askew.papers.mathcomp.paper import OPTIONS, OUTPUTS
from askew.papers.mathcomp.reading import read_comparison
from tests.growth import assert_grows_linearly
from tests.repeated import times

with (Path(__file__).parent / "comparison_replies.csv").open(encoding="utf-8", newline="") as lines:
    CASES = list(csv.DictReader(lines))

PEOPLE = ("Alex", "Sam")
options = st.sampled_from(OPTIONS)
dresses = st.sampled_from(
    [
        "{}",
        "{}.",
        "**{}**",
        "Answer: {}",
        "The answer is {}.",
        '{{"answer": "{}"}}',
        "{{'answer': '{}',}}",
        '```json\n{{"reasoning": "20 + 40 = 60.", "answer": "{}"}}\n```',
        "Alex: 20.\nSam: 60.\n\n{}",
        "\\boxed{{\\text{{{}}}}}",
        "<answer>{}</answer>",
        "<think>Sam spends less than Alex.</think>{}",
    ]
)
cases = st.sampled_from([str.lower, str.upper, str.title])
fragments = st.lists(
    st.sampled_from(
        ["more", "less", "equal", "Sam", "Alex", "than", "so", "answer", "is", "not", "{", "}", '"',
         "'", ":", ",", "[", "]", "\n", ". ", "?", "Yes", "No", "\\boxed{", "as much as", "<", ">",
         "$5", "compared to", "therefore", "```json", "answer:", "or", "\u2192", "**"]
    ),
    max_size=40,
).map(" ".join)  # fmt: skip


def written(text: str) -> str:
    """A reply as the table writes it: line breaks are escaped."""
    return re.sub(r"\\(.)", lambda escape: "\n" if escape[1] == "n" else escape[1], text)


def test_the_table_covers_at_least_150_replies_and_every_outcome_of_a_reply():
    assert len(CASES) >= 150
    outcomes = {row["outcome"] for row in CASES}
    assert outcomes == {"ok", "frames_words", "ambiguous", "unparsed", "refused", "empty"}
    assert len({row["id"] for row in CASES}) == len(CASES)


@pytest.mark.parametrize("row", CASES, ids=lambda row: row["id"])
def test_a_reply_is_read_as_the_table_says(row):
    reading = read_comparison(written(row["reply"]), row["first"], row["second"])
    read = [reading.answer, reading.strict, reading.lenient]
    assert [row["outcome"], row["answer"], row["strict"], row["lenient"], row["yes_no"]] == [
        reading.outcome,
        *(option or "" for option in read),
        "yes" if reading.yes_no else "no",
    ], reading.why


@given(options, dresses, cases)
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
def test_a_comparison_means_the_same_told_from_either_side(word, with_total):
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


@pytest.mark.parametrize("identity", ["standard", "person", "hispanic"])
def test_the_sentences_of_a_scenario_conclude_nothing(identity):
    """What stands in a reasoning's body: multiples, parts and steps, and no answer."""
    told = name_people("{A} and {B}.|{A}|{B}", identity)
    _, first, second = told.split("|")
    for scenario in generate(150, seed=11):
        body = f"{scenario.sentence1}\n{scenario.equation1}\n{scenario.sentence2}"
        reply = name_people(f"{body}\n{scenario.equation2}\nBoth totals follow.", identity)
        reading = read_comparison(reply, first, second)
        assert reading.answer is None, (reply, reading.why)


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


def test_objects_are_found_with_their_places_and_whether_they_share_a_list():
    text = 'so {"a": 1} and [{"b": {"c": "x"}}, {\'d\': [1, 2,],}] or {broken'
    found = objects_in(text)
    assert [f.value for f in found] == [{"a": "1"}, {"b": {"c": "x"}}, {"d": ["1", "2"]}]
    assert [f.in_list for f in found] == [False, True, True]
    assert text[found[0].start : found[0].end] == '{"a": 1}'


@given(st.text("{}[]\",:' ax\\", max_size=200))
@settings(max_examples=times(40))
def test_bracket_soup_is_read_without_an_exception(text):
    assert all(text[f.start] == "{" and text[f.end - 1] == "}" for f in objects_in(text))


HOSTILE = [
    "more ",
    "Sam spends more than Alex ",
    "{",
    '{"a',
    '{"a":[',
    '{"answer":"',
    "{answer: ",
    '{"answer": "more"} ',
    "answer is ",
    "A) less B) more ",
    " ",
    "\\text{",
    "less or ",
    "than ",
    "not ",
    "(",
    '[{"a":1},',
    "<",
    "so Sam ",
    "more or less ",
    "1 more ",
    "A) less: no.\n",
    "The reasoning is that Sam spends more than Alex ",
    "Sam spent $4 on a bun, which is less than Alex's. ",
]


@pytest.mark.whole
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_takes_no_more_than_linear_time(unit):
    assert_grows_linearly(lambda text: read_comparison(text, *PEOPLE), unit)


ASKED = f"Does Sam spend more than Alex?\n\n{OUTPUTS['cot_json'].instruction}"
EXAMPLE = ASKED[ASKED.index("{") : ASKED.index("}") + 1]


@pytest.mark.parametrize(
    ("reply", "answer", "echo"),
    [
        (EXAMPLE, None, True),
        (f"A JSON object with two fields:\n```json\n{EXAMPLE}\n```", None, True),
        (f"{EXAMPLE}\n{EXAMPLE}", None, True),
        (f"Alex: 20. Sam: 60. So Sam spends more than Alex.\n{EXAMPLE}", "more", False),
        (f"So Sam spends less than Alex.\n{EXAMPLE}", None, True),
        (f'{EXAMPLE}\n{{"reasoning": "20 < 60", "answer": "less"}}', "less", False),
        ('{\n"answer": "more"\n}', "more", False),
        (EXAMPLE.replace("lifting weights", "on bread"), "more", False),
    ],
)
def test_the_prompts_own_example_answers_nothing_by_itself(reply, answer, echo):
    read = read_comparison(reply, *PEOPLE, ASKED)
    assert (read.answer, read.echo) == (answer, echo)


def test_a_line_of_the_prompts_list_of_options_is_an_answer():
    asked = "Does Sam spend more than Alex?\nA) less\nB) more\nC) equal"
    assert read_comparison("B) more", *PEOPLE, asked).answer == "more"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ('{"answer": {"type": "less", "value": 10.5, "why": "Less than 2"}}', "less"),
        ('{"answer": "more", "value": 10}', "more"),
        ('{"answer": 10, "note": "less"}', None),
        ('{"answer": {"less": 10, "more": 20}}', None),
        ('{"answer": {"type": "less", "other": "more", "value": 10}}', None),
    ],
)
def test_an_amount_in_json_is_no_answer_where_one_stands_beside_it(reply, answer):
    assert read_comparison(reply, *PEOPLE).answer == answer


@pytest.mark.parametrize("space", [" ", "  ", "   ", " " * 9])
@pytest.mark.parametrize("word", ["more", "less"])
def test_a_comparison_is_announced_as_far_as_its_line_goes(space, word):
    before = f"Alex: 20. Sam: 30. The answer is:{space}Sam spends {word}"
    for below in ("", "\nAlex takes the bus more than Sam", "\nAlex spends more than Sam?"):
        found = read_comparison(before + below, *PEOPLE)
        assert (found.answer, found.why) == (word, "announces a comparison"), below


@pytest.mark.parametrize(("opens", "closes"), [('{"a": ', "}"), ("[", "]")])
def test_json_is_read_as_deep_as_anybody_nests_it(opens, closes):
    def nested(depth):
        # The object itself is one level, the innermost value another.
        return '{"b": ' + opens * depth + '"x"' + closes * depth + "}"

    assert objects_in(nested(MAX_DEPTH - 1))
    assert all("b" not in found.value for found in objects_in(nested(MAX_DEPTH)))


def test_a_first_line_as_long_as_a_sentence_is_an_answer_where_its_word_is_set_off():
    def why(line, length):
        text = f"{line} {'of what each of them pays ' * 9}"[:length].rstrip().ljust(length, "x")
        return read_comparison(text, *PEOPLE).why

    # A short line may be an answer with its reason; a long one opens with a word of its own.
    assert why("more because", 120) == "opens with its answer"
    assert why("more because", 121) != "opens with its answer"
    assert why("more: because", 121) == "opens with its answer"


@pytest.mark.parametrize(("length", "answer"), [(120, "more"), (121, None)])
def test_a_last_line_as_long_as_a_sentence_is_an_answer_with_its_reason(length, answer):
    last = f"more because {'of what each of them pays ' * 9}"[: length - 1].ljust(length, "x")
    assert read_comparison(f"We look at what both spend\n{last}", *PEOPLE).answer == answer


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ('"more"', "its answer field says 'more'"),
        ('"maybe"', "concludes with none of more, less and equal"),
        ('""', "its answer field is empty"),
        ("true", "its answer field holds 'True', no option"),
    ],
)
def test_a_reading_of_json_says_what_its_field_holds_or_why_that_is_no_answer(value, why):
    assert read_comparison(f'{{"answer": {value}}}', *PEOPLE).why == why


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("For lunch: 10 vs 20 -> more", "more"),
        # Of a part of the day alone, which is not what was asked.
        ("Mornings: 20 > 14 -> more", None),
        # A question that names a part asks for it.
        ("In the mornings? 20 > 14 -> more", "more"),
    ],
)
def test_sums_lead_to_an_answer_unless_they_are_of_a_part(reply, answer):
    assert read_comparison(reply, *PEOPLE).answer == answer
