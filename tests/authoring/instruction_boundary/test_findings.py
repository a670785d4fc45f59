"""What a machine finds odd in items, with their ids, and nothing where nothing is odd."""

from askew.papers.instruction_boundary.questions import BoundaryItem, classify_form
from askew_authoring.instruction_boundary.lint import find
from tests.cases import cases


def choice(name, question, gold, options=("red", "green", "blue", "grey"), **fields):
    form = classify_form(gold)
    return BoundaryItem(
        name, "mine", "u", "choice", form, "", question, options, tuple(gold), **fields
    )


def kinds(items):
    return [(f.item, f.kind, f.excluded) for f in find(items)]


def test_sound_items_have_no_findings():
    items = [choice("a", "Which?", [0]), choice("b", "What?", []), choice("c", "Who?", [1, 2])]
    assert find(items) == []


def test_a_repeat_is_kept_and_a_contradiction_is_not():
    first = choice("a", "Which one?", [0])
    assert kinds([first, choice("b", "which one? ", [0])]) == [("b", "repeat", False)]
    dotted = ("red.", "green", "Blue", "grey")
    assert kinds([first, choice("b", "Which one?", [0], dotted)]) == [("b", "repeat", False)]
    both = kinds([first, choice("b", "Which one?", [1])])
    assert both == [("a", "contradiction", True), ("b", "contradiction", True)]


def test_options_about_options_are_excluded():
    options = ("red", "green", "blue", "all of the above")
    assert kinds([choice("a", "Which?", [0], options)]) == [("a", "option about options", True)]


def test_an_option_offered_twice_is_excluded_only_where_it_is_right():
    for again in ("red", "Red.", " red "):
        options = ("red", again, "blue", "grey")
        assert kinds([choice("a", "Which?", [0], options)]) == [("a", "same option twice", True)]
    assert kinds([choice("a", "Which?", [2], options)]) == [("a", "same option twice", False)]


@cases("gone", "offered", "kind", "excluded")
def test_a_none_item_that_still_offers_its_correct_option_is_found(gone, offered, kind, excluded):
    item = choice("a", "Which?", [], ("x ray", "green", offered, "grey"), missing_gold=gone)
    assert kinds([item]) == [("a", kind, excluded)]


@cases("label", "text")
def test_a_label_in_the_text_is_listed_and_the_item_kept(label, text):
    item = choice("a", text, [0])
    assert kinds([item]) == [("a", "label in the text", False)]
    assert repr(label) in find([item])[0].message
    assert find([choice("b", "A nonesuch in severalty: which?", [0])]) == []
