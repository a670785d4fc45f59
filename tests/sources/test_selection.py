"""Which items run and in what order; where contexts are clipped."""

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from askew.sources.loading import shuffle_by_seed, spread


@dataclass(frozen=True)
class Thing:
    id: str
    subset: str


THINGS = [Thing(f"{s}{i}", s) for s, n in (("a", 9), ("b", 3), ("c", 1)) for i in range(n)]


def test_all_items_come_round_robin():
    assert [t.id for t in spread(THINGS, None, 0)][:7] == ["a0", "b0", "c0", "a1", "b1", "a2", "b2"]


@given(st.integers(1, 20), st.integers())
def test_a_draw_has_the_requested_size_and_covers_the_subsets(n, seed):
    chosen = spread(THINGS, n, seed)
    assert len(chosen) == min(n, len(THINGS))
    assert len(set(chosen)) == len(chosen)
    if n >= 3:
        assert {t.subset for t in chosen} == {"a", "b", "c"}


@given(st.integers(1, 12), st.integers())
def test_a_larger_draw_contains_the_smaller_one(n, seed):
    smaller, larger = spread(THINGS, n, seed), spread(THINGS, n + 1, seed)
    assert set(smaller) <= set(larger)


@given(st.lists(st.text(max_size=3)), st.integers())
def test_shuffles_depend_on_their_seeds_alone(elements, seed):
    assert sorted(shuffle_by_seed(elements, seed)) == sorted(elements)
    assert shuffle_by_seed(elements, seed, "x") == shuffle_by_seed(elements, seed, "x")
