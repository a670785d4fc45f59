"""Instruction Boundary's metrics: published tables, an independent calculation, planted values."""

import math
import random
from importlib.resources import files
from statistics import harmonic_mean

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew import metrics
from askew.papers.instruction_boundary.numbers import instruction_boundary
from askew.papers.instruction_boundary.paper import SETTINGS
from tests.cases import cases, cases_of
from tests.chapters import row_at
from tests.numbers_told import analyses, lines, told

PRINTED = pd.read_csv(str(files("askew.papers.instruction_boundary") / "published/printed.csv"))
TABLE3 = PRINTED[(PRINTED["source"] == "Table 3") & (PRINTED["family"] == "judging")].pivot_table(
    index=["model", "setting"], columns="metric", values="value"
)


# ---- formulas and published tables


rates = st.lists(st.floats(0.001, 100), min_size=1, max_size=4)


@given(rates)
def test_rs_is_the_harmonic_mean_of_fractions_or_of_percents_and_0_with_a_rate_of_0(values):
    score = metrics.robustness_score(*values)
    assert score == pytest.approx(harmonic_mean(values))
    assert metrics.robustness_score(*(100 * v for v in values)) == pytest.approx(100 * score)
    assert metrics.robustness_score(*values, 0.0) == 0


def test_rs_of_nothing_or_of_an_unknown_rate_is_undefined_and_of_a_negative_one_refused():
    assert math.isnan(metrics.robustness_score())
    assert math.isnan(metrics.robustness_score(0.5, math.nan))
    with pytest.raises(ValueError, match="negative"):
        metrics.robustness_score(-0.1, 0.5)


# What the printed RS contradicts, by the SR and GR printed beside it: definition, print.
CONTRADICTED_RS = {
    ("gpt-3.5-turbo", "conformity"): (0.0, 10.10),
    ("gpt-4o", "conformity"): (33.74, 25.63),
    ("gemini-2.0-flash", "prompt_polishing"): (0.99, 1.48),
}


@pytest.mark.parametrize(
    "row", [*TABLE3.dropna(subset="sr").itertuples()], ids=lambda r: "-".join(r[0])
)
def test_every_published_rs_follows_from_its_sr_and_gr_but_three(row):
    computed = metrics.robustness_score(100 * row.sr, 100 * row.gr)
    printed = round(100 * row.rs, 2)
    expected = CONTRADICTED_RS.get(row.Index)
    if expected:
        assert (round(computed, 2), printed) == expected
    else:
        assert computed == pytest.approx(printed, abs=0.02)


# ---- the table against an independent calculation


def observation(item, form, setting, answer, **fields):
    family = "judging" if form in ("true", "false", "unknown") else "choice"
    truth = {"single": "2", "none": "none", "multiple": "1,3"}.get(form, form)
    return {
        "model": "m", "task": "instruction_boundary", "subset": "logic", "family": family,
        "item": item, "cluster": item, "epoch": 1, "form": form, "setting": setting, "variant": "",
        "truth": truth, "answer": answer, "correct": float(answer == truth), "hedged": 0.0,
        "judged": 0.0, "suggestion": "", "outcome": "ok" if answer else "unparsed", **fields,
    }  # fmt: skip


def table(rows, **options):
    options = {"interval": None, **options}
    return metrics.instruction_boundary(pd.DataFrame(rows), by=("model",), **options)


def value(frame, metric, family="judging", setting="vanilla", variant="", subset="all"):
    at = {"subset": subset, "family": family, "setting": setting, "variant": variant}
    return row_at(frame, metric, **at)


LABELS = ("true", "false", "unknown")


def random_rows(seed):
    rng = random.Random(seed)
    rows = []
    for i in range(rng.randint(6, 30)):
        form = LABELS[i % 3]
        for setting in ("vanilla", "vagueness"):
            if rng.random() < 0.9:
                answer = rng.choice([*LABELS, "all_true", None])
                rows.append(observation(f"i{i}", form, setting, answer))
    return rows


@pytest.mark.parametrize("seed", range(6))
def test_every_number_agrees_with_a_count_by_hand(seed):
    rows = random_rows(seed)
    frame = table(rows)
    vague = [r for r in rows if r["setting"] == "vagueness"]
    if not vague:
        pytest.skip("nothing was asked vaguely")
    vanilla = {r["item"]: r for r in rows if r["setting"] == "vanilla"}

    def share(part, whole):
        return sum(map(part, whole)) / len(whole) if whole else math.nan

    def agrees(metric, expected):
        assert value(frame, metric, setting="vagueness")["value"] == pytest.approx(
            expected, nan_ok=True
        )

    tense = [r for r in vague if r["form"] != "unknown"]
    sparse = [r for r in vague if r["form"] == "unknown"]
    sr, gr = (share(lambda r: r["correct"], part) for part in (tense, sparse))
    agrees("acc", share(lambda r: r["correct"], vague))
    agrees("sr", sr)
    agrees("gr", gr)
    agrees("rs", metrics.robustness_score(sr, gr))
    answered = [r for r in vague if r["answer"]]
    said = {label: share(lambda r, x=label: r["answer"] == x, answered) for label in LABELS}
    said["extra"] = share(lambda r: r["answer"] == "all_true", answered)
    agrees("or_unknown", said["unknown"])
    agrees("or_extra", said["extra"])
    truth = {label: share(lambda r, x=label: r["form"] == x, vague) for label in LABELS}
    agrees("or_distance", sum(abs(said[k] - truth.get(k, 0)) for k in said) / 2)
    agrees("no_answer", share(lambda r: not r["answer"], vague))
    pairs = [(vanilla[r["item"]], r) for r in vague if r["item"] in vanilla]
    agrees("rr", share(lambda p: p[0]["answer"] == p[1]["answer"], pairs))
    agrees("right_to_wrong", share(lambda p: p[0]["correct"] > p[1]["correct"], pairs))
    agrees("wrong_to_right", share(lambda p: p[0]["correct"] < p[1]["correct"], pairs))
    agrees("acc_change", share(lambda p: p[1]["correct"] - p[0]["correct"], pairs))
    assert value(frame, "rr", setting="vagueness")["n_items"] == len(pairs)
    assert value(frame, "rr", setting="vagueness")["n_dropped"] == len(vague) - len(pairs)


