"""Questions with a dial, of every paper that makes them: what an item depends on, and what runs."""

from collections import Counter
from functools import cache
from importlib import import_module

import numpy as np
import pytest

from askew import metrics
from askew.decide.simulation import simulation
from askew.papers import get_paper, names, task_papers
from askew.parameters import SelectionError
from askew.stats.tables import Totals
from tests.cases import cases_of
from tests.numbers_told import analyses

TASKS = [task for task in task_papers() if get_paper(task).has_levels]
# The subsets that are made: of mathcomp all, which are themes.
MADE = cases_of(__file__, "MADE")


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


# Questions of a tier, under few conditions.
FEW = cases_of(__file__, "FEW")
EVERYWHERE = {"mathcomp": {"output": "all"}}
# Prose around an answer breaks formats.
READ_IN_PROSE = [task for task in task_papers() if task != "format_bias"]
GRADED = [task for task in task_papers() if task != "knowno"]


@cache
def simulated(task):
    return simulation(task, items=9, **EVERYWHERE.get(task, {}))


def right(task, made, name, **overrides):
    """What is right of the answers of a model."""
    rows = made.observations(name, overrides=overrides)
    assert len(rows) == len(made.samples)
    return rows.assign(right=rows[get_paper(task).split_of])


@pytest.mark.parametrize(
    ("task", "name"),
    [*((t, "oracle") for t in task_papers()), *((t, "chatty") for t in READ_IN_PROSE)],
)
def test_a_correct_simulated_model_is_parsed_as_correct_everywhere(task, name):
    assert set(right(task, simulated(task), name)["right"]) == {1.0}


@pytest.mark.parametrize("task", ["mathcomp", "format_bias", "binary_qa"])
def test_what_is_not_known_is_wrong_alike_under_every_condition(task):
    rows = right(task, simulated(task), "oracle", knows=0.5)
    assert set(rows.groupby("item")["right"].nunique()) == {1}
    assert 0 < rows["right"].mean() < 1


@pytest.mark.parametrize("task", GRADED)
def test_what_is_known_less_of_hard_questions_is_lost_there_and_only_there(task):
    for tier, share in (("core", 1.0), ("hard", 0.6)):
        made = simulation(task, data="bundled", tier=tier, items=60, **FEW[task])
        found = right(task, made, "oracle", knows_less_hard=0.4).groupby("item")["right"].mean()
        assert found.mean() == pytest.approx(share, abs=0.2 * (share < 1))


@cache
def rows_of(task):
    given = {} if task == "bend" else {"data": "bundled"}
    rows = simulation(task, items=5, **given).observations("random", epochs=2)
    return rows.sample(frac=0.8, random_state=3).reset_index(drop=True)


@cache
def analysed(task):
    return analyses(getattr(metrics, task), rows_of(task))


def values(found, i=0):
    """Of each number its value and those of its parts, in one of several draws."""
    return {
        (*key, n): q.values[i] for key, whole in found.items()
        for n, q in enumerate([whole, *whole.parts])
    }  # fmt: skip


@pytest.mark.parametrize("task", names())
def test_numbers_of_several_draws_are_those_of_each(task):
    for analysis in analysed(task):
        drawn = analysis.table.resampled(4, 1)
        columns = {key: n for n, key in enumerate(analysis.table.columns)}
        sums = np.stack([drawn[key] for key in columns], axis=1)
        together = analysis.statistic(drawn)
        assert together
        for i in range(4):
            alone = analysis.statistic(Totals(sums[i : i + 1], columns))
            own = {k: alone[k] for k in together}
            assert values(together, i) == pytest.approx(values(own), nan_ok=True)


# Replies to a format that is not compared are not drawn: tests of format bias have its exchange.
@pytest.mark.parametrize("task", [t for t in names() if t not in ("mathcomp", "format_bias")])
def test_replies_that_trade_places_move_and_none_is_lost(task):
    (found,) = analysed(task)
    columns, point, moved = found.table.columns, found.table.point(), 0.0
    for exchange in filter(None, found.exchanges.values()):
        drawn = exchange(found.table, 20, 1)
        assert sum(drawn[c] for c in columns) == pytest.approx(sum(point[c] for c in columns)[0])
        moved += sum(np.ptp(drawn[c]) for c in columns)
    assert moved > 0


@pytest.mark.parametrize("task", names())
def test_values_computed_for_one_row_equal_those_of_the_table(task):
    for analysis in analysed(task):
        point = analysis.table.point()
        whole = analysis.statistic(point)
        for place in dict.fromkeys(key[1:] for key in whole):
            alone = analysis.statistic(point.only(lambda key, at=place: key[1:] == at))
            there = {k: q for k, q in whole.items() if k[1:] == place}
            assert values({k: alone[k] for k in there}) == pytest.approx(values(there), nan_ok=True)
