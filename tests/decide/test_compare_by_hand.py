"""What a comparison is put together from, on few answers that are made by hand."""

import math
from functools import partial
from types import SimpleNamespace

import pandas as pd
import pytest

from askew.decide import compare as compare_module
from askew.decide.compare import COLUMNS, Comparison, compare
from askew.logs.left_out import ATTRIBUTE
from askew.papers import asked_for, metric_of
from askew.report.ceiling import ceilings
from askew.statistics.paired import SIDE_NULLS, Paired
from askew.statistics.tables import Interval
from tests.report.logged import logged
from tests.report.observed import observed

NAN = math.nan
QUICK = Interval(resamples=40)


def compared(observations, baseline="x/old", **options):
    return compare(observations, baseline, **{"interval": QUICK} | options)


def answers(*models, right=None, **columns):
    some = right or (lambda hint, i: i % 3 > 0)
    return [observed(f"x/{model}", some, **columns) for model in models]


@pytest.fixture(scope="module")
def three():
    parts = [
        *answers("old"), *answers("new", right=lambda hint, i: i % 2 == 0),
        *answers("odd", right=lambda hint, i: hint == "with_gold"),
    ]  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def test_every_other_model_is_compared_unless_some_are_chosen(three):
    made = compared(three)
    assert (made.baseline, made.models, made.simulated) == ("x/old", ("x/new", "x/odd"), set())
    assert (made.treatments, made.level) == ((), 0.95)
    pairs = made.table[["task", "model"]].drop_duplicates().values.tolist()
    assert pairs == [["knowno", "x/new"], ["knowno", "x/odd"]]
    assert compared(three, models=["x/od*"]).models == ("x/odd",)
    assert "table" not in repr(made)
    assert "baseline='x/old'" in repr(made)


def test_rows_have_every_column_and_what_judges_them_is_not_shown(three):
    table = compared(three).table
    own = ["task", "metric", "model", "subset"]
    assert list(table.columns) == [*own, *COLUMNS]
    assert (
        "baseline_value", "model_value", "difference", "low", "high", "p_value", "p_corrected",
        "p_equal", "noise_off", "verdict", "better_is", "margin", "n_items", "n_units", "n_needed",
        "reason", "baseline_ceiling", "model_ceiling", *SIDE_NULLS,
    ) == COLUMNS  # fmt: skip
    assert list(table.index) == list(range(len(table)))
    rows = table.set_index(["model", "metric"])
    new = rows.loc["x/new", "with_gold"]
    # Of six items of each set four are right, then three.
    assert (new["baseline_value"], new["model_value"]) == pytest.approx((4 / 6, 3 / 6))
    assert new["difference"] == pytest.approx(-1 / 6)
    assert new["low"] < new["difference"] < new["high"]
    assert (new["n_items"], new["n_units"]) == (12, 12)
    assert (new["better_is"], new["margin"]) == ("higher", 0.05)
    assert new["n_needed"] > 0
    assert new["p_corrected"] >= new["p_value"] > 0
    odd = rows.loc["x/odd", "with_gold"]
    assert odd["difference"] == pytest.approx(2 / 6)


def test_levels_are_the_columns_that_tell_rows_apart(three):
    made = compared(three)
    assert made.levels == ["subset"]
    assert set(made.table["subset"]) == {"all"}
    assert set(compared(three, by=["subset"]).table["subset"]) == {"all", "mctest", "bank77"}
    empty = Comparison("b", (), frozenset(), made.table.assign(subset=None), (), (), 0.95)
    assert empty.levels == []


def test_metrics_of_which_no_way_is_the_better_one_stand_only_where_they_are_asked_for(three):
    plain, whole = compared(three).table, compared(three, descriptive=True).table
    assert "neither" not in set(plain["better_is"])
    assert "neither" in set(whole["better_is"])
    assert set(plain["metric"]) < set(whole["metric"])


def test_what_is_asked_for_and_is_not_there_is_refused_with_what_is(three):
    with pytest.raises(ValueError, match=r"^by=form, subset: no level 'form'; there are: subset$"):
        compared(three, by=["form", "subset"])
    with pytest.raises(ValueError, match=r"^metric omni, x fits none of these: with_gold, .*gap"):
        compared(three, metric=["omni", "x"])


def test_a_pair_of_which_no_metric_is_asked_for_leaves_the_others_as_they_are():
    rows = [("knowno", "gap", "m", "all", 0.1), ("knowno", "fi", "m", "all", 0.2)]
    columns = ["task", "metric", "model", "subset", "value"]
    whole = pd.DataFrame(rows, columns=columns)
    empty, other = whole[:0], whole[1:]
    for tables in ([whole, empty], [empty, whole], [other, whole]):
        chosen = compare_module._chosen(tables, ["gap"], [], True)
        assert chosen.values.tolist() == [["knowno", "gap", "m", "all", 0.1]]
        assert list(chosen.columns) == columns
    more = compare_module._chosen([whole, empty.assign(tier="")], ["gap"], [], True)
    assert list(more.columns) == ["task", "metric", "model", "subset", "tier", "value"]


