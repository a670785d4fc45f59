"""Review sheets: tables that a person decides on row by row, in a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from askew.files import write_whole

_YES, _NO = ("yes", "y", "x", "1", "true"), ("no", "n", "0", "false")
# What a spreadsheet would take for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


class ReviewError(ValueError):
    """A review sheet can't be used as it is."""


def verdict_of(accept: str) -> bool | None:
    """What a person wrote into `accept`; None where nothing that is a verdict."""
    word = accept.strip().casefold()
    return True if word in _YES else False if word in _NO else None


def write_rows(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, str]]) -> None:
    """Write the sheet whole or not at all."""
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, columns)
    writer.writeheader()
    writer.writerows({k: _guarded(v) for k, v in row.items()} for row in rows)
    write_whole(path, lines.getvalue())


def read_rows(path: Path, columns: Sequence[str], name: Sequence[str]) -> list[dict[str, str]]:
    """The rows of a sheet; an error names what is wrong and where.

    Args:
        path: the sheet.
        columns: those it must have, `accept` among them.
        name: columns that name a row in errors.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [c for c in columns if c not in (reader.fieldnames or [])]
            if missing:
                raise ReviewError(f"{path} has no column {', '.join(missing)}; is it the sheet?")
            rows = [{c: _unguarded(raw[c] or "") for c in columns} for raw in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ReviewError(f"{path} can't be read: {error}") from error
    for number, row in enumerate(rows, start=1):
        if row["accept"].strip() and verdict_of(row["accept"]) is None:
            raise ReviewError(
                f"{path}, record {number} ({', '.join(row[c] for c in name)}): accept is "
                f"{row['accept']!r}; write yes or no"
            )
    return rows


def _guarded(cell: str) -> str:
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _unguarded(cell: str) -> str:
    return cell[1:] if cell[:1] == "'" and cell[1:].startswith(_FORMULA) else cell
