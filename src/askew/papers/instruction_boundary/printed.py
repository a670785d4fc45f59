"""Instruction Boundary's printed results, by their own definitions where the two part."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from askew.metrics import robustness_score
from askew.report.published import read_table

# Printed with two digits; under vagueness the choice columns have one.
_ROUNDING = 0.05
_SETTINGS: Mapping[str, str] = {"few_shot_learning": "few_shot"}
_COLUMNS: Mapping[str, Mapping[str, str]] = {
    "judging": {"acc": "judging_acc", "sr": "sr1", "gr": "gr1"},
    "choice": {"acc": "choice_acc", "sr": "sr2", "gr_none": "gr2_none", "gr_multi": "gr3_multi"},
}
# One digit short: the three shares of a model's answers sum to 100 with it.
_FALSE_SLIP = ("GPT-4o", "judging_false", 0.06, 0.63)
LABELS = {"unknown": "judging_unknown", "true": "judging_true", "false": "judging_false"}
CHOICE_COLUMNS = ("choice_1", "choice_2", "choice_3")


@dataclass(frozen=True)
class Contradiction:
    """A printed number that parts from what its own parts give."""

    family: str
    model: str
    setting: str
    metric: str
    printed: float
    by_parts: float
    explained: bool = False
    """Whether other numbers of items than the paper states make the print right."""


@dataclass(frozen=True)
class Printed:
    """The main results in percent: a value for each family, setting, model and metric."""

    values: Mapping[tuple[str, str, str, str], float]
    contradictions: tuple[Contradiction, ...]

    @property
    def models(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(model for _, _, model, _ in self.values))

    def value(self, family: str, setting: str, model: str, metric: str) -> float:
        """The number by its definition, in percent; nan where none is printed."""
        return self.values.get((family, setting, model, metric), math.nan)

    def contradiction(
        self, family: str, setting: str, model: str, metric: str
    ) -> Contradiction | None:
        at = (family, setting, model, metric)
        found = (c for c in self.contradictions if (c.family, c.setting, c.model, c.metric) == at)
        return next(found, None)


@lru_cache(maxsize=1)
def main_results() -> Printed:
    """Table 3 with the printed RS beside it. RS of choice is not printed: it is computed."""
    values: dict[tuple[str, str, str, str], float] = {}
    found: list[Contradiction] = []
    scores = read_table(__package__, "robustness_score.csv").set_index("model")
    for row in read_table(__package__, "table3.csv").to_dict("records"):
        model, raw = str(row["model"]), str(row["setting"])
        setting = _SETTINGS.get(raw, raw)
        for family, columns in _COLUMNS.items():
            cells = {metric: float(row[column]) for metric, column in columns.items()}
            rates = [value for metric, value in cells.items() if metric != "acc"]
            defined = round(robustness_score(*rates), 2)
            printed = float(str(scores.loc[model, raw])) if family == "judging" else defined
            wrong = [
                *_parting(family, model, setting, "acc", cells["acc"], sum(rates) / len(rates)),
                *_parting(family, model, setting, "rs", printed, defined),
            ]
            kept = {c.metric: c.by_parts for c in wrong if not c.explained}
            cells |= {"rs": printed, **kept}
            values |= {(family, setting, model, m): value for m, value in cells.items()}
            found += wrong
    return Printed(values, tuple(found))


def _parting(
    family: str, model: str, setting: str, metric: str, printed: float, by_parts: float
) -> Iterator[Contradiction]:
    if abs(printed - by_parts) > _ROUNDING:
        # Its rates are shares of 33, 33 and 34 items, of which the accuracy is a weighted mean.
        hundred = family == "choice" and model == "gemini-2.0-flash"
        found = (family, model, setting, metric, printed, round(by_parts, 2))
        yield Contradiction(*found, explained=hundred)


@dataclass(frozen=True)
class OutputRates:
    """One model's printed shares of answers, in percent, by column."""

    model: str
    shares: Mapping[str, float]
    corrected: Mapping[str, float]
    """Printed values of the columns that were put right."""


@lru_cache(maxsize=1)
def output_rates() -> tuple[OutputRates, ...]:
    """The printed output rates; the heads of the three choice columns did not survive."""
    model, column, printed, right = _FALSE_SLIP
    table = []
    for row in read_table(__package__, "output_rate.csv").to_dict("records"):
        shares = {c: float(row[c]) for c in (*LABELS.values(), *CHOICE_COLUMNS)}
        slipped = row["model"] == model and shares[column] == printed
        corrected = {column: printed} if slipped else {}
        table.append(
            OutputRates(str(row["model"]), shares | dict.fromkeys(corrected, right), corrected)
        )
    return tuple(table)


@lru_cache(maxsize=1)
def accuracy_by_options() -> Mapping[str, Mapping[int, float]]:
    """Accuracy in percent by model and number of the printed column, 1 to 9."""
    table = read_table(__package__, "choice_number.csv")
    return {
        str(row["model"]): {int(c): float(row[c]) for c in table.columns if c != "model"}
        for row in table.to_dict("records")
    }


@lru_cache(maxsize=1)
def judge_usage() -> Mapping[str, tuple[float, ...]]:
    """Shares of replies that the judge read, in percent; the seven heads did not survive."""
    table = read_table(__package__, "judge_usage.csv")
    return {
        str(row["model"]): tuple(float(row[c]) for c in table.columns if c != "model")
        for row in table.to_dict("records")
    }
