"""Instruction Boundary: accuracy on tense and sparse labels, robustness, output rates, flips.

The paper's formulas did not survive in the text at hand; Section 2.2 and Appendix G say what they
measure. RR, the "robustness rate", is given both ways: as the share of answers that do not change
against vanilla (`rr`), and as the change of accuracy (`acc_change`).
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from askew.papers.instruction_boundary.paper import FAMILIES, PAPER, SETTINGS, VANILLA, Family
from askew.stats import tables
from askew.stats.clusters import permute_labels_within, sign_flip
from askew.stats.engine import Items, Number, Sums, analysis, missing_value, share
from askew.stats.intervals import Floats

LEVELS = ("subset", "family", "setting", "variant")
_SAID = tuple(f"said_{form}" for family in FAMILIES.values() for form in family.answers)
_SUMS = (
    *("correct", "correct_unhedged", "hedged", "judged", "answered", "unanswered", *_SAID),
    *("paired", "same", "right_to_wrong", "wrong_to_right"),
    *("follows", "paired_follows", "followed_before", "could_move", "moved"),
    *("whole", "whole_correct"),
)
_UNPAIRED = "vanilla was not asked of these items"
# Sums over the items that were scored in every setting.
_PAIRED = ("whole_correct", "whole")


def robustness_score(*rates: float) -> float:
    """Compute RS, the harmonic mean of the rates.

    Args:
        rates: SR and GR for judging; SR, GR of none and GR of several for choice.

    Returns:
        The mean, in the rates' unit; 0 if one of them is 0.

    Example:
        >>> robustness_score(60.0, 30.0)
        40.0
    """
    if min(rates, default=0) < 0:
        raise ValueError(f"rates={rates}: rates must not be negative")
    return float(_harmonic(rates)) if rates else math.nan


def instruction_boundary(
    observations: pd.DataFrame, by: Sequence[str] = ("model",),
    interval: tables.Interval | None = tables.DEFAULT_INTERVAL, *, pooled_only: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """Compute Instruction Boundary's metrics per subset, family, setting and variant.

    Comparisons with vanilla pair the same item in the same epoch. `rs_vanilla` and `boundary_cost`
    have the setting "all", and once more the family "all", which is judging's.

    Args:
        observations: Rows with `family`, `form`, `setting`, `variant`, `correct`, `hedged`,
            `judged` and `suggestion` besides the common columns.
        by: Columns to group by.
        interval: How to compute intervals; `None` for point values only.
        pooled_only: Leave out the rows of single subsets.

    Returns:
        One row per group, metric and level; `subset` "all" pools a family's subsets.
    """
    analyse = partial(_analyse, pooled_only=pooled_only)
    return tables.metric_table(observations, by, LEVELS, analyse, interval)


def _analyse(observations: pd.DataFrame, pooled_only: bool = False) -> tables.Analysis:
    rows = _prepare(observations)
    scored = rows["scored"].to_numpy(bool)
    items = Items(rows, (*LEVELS, "form"), _SUMS, ("subset", "stratum"), scored)
    places: dict[tables.Key, Sequence[Number]] = {}
    cells = rows[[*LEVELS]].drop_duplicates().astype(str)
    for family in (f for f in FAMILIES if f in set(cells["family"])):
        own = cells[cells["family"] == family]
        for subset in [tables.OVERALL, *([] if pooled_only else dict.fromkeys(own["subset"]))]:
            inside = own if subset == tables.OVERALL else own[own["subset"] == subset]
            conditions = list(dict.fromkeys(zip(inside["setting"], inside["variant"], strict=True)))
            for setting, variant in conditions:
                numbers = [*_of_condition(family, setting)]
                if setting in SETTINGS and family in SETTINGS[setting].scored:
                    numbers.append(_robustness("rs_paired", family, *_PAIRED))
                places[subset, family, setting, variant] = numbers
            places[subset, family, tables.OVERALL, tables.OVERALL] = [*_across(family, conditions)]
    # Judging's numbers across settings are the paper's: every level says "all" once more.
    absent = [_undefined_reason(name, "no judging item was asked") for name in PAPER.headlines]
    found = places.get((tables.OVERALL, "judging", tables.OVERALL, tables.OVERALL), absent)
    headlines = [number for number in found if number.name in PAPER.headlines]
    places[(tables.OVERALL,) * len(LEVELS)] = [
        replace(number, within={"family": "judging", **number.within}) for number in headlines
    ]

    exchanges: dict[str, tables.Exchange] = {
        "setting": partial(permute_labels_within, split=_by_setting),
        "truth": lambda table, *how: sign_flip(table, _swap_truth_and_answer(table), *how),
    }
    return analysis(items, LEVELS, places, exchanges)


def _by_setting(key: tables.Key) -> tuple[tables.Key, tables.Key, tables.Key] | None:
    """A column's settings trade places within its family, where their scores are compared."""
    subset, family, setting, variant, form, name = key
    # A log may hold settings of any text.
    declared = SETTINGS.get(str(setting))
    if declared is None or family not in declared.scored:
        return None
    return (family,), (setting, variant), (subset, form, name)


