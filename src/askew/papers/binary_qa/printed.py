"""The printed results of Binary QA (Tables 1 to 5) as values by model, metric and domain."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files

BASELINE = "Baseline"
# Tables 4 and 5 shorten three names of Table 1.
_FULL_NAMES: Mapping[str, str] = {
    "Magistral M 1.2": "Magistral Medium 1.2",
    "Magistral Med 1.2": "Magistral Medium 1.2",
    "Mistral M 3.1": "Mistral Medium 3.1",
    "Mistral Med 3.1": "Mistral Medium 3.1",
}
_DOMAINS = ("reading", "multi_hop", "numerical", "translation", "ethics")


@dataclass(frozen=True)
class Published:
    """One printed cell; `subset` is "all" for Tables 1 and 2."""

    model: str
    metric: str
    subset: str
    value: float
    table: int


# Table 4 prints -0.01, which contradicts o3's own F1 (0.93) and difference in recall (0.12) there:
# with balanced labels these give about -0.105.
CONTRADICTED = Published("o3", "delta_precision", "numerical", -0.01, 4)
BY_DEFINITION = -0.105


def published() -> list[Published]:
    """All printed cells, as printed, under the model names of Table 1."""
    return [
        *_overall("table1.csv", 1, ""),
        *_overall("table2_stdev.csv", 2, "stdev_"),
        *_by_domain("table3_f1_by_domain.csv", 3),
        *_by_domain("table4_bias_by_domain.csv", 4),
        *_by_domain("table5_consistency_by_domain.csv", 5),
    ]


def _overall(name: str, table: int, prefix: str) -> Iterator[Published]:
    for model, cells in _rows(name):
        for metric, value in cells.items():
            yield Published(model, prefix + metric, "all", value, table)


def _by_domain(name: str, table: int) -> Iterator[Published]:
    """Columns are a domain (of F1), a metric and a domain, or a domain and a metric."""
    for model, cells in _rows(name):
        for column, value in cells.items():
            subset = next(d for d in _DOMAINS if d in column)
            metric = column.replace(subset, "").strip("_") or "f1"
            yield Published(model, metric, subset, value, table)


def _rows(name: str) -> Iterator[tuple[str, dict[str, float]]]:
    text = (files(__package__) / "published" / name).read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        model = row.pop("model")
        yield _FULL_NAMES.get(model, model), {k: float(v) for k, v in row.items()}
