"""What format bias's chapter.yaml can't say: a headline a category, marks, and treatments."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from askew.files import yaml_of
from askew.papers.format_bias.paper import BIAS_F, CATEGORIES
from askew.papers.format_bias.treatments import Criterion, Verdict, has_treatment, mitigations
from askew.report.blocks import Cell, Headline, Table, fill, make_table
from askew.report.chapters import headline, verdict_of
from askew.report.estimates import Estimate, Model, RowKind, format_p_value
from askew.report.evidence import OVERALL, Evidence, Place
from askew.schema import Unit
from askew.stats.intervals import exceeds
from askew.untrusted import one_line

_WORDS = yaml_of(__package__, "chapter.yaml")["words"]
_CHANGE = Unit("squared points", signed=True)


def label(evidence: Evidence, at: Mapping[str, str]) -> str:
    """Values of levels in words; a log may bring formats and categories that nobody registered."""
    told = []
    for level, value in at.items():
        if level == "category":
            known = CATEGORIES.get(value)
            told.append(known.label if known else one_line(f"{value} formats"))
            continue
        if level in ("demos", "repeat"):
            value = f"{float(value):.0f}"
        told.append(evidence.label(level, value.replace("_", " ") if level == "format" else value))
    return ", ".join(told)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """BiasF of each category that a model was asked, in its plainest arm."""
    for model in evidence.models:
        arms = {c: own for c in evidence.values("category") if (own := _arms(evidence, model, c))}
        for category, own in arms.items():
            at = {"category": category, **own[0]}
            found = evidence.estimate("bias_f", model, **at)
            of = verdict_of(evidence, model, found, None, len(arms), **at)
            known = not math.isnan(found.null.p_value)
            over = evidence.estimate("bias_f_over_followed", model, **at)
            text = fill(
                _WORDS["missing" if found.missing else "sentence" if known else "few"],
                found=found, over=over, of=of, apart=_root(found.value),
                corrected=_root(found.null.value_debiased),
                null=f"{BIAS_F.unit.write(found.null.null_mean)}, "
                f"{format_p_value(found.null.p_value)}",
            )  # fmt: skip
            named = label(evidence, at if len(own) > 1 else {"category": category})
            worst = _finding(evidence, model, at) if of.detected else ""
            screen = {"apart": found.null.value_debiased, "low": found.low, "high": found.high}
            head = headline(
                evidence, model, "bias_f", text, of, finding=worst,
                label=f"{BIAS_F.label}, {named}", estimate=found,
                screen={n: _root(value) for n, value in screen.items()},
            )  # fmt: skip
            yield replace(head, metric=f"bias_f_{category}")
        if not arms:
            why = evidence.estimate("bias_f", model).why
            yield headline(evidence, model, "bias_f", f"Undefined: {why}.")


def _root(variance: float) -> str:
    return f"{math.sqrt(max(variance, 0.0)):.1f}"


def _arms(evidence: Evidence, model: Model, category: str) -> list[dict[str, str]]:
    """How many demonstrations a model saw and how often the format was asked for, least first."""
    levels, rows = ["demos", "repeat"], evidence.rows[evidence.rows["model"] == model.label]
    arms = rows.loc[rows["category"] == category, levels].drop_duplicates().sort_values(levels)
    return [dict(zip(levels, map(str, arm), strict=True)) for arm in arms.itertuples(index=False)]


def _finding(evidence: Evidence, model: Model, at: Mapping[str, str]) -> str:
    """The formats with the lowest and the highest EstTrue."""
    formats = evidence.narrowed("category", at["category"]).values("format")
    found = {f: evidence.estimate("est_true", model, **at, format=f) for f in formats}
    scores = {f: score for f, score in found.items() if not score.missing}
    worst, best = (pick(scores, key=lambda f: scores[f].value, default="") for pick in (min, max))
    if not scores or not exceeds(scores[best].value, scores[worst].value):
        return ""
    names = {f: label(evidence, {"format": f}) for f in formats}
    return fill(
        _WORDS["finding"], worst=names[worst][:1].upper() + names[worst][1:], best=names[best],
        low=scores[worst], high=scores[best], n=scores[worst].n_items,
        without=len(found) - len(scores),
    )  # fmt: skip


def reliable_cells(evidence: Evidence, place: Place) -> Cell:
    """How many of the cells that a mean is over hold by the paper's Theorem 3.1."""
    reliable = _reliability(evidence, place)
    return Cell(f"{sum(reliable)} of {len(reliable)}")