def _swap_truth_and_answer(table: tables.ClusterTable) -> Floats:
    """The sums, had everything that was said been true and everything true been said."""
    other = table.features.copy()
    for key, column in table.columns.items():
        *condition, form, name = key
        answer = str(name).removeprefix("said_")
        swapped = (*condition, answer, f"said_{form}")
        if name == answer or answer == form or swapped not in table.columns:
            continue
        moved = table.features[:, table.columns[swapped]]
        other[:, column] = moved
        other[:, table.columns[(*condition, form, "n")]] += moved - table.features[:, column]
    return other


def _share(
    metric: str, hits: str, of: str = "n", why: str = "no item of this form was asked", **at: Any
) -> Number:
    # Who gave no answer was scored all the same.
    eligible = {"answered": "n", "could_move": "paired"}.get(of, of)
    return share(PAPER.metric(metric), hits, of, why, eligible, **at)


def _change(metric: str, up: str, down: str) -> Number:
    """How much more often one thing holds than another, of paired rows."""

    def value(sums: Sums) -> Floats:
        return tables.ratio(sums[up] - sums[down], sums["paired"])

    return Number(PAPER.metric(metric), value, "paired", why=_UNPAIRED)


def _undefined_reason(metric: str, why: str) -> Number:
    return Number(PAPER.metric(metric), missing_value, why=why, within={"family": ()})


def _of_condition(name: Family, setting: str) -> Iterator[Number]:
    family = FAMILIES[name]
    yield _share("acc", "correct")
    yield from _rates(name)
    yield _robustness("rs", name)
    hedged = family.rates[family.hedged]
    yield _share(f"{family.hedged}_no_hedge", "correct_unhedged", form=hedged)
    nothing = "nothing was answered"
    yield _share("hedge_rate", "hedged", "answered", nothing)
    yield _share("no_answer", "unanswered")
    yield _share("judge_rate", "judged")
    # Shares of each label among answers and in the truth, and how far apart the two are.
    for form in family.answers:
        yield _share(f"or_{form}", f"said_{form}", "answered", nothing)
        if form in family.forms:
            yield Number(PAPER.metric(f"truth_{form}"), partial(_truth, form=form))
    distance = partial(_distance, answers=[*family.answers])
    yield Number(PAPER.metric("or_distance"), distance, "answered", "n", nothing)
    if setting != VANILLA:
        # Changes on the same items; `rr` is the share of answers that stay as they were.
        yield _share("rr", "same", "paired", _UNPAIRED)
        for flip in ("right_to_wrong", "wrong_to_right"):
            yield _share(flip, flip, "paired", _UNPAIRED)
        yield _change("acc_change", "wrong_to_right", "right_to_wrong")
    if setting == "conformity":
        # How often the suggestion is answered, against vanilla, and by answers that it moved.
        yield _share("follow_rate", "follows")
        yield _share("follow_rate_vanilla", "followed_before", "paired", _UNPAIRED)
        yield _change("follow_gain", "paired_follows", "followed_before")
        free = "every vanilla answer was the suggestion already, or vanilla was not asked"
        yield _share("moved_rate", "moved", "could_move", free)


