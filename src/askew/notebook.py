"""Short answers for a notebook: narrow tables of headlines, flips, comparisons and checks."""

from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from askew.decide import compare as _compare
from askew.decide import gate as _gate
from askew.decide.policy import Policy, read_policy
from askew.report.blocks import Flips
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import DEFAULT_INTERVAL, OVERALL, Interval

HEADLINES = (
    "task", "model", "metric", "value", "low", "high", "null", "verdict", "n", "ceiling", "label",
)  # fmt: skip
FLIPS = (
    "task", "model", "item", "right", "asked", "answer", "asked_otherwise", "answer_then",
    "log", "sample_id", "epoch",
)  # fmt: skip
COMPARED = (
    "baseline_value", "model_value", "difference", "low", "high", "p_corrected", "verdict",
    "n_items", "n_needed", "baseline_ceiling", "model_ceiling",
)  # fmt: skip
CHECKED = ("status", "rule", "task", "model", "metric", "levels", "value", "low", "high", "n_items",
           "asked", "ceiling", "why")  # fmt: skip


def headlines(study: Study, interval: Interval = DEFAULT_INTERVAL) -> pd.DataFrame:
    """Return the report's summary: one row per task, model and summary metric.

    Args:
        study: The logs, as `Study.read` returns them.
        interval: How to compute intervals.

    Returns:
        Columns: `task`, `model`, `metric`, `value` (uncorrected) with its 95% CI (`low`, `high`),
        `null` (95th percentile under the permutation null; nan without one), `verdict` (detected,
        suggestive, negligible, inconclusive; empty for metrics that are not tested), `n` (items),
        `ceiling` ("at", "perhaps at", "in part" or empty) and `label` (the metric and what it is
        of, such as a treatment). Values are in the metric's own unit: 0.05 is 5 points.
    """
    report = build_report(study, interval=interval, transcripts=False)
    rows = [
        {**record, "null": record["null_q95"], "verdict": record["verdict"] or "",
         "n": record["n_items"]}
        for record in report.headlines
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(HEADLINES))


def flips(study: Study) -> pd.DataFrame:
    """List items that a model got right in one condition and wrong in another.

    Args:
        study: The logs, as `Study.read` returns them.

    Returns:
        The items that the report shows, those wrong in most other conditions first. Columns:
        `task`, `model`, `item`, `right` (the correct answer), `asked` and `answer` (condition and
        reply), `asked_otherwise` and `answer_then`, and the second reply's `log`, `sample_id` and
        `epoch`.
    """
    report = build_report(study, transcripts=False)
    rows = [
        (chapter.id, flip.model.label, flip.item, flip.right_answer, flip.before.condition,
         flip.before.answer, flip.after.condition, flip.after.answer, flip.after.log,
         flip.after.sample_id, flip.after.epoch)
        for chapter in report.chapters
        for block in chapter.blocks
        if isinstance(block, Flips)
        for flip in block.flips
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(FLIPS))


class ComparisonTable(NamedTuple):
    """Models against a baseline, a row a task, metric and model, with what to know of it."""

    table: pd.DataFrame
    notes: tuple[str, ...]


def compare(study: Study, baseline: str, **options: Any) -> ComparisonTable:
    """Compare models with a baseline on the samples that both answered.

    Args:
        study: The logs, as `Study.read` returns them.
        baseline: The model to compare with.
        **options: As in `askew.decide.compare.compare`: `models`, `metric`, `by`, `descriptive`,
            `allow_diff`.

    Returns:
        `table`, one row per task and metric, and `notes`. Columns: `task`, `metric`, `model`, the
        levels of `by`, both values, `difference` with its interval, `p_corrected`, `verdict`,
        `n_items`, `n_needed` (items for a decision, if there is none yet), and `..._ceiling`.

    Raises:
        ValueError: No model, or several, fit `baseline`; the message lists the models.
    """
    found = _compare.compare(study, baseline, **options)
    levels = [c for c in found.levels if (found.table[c].fillna(OVERALL) != OVERALL).any()]
    return ComparisonTable(
        found.table[["task", "metric", "model", *levels, *COMPARED]], found.notes
    )


class GateTable(NamedTuple):
    """What came of a policy: a row a check, the outcome in a line, and `askew gate`'s exit code."""

    table: pd.DataFrame
    verdict: str
    exit_code: int


def gate(study: Study, policy: Policy | str | Path) -> GateTable:
    """Check a policy against the results.

    Args:
        study: The logs, as `Study.read` returns them.
        policy: A YAML file, or the result of `askew.decide.policy.read_policy`.

    Returns:
        `table`, one row per check with `status` pass, fail or inconclusive; `verdict`, the outcome
        in one line; `exit_code`, that of `askew gate`.

    Raises:
        ValueError: The policy has errors; the message lists all of them.
    """
    outcome = _gate.gate(study, policy if isinstance(policy, Policy) else read_policy(policy))
    rows = [
        {name: getattr(c, name) for name in CHECKED if name != "rule"} | {"rule": c.rule.title}
        for c in outcome.checks
    ]
    return GateTable(pd.DataFrame(rows, columns=list(CHECKED)), outcome.verdict, outcome.exit_code)