def test_models_without_a_common_task_have_an_empty_table():
    old, new = answers("old", "new")
    made = compared(pd.concat([old, new.assign(task="mathcomp")], ignore_index=True))
    assert not len(made.table)
    assert list(made.table.columns) == ["task", "metric", "model", "subset", *COLUMNS]
    assert made.table["p_corrected"].dtype == float
    assert made.notes == (
        "knowno: x/new was not asked, or no sample of it was scored",
        "mathcomp: x/old was not asked, or no sample of it was scored",
    )
    assert compared(pd.concat([old, new.assign(task="mathcomp")]), by=["colour"]).levels == []


def test_who_was_asked_otherwise_has_both_numbers_and_the_reason(three):
    made = compared(logged(three, odd={"config.temperature": 1.0}))
    table = made.table.set_index(["model", "metric"])
    odd, new = (table.loc[m, "with_gold"] for m in ("x/odd", "x/new"))
    why = "asked with temperature 1.0 (not 0.0); --across temperature if that is meant"
    assert (odd["reason"], odd["verdict"], odd["n_needed"]) == (why, "can't be compared", 0)
    for name in ("difference", "low", "high", "p_value", "p_corrected", "p_equal"):
        assert math.isnan(odd[name]), name
        assert not math.isnan(new[name]), name
    assert odd["baseline_value"] == new["baseline_value"] == pytest.approx(4 / 6)
    assert odd["model_value"] == 1.0
    assert new["reason"] == ""
    assert made.notes == (f"knowno: x/odd can't be compared: {why}",)
    across = compared(logged(three, odd={"config.temperature": 1.0}), across=["temperature"])
    assert across.table["difference"].notna().sum() > made.table["difference"].notna().sum()
    assert across.notes == ("knowno: x/odd is compared across temperature 1.0 (not 0.0)",)


def test_the_baseline_and_the_models_are_marked_where_they_are_simulated(three):
    names = {"x/old": "respondent/a", "x/odd": "respondent/b"}
    some = three.replace({"model_name": names})
    assert compared(some).simulated == {"x/old", "x/odd"}
    assert compared(some, models=["x/new"]).simulated == {"x/old"}
    assert compared(some, "x/new", models=["x/odd"]).simulated == {"x/odd"}
    assert compared(some, "respondent/a").baseline == "x/old"


def test_who_is_at_the_ceiling_is_told_for_each_side():
    sure = {"right": lambda hint, i: True, "items": 60}
    few = {"right": lambda hint, i: i % 2 == 0, "items": 60}
    rows = pd.concat([*answers("old", "top", **sure), *answers("low", **few)], ignore_index=True)
    made = compared(rows, models=["x/low"])
    assert set(made.table["baseline_ceiling"]) == {"at"}
    assert set(made.table["model_ceiling"]) == {""}
    assert {one.model for one in made.ceilings.found} == {"x/old"}
    assert made.notes == made.ceilings.notes
    how = Interval(30, 0.8, 1)
    said = compared(rows, models=["x/top"], interval=how).ceilings
    assert said.records == ceilings(rows[rows["model"] != "x/low"], how).records
    assert said.records != ceilings(rows[rows["model"] != "x/low"]).records
    other = compared(rows, "x/low", models=["x/top"]).table
    assert set(other["baseline_ceiling"]) == {""}
    assert set(other["model_ceiling"]) == {"at"}


def test_the_interval_that_is_asked_for_makes_every_difference(three):
    pair = three[three["model"].isin(["x/old", "x/new"])]
    paper, seen = asked_for("knowno"), []
    for how in ((40, 0.95, 0), (40, 0.8, 0), (40, 0.95, 1), (50, 0.95, 0)):
        made = compared(three, models=["x/new"], interval=Interval(*how), by=["subset"]).table
        paired = Paired(*how, "x/old", partial(metric_of, "knowno"))
        table = paper.table(pair, interval=paired)
        at = ["metric", "subset"]
        both = made.merge(table, on=at, suffixes=("", "_of"))
        for name in ("low", "high", "p_value", "p_equal"):
            assert both[name].tolist() == pytest.approx(both[f"{name}_of"].tolist(), nan_ok=True)
        assert numbers(made) not in seen
        seen.append(numbers(made))


def numbers(table):
    return [round(x, 9) for x in table[["low", "high", "p_corrected"]].fillna(9).to_numpy().ravel()]


