"""What a text is compared with: strictly first, then more and more leniently."""

from askew.reading.option_text import OptionTexts


def test_an_article_tells_options_apart_where_both_are_offered():
    assert OptionTexts(["the cake", "cake"]).equal("The cake.") == [0]
    assert OptionTexts(["the cake", "cake"]).equal("Cake!") == [1]


def test_only_of_equations_spaces_mean_nothing():
    assert OptionTexts(["New York", "Rome"]).equal("NewYork") == []
    assert OptionTexts(["a = b^2", "a = c^2"]).equal("a=b^2") == [0]
