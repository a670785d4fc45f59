"""Readings in full: the value, whether the format is followed, why, and what was let pass."""

import pytest

from askew.reading.formats import FORMATS, ExpectedAnswer, FormatReading, read

LETTER = ExpectedAnswer("letter")
STEPS = ExpectedAnswer("letter", prompting="cot")
TWO = ExpectedAnswer("ranking", n_elements=2)
PHRASES = ExpectedAnswer("keyphrases")
TASK = ExpectedAnswer("entities", keys=("Task",))
BOTH = ExpectedAnswer("entities", keys=("Task", "Method"))
COLOURS = ExpectedAnswer("option", choices=("red", "green"))
INSTRUCTION = "the first tags are those of the instruction"

SINGLE = [
    ("char", LETTER, "B", ("B", True, "a letter alone", "")),
    ("char", LETTER, "E", ("E", False, "E is not one of A to D", "")),
    ("char", LETTER, "B it is", (None, False, "the text is not a letter alone", "")),
    ("char", STEPS, "So <ANSWER>B</ANSWER>", ("B", True, "a letter alone", "")),
    ("char", STEPS, "So B", (None, False, "no <ANSWER> with a </ANSWER>", "")),
    ("char", STEPS, "</ANSWER>B<ANSWER>", (None, False, "both tags, but nothing between them", "")),
    ("text", COLOURS, "Red.", ("red", True, "the text of an option", "")),
    ("text", COLOURS, "B", (None, False, "the text is not one of the options", "")),
    ("special_character", LETTER, "<ANSWER>b</ANSWER>", ("B", True, "between the tags", "")),
    ("special_character", LETTER, "<ANSWER>BC</ANSWER>",
     ("BC", False, "between the tags; not a letter", "")),
    ("special_character", LETTER, "<ANSWER> and </ANSWER>: <ANSWER>B</ANSWER>",
     ("AND", False, "between the tags; not a letter", INSTRUCTION)),
    ("special_character", LETTER, "</ANSWER>B<ANSWER>",
     (None, False, "both tags, but nothing between them", "")),
    ("bolding", LETTER, "**B**", ("B", True, "one **...**", "")),
    ("bolding", LETTER, "**B** **C**", ("B", False, "several **...**", "")),
    ("bolding", LETTER, "B", (None, False, "no **...**", "")),
    ("placeholder", LETTER, "So the answer is: {{B}}", ("B", True, "behind the phrase", "")),
    ("placeholder", LETTER, "B", (None, False, "no 'So the answer is: '", "")),
    ("quoting", LETTER, '"""B"""', ("B", True, "one pair of triple quotes", "")),
    ("quoting", LETTER, '"""B""" """C"""',
     ("B", False, "several pairs of triple quotes on a line", "")),
    # Each pair on a line counts, wherever the line stands.
    ("quoting", LETTER, '"""B"""\n"""C"""',
     ("B", False, "several pairs of triple quotes on a line", "")),
    ("quoting", LETTER, '"""B\n"""', ("B", False, "no pair of triple quotes on a line", "")),
    ("quoting", LETTER, "'''B''''''C'''",
     ("B", False, "several pairs of triple quotes on a line", "")),
    ("quoting", LETTER, "B", (None, False, "no triple quotes", "")),
]  # fmt: skip
LISTS = [
    ("python", TWO, "[1, 0]", ([1, 0], True, "a list of 2", "")),
    ("python", TWO, "[1.0, 0]", ([1, 0], True, "a list of 2", "")),
    ("python", TWO, "[1, 0, 1]", ([1, 0, 1], False, "a list of 3; 3 elements for 2 documents", "")),
    ("python", TWO, "['1', '0']",
     (None, False, "a list of 2; not all elements are 0 or 1", "")),
    ("python", TWO, "[1, 2]", (None, False, "a list of 2; not all elements are 0 or 1", "")),
    ("python", TWO, "[]", (None, False, "an empty list", "")),
    ("python", TWO, "5", (None, False, "a literal, but not a list", "")),
    ("python", PHRASES, "['a', 'b']", (["a", "b"], True, "a list of 2", "")),
    ("python", PHRASES, "['a', ' ']", (["a"], False, "a list of 2; an element is empty", "")),
    ("python", PHRASES, "[' ']", (None, False, "a list of 1; an element is empty", "")),
    ("python", PHRASES, "['a', 1]",
     (None, False, "a list of 2; not all elements are text", "")),
    ("python", PHRASES, "['I refuse to answer.']",
     (None, False, "a list of 1; declines to answer", "")),
    # A phrase beside others is one, whatever it says.
    ("python", PHRASES, "['I refuse to answer.', 'a']",
     (["I refuse to answer.", "a"], True, "a list of 2", "")),
    ("bullet", PHRASES, "- a\n* b",
     (["a", "b"], True, "2 bullet points", "1 bullets are asterisks")),
    ("bullet", PHRASES, "- - a", (["- a"], True, "1 bullet points", "")),
    ("bullet", PHRASES, "-\n- b", (["b"], False, "2 bullet points; an element is empty", "")),
    ("bullet", PHRASES, "-a", (None, False, "no bullet points", "")),
    ("separator", PHRASES, "a<SEP>b", (["a", "b"], True, "2 elements", "")),
    ("separator", PHRASES, "a\nb", (["a\nb"], True, "1 elements", "2 lines without <SEP>")),
    ("separator", PHRASES, "", (None, False, "no elements", "")),
    ("separator", PHRASES, " \n", (None, False, "no elements", "")),
    ("separator", PHRASES, "<SEP>", (None, False, "2 elements; an element is empty", "")),
    ("newline", PHRASES, "1. a\n2. b", (["a", "b"], True, "2 lines", "")),
    # One number and one hyphen belong to the line, what follows to the element.
    ("newline", PHRASES, "1. 2. a", (["2. a"], True, "1 lines", "")),
    ("newline", PHRASES, "- - a", (["- a"], True, "1 lines", "")),
    ("newline", PHRASES, "1234. a", (["a"], True, "1 lines", "")),
    ("newline", PHRASES, "12345. a", (["12345. a"], True, "1 lines", "")),
    ("newline", PHRASES, "1.", (None, False, "1 lines; an element is empty", "")),
    ("newline", PHRASES, "", (None, False, "no lines", "")),
]  # fmt: skip
KEYS = "all keys with lists"
MAPPINGS = [
    ("json", TASK, '{"Task": ["a"], "More": 1}', ({"Task": ["a"]}, True, KEYS, "")),
    ("json", TASK, '{"Task": "a"}', (None, False, "no list under Task", "")),
    ("json", BOTH, '{"Task": "a", "Method": 1}', (None, False, "no list under Task, Method", "")),
    ("json", BOTH, "{}", (None, False, "a mapping without Task, Method", "")),
    ("json", TASK, "[]", (None, False, "read, but not a mapping", "")),
    ("json", TASK, '{"Task": [1]}', (None, False, f"{KEYS}; not all names are text", "")),
    ("yaml", TASK, "Task: [a]", ({"Task": ["a"]}, True, KEYS, "")),
    ("yaml", BOTH, "Task: [a]", (None, False, "a mapping without Method", "")),
    ("yaml", TASK, "- a", (None, False, "read, but not a mapping", "")),
    ("yaml", TASK, "Task: [~]", (None, False, f"{KEYS}; not all names are text", "")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "asked", "reply", "reading"), [*SINGLE, *LISTS, *MAPPINGS])
def test_a_reading_says_what_was_found_and_why(name, asked, reply, reading):
    assert read(reply, FORMATS[name], asked) == FormatReading(*reading)


@pytest.mark.parametrize(
    ("name", "reply", "says"),
    [
        ("python", "[1", "not a literal"),
        ("json", "{", "not JSON"),
        ("json", "{", "; not a literal"),
        ("yaml", "a: [", "not YAML"),
    ],
)
def test_what_can_not_be_read_says_why(name, reply, says):
    found = read(reply, FORMATS[name], FORMATS[name].example.asked)
    assert (found.value, found.format_ok) == (None, False)
    assert says in found.why


def test_keys_are_written_in_the_order_they_have():
    value = {"Task": ["a"], "Method": [], "Area": ["\u00e9" * 90 + " b"]}
    json_, yaml_ = FORMATS["json"].write(value), FORMATS["yaml"].write(value)
    assert json_ == f'{{"Task": ["a"], "Method": [], "Area": ["{value["Area"][0]}"]}}'
    assert yaml_ == f"Task:\n- a\nMethod: []\nArea:\n- {value['Area'][0]}"
