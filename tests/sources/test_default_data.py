"""By default bundled and generated questions take turns, item by item."""

import pytest

from askew.papers import get_paper, task_papers
from askew.parameters import SelectionError

PAPERS = [get_paper(task) for task in task_papers()]


def items_of(made):
    return {s.metadata["item"]: s.metadata.get("difficulty", 0) for s in made.dataset}


@pytest.mark.parametrize("paper", PAPERS, ids=lambda p: p.task)
def test_half_of_the_items_are_generated_and_the_others_are_those_of_bundled(paper):
    both = items_of(paper.make(items=20))
    assert [bool(level) for level in both.values()] == [False, True] * 10
    assert sorted(level for level in both.values() if level) == sorted([4, 5, 6, 7, 8] * 2)
    own = paper.make(data="bundled", items=10)
    assert [name for name, level in both.items() if not level] == [*items_of(own)]
    listed = paper.make(data=["generated", "bundled"], items=20)
    assert items_of(listed) == both
    assert listed.metadata["data"] == "bundled,generated"
    assert str(listed.metadata["data_revision"]).startswith(f"{own.metadata['data_revision']}+")


def test_a_subset_that_is_not_generated_has_no_difficulty():
    made = get_paper("knowno").make(subset="bank77", items=4)
    assert not any(items_of(made).values())
    with pytest.raises(SelectionError, match="bank77 can't be generated"):
        get_paper("knowno").make(subset="bank77", difficulty=5, items=4)
