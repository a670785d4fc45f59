"""What a card says was asked: of which questions, in which wordings, and in which not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from askew.files import yaml_of
from askew.logs.excluded import Run
from askew.papers import asked_for
from askew.report.document import Column, Group, Row, Table, text_row
from askew.schema import MISSING, Paper
from askew.untrusted import one_line

WORDS: Mapping[str, Any] = yaml_of("askew.report", "report.yaml")["card"]


@dataclass(frozen=True)
class Asked:
    """What one task asked of the model: of which questions, in which wordings."""

    task: str
    question: str
    run: Run | None
    items: int
    subsets: tuple[str, ...]
    epochs: int
    wordings: Mapping[str, tuple[str, ...]]
    not_asked: Mapping[str, tuple[str, ...]]

    @property
    def paper(self) -> Paper:
        return asked_for(self.task)


def asked_of(task: str, rows: pd.DataFrame, runs: Sequence[Run]) -> Asked:
    paper = asked_for(task)
    wordings: dict[str, tuple[str, ...]] = {}
    missing: dict[str, tuple[str, ...]] = {}
    for factor in paper.factors:
        if factor.name not in rows:
            continue
        seen = [str(v) for v in rows[factor.name].dropna().unique() if str(v)]
        declared = list(map(str, factor.conditions))
        ordered = [v for v in declared if v in seen] + [v for v in seen if v not in declared]
        labels = {str(v): factor.label(v) for v in factor.conditions}
        name = factor.name.replace("_", " ")
        wordings[name] = tuple(one_line(labels.get(v, v)) for v in ordered)
        if not factor.free:
            missing[name] = tuple(labels[v] for v in declared if v not in seen)
    return Asked(
        task=task,
        question=paper.question,
        run=next((r for r in runs if r.task == task), None),
        items=len(rows[["subset", "item"]].drop_duplicates()) if len(rows) else 0,
        subsets=tuple(dict.fromkeys(map(str, rows["subset"]))) if len(rows) else (),
        epochs=int(rows["epoch"].nunique()) if len(rows) else 0,
        wordings=wordings,
        not_asked={name: of for name, of in missing.items() if of},
    )


def asked_table(asked: Sequence[Asked]) -> Table:
    words = WORDS["asked"]

    def listed(of: Mapping[str, Sequence[str]]) -> str:
        return "; ".join(f"{name}: {', '.join(values)}" for name, values in of.items())

    rows = [
        text_row(
            one.paper.name,
            [one.question, _questions(one), listed(one.wordings) or MISSING,
             listed(one.not_asked) or words["all"]],
        )
        for one in asked
    ]  # fmt: skip
    return card_table("card-asked", words, words["columns"], rows, texts=words["columns"])


def _questions(one: Asked) -> str:
    words = WORDS["asked"]
    names = one.paper.subset_names
    return str(
        words["questions"].format(
            data=one.run.data if one.run else "unknown",
            revision=one.run.revision if one.run else "unknown",
            version=one.run.version if one.run else "unknown",
            items=f"{one.items:,}",
            subsets=", ".join(one_line(names.get(s, s)) for s in one.subsets) or "none",
            epochs=words["epochs"].format(n=one.epochs) if one.epochs > 1 else "",
        )
    )


def card_table(
    id: str, words: Mapping[str, Any], labels: Sequence[str], rows: Sequence[Row],
    texts: Sequence[str],
) -> Table:  # fmt: skip
    shown = [Column(label, numeric=label not in texts) for label in labels]
    return Table(id, words["caption"], words["head"], shown, [Group(rows)])
