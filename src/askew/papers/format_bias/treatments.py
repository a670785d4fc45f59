"""Format bias: does a treatment mitigate it? The paper's verdict for every pair of arms."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pandas as pd

from askew.papers.format_bias.mitigation import Verdict, mitigation_verdict
from askew.papers.format_bias.paper import DEMOS, PAPER, PLAIN, demonstrated, repeated
from askew.report.document import Cell, Column, Group, Row, Table
from askew.schema import MISSING
from askew.statistics.tables import Interval
from askew.untrusted import one_line

# Whoever asks for these asks what moves them.
METRICS = ("bias_f", "fi")
HOW_TO_ASK = "-T demos=0,5 or -T repeat=1,3"
_ARM = tuple(PLAIN)


@dataclass(frozen=True)
class Mitigation:
    """A treatment, and the paper's verdict on it for one category of formats."""

    before: str
    after: str
    verdict: Verdict


def compared(
    rows: pd.DataFrame, baseline: str, others: Sequence[str], interval: Interval
) -> Table | None:
    """The verdicts on the arms of each model, then on other models in the baseline's place.

    Args:
        rows: observations of format bias.
        baseline: the baseline's label.
        others: labels of the models that are compared with it.
        interval: how to make intervals.
    """
    found = mitigations(rows, baseline, others, interval)
    if not found:
        return None
    within = [m for m in found if m.after not in others]
    between = [m for m in found if m.after in others]
    groups = [
        Group([_row(m) for m in part], title)
        for part, title in (
            (within, "with a treatment and without"),
            (between, "another model, fine-tuned say, in the baseline's place"),
        )
        if part
    ]
    return Table(
        id="mitigation",
        caption=f"{PAPER.task}: is the bias mitigated (BiasF falls and format following rises for "
        "every format)?",
        head="before -> after",
        columns=[
            Column("formats", numeric=False),
            Column("BiasF, squared points"),
            Column("items"),
            Column("verdict", numeric=False),
        ],
        groups=groups,
        records=[_record(m) for m in found],
    )


def _row(found: Mitigation) -> Row:
    verdict = found.verdict
    bias = next((c for c in verdict.criteria if c.metric == "bias_f"), None)
    known = bias is not None and not math.isnan(bias.change)
    cells = [
        verdict.category,
        f"{bias.before:.1f} to {bias.after:.1f}" if bias and known else MISSING,
        f"{verdict.n_items:,}",
        one_line(str(verdict).partition(": ")[2], 300),
    ]
    return Row(f"{one_line(found.before)} -> {one_line(found.after)}", [Cell(c) for c in cells])


def _record(found: Mitigation) -> dict[str, object]:
    return {
        "before": found.before,
        "after": found.after,
        "formats": found.verdict.category,
        "effective": found.verdict.effective,
        "settled": found.verdict.settled,
        "n_items": found.verdict.n_items,
        "verdict": str(found.verdict),
    }


def mitigations(
    rows: pd.DataFrame, baseline: str, models: Sequence[str], interval: Interval
) -> tuple[Mitigation, ...]:
    """Verdicts on demonstrations and repeats within a model, and on models as treatments.

    A model is a treatment of the baseline in the sense of the paper's fine-tuning: the same arm,
    asked of both.
    """
    if not len(rows):
        return ()
    arms = rows.assign(**{c: _filled(rows, c) for c in _ARM})
    return tuple(
        Mitigation(before, after, verdict)
        for before, after, pair in _pairs(arms, baseline, models)
        for verdict in mitigation_verdict(*pair, interval)
    )


def has_treatment(rows: pd.DataFrame, label: str) -> bool:
    """Whether a model was asked with and without a treatment."""
    own = rows[rows["model"] == label]
    return (
        len(own) > 0 and len(pd.DataFrame({c: _filled(own, c) for c in _ARM}).drop_duplicates()) > 1
    )


def _filled(rows: pd.DataFrame, column: str) -> pd.Series[int]:
    given = rows.get(column, pd.Series(PLAIN[column], index=rows.index))
    return given.fillna(PLAIN[column]).astype(int)


def _pairs(
    arms: pd.DataFrame, baseline: str, models: Sequence[str]
) -> Iterator[tuple[str, str, tuple[pd.DataFrame, pd.DataFrame]]]:
    of = {str(m): part for m, part in arms.groupby("model", sort=False)}
    for model in (baseline, *models):
        parts = _by_arm(of[model]) if model in of else {}
        plain = min(parts, default=None)
        for arm, part in parts.items():
            if plain is not None and arm != plain:
                yield f"{model}, {_words(plain)}", _words(arm), (parts[plain], part)
    for model in models:
        if model not in of or baseline not in of:
            continue
        before, after = _by_arm(of[baseline]), _by_arm(of[model])
        for arm in before:
            if arm in after:
                yield f"{baseline}, {_words(arm)}", model, (before[arm], after[arm])


def _by_arm(rows: pd.DataFrame) -> dict[tuple[int, int], pd.DataFrame]:
    parts = rows.groupby(list(_ARM), sort=True)
    return {(int(str(d)), int(str(r))): part for (d, r), part in parts}


def _words(arm: tuple[int, int]) -> str:
    demos, repeat = arm
    return f"{demonstrated(demos) if demos else DEMOS[demos]}, {repeated(repeat)}"
