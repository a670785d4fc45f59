"""A certificate as a document: what was planted and measured, and what it can't see."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd

from askew.decide.calibrate import HOLDS, OFF, Certificate
from askew.papers import metric_of
from askew.report.document import Document, Group, Part, Row, Section, Table, columns, text_row


def certificate_document(certificate: Certificate) -> Document:
    """What was planted and measured, a group a task and respondent."""
    table = certificate.table
    intro = (
        "Simulated models with planted tendencies, measured again and again: what the tendencies "
        f"imply, what was measured on average, and how often the {certificate.level:.0%} interval "
        "held what was planted."
    )
    tables = [_planted(certificate)] if len(table) else []
    return Document(
        title="Does the instrument measure what is there?",
        lede="",
        parts=[
            Part(
                "calibration",
                "Planted and measured",
                [Section("", "", (), tables)],
                reference=intro,
            )
        ],
        rows=table,
        data=lambda: {
            "schema": "askew-certificate",
            "version": "1.0",
            "level": certificate.level,
            "holds": certificate.holds,
            "uncovered": certificate.uncovered,
            "numbers": table.to_dict("records"),
        },
        outcome=_outcome(certificate),
    )


def _outcome(certificate: Certificate) -> str:
    verdicts = certificate.table.get("verdict", pd.Series(dtype=str))
    told = f"{(verdicts == HOLDS).sum()} numbers hold what was planted, {(verdicts == OFF).sum()}"
    missing = ", ".join(certificate.uncovered)
    return f"{told} are off" + (f"; no planted values for {missing}" if missing else "")


def _planted(certificate: Certificate) -> Table:
    heads = columns(
        "planted", "measured", "unit", f"one {certificate.level:.0%} interval", "coverage", "items",
        "verdict", texts=("unit", "verdict"),
    )  # fmt: skip
    by_respondent = certificate.table.groupby(["task", "respondent"], sort=False)
    return Table(
        id="planted",
        caption="",
        head="metric",
        columns=heads,
        groups=[
            Group(
                [_measured(row) for row in part.to_dict("records")],
                f"{task}: respondent/{respondent}",
            )
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
        f"{row['n_items']:,}",
        str(row["verdict"]),
    ]
    return text_row(
        f"{row['metric']} ({row['levels']})" if row["levels"] else str(row["metric"]), texts
    )
