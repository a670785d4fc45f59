"""Items that flip: right when asked one way, wrong when asked another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any

import pandas as pd

from askew.report.document import Flip, FlipList, Model, Side
from askew.report.evidence import Evidence
from askew.schema import round_robin
from askew.untrusted import one_line

# At most so many transcripts are opened and printed, over all models of a task.
MOST = 12
_CONDITION = "flip condition"
_PAIRED_BY = ("subset", "item", "epoch", "order", "run")


def flip_list(
    evidence: Evidence,
    conditions: pd.Series,
    before: str,
    afters: Sequence[str],
    names: Mapping[str, str],
    right: str,
    rule: str,
) -> FlipList:
    """The flips that tell most: wrong in most of the other conditions, spread over models.

    Args:
        evidence: the task's observations.
        conditions: the condition of each observation, aligned with them.
        before: the condition in which the item must be right.
        afters: the conditions to compare it with; the first one that is wrong is shown.
        names: conditions and subsets in words.
        right: the column that holds the right answer.
        rule: how flips are chosen, in a sentence.
    """
    observations = evidence.observations.assign(**{_CONDITION: conditions.astype(str)})
    found = {
        m: _ranked(observations[observations["model"] == m.label], before, afters)
        for m in evidence.models
    }
    pools = {
        m.label: [(m, key, rows) for key, rows in _rows_of(observations, m, table)]
        for m, table in found.items()
    }
    flips = [
        _flip(f"{evidence.task}-flip-{n}", m, key, rows, (before, *afters), names, right)
        for n, (m, key, rows) in enumerate(islice(round_robin(pools), MOST), start=1)
    ]
    n_found = sum(len(table) for table in found.values())
    return FlipList(f"{evidence.task}-flips", rule, flips, n_found)


def _ranked(rows: pd.DataFrame, before: str, afters: Sequence[str]) -> pd.DataFrame:
    """Flipping groups, those wrong in most conditions first, subsets taking turns."""
    keys = [k for k in _PAIRED_BY if k in rows and rows[k].notna().all()]
    wide = rows.pivot_table(
        index=keys, columns=_CONDITION, values="correct", aggfunc="first", sort=False
    )
    if before not in wide:
        return pd.DataFrame(columns=keys)
    asked = [a for a in afters if a in wide]
    n_wrong = (wide[asked] == 0).sum(axis=1)
    flipped = n_wrong[(wide[before] == 1) & (n_wrong > 0)]
    table = flipped.rename("n_wrong").reset_index()
    table = table.sort_values("n_wrong", ascending=False, kind="stable")
    turn = table.groupby(["n_wrong", "subset"], sort=False).cumcount()
    order = table.assign(turn=turn).sort_values(
        ["n_wrong", "turn"], ascending=[False, True], kind="stable"
    )
    return order[keys].reset_index(drop=True)


def _rows_of(
    observations: pd.DataFrame, model: Model, table: pd.DataFrame
) -> list[tuple[dict[str, Any], dict[str, dict[str, Any]]]]:
    """The first few groups of a model, each with its observations by condition."""
    keys = list(table.columns)
    first = table.head(MOST)
    mine = observations[observations["model"] == model.label]
    merged = first.merge(mine, on=keys, how="left") if len(first) else mine[:0]
    groups: dict[tuple[Any, ...], dict[str, dict[str, Any]]] = {}
    for record in merged.to_dict("records"):
        key = tuple(record[k] for k in keys)
        groups.setdefault(key, {})[str(record[_CONDITION])] = {
            str(name): value for name, value in record.items()
        }
    return [(dict(zip(keys, key, strict=True)), rows) for key, rows in groups.items()]


def _flip(
    flip_id: str,
    model: Model,
    key: Mapping[str, Any],
    rows: Mapping[str, Mapping[str, Any]],
    order: Sequence[str],
    names: Mapping[str, str],
    right: str,
) -> Flip:
    sides = {c: _side(rows[c], names.get(c, c)) for c in order if c in rows}
    after = next(c for c in order[1:] if c in sides and not sides[c].correct)
    truth = rows[order[0]].get(right)
    return Flip(
        id=flip_id,
        model=model,
        item=one_line(key["item"]),
        subset=names.get(str(key["subset"]), one_line(key["subset"])),
        right_answer=one_line(truth) if isinstance(truth, str) else "",
        before=sides[order[0]],
        after=sides[after],
        others=tuple(side for c, side in sides.items() if c not in (order[0], after)),
    )


def _side(row: Mapping[str, Any], condition: str) -> Side:
    answer = row.get("answer")
    log, sample_id = row.get("log"), row.get("sample_id")
    return Side(
        condition=condition,
        answer=one_line(answer) if isinstance(answer, str) else "",
        outcome=one_line(row.get("outcome", "ok")),
        correct=row["correct"] == 1,
        log=log if isinstance(log, str) else "",
        sample_id=sample_id if isinstance(sample_id, str) else "",
        epoch=int(row.get("epoch", 1)),
    )
