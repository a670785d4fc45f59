"""The balance of a built set: labels, kinds and levels, drawn by seed."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.binary_qa.paper import SUBSETS
from askew_authoring.binary_qa.sources import (
    HELD,
    LOADERS,
    Candidate,
    candidates,
    draw,
    quotas,
)
from tests.authoring.binary_qa import source_files as made

NUMBERS = [
    Candidate(f"drop-{i}", "numerical", "", f"Passage {i}", f"How many {i}?", None, 2 + i)
    for i in range(300)
]


def test_two_hundred_items_are_shared_out_as_in_the_paper():
    wanted = {s: {cell[1:]: n for cell, n in quotas(s, 200).items()} for s in SUBSETS}
    assert wanted["reading"] == {("reading", "Yes"): 100, ("reading", "No"): 100}
    assert [wanted["multi_hop"][level, "No"] for level in ("easy", "medium", "hard")] == [
        20,
        30,
        50,
    ]
    assert set(wanted["numerical"].values()) == set(wanted["ethics"].values()) == {50}
    assert wanted["translation"] == {("error", "Yes"): 100, ("correct", "No"): 100}


@given(st.sampled_from(SUBSETS), st.integers(1, 300))
def test_any_even_number_is_shared_out_whole_with_half_of_each_label(subset, half):
    labels = Counter()
    for (_, _, answer), wanted in quotas(subset, 2 * half).items():
        labels[answer] += wanted
    assert labels == {"Yes": half, "No": half}


@pytest.mark.parametrize("source", LOADERS)
def test_a_draw_fills_its_cells_in_order_and_depends_on_its_seed_alone(tmp_path, source):
    found = candidates(source, made.write_all(tmp_path, 60)[source])
    domain = HELD[source]["domain"]
    drawn = draw(domain, found, 20, 0, 1)
    drawn_quotas = [d.quota for d in drawn]
    assert Counter(drawn_quotas) == quotas(domain, 20)
    assert drawn == draw(domain, list(reversed(found)), 20, 0, 1)
    assert drawn != draw(domain, found, 20, 0, 2)


def test_numbers_are_compared_so_that_the_label_holds():
    drawn = draw("numerical", NUMBERS, 200, 0, 3)
    for each in drawn:
        assert each.check.holds is (each.answer == "Yes")
        assert each.check.value == each.number
        assert each.check.n >= 1
        assert (each.check.op == "==") is (each.kind == "exact")
    thresholds = [d for d in drawn if d.kind == "threshold"]
    for answer in ("Yes", "No"):
        ops = Counter(d.check.op for d in thresholds if d.answer == answer)
        assert min(ops[">"], ops["<"]) > 10
    at_the_boundary = sum(d.check.n == d.check.value for d in thresholds)
    assert 3 < at_the_boundary < 30
