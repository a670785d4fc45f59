"""Two sides of Inspect logs of anybody's task: pairs, tests, flips, and what can't be compared."""

import math

import numpy as np
import pytest
from inspect_ai.log import EvalSpec
from inspect_ai.model import ChatMessageUser
from scipy import stats

from askew import compare_logs
from askew.decide.compare import BETTER, EQUIVALENT, INCONCLUSIVE, NOT_COMPARABLE, WORSE
from askew.logs.scores import as_number
from askew.parameters import SelectionError
from askew.stats.p_values import holm_adjusted
from askew.stats.paired import paired_test
from tests.cases import cases
from tests.logs.ordinary import a_log

RIGHT, WRONG = "C", "I"


def answers(p, n, seed):
    return [RIGHT if x < p else WRONG for x in np.random.default_rng(seed).random(n)]


def numbers(values):
    return np.array([1.0 if v == RIGHT else 0.0 if v == WRONG else v for v in values])


@pytest.mark.parametrize("seed", range(8))
def test_right_and_wrong_answers_have_mcnemars_exact_test_and_the_paired_interval(seed):
    a, b = answers(0.8, 30 + seed, seed), answers(0.6, 30 + seed, seed + 100)
    (row,) = compare_logs(a_log(a), a_log(b)).table.to_dict("records")
    one, other = numbers(a), numbers(b)
    risen, fallen = int((other > one).sum()), int((other < one).sum())
    assert row["p_value"] == pytest.approx(stats.binomtest(risen, risen + fallen).pvalue, abs=1e-9)
    interval = stats.ttest_rel(other, one).confidence_interval()
    assert (row["low"], row["high"]) == pytest.approx((interval.low, interval.high), abs=1e-9)
    assert (row["risen"], row["fallen"], row["test"]) == (risen, fallen, "exact McNemar")


def test_other_scores_have_a_paired_t():
    rng = np.random.default_rng(1)
    one, other = rng.random(25), rng.random(25)
    (row,) = compare_logs(a_log([*one]), a_log([*other])).table.to_dict("records")
    found = stats.ttest_rel(other, one)
    assert (row["p_value"], row["test"]) == (pytest.approx(found.pvalue, abs=1e-9), "paired t")
    shifted = [stats.ttest_1samp(other - one, 0.05 * s, alternative=way).pvalue
               for s, way in ((1, "less"), (-1, "greater"))]  # fmt: skip
    assert row["p_equal"] == pytest.approx(max(shifted), abs=1e-9)


def test_clusters_have_the_standard_error_of_a_regression_with_clustered_errors():
    a, b = answers(0.7, 31, 3), answers(0.6, 31, 4)
    row = compare_logs(a_log(a), a_log(b), cluster_by="story").table.to_dict("records")[0]
    change = numbers(b) - numbers(a)
    groups = np.arange(31) // 3
    n, g = len(change), groups.max() + 1
    # An intercept alone: bread 1 / n, meat the squared sums of residuals by cluster, CR1.
    residuals = change - change.mean()
    meat = sum(residuals[groups == k].sum() ** 2 for k in range(g))
    error = math.sqrt(g / (g - 1) * (n - 1) / (n - 1) * meat) / n
    low, high = stats.t.interval(0.95, g - 1, change.mean(), error)
    assert (row["low"], row["high"]) == pytest.approx((low, high), abs=1e-9)
    assert row["p_value"] == pytest.approx(2 * stats.t.sf(abs(change.mean() / error), g - 1))
    assert (row["n_clusters"], row["test"]) == (g, "cluster-robust t")


@pytest.mark.parametrize("named", [True, False])
def test_samples_of_askews_tasks_are_clustered_by_item(named):
    """Of bend by the author's id, of others by the cluster of the item."""
    sides = [a_log(answers(p, 36, seed)) for p, seed in ((0.8, 1), (0.6, 2))]
    for side in sides:
        side.eval.metadata = {"benchmark": "askew"}
        for n, sample in enumerate(side.samples):
            sample.id = f"q{n // 3}/arm{n % 3}"
            about = {"item": f"q{n // 3}", "cluster": f"c{n // 6}", "subset": "s"}
            sample.metadata = about if named else {}
    (row,) = compare_logs(*sides).table.to_dict("records")
    clusters = 6 if named else 12
    assert (row["n"], row["n_clusters"], row["test"]) == (36, clusters, "cluster-robust t")


