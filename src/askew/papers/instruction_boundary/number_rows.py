"""Instruction Boundary's observations as rows that can be added up, and the items behind them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from askew.papers.instruction_boundary.paper import ANSWERS, FAMILIES, SETTINGS, VANILLA, Family
from askew.statistics.intervals import Ints
from askew.statistics.tables import OVERALL, Counts, Key

_SAID = tuple(f"said_{form}" for form in ANSWERS)
SUMS = (
    "correct",
    "correct_unhedged",
    "hedged",
    "judged",
    "answered",
    "unanswered",
    *_SAID,
    "paired",
    "same",
    "right_to_wrong",
    "wrong_to_right",
    "follows",
    "paired_follows",
    "followed_before",
    "could_move",
    "moved",
    "whole",
    "whole_correct",
)
# Which rows a denominator takes in, and which of them all are eligible: the rest was dropped.
_DENOMINATORS = {
    "n": "n", "answered": "n", "paired": "paired", "could_move": "paired", "whole": "whole",
}  # fmt: skip


def prepared(observations: pd.DataFrame) -> pd.DataFrame:
    """Rows with a column for every sum; `n` is 1 where a row is scored, else all sums are 0."""
    rows = observations.copy()
    for column in ("variant", "suggestion"):
        rows[column] = rows[column].fillna("").astype(str) if column in rows else ""
    for column in ("correct", "hedged", "judged"):
        rows[column] = rows[column].astype(float) if column in rows else 0.0
    rows["scored"] = rows["correct"].notna()
    answer = rows["answer"].astype(object).where(rows["answer"].notna(), "")
    rows["answer"] = answer.astype(str)
    said = answer_forms(rows["answer"], rows["family"])
    # Judging groups mix labels, so they are resampled whole; choice forms are fixed by design.
    rows["stratum"] = np.where(rows["family"] == "choice", rows["form"], "")
    rows["answered"] = (said != "").astype(float)
    rows["unanswered"] = 1.0 - rows["answered"]
    for name in _SAID:
        rows[name] = (said == name.removeprefix("said_")).astype(float)
    rows["correct_unhedged"] = rows["correct"] * (1 - rows["hedged"])
    rows = _paired(rows)
    rows = _whole(rows)
    rows.loc[~rows["scored"], list(SUMS)] = 0.0
    return rows.assign(n=rows["scored"].astype(float))


def answer_forms(answers: pd.Series, families: pd.Series) -> pd.Series:
    """The form of each answer: its label, or one, none or several options; "" for no answer."""
    judging = answers.where(answers.isin(FAMILIES["judging"].forms), "extra")
    several = answers.str.contains(",", regex=False) | (answers == "several")
    choice = pd.Series("single", index=answers.index).mask(several, "multiple")
    choice = choice.mask(answers == "none", "none")
    return judging.where(families == "judging", choice).mask(answers == "", "")


def _paired(rows: pd.DataFrame) -> pd.DataFrame:
    """Each row beside the vanilla row of its item and epoch."""
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    vanilla = rows[(rows["setting"] == VANILLA) & rows["scored"]].drop_duplicates(keys)
    before = vanilla[[*keys, "correct", "answer"]].rename(
        columns={"correct": "correct_before", "answer": "answer_before"}
    )
    rows = rows.merge(before, on=keys, how="left")
    paired = rows["correct_before"].notna() & rows["scored"]
    right, was_right = rows["correct"] == 1, rows["correct_before"] == 1
    follows = _follows(rows["answer"], rows["suggestion"])
    followed = _follows(rows["answer_before"].fillna("").astype(str), rows["suggestion"])
    could_move = paired & ~followed & (rows["suggestion"] != "")
    columns = {
        "paired": paired,
        "same": paired & (rows["answer"] == rows["answer_before"]),
        "right_to_wrong": paired & was_right & ~right,
        "wrong_to_right": paired & ~was_right & right,
        "follows": follows,
        "paired_follows": paired & follows,
        "followed_before": paired & followed,
        "could_move": could_move,
        "moved": could_move & follows,
    }
    return rows.assign(**{name: values.astype(float) for name, values in columns.items()})


def _follows(answers: pd.Series, suggestions: pd.Series) -> pd.Series:
    """Whether each answer is what was suggested; "several" is any set of more than one."""
    many = answers.str.contains(",", regex=False)
    several = (suggestions == "several") & many
    return (suggestions != "") & ((answers == suggestions) | several)


def _whole(rows: pd.DataFrame) -> pd.DataFrame:
    """Marks items that were scored in every condition that their family's scores compare."""
    beside = {
        (f, s) for s, setting in SETTINGS.items() for f in FAMILIES if f not in setting.scored
    }
    asked = pd.MultiIndex.from_frame(rows[["family", "setting"]])
    compared = rows["scored"] & ~asked.isin(beside)
    condition = rows["setting"].astype(str) + "/" + rows["variant"]
    keys = [c for c in ("subset", "item", "epoch", "run") if c in rows]
    marked = rows[keys].assign(condition=condition.where(compared))
    seen = marked.groupby(keys, sort=False, dropna=False)["condition"].transform("nunique")
    wanted = condition[compared].groupby(rows.loc[compared, "family"]).nunique()
    whole = compared & (seen == rows["family"].map(wanted))
    return rows.assign(whole=whole.astype(float), whole_correct=whole * rows["correct"].fillna(0.0))


