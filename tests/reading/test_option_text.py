"""What a text is compared with: strictly first, then more and more leniently."""

import pytest

from askew.reading.choices import read_choice
from askew.reading.option_text import OptionTexts, layers, occurrences
from tests.cases import cases

PEOPLE = OptionTexts(["Rick", "Bob", "James"], "Ann")
EQUATIONS = OptionTexts(
    [r"a = \frac{b}{c}", r"a = b\\c", "$$x^2 = y$$", r"\[ z = 1 \]", r"\(u=v\)", "$w=s$"]
)


def test_an_article_tells_options_apart_where_both_are_offered():
    assert OptionTexts(["the cake", "cake"]).equal("The cake.") == [0]
    assert OptionTexts(["the cake", "cake"]).equal("Cake!") == [1]


def test_only_of_equations_spaces_mean_nothing():
    assert OptionTexts(["New York", "Rome"]).equal("NewYork") == []
    assert OptionTexts(["a = b^2", "a = c^2"]).equal("a=b^2") == [0]


DRESSES = [
    "```\n{}\n```", "```text\n{}\n```", "\\begin{{equation}}\n{}\n\\end{{equation}}", "$${}$$",
    "\\[{}\\]", "\\({}\\)", "**{}**", "__{}__", "${}$", "`{}`", '"{}"', "'{}'", "*{}*", "_{}_",
    "({})", "[{}]", "{{{}}}", "\\boxed{{{}}}", "\\fbox{{{}}}", "\\text{{{}}}", "\\textbf{{{}}}",
    "\\mathrm{{{}}}", "\\mathbf{{{}}}", "\\displaystyle {}", "{}\\)", "{}\\]", "{}.", "{},", "{};",
    "{}:", "{}!", "{}?", "> {}", "- {}", "# {}", "the {}", "A {}", "an {}",
]  # fmt: skip


@pytest.mark.parametrize("dress", DRESSES)
def test_an_options_text_is_one_in_any_dress(dress):
    said = dress.format("Rick")
    assert PEOPLE.equal(said) == [0]
    assert PEOPLE.equal(said.replace("Rick", "Ricks")) == []
    assert read_choice(said, PEOPLE.written).chosen == 0


@cases("text", "peeled")
def test_marks_are_peeled_from_outside_one_kind_after_the_other(text, peeled):
    assert list(layers(text)) == peeled


@cases("text", "equal", "opens", "alike")
def test_equations_are_compared_without_what_only_spaces_them(text, equal, opens, alike):
    assert EQUATIONS.equal(text) == equal
    assert EQUATIONS.opening(text)[0] == opens
    assert EQUATIONS.alike(text) == alike


@pytest.mark.parametrize("index", range(6))
def test_an_equation_is_named_between_math_marks_and_on_a_line_of_its_own(index):
    own = EQUATIONS.tight[index]
    dresses = ("so ${}$ it is", "so $${}$$", "so \\({}\\).", "so \\[{}\\]", "so\n{}\nit is",
               "so `{}`", "```\n{}```", "\\begin{{align}}{}\\end{{align}}")  # fmt: skip
    for dress in dresses:
        assert EQUATIONS.in_math(dress.format(own)) == {index}
    assert EQUATIONS.in_math(f"so {own} it is") == set()
    assert EQUATIONS.in_math(f"${own}$ and $x^2=y$") == {index, 2}
    assert PEOPLE.in_math(f"${own}$") == set()


@cases("text", "options", "rest")
def test_a_text_opens_with_an_option_where_nothing_ties_it_to_more(text, options, rest):
    assert PEOPLE.opening(text) == (options, rest)


def test_a_place_holds_the_longest_option_that_stands_there():
    york = OptionTexts(["New York", "New York City", "Rome"])
    assert york.said_at("to New York City.", 3) == (1, 16)
    assert york.said_at("to New York.", 3) == (0, 11)
    assert york.said_at("to new  york", 3) == (0, 12)
    assert york.said_at("to the Rome", 3) == (2, 11)
    assert york.said_at("to New Yorks", 3) is None
    assert york.ending("so New York City") == [1]
    assert york.echo_end("A. New York City", 3, 0) == 11
    assert york.echo_end("A. **New York**!", 3, 0) == 15
    assert york.echo_end("A. New Yorks", 3, 0) is None


def test_options_that_read_alike_are_told_together():
    twice = OptionTexts(["Mara", "Tobin", "the mara"])
    assert twice.ending("so Mara") == [0, 2]
    assert twice.opening("Mara. So") == ([0, 2], ". So")
    assert twice.equal("Mara") == [0]
    assert twice.equal("mara") == [0]
    assert twice.are_alike([0, 2])
    assert not twice.are_alike([0, 1])


def test_a_letter_is_never_an_options_text():
    letters = OptionTexts(["a * b", "B", "the c", "x = 1"])
    for text in ("B", "(b)", "c", "a", '"B."'):
        assert letters.equal(text) == []
    assert letters.bare == ["", "", "", "x = 1"]


@cases("key", "text", "found")
def test_whole_occurrences_are_found(key, text, found):
    assert (occurrences(key).search(text) is not None) is found
