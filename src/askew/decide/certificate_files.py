"""A calibration's certificate for the terminal and as a file: md, json or csv."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from askew import __version__
from askew.decide.calibrate import HOLDS, OFF, Certificate
from askew.files import write_whole
from askew.papers import metric_of
from askew.report.document import Cell, Column, Group, Row, Table
from askew.report.markdown import table_text, text
from askew.report.terminal import table_lines
from askew.schema import Unit


def certificate_lines(certificate: Certificate) -> Iterator[str]:
    """The certificate line by line, its outcome last."""
    if len(certificate.table):
        yield from table_lines(certificate_table(certificate))
    yield outcome(certificate)


def outcome(certificate: Certificate) -> str:
    """What came of it, in a line."""
    verdicts = certificate.table["verdict"]
    n_off = int((verdicts == OFF).sum())
    told = f"{int((verdicts == HOLDS).sum())} numbers hold what was planted, {n_off} are off"
    missing = ", ".join(certificate.uncovered)
    return f"{told}; no planted values for {missing}" if missing else told


def write_certificate(certificate: Certificate, path: str | Path) -> Path:
    """Write it; the suffix says how: .md, .json or .csv. The file appears whole or not at all.

    Args:
        certificate: what `calibrate` returns.
        path: where to write it.
    """
    return write_whole(path, writer_for(path)(certificate))


def writer_for(path: str | Path) -> Callable[[Certificate], str]:
    """How to write a file of this name; an unknown suffix is refused with the list."""
    kind = Path(path).suffix.lower()
    if kind not in _WRITERS:
        raise ValueError(
            f"{path}: the suffix {kind!r} names no kind of certificate; valid: "
            f"{', '.join(_WRITERS)}"
        )
    return _WRITERS[kind]


def certificate_table(certificate: Certificate) -> Table:
    """The certificate as a table, a group a task and respondent."""
    groups = []
    for (task, respondent), part in certificate.table.groupby(["task", "respondent"], sort=False):
        rows = [_row(row) for row in part.to_dict("records")]
        groups.append(Group(rows, f"{task}: respondent/{respondent}"))
    return Table(
        "calibration",
        "",
        "metric",
        [
            Column("planted"),
            Column("measured"),
            Column("unit", numeric=False),
            Column(f"one {certificate.level:.0%} interval"),
            Column("coverage"),
            Column("items"),
            Column("verdict", numeric=False),
        ],
        groups,
    )


def _row(row: Mapping[Any, Any]) -> Row:
    unit: Unit = metric_of(row["task"], row["metric"]).unit
    head = f"{row['metric']} ({row['levels']})" if row["levels"] else str(row["metric"])
    ends = f"{unit.write(row['low'])} to {unit.write(row['high'])}"
    return Row(
        head,
        [
            Cell(unit.write(row["planted"])),
            Cell(unit.write(row["measured"])),
            Cell(unit.name),
            Cell("" if math.isnan(row["low"]) else ends),
            Cell(f"{row['held']} of {row['given']}"),
            Cell(f"{row['n_items']:,}"),
            Cell(row["verdict"]),
        ],
    )


def _markdown(certificate: Certificate) -> str:
    parts = [
        "# Does the instrument measure what is there?",
        text(
            "Simulated models with planted tendencies, measured again and again: what the "
            "tendencies imply, what was measured on average, and how often the "
            f"{certificate.level:.0%} interval held what was planted."
        ),
        table_text(certificate_table(certificate)) if len(certificate.table) else "",
        f"**{text(outcome(certificate))}**. Written by askew {__version__}.",
    ]
    return "\n\n".join(p for p in parts if p) + "\n"


def _json(certificate: Certificate) -> str:
    rows = [
        {str(k): None if isinstance(v, float) and math.isnan(v) else v for k, v in row.items()}
        for row in certificate.table.to_dict("records")
    ]
    told = {
        "schema": "askew-certificate",
        "version": "1.0",
        "level": certificate.level,
        "holds": certificate.holds,
        "uncovered": list(certificate.uncovered),
        "numbers": rows,
    }
    return json.dumps(told, indent=1, allow_nan=False) + "\n"


def _csv(certificate: Certificate) -> str:
    return str(certificate.table.to_csv(index=False, lineterminator="\n"))


_WRITERS: Mapping[str, Callable[[Certificate], str]] = {
    ".md": _markdown,
    ".json": _json,
    ".csv": _csv,
}
