"""MathComp: what replies in the frame's words do to the numbers, and who read which replies."""

from __future__ import annotations

import pandas as pd

from askew.metrics import mathcomp
from askew.papers.mathcomp.chapter_words import DIRECTIONS, Asked, asked
from askew.papers.mathcomp.numbers import Reading
from askew.papers.mathcomp.numbers_rates import ALL, LABELS, LEVELS
from askew.report.document import Cell, Column, Estimate, Group, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import PERCENT, POINTS, Unit

READINGS_TABLE = "mathcomp-readings"
_METRICS = (
    "accuracy",
    "framing_pull",
    *(f"framing_pull_{label}" for label in LABELS),
    *(f"dir_err_{toward}" for toward in DIRECTIONS),
)
# What a row counts as the answer, and whether replies without one stay in the denominators.
_READINGS: tuple[tuple[str, Reading, bool, str], ...] = (
    ("as understood", "answer", False, "answer"),
    ("strict: the option word", "strict", False, "strict_answer"),
    ("lenient: own reasoning too", "lenient", False, "lenient_answer"),
    ("as understood, unread left out", "answer", True, "answer"),
)
_UNDECIDED = "undecided_by_rules"


def readings(evidence: Evidence) -> Table:
    """The main numbers in each reading of the same replies."""
    groups = []
    for who in asked(evidence):
        rows = []
        for words, reading, parsed_only, column in _READINGS:
            if column not in evidence.observations:
                continue
            found = _in_reading(evidence, who, reading, parsed_only)
            cells = [Cell(estimate=found[m], unit=_unit(m)) for m in _METRICS]
            rows.append(Row(words, [*cells, items_cell(found["framing_pull"])], who.kind))
        groups.append(Group(rows, who.marked))
    return Table(
        id=READINGS_TABLE,
        caption="The same replies in strict and lenient reading, with 95% intervals",
        head="Reading",
        columns=[
            Column("Accuracy", "percent"),
            Column("Framing pull", "points"),
            *(Column(f"Pull of {label}", "points") for label in LABELS),
            *(Column(f"Wrongly {toward}", "percent, all framings") for toward in DIRECTIONS),
            Column("Items", "scored in every framing"),
        ],
        groups=groups,
        source="A judge's verdict is all three readings at once.",
    )


def _unit(metric: str) -> Unit:
    return POINTS if metric.startswith("framing_pull") else PERCENT


def _in_reading(
    evidence: Evidence, who: Asked, reading: Reading, parsed_only: bool
) -> dict[str, Estimate]:
    own = evidence.observations
    own = own[(own["model"] == who.model.label) & (own["output"] == who.output)]
    table = mathcomp(
        own, interval=evidence.interval, parsed_only=parsed_only, reading=reading, cuts=((),)
    )
    pooled = table[(table[list(LEVELS)] == ALL).all(axis=1)]
    return {
        str(r["metric"]): Estimate(
            float(r["value"]),
            float(r["low"]),
            float(r["high"]),
            int(r["n_items"]),
            int(r["n_dropped"]),
            str(r["reason"]),
        )
        for r in pooled.to_dict("records")
    }


def outcomes(evidence: Evidence) -> Table:
    """How many replies were read, by whom, and what was found in them."""
    rows = []
    for who in asked(evidence):
        own = evidence.observations
        own = own[(own["model"] == who.model.label) & (own["output"] == who.output)]
        decided = own.get("decided_by", pd.Series("rules", index=own.index))
        counts = [
            len(own),
            int((decided == "rules").sum()),
            int((decided == "judge").sum()),
            int((own["frames_words"] == 1).sum()),
            int((own["yes_no"] == 1).sum()),
            int((own["answered"] == 0).sum()),
        ]
        rows.append(Row(who.name, [Cell(f"{n:,}") for n in counts], who.kind))
    return Table(
        id="mathcomp-outcomes",
        caption="How replies were read (counts of scored replies)",
        head="Model",
        columns=[
            Column("Scored"),
            Column("By rules"),
            Column("By a judge"),
            Column("In the frame's words", "strict and lenient reading differ"),
            Column("Yes or No alone", "names no option"),
            Column("No answer", "errs in no direction"),
        ],
        groups=[Group(rows)],
    )


def undecided(evidence: Evidence) -> str:
    """How many free-form replies stand in no number because nobody decided them."""
    if evidence.losses is None:
        return ""
    mine = evidence.losses[evidence.losses["what"] == "unscored"]
    open_ones = mine[mine["why"].str.contains(_UNDECIDED, regex=False)]
    counts = open_ones.groupby("model", sort=False)["count"].sum()
    told = [f"{counts[m.label]} of {m.short}" for m in evidence.models if m.label in counts.index]
    if not told:
        return ""
    return (
        f"Left out of every number: {', '.join(told)}, free-form replies that the rules could not "
        "decide while no judge was bound."
    )