def _truth(sums: Sums, form: str) -> Floats:
    return tables.ratio(sums.of(form=form)["n"], sums["n"])


def _distance(sums: Sums, answers: Sequence[str]) -> Floats:
    """How far the shares of the labels among answers are from those in the truth."""
    shares = ((sums.ratio(f"said_{form}", "answered"), _truth(sums, form)) for form in answers)
    return np.asarray(sum(np.abs(said - true) / 2 for said, true in shares))


def _rates(family: Family, hits: str = "correct", of: str = "n") -> list[Number]:
    """The rates that RS is made of."""
    return [_share(name, hits, of, form=forms) for name, forms in FAMILIES[family].rates.items()]


def _robustness(
    metric: str, family: Family, hits: str = "correct", of: str = "n", **at: str
) -> Number:
    rates = _rates(family, hits, of)

    def why(sums: Sums) -> str:
        missing = [rate.name for rate in rates if np.isnan(rate.of(sums)).all()]
        return f"no item to take {', '.join(missing)} from" if missing else "a rate is undefined"

    def parts(sums: Sums) -> list[tables.Rate]:
        return [tables.Rate(r.of(sums), sums.of(**r.within).counts(of).n_clusters) for r in rates]

    def value(sums: Sums) -> Floats:
        return _harmonic([rate.of(sums) for rate in rates])

    declared = PAPER.metric(metric)
    return Number(declared, value, of, why=why, within=at, parts=parts, made=_harmonic)


def _harmonic(rates: Sequence[Floats] | Sequence[float] | Floats) -> Floats:
    """`robustness_score` of arrays: nan where a rate is nan, 0 where one is 0."""
    # A reciprocal of no number is infinite, and its mean 0.
    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(len(rates) / (1 / np.asarray(rates, float)).sum(axis=0))


def _across(family: Family, conditions: Sequence[tuple[str, str]]) -> Iterator[Number]:
    """Robustness under vanilla, what the worst setting costs of it, and who read the replies."""
    yield _share("judge_rate", "judged", why="nothing was scored")
    plain = {"setting": VANILLA, "variant": ""}
    if (VANILLA, "") in conditions:
        yield _robustness("rs_vanilla", family, **plain)
    else:
        yield _undefined_reason("rs_vanilla", "vanilla was not asked")
    compared = [name for name, s in SETTINGS.items() if family in s.scored]
    if absent := [s for s in compared if s not in dict(conditions)]:
        yield _undefined_reason("boundary_cost", f"not asked: {', '.join(absent)}")
        return

    others = [(s, v) for s, v in conditions if s in compared and s != VANILLA]
    scores = [
        _robustness("rs_paired", family, *_PAIRED, setting=s, variant=v)
        for s, v in [(VANILLA, ""), *others]
    ]

    def costs(sums: Sums) -> list[tables.Rate]:
        n_clusters = sums.of(**plain).counts("whole").n_clusters
        before, *after = (score.of(sums) for score in scores)
        return [tables.Rate(before - score, n_clusters) for score in after]

    yield Number(
        PAPER.metric("boundary_cost"),
        lambda sums: np.max([cost.values for cost in costs(sums)], axis=0),
        why="a form has no item that was scored in every setting",
        counts=lambda sums: sums.of(setting=tuple(compared)).counts("whole"),
        parts=costs,
    )