def test_rows_are_corrected_together():
    both = [{"one": x, "two": y} for x, y in zip([1, 0] * 10, [1, 1] * 10, strict=True)]
    worse = [{"one": 0, "two": y} for y in [1, 0] * 10]
    sides = [a_log(values, scorer="s") for values in (both, worse)]
    table = compare_logs(*sides).table
    assert [*table["measure"]] == ["s/one", "s/two"]
    corrected, *_ = holm_adjusted(table["p_value"].to_numpy())
    assert [*table["p_corrected"]] == pytest.approx([*corrected])
    (one,) = compare_logs(*sides, score=["*two"]).table["p_corrected"]
    assert one == pytest.approx(table["p_value"][1])


def test_epochs_of_one_side_alone_are_averaged():
    a, b = [RIGHT] * 12, [RIGHT, WRONG] * 12
    found = compare_logs(a_log(a), a_log(b, epochs=2))
    (row,) = found.table.to_dict("records")
    assert (row["first"], row["second"], row["n"]) == (1.0, 0.5, 12)
    assert any("1 and 2 epochs" in note for note in found.notes)


def test_samples_that_failed_are_counted_and_compared_nowhere():
    found = compare_logs(a_log([RIGHT] * 10, errors=(1, 4)), a_log([WRONG] * 10))
    assert found.table["n"][0] == 8
    assert any("2 ended in an error" in note for note in found.notes)
    found = compare_logs(a_log([RIGHT, math.nan, "bad"] + [RIGHT] * 9), a_log([WRONG] * 12))
    assert found.table["n"][0] == 10
    assert any("2 have no number as match" in note for note in found.notes)


def test_other_questions_under_the_same_ids_are_not_compared():
    other = a_log([WRONG] * 10, inputs="another {}")
    found = compare_logs(a_log([RIGHT] * 10), other)
    assert (found.table["verdict"][0], found.exit_code) == (NOT_COMPARABLE, 3)
    assert any("10 of 10 samples have another input" in note for note in found.notes)
    meant = compare_logs(a_log([RIGHT] * 10), other, allow_diff=["input"])
    assert meant.table["n"][0] == 10


def test_a_single_sample_and_other_options_of_a_scorer_have_a_row_with_the_reason():
    (row,) = compare_logs(a_log([RIGHT]), a_log([WRONG])).table.to_dict("records")
    assert (row["verdict"], row["reason"][:15]) == (NOT_COMPARABLE, "a single sample")
    sides = [a_log([RIGHT] * 9), a_log([WRONG] * 9)]
    for side, ignored in zip(sides, (True, False), strict=True):
        scorer = {"name": "match", "options": {"ignore_case": ignored}}
        side.eval = EvalSpec.model_validate(side.eval.model_dump() | {"scorers": [scorer]})
    (row,) = compare_logs(*sides).table.to_dict("records")
    assert (row["verdict"], row["reason"][:25]) == (NOT_COMPARABLE, "scored with other options")
    assert compare_logs(*sides, allow_diff=["scorer"]).table["n"][0] == 9


def test_what_differs_between_the_runs_is_named():
    found = compare_logs(
        a_log([RIGHT] * 9, task_args={"few": 1, "api_key": "k1"}),
        a_log([RIGHT] * 9, model="mockllm/other", task_args={"few": 2, "api_key": "k2"}),
    )
    told = {row["setting"]: (row["a"], row["b"]) for row in found.differs.to_dict("records")}
    assert told == {"model": ("mockllm/model", "mockllm/other"), "task.few": (1, 2)}


@cases("other", "said")
def test_what_means_nothing_is_refused_with_the_reason(other, said):
    with pytest.raises(ValueError, match=said):
        compare_logs(a_log([RIGHT]), [a_log([RIGHT], **of) for of in other])
    with pytest.raises(SelectionError, match="story"):
        compare_logs(a_log([RIGHT]), a_log([RIGHT]), cluster_by="stroy")


def test_models_of_both_sides_are_paired_by_name():
    sides = [[a_log([x] * 9, model=f"mockllm/{m}") for m in ("one", "two")] for x in (RIGHT, WRONG)]
    found = compare_logs(*sides)
    assert [*found.table["model"]] == ["mockllm/one", "mockllm/two"]
    alone = compare_logs(sides[0], sides[1][:1])
    assert any("mockllm/two: only in A" in note for note in alone.notes)


@pytest.mark.parametrize(
    ("value", "lower", "verdict"),
    [(WRONG, (), WORSE), (WRONG, ("match",), BETTER), (RIGHT, (), INCONCLUSIVE)],
)
def test_verdicts_follow_the_better_direction(value, lower, verdict):
    found = compare_logs(a_log([RIGHT] * 20), a_log([value] * 20), lower_is_better=lower)
    assert [*found.table["verdict"]] == [verdict]