def test_what_did_not_run_leaves_numbers_undefined_with_the_reason():
    frame = table([observation("i", "true", "vagueness", "true")])
    row = value(frame, "rr", setting="vagueness")
    assert math.isnan(row["value"])
    assert "vanilla was not asked" in row["reason"]
    assert math.isnan(value(frame, "rs_vanilla", setting="all", variant="all")["value"])
    rs = value(table([observation("i", "true", "vanilla", "true")]), "rs")
    assert math.isnan(rs["value"])
    assert "gr" in rs["reason"]


# Two questions of one unit, one without vanilla, one reply that was not scored; two subsets.
FEW = pd.DataFrame([observation(*row, **of) for *row, of in cases_of(__file__, "FEW")])
OTHERS = "multi_turn, miscellany, few_shot, missing_choices, prompt_polishing"
WORKED = lines(cases_of(__file__, "WORKED").replace("OTHERS", OTHERS))


def test_every_number_of_fifteen_replies_with_what_it_rests_on():
    found = told(*analyses(instruction_boundary, FEW, pooled_only=True))
    assert [line for line in found if " vagueness -:" not in line] == WORKED
    # Four questions were scored under both, one that was not scored is dropped.
    assert "acc all judging vagueness -: 0.6, 5-1 4/2" in found
    assert "rr all judging vagueness -: 0.5, 4-2 3/2" in found


# --- Across settings ----------------------------------------------------------------------------

TRUTHS = {"single": "2", "none": "none", "multiple": "1,3"}
# In which setting which question of which form is answered otherwise.
WRONG = {
    ("vagueness", "none", 0), ("few_shot", "multiple", 0), ("few_shot", "multiple", 1),
    ("miscellany", "single", 0),
}  # fmt: skip
CHOICE = pd.DataFrame(
    [
        observation(
            f"{form}{i}", form, setting, "several" if (setting, form, i) in WRONG else truth,
            subset="choice",
        )
        for setting in SETTINGS for i in range(2) for form, truth in TRUTHS.items()
    ]
    + [
        observation("odd", "single", setting, "1", subset="choice")
        for setting in SETTINGS if setting != "multi_turn"
    ]
)  # fmt: skip


def test_what_each_setting_costs_on_the_items_that_all_of_them_have():
    """What a family's scores do not compare costs nothing, whatever is wrong there."""
    (found,) = analyses(instruction_boundary, CHOICE, pooled_only=True)
    table = told(found)
    assert table[-5:] == lines(
        """
        judge_rate all choice all all: 0, 7-0 7/3
        rs_vanilla all choice all all: 0.857143, 7-0 7/3 = 0.666667/3 1/2 1/2
        boundary_cost all choice all all: 1, 6-1 6/3 = 0/6 0/6 1/6 0/6 0.25/6 0/6
        rs_vanilla all all all all: nan, 0-0 0/1; no judging item was asked
        boundary_cost all all all all: nan, 0-0 0/1; no judging item was asked
        """
    )
    for line in lines(
        """
        sr all choice miscellany -: 0.333333, 3-0 3/1
        rs all choice miscellany -: 0.6, 7-0 7/3 = 0.333333/3 1/2 1/2
        or_multiple all choice miscellany -: 0.428571, 7-0 7/3
        or_distance all choice miscellany -: 0.142857, 7-0 7/3
        acc_change all choice miscellany -: -0.142857, 7-0 7/3
        rs all choice multi_turn -: 1, 6-0 6/3 = 1/2 1/2 1/2
        rs all choice few_shot -: 0, 7-0 7/3 = 0.666667/3 1/2 0/2
        """
    ):
        assert line in table


# --- Rows as they come --------------------------------------------------------------------------


@cases("before", "after", "suggested", "found")
def test_one_reply_follows_or_does_not(before, after, suggested, found):
    named = {"variant": "named", "suggestion": suggested}
    rows = [
        observation("a", "single", "vanilla", before, subset="choice"),
        observation("a", "single", "conformity", after, subset="choice", **named),
    ]
    (made,) = analyses(instruction_boundary, pd.DataFrame(rows))
    numbers = made.statistic(made.table.point())
    names = ("follow_rate", "follow_rate_vanilla", "follow_gain", "moved_rate")
    values = [numbers[m, "all", "choice", "conformity", "named"].values[0] for m in names]
    assert [None if math.isnan(v) else v for v in values] == [*found]