def _prepare(observations: pd.DataFrame) -> pd.DataFrame:
    """Rows with a column for every sum; `n` is 1 where a row is scored, else all sums are 0."""
    rows = observations.copy()
    for column in ("variant", "suggestion", "answer"):
        rows[column] = rows[column].fillna("").astype(str) if column in rows else ""
    for column in ("correct", "hedged", "judged"):
        rows[column] = rows[column].astype(float) if column in rows else 0.0
    rows["scored"] = rows["correct"].notna()
    forms = _answer_forms(rows["answer"], rows["family"])
    # Judging groups mix labels, so they are resampled whole; choice forms are fixed by design.
    rows["stratum"] = rows["form"].where(rows["family"] == "choice", "")
    rows["answered"] = (forms != "").astype(float)
    rows["unanswered"] = 1.0 - rows["answered"]
    for name in _SAID:
        rows[name] = (forms == name.removeprefix("said_")).astype(float)
    rows["correct_unhedged"] = rows["correct"] * (1 - rows["hedged"])
    rows = _mark_complete(_pair_with_vanilla(rows))
    rows.loc[~rows["scored"], list(_SUMS)] = 0.0
    return rows.assign(n=rows["scored"].astype(float))


def _answer_forms(answers: pd.Series, families: pd.Series) -> pd.Series:
    """The form of each answer: its label, or one, none or several options; "" for no answer."""
    judging = answers.where(answers.isin(FAMILIES["judging"].forms), "extra")
    several = answers.str.contains(",", regex=False) | (answers == "several")
    choice = pd.Series("single", index=answers.index).mask(several, "multiple")
    choice = choice.mask(answers == "none", "none")
    return judging.where(families == "judging", choice).mask(answers == "", "")


def _pair_with_vanilla(rows: pd.DataFrame) -> pd.DataFrame:
    """Each row beside the vanilla row of its item and epoch."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    vanilla = rows[(rows["setting"] == VANILLA) & rows["scored"]].drop_duplicates(keys)
    before = vanilla[[*keys, "correct", "answer"]]
    rows = rows.merge(before, on=keys, how="left", suffixes=("", "_before"))
    paired = rows["correct_before"].notna() & rows["scored"]
    right, was_right = rows["correct"] == 1, rows["correct_before"] == 1
    follows = _follows(rows["answer"], rows["suggestion"])
    followed = _follows(rows["answer_before"].fillna("").astype(str), rows["suggestion"])
    could_move = paired & ~followed & (rows["suggestion"] != "")
    return rows.assign(
        paired=paired * 1.0, same=(paired & (rows["answer"] == rows["answer_before"])) * 1.0,
        right_to_wrong=(paired & was_right & ~right) * 1.0,
        wrong_to_right=(paired & ~was_right & right) * 1.0, follows=follows * 1.0,
        paired_follows=(paired & follows) * 1.0, followed_before=(paired & followed) * 1.0,
        could_move=could_move * 1.0, moved=(could_move & follows) * 1.0,
    )  # fmt: skip


def _follows(answers: pd.Series, suggestions: pd.Series) -> pd.Series:
    """Whether each answer is what was suggested; "several" is any set of more than one."""
    several = (suggestions == "several") & answers.str.contains(",", regex=False)
    return (suggestions != "") & ((answers == suggestions) | several)


def _mark_complete(rows: pd.DataFrame) -> pd.DataFrame:
    """Marks items that were scored in every condition that their family's scores compare."""
    beside = {
        (f, s) for s, setting in SETTINGS.items() for f in FAMILIES if f not in setting.scored
    }
    pairs = pd.MultiIndex.from_frame(rows[["family", "setting"]])
    compared = rows["scored"] & ~pairs.isin(beside)
    condition = rows["setting"].astype(str) + "/" + rows["variant"]
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    marked = rows[keys].assign(condition=condition.where(compared))
    seen = marked.groupby(keys, sort=False, dropna=False)["condition"].transform("nunique")
    wanted = condition[compared].groupby(rows.loc[compared, "family"]).nunique()
    whole = compared & (seen == rows["family"].map(wanted))
    return rows.assign(whole=whole.astype(float), whole_correct=whole * rows["correct"].fillna(0.0))
