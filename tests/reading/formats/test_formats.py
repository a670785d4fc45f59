"""What holds for every format: it reads what it writes, misses what it spoils, and never raises."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from askew.reading.formats import FORMATS, PAPER_FORMATS, ExpectedAnswer, get_format, read
from tests.cases import cases, cases_of
from tests.repeated import times

OPTIONS = ("red kite", "green heron", "blue tit", "grey wagtail")
KEYS = ("Task", "Method", "Material", "Metric")
# A value that holds a format's own mark can't be told from the mark.
WORDS = st.text(
    st.characters(categories=["Lu", "Ll", "Lo", "Nd", "Zs"], include_characters="-,;.!?%/&"),
    min_size=1,
    max_size=30,
).map(lambda t: " ".join(t.split()))
PHRASES = WORDS.filter(lambda t: t and not t.startswith("-") and t[0].isalpha())
# Literals and YAML carry their own quotes: any text survives them.
ANY_PHRASES = st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"], exclude_characters="\ufeff"),
    min_size=1,
    max_size=30,
).filter(lambda t: t.strip() == t)


def target(fmt, prompting="zs", kind=None, n_elements=0):
    kind = kind or fmt.example.asked.kind
    keys = KEYS if kind == "entities" else ()
    return ExpectedAnswer(kind, OPTIONS, keys, n_elements, prompting)


def wrapped(fmt, text, prompting):
    if prompting == "cot" and fmt.category != "wrapping":
        return f"First I think, then I answer.\n\n<ANSWER>{text}</ANSWER>"
    return text


def names_in(category):
    return [n for n in PAPER_FORMATS if FORMATS[n].category == category]


@pytest.mark.parametrize("name", PAPER_FORMATS)
def test_every_format_reads_its_own_example(name):
    fmt = get_format(name)
    reading = read(fmt.write(fmt.example.value), fmt, fmt.example.asked)
    assert reading.format_ok
    assert reading.value == fmt.example.value


@pytest.mark.whole
@pytest.mark.parametrize("prompting", ["zs", "cot"])
@pytest.mark.parametrize("name", names_in("wrapping"))
@given(value=PHRASES)
def test_wrapped_texts_survive(name, prompting, value):
    fmt = get_format(name)
    reading = read(fmt.write(value), fmt, target(fmt, prompting, "text"))
    assert reading.format_ok
    assert reading.value.strip() == value


@pytest.mark.parametrize("name", [*names_in("wrapping"), "char"])
@pytest.mark.parametrize("prompting", ["zs", "cot"])
@pytest.mark.parametrize("letter", "ABCD")
def test_letters_survive(name, prompting, letter):
    fmt = get_format(name)
    for written in (letter, letter.lower()):
        reading = read(
            wrapped(fmt, fmt.write(written), prompting), fmt, target(fmt, prompting, "letter")
        )
        assert (reading.value, reading.format_ok) == (letter, True)


@pytest.mark.parametrize("prompting", ["zs", "cot"])
@pytest.mark.parametrize("option", OPTIONS)
def test_option_texts_survive(prompting, option):
    fmt = get_format("text")
    reading = read(wrapped(fmt, fmt.write(option), prompting), fmt, target(fmt, prompting))
    assert (reading.value, reading.format_ok) == (option, True)


@pytest.mark.whole
@pytest.mark.parametrize("prompting", ["zs", "cot"])
@pytest.mark.parametrize("name", names_in("list"))
@given(marks=st.lists(st.integers(0, 1), min_size=1, max_size=40))
def test_rankings_survive(name, prompting, marks):
    fmt = get_format(name)
    question = target(fmt, prompting, "ranking", len(marks))
    reading = read(wrapped(fmt, fmt.write(marks), prompting), fmt, question)
    assert (reading.value, reading.format_ok) == (marks, True)


@pytest.mark.parametrize("name", ["bullet", "separator", "newline"])
@given(phrases=st.lists(PHRASES, min_size=1, max_size=9))
def test_keyphrases_survive(name, phrases):
    fmt = get_format(name)
    reading = read(fmt.write(phrases), fmt, target(fmt, kind="keyphrases"))
    assert (reading.value, reading.format_ok) == (phrases, True)


@given(phrases=st.lists(ANY_PHRASES, min_size=1, max_size=9))
def test_any_keyphrase_survives_a_python_list(phrases):
    fmt = get_format("python")
    assume(phrases != ["I refuse to"])
    reading = read(fmt.write(phrases), fmt, target(fmt, kind="keyphrases"))
    assert (reading.value, reading.format_ok) == (phrases, True)


@pytest.mark.whole
@pytest.mark.parametrize("prompting", ["zs", "cot"])
@pytest.mark.parametrize("name", names_in("mapping"))
@given(names=st.lists(st.lists(ANY_PHRASES, max_size=4), min_size=4, max_size=4))
def test_mappings_survive(name, prompting, names):
    fmt = get_format(name)
    value = dict(zip(KEYS, names, strict=True))
    assume(not any("<ANSWER>" in n or "</ANSWER>" in n for ns in names for n in ns))
    reading = read(wrapped(fmt, fmt.write(value), prompting), fmt, target(fmt, prompting))
    assert (reading.value, reading.format_ok) == (value, True)


VALUES = cases_of(__file__, "VALUES")
KINDS = cases_of(__file__, "KINDS")
SPOILED = [
    (name, kind)
    for name in PAPER_FORMATS
    for kind in KINDS.get(name, KINDS[FORMATS[name].category])
]


@pytest.mark.parametrize("prompting", ["zs", "cot"])
@pytest.mark.parametrize(("name", "kind"), SPOILED)
def test_a_spoiled_answer_misses_the_format_and_leaves_nothing_to_score(name, kind, prompting):
    fmt = get_format(name)
    text = wrapped(fmt, fmt.spoil(VALUES[kind]), prompting)
    reading = read(text, fmt, target(fmt, prompting, kind, 4))
    assert not reading.format_ok
    assert reading.value is None


@pytest.mark.parametrize("name", [n for n in PAPER_FORMATS if FORMATS[n].category != "wrapping"])
def test_a_chain_of_thought_answers_between_tags_only(name):
    fmt = get_format(name)
    kind = "keyphrases" if fmt.category == "list" else fmt.example.asked.kind
    written = fmt.write(VALUES[kind])
    assert read(written, fmt, target(fmt, "zs", kind)).format_ok
    assert not read(written, fmt, target(fmt, "cot", kind)).format_ok
    tagged = f"So <ANSWER>{written}</ANSWER> is it, not <ANSWER>this</ANSWER>."
    assert read(tagged, fmt, target(fmt, "cot", kind)).value == VALUES[kind]


MARKS = "*[](){}<>\"'`:-#&|!\\/\n\t ,.1aB"


@pytest.mark.whole
@pytest.mark.parametrize("name", PAPER_FORMATS)
@given(text=st.text() | st.text(alphabet=MARKS, max_size=80))
@settings(max_examples=times(40))
def test_any_reply_is_read(name, text):
    fmt = get_format(name)
    for kind in ("ranking", "keyphrases") if fmt.category == "list" else (None,):
        for prompting in ("zs", "cot"):
            for reply in (text, f"<ANSWER>{text}</ANSWER>"):
                reading = read(reply, fmt, target(fmt, prompting, kind, 3))
                assert reading.why
                assert reading.value is not None or not reading.format_ok


@cases("name", "reply", "says")
def test_an_unparsed_format_gives_the_reason(name, reply, says):
    found = read(reply, FORMATS[name], FORMATS[name].example.asked)
    assert (found.value, found.format_ok) == (None, False)
    assert says in found.why


def test_keys_are_written_in_the_order_they_have():
    value = {"Task": ["a"], "Method": [], "Area": ["\u00e9" * 90 + " b"]}
    json_, yaml_ = FORMATS["json"].write(value), FORMATS["yaml"].write(value)
    assert json_ == f'{{"Task": ["a"], "Method": [], "Area": ["{value["Area"][0]}"]}}'
    assert yaml_ == f"Task:\n- a\nMethod: []\nArea:\n- {value['Area'][0]}"