def test_many_equal_samples_are_equivalent_and_few_hide_a_difference():
    same = [RIGHT] * 100
    (row,) = compare_logs(a_log(same), a_log(same)).table.to_dict("records")
    assert row["verdict"] == EQUIVALENT
    # A share that none of 100 shows may be 3.6 points (Clopper and Pearson).
    assert (row["low"], row["high"]) == pytest.approx((-0.0362, 0.0362), abs=1e-4)


def test_a_limit_does_not_pass_where_the_second_side_lacks_a_task_or_a_measure():
    whole = [RIGHT] * 200
    a, b = a_log(whole), a_log(whole)
    lost = a_log(whole, task="tales", errors=range(200))
    for second in ([b], [b, lost]):
        found = compare_logs([a, a_log(whole, task="tales")], second, max_loss=0.03)
        assert (found.outcome, found.exit_code) == ("inconclusive", 3)
    both = [{"one": 1, "two": 1, "why": "a text"}] * 200
    found = compare_logs(a_log(both), a_log([{"one": 1, "why": "t"}] * 200), max_loss=0.03)
    assert [*found.table["outcome"]] == ["pass", "inconclusive"]
    assert found.outcome == "inconclusive"
    with pytest.raises(SelectionError, match="no sample of B has a score"):
        compare_logs(a, a_log(whole, errors=range(200)))
    with pytest.raises(SelectionError, match="nothing could fail"):
        compare_logs(a, b, max_loss=3)


def test_messages_as_inputs_are_compared_without_the_ids_that_inspect_draws():
    sides = [a_log([RIGHT] * 9) for _ in range(2)]
    for side in sides:
        for sample in side.samples:
            sample.input = [ChatMessageUser(content=f"hello {sample.id}")]
    assert compare_logs(*sides).table["n"][0] == 9
    sides[1].samples[0].input = [ChatMessageUser(content="another")]
    assert compare_logs(*sides).table["n"][0] == 8


def test_clusters_whose_changes_cancel_show_no_difference():
    first = np.array([0.0, 1.0] * 10)
    found = paired_test(first, 1 - first, np.arange(20) // 2)
    assert (found.difference, found.p_value) == (0.0, 1.0)


@cases("value", "number")
def test_scores_are_numbers_as_inspect_has_them(value, number):
    assert as_number(value) == number


@pytest.mark.parametrize("clustered", [False, True])
def test_runs_alike_seldom_differ_and_intervals_cover_the_difference(clustered):
    """Of 400 studies of 60 samples: at most 6 in 100 p-values below 0.05, 92 in 100 intervals."""
    rng, wrong, held = np.random.default_rng(7), 0, 0
    groups = np.arange(60) // (3 if clustered else 1)
    for _ in range(400):
        p = rng.beta(1, 1, 60)[groups]
        one, other = (rng.random((2, 60)) < p).astype(float)
        found = paired_test(one, other, groups)
        low, high = found.interval(0.95)
        wrong, held = wrong + (found.p_value < 0.05), held + (low <= 0 <= high)
    assert wrong / 400 < 0.06 + 0.025
    assert held / 400 > 0.92


def test_of_few_changes_a_bound_has_tangos_score_test():
    """Of the 95% interval of 3 falls among 200 pairs the lower limit is Wilson's of 3 of 200."""
    one = np.zeros(200)
    one[:3] = 1
    found = paired_test(one, np.zeros(200), np.arange(200))
    least = stats.binomtest(3, 200).proportion_ci(method="wilson").high
    assert found.p_beyond(-least, 1) == pytest.approx(0.025, abs=1e-6)
    # Of many changes it is the t.
    many = np.arange(200) % 2.0
    found = paired_test(many, 1 - many, np.arange(200))
    assert found.p_beyond(-0.2, 1) == pytest.approx(
        stats.ttest_1samp(1 - 2 * many, -0.2, alternative="greater").pvalue
    )


@pytest.mark.parametrize("clustered", [False, True])
def test_a_loss_at_the_limit_seldom_passes_also_where_few_samples_change(clustered):
    """Of 600 studies in which 3 in 100 fall: at most 5 in 100 pass; the t alone lets 14."""
    rng, size = np.random.default_rng(3), 4 if clustered else 1
    passed = 0
    for _ in range(600):
        fell = (rng.random(100) < 0.03).repeat(size).astype(float)
        found = paired_test(fell, np.zeros(100 * size), np.arange(100 * size) // size)
        passed += found.p_beyond(-0.03, 1) < 0.025
    assert passed / 600 < 0.05
