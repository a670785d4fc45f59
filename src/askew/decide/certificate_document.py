"""A certificate as a document: what was planted and measured, and what it can't see."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from askew.decide.calibrate import COVERAGE, HOLDS, OFF, POWER, Certificate
from askew.papers import metric_of
from askew.report.document import (
    Document,
    Group,
    Notes,
    Part,
    Row,
    Section,
    Table,
    columns,
    text_row,
)


def certificate_document(certificate: Certificate) -> Document:
    """What was planted and measured, a group a task and respondent, and what it can't see."""
    table = certificate.table
    intro = (
        "Simulated models with planted tendencies, measured again and again: what the tendencies "
        f"imply, what was measured on average, and how often the {certificate.level:.0%} interval "
        "held what was planted. Where a model is without the effect that a number looks for: how "
        "often it was called biased (p of at most 0.05), and the number with its noise taken off."
    )
    planted = Section("", "", (), [_planted(certificate)] if len(table) else [])
    limits = Notes([*_limits(certificate)])
    return Document(
        title="Does the instrument measure what is there?",
        lede="",
        parts=[
            Part("calibration", "Planted and measured", [planted], reference=intro),
            Part("limits", "What it can't see", [Section("", "", (), [limits])]),
        ],
        data=lambda: {
            "schema": "askew-certificate",
            "version": "1.1",
            "level": certificate.level,
            "holds": certificate.holds,
            "uncovered": certificate.uncovered,
            "repetitions": certificate.repetitions,
            "repetitions_needed": certificate.needed,
            "seen": {str(c): certificate.sees(c) for c in (0.85, COVERAGE)},
            "smallest_gap": certificate.smallest_gap,
            "unseen": certificate.unseen,
            "never_judged": certificate.judged,
            "numbers": table.to_dict("records"),
        },
        outcome=_outcome(certificate),
    )


def _outcome(certificate: Certificate) -> str:
    verdicts = certificate.table.get("verdict", pd.Series(dtype=str))
    told = f"{(verdicts == HOLDS).sum()} numbers hold what was planted, {(verdicts == OFF).sum()}"
    missing = ", ".join(certificate.uncovered)
    return f"{told} are off" + (f"; no planted values for {missing}" if missing else "")


def _limits(certificate: Certificate) -> Iterator[str]:
    """How small a fault shows, and what was not looked at."""
    n, needed = certificate.repetitions, certificate.needed
    gap = certificate.smallest_gap
    smallest = "none" if math.isnan(gap) else f"{certificate.level - gap:.1%} or less"
    yield (
        f"{n:,} repetitions. A true coverage of {COVERAGE:.0%} would be called off with a chance "
        f"of {certificate.sees(COVERAGE):.0%}, one of 85% of {certificate.sees(0.85):.0%}; the "
        f"coverage that shows {POWER:.0%} of the time: {smallest}."
    )
    if n < needed:
        yield (
            f"Too few: {needed:,} repetitions show a coverage of {COVERAGE:.0%} {POWER:.0%} of the "
            f"time (--repetitions {needed})."
        )
    if len(certificate.table):
        least, most = (int(f(certificate.table["n_items"])) for f in (min, max))
        yield f"Numbers rest on {least:,} to {most:,} items; of fewer or more nothing is said."
    for task, unseen in certificate.unseen.items():
        by_reason: dict[str, list[str]] = {}
        for metric, reason in unseen.items():
            by_reason.setdefault(reason, []).append(metric)
        for reason, metrics in by_reason.items():
            yield f"{task}, not looked at: {', '.join(metrics)} ({reason})."
    if certificate.judged:
        yield f"No judge was asked ({', '.join(certificate.judged)}): askew judge-check tries one."


def _planted(certificate: Certificate) -> Table:
    heads = columns(
        "planted", "measured", "unit", f"one {certificate.level:.0%} interval", "coverage",
        "false alarms", "noise taken off", "items", "verdict", texts=("unit", "verdict"),
    )  # fmt: skip
    by_respondent = certificate.table.groupby(["task", "respondent"], sort=False)
    return Table(
        id="planted",
        caption="",
        head="metric",
        columns=heads,
        groups=[
            Group([*map(_measured, part.to_dict("records"))], f"{task}: respondent/{respondent}")
            for (task, respondent), part in by_respondent
        ],
    )


def _measured(row: Mapping[Hashable, Any]) -> Row:
    unit = metric_of(row["task"], row["metric"]).unit
    ends = f"{unit.write(row['low'])} to {unit.write(row['high'])}"
    texts = [
        unit.write(row["planted"]),
        unit.write(row["measured"]),
        unit.name,
        "" if math.isnan(row["low"]) else ends,
        f"{row['held']} of {row['given']}",
        f"{row['alarms']} of {row['tested']}" if row["tested"] else "",
        unit.write(row["without_noise"]) if row["tested"] else "",
        f"{row['n_items']:,}",
        str(row["verdict"]),
    ]
    levels = row["levels"]
    return text_row(f"{row['metric']} ({levels})" if levels else str(row["metric"]), texts)
