"""Questions with a dial, of every paper that makes them: what an item depends on, and what runs."""

from collections import Counter
from importlib import import_module

import pytest

from askew.papers import get_paper, task_papers
from askew.parameters import SelectionError

TASKS = [task for task in task_papers() if get_paper(task).has_levels]
# The subsets that are made: of mathcomp all, which are themes.
MADE = {
    "knowno": 2, "instruction_boundary": 1, "mathcomp": 10, "format_bias": 5, "binary_qa": 2,
}  # fmt: skip


def generated(task, *given):
    return import_module(f"{get_paper(task).home}.generator").generate(*given).items


@pytest.mark.whole
@pytest.mark.parametrize("task", TASKS)
def test_an_item_depends_on_the_seed_its_level_and_its_number_alone(task):
    whole = {one.id: one for one in generated(task, range(1, 6), 100, 3)}
    for subset in (None, next(iter(whole.values())).subset):
        part = generated(task, [2, 4], 12, 3, subset)
        assert {one.difficulty for one in part} == {2, 4}
        assert [one for one in part if whole.get(one.id, one) != one] == []
        assert subset is None or {one.subset for one in part} == {subset}
    assert generated(task, [2], 5, 4)[0] != generated(task, [2], 5, 3)[0]


@pytest.mark.whole
@pytest.mark.parametrize("task", TASKS)
def test_levels_and_subsets_run_evenly_in_every_condition(task):
    """By item: each has all conditions that its subset has."""
    asked = [s.metadata for s in get_paper(task).make(data="generated", items=50).dataset]
    items = {one["item"]: (one["subset"], one["difficulty"]) for one in asked}
    assert Counter(level for _, level in items.values()) == dict.fromkeys(range(4, 9), 10)
    of = Counter(items.values())
    subsets = {subset for subset, _ in of}
    assert len(subsets) == MADE[task]
    assert set(of.values()) == {10 // MADE[task]}
    runs = Counter(one["item"] for one in asked)
    for subset in subsets:
        assert len({n for item, n in runs.items() if items[item][0] == subset}) == 1


@pytest.mark.parametrize("task", TASKS)
def test_tiers_of_generated_questions_are_refused(task):
    with pytest.raises(SelectionError, match="no tiers"):
        get_paper(task).make(data="generated", tier="hard")
