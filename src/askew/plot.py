"""The report's figures in a notebook: `askew.plot.<figure>(study)`, an Altair chart.

`askew.plot.figures(study)` lists them. Altair is not installed with askew: `pip install altair`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from askew.parameters import name_hint
from askew.report.blocks import Figure
from askew.report.charts import panels_of, standalone_spec
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import DEFAULT_INTERVAL, Interval

if TYPE_CHECKING:
    import altair


def figures(study: Study) -> pd.DataFrame:
    """List the figures of a study.

    Args:
        study: The logs, as `Study.read` returns them.

    Returns:
        Columns: `figure` (a name in `askew.plot`), `task`, `caption`.
    """
    report = build_report(study, transcripts=False)
    rows = [
        (_name(block), chapter.id, block.caption)
        for chapter in report.chapters
        for block in chapter.blocks
        if isinstance(block, Figure)
    ]
    return pd.DataFrame(rows, columns=["figure", "task", "caption"])


def __getattr__(name: str) -> Callable[..., Any]:
    if name.startswith("_"):
        raise AttributeError(f"module 'askew.plot' has no attribute {name!r}")
    return partial(_draw, name)


def _draw(figure: str, study: Study, interval: Interval = DEFAULT_INTERVAL) -> altair.TopLevelMixin:
    """A figure with its title, legend and how to read it; its panels stand below each other."""
    try:
        import altair
    except ImportError as error:
        raise ImportError("askew.plot needs Altair: pip install altair") from error
    report = build_report(study, interval=interval, transcripts=False)
    found = [pair for chapter in report.chapters for pair in panels_of(chapter)]
    specs = [standalone_spec(chart, panel) for chart, panel in found if _name(chart) == figure]
    if not specs:
        there = {_name(chart) for chart, _ in found}
        raise ValueError(f"no figure {figure!r} of this study. {name_hint(figure, there)}")
    if len(specs) == 1:
        return altair.Chart.from_dict(specs[0])
    whole = {key: specs[0][key] for key in ("config", "background", "padding")}
    panels = [{k: v for k, v in spec.items() if k not in whole} for spec in specs]
    return altair.VConcatChart.from_dict({**whole, "vconcat": panels})


def _name(chart: Figure) -> str:
    return chart.id.replace("-", "_")