def reliability(evidence: Evidence, place: Place) -> str:
    """The mark of EstTrue; a mean is marked where a part is unreliable."""
    is_one_cell = {"subset", "prompting"} <= set(place.at)
    if not all(_reliability(evidence, place)):
        return "u" if is_one_cell else "p"
    constant = evidence.number(replace(place, metric="est_true_constant"))
    return "c" if is_one_cell and constant.value == 1 else ""


def _reliability(evidence: Evidence, place: Place) -> list[bool]:
    """For each cell that a number averages over, whether it is reliable."""
    subsets, ways = (
        [place.at[n]] if n in place.at else evidence.values(n) for n in ("subset", "prompting")
    )
    cells = [
        replace(place, at={**place.at, "subset": s, "prompting": way})
        for s in subsets
        for way in ways
    ]
    return [
        evidence.number(replace(cell, metric="est_true_reliable")).value == 1
        for cell in cells
        if evidence.number(replace(cell, metric="fi")).n_items
    ]


def is_treatment_run(evidence: Evidence) -> bool:
    """Whether some model was asked with a treatment and without."""
    rows = evidence.observations
    return any(has_treatment(rows, model.label) for model in evidence.models)


def verdicts(evidence: Evidence) -> Table:
    """The paper's verdict on every treatment that was tried, and on its own."""
    records = []
    for model in evidence.models:
        found = mitigations(evidence.of(model), model.label, (), evidence.interval)
        records += [_record(model.marked, after, v, model.kind) for _, after, v in found]
    # Only models that the paper treated are printed with an arm; the plain one comes first.
    printed = evidence.printed[evidence.printed["model"].str.contains(", ")]
    names = printed["model"].str.partition(", ")
    for name, own in printed.assign(arm=names[2]).groupby(names[0], sort=False):
        (_, plain), *arms = own.groupby("arm", sort=False)
        records += [
            _record(f"{name} in the paper", str(arm), _published_verdict(plain, after), "published")
            for arm, after in arms
        ]
    words = _WORDS["verdicts"]
    return make_table(words, records, "format_bias-mitigation-verdicts", one_line=one_line)


def _record(of: str, after: str, verdict: Verdict, kind: RowKind) -> dict[str, Any]:
    """A verdict: BiasF before, after and its change; formats that FI falls or stays for."""
    made = partial(Estimate, n_items=verdict.n_items, reason=verdict.reason, unit=BIAS_F.unit)
    numbers = [Estimate(math.nan, reason=verdict.reason)] * 3
    for moved in verdict.criteria[:1]:
        bounds = () if kind == "published" else (moved.low, moved.high)
        change = replace(made(moved.change, *bounds), unit=_CHANGE)
        numbers = [made(moved.before), made(moved.after), change]
    cells = dict(zip(_WORDS["verdict_numbers"], map(partial(Cell, ""), numbers), strict=True))
    failing = [c.format for c in verdict.criteria if c.metric == "fi" and not c.holds]
    return {"of": of, "after": after, "v": verdict, "kind": kind, "cells": cells,
            "known": CATEGORIES.get(verdict.category), "failing": failing}  # fmt: skip


def _published_verdict(before: pd.DataFrame, after: pd.DataFrame) -> Verdict:
    """The verdict on an arm that follows from Table 18; it was printed without intervals."""
    was, now = (rows.set_index(["metric", "format"])["value"] for rows in (before, after))
    places = [("bias_f", OVERALL), *(at for at in was.index if at[0] == "fi" and at[1] != OVERALL)]
    criteria = []
    for metric, name in places:
        old, new = float(was[metric, name]), float(now[metric, name])
        # What was printed is taken as sure.
        criteria.append(Criterion(metric, name, old, new, new - old, new - old))
    return Verdict(str(before["category"].iloc[0]), tuple(criteria))
