"""Every draw hangs on each thing that it is said to hang on: seed, item, order, label, tier."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from askew.papers.format_bias import tasks as format_bias
from askew.papers.instruction_boundary import tasks as boundary
from askew.papers.instruction_boundary.items import items_of, parse_record
from askew.papers.instruction_boundary.paper import SettingVariant
from askew.papers.instruction_boundary.questions import select_shown_options, suggestion
from askew.papers.knowno.items import KnowNoItem
from askew.papers.knowno.tasks import _rewritten
from askew.reading.formats import FORMATS
from askew.sources.loading import CORE, HARD, sample_by_tier
from askew.treatments.base import Arm, Case
from askew_authoring.instruction_boundary import logic

OPTIONS = tuple(f"thing {letter}" for letter in "ABCDEFGH")
RAW = {"id": "some", "question": "Which?", "options": [*OPTIONS], "gold": [0, 3]}
(QUESTION,) = items_of([parse_record(RAW)])
SHOWN = format_bias.demonstrations()
RANKING = next(d for ds in SHOWN.values() for d in ds if d.kind == "ranking")


def options_of_knowno(seed, item, order):
    asked = KnowNoItem(item, "mctest", "u", "story", {}, OPTIONS, 0)
    return _rewritten(asked, "_", 0, seed, order).options


def options_of_boundary(seed, item):
    return replace(QUESTION, id=item).reordered(seed).options


def wrong_options(seed, item):
    three = SettingVariant("miscellany", "3")
    return select_shown_options(replace(QUESTION, id=item), three, "removed", seed)


def suggested(seed, item):
    wrong = SettingVariant("conformity", "wrong")
    return suggestion(replace(QUESTION, id=item), wrong, range(len(OPTIONS)), seed)


def examples(seed, item, label):
    """The examples of a label that stand before an item, by their place among all of that label."""
    pool = [replace(QUESTION, form=form, question=f"{form} {place}?")
            for form in ("none", "single") for place in range(40)]  # fmt: skip
    told = boundary._shots(replace(QUESTION, id=item), [label] * 5, pool, seed)
    return [place for place in range(40) if f"{label} {place}?" in told]


def documents(seed, item):
    ranked = replace(RANKING, id=item, documents=OPTIONS, relevant=(1,) * len(OPTIONS))
    return format_bias._shuffled_documents(ranked, seed).documents


def demonstrations(seed):
    return format_bias.demonstration_text(SHOWN["mcq"][0], FORMATS["char"], "zs", 4, seed)


def words_of_logic(seed):
    return [item.premises for item in logic.generate_logic(logic.LogicShape(items=4), seed)]


def labels_of_logic(seed, turn):
    return [logic._one_label(4 * turn + place, seed)[-1] for place in range(4)]


def reasoning_of_logic(seed, turn):
    kinds = ("forward", "cases", "contrapositive")
    at = f"logic reasoning {seed}"
    return [logic.in_turn(kinds, 3 * turn + place, at) for place in range(3)]


def choice(seed, subset, tier):
    """Which of twelve are chosen, by their place in the tier."""
    group = [SimpleNamespace(tier=tier, at=at) for at in range(12)]
    return [i.at for i in sample_by_tier(group, lambda rng, of: rng.sample(of, 6), seed, subset)]


def treatment(seed, item, arm, more):
    return Case(item, Arm(arm, "order"), seed).rng(more).random()


# What is drawn, with two values of each thing that it hangs on.
ITEM = ("q1", "q2")
DRAWS = [
    (options_of_knowno, {"item": ITEM, "order": (0, 1)}),
    (options_of_boundary, {"item": ITEM}),
    (wrong_options, {"item": ITEM}),
    (suggested, {"item": ("q1", "q3")}),
    (examples, {"item": ITEM, "label": ("none", "single")}),
    (documents, {"item": ITEM}),
    (demonstrations, {}),
    (words_of_logic, {}),
    (labels_of_logic, {"turn": (0, 2)}),
    (reasoning_of_logic, {"turn": (0, 1)}),
    (choice, {"subset": ("a", "b"), "tier": (CORE, HARD)}),
    (treatment, {"item": ITEM, "arm": ("order", "order_2"), "more": ("x", "y")}),
]


@pytest.mark.parametrize(
    ("draw", "values", "part"),
    [(draw, {"seed": (0, 1), **values}, part) for draw, values in DRAWS
     for part in ("seed", *values)],
    ids=lambda of: getattr(of, "__name__", of if isinstance(of, str) else ""),
)  # fmt: skip
def test_each_thing_that_a_draw_hangs_on_changes_it(draw, values, part):
    given = {name: first for name, (first, _) in values.items()}
    assert draw(**given) == draw(**given)
    assert draw(**given) != draw(**(given | {part: values[part][1]}))
