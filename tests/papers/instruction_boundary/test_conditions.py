"""Conditions and the options they show: one layout for every form, and one change a setting."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from askew.papers.instruction_boundary.paper import SETTINGS, TEN, SettingVariant
from askew.papers.instruction_boundary.questions import (
    STATED,
    BoundaryItem,
    check_variants,
    conditions,
    select_miscellany_items,
    select_shown_options,
    suggestion,
)

DEFAULT = check_variants()
OPTIONS = ("red", "green", "blue", "grey")
GOLD = {"single": (2,), "none": (), "multiple": (0, 2)}


def choice(form, options=OPTIONS, subset="choice", name="c"):
    return BoundaryItem(name, subset, "u", "choice", form, "", "Which?", options, GOLD[form])


JUDGING = BoundaryItem("j", "logic", "g", "judging", "true", "A is b.", "A is b.")


def settings_of(item, choices=DEFAULT, settings=tuple(SETTINGS), distracted=("c",)):
    return [(c.setting, c.variant) for c in conditions(item, settings, choices, distracted)]


def test_by_default_the_sparse_label_is_suggested_shown_and_missing():
    asked = dict(settings_of(JUDGING))
    assert list(asked) == list(SETTINGS)
    assert [asked[s] for s in ("conformity", "few_shot", "missing_choices")] == ["unknown"] * 3
    of_choice = dict(settings_of(choice("none")))
    assert [of_choice[s] for s in ("conformity", "few_shot", "missing_choices")] == ["none"] * 3
    assert "miscellany" not in of_choice


def test_each_family_gets_its_variants_by_name():
    choices = check_variants(
        suggest="true,several,wrong", examples="false,true", missing="false", polish="all",
        n_wrong="2,9",
    )  # fmt: skip
    asked = settings_of(JUDGING, choices)
    assert ("conformity", "true") in asked
    assert ("few_shot", "false+true") in asked
    assert ("missing_choices", "false") in asked
    assert [v for s, v in asked if s == "prompt_polishing"] == ["fixed", "model"]
    of_choice = settings_of(choice("single"), choices)
    assert [v for s, v in of_choice if s == "conformity"] == ["several", "wrong"]
    assert ("few_shot", "none") in of_choice
    assert ("miscellany", "2") in of_choice
    assert ("miscellany", "9") not in of_choice, "three wrong options are all there are"


def test_questions_with_ten_options_run_only_under_miscellany():
    ten = choice("single", tuple(f"thing {i}" for i in range(10)), TEN, "t")
    assert {s for s, _ in settings_of(ten, distracted=("t",))} == {"miscellany"}
    assert select_miscellany_items([choice("single"), ten, JUDGING]) == {"t"}
    assert select_miscellany_items([choice("single"), JUDGING]) == {"c"}


def test_the_statement_replaces_a_wrong_option_of_none_items_only():
    vanilla = SettingVariant("vanilla")
    none = select_shown_options(choice("none"), vanilla, "stated", 3)
    assert none.count(STATED) == 1
    for form in ("single", "multiple"):
        assert STATED not in select_shown_options(choice(form), vanilla, "stated", 3)


@given(st.sampled_from(list(GOLD)), st.integers(0, 999), st.sampled_from(["removed", "stated"]))
def test_the_wrong_option_suggested_is_shown_and_wrong(form, seed, none_style):
    item = choice(form)
    missing = SettingVariant("missing_choices", "none")
    shown = select_shown_options(item, missing, "removed", seed)
    assert shown == sorted({*shown, *item.gold})
    condition = SettingVariant("conformity", "wrong")
    shown = select_shown_options(item, condition, none_style, seed)
    index = int(suggestion(item, condition, shown, seed)) - 1
    assert index in shown
    assert index not in item.gold


def test_an_item_that_names_a_label_skips_the_variant_without_it():
    choices = check_variants(missing="all")
    missing = ("missing_choices", "none"), ("missing_choices", "several")
    plain, says = choice("single"), replace(choice("single"), passage="None of them came.")
    assert set(missing) <= set(settings_of(plain, choices))
    kept = settings_of(says, choices)
    assert missing[0] not in kept
    assert missing[1] in kept
    in_an_option = choice("single", ("Several Islands", "green", "blue", "grey"))
    assert missing[1] not in settings_of(in_an_option, choices)
    judging = replace(JUDGING, question="It is not true that A is b.")
    assert ("missing_choices", "true") not in settings_of(judging, choices)
    assert ("missing_choices", "unknown") in settings_of(judging, choices)
