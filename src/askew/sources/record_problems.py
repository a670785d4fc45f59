"""What is wrong in a file of records: one problem, all of a file, and the error that says so."""

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from askew.parameters import Refusal

PRINTED = 50
KEPT = 1000

_SHORT = reprlib.Repr()
_SHORT.maxstring = 60
_SHORT.maxother = 60


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file: where, what, and what to do."""

    line: int | None
    field: str | None
    what: str
    fix: str

    def __str__(self) -> str:
        place = []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.field:
            place.append(f"field {printable(self.field)}")
        says = printable(self.what) + (f" ({self.fix})" if self.fix else "")
        return f"{', '.join(place)}: {says}" if place else says


class RecordsError(Refusal, ValueError):
    """Records can't be used; nothing of their file was.

    `problems` holds the first thousand of what is wrong, `count` says how many there are.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = (), count: int = 0) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.count = max(count, len(self.problems))


class Report:
    """Everything that is wrong in one file, of which the first thousand are kept."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._problems: list[Problem] = []
        self._columns: set[tuple[str, str]] = set()
        self._count = 0

    def note(self, line: int | None, what: str, fix: str, field: str | None = None) -> None:
        self._count += 1
        if len(self._problems) < KEPT:
            self._problems.append(Problem(line, field, what, fix))

    def note_invalid(
        self, line: int, raw: Mapping[str, Any], header: int | None, error: Exception
    ) -> None:
        """Note why a record was refused, whatever its validation raised."""
        if isinstance(error, ValidationError):
            for each in error.errors(include_url=False, include_context=False):
                self._note_field(line, raw, header, dict(each))
        elif isinstance(error, KeyError):
            self.note(line, "missing", "add it", field=str(*error.args[:1]))
        else:
            self.note(line, str(error) or type(error).__name__, "mend the record")

    def _note_field(
        self, line: int, raw: Mapping[str, Any], header: int | None, error: Mapping[str, Any]
    ) -> None:
        kind, place = error["type"], error["loc"]
        field = ".".join(map(str, place)) or None
        is_column = header is not None and len(place) == 1 and field is not None
        if is_column and kind == "missing" and field not in raw:
            self._note_column(header, field, "no such column", "add it to the header")
        elif is_column and kind == "extra_forbidden":
            self._note_column(header, field, "a column that is not known", "rename or remove it")
        elif is_column and kind == "missing":
            self.note(line, "the cell is empty", "fill it", field)
        elif kind == "missing":
            self.note(line, "missing", "add it", field)
        elif kind == "extra_forbidden":
            self.note(line, "a field that is not known", "rename or remove it", field)
        elif is_column and kind == "list_type":
            fix = 'write a JSON array, such as ["one", "two"], into the cell'
            self.note(line, _said(error), fix, field)
        else:
            self.note(line, _said(error), f"found {_SHORT.repr(error['input'])}", field)

    def _note_column(self, header: int | None, field: str | None, what: str, fix: str) -> None:
        # Every record would repeat it.
        if (what, str(field)) not in self._columns:
            self._columns.add((what, str(field)))
            self.note(header, what, fix, field)

    def raise_if_any(self) -> None:
        if self._count:
            raise RecordsError(self._message(), self._problems, self._count)

    def _message(self) -> str:
        things = "1 problem" if self._count == 1 else f"{self._count:,} problems"
        lines = [f"{self._name}: {things}; no record was used."]
        lines += [f"  {problem}" for problem in self._problems[:PRINTED]]
        if self._count > PRINTED:
            lines.append(f"  and {self._count - PRINTED:,} more")
        return "\n".join(lines)


def _said(error: Mapping[str, Any]) -> str:
    return str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")


def printable(text: str, limit: int = 300) -> str:
    """A text as one line that a terminal can show, cut where it is long."""
    shown = "".join(c if c.isprintable() else repr(c)[1:-1] for c in text[:limit])
    return shown + ("..." if len(text) > limit else "")