def test_every_pair_is_told_and_the_terminal_only_where_that_is_asked_for(three, terminal):
    told = []
    compared(three.replace({"model": {"x/odd": "x/o\ndd"}}),
             progress=lambda *step: told.append(step))  # fmt: skip
    assert told == [(1, 2, "knowno, x/new"), (2, 2, "knowno, x/o dd")]
    compared(three)
    assert terminal.getvalue() == ""
    compared(three, quiet=False)
    assert terminal.getvalue().startswith("\rcomparing: 1 of 2 (knowno, x/new)")


def test_an_executor_compares_each_pair_and_says_the_same(three, counting):
    told = []
    made = compared(three, executor=counting, progress=lambda *step: told.append(step[2]))
    assert counting.submitted == 2
    assert sorted(told) == ["knowno, x/new", "knowno, x/odd"]
    pd.testing.assert_frame_equal(made.table, compared(three).table)


def test_what_is_compared_is_left_as_it_was_given(three):
    given = three.copy()
    given.attrs["mine"] = 1
    compared(given)
    pd.testing.assert_frame_equal(given, three)
    assert given.attrs == {"mine": 1}


def test_a_run_that_stopped_early_is_noted_where_its_model_is_compared(three):
    whole = logged(three)
    for log in whole.attrs[ATTRIBUTE]["logs"]:
        log["left_out"] = [{"what": "stopped early", "why": "known", "count": 1}]
    assert compared(whole, models=["x/new"]).notes == (
        "knowno, x/old: known.", "knowno, x/new: known.",
    )  # fmt: skip


# --- Treatments ----------------------------------------------------------------------------------


@pytest.fixture
def judging(monkeypatch):
    """A paper that judges treatments of a task, what it is asked, and who has treatments."""
    asked, treated = [], {"x/old", "x/new", "x/odd"}

    def judged(rows, label, others, interval):
        asked.append((set(rows["model"]), label, others, interval))
        return None if label == "x/odd" else f"the treatments of {label}"

    part = SimpleNamespace(
        has_treatment=lambda rows, model: model in treated, METRICS=("with_gold", "gap"),
        HOW_TO_ASK="-T demos=0,5", compared=judged,
    )  # fmt: skip
    papers = [SimpleNamespace(task=t, part=lambda name: part) for t in ("knowno", "mathcomp")]
    monkeypatch.setattr(compare_module, "_judging", lambda: papers)
    return SimpleNamespace(asked=asked, treated=treated)


NOTE = "knowno: asked with and without a treatment; --treatments adds the paper's verdict"


def test_treatments_are_judged_where_that_is_asked_for(three, judging):
    made = compared(three, treatments=True)
    assert made.treatments == ("the treatments of x/old",)
    models = {"x/old", "x/new", "x/odd"}
    assert judging.asked == [(models, "x/old", ["x/new", "x/odd"], QUICK)]
    assert made.notes == ()
    assert compared(three, "x/odd", treatments=True).treatments == ()


def test_a_metric_of_theirs_that_is_named_asks_for_treatments_too(three, judging):
    assert compared(three, metric=["with_*"]).treatments == ("the treatments of x/old",)
    assert compared(three, metric=["*", "gap"]).treatments
    judging.asked.clear()
    assert compared(three, metric=["omni_accuracy"]).treatments == ()
    assert judging.asked == []


def test_treatments_that_nobody_asked_for_are_noted_where_all_metrics_are_compared(three, judging):
    assert compared(three).notes == (NOTE,)
    assert compared(three).treatments == ()
    assert compared(three, metric=["omni_accuracy"]).notes == ()
    judging.treated.clear()
    assert compared(three).notes == ()


def test_who_was_asked_otherwise_has_no_treatment_in_the_baseline_s_place(three, judging):
    compared(logged(three, odd={"config.temperature": 1.0}), treatments=True)
    assert [asked[2] for asked in judging.asked] == [["x/new"]]


def test_a_model_alone_is_compared_with_itself(three, judging):
    alone = three[three["model"] == "x/old"]
    made = compared(alone)
    assert (made.models, made.treatments) == ((), ("the treatments of x/old",))
    assert not len(made.table)
    assert judging.asked == [({"x/old"}, "x/old", [], QUICK)]
    told = (
        "there is no model to compare with 'x/old'; in these logs: 'x/old'. One alone can be "
        "compared with itself where it was asked with and without a treatment (knowno: -T "
        "demos=0,5; mathcomp: -T demos=0,5)"
    )
    with pytest.raises(ValueError, match=r"^there is no model to compare") as error:
        compared(alone, models=["y/*"])
    assert str(error.value) == told
    judging.treated.clear()
    with pytest.raises(ValueError, match=r"^there is no model to compare") as error:
        compared(alone)
    assert str(error.value) == told


def test_a_treatment_of_any_model_counts(three, judging):
    judging.treated.remove("x/old")
    assert compared(three).notes == (NOTE,)
    judging.treated.remove("x/new")
    assert compared(three, models=["x/new"]).notes == ()
