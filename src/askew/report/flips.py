"""Items that flip: right when asked one way, wrong when asked another."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import islice
from typing import Any

import pandas as pd

from askew.report.blocks import Flip, Flips, Side
from askew.report.estimates import Model
from askew.report.evidence import Evidence
from askew.schema import round_robin
from askew.untrusted import one_line

# At most so many transcripts are opened and printed, over all models of a task.
MOST = 12
_CONDITION = "flip condition"
Asked = Mapping[str, Mapping[Hashable, Any]]
"""The observations of one item that may flip, by condition."""
_PAIRED_BY = ("subset", "item", "epoch", "order", "run")


def flip_list(
    evidence: Evidence,
    conditions: pd.Series,
    before: str,
    afters: Sequence[str],
    names: Mapping[str, str],
    right: str,
    rule: str,
    pairs: Sequence[str] = (),
    id: str = "",
) -> Flips:
    """The flips that tell most: wrong in most of the other conditions, spread over models.

    Args:
        evidence: the task's observations.
        conditions: the condition of each observation, aligned with them.
        before: the condition in which the item must be right.
        afters: the conditions to compare it with; the first one that is wrong is shown.
        names: conditions and subsets in words.
        right: the column that holds the right answer.
        rule: how flips are chosen, in a sentence.
        pairs: further columns in which both askings must be alike.
        id: the list's.
    """
    observations = evidence.observations.assign(**{_CONDITION: conditions.astype(str)})
    pools: dict[str, list[tuple[Model, Asked]]] = {}
    n_found = 0
    for model in evidence.models:
        rows = observations[observations["model"] == model.label]
        found = _ranked(rows, before, afters, pairs)
        n_found += len(found)
        pools[model.label] = [(model, asked) for asked in _by_condition(found.head(MOST), rows)]
    id = id or f"{evidence.task}-flips"
    flips = [
        _flip(f"{id.removesuffix('s')}-{n}", model, asked, (before, *afters), names, right)
        for n, (model, asked) in enumerate(islice(round_robin(pools), MOST), start=1)
    ]
    return Flips(id, rule, flips, n_found)


def _ranked(
    rows: pd.DataFrame, before: str, afters: Sequence[str], pairs: Sequence[str]
) -> pd.DataFrame:
    """Keys of flipping groups, those wrong in most conditions first, subsets taking turns."""
    keys = [k for k in dict.fromkeys((*_PAIRED_BY, *pairs)) if k in rows and rows[k].notna().all()]
    wide = rows.pivot_table(
        index=keys, columns=_CONDITION, values="correct", aggfunc="first", sort=False
    )
    if before not in wide:
        return pd.DataFrame(columns=keys)
    n_wrong = (wide[[a for a in afters if a in wide]] == 0).sum(axis=1)
    flipped = n_wrong[(wide[before] == 1) & (n_wrong > 0)].rename("n_wrong").reset_index()
    turn = flipped.groupby(["n_wrong", "subset"], sort=False).cumcount()
    order = ["n_wrong", "turn"]
    return flipped.assign(turn=turn).sort_values(order, ascending=[False, True])[keys]


def _by_condition(groups: pd.DataFrame, rows: pd.DataFrame) -> list[Asked]:
    """The observations of each group, by condition."""
    if groups.empty:
        return []
    keys = list(groups.columns)
    found: dict[tuple[Hashable, ...], dict[str, Mapping[Hashable, Any]]] = {}
    for row in groups.merge(rows, on=keys, how="left").to_dict("records"):
        found.setdefault(tuple(row[k] for k in keys), {})[str(row[_CONDITION])] = row
    return list(found.values())


def _flip(
    flip_id: str,
    model: Model,
    asked: Asked,
    order: Sequence[str],
    names: Mapping[str, str],
    right: str,
) -> Flip:
    sides = {c: _side(asked[c], names.get(c, c)) for c in order if c in asked}
    after = next(c for c in order[1:] if c in sides and not sides[c].correct)
    first = asked[order[0]]
    return Flip(
        id=flip_id,
        model=model,
        item=one_line(first["item"]),
        subset=names.get(str(first["subset"]), one_line(first["subset"])),
        right_answer=one_line(_text(first, right)),
        before=sides[order[0]],
        after=sides[after],
        others=tuple(side for c, side in sides.items() if c not in (order[0], after)),
    )


def _side(row: Mapping[Hashable, Any], condition: str) -> Side:
    return Side(
        condition=condition,
        answer=one_line(_text(row, "answer")),
        outcome=one_line(row.get("outcome", "ok")),
        correct=row["correct"] == 1,
        log=_text(row, "log"),
        sample_id=_text(row, "sample_id"),
        epoch=int(row.get("epoch", 1)),
    )


def _text(row: Mapping[Hashable, Any], column: str) -> str:
    """What a column says; empty where it says nothing, or is not there."""
    value = row.get(column)
    return value if isinstance(value, str) else ""