@dataclass(frozen=True)
class Cells:
    """Items and units of every cell, by denominator; a cell is a condition and a form."""

    items: Mapping[tuple[Key, str], frozenset[int]]
    units: Mapping[tuple[Key, str], frozenset[int]]
    order: Sequence[Key]

    def families(self) -> list[Family]:
        return [f for f in FAMILIES if any(key[1] == f for key in self.order)]

    def subsets(self, family: str) -> list[str]:
        return list(dict.fromkeys(str(key[0]) for key in self.order if key[1] == family))

    def conditions(self, subset: str, family: str) -> list[tuple[str, str]]:
        """Settings with their variants, in the order in which they were first seen."""
        found = (k for k in self.order if k[1] == family and subset in (OVERALL, k[0]))
        return list(dict.fromkeys((str(k[2]), str(k[3])) for k in found))

    def counts(self, keys: Iterable[Key], over: str) -> Counts:
        """Items that a denominator takes in, and items of the same cells that are not eligible."""
        taken: set[int] = set()
        dropped: set[int] = set()
        units: set[int] = set()
        for key in keys:
            taken |= self.items.get((key, over), frozenset())
            dropped |= self.items.get((key, "asked"), frozenset())
            dropped -= self.items.get((key, _DENOMINATORS[over]), frozenset())
            units |= self.units.get((key, over), frozenset())
        return Counts(len(taken), len(dropped), len(units))


def counted(rows: pd.DataFrame) -> Cells:
    """The items and units behind every cell of prepared rows."""
    items: dict[tuple[Key, str], frozenset[int]] = {}
    units: dict[tuple[Key, str], frozenset[int]] = {}
    item_codes, unit_codes = (_codes(rows, name) for name in ("item", "unit"))
    taken = {over: rows[over].to_numpy(dtype=float) > 0 for over in _DENOMINATORS}
    columns = ["subset", "family", "setting", "variant", "form"]
    for values, places in rows.groupby(columns, sort=False).indices.items():
        cell: Key = (*values,) if isinstance(values, tuple) else (values,)
        for over, mask in taken.items():
            inside = places[mask[places]]
            items[(cell, over)] = frozenset(item_codes[inside].tolist())
            units[(cell, over)] = frozenset(unit_codes[inside].tolist())
        items[(cell, "asked")] = frozenset(item_codes[places].tolist())
    order = list(rows[columns].drop_duplicates().itertuples(index=False, name=None))
    return Cells(items, units, order)


def _codes(rows: pd.DataFrame, name: str) -> Ints:
    """A number for every distinct value of a column within its subset."""
    whole = rows["subset"].astype(str) + "\n" + rows[name].astype(str)
    codes: Ints = pd.factorize(whole)[0].astype(np.int64)
    return codes
