"""What KnowNo's chapter.yaml can't say: which labels replies give where no label fits."""

import pandas as pd

from askew.files import yaml_of
from askew.papers.knowno.paper import WITHOUT_GOLD
from askew.report.blocks import Cell, Table, make_table
from askew.report.estimates import NUMBERS, Estimate
from askew.report.evidence import Evidence
from askew.schema import Metric
from askew.stats.engine import Items, analysis, share
from askew.stats.tables import Analysis, metric_table
from askew.untrusted import one_line

_WORDS = yaml_of(__package__, "chapter.yaml")["words"]["attraction"]
_MOST = 10
_SHARE, _CELLS = Metric("share"), ("subset", "label")


def attraction(evidence: Evidence) -> Table | None:
    """The labels that a model gives most where none fits, as shares of replies that could."""
    rows = evidence.observations
    if not {"kind", "pattern"} <= {*rows}:
        return None
    rows = rows[(rows["kind"] == "intent") & rows["hint"].isin(WITHOUT_GOLD)]
    records = []
    for model in evidence.models:
        for subset, own in rows[rows["model"] == model.label].groupby("subset", sort=False):
            given = own["answer"].where(own["pattern"] == "offered")
            counts = given.value_counts().sort_index().sort_values(ascending=False, kind="stable")
            if counts.empty:
                continue
            asked = [
                own.assign(label=label, given=given == label)[own["gold"] != label]
                for label in counts.index[:_MOST]
            ]
            shares = metric_table(pd.concat(asked), ("model",), _CELLS, _shares, evidence.interval)
            found = {row["label"]: Estimate(*(row[n] for n in NUMBERS))
                     for row in shares.to_dict("records")}  # fmt: skip
            for label, n in counts[:_MOST].items():
                records.append({
                    "kind": model.kind, "cells": {
                        "of": f"{model.short}, {evidence.label('subset', str(subset))}",
                        "Label": one_line(label), "n": f"{n:,}",
                        "Share": Cell(estimate=found[label]),
                    },
                })  # fmt: skip
    return make_table(_WORDS, records, _WORDS["id"]) if records else None


def _shares(rows: pd.DataFrame) -> Analysis:
    items = Items(rows, _CELLS, ("given",))
    return analysis(items, _CELLS, {cell: [share(_SHARE, "given")] for cell in items.cells})
