"""Observation tables built by hand, and a small reader of HTML pages, for the report's tests."""

from collections.abc import Callable
from html.parser import HTMLParser
from unittest.mock import patch

import pandas as pd

from askew.report.report import write_report

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
SUBSETS = ("mctest", "bank77")
_VOID = {"meta", "link", "br", "hr", "img", "input", "line", "circle", "path", "rect"}


def observed(
    model: str = "acme/model-1",
    right: Callable[[str, int], bool] = lambda hint, i: hint == "with_gold" or i % 3 == 0,
    subsets: tuple[str, ...] = SUBSETS,
    items: int = 6,
    hints: tuple[str, ...] = HINTS,
    **columns: object,
) -> pd.DataFrame:
    """KnowNo observations of one model: `right` says which hint of which item is right."""
    rows = []
    for subset in subsets:
        for i in range(items):
            for hint in hints:
                correct = right(hint, i)
                rows.append({
                    "model": model, "model_name": model, "task": "knowno", "subset": subset,
                    "item": f"{subset}-{i}", "cluster": f"{subset}-{i}", "epoch": 1,
                    "kind": "story", "hint": hint, "order": 0, "gold": f"the_gold_{i}",
                    "correct": float(correct),
                    "said_none": float(correct and hint != "with_gold"),
                    "delimiter_leak": 0.0,
                    "pattern": "none" if correct and hint == "no_hint" else "offered",
                    "letter_kind": "none", "decided_by": "rules",
                    "answer": f"the_gold_{i}" if correct else f"another {i}",
                    "outcome": "ok", "status": "scored", "run": f"run of {model[:40]}",
                    "sample_id": f"{subset}-{i}/{hint}/0", "log": "",
                } | columns)  # fmt: skip
    return pd.DataFrame(rows)


class Page(HTMLParser):
    """What a page holds: its elements with their attributes, and its text without scripts."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[tuple[dict[str, str | None], str]] = []
        self.rows: dict[str, list[list[str]]] = {}
        self.numbers: dict[str, list[list[float | None]]] = {}
        self.text = ""
        self._open: list[str] = []
        self._table = ""
        self.feed(html)
        self.close()

    @property
    def loaded(self) -> list[tuple[dict[str, str | None], str]]:
        """The scripts and their data, without packed replies."""
        return [(a, code) for a, code in self.scripts if a.get("type") != "text/plain"]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.elements.append((tag, found))
        if tag not in _VOID:
            self._open.append(tag)
        if tag == "script":
            self.scripts.append((found, ""))
        if tag == "div" and (found.get("class") or "").split()[:1] == ["table"]:
            self._table = found.get("id") or ""
            self.rows[self._table], self.numbers[self._table] = [], []
        elif tag == "tr" and self._table:
            self.rows[self._table].append([])
            self.numbers[self._table].append([])
        elif tag in ("td", "th") and self._table:
            self.rows[self._table][-1].append("")
            self.numbers[self._table][-1].append(None)
        elif tag == "data" and self._table and self.numbers[self._table]:
            self.numbers[self._table][-1][-1] = float(found.get("value") or "nan")
        elif tag == "figure":
            self._table = ""

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag in self._open and self._open.pop() != tag:
            pass
        if tag == "table":
            self._table = ""

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ""
        if inside == "script":
            attributes, code = self.scripts[-1]
            self.scripts[-1] = (attributes, code + data)
        elif inside != "style":
            self.text += data
            if self._table and {"td", "th"} & set(self._open) and self.rows[self._table]:
                self.rows[self._table][-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]

    @property
    def ids(self) -> list[str]:
        return [value for _, a in self.elements if (value := a.get("id"))]


def unfolded_report(study, path, **options):
    """Write a report that shows all that its chapters hold, where a page folds and prunes."""
    with patch("askew.report.report.fold_details", lambda part: part):
        return write_report(study, path, **options)
